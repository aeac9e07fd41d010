"""Values read and written by numpy keys, through boxes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from mlarray.io.assign import fitting, storable
from mlarray.io.selection import Box, Needed, Selection, Shape, box_of, picking, pieces, select

LARGEST_SLAB: Final = 64 << 20
"""How many bytes of a value are made at a time, where one is spread over a larger box."""


class Boxes(Protocol):
    """An array that reads and writes boxes."""

    @property
    def shape(self) -> Shape:
        """Size per axis."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """As stored."""

    @property
    def chunks(self) -> Shape:
        """How it is cut."""

    @property
    def blocks(self) -> Shape:
        """How a chunk is cut."""

    def read_box(self, start: Shape, stop: Shape, out: NDArray[Any]) -> None:
        """Read a box that is not empty into a C-contiguous array."""

    def write_box(self, start: Shape, stop: Shape, values: NDArray[Any]) -> None:
        """Write a box that is not empty from a C-contiguous array."""


def get(array: Boxes, key: Any) -> Any:
    """Return what numpy gives for a key.

    Raises
    ------
    IndexError
        As numpy's.
    """
    box = box_of(key, array.shape)
    if box is not None:
        out = _box(array, box.start, box.stop)
        return out.reshape(-1)[0] if box.shape is None else out.reshape(box.shape)
    found = select(key, array.shape)
    if 0 in found.shape:
        return np.empty(found.shape, array.dtype)
    if not found.wasteful:
        return _compact(array, found.needed)[found.rest]
    plan = picking(found, array.chunks)
    picked = np.empty(plan.shape, array.dtype)
    for group in plan.groups:
        picked[group.which] = _compact(array, group.needed).transpose(plan.order)[group.inside]
    return plan.spread(picked)[plan.rest]


def put(array: Boxes, key: Any, value: Any) -> None:
    """Store values where a key selects, as numpy does, apart from NaN and what else the dtype does not hold.

    Raises
    ------
    IndexError
        As numpy's.
    ArgumentTypeError, ArgumentError
        The values are no numbers, cannot be stored, or have a shape that does not fit.
    """
    given = storable(value, array.dtype)
    box = box_of(key, array.shape)
    if box is not None:
        values = fitting(given, box.shape or ())
        _write(array, box, values.reshape(box.size))
        return
    found = select(key, array.shape)
    values = fitting(given, found.shape)
    if not values.size:
        return
    if found.wasteful:
        _put_points(array, found, values)
        return
    compact = np.empty(found.compact, array.dtype) if found.boxed else _compact(array, found.needed)
    _assign(compact, found.rest, values)
    _write_back(array, found.needed, compact)


def _put_points(array: Boxes, found: Selection, values: NDArray[Any]) -> None:
    plan = picking(found, array.chunks)
    picked = np.empty(plan.shape, array.dtype)
    order = np.arange(picked.size).reshape(picked.shape)
    places = plan.spread(order)[plan.rest]
    _assign(picked.reshape(-1), (places,), values)
    for group in plan.groups:
        compact = _compact(array, group.needed)
        compact.transpose(plan.order)[group.inside] = picked[group.which]
        _write_back(array, group.needed, compact)


def _assign(target: NDArray[Any], key: Any, values: NDArray[Any]) -> None:
    with np.errstate(invalid="ignore", over="ignore"):
        target[key] = values


def _box(array: Boxes, start: Shape, stop: Shape) -> NDArray[Any]:
    out = np.empty(tuple(b - a for a, b in zip(start, stop, strict=True)), array.dtype)
    if out.size:
        array.read_box(start, stop, out)
    return out


def _compact(array: Boxes, needed: Sequence[Needed]) -> NDArray[Any]:
    if all(isinstance(each, range) for each in needed):
        return _box(array, tuple(each[0] for each in needed), tuple(each[-1] + 1 for each in needed))
    out = np.empty(tuple(len(each) for each in needed), array.dtype)
    for piece in pieces(needed, array.blocks):
        out[piece.target] = _box(array, piece.start, piece.stop)[piece.key]
    return out


def _write_back(array: Boxes, needed: Sequence[Needed], compact: NDArray[Any]) -> None:
    for piece in pieces(needed, array.blocks):
        part = compact[piece.target]
        if not piece.whole:
            box = _box(array, piece.start, piece.stop)
            box[piece.key] = part
            part = box
        array.write_box(piece.start, piece.stop, np.ascontiguousarray(part).reshape(part.shape))


def _write(array: Boxes, box: Box, values: NDArray[Any]) -> None:
    """Write values of a box's shape, which may be one value that is spread; what is copied is copied in slabs."""
    for start, stop in _slabs(box, array.chunks, array.dtype.itemsize):
        inside = tuple(slice(a - o, b - o) for a, b, o in zip(start, stop, box.start, strict=True))
        part = values[inside]
        if not (part.flags.c_contiguous and part.dtype == array.dtype):
            copy = np.empty(part.shape, array.dtype)
            _assign(copy, ..., part)
            part = copy
        if part.size:
            array.write_box(start, stop, part)


def _slabs(box: Box, chunks: Shape, itemsize: int) -> Iterator[tuple[Shape, Shape]]:
    """Yield parts of a box, cut along its first axes where chunks end."""
    long = [axis for axis, (size, chunk) in enumerate(zip(box.size, chunks, strict=True)) if size > chunk]
    if not long or math.prod(box.size) * itemsize <= LARGEST_SLAB:
        yield box.start, box.stop
        return
    axis = long[0]
    row = math.prod(box.size) // box.size[axis] * itemsize
    step = max(LARGEST_SLAB // row // chunks[axis], 1) * chunks[axis]
    at = box.start[axis]
    while at < box.stop[axis]:
        end = min((at // step + 1) * step, box.stop[axis])
        yield from _slabs(Box(_at(box.start, axis, at), _at(box.stop, axis, end), None), chunks, itemsize)
        at = end


def _at(shape: Shape, axis: int, value: int) -> Shape:
    return (*shape[:axis], value, *shape[axis + 1 :])
