"""Sums of overlapping patches, block by block: a block that has all its patches is handed on and forgotten.

Blocks that still wait are kept in memory up to a limit; beyond it those that were not touched for longest lie in a
scratch folder.
"""

from __future__ import annotations

import itertools
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from miao.records import Ints

Array = np.ndarray[Any, Any]
Emit = Callable[[Ints, Array], None]
"""Takes where a block begins and its weighted mean, the channel first where there is one."""


class BlockSums:
    """Weighted sums over a grid of blocks.

    Parameters
    ----------
    shape, block
        Voxels of the whole and of a block, per spatial axis.
    channels
        Of a patch; 0 for patches without a channel axis.
    origins
        Per axis, where windows begin, ascending: every combination is one patch.
    patch
        Voxels of a patch.
    emit
        Called with each block that is complete.
    memory
        Bytes of waiting blocks that are kept in memory.
    """

    def __init__(
        self,
        shape: Ints,
        block: Ints,
        channels: int,
        origins: Sequence[Sequence[int]],
        patch: Ints,
        emit: Emit,
        memory: int,
    ) -> None:
        self._shape, self._block, self._channels, self._patch = shape, block, channels, patch
        self._emit, self._memory = emit, memory
        self._expected = [_windows_per_block(shape[a], block[a], origins[a], patch[a]) for a in range(len(shape))]
        self._waiting: OrderedDict[Ints, Array] = OrderedDict()
        self._left: dict[Ints, int] = {}
        self._spilled: dict[Ints, Path] = {}
        self._held = 0
        self._scratch = tempfile.TemporaryDirectory(prefix="miao-stitch-")

    def add(self, start: Ints, values: Array, weights: Array) -> None:
        """Add one patch, float32, the channel first where there is one, that begins at a voxel of the whole."""
        for index in self._touched(start):
            sums = self._take(index)
            inner, outer = self._overlap(index, start)
            part = weights[outer]
            sums[-1][inner] += part
            into, of = (slice(0, -1), *inner), (slice(None), *outer)
            sums[into] += values[of] * part
            self._left[index] -= 1
            if self._left[index]:
                self._keep(index, sums)
            else:
                del self._left[index]
                self._emit(*self._mean(index, sums))

    def finish(self) -> int:
        """Hand on the blocks that still wait for patches, and return how many there were."""
        waiting = sorted(self._left)
        for index in waiting:
            self._emit(*self._mean(index, self._take(index)))
        self._left.clear()
        return len(waiting)

    def close(self) -> None:
        """Remove the scratch folder."""
        self._waiting.clear()
        self._scratch.cleanup()

    def _touched(self, start: Ints) -> Iterator[Ints]:
        spans = [
            range(begin // block, -(-(begin + size) // block))
            for begin, size, block in zip(start, self._patch, self._block, strict=True)
        ]
        return itertools.product(*spans)

    def _extent(self, index: Ints) -> Ints:
        return tuple(
            min(block, whole - i * block) for i, block, whole in zip(index, self._block, self._shape, strict=True)
        )

    def _overlap(self, index: Ints, start: Ints) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
        """Return where a patch lies in a block, and which part of the patch that is."""
        inner, outer = [], []
        for i, block, extent, begin, size in zip(
            index, self._block, self._extent(index), start, self._patch, strict=True
        ):
            low, high = max(begin, i * block), min(begin + size, i * block + extent)
            inner.append(slice(low - i * block, high - i * block))
            outer.append(slice(low - begin, high - begin))
        return tuple(inner), tuple(outer)

    def _take(self, index: Ints) -> Array:
        """Return the sums of a block, which is not kept any more: its channels, then the weights."""
        if index in self._waiting:
            sums = self._waiting.pop(index)
            self._held -= sums.nbytes
            return sums
        if index in self._spilled:
            path = self._spilled.pop(index)
            loaded: Array = np.load(path)
            path.unlink()
            return loaded
        self._left.setdefault(index, int(np.prod([counts[i] for counts, i in zip(self._expected, index, strict=True)])))
        return np.zeros((max(self._channels, 1) + 1, *self._extent(index)), "float32")

    def _keep(self, index: Ints, sums: Array) -> None:
        self._waiting[index] = sums
        self._held += sums.nbytes
        while self._held > self._memory and len(self._waiting) > 1:
            oldest, values = self._waiting.popitem(last=False)
            path = Path(self._scratch.name, "_".join(map(str, oldest)) + ".npy")
            np.save(path, values)
            self._spilled[oldest] = path
            self._held -= values.nbytes

    def _mean(self, index: Ints, sums: Array) -> tuple[Ints, Array]:
        weights = sums[-1]
        mean = np.divide(sums[:-1], weights, out=np.zeros_like(sums[:-1]), where=weights > 0)
        start = tuple(i * block for i, block in zip(index, self._block, strict=True))
        return start, mean if self._channels else mean[0]


def _windows_per_block(extent: int, block: int, origins: Sequence[int], size: int) -> list[int]:
    """Return how many windows along one axis reach into each block."""
    counts = [0] * -(-extent // block)
    for begin in origins:
        for index in range(begin // block, -(-(begin + size) // block)):
            counts[index] += 1
    return counts
