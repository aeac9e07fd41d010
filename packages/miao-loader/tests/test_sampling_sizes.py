"""How much of a volume samples reach, and how often it is drawn."""

import numpy as np
import pytest
from drawn import halved, volume
from hypothesis import given, settings
from hypothesis import strategies as st

from miao.errors import ArgumentError
from miao.records import ResolutionRanges, SamplingRules
from miao.sampling.places import places_of
from miao.sampling.sampler import Sampler
from miao.sampling.sizes import probabilities

RULES = SamplingRules()


def size(one, **rules):
    return Sampler([one], SamplingRules(**rules)).sizes[0]


CUBE = halved((128, 128, 128), (8, 8, 8), 3)
PATCH = (16, 16, 16)


def test_one_scale_reaches_the_whole_volume():
    assert size(volume(CUBE, PATCH, [(8, 8, 8)])) == 128**3


def test_a_coarser_scale_keeps_the_fine_one_from_the_border():
    # Level 1, 64 voxels: ceil(c / 2 - 8.5) is 0 .. 48 for c of 16 .. 113: fine voxels 8 .. 120.
    assert size(volume(CUBE, PATCH, [(8, 8, 8), (16, 16, 16)])) == 113**3


@pytest.mark.parametrize("rules", [{"border": "clamp"}, {"sample_windows": True}])
def test_a_coarser_scale_that_moves_keeps_the_fine_one_from_nothing(rules):
    assert size(volume(CUBE, PATCH, [(8, 8, 8), (16, 16, 16)]), **rules) == 128**3


def test_only_the_finest_level_that_is_read_counts():
    assert size(volume(CUBE, PATCH, [(16, 16, 16)])) == 64**3
    assert size(volume(CUBE, PATCH, [(16, 16, 16), (32, 32, 32)])) == 50**3
    # Level 2, 32 voxels: ceil(c / 4 - 8.5) is 0 .. 16 for c of 31 .. 98; level 1: ceil(31 / 2 - 8.5) = 7 .. 41,
    # voxels 7 .. 57: 50.


def test_one_centre_is_one_window_and_two_are_a_voxel_more():
    box = ((0, 16), (5, 22), (9, 27))
    assert size(volume(CUBE, PATCH, [(8, 8, 8)], bounding_box=box)) == 16 * 17 * 18


def test_scales_that_read_the_same_level_reach_what_the_largest_does():
    # One level: the second scale reads 32 of 64 voxels around centres 16 .. 48, that is all of them.
    assert size(volume([((64, 50), (8, 8))], (16, 10), [(8, 8), (16, 16)])) == 64 * 50


def test_labels_confine_what_is_reached():
    one = volume([((50,), (4,), (0,))], (16,), [(4,)], labels=[((20,), (4,), (40,))])
    assert size(one) == 20
    filled = volume([((50,), (4,), (0,))], (16,), [(4,)], labels=[((20,), (4,), (40,))], label_fill=0)
    # Centres 10 .. 29: voxels 2 .. 36.
    assert size(filled) == 35


def test_drawn_resolutions_reach_what_the_finest_and_the_coarsest_do():
    # At 16 level 1 (32 voxels) gives 8: ceil(c / 2 - 4.5) is 0 .. 24 for c of 8 .. 57. At 4 level 0: 4 .. 60.
    one = volume(halved((64,), (4,), 2), (8,), ResolutionRanges((((4.0,), (8.0,)),), (2,)))
    assert Sampler([one], RULES).ranges == (((8, 57),),)
    assert size(one) == 61 - 4


@settings(max_examples=100, deadline=None)
@given(
    shape=st.integers(24, 60),
    patch=st.integers(1, 6),
    factors=st.lists(st.sampled_from([1.0, 1.5, 2.0, 3.0]), min_size=1, max_size=3),
    rules=st.sampled_from([RULES, SamplingRules(border="clamp"), SamplingRules(sample_windows=True)]),
)
def test_size_counts_what_all_samples_together_read(shape, patch, factors, rules):
    one = volume(halved((shape,), (4,), 2), (patch,), [(4 * f,) for f in sorted(factors)])
    sampler = Sampler([one], rules)
    places = places_of(one, rules)
    finest = min(scale.level for scale in sampler.scales(0))
    read = set()
    for centre in range(places.centres[0][0], places.centres[0][1] + 1):
        for pick in (min, max):
            for plan in places.windows((centre,), places.scales, pick):
                if plan.scale.level == finest:
                    read |= set(range(plan.start[0], plan.start[0] + plan.scale.size[0]))
    assert sampler.sizes == (len(read),)


def test_probability_is_weight_times_size_to_the_exponent():
    assert probabilities([8, 64], [2.0, 1.0], 0.0) == pytest.approx((2 / 3, 1 / 3), rel=1e-15)
    assert probabilities([8, 64], [2.0, 1.0], 1.0) == pytest.approx((0.2, 0.8), rel=1e-15)  # 16 : 64
    assert probabilities([8, 64], [3.0, 1.0], 1 / 3) == pytest.approx((0.6, 0.4), rel=1e-15)  # 3 * 2 : 4
    assert probabilities([8], [0.1], 2.0) == (1.0,)


@pytest.mark.parametrize(
    ("sizes", "weights", "exponent"), [([10**18, 10**17], [1.0, 1.0], 40.0), ([5, 5], [1e308, 1e308], 1.0)]
)
def test_probabilities_of_huge_terms_are_numbers(sizes, weights, exponent):
    found = probabilities(sizes, weights, exponent)
    assert all(0 <= share <= 1 for share in found)
    assert sum(found) == pytest.approx(1)


def test_probabilities_need_one_weight_per_size():
    with pytest.raises(ArgumentError, match="2 sizes and 1 weights"):
        probabilities([1, 2], [1.0], 0.0)


def test_the_sampler_draws_with_these_probabilities():
    volumes = [volume([((n,), (4,))], (4,), [(4,)], name=str(n), weight=w) for n, w in ((10, 1.0), (40, 0.5))]
    sampler = Sampler(volumes, SamplingRules(size_weighting_exponent=1.0))
    assert sampler.sizes == (10, 40)
    assert sampler.probabilities == pytest.approx((1 / 3, 2 / 3))  # 10 : 20
    rng = np.random.RandomState(2)
    # Six standard deviations of 3000 draws at a third: 155.
    assert abs(sum(sampler.plan(0, rng).volume == 0 for _ in range(3000)) - 1000) < 155
