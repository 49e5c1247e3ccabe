"""NumPy from the definitions, forward and backward: a row that needs nothing but NumPy and has to pass."""
import numpy as np

from implementations.held import Held


def _statistics(x, eps, centred):
    wide = x.astype(np.float64)
    mean = wide.mean(-1, keepdims=True) if centred else 0.0
    x_hat = (wide - mean) / np.sqrt(np.mean((wide - mean) ** 2, -1, keepdims=True) + eps)
    return x_hat, 1 / np.sqrt(np.mean((wide - mean) ** 2, -1, keepdims=True) + eps)


def _norm(x, eps, gamma, beta, grad_y, centred):
    x_hat, rstd = _statistics(x, eps, centred)
    over = tuple(range(x.ndim - 1))
    scale = 1.0 if gamma is None else gamma.astype(np.float64)
    y = x_hat * scale + (0.0 if beta is None else beta)
    wide = grad_y.astype(np.float64)
    g = wide * scale
    grad_x = rstd * (g - (g.mean(-1, keepdims=True) if centred else 0.0) - x_hat * np.mean(g * x_hat, -1, keepdims=True))
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


def held():
    options = {"framework": "numpy"}
    return [Held("layer_norm", "layer_norm", layer_norm, ("float32", "float16"), options),
            Held("rms_norm", "rms_norm", rms_norm, ("float32", "float16"), options)]
