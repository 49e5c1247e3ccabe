"""Softmax, related functions and activations in NumPy, from docs/specification/activations.md.

GELU is (x/2)(1 + erf(x/sqrt(2))) or (x/2)(1 + tanh(u)), with erf of math. SiLU is x/(1 + exp(-x)), whose exp overflows
if the result is 0.
"""
import math

import numpy as np

import protocol

erf = np.vectorize(math.erf, otypes=[np.float64])


def exponentials(x, valid):
    """Returns exp(x - max x), 0 for elements that take no part, and the maximum."""
    largest = np.max(x, axis=-1, keepdims=True, where=valid, initial=-np.inf)
    largest = np.where(np.isneginf(largest), x.dtype.type(0), largest)
    return np.where(valid, np.exp(x - largest), x.dtype.type(0)), largest


def total(values):
    return values.sum(-1, keepdims=True, dtype=values.dtype)


def softmax(x, dy, valid):
    e, _ = exponentials(x, valid)
    whole = np.where(valid.any(-1, keepdims=True), total(e), x.dtype.type(1))  # a row of -infinity is NaN
    y = e / whole
    return y, np.where(valid, y * (dy - total(np.where(valid, dy * y, 0))), 0)


def log_softmax(x, dy, valid):
    e, largest = exponentials(x, valid)
    y = (x - largest) - np.log(total(e))
    return y, dy - np.exp(y) * total(dy)


def log_sum_exp(x, dy, valid):
    e, largest = exponentials(x, valid)
    whole = total(e)
    return (largest + np.log(whole))[..., 0], np.where(valid, dy[..., None] * (e / whole), 0)


def relu(x, dy, valid):
    del valid
    return np.maximum(x, 0), np.where(x > 0, dy, x.dtype.type(0))


def gelu(x, dy, valid):
    del valid
    kind = x.dtype.type
    gate = kind(0.5) * (1 + erf(x / kind(math.sqrt(2))).astype(kind))
    density = np.exp(kind(-0.5) * x * x) / kind(math.sqrt(2 * math.pi))
    return x * gate, dy * (gate + x * density)


def gelu_tanh(x, dy, valid):
    del valid
    root, cubic = x.dtype.type(math.sqrt(2 / math.pi)), x.dtype.type(0.044715)
    t = np.tanh(root * (x + cubic * x ** 3))
    slope = root * (1 + 3 * cubic * x * x)
    half = x.dtype.type(0.5)
    return half * x * (1 + t), dy * (half * (1 + t) + half * x * (1 - t * t) * slope)


def silu(x, dy, valid):
    del valid
    s = 1 / (1 + np.exp(-x))
    return x * s, dy * (s * (1 + x * (1 - s)))


def relu_squared(x, dy, valid):
    del valid
    r = np.maximum(x, 0)
    return r * r, 2 * r * dy


def sigmoid(x, dy, valid):
    del valid
    s = 1 / (1 + np.exp(-x))
    return s, dy * s * (1 - s)


def log_sigmoid(x, dy, valid):
    del valid
    e = np.exp(-np.abs(x))
    return np.minimum(x, 0) - np.log1p(e), dy * np.where(x < 0, 1 / (1 + e), e / (1 + e))


def tanh(x, dy, valid):
    del valid
    t = np.tanh(x)
    return t, dy * (1 - t * t)


def mish(x, dy, valid):
    del valid
    t = np.tanh(np.logaddexp(x, x.dtype.type(0)))
    return x * t, dy * (t + x * (1 - t * t) / (1 + np.exp(-x)))


def softplus(case):
    """Computes softplus, see docs/specification/activations.md."""
    kind = case.compute_dtype
    x, dy = case["x"].astype(kind), case["grad_y"].astype(kind)
    beta = kind(case.options["beta"])
    v = beta * x
    threshold = case.options["threshold"]
    above = v > kind(np.inf if threshold == "none" else threshold)
    y = np.where(above, x, np.logaddexp(v, kind(0)) / beta)
    return protocol.all_stored(case, {"y": y, "grad_x": np.where(above, dy, dy / (1 + np.exp(-v)))})


def l2_norm(case):
    """Computes l2_norm, see docs/specification/norms.md. Below the floor, the norm has no derivative."""
    kind = case.compute_dtype
    x, dy = case["x"].astype(kind), case["grad_y"].astype(kind)
    eps, placement = kind(case.options["eps"]), case.options["eps_placement"]
    square = total(x * x)
    norm = np.sqrt(square)
    divisor = {"inside": np.sqrt(square + eps), "outside": norm + eps, "floor": np.maximum(norm, eps)}[placement]
    y = x / divisor
    u = x / np.where(norm == 0, kind(1), norm) if placement == "outside" else y
    projection = y * total(dy * u)
    if placement == "floor":
        projection = np.where(norm < eps, kind(0), projection)
    return protocol.all_stored(case, {"y": y, "grad_x": (dy - projection) / divisor})


def gated_rms_norm(case):
    """Computes gated_rms_norm, see docs/specification/norms.md."""
    kind, groups = case.compute_dtype, int(case.options["groups"])
    x, gate, dy = (case[name].astype(kind) for name in ("x", "gate", "grad_y"))
    gamma, beta = case.get("gamma", np.ones(x.shape[-1])).astype(kind), case.get("beta", np.zeros(1)).astype(kind)
    with np.errstate(over="ignore"):
        s = 1 / (1 + np.exp(-gate))
    is_before = case.options["gate_position"] == "before"
    active, slope = {"silu": (gate * s, s * (1 + gate * (1 - s))),
                     "sigmoid": (s, s * (1 - s))}[case.options["gate_activation"]]

    def grouped(values):
        return values.reshape(*x.shape[:-1], groups, -1)

    def mean(values):
        return values.mean(axis=-1, dtype=kind, keepdims=True)
    v = grouped(x * active if is_before else x)
    rstd = 1 / np.sqrt(mean(v * v) + kind(case.options["eps"]))
    x_hat = v * rstd
    norm = gamma * x_hat.reshape(x.shape) + beta
    t = dy if is_before else dy * active
    g = grouped(gamma * t)
    grad_v = ((g - x_hat * mean(g * x_hat)) * rstd).reshape(x.shape)
    outputs = {"y": norm if is_before else norm * active, "grad_x": grad_v * active if is_before else grad_v,
               "grad_gate": (grad_v * x if is_before else dy * norm) * slope}
    rows = tuple(range(x.ndim - 1))
    if "gamma" in case.tensors:
        outputs["grad_gamma"] = (t * x_hat.reshape(x.shape)).sum(axis=rows, dtype=kind)
    if "beta" in case.tensors:
        outputs["grad_beta"] = t.sum(axis=rows, dtype=kind)
    return protocol.all_stored(case, outputs)


def quantize(case):
    """Returns x: 8 bits and scales belong to the stored tensors, see numpy_scaled.py. dequantize is the same."""
    outputs = {"y": case["x"].astype(case.compute_dtype)}
    if "grad_y" in case:
        outputs["grad_x"] = case["grad_y"].astype(case.compute_dtype)
    return protocol.all_stored(case, outputs)


def cross_entropy(case):
    """Computes the loss of the rows that count, weighted by class weights (docs/specification/training.md)."""
    kind = case.compute_dtype
    x, smoothing = case["logits"].astype(kind), kind(case.options["label_smoothing"])
    cap, z_loss = case.options.get("soft_cap", "none"), kind(case.options.get("z_loss", 0))
    reduction = case.options.get("reduction", "mean")
    bent = np.zeros_like(x)
    if cap not in ("none", None):
        bent = np.tanh(x / kind(cap))
        x = bent * kind(cap)
    weights = case.get("class_weights", np.ones(x.shape[1])).astype(kind)
    counts = case.get("valid", np.ones(len(x), bool))
    one_hot = np.arange(x.shape[1]) == case["targets"][:, None]
    e, largest = exponentials(x, np.ones(x.shape, bool))
    whole = total(e)
    log_p = (x - largest) - np.log(whole)
    target = np.where(one_hot, (1 - smoothing) * weights, 0) + smoothing / kind(x.shape[1]) * weights
    divisor = np.where(one_hot, weights, 0).sum(-1, dtype=kind)[counts].sum(dtype=kind)
    losses = -np.where(target == 0, 0, target * log_p).sum(-1, dtype=kind)
    sum_exp = largest + np.log(whole)
    squares = z_loss * (sum_exp * sum_exp)[:, 0] if z_loss > 0 else np.zeros(len(x), kind)
    rows = kind(counts.sum()) if reduction == "mean" else kind(1)
    divisor = divisor if reduction == "mean" else kind(1)
    gradient = (e / whole * total(target) - target) / divisor
    if z_loss > 0:
        gradient = gradient + e / whole * (2 * z_loss * sum_exp / rows)
    gradient = np.where(counts[:, None], gradient * (1 - bent * bent), 0)
    if reduction == "none":
        loss = np.where(counts, losses + squares, 0)
    else:
        loss = np.array([losses[counts].sum(dtype=kind) / divisor + squares[counts].sum(dtype=kind) / rows], kind)
    return {"loss": loss.astype(kind), "grad_logits": protocol.stored(gradient.astype(kind), case.dtype)}


# Functions that read their inputs and options from the case, and return stored outputs.
CASE_FUNCTIONS = {**{f.__name__: f for f in (cross_entropy, gated_rms_norm, l2_norm, quantize, softplus)},
                  "dequantize": quantize}
FUNCTIONS = {f.__name__: f for f in (softmax, log_softmax, log_sum_exp, relu, gelu, gelu_tanh, silu, relu_squared, sigmoid,
                                    log_sigmoid, tanh, mish)}
# The activation that x passes.
GATED = {name: FUNCTIONS[activation] for name, activation in protocol.equal_forms("times_gate").items()}
# Whether a mean is subtracted.
ADDED = {name: any(cells["centred"] for cells in protocol.LAYERS[norm]["cells"])
         for name, norm in protocol.equal_forms("of_sum").items()}


def add_norm(case, x, dy):
    """Computes a norm of x + residual. The sum is not rounded before the norm."""
    dtype = case.compute_dtype
    residual, grad_sum = (case[name].astype(dtype) for name in ("residual", "grad_sum"))
    gamma = case.get("gamma", np.ones(x.shape[-1])).astype(dtype)
    if case.options.get("zero_centred_gamma") and "gamma" in case.tensors:
        gamma = 1 + gamma
    total = x + residual
    mean = total.mean(axis=-1, dtype=dtype, keepdims=True) if ADDED[case.op] else dtype(0)
    d = total - mean
    rstd = 1 / np.sqrt((d * d).mean(axis=-1, dtype=dtype, keepdims=True) + dtype(case.options["eps"]))
    x_hat, g = d * rstd, gamma * dy
    a = g.mean(axis=-1, dtype=dtype, keepdims=True) if ADDED[case.op] else dtype(0)
    c = (g * x_hat).mean(axis=-1, dtype=dtype, keepdims=True)
    rows = tuple(range(x.ndim - 1))
    outputs = {"y": gamma * x_hat, "sum": total, "grad_x": ((g - a) - x_hat * c) * rstd + grad_sum}
    if "gamma" in case.tensors:
        outputs["grad_gamma"] = (dy * x_hat).sum(axis=rows, dtype=dtype)
    if "beta" in case.tensors:
        outputs["y"] = outputs["y"] + case["beta"].astype(dtype)
        outputs["grad_beta"] = dy.sum(axis=rows, dtype=dtype)
    return outputs


def gated(case, x, dy, valid):
    """Computes swiglu, with its limit, alpha and beta, and geglu."""
    kind, gate = case.compute_dtype, case["gate"].astype(case.compute_dtype)
    limit, alpha, beta = case.options.get("limit", "none"), *(kind(case.options.get(*one)) for one in (("alpha", 1), ("beta", 0)))
    if (limit, alpha, beta) == ("none", 1, 0):
        active, grad_x = GATED[case.op](x, dy * gate, valid)
        return {"y": active * gate, "grad_x": grad_x, "grad_gate": dy * active}
    limit = kind(np.inf if limit == "none" else limit)
    c, factor = np.minimum(x, limit), np.clip(gate, -limit, limit) + beta
    active = c * sigmoid(alpha * c, dy, valid)[0]
    grad_x = silu(alpha * c, dy * factor, valid)[1]
    return {"y": active * factor, "grad_x": np.where(x > limit, kind(0), grad_x),
            "grad_gate": np.where(np.abs(gate) > limit, kind(0), dy * active)}


def step(case):
    if case.op in CASE_FUNCTIONS:
        return CASE_FUNCTIONS[case.op](case)
    x = case["x"].astype(case.compute_dtype)
    dy = case.get("grad_y", np.zeros_like(x)).astype(case.compute_dtype)
    valid = case.get("valid", np.ones(x.shape, bool))
    if case.op in ADDED:
        outputs = add_norm(case, x, dy)
    elif case.op in GATED:
        outputs = gated(case, x, dy, valid)
        if "grad_y" not in case:
            outputs = {"y": outputs["y"]}
    else:
        outputs = dict(zip(("y", "grad_x"), FUNCTIONS[case.op](x, dy, valid)))
    return protocol.all_stored(case, outputs)
