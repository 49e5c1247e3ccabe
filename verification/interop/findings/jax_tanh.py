#!/usr/bin/env python3
"""JAX 0.10 on the CPU, jax.numpy.tanh. XLA's tanh is up to 6.5 units in the last place off in float64, where it is nearly 1.
The derivative 1 - tanh^2 cancels there, so that the gradient of DyT is several times too large.
"""
import jax
import jax.numpy as jnp
from mpmath import mpf, tanh

from truth import print_error

jax.config.update("jax_enable_x64", True)

for dtype, x in (("float64", 18.61143362226262), ("float32", 5.371751)):
    given = jnp.array(x, dtype)
    exact = tanh(mpf(float(given)))
    print_error(f"tanh({x}), {dtype}", jnp.tanh(given), exact, dtype)
    print_error(f"the derivative of tanh at {x}, {dtype}", jax.grad(jnp.tanh)(given), 1 - exact ** 2, dtype)
