"""MLX: mx.vjp."""
from __future__ import annotations

from typing import Any, Callable

import mlx.core as mx
import numpy as np

from normproof.frameworks.base import Framework, require_shape
from normproof.frameworks.loaded_module import Forward, Leaves, Tensor
from normproof.stored import Array, Stored, from_numpy


class Mlx(Framework):
    name = "MLX " + mx.__version__
    dtypes = ("float32", "bfloat16", "float16")
    momentum_weighs_new = True

    def is_tensor(self, value: Any) -> bool:
        return isinstance(value, mx.array)

    def tensor(self, stored: Stored, device: str) -> Tensor:
        if stored.dtype == "bfloat16":
            return mx.array(stored.widened()).astype(mx.bfloat16)
        return mx.array(stored.data)

    def stored(self, value: Tensor) -> Stored:
        if value.dtype == mx.bfloat16:
            wide: Array = np.array(value.astype(mx.float32))
            return Stored("bfloat16", (wide.view(np.uint32) >> 16).astype(np.uint16))
        return from_numpy(np.array(value))

    def device_of(self, value: Tensor) -> str:
        return "cpu" if mx.default_device() == mx.Device(mx.cpu) else "gpu"

    def gradients(self, forward: Forward, leaves: Leaves,
                  grad_y: Tensor | None) -> tuple[Tensor, dict[str, Tensor], dict[str, Tensor] | None]:
        y, others = forward(leaves)
        if grad_y is None:
            return y, others, None
        require_shape(y, grad_y)
        names = list(leaves)
        _, pulled = mx.vjp(lambda *values: [forward(dict(zip(names, values)))[0]], [leaves[name] for name in names],
                           [grad_y.astype(y.dtype)])
        return y, others, dict(zip(names, pulled))

    def stack(self, tensors: list[Tensor]) -> Tensor:
        return mx.stack(tensors)

    def reshape(self, tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
        return mx.reshape(tensor, shape)

    def compiled(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        function: Callable[..., Any] = mx.compile(fn)
        return function


FRAMEWORK = Mlx()
