#!/usr/bin/env python3
"""torch.nn.functional on the CPU, forward and autograd backward.

Conventions: momentum is 1 - running_decay; the running variance is the unbiased one, and mapped where
the case has the biased one; tokens are the last axis, [B,D,T]. The layers have no mask; softmax and
logsumexp take -inf where an element takes no part. Encoder layers are in torch_encoder_layer.py, optimizers in
torch_optimizers.py.
"""
import numpy as np
import torch
import torch.nn.functional as F

import protocol
import torch_encoder_layer
import torch_optimizers

MASK_MATTERS = ("batch_norm", "instance_norm", "group_norm")
FUNCTIONS = {
    "softmax": lambda x: F.softmax(x, -1),
    "log_softmax": lambda x: F.log_softmax(x, -1),
    "log_sum_exp": lambda x: torch.logsumexp(x, -1),
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
}


def batch_norm(case, x, gamma, beta, state):
    rows = x.reshape(-1, x.shape[-1])
    if case.training and len(rows) < 2:
        raise protocol.NotOffered  # "Expected more than 1 value per channel when training"
    y = F.batch_norm(rows, state["running_mean"], state["running_variance"], gamma, beta, case.training,
                     1 - case.options["running_decay"], case.options["eps"])
    return y.reshape(x.shape)


def forward(case, x, gamma, beta, state):
    if case.op in FUNCTIONS:
        if case.masked:
            x = x.masked_fill(torch.from_numpy(~case["valid"]), float("-inf"))
        return FUNCTIONS[case.op](x)
    eps, features = case.options["eps"], x.shape[-1]
    if case.op == "layer_norm":
        return F.layer_norm(x, (features,), gamma, beta, eps)
    if case.op == "rms_norm":
        y = F.rms_norm(x, (features,), gamma, eps)
        return y if beta is None else y + beta
    if case.op == "batch_norm":
        return batch_norm(case, x, gamma, beta, state)
    tokens_last = x.transpose(1, 2)
    if case.op == "group_norm":
        y = F.group_norm(tokens_last, int(case.options["groups"]), gamma, beta, eps)
    else:
        y = F.instance_norm(tokens_last, weight=gamma, bias=beta, eps=eps)
    return y.transpose(1, 2)


def step(case):
    if case.op in torch_optimizers.OPTIMIZERS:
        return torch_optimizers.step(case)
    if case.op == "encoder_layer":
        return torch_encoder_layer.step(case)
    if case.masked and case.op in MASK_MATTERS:
        raise protocol.NotOffered
    leaves, state = {}, {}
    for name, value in case.tensors.items():
        tensor = torch.from_numpy(np.array(value))
        if name in protocol.STATE:
            state[name] = tensor
        elif name in ("x", "gamma", "beta"):
            tensor = tensor.to(getattr(torch, case.dtype))
            # Beside statistics in float32, batch_norm takes its parameters in float32 alone.
            if name != "x" and case.op == "batch_norm":
                tensor = tensor.to(state_dtype(case))
            leaves[name] = tensor.requires_grad_()
    y = forward(case, leaves["x"], leaves.get("gamma"), leaves.get("beta"), state)
    y.backward(torch.from_numpy(case["grad_y"]).to(y.dtype))
    outputs = {"y": array(y.detach())}
    outputs.update({"grad_" + name: array(leaf.grad) for name, leaf in leaves.items()})
    if case.dtype == "bfloat16":
        outputs = {name: protocol.to_bfloat16(value) for name, value in outputs.items()}
    outputs.update({name: array(tensor) for name, tensor in state.items()})
    if case.op == "batch_norm" and case.training and not case.options["unbiased_running_variance"]:
        rows = case["x"].size // case["x"].shape[-1]
        outputs["running_variance"] = protocol.other_bias(
            outputs["running_variance"], case["running_variance"], case.options["running_decay"],
            (rows - 1) / rows)
    return outputs


def state_dtype(case):
    return getattr(torch, np.dtype(case.compute_dtype).name)


def array(tensor):
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()


if __name__ == "__main__":
    torch.set_num_threads(1)
    rows = protocol.asks(("layer_norm", "batch_norm", "instance_norm", "group_norm", *FUNCTIONS),
                         ("float64", "float32", "bfloat16"))
    rows += protocol.asks(("encoder_layer", *torch_optimizers.OPTIMIZERS), ("float64", "float32"))
    if hasattr(F, "rms_norm"):
        rows += protocol.asks(("rms_norm",), ("float64", "float32"))
    protocol.main("PyTorch", torch.__version__, rows, step)
