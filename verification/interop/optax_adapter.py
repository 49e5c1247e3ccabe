#!/usr/bin/env python3
"""Answers with optax.sgd, adam and adamw, each from the state that a case gives."""
import streams  # isort: split; first, because frameworks print when they are imported

import jax
import optax

import package_adapter
from implementations import optax_optimizers

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)

if __name__ == "__main__":
    package_adapter.main("optax", optax.__version__, optax_optimizers.functions(), "jax")
