"""What numpy would do with an assignment, checked before blosc2 does it another way."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlarray.errors import ArgumentError, Problem


def prepared(value: Any, key: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the values for a key as a C-contiguous array of the dtype and of the shape that the key selects.

    Raises
    ------
    ArgumentError
        NaN or an infinity for integers, a Python integer that the dtype does not hold, or a shape that does not fit.
    IndexError
        As numpy's, for the key.
    """
    given = np.asarray(value)
    if dtype.kind in "iub" and given.dtype.kind in "fc" and not np.isfinite(given).all():
        raise ArgumentError(Problem("not_representable", ("value",), f"NaN or an infinity cannot be stored as {dtype}"))
    if isinstance(value, int) and dtype.kind in "iu":
        info = np.iinfo(dtype)
        if not info.min <= value <= info.max:
            raise ArgumentError(Problem("not_representable", ("value",), f"{value} cannot be stored as {dtype}"))
    selected = np.broadcast_to(np.empty((), bool), shape)[key].shape
    try:
        spread = np.broadcast_to(given, selected)
    except ValueError:
        message = f"values of shape {given.shape} do not fit what the key selects, {selected}"
        raise ArgumentError(Problem("wrong_length", ("value",), message)) from None
    with np.errstate(invalid="ignore"):
        values: NDArray[Any] = np.ascontiguousarray(spread.astype(dtype, copy=False)).reshape(selected)
    return values
