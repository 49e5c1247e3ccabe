#!/usr/bin/env python3
"""JAX 0.10 on the CPU in bfloat16 and float16: jax.nn.gelu, silu, softmax and log_softmax are written step by step in the
dtype of x, and XLA keeps every step: 1 + tanh and 1 + erf cancel in 16 bits, sums are rounded. Callers who want float32
inside have to convert by themselves.
"""
import jax
import jax.numpy as jnp
from mpmath import erf, exp, log, mpf, pi, sqrt, tanh

from truth import print_error

x = jnp.array([-3.0], jnp.bfloat16)
value = mpf(-3)
exact = value / 2 * (1 + tanh(sqrt(2 / pi) * (value + mpf("0.044715") * value ** 3)))
print_error("jax.nn.gelu(-3)", jax.nn.gelu(x)[0], exact, "bfloat16")
print_error("jax.nn.gelu(-3, approximate=False)", jax.nn.gelu(x, approximate=False)[0], value / 2 * (1 + erf(value / sqrt(2))), "bfloat16")
x = jnp.array([0.0, -3.734375], jnp.bfloat16)
print_error("jax.nn.log_softmax(0, -3.734375)[0]", jax.nn.log_softmax(x)[0], -log(1 + exp(mpf(-3.734375))), "bfloat16")
