"""Says in a report which rows were not asked: those longer than the longest row of the cases."""
from __future__ import annotations

import json
import math
from typing import Any, Collection, Iterable, Mapping

from normproof import folders

# The tensors whose shape has the length of a row, in this order, and the axes whose extents are multiplied. A row of attention
# has one element for each key. An optimizer has a single row of all elements.
_ROWS = (("x", slice(-1, None)), ("k", slice(-2, -1)), ("logits", slice(-1, None)), ("parameter", slice(None)))


def row_length(description: Mapping[str, Any]) -> int | None:
    """Returns the length of the rows of a case, given its entry in a manifest; None for whole models."""
    inputs: Mapping[str, str] = description["inputs"]
    for name, axes in _ROWS:
        if name in inputs:
            extents = [int(extent) for extent in inputs[name].partition("[")[2].rstrip("]").split(",") if extent]
            return math.prod(extents[axes])
    return None


def longest_row(descriptions: Iterable[Mapping[str, Any]], dtypes: Collection[str]) -> int | None:
    """Returns the length of the longest row among the cases of these dtypes, or None if no case has rows."""
    lengths = (row_length(entry) for entry in descriptions if entry["dtype"] in dtypes)
    return max((length for length in lengths if length is not None), default=None)


def describe_longest_row(descriptions: Iterable[Mapping[str, Any]], op: str, dtypes: Collection[str], tier: str) -> str:
    """Returns a text such as "no row longer than 1,025; tier='standard' has 8,193", or "" if the cases have no rows.

    The next tier is described by its manifest. If its cases are not made yet, the text says that it may have longer rows.
    """
    longest = longest_row(descriptions, dtypes)
    if longest is None:
        return ""
    text = f"no row longer than {longest:,}"
    following = folders.TIERS[folders.TIERS.index(tier) + 1:]
    if not following:
        return text
    try:
        folder = folders.find_made_folder(following[0], op)
        cases = json.loads((folder / "manifest.json").read_bytes())["cases"] if folder else None
        other = longest_row((entry for entry in cases or () if entry["op"] == op), dtypes) or 0
    except (OSError, RuntimeError, ValueError, TypeError, KeyError):  # a damaged tier is reported when it is opened
        cases = None
    if cases is None:
        return f"{text}; tier={following[0]!r} may have longer rows"
    return f"{text}; tier={following[0]!r} has {other:,}" if other > longest else text
