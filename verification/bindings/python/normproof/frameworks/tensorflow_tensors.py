"""TensorFlow: tf.GradientTape."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np
import tensorflow as tf

from normproof.frameworks.base import Framework, require_shape
from normproof.frameworks.loaded_module import Forward, Leaves, Tensor
from normproof.stored import Stored, from_numpy


class TensorFlow(Framework):
    name = "TensorFlow " + tf.__version__
    dtypes = ("float64", "float32", "bfloat16", "float16")

    def is_tensor(self, value: Any) -> bool:
        return isinstance(value, (tf.Tensor, tf.Variable))

    def tensor(self, stored: Stored, device: str) -> Tensor:
        with tf.device(device):
            return tf.constant(stored.array())

    def stored(self, value: Tensor) -> Stored:
        return from_numpy(np.asarray(value))

    def device_of(self, value: Tensor) -> str:
        return "cpu" if "CPU" in value.device or not value.device else "gpu"

    def gradients(self, forward: Forward, leaves: Leaves,
                  grad_y: Tensor | None) -> tuple[Tensor, dict[str, Tensor], dict[str, Tensor] | None]:
        with tf.GradientTape() as tape:
            for leaf in leaves.values():
                tape.watch(leaf)
            y, others = forward(leaves)
        if grad_y is None:
            return y, others, None
        require_shape(y, grad_y)
        found = tape.gradient(y, leaves, output_gradients=tf.cast(grad_y, y.dtype))
        return y, others, {name: value for name, value in found.items() if value is not None} or None

    def stack(self, tensors: list[Tensor]) -> Tensor:
        return tf.stack(tensors)

    def reshape(self, tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
        return tf.reshape(tensor, shape)

    def compiled(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        function: Callable[..., Any] = tf.function(fn)
        return function


FRAMEWORK = TensorFlow()
