"""Layers and models of Transformers in jax.numpy. Their norms are the formulas of jax_formulas.py, without PowerNorm.

PowerNorm's backward changes nu, which a function that jax.vjp differentiates cannot return.
"""
import jax
import jax.numpy as jnp

from implementations import jax_formulas as formulas
from implementations import transformer_models


class Framework:
    """The functions of JAX that transformer_models.py calls."""
    ACTIVATIONS = {"relu": jax.nn.relu, "gelu": lambda x: jax.nn.gelu(x, approximate=False),
                   "gelu_tanh": lambda x: jax.nn.gelu(x, approximate=True)}
    NORMS = {name: getattr(formulas, name) for name in ("layer_norm", "rms_norm", "batch_norm")}
    constant = staticmethod(jnp.asarray)
    softmax = staticmethod(jax.nn.softmax)
    cross_entropy = staticmethod(formulas.cross_entropy)

    @staticmethod
    def is_floating(value):
        return hasattr(value, "dtype") and jnp.issubdtype(value.dtype, jnp.floating)

    @staticmethod
    def widened(x):
        return x.astype(formulas.compute_dtype(x))

    @staticmethod
    def like(value, other):
        return value.astype(other.dtype)

    as_number = like

    @staticmethod
    def linear(x, weight, bias):
        return x @ weight.T + bias

    @staticmethod
    def hidden(scores, mask):
        return jnp.where(mask, -jnp.inf, scores)

    @staticmethod
    def joined(parts):
        return jnp.concatenate(tuple(parts), 1)

    @staticmethod
    def repeated(labels, count):
        return jnp.broadcast_to(labels[:, None], (len(labels), count))


OPERATIONS = transformer_models.operations(Framework)
