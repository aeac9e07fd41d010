"""A bound rule on one row: True, False, or None where it is unknown. The reference for every faster way."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from maml_parquet.errors import MamlError, Problem
from maml_parquet.rows.trees import And, Bound, Not, Or, Test

_COMPARISONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "/=": operator.ne,
}
"""NaN compares as floats do: it equals nothing, and is less or more than nothing."""

_TESTS: Final[dict[str, Callable[[Any, tuple[Any, ...]], bool]]] = {
    "in": lambda value, values: any(value == one for one in values),
    "not_in": lambda value, values: all(value != one for one in values),
    "is_nan": lambda value, _: math.isnan(value),
    "is_not_nan": lambda value, _: not math.isnan(value),
    "is_finite": lambda value, _: math.isfinite(value),
    "is_not_finite": lambda value, _: not math.isfinite(value),
}
"""What the other operators say of a value that is not Null."""


def evaluate(bound: Bound, row: Mapping[str, Any]) -> bool | None:
    """Return whether a row passes: Kleene's three values, where a Null makes a comparison unknown and NaN is a value.

    Only ``is_null`` and ``is_not_null`` decide on Nulls. A row is chosen where this is True.

    Parameters
    ----------
    row
        The value of each column, None for Null; of a struct, a mapping. Dates are days since 1970-01-01, times and
        timestamps counts of the column's unit; float32 values are doubles that a float32 holds.

    Raises
    ------
    MamlError
        Code ``argument``: the row lacks a column of the rule, or has a value there that is not of the column's kind.

    Examples
    --------
    >>> from maml_parquet.rows.filters import bind, parse_filter
    >>> from maml_parquet.rows.kinds import Kind
    >>> rule = bind(parse_filter("not x > 5"), {"x": Kind.of("float64")})
    >>> [evaluate(rule, {"x": value}) for value in (4.0, 6.0, float("nan"), None)]
    [True, False, True, None]
    """
    if isinstance(bound, And):
        return _all([evaluate(item, row) for item in bound.items])
    if isinstance(bound, Or):
        return _not(_all([_not(evaluate(item, row)) for item in bound.items]))
    if isinstance(bound, Not):
        return _not(evaluate(bound.item, row))
    return _test(bound, _value(bound, row))


def _not(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


def _all(answers: list[bool | None]) -> bool | None:
    return False if False in answers else None if None in answers else True


def _test(test: Test, value: Any) -> bool | None:
    if test.op in ("is_null", "is_not_null"):
        return (value is None) == (test.op == "is_null")
    if value is None:
        return None
    if not test.kind.holds(value):
        said = f"the column {test.name!r} of {test.kind} has the value {value!r}, a {type(value).__name__}"
        message = f"{said}; rows hold Python's own bool, int, float and str, dates and times as counts"
        raise MamlError([Problem("argument", ("row", *test.path), message)])
    if test.op in _COMPARISONS:
        return _COMPARISONS[test.op](value, test.values[0])
    return _TESTS[test.op](value, test.values)


def _value(test: Test, row: Mapping[str, Any]) -> Any:
    value: Any = row
    for name in test.path:
        if value is None:
            return None
        if name not in value:
            raise MamlError(
                [Problem("argument", ("row", *test.path), f"the row has no value of the column {test.name!r}")]
            )
        value = value[name]
    return value
