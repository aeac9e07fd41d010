"""The three kernels along one axis, as data: which source voxels make each target voxel, and with what weight."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Pick:
    """Every target voxel is one source voxel: `index` says which, as a slice where they are evenly spaced."""

    index: slice | Array
    count: int

    gain = 1
    density = 1.0

    def cut(self, first: int, stop: int) -> tuple[int, int, Pick]:
        """Return the source voxels [lo, hi) that the targets [first, stop) need, and their kernel over those."""
        if isinstance(self.index, slice):
            low, step = self.index.start + first * self.index.step, self.index.step
            high = low + (stop - first - 1) * step + 1
            return low, high, Pick(slice(0, high - low, step), stop - first)
        index = self.index[first:stop]
        low, high = int(index.min()), int(index.max()) + 1
        return low, high, Pick(index - low, stop - first)

    def runs(self) -> list[tuple[int, int, int]]:
        """Return (first, stop, denominator) over the targets."""
        return [(0, self.count, 1)]


@dataclass(frozen=True)
class Mean:
    """Every target voxel is the mean of a block of `factor` source voxels, of what there is of it.

    Block k is ``[start + k * factor, start + (k + 1) * factor)`` of the source, cut to ``[0, length)``; `start`
    is in ``(-factor, 0]`` and every block holds at least one voxel.
    """

    factor: int
    start: int
    length: int
    count: int

    @property
    def gain(self) -> int:
        """The most that a sum can exceed the largest value by."""
        return min(self.factor, self.length)

    def cut(self, first: int, stop: int) -> tuple[int, int, Mean]:
        """Return the source voxels [lo, hi) that the targets [first, stop) need, and their kernel over those."""
        low = max(self.start + first * self.factor, 0)
        high = min(self.start + stop * self.factor, self.length)
        start = self.start + first * self.factor - low
        return low, high, Mean(self.factor, start, high - low, stop - first)

    @property
    def density(self) -> float:
        """How many source voxels there are to a target voxel."""
        return min(self.factor, self.length)

    def blocks(self) -> tuple[int, int]:
        """Return the first and the stop of the blocks that are not cut short."""
        first = 1 if self.start < 0 else 0
        stop = self.count - 1 if self.start + self.count * self.factor > self.length else self.count
        return first, max(stop, first)

    def bounds(self, block: int) -> tuple[int, int]:
        """Return the source voxels [lo, hi) of one block."""
        start = self.start + block * self.factor
        return max(start, 0), min(start + self.factor, self.length)

    def cut_blocks(self) -> list[int]:
        """Return the blocks that are cut short, in order."""
        first, stop = self.blocks()
        return [*range(first), *range(stop, self.count)] if self.count else []

    def runs(self) -> list[tuple[int, int, int]]:
        """Return (first, stop, denominator) over the targets: how many voxels each block holds."""
        first, stop = self.blocks()
        found = [(first, stop, self.factor)] if stop > first else []
        for block in self.cut_blocks():
            low, high = self.bounds(block)
            found.append((block, block + 1, high - low))
        return found


@dataclass(frozen=True, eq=False)
class Linear:
    """Every target voxel lies between two source voxels, `weight / denominator` of the way from lower to upper.

    Where the weight is 0 both are the same voxel, so that nothing else touches the target. Within the targets `core`
    [first, stop) no voxel is a repeated border, and `period` targets on the weights come again, `advance` voxels on.
    """

    lower: Array
    weight: Array
    denominator: int
    period: int
    advance: int
    core: tuple[int, int]

    @property
    def count(self) -> int:
        """How many target voxels there are."""
        return len(self.lower)

    @property
    def gain(self) -> int:
        """The most that a weighted sum can exceed the largest value by."""
        return self.denominator

    @property
    def density(self) -> float:
        """How many source voxels there are to a target voxel."""
        return min(self.advance, self.period << 62) / self.period

    def cut(self, first: int, stop: int) -> tuple[int, int, Linear]:
        """Return the source voxels [lo, hi) that the targets [first, stop) need, and their kernel over those."""
        lower, weight = self.lower[first:stop], self.weight[first:stop]
        low, high = int(lower[0]), int(lower[-1]) + (2 if weight[-1] else 1)
        begin, end = (min(max(place, first), stop) - first for place in self.core)
        return low, high, replace(self, lower=lower - low, weight=weight, core=(begin, end))

    def runs(self) -> list[tuple[int, int, int]]:
        """Return (first, stop, denominator) over the targets."""
        return [(0, self.count, self.denominator)]


Kernel = Pick | Mean | Linear
