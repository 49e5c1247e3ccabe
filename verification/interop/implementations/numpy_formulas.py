"""Norms in NumPy by their definitions, forward and backward. This row needs NumPy only, and must pass."""
import numpy as np

from implementations.entries import Entry


def _statistics(x, eps, centered):
    wide = x.astype(np.float64)
    mean = wide.mean(-1, keepdims=True) if centered else 0.0
    x_hat = (wide - mean) / np.sqrt(np.mean((wide - mean) ** 2, -1, keepdims=True) + eps)
    return x_hat, 1 / np.sqrt(np.mean((wide - mean) ** 2, -1, keepdims=True) + eps)


def _norm(x, eps, gamma, beta, grad_y, centered):
    x_hat, rstd = _statistics(x, eps, centered)
    over = tuple(range(x.ndim - 1))
    scale = 1.0 if gamma is None else gamma.astype(np.float64)
    y = x_hat * scale + (0.0 if beta is None else beta)
    wide = grad_y.astype(np.float64)
    g = wide * scale
    grad_x = rstd * (g - (g.mean(-1, keepdims=True) if centered else 0.0) - x_hat * np.mean(g * x_hat, -1, keepdims=True))
    outputs = {"y": y.astype(x.dtype), "grad_x": grad_x.astype(x.dtype)}
    if gamma is not None:
        outputs["grad_gamma"] = (wide * x_hat).sum(over).astype(gamma.dtype)
    if beta is not None:
        outputs["grad_beta"] = wide.sum(over).astype(beta.dtype)
    return outputs


def layer_norm(x, eps, grad_y, gamma=None, beta=None):
    return _norm(x, eps, gamma, beta, grad_y, True)


def rms_norm(x, eps, grad_y, gamma=None, beta=None):
    return _norm(x, eps, gamma, beta, grad_y, False)


def entries():
    options = {"framework": "numpy"}
    return [Entry("layer_norm", "layer_norm", layer_norm, ("float32", "float16"), options),
            Entry("rms_norm", "rms_norm", rms_norm, ("float32", "float16"), options)]
