"""Grids that cover a volume."""

import pickle
from itertools import pairwise
from math import prod

import numpy as np
import pytest
from drawn import halved, volume
from hypothesis import given, settings
from hypothesis import strategies as st

from miao.errors import ArgumentError, ArgumentTypeError, SampleIndexError
from miao.geometry.windows import start_of
from miao.records import SamplingRules
from miao.sampling.sampler import Sampler
from miao.sampling.sequential import axis_grid

SEQUENTIAL = SamplingRules(sampling="sequential")


def origins(first, last, stride, size):
    axis = axis_grid(first, last, stride, size)
    return [axis.origin(k) for k in range(axis.count)]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((0, 34, 12.0, 16), [0, 12, 24, 34]),  # 36 would pass 34
        ((0, 36, 12.0, 16), [0, 12, 24, 36]),  # the last is a multiple: not twice
        ((0, 0, 12.0, 16), [0]),  # one window
        ((5, 6, 12.0, 16), [5, 6]),
        ((0, 20, 7.5, 8), [0, 7, 15, 20]),  # 0, 7.5, 15; 22.5 passes 20
        ((3, 9, 0.25, 4), [3, 4, 5, 6, 7, 8, 9]),  # a stride below one voxel would repeat windows
        ((0, 20, 9.0, 8), [0, 8, 16, 20]),  # a stride beyond the window would leave voxels out
    ],
)
def test_origins_are_multiples_of_the_stride_rounded_down_and_the_last_closes_the_axis(given, expected):
    assert origins(*given) == expected


def test_a_product_a_rounding_below_a_whole_number_is_that_number():
    # 0.1 * 30 / 0.3 is 10.000000000000002 or 9.999...: 3 strides of 1.1 / 0.1 = 11.000000000000002
    assert origins(0, 100, (11 * 0.3) / 0.1 / 3, 12) == [0, 11, 22, 33, 44, 55, 66, 77, 88, 99, 100]


@settings(max_examples=150, deadline=None)
@given(
    first=st.integers(0, 50),
    span=st.integers(0, 300),
    size=st.integers(1, 40),
    part=st.floats(0.01, 1.5, allow_nan=False),
)
def test_no_voxel_is_left_out_and_no_window_comes_twice(first, span, size, part):
    found = origins(first, first + span, size * part, size)
    assert found[0] == first
    assert found[-1] == first + span
    assert all(a < b <= a + size for a, b in pairwise(found))


def test_positions_go_through_the_store_order_with_the_last_axis_fastest():
    # 50: origins 0 12 24 34; 70: 0 12 24 36 48 54; 64: 0 12 24 36 48. 4 * 6 * 5 = 120.
    one = volume([((50, 70, 64), (4, 4, 4))], (16, 16, 16), [(4, 4, 4)], overlap=(4, 4, 4))
    sampler = Sampler([one], SEQUENTIAL)
    assert sampler.length == 120
    assert sampler.grid(0).origins() == ((0, 12, 24, 34), (0, 12, 24, 36, 48, 54), (0, 12, 24, 36, 48))
    plans = [sampler.plan(i) for i in range(120)]
    assert [plan.grid_index for plan in plans] == list(np.ndindex(4, 6, 5))
    assert plans[7].centre == (8, 20, 32)  # index (0, 1, 2): 0 + 8, 12 + 8, 24 + 8
    assert plans[7].scales[0].start == (0, 12, 24)
    assert plans[-1].grid_index == (3, 5, 4)


def test_grid_index_is_in_output_order():
    one = volume([((50, 70), (4, 4))], (16, 16), [(4, 4)], overlap=(4, 4), order=(1, 0))
    plan = Sampler([one], SEQUENTIAL).plan(7)  # store order (1, 1) of 4 x 6
    assert (plan.grid_index, plan.centre) == ((1, 1), (20, 20))
    assert Sampler([one], SEQUENTIAL).plan(2).grid_index == (2, 0)


def test_volumes_follow_each_other_as_listed():
    small = volume([((20, 16), (4, 4))], (16, 16), [(4, 4)], name="small")  # origins 0 4; 0
    large = volume([((33, 48), (4, 4))], (16, 16), [(4, 4)], name="large")  # 0 16 17; 0 16 32
    sampler = Sampler([small, large], SEQUENTIAL)
    assert sampler.length == 2 + 9
    assert [sampler.plan(i).volume for i in range(11)] == [0] * 2 + [1] * 9
    assert sampler.plan(2).scales[0].start == (0, 0)
    assert sampler.plan(-1).scales[0].start == (17, 32)


def test_a_coarser_level_is_walked_in_its_own_voxels():
    # Voxels 2 and 3, patch 5 at 3: level 1 is read, 5 of its voxels, stride 5.
    one = volume([((36,), (2,)), ((24,), (3,))], (5,), [(3,)])
    sampler = Sampler([one], SEQUENTIAL)
    assert sampler.grid(0).origins() == ((0, 5, 10, 15, 19),)
    assert [sampler.plan(i).scales[0].scale.level for i in range(5)] == [1] * 5
    covered = {
        v for i in range(5) for v in range(sampler.plan(i).scales[0].start[0], sampler.plan(i).scales[0].start[0] + 5)
    }
    assert covered == set(range(24))


def test_a_resampled_grid_strides_by_the_extent_of_a_patch():
    # Patch 5 at 3 over voxels of 2: reads ceil(7.5) = 8, strides 7.5: 0 7 15 22 30 ... 36 - 8 = 28.
    one = volume([((36,), (2,))], (5,), [(3,)])
    assert Sampler([one], SEQUENTIAL).grid(0).origins() == ((0, 7, 15, 22, 28),)


def test_upsampling_never_reads_a_window_twice():
    # Patch 4 at 1 over voxels of 4: reads 1 voxel, strides 1.
    one = volume([((6,), (4,))], (4,), [(1,)], overlap=(3,))  # stride 0.25
    assert Sampler([one], SEQUENTIAL).grid(0).origins() == ((0, 1, 2, 3, 4, 5),)


def test_the_bounding_box_confines_the_grid():
    one = volume([((50, 40), (4, 4))], (16, 16), [(4, 4)], bounding_box=((7, 47), (3, 19)))
    # 7 23, last 47 - 16 = 31; 3 alone, for 19 - 16 = 3.
    assert Sampler([one], SEQUENTIAL).grid(0).origins() == ((7, 23, 31), (3,))


def test_the_first_scale_covers_the_volume_and_coarser_windows_move_inside():
    one = volume(halved((64, 48), (4, 4), 2), (16, 16), [(4, 4), (8, 8)])
    sampler = Sampler([one], SEQUENTIAL)
    covered = np.zeros((64, 48), int)
    for i in range(sampler.length):
        fine, coarse = sampler.plan(i).scales
        covered[tuple(slice(o, o + 16) for o in fine.start)] += 1
        assert all(0 <= o <= n - 16 for o, n in zip(coarse.start, (32, 24), strict=True))
    assert (covered == 1).all()
    # Window (0, 0) has centre (8, 8): at level 1 ceil(8 / 2 - 8 - 0.5) = -4, moved to 0.
    assert sampler.plan(0).scales[1].start == (0, 0)
    # Window (32, 16), number 2 * 3 + 1: centre (40, 24): 20 - 8 = 12, 12 - 8 = 4.
    assert sampler.plan(7).scales[1].start == (12, 4)


def test_labels_confine_the_grid():
    # Labels of 20 voxels from voxel 10 on: centred 40, voxels of 4. Origins 10 .. 14.
    one = volume([((50,), (4,), (0,))], (16,), [(4,)], labels=[((20,), (4,), (40,))])
    sampler = Sampler([one], SEQUENTIAL)
    assert sampler.grid(0).origins() == ((10, 14),)
    assert [sampler.plan(i).scales[0].label_start for i in range(2)] == [(0,), (4,)]


@settings(max_examples=100, deadline=None)
@given(
    shape=st.integers(40, 200),
    factor=st.sampled_from([2, 3, 4]),
    patch=st.integers(1, 9),
    shift=st.floats(-3, 3),
    declared=st.booleans(),
)
def test_a_window_around_the_centre_of_a_position_is_the_window_of_the_grid(shape, factor, patch, shift, declared):
    coarse = shape // factor
    levels = [((shape,), (4,), (0,) if declared else None), ((coarse,), (4 * factor,), (shift,) if declared else None)]
    one = volume(levels, (patch,), [(4 * factor,)])
    sampler = Sampler([one], SEQUENTIAL)
    geometry = sampler.geometry(0)
    for i in range(sampler.length):
        plan = sampler.plan(i)
        if 0 < plan.centre[0] < shape - 1:
            assert start_of(geometry, one, plan.scales[0].scale, plan.centre) == plan.scales[0].start


def test_grid_of_two_million_positions_is_small_and_its_positions_are_quick():
    one = volume([((2000, 2000, 2000), (8, 8, 8))], (16, 16, 16), [(8, 8, 8)])
    sampler = Sampler([one], SEQUENTIAL)
    assert sampler.length == 125**3
    assert len(pickle.dumps(sampler)) < 10_000
    assert sampler.plan(sampler.length - 1).scales[0].start == (1984,) * 3
    assert pickle.loads(pickle.dumps(sampler)).plan(1_234_567) == sampler.plan(1_234_567)


@pytest.mark.parametrize("rules", [SEQUENTIAL, SamplingRules(samples_per_epoch=6)])
def test_indices_are_whole_numbers_within_the_dataset(rules):
    one = volume([((40, 30), (4, 4))], (16, 16), [(4, 4)])  # 3 x 2 positions
    sampler = Sampler([one], rules)
    assert sampler.length == 6
    for good in (0, 5, -1, -6, np.int64(3)):
        assert sampler.plan(good, np.random) is not None
    for bad in (6, -7, 10**9):
        with pytest.raises(SampleIndexError, match=f"index is {bad}; the dataset has 6 samples"):
            sampler.plan(bad, np.random)
    for odd in (True, np.True_, 1.0, "1", None):
        with pytest.raises(ArgumentTypeError, match="whole number"):
            sampler.plan(odd, np.random)


def test_random_sampling_has_no_grid():
    sampler = Sampler([volume([((40,), (4,))], (16,), [(4,)])], SamplingRules())
    with pytest.raises(ArgumentError, match="sequential"):
        sampler.grid(0)
    assert sampler.probabilities == (1.0,)


def test_lengths_multiply():
    one = volume([((50, 70, 64), (4, 4, 4))], (16, 16, 16), [(4, 4, 4)])
    grid = Sampler([one], SEQUENTIAL).grid(0)
    assert len(grid) == prod(len(axis) for axis in grid.origins())


def test_the_centre_is_the_voxel_nearest_the_middle_of_a_window_of_a_coarser_level():
    # Voxels of 12 over voxels of 4, windows of 5 at 0, 5, 10: (o + 2.5) * 3 = 7.5, 22.5, 37.5 from the common corner.
    # An odd patch samples at c + 0.5: 7, 22, 37.
    levels = [((60,), (4,)), ((20,), (12,))]
    odd = Sampler([volume(levels, (5,), [(12,)])], SEQUENTIAL)
    assert [odd.plan(i).centre for i in range(3)] == [(7,), (22,), (37,)]
    even = Sampler([volume([((60,), (4,)), ((20,), (9,))], (4,), [(11.25,)])], SEQUENTIAL)
    # 4 * 11.25 / 9 = 5 voxels of 9: 2.5 * 9 / 4 = 5.625, rounded 6; 7.5 * 9 / 4 = 16.875, rounded 17.
    assert [even.plan(i).centre for i in range(2)] == [(6,), (17,)]


def test_a_centre_half_way_between_two_voxels_is_the_farther():
    # 4 at 12.5 read ceil(50 / 12) = 5 voxels of 12, the stride is 4.17: windows begin at 0 and 4.
    # Their middles lie at 2.5 * 3 = 7.5 and 6.5 * 3 = 19.5 voxels of 4; an even patch samples at c: 8 and 20.
    one = volume([((60,), (4,)), ((20,), (12,))], (4,), [(12.5,)])
    sampler = Sampler([one], SEQUENTIAL)
    assert [sampler.plan(i).centre for i in range(2)] == [(8,), (20,)]


def test_with_a_label_fill_centres_stay_on_the_labels():
    # Centres 10 .. 29: windows begin at 2 .. 21.
    one = volume([((50,), (4,), (0,))], (16,), [(4,)], labels=[((20,), (4,), (40,))], label_fill=0)
    sampler = Sampler([one], SEQUENTIAL)
    assert sampler.grid(0).origins() == ((2, 18, 21),)
    assert [sampler.plan(i).scales[0].label_start for i in range(3)] == [(-8,), (8,), (11,)]


def test_sample_windows_have_no_meaning_in_a_grid():
    one = volume(halved((64, 48), (4, 4), 3), (8, 6), [(4, 4), (8, 8), (16, 16)])
    drawn = Sampler([one], SamplingRules(sampling="sequential", sample_windows=True))
    assert drawn.length == 64
    assert [drawn.plan(i) for i in range(64)] == [Sampler([one], SEQUENTIAL).plan(i) for i in range(64)]
    # Position (3, 3): [24, 32) and [18, 24), centre (28, 21). At voxels of 16, of 16 by 12:
    # ceil(28 / 4 - 4.5) = 3, ceil(21 / 4 - 3.5) = 2.
    assert drawn.plan(27).scales[2].start == (3, 2)
