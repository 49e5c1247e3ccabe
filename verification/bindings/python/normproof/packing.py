"""The layouts of a tensor that has x and gate, the two operands of swiglu and geglu, in its last axis."""
from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from normproof.errors import UsageError
from normproof.stored import Stored


@dataclasses.dataclass(frozen=True)
class Packing:
    """A layout of x and gate in one tensor.

    interleaved   whether they are the even and the odd columns, instead of the halves
    x_first       whether x, the operand of the activation, is the first of the two
    """
    interleaved: bool = False
    x_first: bool = True

    def pack(self, x: Stored, gate: Stored) -> Stored:
        """Returns both operands in one tensor."""
        first, second = (x.data, gate.data) if self.x_first else (gate.data, x.data)
        if not self.interleaved:
            return x.like(np.concatenate([first, second], -1))
        return x.like(np.stack([first, second], -1).reshape(*first.shape[:-1], -1))

    def unpack(self, packed: Any) -> tuple[Any, Any]:
        """Returns x and gate, or their gradients, of a tensor of any framework."""
        half = packed.shape[-1] // 2
        first, second = ((packed[..., ::2], packed[..., 1::2]) if self.interleaved else
                         (packed[..., :half], packed[..., half:]))
        return (first, second) if self.x_first else (second, first)

    def describe(self) -> str:
        """Returns the layout in words, for the conventions of a report."""
        places = "the even and odd columns of" if self.interleaved else "side by side in"
        return f"x and gate are {places} one parameter, {'x' if self.x_first else 'gate'} first"


# The values of `layout=` for operations with a gate.
PACKINGS = {"halves": Packing(), "gate_first_halves": Packing(x_first=False), "interleaved": Packing(interleaved=True),
            "gate_first_interleaved": Packing(interleaved=True, x_first=False)}


def find_packing(layout: Any, op: str, known: Any) -> Packing | None:
    """Returns the packing that `layout=` names, or None if it names none.

    Throws UsageError if the operation, whose tensors and options are `known`, has no gate.
    """
    packing = PACKINGS.get(layout) if isinstance(layout, str) else None
    if packing is not None and "gate" not in known:
        raise UsageError(f"normproof: layout={layout!r} is a layout of x and gate in one tensor, and {op} has no gate; "
                         "expected no layout=, or a layout of x")
    return packing
