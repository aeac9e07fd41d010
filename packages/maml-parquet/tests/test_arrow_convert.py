"""Columns as they are to be written: exactly the declared type, and no value changed on the way."""

import datetime
import math

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from maml_parquet.arrow.convert import convert, width_of
from maml_parquet.arrow.types import arrow_type
from maml_parquet.errors import MamlError
from maml_parquet.schema.records import Column
from maml_parquet.sections.types import parse_type


def column(word, **more):
    return Column("x", "out", parse_type(word), **more)


def made(values, word, size=1, **more):
    found = convert(values, column(word), col_size=size, **more)
    assert found.type == arrow_type(parse_type(word), size if size is not None else 1) or size is None
    return found


def problem(values, word, size=1, protected=False, **more):
    with pytest.raises(MamlError) as caught:
        convert(values, column(word, is_protected=protected), col_size=size, **more)
    (found,) = caught.value.problems
    assert found.message[-1] not in ".;"
    return found


def place(found):
    return found.code, found.at


# Each row: a column of one value, and the words that it can become; every other pair is refused.
NUMBERS = ["int32", "int64", "float32", "float64"]
STAMPS = ["timestamp[ms]", "timestamp[us]", "timestamp[ns]"]
UTC = ["timestamp[ms,utc]", "timestamp[us,utc]", "timestamp[ns,utc]"]
TIMES = ["time[ms]", "time[us]", "time[ns]"]
WORDS = [*NUMBERS, "boolean", "string", "date", *TIMES, *STAMPS, *UTC]
INPUTS = [
    *[(pa.array([5], type_), NUMBERS) for type_ in (pa.int8(), pa.int16(), pa.int32(), pa.int64())],
    *[(pa.array([5], type_), NUMBERS) for type_ in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())],
    *[(pa.array(np.array([5.0], dtype)), NUMBERS) for dtype in ("f2", "f4", "f8")],
    (pa.array([True]), ["boolean"]),
    *[(pa.array(["5"], type_), ["string"]) for type_ in (pa.string(), pa.large_string(), pa.string_view())],
    (pa.array(["5"]).dictionary_encode(), ["string"]),
    (pa.array([5]).dictionary_encode(), NUMBERS),
    (pa.array([b"5"]), []),
    (pa.array([86_400_000], pa.date64()), ["date"]),
    (pa.array([1], pa.date32()), ["date"]),
    *[(pa.array([0], type_), TIMES) for type_ in (pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"))],
    *[(pa.array([0], pa.timestamp(unit)), STAMPS) for unit in ("s", "ms", "us", "ns")],
    *[(pa.array([0], pa.timestamp(unit, "UTC")), UTC) for unit in ("s", "ms", "us", "ns")],
    (pa.array([0], pa.timestamp("us", "America/New_York")), UTC),
    (pa.array([5], pa.duration("us")), []),
    (pa.array([5], pa.decimal128(3, 0)), []),
    (pa.array([{"a": 5}]), []),
    (pa.array([[("a", 5)]], pa.map_(pa.string(), pa.int32())), []),
    (pa.array([None]), WORDS),
]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize(("values", "words"), INPUTS, ids=[str(values.type) for values, _ in INPUTS])
def test_a_type_becomes_those_of_its_family_and_no_other(values, words, word):
    if word not in words:
        found = problem(values, word)
        assert place(found) == ("column", ("x",))
        assert str(parse_type(word)) in found.message
        return
    got = made(values, word)
    assert len(got) == 1
    assert (got.null_count == 1) == (values.null_count == 1)
    if word in NUMBERS:
        assert got.to_pylist() in ([5], [None])


@pytest.mark.parametrize(
    ("values", "word", "row"),
    [
        # 2^31 is one more than int32 has.
        (pa.array([1, 2**31]), "int32", 1),
        (pa.array([-(2**31) - 1]), "int32", 0),
        (pa.array([2**31], pa.uint32()), "int32", 0),
        (pa.array([0, 0, 2**63], pa.uint64()), "int64", 2),
        (pa.array([0.0, 1.5]), "int32", 1),
        (pa.array([0.0, math.nan]), "int32", 1),
        (pa.array([math.inf]), "int64", 0),
        (pa.array([2.0**31]), "int32", 0),
        # 2^63 is a double, and one more than int64 has.
        (pa.array([2.0**63]), "int64", 0),
        (pa.array([2.0**63], pa.float32()), "int64", 0),
        (pa.array([-(2.0**63) - 2048.0]), "int64", 0),
        # 2^53 + 1 has 54 bits, 2^24 + 1 has 25.
        (pa.array([2**53, 2**53 + 1]), "float64", 1),
        (pa.array([2**63 - 1]), "float64", 0),
        (pa.array([2**64 - 1], pa.uint64()), "float64", 0),
        (pa.array([2**24 + 1], pa.int32()), "float32", 0),
        (pa.array([2**31 - 1], pa.int32()), "float32", 0),
        (pa.array([1e300]), "float32", 0),
        (pa.array([0.0, -1e39]), "float32", 1),
        (pa.array([0, 1], pa.timestamp("ns")), "timestamp[us]", 1),
        (pa.array([1001], pa.timestamp("us", "UTC")), "timestamp[ms,utc]", 0),
        (pa.array([1], pa.time64("ns")), "time[us]", 0),
        (pa.array([1500], pa.time64("us")), "time[ms]", 0),
        # 10^10 seconds are 10^19 nanoseconds, more than 2^63 - 1 = 9.2 10^18.
        (pa.array([10**10], pa.timestamp("s")), "timestamp[ns]", 0),
        (pa.array([-(10**10)], pa.timestamp("s")), "timestamp[ns]", 0),
        (pa.array([86_400_000], pa.time32("ms")), "time[ms]", 0),
        (pa.array([-1], pa.time64("ns")), "time[ns]", 0),
        (pa.array([86_400_001], pa.date64()), "date", 0),
        # 2^31 days.
        (pa.array([2**31 * 86_400_000], pa.date64()), "date", 0),
    ],
)
def test_a_value_that_the_type_has_not_is_refused_with_its_row(values, word, row):
    assert place(problem(values, word)) == ("value", ("x", row))
    assert place(problem(values, word, first_row=1000)) == ("value", ("x", 1000 + row))
    # Nulls before it move it; in a chunk of its own it keeps its row.
    shifted = pa.concat_arrays([pa.nulls(3, values.type), values])
    assert place(problem(shifted, word)) == ("value", ("x", 3 + row))
    assert place(problem(shifted[2:], word)) == ("value", ("x", 1 + row))
    assert place(problem(pa.chunked_array([pa.nulls(3, values.type), values]), word)) == ("value", ("x", 3 + row))
    valid = pa.array([index != row for index in range(len(values))])
    assert made(values.filter(valid), word).null_count == 0


@pytest.mark.parametrize(
    ("values", "word", "expected"),
    [
        (pa.array([2**31 - 1, -(2**31), None]), "int32", [2147483647, -2147483648, None]),
        (pa.array([2**63 - 1], pa.uint64()), "int64", [9223372036854775807]),
        (pa.array([-(2.0**63), -0.0, None]), "int64", [-9223372036854775808, 0, None]),
        (pa.array(np.array([5.0, -2048.0], "f2")), "int32", [5, -2048]),
        # 2^60 has one bit, 3 * 2^40 two.
        (pa.array([2**53, 2**60, -(2**63), 3 * 2**40]), "float64", [2.0**53, 2.0**60, -(2.0**63), 3 * 2.0**40]),
        (pa.array([2**63], pa.uint64()), "float64", [2.0**63]),
        (pa.array([2**24, 2**30], pa.int32()), "float32", [2.0**24, 2.0**30]),
        # The float32 nearest to 0.1 is 13421773 / 2^27.
        (pa.array([0.1, None, math.inf]), "float32", [13421773 / 2**27, None, math.inf]),
        (pa.array([1e-300]), "float32", [0.0]),
        (pa.array(np.array([1.5], "f2")), "float64", [1.5]),
        (pa.array([0.5], pa.float32()), "float64", [0.5]),
        (pa.array([True, None, False]), "boolean", [True, None, False]),
        (pa.array(["é", None], pa.string_view()), "string", ["é", None]),
        (pa.array(["b", None, "b"]).dictionary_encode(), "string", ["b", None, "b"]),
        (pa.array([86_400_000, None, -86_400_000], pa.date64()), "date", [1, None, -1]),
        (pa.array([3, None], pa.time32("s")), "time[ns]", [3_000_000_000, None]),
        (pa.array([86_399_999_000], pa.time64("us")), "time[ms]", [86_399_999]),
        (pa.array([-7000, None], pa.timestamp("us")), "timestamp[ms]", [-7, None]),
        (pa.array([7], pa.timestamp("s", "UTC")), "timestamp[ms,utc]", [7000]),
        (pa.array([0], pa.timestamp("us", "America/New_York")), "timestamp[us,utc]", [0]),
    ],
)
def test_a_value_that_the_type_has_is_the_same_value(values, word, expected):
    def told(got):
        bits = pa.int32() if got.type in (pa.date32(), pa.time32("ms")) else pa.int64()
        plain = got if not pa.types.is_temporal(got.type) else got.view(bits)
        return plain.to_pylist()

    assert told(made(values, word)) == expected
    padded = pa.concat_arrays([pa.nulls(2, values.type), values])
    assert told(made(padded[1:], word)) == [None, *expected]


def test_a_zone_is_no_guess():
    naive = pa.array([5], pa.timestamp("us"))
    assert place(problem(naive, "timestamp[us,utc]")) == ("column", ("x",))
    assert "assume_utc=True" in problem(naive, "timestamp[us,utc]").message
    assert made(naive, "timestamp[us,utc]", assume_utc=True).view(pa.int64()).to_pylist() == [5]
    zoned = pa.array([5], pa.timestamp("us", "America/New_York"))
    for more in ({}, {"assume_utc": True}):
        assert "America/New_York" in problem(zoned, "timestamp[us]", **more).message
    assert made(zoned, "timestamp[us,utc]").view(pa.int64()).to_pylist() == [5]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([1, "5"], "number (row 0) and text (row 1)"),
        ([1.5, None, True], "number (row 0) and boolean (row 2)"),
        ([1, np.True_], "number (row 0) and boolean (row 1)"),
        ([["a"], [1]], "text (row 0) and number (row 1)"),
        ([[1.5], [True]], "number (row 0) and boolean (row 1)"),
        ([np.array([1.5]), np.array([True])], "number (row 0) and boolean (row 1)"),
        ([[1], 1], "list (row 0) and number (row 1)"),
        ([datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1, 5)], "date (row 0) and timestamp (row 1)"),
        (
            [datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)],
            "timestamp (row 0) and timestamp with a time zone (row 1)",
        ),
        (["a", b"b"], "text (row 0) and bytes (row 1)"),
    ],
)
def test_lists_of_several_kinds_are_refused(values, said):
    found = problem(values, "int32")
    assert place(found) == ("column", ("x",))
    assert said in found.message


def test_a_time_in_a_zone_is_no_time_of_a_column():
    aware = datetime.time(1, 2, tzinfo=datetime.timezone.utc)
    assert place(problem([datetime.time(1), aware], "time[us]")) == ("column", ("x",))
    assert "row 0" in problem([aware], "time[us]").message
    assert made([datetime.time(0, 0, 1)], "time[ms]").view(pa.int32()).to_pylist() == [1000]


def test_extensions_runs_and_dictionaries_are_what_they_hold():
    vectors = pa.array([[1, 2, 3], [4, 5, 6]], pa.list_(pa.int32(), 3))
    tensors = pa.ExtensionArray.from_storage(pa.fixed_shape_tensor(pa.int32(), [3]), vectors)
    assert made(tensors, "int32", 3).to_pylist() == [[1, 2, 3], [4, 5, 6]]
    assert convert(tensors, column("int32"), col_size=None).to_pylist() == [[1, 2, 3], [4, 5, 6]]
    runs = pc.run_end_encode(pa.array(["a", "a", "b", None]))
    assert made(runs, "string").to_pylist() == ["a", "a", "b", None]
    assert made(runs, "string", 2).to_pylist() == [["a", "a"], ["b", None]]
    words = pa.array([["a", "b"], ["b", None]], pa.list_(pa.dictionary(pa.int8(), pa.string()), 2))
    assert made(words, "string", 2).to_pylist() == [["a", "b"], ["b", None]]


def test_what_programs_add_as_values_keeps_its_type_as_a_column():
    for value, type_, word in [
        (True, pa.bool_(), "boolean"),
        (np.int32(5), pa.int32(), "int32"),
        (5, pa.int64(), "int64"),
        (1.5, pa.float64(), "float64"),
        ("5", pa.string(), "string"),
    ]:
        assert made([value], word).type == type_
        assert made([value], word).to_pylist() == [value]
        assert made([[value, value]], word, 2).to_pylist() == [[value, value]]


@pytest.mark.parametrize("values", [5, "abc", None, object(), {1, 2}, 1.5, np.array(3), {"a": 1}])
def test_what_is_no_column_is_refused(values):
    assert place(problem(values, "int32")) == ("column", ("x",))


@pytest.mark.parametrize(
    "values", [[2**64], [1, 2**63], ["\ud800"], [1j], np.ones(2, complex), np.zeros((2, 3, 4)), np.zeros((2, 0))]
)
def test_what_arrow_has_no_values_for_is_refused_in_words(values):
    found = problem(values, "int64")
    assert place(found) == ("column", ("x",))


@pytest.mark.parametrize("values", [True, "5"])
def test_an_int_column_takes_no_boolean_and_no_text(values):
    assert place(problem([values], "int32")) == ("column", ("x",))


def test_the_first_of_several_is_named_and_the_others_counted():
    found = problem([0.5, 1.0, 2.5, math.nan], "int64")
    assert (
        found.message
        == "0.5 is no whole number, and the column is int64; round it, or declare float64 (2 more such values)"
    )


def test_a_moment_is_told_as_people_write_it():
    found = problem(pa.array([1_001], pa.timestamp("ns", "UTC")), "timestamp[us,utc]")
    assert found.message.startswith("1970-01-01 00:00:00.000001001Z is finer than timestamp[us,utc]")


VECTOR = pa.array([[1, 2, 3], [4, None, 6]], pa.list_(pa.int32(), 3))


@pytest.mark.parametrize(
    "values",
    [
        VECTOR,
        pa.chunked_array([VECTOR[:1], VECTOR[1:]]),
        pa.array([[1, 2, 3], [4, None, 6]]),
        pa.array([[1, 2, 3], [4, None, 6]], pa.large_list(pa.float64())),
        pa.array([[1, 2, 3], [4, None, 6]], pa.list_view(pa.int16())),
        pa.array([[1, 2, 3], [4, None, 6]], pa.large_list_view(pa.uint8())),
        pa.array([1, 2, 3, 4, None, 6]),
        pa.chunked_array([[1, 2], [3, 4, None], [6]]),
        pa.chunked_array([[1, 2, 3], [4, None, 6]]),
        [[1, 2, 3], [4, None, 6]],
        [(1.0, 2.0, 3.0), (4.0, None, 6.0)],
        np.ma.array([[1, 2, 3], [4, 5, 6]], mask=[[0, 0, 0], [0, 1, 0]]),
    ],
)
def test_rows_of_the_declared_width_are_vectors_and_flat_arrays_are_divided(values):
    got = made(values, "int32", 3)
    assert got.to_pylist() == [[1, 2, 3], [4, None, 6]]
    assert got.type.value_field.name == "element"
    assert got.type.value_field.nullable


@pytest.mark.parametrize(
    ("values", "code", "at"),
    [
        (pa.array([[1, 2, 3], [4, 5]]), "value", ("x", 1)),
        (pa.array([[1, 2, 3], [4, 5, 6, 7]], pa.large_list(pa.int32())), "value", ("x", 1)),
        (pa.array([[1, 2, 3], []], pa.list_view(pa.int32())), "value", ("x", 1)),
        (pa.array([[1, 2, 3], None]), "value", ("x", 1)),
        (pa.array([None, [1, 2, 3]], pa.list_(pa.int32(), 3)), "value", ("x", 0)),
        (pa.array([[1, 2, 3], [4, None, 6], None], pa.list_(pa.int32(), 3))[1:], "value", ("x", 1)),
        (pa.array([None, None, None]), "value", ("x", 0)),
        (pa.array([[1, 2]], pa.list_(pa.int32(), 2)), "column", ("x",)),
        (pa.array([1, 2, 3, 4]), "column", ("x",)),
        (pa.array([[[1], [2], [3]]]), "column", ("x",)),
        (pa.array([["a", "b", "c"]]), "column", ("x",)),
        (pa.array([[1, 2, 3], [4, 5, 2**31]]), "value", ("x", 1, 2)),
        (pa.array([1, 2, 3, 4, 2**31, 6]), "value", ("x", 1, 1)),
    ],
)
def test_rows_that_are_no_vector_of_the_column_are_refused(values, code, at):
    assert place(problem(values, "int32", 3)) == (code, at)


def test_lists_do_not_become_scalars_but_for_lists_of_one():
    assert place(problem(VECTOR, "int32")) == ("column", ("x",))
    assert place(problem([[1], [2, 3]], "int32")) == ("value", ("x", 1))
    assert made([[1], [None]], "int32").to_pylist() == [1, None]
    assert made(np.array([[1], [2]]), "int32").to_pylist() == [1, 2]
    assert place(problem(pa.array([[1], None], pa.list_(pa.int32(), 1)), "int32")) == ("value", ("x", 1))


def test_a_sliced_vector_begins_where_the_slice_does():
    vector = pa.array([[1, 2], [3, 4], [5, 6], [7, 8]], pa.list_(pa.int64(), 2))
    assert made(vector[1:3], "int64", 2).to_pylist() == [[3, 4], [5, 6]]
    assert made(vector[1:3], "float64", 2).to_pylist() == [[3.0, 4.0], [5.0, 6.0]]
    assert made(pa.array([[1, 2], [3, 4], [5, 6]])[1:], "int32", 2).to_pylist() == [[3, 4], [5, 6]]


def test_auto_is_decided_by_lists_and_never_by_flat_values():
    assert convert([[1, 2], [3, 4]], column("int32"), col_size=None).type == pa.list_(pa.int32(), 2)
    assert convert(VECTOR, column("int64"), col_size=None).type == pa.list_(pa.int64(), 3)
    assert convert(np.array([[1], [2]]), column("int64"), col_size=None).type == pa.int64()
    assert place(problem([[1, 2], [3]], "int32", None)) == ("value", ("x", 1))
    for values in ([1, 2], [], [[]], [None], pa.array([], pa.list_(pa.int32()))):
        found = problem(values, "int32", None)
        assert place(found) == ("column", ("x",))
        assert "set col_size first" in found.message
    assert width_of(pa.array([], pa.list_(pa.int32(), 4)), column("int32")) == 4


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("word", WORDS)
def test_no_rows_are_no_rows_of_any_type(word, size):
    for values in (
        [],
        pa.chunked_array([], pa.null()),
        pa.array([], pa.null()),
        pa.array([], pa.list_(pa.null(), size)),
    ):
        assert len(made(values, word, size)) == 0
    assert len(made(pa.chunked_array([], arrow_type(parse_type(word))), word, size)) == 0


def addresses(array):
    chunks = array.chunks if isinstance(array, pa.ChunkedArray) else [array]
    return [buffer and buffer.address for chunk in chunks for buffer in chunk.buffers()]


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("word", WORDS)
def test_what_is_right_already_stays_in_its_memory(word, size):
    scalars = convert([None, None, None], column(word), col_size=1)
    values = scalars if size == 1 else pa.FixedSizeListArray.from_arrays(scalars, size)
    assert addresses(made(values, word, size)) == addresses(values)
    chunked = pa.chunked_array([values, values])
    assert addresses(made(chunked, word, size)) == addresses(chunked)


def test_numpy_arrays_stay_in_their_memory_too():
    vectors = np.arange(6.0).reshape(2, 3)
    assert made(vectors, "float64", 3).flatten().buffers()[1].address == vectors.ctypes.data
    flat = np.arange(6)
    assert made(flat, "int64").buffers()[1].address == flat.ctypes.data


@pytest.mark.parametrize("dtype", [">i4", "<i2", ">f8", "u1", "f2", ">u8"])
def test_numpy_numbers_of_any_width_and_byte_order(dtype):
    assert made(np.array([1, 2, 3], dtype)[::2], "int32").to_pylist() == [1, 3]
    assert made(np.array([[1, 2], [3, 4]], dtype).T, "int64", 2).to_pylist() == [[1, 3], [2, 4]]


@pytest.mark.parametrize(
    "values",
    [
        np.array(["a", "bç"]),
        np.array(["a", "bç"], ">U2"),
        np.array(["a", "bç"], object),
        np.array([b"a", "bç".encode()]),
    ],
)
def test_numpy_text_is_text_and_bytes_are_utf_8(values):
    assert made(values, "string").to_pylist() == ["a", "bç"]
    masked = np.ma.array(values, mask=[True, False])
    assert made(masked, "string").to_pylist() == [None, "bç"]


def test_bytes_that_are_no_text_are_told_with_their_row():
    assert place(problem(np.array([b"a", b"\xff"]), "string")) == ("value", ("x", 1))


@pytest.mark.parametrize(
    ("text", "word", "number"),
    [
        ("2020-02", "date", 18293),  # 18 262 days to 2020-01-01, and the 31 of January
        ("2020-01-01", "date", 18262),
        ("1970-01-01T01", "timestamp[us]", 3_600_000_000),
        ("1970-01-01T00:01", "timestamp[ms]", 60_000),
        ("1970-01-01T00:00:01", "timestamp[ns]", 1_000_000_000),
        ("1970-01-01T00:00:00.000000001", "timestamp[ns]", 1),
    ],
)
def test_numpy_moments_of_any_unit(text, word, number):
    values = np.array([text, "NaT"], "M8")
    bits = pa.int32() if word == "date" else pa.int64()
    assert made(values, word).view(bits).to_pylist() == [number, None]


def test_a_null_in_a_protected_column_is_refused_with_its_place():
    values = pa.array([1, None, 3, None])
    assert place(problem(values, "int64", protected=True, first_row=10)) == ("value", ("x", 11))
    assert place(problem(values, "int64", 2, protected=True, first_row=10)) == ("value", ("x", 10, 1))
    assert made(values, "int64").null_count == 2
    assert convert(pa.array([1, 3]), column("int64", is_protected=True), col_size=1).null_count == 0


def test_strings_too_long_for_one_chunk_are_divided(monkeypatch):
    monkeypatch.setattr("maml_parquet.arrow.convert.MAX_BYTES", 4)
    monkeypatch.setattr("maml_parquet.arrow.elements.MAX_BYTES", 4)
    values = pa.array(["aa", None, "bb", "c", "dddd"], pa.large_string())
    got = made(values, "string")
    assert isinstance(got, pa.ChunkedArray)
    assert got.to_pylist() == values.to_pylist()
    assert all(sum(map(len, filter(None, chunk.to_pylist()))) <= 4 for chunk in got.chunks)
    vectors = pa.array([["aa", "b"], ["c", None], ["d", "ee"]], pa.list_(pa.large_string(), 2))
    assert made(vectors, "string", 2).to_pylist() == vectors.to_pylist()
    assert place(problem(pa.array(["a", "bcdef"], pa.large_string()), "string")) == ("value", ("x", 1))
