"""From bytes to a header with its defaults, and back to the bytes that are written."""

import copy

import numpy as np
import pytest
from header_documents import DTYPE, EVERY, SECOND, SEED, SEED_SHAPE, SHAPE, changed, documents, mutations, paths
from hypothesis import given, settings
from hypothesis import strategies as st

from mlarray.errors import FormatError
from mlarray.header.canonical import canonical
from mlarray.header.check import axis_names, axis_types, check
from mlarray.header.parse import filled, parse
from mlarray.header.wire import decode, encode

WRITER = "mlarray 9.9"


def test_the_header_of_the_documentation_is_read_as_it_stands():
    found = parse(encode(SEED), SEED_SHAPE, DTYPE)
    assert (found.document, found.notices) == (SEED, ())


def test_defaults_are_names_the_kind_of_the_values_and_units_and_nothing_else():
    raw = encode({"axes": [{}, {"type": "time", "unit": "second"}], "org_x": {"b": 1, "a": 2}, "version": "1.3"})
    found = parse(raw, (2, 3), DTYPE)
    assert found.document == {
        "axes": [{"name": "axis_0"}, {"name": "axis_1", "type": "time", "unit": "second", "unit_code": "s"}],
        "org_x": {"b": 1, "a": 2},
        "version": "1.3",
        "values": {"kind": "measurement"},
    }
    assert list(found.document) == ["axes", "org_x", "version", "values"]
    assert axis_names(found.document) == ("axis_0", "axis_1")
    assert axis_types(found.document) == ("other", "time")


def test_every_problem_is_in_the_error_with_the_path_of_the_file():
    broken = changed(EVERY, ("axes/1/step", 0), ("values/fill", 70000))
    with pytest.raises(FormatError) as caught:
        parse(encode(broken), SHAPE, DTYPE, path="x.mla")
    assert str(caught.value) == (
        "x.mla: /axes/1/step: the number is 0, which it may not be\n"
        "/values/fill: 70000 cannot be stored as int16"
    )  # fmt: skip
    assert (caught.value.path, caught.value.code, caught.value.at) == ("x.mla", "out_of_range", ("axes", 1, "step"))


def test_problems_behind_the_version_become_notices_where_one_is_not_strict():
    broken = changed(EVERY, ("axes/1/step", 0), ("values", 7), ("profiles/ml/boxes/items/0/max", [9, 9]))
    found = parse(encode(broken), SHAPE, DTYPE, strict=False)
    assert [(notice.code, notice.at) for notice in found.notices] == [
        ("out_of_range", ("profiles", "ml", "boxes", "items", 0)),
        ("out_of_range", ("axes", 1, "step")),
        ("wrong_type", ("values",)),
    ]
    # NaN, which one profile holds, is not itself.
    assert repr(found.document) == repr(broken)
    for raw in (b"\x80", b"\x81\xa7version\xa32.0", b"\x90"):
        with pytest.raises(FormatError):
            parse(raw, SHAPE, DTYPE, strict=False)


def test_whatever_is_broken_behind_the_version_a_header_can_be_had_that_is_not_strict():
    for change in mutations(EVERY):
        if change[0][0] == "version":
            continue
        raw = encode(changed(EVERY, change))
        found = parse(raw, SHAPE, DTYPE, strict=False)
        assert len(axis_names(found.document)) == len(axis_types(found.document))
        assert canonical(found.document, writer=WRITER)["writer"] == WRITER


def test_filling_changes_nothing_that_was_given():
    document = {"version": "1.0", "axes": [{}], "storage": {"chunk_size": [1.0]}}
    before = copy.deepcopy(document)
    assert filled(document)["storage"] == {"chunk_size": [1]}
    assert document == before


# Writing --------------------------------------------------------------------------------------------------------------


def test_known_keys_are_written_in_one_order_then_the_others_as_they_came():
    turned = reverse(EVERY)
    turned = {"org_b": {"version": 1, "axes": 2}, **turned, "org_a": 1}
    for name in ("axes", "storage"):
        turned[name] = {**turned[name], "org_z": 1, "org_y": 2} if name == "storage" else turned[name]
    found = canonical(turned, writer=WRITER)
    assert list(found) == [
        "version", "writer", "axes", "spaces", "values", "profiles", "history", "storage", "org_b", "org_a",
    ]  # fmt: skip
    assert list(found["org_b"]) == ["version", "axes"]
    assert list(found["axes"][1]) == ["name", "type", "start", "step", "unit", "unit_code"]
    assert list(found["axes"][0]) == ["name", "type", "labels"]
    assert list(found["spaces"][0]) == ["name", "reference", "axes", "from_array"]
    assert list(found["spaces"][0]["reference"]) == ["scheme", "id"]
    assert list(found["spaces"][0]["axes"][0]) == ["name", "unit", "unit_code", "increases_toward"]
    assert list(found["spaces"][0]["from_array"]) == ["array_axes", "matrix"]
    assert list(found["spaces"][1]["from_array"]) == ["array_axes", "scale", "translation"]
    assert list(found["values"]) == [
        "kind", "unit", "unit_code", "scale", "offset", "fill", "labels", "label_layout",
    ]  # fmt: skip
    assert list(found["values"]["labels"]) == ["6", "0"]
    assert list(found["values"]["labels"]["6"]) == ["name", "color", "code"]
    assert list(found["values"]["labels"]["6"]["code"]) == ["scheme", "value", "meaning"]
    assert list(found["profiles"]) == ["org_example_cryoem", "medical", "ml"]
    ml = found["profiles"]["ml"]
    assert list(ml) == ["profile_version", "statistics", "boxes", "patch_size", "split"]
    assert list(ml["statistics"]) == ["min", "max", "mean", "median", "standard_deviation", "percentiles"]
    assert list(ml["statistics"]["percentiles"]) == ["100.0", "99.5", "0"]
    assert list(ml["boxes"]) == ["frame", "axes", "items"]
    assert list(ml["boxes"]["items"][0]) == ["min", "max", "label", "score"]
    assert list(found["profiles"]["medical"]) == ["profile_version", "dicom"]
    assert list(found["profiles"]["medical"]["dicom"]) == ["Rows", "EchoTime", "Modality"]
    assert list(found["history"][0]) == ["action", "tool", "time", "from", "warnings"]
    assert list(found["storage"]) == ["chunk_size", "block_size", "patch_size", "compression", "org_z", "org_y"]
    assert list(found["storage"]["compression"]) == ["codec", "level", "filters", "filters_meta"]


def reverse(value):
    """A copy with the keys of every map in reverse."""
    if isinstance(value, dict):
        return {key: reverse(value[key]) for key in reversed(value)}
    return [reverse(item) for item in value] if isinstance(value, list) else value


def test_values_and_storage_are_always_written_and_empty_maps_and_lists_only_if_they_were_there():
    bare = {"version": "1.0", "axes": []}
    assert canonical(bare, writer=WRITER) == {
        "version": "1.0", "writer": WRITER, "axes": [], "values": {}, "storage": {},
    }  # fmt: skip
    empty = {**bare, "spaces": [], "profiles": {}, "history": []}
    assert set(canonical(empty, writer=WRITER)) == {"version", "writer", "axes", "values", "storage"}
    assert set(canonical(empty, writer=WRITER, had=frozenset({"spaces", "history"}))) == {
        "version", "writer", "axes", "spaces", "values", "history", "storage",
    }  # fmt: skip


def test_the_writer_is_the_one_that_writes():
    assert canonical({**SEED, "writer": "other 1"}, writer=WRITER)["writer"] == WRITER


@settings(max_examples=60, deadline=None)
@given(documents())
def test_what_is_written_says_what_was_read(drawn):
    document, shape = drawn
    read = parse(encode(document), shape, DTYPE).document
    written = canonical(read, writer=WRITER, had=frozenset(document))
    again = parse(encode(written), shape, DTYPE).document
    rest = {key: value for key, value in again.items() if key not in {"writer", "storage"}}
    assert repr(sort(rest)) == repr(sort({k: v for k, v in read.items() if k not in {"writer", "storage"}}))
    assert again["storage"] == read.get("storage", {})
    # A second time nothing changes any more.
    assert encode(canonical(again, writer=WRITER, had=frozenset(document))) == encode(written)


def sort(value):
    """A copy with the keys of every map in order."""
    if isinstance(value, dict):
        return {key: sort(value[key]) for key in sorted(value)}
    return [sort(item) for item in value] if isinstance(value, list) else value


def test_what_is_written_shares_nothing_with_what_was_given():
    given_ = copy.deepcopy(EVERY)
    written = canonical(given_, writer=WRITER)
    for path in list(paths(written)):
        found, owner = written, given_
        for part in path:
            found = found[part]
            owner = owner[part] if path[0] != "writer" else None
        assert not isinstance(found, (dict, list)) or found is not owner, path


# Bytes that nobody wrote ----------------------------------------------------------------------------------------------

RAW = [encode(document) for document in (SEED, EVERY, SECOND)]


def only_format_errors(raw):
    for strict in (True, False):
        try:
            found = parse(raw, SHAPE, DTYPE, strict=strict, path="x.mla")
        except FormatError as error:
            assert (bool(error.problems), str(error)[:7]) == (True, "x.mla: ")  # noqa: PT017
        else:
            assert check(found.document, SHAPE, DTYPE).problems == () or not strict
            canonical(found.document, writer=WRITER)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_random_bytes_give_a_format_error_or_a_header(raw):
    only_format_errors(raw)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(RAW), st.data())
def test_changed_bytes_give_a_format_error_or_a_header(raw, data):
    changed_ = bytearray(raw)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(raw) - 1))
        cut = data.draw(st.integers(0, 2))
        changed_[at : at + cut] = data.draw(st.binary(min_size=0, max_size=3))
    only_format_errors(bytes(changed_))


@settings(max_examples=100, deadline=None)
@given(st.sampled_from([EVERY, SECOND]), st.data())
def test_anything_anywhere_in_a_header_gives_a_format_error_or_a_header(document, data):
    plain = st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(max_size=4) | st.binary(),
        lambda below: st.one_of(st.lists(below, max_size=3), st.dictionaries(st.text(max_size=4), below, max_size=3)),
        max_leaves=8,
    )  # fmt: skip
    for _ in range(3):
        path = data.draw(st.sampled_from(list(paths(document))))
        document = changed(document, (path, data.draw(plain)))
    only_format_errors(encode(document))


def test_every_beginning_of_a_header_is_refused():
    raw = RAW[0]
    for end in range(len(raw)):
        with pytest.raises(FormatError):
            parse(raw[:end], SEED_SHAPE, DTYPE)
    assert parse(raw, SEED_SHAPE, DTYPE).document == decode(raw) == SEED
    with pytest.raises(FormatError, match="goes on"):
        parse(raw + b"\x00", SEED_SHAPE, np.dtype("i2"))
