"""Layers in NumPy, right and wrong, for the tests to hold against the corpus."""
import numpy as np

from normproof import corpus, folders


def row_statistics(x):
    centred = x - x.mean(-1, keepdims=True)
    return centred, (centred * centred).mean(-1, keepdims=True)


def layer_norm(x, gamma, beta, eps):
    with np.errstate(all="ignore"):
        centred, variance = row_statistics(x)
        return gamma * (centred / np.sqrt(variance + x.dtype.type(eps))) + beta


def eps_outside(x, gamma, beta, eps):
    with np.errstate(all="ignore"):
        centred, variance = row_statistics(x)
        return gamma * (centred / (np.sqrt(variance) + x.dtype.type(eps))) + beta


def layer_norm_backward(grad_y, x, gamma, beta, eps):
    with np.errstate(all="ignore"):
        centred, variance = row_statistics(x)
        rstd = 1 / np.sqrt(variance + x.dtype.type(eps))
        x_hat, g, rows = centred * rstd, gamma * grad_y, tuple(range(x.ndim - 1))
        grad_x = rstd * (g - g.mean(-1, keepdims=True) - x_hat * (g * x_hat).mean(-1, keepdims=True))
        return grad_x, (grad_y * x_hat).sum(rows), grad_y.sum(rows)


def rms_norm(x, gamma, eps):
    with np.errstate(all="ignore"):
        return gamma * (x / np.sqrt((x * x).mean(-1, keepdims=True) + x.dtype.type(eps)))


def relu(x):
    return np.where(x > 0, x, x * 0)


def eps_outside_rms(x, gamma, eps):
    with np.errstate(all="ignore"):
        return gamma * (x / (np.sqrt((x * x).mean(-1, keepdims=True)) + 1 + x.dtype.type(eps)))


def exact(case):
    """What the corpus expects of a case of its quick tier, {name: array}, rounded to the dtype of the case."""
    with corpus.Corpus(folders.tier_folder("quick"), case.path) as opened:
        opened.select(0)
        return {name: (one.value + one.remainder).astype(case.dtype) for name, one in opened.expect().items()}
