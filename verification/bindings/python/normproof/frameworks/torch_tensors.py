"""PyTorch: the gradients of autograd, on any of its devices. Modules are in torch_modules.py."""
from __future__ import annotations

from typing import Any, Callable, ContextManager, Mapping, Sequence

import numpy as np
import torch

from normproof.dtypes import EIGHT_BITS
from normproof.errors import NotOffered, UsageError
from normproof.frameworks import torch_layers, torch_modules, torch_optimizers, torch_refusals
from normproof.frameworks.base import Framework, KnownConventions, require_shape
from normproof.frameworks.loaded_module import Forward, Leaves, LoadedModule, Tensor
from normproof.stored import ML_DTYPES, Array, Stored, from_numpy, pack_halves, unpack_halves

HALVES = "float4_e2m1fn"  # of which PyTorch has pairs alone


class Torch(Framework):
    name = "PyTorch " + str(torch.__version__)
    dtypes = ("float64", "float32", "bfloat16", "float16", *(name for name in EIGHT_BITS if hasattr(torch, name) or name == HALVES and hasattr(torch, f"{HALVES}_x2")))
    momentum_weighs_new = True
    channels_first = True
    has_modules = True
    stride_layouts = ("transposed", "sliced", "channels_last")

    def is_tensor(self, value: Any) -> bool:
        return isinstance(value, torch.Tensor)

    def tensor(self, stored: Stored, device: str) -> Tensor:
        data: Array = np.array(stored.data)
        if stored.dtype == HALVES:
            try:
                made = torch.from_numpy(pack_halves(data)).view(_dtype(f"{HALVES}_x2"))
            except ValueError as error:
                raise NotOffered(f"{HALVES} of {error}") from None
        elif stored.dtype in ML_DTYPES:
            made = torch.from_numpy(data.view(np.int16 if stored.dtype == "bfloat16" else np.uint8)).view(_dtype(stored.dtype))
        else:
            made = torch.from_numpy(data)
        return made.to(device)

    def stored(self, value: Tensor) -> Stored:
        value = value.detach().cpu()
        if value.dtype == torch.bfloat16:
            return Stored("bfloat16", value.contiguous().view(torch.int16).numpy().view(np.uint16))
        name = str(value.dtype).rpartition(".")[2]
        if name == f"{HALVES}_x2":
            return Stored(HALVES, unpack_halves(value.contiguous().view(torch.uint8).numpy()))
        if name in ML_DTYPES:
            return Stored(name, value.contiguous().view(torch.uint8).numpy())
        if name.startswith("float8"):
            raise UsageError(f"a dtype {name}; expected one of {', '.join(ML_DTYPES)}")
        return from_numpy(value.numpy())

    def device_of(self, value: Tensor) -> str:
        return str(value.device.type)

    def gradients(self, forward: Forward, leaves: Leaves,
                  grad_y: Tensor | None) -> tuple[Tensor, dict[str, Tensor], dict[str, Tensor] | None]:
        for leaf in leaves.values():
            if leaf.is_floating_point():
                leaf.requires_grad_()
        y, others = forward(leaves)
        if grad_y is None or not getattr(y, "requires_grad", False):
            return y, others, None
        require_shape(y, grad_y)
        y.backward(grad_y.to(y.dtype))
        return y, others, {name: leaf.grad for name, leaf in leaves.items() if leaf.grad is not None}

    def stack(self, tensors: list[Tensor]) -> Tensor:
        return torch.stack(tensors)

    def reshape(self, tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
        return torch.reshape(tensor, shape)

    def freeze(self, leaf: Tensor) -> None:
        leaf.requires_grad_(False)

    def compiled(self, fn: Callable[..., Any]) -> Callable[..., Any] | None:
        if not hasattr(torch, "compile") or not _can_compile():
            return None
        # PyTorch 2.6 compiles none of its own functions, but a function that calls one.
        function: Callable[..., Any] = torch.compile(lambda *values, **named: fn(*values, **named))
        return function

    def side_stream(self, device: str) -> ContextManager[Any] | None:
        if not device.startswith("cuda"):
            return None
        torch.cuda.synchronize(device)
        stream: ContextManager[Any] = torch.cuda.stream(torch.cuda.Stream(device))
        return stream

    def is_in_use(self, device: str) -> bool:
        return device.startswith("cuda") and bool(torch.cuda.is_initialized())

    def strided(self, value: Tensor, layout: str) -> Tensor:
        if layout == "channels_last" and value.dim() == 4:
            return value.contiguous(memory_format=torch.channels_last)
        if layout == "channels_last" and value.dim() == 3:
            return value.transpose(1, 2).contiguous().transpose(1, 2)
        if layout == "sliced":
            buffer = torch.full((*value.shape[:-1], 2 * value.shape[-1]), 12345, device=value.device).to(value.dtype)
            buffer[..., ::2] = value
            return buffer[..., ::2]
        return value.transpose(0, -1).contiguous().transpose(0, -1)

    def expanded(self, value: Tensor) -> Tensor:
        return value.reshape(-1)[:1].reshape([1] * value.dim()).expand(value.shape)

    def overwrite(self, tensor: Tensor, stored: Stored, device: str) -> bool:
        with torch.no_grad():
            tensor.copy_(self.tensor(stored, device))
        tensor.grad = None
        return True

    def gelu_approximation(self, by_tanh: bool) -> str:
        return "tanh" if by_tanh else "none"

    def public_name(self, fn: Callable[..., Any], module: str, name: str) -> str:
        """Returns "torch.nn.LayerNorm" for torch.nn.modules.normalization.LayerNorm, and so on."""
        if module.startswith("torch.nn.modules"):
            module = "torch.nn"
        for public in (torch, torch.optim):
            if getattr(public, name, None) is fn or getattr(public, name.rpartition(".")[2], None) is fn:
                return f"{public.__name__}.{name.rpartition('.')[2]}"
        if module.startswith("torch._C") and getattr(torch.nn.functional, name, None) is fn:
            module = "torch.nn.functional"
        return f"{module}.{name}"

    def describe_parameters(self, fn: Callable[..., Any]) -> dict[str, bool]:
        """Reads the schema of an operator, such as torch.layer_norm or torch.ops.aten.layer_norm."""
        name = getattr(fn, "__name__", "")
        if hasattr(fn, "_schema"):
            schemas = [fn._schema]
        elif hasattr(fn, "overloads"):
            schemas = [getattr(fn, overload)._schema for overload in fn.overloads()[:1]]
        elif getattr(torch, name, None) is fn:
            schemas = list(torch._C._jit_get_schemas_for_operator(f"aten::{name}"))
        else:
            return {}
        parameters = {one.name: not one.has_default_value() for one in schemas[0].arguments} if schemas else {}
        if getattr(torch, name, None) is fn and "self" in parameters:  # functions of torch take it as `input`
            return {"input" if one == "self" else one: needed for one, needed in parameters.items()}
        return parameters

    def known_conventions(self, fn: Callable[..., Any]) -> KnownConventions:
        return torch_modules.known_conventions(fn)

    def is_module(self, fn: Any) -> bool:
        return torch_modules.is_module(fn)

    def place_module(self, module: Any, device: str) -> Any:
        return module.to(device) if self.is_module(module) else module

    def is_function_class(self, fn: Any) -> bool:
        return isinstance(fn, type) and issubclass(fn, torch.autograd.Function)

    def is_optimizer(self, fn: Any) -> bool:
        return isinstance(fn, type) and issubclass(fn, torch.optim.Optimizer)

    def optimizer_step(self, kind: Any, op: str, given: Mapping[str, Any]) -> Callable[..., Any]:
        return torch_optimizers.optimizer_step(kind, op, given)

    def undecided_options(self, given: Mapping[str, Any], op: str) -> dict[str, Any]:
        return {name: value for name, value in given.items() if name not in torch_optimizers.OPTIONS.get(op, ())}

    def layer_function(self, fn: Any, op: str) -> Callable[..., Any] | None:
        return torch_layers.layer_function(fn, op) if torch_layers.computed_operation(fn) == op else None

    def layer_values(self, module: Any, op: str) -> dict[str, Any]:
        return torch_layers.layer_values(module, op)

    def find_refusal(self, fn: Any, op: str) -> str:
        return torch_refusals.find_refusal(fn, op)

    def member(self, module: Any, path: str) -> Tensor:
        if not self.is_module(module):
            return super().member(module, path).detach()
        return {**dict(module.named_parameters()), **dict(module.named_buffers())}[path].detach()

    def default_eps(self, module: Any, given: Mapping[str, Any]) -> float | None:
        kind = getattr(torch.nn, "RMSNorm", None)
        if kind is None or not isinstance(module, kind) or "x" not in given:
            return None
        dtype = given["x"].dtype  # PyTorch computes 16 bits in float32, and takes its eps
        return float(torch.finfo(torch.float32 if dtype in (torch.bfloat16, torch.float16) else dtype).eps)

    def parameter_names(self, module: Any) -> list[str]:
        return [path for path, _ in module.named_parameters()] if self.is_module(module) else super().parameter_names(module)

    def member_names(self, module: Any) -> list[str]:
        return torch_modules.member_names(module) if self.is_module(module) else super().member_names(module)

    def load_module(self, module: Any, tensors: Mapping[str, Tensor], training: bool,
                    call: Callable[[Any, Mapping[str, Tensor]], Tensor], inputs: Sequence[str],
                    members: Mapping[str, str | None]) -> LoadedModule:
        if not self.is_module(module):
            return super().load_module(module, tensors, training, call, inputs, members)
        return torch_modules.load_module(module, tensors, training, call, inputs, members)


def _dtype(name: str) -> Any:
    """Returns a dtype. Throws NotOffered if this PyTorch does not have it."""
    kind = getattr(torch, name, None)
    if kind is None:
        raise NotOffered(f"PyTorch {torch.__version__} has no {name}")
    return kind


def _can_compile() -> bool:
    """Whether torch.compile works here. It needs a C++ compiler and the headers of Python."""
    try:
        return bool(torch.compile(lambda x: x + 1)(torch.zeros(2))[0] == 1)
    except Exception:  # whatever is missing
        return False


FRAMEWORK = Torch()
