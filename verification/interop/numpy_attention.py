"""Attention alone, the merge of its partial results and rotary embeddings in NumPy, from docs/specification/attention.md."""
import numpy as np

import protocol


def keys_in_range(options, tokens, keys):
    """Returns [T, S]: whether a query sees a key by its position, which is i + S - T, or i if the corner is the top left."""
    shift = 0 if options.get("mask_corner") == "top_left" else keys - tokens
    distance = np.arange(keys) - (np.arange(tokens)[:, None] + shift)
    seen = np.ones((tokens, keys), bool)
    if options.get("causal"):
        seen &= distance <= 0
    left, right = (options.get(name) for name in ("window_left", "window_right"))
    if left not in (None, "none"):
        seen &= -distance <= int(left)
    if right not in (None, "none"):
        seen &= distance <= int(right)
    return seen


def visible_keys(case, tokens, keys):
    """Returns [B or 1, 1, 1, T, S]: whether a query sees a key."""
    seen = keys_in_range(case.options, tokens, keys)[None]
    if "valid" in case.tensors:
        seen = seen & case["valid"][:, None, :]
    return seen.reshape(-1, 1, 1, tokens, keys)


def attention(case):
    """Returns y, the gradients and, if every query sees a key or has a sink, log_sum_exp.

    [B,H,...] is treated as [B,G,H/G,...].
    """
    kind = case.compute_dtype
    q, k, v, dy = (case[name].astype(kind) for name in ("q", "k", "v", "grad_y"))
    samples, heads, tokens, features = q.shape
    groups, keys = k.shape[1:3]
    scale = case.options["scale"]
    scale = kind(1) / np.sqrt(kind(features)) if scale == "none" else kind(scale)
    q, dy = (t.reshape(samples, groups, heads // groups, tokens, -1) for t in (q, dy))
    k, v = k[:, :, None], v[:, :, None]
    seen = visible_keys(case, tokens, keys)
    scores = (q @ k.swapaxes(-1, -2)) * scale
    slope, cap = kind(1), case.options.get("soft_cap")
    if cap not in (None, "none"):
        tanh = np.tanh(scores / kind(cap))
        scores, slope = kind(cap) * tanh, 1 - tanh * tanh
    bias = case.get("bias")
    if bias is not None:
        bias = bias.astype(kind)
        bias = np.broadcast_to(bias, (samples, heads, tokens, keys)).reshape(samples, groups, heads // groups, tokens, keys)
        seen = seen & ~np.isneginf(bias)
        scores = scores + np.where(np.isneginf(bias), kind(0), bias)
    largest = np.max(np.where(seen, scores, -np.inf), axis=-1, keepdims=True)
    sinks = case.get("sinks")
    if sinks is not None:
        sinks = sinks.astype(kind).reshape(groups, heads // groups, 1, 1)
        largest = np.maximum(largest, sinks)
    largest = np.where(np.isneginf(largest), kind(0), largest)
    exponentials = np.where(seen, np.exp(scores - largest), kind(0))
    whole = exponentials.sum(-1, keepdims=True, dtype=kind)
    if sinks is not None:
        whole = whole + np.exp(sinks - largest)
    weights = exponentials / np.where(whole == 0, kind(1), whole)
    grad_weights = dy @ v.swapaxes(-1, -2)
    mean = (grad_weights * weights).sum(-1, keepdims=True, dtype=kind)
    grad_scores = weights * (grad_weights - mean)
    grad_bias, grad_scores = grad_scores, grad_scores * slope
    outputs = {"y": weights @ v, "grad_q": (grad_scores @ k) * scale,
               "grad_k": (grad_scores.swapaxes(-1, -2) @ q).sum(2, dtype=kind) * scale,
               "grad_v": (weights.swapaxes(-1, -2) @ dy).sum(2, dtype=kind)}
    if bias is not None:
        shared = tuple(axis for axis in (0, 1) if case["bias"].shape[axis] == 1)
        outputs["grad_bias"] = grad_bias.reshape(samples, heads, tokens, keys).sum(shared, dtype=kind)
    if sinks is not None:
        outputs["grad_sinks"] = (-np.exp(sinks - largest) / whole * mean).sum((0, 3, 4), dtype=kind)
    shapes = {"y": case["grad_y"].shape,
              **{"grad_" + name: case[name].shape for name in ("q", "k", "v", "bias", "sinks") if name in case.tensors}}
    outputs = {name: protocol.stored(value.reshape(shapes[name]), case.dtype) for name, value in outputs.items()}
    if sinks is not None or seen.any(-1).all():
        base = kind(2 if case.options.get("log_sum_exp_base") in (2, "2") else np.e)
        outputs["log_sum_exp"] = ((largest + np.log(whole)) / np.log(base)).reshape(samples, heads, tokens)
    return outputs


def rotate(x, cos, sin, interleaved):
    """Returns x with each pair of features rotated by its angle."""
    pairs = cos.shape[-1]
    first, second = (slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)) if interleaved else (
        slice(pairs), slice(pairs, 2 * pairs))
    y = x.copy()
    y[..., first] = x[..., first] * cos - x[..., second] * sin
    y[..., second] = x[..., second] * cos + x[..., first] * sin
    return y


def rope(case):
    x, dy, cos, sin = (case[name].astype(case.compute_dtype) for name in ("x", "grad_y", "cos", "sin"))
    interleaved = case.options["interleaved"]
    outputs = {"y": rotate(x, cos, sin, interleaved), "grad_x": rotate(dy, cos, -sin, interleaved)}
    return {name: protocol.stored(value, case.dtype) for name, value in outputs.items()}


def merge_attention_states(case):
    """Returns y, log_sum_exp and the gradients. A split whose logarithm is -infinity is empty, and o is not read there."""
    kind = case.compute_dtype
    o, logs, dy = (case[name].astype(kind) for name in ("o", "log_sum_exp", "grad_y"))
    base_2 = case.options.get("log_sum_exp_base") in (2, "2")
    unit = kind(np.log(2.0)) if base_2 else kind(1)
    present = ~np.isneginf(logs)
    largest = logs.max(0)
    shift = np.where(np.isneginf(largest), kind(0), largest)
    exponentials = np.where(present, np.exp((np.where(present, logs, shift) - shift) * unit), kind(0))
    whole = exponentials.sum(0, dtype=kind)
    weights = (exponentials / np.where(whole == 0, kind(1), whole))[..., None]
    o = np.where(present[..., None], o, kind(0))
    y = (weights * o).sum(0, dtype=kind)
    grad_weights = (dy * o).sum(-1, keepdims=True, dtype=kind)
    mean = (weights * grad_weights).sum(0, dtype=kind)
    merged = shift + np.log(np.where(whole == 0, kind(1), whole)) / unit
    outputs = {"y": y, "grad_o": np.where(present[..., None], weights * dy, kind(0)),
               "grad_log_sum_exp": np.where(present, (weights * (grad_weights - mean))[..., 0] * unit, kind(0))}
    types = {"grad_log_sum_exp": "float64" if kind == np.float64 else "float32"}
    outputs = {name: protocol.stored(value, types.get(name, case.dtype)) for name, value in outputs.items()}
    outputs["log_sum_exp"] = np.where(np.isneginf(largest), -np.inf, merged).astype(kind)
    return outputs


FUNCTIONS = {f.__name__: f for f in (attention, rope, merge_attention_states)}
