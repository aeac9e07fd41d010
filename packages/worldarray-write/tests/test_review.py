"""What writing must not do to data that stands there: handles that are out of date, chunks that would be hidden."""

import json
import multiprocessing
import pickle
import shutil
import time
import warnings
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
import tensorstore as ts
from trees import datasets, read_json, tree, write_json
from write_workers import run

import worldarray as wa
from worldarray.errors import ArgumentError, StoreExistsError, StoreNotFoundError
from worldarray_write import ensure_group_entry

FORMATS = ("zarr2", "zarr3")
DOCUMENT = {"zarr2": ".zarray", "zarr3": "zarr.json"}


def make(path, shape=(8, 8), **more):
    given = {"voxel_size": (8, 4), "translation": (4, 2), "chunks": (4, 4), **more}
    return wa.create(path, shape, "uint8", **given)


def full(value, shape=(8, 8)):
    return np.full(shape, value, "uint8")


# Handles that are out of date ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("change", [{"chunks": (2, 2)}, {"shape": (8, 12)}, {"codecs": "none"}, {"fill_value": 1}])
def test_an_array_that_was_made_anew_is_not_written_through_handles_of_the_old_one(tmp_path, format, change):
    path = tmp_path / "em.zarr" / "s0"
    old = make(path, format=format)
    sent = pickle.dumps(old)
    shutil.rmtree(tmp_path / "em.zarr")
    new = make(path, **{"format": format, **change})
    new.write_index((0, 0), new.shape, full(1, new.shape))
    before = tree(tmp_path)
    for handle in (old, pickle.loads(sent)):
        with pytest.raises(ArgumentError, match=r"has changed since this handle was made.*open it again") as caught:
            handle.write_index((0, 0), (4, 4), full(9, (4, 4)))
        assert [found.code for found in caught.value.problems] == ["conflict"]
        with pytest.raises(ArgumentError, match="has changed"):
            handle.ts  # noqa: B018
    assert tree(tmp_path) == before
    wa.open(path, mode="r+").write_index((0, 0), (4, 4), full(9, (4, 4)))


@pytest.mark.parametrize("format", FORMATS)
def test_an_array_that_is_gone_is_not_written(tmp_path, format):
    sent = pickle.dumps(make(tmp_path / "em.zarr" / "s0", format=format))
    shutil.rmtree(tmp_path / "em.zarr" / "s0")
    before = tree(tmp_path)
    with pytest.raises(StoreNotFoundError, match="no longer there"):
        pickle.loads(sent).write_index((0, 0), (4, 4), full(9, (4, 4)))
    assert tree(tmp_path) == before


@pytest.mark.parametrize("format", FORMATS)
def test_attributes_and_spelling_of_a_document_may_change_under_a_handle(tmp_path, format):
    vol = make(tmp_path / "em.zarr" / "s0", format=format, fill_value=3)
    path = tmp_path / "em.zarr" / "s0" / DOCUMENT[format]
    document = read_json(path)
    if format == "zarr3":
        document["attributes"] = {"mine": 1}
        document["dimension_names"] = None
    write_json(path, dict(sorted(document.items())), indent=3)
    vol.write_index((0, 0), (8, 8), full(7))
    assert (vol.read_index((0, 0), (8, 8)) == 7).all()


# Chunks that are keyed with the other separator ----------------------------------------------------------------------


def test_chunks_keyed_with_another_separator_are_not_hidden_by_new_ones(tmp_path):
    path = tmp_path / "em.zarr" / "s0"
    make(path, format="zarr2").write_index((0, 0), (8, 8), full(5))
    document = read_json(path / ".zarray")
    del document["dimension_separator"]  # so it is "."
    write_json(path / ".zarray", document)
    before = tree(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ArgumentError, match="dimension_separator='/'"):
            wa.open(path, mode="r+")
        with pytest.raises(ArgumentError, match="dimension_separator='/'"):
            wa.open_pyramid(tmp_path / "em.zarr", mode="r+").by_name("s0")
        with pytest.raises(ArgumentError, match="dimension_separator"):
            make(path, format="zarr2", exists="adopt")
    assert tree(tmp_path) == before
    vol = wa.open(path, mode="r+", dimension_separator="/")
    vol.write_index((0, 0), (4, 4), full(6, (4, 4)))
    assert np.unique(vol.read_index((0, 0), (8, 8))).tolist() == [5, 6]
    (path / ".zarray").write_text(json.dumps({**document, "dimension_separator": "/"}))
    make(path, format="zarr2", exists="adopt")


# What a new level would hide, or take for its own --------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("level", ["s2", "s1", "seg"])
def test_a_group_whose_levels_are_found_by_name_is_not_given_a_list_that_hides_them(tmp_path, format, level):
    group = tmp_path / "em.zarr"
    for name in ("s0", "s1")[: 1 if level == "s1" else 2]:
        make(group / name, format=format)
    unlist(group, format)
    before = tree(tmp_path)
    with pytest.raises(ArgumentError, match=r"the array s0 is found by its name.*ensure_group_entry"):
        make(group / level, format=format, voxel_size=(32, 16))
    assert tree(tmp_path) == before
    ensure_group_entry(group, "s0", (8, 4), (4, 2))
    make(group / level, format=format, voxel_size=(32, 16))


def unlist(group, format):
    name = ".zattrs" if format == "zarr2" else "zarr.json"
    document = read_json(group / name)
    document.pop("multiscales", None) or document["attributes"].clear()
    write_json(group / name, document)


def test_the_only_array_of_a_group_that_is_found_by_its_name_is_adopted_and_with_another_it_is_not(tmp_path):
    group = tmp_path / "em.zarr"
    make(group / "s0")
    unlist(group, "zarr3")
    make(group / "s0", exists="adopt")
    make(group / "s1")
    unlist(group, "zarr3")
    with pytest.raises(ArgumentError, match="the array s1 is found by its name"):
        make(group / "s0", exists="adopt")


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("attributes", [{"voxel_size": [9, 5]}, {"resolution": [9, 5]}, {"offset": [1, 2]}])
def test_a_group_whose_attributes_place_its_arrays_is_not_given_a_list_that_hides_them(tmp_path, format, attributes):
    group = tmp_path / "em.zarr"
    make(group / "raw", format=format)
    unlist(group, format)
    name = ".zattrs" if format == "zarr2" else "zarr.json"
    document = read_json(group / name)
    (document if format == "zarr2" else document["attributes"]).update(attributes)
    write_json(group / name, document)
    before = tree(tmp_path)
    with pytest.raises(ArgumentError, match=rf"{next(iter(attributes))} places raw.*ensure_group_entry"):
        make(group / "seg", format=format)
    assert tree(tmp_path) == before
    shutil.rmtree(group / "raw")
    make(group / "seg", format=format)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("exists", ["error", "adopt"])
def test_chunks_that_were_left_behind_are_not_taken_for_those_of_a_new_array(tmp_path, format, exists):
    path = tmp_path / "em.zarr" / "s0"
    make(path, format=format).write_index((0, 0), (8, 8), full(7))
    (path / DOCUMENT[format]).unlink()
    before = tree(tmp_path)
    with pytest.raises(StoreExistsError, match=r"holds (0|c).* but no array"):
        make(path, format=format, exists=exists)
    assert tree(tmp_path) == before
    shutil.rmtree(path / ("0" if format == "zarr2" else "c"))
    shutil.rmtree(path / "1", ignore_errors=True)
    (path / f"{DOCUMENT[format]}.__lock").write_bytes(b"{")
    (path / "empty" / "folders").mkdir(parents=True)
    make(path, format=format, exists=exists)


@pytest.mark.parametrize("exists", ["error", "adopt"])
def test_a_folder_of_arrays_without_a_document_of_its_own_does_not_become_an_array(tmp_path, exists):
    make(tmp_path / "em.zarr" / "seg" / "raw")
    (tmp_path / "em.zarr" / "seg" / "zarr.json").unlink()
    before = tree(tmp_path)
    with pytest.raises(StoreExistsError, match="holds raw but no array"):
        make(tmp_path / "em.zarr" / "seg", exists=exists)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("below", ["s0", "a/s0", "a/b/s0", "a/b/c/s0", "a/b/c/d/s0"])
def test_no_level_is_made_inside_an_array(tmp_path, format, below):
    make(tmp_path / "em.zarr" / "raw", format=format)
    before = tree(tmp_path)
    with pytest.raises(wa.errors.WorldArrayError, match="array"):
        make(tmp_path / "em.zarr" / "raw" / below)
    assert tree(tmp_path) == before


def test_attributes_of_an_array_that_differ_are_reported_as_attrs(tmp_path):
    write_json(tmp_path / "em.zarr" / "s0" / ".zattrs", {"by": "a"})
    with pytest.raises(ArgumentError) as caught:
        make(tmp_path / "em.zarr" / "s0", format="zarr2", attrs={"by": "b"}, exists="adopt")
    assert [found.at for found in caught.value.problems] == [("attrs", "by")]


# Levels that are added -----------------------------------------------------------------------------------------------


def test_chunks_alone_keep_the_shards_that_they_fill_and_are_refused_with_others(tmp_path):
    make(tmp_path / "em.zarr" / "s0", (64, 64), chunks=(8, 8), shards=(32, 16))
    pyramid = wa.open_pyramid(tmp_path / "em.zarr", mode="r+")
    added = pyramid.add_level("s1", 2, chunks=(4, 16))
    assert (added.meta.chunk_shape, added.meta.shard_shape) == ((4, 16), (32, 16))
    before = tree(tmp_path)
    with pytest.raises(ArgumentError, match=r"16 on axis 1 is not a whole number of chunks of 32; give shards="):
        pyramid.add_level("s2", 4, chunks=(4, 32))
    assert tree(tmp_path) == before
    assert pyramid.add_level("s2", 4, chunks=(4, 32), shards=(4, 32)).meta.shard_shape == (4, 32)


def test_a_place_that_leaves_no_voxel_of_the_source_is_out_of_range(tmp_path):
    make(tmp_path / "em.zarr" / "s0")  # from the corner (0, 0) to (64, 32)
    pyramid = wa.open_pyramid(tmp_path / "em.zarr", mode="r+")
    before = tree(tmp_path)
    with pytest.raises(ArgumentError, match="no voxel is left") as caught:
        pyramid.add_level("s1", voxel_size=(16, 8), translation=(4, 36))  # x from 32 on
    assert [(found.code, found.at) for found in caught.value.problems] == [("out_of_range", ("translation", 1))]
    assert tree(tmp_path) == before
    assert pyramid.add_level("s1", voxel_size=(16, 8), translation=(4, 35)).shape == (5, 1)  # from (-4, 31)
    assert pyramid.add_level("s2", voxel_size=(32, 16), translation=(4, 100), shape=(2, 3)).shape == (2, 3)


def test_a_level_under_a_multiscale_with_its_own_scale_and_translation_is_placed_over_its_source(tmp_path):
    group = tmp_path / "em.zarr"
    make(group / "s0")
    document = read_json(group / "zarr.json")
    document["attributes"]["ome"]["multiscales"][0]["coordinateTransformations"] = [
        {"type": "scale", "scale": [2, 0.5]},
        {"type": "translation", "translation": [100, -7]},
    ]
    write_json(group / "zarr.json", document)
    pyramid = wa.open_pyramid(group, mode="r+")
    source = pyramid.by_name("s0")
    assert (source.voxel_size, source.translation) == ((16, 2), (108, -6))  # (8 * 2, 4 / 2), (4 * 2 + 100, 2 / 2 - 7)
    added = pyramid.add_level("s1", (2, 4), (1, 0))
    # 108 + 16 * (1 + 1 / 2), -6 + 2 * 3 / 2
    assert (added.voxel_size, added.translation, added.shape) == ((32, 8), (132, -3), (4, 2))
    assert datasets(group)["s1"] == ((16, 16), (16, 8))  # (32 / 2, 8 * 2), ((132 - 100) / 2, (-3 + 7) * 2)


# A grid says its units -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("units", ["nanometer", "um", ("nanometer", "nanometer")])
def test_units_beside_a_grid_are_refused_even_the_default_ones(tmp_path, units):
    grid = wa.Grid((8, 8), (1, 1), (0, 0), units="micrometer", chunks=(4, 4))
    with pytest.raises(ArgumentError, match="units and grid are given"):
        wa.create(tmp_path / "em.zarr" / "s0", grid=grid, dtype="uint8", units=units)
    assert tree(tmp_path) == {}
    assert wa.create(tmp_path / "em.zarr" / "s0", grid=grid, dtype="uint8").meta.units == ("micrometer",) * 2


# Listing what was made elsewhere -------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
def test_an_entry_that_the_arrays_own_attributes_contradict_is_not_written(tmp_path, format):
    group = tmp_path / "em.zarr"
    make(group / "s0", format=format, attrs={"voxel_size": [8, 4]})
    unlist(group, format)
    before = tree(tmp_path)
    with pytest.raises(ArgumentError):
        ensure_group_entry(group, "s0", (16, 4), (8, 2))
    assert tree(tmp_path) == before
    ensure_group_entry(group, "s0", (8, 4), (4, 2))
    assert wa.open(group / "s0").voxel_size == (8, 4)


def test_an_entry_that_a_nearer_group_outranks_is_not_written(tmp_path):
    root = tmp_path / "root.zarr"
    make(root / "seg" / "s0")
    before = tree(tmp_path)
    with pytest.raises(ArgumentError, match=r"read with voxel_size \(8\.0, 4\.0\), not \(16\.0, 16\.0\).*nearer group"):
        ensure_group_entry(root, "seg/s0", (16, 16), (4, 2))
    assert tree(tmp_path) == before
    ensure_group_entry(root, "seg/s0", (8, 4), (4, 2))
    assert wa.open(root, level="seg/s0").voxel_size == (8, 4)


def test_a_symbolic_link_is_not_listed(tmp_path):
    make(tmp_path / "other.zarr" / "s0")
    (tmp_path / "em.zarr").mkdir()
    (tmp_path / "em.zarr" / "s0").symlink_to(tmp_path / "other.zarr" / "s0")
    before = tree(tmp_path)
    with pytest.raises(ArgumentError, match="symbolic link"):
        ensure_group_entry(tmp_path / "em.zarr", "s0", (8, 4), (4, 2))
    assert tree(tmp_path) == before


# Values and caches ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
def test_negative_zero_is_stored_over_a_fill_of_zero(tmp_path, format):
    vol = wa.create(tmp_path / "em.zarr" / "s0", (4, 4), "float32", (1, 1), (0, 0), chunks=(4, 4), format=format)
    vol.write_index((0, 0), (4, 4), np.full((4, 4), -0.0, "float32"))
    assert np.signbit(wa.open(vol.path).read_index((0, 0), (4, 4))).all()


def test_handles_that_share_a_cache_see_each_others_writes(tmp_path):
    context = ts.Context({"cache_pool": {"total_bytes_limit": 10**7}})
    path = tmp_path / "em.zarr" / "s0"
    first = make(path, (10, 9), context=context)
    second, reader = wa.open(path, mode="r+", context=context), wa.open(path, context=context)
    expected = np.zeros((10, 9), "uint8")

    def check():
        for handle in (first, second, reader):
            assert (handle.read_index((0, 0), (10, 9)) == expected).all()

    check()
    for step, (vol, begin, end, partial) in enumerate(
        [
            (first, (0, 0), (10, 9), False),
            (second, (4, 4), (8, 8), False),
            (second, (7, 5), (10, 9), True),
            (first, (8, 8), (10, 9), False),  # a unit that the end cuts on both axes
            (second, (0, 0), (1, 1), True),
        ],
        start=1,
    ):
        box = tuple(map(slice, begin, end))
        expected[box] = step
        vol.write_index(begin, end, expected[box], partial=partial)
        check()


def test_processes_that_list_levels_of_one_group_at_once_lose_none(tmp_path):
    names = [f"a{n}" for n in range(6)]
    for name in names:
        make(tmp_path / name / "s0")
        (tmp_path / "em.zarr").mkdir(exist_ok=True)
        (tmp_path / name / "s0").rename(tmp_path / "em.zarr" / name)
    begin = time.time() + 2
    with ProcessPoolExecutor(3, multiprocessing.get_context("spawn")) as pool:
        tasks = [
            pool.submit(run, {}, begin, "enlist", str(tmp_path / "em.zarr"), name, (8 + n, 4))
            for n, name in enumerate(names)
        ]
        for task in tasks:
            task.result()
    assert wa.open_pyramid(tmp_path / "em.zarr").names == tuple(names)
