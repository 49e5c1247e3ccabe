"""NumPy: arrays on the CPU, and no gradients."""
from __future__ import annotations

from typing import Any

import numpy as np

from normproof import stored as storage
from normproof.dtypes import EIGHT_BITS
from normproof.errors import UsageError
from normproof.frameworks.base import Framework
from normproof.frameworks.loaded_module import Forward, Leaves, Tensor
from normproof.stored import Array, Stored


class NumPy(Framework):
    name = "NumPy " + np.__version__
    dtypes = ("float64", "float32", "float16", "int8",
              *storage.available_ml_dtypes(("bfloat16", *EIGHT_BITS)))
    differentiates = False
    dtypes_from_ml_dtypes = True
    stride_layouts: tuple[str, ...] = ("transposed", "sliced")

    def is_tensor(self, value: Any) -> bool:
        return isinstance(value, (np.ndarray, np.generic))

    def tensor(self, stored: Stored, device: str) -> Array:
        if device != "cpu":
            raise UsageError(f"normproof: device={device!r}, but arrays of NumPy are on the CPU; expected 'cpu', or framework= "
                             "that says whose tensors the function takes")
        return np.array(stored.array())

    def stored(self, value: Tensor) -> Stored:
        return storage.from_numpy(value)

    def device_of(self, value: Tensor) -> str:
        return "cpu"

    def gradients(self, forward: Forward, leaves: Leaves,
                  grad_y: Tensor | None) -> tuple[Tensor, dict[str, Tensor], dict[str, Tensor] | None]:
        y, others = forward(leaves)
        return y, others, None

    def strided(self, value: Tensor, layout: str) -> Array:
        if layout == "transposed":
            return np.array(value, order="F")
        buffer: Array = np.full((*value.shape[:-1], 2 * value.shape[-1]), 12345).astype(value.dtype)
        buffer[..., ::2] = value
        return buffer[..., ::2]

    def expanded(self, value: Tensor) -> Array:
        return np.broadcast_to(value.ravel()[0], value.shape)

    def overwrite(self, tensor: Tensor, stored: Stored, device: str) -> bool:
        tensor[...] = self.tensor(stored, device)
        return True


FRAMEWORK = NumPy()
