"""MAML's words as Arrow's types, and back."""

import pyarrow as pa
import pytest

from maml_parquet.arrow.types import arrow_type, element_of, is_list, kinds_of, size_of, token_of
from maml_parquet.rows.kinds import Kind
from maml_parquet.sections.types import parse_type

TABLE = [
    ("int32", pa.int32()),
    ("int64", pa.int64()),
    ("float32", pa.float32()),
    ("float64", pa.float64()),
    ("boolean", pa.bool_()),
    ("string", pa.string()),
    ("date", pa.date32()),
    ("time[ms]", pa.time32("ms")),
    ("time[us]", pa.time64("us")),
    ("time[ns]", pa.time64("ns")),
    ("timestamp[ms]", pa.timestamp("ms")),
    ("timestamp[us]", pa.timestamp("us")),
    ("timestamp[ns]", pa.timestamp("ns")),
    ("timestamp[ms,utc]", pa.timestamp("ms", "UTC")),
    ("timestamp[us,utc]", pa.timestamp("us", "UTC")),
    ("timestamp[ns,utc]", pa.timestamp("ns", "UTC")),
]
"""The table of physical types."""


@pytest.mark.parametrize(("word", "type_"), TABLE)
def test_a_word_is_a_type_and_the_type_is_the_word(word, type_):
    assert arrow_type(parse_type(word)) == type_
    assert token_of(type_) == parse_type(word)
    assert size_of(type_) == 1
    assert not is_list(type_)


@pytest.mark.parametrize(("word", "type_"), TABLE)
def test_a_vector_is_a_list_of_a_fixed_size(word, type_):
    vector = arrow_type(parse_type(word), 3)
    assert vector == pa.list_(type_, 3)
    assert vector.value_field.name == "element"
    assert vector.value_field.nullable
    assert not arrow_type(parse_type(word), 3, element_nullable=False).value_field.nullable
    assert token_of(vector) == parse_type(word)
    assert size_of(vector) == 3


def test_large_matters_for_strings_alone():
    assert arrow_type(parse_type("string"), large=True) == pa.large_string()
    assert arrow_type(parse_type("string"), 2, large=True) == pa.list_(pa.large_string(), 2)
    assert arrow_type(parse_type("int64"), large=True) == pa.int64()


@pytest.mark.parametrize(
    "type_", [pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string()), pa.list_(pa.string())]
)
def test_strings_in_other_dress_are_strings(type_):
    assert token_of(type_) == parse_type("string")


@pytest.mark.parametrize(
    "type_",
    [
        pa.int8(),
        pa.uint64(),
        pa.float16(),
        pa.decimal128(9, 2),
        pa.binary(),
        pa.date64(),
        pa.time32("s"),
        pa.timestamp("s"),
        pa.timestamp("s", "UTC"),
        pa.duration("us"),
        pa.struct({"a": pa.int32()}),
        pa.map_(pa.string(), pa.int32()),
        pa.null(),
    ],
)
def test_what_maml_has_no_word_for_has_none(type_):
    assert token_of(type_) is None


def test_a_timestamp_of_any_zone_is_in_utc():
    assert str(token_of(pa.timestamp("ns", "Asia/Tokyo"))) == "timestamp[ns,utc]"


@pytest.mark.parametrize(
    ("type_", "size"),
    [
        (pa.list_(pa.int32(), 4), 4),
        (pa.list_(pa.int32()), 0),
        (pa.large_list(pa.int32()), 0),
        (pa.list_view(pa.int32()), 0),
        (pa.large_list_view(pa.int32()), 0),
    ],
)
def test_lists_have_elements_and_a_size_where_it_is_fixed(type_, size):
    assert size_of(type_) == size
    assert element_of(type_) == pa.int32()
    assert is_list(type_)


def test_kinds_of_every_word():
    kinds = kinds_of(pa.schema([(word, type_) for word, type_ in TABLE]))
    assert {word: str(kind) for word, kind in kinds.items()} == {word: word for word, _ in TABLE}


@pytest.mark.parametrize(
    ("type_", "word"),
    [
        (pa.int8(), "int8"),
        (pa.int16(), "int16"),
        (pa.uint8(), "uint8"),
        (pa.uint16(), "uint16"),
        (pa.uint32(), "uint32"),
        (pa.uint64(), "uint64"),
        (pa.float16(), "float16"),
        (pa.string_view(), "string"),
        (pa.dictionary(pa.int32(), pa.large_string()), "string"),
        (pa.dictionary(pa.int32(), pa.int16()), "int16"),
        (pa.list_(pa.string(), 2), "vector"),
        (pa.list_(pa.string()), "list"),
        (pa.map_(pa.string(), pa.int32()), "map"),
        (pa.decimal128(9, 2), "other"),
        (pa.binary(), "other"),
        (pa.date64(), "other"),
        (pa.time32("s"), "other"),
        (pa.timestamp("s"), "other"),
        (pa.null(), "other"),
    ],
)
def test_kinds_of_other_columns(type_, word):
    assert kinds_of(pa.schema({"x": type_}))["x"] == Kind.of(word)


def test_kinds_of_structs_are_kinds_of_their_parts():
    type_ = pa.struct({"id": pa.int32(), "in": pa.struct({"t": pa.timestamp("ms", "UTC")})})
    assert kinds_of(pa.schema({"s": type_})) == {
        "s": {"id": Kind.of("int32"), "in": {"t": Kind.of("timestamp[ms,utc]")}}
    }


def test_of_a_repeated_name_the_first_counts():
    assert kinds_of(pa.schema([("x", pa.int32()), ("x", pa.string())])) == {"x": Kind.of("int32")}
