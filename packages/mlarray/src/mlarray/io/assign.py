"""Which values can be stored, and how they are spread: as in numpy, but for what the dtype cannot hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlarray.errors import ArgumentError, ArgumentTypeError, Problem


def storable(value: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return values as an array, not yet of the dtype, after a look at whether they can be stored.

    Fractions are cut off, floats rounded and whole numbers of an array wrapped, as numpy does.

    Raises
    ------
    ArgumentTypeError
        They are no numbers; or complex, where real ones are stored.
    ArgumentError
        NaN, an infinity or a float out of range for integers; a Python integer that the dtype does not hold.

    Examples
    --------
    >>> storable([1, 2.5], np.dtype("i2")).tolist()
    [1.0, 2.5]
    """
    try:
        given = np.asarray(value)
    except ValueError:
        raise _type_error(f"{value!r:.60} is no array of numbers") from None
    except OverflowError:
        raise _error(f"{value!r:.60} cannot be stored as {dtype}") from None
    kind = given.dtype.kind
    if kind not in "biufc":
        wide = _wide(given, dtype) if kind == "O" else None
        raise wide or _type_error(f"values of dtype {given.dtype} are no numbers")
    if kind == "c" and dtype.kind != "c":
        raise _type_error(f"complex values cannot be stored as {dtype}")
    if dtype.kind in "iu" and given.size:
        exact = kind in "iu" and not isinstance(value, np.ndarray)
        if kind == "f" or exact:
            _check_range(given, dtype)
    return given


def _wide(given: NDArray[Any], dtype: np.dtype[Any]) -> ArgumentError | None:
    """Return the error for integers of Python that no numpy dtype holds."""
    if all(type(one) is int for one in given.ravel()[:100]):
        return _error(f"{given.ravel()[0]} cannot be stored as {dtype}")
    return None


def _check_range(given: NDArray[Any], dtype: np.dtype[Any]) -> None:
    if given.dtype.kind == "f" and not np.isfinite(given).all():
        raise _error(f"NaN or an infinity cannot be stored as {dtype}")
    limits = np.iinfo(dtype)
    for number in (given.min(), given.max()):
        if not limits.min <= int(number) <= limits.max:
            raise _error(f"{number} cannot be stored as {dtype}")


def fitting(given: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return values spread over a shape, without a copy.

    Raises
    ------
    ArgumentError
        They do not fit.

    Examples
    --------
    >>> fitting(np.array([[[1, 2]]]), (3, 2)).tolist()
    [[1, 2], [1, 2], [1, 2]]
    """
    spread = given
    while spread.ndim > len(shape) and spread.shape[0] == 1:
        spread = spread[0]
    try:
        return np.broadcast_to(spread, shape)
    except ValueError:
        message = f"values of shape {given.shape} do not fit what the key selects, {shape}"
        raise ArgumentError(Problem("wrong_length", ("value",), message)) from None


def _error(message: str) -> ArgumentError:
    return ArgumentError(Problem("not_representable", ("value",), message))


def _type_error(message: str) -> ArgumentTypeError:
    return ArgumentTypeError(Problem("wrong_type", ("value",), message))
