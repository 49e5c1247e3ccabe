"""tinygrad on the CPU."""
from tinygrad import nn

from implementations.entries import Entry, pointwise


def layer_norm(x, eps, gamma, beta):
    layer = nn.LayerNorm(x.shape[-1], eps=eps)
    layer.weight, layer.bias = gamma, beta
    return layer(x)


def rms_norm(x, eps, gamma):
    layer = nn.RMSNorm(x.shape[-1], eps=eps)
    layer.weight = gamma
    return layer(x)


def group_norm(x, groups, eps, gamma, beta):
    layer = nn.GroupNorm(groups, x.shape[1], eps=eps)
    layer.weight, layer.bias = gamma, beta
    return layer(x)


def entries():
    options = {"framework": "tinygrad"}
    dtypes = ("float32",)
    return [Entry("nn.LayerNorm", "layer_norm", layer_norm, dtypes, options),
            Entry("nn.RMSNorm", "rms_norm", rms_norm, dtypes, options),
            Entry("nn.GroupNorm", "group_norm", group_norm, dtypes, options)] + pointwise("Tensor.{}", {
                "softmax": ("softmax", lambda x: x.softmax(-1)),
                "log_softmax": ("log_softmax", lambda x: x.log_softmax(-1)),
                "log_sum_exp": ("logsumexp", lambda x: x.logsumexp(-1)),
                "gelu_tanh": ("gelu", lambda x: x.gelu()),
                "silu": ("silu", lambda x: x.silu())}, dtypes, framework="tinygrad")
