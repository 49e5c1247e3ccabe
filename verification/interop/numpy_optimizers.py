"""Optimizers in NumPy, from docs/specification/training.md. The moments are corrected as in [KB15]."""
import numpy as np

import protocol


def sgd(case, option, p, g):
    if "velocity" not in case.tensors:
        return {"parameter": p - option("learning_rate") * g}
    velocity = option("momentum") * case["velocity"] + g
    return {"parameter": p - option("learning_rate") * velocity, "velocity": velocity}


def adam(case, option, p, g):
    one, t = p.dtype.type(1), case["iterations"][0] + 1
    first = option("beta1") * case["first_moment"] + (one - option("beta1")) * g
    second = option("beta2") * case["second_moment"] + (one - option("beta2")) * g * g
    # The corrections are computed in float64, because 1 - beta^t cancels.
    corrected = [(m / (1 - case.options[beta] ** int(t))).astype(p.dtype)
                 for m, beta in ((first, "beta1"), (second, "beta2"))]
    step = option("learning_rate") * corrected[0] / (np.sqrt(corrected[1]) + option("eps"))
    return {"parameter": p - step, "first_moment": first, "second_moment": second}


def adamw(case, option, p, g):
    return adam(case, option, p * (p.dtype.type(1) - option("learning_rate") * option("weight_decay")), g)


OPTIMIZERS = {f.__name__: f for f in (sgd, adam, adamw)}


def step(case):
    """Returns the outputs of one step."""
    kind = case.compute_dtype
    outputs = OPTIMIZERS[case.op](case, lambda name: kind(case.options[name]), case["parameter"].astype(kind),
                                  case["grad_parameter"].astype(kind))
    outputs["parameter"] = protocol.stored(outputs["parameter"], case.dtype)
    return {**outputs, "iterations": case["iterations"] + 1}
