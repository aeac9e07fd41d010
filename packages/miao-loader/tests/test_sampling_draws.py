"""What a random sample draws, in which order, and what it reads of it."""

import pickle
from fractions import Fraction
from math import log, prod
from time import process_time

import numpy as np
import pytest
from drawn import Listed, halved, volume
from hypothesis import given, settings
from hypothesis import strategies as st

from miao.errors import ArgumentError, PlanError
from miao.records import ResolutionRanges, SamplingRules
from miao.sampling.draws import Shares
from miao.sampling.resolutions import bounds_of, draw_resolutions
from miao.sampling.sampler import Sampler

RULES = SamplingRules(samples_per_epoch=1 << 40)
FINE, COARSE = (4.0, 4.0), (8.0, 8.0)


def two_levels(**fields):
    return volume(halved((64, 48), FINE, 2), (16, 12), [FINE, COARSE], **fields)


def test_volume_then_centre_axis_by_axis_in_the_store_order():
    one = volume([((50, 70), FINE)], (16, 12), [FINE])
    other = volume([((30, 20), FINE)], (16, 12), [FINE], name="b", weight=3.0)
    rng = Listed([1, 9, 6])
    plan = Sampler([one, other], RULES).plan(0, rng)
    # 30 voxels, windows of 16: centres 8 .. 22; 20 of 12: 6 .. 14. Level 0 reads [c - n // 2, ...).
    assert rng.asked == [("choice", 2, (0.25, 0.75)), ("integer", 8, 22), ("integer", 6, 14)]
    assert (plan.volume, plan.centre, plan.scales[0].start, plan.grid_index) == (1, (9, 6), (1, 0), None)


def test_the_volume_is_drawn_where_there_is_but_one():
    rng = Listed([0, 8])
    Sampler([volume([((50,), (4,))], (16,), [(4,)])], RULES).plan(0, rng)
    assert rng.asked == [("choice", 1, (1.0,)), ("integer", 8, 42)]


def test_every_scale_shares_the_centre():
    # Level 1: 32 x 24. Origin ceil(c / 2 - 8 - 0.5): 0 from c = 16 on, 16 up to c = 49.
    # Across: ceil(c / 2 - 6 - 0.5): 0 from c = 12 on, 12 up to c = 37.
    sampler = Sampler([two_levels()], RULES)
    assert sampler.ranges == (((16, 49), (12, 37)),)
    plan = sampler.plan(0, Listed([0, 21, 37]))
    assert plan.scales[0].start == (13, 31)
    assert plan.scales[1].start == (2, 12)  # 10.5 - 8.5 = 2; 18.5 - 6.5 = 12


def test_clamped_borders_are_confined_by_the_first_scale_alone():
    sampler = Sampler([two_levels()], SamplingRules(border="clamp"))
    assert sampler.ranges == (((8, 56), (6, 42)),)
    plan = sampler.plan(0, Listed([0, 8, 42]))
    assert plan.scales[0].start == (0, 36)
    assert plan.scales[1].start == (0, 12)  # -4, 14.5 -> 15 moved to 24 - 12


def test_windows_of_coarser_scales_are_drawn_among_those_that_cover_the_one_before():
    sampler = Sampler([two_levels()], SamplingRules(sample_windows=True))
    # The fine window lies anywhere: centres as with clamped borders.
    rng = Listed([0, 30, 20, 4, 6])
    plan = sampler.plan(0, rng)
    # Fine [22, 38) and [14, 26): coarse origins ceil(38 / 2) - 16 = 3 .. 11, ceil(26 / 2) - 12 = 1 .. 7.
    assert rng.asked[1:] == [("integer", 8, 56), ("integer", 6, 42), ("integer", 3, 11), ("integer", 1, 7)]
    assert [scale.start for scale in plan.scales] == [(22, 14), (4, 6)]


def test_a_coarse_window_must_fit_its_level_even_where_it_is_moved():
    one = volume(halved((30, 28), FINE, 2), (16, 12), [FINE, COARSE])  # level 1 has 15 voxels, 16 are read
    with pytest.raises(PlanError, match="volume a along y") as caught:
        Sampler([one], SamplingRules(border="clamp"))
    assert (caught.value.code, caught.value.at) == ("out_of_range", ("a", "y"))
    Sampler([volume(halved((32, 28), FINE, 2), (16, 12), [FINE, COARSE])], SamplingRules(border="clamp"))


def test_resolutions_are_drawn_before_the_centre_range_by_range():
    ranges = ResolutionRanges((((4.0,), (16.0,)), ((2.0, 8.0), (2.0, 32.0))), (2, 1), sort=False)
    rng = Listed([0.5, 0.0, 1.0, 0.5])
    drawn = draw_resolutions(ranges, 2, rng)
    assert [(low, high) for _, low, high in rng.asked] == [
        (log(4), log(16)), (log(4), log(16)), (log(2), log(2)), (log(8), log(32)),
    ]  # fmt: skip
    # Half way in the logarithm between 4 and 16 is 8, between 8 and 32 16.
    assert drawn[0] == pytest.approx((8, 8), rel=1e-12)
    assert drawn[1] == (4.0, 4.0)
    assert drawn[2] == pytest.approx((2, 16), rel=1e-12)


def test_sorted_resolutions_go_by_the_volume_of_a_voxel_and_equal_ones_stay():
    ranges = ResolutionRanges((((4.0, 4.0), (16.0, 16.0)),), (3,), sort=True)
    # (16, 4), (4, 4), (4, 16): areas 64, 16, 64.
    drawn = draw_resolutions(ranges, 2, Listed([1, 0, 0, 0, 0, 1]))
    assert np.array(drawn) == pytest.approx(np.array([(4, 4), (16, 4), (4, 16)]), rel=1e-12)


def test_bounds_of_drawn_resolutions():
    ranges = ResolutionRanges((((1.0, 2.0), (8.0, 4.0)), ((3.0,), (5.0,))), (1, 1))
    assert bounds_of(ranges, 2) == ((1, 2), (5, 4), (8, 5))
    assert bounds_of(ResolutionRanges(ranges.bounds, (1, 1), sort=False), 2) == ((1, 2), (8, 4), (8, 5))


def test_the_coarsest_resolution_confines_the_centre_of_drawn_ones():
    # At 16 a patch of 8 reads 8 * 16 / 8 = 16 voxels of level 1 (32 voxels): centres 16 .. 49.
    one = volume(halved((64,), (4.0,), 2), (8,), ResolutionRanges((((4.0,), (16.0,)),), (2,)))
    sampler = Sampler([one], RULES)
    assert sampler.ranges == (((16, 49),),)
    rng = Listed([0, 1.0, 0.0, 16])
    plan = sampler.plan(0, rng)
    assert [name for name, *_ in rng.asked] == ["choice", "uniform", "uniform", "integer"]
    assert [scale.scale.resolution[0] for scale in plan.scales] == pytest.approx([4, 16], rel=1e-12)
    assert [(scale.scale.level, scale.start, scale.scale.size) for scale in plan.scales] == [
        (0, (12,), (8,)),
        (1, (0,), (16,)),
    ]
    assert sampler.scales(0)[0].resolution == (16.0,)


def test_drawn_resolutions_with_moved_windows_are_confined_by_what_the_first_scale_may_be():
    # Sorted: the first of the two is at most 8: 8 * 8 / 8 = 8 voxels of level 1, centres 8 .. 57.
    ranges = ResolutionRanges((((4.0,), (8.0,)), ((8.0,), (16.0,))), (1, 1))
    one = volume(halved((64,), (4.0,), 2), (8,), ranges)
    for rules in (SamplingRules(border="clamp"), SamplingRules(sample_windows=True)):
        assert Sampler([one], rules).ranges == (((8, 57),),)


def test_a_drawn_window_that_needs_a_voxel_more_than_there_is_takes_what_there_is():
    # 65 voxels of 1, 33 of 2. Patch 33 at 2 reads 33 of level 1. At 1.99 it reads ceil(65.67) = 66 of level 0.
    one = volume(halved((65,), (1.0,), 2), (33,), ResolutionRanges((((1.99,), (2.0,)),), (1,)))
    plan = Sampler([one], RULES).plan(0, Listed([0, 0.0, 33]))
    assert (plan.scales[0].scale.level, plan.scales[0].scale.size, plan.scales[0].start) == (0, (65,), (0,))


@settings(max_examples=100, deadline=None)
@given(
    shape=st.tuples(st.integers(40, 200), st.integers(40, 200)),
    patch=st.tuples(st.integers(1, 16), st.integers(1, 16)),
    factors=st.lists(st.floats(0.5, 2.4), min_size=1, max_size=3),
    seed=st.integers(0, 2**32 - 1),
    rules=st.sampled_from(
        [
            SamplingRules(),
            SamplingRules(border="clamp"),
            SamplingRules(sample_windows=True),
            SamplingRules(chunk_aligned=True),
        ]
    ),
    boxed=st.booleans(),
)  # fmt: skip
def test_every_window_lies_in_its_level_and_in_the_bounding_box(shape, patch, factors, seed, rules, boxed):
    box = tuple((3, n - 2) for n in shape) if boxed else None
    resolutions = [(4 * f, 4 * f) for f in sorted(factors)]
    one = volume(halved(shape, FINE, 3, chunk=(16, 16)), patch, resolutions, bounding_box=box)
    try:
        sampler = Sampler([one], rules)
    except PlanError:
        return
    rng = np.random.RandomState(seed)
    for _ in range(5):
        plan = sampler.plan(0, rng)
        for scale in plan.scales:
            level = one.image.levels[scale.scale.level]
            for axis, (o, n) in enumerate(zip(scale.start, scale.scale.size, strict=True)):
                assert 0 <= o <= level.shape[axis] - n
                if box:
                    # No level declares where it lies: all begin at one corner.
                    v, v0 = Fraction(level.voxel[axis]), Fraction(4)
                    assert box[axis][0] * v0 <= o * v
                    assert (o + n) * v <= box[axis][1] * v0


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    low=st.floats(1, 8),
    ratio=st.floats(1, 6),
    counts=st.integers(1, 3),
    rules=st.sampled_from([SamplingRules(), SamplingRules(border="clamp"), SamplingRules(sample_windows=True)]),
    labelled=st.booleans(),
)
def test_whatever_resolutions_are_drawn_is_inside(seed, low, ratio, counts, rules, labelled):
    labels = [((60, 61), (6, 6), (8, 6)), ((30, 31), (12, 12), (11, 9))] if labelled else None
    ranges = ResolutionRanges((((low,), (low * ratio,)), ((low, low), (low, low * 2))), (counts, 1))
    one = volume(halved((101, 97), FINE, 3), (7, 6), ranges, labels=labels, bounding_box=((1, 99), (2, 97)))
    if rules.sample_windows:
        ranges = ResolutionRanges((((low,), (low * ratio,)),), (counts,))
        one = volume(halved((101, 97), FINE, 3), (7, 6), ranges, labels=labels)
    try:
        sampler = Sampler([one], rules)
    except PlanError:
        return
    rng = np.random.RandomState(seed)
    for _ in range(4):
        for scale in sampler.plan(0, rng).scales:
            shape = one.image.levels[scale.scale.level].shape
            assert all(0 <= o <= n - size for o, n, size in zip(scale.start, shape, scale.scale.size, strict=True))
            if labelled:
                shape = one.label.levels[scale.scale.label_level].shape
                size = scale.scale.label_size
                assert all(0 <= o <= n - k for o, n, k in zip(scale.label_start, shape, size, strict=True))


def test_draws_come_from_the_generator_that_is_given_and_numbers_are_those_of_choice():
    volumes = [two_levels(name=str(i), weight=w) for i, w in enumerate((0.3, 1.1, 0.05, 2.0))]
    sampler = Sampler(volumes, RULES)
    fast, slow = np.random.RandomState(5), np.random.RandomState(5)

    class Only:
        choice, randint, uniform = slow.choice, slow.randint, slow.uniform

    for i in range(200):
        assert sampler.plan(i, fast) == sampler.plan(i, Only)
    np.random.seed(5)
    first = sampler.plan(0, np.random)
    assert first == sampler.plan(0, np.random.RandomState(5))
    assert sampler.plan(0, np.random) != first
    assert sampler.plan(0, np.random.default_rng(0)) == sampler.plan(1, np.random.default_rng(0))


def test_every_centre_is_as_likely():
    sampler = Sampler([volume([((20, 18), FINE)], (16, 12), [FINE])], RULES)
    rng = np.random.RandomState(0)
    found = np.zeros((5, 7), int)
    for i in range(7000):
        c = sampler.plan(i, rng).centre
        found[c[0] - 8, c[1] - 6] += 1
    # 35 centres, 200 each: six standard deviations are 84.
    assert abs(found - 200).max() < 84


def test_a_random_sample_needs_a_generator():
    with pytest.raises(ArgumentError, match=r"numpy\.random"):
        Sampler([two_levels()], RULES).plan(0)


def test_no_volume_is_refused():
    with pytest.raises(ArgumentError, match="no volume"):
        Sampler([], RULES)


def test_a_pickled_sampler_plans_the_same():
    sampler = Sampler([two_levels()], SamplingRules(chunk_aligned=True))
    again = pickle.loads(pickle.dumps(sampler))
    assert again.plan(3, np.random.RandomState(1)) == sampler.plan(3, np.random.RandomState(1))


def test_labels_are_planned_beside_their_image():
    # Labels of 16 at 16 (corner at 8 - 8 = 0, as the image's): of a fine window at 4, 16 voxels, 64 long: 4 voxels.
    one = volume([((64,), (4.0,), (2.0,))], (16,), [(4,)], labels=[((16,), (16.0,), (8.0,))])
    sampler = Sampler([one], RULES)
    # Window [24, 40): middle 32 * 4 = 128; 128 / 16 - 2 = 6.
    plan = sampler.plan(0, Listed([0, 32]))
    assert (plan.scales[0].label_start, plan.scales[0].scale.label_size) == ((6,), (4,))
    assert sampler.label_maps(plan) is None


def test_labels_by_position_say_which_voxel_each_output_voxel_takes():
    one = volume([((64,), (4.0,), (2.0,))], (4,), [(4,)], labels=[((32,), (8.0,), (4.0,))])
    sampler = Sampler([one], SamplingRules(label_sampling="position"))
    plan = sampler.plan(0, Listed([0, 7]))
    # Window [5, 9), voxel centres at 5.5 .. 8.5 * 4 = 22 .. 34; label voxels of 8: 2, 3, 3, 4.
    assert plan.scales[0].start == (5,)
    taken = [plan.scales[0].label_start[0] + k for k in sampler.label_maps(plan)[0][0]]
    assert taken == [2, 3, 3, 4]


def test_planning_three_scales_costs_little():
    one = volume(halved((1024,) * 3, (8.0,) * 3, 3, chunk=(64,) * 3), (64,) * 3, [(8,) * 3, (16,) * 3, (32,) * 3])
    sampler = Sampler([one, one], RULES)
    rng = np.random.RandomState(0)
    counted = []
    for _ in range(5):
        begin = process_time()
        for i in range(300):
            sampler.plan(i, rng)
        counted.append((process_time() - begin) / 300)
    assert min(counted) < 200e-6  # about 15 microseconds on an idle machine; this bound holds on a slow one
    assert prod(sampler.scales(0)[0].size) == 64**3


def test_choices_are_those_of_numpy():
    for count in (1, 2, 7, 500):
        weights = np.random.RandomState(count).random_sample(count) ** 4
        shares = Shares(tuple(weights / weights.sum()))
        ours, numpys = np.random.RandomState(9), np.random.RandomState(9)
        found = [shares.choose(ours) for _ in range(300)]
        assert found == [numpys.choice(count, p=shares.weights) for _ in range(300)]
        assert ours.randint(1 << 30) == numpys.randint(1 << 30)


def test_each_window_covers_that_of_the_scale_before():
    # Windows of 8 of voxels of 4, 8, 16. [20, 28) is covered from 14 - 8 = 6 to 10; [9, 17) of the second, in voxels
    # of 16 [4.5, 8.5), from 9 - 8 = 1 to 4; the first, [5, 7) there, would allow 0 to 5 (-1 is outside).
    one = volume(halved((64,), (4,), 3), (8,), [(4,), (8,), (16,)])
    rng = Listed([0, 24, 9, 3])
    plan = Sampler([one], SamplingRules(sample_windows=True)).plan(0, rng)
    assert rng.asked[2:] == [("integer", 6, 10), ("integer", 1, 4)]
    assert [scale.start for scale in plan.scales] == [(20,), (9,), (3,)]


def test_resolutions_are_sorted_by_the_product_and_not_by_an_axis():
    # (8, 12) has 96, (16, 4) has 64.
    ranges = ResolutionRanges((((8.0, 12.0), (8.0, 12.0)), ((16.0, 4.0), (16.0, 4.0))), (1, 1))
    assert draw_resolutions(ranges, 2, Listed([0, 0, 0, 0])) == ((16, 4), (8, 12))


def test_drawn_label_windows_are_no_larger_than_their_level():
    # As the image: 66 of 65 voxels at 1.99.
    levels = halved((65,), (1.0,), 2)
    one = volume(levels, (33,), ResolutionRanges((((1.99,), (2.0,)),), (1,)), labels=levels)
    scale = Sampler([one], RULES).plan(0, Listed([0, 0.0, 33])).scales[0]
    assert (scale.scale.size, scale.scale.label_size, scale.label_start) == ((65,), (65,), (0,))
