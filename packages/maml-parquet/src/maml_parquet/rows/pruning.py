"""Which row groups can be left unread: by their statistics alone, never wrongly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from maml_parquet.rows.kinds import Kind
from maml_parquet.rows.trees import And, Bound, Not, Or, Test

_NOT_BOUNDED: Final = ("uint8", "uint16", "uint32", "uint64", "float16")
"""Kinds whose bounds say nothing: writers differ in how they order them."""


@dataclass(frozen=True)
class Stats:
    """What a row group says of a column: how many rows; how many Nulls; bounds of the other values. None is not known.

    Bounds may be wider than the values are, and say nothing of NaN: a column of floats may always hold it.
    """

    rows: int
    null_count: int | None = None
    min: Any = None
    max: Any = None

    @property
    def nulls(self) -> int | None:
        """How many Nulls, where that is known and can be."""
        return self.null_count if self.null_count is not None and 0 <= self.null_count <= self.rows else None


@dataclass(frozen=True)
class _May:
    """Whether any row may be True, and whether any may be False."""

    true: bool
    false: bool


_ANY: Final = _May(true=True, false=True)


def _equal(low: Any, high: Any, values: tuple[Any, ...]) -> _May:
    return _May(true=any(low <= value <= high for value in values), false=not (low == high and low in values))


def _swapped(may: _May) -> _May:
    return _May(true=may.false, false=may.true)


_ORDERED: Final[dict[str, Callable[[Any, Any, tuple[Any, ...]], _May]]] = {
    ">": lambda low, high, values: _May(true=high > values[0], false=low <= values[0]),
    ">=": lambda low, high, values: _May(true=high >= values[0], false=low < values[0]),
    "<": lambda low, high, values: _May(true=low < values[0], false=high >= values[0]),
    "<=": lambda low, high, values: _May(true=low <= values[0], false=high > values[0]),
    "==": _equal,
    "in": _equal,
    "/=": lambda low, high, values: _swapped(_equal(low, high, values)),
    "not_in": lambda low, high, values: _swapped(_equal(low, high, values)),
}
"""What may be of values between two bounds, by operator."""


def keeps(bound: Bound, stats: Mapping[str, Stats]) -> bool:
    """Return False only where no row of the group can pass, so that the rows are the same with and without pruning.

    Parameters
    ----------
    bound
        A rule bound to its columns.
    stats
        By the names of the rule, those into structs with their dots. A column that is absent is not known.

    Examples
    --------
    >>> from maml_parquet.rows.filters import bind, parse_filter
    >>> rule = bind(parse_filter("ra > 180"), {"ra": Kind.of("float64")})
    >>> keeps(rule, {"ra": Stats(rows=10, min=3.0, max=180.0)}), keeps(rule, {"ra": Stats(rows=10, min=3.0, max=180.5)})
    (False, True)
    """
    return _may(bound, stats).true


def _may(bound: Bound, stats: Mapping[str, Stats]) -> _May:
    if isinstance(bound, And):
        items = [_may(item, stats) for item in bound.items]
        return _May(true=all(item.true for item in items), false=any(item.false for item in items))
    if isinstance(bound, Or):
        items = [_may(item, stats) for item in bound.items]
        return _May(true=any(item.true for item in items), false=all(item.false for item in items))
    if isinstance(bound, Not):
        return _swapped(_may(bound.item, stats))
    return _may_test(bound, stats[bound.name]) if bound.name in stats else _ANY


def _may_test(test: Test, stats: Stats) -> _May:
    if test.op in ("is_null", "is_not_null"):
        nulls = stats.nulls
        null = _ANY if nulls is None else _May(true=nulls > 0, false=nulls < stats.rows)
        return null if test.op == "is_null" else _swapped(null)
    if test.op not in _ORDERED:
        return _ANY
    if stats.nulls == stats.rows:
        return _May(true=False, false=False)
    if test.kind.base in _NOT_BOUNDED or not _usable(stats, test.kind):
        return _ANY
    found = _ORDERED[test.op](stats.min, stats.max, test.values)
    # NaN is False for every comparison but these two, for which it is True.
    return _May(true=found.true or test.op in ("/=", "not_in"), false=True) if test.kind.is_float else found


def _usable(stats: Stats, kind: Kind) -> bool:
    """Return whether both bounds are of the column's kind and in order; NaN is in order with nothing."""
    return kind.holds(stats.min) and kind.holds(stats.max) and bool(stats.min <= stats.max)
