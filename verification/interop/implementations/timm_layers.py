"""timm's norms over channels: x is [rows, D, 1, 1] for them."""
import torch
from timm.layers import norm

from implementations.held import Held
from implementations.torch_functions import parameters_of_other_dtypes


def over_channels(kind):
    """kind(features, eps=eps) of [N,C,H,W] as a function of the rows of x, weight and bias."""
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


def held():
    torch.set_num_threads(1)
    options = {"framework": "torch"}
    return [Held("timm LayerNorm2d", "layer_norm", over_channels(norm.LayerNorm2d), ("float32", "bfloat16"), options),
            Held("timm LayerNormExp2d", "layer_norm", over_channels(norm.LayerNormExp2d), ("float32", "bfloat16"), options),
            Held("timm RmsNorm2d", "rms_norm", without_beta(norm.RmsNorm2d), ("float32", "bfloat16"), options)]
