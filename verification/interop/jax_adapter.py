#!/usr/bin/env python3
"""Answers with JAX on the CPU: formulas in jax.numpy and functions of jax.nn, with the gradients of jax.vjp."""
import streams  # isort: split; first, because frameworks print when they are imported

import os

os.environ["JAX_TRACEBACK_FILTERING"] = "off"  # otherwise the last line of a traceback is not the error
import jax

import package_adapter
from implementations import jax_piped

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)

if __name__ == "__main__":
    package_adapter.main("JAX", jax.__version__, jax_piped.functions(), "jax")
