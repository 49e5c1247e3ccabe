"""equinox.nn, vmapped over rows. GroupNorm has the channels first."""
import equinox as eqx
import jax

from implementations.entries import Entry


def map_rows(layer, x):
    return jax.vmap(layer)(x.reshape(-1, x.shape[-1])).reshape(x.shape)


def with_parameters(layer, gamma, beta):
    layer = layer if gamma is None else eqx.tree_at(lambda one: one.weight, layer, gamma)
    return layer if beta is None else eqx.tree_at(lambda one: one.bias, layer, beta)


def layer_norm(x, eps, gamma=None, beta=None):
    layer = eqx.nn.LayerNorm(x.shape[-1], eps=eps, use_weight=gamma is not None, use_bias=beta is not None, dtype=x.dtype)
    return map_rows(with_parameters(layer, gamma, beta), x)


def rms_norm(x, eps, gamma=None, beta=None):
    layer = eqx.nn.RMSNorm(x.shape[-1], eps=eps, use_weight=gamma is not None, use_bias=beta is not None, dtype=x.dtype)
    return map_rows(with_parameters(layer, gamma, beta), x)


def group_norm(x, groups, eps, gamma, beta):
    layer = eqx.nn.GroupNorm(groups, x.shape[1], eps=eps, dtype=x.dtype)
    return jax.vmap(with_parameters(layer, gamma, beta))(x)


def entries():
    options = {"framework": "jax"}
    dtypes = ("float64", "float32", "bfloat16")
    return [Entry("eqx.nn.LayerNorm", "layer_norm", layer_norm, dtypes, options),
            Entry("eqx.nn.RMSNorm", "rms_norm", rms_norm, dtypes, options),
            Entry("eqx.nn.GroupNorm", "group_norm", group_norm, ("float32",), {**options, "layout": "channels_first"})]
