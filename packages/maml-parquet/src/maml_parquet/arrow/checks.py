"""Bounds and Nulls of columns, chunk after chunk; lengths of strings."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from maml_parquet.arrow.memory import Mask, Numbers, chunks_of, elements_of, numbers_of
from maml_parquet.arrow.types import element_of, size_of, token_of
from maml_parquet.errors import Problem
from maml_parquet.rows.bounds import OPERATORS, Value, is_bounded, limit
from maml_parquet.sections.qc import Qc
from maml_parquet.sections.types import TypeToken

_CHECKED_AS: Final = {
    **dict.fromkeys((pa.int8(), pa.int16(), pa.uint8(), pa.uint16()), TypeToken("int32")),
    **dict.fromkeys((pa.uint32(), pa.uint64()), TypeToken("int64")),
    pa.float16(): TypeToken("float32"),
}
"""Types without a word: their bounds are written as those of a type that has one."""

_COMPARISONS: Final = {">=": pc.less, ">": pc.less_equal, "<=": pc.greater, "<": pc.greater_equal}
"""What is not within."""


def checked_as(type_: pa.DataType) -> TypeToken | None:
    """Return the type that bounds of a file's column are written in, of a list's elements; None where there are none.

    Examples
    --------
    >>> str(checked_as(pa.list_(pa.uint8(), 2))), checked_as(pa.binary())
    ('int32', None)
    """
    return token_of(type_) or _CHECKED_AS.get(element_of(type_))


class Check:
    """What is to be said of a column whose bounds and Nulls are checked, while its chunks pass by.

    Parameters
    ----------
    qc
        Bounds with values of the column's type, or of what it is `checked_as`.
    kind
        The column's type.
    name
        Its name, for messages.

    Attributes
    ----------
    nulls, valid
        How many elements are Null, and how many are not.
    outside
        How many that are not Null are out of bounds; NaN is out of every bound.
    low, high
        The least and the greatest, NaN left out; None where there is none, or where nothing bounds the values.

    Examples
    --------
    >>> from maml_parquet.sections.qc import Bound
    >>> check = Check(Qc(max=Bound("<=", 5, "5"), miss="unexpected"), TypeToken("int32"), "x")
    >>> check.add(pa.array([1, None, 7], pa.int32()))
    >>> for text in check.warnings_():
    ...     print(text)
    column 'x': 1 of 3 values is Null, and miss says that none is
    column 'x': 1 of 2 values is out of bounds (max 5); they go from 1 to 7
    """

    def __init__(self, qc: Qc, kind: TypeToken, name: str) -> None:
        self.qc = qc
        self.kind = kind
        self.name = name
        self.nulls = 0
        self.valid = 0
        self.outside = 0
        self.low: Value | None = None
        self.high: Value | None = None
        self._is_bounded = is_bounded(qc, kind)
        self._has_nan = False
        self._null_at = ""
        self._outside_at = ""

    def add(self, array: pa.Array | pa.ChunkedArray, where: str = "") -> None:
        """Check the next rows: in the column's type, or as a file has them.

        Parameters
        ----------
        where
            What messages call these rows, such as ``row group 3``.
        """
        for chunk in chunks_of(array):
            before = (self.nulls, self.outside)
            self._add(chunk)
            if self.nulls > before[0]:
                self._null_at = self._null_at or where
            if self.outside > before[1]:
                self._outside_at = self._outside_at or where

    def warnings_(self) -> tuple[str, ...]:
        """Return what a writer warns of, a line each: Nulls that are not expected, and values out of bounds."""
        return tuple(text for text in (self._of_nulls(), self._of_bounds()) if text)

    def problems(self) -> tuple[Problem, ...]:
        """Return the same as what a reader raises, with the code ``qc``."""
        return tuple(Problem("qc", (self.name,), text) for text in self.warnings_())

    def _of_nulls(self) -> str:
        if self.qc.miss != "unexpected" or not self.nulls:
            return ""
        found = _counted(self.nulls, self.nulls + self.valid, "Null")
        return f"column {self.name!r}: {found}, and miss says that none is{_at(self._null_at)}"

    def _of_bounds(self) -> str:
        if not self.outside:
            return ""
        sides = (("min", self.qc.min), ("max", self.qc.max))
        bounds = ", ".join(f"{side} {bound.text}" for side, bound in sides if bound)
        found = _counted(self.outside, self.valid, "out of bounds")
        nan = ["NaN is among them"] if self._has_nan else []
        span = [] if self.low is None else [f"they go from {self.low!r} to {self.high!r}"]
        return f"column {self.name!r}: {found} ({bounds}); {', '.join([*span, *nan])}{_at(self._outside_at)}"

    def _add(self, chunk: pa.Array) -> None:
        elements = elements_of(chunk)
        if len(elements) and self._is_bounded and elements.null_count < len(elements):
            self.outside += self._strings(elements) if self.kind.base == "string" else self._numbers(elements)
        self.valid += len(elements) - elements.null_count
        self.nulls += elements.null_count
        if chunk is not elements and size_of(chunk.type) != 1:
            self.nulls += chunk.null_count * max(size_of(chunk.type), 1)

    def _numbers(self, elements: pa.Array) -> int:
        numbers = numbers_of(elements if not elements.null_count else elements.drop_null())
        low, high = numbers.min().item(), numbers.max().item()
        if math.isnan(low):  # It passes through, and is out of every bound.
            self._has_nan = True
            low, high = np.fmin.reduce(numbers).item(), np.fmax.reduce(numbers).item()
            count = self._count_outside(numbers)
        else:
            count = 0 if self._is_within(low) and self._is_within(high) else self._count_outside(numbers)
        if not math.isnan(low):
            self._widen(low, high)
        return count

    def _count_outside(self, numbers: Numbers) -> int:
        bad: Mask = np.zeros(len(numbers), np.bool_)
        for bound in (self.qc.min, self.qc.max):
            if bound is not None:
                bad |= ~_within(numbers, bound.operator, limit(bound, self.kind))
        return int(np.count_nonzero(bad))

    def _strings(self, elements: pa.Array) -> int:
        binary = elements.cast(pa.large_binary() if pa.types.is_large_string(elements.type) else pa.binary())
        span = pc.min_max(binary)
        low, high = span["min"].as_py(), span["max"].as_py()
        self._widen(low.decode(errors="replace"), high.decode(errors="replace"))
        if self._is_within(low) and self._is_within(high):
            return 0
        bounds = [bound for bound in (self.qc.min, self.qc.max) if bound is not None]
        bad = [_COMPARISONS[bound.operator](binary, pa.scalar(_key(bound.value), binary.type)) for bound in bounds]
        return pc.sum(bad[0] if len(bad) == 1 else pc.or_(*bad)).as_py() or 0

    def _is_within(self, value: int | float | bytes) -> bool:
        return all(
            OPERATORS[bound.operator](value, _key(limit(bound, self.kind)))
            for bound in (self.qc.min, self.qc.max)
            if bound is not None
        )

    def _widen(self, low: Value, high: Value) -> None:
        self.low = low if self.low is None else min(self.low, low, key=_key)
        self.high = high if self.high is None else max(self.high, high, key=_key)


def lengths(array: pa.Array | pa.ChunkedArray) -> int:
    """Return how long the longest string is, in code points; 0 where there is none. Of vectors, of all elements.

    Examples
    --------
    >>> lengths(pa.array(["née", None, "x"]))
    3
    """
    longest = (pc.max(pc.utf8_length(elements_of(chunk))).as_py() for chunk in chunks_of(array))
    return max((length or 0 for length in longest), default=0)


def first_longer(array: pa.Array | pa.ChunkedArray, size: int) -> tuple[int, str] | None:
    """Return the element with the first string of more than `size` code points, and the string; None without any.

    Examples
    --------
    >>> first_longer(pa.array(["a", None, "née", "four"]), 2)
    (2, 'née')
    """
    before = 0
    for chunk in chunks_of(array):
        elements = elements_of(chunk)
        position = pc.index(pc.greater(pc.utf8_length(elements), size), pa.scalar(True)).as_py()
        if position >= 0:
            return before + position, elements[position].as_py()
        before += len(elements)
    return None


def _within(numbers: Numbers, word: str, edge: int | float | str) -> Mask:
    """Return where numbers are within a bound; an integer that their type has not is beyond all of them."""
    if numbers.dtype.kind in "iu" and isinstance(edge, int):
        info = np.iinfo(numbers.dtype)
        if not info.min <= edge <= info.max:
            return np.full(len(numbers), OPERATORS[word](0, edge))
    elif numbers.dtype == np.float16:
        numbers = numbers.astype(np.float32)
    return np.asarray(OPERATORS[word](numbers, numbers.dtype.type(edge)))


def _key(value: Value | bytes) -> int | float | bytes:
    return value.encode() if isinstance(value, str) else value


def _counted(some: int, everything: int, what: str) -> str:
    return f"{some} of {everything} value{'s' * (everything != 1)} {'is' if some == 1 else 'are'} {what}"


def _at(where: str) -> str:
    return f" (first in {where})" if where else ""
