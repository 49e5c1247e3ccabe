"""torch.optim.SGD, Adam and AdamW, each from the state that a case gives."""
import torch


def sgd(options, parameters):
    return torch.optim.SGD(parameters, options["learning_rate"], momentum=options["momentum"])


def adam(options, parameters):
    betas = options["beta1"], options["beta2"]
    return torch.optim.Adam(parameters, options["learning_rate"], betas, options["eps"])


def adamw(options, parameters):
    betas = options["beta1"], options["beta2"]
    return torch.optim.AdamW(parameters, options["learning_rate"], betas, options["eps"], options["weight_decay"])


OPTIMIZERS = {f.__name__: f for f in (sgd, adam, adamw)}
MOMENTS = {"velocity": "momentum_buffer", "first_moment": "exp_avg", "second_moment": "exp_avg_sq"}


def step(case):
    """One step."""
    parameter = torch.from_numpy(case["parameter"].copy()).requires_grad_()
    parameter.grad = torch.from_numpy(case["grad_parameter"].copy())
    optimizer = OPTIMIZERS[case.op](case.options, [parameter])
    state = optimizer.state[parameter]
    for name, own in MOMENTS.items():
        if name in case.tensors:
            state[own] = torch.from_numpy(case[name].copy())
    state["step"] = torch.tensor(float(case["iterations"][0]))
    optimizer.step()
    outputs = {"parameter": parameter.detach().numpy(), "iterations": case["iterations"] + 1}
    outputs.update({name: optimizer.state[parameter][own].numpy() for name, own in MOMENTS.items()
                    if name in case.tensors})
    return outputs
