"""Norms and functions as formulas in jax.numpy, with masks and running statistics.

16 bits are computed in float32 and rounded at the end. r and d of batch_renorm are constants of the derivative.
Padding is replaced by 0 before `where` masks it, because the gradient of a NaN is NaN even if its weight is 0.
"""
import jax
import jax.numpy as jnp


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


def normalize_by_length(padded, x, over, eps):
    return padded * jax.lax.rsqrt(jnp.sum(x * x, **over) + eps), {}


def normalize_by_mean_square(padded, x, over, eps):
    square = jnp.mean(x * x, **over)
    return padded * jax.lax.rsqrt(square + eps), {"running_psi2": square}


def normalize_by_variance(padded, x, over, eps):
    mean, variance = jnp.mean(x, **over), jnp.var(x, **over)
    return (padded - mean) * jax.lax.rsqrt(variance + eps), {"running_mean": mean, "running_variance": variance}


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


def group_scaling(x, eps, groups, gamma=None, beta=None, valid=None):
    return affine(Norm("group_scaling", x, eps, valid, groups).normalized()[0], gamma, beta, x)


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


def l2_norm(x, eps, eps_placement):
    """Divides each row by its norm. The norm of a row of zeros has the derivative 0."""
    wide = x.astype(compute_dtype(x))
    eps, square = jnp.asarray(eps, wide.dtype), jnp.sum(wide * wide, -1, keepdims=True)
    if eps_placement == "inside":
        return (wide / jnp.sqrt(square + eps)).astype(x.dtype)
    norm = jnp.where(square > 0, jnp.sqrt(jnp.where(square > 0, square, 1)), 0 * square)
    divisor = norm + eps if eps_placement == "outside" else jnp.where(norm < eps, eps, norm)
    return (wide / divisor).astype(x.dtype)


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


def cross_entropy(logits, targets, label_smoothing, class_weights=None, valid=None):
    """Returns the loss by jax.nn.log_softmax: the mean over the rows that count, weighted by class weights."""
    kind, classes = compute_dtype(logits), logits.shape[1]
    weights = jnp.ones(classes, kind) if class_weights is None else class_weights.astype(kind)
    counts = jnp.ones(len(targets), bool) if valid is None else valid
    one_hot = jax.nn.one_hot(targets, classes, dtype=kind) * counts[:, None]
    target = ((1 - label_smoothing) * one_hot + label_smoothing / classes * counts[:, None]) * weights
    return -(target * jax.nn.log_softmax(logits.astype(kind))).sum() / (one_hot * weights).sum()


BESIDE_THE_PIPE = {"l2_norm": l2_norm}  # functions that only the study of false alarms judges
