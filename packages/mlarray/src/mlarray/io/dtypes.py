"""Which arrays a file can hold."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from mlarray.errors import ArgumentError, ArgumentTypeError, Problem
from mlarray.header.wire import printed

MOST_AXES: Final = 8
MOST_BYTES: Final = (1 << 63) - 1
"""What an offset of 64 bits reaches."""
_SIZES: Final = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8), "c": (8, 16)}
STRUCTURED: Final = "structured and raw fields have no place; store each field as a component, bfloat16 as float32"
_HINTS: Final = {
    "O": "blosc2 would store addresses; convert it to numbers",
    "S": "text is metadata: store codes and values.labels",
    "U": "text is metadata: store codes and values.labels",
    "T": "text is metadata: store codes and values.labels",
    "M": "store numbers, and the unit and start on a time axis",
    "m": "store numbers, and values.unit",
    "V": STRUCTURED,
    "c": "convert it to complex128",
    "W": "convert it to complex128",
}


def check_dtype(dtype: Any) -> np.dtype[Any]:
    """Return a dtype that a file can hold: bool, integers, floats of 2, 4 and 8 bytes, complex of 8 and 16.

    Raises
    ------
    ArgumentTypeError
        It is another one.

    Examples
    --------
    >>> check_dtype(">i2")
    dtype('>i2')
    """
    try:
        found: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        raise ArgumentTypeError(Problem("wrong_type", ("dtype",), f"{dtype!r} is no dtype")) from None
    if found.itemsize in _SIZES.get(found.kind, ()) and found.names is None:
        return found
    hint = _HINTS.get(found.kind, "convert it to float64")
    raise ArgumentTypeError(Problem("unsupported", ("dtype",), f"the dtype {found} cannot be stored: {hint}"))


def check_shape(shape: tuple[int, ...], itemsize: int = 1) -> tuple[int, ...]:
    """Return a shape of at most eight axes, whose values of so many bytes each can be addressed.

    Raises
    ------
    ArgumentError
        It has more, a negative size, or is too large.

    Examples
    --------
    >>> check_shape((2, 0))
    (2, 0)
    """
    if len(shape) > MOST_AXES:
        raise ArgumentError(Problem("out_of_range", ("shape",), f"{len(shape)} axes; a file holds at most {MOST_AXES}"))
    if any(size < 0 for size in shape):
        raise ArgumentError(Problem("out_of_range", ("shape",), f"the shape {shape} has a negative size"))
    if any(size > MOST_BYTES for size in shape) or math.prod(shape) * itemsize > MOST_BYTES:
        message = f"the shape {printed(shape)} has more than 2^63 - 1 bytes, which no file or memory holds"
        raise ArgumentError(Problem("out_of_range", ("shape",), message))
    return shape
