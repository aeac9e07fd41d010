"""The index of a pinned axis at a coarser level."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Final

_TOLERANCE: Final = Fraction(1, 10**9)


def pinned_index(index: int, first: float, other: float) -> int:
    """Return the voxel of a level that level-0 voxel `index` lies in: ``floor(index * first / other)``.

    Parameters
    ----------
    index
        At level 0.
    first, other
        The voxel size along the axis at level 0 and at the level; taken as the decimals that they are written as. A
        quotient within 1e-9 below a whole number is that number.

    Examples
    --------
    >>> pinned_index(7, 1.0, 2.0), pinned_index(9, 0.1, 0.3)
    (3, 3)
    """
    return floor(index * Fraction(repr(float(first))) / Fraction(repr(float(other))) + _TOLERANCE)
