"""Bounds and miss."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maml_parquet.sections.qc import Bound, BoundError, parse_bound, parse_miss
from maml_parquet.sections.types import BASES, TypeToken, parse_type

KIND = {base: parse_type(base) for base in BASES}


@pytest.mark.parametrize(
    ("text", "side", "base", "operator", "value"),
    [
        (">= 0", "min", "int32", ">=", 0),
        ("> 0", "min", "int32", ">", 0),
        ("0", "min", "int32", ">=", 0),
        (">=0", "min", "int32", ">=", 0),
        (">7", "min", "int32", ">", 7),
        ("  >   -7  ", "min", "int32", ">", -7),
        ("<= 5", "max", "int64", "<=", 5),
        ("< 5", "max", "int64", "<", 5),
        ("5", "max", "int64", "<=", 5),
        ("1e3", "min", "int32", ">=", 1000),
        ("5.0", "min", "int32", ">=", 5),
        ("5.", "min", "int32", ">=", 5),
        ("1.5e1", "min", "int32", ">=", 15),
        ("1500e-2", "min", "int32", ">=", 15),
        ("+3", "min", "int32", ">=", 3),
        ("-0", "min", "int32", ">=", 0),
        ("0e" + "9" * 5000, "min", "int32", ">=", 0),
        ("7e" + "0" * 5000 + "1", "min", "int32", ">=", 70),
        ("0e999999999", "min", "int32", ">=", 0),
        ("2147483647", "max", "int32", "<=", 2147483647),
        ("-2147483648", "min", "int32", ">=", -2147483648),
        ("9223372036854775807", "max", "int64", "<=", 9223372036854775807),
        ("-9223372036854775808", "min", "int64", ">=", -9223372036854775808),
        ("9007199254740993", "max", "int64", "<=", 9007199254740993),
        ("3000000000", "max", "int64", "<=", 3000000000),
        ("< 360", "max", "float64", "<", 360.0),
        (".5", "min", "float64", ">=", 0.5),
        ("-1.25e-2", "min", "float32", ">=", -0.0125),
        ("3.4e38", "max", "float32", "<=", 3.4e38),
        ("1e-400", "min", "float64", ">=", 0.0),
        ("> b c", "min", "string", ">", "b c"),
        ("1.5", "max", "string", "<=", "1.5"),
        ("< x", "max", None, "<", "x"),
    ],
)
def test_a_bound_is_an_operator_and_a_value_of_the_type(text, side, base, operator, value):
    found = parse_bound(text, side, KIND[base] if base else None)
    assert found == Bound(operator, value, text.strip())
    assert type(found.value) is type(value)
    assert found.inclusive == (operator in (">=", "<="))


@pytest.mark.parametrize(
    ("text", "side", "base", "code"),
    [
        ("< 5", "min", "int32", "qc-direction"),
        ("<= 5", "min", "float64", "qc-direction"),
        (">= 1", "max", "int32", "qc-direction"),
        ("> a", "max", "string", "qc-direction"),
        ("> a", "max", None, "qc-direction"),
        (">=", "min", "int32", "qc-empty-operator"),
        ("> ", "min", "string", "qc-empty-operator"),
        ("<", "max", "float32", "qc-empty-operator"),
        ("3000000000", "max", "int32", "qc-bound"),
        ("2147483648", "max", "int32", "qc-bound"),
        ("-2147483649", "min", "int32", "qc-bound"),
        ("9223372036854775808", "max", "int64", "qc-bound"),
        ("-9223372036854775809", "min", "int64", "qc-bound"),
        ("1e999999999999999999999", "max", "int64", "qc-bound"),
        ("1e-999999999999999999999", "max", "int64", "qc-bound"),
        ("1.5", "min", "int32", "qc-bound"),
        ("15e-1", "min", "int32", "qc-bound"),
        ("0x10", "min", "int32", "qc-bound"),
        ("1_000", "min", "int32", "qc-bound"),
        ("five", "min", "int32", "qc-bound"),
        ("٣", "min", "int32", "qc-bound"),
        ("= 5", "min", "int32", "qc-bound"),
        (".nan", "min", "float64", "qc-bound"),
        ("nan", "min", "float64", "qc-bound"),
        ("inf", "max", "float64", "qc-bound"),
        ("-inf", "min", "float64", "qc-bound"),
        ("1e999", "max", "float64", "qc-bound"),
        ("1e300", "max", "float32", "qc-bound"),
        ("1,5", "max", "float64", "qc-bound"),
        ("0", "min", "date", "qc-temporal"),
        ("2024-01-01", "min", "timestamp", "qc-temporal"),
        ("< 5", "min", "time", "qc-temporal"),
    ],
)
def test_what_is_no_bound_has_a_code(text, side, base, code):
    found = parse_bound(text, side, KIND[base] if base else None)
    assert isinstance(found, BoundError)
    assert found.code == code
    assert repr(text.strip()) in found.message or repr(text.strip().lstrip("<>= ")) in found.message


@pytest.mark.parametrize("base", BASES)
def test_blank_text_bounds_nothing(base):
    assert parse_bound("", "min", KIND[base]) is None
    assert parse_bound("  ", "max", KIND[base]) is None


@pytest.mark.parametrize("text", ["< 5", ">=", "true", "> x"])
def test_bounds_of_booleans_are_accepted_as_they_are(text):
    assert isinstance(parse_bound(text, "min", TypeToken("boolean")), Bound)


@pytest.mark.parametrize(
    ("text", "miss"),
    [
        ("Null", "expected"),
        ("NULL", "expected"),
        ("na", "expected"),
        (" NA ", "expected"),
        ("", "unexpected"),
        ("  ", "unexpected"),
        ("-999", None),
        ("~", None),
        ("none", None),
        ("nan", None),
    ],
)
def test_miss_has_two_words_and_blank(text, miss):
    assert parse_miss(text) == miss


@settings(max_examples=150, deadline=None)
@given(st.from_regex(r"\A[+-]?[0-9]{1,12}(\.[0-9]{0,6})?(e[+-]?[0-9]{1,2})?\Z"))
def test_whole_numbers_are_exact(literal):
    exact = Fraction(literal.replace(".e", ".0e"))
    found = parse_bound(literal, "min", KIND["int64"])
    if exact.denominator == 1 and -(2**63) <= exact < 2**63:
        assert found.value == exact
    else:
        assert found.code == "qc-bound"
