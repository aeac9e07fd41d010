"""Centres whose window holds enough foreground."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from drawn import Listed, halved, volume
from hypothesis import given, settings
from hypothesis import strategies as st

from miao.errors import PlanError
from miao.records import SamplingRules
from miao.sampling.foreground import mask_level
from miao.sampling.integral import Integral
from miao.sampling.sampler import Sampler

RULES = SamplingRules(samples_per_epoch=1000)


def one_axis(mask, least, *, patch=4, mask_voxel=2.0, rules=RULES, chunk=None, **fields):
    """Return a sampler over twice as many voxels of 1 as the mask has voxels of 2."""
    mask = np.array(mask, bool)
    shape = (int(len(mask) * mask_voxel),)
    one = volume(
        [(shape, (1,), None, chunk)], (patch,), [(1,)], mask=[(mask.shape, (mask_voxel,), ((mask_voxel - 1) / 2,))],
        min_foreground=least, **fields,
    )  # fmt: skip
    # The mask is centred at (2 - 1) / 2 = 0.5, so that its corner is the image's, -0.5.
    return Sampler([one], rules, lambda _: (mask, 0))


def test_the_fraction_counts_parts_of_mask_voxels():
    sampler = one_axis([0, 0, 1, 0, 1, 1, 0, 0], 0.5)
    index = sampler.foreground(0)
    # Foreground on [4, 6) and [8, 12); the window of centre c is [c - 2, c + 2).
    expected = {2: 0, 3: 0.25, 4: 0.5, 5: 0.5, 6: 0.5, 7: 0.5, 8: 0.5, 9: 0.75, 10: 1, 11: 0.75, 12: 0.5, 14: 0}
    assert {c: index.fraction((c,)) for c in expected} == pytest.approx(expected)


def test_a_cell_is_drawn_by_its_centres_then_a_centre_in_it():
    # Centres 2 .. 14 are 13: cells of at most 2 centres: 7 parts, edges 2 + 13 k // 7: 2 3 5 7 9 11 13 15.
    sampler = one_axis([0, 0, 0, 0, 1, 1, 0, 0], 0.5)
    # Cells [2] [3 4] [5 6] [7 8] [9 10] [11 12] [13 14], middles 2 3 5 7 9 11 13.
    # Foreground [8, 12): fractions by centre 6: 0, 7: .25, 8: .5, 9: .75, 10: 1, 11: .75, 12: .5, 13: .25.
    # Middles of at least a half: 9 and 11. Four centres.
    rng = Listed([0, 0.0, 10])
    assert sampler.plan(0, rng).centre == (10,)
    assert rng.asked == [("choice", 1, (1.0,)), ("uniform", 0.0, 4.0), ("integer", 9, 10)]
    rng = Listed([0, 0.5, 12])  # 2 of 4: the second cell begins there
    assert sampler.plan(0, rng).centre == (12,)
    assert rng.asked[2] == ("integer", 11, 12)
    assert sampler.plan(0, Listed([0, 1.0, 11])).centre == (11,)  # the upper end is in the last cell


def test_a_centre_that_holds_too_little_gives_way_to_the_middle_of_its_cell():
    sampler = one_axis([0, 0, 0, 0, 1, 1, 0, 0], 0.7)
    # Middles of at least 0.7: 9 and 11, both 0.75. Centre 12 holds 0.5.
    assert sampler.plan(0, Listed([0, 0.9, 12])).centre == (11,)
    assert sampler.plan(0, Listed([0, 0.1, 10])).centre == (10,)


def test_no_centre_with_enough_is_an_error_that_says_how_much_there_is():
    sampler = one_axis([0, 0, 0, 0, 1, 0, 0, 0], 0.75)
    with pytest.raises(PlanError, match=r"volume a holds 0\.75 foreground, the most is 0\.5"):
        sampler.plan(0, np.random.RandomState(0))
    assert one_axis([0, 0, 0, 0, 1, 0, 0, 0], 0.5).plan(0, np.random.RandomState(0)).centre[0] in {8, 9, 10}


def test_what_lies_outside_the_mask_is_no_foreground():
    mask = np.ones((4,), bool)
    one = volume([((30,), (1,))], (4,), [(1,)], mask=[((4,), (2.0,), (10.5,))], min_foreground=1.0)
    sampler = Sampler([one], RULES, lambda _: (mask, 0))
    # Foreground [10, 18): windows of all foreground have centres 12 .. 16.
    index = sampler.foreground(0)
    assert [index.fraction((c,)) for c in (8, 11, 12, 16, 17, 28)] == pytest.approx([0, 0.75, 1, 1, 0.75, 0])
    rng = np.random.RandomState(0)
    assert {sampler.plan(i, rng).centre[0] for i in range(200)} <= set(range(12, 17))


def test_labels_are_the_mask_where_there_is_none():
    one = volume([((30,), (1,))], (4,), [(1,)], labels=[((30,), (1,))], min_foreground=0.5)
    mask = np.zeros(30, bool)
    mask[20:24] = True
    sampler = Sampler([one], RULES, lambda _: (mask, 0))
    rng = np.random.RandomState(0)
    # Every centre is its own cell.
    assert {sampler.plan(i, rng).centre[0] for i in range(300)} == set(range(20, 25))


def test_windows_stay_inside_chunks_and_hold_enough():
    mask = np.zeros(30, bool)
    mask[8:22] = True  # voxels [16, 44)
    sampler = one_axis(mask, 0.8, patch=10, chunk=(16,), rules=SamplingRules(chunk_aligned=True))
    rng = np.random.RandomState(0)
    for i in range(200):
        start = sampler.plan(i, rng).scales[0].start[0]
        assert start // 16 == (start + 9) // 16
        assert max(0, min(start + 10, 44) - max(start, 16)) >= 8


@settings(max_examples=60, deadline=None)
@given(
    shape=st.tuples(st.integers(6, 14), st.integers(6, 14)),
    bits=st.integers(0, 2**32 - 1),
    least=st.floats(0.05, 0.9),
    patch=st.tuples(st.integers(1, 6), st.integers(1, 6)),
    factor=st.sampled_from([1, 2, 4]),
    resolution=st.sampled_from([1.0, 2.0]),
)
def test_every_draw_holds_enough_by_counting_voxels(shape, bits, least, patch, factor, resolution):
    mask = np.random.RandomState(bits).random_sample(shape) < 0.5
    fine = np.kron(mask, np.ones((factor, factor)))
    corner = (factor - 1) / 2
    one = volume(
        [(fine.shape, (1, 1), (0, 0))], patch, [(resolution, resolution)],
        mask=[(shape, (factor, factor), (corner, corner))], min_foreground=least,
    )  # fmt: skip
    try:
        sampler = Sampler([one], RULES, lambda _: (mask, 0))
        index = sampler.foreground(0)
    except PlanError:
        return
    rng = np.random.RandomState(bits)
    for i in range(5):
        plan = sampler.plan(i, rng)
        window = tuple(slice(o, o + n) for o, n in zip(plan.scales[0].start, plan.scales[0].scale.size, strict=True))
        assert fine[window].shape == plan.scales[0].scale.size
        assert index.fraction(plan.centre) == pytest.approx(fine[window].mean())
        assert fine[window].mean() >= least - 1e-9


@given(bits=st.integers(0, 2**32 - 1), rank=st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_all_that_holds_enough_is_drawn_evenly_where_every_centre_is_a_cell(bits, rank):
    shape = (5, 4, 3, 4)[:rank]
    mask = np.random.RandomState(bits).random_sample(shape) < 0.4
    mask[(0,) * rank] = True
    one = volume([(shape, (1,) * rank)], (1,) * rank, [(1,) * rank], mask=[(shape, (1,) * rank)], min_foreground=1.0)
    sampler = Sampler([one], RULES, lambda _: (mask, 0))
    total = int(mask.sum())
    found = [sampler.plan(0, Listed([0, (k + 0.5) / total, *c])).centre for k, c in enumerate(np.argwhere(mask))]
    assert found == [tuple(c) for c in np.argwhere(mask)]


class Counted:
    """A source of masks that counts how often it is asked."""

    def __init__(self):
        self.calls = []

    def __call__(self, volume):
        self.calls.append(volume)
        return np.ones(5000, bool), 0


def test_masks_are_read_once_when_a_place_is_first_drawn_and_stay_out_of_pickles():
    plain = volume([((64,), (1,))], (4,), [(1,)], name="plain")
    masked = volume([((5000,), (1,))], (4,), [(1,)], mask=[((5000,), (1,))], min_foreground=0.1, name="masked")
    source = Counted()
    sampler = Sampler([plain, masked], RULES, source)
    sampler.plan(0, Listed([0, 8]))
    assert source.calls == []
    for _ in range(2):
        sampler.plan(0, Listed([1, 0.5, 2500]))
    assert source.calls == [1]
    packed = pickle.dumps(sampler)
    assert len(packed) < 10_000
    assert pickle.loads(packed).plan(0, Listed([1, 0.5, 2500])) == sampler.plan(0, Listed([1, 0.5, 2500]))


def test_a_mask_is_needed_and_has_the_shape_of_its_level():
    masked = volume([((64,), (1,))], (4,), [(1,)], mask=[((64,), (1,))], min_foreground=0.1)
    with pytest.raises(PlanError, match="no masks"):
        Sampler([masked], RULES).plan(0, np.random.RandomState(0))
    with pytest.raises(PlanError, match=r"\(32,\).*\(64,\)"):
        Sampler([masked], RULES, lambda _: (np.ones(32, bool), 0)).plan(0, np.random.RandomState(0))


def test_a_level_of_few_voxels_is_read_whole():
    pyramid = volume(halved((1000, 1000, 1000), (1, 1, 1), 4), (4, 4, 4), [(1, 1, 1)]).image
    # 1e9, 1.25e8, 15,625,000: the first below 2^24 = 16,777,216.
    assert mask_level(pyramid) == 2
    assert mask_level(pyramid, 10) == 3


def test_sequential_sampling_takes_every_window():
    one = volume([((16,), (1,))], (4,), [(1,)], mask=[((16,), (1,))], min_foreground=0.9)
    sampler = Sampler([one], SamplingRules(sampling="sequential"))
    assert [sampler.plan(i).scales[0].start for i in range(4)] == [(0,), (4,), (8,), (12,)]


@settings(max_examples=100, deadline=None)
@given(
    shape=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    bits=st.integers(0, 2**32 - 1),
    data=st.data(),
)
def test_boxes_hold_each_voxel_by_the_part_of_it_that_is_inside(shape, bits, data):
    mask = np.random.RandomState(bits).random_sample(shape) < 0.5
    sums = Integral(mask)
    quarters = st.integers(-8, 32)
    faces = [sorted(data.draw(st.tuples(quarters, quarters))) for _ in shape]
    expected = Fraction(0)
    for voxel in np.argwhere(mask):
        part = Fraction(1)
        for place, (begin, end) in zip(map(int, voxel), faces, strict=True):
            part *= max(0, min(Fraction(end, 4), place + 1) - max(Fraction(begin, 4), place))
        expected += part
    begins, ends = zip(*faces, strict=True)
    assert sums.inside([b / 4 for b in begins], [e / 4 for e in ends]) == float(expected)
    many = sums.insides([np.array([b / 4, 0.0]) for b in begins], [np.array([e / 4, 1.0]) for e in ends])
    assert many[(0,) * len(shape)] == float(expected)
    assert many[(1,) * len(shape)] == mask[(0,) * len(shape)]


def test_a_mask_of_many_voxels_is_summed_slab_by_slab(monkeypatch):
    mask = np.random.RandomState(0).random_sample((40, 30, 20)) < 0.3
    begins = [np.linspace(-2, n, 23) for n in mask.shape]
    ends = [row + 7.3 for row in begins]
    whole = Integral(mask).insides(begins, ends)
    monkeypatch.setattr("miao.sampling.integral._SLAB", 2000)
    assert (Integral(mask).insides(begins, ends) == whole).all()
    assert whole.max() > 0


def test_cells_have_as_many_centres_as_a_mask_voxel_is_long_rounded():
    # Voxels of 2.5 over voxels of 1: floor(3) = 3 centres. Centres 2 .. 18 of 20 voxels are 17: 6 cells,
    # edges 2 + 17 k // 6: 2 4 7 10 13 16 19. Middles 2 5 8 11 14 17: of [7 8 9] the 8.
    sampler = one_axis([0, 0, 0, 1, 0, 0, 0, 0], 0.6, mask_voxel=2.5)
    # Foreground [7.5, 10): the window of centre 8, [6, 10), holds 2.5 / 4, that of 11, [9, 13), 1 / 4.
    rng = Listed([0, 0.5, 7])
    assert sampler.plan(0, rng).centre == (8,)  # centre 7, [5, 9), holds 1.5 / 4
    assert rng.asked[1:] == [("uniform", 0.0, 3.0), ("integer", 7, 9)]


def test_a_place_at_the_end_of_a_row_is_in_the_next():
    mask = np.array([[0, 1], [0, 0], [1, 1]], bool)
    one = volume([((3, 2), (1, 1))], (1, 1), [(1, 1)], mask=[((3, 2), (1, 1))], min_foreground=1.0)
    sampler = Sampler([one], RULES, lambda _: (mask, 0))
    # One centre in row 0, none in row 1, two in row 2.
    for part, cell in ((0.0, (0, 1)), (1 / 3, (2, 0)), (0.6, (2, 0)), (2 / 3, (2, 1)), (1.0, (2, 1))):
        assert sampler.plan(0, Listed([0, part, *cell])).centre == cell
