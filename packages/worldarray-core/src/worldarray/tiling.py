"""Blocks that tile an array, and the factors of a pyramid's levels: plain records, nothing is run."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, product, starmap
from math import isfinite, prod
from numbers import Real
from typing import Any, Final, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from worldarray.arguments import Indices, index_tuple, positive
from worldarray.chunks import grid_shape, voxel_box
from worldarray.errors import ArgumentError, ArgumentIndexError, ArgumentTypeError, problem
from worldarray.geometry import TOLERANCE

_MOST: Final = sys.float_info.max
_Axis = tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[int], Sequence[int]]


class Block(NamedTuple):
    """One block: where it stands, the voxels it owns and the voxels it reads, one entry per axis in C order.

    Examples
    --------
    >>> block = blocks((10,), (4,), context=1)[1]
    >>> block.begin, block.end, block.read_begin, block.read_end, block.inner
    ((4,), (8,), (3,), (9,), (slice(1, 5, None),))
    """

    index: Indices  # type: ignore[assignment]
    """Position on the grid of blocks."""
    id: int
    """Linear position, counted in C order."""
    begin: Indices
    """First voxel of the write box; the write boxes tile without overlap or gap."""
    end: Indices
    read_begin: Indices
    """First voxel of the read box: the write box grown by the context."""
    read_end: Indices

    @property
    def inner(self) -> tuple[slice, ...]:
        """The write box inside the read box, as slices of a block that was read."""
        bounds = zip(self.begin, self.end, self.read_begin, strict=True)
        return tuple(slice(b - r, e - r) for b, e, r in bounds)


class BlockArrays(NamedTuple):
    """The bounds of many blocks: int64 arrays of shape (number of blocks, number of axes)."""

    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    read_begin: NDArray[np.int64]
    read_end: NDArray[np.int64]


@dataclass(frozen=True)
class Blocks(Sequence[Block]):
    """The blocks of an array in C order: a sequence that computes its entries; see `blocks`."""

    shape: Indices
    """The array's shape."""
    block_shape: Indices
    begin: Indices
    """First voxel of the tiled box, where the grid of blocks is anchored."""
    end: Indices
    before: Indices
    """Context below each block."""
    after: Indices
    clip: bool
    grid_shape: Indices
    """The number of blocks per axis."""

    def __len__(self) -> int:
        """Return the number of blocks."""
        return prod(self.grid_shape)

    @overload
    def __getitem__(self, item: int) -> Block: ...
    @overload
    def __getitem__(self, item: slice) -> list[Block]: ...
    def __getitem__(self, item: int | slice) -> Block | list[Block]:
        """Return the block of a linear id (negative ones count from the end), or a list for a slice of ids.

        Raises
        ------
        ArgumentIndexError
            There is no such block.
        ArgumentTypeError
            The id is no integer.
        """
        if isinstance(item, slice):
            return [self._at(i) for i in range(*item.indices(len(self)))]
        (position,) = index_tuple((item,), "id")
        total = len(self)
        if not -total <= position < total:
            message = f"there is no block {position}; there are {total}"
            raise ArgumentIndexError(problem("out_of_range", ("id",), message))
        return self._at(position % total)

    def __iter__(self) -> Iterator[Block]:
        """Yield the blocks in C order."""
        columns = [product(*axes) for axes in zip(*map(self._axis, range(len(self.shape))), strict=True)]
        index, *bounds = columns or [product() for _ in range(5)]
        return starmap(Block, zip(index, count(), *bounds, strict=False))

    def __contains__(self, block: object) -> bool:
        """Whether a record is a block of this sequence."""
        return isinstance(block, Block) and 0 <= block.id < len(self) and self._at(block.id) == block

    def index_of(self, begin: Sequence[int]) -> tuple[int, ...]:
        """Return the position on the grid of blocks of the block whose first voxel is `begin`.

        Raises
        ------
        ArgumentError
            No block begins there.

        Examples
        --------
        >>> blocks((10, 20), (4, 8)).index_of((4, 16))
        (1, 2)
        """
        first = index_tuple(begin, "begin", len(self.shape))
        index = []
        for axis, (b, o, c, n) in enumerate(zip(first, self.begin, self.block_shape, self.grid_shape, strict=True)):
            position, rest = divmod(b - o, c)
            outside = not 0 <= position < n
            if rest or outside:
                message = f"no block begins at {b} on axis {axis}; blocks of {c} begin at {o} and there are {n}"
                raise ArgumentError(problem("out_of_range" if outside else "not_aligned", ("begin", axis), message))
            index.append(position)
        return tuple(index)

    def id_of(self, begin: Sequence[int]) -> int:
        """Return the linear id of the block whose first voxel is `begin`.

        Raises
        ------
        ArgumentError
            No block begins there.

        Examples
        --------
        >>> blocks((10, 20), (4, 8)).id_of((4, 16))
        5
        """
        linear = 0
        for position, n in zip(self.index_of(begin), self.grid_shape, strict=True):
            linear = linear * n + position
        return linear

    def arrays(self, start: int = 0, stop: int | None = None) -> BlockArrays:
        """Return the bounds of the blocks with ids ``[start, stop)`` as integer arrays, for millions of them.

        Raises
        ------
        ArgumentError
            ``0 <= start <= stop <= len(blocks)`` does not hold.

        Examples
        --------
        >>> blocks((10, 20), (4, 8)).arrays(4).begin.tolist()
        [[4, 8], [4, 16], [8, 0], [8, 8], [8, 16]]
        """
        total = len(self)
        first, last = index_tuple((start, total if stop is None else stop), "start and stop")
        if not 0 <= first <= last <= total:
            message = f"ids [{first}, {last}) are not among those of {total} blocks; give 0 <= start <= stop"
            raise ArgumentError(problem("out_of_range", ("start",), message))
        bounds = np.empty((4, len(self.shape), last - first), np.int64)
        rest = np.arange(first, last, dtype=np.int64)
        for axis in reversed(range(len(self.shape))):
            above = rest // self.grid_shape[axis]
            position = rest - above * self.grid_shape[axis]
            np.take(self._axis_arrays(axis), position, axis=1, out=bounds[:, axis], mode="clip")
            rest = above
        return BlockArrays(*(part.T for part in bounds))

    def _at(self, position: int) -> Block:
        index = []
        rest = position
        for n in reversed(self.grid_shape):
            rest, i = divmod(rest, n)
            index.append(i)
        index.reverse()
        begin = tuple(o + i * c for i, o, c in zip(index, self.begin, self.block_shape, strict=True))
        end = tuple(min(b + c, e) for b, c, e in zip(begin, self.block_shape, self.end, strict=True))
        read_begin = tuple(map(operator.sub, begin, self.before))
        read_end = tuple(map(operator.add, end, self.after))
        if self.clip:
            read_begin = tuple(max(b, 0) for b in read_begin)
            read_end = tuple(map(min, read_end, self.shape))
        return Block(tuple(index), position, begin, end, read_begin, read_end)

    def _axis_arrays(self, axis: int) -> NDArray[np.int64]:
        """Return the four bounds of the blocks along one axis, as rows."""
        n, c = self.grid_shape[axis], self.block_shape[axis]
        begin = np.arange(n, dtype=np.int64) * c + self.begin[axis]
        end = np.minimum(begin + c, self.end[axis])
        read_begin, read_end = begin - self.before[axis], end + self.after[axis]
        if self.clip:
            np.maximum(read_begin, 0, out=read_begin)
            np.minimum(read_end, self.shape[axis], out=read_end)
        return np.stack((begin, end, read_begin, read_end))

    def _axis(self, axis: int) -> _Axis:
        begin, end, read_begin, read_end = self._axis_arrays(axis).tolist()
        return range(len(begin)), begin, end, read_begin, read_end


def blocks(
    shape: Sequence[int],
    block_shape: Sequence[int],
    context: int | Sequence[int | tuple[int, int]] = 0,
    box: Any = None,
    clip: bool = True,
) -> Blocks:
    """Return the blocks, in C order, whose write boxes tile ``[0, shape)``, or `box`, without overlap or gap.

    Nothing is read or scheduled: blocks and their sequence are plain, picklable records.

    Parameters
    ----------
    shape
        The array's shape in voxels.
    block_shape
        Voxels per block and axis; the last block of an axis is clipped.
    context
        Voxels that a read box has more than its write box: one number for every side, one per axis, or a
        ``(before, after)`` pair per axis.
    box
        A box of voxels inside the array, as a (begin, end) pair or anything with ``begin`` and ``end``; the grid of
        blocks is anchored at its begin.
    clip
        Whether read boxes end where the array does; False leaves them whole, for a padded ``read_index``.

    Raises
    ------
    ArgumentError
        A list has another length than `shape`, a block is not positive, a context is negative, the box does not lie
        in the array, or there are more blocks than can be counted.
    ArgumentTypeError
        A number is no integer.

    Examples
    --------
    >>> tiles = blocks((10, 20), (4, 8), context=1)
    >>> len(tiles), tiles[5].begin, tiles[5].end, tiles[5].read_begin, tiles[5].read_end
    (9, (4, 16), (8, 20), (3, 15), (9, 20))
    """
    sizes = index_tuple(shape, "shape")
    unit = index_tuple(block_shape, "block_shape", len(sizes))
    for axis, c in enumerate(unit):
        if c < 1:
            message = f"block_shape is {c} on axis {axis}; give 1 or more"
            raise ArgumentError(problem("not_positive", ("block_shape", axis), message))
    begin, end = _inside(box, sizes)
    before, after = _context(context, len(sizes))
    grid = grid_shape(tuple(map(operator.sub, end, begin)), unit)
    if prod(grid) > sys.maxsize:
        message = f"{prod(grid)} blocks are more than can be counted; give larger blocks"
        raise ArgumentError(problem("out_of_range", ("block_shape",), message))
    return Blocks(sizes, unit, begin, end, before, after, clip, grid)


def _inside(box: Any, shape: Indices) -> tuple[Indices, Indices]:
    if box is None:
        return (0,) * len(shape), shape
    bounds = (box.begin, box.end) if hasattr(box, "begin") and hasattr(box, "end") else box
    try:
        low, high = bounds
    except (TypeError, ValueError):
        message = f"{box!r} is no box of voxels; give a (begin, end) pair of integers per axis"
        raise ArgumentTypeError(problem("wrong_type", ("box",), message)) from None
    begin, end = voxel_box(low, high, len(shape))
    for axis, (b, e, n) in enumerate(zip(begin, end, shape, strict=True)):
        if b < 0 or e > n:
            message = f"the box is [{b}, {e}) on axis {axis}, outside the array's [0, {n}); intersect it first"
            raise ArgumentError(problem("out_of_range", ("box", axis), message))
    return begin, end


def _is_list(value: Any) -> bool:
    """Whether a value has entries; an array without axes has a length by name alone."""
    return hasattr(value, "__len__") and getattr(value, "ndim", 1) != 0


def _context(context: Any, ndim: int) -> tuple[Indices, Indices]:
    each = tuple(context) if _is_list(context) else (context,) * ndim
    if len(each) != ndim:
        message = (
            f"context has {len(each)} entries; give one number, or one or a (before, after) pair for each of {ndim}"
        )
        raise ArgumentError(problem("wrong_length", ("context",), message))
    pairs = [index_tuple(c if _is_list(c) else (c, c), "context", 2) for c in each]
    for axis, pair in enumerate(pairs):
        if min(pair) < 0:
            message = f"context is {pair} on axis {axis}; give 0 or more voxels"
            raise ArgumentError(problem("out_of_range", ("context", axis), message))
    return tuple(b for b, _ in pairs), tuple(a for _, a in pairs)


def level_factors(
    voxel_size: Sequence[float],
    ratio: float = 1.5,
    max_levels: int | None = None,
    stop_shape: Sequence[int] | None = None,
    shape: Sequence[int] | None = None,
) -> list[tuple[int, ...]]:
    """Return, for each level after the first, the factors per axis over the level before it.

    A factor is 2 on every axis whose voxel size is within `ratio` of the smallest at that level, and 1 elsewhere,
    so that an anisotropic volume becomes isotropic first.

    Parameters
    ----------
    voxel_size
        Of the finest level, one entry per axis, in one unit.
    ratio
        How much larger than the smallest a voxel size may be and still be halved; 1 or more.
    max_levels
        The most levels to return.
    stop_shape, shape
        Stop as soon as a level, starting with `shape` itself, is no larger than `stop_shape` on any axis. A level
        has ``ceil(n / factor)`` voxels; levels also stop once every axis has one.

    Raises
    ------
    ArgumentError
        Neither `max_levels` nor `stop_shape` is given, `stop_shape` is without `shape`, or a value makes no sense.

    Examples
    --------
    >>> level_factors((30.0, 8.0, 8.0), max_levels=3)
    [(1, 2, 2), (1, 2, 2), (2, 2, 2)]
    >>> level_factors((8.0, 8.0), stop_shape=(64, 64), shape=(200, 100))
    [(2, 2), (2, 2)]
    """
    sizes = positive(voxel_size, "voxel_size")
    limit, current, target = _schedule(ratio, max_levels, stop_shape, shape, len(sizes))
    levels: list[Indices] = []
    while (limit is None or len(levels) < limit) and not _fits(current, target):
        reach = min(sizes, default=1.0) * ratio * (1 + TOLERANCE)
        factors = tuple(2 if s <= reach else 1 for s in sizes)
        levels.append(factors)
        sizes = tuple(map(operator.mul, sizes, factors))
        if not all(map(isfinite, sizes)):
            message = f"level {len(levels)} has voxels larger than a float holds; give fewer max_levels, or stop_shape"
            raise ArgumentError(problem("out_of_range", ("max_levels",), message))
        current = None if current is None else grid_shape(current, factors)
    return levels


def _fits(shape: Indices | None, target: Indices | None) -> bool:
    """Whether a level is small enough, or cannot shrink."""
    if shape is None:
        return False
    return all(n <= 1 for n in shape) or (target is not None and all(map(operator.le, shape, target)))


def _schedule(
    ratio: float,
    max_levels: int | None,
    stop_shape: Sequence[int] | None,
    shape: Sequence[int] | None,
    ndim: int,
) -> tuple[int | None, Indices | None, Indices | None]:
    given: object = ratio
    if not isinstance(given, Real):
        raise ArgumentTypeError(problem("wrong_type", ("ratio",), f"ratio is {ratio!r}; give a number of 1 or more"))
    if not 1 <= ratio <= _MOST:
        raise ArgumentError(problem("out_of_range", ("ratio",), f"ratio is {ratio}; give a number of 1 or more"))
    if max_levels is None and stop_shape is None:
        message = "nothing says when to stop; give max_levels, or stop_shape with shape"
        raise ArgumentError(problem("invalid_argument", ("max_levels",), message))
    if stop_shape is not None and shape is None:
        message = "stop_shape needs the shape of the finest level; give shape"
        raise ArgumentError(problem("invalid_argument", ("shape",), message))
    limit = None if max_levels is None else index_tuple((max_levels,), "max_levels")[0]
    if limit is not None and limit < 0:
        raise ArgumentError(problem("out_of_range", ("max_levels",), f"max_levels is {limit}; give 0 or more"))
    lists = {
        name: None if value is None else index_tuple(value, name, ndim)
        for name, value in (("shape", shape), ("stop_shape", stop_shape))
    }
    for name, values in lists.items():
        lowest = min(values, default=1) if values is not None else 1
        if lowest < (1 if name == "stop_shape" else 0):
            raise ArgumentError(problem("out_of_range", (name,), f"{name} is {values}; give positive numbers"))
    return limit, lists["shape"], lists["stop_shape"]
