"""timm's norms over channels. They get x as [rows, D, 1, 1]."""
import torch
from timm.layers import norm

from implementations.entries import Entry
from implementations.torch_functions import parameters_of_other_dtypes


def over_channels(kind):
    """Turns kind(features, eps=eps), a module of [N,C,H,W], into a function of the rows of x, gamma and beta."""
    def normed(x, eps, gamma=None, beta=None):
        module = kind(x.shape[-1], eps=eps)
        for name, value in (("weight", gamma), ("bias", beta)):
            if value is not None:
                delattr(module, name)
                setattr(module, name, value)
        with parameters_of_other_dtypes():
            return module(x.reshape(-1, x.shape[-1], 1, 1)).reshape(x.shape)
    return normed


def without_beta(kind):
    normed = over_channels(kind)

    def scaled(x, eps, gamma=None):
        return normed(x, eps, gamma)
    return scaled


def entries():
    torch.set_num_threads(1)
    options = {"framework": "torch"}
    return [Entry("timm LayerNorm2d", "layer_norm", over_channels(norm.LayerNorm2d), ("float32", "bfloat16"), options),
            Entry("timm LayerNormExp2d", "layer_norm", over_channels(norm.LayerNormExp2d), ("float32", "bfloat16"), options),
            Entry("timm RmsNorm2d", "rms_norm", without_beta(norm.RmsNorm2d), ("float32", "bfloat16"), options)]
