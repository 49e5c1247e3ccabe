"""jax.nn, compiled by jax.jit and differentiated by jax.vjp."""
import jax
import jax.numpy as jnp

from implementations.entries import FOUR, Entry


def standardize(x, eps):
    return jax.nn.standardize(x, epsilon=eps)


def standardize_stable(x, eps):
    return jax.nn.standardize(x, epsilon=eps, algorithm="stable")


def standardize_of_variance(x, eps):
    """Returns jax.nn.standardize of x with a given mean and a variance that was computed in two passes."""
    return jax.nn.standardize(x, mean=jnp.mean(x, -1, keepdims=True), variance=jnp.var(x, -1, keepdims=True), epsilon=eps)


def softmax(x, where=None):
    return jax.nn.softmax(x, where=where)


def log_softmax(x):
    return jax.nn.log_softmax(x)


def logsumexp(x, where=None):
    return jax.nn.logsumexp(x, -1, where=where)


def gelu(x):
    return jax.nn.gelu(x, approximate=False)


def gelu_tanh(x):
    return jax.nn.gelu(x, approximate=True)


def relu(x):
    return jax.nn.relu(x)


def silu(x):
    return jax.nn.silu(x)


def swiglu(x, gate):
    return jax.nn.silu(x) * gate


FUNCTIONS = [("jax.nn.standardize", "layer_norm", standardize),
             ("jax.nn.standardize stable", "layer_norm", standardize_stable),
             ("jax.nn.silu(x) * gate", "swiglu", swiglu), ("jax.nn.softmax", "softmax", softmax),
             ("jax.nn.log_softmax", "log_softmax", log_softmax), ("jax.nn.logsumexp", "log_sum_exp", logsumexp),
             ("jax.nn.gelu", "gelu", gelu), ("jax.nn.gelu tanh", "gelu_tanh", gelu_tanh),
             ("jax.nn.relu", "relu", relu), ("jax.nn.silu", "silu", silu)]


def entries():
    return [Entry(what, op, fn, FOUR, {"framework": "jax"}) for what, op, fn in FUNCTIONS]
