"""A module or object that holds the tensors of a case."""
from __future__ import annotations

from typing import Any, Callable, NamedTuple

Tensor = Any  # a tensor of the framework
# The tensors that gradients are computed for, by name.
Leaves = dict[str, Tensor]
# Calls the implementation on the leaves. Returns its main output (None if it returned none) and the other outputs.
Forward = Callable[[Leaves], tuple[Tensor, dict[str, Tensor]]]


class LoadedModule(NamedTuple):
    """A module that holds the tensors of a case."""
    forward: Forward  # also returns the state of the module after the call
    leaves: Leaves
    members: dict[str, str]  # the member that was loaded, and the name of the tensor that it holds
