"""The one rounding rule: an exact quotient to the nearest whole number, half to even."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def divide_half_even(numerator: Array, denominator: int) -> Array:
    """Return ``numerator / denominator`` rounded half to even, exactly, in the numerator's integer (or object) dtype.

    ``2 * |numerator| + denominator`` must fit the dtype.

    Examples
    --------
    >>> divide_half_even(np.array([2, 6, 7, -2, -6]), 4)
    array([ 0,  2,  2,  0, -2])
    """
    if denominator == 1:
        return numerator
    quotient = numerator // denominator
    twice = 2 * (numerator - quotient * denominator)
    up = (twice > denominator) | ((twice == denominator) & (quotient % 2 == 1))
    return np.asarray(quotient + up.astype(numerator.dtype))
