"""Norms and functions as formulas of PyTorch with autograd, with masks and running statistics that its functions lack.

16 bits are computed in float32 and rounded at the end. r and d of batch_renorm are constants of the derivative.
Padding is replaced by 0 before the statistics, because the gradient of a NaN is NaN even if its weight is 0.
"""
import torch
import torch.nn.functional as F

from package_adapter import Piped

FOUR = ("float64", "float32", "float16", "bfloat16")
BATCH = (0, 1)  # the axes of the rows, of x as [samples, tokens, groups, features of a group]


def compute_dtype(x):
    """Returns the dtype of the computation: float64 for an x of float64, otherwise float32."""
    return torch.float64 if x.dtype == torch.float64 else torch.float32


def in_groups(x, groups=1):
    """Returns x as [samples, tokens, groups, features of a group], in the dtype of the computation."""
    tokens = x.shape[1] if x.dim() == 3 else 1
    return x.to(compute_dtype(x)).reshape(x.shape[0], tokens, groups, -1)


def affine(x_hat, gamma, beta, like):
    """Returns gamma x_hat + beta in the shape and dtype of `like`. x_hat has one group."""
    y = x_hat if gamma is None else x_hat * gamma.to(x_hat.dtype)
    y = y if beta is None else y + beta.to(x_hat.dtype)
    return y.reshape(like.shape).to(like.dtype)


class ValidRows:
    """The rows of x, in groups, that take part in the statistics of a batch: all, or those that a mask marks."""

    def __init__(self, x, valid):
        self.mask = torch.ones(x.shape[:2], dtype=torch.bool) if valid is None else valid.reshape(x.shape[:2])
        self.mask = self.mask[:, :, None, None]
        self.x = self.select(x)

    def select(self, values):
        """Returns values with 0 in the rows that take no part."""
        return values.masked_fill(~self.mask, 0)

    def mean(self, values):
        return self.select(values).sum(BATCH, keepdim=True) / self.mask.sum()


def updated(old, fresh, decay):
    return decay * old + (1 - decay) * fresh.detach().reshape(-1)


def scale_norm(x, eps, gamma=None, valid=None):
    del valid  # each row is normalized alone
    wide = in_groups(x)
    return affine(wide / torch.sqrt((wide * wide).sum(-1, keepdim=True) + eps), gamma, None, x)


def rms_norm(x, eps, gamma=None, beta=None):
    wide = in_groups(x)
    return affine(wide / torch.sqrt((wide * wide).mean(-1, keepdim=True) + eps), gamma, beta, x)


def divided_by_groups(wide, eps, groups):
    """Returns each group of features divided by its root mean square, and in one group again."""
    parts = wide.reshape(*wide.shape[:2], groups, -1)
    return (parts / torch.sqrt((parts * parts).mean(-1, keepdim=True) + eps)).reshape(wide.shape)


def group_scaling(x, eps, groups, valid=None):
    del valid  # each row is normalized alone
    return divided_by_groups(in_groups(x), eps, groups).reshape(x.shape).to(x.dtype)


def batch_norm(x, eps, training, running_mean, running_variance, running_decay, unbiased_running_variance, gamma=None,
               beta=None, valid=None):
    wide = in_groups(x)
    if not training:
        y = affine((wide - running_mean) / torch.sqrt(running_variance + eps), gamma, beta, x)
        return {"y": y, "running_mean": running_mean, "running_variance": running_variance}
    rows = ValidRows(wide, valid)
    mean = rows.mean(rows.x)
    variance = rows.mean((rows.x - mean) ** 2)
    count = rows.mask.sum()
    fresh = variance * (count / (count - 1)) if unbiased_running_variance else variance
    return {"y": affine((wide - mean) / torch.sqrt(variance + eps), gamma, beta, x),
            "running_mean": updated(running_mean, mean, running_decay),
            "running_variance": updated(running_variance, fresh, running_decay)}


def batch_renorm(x, eps, training, running_mean, running_variance, running_decay, r_max, d_max, gamma=None, beta=None,
                 valid=None):
    wide = in_groups(x)
    running = torch.sqrt(running_variance + eps)
    if not training:
        return {"y": affine((wide - running_mean) / running, gamma, beta, x), "running_mean": running_mean,
                "running_variance": running_variance}
    rows = ValidRows(wide, valid)
    mean = rows.mean(rows.x)
    variance = rows.mean((rows.x - mean) ** 2)
    deviation = torch.sqrt(variance + eps)
    r = (deviation / running).detach().clamp(1 / r_max, r_max)
    d = ((mean - running_mean) / running).detach().clamp(-d_max, d_max)
    return {"y": affine((wide - mean) / deviation * r + d, gamma, beta, x),
            "running_mean": updated(running_mean, mean, running_decay),
            "running_variance": updated(running_variance, variance, running_decay)}


def power_norm_v(x, eps, training, running_psi2, running_decay, gamma=None, beta=None, valid=None):
    wide = in_groups(x)
    if not training:
        return {"y": affine(wide / torch.sqrt(running_psi2 + eps), gamma, beta, x), "running_psi2": running_psi2}
    rows = ValidRows(wide, valid)
    square = rows.mean(rows.x * rows.x)
    return {"y": affine(wide / torch.sqrt(square + eps), gamma, beta, x),
            "running_psi2": updated(running_psi2, square, running_decay)}


class PowerNormalize(torch.autograd.Function):
    """x rstd, whose backward is PowerNorm's: it takes nu from the step before, and overwrites it in place."""

    @staticmethod
    def forward(ctx, x, nu, rstd, backward_rstd, rows, weight, scaled):
        x_hat = x * rstd
        ctx.save_for_backward(x_hat, backward_rstd)
        ctx.nu, ctx.rows, ctx.weight, ctx.scaled = nu, rows, weight, scaled
        return x_hat

    @staticmethod
    def backward(ctx, g):
        (x_hat, rstd), nu, rows, weight = ctx.saved_tensors, ctx.nu, ctx.rows, ctx.weight
        t = g - rows.select((weight * nu if ctx.scaled else nu) * x_hat)
        if ctx.scaled:
            fresh = nu + rows.mean(t * x_hat).reshape(-1)
        else:
            fresh = nu * (1 - weight * rows.mean(x_hat * x_hat).reshape(-1)) + weight * rows.mean(g * x_hat).reshape(-1)
        nu.copy_(fresh)
        return t * rstd, None, None, None, None, None, None


def power_norm(x, eps, training, running_psi2, nu, iterations, alpha_forward, alpha_backward, warmup_iterations, gamma=None,
               beta=None, valid=None, group_scaling=False, groups=1, group_eps=1e-5, divide_by_batch_psi=False,
               cumulative_warmup_average=False, pads_in_backward=False, scaled_nu=False):
    """Computes power_norm with its options alone, and power_norm_released with those from group_scaling on."""
    wide, nu = in_groups(x), nu.clone()
    if group_scaling:
        wide = divided_by_groups(wide, group_eps, groups)
    state = {"running_psi2": running_psi2, "nu": nu, "iterations": iterations}
    if not training:
        return {"y": affine(wide / torch.sqrt(running_psi2 + eps), gamma, beta, x), **state}
    step, rows = int(iterations) + 1, ValidRows(wide.detach(), valid)
    square = rows.mean(rows.x * rows.x)
    batch_rstd = 1 / torch.sqrt(square + eps)
    rstd = batch_rstd if step <= warmup_iterations else (1 / torch.sqrt(running_psi2 + eps)).expand_as(batch_rstd)
    x_hat = PowerNormalize.apply(wide, nu, rstd, batch_rstd if divide_by_batch_psi else rstd,
                                 ValidRows(wide.detach(), None) if pads_in_backward else rows, 1 - alpha_backward, scaled_nu)
    if cumulative_warmup_average and step < warmup_iterations:
        running_psi2 = running_psi2 * ((step - 1) / step) + square.reshape(-1) / step
    return {"y": affine(x_hat, gamma, beta, x), "running_psi2": updated(running_psi2, square, alpha_forward), "nu": nu,
            "iterations": iterations + 1}


def l2_norm(x, eps, eps_placement):
    """Computes F.normalize if eps is a floor of the norm. Otherwise divides by the norm and eps."""
    wide = x.to(compute_dtype(x))
    if eps_placement == "floor":
        return F.normalize(wide, dim=-1, eps=eps).to(x.dtype)
    if eps_placement == "outside":
        return (wide / (torch.linalg.vector_norm(wide, dim=-1, keepdim=True) + eps)).to(x.dtype)
    return (wide / torch.sqrt((wide * wide).sum(-1, keepdim=True) + eps)).to(x.dtype)


def gated_rms_norm(x, gate, eps, groups, gate_position, gate_activation, gamma=None, beta=None):
    """Normalizes groups of features. The gate multiplies the result, or x before the norm."""
    kind = compute_dtype(x)
    wide, active = x.to(kind), {"silu": F.silu, "sigmoid": torch.sigmoid}[gate_activation](gate.to(kind))
    v = (wide * active if gate_position == "before" else wide).unflatten(-1, (int(groups), -1))
    y = (v * torch.rsqrt(v.square().mean(-1, keepdim=True) + eps)).flatten(-2)
    y = y if gamma is None else y * gamma.to(kind)
    y = y if beta is None else y + beta.to(kind)
    return (y if gate_position == "before" else y * active).to(x.dtype)


def rope(x, cos, sin, interleaved):
    wide, pairs = x.to(compute_dtype(x)), cos.shape[-1]
    cos, sin = cos.to(wide.dtype), sin.to(wide.dtype)
    rotated, rest = wide[..., :2 * pairs], wide[..., 2 * pairs:]
    a, b = rotated.unflatten(-1, (pairs, 2)).unbind(-1) if interleaved else rotated.split(pairs, -1)
    turned = (a * cos - b * sin, b * cos + a * sin)
    turned = torch.stack(turned, -1).flatten(-2) if interleaved else torch.cat(turned, -1)
    return torch.cat((turned, rest), -1).to(x.dtype)


def functions():
    """Returns the operations that torch.nn.functional lacks. Only the study of false alarms judges these functions."""
    alone = (scale_norm, group_scaling, power_norm_v, power_norm, l2_norm, gated_rms_norm, rope)
    return [Piped(fn.__name__, fn, FOUR) for fn in alone] + [
        Piped("power_norm_released", power_norm, FOUR), Piped("batch_renorm", batch_renorm, FOUR, layout="channels_last")]
