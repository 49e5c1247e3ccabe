"""Haiku's norms as pure functions, whose parameters have the corpus' names."""
import haiku as hk

from implementations.entries import Entry


def applied(make, name, x, gamma, beta):
    parameters = {"scale": gamma, "offset": beta}
    kept = {name: {key: value for key, value in parameters.items() if value is not None}}
    return hk.without_apply_rng(hk.transform(lambda value: make()(value))).apply(kept, x)


def layer_norm(x, eps, gamma=None, beta=None):
    return applied(lambda: hk.LayerNorm(axis=-1, create_scale=gamma is not None, create_offset=beta is not None, eps=eps),
                   "layer_norm", x, gamma, beta)


def rms_norm(x, eps, gamma=None):
    return applied(lambda: hk.RMSNorm(axis=-1, create_scale=gamma is not None, eps=eps), "rms_norm", x, gamma, None)


def group_norm(x, groups, eps, gamma, beta):
    return applied(lambda: hk.GroupNorm(groups, eps=eps), "group_norm", x, gamma, beta)


def instance_norm(x, eps, gamma, beta):
    return applied(lambda: hk.InstanceNorm(create_scale=True, create_offset=True, eps=eps), "instance_norm", x, gamma, beta)


def entries():
    options = {"framework": "jax"}
    dtypes = ("float64", "float32", "bfloat16")
    return [Entry("hk.LayerNorm", "layer_norm", layer_norm, dtypes, options),
            Entry("hk.RMSNorm", "rms_norm", rms_norm, dtypes, options),
            Entry("hk.GroupNorm", "group_norm", group_norm, ("float32",), options),
            Entry("hk.InstanceNorm", "instance_norm", instance_norm, ("float32",), options)]
