"""Target grids over a source grid, one axis at a time, in exact arithmetic: nothing here knows an array."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Final

from worldarray.errors import ArgumentError, problem
from worldarray.geometry import TOLERANCE

MAX_DENOMINATOR: Final = 1000
_EXACT_TOLERANCE: Final = Fraction(1, 10**6)


@dataclass(frozen=True)
class TargetAxis:
    """One axis of a target grid over a source axis of `n` voxels; lengths are in source voxels.

    Target voxel j covers ``[shift + j * ratio, shift + (j + 1) * ratio)``, measured from the source's lower corner.
    `first` and `stop` bound the target voxels that overlap the data.
    """

    n: int
    ratio: Fraction
    shift: Fraction
    first: int
    stop: int

    @property
    def count(self) -> int:
        """How many target voxels cover the data."""
        return self.stop - self.first

    @property
    def whole_blocks(self) -> bool:
        """Whether every target voxel is two or more whole source voxels."""
        return self.ratio >= 2 and self.ratio.denominator == 1 and self.shift.denominator == 1

    def centre(self, index: int) -> Fraction:
        """Return the centre of a target voxel, in source voxels from the source's lower corner."""
        return (index + Fraction(1, 2)) * self.ratio + self.shift


def target_axis(
    n: int, source_size: float, target_size: float, *, corner: float = 0.0, anchor: float | None = None
) -> TargetAxis:
    """Return the target grid of voxels of `target_size` over `n` source voxels of `source_size` (Behaviour 4).

    Sizes, `corner` (the lower corner of source voxel 0) and `anchor` (the lower corner of target voxel 0; None puts
    it on `corner`) are world numbers in one unit. See `size_ratio` and `anchor_shift` for the fractions they become.

    Raises
    ------
    ArgumentError
        A size is not positive and finite, a place is not finite, or `n` is negative.

    Examples
    --------
    Blocks of 3 voxels over 7, and an 8 nm axis with its corner at -4 read onto a 4 nm grid with a corner at -2:

    >>> target_axis(7, 4.0, 12.0).count
    3
    >>> anchored = target_axis(4, 8.0, 4.0, corner=-4.0, anchor=-2.0)
    >>> anchored.ratio, anchored.shift, anchored.first, anchored.stop
    (Fraction(1, 2), Fraction(1, 4), -1, 8)
    """
    if n < 0:
        raise ArgumentError(problem("out_of_range", ("n",), f"an axis cannot have {n} voxels; give 0 or more"))
    n, ratio = int(n), size_ratio(source_size, target_size)
    shift = Fraction(0) if anchor is None else anchor_shift(corner, anchor, source_size)
    if n == 0:
        first = _floor(-shift / ratio)
        return TargetAxis(0, ratio, shift, first, first)
    first = _floor(-shift / ratio)
    return TargetAxis(n, ratio, shift, first, max(_ceil((n - shift) / ratio), first + 1))


def target_count(n: int, source_size: float, target_size: float) -> int:
    """Return how many target voxels cover `n` source voxels from the source's corner: ``ceil(n * s / t)``.

    The quotient is that of `size_ratio`; within 1e-6 of a whole number it is that number. No data, no voxels; any
    data, at least one.

    Examples
    --------
    >>> target_count(10, 4.0, 12.0), target_count(10, 10.48, 5.24), target_count(0, 1.0, 2.0)
    (4, 20, 0)
    """
    return target_axis(n, source_size, target_size).count


@lru_cache(maxsize=1024)
def size_ratio(source_size: float, target_size: float) -> Fraction:
    """Return target size over source size as the exact fraction that every index is computed from.

    With q the larger size over the smaller in double precision: the fraction ``p / d`` with the smallest d of 1 to
    1000 such that ``q * d`` is within 1e-6 of the whole number p (so a ratio within 1e-6 of a whole number is that
    number, and 5 nm over 4 nm is 5/4 whatever noise the sizes carry), upside down where the source is the larger.
    Where no such d is, the quotient of the two sizes as their shortest decimals say them.

    Raises
    ------
    ArgumentError
        A size is not positive and finite.

    Examples
    --------
    >>> size_ratio(4.0, 12.0000001), size_ratio(10.48, 5.24), size_ratio(4.56, 4.0)
    (Fraction(3, 1), Fraction(1, 2), Fraction(50, 57))
    """
    for name, value in (("source_size", source_size), ("target_size", target_size)):
        if not (math.isfinite(value) and value > 0):
            message = f"a voxel size of {value} cannot be read; it must be positive and finite"
            raise ArgumentError(problem("not_positive", (name,), message))
    if target_size >= source_size:
        return _near(target_size / source_size) or _decimal(target_size) / _decimal(source_size)
    upside_down = _near(source_size / target_size)
    return 1 / upside_down if upside_down else _decimal(target_size) / _decimal(source_size)


@lru_cache(maxsize=1024)
def anchor_shift(corner: float, anchor: float, source_size: float) -> Fraction:
    """Return how far `anchor` lies above `corner`, in source voxels, as an exact fraction.

    With u the quotient in double precision: ``p / d`` with the smallest d of 1 to 1000 such that ``u * d`` is within
    1e-6 of the whole number p; where no such d is, the quotient of the numbers as their shortest decimals say them.

    Raises
    ------
    ArgumentError
        A place is not finite.

    Examples
    --------
    >>> anchor_shift(-4.0, -2.0, 8.0), anchor_shift(3.7, 14.18, 10.48)
    (Fraction(1, 4), Fraction(1, 1))
    """
    for name, value in (("corner", corner), ("anchor", anchor)):
        if not math.isfinite(value):
            raise ArgumentError(problem("not_finite", (name,), f"{name} is {value}; a place must be finite"))
    near = _near((anchor - corner) / source_size)
    return (_decimal(anchor) - _decimal(corner)) / _decimal(source_size) if near is None else near


def _near(quotient: float) -> Fraction | None:
    """Return the fraction with the smallest denominator that `quotient` is within the tolerance of."""
    if not math.isfinite(quotient):
        return None
    for denominator in range(1, MAX_DENOMINATOR + 1):
        scaled = quotient * denominator
        whole = math.floor(scaled + 0.5)
        if abs(scaled - whole) <= TOLERANCE:
            return Fraction(whole, denominator)
    return None


def _decimal(value: float) -> Fraction:
    """Return the number that the shortest decimal of a float says."""
    return Fraction(Decimal(repr(float(value))))


def _floor(value: Fraction) -> int:
    return math.floor(value + _EXACT_TOLERANCE)


def _ceil(value: Fraction) -> int:
    return math.ceil(value - _EXACT_TOLERANCE)
