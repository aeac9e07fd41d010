"""Sort keys as text, and the order of rows by them."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maml_parquet.errors import MamlError
from maml_parquet.rows.kinds import Kind
from maml_parquet.rows.sorts import SortKey, bind_sorts, order, parse_sort, parse_sorts

NAN = math.nan


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("ra", SortKey("ra")),
        (" ra\tASC ", SortKey("ra")),
        ("ra ascending", SortKey("ra")),
        ("ra desc", SortKey("ra", descending=True)),
        ("ra Descending Nulls_First", SortKey("ra", descending=True, nulls_first=True)),
        ("ra nulls_last", SortKey("ra")),
        ("ra nulls_first", SortKey("ra", nulls_first=True)),
        ("-ra", SortKey("ra", descending=True)),
        ("-ra nulls_first", SortKey("ra", descending=True, nulls_first=True)),
        ("--ra", SortKey("-ra", descending=True)),
        ("desc", SortKey("desc")),
        ("desc desc", SortKey("desc", descending=True)),
        ("n" * 64, SortKey("n" * 64)),
        ("ra".ljust(320), SortKey("ra")),
    ],
)
def test_a_key_is_this(text, key):
    assert parse_sort(text) == key


@pytest.mark.parametrize(
    ("text", "position", "mentions"),
    [
        ("", 1, "empty"),
        ("  ", 1, "empty"),
        ("-", 1, "name"),
        ("- ra", 1, "name"),
        ("-ra desc", 5, "'-'"),
        ("-ra asc", 5, "'-'"),
        ("ra asc desc", 8, "direction"),
        ("ra asc ascending", 8, "direction"),
        ("ra nulls_first nulls_last", 16, "Nulls"),
        ("ra nulls_first desc", 16, "Nulls"),
        ("ra down", 4, "'down'"),
        ("ra dec", 4, "'dec'"),
        ("n" * 65, 1, "65"),
        ("-" + "n" * 65, 2, "65"),
        ("ra".ljust(321), 321, "321"),
        ("ra\u200b", 3, "U+200B"),
    ],
)
def test_a_wrong_key_names_the_place(text, position, mentions):
    with pytest.raises(MamlError) as caught:
        parse_sort(text, at=("extra", "sort", 1), line=5)
    (problem,) = caught.value.problems
    assert (problem.code, problem.at, problem.line, problem.column) == ("sort", ("extra", "sort", 1), 5, position)
    assert mentions in problem.message


def test_there_are_at_most_16_keys():
    assert len(parse_sorts(["x"] * 16)) == 16
    with pytest.raises(MamlError, match="16") as caught:
        parse_sorts(["x"] * 18)
    assert [problem.at for problem in caught.value.problems] == [("sort", 16)]


def test_the_problems_of_every_key_are_told():
    with pytest.raises(MamlError) as caught:
        parse_sorts(["x up", "y", "-"])
    assert [problem.at for problem in caught.value.problems] == [("sort", 0), ("sort", 2)]


def test_keys_name_scalar_columns():
    kinds = {"s": {"x": Kind("int32")}, "v": Kind("vector"), "RA": Kind("float64")}
    assert [key.path for key in bind_sorts(parse_sorts(["-s.x", "RA"]), kinds)] == [("s", "x"), ("RA",)]
    with pytest.raises(MamlError) as caught:
        bind_sorts(parse_sorts(["v", "RA", "s", "ra"]), kinds)
    assert [(problem.code, problem.at) for problem in caught.value.problems] == [
        ("sort", ("sort", 0)),
        ("sort", ("sort", 2)),
        ("sort", ("sort", 3)),
    ]
    assert "'RA'" in caught.value.problems[2].message


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        # Values 0: 2, 3: 3, 5: 2, NaN at 1 and 6, Null at 2 and 4.
        ("x", (0, 5, 3, 1, 6, 2, 4)),
        ("x desc", (3, 0, 5, 1, 6, 2, 4)),
        ("x nulls_first", (2, 4, 1, 6, 0, 5, 3)),
        ("x desc nulls_first", (2, 4, 1, 6, 3, 0, 5)),
    ],
)
def test_tiers_stay_and_equal_rows_stay(key, expected):
    rows = [{"x": value} for value in (2.0, NAN, None, 3.0, None, 2.0, NAN)]
    assert order(rows, [parse_sort(key)]) == expected


def test_later_keys_break_ties_of_earlier_ones():
    rows = [{"a": 1, "b": "x"}, {"a": 0, "b": "y"}, {"a": 1, "b": "z"}, {"a": None, "b": "w"}, {"a": None, "b": "v"}]
    assert order(rows, parse_sorts(["a", "b desc"])) == (1, 2, 0, 3, 4)
    assert order(rows, parse_sorts(["b"])) == (4, 3, 0, 1, 2)
    assert order(rows, []) == (0, 1, 2, 3, 4)


def test_zeros_of_both_signs_are_equal():
    assert order([{"x": 0.0}, {"x": -0.0}], [parse_sort("x")]) == (0, 1)


def test_paths_go_through_nulls():
    (key,) = bind_sorts([parse_sort("s.x")], {"s": {"x": Kind("int32")}})
    assert order([{"s": None}, {"s": {"x": 2}}, {"s": {"x": 1}}], [key]) == (2, 1, 0)


def test_rows_that_cannot_be_sorted_are_an_error():
    with pytest.raises(MamlError, match="'x'") as caught:
        order([{"x": 1}, {"y": 1}], [parse_sort("x")])
    assert caught.value.at == ("rows", 1)
    with pytest.raises(MamlError, match="several kinds"):
        order([{"x": 1}, {"x": "1"}], [parse_sort("x")])


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([None, NAN, 0.0, 1.0]), st.sampled_from([None, "a", "b"])), max_size=8),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_order_is_that_of_tuples(pairs, descending, nulls_first, second_descending):
    rows = [{"x": x, "y": y} for x, y in pairs]
    keys = [SortKey("x", descending, nulls_first), SortKey("y", second_descending)]

    def rank(index):
        x, y = pairs[index]
        tier = 2 if x is None else 1 if math.isnan(x) else 0
        value = 0 if tier else -x if descending else x
        letter = 0 if y is None else -ord(y) if second_descending else ord(y)
        return (-tier if nulls_first else tier, value, y is None, letter, index)

    assert order(rows, keys) == tuple(sorted(range(len(rows)), key=rank))
