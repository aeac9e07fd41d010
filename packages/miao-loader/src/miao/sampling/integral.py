"""Sums of a mask over boxes whose faces may cut its voxels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

Array = np.ndarray[Any, Any]

_SLAB: Final = 1 << 22
"""How many sums are worked on together."""


class Integral:
    """How much foreground lies in a box of a mask; there is none outside the mask.

    Places count mask voxels from the mask's lower corner; a voxel that lies partly in a box counts by that part.

    Examples
    --------
    >>> sums = Integral(np.array([[True, False, True], [True, True, False]]))
    >>> sums.inside([0.0, 0.5], [2.0, 2.5])
    2.5
    >>> sums.inside([-5.0, 0.0], [0.5, 9.0])
    1.0
    """

    def __init__(self, mask: Array) -> None:
        dtype = np.uint32 if mask.size < 1 << 32 else np.uint64
        sums = np.zeros(tuple(size + 1 for size in mask.shape), dtype)
        inner = sums[tuple(slice(1, None) for _ in mask.shape)]
        inner[...] = mask
        for axis in range(mask.ndim):
            np.cumsum(inner, axis=axis, dtype=dtype, out=inner)
        self._sums = sums

    def inside(self, begins: Sequence[float], ends: Sequence[float]) -> float:
        """Return how many voxels of foreground lie in one box."""
        index, weights = [], []
        for begin, end, size in zip(begins, ends, self._sums.shape, strict=True):
            (low, part), (high, rest) = _between(begin, size - 1), _between(end, size - 1)
            index.append([low, low + 1, high, high + 1])
            weights.append([part - 1.0, -part, 1.0 - rest, rest])
        block: Array = self._sums[np.ix_(*index)].astype(np.float64)
        for row in reversed(weights):
            block = block @ row
        return float(block)

    def insides(self, begins: Sequence[Array], ends: Sequence[Array]) -> Array:
        """Return the same for every combination of the axes' boxes, as an array over them."""
        found = np.empty(tuple(len(row) for row in begins))
        step = max(1, _SLAB * self._sums.shape[0] // self._sums.size)
        for first in range(0, len(found), step):
            part = slice(first, first + step)
            block = _difference(self._sums, begins[0][part], ends[0][part], 0)
            for axis in range(1, found.ndim):
                block = _difference(block, begins[axis], ends[axis], axis)
            found[part] = block
        return found


def _between(place: float, last: int) -> tuple[int, float]:
    """Return the sum below a place, and which part of the way to the next one it is."""
    clipped = min(max(place, 0.0), float(last))
    below = min(int(clipped), last - 1)
    return below, clipped - below


def _difference(sums: Array, begins: Array, ends: Array, axis: int) -> Array:
    return _along(sums, ends, axis) - _along(sums, begins, axis)


def _along(sums: Array, places: Array, axis: int) -> Array:
    """Return the sums at places along one axis; they are linear between voxels."""
    last = sums.shape[axis] - 1
    clipped = np.clip(places, 0, last)
    below = np.minimum(clipped.astype(np.int64), last - 1)
    part = (clipped - below).reshape([-1 if k == axis else 1 for k in range(sums.ndim)])
    first = np.take(sums, below, axis)
    # Of unsigned sums, which grow along every axis, the difference is no less than 0.
    found: Array = first + (np.take(sums, below + 1, axis) - first) * part
    return found
