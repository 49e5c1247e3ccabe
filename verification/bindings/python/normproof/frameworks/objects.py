"""Objects of plain classes with __call__: their attributes that are tensors hold the tensors of a case."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

from normproof.errors import NotOffered, Unanswered
from normproof.frameworks.members import NEUTRAL, NOT_LOADED, find_path

if TYPE_CHECKING:
    from normproof.frameworks.base import Framework, Leaves, LoadedModule, Tensor


def attribute_names(framework: Framework, made: Any) -> list[str]:
    """Returns the names of the attributes of an object that are tensors with an axis or more."""
    return [name for name, value in getattr(made, "__dict__", {}).items() if framework.is_tensor(value) and len(value.shape)]


def load_object(framework: Framework, made: Any, tensors: Mapping[str, Tensor], call: Callable[[Any, Mapping[str, Tensor]], Tensor],
                inputs: Sequence[str], members: Mapping[str, str | None]) -> LoadedModule:
    """Returns an object that holds the tensors of a case. A tensor that the case lacks is 1 or 0.

    Throws NotOffered if the object has no attribute for a tensor, Unanswered if one has another size.
    """
    from normproof.frameworks.base import LoadedModule
    leaves: Leaves = {name: tensors[name] for name in inputs}
    held = attribute_names(framework, made)
    attributes: dict[str, str] = {}
    for name, value in tensors.items():
        if name in inputs or name in NOT_LOADED:
            continue
        attribute = find_path(held, name, members)
        if attribute is None:
            if name == "iterations":
                continue
            raise NotOffered(f"{type(made).__name__} has no {name}")
        before = getattr(made, attribute)
        if framework.stored(before).data.size != framework.stored(value).data.size:
            raise Unanswered(f"{attribute} of {type(made).__name__} is {list(before.shape)}; expected {list(value.shape)}")
        leaves[name], attributes[name] = value, attribute
    for name, neutral in NEUTRAL.items():
        attribute = find_path(held, name, members)
        if attribute is not None and name not in tensors:
            setattr(made, attribute, getattr(made, attribute) * 0 + neutral)

    def forward(given: Leaves) -> tuple[Tensor, dict[str, Tensor]]:
        for name, attribute in attributes.items():
            setattr(made, attribute, given.get(name, tensors[name]))
        y = call(made, {**tensors, **given})
        return y, {name: getattr(made, attribute) for name, attribute in attributes.items()
                   if name not in NEUTRAL}

    return LoadedModule(forward, leaves, {attribute: name for name, attribute in attributes.items()})
