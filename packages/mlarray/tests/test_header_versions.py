"""Versions of the format: 1.x is read, the others are refused by name; writing never lowers one."""

import numpy as np
import pytest

from mlarray.errors import FormatError
from mlarray.header.canonical import canonical
from mlarray.header.check import check
from mlarray.header.parse import parse
from mlarray.header.versions import FORMAT_VERSION, check_version, merged, newer
from mlarray.header.wire import encode


@pytest.mark.parametrize("version", ["1.0", "1.7", "1.10", "1.999999999999", "1." + "9" * 5000])
def test_every_1_x_is_read(version):
    assert check_version({"version": version}) is None
    assert check({"version": version, "axes": []}, (), np.dtype("u1")).problems == ()


@pytest.mark.parametrize(
    ("version", "code", "words"),
    [
        ("2.0", "unsupported", "the file uses metadata format 2.0; this mlarray reads 1.x. Upgrade mlarray"),
        ("10.1", "unsupported", "Upgrade mlarray"),
        ("9" * 5000 + ".0", "unsupported", "Upgrade mlarray"),
        ("0.9", "unsupported", "too old: convert it again"),
        ("1", "wrong_value", "malformed"),
        ("1.00", "wrong_value", "malformed"),
        ("1.01", "wrong_value", "malformed"),
        ("01.0", "wrong_value", "malformed"),
        ("1.0.0", "wrong_value", "malformed"),
        ("1.-1", "wrong_value", "malformed"),
        ("v1.0", "wrong_value", "malformed"),
        (" 1.0", "wrong_value", "malformed"),
        ("1.0\n", "wrong_value", "malformed"),
        ("1.\u0663", "wrong_value", "malformed"),
        ("", "wrong_value", "malformed"),
        (1.0, "wrong_type", "1.0"),
        (1, "wrong_type", "it is text"),
        (None, "wrong_type", "it is text"),
        (b"1.0", "wrong_type", "it is text"),
        ([], "wrong_type", "it is text"),
    ],
)
def test_every_other_version_is_refused_strictly_or_not(version, code, words):
    found = check_version({"version": version})
    assert (found.code, found.at) == (code, ("version",))
    assert words in found.message
    assert check({"version": version, "axes": 7}, (), np.dtype("u1")).problems == (found,)
    for strict in (True, False):
        with pytest.raises(FormatError) as caught:
            parse(encode({"version": version, "axes": 7}), (), np.dtype("u1"), strict=strict, path="x.mla")
        assert caught.value.problems == (found,)
        assert str(caught.value).startswith("x.mla: ")


@pytest.mark.parametrize(
    ("read", "written"), [("1.0", "1.0"), ("1.7", "1.7"), ("1.10", "1.10"), (None, "1.0"), ("1." + "9" * 5000,) * 2]
)
def test_writing_back_never_lowers_the_minor_version(read, written):
    assert merged(read) == written
    assert canonical({"version": read, "axes": []}, writer="w 1")["version"] == written


def test_minor_versions_compare_as_numbers():
    assert FORMAT_VERSION == "1.0"
    assert [newer(version) for version in ("1.0", "1.1", "1.10", None)] == [False, True, True, False]
