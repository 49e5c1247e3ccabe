#!/usr/bin/env python3
"""Formulas in jax.numpy, compiled by XLA for the CPU, and their gradients by jax.vjp.

16 bits are computed in float32 and rounded at the end. batch_renorm's r and d are constants of the
derivative. Padding is replaced by 0 before `where` masks it: the gradient of a NaN is NaN even where its
weight is 0.
"""
import streams  # isort: split; first, for frameworks print when they are imported

import functools
import os

os.environ["JAX_TRACEBACK_FILTERING"] = "off"  # else the last line of a traceback is not the error
import jax
import jax.numpy as jnp
import numpy as np

import protocol

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)
FUNCTIONS = {
    "softmax": lambda x, valid: jax.nn.softmax(x, where=valid),
    "log_softmax": lambda x, valid: jax.nn.log_softmax(x),
    "log_sum_exp": lambda x, valid: jax.nn.logsumexp(x, axis=-1, where=valid),
    "relu": lambda x, valid: jax.nn.relu(x),
    "gelu": lambda x, valid: jax.nn.gelu(x, approximate=False),
    "gelu_tanh": lambda x, valid: jax.nn.gelu(x, approximate=True),
    "silu": lambda x, valid: jax.nn.silu(x),
}
GATED = {"swiglu": FUNCTIONS["silu"], "geglu": FUNCTIONS["gelu"]}  # of x, times gate
ADDED = {"add_layer_norm": "layer_norm", "add_rms_norm": "rms_norm"}  # of x + residual


def attended(scale, seen, grad_y, *leaves):
    def of_leaves(*heads_first):
        y = jax.nn.dot_product_attention(*(t.swapaxes(1, 2) for t in heads_first), mask=seen, scale=scale)
        return y.swapaxes(1, 2)

    y, pull = jax.vjp(of_leaves, *leaves)
    return y, *pull(grad_y)


compiled = jax.jit(attended, static_argnums=0)


def attention(case):
    """jax.nn.dot_product_attention, [B,T,H,D], in the dtype of the case; its is_causal lays the first query at the first
    key, so the mask of the keys that are seen is given. XLA for the CPU refuses to compile it in float16
    (findings/jax_attention.py), where it runs step by step."""
    function = attended if case.dtype == "float16" else compiled
    q, k, v, grad_y = (jnp.asarray(case[name]).astype(jnp.dtype(case.dtype)) for name in ("q", "k", "v", "grad_y"))
    if v.shape[3] != k.shape[3]:
        raise protocol.NotOffered(f"values of {v.shape[3]} features beside keys of {k.shape[3]}")
    tokens, keys = q.shape[2], k.shape[2]
    seen = np.ones((1, tokens, keys), bool)
    if case.options["causal"]:
        seen = seen & (np.arange(keys) + tokens <= np.arange(tokens)[:, None] + keys)
    if "valid" in case.tensors:
        seen = seen & case["valid"][:, None, :]
    scale = None if case.options["scale"] == "none" else case.options["scale"]
    outputs = dict(zip(("y", "grad_q", "grad_k", "grad_v"), function(scale, jnp.asarray(seen)[:, None], grad_y, q, k, v)))
    if case.dtype == "bfloat16":
        outputs = {name: value.astype(jnp.float32) for name, value in outputs.items()}
    return {name: np.asarray(value) for name, value in outputs.items()}


def rope(case):
    kind = jnp.dtype(case.compute_dtype)
    x, dy, cos, sin = (jnp.asarray(case[name]).astype(kind) for name in ("x", "grad_y", "cos", "sin"))
    pairs = cos.shape[-1]
    first, second = (slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)) if case.options["interleaved"] else (
        slice(pairs), slice(pairs, 2 * pairs))

    def of_x(x):
        a, b = x[..., first], x[..., second]
        return x.at[..., first].set(a * cos - b * sin).at[..., second].set(b * cos + a * sin)

    y, pull = jax.vjp(of_x, x)
    return {name: protocol.stored(np.asarray(value), case.dtype) for name, value in (("y", y), ("grad_x", pull(dy)[0]))}


def cross_entropy(case):
    """jax.nn.log_softmax and its gradient, in float32 where the case has 16 bits."""
    kind = np.dtype(case.compute_dtype).name
    logits = jnp.asarray(case["logits"]).astype(kind)
    classes, smoothing = logits.shape[1], case.options["label_smoothing"]
    weights = jnp.asarray(case.get("class_weights", np.ones(classes))).astype(kind)
    counts = case.get("valid", np.ones(len(case["targets"]), bool))
    one_hot = jax.nn.one_hot(case["targets"], classes, dtype=kind) * counts[:, None]
    target = ((1 - smoothing) * one_hot + smoothing / classes * counts[:, None]) * weights

    def of_logits(x):
        return -(target * jax.nn.log_softmax(x)).sum() / (one_hot * weights).sum()

    loss, gradient = jax.value_and_grad(of_logits)(logits)
    return {"loss": np.asarray(loss).reshape(1), "grad_logits": protocol.stored(np.asarray(gradient), case.dtype)}


def forward(static, x, gate, gamma, beta, alpha, valid, state):
    """y, and the state after the step."""
    op, training, options, dtype = static[0], static[1], dict(static[2]), static[3]
    shape, stored = x.shape, x.dtype
    if op in FUNCTIONS:
        return FUNCTIONS[op](x.astype(dtype), valid).astype(stored), state
    if op in GATED:
        return (GATED[op](x.astype(dtype), valid) * gate.astype(dtype)).astype(stored), state
    groups = int(options.get("groups", 1))
    x = x.astype(dtype).reshape(shape[0], shape[1] if len(shape) == 3 else 1, groups, -1)
    parameter = [p if p is None or p.size == 1 else p.reshape(groups, -1) for p in (gamma, beta)]
    gamma, beta = (absent if p is None else p.astype(dtype) for p, absent in zip(parameter, (1, 0)))
    if op in ELEMENTWISE:
        x_hat = ELEMENTWISE[op](x, alpha, options)
        return (gamma * x_hat + beta).reshape(shape).astype(stored), state
    axes, normalise = NORMS[op]
    mask = valid.reshape(x.shape[:2] + (1, 1)) if min(axes) < 2 else True
    eps = jnp.asarray(options["eps"], dtype)
    if state and not training:
        square = state["running_psi2"] if "running_psi2" in state else state["running_variance"]
        x_hat = (x - state.get("running_mean", 0)) * jax.lax.rsqrt(square + eps)
    else:
        over = dict(axis=axes, keepdims=True, where=mask)
        x_hat, state = normalise(x, jnp.where(mask, x, 0), over, eps, options, state)
    return (gamma * x_hat + beta).reshape(shape).astype(stored), state


def by_length(padded, x, over, eps, options, state):
    return padded * jax.lax.rsqrt(jnp.sum(x * x, **over) + eps), state


def by_quadratic_mean(padded, x, over, eps, options, state):
    square = jnp.mean(x * x, **over)
    x_hat = padded * jax.lax.rsqrt(square + eps)
    return x_hat, moved(state, options, running_psi2=square)


def by_variance(padded, x, over, eps, options, state):
    mean, variance = jnp.mean(x, **over), jnp.var(x, **over)
    x_hat = (padded - mean) * jax.lax.rsqrt(variance + eps)
    if "r_max" in options:
        running = jnp.sqrt(state["running_variance"] + eps)
        r = jnp.clip(jnp.sqrt(variance + eps) / running, 1 / options["r_max"], options["r_max"])
        d = jnp.clip((mean - state["running_mean"]) / running, -options["d_max"], options["d_max"])
        x_hat = x_hat * jax.lax.stop_gradient(r) + jax.lax.stop_gradient(d)
    if options.get("unbiased_running_variance"):
        variance = jnp.var(x, ddof=1, **over)
    return x_hat, moved(state, options, running_mean=mean, running_variance=variance)


def moved(state, options, **fresh):
    decay = options.get("running_decay")
    return {name: decay * old + (1 - decay) * fresh[name].reshape(-1) for name, old in state.items()}


def by_tanh(x, alpha, options):
    return jnp.tanh((options["alpha0"] if alpha is None else alpha.astype(x.dtype)) * x)


ELEMENTWISE = {"dyt": by_tanh}  # without statistics
# Axes of the statistics of [samples, tokens, groups, features of a group], and what normalises.
NORMS = {
    "layer_norm": ((2, 3), by_variance),
    "rms_norm": ((2, 3), by_quadratic_mean),
    "group_scaling": ((3,), by_quadratic_mean),
    "scale_norm": ((2, 3), by_length),
    "batch_norm": ((0, 1), by_variance),
    "batch_renorm": ((0, 1), by_variance),
    "instance_norm": ((1,), by_variance),
    "group_norm": ((1, 3), by_variance),
    "power_norm_v": ((0, 1), by_quadratic_mean),
}


MASKED = (*protocol.AFFINE, "valid", "eps")
TAKES = {
    **dict.fromkeys(("layer_norm", "rms_norm", "scale_norm", "instance_norm"), MASKED),
    **dict.fromkeys(("group_norm", "group_scaling"), (*MASKED, "groups")),
    "batch_norm": (*MASKED, *protocol.STATISTICS, "unbiased_running_variance"),
    "batch_renorm": (*MASKED, *protocol.STATISTICS, "[rd]_max"),
    "power_norm_v": (*MASKED, "running_psi2", "running_decay"),
    "dyt": (*protocol.AFFINE, "valid", "alpha", "alpha0"),
    **dict.fromkeys(FUNCTIONS, ("valid",)),
    **dict.fromkeys(GATED, ("gate",)),
    "attention": ("q", "k", "v", "valid", "scale", "causal"),
    **dict.fromkeys(ADDED, protocol.ADD_NORM_TAKES),
    "rope": ("cos", "sin", "interleaved"),
    "cross_entropy": ("logits", "targets", "class_weights", "valid", "label_smoothing"),
}


@functools.partial(jax.jit, static_argnums=0)
def forward_and_backward(static, leaves, grad_y, valid, state):
    def of_leaves(given):
        x, *named = (given.get(name) for name in ("x", "gate", "gamma", "beta", "alpha"))
        if "residual" not in given:
            return forward(static, x, *named, valid, state)
        total = (x.astype(static[3]) + given["residual"].astype(static[3])).astype(x.dtype)
        y, new_state = forward((ADDED[static[0]], *static[1:]), total, *named, valid, state)
        return (y, total), new_state
    y, pull, new_state = jax.vjp(of_leaves, leaves, has_aux=True)
    return y, pull(grad_y)[0], new_state


OWN_STEPS = {"attention": attention, "cross_entropy": cross_entropy, "rope": rope}


def step(case):
    if case.op in OWN_STEPS:
        return OWN_STEPS[case.op](case)
    given = {name: jnp.asarray(value).astype(jnp.dtype(case.dtypes[name])) for name, value in case.tensors.items()
             if name in ("x", "gate", "residual", "grad_y", "grad_sum", *protocol.PARAMETERS)}
    grad_y = given.pop("grad_y")
    if case.op in ADDED:
        grad_y = (grad_y, given.pop("grad_sum"))
    state = {name: jnp.asarray(value) for name, value in case.tensors.items() if name in protocol.STATE}
    extents = case["x"].shape if case.op in FUNCTIONS else case["x"].shape[:-1]
    valid = jnp.asarray(case.get("valid", np.ones(extents, bool)))
    static = (case.op, case.training, tuple(sorted(case.options.items())),
              np.dtype(case.compute_dtype).name)
    y, gradients, state = forward_and_backward(static, given, grad_y, valid, state)
    outputs = dict(zip(("y", "sum"), y)) if case.op in ADDED else {"y": y}
    gradients.pop("residual", None)  # that of x
    outputs.update({"grad_" + name: value for name, value in gradients.items()})
    return {name: np.asarray(value) for name, value in {**outputs, **state}.items()}


if __name__ == "__main__":
    protocol.main("JAX", jax.__version__,
                  protocol.asks((*NORMS, *ELEMENTWISE, *FUNCTIONS, *GATED, *ADDED, *OWN_STEPS),
                                ("float64", "float32", "float16", "bfloat16")),
                  step, TAKES)
