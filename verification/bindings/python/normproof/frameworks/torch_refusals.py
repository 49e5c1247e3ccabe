"""Modules of PyTorch that compute none of the operations, and what to judge instead."""
from __future__ import annotations

import inspect
from typing import Any

import torch

from normproof import names
from normproof.frameworks import torch_layers, torch_optimizers

NORMS = ("LayerNorm", "RMSNorm", "GroupNorm", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm", "InstanceNorm1d",
         "InstanceNorm2d", "InstanceNorm3d")
FUNCTIONS = ("ReLU", "GELU", "SiLU", "Softmax", "LogSoftmax", "Mish", "ELU", "CELU", "SELU", "LeakyReLU", "ReLU6", "Hardswish",
             "Hardsigmoid", "Hardtanh", "Sigmoid", "LogSigmoid", "Tanh", "Softplus", "Softsign", "Softmin", "Hardshrink",
             "Softshrink", "Tanhshrink", "RReLU", "PReLU", "Threshold", "Identity", "Sequential")
LOSSES = {"CrossEntropyLoss": "cross_entropy"}
_LOSS_OPTIONS = {"reduction": "mean", "ignore_index": -100}  # of a loss that was made: the values that the operation has
# An implementation of each operation: a module, or a function whose parameters the text shows.
_SUGGESTIONS = {
    "attention": "a function of q, k and v, as lambda q, k, v, causal, scale: "
                 "torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale)",
    "encoder_layer": "torch.nn.TransformerEncoderLayer, or a function of x and of the parameters by the corpus' names, as "
                     "lambda x, num_heads, **others: ...",
    "decoder_layer": "torch.nn.TransformerDecoderLayer, or a function of x, memory and of the parameters by the corpus' names, "
                     "as lambda x, memory, num_heads, **others: ...",
    "layer_norm": "torch.nn.LayerNorm", "rms_norm": "torch.nn.RMSNorm", "group_norm": "torch.nn.GroupNorm",
    "batch_norm": "torch.nn.BatchNorm1d", "instance_norm": "torch.nn.InstanceNorm1d", "softmax": "torch.nn.functional.softmax",
    "log_softmax": "torch.nn.functional.log_softmax", "relu": "torch.nn.ReLU", "gelu": "torch.nn.GELU", "silu": "torch.nn.SiLU",
    "sigmoid": "torch.sigmoid", "log_sigmoid": "torch.nn.functional.logsigmoid", "softplus": "torch.nn.functional.softplus",
    "tanh": "torch.tanh", "mish": "torch.nn.functional.mish", "cross_entropy": "torch.nn.CrossEntropyLoss"}


def find_refusal(fn: Any, op: str) -> str:
    """Implements Framework.find_refusal for the modules of torch.nn. A module that a user wrote is never refused."""
    kind = fn if inspect.isclass(fn) else type(fn)
    if not issubclass(kind, torch.nn.Module) or not kind.__module__.startswith("torch."):
        return ""
    title, layer = f"torch.nn.{kind.__name__}", torch_layers.computed_operation(kind)
    if layer == op:
        return ""
    if layer is not None:
        return f"{title} computes {layer}, and no {op}; expected op={layer!r}, or {_suggest(op)}"
    is_layer = op in names.norm_layers()
    if kind.__name__ in NORMS:
        return "" if is_layer else f"{title} is a norm, and {op} is none; expected {_suggest(op)}"
    if kind.__name__ in FUNCTIONS:
        needed = names.tensor_names(op)[0]
        if needed == ("x",) and not (is_layer and kind.__name__ != "Sequential"):
            return ""
        return f"{title} is a function of x alone, and {op} is none; expected {_suggest(op)}"
    if kind.__name__ in LOSSES:
        loss = LOSSES[kind.__name__]
        for name, expected in _LOSS_OPTIONS.items():
            if getattr(fn, name, expected) != expected:
                return f"{title} has {name}={getattr(fn, name)!r}, which {loss} has not; expected {name}={expected!r}"
        return "" if op == loss else f"{title} computes {loss}, and no {op}; expected {_suggest(op)}"
    if kind is torch.nn.MultiheadAttention:
        return f"{title} has linear maps around its attention, which no operation has; expected {_suggest('attention')}"
    return f"{title} computes none of the operations of normproof; expected {_suggest(op)}"


def _suggest(op: str) -> str:
    """Returns what to pass as an implementation of op."""
    if op in _SUGGESTIONS:
        return _SUGGESTIONS[op]
    optimizer = next((name for name in torch_optimizers.KINDS if name.lower() == op), None)
    if optimizer is not None:
        return f"torch.optim.{optimizer}"
    needed, others = names.tensor_names(op)
    if len(needed) > 4:
        return "a function of the tensors and options of a case by the corpus' names, as lambda **case: ..."
    known = [*needed, *(name for name in others if name in ("gamma", "beta")), *(["eps"] if "eps" in names.option_names(op) else [])]
    return f"a function such as lambda {', '.join(known)}: ..."
