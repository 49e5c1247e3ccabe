"""paddle.nn.functional on the CPU, with its own gradients. It takes and returns NumPy arrays.

eps is an attribute of float32, and at most 0.001 for layer_norm; other cases are declined. rms_norm has no CPU kernel.
"""
import numpy as np
import paddle
import paddle.nn.functional as F

import normproof
from implementations.entries import Entry

DTYPES = ("float64", "float32")


def differentiated(fn):
    """Turns a function of Paddle's tensors into one of NumPy arrays, which returns y and every gradient."""
    def step(grad_y, options, **arrays):
        eps = options.get("eps", 0.0)
        if arrays["x"].dtype == np.float64 and float(np.float32(eps)) != eps:
            raise normproof.NotOffered("an attribute of float32")
        if any(value is not None and value.dtype.name == "bfloat16" for value in arrays.values()):
            raise normproof.NotOffered("NumPy's bfloat16")
        leaves = {name: paddle.to_tensor(value, stop_gradient=False) for name, value in arrays.items() if value is not None}
        y = fn(**leaves, **options)
        y.backward(paddle.to_tensor(grad_y))
        return {"y": y.numpy(), **{"grad_" + name: leaf.grad.numpy() for name, leaf in leaves.items()}}
    return step


def norm(fn):
    step = differentiated(fn)

    def normed(x, eps, grad_y, gamma=None, beta=None):
        return step(grad_y, {"eps": eps}, x=x, gamma=gamma, beta=beta)
    return normed


def grouped(fn):
    step = differentiated(fn)

    def normed(x, eps, groups, grad_y, gamma=None, beta=None):
        return step(grad_y, {"eps": eps, "groups": groups}, x=x, gamma=gamma, beta=beta)
    return normed


def pointwise(fn):
    step = differentiated(fn)

    def evaluated(x, grad_y):
        return step(grad_y, {}, x=x)
    return evaluated


def layer_norm(x, eps, gamma=None, beta=None):
    if eps > 0.001:
        raise normproof.NotOffered("eps is 0.001 at most")
    return F.layer_norm(x, x.shape[-1:], gamma, beta, eps)


def group_norm(x, eps, groups, gamma=None, beta=None):
    return F.group_norm(x, groups, eps, gamma, beta)


def instance_norm(x, eps, gamma=None, beta=None):
    return F.instance_norm(x, weight=gamma, bias=beta, eps=eps)


def entries():
    options = {"framework": "numpy"}
    first = {**options, "layout": "channels_first"}
    return [Entry("F.layer_norm", "layer_norm", norm(layer_norm), DTYPES, options),
            Entry("F.group_norm", "group_norm", grouped(group_norm), DTYPES, first),
            Entry("F.instance_norm", "instance_norm", norm(instance_norm), DTYPES, first),
            Entry("F.softmax", "softmax", pointwise(lambda x: F.softmax(x)), DTYPES, options),
            Entry("F.log_softmax", "log_softmax", pointwise(lambda x: F.log_softmax(x)), DTYPES, options),
            Entry("paddle.logsumexp", "log_sum_exp", pointwise(lambda x: paddle.logsumexp(x, -1)), DTYPES, options),
            Entry("F.gelu", "gelu", pointwise(lambda x: F.gelu(x)), DTYPES, options),
            Entry("F.gelu tanh", "gelu_tanh", pointwise(lambda x: F.gelu(x, approximate=True)), DTYPES, options),
            Entry("F.silu", "silu", pointwise(lambda x: F.silu(x)), DTYPES, options)]
