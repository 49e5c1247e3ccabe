"""Norms and functions as formulas in jax.numpy, with masks and running statistics.

16 bits are computed in float32 and rounded at the end. r and d of batch_renorm are constants of the derivative.
Padding is replaced by 0 before `where` masks it, because the gradient of a NaN is NaN even if its weight is 0.
"""
import functools

import jax
import jax.numpy as jnp
import numpy as np


def compute_dtype(x):
    """Returns the dtype of the computation: float64 for an x of float64, otherwise float32."""
    return jnp.float64 if x.dtype == jnp.float64 else jnp.float32


def in_groups(x, groups):
    """Returns x as [samples, tokens, groups, features of a group], in the dtype of the computation."""
    tokens = x.shape[1] if x.ndim == 3 else 1
    return x.astype(compute_dtype(x)).reshape(x.shape[0], tokens, groups, -1)


def affine(x_hat, gamma, beta, like):
    """Returns gamma x_hat + beta in the shape and dtype of `like`."""
    groups, kind = x_hat.shape[2], x_hat.dtype

    def per_feature(value, absent):
        if value is None:
            return absent
        return (value if value.size == 1 else value.reshape(groups, -1)).astype(kind)
    return (per_feature(gamma, 1) * x_hat + per_feature(beta, 0)).reshape(like.shape).astype(like.dtype)


def normalize_by_length(x, padded, over, eps):
    return x * jax.lax.rsqrt(jnp.sum(padded * padded, **over) + eps), {}


def normalize_by_mean_square(x, padded, over, eps):
    square = jnp.mean(padded * padded, **over)
    return x * jax.lax.rsqrt(square + eps), {"running_psi2": square}


def normalize_by_variance(x, padded, over, eps):
    mean, variance = jnp.mean(padded, **over), jnp.var(padded, **over)
    return (x - mean) * jax.lax.rsqrt(variance + eps), {"running_mean": mean, "running_variance": variance}


# For each layer, the axes of the statistics of [samples, tokens, groups, features of a group], and what normalizes.
NORMS = {
    "layer_norm": ((2, 3), normalize_by_variance),
    "rms_norm": ((2, 3), normalize_by_mean_square),
    "group_scaling": ((3,), normalize_by_mean_square),
    "scale_norm": ((2, 3), normalize_by_length),
    "batch_norm": ((0, 1), normalize_by_variance),
    "batch_renorm": ((0, 1), normalize_by_variance),
    "instance_norm": ((1,), normalize_by_variance),
    "group_norm": ((1, 3), normalize_by_variance),
    "power_norm_v": ((0, 1), normalize_by_mean_square),
}


class Norm:
    """One norm: its statistics over the valid rows of x, which is in groups."""

    def __init__(self, op, x, eps, valid, groups=1):
        self.axes, self.normalize = NORMS[op]
        self.x = in_groups(x, groups)
        self.eps = jnp.asarray(eps, self.x.dtype)
        masks = valid is not None and min(self.axes) < 2
        self.mask = valid.reshape(self.x.shape[:2] + (1, 1)) if masks else True
        self.padded = jnp.where(self.mask, self.x, 0)
        self.over = {"axis": self.axes, "keepdims": True, "where": self.mask}

    def normalized(self):
        """Returns x_hat, and the statistics under the names that they have in the state."""
        return self.normalize(self.x, self.padded, self.over, self.eps)

    def unbiased_variance(self):
        return jnp.var(self.padded, ddof=1, **self.over)

    def normalized_by(self, mean, square):
        """Returns x_hat, computed with running statistics."""
        return (self.x - mean) * jax.lax.rsqrt(square + self.eps)


def update(old, fresh, decay):
    return decay * old + (1 - decay) * fresh.reshape(-1)


def layer_norm(x, eps, gamma=None, beta=None, valid=None):
    return affine(Norm("layer_norm", x, eps, valid).normalized()[0], gamma, beta, x)


def rms_norm(x, eps, gamma=None, beta=None, valid=None):
    return affine(Norm("rms_norm", x, eps, valid).normalized()[0], gamma, beta, x)


def scale_norm(x, eps, gamma=None, beta=None, valid=None):
    return affine(Norm("scale_norm", x, eps, valid).normalized()[0], gamma, beta, x)


def instance_norm(x, eps, gamma=None, beta=None, valid=None):
    return affine(Norm("instance_norm", x, eps, valid).normalized()[0], gamma, beta, x)


def group_norm(x, eps, groups, gamma=None, beta=None, valid=None):
    return affine(Norm("group_norm", x, eps, valid, groups).normalized()[0], gamma, beta, x)


def scale_groups(x, eps, groups):
    """Returns each group of features divided by its root mean square, as [samples, tokens, 1, features]."""
    return in_groups(Norm("group_scaling", x, eps, None, groups).normalized()[0].reshape(x.shape), 1)


def group_scaling(x, eps, groups, valid=None):
    del valid  # each row is normalized alone
    return scale_groups(x, eps, groups).reshape(x.shape).astype(x.dtype)


def batch_norm(x, eps, training, running_mean, running_variance, running_decay, unbiased_running_variance, gamma=None,
               beta=None, valid=None):
    norm = Norm("batch_norm", x, eps, valid)
    state = {"running_mean": running_mean, "running_variance": running_variance}
    if not training:
        return {"y": affine(norm.normalized_by(running_mean, running_variance), gamma, beta, x), **state}
    x_hat, fresh = norm.normalized()
    if unbiased_running_variance:
        fresh["running_variance"] = norm.unbiased_variance()
    state = {name: update(old, fresh[name], running_decay) for name, old in state.items()}
    return {"y": affine(x_hat, gamma, beta, x), **state}


def batch_renorm(x, eps, training, running_mean, running_variance, running_decay, r_max, d_max, gamma=None, beta=None,
                 valid=None):
    norm = Norm("batch_renorm", x, eps, valid)
    state = {"running_mean": running_mean, "running_variance": running_variance}
    if not training:
        return {"y": affine(norm.normalized_by(running_mean, running_variance), gamma, beta, x), **state}
    x_hat, fresh = norm.normalized()
    running = jnp.sqrt(running_variance + norm.eps)
    r = jnp.clip(jnp.sqrt(fresh["running_variance"] + norm.eps) / running, 1 / r_max, r_max)
    d = jnp.clip((fresh["running_mean"] - running_mean) / running, -d_max, d_max)
    x_hat = x_hat * jax.lax.stop_gradient(r) + jax.lax.stop_gradient(d)
    state = {name: update(old, fresh[name], running_decay) for name, old in state.items()}
    return {"y": affine(x_hat, gamma, beta, x), **state}


def power_norm_v(x, eps, training, running_psi2, running_decay, gamma=None, beta=None, valid=None):
    norm = Norm("power_norm_v", x, eps, valid)
    if not training:
        return {"y": affine(norm.normalized_by(0, running_psi2), gamma, beta, x), "running_psi2": running_psi2}
    x_hat, fresh = norm.normalized()
    return {"y": affine(x_hat, gamma, beta, x), "running_psi2": update(running_psi2, fresh["running_psi2"], running_decay)}


@functools.partial(jax.custom_vjp, nondiff_argnums=(5, 6))
def power_normalize(x, nu, rstd, backward_rstd, counted, weight, scaled):
    """Returns x rstd. Its backward is PowerNorm's, with nu from the step before; the cotangent of nu is the new nu.

    counted   1 for each row that takes part in the sums of the backward, 0 for the others
    """
    del nu, backward_rstd, counted, weight, scaled
    return x * rstd


def power_normalize_forward(x, nu, rstd, backward_rstd, counted, weight, scaled):
    del weight, scaled
    return x * rstd, (x * rstd, nu, rstd, backward_rstd, counted)


def power_normalize_backward(weight, scaled, kept, g):
    x_hat, nu, rstd, backward_rstd, counted = kept
    takes_part = counted != 0

    def mean(values):
        return jnp.mean(values, axis=(0, 1, 2), where=takes_part)
    t = g - jnp.where(takes_part, (weight * nu if scaled else nu) * x_hat, 0)
    fresh = nu + mean(t * x_hat) if scaled else nu * (1 - weight * mean(x_hat * x_hat)) + weight * mean(g * x_hat)
    return t * backward_rstd, fresh, jnp.zeros_like(rstd), jnp.zeros_like(rstd), jnp.zeros_like(counted)


power_normalize.defvjp(power_normalize_forward, power_normalize_backward)


def power_norm(x, eps, training, running_psi2, nu, iterations, alpha_forward, alpha_backward, warmup_iterations, gamma=None,
               beta=None, valid=None, grad_y=None, group_scaling=False, groups=1, group_eps=1e-5, divide_by_batch_psi=False,
               cumulative_warmup_average=False, pads_in_backward=False, scaled_nu=False):
    """Computes power_norm with its options alone, and power_norm_released with those from group_scaling on.

    The function computes its gradients itself, because jax.vjp does not return the new nu otherwise.
    """
    step = np.asarray(iterations).item() + 1

    def forward(leaves):
        """Returns y, and the running statistics after the step."""
        wide = scale_groups(leaves["x"], group_eps, groups) if group_scaling else in_groups(leaves["x"], 1)
        parameters = leaves.get("gamma"), leaves.get("beta"), x
        norm = Norm("power_norm_v", jax.lax.stop_gradient(wide).reshape(x.shape), eps, valid)
        running_rstd = 1 / jnp.sqrt(running_psi2 + norm.eps)
        if not training:
            return affine(wide * running_rstd, *parameters), running_psi2
        square = norm.normalized()[1]["running_psi2"]
        batch_rstd = 1 / jnp.sqrt(square + norm.eps)
        rstd = batch_rstd if step <= warmup_iterations else jnp.broadcast_to(running_rstd, batch_rstd.shape)
        counted = jnp.broadcast_to(True if pads_in_backward else norm.mask, wide.shape[:2] + (1, 1)).astype(wide.dtype)
        x_hat = power_normalize(wide, leaves["nu"], rstd, batch_rstd if divide_by_batch_psi else rstd, counted,
                                1 - alpha_backward, scaled_nu)
        psi2 = running_psi2
        if cumulative_warmup_average and step < warmup_iterations:
            psi2 = psi2 * ((step - 1) / step) + square.reshape(-1) / step
        return affine(x_hat, *parameters), update(psi2, square, alpha_forward)

    leaves = {name: value for name, value in (("x", x), ("gamma", gamma), ("beta", beta), ("nu", nu)) if value is not None}
    y, pull, psi2 = jax.vjp(forward, leaves, has_aux=True)
    outputs = {"y": y, "running_psi2": psi2, "iterations": iterations + int(training)}
    if grad_y is not None:
        outputs.update({"grad_" + name: gradient for name, gradient in pull(grad_y)[0].items()})
        fresh = outputs.pop("grad_nu")
        outputs["nu"] = fresh if training else nu
    return outputs


def l2_norm(x, eps, eps_placement):
    """Divides each row by its norm. The norm of a row of zeros has the derivative 0."""
    wide = x.astype(compute_dtype(x))
    eps, square = jnp.asarray(eps, wide.dtype), jnp.sum(wide * wide, -1, keepdims=True)
    if eps_placement == "inside":
        return (wide / jnp.sqrt(square + eps)).astype(x.dtype)
    norm = jnp.where(square > 0, jnp.sqrt(jnp.where(square > 0, square, 1)), 0 * square)
    divisor = norm + eps if eps_placement == "outside" else jnp.where(norm < eps, eps, norm)
    return (wide / divisor).astype(x.dtype)


def gated_rms_norm(x, gate, eps, groups, gate_position, gate_activation, gamma=None, beta=None):
    """Normalizes groups of features. The gate multiplies the result, or x before the norm."""
    wide, z = x.astype(compute_dtype(x)), gate.astype(compute_dtype(x))
    active = {"silu": jax.nn.silu, "sigmoid": jax.nn.sigmoid}[gate_activation](z)
    v = wide * active if gate_position == "before" else wide
    in_group = v.reshape(*x.shape[:-1], int(groups), -1)
    square = jnp.mean(in_group * in_group, -1, keepdims=True)
    y = (in_group * jax.lax.rsqrt(square + jnp.asarray(eps, wide.dtype))).reshape(x.shape)
    y = y if gamma is None else y * gamma.astype(wide.dtype)
    y = y if beta is None else y + beta.astype(wide.dtype)
    return (y if gate_position == "before" else y * active).astype(x.dtype)


def dyt(x, alpha0, alpha=None, gamma=None, beta=None):
    wide = in_groups(x, 1)
    return affine(jnp.tanh((alpha0 if alpha is None else alpha.astype(wide.dtype)) * wide), gamma, beta, x)


def add_layer_norm(x, residual, eps, gamma=None, beta=None):
    total = add(x, residual)
    return {"y": layer_norm(total, eps, gamma, beta), "sum": total}


def add_rms_norm(x, residual, eps, gamma=None, beta=None):
    total = add(x, residual)
    return {"y": rms_norm(total, eps, gamma, beta), "sum": total}


def add(x, residual):
    """Returns x + residual, rounded to the dtype of x."""
    kind = compute_dtype(x)
    return (x.astype(kind) + residual.astype(kind)).astype(x.dtype)


def rope(x, cos, sin, interleaved):
    kind, pairs = compute_dtype(x), cos.shape[-1]
    wide, cos, sin = (value.astype(kind) for value in (x, cos, sin))
    first, second = (slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)) if interleaved else (
        slice(pairs), slice(pairs, 2 * pairs))
    a, b = wide[..., first], wide[..., second]
    return wide.at[..., first].set(a * cos - b * sin).at[..., second].set(b * cos + a * sin).astype(x.dtype)


def cross_entropy(logits, targets, label_smoothing, class_weights=None, valid=None, reduction="mean", z_loss=0.0,
                  soft_cap=None):
    """Returns the loss by jax.nn.log_softmax, over the rows that count, weighted by class weights.

    Rows that do not count, and classes without a weight, may have infinities and NaN.
    """
    kind, classes = compute_dtype(logits), logits.shape[1]
    weights = jnp.ones(classes, kind) if class_weights is None else class_weights.astype(kind)
    counts = jnp.ones(len(targets), bool) if valid is None else valid
    one_hot = jax.nn.one_hot(targets, classes, dtype=kind) * counts[:, None]
    target = ((1 - label_smoothing) * one_hot + label_smoothing / classes * counts[:, None]) * weights
    x = jnp.where(counts[:, None], logits.astype(kind), 0)
    if soft_cap is not None:
        x = soft_cap * jnp.tanh(x / soft_cap)
    losses = -jnp.where(target == 0, 0, target * jax.nn.log_softmax(x)).sum(-1)
    squares = jnp.where(counts, z_loss * jnp.square(jax.nn.logsumexp(x, -1)), 0) if z_loss else jnp.zeros(len(targets), kind)
    if reduction == "none":
        return losses + squares
    if reduction == "sum":
        return losses.sum() + squares.sum()
    return losses.sum() / (one_hot * weights).sum() + squares.sum() / counts.sum()


# Functions that only the study of false alarms judges.
BESIDE_THE_PIPE = {"gated_rms_norm": gated_rms_norm, "l2_norm": l2_norm, "power_norm": power_norm,
                   "power_norm_released": power_norm}
