"""JAX: jax.vjp under jax.jit."""
import contextlib

import jax
import jax.numpy as jnp
import numpy as np

from normproof.errors import Unanswered
from normproof.stored import from_numpy

NAME = "JAX " + jax.__version__
DTYPES = ("float64", "float32", "bfloat16", "float16")
MOMENTUM = "running_decay"
CHANNELS_FIRST = False


def context(dtype):
    """float64 where the case has it, whatever the user's configuration is."""
    if dtype != "float64":
        return contextlib.nullcontext()
    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(True)
    from jax.experimental import enable_x64
    return enable_x64()


def is_tensor(value):
    return isinstance(value, jax.Array)


def tensor(stored, device):
    made = jnp.asarray(stored.array())
    return made if device == "cpu" and jax.default_backend() == "cpu" else jax.device_put(made, jax.devices(device)[0])


def stored(value):
    return from_numpy(np.asarray(value))


def device_of(value):
    return next(iter(value.devices())).platform


def gradients(forward, leaves, grad_y):
    if grad_y is None:
        return (*jax.jit(forward)(leaves), None)

    def step(given, cotangent):
        y, pull, others = jax.vjp(forward, given, has_aux=True)
        if y.shape != cotangent.shape:
            raise Unanswered(f"y is {list(y.shape)}; expected {list(cotangent.shape)}")
        return y, others, pull(cotangent.astype(y.dtype))[0]

    return jax.jit(step)(leaves, grad_y)


stack = jnp.stack
reshape = jnp.reshape


def compiled(fn):
    return jax.jit(fn)


def uncompiled():
    """A context in which operations are done one by one."""
    return jax.disable_jit()
