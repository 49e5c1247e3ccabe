"""The members of modules and of objects that hold the tensors of a case."""
from __future__ import annotations

import math
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence

from normproof.errors import NotOffered, Unanswered

# The names of members, in the order in which they are looked for.
MEMBERS: dict[str, tuple[str, ...]] = {
    "gamma": ("weight", "gamma", "scale", "g", "w"), "beta": ("bias", "beta", "offset", "shift", "b"), "alpha": ("alpha",),
    "running_mean": ("running_mean",), "running_variance": ("running_var", "running_variance"),
    "class_weights": ("weight",)}
# Tensors of a case that no member holds.
NOT_LOADED = ("grad_y", "grad_sum", "valid")
# Tensors of buffers that a call does not change, so that they are no output.
CONSTANTS = ("class_weights",)
NEUTRAL = {"gamma": 1, "beta": 0, "alpha": 0}  # the value of a tensor that a case lacks


def find_path(paths: Iterable[str], name: str, members: Mapping[str, str | None]) -> str | None:
    """Returns the member among `paths` that holds the tensor of that name, or None.

    `members` says what a member holds, by its path: a tensor, or None for a member that keeps its value. A path with
    dots, of a submodule, is chosen only if it is the only one with its last part.
    """
    given = next((path for path, held in members.items() if held == name), None)
    if given is not None:
        return given
    free = [path for path in paths if path not in members]
    for spelled in MEMBERS.get(name, (name,)):
        if spelled in free:
            return spelled
    for spelled in MEMBERS.get(name, (name,)):
        inner = [path for path in free if path.endswith("." + spelled)]
        if len(inner) == 1:
            return inner[0]
    return None


def match_members(title: str, paths: Sequence[str], member_at: Callable[[str], Any], tensors: Mapping[str, Any],
                  inputs: Sequence[str], members: Mapping[str, str | None]) -> Iterator[tuple[str, str, Any]]:
    """Yields each tensor of a case that a member holds: the name of the tensor, the path of the member, and the member.

    `title` names the owner of the members, `member_at` returns the member at a path. The tensors in `inputs` are
    arguments of the call and are no members.
    Throws NotOffered if no member holds a tensor, Unanswered if a member has another number of elements.
    """
    for name, value in tensors.items():
        if name in inputs or name in NOT_LOADED:
            continue
        path = find_path(paths, name, members)
        if path is None:
            if name == "iterations":
                continue
            raise NotOffered(f"{title} has no {name}")
        held = member_at(path)
        if math.prod(held.shape) != math.prod(value.shape):
            raise Unanswered(f"{path.rpartition('.')[2]} of {title} is {list(held.shape)}; expected {list(value.shape)}")
        yield name, path, held
