"""x-transformers' norms. RMSNorm and ScaleNorm divide by max(||x||, 1e-12): they have no eps, so those cases are held in
which eps changes nothing that the bound does not allow; of ScaleNorm gamma is g sqrt(D).
"""
import torch
from x_transformers.x_transformers import LayerNorm, RMSNorm

from implementations.held import Held


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


def held():
    torch.set_num_threads(1)
    options = {"framework": "torch"}
    return [Held("x_transformers LayerNorm", "layer_norm", layer_norm, ("float32", "bfloat16"), options),
            Held("x_transformers RMSNorm", "rms_norm", rms_norm, ("float32", "bfloat16"), options)]
