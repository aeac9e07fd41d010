"""Numbers and moments of any type as any other: the value stays, or the first that cannot stay is named."""

import math
import struct
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maml_parquet.arrow.convert import convert
from maml_parquet.errors import MamlError
from maml_parquet.rows.kinds import INTEGERS
from maml_parquet.schema.records import Column
from maml_parquet.sections.types import parse_type

DIGITS = {"float32": 24, "float64": 53}
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def integers(low, high):
    edges = [edge + step for bits in (0, 24, 31, 53, 63) for edge in (2**bits, -(2**bits)) for step in (-1, 0, 1)]
    inside = [edge for edge in edges if low <= edge <= high]
    return st.integers(low, high) | st.sampled_from(inside) | st.integers(max(low, -9), min(high, 9))


VALUES = {word: integers(*span) for word, span in INTEGERS.items()} | {
    "float32": st.floats(width=32) | integers(-(2**24), 2**24).map(float),
    "float64": st.floats() | integers(-(2**53), 2**53).map(float) | st.sampled_from([2.0**31, 2.0**63, -(2.0**63)]),
}
TYPES = {word: getattr(pa, word)() for word in VALUES}


def as_float32(value):
    """The nearest float32, or None where that is beyond the largest."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return None


def expected(value, word):
    """The value in the type; None where it has none. By exact arithmetic."""
    if word in DIGITS:
        if isinstance(value, int):
            odd = abs(value) // (abs(value) & -abs(value)) if value else 0
            return float(value) if odd < 2 ** DIGITS[word] else None
        return as_float32(value) if word == "float32" else value
    if isinstance(value, float) and not math.isfinite(value):
        return None
    exact = Fraction(value)
    low, high = INTEGERS[word]
    return int(exact) if exact.denominator == 1 and low <= exact <= high else None


def same(one, other):
    return one == other or (one is not None and other is not None and math.isnan(one) and math.isnan(other))


@st.composite
def cases(draw):
    word = draw(st.sampled_from(sorted(VALUES)))
    chunks = draw(st.lists(st.lists(st.none() | VALUES[word], max_size=6), min_size=1, max_size=3))
    return word, chunks, draw(st.sampled_from(["int32", "int64", "float32", "float64"])), draw(st.integers(0, 2))


def unfit_row(values, wanted):
    rows = (
        row for row, (value, one) in enumerate(zip(values, wanted, strict=True)) if value is not None and one is None
    )
    return next(rows, None)


def unfit_rows_agree(column, arrays, values, wanted, first):
    """Whether the error names a value that does not fit, in the first chunk that has one."""
    with pytest.raises(MamlError) as caught:
        convert(arrays, column, col_size=1, first_row=first)
    (problem,) = caught.value.problems
    row = problem.at[1] - first
    assert problem.code == "value"
    assert values[row] is not None
    assert wanted[row] is None


@settings(max_examples=150, deadline=None)
@given(cases())
def test_numbers_stay_what_they_are(case):
    given_word, chunks, word, start = case
    column = Column("x", "x", parse_type(word))
    arrays = pa.chunked_array([pa.array(chunk, TYPES[given_word]) for chunk in chunks])[start:]
    values = [value for chunk in chunks for value in chunk][start:]
    wanted = [None if value is None else expected(value, word) for value in values]
    if unfit_row(values, wanted) is not None:
        unfit_rows_agree(column, arrays, values, wanted, start)
        return
    got = convert(arrays, column, col_size=1)
    assert got.type == TYPES[word]
    assert all(same(one, other) for one, other in zip(got.to_pylist(), wanted, strict=True))


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(sorted(PER_SECOND)),
    st.sampled_from(["ms", "us", "ns"]),
    st.lists(st.none() | integers(-(2**63), 2**63 - 1) | st.integers(-9, 9).map(lambda number: number * 10**9)),
    st.booleans(),
)
def test_moments_stay_what_they_are(here, there, values, utc):
    factor = Fraction(PER_SECOND[there], PER_SECOND[here])
    column = Column("t", "t", parse_type(f"timestamp[{there},utc]" if utc else f"timestamp[{there}]"))
    arrays = pa.array(values, pa.timestamp(here, "Asia/Tokyo" if utc else None))
    exact = [None if value is None else value * factor for value in values]
    wanted = [None if one is None or one.denominator != 1 or not -(2**63) < one < 2**63 else int(one) for one in exact]
    if factor == 1:
        wanted = values
    if unfit_row(values, wanted) is not None:
        unfit_rows_agree(column, arrays, values, wanted, 7)
        return
    got = convert(arrays, column, col_size=1)
    assert got.type == pa.timestamp(there, "UTC" if utc else None)
    assert got.view(pa.int64()).to_pylist() == wanted
