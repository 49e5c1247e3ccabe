"""DLPack: the function receives NumPy arrays and may return anything that NumPy's from_dlpack reads."""
from __future__ import annotations

from typing import Any

import numpy as np

from normproof.frameworks.loaded_module import Tensor
from normproof.frameworks.numpy_arrays import NumPy
from normproof.stored import Stored, from_numpy

_CPU, _CUDA, _CUDA_HOST = 1, 2, 3  # device types of DLPack


class DLPack(NumPy):
    name = "DLPack"
    dtypes = ("float64", "float32", "float16")
    dtypes_from_ml_dtypes = False
    stride_layouts = ()

    def is_tensor(self, value: Any) -> bool:
        return hasattr(value, "__dlpack__")

    def stored(self, value: Tensor) -> Stored:
        return from_numpy(np.from_dlpack(value))

    def device_of(self, value: Tensor) -> str:
        kind = int(value.__dlpack_device__()[0])
        return "cpu" if kind in (_CPU, _CUDA_HOST) else "cuda" if kind == _CUDA else f"device {kind}"


FRAMEWORK = DLPack()
