"""Values of metadata: their text and the word of their type."""

from enum import Enum

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maml_parquet.errors import MamlError
from maml_parquet.schema.values import typed


class Band(str, Enum):
    RED = "r"


GOOD = [
    (True, "true", "boolean"),
    (np.False_, "false", "boolean"),
    (np.int32(5), "5", "int32"),
    (np.int64(-7), "-7", "int64"),
    (np.uint8(255), "255", "int32"),
    (np.uint32(4294967295), "4294967295", "int64"),
    (5, "5", "int64"),
    (2**63 - 1, "9223372036854775807", "int64"),
    (-(2**63), "-9223372036854775808", "int64"),
    (1.5, "1.5", "float64"),
    (1e300, "1e+300", "float64"),
    (0.1, "0.1", "float64"),
    (-0.0, "-0.0", "float64"),
    (float("nan"), "nan", "float64"),
    (float("-inf"), "-inf", "float64"),
    (np.float64(0.1), "0.1", "float64"),
    (np.float32(0.1), "0.1", "float32"),
    (np.float32(16777217), "16777216.0", "float32"),
    (np.float16(0.5), "0.5", "float32"),
    (np.array(3, dtype="int32"), "3", "int32"),
    ("5", "5", ""),
    (np.str_("a"), "a", ""),
    ("  a b ", "a b", ""),
    ("", "", ""),
    (Band.RED, "r", ""),
    (np.ma.array([1, 2], mask=[False, False]), "[1, 2]", "int64[]"),
    ("two\nlines", "two\nlines", ""),
    ([1, 2, 3], "[1, 2, 3]", "int64[]"),
    ((1.5, 2.0), "[1.5, 2.0]", "float64[]"),
    ([True, False], "[true, false]", "boolean[]"),
    (["a"], "[a]", "string[]"),
    (["a", "b c"], "[a, b c]", "string[]"),
    (["a,b", "", ' "x', "c\\d"], '["a,b", "", "\\"x", "c\\\\d"]', "string[]"),
    (np.array([1, 2], dtype="int32"), "[1, 2]", "int32[]"),
    (np.array([0.1, 1], dtype="float32"), "[0.1, 1.0]", "float32[]"),
    (np.array([True]), "[true]", "boolean[]"),
    (np.array(["x", "yz"]), "[x, yz]", "string[]"),
]

BAD = [
    (None, "NoneType"),
    ({"a": 1}, "dict"),
    ([1, 2.5], "several types"),
    ([1, True], "several types"),
    ([1, "a"], "several types"),
    ([np.int32(1), 1], "several types"),
    ([[1]], "list in a list"),
    ([None], "NoneType"),
    ([], "empty"),
    (np.zeros((2, 3)), "2 dimensions"),
    (np.ma.array([1, 2], mask=[False, True]), "masked"),
    (2**63, "64 bits"),
    (np.uint64(2**63), "64 bits"),
    (np.ma.masked, "masked"),
    (np.ma.array(5, mask=True), "masked"),
    (np.datetime64("2024-01-01"), "datetime64"),
    (1j, "complex"),
    (b"a", "bytes"),
    ("a\x00", "U\\+0000"),
    ("a\x1b", "U\\+001B"),
    ("\ud800", "U\\+D800"),
    (["a", "\x07"], "U\\+0007"),
]


@pytest.mark.parametrize(("value", "text", "word"), GOOD, ids=lambda value: repr(value)[:30])
def test_a_value_has_a_text_and_a_word(value, text, word):
    assert typed(value) == (text, word)


@pytest.mark.parametrize(("value", "says"), BAD, ids=lambda value: repr(value)[:30])
def test_what_is_no_metadata_is_refused(value, says):
    with pytest.raises(MamlError, match=says) as found:
        typed(value)
    assert found.value.code == "metadata"


@settings(max_examples=150)
@given(st.floats(width=32, allow_nan=False))
def test_text_of_a_float_of_32_bits_gives_it_back(value):
    text, word = typed(np.float32(value))
    assert word == "float32"
    assert np.float32(float(text)) == np.float32(value)
    assert len(text) <= len(repr(float(np.float32(value))))
    assert text == repr(float(text))


@settings(max_examples=100)
@given(st.floats(allow_nan=False))
def test_text_of_a_float_of_64_bits_gives_it_back(value):
    assert float(typed(value)[0]) == value


def test_a_quantity_is_no_number():
    units = pytest.importorskip("astropy.units")
    for value in (5 * units.m, units.Quantity([5.0], "m")[0]):
        with pytest.raises(MamlError, match="Quantity; give its number"):
            typed(value)
