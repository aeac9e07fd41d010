"""Target grids and the plan of one axis: which source voxels a read needs, and which target voxels hold data."""

import math
from fractions import Fraction

import pytest

from worldarray.errors import ArgumentError
from worldarray.resample import identity_axis, plan_axis, size_ratio, target_axis, target_count
from worldarray.resample.kernels import Linear, Mean, Pick

FAR = 10**9


@pytest.mark.parametrize(
    ("source", "target", "ratio"),
    [
        (4.0, 8.0, Fraction(2)),
        (10.48, 5.24, Fraction(1, 2)),
        (4.56, 4.0, Fraction(50, 57)),  # 400/456
        (4.0, 4.56, Fraction(57, 50)),
        (0.1, 0.3, Fraction(3)),  # 0.3 / 0.1 is 2.9999999999999996
        (8.0, 24.000007, Fraction(3)),  # 3.000000875 is within 1e-6 of 3
        (24.000007, 8.0, Fraction(1, 3)),
        (8.0, 24.00002, Fraction(2400002, 800000)),  # 3.0000025 is not, and every multiple to 1000 is further off
        (1.0, 1.2345, Fraction(12345, 10000)),  # the denominator 2000 is past 1000: as the decimals say
        (1.0, 1e-7, Fraction(1, 10**7)),
        (1.0, 1e15, Fraction(10**15)),
    ],
)
def test_a_ratio_is_the_simplest_fraction_within_the_tolerance_else_what_the_decimals_say(source, target, ratio):
    assert size_ratio(source, target) == ratio


@pytest.mark.parametrize(
    ("n", "source", "target", "count"),
    [
        (7, 4.0, 12.0, 3),  # 28 / 12 = 2.33
        (6, 4.0, 12.0, 2),
        (10, 10.48, 5.24, 20),
        (10, 0.1, 0.3, 4),  # 1.0 / 0.3 = 3.33
        (9, 0.1, 0.3, 3),  # 0.9 / 0.3 is 3.0000000000000004 in floats
        (57, 4.0, 4.56, 50),
        (1, 1.0, 1e12, 1),  # any data has a voxel
        (0, 1.0, 2.0, 0),
    ],
)
def test_a_target_grid_has_as_many_voxels_as_cover_the_data(n, source, target, count):
    axis = target_axis(n, source, target)
    assert (axis.first, axis.stop, axis.count, target_count(n, source, target)) == (0, count, count, count)


@pytest.mark.parametrize(
    ("anchor", "shift", "first", "stop"),
    [
        # source: 5 voxels of 8 nm, corner at -4, so [-4, 36); targets of 4 nm
        (-4.0, 0, 0, 10),
        (-2.0, Fraction(1, 4), -1, 10),  # corners ..., -6, -2, 2, ..., 34: target 9 is [34, 38)
        (4.0, 1, -2, 8),
        (36.0, 5, -10, 0),
        (100.0, 13, -26, -16),
        (-2.000001, Fraction(1, 4), -1, 10),  # an eighth of the tolerance off
    ],
)
def test_an_anchor_puts_a_target_corner_there_and_counts_from_it(anchor, shift, first, stop):
    axis = target_axis(5, 8.0, 4.0, corner=-4.0, anchor=anchor)
    assert (axis.shift, axis.first, axis.stop) == (shift, first, stop)


def test_an_anchor_far_out_is_on_the_grid_in_spite_of_the_noise_of_floats():
    # a corner 1e9 voxels of 10.48 out has a spacing of 1.9e-6 nm, 1.8e-7 of a voxel
    corner = 10.48 * 1e9
    assert target_axis(50, 10.48, 20.96, corner=corner, anchor=corner + 10.48 * 6).shift == 6


@pytest.mark.parametrize("bad", [0.0, -4.0, math.nan, math.inf])
def test_sizes_are_positive_and_finite(bad):
    assert target_axis(5, 4.0, 8.0).count == 3
    for sizes in ((bad, 4.0), (4.0, bad)):
        with pytest.raises(ArgumentError) as caught:
            target_axis(5, *sizes)
        assert caught.value.code == "not_positive"


@pytest.mark.parametrize("bad", [math.nan, -math.inf])
def test_anchors_are_finite_and_counts_not_negative(bad):
    with pytest.raises(ArgumentError) as caught:
        target_axis(5, 4.0, 8.0, anchor=bad)
    assert caught.value.code == "not_finite"
    with pytest.raises(ArgumentError) as caught:
        target_axis(-1, 4.0, 8.0)
    assert caught.value.code == "out_of_range"


def test_methods_are_a_closed_list():
    with pytest.raises(ArgumentError, match="nearest, linear"):
        plan_axis(target_axis(5, 4.0, 8.0), 0, 1, "cubic")


@pytest.mark.parametrize(
    ("sizes", "anchor", "method", "window", "source", "inside", "kernel"),
    [
        # nearest by 2: centres 1, 3, 5, 7 of [0, 7): the last lies outside
        ((1.0, 2.0), None, "nearest", (0, 4), (1, 6), (0, 3), Pick),
        ((1.0, 2.0), None, "nearest", (1, 3), (3, 6), (1, 3), Pick),
        # linear by 2 is a mean, and the last block holds one voxel
        ((1.0, 2.0), None, "linear", (-2, 9), (0, 7), (0, 4), Mean),
        ((1.0, 2.0), None, "linear", (3, 4), (6, 7), (3, 4), Mean),
        # on a corner of the source grid it still is: blocks [-1, 1), [1, 3), [3, 5), [5, 7)
        ((1.0, 2.0), 1.0, "linear", (-9, 9), (0, 7), (-1, 3), Mean),
        ((1.0, 2.0), 1.0, "linear", (-1, 1), (0, 3), (-1, 1), Mean),
        # off it, interpolation: centres 1.25, 3.25, 5.25 lie at 0.75, 2.75, 4.75 in voxel centres
        ((1.0, 2.0), 0.25, "linear", (0, 3), (0, 6), (0, 3), Linear),
        # half way into a voxel: centres at 1.5 of [0, 2), weight 0, so voxel 1 alone is read
        ((1.0, 2.0), 0.5, "linear", (0, 1), (1, 2), (0, 1), Pick),
        # upsampling by 2: targets 4 and 5 lie at 1.75 and 2.25 in voxel centres
        ((2.0, 1.0), None, "linear", (4, 6), (1, 4), (4, 6), Linear),
        ((2.0, 1.0), None, "linear", (13, 20), (6, 7), (13, 14), Linear),
        ((2.0, 1.0), None, "nearest", (3, 6), (1, 3), (3, 6), Pick),
        # equal sizes pick, off the grid they mix
        ((2.0, 2.0), None, "linear", (2, 4), (2, 4), (2, 4), Pick),
        ((2.0, 2.0), 1.0, "linear", (2, 4), (2, 5), (2, 4), Linear),
    ],
)
def test_a_plan_reads_what_its_targets_need_and_no_more(sizes, anchor, method, window, source, inside, kernel):
    plan = plan_axis(target_axis(7, *sizes, anchor=anchor), *window, method)
    assert (plan.source, plan.inside, type(plan.kernel)) == (source, inside, kernel)
    assert plan.repeat == (0, 0)


@pytest.mark.parametrize("method", ["nearest", "linear"])
@pytest.mark.parametrize("target", [0.7, 1.0, 2.0, 3.3])
@pytest.mark.parametrize("window", [(-FAR, -FAR + 3), (FAR, FAR + 3), (5, 5), (3, 1)])
def test_a_window_without_data_reads_nothing(method, target, window):
    plan = plan_axis(target_axis(7, 1.0, target), *window, method)
    assert plan.source == (0, 0)
    assert plan.inside[0] == plan.inside[1]
    assert plan.kernel.count == 0


@pytest.mark.parametrize(
    ("target", "method", "low", "high"),
    [
        (2.0, "nearest", (0, 1), (6, 7)),
        (2.0, "linear", (0, 2), (6, 7)),
        (0.7, "linear", (0, 1), (6, 7)),
        (20.0, "nearest", (0, 1), (6, 7)),  # no target's centre lies inside [0, 7) at all
    ],
)
def test_edge_reads_the_border_of_the_data_however_far_away(target, method, low, high):
    axis = target_axis(7, 1.0, target)
    for window, source in (((-FAR, -FAR + 3), low), ((FAR, FAR + 3), high)):
        plan = plan_axis(axis, *window, method, edge=True)
        assert (plan.source, plan.inside) == (source, window)
        assert plan.kernel.count + sum(plan.repeat) == 3
        assert plan.data == plan_axis(axis, 0, 1, method).data


@pytest.mark.parametrize("method", ["nearest", "linear"])
def test_an_axis_without_voxels_has_nothing_to_read_or_repeat(method):
    for edge in (False, True):
        plan = plan_axis(target_axis(0, 1.0, 2.0, anchor=0.5), -3, 3, method, edge=edge)
        assert plan.source == (0, 0)
        assert plan.inside[0] == plan.inside[1]
        assert plan.data[0] == plan.data[1]
    assert identity_axis(0, 0, 3, edge=True).source == (0, 0)


def test_evenly_spaced_voxels_are_a_slice():
    assert plan_axis(target_axis(64, 1.0, 8.0), 1, 5, "nearest").picked == slice(12, 37, 8)
    assert plan_axis(target_axis(64, 1.0, 8.0), -1, 5, "nearest", edge=True).picked is None
    assert plan_axis(target_axis(64, 1.0, 8.0), 1, 5, "linear").picked is None
    assert identity_axis(9, 2, 5).picked == slice(2, 5, 1)


def test_indices_past_what_an_int64_computes_are_exact():
    # 1.23457 / 2.1: no denominator to 1000, so the ratio is 210000/123457; a centre at 1e15 targets out
    axis = target_axis(4 * 10**15, 1.23457, 2.1)
    j = 10**15 + 3
    centre = (j + Fraction(1, 2)) * Fraction(210000, 123457)
    assert plan_axis(axis, j, j + 1, "nearest").source == (math.floor(centre), math.floor(centre) + 1)
