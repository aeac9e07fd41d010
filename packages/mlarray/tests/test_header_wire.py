"""Plain msgpack: what is refused on the way in and on the way out, and what values become."""

import enum
import gzip
import os
import pickle
from collections import OrderedDict
from types import MappingProxyType

import msgpack
import numpy as np
import pytest

from mlarray.errors import ArgumentError, ArgumentTypeError, FormatError, MLArrayError
from mlarray.header.parse import parse
from mlarray.header.wire import decode, encode, normalise


def refused(raw, **keywords):
    with pytest.raises(FormatError) as caught:
        decode(raw, **keywords)
    return caught.value


# {"a": …} by hand: 81 a map of one, a1 61 the text "a".
A = b"\x81\xa1a"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"\xc0", None),
        (b"\xc2", False),
        (b"\xc3", True),
        (b"\x07", 7),
        (b"\xff", -1),
        (b"\xcf" + b"\xff" * 8, 2**64 - 1),
        (b"\xd3\x80" + b"\x00" * 7, -(2**63)),
        (b"\xca\x3f\x80\x00\x00", 1.0),
        (b"\xcb\x3f\xb9\x99\x99\x99\x99\x99\x9a", 0.1),
        (b"\xc4\x02\xd4\xff", b"\xd4\xff"),
        (b"\xa2\xc3\xa4", "ä"),
        (b"\xd9\x01z", "z"),
        (b"\x92\x01\x90", [1, []]),
        (b"\xdc\x00\x01\x80", [{}]),
        (b"\xde\x00\x01\xa0\xa0", {"": ""}),
    ],
)
def test_plain_values_are_read_however_long_their_form(value, expected):
    for unique in (True, False):
        found = decode(A + value, unique=unique)["a"]
        assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("value", "mentions"),
    [
        (b"\xd4\x05x", "extension (type 5)"),
        (b"\xc7\x00\x2a", "extension (type 42)"),
        # timestamps: seconds in 4 bytes, in 8, and in 12
        (b"\xd6\xff\x00\x00\x00\x01", "extension (type -1)"),
        (b"\xd7\xff" + b"\x00" * 8, "extension (type -1)"),
        (b"\xc7\x0c\xff" + b"\x00" * 12, "extension (type -1)"),
        (b"\x92\x01\xd6\xff\x00\x00\x00\x01", "extension (type -1)"),
        (b"\xa1\xff", "not UTF-8"),
        # U+D800, a lone surrogate, in the bytes that UTF-8 would have for it
        (b"\xa3\xed\xa0\x80", "not UTF-8"),
        (b"\xa2\xc0\x80", "not UTF-8"),
        (b"\x81\x01\x02", "no text"),
        (b"\x81\xc0\x02", "no text"),
        (b"\x81\xc4\x01b\x02", "no text"),
        (b"\x81\x90\x02", "no text"),
        (b"\x82\xa1b\x01\xc4\x01b\x02", "no text"),
        (b"\xc1", "not msgpack"),
        (b"\xa2z", "cut short"),
        (b"\x92\x01", "cut short"),
        (b"", "cut short"),
        (b"\xdd\xff\xff\xff\xff", "cut short"),
        (b"\xdb\xff\xff\xff\xff", "cut short"),
        (b"\x01\x02", "goes on"),
        (b"\x01\x00", "goes on"),
    ],
)
def test_what_is_no_plain_value_is_refused(value, mentions):
    for unique in (True, False):
        error = refused(A + value, key="mlarray.user", unique=unique)
        assert (error.code, error.at) == ("not_msgpack", ())
        assert mentions in str(error)
        assert "'mlarray.user'" in str(error)


@pytest.mark.parametrize("raw", [b"", b"\x90", b"\x01", b"\xa1a", b"\xc0", b"\xc4\x02ab", b"\xd6\xff\x00\x00\x00\x01"])
def test_what_is_no_map_is_refused(raw):
    assert refused(raw).code == "not_msgpack"


def test_a_key_may_stand_once_in_a_map():
    twice = b"\x82\xa1a\x01\xa1a\x02"
    assert decode(b"\x82\xa1a\x01\xa1b\x02") == {"a": 1, "b": 2}
    error = refused(twice)
    assert (error.code, "'a'" in str(error)) == ("duplicate", True)
    # Below, between other keys, and beside numbers whose form is longer than it need be.
    assert refused(b"\x83\xa1x\xca\x3f\x80\x00\x00\xa1y\x91" + twice + b"\xa1z\xd1\x00\x01").code == "duplicate"
    assert decode(twice, unique=False) == {"a": 2}


def nested(depth):
    """So many maps in one another, as bytes."""
    return A * (depth - 1) + b"\x80"


def test_512_maps_and_lists_may_stand_in_one_another():
    assert decode(nested(512))
    assert decode(A + b"\x91" * 510 + b"\x90")
    for raw in (nested(513), A + b"\x91" * 511 + b"\x90", nested(900), nested(1030), nested(100_000)):
        for unique in (True, False):
            error = refused(raw, unique=unique)
            assert (error.code, "deeper than 512" in str(error)) == ("not_msgpack", True)
    # Many beside one another are not deep.
    assert len(decode(A + b"\xdc\x04\x00" + b"\x80" * 1024)["a"]) == 1024


def test_what_is_written_is_what_is_read():
    document = {"a": [None, True, -1, 2**64 - 1, 0.1, "ä", b"\xd6\xff", {"b": {}}], "": [[], {}]}
    assert decode(encode(document)) == document
    # 82 two keys, a1 61 01, a1 62 cb and 0.1 as 3fb9…9a
    assert encode({"a": 1, "b": 0.1}) == b"\x82\xa1a\x01\xa1b\xcb\x3f\xb9\x99\x99\x99\x99\x99\x9a"


# Before version 1 -----------------------------------------------------------------------------------------------------


class Payload:
    """What runs a command when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


@pytest.mark.parametrize("padding", [0, 300, 70_000])
def test_a_pickle_is_refused_by_name_and_never_run(tmp_path, padding):
    trap = tmp_path / "trap"
    squeezed = gzip.compress(pickle.dumps([Payload(str(trap)), os.urandom(padding)]))
    # c4, c5 and c6: binary with a length of 1, 2 and 4 bytes.
    stored = msgpack.packb(squeezed)
    assert stored[0] == {0: 0xC4, 300: 0xC5, 70_000: 0xC6}[padding]
    for raw in (stored, squeezed):
        for call in (decode, lambda raw: parse(raw, (2, 3), np.dtype("u1"), path="old.mla")):
            with pytest.raises(FormatError, match="before format v1; convert it again") as caught:
                call(raw)
            assert caught.value.code == "unsupported"
    assert not trap.exists()
    pickle.loads(gzip.decompress(squeezed))  # the trap is one
    assert trap.exists()


def test_a_map_without_a_version_was_written_before_version_1():
    old = {
        "source": {}, "extra": {},
        "spatial": {"spacing": [2.5, 0.7, 0.5], "origin": None, "axis_labels": ["z", "y", "x"]},
        "stats": {"min": 0}, "is_seg": {"is_seg": True}, "blosc2": {"patch_size": [192, 192, 192]}, "_has_array": True,
        "_image_meta_format": "nifti", "_mlarray_version": "v0",
    }  # fmt: skip
    with pytest.raises(FormatError) as caught:
        parse(encode(old), (2, 3, 4), np.dtype("i2"), path="old.mla")
    assert caught.value.code == "unsupported"
    assert str(caught.value) == "old.mla: written by MLArray before format v1; convert it again from its original file"


# Python values made plain ---------------------------------------------------------------------------------------------


class Word(enum.Enum):
    KIND = "label"


class Number(enum.IntEnum):
    SEVEN = 7


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float32(0.5), 0.5),
        (np.float16(0.1), 0.0999755859375),
        (np.int64(-3), -3),
        (np.uint64(2**64 - 1), 2**64 - 1),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (np.bytes_(b"a"), b"a"),
        ((1, (2, [3])), [1, [2, [3]]]),
        (np.arange(6).reshape(2, 3), [[0, 1, 2], [3, 4, 5]]),
        (np.array(["a", "b"]), ["a", "b"]),
        (np.array([True]), [True]),
        (np.array(7), 7),
        (np.array([], "f4"), []),
        (np.zeros((0, 3)), []),
        (Word.KIND, "label"),
        (Number.SEVEN, 7),
        ({Word.KIND: 1}, {"label": 1}),
        ({np.str_("k"): 1}, {"k": 1}),
        (OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
        (MappingProxyType({"a": (1,)}), {"a": [1]}),
        (bytearray(b"a"), b"a"),
        (memoryview(b"abc")[::2], b"ac"),
        (float("inf"), float("inf")),
        (-(2**63), -(2**63)),
    ],
)
def test_values_become_plain(value, expected):
    found = normalise(value)
    assert (found, type(found)) == (expected, type(expected))
    assert decode(encode({"a": found}))["a"] == expected


@pytest.mark.parametrize(
    ("value", "kind", "code", "at"),
    [
        ({"a": {1, 2}}, ArgumentTypeError, "wrong_type", ("user", "a")),
        ({"a": {"b": [1, 2, {3}]}}, ArgumentTypeError, "wrong_type", ("user", "a", "b", 2)),
        ([object()], ArgumentTypeError, "wrong_type", ("user", 0)),
        (np.datetime64("2026-01-01"), ArgumentTypeError, "wrong_type", ("user",)),
        (1 + 2j, ArgumentTypeError, "wrong_type", ("user",)),
        (np.complex64(1), ArgumentTypeError, "wrong_type", ("user",)),
        (np.longdouble(1), ArgumentTypeError, "wrong_type", ("user",)),
        (np.array([1j]), ArgumentTypeError, "wrong_type", ("user",)),
        (np.array([{}]), ArgumentTypeError, "wrong_type", ("user",)),
        (np.zeros(2, [("a", "i4")]), ArgumentTypeError, "wrong_type", ("user",)),
        ({1: "a"}, ArgumentTypeError, "wrong_type", ("user",)),
        ({b"a": 1}, ArgumentTypeError, "wrong_type", ("user",)),
        ({Word.KIND: 1, "label": 2}, ArgumentError, "duplicate", ("user",)),
        ({"n": 2**64}, ArgumentError, "not_representable", ("user", "n")),
        ([0, -(2**63) - 1], ArgumentError, "not_representable", ("user", 1)),
        ("\ud800", ArgumentError, "not_representable", ("user",)),
        ({"\ud800": 1}, ArgumentError, "not_representable", ("user",)),
        ({"g": np.zeros(1_000_001, "u1")}, ArgumentError, "out_of_range", ("user", "g")),
    ],
)
def test_what_cannot_be_stored_is_refused_with_the_path_to_it(value, kind, code, at):
    with pytest.raises(kind) as caught:
        normalise(value, ("user",))
    assert (caught.value.code, caught.value.at) == (code, at)
    assert isinstance(caught.value, MLArrayError)


def test_an_array_of_a_million_elements_is_written_out():
    assert len(normalise(np.zeros(1_000_000, "u1"))) == 1_000_000


def test_the_key_that_metadata_stands_under_counts_as_a_level():
    def lists(depth):
        found = []
        for _ in range(depth - 1):
            found = [found]
        return found

    # {"user": [[…]]}: a map and 511 lists.
    fine = normalise(lists(511), ("user",))
    assert decode(encode({"user": fine}))
    with pytest.raises(ArgumentError, match="deeper than 512") as caught:
        normalise(lists(512), ("user",))
    assert caught.value.code == "out_of_range"
    # A numpy array of 2 axes is 2 lists.
    assert normalise(np.eye(2), ("a",) * 510) == [[1, 0], [0, 1]]
    with pytest.raises(ArgumentError, match="deeper than 512"):
        normalise(np.eye(2), ("a",) * 511)
    around = []
    around.append(around)
    for endless in (around, lists(5000)):
        with pytest.raises(ArgumentError, match="deeper than 512"):
            normalise(endless)


def test_what_becomes_plain_shares_nothing_with_what_was_given():
    given = {"a": [1, {"b": [2]}]}
    found = normalise(given)
    given["a"][1]["b"].append(3)
    assert found == {"a": [1, {"b": [2]}]}
