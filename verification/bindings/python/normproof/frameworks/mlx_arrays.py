"""MLX: mx.vjp."""
import mlx.core as mx
import numpy as np

from normproof.errors import Unanswered
from normproof.stored import Stored, from_numpy

NAME = "MLX " + mx.__version__
DTYPES = ("float32", "bfloat16", "float16")
MOMENTUM = "1 - running_decay"
CHANNELS_FIRST = False


def is_tensor(value):
    return isinstance(value, mx.array)


def tensor(stored, device):
    if stored.dtype == "bfloat16":
        return mx.array(stored.widened()).astype(mx.bfloat16)
    return mx.array(stored.data)


def stored(value):
    if value.dtype == mx.bfloat16:
        wide = np.array(value.astype(mx.float32))
        return Stored("bfloat16", (wide.view(np.uint32) >> 16).astype(np.uint16))
    return from_numpy(np.array(value))


def device_of(value):
    return "cpu" if mx.default_device() == mx.Device(mx.cpu) else "gpu"


def gradients(forward, leaves, grad_y):
    y, others = forward(leaves)
    if grad_y is None:
        return y, others, None
    if tuple(y.shape) != tuple(grad_y.shape):
        raise Unanswered(f"y is {list(y.shape)}; expected {list(grad_y.shape)}")
    names = list(leaves)
    _, pulled = mx.vjp(lambda *values: [forward(dict(zip(names, values)))[0]], [leaves[name] for name in names],
                       [grad_y.astype(y.dtype)])
    return y, others, dict(zip(names, pulled))


stack = mx.stack
reshape = mx.reshape


def compiled(fn):
    return mx.compile(fn)
