"""Rules on columns: what they say of each row is what the reference says of it."""

import math

import maml_rows
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maml_parquet.arrow.masks import mask
from maml_parquet.arrow.types import kinds_of
from maml_parquet.errors import MamlError
from maml_parquet.rows.filters import bind, evaluate, parse_filter
from maml_parquet.rows.kinds import Kind

NAN = math.nan


def said(rule, columns):
    table = columns if isinstance(columns, pa.Table | pa.RecordBatch) else pa.table(columns)
    return mask(bind(parse_filter(rule), kinds_of(table.schema)), table).to_pylist()


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        # Values 0: 5, 1: NaN, 2: Null, 3: -0, 4: 7.
        ("x > 5", [False, False, None, False, True]),
        ("x >= 5", [True, False, None, False, True]),
        ("x < 5", [False, False, None, True, False]),
        ("x <= 5", [True, False, None, True, False]),
        ("x == 0", [False, False, None, True, False]),
        ("x /= 5", [False, True, None, True, True]),
        ("not x > 5", [True, True, None, True, False]),
        ("x in (0.0)", [False, False, None, True, False]),
        ("x in (-0, 7)", [False, False, None, True, True]),
        ("x not_in (0, 7)", [True, True, None, False, False]),
        ("x is_null", [False, False, True, False, False]),
        ("x is_not_null", [True, True, False, True, True]),
        ("x is_nan", [False, True, None, False, False]),
        ("x is_not_nan", [True, False, None, True, True]),
        ("x is_finite", [True, False, None, True, True]),
        ("x is_not_finite", [False, True, None, False, False]),
        ("x > 5 or x is_null", [False, False, True, False, True]),
        ("x > 5 and x is_null", [False, False, None, False, False]),
        ("not (x > 5 and x is_not_null)", [True, True, True, True, False]),
    ],
)
@pytest.mark.parametrize("type_", [pa.float64(), pa.float32(), pa.float16()])
def test_null_is_unknown_and_nan_is_a_value(rule, expected, type_):
    assert said(rule, {"x": maml_rows.column([5.0, NAN, None, -0.0, 7.0], type_)}) == expected


def test_literals_are_doubles_in_columns_of_float32():
    # 32 bits hold 0.1 as 0.10000000149011612.
    single = {"f": pa.array([0.1, 2.0], pa.float32())}
    assert said("f == 0.1", single) == [False, False]
    assert said("f in (0.1, 2)", single) == [False, True]
    assert said("f not_in (0.1)", single) == [True, True]
    assert said("f > 0.1", single) == [True, True]
    assert said("f == 0.10000000149011612", single) == [True, False]
    assert said("f < 1e300", single) == [True, True]
    assert said("f in (1e300, -1e300)", single) == [False, False]


def test_whole_numbers_are_compared_exactly():
    numbers = {"i": pa.array([2**53, 2**53 + 1]), "u": pa.array([2**63, 2**64 - 1], pa.uint64())}
    assert said("i == 9007199254740993", numbers) == [False, True]
    assert said("i in (9007199254740992)", numbers) == [True, False]
    assert said("u > 9223372036854775808", numbers) == [False, True]
    with pytest.raises(MamlError, match="fraction"):
        said("i > 3.5", numbers)


TEXTS = ["and", "(", "é", None, "a b"]
AS_TYPES = [
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.int32(), pa.large_string()),
]


@pytest.mark.parametrize("type_", AS_TYPES, ids=str)
def test_strings_are_text_whatever_their_type(type_):
    texts = {"s": pa.array(TEXTS).cast(type_)}
    assert said('s == "and"', texts) == [True, False, False, None, False]
    assert said('s in ("(", "a b")', texts) == [False, True, False, None, True]
    assert said('s > "a b"', texts) == [True, False, True, None, False]
    assert said('s /= "é"', texts) == [True, True, False, None, True]
    assert said("s is_null", texts) == [False, False, False, True, False]
    with pytest.raises(MamlError) as caught:
        said('s == "a"b"', texts)
    assert caught.value.code == "filter"


@pytest.mark.parametrize("values", [pa.string(), pa.string_view()], ids=str)
def test_nulls_of_a_dictionary_are_nulls(values):
    codes = pa.array([0, 1, None, 2, 0], pa.int16())
    found = pa.DictionaryArray.from_arrays(codes, pa.array(["a", None, "b"], values))
    for texts in (found, pa.chunked_array([found.slice(0, 2), found.slice(2)]), pa.chunked_array([], found.type)):
        count = len(texts)
        assert said("s is_null", {"s": texts}) == [False, True, True, False, False][:count]
        assert said('s == "a"', {"s": texts}) == [True, None, None, False, True][:count]
        assert said('s not_in ("a", "c")', {"s": texts}) == [False, None, None, True, False][:count]


def test_dictionaries_hold_other_kinds():
    codes = pa.array([1, 0, 2])
    found = pa.DictionaryArray.from_arrays(codes, pa.array([-0.0, NAN, None], pa.float32()))
    assert said("x in (0)", {"x": found}) == [False, True, None]
    assert said("x is_not_nan", {"x": found}) == [False, True, None]


def test_paths_go_through_nulls_of_structs():
    inner = pa.StructArray.from_arrays([pa.array([1, 2, 3, 4])], ["y"], mask=pa.array([False, True, False, False]))
    outer = pa.StructArray.from_arrays([inner], ["x.x"], mask=pa.array([False, False, True, False]))
    table = pa.table({"s": outer, "s.x.x": pa.array(["p", "q", "r", "t"])})
    assert said("s.x.x.y > 1", table) == [False, None, None, True]
    assert said("s.x.x.y is_null", table.slice(1)) == [True, True, False]
    # The exact name of a column wins over a path.
    assert said('s.x.x == "q"', table) == [False, True, False, False]


def test_columns_are_found_by_path_and_called_by_name():
    from maml_parquet.rows.trees import Test

    one = Test("internal", ("FILE",), ">", (1,), Kind("int64"))
    assert mask(one, {"FILE": pa.array([1, 2])}).to_pylist() == [False, True]
    with pytest.raises(MamlError, match="'internal'") as caught:
        mask(one, {"internal": pa.array([1, 2])})
    assert (caught.value.code, caught.value.at) == ("argument", ("columns", "FILE"))


@pytest.mark.parametrize(
    ("columns", "mentions"),
    [
        ({"y": pa.array([1])}, "no column 'x'"),
        ({}, "none"),
        ({"x": pa.array([1], pa.int32())}, "int32"),
        ({"x": pa.array([[1]])}, "list"),
        ({"x": pa.array([{"y": 1}])}, "struct"),
    ],
)
def test_columns_of_another_kind_are_refused(columns, mentions):
    rule = bind(parse_filter("x > 1"), {"x": Kind("int64")})
    with pytest.raises(MamlError, match=mentions) as caught:
        mask(rule, columns)
    assert caught.value.code == "argument"
    assert mask(rule, {"x": pa.array([1, 2]), "y": pa.array([0])}).to_pylist() == [False, True]


def test_of_a_repeated_name_the_first_counts():
    table = pa.Table.from_arrays([pa.array([1, 2]), pa.array(["a", "b"])], ["x", "x"])
    assert said("x > 1", table) == [False, True]
    assert said("x > 1", table.to_batches()[0]) == [False, True]


def test_chunks_of_different_lengths_are_of_one_table():
    columns = {"x": pa.chunked_array([[1, None], [3]]), "y": pa.chunked_array([["a"], [None, None], []])}
    # x > 1: False, unknown, True; y == "a": True, unknown, unknown.
    assert said('x > 1 or y == "a"', columns) == [True, None, True]
    assert said('x > 1 and y == "a"', columns) == [False, None, None]
    assert said("x > 1 or x is_not_null", columns) == [True, None, True]


@settings(max_examples=150, deadline=None)
@given(maml_rows.rules(maml_rows.clauses()), maml_rows.rows(), st.integers(1, 5))
def test_columns_say_what_rows_say(rule, rows, size):
    table = maml_rows.table(rows)
    bound = bind(parse_filter(rule), kinds_of(table.schema))
    expected = [evaluate(bound, row) for row in rows]
    chunked = pa.Table.from_batches(table.to_batches(max_chunksize=size), table.schema)
    assert mask(bound, table).to_pylist() == expected
    assert mask(bound, chunked).to_pylist() == expected
    assert mask(bound, {name: chunked[name].combine_chunks() for name in table.column_names}).to_pylist() == expected
    odd = {name: chunked[name] if name in "fjsz" else table[name] for name in table.column_names}
    assert mask(bound, odd).to_pylist() == expected
    kept = [row for row, answer in zip(range(len(rows)), expected, strict=True) if answer is True]
    numbered = table.append_column("row", pa.array(np.arange(len(rows))))
    assert numbered.filter(mask(bound, table))["row"].to_pylist() == kept


@settings(max_examples=100, deadline=None)
@given(maml_rows.rules(maml_rows.clauses("fgsiz", prefix="p.")), maml_rows.rows("fgsiz"), st.data())
def test_fields_of_structs_and_dictionaries_say_what_rows_say(rule, rows, data):
    flat = maml_rows.table(rows, "fgsiz")
    dictionaries = [flat[name].combine_chunks().dictionary_encode() for name in "fgsiz"]
    absent = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    structs = pa.StructArray.from_arrays(dictionaries, list("fgsiz"), mask=pa.array(absent, pa.bool_()))
    cut = data.draw(st.integers(0, len(rows)))
    bound = bind(parse_filter(rule), kinds_of(pa.schema({"p": structs.type})))
    expected = [evaluate(bound, {"p": None if gone else row}) for row, gone in zip(rows, absent, strict=True)]
    assert mask(bound, {"p": structs}).to_pylist() == expected
    assert mask(bound, {"p": structs.slice(cut)}).to_pylist() == expected[cut:]
    chunked = pa.chunked_array([structs.slice(0, cut), structs.slice(cut)])
    assert mask(bound, pa.table({"p": chunked})).to_pylist() == expected
