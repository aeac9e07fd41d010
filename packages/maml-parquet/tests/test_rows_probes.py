"""Whatever text comes: a rule, a key, or the package's own error with a place in the text; never anything else."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maml_parquet.errors import CODES, MamlError
from maml_parquet.rows.filters import bind, bind_rules, evaluate, parse_filter, parse_rules
from maml_parquet.rows.kinds import Kind
from maml_parquet.rows.literals import convert
from maml_parquet.rows.sorts import order, parse_sort, parse_sorts
from maml_parquet.rows.trees import Literal

WORDS = """a x and or not NOT ( ) (( in is_null > == /= , ' 1 -1.5 nan asc desc nulls_first - é = 1e9 true (1,2)"""
PIECES = st.sampled_from([*WORDS.split(), " ", "\t", "\u00a0", '"', '"b c"'])
TEXTS = st.text(max_size=40) | st.lists(PIECES, max_size=14).map(" ".join) | st.lists(PIECES, max_size=14).map("".join)
KINDS = {"a": Kind.of("int32"), "x": Kind.of("float64"), "s": Kind.of("string")}


def problems_of(function):
    try:
        function()
    except MamlError as error:
        return error.problems
    return ()


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_any_text_is_a_rule_or_an_error_in_the_text(text):
    for problem in problems_of(lambda: evaluate(bind(parse_filter(text), KINDS), {"a": 1, "x": 2.0, "s": "é"})):
        assert problem.code in CODES
        assert problem.at == ("filter",)
        assert 1 <= problem.column <= max(len(text), 1)
        assert f"(character {problem.column})" in str(problem)


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_any_text_is_a_sort_key_or_an_error_in_the_text(text):
    for problem in problems_of(lambda: parse_sort(text)):
        assert (problem.code, problem.at) == ("sort", ("sort",))
        assert 1 <= problem.column <= max(len(text), 1)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["int32", "int64", "uint8"]),
    st.sampled_from(["", "+", "-"]),
    st.integers(0, 10**20).map(str) | st.sampled_from(["0", "000", "127", "255", "256", "2147483647", "2147483648"]),
    st.sampled_from(["", ".", ".0", ".5", ".50", ".00000000000000000001"]),
    st.none() | st.integers(-22, 22),
)
def test_whole_numbers_are_what_fractions_say(token, sign, digits, decimals, exponent):
    text = f"{sign}{digits}{decimals}" + ("" if exponent is None else f"e{exponent}")
    exact = Fraction(f"{sign}{digits}{decimals.rstrip('.')}") * Fraction(10) ** (exponent or 0)
    low, high = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1), "uint8": (0, 255)}[token]
    if exact.denominator == 1 and low <= exact <= high:
        assert convert(Literal(text, quoted=False), Kind.of(token)) == exact
    else:
        with pytest.raises(ValueError, match=token):
            convert(Literal(text, quoted=False), Kind.of(token))


@settings(max_examples=100, deadline=None)
@given(st.datetimes(), st.sampled_from(["us", "ns"]))
def test_timestamps_are_what_datetime_says(when, unit):
    # Whole microseconds since 1970, by Python's own calendar.
    delta = when - when.__class__(1970, 1, 1)
    count = (delta.days * 86400 + delta.seconds) * 10**6 + delta.microseconds
    count *= {"us": 1, "ns": 1000}[unit]
    literal = Literal(when.isoformat(), quoted=True)
    if -(2**63) <= count < 2**63:
        assert convert(literal, Kind.of(f"timestamp[{unit}]")) == count
    else:
        with pytest.raises(ValueError, match="64 bits"):
            convert(literal, Kind.of(f"timestamp[{unit}]"))


def test_text_alone_is_one_rule_and_one_key():
    assert parse_rules("a > 1") == parse_filter("a > 1")
    assert bind_rules("a > 1", KINDS) == bind(parse_filter("a > 1"), KINDS)
    assert parse_sorts("-a") == (parse_sort("-a"),)


@pytest.mark.parametrize(
    "function", [parse_filter, parse_sort, lambda one: parse_rules([one]), lambda one: parse_sorts([one])]
)
def test_what_is_no_text_is_said(function):
    with pytest.raises(MamlError, match="5 is a int, not text"):
        function(5)


@pytest.mark.parametrize(
    ("token", "literal", "value"),
    [
        ("int32", "1", True),
        ("int32", "1", 1.0),
        ("float64", "1", "1"),
        ("date", '"2024-01-31"', "2024-01-31"),
        ("string", '"a"', b"a"),
    ],
)
def test_a_value_of_another_kind_is_never_compared(token, literal, value):
    rule = bind(parse_filter(f"x == {literal}"), {"x": Kind.of(token)})
    with pytest.raises(MamlError, match="'x'") as caught:
        evaluate(rule, {"x": value})
    assert caught.value.code == "argument"


def test_filters_come_before_sorting():
    rows = [{"a": 3}, {"a": None}, {"a": 1}, {"a": 2}]
    rule = bind(parse_filter("a > 1"), KINDS)
    kept = [row for row in rows if evaluate(rule, row) is True]
    assert [kept[index]["a"] for index in order(kept, parse_sorts("a"))] == [2, 3]
