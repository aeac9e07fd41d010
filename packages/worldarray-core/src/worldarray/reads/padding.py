"""What fills the part of a box outside the data: one check, one fill, one edge rule."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from worldarray.errors import ArgumentError, problem

EDGE: Final = "edge"
Padding = Any
"""A value that the result's dtype holds, or "edge" for the nearest stored voxel."""


def check_padding(padding: Padding, dtype: np.dtype[Any]) -> Any:
    """Return `padding` as a scalar of `dtype`, or "edge".

    Raises
    ------
    ArgumentError
        The dtype does not hold the value (300 or 1.7 in uint8): padding is never clipped or rounded. Floats take any
        real number, rounded to the nearest float they hold, but no finite value that would become infinite.

    Examples
    --------
    >>> check_padding(255, np.dtype("uint8"))
    np.uint8(255)
    """
    if isinstance(padding, str):
        if padding == EDGE:
            return EDGE
        raise _refuse(padding, dtype, f'a string must be "{EDGE}"')
    if dtype.names is not None or (dtype.kind in "SUV" and dtype.type is np.void):
        return _generic(padding, dtype)
    if dtype.kind == "b":
        return _boolean(padding, dtype)
    if dtype.kind in "iu":
        return _whole(padding, dtype)
    return _inexact(padding, dtype)


def _boolean(padding: Padding, dtype: np.dtype[Any]) -> Any:
    if isinstance(padding, (bool, np.bool_)) or (_is_real(padding) and padding in (0, 1)):
        return dtype.type(bool(padding))
    raise _refuse(padding, dtype, "bool holds False, True, 0 and 1")


def _whole(padding: Padding, dtype: np.dtype[Any]) -> Any:
    try:
        value = operator.index(padding)
    except TypeError:
        if not _is_real(padding) or not np.isfinite(padding) or padding != int(padding):
            raise _refuse(padding, dtype, "an integer dtype holds whole numbers") from None
        value = int(padding)
    low, high = _limits(dtype)
    if not low <= value <= high:
        raise _refuse(padding, dtype, f"it holds {low} to {high}")
    return dtype.type(value)


@lru_cache(maxsize=16)
def _limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    """Return the least and the greatest value of an integer dtype."""
    found = np.iinfo(dtype)
    return int(found.min), int(found.max)


def _inexact(padding: Padding, dtype: np.dtype[Any]) -> Any:
    try:
        wide = complex(padding)
        real = wide.imag == 0 or dtype.kind == "c"
        with np.errstate(over="ignore"):
            value = np.asarray(padding if real else wide.real).astype(dtype)[()]
    except (TypeError, ValueError, OverflowError):
        raise _refuse(padding, dtype, "it is no number") from None
    if not real:
        raise _refuse(padding, dtype, "a real dtype holds no complex number")
    back = complex(value)
    parts = ((wide.real, back.real), (wide.imag, back.imag))
    if any(np.isfinite(asked) and not np.isfinite(held) for asked, held in parts):
        raise _refuse(padding, dtype, "it is beyond the largest finite value")
    if any(np.isnan(asked) and not np.isnan(held) for asked, held in parts):
        raise _refuse(padding, dtype, "it holds no NaN")
    return value


def _generic(padding: Padding, dtype: np.dtype[Any]) -> Any:
    try:
        return np.zeros((), dtype)[()] if _is_real(padding) and padding == 0 else np.array(padding, dtype)[()]
    except (TypeError, ValueError) as error:
        raise _refuse(padding, dtype, str(error)) from None


def _is_real(value: object) -> bool:
    number = isinstance(value, (int, float, np.integer, np.floating, np.bool_))
    return number and not isinstance(value, np.timedelta64)


def _refuse(padding: Padding, dtype: np.dtype[Any], rule: str) -> ArgumentError:
    message = f"padding {padding!r} does not fit dtype {dtype}: {rule}; give a value it holds, or {EDGE!r}"
    return ArgumentError(problem("not_representable", ("padding",), message))


class Extent(NamedTuple):
    """A box of indices on one grid, and the part of it that holds data.

    `lo` and `hi` bound the part to be had from the data: what is inside it, or, under "edge", the nearest voxels.
    `before` is how many positions come before that part on each axis.
    """

    shape: tuple[int, ...]
    lo: tuple[int, ...]
    hi: tuple[int, ...]
    before: tuple[int, ...]
    whole: bool
    empty: bool

    @property
    def inside(self) -> tuple[slice, ...]:
        """Where the part lies in the box."""
        return tuple(slice(b, b + high - low) for b, low, high in zip(self.before, self.lo, self.hi, strict=True))


def plan_extent(
    sizes: Sequence[tuple[int, int]], begin: Sequence[int], end: Sequence[int], edge: Literal[True, False]
) -> Extent:
    """Return how the box [begin, end) meets data that covers [first, stop) of `sizes` on each axis.

    Examples
    --------
    >>> plan_extent([(0, 4)], [-2], [3], edge=False)
    Extent(shape=(5,), lo=(0,), hi=(3,), before=(2,), whole=False, empty=False)
    >>> plan_extent([(0, 4)], [6], [9], edge=True)
    Extent(shape=(3,), lo=(3,), hi=(4,), before=(0,), whole=False, empty=False)
    """
    lo, hi, before, shape = [], [], [], []
    whole = True
    empty = False
    for (first, stop), b, e in zip(sizes, begin, end, strict=True):
        length = e - b if e > b else 0
        if first <= b and e <= stop:
            low, high, lead = b, b + length, 0
        else:
            whole = False
            low, high = max(b, first), min(e, stop)
            if low >= high and edge and stop > first and length:
                low = first if e <= first else stop - 1
                high = low + 1
            lead = min(max(low - b, 0), max(length - (high - low), 0))
        if low >= high:
            empty = True
            high = low
        lo.append(low)
        hi.append(high)
        before.append(lead)
        shape.append(length)
    return Extent(tuple(shape), tuple(lo), tuple(hi), tuple(before), whole, empty)


def pad_value(part: np.ndarray[Any, Any], extent: Extent, value: Any) -> np.ndarray[Any, Any]:
    """Return an array of `extent.shape` that holds `part` where the data is and `value` elsewhere."""
    out = np.full(extent.shape, value, part.dtype)
    out[extent.inside] = part
    return out


def pad_edge(part: np.ndarray[Any, Any], extent: Extent) -> np.ndarray[Any, Any]:
    """Return an array of `extent.shape` in which every position outside `part` repeats its nearest voxel."""
    widths = [
        (lead, length - lead - held) for lead, length, held in zip(extent.before, extent.shape, part.shape, strict=True)
    ]
    return np.pad(part, widths, mode="edge")


def inside_mask(extent: Extent, data: Sequence[tuple[int, int]], begin: Sequence[int]) -> np.ndarray[Any, Any]:
    """Return a boolean array of `extent.shape`, True where the index lies in [first, stop) of `data` on every axis."""
    mask = np.zeros(extent.shape, dtype=bool)
    mask[
        tuple(
            slice(max(first - b, 0), max(min(stop - b, length), 0))
            for (first, stop), b, length in zip(data, begin, extent.shape, strict=True)
        )
    ] = True
    return mask
