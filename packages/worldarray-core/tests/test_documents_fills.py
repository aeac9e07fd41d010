"""Fill values, structured data types and raw bits are read as tensorstore reads them, or more exactly."""

import numpy as np
import pytest
import tensorstore as ts
from stored import AT, Store, assert_reported, assert_same_fill, follow, zarr2, zarr3

from worldarray.documents.facts import opening
from worldarray.documents.zarr2 import parse_zarr2
from worldarray.documents.zarr3 import parse_zarr3


def test_a_fill_value_that_tensorstore_misreads_is_given_to_it_by_its_bits():
    facts = parse_zarr3(zarr3(data_type="float8_e8m0fnu", fill_value=1.0), AT)
    assert (float(facts.fill_value), facts.metadata["fill_value"]) == (1.0, "0x7f")  # an exponent biased by 127
    assert_reported(facts, follow(opening(facts, {"driver": "memory"}), ts.Context()))


def test_zarr2_structured_reads_one_field():
    dtype = [
        ["id", "<u2"],
        ["score", ">f4"],
        ["when", "<M8[ns]"],
        ["phase", "<c8"],
        ["name", "<U3"],
        ["pair", "|u1", [2]],
    ]
    known = [["id", "<u2"], ["score", ">f4"], ["when", "|V8"], ["phase", "<c8"], ["name", "|V12"], ["pair", "|V2"]]
    element = np.dtype(
        [("id", "<u2"), ("score", ">f4"), ("when", "V8"), ("phase", "<c8"), ("name", "V12"), ("pair", "V2")]
    )
    values = np.zeros((7, 5), element)
    values["id"] = np.arange(35).reshape(7, 5)
    values["score"] = values["id"] / 4
    values["phase"] = values["id"] * 1j
    store = Store("zarr", zarr2(dtype=known, fill_value=None, chunks=[7, 5]), field="id")
    store.write("0.0", values.tobytes())
    for name in ("id", "score", "phase"):
        facts = parse_zarr2({**store.document, "dtype": dtype}, AT, field=name)
        assert facts.fields == ("id", "score", "when", "phase", "name", "pair")
        assert facts.fill_value is None
        read = follow(opening(facts, store.kvstore), store.context).read().result()
        assert read.dtype == facts.dtype == values[name].dtype.newbyteorder("=")
        np.testing.assert_array_equal(read, values[name])


def test_zarr2_structured_fill_value_is_that_of_the_field():
    # <u2 7 is 07 00, >f4 1.5 is 3F C0 00 00
    document = zarr2(dtype=[["id", "<u2"], ["score", ">f4"]], fill_value="BwA/wAAA")
    for name, value in (("id", np.uint16(7)), ("score", np.float32(1.5))):
        facts = parse_zarr2(document, AT, field=name)
        assert_same_fill(facts.fill_value, np.array(value))
        assert_reported(facts, follow(opening(facts, {"driver": "memory"}), ts.Context()))


def test_zarr2_structured_of_one_field_needs_no_choice():
    facts = parse_zarr2(zarr2(dtype=[["id", "<u2"]], fill_value=None), AT)
    assert_reported(facts, follow(opening(facts, {"driver": "memory"}), ts.Context()))


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("structured", [["id", "uint16"], ["bits", "r24"], ["score", "float32"]]),
        ("struct", [{"name": n, "data_type": t} for n, t in (("id", "uint16"), ("bits", "r24"), ("score", "float32"))]),
    ],
)
@pytest.mark.parametrize(
    ("fill", "values"),
    [
        ("BwAAAAAAAMA/", (7, 1.5)),  # 07 00, 00 00 00, 00 00 C0 3F
        (None, (0, 0.0)),
    ],
)
def test_zarr3_structured_reads_one_field(name, fields, fill, values):
    kind = {"name": name, "configuration": {"fields": fields}}
    document = zarr3(data_type=kind, fill_value=fill)
    for field, value in zip(("id", "score"), values, strict=True):
        facts = parse_zarr3(document, AT, field=field)
        assert facts.fields == ("id", "bits", "score")
        assert facts.fill_value == value
        assert_reported(facts, follow(opening(facts, {"driver": "memory"}), ts.Context()))


def test_zarr3_structured_fill_value_by_name():
    kind = {"name": "struct", "configuration": {"fields": [["id", "uint16"], ["score", "float32"]]}}
    facts = parse_zarr3(zarr3(data_type=kind, fill_value={"id": 7, "score": 1.5}), AT, field="score")
    assert_same_fill(facts.fill_value, np.array(np.float32(1.5)))
    assert_reported(facts, follow(opening(facts, {"driver": "memory"}), ts.Context()))


@pytest.mark.parametrize(
    ("spelled", "name"), [("|V1", "uint8"), ("|V2", "uint16"), ("<V4", "uint32"), ("|V8", "uint64")]
)
def test_zarr2_raw_bits_are_read_as_unsigned_integers_with_a_notice(spelled, name):
    facts = parse_zarr2(zarr2(dtype=spelled, fill_value=None), AT)
    assert facts.dtype == np.dtype(name)
    assert [n.code for n in facts.notices] == ["unsupported"]
    assert_reported(facts, follow(opening(facts, {"driver": "memory"}), ts.Context()))


@pytest.mark.parametrize(
    ("kind", "fill", "value"),
    [
        ("r8", "Bw==", np.uint8(7)),
        ("r16", [7, 1], np.uint16(263)),  # 7 + 1 * 256
        ({"name": "raw_bytes", "configuration": {"length_bytes": 4}}, "BwEAAA==", np.uint32(263)),
        ("r64", None, np.uint64(0)),
    ],
)
def test_zarr3_raw_bits_are_read_as_unsigned_integers_with_a_notice(kind, fill, value):
    facts = parse_zarr3(zarr3(data_type=kind, fill_value=fill), AT)
    assert_same_fill(facts.fill_value, np.array(value))
    assert "unsupported" in [n.code for n in facts.notices]
    assert_reported(facts, follow(opening(facts, {"driver": "memory"}), ts.Context()))


FILLS = [
    ("<u2", "uint16", 0.0, np.uint16(0), 0),
    ("<u2", "uint16", "0", np.uint16(0), 1),
    ("<i2", "int16", "-7", np.int16(-7), 1),
    ("<i8", "int64", -(2**63), np.int64(-(2**63)), 0),
    ("<u8", "uint64", 2**64 - 1, np.uint64(2**64 - 1), 0),
    ("<f4", "float32", "NaN", np.float32("nan"), 0),
    ("<f4", "float32", "-Infinity", np.float32("-inf"), 0),
    ("<f8", "float64", "Infinity", np.float64("inf"), 0),
    ("<f4", "float32", "1.5", np.float32(1.5), 1),
    ("<f4", "float32", 1e40, np.float32("inf"), 0),
    ("<f4", "float32", 2**70, np.float32(2**70), 0),
    ("<f2", "float16", 0.1, np.float16(0.1), 0),
    ("|b1", "bool", True, np.bool_(True), 0),
    ("|b1", "bool", 1, np.bool_(True), 1),
    ("<c8", "complex64", [1.5, "NaN"], np.complex64(complex(1.5, float("nan"))), 0),
    (">c16", "complex128", [1.5, -2.25], np.complex128(1.5 - 2.25j), 0),
    ("<c8", "complex64", 1.5, np.complex64(1.5), 1),
]


@pytest.mark.parametrize(("v2", "v3", "stored", "value", "notices"), FILLS)
def test_fill_values_are_exact_and_odd_spellings_are_noticed(v2, v3, stored, value, notices):
    for facts in (
        parse_zarr2(zarr2(dtype=v2, fill_value=stored), AT),
        parse_zarr3(zarr3(data_type=v3, fill_value=stored), AT),
    ):
        assert_same_fill(facts.fill_value, np.array(value))
        assert len(facts.notices) == notices
        assert all(found.at == (*AT, "fill_value") for found in facts.notices)
        assert_reported(facts, follow(opening(facts, {"driver": "memory"}), ts.Context()))


@pytest.mark.parametrize(
    ("name", "stored", "bits"),
    [
        ("float32", "0x7fc00001", 0x7FC00001),
        ("float16", "0x7e00", 0x7E00),
        ("float64", "0xfff8000000000000", 0xFFF8000000000000),
        ("bfloat16", "0x3fc0", 0x3FC0),
        ("float8_e4m3fn", "0x38", 0x38),
        ("float4_e2m1fn", "0x3", 0x3),
    ],
)
def test_zarr3_fill_values_by_their_bits(name, stored, bits):
    facts = parse_zarr3(zarr3(data_type=name, fill_value=stored), AT)
    assert int.from_bytes(facts.fill_value.tobytes(), "little") == bits
    assert_reported(facts, follow(opening(facts, {"driver": "memory"}), ts.Context()))


@pytest.mark.parametrize(
    ("spelled", "stored", "value"),
    [
        # complex64 1 + 2j: 00 00 80 3F 00 00 00 40, and each part the other way round
        ("<c8", "AACAPwAAAEA=", np.complex64(1 + 2j)),
        (">c8", "P4AAAEAAAAA=", np.complex64(1 + 2j)),
        ("|V2", "BwE=", np.uint16(263)),
    ],
)
def test_zarr2_fill_values_in_base64(spelled, stored, value):
    facts = parse_zarr2(zarr2(dtype=spelled, fill_value=stored), AT)
    assert_same_fill(facts.fill_value, np.array(value))
    assert_reported(facts, follow(opening(facts, {"driver": "memory"}), ts.Context()))


def test_a_fill_value_of_null_is_none_in_zarr2_and_zero_with_a_notice_in_zarr3():
    assert parse_zarr2(zarr2(fill_value=None), AT).fill_value is None
    facts = parse_zarr3(zarr3(fill_value=None), AT)
    assert_same_fill(facts.fill_value, np.array(np.uint16(0)))
    assert [n.code for n in facts.notices] == ["missing_key"]
    assert_reported(facts, follow(opening(facts, {"driver": "memory"}), ts.Context()))
