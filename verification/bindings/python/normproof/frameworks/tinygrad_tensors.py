"""tinygrad: Tensor.backward through the product with grad_y."""
import importlib.metadata

import numpy as np
from tinygrad import Tensor, dtypes

from normproof.errors import Unanswered
from normproof.stored import Stored, from_numpy

NAME = "tinygrad " + importlib.metadata.version("tinygrad")
DTYPES = ("float64", "float32", "bfloat16", "float16")
MOMENTUM = "1 - running_decay"
CHANNELS_FIRST = True


def is_tensor(value):
    return isinstance(value, Tensor)


def tensor(stored, device):
    made = Tensor(np.array(stored.widened()))
    return made.cast(dtypes.bfloat16) if stored.dtype == "bfloat16" else made


def stored(value):
    if value.dtype == dtypes.bfloat16:
        wide = value.cast(dtypes.float32).numpy()
        return Stored("bfloat16", (wide.view(np.uint32) >> 16).astype(np.uint16))
    return from_numpy(value.numpy())


def device_of(value):
    return value.device.lower()


def gradients(forward, leaves, grad_y):
    for leaf in leaves.values():
        leaf.requires_grad = True
    y, others = forward(leaves)
    if grad_y is None:
        return y, others, None
    if tuple(y.shape) != tuple(grad_y.shape):
        raise Unanswered(f"y is {list(y.shape)}; expected {list(grad_y.shape)}")
    (y * grad_y.cast(y.dtype)).sum().backward()
    return y, others, {name: leaf.grad for name, leaf in leaves.items() if leaf.grad is not None}


def stack(values):
    return values[0].stack(*values[1:])


def reshape(value, shape):
    return value.reshape(shape)


def compiled(fn):
    return None  # TinyJit gives no gradients
