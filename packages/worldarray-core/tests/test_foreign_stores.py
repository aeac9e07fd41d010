"""Stores that other people's writers wrote, opened as people open them: facts, values, boxes, pickles, the command."""

import hashlib
import json
import pickle

import numpy as np
import pytest
from foreign import ABSENT, MANIFEST, STORES, close, levels, stores

import worldarray as wa
from worldarray.cli import main


def path_of(store, level=None):
    name = level["name"] if level else ""
    return str(STORES / store["path"] / name) if name else str(STORES / store["path"])


def opened(store, level):
    """By the group and the level's name; an array that no group lists by its own path."""
    return wa.open(path_of(store), level=level["name"] or None, units=store["units"])


def whole(vol):
    return vol.read_index((0,) * vol.ndim, vol.meta.shape)


def checksum(values):
    return hashlib.sha256(np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes()).hexdigest()


def test_the_manifest_lists_every_store_of_the_folder():
    if not MANIFEST.exists():
        pytest.skip(ABSENT)
    listed = {store["path"].split("/")[0] for store in json.loads(MANIFEST.read_text(encoding="utf-8"))["stores"]}
    assert listed == {path.name for path in STORES.iterdir() if path.is_dir()}


@pytest.mark.parametrize(("store", "level"), levels())
def test_a_level_opens_with_the_facts_its_writer_was_told(store, level):
    vol = opened(store, level)
    assert list(vol.shape) == level["shape"]
    assert vol.dtype.name == level["dtype"]
    assert list(vol.axes) == level["axes"]
    assert list(vol.spatial) == level["spatial"]
    assert vol.meta.axes_named == level["axes_named"]
    assert list(vol.meta.units) == level["axis_units"]
    assert vol.meta.placed_by == store["placed_by"]
    assert vol.meta.format == store["format"]
    assert close(vol.voxel_size, level["voxel_size"], vol.voxel_size)
    assert close(vol.translation, level["translation"], vol.voxel_size)
    assert close(vol.meta.voxel_size, level["axis_voxel_size"], vol.meta.voxel_size)
    assert close(vol.meta.translation, level["axis_translation"], vol.meta.voxel_size)


@pytest.mark.parametrize(("store", "level"), levels())
def test_a_level_reads_the_values_its_writer_was_given(store, level):
    values = whole(opened(store, level))
    assert values.flags.c_contiguous
    assert values.dtype.isnative
    assert checksum(values) == level["sha256"]


@pytest.mark.parametrize(("store", "level"), levels())
def test_a_level_path_is_the_level_of_its_group(store, level):
    vol, direct = opened(store, level), wa.open(path_of(store, level), units=store["units"])
    assert direct.meta == vol.meta
    assert direct.grid == vol.grid
    assert checksum(whole(direct)) == level["sha256"]


@pytest.mark.parametrize(("store", "level"), levels())
def test_the_extent_of_a_level_reads_the_whole_of_it(store, level):
    vol = opened(store, level)
    values, inside = vol.read(vol.box, mask=True)
    assert inside.all()
    assert checksum(values) == level["sha256"]


@pytest.mark.parametrize("store", stores())
def test_a_world_box_reads_the_voxels_whose_centres_lie_in_it(store):
    box = store["box"]
    level = next(level for level in store["levels"] if level["name"] == box["level"])
    vol = opened(store, level)
    values = vol.read((box["begin"], box["end"]))
    assert list(values.shape) == box["shape"]
    assert int(values.sum(dtype=np.int64)) == box["sum"]
    assert values.reshape(-1)[:4].tolist() == box["first4"]
    begin, end = vol.index_box((box["begin"], box["end"]))
    assert (vol.read_index(begin, end) == values).all()


@pytest.mark.parametrize(("store", "level"), levels())
def test_documents_alone_tell_all_that_opening_tells(store, level):
    name = level["name"] or None
    shut, open_ = (wa.metadata(path_of(store), name, store["units"], open=how) for how in (False, True))
    assert shut == open_
    array = wa.open_tensorstore(path_of(store), name)
    assert shut.shape == array.shape
    assert shut.dtype == array.dtype.numpy_dtype
    assert shut.chunk_shape == array.chunk_layout.read_chunk.shape
    assert shut == opened(store, level).grid


@pytest.mark.parametrize(("store", "level"), levels())
def test_a_pickled_handle_reads_the_same(store, level):
    vol = opened(store, level)
    vol.ts.shape  # noqa: B018  (open: what is open does not travel)
    again = pickle.loads(pickle.dumps(vol))
    assert (again.meta, again.grid, again.level_name, again.levels) == (
        vol.meta,
        vol.grid,
        vol.level_name,
        vol.levels,
    )
    assert checksum(whole(again)) == level["sha256"]


@pytest.mark.parametrize("store", stores("pyramid"))
def test_a_pyramid_places_and_opens_every_level(store):
    pyramid = wa.open_pyramid(path_of(store), units=store["units"])
    assert list(pyramid.names) == [level["name"] for level in store["levels"]]
    for placed, meta, level in zip(pyramid.placements(), pyramid.metas(), store["levels"], strict=True):
        assert placed.name == level["name"]
        assert close(placed.voxel_size, level["voxel_size"], placed.voxel_size)
        assert close(placed.translation, level["translation"], placed.voxel_size)
        assert list(meta.shape) == level["shape"]
        vol = pyramid.by_name(level["name"])
        assert (vol.voxel_size, vol.translation) == (placed.voxel_size, placed.translation)
        assert vol.meta == meta
        assert pyramid.select(placed.voxel_size, "exact").level_name == level["name"]
        assert checksum(whole(vol)) == level["sha256"]


@pytest.mark.parametrize(("store", "level"), levels("pyramid"))
def test_a_level_path_lists_the_levels_of_its_group(store, level):
    by_level, by_group = wa.open_pyramid(path_of(store, level)), wa.open_pyramid(path_of(store))
    assert by_level.names == by_group.names
    assert by_level.placements() == by_group.placements()
    assert wa.open(path_of(store, level)).levels == by_group.names


@pytest.mark.parametrize("store", stores())
def test_the_command_shows_every_level(store, capsys):
    assert main(["info", path_of(store)]) == 0
    text = capsys.readouterr().out
    assert all((level["name"] or store["path"].split("/")[-1]) in text for level in store["levels"])
    assert main(["info", "--json", path_of(store)]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [level["shape"] for level in shown["levels"]] == [level["shape"] for level in store["levels"]]
    for found, level in zip(shown["levels"], store["levels"], strict=True):
        assert close(found["voxel_size"], level["axis_voxel_size"], found["voxel_size"])
        assert close(found["translation"], level["axis_translation"], found["voxel_size"])
        assert found["placed_by"] == store["placed_by"]


@pytest.mark.parametrize("store", stores())
def test_a_level_at_twice_its_voxel_size_covers_the_same_extent(store):
    """ceil(n / 2) target voxels from the same corner; means lie between the least and the greatest value."""
    level = store["levels"][-1]
    stored = opened(store, level)
    size = tuple(2 * s for s in stored.voxel_size)
    path = path_of(store, level)
    vol = wa.open(path, voxel_size=size, on_mismatch="resample", method="linear", units=store["units"])
    spatial = set(stored.spatial)
    assert vol.shape == tuple(-(-n // 2) if axis in spatial else n for axis, n in enumerate(stored.shape))
    assert vol.corner == stored.corner
    values, data = vol.read(vol.box), whole(stored)
    assert values.shape == vol.shape
    assert data.min() <= values.min()
    assert values.max() <= data.max()
