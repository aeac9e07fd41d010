"""What a numpy key selects, as boxes to read and a key of what was read.

A key is taken apart per axis into the indices that it needs; those are read, box by box, into an array without gaps
(the compact array), and numpy applies what is left of the key to it. So every key means what it means to numpy.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Shape = tuple[int, ...]
Indices = NDArray[np.intp]
Needed = range | Indices
"""The indices of one axis that are needed, rising: all from one to another, or an array of them."""

_ALL: Final = slice(None)
LARGEST_WASTE: Final = 1 << 20
"""How many elements may be read that are not asked for, where points are picked."""


@dataclass(frozen=True)
class Selection:
    """What a key selects of an array."""

    needed: tuple[Needed, ...]
    rest: tuple[Any, ...]
    """The key of the compact array."""
    shape: Shape
    """Of the result."""
    points: tuple[int, ...]
    """The axes that arrays of indices pick from together, one index of each per point; none, or one, means boxes do."""

    @property
    def compact(self) -> Shape:
        """The shape of the compact array."""
        return tuple(len(each) for each in self.needed)

    @property
    def boxed(self) -> bool:
        """Whether slices and whole numbers select, so that every element of the compact array is selected, once."""
        return not any(isinstance(each, np.ndarray | bool) for each in self.rest)

    @property
    def wasteful(self) -> bool:
        """Whether the compact array is far larger than the result."""
        return len(self.points) > 1 and math.prod(self.compact) > LARGEST_WASTE + 4 * math.prod(self.shape)


@dataclass(frozen=True)
class Box:
    """A box, and the shape that its values have in a result; None where they are one scalar."""

    start: Shape
    stop: Shape
    shape: Shape | None

    @property
    def size(self) -> Shape:
        """How far it reaches per axis."""
        return tuple(b - a for a, b in zip(self.start, self.stop, strict=True))


def box_of(key: Any, shape: Shape) -> Box | None:
    """Return the box of a key that is whole numbers, slices that step by one, and an Ellipsis.

    None for every other key, and for one that is wrong: `select` says so then.

    Examples
    --------
    >>> box_of((2, ..., slice(1, 9)), (3, 4, 5))
    Box(start=(2, 0, 1), stop=(3, 4, 5), shape=(4, 4))
    >>> box_of(slice(None, None, 2), (3,)) is None
    True
    """
    keys = key if type(key) is tuple else (key,)
    every, dots = _filled(keys, len(shape))
    if len(every) != len(shape):
        return None
    start, stop, left = [], [], []
    for one, size in zip(every, shape, strict=True):
        if type(one) is slice:
            try:
                a, b, step = one.indices(size)
            except TypeError:
                return None
            if step != 1:
                return None
            b = max(a, b)
            left.append(b - a)
        elif (type(one) is int or isinstance(one, np.integer)) and -size <= one < size:
            a = int(one) + size if one < 0 else int(one)
            b = a + 1
        else:
            return None
        start.append(a)
        stop.append(b)
    return Box(tuple(start), tuple(stop), tuple(left) if left or dots else None)


def _filled(keys: tuple[Any, ...], ndim: int) -> tuple[tuple[Any, ...], bool]:
    """Put whole slices in place of the Ellipsis, or at the end; say whether there was one."""
    for place, one in enumerate(keys):
        if one is Ellipsis:
            return (*keys[:place], *[_ALL] * (ndim - len(keys) + 1), *keys[place + 1 :]), True
    return (*keys, *[_ALL] * (ndim - len(keys))), False


def select(key: Any, shape: Shape) -> Selection:
    """Return what any key selects.

    Raises
    ------
    IndexError
        As numpy's.
    """
    result = np.broadcast_to(np.empty((), bool), shape)[key].shape
    needed: list[Needed] = []
    rest: list[Any] = []
    points: list[int] = []
    for one in _expanded(key, len(shape)):
        axis = len(needed)
        if one is None or isinstance(one, bool):
            rest.append(one)
        elif isinstance(one, slice):
            indices = range(*one.indices(shape[axis]))
            needed.append(_rising(indices))
            rest.append(slice(None, None, -1 if indices.step < 0 else 1))
        elif isinstance(one, int):
            at = one + shape[axis] if one < 0 else one
            needed.append(range(at, at + 1))
            rest.append(0)
        else:
            every = np.where(one < 0, one + shape[axis], one)
            unique, inverse = np.unique(every, return_inverse=True)
            needed.append(unique.astype(np.intp))
            rest.append(inverse.reshape(every.shape))
            points.append(axis)
    if not isinstance(key, tuple) or any(one is Ellipsis for one in key):
        rest.append(Ellipsis)  # an array without axes comes back then, and no scalar
    return Selection(tuple(needed), tuple(rest), result, tuple(points))


def _expanded(key: Any, ndim: int) -> Iterator[Any]:
    """Yield what a key has for each axis, and for each new one: None, a bool, a slice, an int, an array of indices."""
    keys = [_plain(one) for one in (key if isinstance(key, tuple) else (key,))]
    used = sum(_consumed(one) for one in keys)
    if not any(one is Ellipsis for one in keys):
        keys.append(Ellipsis)
    for one in keys:
        if one is Ellipsis:
            yield from [slice(None)] * (ndim - used)
        elif isinstance(one, np.ndarray) and one.dtype == bool:
            yield from one.nonzero()
        else:
            yield one


def _plain(one: Any) -> Any:
    if one is None or one is Ellipsis or isinstance(one, slice | bool):
        return one
    found = np.asarray(one)
    if found.ndim == 0:
        return bool(found) if found.dtype == bool else int(found)
    return found if found.dtype == bool else found.astype(np.intp)


def _consumed(one: Any) -> int:
    if one is None or one is Ellipsis or isinstance(one, bool):
        return 0
    return int(one.ndim) if isinstance(one, np.ndarray) and one.dtype == bool else 1


def _rising(indices: range) -> Needed:
    ordered = indices if indices.step > 0 else indices[::-1]
    if ordered.step == 1 or len(ordered) < 2:
        return range(ordered.start, ordered.start + len(ordered))
    return np.arange(ordered.start, ordered.stop, ordered.step, dtype=np.intp)


@dataclass(frozen=True)
class Piece:
    """One box, and which part of the compact array it holds."""

    start: Shape
    stop: Shape
    inside: tuple[Any, ...]
    """The key of the box for what is needed, for `numpy.ix_`; slices where all is."""
    target: tuple[slice, ...]
    """Where that stands in the compact array."""

    @property
    def whole(self) -> bool:
        """Whether all of the box is needed."""
        return all(isinstance(each, slice) for each in self.inside)

    @property
    def key(self) -> tuple[Any, ...]:
        """The key of the box as numpy takes it."""
        if self.whole:
            return self.inside
        sizes = [b - a for a, b in zip(self.start, self.stop, strict=True)]
        arrays = [np.arange(n) if isinstance(k, slice) else k for k, n in zip(self.inside, sizes, strict=True)]
        return np.ix_(*arrays)


def pieces(needed: Sequence[Needed], blocks: Sequence[int]) -> Iterator[Piece]:
    """Yield the boxes to read; indices that are further apart than a block are read apart."""
    for row in itertools.product(*(list(_runs(*each)) for each in zip(needed, blocks, strict=True))):
        starts, stops, insides, targets = zip(*row, strict=True) if row else ((), (), (), ())
        yield Piece(starts, stops, insides, targets)


def _runs(needed: Needed, block: int) -> Iterator[tuple[int, int, Any, slice]]:
    if isinstance(needed, range):
        if needed:
            yield needed.start, needed.stop, slice(None), slice(None)
        return
    if not len(needed):
        return
    breaks = np.flatnonzero(np.diff(needed) > max(block, 1)) + 1
    begin = 0
    for end in (*breaks.tolist(), len(needed)):
        run = needed[begin:end]
        low, high = int(run[0]), int(run[-1]) + 1
        yield low, high, slice(None) if high - low == len(run) else run - low, slice(begin, end)
        begin = end


@dataclass(frozen=True)
class Points:
    """Points that lie in one chunk: which they are, and the selection of just them."""

    which: Indices
    needed: tuple[Needed, ...]
    inside: tuple[Indices, ...]
    """Per picked axis, their indices in the compact array."""


@dataclass(frozen=True)
class Picking:
    """Points that are picked chunk by chunk: they make an array (points, the other axes), the picked array."""

    groups: tuple[Points, ...]
    shape: Shape
    """Of the picked array."""
    order: tuple[int, ...]
    """The axes of a compact array: the picked ones first."""
    final_shape: Shape
    """The picked array as an array with one axis per axis: the points on the first picked one."""
    final_order: tuple[int, ...]
    rest: tuple[Any, ...]
    """The key of that."""

    def spread(self, picked: NDArray[Any]) -> NDArray[Any]:
        """Return the picked array with one axis per axis."""
        found: NDArray[Any] = picked.transpose(self.final_order).reshape(self.final_shape)
        return found


def picking(found: Selection, chunks: Shape) -> Picking:
    """Return how the points of a selection are picked chunk by chunk."""
    axes = found.points
    others = [axis for axis in range(len(found.needed)) if axis not in axes]
    places = [place for place, one in enumerate(found.rest) if isinstance(one, np.ndarray)]
    spread = np.broadcast_arrays(*(found.rest[place] for place in places))
    wanted = [_array(found.needed[axis])[each.ravel()] for axis, each in zip(axes, spread, strict=True)]
    cells = np.stack([each // chunks[axis] for axis, each in zip(axes, wanted, strict=True)])
    _, which = np.unique(cells, axis=1, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    bounds = np.flatnonzero(np.diff(which.ravel()[order])) + 1
    groups = [_points(found, group, wanted) for group in np.split(order, bounds) if len(group)]
    count = wanted[0].size
    lengths = tuple(len(found.needed[axis]) for axis in others)
    final = [1 if axis in axes else len(each) for axis, each in enumerate(found.needed)]
    final[axes[0]] = count
    rest = list(found.rest)
    for place in places:
        rest[place] = np.zeros(spread[0].shape, np.intp)
    rest[places[0]] = np.arange(count).reshape(spread[0].shape)
    kept = sorted([axes[0], *others])
    moved = tuple(0 if axis == axes[0] else 1 + others.index(axis) for axis in kept)
    return Picking(tuple(groups), (count, *lengths), (*axes, *others), tuple(final), moved, tuple(rest))


def _points(found: Selection, which: Indices, wanted: Sequence[Indices]) -> Points:
    needed = list(found.needed)
    inside = []
    for axis, each in zip(found.points, wanted, strict=True):
        unique, inverse = np.unique(each[which], return_inverse=True)
        needed[axis] = unique
        inside.append(inverse.ravel())
    return Points(which, tuple(needed), tuple(inside))


def _array(needed: Needed) -> Indices:
    return np.asarray(needed, dtype=np.intp)
