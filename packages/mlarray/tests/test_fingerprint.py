"""Hashes of content and geometry: the published ones, and an independent spelling of the rule."""

import copy
import hashlib
import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlarray.geometry.fingerprint import data_hash, fingerprint, geometry_hash, little_endian, rows_per_slab

COUNT = np.arange(24, dtype="<i2").reshape(2, 3, 4)
DATA = "sha256:97d4c350"
SEED = {
    "name": "patient",
    "reference": {"scheme": "dicom_frame_of_reference", "id": "1.2.826.0.1.3680043.8.498.1"},
    "axes": [
        {"name": "x", "unit": "millimeter", "unit_code": "mm", "increases_toward": "left"},
        {"name": "y", "unit": "millimeter", "unit_code": "mm", "increases_toward": "posterior"},
        {"name": "z", "unit": "millimeter", "unit_code": "mm", "increases_toward": "superior"},
    ],
    "from_array": {
        "array_axes": ["z", "y", "x"],
        "matrix": [[0.0, 0.0, 0.7, -170.1], [0.0, 0.7, 0.0, -201.3], [-2.5, 0.0, 0.0, -87.0], [0.0, 0.0, 0.0, 1.0]],
    },
}
ZYX = ["z", "y", "x"]


def hash_of(array):
    return data_hash([array], array.shape, array.dtype)


def ends(found, begin, end):
    return found.startswith(f"sha256:{begin}") and found.endswith(end) and len(found) == 7 + 64


# Data ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "array", [COUNT, COUNT.astype(">i2"), np.asfortranarray(COUNT), np.repeat(COUNT, 2, axis=2)[..., ::2]],
    ids=["plain", "big-endian", "fortran", "strided"],
)  # fmt: skip
def test_the_published_hash_does_not_depend_on_byte_order_and_layout(array):
    assert ends(hash_of(array), "97d4c350", "ae9e")


def test_the_published_hash_of_another_shape():
    assert ends(hash_of(COUNT.reshape(4, 6)), "1cdcc2d6", "f6b4")


@pytest.mark.parametrize("rows", [1, 2, 3, 5])
def test_slabs_hash_as_the_whole(rows):
    array = np.arange(5 * 3 * 2, dtype="f4").reshape(5, 3, 2)
    slabs = (array[first : first + rows] for first in range(0, 5, rows))
    assert data_hash(slabs, array.shape, array.dtype) == hash_of(array)


DTYPES = ["?", "i1", "u1", "<i2", ">i2", "<u4", ">u8", "<f2", ">f4", "<f8", "<c8", ">c16"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 3), (0, 3), (2, 0), (1, 2, 1, 3)])
def test_the_rule_in_other_words(dtype, shape):
    array = (np.arange(math.prod(shape)) % 2).reshape(shape).astype(dtype)
    kind, size = array.dtype.kind, array.dtype.itemsize
    name = f"|{kind}1" if size == 1 else f"<{kind}{size}"
    digest = hashlib.sha256(b"mla-data-1\n")
    digest.update(name.encode() + b"\n")
    digest.update(",".join(str(n) for n in shape).encode() + b"\n")
    codes = {"b": "?", "i": " bh i   q", "u": " BH I   Q", "f": "  e f   d"}
    for value in array.reshape(-1).tolist():
        if kind == "c":
            digest.update(struct.pack("<2" + "fd"[size // 16], value.real, value.imag))
        else:
            digest.update(struct.pack("<" + codes[kind][size % len(codes[kind])], value))
    assert little_endian(array.dtype) == name
    assert hash_of(array) == f"sha256:{digest.hexdigest()}"


@pytest.mark.parametrize(
    "other",
    [
        COUNT.astype("u2"),
        COUNT.astype("i4"),
        COUNT[:, :, ::-1],
        COUNT.reshape(1, 2, 3, 4),
        COUNT + 1,
        COUNT.ravel(),
    ],
)
def test_other_content_hashes_otherwise(other):
    assert hash_of(other) != hash_of(COUNT)


def test_bits_count_not_values():
    assert hash_of(np.array([0.0])) != hash_of(np.array([-0.0]))
    assert hash_of(np.array([math.nan])) == hash_of(np.array([math.nan]))


def test_slabs_are_a_few_megabytes_whatever_the_shape():
    # 512 * 512 * 2 B are 0.5 MiB a row: 32 of them are 16 MiB; a row that is larger is read alone.
    assert rows_per_slab((300, 512, 512), 2) == 32
    assert rows_per_slab((300, 8192, 8192), 4) == 1
    assert rows_per_slab((300, 0, 8), 2) == 16 << 20


# Geometry ------------------------------------------------------------------------------------------------------------


def test_the_published_hash_of_the_seed_example():
    assert ends(geometry_hash(SEED, ZYX), "fc1e1cf4", "4243")


def test_negative_zero_names_and_keys_of_ones_own_do_not_count():
    other = copy.deepcopy(SEED)
    other["from_array"]["matrix"][0][0] = -0.0
    other["from_array"]["array_axes"] = ["c", "b", "a"]
    other["name"], other["org_example"] = "scanner", 1
    for axis, name in zip(other["axes"], "uvw", strict=True):
        axis["name"] = name
    assert geometry_hash(other, ["c", "b", "a"]) == geometry_hash(SEED, ZYX)


def test_columns_listed_in_another_order_are_the_same_geometry():
    other = copy.deepcopy(SEED)
    rows = SEED["from_array"]["matrix"]
    other["from_array"] = {"array_axes": ["x", "z", "y"], "matrix": [[r[2], r[0], r[1], r[3]] for r in rows]}
    assert geometry_hash(other, ZYX) == geometry_hash(SEED, ZYX)


def changed(path, value):
    document = copy.deepcopy(SEED)
    target = document
    for key in path[:-1]:
        target = target[key]
    if value is None:
        del target[path[-1]]
    else:
        target[path[-1]] = value
    return document


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("reference", "id"), "1.2"),
        (("reference", "scheme"), "other"),
        (("reference",), None),
        (("axes", 0, "unit_code"), "cm"),
        (("axes", 1, "increases_toward"), "anterior"),
        (("axes", 2, "increases_toward"), None),
        (("from_array", "matrix", 0, 3), -170.0),
        (("from_array", "matrix", 2, 0), math.nextafter(-2.5, 0)),
    ],
)
def test_anything_else_is_another_geometry(path, value):
    assert geometry_hash(changed(path, value), ZYX) != geometry_hash(SEED, ZYX)


def test_positions_in_the_array_count():
    assert len({geometry_hash(SEED, names) for names in (ZYX, ["t", *ZYX], ["z", "t", "y", "x"], [*ZYX, "c"])}) == 3


@settings(max_examples=50, deadline=None)
@given(
    st.permutations(ZYX),
    st.lists(st.floats(-1e6, 1e6).filter(bool), min_size=3, max_size=3),
    st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3),
    st.sampled_from([{}, {"scheme": "s", "id": "7"}]),
)
def test_the_rule_for_geometry_in_other_words(order, scale, shift, reference):
    axes = [
        {"name": name, "unit": "furlong", "increases_toward": "up"} if name == "z" else {"name": name} for name in order
    ]
    space = {
        "name": "w", "axes": axes,
        "from_array": {"array_axes": ["y", "z", "x"], "scale": scale, "translation": shift},
        **({"reference": reference} if reference else {}),
    }  # fmt: skip
    text = "mla-geometry-1\n" + ("s\x1f7\n" if reference else "\x1f\n")
    text += "".join("furlong\x1fup\n" if name == "z" else "\x1f\n" for name in order) + "1,2,3\n"
    sizes, moves = dict(zip(["y", "z", "x"], scale, strict=True)), dict(zip(["y", "z", "x"], shift, strict=True))
    raw = b""
    for row in order:
        raw += struct.pack(">4d", *(sizes[row] if row == column else 0.0 for column in ZYX), moves[row] + 0.0)
    expected = hashlib.sha256(text.encode() + raw).hexdigest()
    assert geometry_hash(space, ["t", *ZYX]) == f"sha256:{expected}"


def test_a_fingerprint_has_shape_dtype_and_both_hashes():
    found = fingerprint([COUNT.astype(">i2")], (2, 3, 4), np.dtype(">i2"), SEED, ZYX)
    assert found == {"shape": [2, 3, 4], "dtype": "<i2", "geometry": geometry_hash(SEED, ZYX), "data": hash_of(COUNT)}
    assert {type(size) for size in found["shape"]} == {int}
