"""Values against the bounds of their column, one at a time. The reference for every faster way."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from maml_parquet.sections.qc import Bound, Qc
from maml_parquet.sections.types import TypeToken

Value: TypeAlias = bool | int | float | str

OPERATORS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
}
"""What is within; NaN is within nothing."""


@dataclass(frozen=True)
class Counts:
    """What was found: how many are Null, how many are not, how many of these are out of bounds, least and most.

    `low` and `high` leave NaN out; they are None where there is no value, or where nothing bounds the values.
    """

    nulls: int
    valid: int
    outside: int
    low: Value | None = None
    high: Value | None = None


def is_bounded(qc: Qc, kind: TypeToken) -> bool:
    """Return whether values are compared with a bound: those of booleans, dates, times and timestamps never are."""
    return kind.base != "boolean" and not kind.is_temporal and (qc.min is not None or qc.max is not None)


def limit(bound: Bound, kind: TypeToken) -> int | float | str:
    """Return what values are compared with: the literal as a value of the column's type, so of float32 the nearest.

    Examples
    --------
    >>> limit(Bound("<=", 0.1, "0.1"), TypeToken("float32"))
    0.10000000149011612
    """
    if kind.base == "float32" and not isinstance(bound.value, str):
        nearest: float = struct.unpack("<f", struct.pack("<f", bound.value))[0]
        return nearest
    return bound.value


def count(values: Iterable[Value | None], qc: Qc, kind: TypeToken) -> Counts:
    """Return what there is to say of the values of a column; those of a vector are its elements.

    Strings compare by their bytes in UTF-8, numbers exactly, and NaN is out of every bound.

    Parameters
    ----------
    values
        Of the column's type, None for Null; what a column of float32 holds are the doubles that a float32 can be.

    Examples
    --------
    >>> count([1.0, None, float("nan"), 7.0], Qc(max=Bound("<=", 5.0, "5")), TypeToken("float64"))
    Counts(nulls=1, valid=3, outside=2, low=1.0, high=7.0)
    """
    everything = list(values)
    present = [value for value in everything if value is not None]
    nulls = len(everything) - len(present)
    if not is_bounded(qc, kind):
        return Counts(nulls, len(present), 0)
    bounds = [(OPERATORS[bound.operator], _key(limit(bound, kind))) for bound in (qc.min, qc.max) if bound]
    outside = sum(not all(within(_key(value), edge) for within, edge in bounds) for value in present)
    ordered = sorted((value for value in present if not _is_nan(value)), key=_key)
    return Counts(nulls, len(present), outside, *((ordered[0], ordered[-1]) if ordered else ()))


def _key(value: Value) -> Any:
    return value.encode() if isinstance(value, str) else value


def _is_nan(value: Value) -> bool:
    return isinstance(value, float) and math.isnan(value)
