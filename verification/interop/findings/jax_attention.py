#!/usr/bin/env python3
"""JAX 0.10 on the CPU, jax.nn.dot_product_attention. In float64 scores and weights are rounded to float32, whatever
jax_enable_x64 says: its answer is that of float32 inputs. A query that sees no key takes the mean of the values, for what is
not seen is a large negative number and not minus infinity. In float16 jax.jit refuses it; step by step the gradient by a
weight overflows where a masked value is large, and 0 times infinity is NaN.
"""
import jax
import jax.numpy as jnp
from mpmath import exp, mpf

from truth import print_error

jax.config.update("jax_enable_x64", True)


def heads(*rows, dtype=jnp.float64):
    """[1, tokens, 1, features]"""
    return jnp.array(rows, dtype)[None, :, None, :]


query, keys, values = heads([1.0]), heads([1.0], [1.3]), heads([0.0], [1.0])
exact = 1 / (1 + exp(mpf(1.0) - mpf(1.3)))
for dtype in ("float64", "float32"):
    y = jax.nn.dot_product_attention(*(t.astype(dtype) for t in (query, keys, values)))
    print_error(f"y of two keys, from {dtype}", y[0, 0, 0, 0], exact, "float64")
y = jax.nn.dot_product_attention(query, keys, values, mask=jnp.zeros((1, 1, 1, 2), bool))
print_error("y of a query that sees no key", y[0, 0, 0, 0], 0, "float64")

query, keys = heads([1.0, 1.0], dtype=jnp.float16), heads([1.0, 1.0], [1.0, 1.0], dtype=jnp.float16)
values = heads([1.0, 1.0], [3e4, 3e4], dtype=jnp.float16)


def attend_to_the_first(q):
    return jax.nn.dot_product_attention(q, keys, values, mask=jnp.array([True, False])[None, None, None])


y, pull = jax.vjp(attend_to_the_first, query)
print_error("grad_q behind a masked value of 3e4, float16", pull(2 * jnp.ones_like(y))[0][0, 0, 0, 0], 0, "float16")
try:
    jax.jit(attend_to_the_first)(query)
except ValueError as refusal:
    print(f"jax.jit, float16: {refusal}")
