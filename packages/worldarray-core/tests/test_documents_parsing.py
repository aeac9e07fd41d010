"""The combinators that documents are parsed with: what they return, and what they refuse and where."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldarray.documents.loading import load_json, load_object
from worldarray.documents.parsing import (
    Problems,
    boolean,
    choice,
    each,
    integer,
    integers,
    mapping,
    member,
    number,
    numbers,
    numbers_or_scalar,
    optional,
    positive,
    required,
    sequence,
    shape,
    show,
    text,
    texts,
    texts_or_nulls,
)
from worldarray.errors import PlacementError

AT = ("em.zarr/.zattrs", "key")


def test_duplicate_keys_keep_the_last_and_a_byte_order_mark_is_skipped():
    assert load_json(b'\xef\xbb\xbf{"a": 1, "a": 2}', AT) == {"a": 2}


@pytest.mark.parametrize(
    ("data", "at"),
    [
        (b"", ()),
        (b"{", ()),
        (b"<html>", ()),
        (b'{"a": \xff}', ()),
        ('{"a": "\u00b5m"}'.encode("utf-16"), ()),
        (b"[" * 100_000, ()),
        (b'{"a": ' + b"9" * 10_000 + b"}", ()),
        (b'{"fill_value": NaN}', ("fill_value",)),
        (b'{"a": [1, {"b": -Infinity}]}', ("a", 1, "b")),
        (b"NaN", ()),
        (b'{"a": NaN, "a": 1}', ()),
    ],
)
def test_what_is_not_json_names_the_document_and_a_bare_nan_its_key(data, at):
    with pytest.raises(PlacementError) as raised:
        load_json(data, ("em.zarr/.zarray",))
    assert raised.value.code == "not_json"
    assert raised.value.at == ("em.zarr/.zarray", *at)


def test_a_nan_in_a_string_is_json():
    assert load_json(b'{"fill_value": "NaN"}', AT) == {"fill_value": "NaN"}


@pytest.mark.parametrize("data", [b"[]", b"5", b'"text"', b"null"])
def test_a_document_that_is_no_object_is_refused(data):
    assert load_object(b"{}", AT) == {}
    with pytest.raises(PlacementError) as raised:
        load_object(data, AT)
    assert raised.value.code == "wrong_type"


@pytest.mark.parametrize(
    ("parse", "good", "read"),
    [
        (mapping, {"a": 1}, {"a": 1}),
        (text, "µm", "µm"),
        (boolean, False, False),
        (integer, 7, 7),
        (number, 7, 7.0),
        (positive, 0.5, 0.5),
        (sequence, [1, "a"], [1, "a"]),
        (numbers, [4, 4.5, 40], (4.0, 4.5, 40.0)),
        (integers, [-3, 4], (-3, 4)),
        (texts, ["z", "y"], ("z", "y")),
        (texts_or_nulls, ["z", None], ("z", None)),
        (shape, [7, 0, 5.0], (7, 0, 5)),
    ],
)
def test_values_of_the_right_type_are_read(parse, good, read):
    assert parse(good, AT) == read


@pytest.mark.parametrize(
    ("parse", "bad", "code", "inside"),
    [
        (mapping, [1], "wrong_type", ()),
        (text, 5, "wrong_type", ()),
        (text, None, "wrong_type", ()),
        (text, "\udc80", "wrong_value", ()),
        (boolean, 1, "wrong_type", ()),
        (integer, True, "wrong_type", ()),
        (integer, 3.0, "not_integral", ()),
        (integer, "3", "wrong_type", ()),
        (integer, 2**63, "out_of_range", ()),
        (number, "4", "wrong_type", ()),
        (number, True, "wrong_type", ()),
        (number, float("nan"), "not_finite", ()),
        (number, float("inf"), "not_finite", ()),
        (number, 10**400, "not_representable", ()),
        (positive, 0, "not_positive", ()),
        (positive, -0.5, "not_positive", ()),
        (sequence, "abc", "wrong_type", ()),
        (sequence, None, "wrong_type", ()),
        (numbers, [4, "4", 40], "wrong_type", (1,)),
        (numbers, [4, [4], 40], "wrong_type", (1,)),
        (integers, [4, 4.5], "not_integral", (1,)),
        (texts, ["z", None], "wrong_type", (1,)),
        (texts_or_nulls, ["z", 5], "wrong_type", (1,)),
        (shape, [7, -5], "out_of_range", (1,)),
        (shape, [7, 5.5], "not_integral", (1,)),
        (shape, [7, float("nan")], "not_integral", (1,)),
        (shape, [2**62], "out_of_range", (0,)),
    ],
)
def test_values_of_the_wrong_type_are_refused_where_they_are(parse, bad, code, inside):
    with pytest.raises(PlacementError) as raised:
        parse(bad, AT)
    assert (raised.value.code, raised.value.at) == (code, AT + inside)


@pytest.mark.parametrize("parse", [numbers, integers, texts_or_nulls, shape, sequence])
def test_lists_have_one_entry_per_axis(parse):
    assert len(parse([None, None] if parse is texts_or_nulls else [4, 5], AT, 2)) == 2
    with pytest.raises(
        PlacementError, match=r"2 entries .* but the array has 3 axes; write one entry per axis"
    ) as raised:
        parse([None, None] if parse is texts_or_nulls else [4, 5], AT, 3)
    assert raised.value.code == "wrong_length"


def test_whole_floats_are_integers_where_writers_write_them():
    assert integer(10.0, AT, whole_floats=True) == 10
    for bad in (10.5, 2.0**60, float("inf"), float("nan")):
        with pytest.raises(PlacementError, match="must be an integer"):
            integer(bad, AT, whole_floats=True)


def test_a_bare_number_is_that_number_on_every_axis():
    assert numbers_or_scalar(4, AT, 3) == (4.0, 4.0, 4.0)
    assert numbers_or_scalar([4, 5], AT, 2) == (4.0, 5.0)
    with pytest.raises(PlacementError, match=r"wrong|list"):
        numbers_or_scalar("4", AT, 3)


def test_infinities_are_numbers_where_they_are_asked_for():
    assert number(float("inf"), AT, finite=False) == float("inf")


def test_a_missing_member_is_refused_and_an_optional_one_is_none():
    raw = {"a": None, "b": 5}
    assert member(raw, "a", AT) is None
    assert optional(raw, "a", AT, integer) is None
    assert optional(raw, "c", AT, integer) is None
    assert required(raw, "b", AT, integer) == 5
    for parse in (lambda: member(raw, "c", AT), lambda: required(raw, "c", AT, integer)):
        with pytest.raises(PlacementError, match="found: a, b") as raised:
            parse()
        assert (raised.value.code, raised.value.at) == ("missing_key", (*AT, "c"))
    with pytest.raises(PlacementError) as raised:
        required(raw, "a", AT, integer)
    assert (raised.value.code, raised.value.at) == ("wrong_type", (*AT, "a"))


def test_a_choice_lists_what_it_could_be():
    assert choice("F", AT, ("C", "F")) == "F"
    with pytest.raises(PlacementError, match='must be one of "C", "F"'):
        choice("A", AT, ("C", "F"))


def test_problems_are_collected():
    found = Problems()
    assert found.take(integer, 5, AT) == 5
    found.check()
    assert found.take(each, ["a", 5], AT, text) is None
    assert found.take(boolean, 5, AT) is None
    with pytest.raises(PlacementError) as raised:
        found.check()
    assert [problem.at for problem in raised.value.problems] == [(*AT, 1), AT]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just(10**400) | st.just("\ud800"),
        lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.just("\ud800"), inner),
        max_leaves=40,
    )
)
def test_whatever_a_value_is_it_is_shown_short_and_printable(value):
    shown = show(value)
    assert len(shown) < 100
    assert shown.encode()


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.binary(max_size=40))
def test_any_bytes_are_json_or_refused(data):
    def no_constant(word):
        raise ValueError(word)

    try:
        expected = json.loads(data.decode("utf-8-sig"), parse_constant=no_constant)
    except (ValueError, RecursionError):
        with pytest.raises(PlacementError, match=r"JSON|UTF-8"):
            load_json(data, AT)
    else:
        assert load_json(data, AT) == expected
