"""Blocks tile, context grows (Behaviour 17); the schedule of levels (Behaviour 19)."""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldarray.errors import ArgumentError, ArgumentIndexError, ArgumentTypeError
from worldarray.tiling import Block, blocks, level_factors

axis = st.tuples(
    st.integers(0, 12), st.integers(1, 6), st.integers(0, 3), st.integers(0, 3), st.integers(0, 12), st.integers(0, 12)
)


@settings(max_examples=200, deadline=None)
@given(st.lists(axis, max_size=3), st.booleans(), st.booleans())
def test_write_boxes_partition_and_every_way_to_a_block_agrees(axes, boxed, clip):
    shape, unit = tuple(a[0] for a in axes), tuple(a[1] for a in axes)
    context = tuple((a[2], a[3]) for a in axes)
    low = tuple(min(a[4], a[5], a[0]) for a in axes)
    high = tuple(min(max(a[4], a[5]), a[0]) for a in axes)
    box = (low, high) if boxed else None
    begin, end = (low, high) if boxed else ((0,) * len(axes), shape)
    tiles = blocks(shape, unit, context, box, clip)

    owned = np.zeros(shape, int)
    assert list(tiles) == [tiles[position] for position in range(len(tiles))]
    for position, block in enumerate(tiles):
        assert block == tiles[position - len(tiles)]
        assert block.id == position == tiles.id_of(block.begin)
        assert block.index == tiles.index_of(block.begin)
        assert block in tiles
        owned[tuple(map(slice, block.begin, block.end))] += 1
        grown = [(b - before, e + after) for b, e, (before, after) in zip(block.begin, block.end, context, strict=True)]
        if clip:
            grown = [(max(b, 0), min(e, n)) for (b, e), n in zip(grown, shape, strict=True)]
        assert list(zip(block.read_begin, block.read_end, strict=True)) == grown
        assert all(s.stop - s.start == e - b for s, b, e in zip(block.inner, block.begin, block.end, strict=True))
        assert all(s.start == b - r for s, b, r in zip(block.inner, block.begin, block.read_begin, strict=True))
    inside = np.zeros(shape, int)
    inside[tuple(map(slice, begin, end))] = 1
    assert (owned == inside).all()
    assert len(list(tiles)) == len(tiles)
    assert [b.index for b in tiles] == sorted(b.index for b in tiles)

    bounds = tiles.arrays()
    for name in ("begin", "end", "read_begin", "read_end"):
        column = getattr(bounds, name)
        assert column.dtype == np.int64
        assert column.shape == (len(tiles), len(shape))
        assert [tuple(row) for row in column.tolist()] == [getattr(b, name) for b in tiles]


def test_blocks_come_in_c_order_with_the_last_ones_clipped():
    tiles = blocks((5, 7), (3, 4))
    assert [(b.index, b.begin, b.end) for b in tiles] == [
        ((0, 0), (0, 0), (3, 4)),
        ((0, 1), (0, 4), (3, 7)),
        ((1, 0), (3, 0), (5, 4)),
        ((1, 1), (3, 4), (5, 7)),
    ]
    assert tiles.grid_shape == (2, 2)


@pytest.mark.parametrize(
    ("context", "read"),
    [
        (1, ((2, 3), (5, 7))),
        ((1, 0), ((2, 4), (5, 7))),
        ((0, 2), ((3, 2), (5, 7))),
        (((2, 0), (0, 1)), ((1, 4), (5, 7))),
        ((1, (3, 0)), ((2, 1), (5, 7))),
        (99, ((0, 0), (5, 7))),
        (np.int64(1), ((2, 3), (5, 7))),
    ],
)
def test_context_is_one_number_or_one_per_axis_or_a_pair_per_axis(context, read):
    block = blocks((5, 7), (3, 4), context)[3]
    assert (block.begin, block.end) == ((3, 4), (5, 7))
    assert (block.read_begin, block.read_end) == read


def test_without_clipping_a_read_box_reaches_outside_the_array():
    block = blocks((5, 7), (3, 4), ((1, 2), (3, 4)), clip=False)[0]
    assert (block.read_begin, block.read_end) == ((-1, -3), (5, 8))
    assert block.inner == (slice(1, 4), slice(3, 7))


def test_a_box_anchors_the_grid_and_context_reaches_out_of_it():
    tiles = blocks((50, 70), (10, 20), context=5, box=((7, 11), (20, 60)))
    assert tiles.grid_shape == (2, 3)
    assert tiles[0].begin == (7, 11)
    last = tiles[-1]
    assert (last.begin, last.end) == ((17, 51), (20, 60))
    assert (last.read_begin, last.read_end) == ((12, 46), (25, 65))


def test_a_block_is_a_box_to_tile():
    outer = blocks((50, 70), (20, 30))[3]
    inner = blocks((50, 70), (15, 20), box=outer)
    assert [b.begin for b in inner] == [(20, 0), (20, 20), (35, 0), (35, 20)]
    assert inner[-1].end == (40, 30)


def test_a_cut_of_the_sequence_is_a_list():
    tiles = blocks((5, 7), (3, 4))
    assert tiles[1:3] == [tiles[1], tiles[2]]
    assert tiles[::-1] == list(reversed(tiles))
    assert tiles[10:] == []


def test_arrays_take_a_range_of_ids():
    tiles = blocks((9, 8, 7), (2, 3, 4), context=1)
    part = tiles.arrays(5, 17)
    assert part.read_end.tolist() == [list(b.read_end) for b in tiles[5:17]]
    assert tiles.arrays(4, 4).begin.shape == (0, 3)
    for start, stop in ((-1, 3), (3, 2), (0, len(tiles) + 1)):
        with pytest.raises(ArgumentError) as caught:
            tiles.arrays(start, stop)
        assert caught.value.code == "out_of_range"


def test_blocks_and_their_sequence_are_plain_and_picklable():
    tiles = blocks((5, 7), (3, 4), context=1)
    assert pickle.loads(pickle.dumps(tiles)) == tiles
    block = pickle.loads(pickle.dumps(tiles[3]))
    assert block == tiles[3]
    assert isinstance(block, Block)
    assert {tiles[3]: 1}[block] == 1
    assert hash(tiles) == hash(blocks((5, 7), (3, 4), context=1))


def test_millions_of_blocks_cost_nothing_until_they_are_asked_for():
    tiles = blocks((2**30, 2**30, 64), (64, 64, 64))
    assert tiles.grid_shape == (2**24, 2**24, 1)
    assert tiles[2**24].begin == (64, 0, 0)


def test_no_axes_is_one_block_and_no_voxels_are_none():
    (block,) = blocks((), ())
    assert block == Block((), 0, (), (), (), ())
    assert list(blocks((0, 7), (3, 4))) == []
    assert len(blocks((5, 7), (3, 4), box=((2, 2), (2, 7)))) == 0


@pytest.mark.parametrize("position", [4, -5, 10**20])
def test_a_position_that_is_not_there_is_an_index_error(position):
    with pytest.raises(ArgumentIndexError) as caught:
        blocks((5, 7), (3, 4))[position]
    assert isinstance(caught.value, IndexError)


@pytest.mark.parametrize(
    ("begin", "code"),
    [((3, 3), "not_aligned"), ((6, 0), "out_of_range"), ((-3, 0), "out_of_range"), ((3,), "wrong_length")],
)
def test_index_of_takes_the_first_voxel_of_a_block(begin, code):
    tiles = blocks((5, 7), (3, 4))
    assert tiles.index_of((3, 4)) == (1, 1)
    assert tiles.id_of((3, 4)) == 3
    for find in (tiles.index_of, tiles.id_of):
        with pytest.raises(ArgumentError) as caught:
            find(begin)
        assert caught.value.code == code


@pytest.mark.parametrize(
    ("arguments", "error", "code"),
    [
        ({"shape": (5.0, 7)}, ArgumentTypeError, "wrong_type"),
        ({"shape": (-5, 7)}, ArgumentError, "out_of_range"),
        ({"block_shape": (3, 0)}, ArgumentError, "not_positive"),
        ({"block_shape": (3,)}, ArgumentError, "wrong_length"),
        ({"block_shape": (3, 4.5)}, ArgumentTypeError, "wrong_type"),
        ({"block_shape": 3}, ArgumentTypeError, "wrong_type"),
        ({"context": -1}, ArgumentError, "out_of_range"),
        ({"context": 0.9}, ArgumentTypeError, "wrong_type"),
        ({"context": (1, 1, 1)}, ArgumentError, "wrong_length"),
        ({"context": ((1, 1), (1, 1, 1))}, ArgumentError, "wrong_length"),
        ({"context": ((1, -1), (0, 0))}, ArgumentError, "out_of_range"),
        ({"box": ((0, 0), (5, 8))}, ArgumentError, "out_of_range"),
        ({"box": ((-1, 0), (5, 7))}, ArgumentError, "out_of_range"),
        ({"box": ((3, 0), (2, 7))}, ArgumentError, "order"),
        ({"box": ((0, 0.5), (5, 7))}, ArgumentTypeError, "wrong_type"),
        ({"box": ((0,), (5,))}, ArgumentError, "wrong_length"),
        ({"box": 5}, ArgumentTypeError, "wrong_type"),
    ],
)
def test_what_is_no_tiling_is_refused(arguments, error, code):
    good = {"shape": (5, 7), "block_shape": (3, 4)}
    assert len(blocks(**good)) == 4
    with pytest.raises(error) as caught:
        blocks(**{**good, **arguments})
    assert caught.value.code == code


def test_an_id_is_an_integer():
    with pytest.raises(ArgumentTypeError):
        blocks((5, 7), (3, 4))[0.9]


# Levels --------------------------------------------------------------------------------------------------------------


def test_an_anisotropic_volume_becomes_isotropic_first():
    # 8, 8 | 30: 30 > 1.5 * 8 and 30 > 1.5 * 16, so z stays; at 32 it is the smallest and all are within 1.5 * 30
    factors = level_factors((30, 8, 8), max_levels=5)
    assert factors == [(1, 2, 2), (1, 2, 2), (2, 2, 2), (2, 2, 2), (2, 2, 2)]
    sizes = [tuple(np.prod(factors[: i + 1], axis=0) * (30, 8, 8)) for i in range(3)]
    assert sizes == [(30, 16, 16), (30, 32, 32), (60, 64, 64)]
    assert level_factors((8, 8, 30), max_levels=2) == [(2, 2, 1), (2, 2, 1)]


@pytest.mark.parametrize("voxel_size", [(4, 4, 4), (8.0, 8.0), (10.48, 10.48, 10.48), (5.24, 4, 4)])
def test_isotropic_data_is_halved_on_every_axis(voxel_size):
    assert level_factors(voxel_size, max_levels=3) == [(2,) * len(voxel_size)] * 3


def test_ratio_says_how_much_larger_an_axis_may_be():
    assert level_factors((12, 8), max_levels=1) == [(2, 2)]  # 12 = 1.5 * 8, within
    assert level_factors((12.5, 8), max_levels=1) == [(1, 2)]
    assert level_factors((12.5, 8), ratio=2, max_levels=1) == [(2, 2)]
    assert level_factors((12.5, 8), 1, max_levels=2) == [(1, 2), (2, 1)]  # 12.5, 16: y alone is the smallest
    assert level_factors((3 * 0.1, 0.2), max_levels=1) == [(2, 2)]  # 0.30000000000000004 is 1.5 * 0.2 but for noise


def test_levels_stop_when_one_fits():
    # 200, 100 -> 100, 50 -> 50, 25
    assert level_factors((8, 8), stop_shape=(64, 64), shape=(200, 100)) == [(2, 2), (2, 2)]
    assert level_factors((8, 8), stop_shape=(64, 64), shape=(64, 10)) == []
    assert level_factors((8, 8), stop_shape=(64, 64), shape=(65, 10)) == [(2, 2)]  # 65 -> 33
    assert level_factors((8, 8), max_levels=1, stop_shape=(64, 64), shape=(200, 100)) == [(2, 2)]
    assert level_factors((8, 8), max_levels=9, stop_shape=(64, 64), shape=(200, 100)) == [(2, 2), (2, 2)]


def test_levels_stop_at_a_single_voxel():
    assert level_factors((8, 8), max_levels=9, shape=(3, 2)) == [(2, 2), (2, 2)]  # 3, 2 -> 2, 1 -> 1, 1
    assert level_factors((8, 8), max_levels=9, shape=(1, 1)) == []
    assert level_factors((8, 8), max_levels=0) == []


@pytest.mark.parametrize(
    ("arguments", "error", "code"),
    [
        ({"max_levels": None}, ArgumentError, "invalid_argument"),
        ({"max_levels": None, "shape": (9, 9)}, ArgumentError, "invalid_argument"),
        ({"stop_shape": (4, 4)}, ArgumentError, "invalid_argument"),
        ({"stop_shape": (4,), "shape": (9, 9)}, ArgumentError, "wrong_length"),
        ({"stop_shape": (4, 0), "shape": (9, 9)}, ArgumentError, "out_of_range"),
        ({"stop_shape": (4, 4), "shape": (9, 9, 9)}, ArgumentError, "wrong_length"),
        ({"max_levels": -1}, ArgumentError, "out_of_range"),
        ({"max_levels": 1.5}, ArgumentTypeError, "wrong_type"),
        ({"ratio": 0.5}, ArgumentError, "out_of_range"),
        ({"ratio": float("nan")}, ArgumentError, "out_of_range"),
        ({"voxel_size": (8, 0)}, ArgumentError, "not_positive"),
    ],
)
def test_a_schedule_needs_an_end_and_sense(arguments, error, code):
    good = {"voxel_size": (8, 8), "max_levels": 3}
    assert len(level_factors(**good)) == 3
    with pytest.raises(error) as caught:
        level_factors(**{**good, **arguments})
    assert caught.value.code == code


def test_no_block_is_lost_between_iteration_and_lookup_on_a_large_grid():
    tiles = blocks((100, 90, 80), (7, 6, 5), ((1, 0), (0, 2), (3, 3)))
    sample = itertools.islice(tiles, 0, None, 97)
    assert all(block == tiles[block.id] for block in sample)


def test_more_blocks_than_can_be_counted_are_refused():
    assert len(blocks((2**31, 2**31), (1, 1))) == 2**62
    with pytest.raises(ArgumentError, match="larger blocks") as caught:
        blocks((2**40, 2**40, 2**40), (1, 1, 1))  # 2^120 blocks
    assert caught.value.code == "out_of_range"
