"""Stores that other people's writers wrote: every level is where its writer was told to put it."""

import pytest
from foreign import STORES, close, levels, stores

from worldarray.describing.describe import chunk_notices, describe_array
from worldarray.describing.listing import describe_level, level_location, list_pyramid
from worldarray.io.sources import FileSource
from worldarray.paths import parse_path

SOURCE = FileSource()


def described(store, level):
    where = parse_path(STORES / store["path"])
    return describe_array(SOURCE, where.join(level["name"]) if level["name"] else where)


@pytest.mark.parametrize(("store", "level"), levels())
def test_a_level_is_described_as_its_writer_was_told(store, level):
    found = described(store, level)
    meta = found.meta
    assert meta.format == store["format"]
    assert list(meta.shape) == level["shape"]
    assert meta.dtype.name == level["dtype"]
    assert list(meta.axes) == level["axes"]
    assert meta.axes_named == level["axes_named"]
    assert list(meta.units) == level["axis_units"]
    assert list(meta.spatial) == level["spatial"]
    assert meta.placed_by == store["placed_by"]
    assert close(meta.voxel_size, level["axis_voxel_size"], meta.voxel_size)
    assert close(meta.translation, level["axis_translation"], meta.voxel_size)
    assert chunk_notices(SOURCE, found) == ()


@pytest.mark.parametrize(("store", "level"), levels("pyramid"))
def test_the_group_and_the_level_path_place_a_level_alike(store, level):
    where = parse_path(STORES / store["path"])
    by_group = list_pyramid(SOURCE, where)
    by_level = list_pyramid(SOURCE, where.join(level["name"]))
    assert by_level.opened == level["name"]
    assert by_level.names == by_group.names
    assert by_level.placements == by_group.placements
    meta = described(store, level).meta
    assert describe_level(SOURCE, by_group, level["name"]).meta == meta
    assert level_location(by_group, level["name"]).text == meta.path
    placed = by_group.placements[by_group.names.index(level["name"])]
    if placed is not None:
        assert placed.axes == meta.axes
        assert placed.units == meta.units
        assert placed.voxel_size == meta.voxel_size
        assert placed.translation == meta.translation
        assert placed.placed_by == meta.placed_by


@pytest.mark.parametrize("store", stores("pyramid"))
def test_a_pyramid_lists_its_levels_in_order(store):
    listing = list_pyramid(SOURCE, parse_path(STORES / store["path"]))
    assert list(listing.names) == [level["name"] for level in store["levels"]]
    assert listing.format == store["format"]


@pytest.mark.parametrize("store", stores("array"))
def test_an_array_of_no_pyramid_is_listed_alone(store):
    where = parse_path(STORES / store["path"])
    listing = list_pyramid(SOURCE, where)
    assert (listing.names, listing.placements, listing.opened) == ((where.name,), (None,), where.name)
