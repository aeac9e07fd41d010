"""The one rounding rule: an exact quotient to the nearest whole number, half to even."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def divide_half_even(numerator: Array, denominator: int) -> Array:
    """Return ``numerator / denominator`` rounded half to even, exactly, in the numerator's integer (or object) dtype.

    ``|numerator| + denominator`` must fit the dtype. The numerator is used up.

    Examples
    --------
    >>> divide_half_even(np.array([2, 6, 7, -2, -6]), 4)
    array([ 0,  2,  2,  0, -2])
    """
    if denominator == 1:
        return numerator
    if denominator & (denominator - 1) == 0 and numerator.dtype != object:
        return _shift_half_even(numerator, denominator.bit_length() - 1)
    numerator += denominator // 2
    quotient: Array = numerator // denominator
    if denominator % 2 == 0:  # a tie went up; back down where that made it odd
        numerator -= quotient * denominator
        quotient -= (numerator == 0) & (quotient % 2 == 1)
    return quotient


def _shift_half_even(numerator: Array, bits: int) -> Array:
    odd = numerator >> bits
    odd &= 1
    numerator += odd
    numerator += (1 << (bits - 1)) - 1
    numerator >>= bits
    return numerator
