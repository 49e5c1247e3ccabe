#!/usr/bin/env python3
"""JAX 0.10, jax.nn.standardize: the variance is E[x^2] - E[x]^2 by default, clipped at 0, and squares are taken in the
dtype of x. In float32 with a mean of 1e4 standard deviations nothing of y is left; in float16 elements of 300 square to
infinity, and y is 0, with algorithm="stable" too.
"""
import jax
import jax.numpy as jnp

from truth import layer_norm, print_error, worst_index

x = jnp.arange(16, dtype=jnp.float32) / 4 + 10000
y, exact = jax.nn.standardize(x), layer_norm(x, 1e-5)
at = worst_index(y, exact)
print_error(f"standardize(10000, 10000.25, ...)[{at}]", y[at], exact[at], "float32")
x = jnp.array([300, -299, 301, -302, 298, -300, 303, -304], jnp.float16)
for algorithm in ("fast", "stable"):
    y, exact = jax.nn.standardize(x, algorithm=algorithm), layer_norm(x, 1e-5)
    at = worst_index(y, exact)
    print_error(f"standardize({x.tolist()}, algorithm={algorithm!r})[{at}]", y[at], exact[at], "float16")
