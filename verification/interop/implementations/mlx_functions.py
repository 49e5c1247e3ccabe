"""MLX on the CPU: the fused kernels of mx.fast, and mlx.nn."""
import mlx.core as mx
import mlx.nn as nn

from implementations.held import THREE, Held, pointwise


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


def held():
    options = {"framework": "mlx"}
    # nn.log_softmax ends the process where the axis has one element: in one of its own, before this one has threads.
    return [Held("nn.log_softmax", "log_softmax", lambda x: nn.log_softmax(x, axis=-1), THREE, {**options, "isolate": True}),
            Held("mx.fast.layer_norm", "layer_norm", layer_norm, THREE, options),
            Held("mx.fast.rms_norm", "rms_norm", rms_norm, THREE, options),
            Held("nn.GroupNorm", "group_norm", group_norm, ("float32",), options),
            Held("nn.InstanceNorm", "instance_norm", instance_norm, ("float32",), options),
            Held("nn.silu(x) * gate", "swiglu", swiglu, THREE, options)] + pointwise("{}", {
                "softmax": ("mx.softmax", lambda x: mx.softmax(x, axis=-1)),
                "log_sum_exp": ("mx.logsumexp", lambda x: mx.logsumexp(x, axis=-1)),
                "gelu": ("nn.gelu", lambda x: nn.gelu(x)),
                "gelu_tanh": ("nn.gelu_approx", lambda x: nn.gelu_approx(x)),
                "silu": ("nn.silu", lambda x: nn.silu(x))}, THREE, framework="mlx")
