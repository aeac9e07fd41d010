"""A bound rule on columns: which rows pass, all of them at once."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from functools import reduce
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from maml_parquet.arrow.leaves import Columns, checked, leaf, plain
from maml_parquet.rows.trees import And, Bound, Not, Or, Test

_COMPARISONS: Final[dict[str, Callable[[pa.Array, pa.Scalar], pa.BooleanArray]]] = {
    ">": pc.greater,
    ">=": pc.greater_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    "==": pc.equal,
    "/=": pc.not_equal,
}
"""Null where the value is; NaN compares as floats do, and -0 equals 0."""

_QUESTIONS: Final[dict[str, Callable[[pa.Array], pa.BooleanArray]]] = {
    "is_null": pc.is_null,
    "is_not_null": pc.is_valid,
    "is_nan": pc.is_nan,
    "is_not_nan": lambda values: pc.invert(pc.is_nan(values)),
    "is_finite": pc.is_finite,
    "is_not_finite": lambda values: pc.invert(pc.is_finite(values)),
}
"""Operators without a value."""


def mask(bound: Bound, columns: Columns) -> pa.BooleanArray:
    """Return for each row whether it passes: True, False, or Null where that is unknown.

    It is what `rows.evaluation.evaluate` says of each row. ``table.filter(mask)`` keeps the rows where it is True.

    Parameters
    ----------
    bound
        A rule bound to these columns; they are found by the path of each test.
    columns
        By name, all of one length; those that no test names are not looked at.

    Raises
    ------
    MamlError
        Code ``argument``: a column is missing, or is not of the kind that the rule was bound to.

    Examples
    --------
    >>> from maml_parquet.arrow.types import kinds_of
    >>> from maml_parquet.rows.filters import bind, parse_filter
    >>> table = pa.table({"x": [4.0, 6.0, float("nan"), None]})
    >>> mask(bind(parse_filter("not x > 5"), kinds_of(table.schema)), table).to_pylist()
    [True, False, True, None]
    """
    if isinstance(bound, And):
        return reduce(pc.and_kleene, (mask(item, columns) for item in bound.items))
    if isinstance(bound, Or):
        return reduce(pc.or_kleene, (mask(item, columns) for item in bound.items))
    if isinstance(bound, Not):
        return pc.invert(mask(bound.item, columns))
    column = checked(leaf(columns, bound.path, bound.name), bound.path, bound.name, bound.kind)
    if isinstance(column, pa.ChunkedArray):
        # One piece after all, since pyarrow 20 errs in Kleene's logic where chunks are not of the same lengths.
        return pa.concat_arrays([pa.array([], pa.bool_()), *(_of_array(bound, chunk) for chunk in column.chunks)])
    return _of_array(bound, column)


def _of_array(test: Test, column: pa.Array) -> pa.BooleanArray:
    """Return what a test says of each row; of a dictionary, each entry is asked once."""
    if not isinstance(column, pa.DictionaryArray):
        return _answer(test, plain(column))
    if test.op in ("is_null", "is_not_null"):
        valid = pc.fill_null(pc.is_valid(column.dictionary).take(column.indices), fill_value=False)
        return valid if test.op == "is_not_null" else pc.invert(valid)
    return _answer(test, plain(column.dictionary)).take(column.indices)


def _answer(test: Test, values: pa.Array) -> pa.BooleanArray:
    if test.op in _QUESTIONS:
        return _QUESTIONS[test.op](values)
    if test.op in _COMPARISONS:
        # A float column meets a double: it is the column that is widened, never the value that is rounded.
        type_ = pa.float64() if test.kind.is_float else values.type
        return _COMPARISONS[test.op](values, pa.scalar(test.values[0], type_))
    found = _within(values, test)
    return found if test.op == "in" else pc.invert(found)


def _within(values: pa.Array, test: Test) -> pa.BooleanArray:
    """Return where values are in a list: unknown where they are Null, with zeros of both signs equal."""
    wanted = list(test.values)
    if test.kind.is_float:
        is_single = bool(pa.types.is_float32(values.type))
        # Sums of a zero and 0 are 0, whatever its sign.
        wanted = [float(one) + 0.0 for one in wanted if not is_single or _is_single(float(one))]
        values = pc.add(values, pa.scalar(0.0, values.type))
    found = pc.is_in(values, value_set=pa.array(wanted, values.type))
    return pc.if_else(pc.is_valid(values), found, pa.scalar(None, pa.bool_())) if values.null_count else found


def _is_single(value: float) -> bool:
    """Return whether a float of 32 bits holds the value."""
    try:
        (rounded,) = struct.unpack("<f", struct.pack("<f", value))
    except OverflowError:
        return False
    return bool(rounded == value) or math.isinf(value)
