"""Grids of windows that cover a volume: each position is computed from its number, none is stored."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, prod
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from miao.records import Ints, Span

_WHOLE: Final = 1e-9
"""What a product of a position and a stride may lack to be the next whole number."""


@dataclass(frozen=True)
class AxisGrid:
    """The origins of the windows along one axis, from `first` to `last`, both inclusive."""

    first: int
    last: int
    stride: float
    """Voxels from one origin to the next, before each is rounded down."""
    count: int

    def origin(self, index: int) -> int:
        """Return where window `index` begins: the last one ends where the range ends.

        Examples
        --------
        >>> axis = axis_grid(0, 34, 12.0, 16)
        >>> [axis.origin(k) for k in range(axis.count)]
        [0, 12, 24, 34]
        """
        if index == self.count - 1:
            return self.last
        return self.first + floor(index * self.stride + _WHOLE)


def axis_grid(first: int, last: int, stride: float, size: int) -> AxisGrid:
    """Return the grid of windows of `size` voxels whose origins go from `first` to `last`.

    Parameters
    ----------
    first, last
        The least and the greatest origin.
    stride
        Voxels from one origin to the next; it may have a fraction. At least 1 and at most `size` are taken, so that
        no window comes twice and no voxel is left out.
    size
        Voxels of a window.

    Examples
    --------
    >>> axis_grid(0, 20, 7.5, 8).count
    4
    """
    stride = min(max(stride, 1.0), float(size))
    span = last - first
    steps = ceil((span - _WHOLE) / stride) if span > 0 else 0
    while steps > 0 and floor((steps - 1) * stride + _WHOLE) >= span:
        steps -= 1
    while floor(steps * stride + _WHOLE) < span:
        steps += 1
    return AxisGrid(first, last, stride, steps + 1)


@dataclass(frozen=True)
class Grid:
    """The windows of a volume: every combination of the axes' origins, the last axis fastest.

    Axes are in the store's order. It holds four numbers per axis, however many windows there are.

    Examples
    --------
    >>> grid = Grid((axis_grid(0, 34, 12.0, 16), axis_grid(0, 1, 16.0, 16)))
    >>> len(grid), grid.index(3), grid.origin(grid.index(3))
    (8, (1, 1), (12, 1))
    """

    axes: tuple[AxisGrid, ...]

    @property
    def count(self) -> int:
        """How many windows there are."""
        return prod(axis.count for axis in self.axes)

    def __len__(self) -> int:
        """Return how many windows there are."""
        return self.count

    def index(self, position: int) -> Ints:
        """Return the position on each axis of the window of a number from 0 to ``len(self) - 1``."""
        found = []
        for axis in reversed(self.axes):
            position, remainder = divmod(position, axis.count)
            found.append(remainder)
        return tuple(reversed(found))

    def origin(self, index: Ints) -> Ints:
        """Return where the window of a position on each axis begins, in voxels of the level."""
        return tuple(axis.origin(k) for axis, k in zip(self.axes, index, strict=True))

    def origins(self) -> tuple[Ints, ...]:
        """Return all origins of each axis."""
        return tuple(tuple(axis.origin(k) for k in range(axis.count)) for axis in self.axes)


def grid_of(ranges: Sequence[Span], strides: Sequence[float], size: Ints) -> Grid:
    """Return the grid over origins in `ranges`, both ends inclusive, per axis."""
    return Grid(
        tuple(
            axis_grid(first, last, stride, count)
            for (first, last), stride, count in zip(ranges, strides, size, strict=True)
        )
    )
