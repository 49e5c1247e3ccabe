"""MLX on the CPU: the fused kernels of mx.fast, and mlx.nn."""
import mlx.core as mx
import mlx.nn as nn

from implementations.entries import THREE, Entry, pointwise


def layer_norm(x, eps, gamma=None, beta=None):
    return mx.fast.layer_norm(x, gamma, beta, eps)


def rms_norm(x, eps, gamma=None):
    return mx.fast.rms_norm(x, gamma, eps)


def group_norm(x, groups, eps, gamma, beta):
    layer = nn.GroupNorm(groups, x.shape[-1], eps=eps, pytorch_compatible=True)
    layer.weight, layer.bias = gamma, beta
    return layer(x)


def instance_norm(x, eps, gamma, beta):
    layer = nn.InstanceNorm(x.shape[-1], eps=eps, affine=True)
    layer.weight, layer.bias = gamma, beta
    return layer(x)


def swiglu(x, gate):
    return nn.silu(x) * gate


def entries():
    options = {"framework": "mlx"}
    # nn.log_softmax ends the process if the axis has one element. It is isolated, and first, before there are threads.
    return [Entry("nn.log_softmax", "log_softmax", lambda x: nn.log_softmax(x, axis=-1), THREE, {**options, "isolate": True}),
            Entry("mx.fast.layer_norm", "layer_norm", layer_norm, THREE, options),
            Entry("mx.fast.rms_norm", "rms_norm", rms_norm, THREE, options),
            Entry("nn.GroupNorm", "group_norm", group_norm, ("float32",), options),
            Entry("nn.InstanceNorm", "instance_norm", instance_norm, ("float32",), options),
            Entry("nn.silu(x) * gate", "swiglu", swiglu, THREE, options)] + pointwise("{}", {
                "softmax": ("mx.softmax", lambda x: mx.softmax(x, axis=-1)),
                "log_sum_exp": ("mx.logsumexp", lambda x: mx.logsumexp(x, axis=-1)),
                "gelu": ("nn.gelu", lambda x: nn.gelu(x)),
                "gelu_tanh": ("nn.gelu_approx", lambda x: nn.gelu_approx(x)),
                "silu": ("nn.silu", lambda x: nn.silu(x))}, THREE, framework="mlx")
