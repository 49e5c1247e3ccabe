"""Makes variants of a case for relations: other shapes, parts of the samples, other numbers."""
from __future__ import annotations

import math
from typing import Any, Mapping

import numpy as np

from normproof.corpus import Case
from normproof.frameworks.base import Framework
from normproof.frameworks.loaded_module import Tensor
from normproof.returned import OPTIMIZER_STATE
from normproof.stored import Array, Stored, full_of_nan

# The first of these that a case has determines the number of its samples.
LEADING_TENSORS = ("x", "q", "logits")
# Tensors that have an axis of samples, beside those of ROWS.
WITH_SAMPLES = ("q", "k", "v", "bias", "grad_q", "grad_k", "grad_v", "grad_bias", "logits", "targets")
# Tensors whose leading axes are those of x.
ROWS = ("x", "residual", "gate", "grad_y", "grad_sum", "y", "sum", "grad_x", "grad_residual", "grad_gate", "valid")
# Tensors that take the place of x or accompany it, with as many axes.
LIKE_X = ("x", "residual", "gate", "q", "k", "v", "logits", "grad_y", "grad_sum")
# The input that determines the others, the first that a case has, and what has the same rows.
MAIN_INPUTS = ("x", "q", "logits", "parameter", "tokens")
MOVED_WITH = {"x": ("residual", "gate", "grad_y", "grad_sum"), "q": ("grad_y",),
              "parameter": ("grad_parameter", *OPTIMIZER_STATE)}


def option_texts(case: Case) -> dict[str, str]:
    """Returns the options of a case as the texts that the C ABI parses."""
    return {name: option_text(value) for name, value in case.options.items()}


def option_text(value: Any) -> str:
    """Returns the value of an option as the text that the C ABI parses."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if value == float("inf"):
        return "none"
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(value)


def reshaped(case: Case, leading: tuple[int, ...]) -> Case:
    """Returns a case whose rows have other leading extents."""
    shape = case.tensors["x"].shape
    tensors = {}
    for name, stored in case.tensors.items():
        data = stored.data
        if name in ROWS and data.shape[:len(shape) - 1] == shape[:-1]:
            data = data.reshape((*leading, *data.shape[len(shape) - 1:]))
        tensors[name] = stored.like(data)
    return case.replaced(tensors)


def reshaped_back(case: Case, outputs: Mapping[str, Stored]) -> dict[str, Stored]:
    """Returns outputs of a reshaped case in the shapes of the original case."""
    shape = case.tensors["x"].shape
    back = {}
    for name, stored in outputs.items():
        if name in ROWS and stored.data.size == int(np.prod(shape)):
            stored = stored.like(stored.data.reshape(shape))
        elif name in (*ROWS, "mean", "rstd") and stored.data.size == int(np.prod(shape[:-1])):
            stored = stored.like(stored.data.reshape(shape[:-1]))
        back[name] = stored
    return back


def sample_count(case: Case) -> int | None:
    """Returns the number of samples of a case, the first extent of its leading tensor; None if it has none."""
    return next((case.tensors[name].shape[0] for name in LEADING_TENSORS if name in case.tensors), None)


def select_samples(case: Case, part: slice) -> Case:
    """Returns a case with some of the samples."""
    samples = sample_count(case)
    return case.replaced({name: stored.like(stored.data[part])
                          if name in (*ROWS, *WITH_SAMPLES) and stored.shape[:1] == (samples,)
                          else stored for name, stored in case.tensors.items()})


def repeated(case: Case, times: int) -> Case:
    """Returns a case with the samples repeated. A single sample is repeated without copying it."""
    samples = case.tensors["x"].shape[0]

    def repeat(data: Array) -> Array:
        if samples == 1:
            return np.broadcast_to(data, (times, *data.shape[1:]))
        return np.tile(data, (times, *[1] * (data.ndim - 1)))
    return case.replaced({name: stored.like(repeat(stored.data)) if name in ROWS and stored.shape[:1] == (samples,)
                          else stored for name, stored in case.tensors.items()})


def select_copy(case: Case, outputs: Mapping[str, Stored], number: int, times: int) -> dict[str, Stored]:
    """Returns the outputs for one copy of the samples of a case, from the outputs for all copies."""
    samples = case.tensors["x"].shape[0]
    return {name: stored.like(stored.data[number * samples:(number + 1) * samples])
            if stored.shape[:1] == (times * samples,) else stored for name, stored in outputs.items()}


def with_other_numbers(case: Case) -> Case:
    """Returns a case of the same shapes, with all elements in reverse order.

    In attention only the last axis is reversed, so that every query still has a key.
    """
    axis, moved = (-1, LIKE_X) if "q" in case.tensors else (None, (*LIKE_X, "valid"))
    return case.replaced({name: stored.like(np.flip(stored.data, axis).copy()) if name in moved else stored
                          for name, stored in case.tensors.items()})


def with_rows_moved(case: Case, by_sample: bool, by_channel: bool) -> Case | None:
    """Returns a case of the same shapes in which rows of the main input and of its like have changed places.

    A row of each tensor keeps its numbers, so that a function is as accurate as in the original case. With three rows or
    more the first stays where it is. Rows that are partly masked stay too.
    by_sample    whole samples change places
    by_channel   channels change places, with their parameters and state
    Returns None if fewer than two rows may change places, or if they are equal.
    """
    main = next((name for name in MAIN_INPUTS if name in case.tensors), None)
    if main is None or not case.tensors[main].shape:
        return None
    shape = case.tensors[main].shape
    leading = shape[-1:] if by_channel else shape[:1] if by_sample or len(shape) == 1 else shape[:-1]
    count = math.prod(leading)
    free = np.flatnonzero(np.ones(count, bool) if by_channel else _unmasked_rows(case, leading))
    free = free[free > 0] if len(free) > 2 else free
    order = np.arange(count)
    order[free] = free[::-1]
    changed: dict[str, Stored] = {}
    for name, stored in case.tensors.items():
        if by_channel and stored.shape[-1:] == leading:
            changed[name] = stored.like(np.ascontiguousarray(stored.data[..., order]))
        elif name in (main, *MOVED_WITH.get(main, ())) and stored.shape == shape:
            changed[name] = stored.like(stored.data.reshape(count, -1)[order].reshape(shape))
    same = main not in changed or np.array_equal(changed[main].data, case.tensors[main].data)
    return None if same else case.replaced({**case.tensors, **changed})


def _unmasked_rows(case: Case, leading: tuple[int, ...]) -> Array:
    """Whether each row is fully valid, of rows with these leading extents."""
    valid = case.tensors.get("valid")
    if valid is None or valid.shape[:len(leading)] != leading:
        return np.ones(math.prod(leading), bool)
    rows: Array = valid.data.reshape(math.prod(leading), -1).astype(bool).all(axis=1)
    return rows


def buffer_like(framework: Framework, tensor: Tensor) -> Tensor:
    """Returns a new tensor of the same shape and dtype, filled with NaN if the dtype has it."""
    stored = framework.stored(tensor)
    return framework.tensor(full_of_nan(stored.dtype, stored.shape), framework.device_of(tensor))


def first_difference(one: Stored, other: Stored) -> list[int]:
    """Returns the index of the first element whose bits differ."""
    a, b = one.widened(), other.widened()
    differs = (a != b) & ~((a != a) & (b != b))
    if not differs.any():  # signs of zeros
        differs = np.signbit(a) != np.signbit(b)
    return [int(index) for index in np.argwhere(differs)[0]]
