"""Bounds and Nulls of columns, chunk after chunk."""

import math
import struct

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maml_parquet.arrow.checks import Check, checked_as, first_longer, lengths
from maml_parquet.arrow.types import arrow_type
from maml_parquet.rows.bounds import Counts, count
from maml_parquet.sections.qc import Bound, Qc, parse_bound
from maml_parquet.sections.types import parse_type


def qc(word, least=None, most=None, miss="unchecked"):
    kind = parse_type(word)
    bounds = [text and parse_bound(text, side, kind) for text, side in ((least, "min"), (most, "max"))]
    return Qc(*(bound or None for bound in bounds), miss)


def checked(word, arrays, where=None, **bounds):
    check = Check(qc(word, **bounds), parse_type(word), "x")
    for index, array in enumerate(arrays):
        check.add(array, where[index] if where else "")
    return check


def counts(check):
    return Counts(check.nulls, check.valid, check.outside, check.low, check.high)


@pytest.mark.parametrize(
    ("word", "values", "least", "most", "expected"),
    [
        # nulls, valid, outside, low, high
        ("int32", [1, None, 7, 5], "2", "< 7", (1, 3, 2, 1, 7)),
        ("int32", [1, None, 7, 5], "> 0", "7", (1, 3, 0, 1, 7)),
        ("int32", [1, None, 7, 5], "> 1", None, (1, 3, 1, 1, 7)),
        # Double would take 2^53 + 1 for 2^53.
        ("int64", [2**53, 2**53 + 1], None, "9007199254740992", (0, 2, 1, 2**53, 2**53 + 1)),
        (
            "int64",
            [-(2**63), 2**63 - 1],
            "> -9223372036854775808",
            "9223372036854775807",
            (0, 2, 1, -(2**63), 2**63 - 1),
        ),
        ("float64", [math.nan, 3.0, None], "0", "5", (1, 2, 1, 3.0, 3.0)),
        ("float64", [math.nan, 3.0], None, "< 5", (0, 2, 1, 3.0, 3.0)),
        ("float64", [math.nan, 3.0], "> 1", None, (0, 2, 1, 3.0, 3.0)),
        ("float64", [math.nan, math.nan], "0", "5", (0, 2, 2, None, None)),
        ("float64", [math.inf, -math.inf, 0.0], "0", "5", (0, 3, 2, -math.inf, math.inf)),
        ("float64", [-0.0], "0", None, (0, 1, 0, -0.0, -0.0)),
        # The float32 nearest to 0.7 is below the double 0.7; the bound is that float32 too.
        ("float32", [0.7], "0.7", None, (0, 1, 0, 11744051 / 2**24, 11744051 / 2**24)),
        ("float32", [0.7], "> 0.7", None, (0, 1, 1, 11744051 / 2**24, 11744051 / 2**24)),
        ("string", ["b", None, "B", "é", "bb"], "a", "< bb", (1, 4, 3, "B", "é")),
        ("string", ["b"], "b", "b", (0, 1, 0, "b", "b")),
        # By bytes: U+FF5E is EF BD 9E, U+1F600 is F0 9F 98 80, in UTF-16 it would be the other way round.
        ("string", ["\U0001f600"], None, "\uff5e", (0, 1, 1, "\U0001f600", "\U0001f600")),
        ("boolean", [True, None], "< 5", "7", (1, 1, 0, None, None)),
        ("int32", [None, None], "0", "5", (2, 0, 0, None, None)),
        ("int32", [], "0", "5", (0, 0, 0, None, None)),
        ("int32", [1, 9], None, None, (0, 2, 0, None, None)),
        ("timestamp[us]", [None], None, None, (1, 0, 0, None, None)),
    ],
)
def test_what_is_null_and_what_is_out_of_bounds(word, values, least, most, expected):
    array = pa.array(values, arrow_type(parse_type(word)))
    expected = Counts(*expected)
    assert counts(checked(word, [array], least=least, most=most)) == expected
    # In chunks, and with something before that does not count.
    chunks = pa.chunked_array([array[:1], array[1:]], type=array.type)
    assert counts(checked(word, [chunks], least=least, most=most)) == expected
    longer = pa.concat_arrays([pa.array(values[-1:], array.type), array])
    assert counts(checked(word, [longer[min(1, len(values)) :]], least=least, most=most)) == expected
    assert count(array.to_pylist(), qc(word, least, most), parse_type(word)) == expected


@pytest.mark.parametrize(
    "type_",
    [
        pa.large_string(),
        pa.string_view(),
        pa.dictionary(pa.int8(), pa.string()),
        pa.dictionary(pa.int8(), pa.string_view()),
    ],
)
def test_strings_in_other_dress_are_checked(type_):
    array = pa.array(["b", None, "d"]).cast(pa.large_string() if pa.types.is_dictionary(type_) else type_)
    if pa.types.is_dictionary(type_):
        array = pa.DictionaryArray.from_arrays(
            pa.array([0, None, 1], pa.int8()), pa.array(["b", "d"], type_.value_type)
        )
    assert counts(checked("string", [array], most="c")) == Counts(1, 2, 1, "b", "d")
    assert lengths(array) == 1


@pytest.mark.parametrize("list_", [lambda type_: pa.list_(type_, 2), pa.list_, pa.large_list, pa.list_view])
def test_vectors_are_checked_by_their_elements(list_):
    array = pa.array([[9, 9], [1, None], [3, 7]], list_(pa.int32()))[1:]
    assert counts(checked("int32", [array], most="5")) == Counts(1, 3, 1, 1, 7)


def test_a_row_of_a_vector_that_is_null_is_nulls():
    # 2 of the row, 1 element.
    array = pa.array([[1, None], None], pa.list_(pa.int32(), 2))
    assert counts(checked("int32", [array], most="5")) == Counts(3, 1, 0, 1, 1)
    array = pa.array([[1, None, 4], None])
    assert counts(checked("int64", [array], most="5")) == Counts(2, 2, 0, 1, 4)


@pytest.mark.parametrize(
    ("type_", "word"),
    [
        (pa.int8(), "int32"),
        (pa.uint16(), "int32"),
        (pa.uint64(), "int64"),
        (pa.float16(), "float32"),
        (pa.string_view(), "string"),
        (pa.list_(pa.int32(), 2), "int32"),
    ],
)
def test_columns_of_files_are_checked_by_a_word_near_theirs(type_, word):
    assert str(checked_as(type_)) == word


@pytest.mark.parametrize("type_", [pa.decimal128(3), pa.binary(), pa.date64(), pa.struct([])])
def test_columns_without_such_a_word_have_no_bounds(type_):
    assert checked_as(type_) is None


@pytest.mark.parametrize(
    ("values", "least", "most", "outside"),
    [
        (pa.array([0, 255], pa.uint8()), "-1", "256", 0),
        (pa.array([0, 255], pa.uint8()), "256", None, 2),
        (pa.array([0, 255], pa.uint8()), None, "-1", 2),
        (pa.array([-128, 127], pa.int8()), "> -128", "< 127", 2),
        (pa.array([2**64 - 1, 5], pa.uint64()), "-9", "9223372036854775807", 1),
        (pa.array(np.array([0.5, 2.0], "f2")), "0.5", "100000", 0),
        (pa.array(np.array([0.5, 2.0], "f2")), "> 0.5", "1.5", 2),
    ],
)
def test_numbers_of_other_widths_meet_bounds_that_they_do_not_reach(values, least, most, outside):
    assert checked(str(checked_as(values.type)), [values], least=least, most=most).outside == outside


@pytest.mark.parametrize(("miss", "said"), [("unchecked", False), ("expected", False), ("unexpected", True)])
def test_nulls_are_told_where_miss_is_there_and_blank(miss, said):
    check = checked("int32", [pa.array([1, None, None], pa.int32())], miss=miss)
    text = "column 'x': 2 of 3 values are Null, and miss says that none is"
    assert check.warnings_() == ((text,) if said else ())
    assert checked("int32", [pa.array([1], pa.int32())], miss=miss).warnings_() == ()


def test_two_things_are_told_apart_each_in_a_line_with_where_it_was_first():
    groups = [pa.array(values) for values in ([1.0, 2.0], [None, 4.0], [9.5, None])]
    check = checked(
        "float64", groups, ["row group 0", "row group 1", "row group 2"], least="> 0", most="< 5", miss="unexpected"
    )
    assert check.warnings_() == (
        "column 'x': 2 of 6 values are Null, and miss says that none is (first in row group 1)",
        "column 'x': 1 of 4 values is out of bounds (min > 0, max < 5); they go from 1.0 to 9.5 (first in row group 2)",
    )
    assert [(problem.code, problem.at) for problem in check.problems()] == [("qc", ("x",))] * 2
    assert [problem.message for problem in check.problems()] == list(check.warnings_())


def test_nothing_is_told_of_what_is_within():
    assert checked("float64", [pa.array([1.0, None])], least="1", most="1").problems() == ()


def test_nan_is_told_as_such():
    check = checked("float32", [pa.array([math.nan], pa.float32())], least="0")
    assert check.warnings_() == ("column 'x': 1 of 1 value is out of bounds (min 0); NaN is among them",)
    check = checked("float64", [pa.array([math.nan, 1.5, 4.0])], least="0")
    assert check.warnings_() == (
        "column 'x': 1 of 3 values is out of bounds (min 0); they go from 1.5 to 4.0, NaN is among them",
    )


def test_text_that_is_no_utf_8_is_compared_and_told_all_the_same():
    broken = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(struct.pack("<2i", 0, 1)), pa.py_buffer(b"\xff")]
    )
    check = checked("string", [broken], most="z")
    assert (check.outside, check.high) == (1, "\ufffd")


NUMBERS = {
    "int32": st.integers(-(2**31), 2**31 - 1) | st.integers(-3, 3),
    "int64": st.integers(-(2**63), 2**63 - 1) | st.integers(2**53 - 2, 2**53 + 2),
    "float32": st.floats(width=32) | st.sampled_from([0.0, -0.0, 1.0, float(np.float32(0.1))]),
    "float64": st.floats() | st.sampled_from([0.0, -0.0, 1.0, 0.1]),
    "string": st.text(max_size=3) | st.sampled_from(["a", "b", ""]),
    "boolean": st.booleans(),
}


def is_edge(value):
    """Bounds are finite, and not empty."""
    return value not in (None, "") and not (isinstance(value, float) and not math.isfinite(value))


@st.composite
def columns(draw):
    word = draw(st.sampled_from(sorted(NUMBERS)))
    chunks = draw(st.lists(st.lists(st.none() | NUMBERS[word], max_size=8), max_size=4))
    pool = [value for chunk in chunks for value in chunk if is_edge(value)]
    edges = st.sampled_from(pool) if pool else NUMBERS[word].filter(is_edge)
    bounds = []
    for operators in ((">=", ">"), ("<=", "<")):
        edge = draw(st.none() | edges)
        operator = draw(st.sampled_from(operators))
        bounds.append(None if edge is None else Bound(operator, edge, f"{operator} {edge}"))
    return word, chunks, Qc(*bounds)


@settings(max_examples=150, deadline=None)
@given(columns())
def test_chunks_together_are_what_one_value_after_the_other_is(given_):
    word, chunks, bounds = given_
    kind = parse_type(word)
    check = Check(bounds, kind, "x")
    arrays = [pa.array(chunk, arrow_type(kind)) for chunk in chunks]
    check.add(pa.chunked_array(arrays, type=arrow_type(kind)))
    assert counts(check) == count([value for chunk in chunks for value in chunk], bounds, kind)


@pytest.mark.parametrize(
    ("array", "longest"),
    [
        (pa.array(["née", None, "x"]), 3),
        (pa.array(["\U0001f600\U0001f600"], pa.large_string()), 2),
        (pa.array([], pa.string()), 0),
        (pa.array([None], pa.string()), 0),
        (pa.chunked_array([["a"], ["bcd"], ["ef"]]), 3),
        (pa.chunked_array([], pa.string()), 0),
        (pa.array([["abcdef", "a"], ["bcd", None]], pa.list_(pa.string(), 2))[1:], 3),
    ],
)
def test_lengths_are_code_points(array, longest):
    assert lengths(array) == longest
    if longest:
        assert first_longer(array, longest) is None
        assert len(first_longer(array, longest - 1)[1]) == longest


def test_the_first_longer_string_has_a_place():
    array = pa.chunked_array([["a", None], ["bb", "née", "four"]])
    assert first_longer(array, 2) == (3, "née")
    assert first_longer(pa.array([["a", "b"], ["c", "dd"]], pa.list_(pa.string(), 2)), 1) == (3, "dd")
