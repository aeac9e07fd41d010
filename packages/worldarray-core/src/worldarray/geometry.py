"""World and index space: the one place with the half voxel, the tolerance and the rounding to indices."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, isfinite
from typing import Any, Final, Literal

from worldarray.arguments import Floats, Indices, finite, positive, same_length
from worldarray.axes import default_axes, spatial_axes
from worldarray.errors import ArgumentError, problem

TOLERANCE: Final = 1e-6
"""How far from a whole number of voxels, or from an equal size (relative), still counts as float noise."""

_NEAR_PLACE: Final = 0.01
"""However large its translation, a grid displaced by more than this part of a voxel is another grid."""

Alignment = Literal["corner", "centre", "neither"]


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
        The lists differ in length, an entry is no finite number, or a voxel size is not positive.

    Examples
    --------
    >>> corner_to_centre((0, 10, 20), (30, 8, 8))
    (15.0, 14.0, 24.0)
    >>> corner_to_centre((0, 10, 20), (1, 8, 8), ("c", "y", "x"))
    (0.0, 14.0, 24.0)
    """
    lower, sizes = finite(corner, "corner"), positive(voxel_size, "voxel_size")
    names = default_axes(len(lower)) if axes is None else axes
    same_length(corner=lower, voxel_size=sizes, axes=names)
    return shifted_to_centre(lower, sizes, spatial_axes(names))


def shifted_to_centre(corner: Sequence[float], voxel_size: Sequence[float], spatial: Sequence[int]) -> Floats:
    """Return the centre of voxel 0 from its lower corner along the axes of `spatial`: `centre_to_corner` inverted.

    Examples
    --------
    >>> shifted_to_centre((0.0, 0.0), (1.0, 8.0), (1,))
    (0.0, 4.0)
    """
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
    except (ValueError, OverflowError, ZeroDivisionError, TypeError) as error:
        _refuse_range(begin, end, voxel_size, translation)
        message = f"[{begin}, {end}) is too far away to count in voxels of {voxel_size}; give a smaller box"
        raise ArgumentError(problem("out_of_range", ("box",), message)) from error
    return tuple(lows), tuple(highs)


def _refuse_range(begin: Any, end: Any, voxel_size: Any, translation: Any) -> None:
    """Raise what is wrong with the arguments of `index_range`."""
    check_bounds(finite(begin, "begin"), finite(end, "end"))
    same_length(begin=begin, voxel_size=voxel_size, translation=translation)
    positive(voxel_size, "voxel_size")
    finite(translation, "translation")


def check_bounds(begin: Floats, end: Floats) -> None:
    """Refuse bounds that are no box.

    Raises
    ------
    ArgumentError
        The lists differ in length, or an end lies before its begin.

    Examples
    --------
    >>> check_bounds((0.0, 0.0), (8.0, 0.0))
    """
    same_length(begin=begin, end=end)
    for axis, (low, high) in enumerate(zip(begin, end, strict=True)):
        if high < low:
            message = f"the box ends at {high} before it begins at {low} on axis {axis}; give begin <= end"
            raise ArgumentError(problem("order", ("end", axis), message))


def alignment(
    begin: Sequence[float], end: Sequence[float], voxel_size: Sequence[float], translation: Sequence[float]
) -> tuple[Alignment, ...]:
    """Return what a world box is aligned to on each axis: voxel corners, voxel centres, or neither.

    Both bounds must lie on the same kind of place, within 1e-6 voxels.

    Raises
    ------
    ArgumentError
        The lists differ in length, a number is not finite, an end lies before its begin, a size is not positive.

    Examples
    --------
    >>> alignment((0.0, 4.0, 1.0), (8.0, 12.0, 9.0), (8.0, 8.0, 8.0), (4.0, 4.0, 4.0))
    ('corner', 'centre', 'neither')
    """
    _refuse_range(begin, end, voxel_size, translation)
    return tuple(map(_axis_alignment, begin, end, voxel_size, translation))


def _axis_alignment(begin: float, end: float, voxel_size: float, translation: float) -> Alignment:
    first, last = (begin - translation) / voxel_size, (end - translation) / voxel_size
    if snap_integral(first).is_integer() and snap_integral(last).is_integer():
        return "centre"
    if snap_integral(first + 0.5).is_integer() and snap_integral(last + 0.5).is_integer():
        return "corner"
    return "neither"
