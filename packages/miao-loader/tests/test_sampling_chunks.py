"""Patches inside one stored chunk."""

import numpy as np
import pytest
from drawn import Listed, halved, volume
from hypothesis import given, settings
from hypothesis import strategies as st

from miao.records import ResolutionRanges, SamplingRules
from miao.sampling.chunks import chunk_table
from miao.sampling.sampler import Sampler

RULES = SamplingRules(chunk_aligned=True)


def tables(one):
    sampler = Sampler([one], RULES)
    return sampler.places(0).chunks(sampler.scales(0)[0])


def test_chunks_are_weighted_by_their_centres():
    # Chunks of 20: origins 0 .. 4, 20 .. 24, 40 .. 44 of 50 voxels, of which 40 .. 34 is none; windows of 16.
    (table,) = tables(volume([((55,), (4,), None, (20,))], (16,), [(4,)]))
    # The last chunk is cut to 15 voxels: it holds no window.
    assert (table.chunks, table.centres, table.weights) == ((0, 1), ((8, 12), (28, 32)), (0.5, 0.5))
    (table,) = tables(volume([((58,), (4,), None, (20,))], (16,), [(4,)]))
    # 18 voxels hold three windows.
    assert table.centres == ((8, 12), (28, 32), (48, 50))
    assert table.weights == pytest.approx((5 / 13, 5 / 13, 3 / 13))


def test_a_chunk_of_the_size_of_a_window_has_one():
    (table,) = tables(volume([((48,), (4,), None, (16,))], (16,), [(4,)]))
    assert table.centres == ((8, 8), (24, 24), (40, 40))


def test_an_axis_whose_chunks_are_smaller_than_a_window_is_free():
    first, second = tables(volume([((48, 40), (4, 4), None, (15, 20))], (16, 16), [(4, 4)]))
    assert first is None
    assert second.centres == ((8, 12), (28, 32))


def test_the_extent_that_is_read_counts_and_not_the_patch():
    # Patch 16 at 8 over voxels of 4 reads 32: chunks of 32 hold one window, chunks of 20 none.
    (table,) = tables(volume([((96,), (4,), None, (32,))], (16,), [(8,)]))
    assert table.centres == ((16, 16), (48, 48), (80, 80))
    assert tables(volume([((96,), (4,), None, (20,))], (16,), [(8,)])) == (None,)


def test_chunks_of_the_level_that_the_first_scale_reads_count():
    # Level 1: 48 voxels in chunks of 24, windows of 16: origins 0 .. 8, 24 .. 32; ceil(c / 2 - 8.5).
    (table,) = tables(volume([((96,), (4,), None, (16,)), ((48,), (8,), None, (24,))], (16,), [(8,)]))
    assert table.chunks == (0, 1)
    # 0: c of 16 (15 gives -1); 8: c up to 33. 24: from 63.5 - 8.5 = 23 + ..: c / 2 > 31.5, c of 64; 32: up to 81.
    assert table.centres == ((16, 33), (64, 81))


def test_the_bounding_box_takes_centres_from_chunks():
    (table,) = tables(volume([((60,), (4,), None, (20,))], (16,), [(4,)], bounding_box=((2, 37),)))
    # Origins 2 .. 21: 2 .. 4 of chunk 0, 20 .. 21 of chunk 1.
    assert table.centres == ((10, 12), (28, 29))
    assert table.weights == pytest.approx((0.6, 0.4))


def test_an_axis_on_which_no_chunk_holds_a_window_is_free():
    # Origins 10 .. 14 with windows of 16 all cross 20.
    assert tables(volume([((60,), (4,), None, (20,))], (16,), [(4,)], bounding_box=((10, 30),))) == (None,)


def test_a_chunk_is_drawn_and_then_a_centre_axis_by_axis():
    one = volume([((58, 48), (4, 4), None, (20, 15))], (16, 16), [(4, 4)])
    rng = Listed([0, 2, 49, 30])
    plan = Sampler([one], RULES).plan(0, rng)
    assert rng.asked[1] == ("choice", 3, pytest.approx((5 / 13, 5 / 13, 3 / 13)))
    assert rng.asked[2:] == [("integer", 48, 50), ("integer", 8, 40)]
    assert (plan.centre, plan.scales[0].start) == ((49, 30), (41, 22))


def test_a_chunk_larger_than_the_array_holds_every_window():
    (table,) = tables(volume([((50,), (4,), None, (128,))], (16,), [(4,)]))
    assert table.centres == ((8, 42),)


@settings(max_examples=150, deadline=None)
@given(
    low=st.integers(0, 30),
    span=st.integers(0, 80),
    size=st.integers(1, 20),
    chunk=st.integers(1, 40),
    slope=st.sampled_from([1, 2, 3]),
    floor=st.integers(-5, 20),
)
def test_tables_hold_every_centre_whose_window_lies_in_one_chunk(low, span, size, chunk, slope, floor):
    def origin(centre):
        return max(centre // slope, floor)

    found = chunk_table(origin, (low, low + span), size, chunk)
    inside = {
        c for c in range(low, low + span + 1) if origin(c) // chunk == (origin(c) + size - 1) // chunk and chunk >= size
    }
    listed = [c for first, last in found.centres for c in range(first, last + 1)] if found else []
    assert sorted(inside) == listed
    if found:
        assert sum(found.weights) == pytest.approx(1)
        for index, (first, last) in zip(found.chunks, found.centres, strict=True):
            assert {origin(c) // chunk for c in range(first, last + 1)} == {index}


@pytest.mark.parametrize("resolution", [(8, 8), (12, 20)])
def test_no_window_of_the_first_scale_crosses_a_chunk(resolution):
    one = volume(halved((200, 170), (8, 8), 2, chunk=(48, 40)), (16, 12), [resolution, (32, 32)])
    sampler = Sampler([one], RULES)
    rng = np.random.RandomState(0)
    for i in range(200):
        scale = sampler.plan(i, rng).scales[0]
        for o, n, c in zip(scale.start, scale.scale.size, (48, 40), strict=True):
            assert o // c == (o + n - 1) // c


def test_drawn_resolutions_look_the_chunks_of_each_draw_up():
    one = volume(halved((200,), (8,), 2, chunk=(48,)), (12,), ResolutionRanges((((8.0,), (30.0,)),), (1,)))
    sampler = Sampler([one], RULES)
    rng = np.random.RandomState(0)
    levels = set()
    for i in range(200):
        scale = sampler.plan(i, rng).scales[0]
        levels.add(scale.scale.level)
        o, n = scale.start[0], scale.scale.size[0]
        assert o // 48 == (o + n - 1) // 48
    assert levels == {0, 1}
