"""The words of data_type, and sizes."""

import pytest

from maml_parquet.sections.sizes import AUTO, parse_size
from maml_parquet.sections.types import BASES, TypeToken, parse_type


@pytest.mark.parametrize("base", ["int32", "int64", "float32", "float64", "boolean", "string", "date"])
def test_seven_types_are_a_word_in_any_case(base):
    for text in (base, base.upper(), f"  {base} "):
        assert parse_type(text) == TypeToken(base)
    assert str(parse_type(base)) == base


@pytest.mark.parametrize(
    ("text", "unit", "utc", "full"),
    [
        ("time", "us", False, "time[us]"),
        ("time[ms]", "ms", False, "time[ms]"),
        ("TIME[millis]", "ms", False, "time[ms]"),
        ("time[milli]", "ms", False, "time[ms]"),
        ("time[ micro ]", "us", False, "time[us]"),
        ("time[micros]", "us", False, "time[us]"),
        ("time[nano]", "ns", False, "time[ns]"),
        ("time[nanos]", "ns", False, "time[ns]"),
        ("time [ns]", "ns", False, "time[ns]"),
        ("timestamp", "us", False, "timestamp[us]"),
        ("timestamp[]", "us", False, "timestamp[us]"),
        ("timestamp[ ]", "us", False, "timestamp[us]"),
        ("timestamp[ms]", "ms", False, "timestamp[ms]"),
        ("timestamp[utc]", "us", True, "timestamp[us,utc]"),
        ("timestamp[utc,NS]", "ns", True, "timestamp[ns,utc]"),
        ("Timestamp[ ns , Utc ]", "ns", True, "timestamp[ns,utc]"),
    ],
)
def test_times_have_a_unit_and_timestamps_perhaps_utc(text, unit, utc, full):
    found = parse_type(text)
    assert (found.unit, found.utc, str(found)) == (unit, utc, full)
    assert found.is_temporal


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("timestamp[s]", "seconds"),
        ("time[sec]", "seconds"),
        ("time[seconds]", "seconds"),
        ("time[ms,utc]", "no time zone"),
        ("date[us]", "nothing in brackets"),
        ("date[]", "nothing in brackets"),
        ("int32[4]", "nothing in brackets"),
        ("time[ms", "not closed"),
        ("time[ms]x", "not closed"),
        ("time[ms]]", "no unit"),
        ("timestamp[ms,ns]", "two units"),
        ("timestamp[ms,ms]", "two units"),
        ("timestamp[utc,utc]", "utc twice"),
        ("timestamp[ms,]", "no unit"),
        ("timestamp[,]", "no unit"),
        ("time[]", "no unit"),
        ("timestamp[ms,cet]", "no unit"),
        ("stringy", "no type"),
        ("string10", "no type"),
        ("int8", "no type"),
        ("float", "no type"),
        ("list", "not supported"),
        ("list[int32]", "not supported"),
        ("map[string]", "not supported"),
        ("struct", "not supported"),
        ("", "no type"),
        ("int32 int64", "no type"),
    ],
)
def test_other_words_say_what_to_write(text, says):
    found = parse_type(text)
    assert isinstance(found, str)
    assert says in found


def test_kinds():
    tokens = {base: parse_type(base) for base in BASES}
    assert [base for base in BASES if tokens[base].is_integer] == ["int32", "int64"]
    assert [base for base in BASES if tokens[base].is_float] == ["float32", "float64"]
    assert [base for base in BASES if tokens[base].is_temporal] == ["date", "time", "timestamp"]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1", 1),
        ("18", 18),
        ("+3", 3),
        ("007", 7),
        ("2147483647", 2147483647),
        ("auto", AUTO),
        ("AUTO", AUTO),
        ("  ", 1),
        ("", 1),
        ("0", None),
        ("-1", None),
        ("2.0", None),
        ("0x2", None),
        ("1_0", None),
        ("1e3", None),
        ("99999999999", None),
        ("2147483648", None),
        ("9" * 900, None),
        ("+", None),
        ("++2", None),
        ("٣", None),
        ("automatic", None),
    ],
)
def test_a_size_is_a_positive_whole_number_or_auto(text, size):
    assert parse_size(text) == size
