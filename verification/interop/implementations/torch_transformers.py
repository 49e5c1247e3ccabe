"""Layers and models of Transformers, built from torch.nn.functional.

torch.nn.TransformerEncoderLayer and the like draw their own dropout masks; here those of the case take their place.
"""
import math

import torch
import torch.nn.functional as F

from implementations import torch_formulas as formulas
from implementations import transformer_models

IGNORED = -100  # the class of a row that cross_entropy ignores


def layer_norm(x, eps, gamma, beta):
    return F.layer_norm(x, x.shape[-1:], gamma, beta, eps)


class Framework:
    """The functions of PyTorch that transformer_models.py calls, with the norms that PyTorch has."""
    ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh")}
    NORMS = {"layer_norm": layer_norm}
    linear = staticmethod(F.linear)
    constant = staticmethod(torch.from_numpy)

    @staticmethod
    def is_floating(value):
        return torch.is_tensor(value) and value.is_floating_point()

    @staticmethod
    def widened(x):
        return x.to(formulas.compute_dtype(x))

    @staticmethod
    def like(value, other):
        return value.to(other.dtype)

    as_number = like

    @staticmethod
    def softmax(x):
        return F.softmax(x, -1)

    @staticmethod
    def hidden(scores, mask):
        return scores.masked_fill(mask, -math.inf)

    @staticmethod
    def joined(parts):
        return torch.cat(tuple(parts), 1)

    @staticmethod
    def repeated(labels, count):
        return labels[:, None].expand(-1, count)

    @staticmethod
    def cross_entropy(logits, targets, label_smoothing, class_weights, valid):
        if valid is not None:
            targets = targets.masked_fill(~valid, IGNORED)
        return F.cross_entropy(logits, targets, class_weights, ignore_index=IGNORED, label_smoothing=label_smoothing)


class WithEveryNorm(Framework):
    """Framework with norms as formulas beside those of PyTorch."""
    NORMS = {**Framework.NORMS, "rms_norm": formulas.rms_norm, "batch_norm": formulas.batch_norm,
             "power_norm": formulas.power_norm, "power_norm_released": formulas.power_norm}


OPERATIONS = {op: fn for op, fn in transformer_models.operations(Framework).items() if op != "encoder"}
