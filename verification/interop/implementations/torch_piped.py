"""The functions of PyTorch that the pipe adapter offers: those of the board, and what only the pipe asks.

The pipe has masks, biased running variances, sums before a norm, attention, losses, layers and models of Transformers,
and optimizers. `momentum` is 1 - running_decay in PyTorch, which the package knows.
"""
import functools
import math

import torch
import torch.nn.functional as F

import normproof
from implementations import torch_transformers
from implementations import torch_functions as board
from package_adapter import ALL_FLOATING, Piped

WIDE = ("float64", "float32")
THREE = (*WIDE, "bfloat16")
FOUR = (*WIDE, "float16", "bfloat16")
OPTIMIZERS = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW}
IGNORED = -100  # the class of a row that cross_entropy ignores


def requires_wide_parameters(fn):
    """Returns the function, which then declines parameters of bfloat16 beside an x of float32."""
    @functools.wraps(fn)
    def checked(x, **others):
        if x.dtype == torch.float32 and any(
                torch.is_tensor(value) and value.dtype == torch.bfloat16 for value in others.values()):
            raise normproof.NotOffered("parameters of fewer digits than x")
        return fn(x, **others)
    return checked


def rms_norm(x, eps, gamma=None, beta=None):
    """Computes F.rms_norm and adds beta, which F.rms_norm lacks."""
    y = board.rms_norm(x, eps, gamma)
    return y if beta is None else y + beta


def batch_norm(x, running_mean, running_variance, eps, training, momentum, unbiased_running_variance=True, gamma=None,
               beta=None):
    """F.batch_norm. It takes parameters of the dtype of the state only, and returns the unbiased running variance."""
    rows = x.numel() // x.shape[1]
    if training and rows < 2:
        raise normproof.NotOffered("one row")  # F.batch_norm throws: "Expected more than 1 value per channel"
    gamma, beta = (None if value is None else value.to(running_mean.dtype) for value in (gamma, beta))
    before = running_variance.clone()
    y = F.batch_norm(x, running_mean, running_variance, gamma, beta, training, momentum, eps)
    if training and not unbiased_running_variance:
        biased = unbiased_to_biased(before, running_variance, momentum, rows)
        return {"y": y, "running_mean": running_mean, "running_variance": biased}
    return {"y": y, "running_mean": running_mean, "running_variance": running_variance}


def unbiased_to_biased(before, after, momentum, rows):
    """Returns the running variance as if the step had used the biased variance, computed in float64."""
    kept = (1 - momentum) * before.double()
    return (kept + (after.double() - kept) * ((rows - 1) / rows)).to(after.dtype)


def dyt(x, alpha0, alpha=None, gamma=None, beta=None):
    """DyT as its authors write it, because PyTorch has no function for it."""
    y = torch.tanh((alpha0 if alpha is None else alpha) * x)
    return (y if gamma is None else gamma * y + beta).to(x.dtype)


def without_invalid(x, valid):
    """Returns x with -inf in place of masked elements."""
    return x if valid is None else x.masked_fill(~valid, float("-inf"))


def softmax(x, valid=None):
    return board.softmax(without_invalid(x, valid))


def log_sum_exp(x, valid=None):
    return board.logsumexp(without_invalid(x, valid))


def relu_squared(x):
    return F.relu(x).square()


def sigmoid(x):
    return torch.sigmoid(x)


def tanh(x):
    return torch.tanh(x)


def log_sigmoid(x):
    """F.logsigmoid, in float32 for 16 bits, because old versions round after each step."""
    return F.logsigmoid(x.float() if x.dtype in (torch.float16, torch.bfloat16) else x).to(x.dtype)


def mish(x):
    """F.mish, in float32 for 16 bits, which old versions lack."""
    return F.mish(x.float() if x.dtype in (torch.float16, torch.bfloat16) else x).to(x.dtype)


def softplus(x, beta, threshold):
    """F.softplus, or logaddexp without a threshold, because F.softplus then overflows."""
    if threshold in (math.inf, None, "none"):
        wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        return (torch.logaddexp(beta * wide, torch.zeros_like(wide)) / beta).to(x.dtype)
    return F.softplus(x, beta, threshold)


def after_sum(norm):
    """Returns a function that computes a norm of x + residual and also returns the sum."""
    def added(x, residual, eps, gamma=None, beta=None):
        total = x + residual
        return {"y": norm(total, eps, gamma, beta).to(x.dtype), "sum": total}
    return added


def attention_by_formula(q, k, v, visible, scale, soft_cap, bias, sinks):
    """Attention with a cap, a bias or sinks, which F.scaled_dot_product_attention lacks or differentiates in 16 bits.

    The sinks are one more column of scores, as in the implementation of gpt-oss in Transformers.
    """
    kind = torch.float64 if q.dtype == torch.float64 else torch.float32
    scores = (q.to(kind) @ k.to(kind).transpose(-1, -2)) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if soft_cap is not None:
        scores = soft_cap * torch.tanh(scores / soft_cap)
    if bias is not None:
        hidden = torch.isneginf(bias)
        visible = ~hidden if visible is None else visible & ~hidden
        scores = scores + bias.to(kind).masked_fill(hidden, 0)
    if sinks is not None:
        if visible is not None:
            scores = scores.masked_fill(~visible, -math.inf)
        column = sinks.to(kind).reshape(1, -1, 1, 1).expand(*scores.shape[:3], 1)
        weights = torch.cat([scores, column], -1).softmax(-1)[..., :-1]
        if visible is not None:
            weights = weights.masked_fill(~visible, 0)
        return (weights @ v.to(kind)).to(q.dtype)
    if visible is None:
        return (scores.softmax(-1) @ v.to(kind)).to(q.dtype)
    shown = visible | ~visible.any(-1, keepdim=True)  # a row of -inf alone would be NaN
    weights = scores.masked_fill(~shown, -math.inf).softmax(-1).masked_fill(~visible, 0)
    return (weights @ v.to(kind)).to(q.dtype)


def attention(q, k, v, causal, scale, mask_corner="bottom_right", window_left=None, window_right=None, soft_cap=None,
              log_sum_exp_base="e", bias=None, sinks=None, valid=None):
    """F.scaled_dot_product_attention, or attention_by_formula if there is a cap, a sink or the gradient of a bias.

    Its `is_causal` aligns the first query with the first key, but most cases align the last ones, and it has no windows.
    The mask of visible keys is therefore passed.
    """
    tokens, keys, group = q.shape[2], k.shape[2], q.shape[1] // k.shape[1]
    visible = None
    if causal or valid is not None or window_left is not None or window_right is not None:
        shift = 0 if mask_corner == "top_left" else keys - tokens
        visible = torch.ones(tokens, keys, dtype=torch.bool)
        if causal:
            visible = visible.tril(shift)
        if window_right is not None:
            visible = visible.tril(shift + int(window_right))
        if window_left is not None:
            visible = visible.triu(shift - int(window_left))
        visible = visible[None, None] if valid is None else visible & valid[:, None, None, :]
    k, v = (t.repeat_interleave(group, 1) for t in (k, v))
    if soft_cap is not None or sinks is not None or (bias is not None and bias.requires_grad):
        return attention_by_formula(q, k, v, visible, scale, soft_cap, bias, sinks)
    if bias is not None:
        visible = bias if visible is None else bias.masked_fill(~visible, -math.inf)
    return F.scaled_dot_product_attention(
        q, k, v, attn_mask=visible, **({} if scale is None else {"scale": scale}))


def merge_attention_states(o, log_sum_exp, log_sum_exp_base="e"):
    """The merge of partial results of attention, for which PyTorch has no public function."""
    kind = torch.float64 if log_sum_exp.dtype == torch.float64 else torch.float32
    unit = math.log(2) if log_sum_exp_base in (2, "2") else 1.0
    empty = torch.isneginf(log_sum_exp)
    without = empty.all(0)
    logs = log_sum_exp.to(kind) * unit
    shown = torch.where(without, torch.zeros_like(logs), logs)  # a column of -inf alone would be NaN
    weights = torch.softmax(shown, 0).masked_fill(empty, 0)
    y = (weights[..., None] * o.to(kind).masked_fill(empty[..., None], 0)).sum(0)
    merged = torch.logsumexp(shown, 0).masked_fill(without, -math.inf) / unit
    return {"y": y.to(o.dtype), "log_sum_exp": merged}


def cross_entropy(logits, targets, label_smoothing, class_weights=None, valid=None, reduction="mean", z_loss=0.0,
                  soft_cap=None):
    """Computes F.cross_entropy; logits of 16 bits are converted to float32 first, as autocast does.

    The cap and the z-loss, which F.cross_entropy lacks, are those of Liger-Kernel.
    """
    kind = torch.float64 if logits.dtype == torch.float64 else torch.float32
    x = logits.to(kind)
    if soft_cap is not None:
        x = soft_cap * torch.tanh(x / soft_cap)
    if valid is not None:
        targets = targets.masked_fill(~valid, IGNORED)
    weights = None if class_weights is None else class_weights.to(kind)
    loss = F.cross_entropy(x, targets, weights, ignore_index=IGNORED, reduction=reduction, label_smoothing=label_smoothing)
    if not z_loss:
        return loss
    counts = targets != IGNORED
    squares = torch.where(counts, z_loss * torch.logsumexp(torch.where(counts[:, None], x, 0), -1).square(), 0)
    if reduction == "none":
        return loss + squares
    return loss + (squares.sum() / counts.sum() if reduction == "mean" else squares.sum())


def swiglu(x, gate, limit=None, alpha=1.0, beta=0.0):
    """F.silu(x) * gate, or the formula with a limit, alpha and beta, in float32 for 16 bits."""
    limit = math.inf if limit in (None, "none") else float(limit)
    if (limit, alpha, beta) == (math.inf, 1, 0):
        return board.swiglu(x, gate)
    wide = torch.float64 if x.dtype == torch.float64 else torch.float32
    c, factor = x.to(wide), gate.to(wide)
    if limit < math.inf:  # clamp drops the gradient of a NaN
        c, factor = c.clamp(max=limit), factor.clamp(-limit, limit)
    return (c * torch.sigmoid(alpha * c) * (factor + beta)).to(x.dtype)


def functions():
    """Returns the functions that this version of PyTorch has."""
    norms = {"layer_norm": board.layer_norm, "batch_norm": batch_norm, "instance_norm": board.instance_norm,
             "group_norm": board.group_norm, "dyt": dyt}
    added = {"add_layer_norm": board.layer_norm}
    if hasattr(F, "rms_norm"):
        added["add_rms_norm"] = rms_norm
    pointwise = {"softmax": softmax, "log_softmax": board.log_softmax, "log_sum_exp": log_sum_exp, "relu": board.relu,
                 "gelu": board.gelu, "gelu_tanh": board.gelu_tanh, "silu": board.silu,
                 "relu_squared": relu_squared, "sigmoid": sigmoid, "log_sigmoid": log_sigmoid, "tanh": tanh,
                 "mish": mish, "softplus": softplus}
    offered = {**norms, **pointwise, "swiglu": swiglu, "geglu": board.geglu,
               **{op: after_sum(norm) for op, norm in added.items()}}
    found = [Piped(op, requires_wide_parameters(fn), THREE) for op, fn in offered.items()]
    found += [Piped(op, fn, WIDE, leaves=ALL_FLOATING) for op, fn in torch_transformers.OPERATIONS.items()]
    found += [Piped(op, kind, WIDE) for op, kind in OPTIMIZERS.items()]
    if hasattr(F, "rms_norm"):
        found.append(Piped("rms_norm", requires_wide_parameters(rms_norm), WIDE))
    found.append(Piped("cross_entropy", cross_entropy, FOUR, leaves=("logits",)))
    found.append(Piped("merge_attention_states", merge_attention_states, FOUR, leaves=("o", "log_sum_exp")))
    if hasattr(F, "scaled_dot_product_attention"):
        found.append(Piped("attention", attention, FOUR, leaves=("q", "k", "v", "bias", "sinks")))
    return found
