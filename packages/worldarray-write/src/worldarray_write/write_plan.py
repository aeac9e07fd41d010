"""What a write may touch, as data: whole write units of the array, or an error that says which bound cuts one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from worldarray.documents.parsing import MAX_EXTENT
from worldarray.errors import ArgumentError, ArgumentTypeError, Problem, problem
from worldarray.records import ArrayMeta

Index = tuple[int, ...]


@dataclass(frozen=True)
class Target:
    """The array that is written: every stored axis, with the index of those that the handle pins."""

    path: str
    axes: tuple[str, ...]
    shape: Index
    unit: Index
    """The write unit: the shard, else the chunk."""
    pins: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, stored: ArrayMeta, pins: Sequence[tuple[int, int]]) -> Target:
        """Return the target that an array is, some of its axes pinned."""
        return cls(stored.path, stored.axes, stored.shape, stored.write_shape, tuple(pins))

    @cached_property
    def kept(self) -> Index:
        """The stored axes that are not pinned."""
        pinned = {axis for axis, _ in self.pins}
        return tuple(axis for axis in range(len(self.shape)) if axis not in pinned)

    def is_plain(self, begin: Index, end: Index) -> bool:
        """Whether a box is whole units inside the array, none of them cut by its end, and no axis is pinned.

        Such a box is written as it is, with nothing to check, to fill up or to take apart.

        Examples
        --------
        >>> target = Target("em.zarr/s0", ("y", "x"), (10, 9), (4, 3), ())
        >>> target.is_plain((4, 3), (8, 9)), target.is_plain((4, 3), (10, 9)), target.is_plain((4, 3), (8, 8))
        (True, False, False)
        """
        if self.pins:
            return False
        for low, high, size, unit in zip(begin, end, self.shape, self.unit, strict=True):
            if not 0 <= low < high <= size or low % unit or high % unit:
                return False
        return True


class Piece(NamedTuple):
    """A part of a write that is whole units: of the data, and of the array with its last units filled up."""

    data: tuple[slice, ...]
    """The part of the data, pinned axes included."""
    box: tuple[slice, ...]
    """The voxels that are written; they may reach past the array's end, to the end of the last unit."""

    @property
    def shape(self) -> Index:
        """The voxels that are written, per axis."""
        return tuple(part.stop - part.start for part in self.box)


def filled_up(shape: Sequence[int], unit: Sequence[int]) -> Index:
    """Return the shape of an array whose last units are whole.

    Examples
    --------
    >>> filled_up((10, 9, 0), (4, 3, 2))
    (12, 9, 0)
    """
    whole = [-(-n // u) * u for n, u in zip(shape, unit, strict=True)]
    return tuple(w if w <= MAX_EXTENT else n for w, n in zip(whole, shape, strict=True))


def every_box(target: Target, begin: Index, end: Index) -> tuple[slice, ...]:
    """Return the voxels of a box over every stored axis, from its bounds on the kept ones.

    Examples
    --------
    >>> every_box(Target("em.zarr/s0", ("c", "x"), (2, 9), (1, 3), ((0, 1),)), (3,), (9,))
    (slice(1, 2, None), slice(3, 9, None))
    """
    spans = {axis: slice(index, index + 1) for axis, index in target.pins}
    spans |= dict(zip(target.kept, map(slice, begin, end), strict=True))
    return tuple(spans[axis] for axis in range(len(target.shape)))


def whole_pieces(target: Target, box: tuple[slice, ...]) -> list[Piece]:
    """Return the parts in which a box of whole units is written: where it ends with the array, the last units apart.

    So each unit is stored by one put, with nothing read before, and only the last units are copied to fill them up.

    Examples
    --------
    >>> target = Target("em.zarr/s0", ("y", "x"), (10, 9), (4, 3), ())
    >>> for piece in whole_pieces(target, (slice(4, 10), slice(3, 6))):
    ...     piece
    Piece(data=(slice(0, 4, None), slice(0, 3, None)), box=(slice(4, 8, None), slice(3, 6, None)))
    Piece(data=(slice(4, 6, None), slice(0, 3, None)), box=(slice(8, 12, None), slice(3, 6, None)))
    """
    ends = filled_up(target.shape, target.unit)
    axes = [_parts(*row) for row in zip(box, target.shape, target.unit, ends, strict=True)]
    return [Piece(*zip(*parts, strict=True)) for parts in product(*axes)] if axes else [Piece((), ())]


def _parts(span: slice, size: int, unit: int, end: int) -> list[tuple[slice, slice]]:
    """Return the parts of one axis: of the data, and of the array."""
    low, high = span.start, span.stop
    last = size // unit * unit
    if high < size or last == size:
        return [(slice(0, high - low), slice(low, high))]
    parts = [(slice(last - low, size - low), slice(last, end))]
    return parts if low == last else [(slice(0, last - low), slice(low, last)), *parts]


def check_box(target: Target, begin: Index, end: Index) -> None:
    """Refuse a box that runs backwards or reaches outside the array: nothing is padded on writing.

    Raises
    ------
    ArgumentError
        Naming the axis, the bound and the axis's size.
    """
    for axis, low, high in zip(target.kept, begin, end, strict=True):
        size = target.shape[axis]
        if low > high:
            message = f"axis {target.axes[axis]!r} ends at {high} before it begins at {low}; give begin <= end"
            raise ArgumentError(problem("order", (target.path, "end", axis), message))
        if low < 0 or high > size:
            message = (
                f"axis {target.axes[axis]!r}: [{low}, {high}) reaches outside the array, which has {size} voxels; "
                "nothing is padded on writing, so cut the data first"
            )
            raise ArgumentError(problem("out_of_range", (target.path, "begin" if low < 0 else "end", axis), message))


def check_aligned(target: Target, begin: Index, end: Index) -> None:
    """Refuse a box that is no union of whole write units; the array's end closes the last one.

    Raises
    ------
    ArgumentError
        Naming every axis, bound and unit size that does not fit, pinned axes included.

    Examples
    --------
    >>> target = Target("em.zarr/s0", ("y", "x"), (10, 9), (4, 3), ())
    >>> check_aligned(target, (4, 3), (10, 6))
    """
    found: list[Problem] = []
    for axis, low, high in zip(target.kept, begin, end, strict=True):
        size, unit = target.shape[axis], target.unit[axis]
        for name, bound in (("begin", low), ("end", high)):
            if bound % unit and bound != size and low < high:
                message = (
                    f"axis {target.axes[axis]!r}: {name} {bound} is neither a multiple of the write unit {unit} nor "
                    f"the end {size}; write whole units, or give partial=True where nothing else writes"
                )
                found.append(problem("not_aligned", (target.path, name, axis), message))
    for axis, index in target.pins:
        size, unit = target.shape[axis], target.unit[axis]
        held = min((index // unit + 1) * unit, size) - index // unit * unit
        if held > 1:
            message = (
                f"axis {target.axes[axis]!r} is pinned to {index}, but its write unit holds {held} indices, so other "
                "writers of them share it; write them together, or give partial=True where nothing else writes"
            )
            found.append(problem("not_aligned", (target.path, "select", axis), message))
    if found:
        raise ArgumentError(*found)


def checked_data(path: str, data: object, shape: Index, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Return the data as an array of the wanted shape and dtype; only its byte order may differ.

    Raises
    ------
    ArgumentError
        Its shape or dtype is another: nothing is cast or broadcast.
    ArgumentTypeError
        It is no array, or a masked one.
    """
    try:
        values = np.asarray(data)
    except ValueError as error:
        message = f"the data is no array: {error}"
        raise ArgumentTypeError(problem("wrong_type", (path, "data"), message)) from error
    if isinstance(data, np.ma.MaskedArray):
        message = "the data is a masked array, and what it masks would be written; give data.filled(…)"
        raise ArgumentTypeError(problem("wrong_type", (path, "data"), message))
    if values.shape != shape:
        message = f"the data has shape {values.shape}, the box {shape}; give one value per voxel"
        raise ArgumentError(problem("wrong_length", (path, "data", "shape"), message))
    if values.dtype.newbyteorder("=") != dtype.newbyteorder("="):
        message = f"the data has dtype {values.dtype}, the array {dtype}; nothing is cast, so convert it first"
        raise ArgumentError(problem("wrong_type", (path, "data", "dtype"), message))
    return values
