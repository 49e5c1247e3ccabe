"""Objects of plain classes with __call__: their attributes that are tensors hold the tensors of a case."""
from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

from normproof.frameworks.loaded_module import Leaves, LoadedModule, Tensor
from normproof.frameworks.members import NEUTRAL, find_path, match_members

if TYPE_CHECKING:
    from normproof.frameworks.base import Framework


def attribute_names(framework: Framework, made: Any) -> list[str]:
    """Returns the names of the attributes of an object that are tensors with an axis or more."""
    return [name for name, value in getattr(made, "__dict__", {}).items() if framework.is_tensor(value) and len(value.shape)]


def load_object(framework: Framework, made: Any, tensors: Mapping[str, Tensor], call: Callable[[Any, Mapping[str, Tensor]], Tensor],
                inputs: Sequence[str], members: Mapping[str, str | None]) -> LoadedModule:
    """Returns an object that holds the tensors of a case. A tensor that the case lacks is 1 or 0.

    Throws NotOffered if the object has no attribute for a tensor, Unanswered if one has another size.
    """
    leaves: Leaves = {name: tensors[name] for name in inputs}
    held = attribute_names(framework, made)
    attributes: dict[str, str] = {}
    for name, attribute, _ in match_members(type(made).__name__, held, functools.partial(getattr, made), tensors, inputs, members):
        leaves[name], attributes[name] = tensors[name], attribute
    for name, neutral in NEUTRAL.items():
        path = find_path(held, name, members)
        if path is not None and name not in tensors:
            setattr(made, path, getattr(made, path) * 0 + neutral)

    def forward(given: Leaves) -> tuple[Tensor, dict[str, Tensor]]:
        for name, attribute in attributes.items():
            setattr(made, attribute, given.get(name, tensors[name]))
        y = call(made, {**tensors, **given})
        return y, {name: getattr(made, attribute) for name, attribute in attributes.items()
                   if name not in NEUTRAL}

    return LoadedModule(forward, leaves, {attribute: name for name, attribute in attributes.items()})
