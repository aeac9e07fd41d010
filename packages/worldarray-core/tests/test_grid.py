"""A Grid is a WorldArray without a store (Behaviour 18)."""

import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from worldarray.box import Box
from worldarray.errors import ArgumentError, ArgumentTypeError, UnitError
from worldarray.grid import Grid
from worldarray.records import ArrayMeta
from worldarray.tiling import blocks

FACTS = {
    "shape": (10, 20, 30),
    "voxel_size": (30, 8, 4),
    "translation": (15, 12, -2),
    "chunks": (5, 8, 7),
    "shards": (5, 16, 21),
}


def test_a_grid_answers_from_its_facts():
    grid = Grid(**FACTS)
    assert (grid.shape, grid.ndim, grid.axes, grid.spatial) == ((10, 20, 30), 3, ("z", "y", "x"), (0, 1, 2))
    assert grid.units == ("nanometer",) * 3
    assert grid.voxel_size == (30.0, 8.0, 4.0)
    assert grid.translation == (15.0, 12.0, -2.0)
    assert grid.corner == (0.0, 8.0, -4.0)  # half a voxel below
    assert grid.box == Box((0, 8, -4), (300, 168, 116))  # corner + shape * voxel_size
    assert grid.write_shape == (5, 16, 21)
    assert Grid(**{**FACTS, "shards": None}).write_shape == (5, 8, 7)


def test_index_box_is_the_centre_rule_and_the_own_extent_is_the_whole_grid():
    grid = Grid(**FACTS)
    assert grid.index_box(grid.box) == ((0, 0, 0), (10, 20, 30))
    # z: centres 15, 45; y: 12, 20, 28; x: -2, 2, 6
    assert grid.index_box(((15, 13, -2), (45, 28, 3))) == ((0, 1, 0), (1, 2, 2))
    # x: an extent of 5 / 4 voxels from -2: the centres -2 and 2
    assert grid.index_box(((-30, 0, 0), (0, 8, 8))) == ((-1, -1, 1), (0, 0, 3))


def test_the_other_axes_are_kept_whole_by_a_spatial_box():
    grid = Grid((4, 3, 20, 30), (8, 4), (4, 2), axes=("t", "c", "y", "x"), units={"space": "um", "time": "s"})
    assert grid.units == ("second", "", "micrometer", "micrometer")
    assert grid.index_box(((0, 8), (16, 24))) == ((0, 0, 0, 2), (4, 3, 2, 6))
    assert grid.index_box(((1, 0, 0, 8), (3, 1, 16, 24))) == ((1, 0, 0, 2), (3, 1, 2, 6))
    assert grid.meta("uint8").voxel_size == (1.0, 1.0, 8.0, 4.0)
    assert grid.meta("uint8").translation == (0.0, 0.0, 4.0, 2.0)


def test_one_entry_per_axis_places_time_too():
    grid = Grid((4, 3, 20, 30), (0.5, 1, 8, 4), (10, 0, 4, 2), axes=("t", "c", "y", "x"))
    assert (grid.voxel_size, grid.translation) == ((8.0, 4.0), (4.0, 2.0))
    # samples at 10, 10.5, 11, 11.5
    assert grid.index_box(((10.5, 0, 0, 0), (11.5, 3, 8, 4))) == ((1, 0, 0, 0), (3, 3, 1, 1))


def test_chunks_and_write_units_that_a_box_touches():
    grid = Grid(**FACTS)
    assert grid.chunks_covering((0, 8, 0), (5, 17, 7)) == [(0, 1, 0), (0, 2, 0)]
    assert grid.chunks_covering((4, 15, 20), (6, 17, 22), write=True) == [
        (0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1), (1, 1, 0), (1, 1, 1),
    ]  # fmt: skip


def test_blocks_are_write_units_by_default():
    grid = Grid(**FACTS)
    assert grid.blocks() == blocks((10, 20, 30), (5, 16, 21))
    assert grid.blocks((4, 4, 4), 1, ((0, 0, 0), (8, 8, 8)), clip=False) == blocks(
        (10, 20, 30), (4, 4, 4), 1, ((0, 0, 0), (8, 8, 8)), clip=False
    )


def test_a_grid_without_chunks_plans_reads_and_says_what_it_lacks():
    grid = Grid((10, 20), (8, 4), (4, 2))
    assert grid.index_box(((0, 0), (8, 8))) == ((0, 0), (1, 2))
    assert len(grid.blocks((5, 5))) == 8
    assert grid.meta("uint8").chunk_shape == (10, 20)
    for ask in (lambda: grid.write_shape, grid.blocks, lambda: grid.chunks_covering((0, 0), (1, 1))):
        with pytest.raises(ArgumentError) as caught:
            ask()
        assert caught.value.code == "missing_field"


def test_meta_is_what_an_array_of_this_grid_reports():
    meta = Grid(**FACTS, units="nm").meta("uint16")
    assert meta == ArrayMeta(
        shape=(10, 20, 30),
        dtype=np.dtype("uint16"),
        chunk_shape=(5, 8, 7),
        axes=("z", "y", "x"),
        axes_named=True,
        units=("nanometer",) * 3,
        voxel_size=(30.0, 8.0, 4.0),
        translation=(15.0, 12.0, -2.0),
        format="zarr3",
        path="",
        placed_by="ome",
        shard_shape=(5, 16, 21),
        axis_types=("space",) * 3,
        translation_declared=True,
        fill_value=np.uint16(0),
    )
    assert meta.write_shape == (5, 16, 21)
    assert meta.corner == (0.0, 8.0, -4.0)
    with pytest.raises(ArgumentTypeError):
        Grid(**FACTS).meta("uint17")


@pytest.mark.parametrize(
    ("axes", "types"),
    [
        (("t", "c", "z", "y", "x"), ("time", "channel", "space", "space", "space")),
        (("time", "channel", "lat", "y", "x"), ("time", "channel", "", "space", "space")),
    ],
)
def test_axis_types_come_from_the_names(axes, types):
    assert Grid((1, 2, 3, 4, 5), (1,) * 5, (0,) * 5, axes).meta("uint8").axis_types == types


@pytest.mark.parametrize(
    ("units", "expected"),
    [
        ("um", ("", "", "micrometer", "micrometer")),
        ({"time": "ms"}, ("millisecond", "", "", "")),
        (None, ("", "", "", "")),
        (("ms", "", "µm", "pixel"), ("millisecond", "", "micrometer", "pixel")),
        (("ms", "nm", "nm", ""), ("millisecond", "", "nanometer", "")),  # no unit on a channel axis
    ],
)
def test_units_are_per_kind_or_per_axis(units, expected):
    assert Grid((1, 2, 3, 4), (8, 4), (4, 2), ("t", "c", "y", "x"), units).units == expected


def test_a_grid_is_frozen_and_picklable():
    grid = Grid(**FACTS)
    assert pickle.loads(pickle.dumps(grid)) == grid
    assert hash(pickle.loads(pickle.dumps(grid))) == hash(grid)
    assert grid != Grid(**{**FACTS, "translation": (15, 12, 2)})
    with pytest.raises(FrozenInstanceError):
        grid.shape = (1, 2, 3)


def test_grids_without_axes_or_voxels():
    assert Grid((), (), (), chunks=()).box == Box((), ())
    assert Grid((0, 5), (8, 4), (4, 2), chunks=(2, 2)).box == Box((0, 0), (0, 20))


@pytest.mark.parametrize(
    ("changes", "error", "code"),
    [
        ({"shape": (10, 20.5, 30)}, ArgumentTypeError, "wrong_type"),
        ({"shape": (10, -20, 30)}, ArgumentError, "out_of_range"),
        ({"shape": (10, 20)}, ArgumentError, "wrong_length"),
        ({"voxel_size": (30, 8)}, ArgumentError, "wrong_length"),
        ({"voxel_size": (30, 0, 4)}, ArgumentError, "not_positive"),
        ({"voxel_size": (30, -8, 4)}, ArgumentError, "not_positive"),
        ({"voxel_size": 8}, ArgumentTypeError, "wrong_type"),
        ({"translation": (15, float("nan"), 2)}, ArgumentError, "not_finite"),
        ({"translation": (15, 12)}, ArgumentError, "wrong_length"),
        ({"axes": ("z", "y")}, ArgumentError, "wrong_length"),
        ({"axes": ("z", "y", "y")}, ArgumentError, "duplicate"),
        ({"axis_types": ("space",)}, ArgumentError, "wrong_length"),
        ({"units": ("nm", "nm")}, ArgumentError, "wrong_length"),
        ({"units": "pixel"}, UnitError, "unknown_unit"),
        ({"units": "second"}, UnitError, "wrong_value"),
        ({"chunks": (5, 8)}, ArgumentError, "wrong_length"),
        ({"chunks": (5, 0, 7)}, ArgumentError, "not_positive"),
        ({"chunks": None}, ArgumentError, "missing_field"),
        ({"shards": (5, 12, 21)}, ArgumentError, "not_integral"),
        ({"shards": (5, 16.0, 21)}, ArgumentTypeError, "wrong_type"),
    ],
)
def test_facts_that_make_no_grid_are_refused(changes, error, code):
    assert Grid(**FACTS)
    with pytest.raises(error) as caught:
        Grid(**{**FACTS, **changes})
    assert caught.value.code == code


# From another array --------------------------------------------------------------------------------------------------


def source(**changes):
    facts = {**FACTS, "shape": (3, 10, 20, 30), "chunks": (1, 5, 8, 7), "shards": None, **changes}
    return Grid(**facts).meta("uint8")


def test_from_meta_is_the_same_grid():
    meta = source(axes=("c", "z", "y", "x"), units=("", "um", "nm", "pixel"))
    assert Grid.from_meta(meta).meta("uint8").same_grid(meta)
    assert Grid.from_meta(meta).chunks == (1, 5, 8, 7)


def test_from_meta_at_a_voxel_size_is_the_target_grid_over_the_data():
    grid = Grid.from_meta(source(), voxel_size=(45, 8, 16))
    # 10 * 30 / 45 = 6.67 -> 7; the same; 30 * 4 / 16 = 7.5 -> 8
    assert grid.shape == (3, 7, 20, 8)
    assert grid.voxel_size == (45.0, 8.0, 16.0)
    assert grid.corner == (0.0, 8.0, -4.0)  # the source's
    assert grid.translation == (22.5, 12.0, 4.0)  # corner + half a target voxel
    assert grid.chunks == (1, 5, 8, 7)


def test_noise_in_a_ratio_adds_no_voxel():
    meta = Grid((100_000,), (0.1,), (0.05,), ("x",), chunks=(64,)).meta("uint8")
    assert Grid.from_meta(meta, voxel_size=(0.1 * 3,)).shape == (33_334,)  # 33333.33
    assert Grid.from_meta(meta, voxel_size=(0.2,)).shape == (50_000,)
    assert Grid.from_meta(meta, voxel_size=(0.1 + 1e-12,)).shape == (100_000,)
    assert Grid.from_meta(meta, voxel_size=(0.05,)).shape == (200_000,)


def test_one_entry_per_axis_must_keep_the_others():
    assert Grid.from_meta(source(), voxel_size=(1, 45, 8, 16)).shape == (3, 7, 20, 8)
    with pytest.raises(ArgumentError) as caught:
        Grid.from_meta(source(), voxel_size=(2, 45, 8, 16))
    assert caught.value.code == "wrong_value"


@pytest.mark.parametrize(
    ("voxel_size", "code"),
    [((45, 8), "wrong_length"), ((45, 8, 0), "not_positive"), ((45, 8, float("inf")), "not_finite")],
)
def test_voxel_sizes_that_make_no_target_are_refused(voxel_size, code):
    with pytest.raises(ArgumentError) as caught:
        Grid.from_meta(source(), voxel_size=voxel_size)
    assert caught.value.code == code


def test_axis_types_of_the_source_decide_what_is_spatial():
    meta = Grid((4, 20, 30), (1, 8, 4), (0, 4, 2), ("u", "v", "w"), axis_types=("time", "space", "space")).meta("uint8")
    grid = Grid.from_meta(meta, voxel_size=(16, 8))
    assert (grid.spatial, grid.shape) == ((1, 2), (4, 10, 15))
