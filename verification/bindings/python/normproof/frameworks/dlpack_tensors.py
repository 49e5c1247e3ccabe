"""Whatever has DLPack: it is given NumPy arrays, and answers with anything that NumPy's from_dlpack reads."""
import numpy as np

from normproof.frameworks.numpy_arrays import compiled, gradients, tensor
from normproof.stored import from_numpy

NAME = "DLPack"
DTYPES = ("float64", "float32", "float16")
MOMENTUM = "running_decay"
CHANNELS_FIRST = False

__all__ = ["compiled", "gradients", "tensor"]


def is_tensor(value):
    return hasattr(value, "__dlpack__")


def stored(value):
    return from_numpy(np.from_dlpack(value))


def device_of(value):
    kind = int(value.__dlpack_device__()[0])
    return "cpu" if kind in (1, 3) else "cuda" if kind == 2 else f"device {kind}"
