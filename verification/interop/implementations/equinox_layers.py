"""equinox.nn, vmapped over rows; GroupNorm has the channels first."""
import equinox as eqx
import jax

from implementations.held import Held


def of_rows(layer, x):
    return jax.vmap(layer)(x.reshape(-1, x.shape[-1])).reshape(x.shape)


def placed(layer, gamma, beta):
    layer = layer if gamma is None else eqx.tree_at(lambda one: one.weight, layer, gamma)
    return layer if beta is None else eqx.tree_at(lambda one: one.bias, layer, beta)


def layer_norm(x, eps, gamma=None, beta=None):
    layer = eqx.nn.LayerNorm(x.shape[-1], eps=eps, use_weight=gamma is not None, use_bias=beta is not None, dtype=x.dtype)
    return of_rows(placed(layer, gamma, beta), x)


def rms_norm(x, eps, gamma=None, beta=None):
    layer = eqx.nn.RMSNorm(x.shape[-1], eps=eps, use_weight=gamma is not None, use_bias=beta is not None, dtype=x.dtype)
    return of_rows(placed(layer, gamma, beta), x)


def group_norm(x, groups, eps, gamma, beta):
    layer = eqx.nn.GroupNorm(groups, x.shape[1], eps=eps, dtype=x.dtype)
    return jax.vmap(placed(layer, gamma, beta))(x)


def held():
    options = {"framework": "jax"}
    dtypes = ("float64", "float32", "bfloat16")
    return [Held("eqx.nn.LayerNorm", "layer_norm", layer_norm, dtypes, options),
            Held("eqx.nn.RMSNorm", "rms_norm", rms_norm, dtypes, options),
            Held("eqx.nn.GroupNorm", "group_norm", group_norm, ("float32",), {**options, "layout": "channels_first"})]
