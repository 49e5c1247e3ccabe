"""Converts between layouts of x. In the corpus, channels are the last axis; in a framework they may be axis 1."""
from __future__ import annotations

import dataclasses
from typing import Sequence

import numpy as np

from normproof.corpus import Case, layer_descriptions
from normproof.errors import NotOffered
from normproof.stored import Array, Stored

# The values of `layout=`, and what each says: whether the channels are axis 1, and how many axes of positions x has; None for
# any number.
LAYOUTS: dict[str, tuple[bool, int | None]] = {
    "channels_first": (True, None), "channels_last": (False, None), "NC": (False, 0), "NCL": (True, 1), "NCHW": (True, 2),
    "NCDHW": (True, 3), "NLC": (False, 1), "NHWC": (False, 2), "NDHWC": (False, 3)}
PER_SAMPLE = ("sample_group", "sample_channel")  # statistics for which the samples stay apart
WITH_POSITIONS = ("rope",)  # operations in which the last axis of rows has a meaning of its own


def describe_axes(channels_first: bool, spatial_axes: int) -> str:
    """Returns the axes of x in the letters of `layout=`: "[N,C,H,W]"."""
    letters = next(name for name, meaning in LAYOUTS.items() if name.isupper() and (
        meaning == (channels_first and spatial_axes > 0, spatial_axes)))
    return f"[{','.join(letters)}]"


def keeps_samples_apart(op: str) -> bool:
    """Whether op has statistics of each sample, so that samples cannot be merged."""
    return any(cell["partition"] in PER_SAMPLE for cell in layer_descriptions().get(op, {}).get("cells", []))


def has_channels_first(case: Case) -> bool:
    """Whether x, and each tensor with its shape, has the shape [B,D,H,W] in the case."""
    return bool(case.options.get("layout") == "channels_first")


def feature_count(case: Case) -> int:
    """Returns D, the number of features or channels of x."""
    return case.tensors["x"].shape[1 if has_channels_first(case) else -1]


@dataclasses.dataclass(frozen=True)
class Layout:
    """Moves tensors of x's shape between the corpus' layout and the framework's.

    channels_first   whether the framework has the channels behind the samples
    spatial_axes     how many axes of positions x has beside samples and channels; None for any number
    user_shape       the shape of the user-supplied x, which the implementation receives; None in check
    reshapes         whether x has exactly these axes in every case: it is reshaped where that changes no result
    """
    channels_first: bool
    spatial_axes: int | None = None
    user_shape: tuple[int, ...] | None = None
    reshapes: bool = False

    def describe(self) -> str:
        """Returns the axes that x has in every case, such as "[N,C,H,W]", or "" if it has those of the case."""
        if not self.reshapes or self.spatial_axes is None or self.user_shape is not None:
            return ""
        return describe_axes(self.channels_first, self.spatial_axes)

    def arrange(self, case: Case, stored: Stored) -> Stored:
        """Converts a tensor with the shape of x to the layout of the framework.

        The result is contiguous, with one exception: an image whose channels are last in the case, and first in the
        framework, keeps its order in memory.
        """
        if self.user_shape is not None and "x" in case.tensors and stored.shape != case.tensors["x"].shape:
            # A grad_y of fewer axes, as of log_sum_exp. That of a vector is a scalar, but has one axis in the case.
            rows = self.user_shape[:-1] if stored.data.size == int(np.prod(self.user_shape[:-1])) else stored.shape
            return stored.like(np.ascontiguousarray(stored.data).reshape(rows))
        if self.reshapes and "x" in case.tensors and stored.shape != case.tensors["x"].shape:
            return self._arrange_rows(case, stored)
        if has_channels_first(case):
            stored = stored.like(np.moveaxis(stored.data, 1, -1))
        moved = self._from_channels_last(stored, case.op)
        if case.options.get("layout") == "channels_last" and self.channels_first and self.user_shape is None:
            return moved.like(np.moveaxis(np.ascontiguousarray(np.moveaxis(moved.data, 1, -1)), -1, 1))
        return moved

    def _arrange_rows(self, case: Case, stored: Stored) -> Stored:
        """Converts a tensor with one element per row of x, or of another shape, which then stays as it is."""
        shape = case.tensors["x"].shape
        rows = (shape[0], *shape[2:]) if has_channels_first(case) else shape[:-1]
        if stored.shape != rows or self.user_shape is not None:
            return stored
        x = self.arrange(case, case.tensors["x"]).shape
        return stored.like(stored.data.reshape((x[0], *x[2:]) if self.channels_first else x[:-1]))

    def arrange_mask(self, case: Case, stored: Stored) -> Stored:
        """Converts a mask of rows or of elements to the axes that x has in every case."""
        return self.arrange(case, stored) if self.describe() and "x" in case.tensors else stored

    def restore(self, case: Case, stored: Stored, shape: tuple[int, ...]) -> Stored:
        """Converts an output to the layout of the case, in which x has this shape. It is the inverse of `arrange`."""
        if not has_channels_first(case):
            return self._to_channels_last(stored, shape, case.op)
        rows = (shape[0], *shape[2:], shape[1])
        back = self._to_channels_last(stored, rows, case.op)
        return back.like(np.moveaxis(back.data, -1, 1)) if back.data.shape == rows else back

    def user_index(self, index: Sequence[int], shape: tuple[int, ...]) -> list[int]:
        """Returns the index in a user-supplied tensor of an element whose index in the case is given.

        `shape` is that of x in the case, in which the channels are the last axis.
        """
        user_shape = self.user_shape or shape
        if self.channels_first and len(user_shape) > 2:
            *rows, channel = index
            spatial = (user_shape[0], *user_shape[2:])
            sample, *place = (int(one) for one in np.unravel_index(np.ravel_multi_index(tuple(rows), shape[:-1]), spatial))
            return [sample, channel, *place]
        return [int(one) for one in np.unravel_index(np.ravel_multi_index(tuple(index), shape), user_shape)]

    def _fit(self, shape: tuple[int, ...], op: str) -> tuple[int, ...]:
        """Returns the shape, with the channels last, that an x of this shape has with `spatial_axes` axes of positions.

        Throws NotOffered if x has more axes, and none of them may be merged.
        """
        wanted = 2 + (self.spatial_axes or 0)
        more = len(shape) - wanted
        if more <= 0:
            samples = 0 if len(shape) < 2 else 1
            ones = (1,) * -more
            return (*shape[:-1], *ones, shape[-1]) if self.channels_first else (*shape[:samples], *ones, *shape[samples:])
        first = 1 if keeps_samples_apart(op) else 0
        last = len(shape) - (2 if op in WITH_POSITIONS else 1)
        if first + more >= last:
            raise NotOffered(f"x has {len(shape)} axes, where {wanted} are taken")
        return (*shape[:first], int(np.prod(shape[first:first + more + 1])), *shape[first + more + 1:])

    def _from_channels_last(self, stored: Stored, op: str) -> Stored:
        data: Array = stored.data
        if self.reshapes and self.user_shape is None:
            data = data.reshape(self._fit(data.shape, op))
        if self.channels_first and data.ndim > 2:
            data = np.moveaxis(data, -1, 1)
        if self.user_shape is not None:
            return stored.like(np.ascontiguousarray(data).reshape(self.user_shape))
        if self.spatial_axes is not None and self.channels_first and not self.reshapes:
            wanted = 2 + self.spatial_axes
            while data.ndim < wanted and not (wanted == 3 and data.ndim == 2):
                data = data[..., None]
            if data.ndim > wanted:
                raise NotOffered(f"x has {data.ndim} axes, where {self.spatial_axes} behind the channels are taken")
        return stored.like(np.ascontiguousarray(data))

    def _to_channels_last(self, stored: Stored, shape: tuple[int, ...], op: str) -> Stored:
        """Inverts _from_channels_last for an output. An output of an unexpected shape is returned unchanged."""
        data: Array = stored.data
        if self.user_shape is not None and data.shape == tuple(self.user_shape):
            first = self.channels_first and len(shape) > 2
            data = data.reshape((shape[0], shape[-1], *shape[1:-1]) if first else shape)
            return stored.like(np.moveaxis(data, 1, -1) if first else data)
        if self.reshapes and self.user_shape is None:
            fitted = self._fit(shape, op)
            first = self.channels_first and len(fitted) > 2
            if data.shape == ((fitted[0], fitted[-1], *fitted[1:-1]) if first else fitted):
                return stored.like((np.moveaxis(data, 1, -1) if first else data).reshape(shape))
            rows = data.ndim == len(fitted) - 1 and data.size == int(np.prod(shape[:-1]))
            return stored.like(data.reshape(shape[:-1])) if rows else stored
        if not self.channels_first or len(shape) < 3 and self.spatial_axes is None:
            return stored
        moved = tuple(shape) if len(shape) < 3 else (shape[0], shape[-1], *shape[1:-1])
        if data.shape[:len(moved)] != moved or data.size != int(np.prod(shape)):
            return stored
        data = data.reshape(moved)
        return stored.like(data if len(shape) < 3 else np.moveaxis(data, 1, -1))
