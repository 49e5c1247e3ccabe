"""Converts between layouts of x. In the corpus, channels are the last axis; in a framework they may be axis 1."""
from __future__ import annotations

import dataclasses
from typing import Sequence

import numpy as np

from normproof.corpus import Case
from normproof.errors import NotOffered
from normproof.stored import Array, Stored


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
    spatial_axes     how many axes a module requires behind the channels; None for any number
    user_shape       the shape of the user-supplied x, which the implementation receives; None in check
    """
    channels_first: bool
    spatial_axes: int | None = None
    user_shape: tuple[int, ...] | None = None

    def arrange(self, case: Case, stored: Stored) -> Stored:
        """Converts a tensor with the shape of x to the layout of the framework.

        The result is contiguous, with one exception: an image whose channels are last in the case, and first in the
        framework, keeps its order in memory.
        """
        if self.user_shape is not None and "x" in case.tensors and stored.shape != case.tensors["x"].shape:
            # A grad_y of fewer axes, as of log_sum_exp. That of a vector is a scalar, but has one axis in the case.
            rows = self.user_shape[:-1] if stored.data.size == int(np.prod(self.user_shape[:-1])) else stored.shape
            return stored.like(np.ascontiguousarray(stored.data).reshape(rows))
        if has_channels_first(case):
            stored = stored.like(np.moveaxis(stored.data, 1, -1))
        moved = self._from_channels_last(stored)
        if case.options.get("layout") == "channels_last" and self.channels_first and self.user_shape is None:
            return moved.like(np.moveaxis(np.ascontiguousarray(np.moveaxis(moved.data, 1, -1)), -1, 1))
        return moved

    def restore(self, case: Case, stored: Stored, shape: tuple[int, ...]) -> Stored:
        """Converts an output to the layout of the case, in which x has this shape. It is the inverse of `arrange`."""
        if not has_channels_first(case):
            return self._to_channels_last(stored, shape)
        rows = (shape[0], *shape[2:], shape[1])
        back = self._to_channels_last(stored, rows)
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

    def _from_channels_last(self, stored: Stored) -> Stored:
        data: Array = stored.data
        if self.channels_first and data.ndim > 2:
            data = np.moveaxis(data, -1, 1)
        if self.user_shape is not None:
            return stored.like(np.ascontiguousarray(data).reshape(self.user_shape))
        if self.spatial_axes is not None and self.channels_first:
            wanted = 2 + self.spatial_axes
            while data.ndim < wanted and not (wanted == 3 and data.ndim == 2):
                data = data[..., None]
            if data.ndim > wanted:
                raise NotOffered(f"x has {data.ndim} axes, where {self.spatial_axes} behind the channels are taken")
        return stored.like(np.ascontiguousarray(data))

    def _to_channels_last(self, stored: Stored, shape: tuple[int, ...]) -> Stored:
        """Inverts _from_channels_last for an output. An output of an unexpected shape is returned unchanged."""
        data: Array = stored.data
        if self.user_shape is not None and data.shape == tuple(self.user_shape):
            first = self.channels_first and len(shape) > 2
            data = data.reshape((shape[0], shape[-1], *shape[1:-1]) if first else shape)
            return stored.like(np.moveaxis(data, 1, -1) if first else data)
        if not self.channels_first or len(shape) < 3 and self.spatial_axes is None:
            return stored
        moved = tuple(shape) if len(shape) < 3 else (shape[0], shape[-1], *shape[1:-1])
        if data.shape[:len(moved)] != moved or data.size != int(np.prod(shape)):
            return stored
        data = data.reshape(moved)
        return stored.like(data if len(shape) < 3 else np.moveaxis(data, 1, -1))
