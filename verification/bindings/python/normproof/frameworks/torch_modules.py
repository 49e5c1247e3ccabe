"""Modules of PyTorch: loading the tensors of a case, and what is known about PyTorch's own layers."""
from __future__ import annotations

import inspect
from typing import Any, Callable, Collection, Mapping, Sequence

import torch

from normproof.frameworks.base import KnownConventions
from normproof.frameworks.loaded_module import Leaves, LoadedModule, Tensor
from normproof.frameworks.members import CONSTANTS, NEUTRAL, find_path, match_members

def is_module(fn: Any) -> bool:
    """Whether fn is a module, or a class of modules."""
    return isinstance(fn, torch.nn.Module) or inspect.isclass(fn) and issubclass(fn, torch.nn.Module)


def _spatial_axes(kind: Any) -> int | None:
    """Returns 1, 2 or 3 for a layer whose name ends with 1d, 2d or 3d: the axes that it requires behind the channels."""
    name = getattr(kind, "__name__", "")
    return int(name[-2]) if name.endswith(("1d", "2d", "3d")) else None


def member_names(module: Any) -> list[str]:
    """Returns the dotted paths of the parameters and buffers of a module, its own before those of submodules."""
    paths: list[str] = [path for path, _ in [*module.named_parameters(), *module.named_buffers()]]
    return sorted(paths, key=lambda path: path.count("."))


def _owner(module: Any, path: str) -> tuple[Any, str]:
    """Returns the submodule that has the last name of a dotted path, and that name."""
    *outer, name = path.split(".")
    for part in outer:
        module = getattr(module, part)
    return module, name


def load_module(module: Any, tensors: Mapping[str, Tensor], training: bool,
                call: Callable[[Any, Mapping[str, Tensor]], Tensor], inputs: Sequence[str],
                members: Mapping[str, str | None]) -> LoadedModule:
    """Implements Framework.load_module for PyTorch."""
    module.train(training)
    leaves: Leaves = {name: tensors[name] for name in inputs}
    state: dict[str, tuple[Any, str]] = {}
    loaded: dict[str, str] = {}
    paths = member_names(module)
    for name, path, held in match_members(type(module).__name__, paths, lambda path: getattr(*_owner(module, path)), tensors,
                                          inputs, members):
        inner, attribute = _owner(module, path)
        value, loaded[path] = tensors[name].reshape(held.shape), name
        if attribute in dict(inner.named_parameters(recurse=False)):
            setattr(inner, attribute, torch.nn.Parameter(value))
            leaves[name] = getattr(inner, attribute)
        else:
            setattr(inner, attribute, value)
            if name not in CONSTANTS:
                state[name] = (inner, attribute)
    _neutralize_parameters(module, {*loaded, *(path for path, name in members.items() if name is None)}, members)

    def forward(given: Leaves) -> tuple[Tensor, dict[str, Tensor]]:
        y = call(module, {**tensors, **given})
        return y, {name: getattr(inner, attribute) for name, (inner, attribute) in state.items()}

    return LoadedModule(forward, leaves, loaded)


def _neutralize_parameters(module: Any, kept: Collection[str], members: Mapping[str, str | None]) -> None:
    """Sets the parameters whose tensor the case lacks to 1 or 0. In the case, their tensor has this value."""
    paths = member_names(module)
    for name, neutral in NEUTRAL.items():
        path = find_path(paths, name, members)
        parameter = dict(module.named_parameters()).get(path) if path not in kept else None
        if parameter is not None:
            with torch.no_grad():
                parameter.fill_(neutral)


def _passes_is_causal(fn: Callable[..., Any]) -> bool:
    """Whether a function passes is_causal= to the attention of PyTorch."""
    code = getattr(fn, "__code__", None)
    return (code is not None and "scaled_dot_product_attention" in code.co_names
            and any(isinstance(constant, tuple) and "is_causal" in constant for constant in code.co_consts))


def known_conventions(fn: Callable[..., Any]) -> KnownConventions:
    """Implements Framework.known_conventions for the functions and modules of PyTorch."""
    name = getattr(fn, "__name__", "")
    is_own = (getattr(fn, "__module__", "") or "").startswith("torch.")
    is_batch_norm = fn is torch.nn.functional.batch_norm or is_own and name.startswith("BatchNorm")
    axes = _spatial_axes(fn) if is_own and inspect.isclass(fn) else None
    functional = torch.nn.functional
    has_channels = (functional.batch_norm, functional.group_norm, functional.instance_norm)
    return KnownConventions(
        is_batch_norm, is_batch_norm, is_batch_norm, axes,
        second_axis=fn in has_channels or is_own and name.startswith(("BatchNorm", "GroupNorm", "InstanceNorm",
                                                                      "SyncBatchNorm")),
        options=_own_options(fn))


def _own_options(fn: Callable[..., Any]) -> dict[str, Any]:
    """Returns the options that a function has by itself: PyTorch aligns a causal mask at the first query and key."""
    functional = torch.nn.functional
    if fn is functional.normalize:
        return {"eps_placement": "floor"}
    if fn is getattr(functional, "scaled_dot_product_attention", None) or _passes_is_causal(fn):
        return {"mask_corner": "top_left"}
    return {}
