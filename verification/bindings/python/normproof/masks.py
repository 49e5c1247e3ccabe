"""Masks of user-supplied shapes, which are broadcast to the shape that an operation has them in."""
from __future__ import annotations

import math
from typing import Mapping, NamedTuple

import numpy as np

from normproof import names
from normproof.errors import UsageError
from normproof.stored import Stored

MASKS = ("valid", "memory_valid", "source_valid")


class GivenMask(NamedTuple):
    """The shapes of a mask.

    full      the shape that the operation has it in, for tensors of the user's rank
    aligned   the same elements with further axes of one element, to which `given` is broadcast by the rules of NumPy
    given     the shape that the user gave it in, and in which the implementation receives it
    """
    full: tuple[int, ...]
    aligned: tuple[int, ...]
    given: tuple[int, ...]

    def widen(self, stored: Stored) -> Stored:
        """Returns a mask of the shape `given` with the shape `full`."""
        return stored.like(np.ascontiguousarray(np.broadcast_to(stored.data, self.aligned).reshape(self.full)))

    def narrow(self, stored: Stored) -> Stored:
        """Returns a mask with the elements of the shape `full`, in any shape, with the shape `given`.

        A mask with another number of elements, as of repeated rows, is returned unchanged.
        """
        if stored.data.size != math.prod(self.full):
            return stored
        padded = (1,) * (len(self.aligned) - len(self.given)) + self.given
        kept = tuple(slice(0, 1) if extent == 1 else slice(None) for extent in padded)
        return stored.like(np.ascontiguousarray(stored.data.reshape(self.aligned)[kept]).reshape(self.given))


def full_mask_shape(op: str, inputs: Mapping[str, Stored], name: str, channels_first: bool) -> tuple[int, ...] | None:
    """Returns the shape of a mask that has no axis of one element for several. None if the tensors do not tell it."""
    if name == "memory_valid":
        return inputs["memory"].shape[:-1] if "memory" in inputs else None
    if name == "source_valid":
        return inputs["source"].shape if "source" in inputs else None
    if "k" in inputs:
        return inputs["k"].shape[0], inputs["k"].shape[2]
    if "logits" in inputs:
        return inputs["logits"].shape[:1]
    if "tokens" in inputs:
        return inputs["tokens"].shape
    if "x" not in inputs:
        return None
    shape = inputs["x"].shape
    if names.is_function(op):
        return shape
    return (shape[0], *shape[2:]) if channels_first and len(shape) > 2 else shape[:-1]


def broadcast_masks(op: str, inputs: Mapping[str, Stored],
                    channels_first: bool) -> tuple[dict[str, Stored], dict[str, GivenMask]]:
    """Returns the tensors with masks in their full shapes, and the shapes of each mask by its name.

    Throws UsageError for a mask that cannot be broadcast.
    """
    found, masks = dict(inputs), dict[str, GivenMask]()
    for name in MASKS:
        full = full_mask_shape(op, inputs, name, channels_first) if name in inputs else None
        if full is None:
            continue
        given = inputs[name].shape
        aligned = next((shape for shape in _alignments(op, inputs, full) if _broadcasts(given, shape)), None)
        if aligned is None:
            raise UsageError(f"normproof.judge: {name} has shape {[*given]}; expected {[*full]}, or a shape that broadcasts "
                             "to it")
        masks[name] = GivenMask(full, aligned, given)
        found[name] = masks[name].widen(inputs[name])
    return found, masks


def _alignments(op: str, inputs: Mapping[str, Stored], full: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Returns the shape of a mask, and shapes with axes of one element that kernels have for it."""
    if "k" in inputs:  # of the keys of each sample
        return [full, (full[0], 1, 1, full[1]), (full[0], 1, full[1])]
    return [full] if "x" in inputs and names.is_function(op) else [full, (*full, 1)]


def _broadcasts(given: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(given, shape) == shape
    except ValueError:
        return False
