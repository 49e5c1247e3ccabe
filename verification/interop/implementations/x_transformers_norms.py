"""x-transformers' norms.

RMSNorm divides by max(||x||, 1e-12) and has no eps. It passes those cases in which eps changes less than the bound allows.
"""
import torch
from x_transformers.x_transformers import LayerNorm, RMSNorm

from implementations.entries import Entry


def layer_norm(x, eps, gamma):
    module = LayerNorm(x.shape[-1])
    module.ln.eps = eps
    del module.gamma
    module.gamma = gamma
    return module(x)


def rms_norm(x, eps, gamma):
    module = RMSNorm(x.shape[-1])
    del module.g
    module.g = gamma
    return module(x)


def entries():
    torch.set_num_threads(1)
    options = {"framework": "torch"}
    return [Entry("x_transformers LayerNorm", "layer_norm", layer_norm, ("float32", "bfloat16"), options),
            Entry("x_transformers RMSNorm", "rms_norm", rms_norm, ("float32", "bfloat16"), options)]
