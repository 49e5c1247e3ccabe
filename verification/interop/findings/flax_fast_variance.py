#!/usr/bin/env python3
"""Flax 0.12, linen.LayerNorm, GroupNorm and InstanceNorm: use_fast_variance=True is the default, the variance is
E[x^2] - E[x]^2, clipped at 0. With a mean of 1e4 standard deviations nothing of y is left; use_fast_variance=False passes.
"""
import flax.linen as nn
import jax.numpy as jnp

from truth import layer_norm, print_error, worst_index

x = jnp.arange(16, dtype=jnp.float32) / 4 + 10000
exact = layer_norm(x, 1e-6)
for fast in (True, False):
    y = nn.LayerNorm(use_bias=False, use_scale=False, use_fast_variance=fast).apply({}, x)
    at = worst_index(y, exact)
    print_error(f"LayerNorm(use_fast_variance={fast}) of 10000, 10000.25, ...: y[{at}]", y[at], exact[at], "float32")
