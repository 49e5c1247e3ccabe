#!/usr/bin/env python3
"""torch.nn.functional on the CPU, forward and autograd backward.

Conventions: momentum is 1 - running_decay; the running variance is the unbiased one, and mapped where
the case has the biased one; tokens are the last axis, [B,D,T]. The layers have no mask; softmax and
logsumexp take -inf where an element takes no part. Attention is in torch_attention.py, layers of encoders and
decoders in torch_encoder_layer.py, whole models in torch_transformers.py, optimizers in torch_optimizers.py.
"""
import streams  # isort: split; first, for frameworks print when they are imported

import numpy as np
import torch
import torch.nn.functional as F

import protocol
import torch_attention
import torch_cross_entropy
import torch_encoder_layer
import torch_optimizers
import torch_transformers

FUNCTIONS = {
    "softmax": lambda x: F.softmax(x, -1),
    "log_softmax": lambda x: F.log_softmax(x, -1),
    "log_sum_exp": lambda x: torch.logsumexp(x, -1),
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
}
GATED = {"swiglu": F.silu, "geglu": F.gelu}  # of x, times gate
ADDED = {"add_layer_norm": "layer_norm", "add_rms_norm": "rms_norm"}  # of x + residual, in the dtype of the case


def layer_norm(case, x, gamma, beta, state):
    return F.layer_norm(x, x.shape[-1:], gamma, beta, case.options["eps"])


def rms_norm(case, x, gamma, beta, state):
    y = F.rms_norm(x, x.shape[-1:], gamma, case.options["eps"])
    return y if beta is None else y + beta


def channels_first(case, x):
    """x with its channels behind the samples; of channels last the memory stays as it is."""
    return x if case.options.get("layout") == "channels_first" else x.movedim(-1, 1)


def as_given(case, y):
    return y if case.options.get("layout") == "channels_first" else y.movedim(1, -1)


def group_norm(case, x, gamma, beta, state):
    groups = int(case.options["groups"])
    return as_given(case, F.group_norm(channels_first(case, x), groups, gamma, beta, case.options["eps"]))


def instance_norm(case, x, gamma, beta, state):
    return F.instance_norm(x.transpose(1, 2), weight=gamma, bias=beta, eps=case.options["eps"]).transpose(1, 2)


def batch_norm(case, x, gamma, beta, state):
    images = "layout" in case.options
    rows = channels_first(case, x) if images else x.reshape(-1, x.shape[-1])
    if case.training and rows.numel() < 2 * rows.shape[1]:
        raise protocol.NotOffered("one row")  # "Expected more than 1 value per channel when training"
    y = F.batch_norm(rows, state["running_mean"], state["running_variance"], gamma, beta, case.training,
                     1 - case.options["running_decay"], case.options["eps"])
    return as_given(case, y) if images else y.reshape(x.shape)


def dyt(case, x, gamma, beta, state, alpha=None):
    """As its authors write it: PyTorch has no function of its own."""
    y = torch.tanh((case.options["alpha0"] if alpha is None else alpha) * x)
    return y if gamma is None else gamma * y + beta


NORMS = {"layer_norm": layer_norm, "batch_norm": batch_norm, "instance_norm": instance_norm,
         "group_norm": group_norm, "dyt": dyt}
if hasattr(F, "rms_norm"):
    NORMS["rms_norm"] = rms_norm


MASKED = (*protocol.AFFINE, "valid", "eps")
TAKES = {
    **dict.fromkeys(("layer_norm", "rms_norm", "instance_norm"), MASKED),
    "group_norm": (*MASKED, "groups", "layout"),
    "batch_norm": (*MASKED, *protocol.STATISTICS, "unbiased_running_variance", "layout"),
    "dyt": (*protocol.AFFINE, "valid", "alpha", "alpha0"),
    "attention": torch_attention.TAKES,
    "cross_entropy": torch_cross_entropy.TAKES,
    "encoder_layer": torch_encoder_layer.TAKES,
    "decoder_layer": torch_encoder_layer.TAKES_OF_DECODERS,
    **dict.fromkeys(torch_transformers.OPERATIONS, ("*",)),
    **dict.fromkeys(FUNCTIONS, ("valid",)),
    **dict.fromkeys(GATED, ("gate",)),
    **dict.fromkeys(ADDED, protocol.ADD_NORM_TAKES),
    **protocol.OPTIMIZER_TAKES,
}


def forward(case, x, gamma, beta, state, others):
    if case.op in FUNCTIONS:
        if case.masked:
            x = x.masked_fill(torch.from_numpy(~case["valid"]), float("-inf"))
        return FUNCTIONS[case.op](x)
    if case.op in GATED:
        return GATED[case.op](x) * others["gate"]
    if case.op in ADDED:
        return NORMS[ADDED[case.op]](case, x, gamma, beta, state)
    return NORMS[case.op](case, x, gamma, beta, state, **others)


def step(case):
    if case.op in torch_optimizers.OPTIMIZERS:
        return torch_optimizers.step(case)
    if case.op in ("attention", "cross_entropy"):
        return (torch_attention if case.op == "attention" else torch_cross_entropy).step(case)
    if case.op in torch_transformers.OPERATIONS:
        return torch_transformers.step(case)
    if case.op in torch_encoder_layer.SUBLAYERS:
        return torch_encoder_layer.step(case)
    if case.dtype == "float32" and "bfloat16" in case.dtypes.values():
        raise protocol.NotOffered("parameters of fewer digits than x")
    if is_mixed(case) and case.op.endswith(("layer_norm", "group_norm")) and torch.__version__ < "2":
        raise protocol.NotOffered("parameters of another dtype than x")
    if case.masked and protocol.over_rows(case.op):
        raise protocol.NotOffered("a mask")
    leaves, state = {}, {}
    for name, value in case.tensors.items():
        tensor = torch.from_numpy(np.array(value))
        if name in protocol.STATE:
            state[name] = tensor
        elif name in ("x", "gate", "residual", *protocol.PARAMETERS):
            tensor = tensor.to(getattr(torch, case.dtypes[name]))
            # Beside statistics in float32, batch_norm takes its parameters in float32 alone.
            if name != "x" and "running_mean" in case.tensors:
                tensor = tensor.to(state_dtype(case))
            leaves[name] = tensor.requires_grad_()
    others = {name: leaf for name, leaf in leaves.items() if name not in ("x", "gamma", "beta")}
    total = leaves["x"] + others.pop("residual") if case.op in ADDED else leaves["x"]
    y = forward(case, total, leaves.get("gamma"), leaves.get("beta"), state, others)
    grad_y = torch.from_numpy(case["grad_y"]).to(y.dtype)
    outputs = {"y": array(y.detach())}
    if case.op in ADDED:
        torch.autograd.backward((y, total), (grad_y, torch.from_numpy(case["grad_sum"]).to(y.dtype)))
        outputs["sum"] = array(total.detach())
        del leaves["residual"]  # whose gradient is that of x
    else:
        y.backward(grad_y)
    outputs.update({"grad_" + name: array(leaf.grad) for name, leaf in leaves.items()})
    if case.dtype == "bfloat16":
        outputs = protocol.all_stored(case, outputs)
    outputs.update({name: array(tensor) for name, tensor in state.items()})
    if case.training and case.options.get("unbiased_running_variance") is False:
        rows = case["x"].size // case["x"].shape[-1]
        outputs["running_variance"] = protocol.other_bias(
            outputs["running_variance"], case["running_variance"], case.options["running_decay"],
            (rows - 1) / rows)
    return outputs


def is_mixed(case):
    return any(case.dtypes[name] != case.dtype for name in case.tensors if name in protocol.PARAMETERS)


def state_dtype(case):
    return getattr(torch, np.dtype(case.compute_dtype).name)


def array(tensor):
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()


if __name__ == "__main__":
    torch.set_num_threads(1)
    wide = ("float64", "float32")
    narrow = [name for name in NORMS if NORMS[name] is not rms_norm]
    added = [name for name in ADDED if ADDED[name] in NORMS]
    rows = protocol.asks((*narrow, *FUNCTIONS, *GATED, *added), (*wide, "bfloat16"))
    rows += protocol.asks((*torch_encoder_layer.SUBLAYERS, *torch_transformers.OPERATIONS, *torch_optimizers.OPTIMIZERS),
                          wide)
    rows += protocol.asks([name for name in NORMS if name not in narrow], wide)
    rows += protocol.asks(("cross_entropy",), (*wide, "float16", "bfloat16"))
    if torch_attention.OFFERED:
        rows += protocol.asks(("attention",), (*wide, "float16", "bfloat16"))
    protocol.main("PyTorch", torch.__version__, rows, step, TAKES)
