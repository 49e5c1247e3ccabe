"""tinygrad: Tensor.backward of the sum of y times grad_y."""
from __future__ import annotations

import importlib.metadata
from typing import Any

import numpy as np
from tinygrad import Tensor as TinygradTensor
from tinygrad import dtypes as tinygrad_dtypes

from normproof.frameworks.base import Framework, require_shape
from normproof.frameworks.loaded_module import Forward, Leaves, Tensor
from normproof.stored import Stored, from_numpy


class Tinygrad(Framework):
    """tinygrad. It has TinyJit, which gives no gradients, so `compiled` stays None."""
    name = "tinygrad " + importlib.metadata.version("tinygrad")
    dtypes = ("float64", "float32", "bfloat16", "float16")
    momentum_weighs_new = True
    channels_first = True

    def is_tensor(self, value: Any) -> bool:
        return isinstance(value, TinygradTensor)

    def tensor(self, stored: Stored, device: str) -> Tensor:
        made = TinygradTensor(np.array(stored.widened()))
        return made.cast(tinygrad_dtypes.bfloat16) if stored.dtype == "bfloat16" else made

    def stored(self, value: Tensor) -> Stored:
        if value.dtype == tinygrad_dtypes.bfloat16:
            wide = value.cast(tinygrad_dtypes.float32).numpy()
            return Stored("bfloat16", (wide.view(np.uint32) >> 16).astype(np.uint16))
        return from_numpy(value.numpy())

    def device_of(self, value: Tensor) -> str:
        return str(value.device).lower()

    def gradients(self, forward: Forward, leaves: Leaves,
                  grad_y: Tensor | None) -> tuple[Tensor, dict[str, Tensor], dict[str, Tensor] | None]:
        for leaf in leaves.values():
            leaf.requires_grad = True
        y, others = forward(leaves)
        if grad_y is None:
            return y, others, None
        require_shape(y, grad_y)
        (y * grad_y.cast(y.dtype)).sum().backward()
        return y, others, {name: leaf.grad for name, leaf in leaves.items() if leaf.grad is not None}

    def stack(self, tensors: list[Tensor]) -> Tensor:
        return tensors[0].stack(*tensors[1:])

    def reshape(self, tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
        return tensor.reshape(shape)


FRAMEWORK = Tinygrad()
