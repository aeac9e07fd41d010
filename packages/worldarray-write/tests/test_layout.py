"""Behaviour 11: everything about a new array is checked before the first write; its documents open elsewhere."""

import json
from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest
import tensorstore as ts

import worldarray as wa
from worldarray.documents.dtypes import SCALARS
from worldarray.errors import ArgumentError, ArgumentTypeError, UnitError, WorldArrayError
from worldarray_write.documents import array_documents, like, stored_codecs, storing_of
from worldarray_write.fills import fill_value
from worldarray_write.layout import FORMATS, Storing, Wanted, data_type, validate

DRIVERS = {"zarr2": "zarr", "zarr3": "zarr3"}
GOOD = Wanted((60, 41, 200), "uint16", (30, 10.48, 8), (15, 5.24, 0), "zarr3", chunks=(10, 16, 32))


def written(folder, wanted):
    planned = validate(wanted)
    for key, data in array_documents(planned.layout).items():
        (folder / key).write_bytes(data)
    return planned


def stored(folder, format):
    return ts.open({"driver": DRIVERS[format], "kvstore": f"file://{folder}/"}, open=True).result()


# Documents -----------------------------------------------------------------------------------------------------------

VARIANTS = [
    {"format": "zarr2"},
    {"format": "zarr2", "storing": Storing(separator=".", order="F"), "fill_value": None},
    {"format": "zarr2", "codecs": "none", "attrs": {"by": "me", "µ": [1, 2.5, None]}},
    {"format": "zarr3"},
    {"format": "zarr3", "attrs": {"by": {"nested": [True]}}, "fill_value": 7},
    {"format": "zarr3", "storing": Storing(separator=".")},
    {"format": "zarr3", "storing": Storing(encoding="v2")},
    {"format": "zarr3", "storing": Storing(encoding="v2", separator="/")},
    {"format": "zarr3", "shards": (20, 32, 64)},
    {"format": "zarr3", "shards": (20, 32, 64), "storing": Storing(index_location="start"), "codecs": "none"},
    {"format": "zarr3", "shape": (0, 41, 200)},
    {"format": "zarr2", "shape": (60, 0, 1)},
    {"format": "zarr3", "chunks": (100, 100, 300)},
]


@pytest.mark.parametrize("change", VARIANTS, ids=str)
def test_documents_open_in_core_tensorstore_and_zarr_alike(tmp_path, change):
    wanted = replace(GOOD, **change)
    layout = written(tmp_path, wanted).layout
    meta, store = wa.metadata(tmp_path), stored(tmp_path, wanted.format)
    assert (meta.shape, meta.dtype, meta.chunk_shape) == (layout.shape, layout.dtype, layout.chunks)
    assert (meta.shard_shape, meta.fill_value) == (layout.shards, layout.fill.value)
    assert (meta.storage.separator, meta.storage.encoding) == (layout.separator, layout.encoding)
    assert (meta.attrs, meta.notices) == (layout.attrs, ())
    assert (store.shape, store.dtype.numpy_dtype) == (layout.shape, layout.dtype)
    assert store.chunk_layout.read_chunk.shape == layout.chunks
    assert store.chunk_layout.write_chunk.shape == layout.shards or layout.chunks
    zarr = pytest.importorskip("zarr")
    array = zarr.open_array(str(tmp_path), mode="r")
    assert (array.shape, array.dtype, array.chunks, array.shards) == (
        layout.shape,
        layout.dtype,
        layout.chunks,
        layout.shards,
    )
    assert dict(array.attrs) == layout.attrs
    if wanted.format == "zarr3":
        assert array.metadata.dimension_names == ("z", "y", "x") == meta.axes


@pytest.mark.parametrize("change", VARIANTS, ids=str)
def test_what_tensorstore_writes_through_them_zarr_reads(tmp_path, change):
    wanted = replace(GOOD, **change)
    written(tmp_path, wanted)
    data = np.random.default_rng(3).integers(0, 60_000, wanted.shape, "uint16")
    stored(tmp_path, wanted.format).write(data).result()
    assert np.array_equal(wa.open(tmp_path, units=None).read_index((0, 0, 0), wanted.shape), data)
    zarr = pytest.importorskip("zarr")
    assert np.array_equal(zarr.open_array(str(tmp_path), mode="r")[:], data)


@pytest.mark.parametrize("change", VARIANTS, ids=str)
def test_documents_are_the_same_bytes_each_time_and_end_with_the_one_that_makes_an_array(change):
    wanted = replace(GOOD, **change)
    first, second = (array_documents(validate(wanted).layout) for _ in range(2))
    assert first == second
    assert list(first)[-1] == {"zarr2": ".zarray", "zarr3": "zarr.json"}[wanted.format]
    assert (".zattrs" in first) == (wanted.format == "zarr2" and bool(wanted.attrs))
    assert all(data.endswith(b"}\n") and json.loads(data) is not None for data in first.values())


@pytest.mark.parametrize("change", VARIANTS, ids=str)
def test_a_level_made_like_another_has_the_same_documents(tmp_path, change):
    wanted = replace(GOOD, **change)
    first = written(tmp_path, wanted)
    facts = wa.open(tmp_path, units=None).opened.facts
    again = validate(replace(GOOD, shape=wanted.shape, attrs=wanted.attrs, **like(facts)))
    assert array_documents(again.layout) == array_documents(first.layout)
    assert storing_of(facts).index_location == first.layout.index_location or first.layout.shards is None


def test_separators_are_those_that_ome_and_the_format_name():
    assert validate(replace(GOOD, format="zarr2")).layout.separator == "/"
    assert validate(GOOD).layout.separator == "/"
    assert validate(replace(GOOD, storing=Storing(encoding="v2"))).layout.separator == "."


def test_the_sharding_codec_stands_around_the_codecs_of_the_inner_chunks():
    layout = validate(replace(GOOD, shards=(20, 32, 64))).layout
    (codec,) = stored_codecs(layout)
    assert codec["configuration"]["chunk_shape"] == [10, 16, 32]
    assert codec["configuration"]["codecs"] == layout.codecs


def test_the_grid_is_that_of_the_placement():
    grid = validate(replace(GOOD, units={"space": "µm"}, axes="zyx")).grid
    assert grid == wa.Grid((60, 41, 200), (30, 10.48, 8), (15, 5.24, 0), units="um", chunks=(10, 16, 32))


# Data types and fill values ------------------------------------------------------------------------------------------

UNSPELLED = {("zarr2", "float8_e8m0fnu"), ("zarr2", "float4_e2m1fn")}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", SCALARS)
def test_every_dtype_of_tensorstore_is_written(tmp_path, format, name):
    value = None if (format, name) in UNSPELLED else 1
    planned = written(tmp_path, replace(GOOD, dtype=name, format=format, fill_value=value))
    meta, store = wa.metadata(tmp_path), stored(tmp_path, format)
    assert meta.dtype == store.dtype.numpy_dtype == planned.layout.dtype == SCALARS[name].dtype
    assert meta.fill_value == planned.layout.fill.value
    assert value is None or store.fill_value == planned.layout.fill.value == 1
    assert meta.notices == ()
    data = np.ones((2, 3, 4), planned.layout.dtype)
    store[1:3, 2:5, 0:4].write(data).result()
    # padding: float8_e8m0fnu holds no 0
    assert np.array_equal(wa.open(tmp_path, units=None, padding="edge").read_index((1, 2, 0), (3, 5, 4)), data)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (np.uint8, "uint8"),
        (np.dtype(">u2"), "uint16"),
        (">f4", "float32"),
        (float, "float64"),
        (bool, "bool"),
        ("bfloat16", "bfloat16"),
        (ml_dtypes.int4, "int4"),
        (ml_dtypes.float8_e5m2, "float8_e5m2"),
    ],
)
def test_dtypes_may_be_given_in_any_way(given, name):
    assert data_type(given) == SCALARS[name]


@pytest.mark.parametrize(
    ("given", "code"),
    [("U5", "unsupported"), ("S3", "unsupported"), ("M8[s]", "unsupported"), ([("a", "u1")], "unsupported"),
     ("V4", "unsupported"), (object, "unsupported"), (None, "wrong_type"), ("nope", "wrong_type"), (3.5, "wrong_type")],
)  # fmt: skip
def test_other_dtypes_are_refused(given, code):
    with pytest.raises(WorldArrayError) as caught:
        data_type(given)
    assert (caught.value.code, caught.value.at) == (code, ("dtype",))


FILLS = [
    ("uint8", 255, 255), ("uint8", True, 1), ("uint8", 3.0, 3), ("uint8", np.uint8(9), 9), ("uint8", np.array(9), 9),
    ("int64", -(2**63), -(2**63)), ("uint64", 2**64 - 1, 2**64 - 1), ("int4", -8, -8), ("int2", 1, 1),
    ("bool", True, True), ("bool", 1, True), ("bool", np.False_, False),
    ("float32", float("nan"), "NaN"), ("float32", "NaN", "NaN"), ("float64", "Infinity", "Infinity"),
    ("float16", -np.inf, "-Infinity"), ("float32", 0.1, 0.10000000149011612), ("float32", 2**24, 16777216.0),
    ("bfloat16", "NaN", "NaN"), ("float8_e5m2", float("inf"), "Infinity"), ("float64", -0.0, -0.0),
    ("float4_e2m1fn", 6, 6.0), ("float8_e8m0fnu", 1, "0x7f"), ("bfloat16", ml_dtypes.bfloat16(1.5), 1.5),
    ("complex64", [1, "NaN"], [1.0, "NaN"]), ("complex64", "NaN", ["NaN", 0.0]),
    ("complex64", 1 - 2j, [1.0, -2.0]), ("complex128", 3, [3.0, 0.0]),
    ("complex64", np.complex64(0.1j), [0.0, 0.10000000149011612]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given", "expected"), FILLS, ids=[f"{n}-{g}" for n, g, _ in FILLS])
@pytest.mark.parametrize("format", FORMATS)
def test_fill_values_are_spelled_as_readers_take_them(tmp_path, format, name, given, expected):
    if (format, name) in UNSPELLED:
        with pytest.raises(ArgumentError, match="fill_value=None"):
            fill_value(given, SCALARS[name], format)
        return
    planned = written(tmp_path, replace(GOOD, dtype=name, format=format, fill_value=given))
    assert repr(planned.layout.fill.stored) == repr(expected)
    for found in (wa.metadata(tmp_path).fill_value, stored(tmp_path, format).fill_value):
        assert np.array_equal(found, planned.layout.fill.value, equal_nan=name not in ("int2", "int4"))


BAD_FILLS = [
    ("uint8", 300), ("uint8", -1), ("uint8", 1.7), ("uint8", "0"), ("uint8", "NaN"), ("uint8", float("nan")),
    ("int4", 8), ("uint64", 2**64), ("bool", 2), ("bool", "true"), ("float32", "0"), ("float32", "nan"),
    ("float32", 2**24 + 1), ("float32", 1e39), ("float64", 10**400), ("float16", 70000), ("float32", 1j),
    ("float4_e2m1fn", "NaN"), ("float4_e2m1fn", 7), ("float8_e8m0fnu", 0), ("float8_e4m3fn", float("inf")),
    ("complex64", [1, 2, 3]), ("complex64", ["a", 1]), ("complex64", [1, 1e39]), ("uint8", [0]), ("float32", {}),
    ("float32", np.zeros(2)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given"), BAD_FILLS, ids=[f"{n}-{g}" for n, g in BAD_FILLS])
def test_fill_values_that_a_dtype_does_not_hold_are_refused(name, given):
    with pytest.raises(ArgumentError) as caught:
        fill_value(given, SCALARS[name], "zarr3")
    assert (caught.value.code, caught.value.at) == ("not_representable", ("fill_value",))
    assert name in str(caught.value) or name == "complex64"


def test_only_zarr_v2_goes_without_a_fill_value():
    assert fill_value(None, SCALARS["uint8"], "zarr2") == (None, None)
    with pytest.raises(ArgumentError) as caught:
        fill_value(None, SCALARS["uint8"], "zarr3")
    assert caught.value.code == "missing_field"


# Refusals ------------------------------------------------------------------------------------------------------------

BAD = [
    ({"format": "n5"}, "wrong_value", ("format",)),
    ({"format": None}, "wrong_value", ("format",)),
    ({"shape": ()}, "out_of_range", ("shape",)),
    ({"shape": (4,) * 33}, "out_of_range", ("shape",)),
    ({"shape": (4, 4.0, 4)}, "wrong_type", ("shape",)),
    ({"shape": (4, -1, 4)}, "out_of_range", ("shape", 1)),
    ({"shape": (4, 2**62, 4)}, "out_of_range", ("shape", 1)),
    ({"chunks": None}, "missing_field", ("chunks",)),
    ({"chunks": (10, 16)}, "wrong_length", ("chunks",)),
    ({"chunks": (10, 0, 16)}, "not_positive", ("chunks", 1)),
    ({"chunks": (10, 16, 1.5)}, "wrong_type", ("chunks",)),
    ({"chunks": 10}, "wrong_type", ("chunks",)),
    ({"chunks": (2**30, 2**30, 2**30)}, "out_of_range", ("chunks",)),
    ({"shards": (20, 16, 48)}, "not_integral", ("shards", 2)),
    ({"shards": (20, 32)}, "wrong_length", ("shards",)),
    ({"shards": (20, 32, 0)}, "not_positive", ("shards", 2)),
    ({"shards": (20, 32, 64), "format": "zarr2"}, "unsupported", ("shards",)),
    ({"dtype": "U4", "fill_value": ""}, "unsupported", ("dtype",)),
    ({"fill_value": -1}, "not_representable", ("fill_value",)),
    ({"codecs": "lz4"}, "wrong_value", ("codecs",)),
    ({"codecs": {"id": "zstd"}}, "wrong_type", ("codecs",)),
    ({"voxel_size": (30, 0, 8)}, "not_positive", ("voxel_size", 1)),
    ({"voxel_size": (30, 8)}, "wrong_length", ("voxel_size",)),
    ({"voxel_size": 8}, "wrong_type", ("voxel_size",)),
    ({"translation": (0, float("nan"), 0)}, "not_finite", ("translation", 1)),
    ({"translation": (0, 0)}, "wrong_length", ("translation",)),
    ({"axes": "yx"}, "wrong_length", ("axes",)),
    ({"axes": "zyy"}, "duplicate", ("axes", 2)),
    ({"axis_types": ("space",)}, "wrong_length", ("axis_types",)),
    ({"units": "pixel"}, "unknown_unit", ("units",)),
    ({"attrs": {"a": {"b": float("nan")}}}, "not_finite", ("attrs", "a", "b")),
    ({"attrs": {"a": {3: 4}}}, "wrong_type", ("attrs", "a")),
    ({"attrs": {"a": np.int64(3)}}, "wrong_type", ("attrs", "a")),
    ({"attrs": {"a": b"x"}}, "wrong_type", ("attrs", "a")),
    ({"attrs": ["a"]}, "wrong_type", ("attrs",)),
    ({"attrs": {"a": "\udc00"}}, "wrong_value", ("attrs", "a")),
    ({"storing": Storing(separator="-")}, "wrong_value", ("separator",)),
    ({"storing": Storing(encoding="n5")}, "wrong_value", ("encoding",)),
    ({"storing": Storing(order="K")}, "wrong_value", ("order",)),
    ({"storing": Storing(index_location="middle")}, "wrong_value", ("index_location",)),
]


@pytest.mark.parametrize(("change", "code", "at"), BAD, ids=[str(change) for change, *_ in BAD])
def test_what_cannot_be_created_is_refused_by_name(change, code, at):
    assert validate(GOOD)  # the neighbour that passes
    with pytest.raises((ArgumentError, ArgumentTypeError, UnitError)) as caught:
        validate(replace(GOOD, **change))
    assert [(p.code, p.at) for p in caught.value.problems] == [(code, at)]


def test_every_problem_is_told_at_once():
    wanted = replace(GOOD, chunks=None, dtype="nope", voxel_size=(30, -8, 8), attrs={"a": float("inf")}, axes="zzx")
    with pytest.raises(ArgumentError) as caught:
        validate(wanted)
    assert [p.at[0] for p in caught.value.problems] == ["chunks", "dtype", "attrs", "voxel_size", "axes"]


def test_attributes_that_hold_themselves_are_refused():
    loop = {}
    loop["self"] = loop
    with pytest.raises(ArgumentError, match="nested too deeply"):
        validate(replace(GOOD, attrs=loop))
