"""The functions of JAX that the pipe adapter offers: formulas in jax.numpy, and functions of jax.nn in float32 or wider."""
import math

import jax
import jax.numpy as jnp

import normproof
from implementations import jax_formulas as formulas
from implementations import jax_functions as board
from package_adapter import Piped

FOUR = ("float64", "float32", "float16", "bfloat16")


def widened(fn):
    """Returns a function of jax.nn that computes in float32 for an x of 16 bits, and rounds the result."""
    def rounded(x):
        return fn(x.astype(formulas.compute_dtype(x))).astype(x.dtype)
    return rounded


def widened_with_mask(fn):
    """Does the same as widened() for a function with the parameter `where`, which masks elements of x."""
    def rounded(x, valid=None):
        return fn(x.astype(formulas.compute_dtype(x)), where=valid).astype(x.dtype)
    return rounded


def gated(fn):
    """Returns the function fn(x) * gate, computed in float32 for inputs of 16 bits."""
    def rounded(x, gate):
        kind = formulas.compute_dtype(x)
        return (fn(x.astype(kind)) * gate.astype(kind)).astype(x.dtype)
    return rounded


def swiglu(x, gate, limit=None, alpha=1.0, beta=0.0):
    """Computes swiglu with a limit, alpha and beta, in float32 for inputs of 16 bits."""
    limit = math.inf if limit is None else limit
    if (limit, alpha, beta) == (math.inf, 1, 0):
        return gated(board.silu)(x, gate)
    c, up = (t.astype(formulas.compute_dtype(x)) for t in (x, gate))
    if limit < math.inf:
        c, up = jnp.minimum(c, limit), jnp.clip(up, -limit, limit)
    return (c * jax.nn.sigmoid(alpha * c) * (up + beta)).astype(x.dtype)


def softplus(x, beta, threshold):
    """jax.nn.softplus with the options that it lacks, in float32 or float64."""
    v = beta * x.astype(formulas.compute_dtype(x))
    return (jnp.where(v > threshold, v, jax.nn.softplus(v)) / beta).astype(x.dtype)


def attention_by_formula(q, k, v, visible, scale, soft_cap, bias, sinks):
    """Attention with a cap, a bias or sinks in float32 or float64. jax.nn.dot_product_attention has none of them but a bias."""
    kind, group = formulas.compute_dtype(q), q.shape[1] // k.shape[1]
    wide, keys, values = (t.astype(kind) for t in (q, jnp.repeat(k, group, 1), jnp.repeat(v, group, 1)))
    scores = jnp.einsum("bhtd,bhsd->bhts", wide, keys, precision="highest")
    scores = scores * (q.shape[3] ** -0.5 if scale is None else scale)
    if soft_cap is not None:
        scores = soft_cap * jnp.tanh(scores / soft_cap)
    if bias is not None:
        hidden = jnp.isneginf(bias)
        visible = visible & ~hidden
        scores = scores + jnp.where(hidden, 0, bias).astype(kind)
    if sinks is not None:
        column = jnp.broadcast_to(sinks.astype(kind).reshape(1, -1, 1, 1), (*scores.shape[:3], 1))
        scores = jnp.concatenate([jnp.where(visible, scores, -jnp.inf), column], -1)
        weights = jnp.where(visible, jax.nn.softmax(scores, axis=-1)[..., :-1], 0)
        return jnp.einsum("bhts,bhse->bhte", weights, values, precision="highest").astype(q.dtype)
    shown = visible | ~visible.any(-1, keepdims=True)  # a row of -inf alone would be NaN
    weights = jnp.where(visible, jax.nn.softmax(jnp.where(shown, scores, -jnp.inf), axis=-1), 0)
    return jnp.einsum("bhts,bhse->bhte", weights, values, precision="highest").astype(q.dtype)


def attention(q, k, v, causal, scale, mask_corner="bottom_right", window_left=None, window_right=None, soft_cap=None,
              log_sum_exp_base="e", bias=None, sinks=None, valid=None):
    """jax.nn.dot_product_attention of [B,T,H,D], in the dtype of the case.

    If there is a cap, a bias or a sink, it is attention_by_formula.

    Its is_causal aligns the first query with the first key, but most cases align the last ones. The mask of visible keys
    is therefore passed.
    """
    if v.shape[3] != k.shape[3]:
        raise normproof.NotOffered(f"values of {v.shape[3]} features beside keys of {k.shape[3]}")
    tokens, keys = q.shape[2], k.shape[2]
    shift = 0 if mask_corner == "top_left" else keys - tokens
    visible = jnp.ones((1, tokens, keys), bool)
    if causal:
        visible = jnp.tril(visible, shift)
    if window_right is not None:
        visible = jnp.tril(visible, shift + int(window_right))
    if window_left is not None:
        visible = jnp.triu(visible, shift - int(window_left))
    if valid is not None:
        visible = visible & valid[:, None, :]
    if soft_cap is not None or bias is not None or sinks is not None:
        return attention_by_formula(q, k, v, visible[:, None], scale, soft_cap, bias, sinks)
    y = jax.nn.dot_product_attention(*(t.swapaxes(1, 2) for t in (q, k, v)), mask=visible[:, None], scale=scale)
    return y.swapaxes(1, 2)


def merge_attention_states(o, log_sum_exp, log_sum_exp_base="e"):
    """The merge of partial results of attention, as ring attention has it."""
    kind = log_sum_exp.dtype if log_sum_exp.dtype == jnp.float64 else jnp.float32
    unit = math.log(2) if log_sum_exp_base in (2, "2") else 1.0
    empty = jnp.isneginf(log_sum_exp)
    logs = jnp.where(empty.all(0), 0, log_sum_exp.astype(kind))  # a column of -inf alone would be NaN
    largest = jax.lax.stop_gradient(logs.max(0))
    exponentials = jnp.where(empty, 0, jnp.exp((jnp.where(empty, largest, logs) - largest) * unit))
    whole = jnp.where(empty.all(0), 1, exponentials.sum(0))
    y = ((exponentials / whole)[..., None] * jnp.where(empty[..., None], 0, o.astype(kind))).sum(0)
    merged = jnp.where(empty.all(0), -jnp.inf, largest + jnp.log(whole) / unit)
    return {"y": y.astype(o.dtype), "log_sum_exp": merged}


NORM_NAMES = (*formulas.NORMS, "dyt")
NORMS = {op: getattr(formulas, op) for op in NORM_NAMES}
FUNCTIONS = {"softmax": widened_with_mask(board.softmax), "log_softmax": widened(board.log_softmax),
             "log_sum_exp": widened_with_mask(board.logsumexp), "relu": widened(board.relu),
             "gelu": widened(board.gelu), "gelu_tanh": widened(board.gelu_tanh), "silu": widened(board.silu),
             "relu_squared": widened(lambda x: jnp.square(jax.nn.relu(x))), "sigmoid": widened(jax.nn.sigmoid),
             "log_sigmoid": widened(jax.nn.log_sigmoid), "tanh": widened(jnp.tanh), "mish": widened(jax.nn.mish),
             "softplus": softplus,
             "swiglu": swiglu, "geglu": gated(board.gelu),
             "add_layer_norm": formulas.add_layer_norm, "add_rms_norm": formulas.add_rms_norm}


def functions():
    """Returns every function of the adapter. XLA for the CPU does not compile attention in float16."""
    return [Piped(op, fn, FOUR) for op, fn in {**NORMS, **FUNCTIONS}.items()] + [
        Piped("attention", attention, FOUR, leaves=("q", "k", "v", "bias", "sinks"), uncompiled=("float16",)),
        Piped("cross_entropy", formulas.cross_entropy, FOUR, leaves=("logits",)),
        Piped("merge_attention_states", merge_attention_states, FOUR, leaves=("o", "log_sum_exp")),
        Piped("rope", formulas.rope, FOUR, leaves=("x",))]
