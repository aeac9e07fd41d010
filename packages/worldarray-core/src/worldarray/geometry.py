"""World and index space: the one place with the half voxel, the tolerance and the rounding to indices."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite
from typing import Any, Final, Literal, NoReturn, get_args

from worldarray.axes import default_axes, spatial_axes
from worldarray.errors import ArgumentError, ArgumentTypeError, problem

TOLERANCE: Final = 1e-6
"""How far from a whole number of voxels, or from an equal size (relative), still counts as float noise."""

_NEAR_PLACE: Final = 0.01
"""However large its translation, a grid displaced by more than this part of a voxel is another grid."""

SnapMode = Literal["grow", "shrink", "closest"]
Alignment = Literal["corner", "centre", "neither"]
Floats = tuple[float, ...]
Indices = tuple[int, ...]


def snap_integral(value: float) -> float:
    """Return the whole number within 1e-6 of a value, or the value itself where there is none.

    Examples
    --------
    >>> snap_integral(9.9999999), snap_integral(10.48)
    (10.0, 10.48)
    """
    if not isfinite(value):
        return value
    whole = floor(value + 0.5)
    return float(whole) if abs(value - whole) <= TOLERANCE else value


def same_size(a: float, b: float) -> bool:
    """Whether two sizes are equal within rtol 1e-6.

    Examples
    --------
    >>> same_size(10.48, 10.48000001), same_size(10.48, 10)
    (True, False)
    """
    return abs(a - b) <= TOLERANCE * max(abs(a), abs(b))


def same_sizes(a: Sequence[float], b: Sequence[float]) -> bool:
    """Whether two lists of sizes are as long as each other and equal within rtol 1e-6.

    Examples
    --------
    >>> same_sizes((8.0, 4.0), (8.0, 4.0)), same_sizes((8.0, 4.0), (8.0,))
    (True, False)
    """
    return len(a) == len(b) and all(map(same_size, a, b))


def same_place(a: float, b: float, voxel_size: float) -> bool:
    """Whether two positions on a grid are the same: within rtol 1e-6, and never a hundredth of a voxel apart.

    Positions within a millionth of a voxel are the same too, so that noise around 0 is noise.

    Examples
    --------
    >>> same_place(0.0, 1e-9, 8.0), same_place(8e9, 8e9 + 8, 8.0)
    (True, False)
    """
    apart = abs(a - b)
    relative = min(TOLERANCE * max(abs(a), abs(b)), _NEAR_PLACE * abs(voxel_size))
    return apart <= max(relative, TOLERANCE * abs(voxel_size))


def target_count(n: int, voxel_size: float, target: float) -> int:
    """Return how many target voxels cover `n` voxels from their common corner: ``ceil(n * s / t)``, noise absorbed.

    Examples
    --------
    >>> target_count(10, 4.0, 5.0), target_count(7, 8.0, 16.0)
    (8, 4)
    """
    ratio = snap_integral(target / voxel_size)
    if ratio >= 1 and ratio.is_integer():
        return -(-n // int(ratio))
    return ceil(snap_integral(n * voxel_size / target))


def corner_to_centre(corner: Sequence[float], voxel_size: Sequence[float], axes: Sequence[str] | None = None) -> Floats:
    """Return the translation (centre of voxel 0) of an array whose voxel 0 has its lower corner at `corner`.

    Half a voxel is added on spatial axes only: those named z, y or x when any are, else the last three that are not
    time or channel. Without `axes` the entries have the default names, t, c, z, y, x from the back.

    Parameters
    ----------
    corner, voxel_size
        One entry per axis, in one unit.
    axes
        The axis names in the same order.

    Raises
    ------
    ArgumentError
        The lists differ in length.

    Examples
    --------
    >>> corner_to_centre((0, 10, 20), (30, 8, 8))
    (15.0, 14.0, 24.0)
    >>> corner_to_centre((0, 10, 20), (1, 8, 8), ("c", "y", "x"))
    (0.0, 14.0, 24.0)
    """
    names = default_axes(len(corner)) if axes is None else axes
    _same_length(corner=corner, voxel_size=voxel_size, axes=names)
    spatial = spatial_axes(names)
    return tuple(
        float(c) + float(s) / 2 if i in spatial else float(c)
        for i, (c, s) in enumerate(zip(corner, voxel_size, strict=True))
    )


def centre_to_corner(translation: Sequence[float], voxel_size: Sequence[float], spatial: Sequence[int]) -> Floats:
    """Return the lower corner of voxel 0 along the axes of `spatial`, and the translation itself along the others.

    Examples
    --------
    >>> centre_to_corner((0.0, 4.0), (1.0, 8.0), (1,))
    (0.0, 0.0)
    """
    return tuple(t - s / 2 if i in spatial else t for i, (t, s) in enumerate(zip(translation, voxel_size, strict=True)))


def index_range(
    begin: Sequence[float], end: Sequence[float], voxel_size: Sequence[float], translation: Sequence[float]
) -> tuple[Indices, Indices]:
    """Return the half-open index range ``(begin, end)`` of the voxels whose centres lie in a world box.

    Voxel i is selected iff ``begin <= translation + i * voxel_size < end``, where a position within 1e-6 voxels of a
    centre is that centre. An extent that is a whole number m of voxels (within 1e-6) selects exactly m of them
    whatever its alignment, and adjoining boxes tile. The range is not clipped to any array.

    Parameters
    ----------
    begin, end
        The half-open world box, one entry per axis.
    voxel_size, translation
        One index step and the centre of voxel 0, per axis, in the unit of the box.

    Raises
    ------
    ArgumentError
        The lists differ in length, a bound is not finite, an end lies before its begin, a size is not positive.

    Examples
    --------
    >>> index_range((0.0, 20.96), (20.96, 52.4), (10.48, 10.48), (0.0, 5.24))
    ((0, 2), (2, 5))
    """
    lows: list[int] = []
    highs: list[int] = []
    try:
        lists = map(float, begin), map(float, end), map(float, voxel_size), map(float, translation)
        for b, e, s, t in zip(*lists, strict=True):
            # Differences first: a quotient keeps its 1e-6 even where the translation is 1e9 voxels.
            low = ceil((b - t) / s - TOLERANCE)  # ceil(snap_integral(quotient))
            extent = (e - b) / s
            whole = floor(extent + 0.5)
            if not (extent >= 0 and s > 0):
                raise ValueError  # noqa: TRY301
            lows.append(low)
            highs.append(low + whole if -TOLERANCE <= extent - whole <= TOLERANCE else ceil((e - t) / s - TOLERANCE))
    except (ValueError, OverflowError, ZeroDivisionError, TypeError):
        _refuse_range(begin, end, voxel_size, translation)
        raise
    return tuple(lows), tuple(highs)


def _refuse_range(begin: Any, end: Any, voxel_size: Any, translation: Any) -> None:
    """Raise what is wrong with the arguments of `index_range`."""
    box = Box(begin, end)
    _same_length(box=box.begin, voxel_size=voxel_size, translation=translation)
    positive(voxel_size, "voxel_size")
    finite(translation, "translation")


def alignment(
    begin: Sequence[float], end: Sequence[float], voxel_size: Sequence[float], translation: Sequence[float]
) -> tuple[Alignment, ...]:
    """Return what a world box is aligned to on each axis: voxel corners, voxel centres, or neither.

    Both bounds must lie on the same kind of place, within 1e-6 voxels.

    Examples
    --------
    >>> alignment((0.0, 4.0, 1.0), (8.0, 12.0, 9.0), (8.0, 8.0, 8.0), (4.0, 4.0, 4.0))
    ('corner', 'centre', 'neither')
    """
    return tuple(map(_axis_alignment, begin, end, voxel_size, translation))


def _axis_alignment(begin: float, end: float, voxel_size: float, translation: float) -> Alignment:
    first, last = (begin - translation) / voxel_size, (end - translation) / voxel_size
    if snap_integral(first).is_integer() and snap_integral(last).is_integer():
        return "centre"
    if snap_integral(first + 0.5).is_integer() and snap_integral(last + 0.5).is_integer():
        return "corner"
    return "neither"


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
        _same_length(begin=begin, end=end)
        for axis, (low, high) in enumerate(zip(begin, end, strict=True)):
            if high < low:
                message = f"the box ends at {high} before it begins at {low} on axis {axis}; give begin <= end"
                raise ArgumentError(problem("order", ("box", "end", axis), message))
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

        Examples
        --------
        >>> Box.from_index((0, 2), (4, 3), (8.0, 4.0), (4.0, 2.0))
        Box(begin=(0.0, 8.0), end=(32.0, 12.0))
        """
        low, high = index_tuple(begin, "begin"), index_tuple(end, "end")
        _same_length(begin=low, end=high, voxel_size=voxel_size, translation=translation)
        corner = centre_to_corner(translation, voxel_size, range(len(low)))
        return cls(_along(corner, low, voxel_size), _along(corner, high, voxel_size))

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
        """Return the smallest box that holds both; an empty box adds nothing."""
        second = self._like(other)
        if self.empty or second.empty:
            return second if self.empty else self
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
        _same_length(box=self.begin, point=point)
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
        if mode not in _SNAPS:
            message = f"there is no snap mode {mode!r}; use one of {', '.join(get_args(SnapMode))}"
            raise ArgumentError(problem("invalid_argument", ("mode",), message))
        _same_length(box=self.begin, voxel_size=voxel_size, translation=translation)
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
        _same_length(box=self.begin, other=second.begin)
        return second

    def _each(self, value: float | Sequence[float], name: str) -> Floats:
        each: Iterable[Any] = value if isinstance(value, Iterable) else (value,) * self.ndim
        numbers = finite(each, name)
        _same_length(box=self.begin, **{name: numbers})
        return numbers


def _half_up(value: float) -> int:
    return floor(value + 0.5)


_SNAPS: Final = {"grow": (floor, ceil), "shrink": (ceil, floor), "closest": (_half_up, _half_up)}


def _along(corner: Floats, index: Indices, voxel_size: Sequence[float]) -> Floats:
    return tuple(c + i * s for c, i, s in zip(corner, index, voxel_size, strict=True))


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
) -> tuple[Indices, Indices]:
    """Return the voxels that a world box selects on an array, one entry per axis of the array, unclipped.

    A box with one entry per spatial axis leaves the other axes whole; one with an entry per axis selects on each.

    Raises
    ------
    ArgumentError
        The box has another number of entries.

    Examples
    --------
    >>> box_range(((0, 8), (8, 24)), (2, 9, 9), (1.0, 8.0, 4.0), (0.0, 4.0, 2.0), (1, 2))
    ((0, 0, 2), (2, 1, 6))
    """
    lower, upper = box_bounds(box)
    ndim, count = len(shape), len(lower)
    if count == ndim:
        return index_range(lower, upper, voxel_size, translation)
    if count != len(spatial):
        counts = f"{len(spatial)} (the spatial axes) or {ndim} (every axis)"
        message = f"the box has {count} entries; give {counts}"
        raise ArgumentError(problem("wrong_length", ("box",), message))
    sizes, places = tuple(voxel_size[i] for i in spatial), tuple(translation[i] for i in spatial)
    low, high = index_range(lower, upper, sizes, places)
    begin, end = [0] * ndim, list(shape)
    for axis, b, e in zip(spatial, low, high, strict=True):
        begin[axis], end[axis] = b, e
    return tuple(begin), tuple(end)


def index_tuple(values: Iterable[Any], name: str, ndim: int | None = None) -> Indices:
    """Return integers as a tuple; anything that is no integer (0.9) is refused, never rounded.

    Raises
    ------
    ArgumentTypeError
        A value is no integer, or `values` is no list.
    ArgumentError
        There are not `ndim` of them.

    Examples
    --------
    >>> import numpy as np
    >>> index_tuple(np.arange(3), "begin")
    (0, 1, 2)
    """
    try:
        result = tuple(map(operator.index, values))
    except TypeError as error:
        message = f"{name} is {values!r}; give one integer per axis"
        raise ArgumentTypeError(problem("wrong_type", (name,), message)) from error
    if ndim is not None and len(result) != ndim:
        message = f"{name} has {len(result)} entries {result}; give {ndim}, one per axis"
        raise ArgumentError(problem("wrong_length", (name,), message))
    return result


def finite(values: Iterable[Any], name: str) -> Floats:
    """Return numbers as a tuple of finite floats.

    Raises
    ------
    ArgumentTypeError
        A value is no number, or `values` is no list.
    ArgumentError
        A value is NaN or infinite.

    Examples
    --------
    >>> finite((1, 2.5), "translation")
    (1.0, 2.5)
    """
    if isinstance(values, (str, bytes)):
        _refuse_numbers(values, name)
    try:
        result = tuple(map(float, values))
    except (TypeError, ValueError):
        _refuse_numbers(values, name)
    for axis, value in enumerate(result):
        if not isfinite(value):
            message = f"{name} is {value} on axis {axis}; give a finite number"
            raise ArgumentError(problem("not_finite", (name, axis), message))
    return result


def _refuse_numbers(values: Any, name: str) -> NoReturn:
    raise ArgumentTypeError(problem("wrong_type", (name,), f"{name} is {values!r}; give one number per axis"))


def positive(values: Iterable[Any], name: str) -> Floats:
    """Return numbers as a tuple of finite floats above 0; `finite` and a sign check.

    Raises
    ------
    ArgumentError
        A value is zero, negative, NaN or infinite.

    Examples
    --------
    >>> positive((30, 8, 8), "voxel_size")
    (30.0, 8.0, 8.0)
    """
    result = finite(values, name)
    for axis, value in enumerate(result):
        if value <= 0:
            message = f"{name} is {value} on axis {axis}; give a positive number"
            raise ArgumentError(problem("not_positive", (name, axis), message))
    return result


def _same_length(**lists: Sequence[Any]) -> None:
    counts = {name: len(values) for name, values in lists.items()}
    first = next(iter(counts.values()))
    odd = next((name for name, count in counts.items() if count != first), None)
    if odd is not None:
        found = ", ".join(f"{name} has {count}" for name, count in counts.items())
        raise ArgumentError(
            problem("wrong_length", (odd,), f"lists differ in length: {found}; give one entry per axis")
        )
