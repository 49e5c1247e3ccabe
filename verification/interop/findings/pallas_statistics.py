#!/usr/bin/env python3
"""JAX 0.10, the Pallas kernels layer_norm and rms_norm of jax.experimental.pallas.ops.gpu in bfloat16: they compute in float32,
but what the forward keeps for the backward, mean and rstd, is stored in the dtype of x. y is right, the gradients are
not: where a gradient cancels nothing of it is left.
"""
import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.gpu import rms_norm
from mpmath import mpf, sqrt

from truth import print_error, worst_index

x = jnp.array([[[1, 2, 3, 4, 5, 6, 7, 7.5]]], jnp.bfloat16)
one, zero, grad_y = jnp.ones(8, jnp.bfloat16), jnp.zeros(8, jnp.bfloat16), x
y, pull = jax.vjp(lambda value: rms_norm.rms_norm(value, one, zero, eps=1e-5, interpret=True), x)
values = [mpf(float(value)) for value in x.ravel()]
mean_square = sum(value ** 2 for value in values) / 8
rstd = 1 / sqrt(mean_square + mpf(1e-5))
exact = [rstd * (value - value * rstd ** 2 * mean_square) for value in values]
got = pull(grad_y)[0].ravel()
at = worst_index(got, exact)
print_error(f"grad_x[{at}] of rms_norm where grad_y = x", got[at], exact[at], "bfloat16")
