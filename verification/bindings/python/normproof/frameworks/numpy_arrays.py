"""NumPy: arrays on the CPU, and no derivative."""
import numpy as np

from normproof import stored as kept
from normproof.errors import UsageError

NAME = "NumPy " + np.__version__
DTYPES = ("float64", "float32", "float16") + (("bfloat16",) if kept.bfloat16_of_ml_dtypes() is not None else ())
MOMENTUM = "running_decay"
CHANNELS_FIRST = False


def is_tensor(value):
    return isinstance(value, (np.ndarray, np.generic))


def tensor(stored, device):
    if device != "cpu":
        raise UsageError(f"normproof: device={device!r}, but arrays of NumPy are on the CPU; expected 'cpu', or framework= "
                         "that says whose tensors the function takes")
    return np.array(stored.array())


def stored(value):
    return kept.from_numpy(value)


def device_of(value):
    return "cpu"


def gradients(forward, leaves, grad_y):
    y, others = forward(leaves)
    return y, others, None


def compiled(fn):
    return None


STRIDED = ("transposed", "sliced")


def strided(value, layout):
    """The same numbers, otherwise in memory."""
    if layout == "transposed":
        return np.array(value, order="F")
    buffer = np.full((*value.shape[:-1], 2 * value.shape[-1]), 12345).astype(value.dtype)
    buffer[..., ::2] = value
    return buffer[..., ::2]


def expanded(value):
    """The first element, in the shape of the whole, with stride 0."""
    return np.broadcast_to(value.ravel()[0], value.shape)
