"""JAX: jax.vjp under jax.jit."""
from __future__ import annotations

import contextlib
from typing import Any, Callable, ContextManager

import jax
import jax.numpy as jnp
import jax.scipy.special
import numpy as np

from normproof.dtypes import EIGHT_BITS
from normproof.frameworks.base import Framework, require_shape
from normproof.frameworks.loaded_module import Forward, Leaves, Tensor
from normproof.stored import Stored, from_numpy


class Jax(Framework):
    name = "JAX " + jax.__version__
    dtypes = ("float64", "float32", "bfloat16", "float16", *EIGHT_BITS)

    def context(self, dtype: str) -> ContextManager[Any]:
        """Enables float64 for cases of float64, whatever the user's configuration is."""
        enabled: ContextManager[Any]
        if dtype != "float64":
            return contextlib.nullcontext()
        if hasattr(jax, "enable_x64"):
            enabled = jax.enable_x64(True)
        else:
            from jax.experimental import enable_x64
            enabled = enable_x64()
        return enabled

    def is_tensor(self, value: Any) -> bool:
        return isinstance(value, jax.Array)

    def tensor(self, stored: Stored, device: str) -> Tensor:
        made = jnp.asarray(stored.array())
        return made if device == "cpu" and jax.default_backend() == "cpu" else jax.device_put(made, jax.devices(device)[0])

    def stored(self, value: Tensor) -> Stored:
        return from_numpy(np.asarray(value))

    def device_of(self, value: Tensor) -> str:
        return str(next(iter(value.devices())).platform)

    def gradients(self, forward: Forward, leaves: Leaves,
                  grad_y: Tensor | None) -> tuple[Tensor, dict[str, Tensor], dict[str, Tensor] | None]:
        if grad_y is None:
            y, others = jax.jit(forward)(leaves)
            return y, others, None

        def step(given: Leaves, cotangent: Tensor) -> tuple[Tensor, dict[str, Tensor], dict[str, Tensor]]:
            y, pull, others = jax.vjp(forward, given, has_aux=True)
            require_shape(y, cotangent)
            return y, others, pull(cotangent.astype(y.dtype))[0]

        y, others, found = jax.jit(step)(leaves, grad_y)
        return y, others, found

    def public_name(self, fn: Callable[..., Any], module: str, name: str) -> str:
        """Returns "jax.nn.softmax" for jax._src.nn.functions.softmax, and so on."""
        for public in (jax.nn, jnp, jax.lax, jax.scipy.special):
            if getattr(public, name, None) is fn:
                return f"{public.__name__}.{name}"
        return f"{module}.{name}"

    def find_refusal(self, fn: Any, op: str) -> str:
        if fn is not getattr(jax.nn, "dot_product_attention", 0):
            return ""
        return ("jax.nn.dot_product_attention has tensors of [B,T,H,D], and attention [B,H,T,D]; expected "
                "lambda q, k, v, scale: jax.nn.dot_product_attention(q.swapaxes(1, 2), k.swapaxes(1, 2), v.swapaxes(1, 2), "
                "scale=scale).swapaxes(1, 2)")

    def stack(self, tensors: list[Tensor]) -> Tensor:
        return jnp.stack(tensors)

    def reshape(self, tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
        return jnp.reshape(tensor, shape)

    def compiled(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        jitted: Callable[..., Any] = jax.jit(fn)
        return jitted

    def uncompiled(self) -> ContextManager[Any]:
        disabled: ContextManager[Any] = jax.disable_jit()
        return disabled


FRAMEWORK = Jax()
