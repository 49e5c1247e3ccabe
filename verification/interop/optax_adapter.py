#!/usr/bin/env python3
"""optax.sgd, adam and adamw under jax.jit, each from the state that a case gives."""
import streams  # isort: split; first, for frameworks print when they are imported

import jax
import jax.numpy as jnp
import numpy as np
import optax

import protocol

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)


def sgd(options):
    return optax.sgd(options["learning_rate"], options["momentum"] or None)


def adam(options):
    return optax.adam(options["learning_rate"], options["beta1"], options["beta2"], options["eps"])


def adamw(options):
    return optax.adamw(options["learning_rate"], options["beta1"], options["beta2"], options["eps"],
                       weight_decay=options["weight_decay"])


OPTIMIZERS = {f.__name__: f for f in (sgd, adam, adamw)}
FIELDS = {"velocity": "trace", "first_moment": "mu", "second_moment": "nu", "iterations": "count"}


def step(case):
    optimizer = OPTIMIZERS[case.op](case.options)
    parameter, gradient = (jnp.asarray(case[name]) for name in ("parameter", "grad_parameter"))
    first, *rest = optimizer.init(parameter)
    held = {name: field for name, field in FIELDS.items() if field in getattr(first, "_fields", ()) and
            name in case.tensors}
    given = {field: jnp.asarray(case[name]) for name, field in held.items()}
    if "count" in given:
        given["count"] = given["count"].reshape(()).astype(first.count.dtype)
    state = (first._replace(**given) if given else first, *rest)
    updates, (first, *_) = jax.jit(optimizer.update)(gradient, state, parameter)
    outputs = {name: np.asarray(getattr(first, field)) for name, field in held.items()}
    outputs["iterations"] = case["iterations"] + 1
    outputs["parameter"] = np.asarray(optax.apply_updates(parameter, updates))
    return outputs


if __name__ == "__main__":
    protocol.main("optax", optax.__version__, protocol.asks(OPTIMIZERS, ("float64", "float32")), step,
                  protocol.OPTIMIZER_TAKES)
