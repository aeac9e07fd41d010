"""The fill value of a new array: a value that its dtype holds, and how its document spells it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from math import inf, isfinite, isnan, nan
from typing import Any, Final, NamedTuple

import numpy as np

from worldarray.documents.dtypes import MISREAD_FILL, SCALARS, Kind, Scalar
from worldarray.documents.parsing import show
from worldarray.errors import ArgumentError, At, problem
from worldarray.records import Format

_AT: Final[At] = ("fill_value",)
_WORDS: Final[Mapping[str, float]] = {"NaN": nan, "Infinity": inf, "-Infinity": -inf}
_UNSPELLED: Final = frozenset({("zarr2", MISREAD_FILL), ("zarr2", "float4_e2m1fn")})
"""What no reader takes a fill value of: tensorstore refuses or misreads every spelling."""


class FillValue(NamedTuple):
    """A fill value as numpy holds it, None where the document says nothing, and as JSON."""

    value: Any
    stored: Any


def fill_value(given: Any, scalar: Scalar, format: Format) -> FillValue:
    """Return the fill value of a new array, exactly.

    Parameters
    ----------
    given
        A number or bool; "NaN", "Infinity" and "-Infinity" too, and [real, imaginary] for complex; None, for zarr v2
        only, writes null, which reads as zeros.
    scalar
        The data type of the array.
    format
        "zarr2" or "zarr3".

    Raises
    ------
    ArgumentError
        ``not_representable``: the dtype does not hold the value. Integers are held exactly or not at all; other real
        numbers are rounded to the nearest float that the dtype holds, but never to infinity.
        ``unsupported``: the format has no way to write it.

    Examples
    --------
    >>> fill_value(float("nan"), SCALARS["float32"], "zarr2").stored
    'NaN'
    >>> int(fill_value(2**64 - 1, SCALARS["uint64"], "zarr3").value)
    18446744073709551615
    """
    if given is None:
        if format == "zarr2":
            return FillValue(None, None)
        raise ArgumentError(problem("missing_field", _AT, "fill_value is None; a zarr v3 array has one, such as 0"))
    if isinstance(given, np.generic | np.ndarray) and given.ndim == 0:
        given = given.item()
    held, stored = _KINDS[scalar.kind](given, scalar)
    if (format, scalar.name) in _UNSPELLED:
        message = f"zarr v2 has no fill value of {scalar.name} that tensorstore reads; give fill_value=None, or zarr3"
        raise ArgumentError(problem("unsupported", _AT, message))
    if scalar.name == MISREAD_FILL:
        stored = f"0x{held.tobytes().hex()}"
    return FillValue(held, stored)


def _refuse(given: Any, scalar: Scalar, rule: str) -> ArgumentError:
    shown = show(given) if isinstance(given, str | bool | int | float | list | tuple) else repr(given)
    message = f"fill_value {shown} does not fit dtype {scalar.name}: {rule}; give a value it holds"
    return ArgumentError(problem("not_representable", _AT, message))


def _bool(given: Any, scalar: Scalar) -> tuple[Any, Any]:
    if isinstance(given, bool) or (isinstance(given, int | float) and given in (0, 1)):
        return np.bool_(given), bool(given)
    raise _refuse(given, scalar, "bool holds False, True, 0 and 1")


def _integer(given: Any, scalar: Scalar) -> tuple[Any, Any]:
    if isinstance(given, float) and given.is_integer():
        given = int(given)
    try:
        value = operator.index(given)
    except TypeError:
        raise _refuse(given, scalar, "an integer dtype holds whole numbers") from None
    low, high = scalar.bounds
    if not low <= value <= high:
        raise _refuse(given, scalar, f"it holds {low} to {high}")
    return scalar.dtype.type(value), value


def _float(given: Any, scalar: Scalar) -> tuple[Any, Any]:
    value = _WORDS.get(given) if isinstance(given, str) else given
    whole = isinstance(value, int)
    if value is None or isinstance(value, complex):
        raise _refuse(given, scalar, f"it holds real numbers; the words are {', '.join(map(show, _WORDS))}")
    try:
        wide = float(value)
    except OverflowError:
        wide = inf
    except (TypeError, ValueError):
        raise _refuse(given, scalar, "it holds real numbers") from None
    with np.errstate(over="ignore", invalid="ignore"):
        held = scalar.dtype.type(wide)
    back = float(held)
    if isnan(wide) != isnan(back):
        raise _refuse(given, scalar, "it holds no NaN" if isnan(wide) else "it holds nothing near it")
    if isfinite(wide) != isfinite(back) or (whole and not isfinite(wide)):
        raise _refuse(given, scalar, "it is beyond the largest finite value" if isfinite(wide) else "it is not held")
    if whole and int(back) != value:
        raise _refuse(given, scalar, f"the nearest it holds is {back}, and whole numbers are never rounded")
    return held, _json_float(back)


def _json_float(value: float) -> float | str:
    if isfinite(value):
        return value
    return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _complex(given: Any, scalar: Scalar) -> tuple[Any, Any]:
    part = SCALARS[f"float{scalar.bits // 2}"]
    pair = given if isinstance(given, list | tuple) else (given, 0)
    if isinstance(given, complex):
        pair = (given.real, given.imag)
    if len(pair) != 2:
        raise _refuse(given, scalar, "a complex number is [real, imaginary]")
    (real, stored), (imaginary, stored_imaginary) = (_float(entry, part) for entry in pair)
    held = np.array([real, imaginary], part.dtype).view(scalar.dtype)[0]
    return held, [stored, stored_imaginary]


_KINDS: Final[Mapping[Kind, Callable[[Any, Scalar], tuple[Any, Any]]]] = {
    "bool": _bool,
    "int": _integer,
    "float": _float,
    "complex": _complex,
}
