"""Modules of PyTorch: loading the tensors of a case, and what is known about PyTorch's own layers."""
from __future__ import annotations

import inspect
from typing import Any, Callable, Mapping

import torch

from normproof.errors import NotOffered, Unanswered
from normproof.frameworks.base import KnownConventions, Leaves, LoadedModule, Tensor

# Names of parameters and buffers, in the order in which they are looked for.
MEMBERS: dict[str, tuple[str, ...]] = {
    "gamma": ("weight", "gamma", "scale", "g", "w"), "beta": ("bias", "beta", "offset", "b"), "alpha": ("alpha",),
    "running_mean": ("running_mean",), "running_variance": ("running_var", "running_variance")}
NOT_LOADED = ("x", "grad_y", "valid", "gate")  # tensors of a case that no member of a module holds


def is_module(fn: Any) -> bool:
    """Whether fn is a module, or a class of modules."""
    return isinstance(fn, torch.nn.Module) or inspect.isclass(fn) and issubclass(fn, torch.nn.Module)


def _spatial_axes(kind: Any) -> int | None:
    """Returns 1, 2 or 3 for a layer whose name ends with 1d, 2d or 3d: the axes that it requires behind the channels."""
    name = getattr(kind, "__name__", "")
    return int(name[-2]) if name.endswith(("1d", "2d", "3d")) else None


def find_member(module: Any, name: str) -> str | None:
    """Returns the dotted path of the parameter or buffer for a tensor of the case, or None."""
    present = {**dict(module.named_parameters(recurse=False)), **dict(module.named_buffers(recurse=False))}
    for spelled in MEMBERS.get(name, (name,)):
        if spelled in present:
            return spelled
    paths: list[str] = [path for path, _ in [*module.named_parameters(), *module.named_buffers()]]
    for spelled in MEMBERS.get(name, (name,)):
        inner = [path for path in paths if path.endswith("." + spelled)]
        if len(inner) == 1:
            return inner[0]
    return None


def _owner(module: Any, path: str) -> tuple[Any, str]:
    """Returns the submodule that has the last name of a dotted path, and that name."""
    *outer, name = path.split(".")
    for part in outer:
        module = getattr(module, part)
    return module, name


def load_module(module: Any, tensors: Mapping[str, Tensor], training: bool,
                call: Callable[[Any, Mapping[str, Tensor]], Tensor]) -> LoadedModule:
    """Implements Framework.load_module for PyTorch."""
    module.train(training)
    leaves: Leaves = {"x": tensors["x"]}
    state: dict[str, tuple[Any, str]] = {}
    members: dict[str, str] = {}
    for name, value in tensors.items():
        if name in NOT_LOADED:
            continue
        path = find_member(module, name)
        if path is None:
            if name == "iterations":
                continue
            raise NotOffered(f"{type(module).__name__} has no {name}")
        inner, attribute = _owner(module, path)
        held = getattr(inner, attribute)
        if held.numel() != value.numel():
            raise Unanswered(f"{attribute} of {type(module).__name__} is {list(held.shape)}; expected "
                             f"{list(value.shape)}")
        value, members[path] = value.reshape(held.shape), name
        if attribute in dict(inner.named_parameters(recurse=False)):
            setattr(inner, attribute, torch.nn.Parameter(value))
            leaves[name] = getattr(inner, attribute)
        else:
            setattr(inner, attribute, value)
            state[name] = (inner, attribute)
    _neutralize_parameters(module, {id(leaf) for leaf in leaves.values()})

    def forward(given: Leaves) -> tuple[Tensor, dict[str, Tensor]]:
        y = call(module, {**tensors, **given})
        return y, {name: getattr(inner, attribute) for name, (inner, attribute) in state.items()}

    return LoadedModule(forward, leaves, members)


def _neutralize_parameters(module: Any, loaded: set[int]) -> None:
    """Sets parameters without a tensor in the case to 1 or 0, so that they do not affect the outputs."""
    with torch.no_grad():
        for path, parameter in module.named_parameters():
            if id(parameter) not in loaded:
                parameter.fill_(1 if path.split(".")[-1] in MEMBERS["gamma"] else 0)


def known_conventions(fn: Callable[..., Any]) -> KnownConventions:
    """Implements Framework.known_conventions for PyTorch's batch norms and its layers for 1, 2 or 3 spatial axes."""
    name = getattr(fn, "__name__", "")
    is_own = (getattr(fn, "__module__", "") or "").startswith("torch.")
    is_batch_norm = fn is torch.nn.functional.batch_norm or is_own and name.startswith("BatchNorm")
    axes = _spatial_axes(fn) if is_own and inspect.isclass(fn) else None
    return KnownConventions(is_batch_norm, is_batch_norm, is_batch_norm, axes)
