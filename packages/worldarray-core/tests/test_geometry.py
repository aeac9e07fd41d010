"""The half voxel, the tolerance and world boxes to voxels, against exact arithmetic."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from worldarray import geometry
from worldarray.arguments import index_tuple
from worldarray.box import Box, box_bounds, box_range
from worldarray.errors import ArgumentError, ArgumentTypeError
from worldarray.tiling import blocks

# Grids that float arithmetic finds hard: (voxel size, translation)
GRIDS = [
    (10.48, 3.7),
    (4.56, 0.0),
    (5.24, -2.62),
    (0.1, 0.3),
    (1 / 3, 1e3),
    (10.48, 10.48e9),  # a translation of 1e9 voxels
    (8.0, -8e9 + 4),
    (0.4, 0.4e9),
]


def place(voxel_size, translation, index):
    """Return the float next to a position given exactly in voxels from the centre of voxel 0."""
    return float(Fraction(translation) + Fraction(index) * Fraction(voxel_size))


@pytest.mark.parametrize(
    ("value", "expected"),
    [(9.9999999, 10.0), (10.0000009, 10.0), (10.48, 10.48), (-2.9999999, -3.0), (0.5, 0.5), (1.0000011, 1.0000011),
     (-1e-9, 0.0), (math.inf, math.inf)],
)  # fmt: skip
def test_noise_within_a_millionth_is_the_whole_number(value, expected):
    assert geometry.snap_integral(value) == expected


def test_sizes_compare_with_a_relative_millionth():
    assert geometry.same_size(10.48, 10.48 * (1 + 9e-7))
    assert not geometry.same_size(10.48, 10.48 * (1 + 2e-6))
    assert not geometry.same_size(10.48, 10.0)
    assert geometry.same_sizes((8.0, 4.0), (8.0, 4.0))
    assert not geometry.same_sizes((8.0, 4.0), (4.0, 8.0))
    assert not geometry.same_sizes((8.0, 4.0), (8.0, 4.0, 4.0))


@pytest.mark.parametrize(
    ("a", "b", "voxel_size", "expected"),
    [
        (100.0, 100.00005, 8.0, True),  # 5e-7 of the value
        (100.0, 100.5, 8.0, False),
        (0.0, 8e-7, 8.0, True),  # a ten-millionth of a voxel
        (0.0, 1e-3, 8.0, False),
        (8e9, 8e9 + 8, 8.0, False),  # one voxel, although 1e-9 of the value
    ],
)
def test_places_compare_relatively_but_never_hide_a_hundredth_of_a_voxel(a, b, voxel_size, expected):
    assert geometry.same_place(a, b, voxel_size) is expected


@pytest.mark.parametrize(
    ("axes", "expected"),
    [
        (None, (0.0, 15.0, 24.0, 22.0)),  # c, z, y, x: 0 + 30/2, 20 + 8/2, 20 + 4/2
        (("z", "y", "x", "c"), (3.0, 15.0, 24.0, 20.0)),  # 0 + 6/2, and the channel stays
        (("t", "c", "y", "x"), (0.0, 0.0, 24.0, 22.0)),
        (("time", "depth", "lat", "lon"), (0.0, 15.0, 24.0, 22.0)),
        (("z", "b", "y", "x"), (3.0, 0.0, 24.0, 22.0)),
    ],
)
def test_the_half_voxel_moves_spatial_axes_and_no_other(axes, expected):
    assert geometry.corner_to_centre((0, 0, 20, 20), (6, 30, 8, 4), axes) == expected


def test_corner_and_centre_are_each_others_inverse():
    assert geometry.corner_to_centre((1, 2, 3), (30, 8, 4)) == (16.0, 6.0, 5.0)
    assert geometry.centre_to_corner((16.0, 6.0, 5.0), (30.0, 8.0, 4.0), (0, 1, 2)) == (1.0, 2.0, 3.0)
    assert geometry.centre_to_corner((16.0, 6.0, 5.0), (30.0, 8.0, 4.0), (1, 2)) == (16.0, 2.0, 3.0)


def test_corner_to_centre_refuses_lists_of_different_lengths():
    with pytest.raises(ArgumentError) as caught:
        geometry.corner_to_centre((0, 0), (8, 8, 8))
    assert caught.value.code == "wrong_length"


# Behaviour 2 ---------------------------------------------------------------------------------------------------------

indices = st.integers(-(10**5), 10**5) | st.sampled_from([0, 1, 99_999, 100_000, 123_457])
lengths = st.integers(0, 10**5)
fractions = st.sampled_from(
    [Fraction(0), Fraction(1, 2), Fraction(1, 4), Fraction(1, 3), Fraction(9, 10), Fraction(1, 97)]
)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(GRIDS), indices, lengths, fractions)
def test_an_extent_of_m_voxels_selects_exactly_m_whatever_its_alignment(grid, index, m, fraction):
    s, t = grid
    begin, end = place(s, t, index + fraction), place(s, t, index + fraction + m)
    # A voxel is selected iff its centre, at a whole number, lies in [index + fraction, index + fraction + m)
    first = index if fraction == 0 else index + 1
    assert geometry.index_range((begin,), (end,), (s,), (t,)) == ((first,), (first + m,))


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(GRIDS), indices, lengths)
def test_boxes_on_corners_and_centres_computed_in_floats_select_the_voxels_they_name(grid, index, m):
    s, t = grid
    corner = t - s / 2
    low, high = (index,), (index + m,)
    assert geometry.index_range((corner + index * s,), (corner + (index + m) * s,), (s,), (t,)) == (low, high)
    assert geometry.index_range((t + index * s,), (t + (index + m) * s,), (s,), (t,)) == (low, high)


@pytest.mark.parametrize(("s", "t"), [(s, t) for s, t in GRIDS if abs(t) < 1e6 * s])
@pytest.mark.parametrize("index", [99_998, 99_999, 100_000, 100_001])
@pytest.mark.parametrize("step", [1, 3, 64])
def test_running_sums_of_a_float_voxel_size_stay_on_the_grid(s, t, index, step):
    begin = t + index * s
    for k in range(20):
        end = begin + step * s
        first = index + k * step
        assert geometry.index_range((begin,), (end,), (s,), (t,)) == ((first,), (first + step,))
        begin = end


def oracle(begin, end, voxel_size, translation):
    """Return the range of Behaviour 2 in exact arithmetic, and whether a number lies near an edge of the tolerance."""
    tolerance = Fraction(1, 10**6)

    def snap(q):
        whole = math.floor(q + Fraction(1, 2))
        edge = abs(abs(q - whole) - tolerance) < Fraction(1, 2 * 10**6)
        return (Fraction(whole) if abs(q - whole) <= tolerance else q), edge

    s, t = Fraction(voxel_size), Fraction(translation)
    (low, a), (high, b), (extent, c) = (
        snap(q / s) for q in (Fraction(begin) - t, Fraction(end) - t, Fraction(end) - Fraction(begin))
    )
    first = math.ceil(low)
    return first, first + int(extent) if extent.denominator == 1 else math.ceil(high), a or b or c


finite = st.floats(-1e6, 1e6)


@settings(max_examples=400, deadline=None)
@given(finite, finite, st.floats(0.01, 100), finite)
def test_any_box_selects_what_exact_arithmetic_says(a, b, voxel_size, translation):
    begin, end = min(a, b), max(a, b)
    first, stop, edge = oracle(begin, end, voxel_size, translation)
    assume(not edge)
    assert geometry.index_range((begin,), (end,), (voxel_size,), (translation,)) == ((first,), (stop,))


@settings(max_examples=300, deadline=None)
@given(st.lists(finite, min_size=3, max_size=6), st.sampled_from([10.48, 4.0, 0.3]), st.sampled_from([3.7, -1e4, 0.0]))
def test_adjoining_boxes_tile(cuts, voxel_size, translation):
    cuts = sorted(cuts)
    ranges = []
    for begin, end in pairwise(cuts):
        assume(not oracle(begin, end, voxel_size, translation)[2])
        ranges.append(geometry.index_range((begin,), (end,), (voxel_size,), (translation,)))
    for (_, stop), (first, _) in pairwise(ranges):
        assert stop == first
    whole = geometry.index_range((cuts[0],), (cuts[-1],), (voxel_size,), (translation,))
    assume(not oracle(cuts[0], cuts[-1], voxel_size, translation)[2])
    assert whole == (ranges[0][0], ranges[-1][1])


def test_a_box_at_a_centre_begins_there_and_one_past_it_does_not():
    # voxels of 8 with centres at 4, 12, 20
    assert geometry.index_range((4.0,), (11.0,), (8.0,), (4.0,)) == ((0,), (1,))
    assert geometry.index_range((4.1,), (11.0,), (8.0,), (4.0,)) == ((1,), (1,))
    assert geometry.index_range((3.0,), (12.0,), (8.0,), (4.0,)) == ((0,), (1,))
    assert geometry.index_range((3.0,), (12.1,), (8.0,), (4.0,)) == ((0,), (2,))


def test_the_axes_are_independent_and_numpy_numbers_are_as_good():
    # z: centres at 5, 35: [0, 60) holds both; y: [8, 24) on voxels of 8 from 0; x: corners at -2, 2, 6
    expected = ((0, 1, 1), (2, 3, 2))
    box, grid = ((0.0, 8.0, 2.0), (60.0, 24.0, 6.0)), ((30.0, 8.0, 4.0), (5.0, 4.0, 0.0))
    assert geometry.index_range(*box, *grid) == expected
    found = geometry.index_range(*map(np.array, box), *map(np.array, grid))
    assert found == expected
    assert all(type(i) is int for part in found for i in part)
    assert geometry.index_range((), (), (), ()) == ((), ())


@pytest.mark.parametrize(
    ("begin", "end", "voxel_size", "translation", "code"),
    [
        ((math.nan,), (8.0,), (8.0,), (4.0,), "not_finite"),
        ((0.0,), (math.inf,), (8.0,), (4.0,), "not_finite"),
        ((0.0,), (8.0,), (8.0,), (math.nan,), "not_finite"),
        ((8.0,), (0.0,), (8.0,), (4.0,), "order"),
        ((0.0,), (8.0,), (0.0,), (4.0,), "not_positive"),
        ((0.0,), (8.0,), (-8.0,), (4.0,), "not_positive"),
        ((8.0,), (0.0,), (-8.0,), (4.0,), "order"),
        ((0.0,), (8.0, 8.0), (8.0,), (4.0,), "wrong_length"),
        ((0.0,), (8.0,), (8.0, 8.0), (4.0,), "wrong_length"),
        (("a",), (8.0,), (8.0,), (4.0,), "wrong_type"),
        (0.0, 8.0, 8.0, 4.0, "wrong_type"),
    ],
)
def test_index_range_refuses_what_is_no_box_or_no_grid(begin, end, voxel_size, translation, code):
    assert geometry.index_range((0.0,), (8.0,), (8.0,), (4.0,)) == ((0,), (1,))
    with pytest.raises(ArgumentError if code != "wrong_type" else ArgumentTypeError) as caught:
        geometry.index_range(begin, end, voxel_size, translation)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("begin", "end", "expected"),
    [(0.0, 8.0, "corner"), (4.0, 20.0, "centre"), (0.0, 4.0, "neither"), (4.0, 8.0, "neither"), (1.0, 9.0, "neither"),
     (8.0000001, 16.0, "corner"), (4.0000001, 12.0, "centre")],
)  # fmt: skip
def test_alignment_says_corner_centre_or_neither(begin, end, expected):
    assert geometry.alignment((begin,), (end,), (8.0,), (4.0,)) == (expected,)


# Boxes ---------------------------------------------------------------------------------------------------------------


class Roi:
    """What a funlib Roi looks like from outside."""

    def __init__(self, offset, shape):
        self.offset, self.shape = offset, shape


@pytest.mark.parametrize(
    "value",
    [
        ((0, 10), (8, 30)),
        [[0, 10], [8, 30]],
        np.array([[0, 10], [8, 30]]),
        Roi((0, 10), (8, 20)),
        Box((0, 10), (8, 30)),
    ],
)
def test_anything_with_two_bounds_is_a_box(value):
    assert Box.of(value) == Box((0.0, 10.0), (8.0, 30.0))
    assert tuple(map(tuple, box_bounds(value))) == ((0, 10), (8, 30))


@pytest.mark.parametrize("value", [None, 5, "ab", ((0, 0),), (0, 8), np.array(3.0), {"begin": (0,)}])
def test_anything_else_is_refused(value):
    with pytest.raises(ArgumentTypeError) as caught:
        Box.of(value)
    assert caught.value.code == "wrong_type"


def test_a_block_is_no_world_box_and_the_error_says_read_index():
    with pytest.raises(ArgumentTypeError, match="read_index"):
        Box.of(blocks((8, 8), (4, 4))[0])


@pytest.mark.parametrize(
    ("begin", "end", "code"),
    [
        ((0.0,), (8.0, 8.0), "wrong_length"),
        ((8.0,), (0.0,), "order"),
        ((math.nan,), (8.0,), "not_finite"),
        ((0.0,), (math.inf,), "not_finite"),
        (("0",), (["8"],), "wrong_type"),
    ],
)
def test_bounds_that_are_no_box_are_refused(begin, end, code):
    with pytest.raises(ArgumentError if code != "wrong_type" else ArgumentTypeError) as caught:
        Box(begin, end)
    assert caught.value.code == code


def test_a_box_has_the_vocabulary_of_a_roi_on_floats():
    box = Box((0, 10), (8, 30))
    assert (box.shape, box.centre, box.empty, box.ndim) == ((8.0, 20.0), (4.0, 20.0), False, 2)
    assert Box((0, 10), (0, 30)).empty
    assert box.shift(1) == Box((1, 11), (9, 31))
    assert box.shift((1, -2)) == Box((1, 8), (9, 28))
    assert box.grow(2) == Box((-2, 8), (10, 32))
    assert box.grow((1, 2), 3) == Box((-1, 8), (11, 33))
    assert box.grow(np.float32(1)) == Box((-1, 9), (9, 31))
    assert hash(box) == hash(Box((0.0, 10.0), (8.0, 30.0)))


def test_a_box_that_shrinks_below_nothing_is_refused():
    assert Box((0,), (8,)).grow(-4) == Box((4,), (4,))
    with pytest.raises(ArgumentError) as caught:
        Box((0,), (8,)).grow(-5)
    assert caught.value.code == "order"


def test_intersect_and_union():
    a, b, far = Box((0, 10), (8, 30)), Box((4, 0), (20, 20)), Box((50, 50), (60, 60))
    assert a.intersect(b) == b.intersect(a) == Box((4, 10), (8, 20))
    assert a.union(b) == b.union(a) == Box((0, 0), (20, 30))
    assert a.intersect(far).empty
    assert a.union(Box((-100, 0), (-100, 5))) == a
    assert Box((-100, 0), (-100, 5)).union(a) == a
    with pytest.raises(ArgumentError) as caught:
        a.intersect(Box((0,), (8,)))
    assert caught.value.code == "wrong_length"


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ((0, 10), True), ((7.9, 29.9), True), ((8, 10), False), ((0, 30), False), ((-0.1, 10), False),
        (((0, 10), (8, 30)), True), (((0, 10), (8, 30.1)), False), (Roi((1, 11), (2, 2)), True),
        (((50, 50), (50, 60)), True),
    ],
)  # fmt: skip
def test_contains_is_half_open_for_points_and_boxes(other, expected):
    assert Box((0, 10), (8, 30)).contains(other) is expected


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        # voxels of 8 with corners at -4, 4, 12, 20: [3, 13) lies in corners -4 .. 20 and holds 4 .. 12
        ("grow", ((-4.0,), (20.0,))),
        ("shrink", ((4.0,), (12.0,))),
        ("closest", ((4.0,), (12.0,))),
    ],
)
def test_snap_moves_a_box_onto_voxel_corners(mode, expected):
    box = Box((3,), (13,)).snap((8,), (0,), mode)
    assert (box.begin, box.end) == expected


def test_snap_absorbs_noise_and_is_idempotent():
    s, t = 10.48, 3.7
    corners = Box.from_index((100_000,), (100_064,), (s,), (t,))
    for mode in ("grow", "shrink", "closest"):
        assert corners.snap((s,), (t,), mode) == corners
    assert Box((5,), (6,)).snap((8,), (4,), "shrink").empty
    assert Box((4,), (12,)).snap((8,), (4,), "closest") == Box((8,), (16,))  # ties go to the upper corner
    with pytest.raises(ArgumentError) as caught:
        corners.snap((s,), (t,), "floor")
    assert caught.value.code == "invalid_argument"


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(GRIDS), indices, lengths)
def test_boxes_of_indices_select_those_indices(grid, index, m):
    s, t = grid
    assert Box.from_index((index,), (index + m,), (s,), (t,)).to_index((s,), (t,)) == ((index,), (index + m,))


def test_from_index_takes_integers_only():
    assert Box.from_index((np.int64(1),), (3,), (8,), (4,)) == Box((8,), (24,))
    with pytest.raises(ArgumentTypeError) as caught:
        Box.from_index((0.9,), (3,), (8,), (4,))
    assert caught.value.code == "wrong_type"


def test_a_box_over_the_spatial_axes_keeps_the_others_whole():
    facts = ((3, 40, 50), (1.0, 8.0, 4.0), (0.0, 4.0, 2.0), (1, 2), ("c", "y", "x"))
    assert box_range(((0, 8), (16, 24)), *facts) == ((0, 0, 2), (3, 2, 6))
    assert box_range(((1, 0, 8), (2, 16, 24)), *facts) == ((1, 0, 2), (2, 2, 6))
    with pytest.raises(ArgumentError) as caught:
        box_range(((0,), (16,)), *facts)
    assert caught.value.code == "wrong_length"


@pytest.mark.parametrize("values", [(0.9,), ("1",), 3, None, (None,), (1, 2.0)])
def test_indices_are_integers(values):
    assert index_tuple((np.uint8(1), True, 3), "begin", 3) == (1, 1, 3)
    with pytest.raises(ArgumentTypeError) as caught:
        index_tuple(values, "begin")
    assert isinstance(caught.value, TypeError)
    assert caught.value.at == ("begin",)


@pytest.mark.parametrize(
    ("axes", "spatial", "wanted"),
    [("zyx", (0, 1, 2), "give 3 (z, y, x)"), ("czyx", (1, 2, 3), "give 3 (z, y, x) or 4 (c, z, y, x)")],
)
def test_a_box_of_too_few_entries_is_told_each_number_that_fits_once(axes, spatial, wanted):
    ones = (1,) * len(axes)
    with pytest.raises(ArgumentError) as caught:
        box_range(((0, 0), (1, 1)), ones, ones, ones, spatial, axes)
    assert str(caught.value).endswith(f"the box has 2 entries; {wanted}")
