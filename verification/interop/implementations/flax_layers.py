"""flax.linen with its defaults (use_fast_variance=True), and LayerNorm without the fast variance."""
import flax.linen as nn

from implementations.entries import FOUR, Entry


def with_parameters(gamma, beta):
    found = {"scale": gamma, "bias": beta}
    return {"params": {name: value for name, value in found.items() if value is not None}}


def layer_norm(x, eps, gamma=None, beta=None, fast=True):
    layer = nn.LayerNorm(epsilon=eps, use_scale=gamma is not None, use_bias=beta is not None, use_fast_variance=fast,
                         dtype=x.dtype, param_dtype=x.dtype)
    return layer.apply(with_parameters(gamma, beta), x)


def layer_norm_two_pass(x, eps, gamma=None, beta=None):
    return layer_norm(x, eps, gamma, beta, fast=False)


def rms_norm(x, eps, gamma=None):
    layer = nn.RMSNorm(epsilon=eps, use_scale=gamma is not None, dtype=x.dtype, param_dtype=x.dtype)
    return layer.apply(with_parameters(gamma, None), x)


def group_norm(x, groups, eps, gamma=None, beta=None):
    layer = nn.GroupNorm(num_groups=groups, epsilon=eps, use_scale=gamma is not None, use_bias=beta is not None,
                         dtype=x.dtype, param_dtype=x.dtype)
    return layer.apply(with_parameters(gamma, beta), x)


def instance_norm(x, eps, gamma=None, beta=None):
    layer = nn.InstanceNorm(epsilon=eps, use_scale=gamma is not None, use_bias=beta is not None, dtype=x.dtype,
                            param_dtype=x.dtype)
    return layer.apply(with_parameters(gamma, beta), x)


def entries():
    options = {"framework": "jax"}
    return [Entry("linen.LayerNorm", "layer_norm", layer_norm, FOUR, options),
            Entry("linen.LayerNorm two-pass", "layer_norm", layer_norm_two_pass, FOUR, options),
            Entry("linen.RMSNorm", "rms_norm", rms_norm, FOUR, options),
            Entry("linen.GroupNorm", "group_norm", group_norm, ("float32", "bfloat16"), options),
            Entry("linen.InstanceNorm", "instance_norm", instance_norm, ("float32", "bfloat16"), options)]
