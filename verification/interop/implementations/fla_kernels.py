"""flash-linear-attention's norms under Triton's interpreter (TRITON_INTERPRET=1)."""
import torch
from fla.modules.norm import layernorm

from implementations.entries import Entry
from implementations.triton_interpreter import accept_floats, skip_autotuning


def layer_norm(x, eps, gamma=None, beta=None):
    return layernorm.layer_norm(x, gamma, beta, eps=eps)


def rms_norm(x, eps, gamma=None, beta=None):
    return layernorm.rms_norm(x, gamma, beta, eps=eps)


def entries():
    torch.set_num_threads(1)
    accept_floats()
    skip_autotuning()
    options = {"framework": "torch"}
    return [Entry("fla.modules layer_norm", "layer_norm", layer_norm, ("float32", "float16"), options),
            Entry("fla.modules rms_norm", "rms_norm", rms_norm, ("float32", "float16"), options)]
