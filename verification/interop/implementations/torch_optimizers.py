"""One step of torch.optim.SGD, Adam or AdamW, from the state that a case gives."""
import torch

MOMENTS = {"velocity": "momentum_buffer", "first_moment": "exp_avg", "second_moment": "exp_avg_sq"}


def step(make, parameter, grad_parameter, iterations, moments):
    """Computes one step of the optimizer make([parameter]). `moments` are its tensors under the corpus' names."""
    trained = parameter.clone().requires_grad_()
    trained.grad = grad_parameter
    optimizer = make([trained])
    state = optimizer.state[trained]
    given = {name: value for name, value in moments.items() if value is not None}
    for name, value in given.items():
        state[MOMENTS[name]] = value
    state["step"] = torch.tensor(float(iterations[0]))
    optimizer.step()
    return {"parameter": trained.detach(), "iterations": iterations + 1,
            **{name: optimizer.state[trained][MOMENTS[name]] for name in given}}


def sgd(parameter, grad_parameter, iterations, learning_rate, momentum, velocity=None):
    return step(lambda parameters: torch.optim.SGD(parameters, learning_rate, momentum=momentum),
                parameter, grad_parameter, iterations, {"velocity": velocity})


def adam(parameter, grad_parameter, iterations, learning_rate, beta1, beta2, eps, first_moment, second_moment):
    return step(lambda parameters: torch.optim.Adam(parameters, learning_rate, (beta1, beta2), eps),
                parameter, grad_parameter, iterations, {"first_moment": first_moment, "second_moment": second_moment})


def adamw(parameter, grad_parameter, iterations, learning_rate, beta1, beta2, eps, weight_decay, first_moment,
          second_moment):
    return step(lambda parameters: torch.optim.AdamW(parameters, learning_rate, (beta1, beta2), eps, weight_decay),
                parameter, grad_parameter, iterations, {"first_moment": first_moment, "second_moment": second_moment})


OPERATIONS = {"sgd": sgd, "adam": adam, "adamw": adamw}
