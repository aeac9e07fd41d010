"""Boxes of world coordinates, and what a box selects on an array."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any, Final, Literal, get_args

from worldarray.arguments import Floats, Indices, finite, index_tuple, positive, same_length
from worldarray.errors import ArgumentError, ArgumentTypeError, problem
from worldarray.geometry import centre_to_corner, check_bounds, index_range, snap_integral

SnapMode = Literal["grow", "shrink", "closest"]


@dataclass(frozen=True)
class Box:
    """A half-open box ``[begin, end)`` of floats, one entry per axis, in the unit of whoever reads it.

    Raises
    ------
    ArgumentError
        `begin` and `end` differ in length, an entry is not finite, or an end lies before its begin.

    Examples
    --------
    >>> Box((0, 10), (8, 30)).intersect(((4, 0), (20, 20)))
    Box(begin=(4.0, 10.0), end=(8.0, 20.0))
    """

    begin: Floats
    end: Floats

    def __post_init__(self) -> None:
        begin, end = finite(self.begin, "begin"), finite(self.end, "end")
        check_bounds(begin, end)
        object.__setattr__(self, "begin", begin)
        object.__setattr__(self, "end", end)

    @classmethod
    def of(cls, value: Any) -> Box:
        """Return anything that is read as a box: a Box, a pair, ``.begin`` and ``.end``, ``.offset`` and ``.shape``.

        Raises
        ------
        ArgumentTypeError
            It is none of these, or a Block, whose bounds are voxel indices.
        ArgumentError
            Its bounds make no box.

        Examples
        --------
        >>> Box.of([(0, 1), (2, 5)])
        Box(begin=(0.0, 1.0), end=(2.0, 5.0))
        """
        if isinstance(value, cls):
            return value
        return cls(*box_bounds(value))

    @classmethod
    def from_index(
        cls,
        begin: Sequence[int],
        end: Sequence[int],
        voxel_size: Sequence[float],
        translation: Sequence[float],
    ) -> Box:
        """Return the world box that voxels ``[begin, end)`` cover, corner to corner.

        Raises
        ------
        ArgumentTypeError
            A bound is no integer.
        ArgumentError
            The lists differ in length, an end lies before its begin, a size is not positive.

        Examples
        --------
        >>> Box.from_index((0, 2), (4, 3), (8.0, 4.0), (4.0, 2.0))
        Box(begin=(0.0, 8.0), end=(32.0, 12.0))
        """
        low, high = index_tuple(begin, "begin"), index_tuple(end, "end")
        same_length(begin=low, end=high, voxel_size=voxel_size, translation=translation)
        check_bounds(low, high)
        sizes, places = positive(voxel_size, "voxel_size"), finite(translation, "translation")
        corner = centre_to_corner(places, sizes, range(len(low)))
        return cls(along(corner, low, sizes), along(corner, high, sizes))

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.begin)

    @property
    def shape(self) -> Floats:
        """The extent per axis, ``end - begin``."""
        return tuple(e - b for b, e in zip(self.begin, self.end, strict=True))

    @property
    def centre(self) -> Floats:
        """The middle per axis."""
        return tuple(b + (e - b) / 2 for b, e in zip(self.begin, self.end, strict=True))

    @property
    def empty(self) -> bool:
        """Whether the box holds no point."""
        return any(b == e for b, e in zip(self.begin, self.end, strict=True))

    def intersect(self, other: Any) -> Box:
        """Return the part that two boxes share; where they share none, an empty box."""
        second = self._like(other)
        begin = tuple(map(max, self.begin, second.begin))
        return Box(begin, tuple(map(max, begin, map(min, self.end, second.end))))

    def union(self, other: Any) -> Box:
        """Return the smallest box that holds both; an empty box adds nothing, so of two such the first remains."""
        second = self._like(other)
        if self.empty or second.empty:
            return self if second.empty else second
        return Box(tuple(map(min, self.begin, second.begin)), tuple(map(max, self.end, second.end)))

    def contains(self, other: Any) -> bool:
        """Whether a point, or every point of a box, lies in this box: begin does, end does not.

        An empty box has no point and lies in every box.

        Examples
        --------
        >>> box = Box((0, 0), (8, 4))
        >>> box.contains((0, 3.9)), box.contains((8, 0)), box.contains(((0, 0), (8, 4)))
        (True, False, True)
        """
        if isinstance(other, Box) or _bounds(other) is not None:
            second = self._like(other)
            inside = zip(self.begin, second.begin, second.end, self.end, strict=True)
            return second.empty or all(a <= b and c <= d for a, b, c, d in inside)
        point = finite(other, "point")
        same_length(box=self.begin, point=point)
        return all(b <= p < e for b, p, e in zip(self.begin, point, self.end, strict=True))

    def grow(self, before: float | Sequence[float], after: float | Sequence[float] | None = None) -> Box:
        """Return the box moved outwards by `before` at its begin and `after` (else `before`) at its end.

        Either is one number or one per axis; negative numbers shrink.

        Examples
        --------
        >>> Box((0, 0), (8, 4)).grow(1, (2, 3))
        Box(begin=(-1.0, -1.0), end=(10.0, 7.0))
        """
        low = self._each(before, "before")
        high = low if after is None else self._each(after, "after")
        return Box(tuple(map(operator.sub, self.begin, low)), tuple(map(operator.add, self.end, high)))

    def shift(self, by: float | Sequence[float]) -> Box:
        """Return the box moved by one number, or one per axis."""
        step = self._each(by, "by")
        return Box(tuple(map(operator.add, self.begin, step)), tuple(map(operator.add, self.end, step)))

    def snap(self, voxel_size: Sequence[float], translation: Sequence[float], mode: SnapMode = "grow") -> Box:
        """Return the box moved onto the voxel corners of a grid.

        ``grow`` takes the smallest such box that holds this one, ``shrink`` the largest that lies in it (empty where
        there is none), ``closest`` the nearest corner of each bound, the upper one at a tie.

        Examples
        --------
        >>> Box((3,), (21,)).snap((8,), (4,)), Box((3,), (21,)).snap((8,), (4,), "shrink")
        (Box(begin=(0.0,), end=(24.0,)), Box(begin=(8.0,), end=(16.0,)))
        """
        given: object = mode
        if not isinstance(given, str) or given not in _SNAPS:
            message = f"there is no snap mode {mode!r}; use one of {', '.join(get_args(SnapMode))}"
            raise ArgumentError(problem("invalid_argument", ("mode",), message))
        same_length(box=self.begin, voxel_size=voxel_size, translation=translation)
        sizes, places = positive(voxel_size, "voxel_size"), finite(translation, "translation")
        lower, upper = _SNAPS[mode]
        corner = centre_to_corner(places, sizes, range(self.ndim))
        begin = tuple(lower(snap_integral((b - c) / s)) for b, c, s in zip(self.begin, corner, sizes, strict=True))
        end = tuple(upper(snap_integral((e - c) / s)) for e, c, s in zip(self.end, corner, sizes, strict=True))
        return Box.from_index(begin, tuple(map(max, begin, end)), sizes, places)

    def to_index(self, voxel_size: Sequence[float], translation: Sequence[float]) -> tuple[Indices, Indices]:
        """Return the index range of the voxels whose centres lie in the box: `index_range` of its bounds."""
        return index_range(self.begin, self.end, voxel_size, translation)

    def _like(self, other: Any) -> Box:
        second = Box.of(other)
        same_length(box=self.begin, other=second.begin)
        return second

    def _each(self, value: float | Sequence[float], name: str) -> Floats:
        each: Iterable[Any] = value if isinstance(value, Iterable) else (value,) * self.ndim
        numbers = finite(each, name)
        same_length(box=self.begin, **{name: numbers})
        return numbers


def _half_up(value: float) -> int:
    return floor(value + 0.5)


_SNAPS: Final = {"grow": (floor, ceil), "shrink": (ceil, floor), "closest": (_half_up, _half_up)}


def along(corner: Floats, index: Sequence[int], voxel_size: Sequence[float]) -> Floats:
    """Return the places that many voxels above a corner.

    Raises
    ------
    ArgumentError
        They lie beyond the largest float.

    Examples
    --------
    >>> along((0.0, -4.0), (2, 3), (8.0, 4.0))
    (16.0, 8.0)
    """
    try:
        return tuple(c + i * s for c, i, s in zip(corner, index, voxel_size, strict=True))
    except OverflowError as error:  # an index of hundreds of digits
        message = f"voxels of {voxel_size} counted so far lie beyond the largest float; give smaller indices"
        raise ArgumentError(problem("out_of_range", ("index",), message)) from error


def box_bounds(value: Any) -> tuple[Any, Any]:
    """Return the begin and end of anything that is read as a box, as they were given.

    Raises
    ------
    ArgumentTypeError
        It is no box, or a Block, whose bounds are voxel indices.

    Examples
    --------
    >>> box_bounds(Box((0,), (8,)))
    ((0.0,), (8.0,))
    """
    if type(value) is tuple and len(value) == 2 and type(value[0]) is tuple and type(value[1]) is tuple:
        return value  # what most reads are given
    if hasattr(value, "read_begin"):
        message = "a Block holds voxel indices and is no world box; use read_index(block.read_begin, block.read_end)"
        raise ArgumentTypeError(problem("wrong_type", ("box",), message))
    bounds = _bounds(value)
    if bounds is None:
        message = f"{value!r} is no box; give a (begin, end) pair, a Box, or an object with begin and end"
        raise ArgumentTypeError(problem("wrong_type", ("box",), message))
    return bounds


def _bounds(value: Any) -> tuple[Any, Any] | None:
    if hasattr(value, "begin") and hasattr(value, "end"):
        return value.begin, value.end
    if hasattr(value, "offset") and hasattr(value, "shape"):
        return value.offset, tuple(map(operator.add, value.offset, value.shape))
    if _is_list(value) and len(value) == 2:
        begin, end = value
        if _is_list(begin) and _is_list(end):
            return begin, end
    return None


def _is_list(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes)) and getattr(value, "ndim", 1) > 0


def box_range(
    box: Any,
    shape: Sequence[int],
    voxel_size: Sequence[float],
    translation: Sequence[float],
    spatial: Sequence[int],
    axes: Sequence[str],
) -> tuple[Indices, Indices]:
    """Return the voxels that a world box selects on an array, one entry per axis of the array, unclipped.

    A box with one entry per spatial axis leaves the other axes whole; one with an entry per axis selects on each.

    Raises
    ------
    ArgumentError
        The box has another number of entries.

    Examples
    --------
    >>> box_range(((0, 8), (8, 24)), (2, 9, 9), (1.0, 8.0, 4.0), (0.0, 4.0, 2.0), (1, 2), "cyx")
    ((0, 0, 2), (2, 1, 6))
    """
    lower, upper = box_bounds(box)
    ndim, count = len(shape), len(lower)
    if count == ndim:
        return index_range(lower, upper, voxel_size, translation)
    if count != len(spatial):
        whole = f"{ndim} ({', '.join(axes)})"
        some = f"{len(spatial)} ({', '.join(axes[i] for i in spatial)}) or " if len(spatial) != ndim else ""
        message = f"the box has {count} entries; give {some}{whole}"
        raise ArgumentError(problem("wrong_length", ("box",), message))
    sizes, places = tuple(voxel_size[i] for i in spatial), tuple(translation[i] for i in spatial)
    low, high = index_range(lower, upper, sizes, places)
    begin, end = [0] * ndim, list(shape)
    for axis, b, e in zip(spatial, low, high, strict=True):
        begin[axis], end[axis] = b, e
    return tuple(begin), tuple(end)
