"""The order of rows by columns is that of the reference."""

import math
import random

import maml_rows
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maml_parquet.arrow.ordering import order
from maml_parquet.arrow.types import kinds_of
from maml_parquet.errors import MamlError
from maml_parquet.rows import sorts
from maml_parquet.rows.sorts import SortKey, bind_sorts, parse_sort, parse_sorts

NAN = math.nan


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        # Values 0: 2, 3: 3, 5: 2, NaN at 1 and 6, Null at 2 and 4.
        ("x", [0, 5, 3, 1, 6, 2, 4]),
        ("x desc", [3, 0, 5, 1, 6, 2, 4]),
        ("x nulls_first", [2, 4, 1, 6, 0, 5, 3]),
        ("x desc nulls_first", [2, 4, 1, 6, 3, 0, 5]),
    ],
)
@pytest.mark.parametrize("type_", [pa.float64(), pa.float32(), pa.float16()])
def test_tiers_stay_and_equal_rows_stay(key, expected, type_):
    column = maml_rows.column([2.0, NAN, None, 3.0, None, 2.0, NAN], type_)
    found = order(pa.table({"x": column}), [parse_sort(key)])
    assert found.type == pa.int64()
    assert found.to_pylist() == expected


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        ([0, -(2**63), 2**63 - 1, 1], pa.int64()),
        ([2, 1, 2**64 - 1, 2**63], pa.uint64()),
        ([5, -128, 127, 6], pa.int8()),
        ([6_000, 5_000, 5_000 + 65_536, 5_000 + 65_535], pa.int32()),
        ([0, -1, 19_753, 1], pa.date32()),
        ([4, 3, 86_399_999, 5], pa.time32("ms")),
        ([4, -3, 2**62, 5], pa.timestamp("ns", "UTC")),
        (["b", "", "\U0001f600", "\uffff"], pa.string()),
        (["b", "", "c", "bb"], pa.large_string()),
        (["b", "", "c", "bb"], pa.string_view()),
        (["b", "", "c", "bb"], pa.dictionary(pa.int8(), pa.string())),
        ([0.0, -math.inf, math.inf, 1.0], pa.float64()),
    ],
    ids=str,
)
def test_values_of_every_kind_have_their_order(values, type_):
    # The second is the least, then the first, the fourth and the third.
    plain = pa.array(values) if pa.types.is_dictionary(type_) else maml_rows.column(values, type_)
    column = plain.cast(type_)
    expected = [1, 0, 3, 2]
    assert order({"x": column}, [SortKey("x")]).to_pylist() == expected
    assert order({"x": column}, [SortKey("x", descending=True)]).to_pylist() == expected[::-1]


def test_booleans_and_later_keys():
    rows = {"a": pa.array([True, False, True, None, None]), "b": pa.array(["x", "y", "z", "w", "v"])}
    assert order(rows, parse_sorts(["a", "b desc"])).to_pylist() == [1, 2, 0, 3, 4]
    assert order(rows, parse_sorts(["a desc nulls_first", "b"])).to_pylist() == [4, 3, 0, 2, 1]


def test_zeros_of_both_signs_are_equal():
    zeros = {"x": pa.array([0.0, -0.0, 0.0])}
    assert order(zeros, [parse_sort("x")]).to_pylist() == [0, 1, 2]
    assert order(zeros, [parse_sort("x desc")]).to_pylist() == [0, 1, 2]


def test_paths_go_through_nulls():
    table = pa.table({"s": [None, {"x": 2}, {"x": 1}, {"x": None}]})
    keys = bind_sorts([parse_sort("s.x")], kinds_of(table.schema))
    assert order(table, keys).to_pylist() == [2, 1, 0, 3]


def test_no_keys_and_no_rows():
    assert order(pa.table({"x": [2, 1]}), []).to_pylist() == [0, 1]
    assert order({"x": pa.array([2, 1])}, []).to_pylist() == [0, 1]
    for type_ in maml_rows.TYPES.values():
        assert order({"x": pa.array([], type_)}, [SortKey("x"), SortKey("x", nulls_first=True)]).to_pylist() == []
        assert order({"x": pa.chunked_array([], type_)}, [SortKey("x")]).to_pylist() == []
        assert order({"x": pa.nulls(2, type_)}, [SortKey("x", nulls_first=True)]).to_pylist() == [0, 1]


@pytest.mark.parametrize(
    ("columns", "mentions"),
    [
        ({"y": pa.array([1])}, "no column 'x'"),
        ({"x": pa.array([[1]])}, "scalar"),
        ({"x": pa.array([{"y": 1}])}, "scalar"),
        ({"x": pa.array([b"1"])}, "scalar"),
    ],
)
def test_what_has_no_order_is_an_error(columns, mentions):
    with pytest.raises(MamlError, match=mentions) as caught:
        order(columns, [SortKey("x")])
    assert caught.value.code == "argument"


def test_columns_are_of_one_length():
    columns = {"x": pa.array([1, 2]), "y": pa.array([1])}
    with pytest.raises(MamlError, match="1 and 2 rows"):
        order(columns, parse_sorts(["x", "y"]))
    with pytest.raises(MamlError, match="no rows"):
        order({}, [])
    assert order(columns, parse_sorts(["x"])).to_pylist() == [0, 1]


@pytest.mark.parametrize("different", [5, 5_000, 70_000])
@pytest.mark.parametrize("descending", [False, True])
def test_many_strings_and_numbers_keep_the_order_of_equal_rows(different, descending):
    count = 80_000
    numbers = np.random.default_rng(3).integers(0, different, count)
    texts = pa.array([f"{number:05d}" for number in numbers.tolist()])
    # Texts of five digits are in the order of their numbers.
    expected = sorted(range(count), key=numbers.tolist().__getitem__, reverse=descending)
    for column in (texts, pa.array(numbers), pa.array(numbers - 2**62), pa.array(numbers * 2.0**-9)):
        assert order({"x": column}, [SortKey("x", descending)]).to_pylist() == expected


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("close", [False, True])
@pytest.mark.parametrize("type_", ["int64", "uint64", "float64"])
def test_wide_values_that_differ_in_their_last_bits_are_told_apart(type_, descending, close):
    # Of 64 bits, 17 are needed for the positions of 80 000 rows. Of these values, all or each fiftieth
    # have neighbours that differ from them in the last 12 bits alone.
    numbers = np.random.default_rng(4).integers(0, 4096, 80_000)
    bits = numbers.view(np.uint64) + np.uint64(0x3FF0_0000_0000_0000)
    if not close:
        bits[np.arange(80_000) % 50 > 0] += np.uint64(1 << 20) * np.arange(78_400, dtype=np.uint64)[::-1]
    bits[0] = 0 if type_ == "float64" else 2**63 - 1
    column = bits.view(type_)
    expected = sorted(range(len(numbers)), key=column.tolist().__getitem__, reverse=descending)
    assert order({"x": pa.array(column)}, [SortKey("x", descending)]).to_pylist() == expected


KEYS = st.lists(
    st.builds(SortKey, st.sampled_from("".join(maml_rows.TYPES)), st.booleans(), st.booleans()), min_size=0, max_size=4
)


@settings(max_examples=150, deadline=None)
@given(maml_rows.rows(), KEYS, st.integers(1, 5))
def test_the_order_is_that_of_rows(rows, keys, size):
    table = maml_rows.table(rows)
    chunked = pa.Table.from_batches(table.to_batches(max_chunksize=size), table.schema)
    expected = list(sorts.order(rows, keys))
    assert order(table, keys).to_pylist() == expected
    assert order(chunked, keys).to_pylist() == expected
    encoded = {name: chunked[name].dictionary_encode() for name in "sijf"}
    assert (
        order({**dict(zip(chunked.column_names, chunked.columns, strict=True)), **encoded}, keys).to_pylist()
        == expected
    )


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.booleans(), st.booleans())
def test_the_order_of_many_rows_is_that_of_rows(seed, descending, nulls_first):
    draw = random.Random(seed)
    names = "fgijsz"
    rows = [{name: draw.choice([None, *maml_rows.VALUES[name]]) for name in names} for _ in range(300)]
    keys = [SortKey(draw.choice(names), descending, nulls_first), SortKey(draw.choice(names), not descending)]
    assert order(maml_rows.table(rows, names), keys).to_pylist() == list(sorts.order(rows, keys))
