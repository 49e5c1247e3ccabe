"""flash-linear-attention's norms under Triton's interpreter (TRITON_INTERPRET=1)."""
import torch
from fla.modules.norm import layernorm

from implementations.held import Held
from implementations.triton_interpreter import take_floats, tune_nothing


def layer_norm(x, eps, gamma=None, beta=None):
    return layernorm.layer_norm(x, gamma, beta, eps=eps)


def rms_norm(x, eps, gamma=None, beta=None):
    return layernorm.rms_norm(x, gamma, beta, eps=eps)


def held():
    torch.set_num_threads(1)
    take_floats()
    tune_nothing()
    options = {"framework": "torch"}
    return [Held("fla.modules layer_norm", "layer_norm", layer_norm, ("float32", "float16"), options),
            Held("fla.modules rms_norm", "rms_norm", rms_norm, ("float32", "float16"), options)]
