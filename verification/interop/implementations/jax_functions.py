"""jax.nn, under jax.jit and jax.vjp."""
import jax
import jax.numpy as jnp

from implementations.held import FOUR, Held, pointwise


def standardize(x, eps):
    return jax.nn.standardize(x, epsilon=eps)


def standardize_stable(x, eps):
    return jax.nn.standardize(x, epsilon=eps, algorithm="stable")


def standardize_of_variance(x, eps):
    """With the mean and the two-pass variance given."""
    return jax.nn.standardize(x, mean=jnp.mean(x, -1, keepdims=True), variance=jnp.var(x, -1, keepdims=True), epsilon=eps)


def swiglu(x, gate):
    return jax.nn.silu(x) * gate


def held():
    options = {"framework": "jax"}
    return [Held("jax.nn.standardize", "layer_norm", standardize, FOUR, options),
            Held("jax.nn.standardize stable", "layer_norm", standardize_stable, FOUR, options),
            Held("jax.nn.silu(x) * gate", "swiglu", swiglu, FOUR, options)] + pointwise("jax.nn.{}", {
                "softmax": ("softmax", lambda x: jax.nn.softmax(x)),
                "log_softmax": ("log_softmax", lambda x: jax.nn.log_softmax(x)),
                "log_sum_exp": ("logsumexp", lambda x: jax.nn.logsumexp(x, -1)),
                "gelu": ("gelu", lambda x: jax.nn.gelu(x, approximate=False)),
                "gelu_tanh": ("gelu tanh", lambda x: jax.nn.gelu(x, approximate=True)),
                "relu": ("relu", lambda x: jax.nn.relu(x)),
                "silu": ("silu", lambda x: jax.nn.silu(x))}, FOUR, framework="jax")
