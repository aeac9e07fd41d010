"""Behaviour 11: create makes a placed level, everything is checked before the first write, nothing is destroyed."""

import json
import logging
import os
from dataclasses import replace

import numpy as np
import pytest
import tensorstore as ts
from servers import PUBLIC
from trees import CENTRE, VOXEL, counted, datasets, read_json, tree, write_json

import worldarray as wa
from worldarray.errors import (
    AccessError,
    ArgumentError,
    ArgumentTypeError,
    PlacementError,
    PlacementWarning,
    StoreExistsError,
    UnitError,
)

SHAPE, CHUNKS = (7, 11, 13), (3, 4, 5)
FORMATS = {"zarr2": "0.4", "zarr3": "0.5"}
STORED = [("zarr2", None), ("zarr3", None), ("zarr3", (6, 8, 10))]
"""Format and shards."""


def make(path, **changes):
    """A level of shape (7, 11, 13) in chunks of (3, 4, 5), placed as `trees` says."""
    given = {"shape": SHAPE, "dtype": "uint16", "voxel_size": VOXEL, "translation": CENTRE, "chunks": CHUNKS}
    return wa.create(path, **{**given, **changes})


def group2(folder, **attributes):
    write_json(folder / ".zgroup", {"zarr_format": 2})
    write_json(folder / ".zattrs", attributes)


def group3(folder, **attributes):
    write_json(folder / "zarr.json", {"zarr_format": 3, "node_type": "group", "attributes": attributes})


# What is made --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("format", "shards"), STORED)
def test_a_created_level_is_placed_as_asked_and_reads_back(tmp_path, format, shards):
    vol = make(tmp_path / "em.zarr" / "s0", format=format, shards=shards)
    assert isinstance(vol, wa.WorldArray)
    assert vol.writable
    assert (vol.voxel_size, vol.translation, vol.corner) == (VOXEL, CENTRE, (85.0, 16.0, 4.0))
    assert (vol.shape, vol.dtype, vol.axes, vol.meta.units) == (SHAPE, np.uint16, ("z", "y", "x"), ("nanometer",) * 3)
    assert (vol.meta.chunk_shape, vol.meta.shard_shape, vol.write_shape) == (CHUNKS, shards, shards or CHUNKS)
    assert (vol.meta.placed_by, vol.meta.format, vol.level_name, vol.levels) == ("ome", format, "s0", ("s0",))
    assert (vol.read_index((0, 0, 0), SHAPE) == 0).all()
    vol.write_index((0, 0, 0), SHAPE, counted(SHAPE))
    again = wa.open(tmp_path / "em.zarr", level="s0")
    assert again.meta == vol.meta
    assert (again.read(again.box) == counted(SHAPE)).all()


@pytest.mark.parametrize(("format", "version"), FORMATS.items())
def test_ome_0_4_goes_with_zarr_v2_and_0_5_with_v3_and_never_mixed(tmp_path, format, version):
    make(tmp_path / "em.zarr" / "s0", format=format)
    names = set(tree(tmp_path / "em.zarr"))
    if format == "zarr2":
        assert names == {".zgroup", ".zattrs", "s0", "s0/.zarray"}
        assert read_json(tmp_path, "em.zarr", ".zattrs")["multiscales"][0]["version"] == version
        assert read_json(tmp_path, "em.zarr", "s0", ".zarray")["dimension_separator"] == "/"
        return
    assert names == {"zarr.json", "s0", "s0/zarr.json"}
    attributes = read_json(tmp_path, "em.zarr", "zarr.json")["attributes"]
    assert set(attributes) == {"ome"}
    assert attributes["ome"]["version"] == version
    assert "version" not in attributes["ome"]["multiscales"][0]
    assert read_json(tmp_path, "em.zarr", "s0", "zarr.json")["dimension_names"] == ["z", "y", "x"]


def test_the_format_is_zarr_v3_where_no_group_says_otherwise(tmp_path):
    assert make(tmp_path / "em.zarr" / "s0").meta.format == "zarr3"


@pytest.mark.parametrize("format", FORMATS)
def test_the_format_follows_the_group(tmp_path, format):
    {"zarr2": group2, "zarr3": group3}[format](tmp_path / "em.zarr")
    assert make(tmp_path / "em.zarr" / "s0").meta.format == format
    assert make(tmp_path / "em.zarr" / "s1", voxel_size=(60, 16, 8), format=format).meta.format == format


AXES = {
    ("z", "y", "x"): {"space": "nm"},
    ("c", "z", "y", "x"): ["", "um", "um", "um"],
    ("t", "c", "z", "y", "x"): {"space": "micrometre", "time": "ms"},
}


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("format", FORMATS)
def test_units_are_written_in_omes_spelling_and_space_placement_leaves_other_axes_alone(tmp_path, axes, format):
    lead = len(axes) - 3
    vol = make(
        tmp_path / "em.zarr" / "s0",
        shape=(2, 3, *SHAPE)[-len(axes) :],
        chunks=(1, 1, *CHUNKS)[-len(axes) :],
        axes=axes,
        units=AXES[axes],
        format=format,
    )
    assert vol.meta.axes == axes
    assert vol.meta.voxel_size == (1.0,) * lead + VOXEL
    assert vol.meta.translation == (0.0,) * lead + CENTRE
    space = "nanometer" if axes == ("z", "y", "x") else "micrometer"
    assert vol.meta.units == ("millisecond", "", space, space, space)[-len(axes) :]
    assert vol.voxel_size == VOXEL, "the handle is in the unit that it was placed in"


def test_every_axis_may_be_placed_and_each_number_is_written_as_the_float_that_was_given(tmp_path):
    size, place = (0.1, 1.0, 1 / 3, 10.48, 1e-9), (-7.3, 0.0, 1e9 + 0.1, -0.0, 5e-324)
    vol = make(
        tmp_path / "em.zarr" / "s0",
        shape=(2, 3, *SHAPE),
        chunks=(1, 1, *CHUNKS),
        voxel_size=size,
        translation=place,
        units={"space": "nm", "time": "s"},
    )
    assert (vol.meta.voxel_size, vol.meta.translation) == (size, place)
    assert datasets(tmp_path / "em.zarr")["s0"] == (size, place)
    assert str(vol.meta.translation[3]) == "-0.0"


@pytest.mark.parametrize(
    ("axes", "units"), [(("lat", "lon"), ("degrees_north", "degrees_east")), (("y", "x"), None), (("q", "x"), "nm")]
)
def test_axes_that_are_no_lengths_keep_their_units(tmp_path, axes, units):
    vol = make(
        tmp_path / "a.zarr" / "s0",
        shape=(4, 6),
        chunks=(2, 3),
        voxel_size=(0.25, 0.5),
        translation=(1, 2),
        axes=axes,
        units=units,
    )
    stored = {("lat", "lon"): units, ("y", "x"): ("", ""), ("q", "x"): ("", "nanometer")}[axes]
    assert vol.meta.units == stored
    assert vol.grid.units == stored


DTYPES = [
    *(
        "bool",
        "int8",
        "uint8",
        "int16",
        "uint16",
        "int32",
        "uint32",
        "int64",
        "uint64",
        "float16",
        "float32",
        "float64",
    ),
    *("complex64", "complex128", "bfloat16", "int2", "int4", "float8_e4m3fn", "float8_e5m2", ">u4", ">f8"),
]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_is_created_written_and_read(tmp_path, dtype, format):
    vol = make(tmp_path / "em.zarr" / "s0", dtype=dtype, format=format, shape=(3, 5, 7), chunks=(2, 3, 4))
    values = (np.arange(105).reshape(3, 5, 7) % 2).astype(vol.dtype)
    vol.write_index((0, 0, 0), (3, 5, 7), values)
    again = wa.open(tmp_path / "em.zarr" / "s0")
    assert again.dtype == vol.dtype
    assert again.dtype.isnative
    assert (again.read_index((0, 0, 0), (3, 5, 7)) == values).all()


@pytest.mark.parametrize(
    ("dtype", "fill"),
    [("float32", np.nan), ("float64", -np.inf), ("uint64", 2**64 - 1), ("int64", -(2**63)), ("bool", True)],
)
@pytest.mark.parametrize(("format", "shards"), STORED)
def test_what_is_not_stored_reads_as_the_fill_value(tmp_path, dtype, fill, shards, format):
    vol = make(tmp_path / "em.zarr" / "s0", dtype=dtype, fill_value=fill, format=format, shards=shards)
    expected = np.full(SHAPE, fill, dtype)
    for handle in (vol, wa.open(tmp_path / "em.zarr" / "s0")):
        np.testing.assert_array_equal(handle.read_index((0, 0, 0), SHAPE), expected)
        np.testing.assert_array_equal(handle.meta.fill_value, expected[0, 0, 0])
    vol.write_index((0, 0, 0), SHAPE, expected)
    assert vol.list_chunks() == []


@pytest.mark.parametrize("separator", [".", "/"])
@pytest.mark.parametrize("format", FORMATS)
def test_chunk_keys_are_joined_by_the_separator_that_was_asked_for(tmp_path, format, separator):
    vol = make(tmp_path / "em.zarr" / "s0", format=format, dimension_separator=separator)
    vol.write_index((3, 8, 5), (6, 11, 10), counted((3, 3, 5)))  # unit (1, 2, 1), clipped on y: 11 = 2 * 4 + 3
    key = {"zarr2": f"1{separator}2{separator}1", "zarr3": f"c{separator}1{separator}2{separator}1"}[format]
    assert vol.chunk_key((1, 2, 1)) == key
    assert (tmp_path / "em.zarr" / "s0" / key).is_file()
    assert vol.list_chunks() == [(1, 2, 1)]


@pytest.mark.parametrize("shape", [(0, 5), (0, 0), (1, 1), (1, 5), (2, 3)])
@pytest.mark.parametrize("format", FORMATS)
def test_zero_size_axes_one_voxel_levels_and_chunks_larger_than_the_array(tmp_path, shape, format):
    vol = make(
        tmp_path / "a.zarr" / "s0", shape=shape, chunks=(4, 6), voxel_size=(8, 4), translation=(4, 2), format=format
    )
    vol.write_index((0, 0), shape, counted(shape))
    for handle in (vol, wa.open(tmp_path / "a.zarr" / "s0")):
        assert (handle.read_index((0, 0), shape) == counted(shape)).all()
        assert handle.box == wa.Box((0, 0), (8 * shape[0], 4 * shape[1]))
    assert vol.list_chunks() == ([] if 0 in shape else [(0, 0)])


def test_a_group_is_made_where_folders_are_missing_and_its_own_group_is_left_alone(tmp_path):
    group3(tmp_path / "em.zarr", mine={"x": 1})
    before = tree(tmp_path)
    make(tmp_path / "em.zarr" / "deep" / "seg" / "s0")
    after = tree(tmp_path)
    assert {name: after[name] for name in before} == before
    assert set(after) - set(before) == {
        *("em.zarr/deep", "em.zarr/deep/seg", "em.zarr/deep/seg/zarr.json"),
        *("em.zarr/deep/seg/s0", "em.zarr/deep/seg/s0/zarr.json"),
    }


# From a Grid ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shards", [None, (6, 8, 10)])
def test_a_grid_says_what_the_array_created_from_it_says(tmp_path, shards):
    grid = wa.Grid(SHAPE, VOXEL, CENTRE, units="um", chunks=CHUNKS, shards=shards)
    vol = wa.create(tmp_path / "em.zarr" / "s0", grid=grid, dtype="uint16")
    planned = grid.meta("uint16")
    kept = {name: getattr(vol.meta, name) for name in ("path", "parent", "attrs", "group_attrs", "storage")}
    assert replace(planned, **kept) == vol.meta
    assert planned.same_grid(vol.meta)
    assert (grid.box, grid.write_shape) == (vol.box, vol.write_shape)
    assert list(grid.blocks()) == list(vol.blocks())


def test_a_grid_of_a_target_size_is_filled_by_a_read_at_that_size(tmp_path):
    source = make(tmp_path / "em.zarr" / "s0")
    source.write_index((0, 0, 0), SHAPE, counted(SHAPE))
    grid = wa.Grid.from_meta(source.meta, voxel_size=(60, 16, 12))  # ceil(7/2), ceil(11/2), ceil(13 * 4 / 12 = 4.33)
    vol = wa.create(tmp_path / "em.zarr" / "s1", grid=grid, dtype=source.dtype)
    assert (vol.shape, vol.corner) == ((4, 6, 5), source.corner)
    values = source.read(vol.box, voxel_size=(60, 16, 12))
    vol.write_index((0, 0, 0), vol.shape, values)
    assert (vol.read(vol.box) == values).all()


def test_a_grid_without_chunks_takes_them_beside_it_and_one_that_says_something_takes_nothing_twice(tmp_path):
    grid = wa.Grid(SHAPE, VOXEL, CENTRE)
    assert wa.create(tmp_path / "em.zarr" / "s0", grid=grid, dtype="uint8", chunks=CHUNKS).write_shape == CHUNKS
    chunked = wa.Grid(SHAPE, VOXEL, CENTRE, chunks=CHUNKS)
    for given in ({"chunks": CHUNKS}, {"units": "um"}, {"shape": SHAPE}, {"voxel_size": np.array(VOXEL)}):
        with pytest.raises(ArgumentError, match=f"{next(iter(given))} and grid are given"):
            wa.create(tmp_path / "em.zarr" / "s1", grid=chunked, dtype="uint8", **given)
    with pytest.raises(ArgumentTypeError, match=r"give a worldarray\.Grid"):
        wa.create(tmp_path / "em.zarr" / "s1", grid=chunked.meta("uint8"), dtype="uint8")
    with pytest.raises(ArgumentError, match="chunks is missing"):
        wa.create(tmp_path / "em.zarr" / "s1", grid=grid, dtype="uint8")


# Foreign content -----------------------------------------------------------------------------------------------------

FOREIGN = '{"fs" :  [1.50,1e3, "\\u00b5"],\r\n\t"registry": {"multiscales": 3, "y0": 12, "y1": 1.0e-7},  "z":null }'


@pytest.mark.parametrize("format", FORMATS)
def test_foreign_keys_of_a_group_stay_byte_for_byte(tmp_path, format):
    folder = tmp_path / "em.zarr"
    folder.mkdir()
    if format == "zarr2":
        document = folder / ".zattrs"
        (folder / ".zgroup").write_bytes(b'{"zarr_format":2}')
        document.write_bytes(FOREIGN.encode())
    else:
        document = folder / "zarr.json"
        text = f'{{"node_type": "group",\n "attributes": {FOREIGN}, "zarr_format": 3}}'
        document.write_bytes(text.encode())
    make(folder / "s0")
    make(folder / "s1", voxel_size=(60, 16, 8))
    after = document.read_bytes().decode()
    for part in FOREIGN.removesuffix("}").split(",  "):
        assert part.strip() in after
    assert list(datasets(folder)) == ["s0", "s1"]
    if format == "zarr2":
        assert (folder / ".zgroup").read_bytes() == b'{"zarr_format":2}'


@pytest.mark.parametrize("format", FORMATS)
def test_one_dataset_entry_is_all_that_a_second_create_changes(tmp_path, format):
    make(tmp_path / "em.zarr" / "s0", format=format, group_attrs={"mine": [1, {"a": 2.5}]})
    document = tmp_path / "em.zarr" / {"zarr2": ".zattrs", "zarr3": "zarr.json"}[format]
    before, first = read_json(document), tree(tmp_path / "em.zarr" / "s0")
    make(tmp_path / "em.zarr" / "s1", voxel_size=(60, 16, 8), translation=(115, 24, 8))
    after = read_json(document)
    holder = after if format == "zarr2" else after["attributes"]["ome"]
    entry = holder["multiscales"][0]["datasets"].pop()
    assert after == before
    assert entry == {
        "path": "s1",
        "coordinateTransformations": [
            {"type": "scale", "scale": [60.0, 16.0, 8.0]},
            {"type": "translation", "translation": [115.0, 24.0, 8.0]},
        ],
    }
    assert tree(tmp_path / "em.zarr" / "s0") == first


def test_levels_are_listed_in_order_of_voxel_size_whatever_the_order_of_creation(tmp_path):
    for name, factor in (("s2", 4), ("s0", 1), ("s3", 8), ("s1", 2)):
        make(tmp_path / "em.zarr" / name, voxel_size=tuple(v * factor for v in VOXEL))
    assert list(datasets(tmp_path / "em.zarr")) == ["s0", "s1", "s2", "s3"]


def test_attributes_of_the_array_and_the_group_are_merged_and_the_multiscales_are_not_the_callers(tmp_path):
    group3(tmp_path / "em.zarr", run={"by": "me"})
    vol = make(tmp_path / "em.zarr" / "s0", attrs={"fs": 1.5, "deep": {"a": [1]}}, group_attrs={"run": {"at": "noon"}})
    assert vol.meta.attrs == {"fs": 1.5, "deep": {"a": [1]}}
    assert wa.open_pyramid(tmp_path / "em.zarr").attrs["run"] == {"by": "me", "at": "noon"}
    before = tree(tmp_path)
    for given in ({"ome": {"multiscales": []}}, {"multiscales": []}, {"run": {"by": "you"}}):
        with pytest.raises(ArgumentError, match="group_attrs"):
            make(tmp_path / "em.zarr" / "s1", voxel_size=(60, 16, 8), group_attrs=given)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("format", FORMATS)
def test_a_group_with_a_transform_of_its_own_reads_back_what_was_asked(tmp_path, format):
    outer = [{"type": "scale", "scale": [1.0, 0.1, 7.0]}, {"type": "translation", "translation": [5.0, -3.3, 1e6]}]
    axes = [{"name": name, "type": "space", "unit": "nanometer"} for name in "zyx"]
    multiscales = [{"axes": axes, "datasets": [], "coordinateTransformations": outer, "name": "theirs"}]
    if format == "zarr2":
        group2(tmp_path / "em.zarr", multiscales=[{**multiscales[0], "version": "0.4"}])
    else:
        group3(tmp_path / "em.zarr", ome={"version": "0.5", "multiscales": multiscales})
    vol = make(tmp_path / "em.zarr" / "s0", voxel_size=(30.3, 8.0, 4.1), translation=(100.7, -20.0, 6.0))
    for handle in (vol, wa.open(tmp_path / "em.zarr", level="s0")):
        assert handle.voxel_size == pytest.approx((30.3, 8.0, 4.1), rel=1e-12)
        assert handle.translation == pytest.approx((100.7, -20.0, 6.0), rel=1e-12, abs=1e-6)


def test_a_copy_of_the_metadata_that_goes_stale_is_warned_of(tmp_path):
    group2(tmp_path / "em.zarr")
    write_json(tmp_path / "em.zarr" / ".zmetadata", {"zarr_consolidated_format": 1, "metadata": {}})
    before = (tmp_path / "em.zarr" / ".zmetadata").read_bytes()
    with pytest.warns(PlacementWarning, match="consolidate again"):
        make(tmp_path / "em.zarr" / "s0")
    assert (tmp_path / "em.zarr" / ".zmetadata").read_bytes() == before


# Fill-only units -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fill", [0, 9])
@pytest.mark.parametrize("shards", [None, (6, 8, 10)])
def test_units_of_fill_alone_are_not_stored_unless_asked(tmp_path, fill, shards):
    unit = shards or CHUNKS
    values = np.full(SHAPE, fill, "uint16")
    values[-1, -1, -1] = 1  # in the last unit, which is clipped on every axis
    last = tuple((n - 1) // u for n, u in zip(SHAPE, unit, strict=True))
    every = list(np.ndindex(*(i + 1 for i in last)))
    for store_fill, expected in ((False, [last]), (True, every)):
        vol = make(tmp_path / f"{store_fill}.zarr" / "s0", fill_value=fill, shards=shards, store_fill=store_fill)
        vol.write_index((0, 0, 0), SHAPE, values)
        assert vol.list_chunks() == expected
        assert (wa.open(vol.path).read_index((0, 0, 0), SHAPE) == values).all()


def test_a_unit_that_becomes_fill_is_no_longer_stored(tmp_path):
    vol = make(tmp_path / "em.zarr" / "s0")
    vol.write_chunk((0, 1, 0), counted(CHUNKS))
    assert vol.list_chunks() == [(0, 1, 0)]
    vol.write_chunk((0, 1, 0), np.zeros(CHUNKS, "uint16"))
    assert vol.list_chunks() == []


# exists --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exists", ["error", "adopt"])
def test_what_is_not_there_is_made_either_way(tmp_path, exists):
    assert make(tmp_path / "em.zarr" / "s0", exists=exists).shape == SHAPE


@pytest.mark.parametrize("document", [".zarray", ".zattrs", ".zgroup", "zarr.json", "attributes.json", "info"])
@pytest.mark.parametrize("content", ["{}", "no JSON"])
def test_any_document_at_the_path_is_a_file_that_exists(tmp_path, document, content):
    (tmp_path / "em.zarr" / "s0").mkdir(parents=True)
    (tmp_path / "em.zarr" / "s0" / document).write_text(content)
    before = tree(tmp_path)
    with pytest.raises(FileExistsError, match=rf"{document}.*exists='adopt'") as caught:
        make(tmp_path / "em.zarr" / "s0")
    assert isinstance(caught.value, StoreExistsError)
    assert tree(tmp_path) == before


@pytest.mark.parametrize(("format", "shards"), STORED)
def test_an_identical_array_is_adopted_with_its_data_and_nothing_is_rewritten(tmp_path, format, shards):
    wanted = {"format": format, "shards": shards, "fill_value": 3, "attrs": {"by": "me"}}
    vol = make(tmp_path / "em.zarr" / "s0", **wanted)
    vol.write_index((0, 0, 0), SHAPE, counted(SHAPE))
    before = tree(tmp_path)
    again = make(tmp_path / "em.zarr" / "s0", **wanted, exists="adopt")
    assert tree(tmp_path) == before
    assert (again.read_index((0, 0, 0), SHAPE) == counted(SHAPE)).all()
    assert again.meta == vol.meta
    near = tuple(v * (1 + 5e-7) for v in VOXEL)
    make(
        tmp_path / "em.zarr" / "s0", **wanted, voxel_size=near, units=["nm", "nanometre", "nanometers"], exists="adopt"
    )
    assert tree(tmp_path) == before


def test_an_array_that_no_group_lists_is_adopted_and_listed_and_its_documents_stay(tmp_path):
    make(tmp_path / "a.zarr" / "s0", attrs={"theirs": 1.50}).write_index((0, 0, 0), SHAPE, counted(SHAPE))
    (tmp_path / "a.zarr" / "zarr.json").unlink()
    before = tree(tmp_path)
    vol = make(tmp_path / "a.zarr" / "s0", exists="adopt", attrs={"mine": 2})
    after = tree(tmp_path)
    assert set(after) - set(before) == {"a.zarr/zarr.json"}
    assert {name: after[name] for name in before} == before
    assert (vol.translation, vol.meta.attrs) == (CENTRE, {"theirs": 1.5})
    assert (vol.read_index((0, 0, 0), SHAPE) == counted(SHAPE)).all()


def test_every_difference_of_an_array_is_listed_with_both_values(tmp_path):
    make(tmp_path / "em.zarr" / "s0")
    before = tree(tmp_path)
    with pytest.raises(ArgumentError) as caught:
        make(
            tmp_path / "em.zarr" / "s0",
            shape=(7, 11, 14),
            dtype="uint8",
            chunks=(3, 4, 7),
            shards=(3, 8, 14),
            fill_value=1,
            voxel_size=(30, 8, 5),
            translation=(100, 21, 6),
            exists="adopt",
        )
    found = {found.at[-1]: found.message for found in caught.value.problems}
    assert set(found) == {"shape", "dtype", "chunks", "shards", "voxel_size", "translation"}
    assert "has (7, 11, 13), but (7, 11, 14) is wanted" in found["shape"]
    assert "has uint16, but uint8 is wanted" in found["dtype"]
    assert "has None, but (3, 8, 14) is wanted" in found["shards"]
    assert "has (30.0, 8.0, 4.0), but (30.0, 8.0, 5.0) is wanted" in found["voxel_size"]
    assert "has (100.0, 20.0, 6.0), but (100.0, 21.0, 6.0) is wanted" in found["translation"]
    for change, name in ({"fill_value": 1}, "fill_value"), ({"chunks": (3, 4, 6)}, "chunks"):
        with pytest.raises(ArgumentError) as caught:
            make(tmp_path / "em.zarr" / "s0", exists="adopt", **change)
        assert [each.at[-1] for each in caught.value.problems] == [name]
    assert tree(tmp_path) == before


def test_another_codec_is_adopted_and_logged(tmp_path, caplog):
    make(tmp_path / "em.zarr" / "s0", codecs="none")
    before = tree(tmp_path)
    with caplog.at_level(logging.INFO, "worldarray_write"):
        make(tmp_path / "em.zarr" / "s0", exists="adopt")
    assert "codecs" in caplog.text
    assert "zstd" in caplog.text
    assert tree(tmp_path) == before


def test_a_group_at_the_path_is_never_adopted(tmp_path):
    make(tmp_path / "em.zarr" / "a" / "s0")
    before = tree(tmp_path)
    with pytest.raises(StoreExistsError, match="is a group"):
        make(tmp_path / "em.zarr" / "a", exists="adopt")
    assert tree(tmp_path) == before
    assert make(tmp_path / "em.zarr" / "b", exists="adopt").shape == SHAPE


def test_what_an_interrupted_creation_left_beside_the_array_has_to_agree_before_anything_is_written(tmp_path):
    write_json(tmp_path / "em.zarr" / "s0" / ".zattrs", {"by": "a"})
    before = tree(tmp_path)
    with pytest.raises(ArgumentError, match="by"):
        make(tmp_path / "em.zarr" / "s0", format="zarr2", attrs={"by": "b"}, exists="adopt")
    assert tree(tmp_path) == before
    vol = make(tmp_path / "em.zarr" / "s0", format="zarr2", attrs={"at": "noon"}, exists="adopt")
    assert vol.meta.attrs == {"by": "a", "at": "noon"}


# Refusals leave the tree as it was -----------------------------------------------------------------------------------

OBJECT = object()
REFUSED = {
    "chunks missing": ({"chunks": None}, "chunks is missing"),
    "chunks of another length": ({"chunks": (3, 4)}, "chunks"),
    "chunks of zero": ({"chunks": (3, 0, 5)}, "chunks is 0 on axis 1"),
    "chunks that are no integers": ({"chunks": (3, 4.5, 5)}, "chunks"),
    "shards that are no whole chunks": (
        {"shards": (6, 9, 10)},
        "shard of 9 on axis 1 is not a whole number of chunks of 4",
    ),
    "a dtype that is none": ({"dtype": "uint17"}, "uint17"),
    "a dtype that is not written": ({"dtype": "datetime64[s]"}, "datetime64"),
    "no dtype": ({"dtype": None}, "dtype"),
    "a fill that the dtype does not hold": ({"fill_value": 70000}, "70000"),
    "a fill of NaN for integers": ({"fill_value": float("nan")}, "fill_value"),
    "a codec that is none": ({"codecs": "zst"}, "zst"),
    "a codec that is not encoded": ({"codecs": [{"name": "lz77"}]}, "lz77"),
    "zarr v2's codec in v3": ({"codecs": {"id": "zstd"}}, "codecs"),
    "a codec level that is none": ({"codecs": [{"name": "zstd", "configuration": {"level": "high"}}]}, "level"),
    "a voxel size of zero": ({"voxel_size": (30, 0, 4)}, "voxel_size"),
    "a voxel size that is negative": ({"voxel_size": (30, -8, 4)}, "voxel_size"),
    "a voxel size of another length": ({"voxel_size": (30, 8)}, "voxel_size"),
    "a voxel size that is NaN": ({"voxel_size": (30, float("nan"), 4)}, "voxel_size"),
    "no voxel size": ({"voxel_size": None}, "voxel_size"),
    "a translation that is infinite": ({"translation": (0, float("inf"), 4)}, "translation"),
    "no translation": ({"translation": None}, "translation"),
    "a shape that is negative": ({"shape": (7, -11, 13)}, "shape is -11 on axis 1"),
    "a shape that is no integer": ({"shape": (7, 11.5, 13)}, "shape"),
    "a shape without axes": ({"shape": (), "chunks": ()}, "shape has 0 axes"),
    "axes that are too few": ({"axes": ("y", "x")}, "axes"),
    "an axis that stands twice": ({"axes": ("z", "x", "x")}, "x"),
    "attributes that are no JSON": ({"attrs": {"a": OBJECT}}, "attrs"),
    "attributes of NaN": ({"attrs": {"a": [float("nan")]}}, "attrs"),
    "attributes that are no dict": ({"attrs": [1]}, "attrs"),
    "attributes of another voxel size": ({"attrs": {"voxel_size": [30, 8, 5]}}, "voxel_size"),
    "attributes that no reader takes": ({"attrs": {"resolution": "x"}}, "resolution"),
    "group attributes that are no JSON": ({"group_attrs": {"a": OBJECT}}, "group_attrs"),
    "group attributes that touch the multiscales": ({"group_attrs": {"ome": {"version": "0.6"}}}, "group_attrs"),
    "a format that is none": ({"format": "zarr4"}, "zarr4"),
    "a separator that is none": ({"dimension_separator": "-"}, "separator"),
    "a word for exists that is none": ({"exists": "overwrite"}, "nothing is ever overwritten"),
    "a unit that is none": ({"units": "nanometre squared"}, "nanometre squared"),
    "a unit of time for space": ({"units": "second"}, "second"),
    "a context that is none": ({"context": {}}, "context"),
    "a retry policy that is none": ({"retries": 3}, "retries"),
}


@pytest.mark.parametrize("place", ["new", "zarr3"])
@pytest.mark.parametrize("why", REFUSED)
def test_what_cannot_be_made_is_refused_and_leaves_the_tree_byte_for_byte(tmp_path, why, place):
    changes, words = REFUSED[why]
    if place != "new":
        make(tmp_path / "em.zarr" / "s1", voxel_size=(60, 16, 8), format=place, group_attrs={"theirs": 1})
    before = tree(tmp_path)
    with pytest.raises((ArgumentError, ArgumentTypeError, UnitError)) as caught:
        make(tmp_path / "em.zarr" / "s0", **changes)
    assert words in str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert tree(tmp_path) == before
    assert make(tmp_path / "em.zarr" / "s0").shape == SHAPE, "the passing neighbour"


def test_zarr_v2_has_no_shards(tmp_path):
    group2(tmp_path / "em.zarr", theirs=1)
    before = tree(tmp_path)
    with pytest.raises(ArgumentError, match="zarr v2 has no shards"):
        make(tmp_path / "em.zarr" / "s0", shards=(6, 8, 10))
    assert tree(tmp_path) == before


def test_every_problem_is_said_at_once(tmp_path):
    with pytest.raises(ArgumentError) as caught:
        make(tmp_path / "em.zarr" / "s0", dtype="uint8", fill_value=300, chunks=None, codecs="zip", attrs={"a": OBJECT})
    assert {each.at[0] for each in caught.value.problems} == {"fill_value", "chunks", "attrs"}
    assert tree(tmp_path) == {}


@pytest.mark.parametrize(("there", "asked"), [("zarr2", "zarr3"), ("zarr3", "zarr2")])
def test_a_format_that_contradicts_the_group_is_refused(tmp_path, there, asked):
    {"zarr2": group2, "zarr3": group3}[there](tmp_path / "em.zarr", theirs=1)
    before = tree(tmp_path)
    with pytest.raises(ValueError, match=rf"{asked}.*{there}.*never mixed"):
        make(tmp_path / "em.zarr" / "s0", format=asked)
    assert tree(tmp_path) == before
    assert make(tmp_path / "em.zarr" / "s0", format=there).meta.format == there


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"units": "um"}, "micrometer"),
        ({"axes": ("t", "y", "x")}, "axes"),
        ({"axis_types": ("space", "space", "time")}, "axis"),
    ],
)
def test_axes_and_units_that_are_not_the_groups_are_refused(tmp_path, changes, words):
    make(tmp_path / "em.zarr" / "s0")
    before = tree(tmp_path)
    with pytest.raises(ArgumentError, match=words):
        make(tmp_path / "em.zarr" / "s1", voxel_size=(60, 16, 8), **changes)
    assert tree(tmp_path) == before


@pytest.mark.parametrize(
    ("document", "content"),
    [
        ("zarr.json", b"{"),
        ("zarr.json", b'{"zarr_format": 3, "node_type": "array"}'),
        ("zarr.json", b'{"zarr_format": 3, "node_type": "group", "attributes": {"ome": {"version": "0.6"}}}'),
        ("zarr.json", b'{"zarr_format": 3, "node_type": "group", "attributes": {"multiscales": [{"datasets": []}]}}'),
        (".zarray", b"{}"),
        (".zgroup", b"\xff"),
        ("attributes.json", b'{"n5": "2.0.0"}'),
        ("info", b'{"@type": "neuroglancer_multiscale_volume", "scales": []}'),
    ],
)
def test_a_group_that_is_something_else_is_refused(tmp_path, document, content):
    (tmp_path / "em.zarr").mkdir()
    (tmp_path / "em.zarr" / document).write_bytes(content)
    before = tree(tmp_path)
    with pytest.raises((PlacementError, ArgumentError), match=r"em\.zarr"):
        make(tmp_path / "em.zarr" / "s0")
    assert tree(tmp_path) == before


@pytest.mark.parametrize("target", ["elsewhere", "nowhere"])
@pytest.mark.parametrize("exists", ["error", "adopt"])
def test_a_level_that_is_a_symbolic_link_is_refused_and_never_followed(tmp_path, target, exists):
    (tmp_path / "elsewhere").mkdir()
    group3(tmp_path / "em.zarr", theirs=1)
    (tmp_path / "em.zarr" / "s0").symlink_to(tmp_path / target)
    before = tree(tmp_path)
    with pytest.raises(ArgumentError, match=r"s0.*symbolic link"):
        make(tmp_path / "em.zarr" / "s0", exists=exists)
    assert tree(tmp_path) == before


def test_a_group_that_is_reached_through_a_link_is_written(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "em.zarr").symlink_to(tmp_path / "real")
    make(tmp_path / "em.zarr" / "s0")
    assert (tmp_path / "real" / "s0" / "zarr.json").is_file()
    assert (tmp_path / "em.zarr").is_symlink()


@pytest.mark.parametrize("path", ["/s0", "s3://bucket/s0", "gs://bucket/s0"])
def test_a_path_without_a_group_is_refused(path, cloudless):
    with pytest.raises(ArgumentError, match="no group"):
        make(path)


@pytest.mark.parametrize("name", ["em.zarr", "em.ome.zarr", "em.n5", "EM.Zarr"])
@pytest.mark.parametrize("exists", ["error", "adopt"])
def test_a_level_called_what_groups_are_called_is_refused_and_nothing_is_written(tmp_path, monkeypatch, name, exists):
    monkeypatch.chdir(tmp_path)
    for path in (name, tmp_path / name, f"{name}/"):
        with pytest.raises(ArgumentError, match=rf"path is GROUP/LEVEL: give {name}/s0"):
            make(path, exists=exists)
    assert tree(tmp_path) == {}
    assert make(f"{name}/s0").level_name == "s0"
    with pytest.raises(ArgumentError, match="GROUP/LEVEL"):
        wa.open_pyramid(name, mode="r+").add_level("s1.zarr", 2)
    assert wa.open_pyramid(name).names == ("s0",)


@pytest.mark.parametrize("path", ["", None, b"em.zarr/s0", 3])
def test_what_is_no_path_is_refused(path):
    with pytest.raises((ArgumentError, ArgumentTypeError)):
        make(path)


@pytest.mark.parametrize("path", ["http://127.0.0.1:9/em.zarr/s0", "https://host/em.zarr/s0", "a.zip|zip:em.zarr/s0"])
def test_a_store_that_is_read_alone_is_refused_and_not_asked(path):
    with pytest.raises(ArgumentError, match="read alone"):
        make(path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_to_is_named(tmp_path):
    (tmp_path / "em.zarr").mkdir()
    (tmp_path / "em.zarr").chmod(0o555)
    try:
        with pytest.raises(AccessError, match=r"em\.zarr"):
            make(tmp_path / "em.zarr" / "s0")
        assert tree(tmp_path / "em.zarr") == {}
    finally:
        (tmp_path / "em.zarr").chmod(0o755)


# Other stores --------------------------------------------------------------------------------------------------------


@pytest.fixture
def cloudless(monkeypatch):
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture(params=["memory", "s3", "file-url", "relative", "ocdbt"])
def place(request, tmp_path, monkeypatch):
    """A group path that can be written to, and the context to reach it on."""
    match request.param:
        case "memory":
            return "memory://deep/em.zarr", ts.Context()
        case "s3":
            request.getfixturevalue("s3")
            return f"s3://{PUBLIC}/{tmp_path.name}/em.zarr", None
        case "file-url":
            return f"file://{tmp_path}/em%20stack.zarr", None
        case "relative":
            monkeypatch.chdir(tmp_path)
            return "em.zarr", None
    return f"{tmp_path}/tree|ocdbt:em.zarr", None


@pytest.mark.parametrize("format", FORMATS)
def test_every_store_that_can_be_written_takes_levels_data_and_adoption(place, format):
    group, context = place
    vol = make(f"{group}/s0", format=format, context=context)
    vol.write_index((0, 0, 0), SHAPE, counted(SHAPE))
    with pytest.raises(StoreExistsError):
        make(f"{group}/s0", context=context)
    again = make(f"{group}/s0", context=context, exists="adopt")
    made = wa.open_pyramid(group, context=context, mode="r+").add_level("s1", (1, 2, 3))
    made.write_index((0, 0, 0), (7, 6, 5), counted((7, 6, 5)))
    pyramid = wa.open_pyramid(group, context=context)
    assert pyramid.names == ("s0", "s1")
    assert pyramid.placements()[1].translation == (100.0, 24.0, 10.0)  # 20 + 8 / 2; 6 + 4 * (3 - 1) / 2
    for handle, shape in ((again, SHAPE), (pyramid.by_name("s0"), SHAPE), (pyramid.by_name("s1"), (7, 6, 5))):
        assert (handle.read_index((0, 0, 0), shape) == counted(shape)).all()
    assert again.list_chunks() == [(z, y, x) for z in range(3) for y in range(3) for x in range(3)]


def test_a_name_with_spaces_in_a_file_url_is_the_folder_of_that_name(tmp_path):
    make(f"file://{tmp_path}/em%20stack.zarr/s0")
    assert (tmp_path / "em stack.zarr" / "s0" / "zarr.json").is_file()


def test_bytes_on_disk_follow_from_the_arguments_alone(tmp_path):
    for folder in ("a.zarr", "b.zarr"):
        make(tmp_path / folder / "s0", attrs={"b": 1, "a": {"d": 2, "c": 3}}).write_index(
            (0, 0, 0), SHAPE, counted(SHAPE)
        )
    assert tree(tmp_path / "a.zarr") == tree(tmp_path / "b.zarr")
    assert list(json.loads(tree(tmp_path / "a.zarr")["s0/zarr.json"])["attributes"]) == ["b", "a"]


@pytest.mark.parametrize("format", ["zarr2", "zarr3"])
def test_legacy_attributes_that_agree_are_passed_through(tmp_path, format):
    size, corner = [30, 8, 4], [0, 0, 0]
    given = {"voxel_size": size, "offset": corner, "units": ["nm", "nm", "nm"]}
    vol = make(tmp_path / "em.zarr" / "s0", voxel_size=size, translation=(15, 4, 2), format=format, attrs=given)
    assert vol.meta.attrs == given
    assert (vol.voxel_size, vol.corner, vol.meta.placed_by) == ((30, 8, 4), (0, 0, 0), "ome")


def test_attributes_that_were_left_beside_an_array_have_to_agree_with_its_place(tmp_path):
    write_json(tmp_path / "em.zarr" / "s0" / ".zattrs", {"voxel_size": [1, 1, 1]})
    before = tree(tmp_path)
    with pytest.raises(ArgumentError, match="voxel_size"):
        make(tmp_path / "em.zarr" / "s0", format="zarr2", exists="adopt")
    assert tree(tmp_path) == before


def test_attributes_that_place_the_array_elsewhere_are_refused(tmp_path):
    scale = {"type": "scale", "scale": [1, 1, 1]}
    axes = [{"name": name, "type": "space", "unit": "nanometer"} for name in "zyx"]
    own = {"axes": axes, "datasets": [{"path": ".", "coordinateTransformations": [scale]}]}
    with pytest.raises(ArgumentError, match="voxel_size"):
        make(tmp_path / "em.zarr" / "s0", attrs={"ome": {"version": "0.5", "multiscales": [own]}})
    assert tree(tmp_path) == {}
