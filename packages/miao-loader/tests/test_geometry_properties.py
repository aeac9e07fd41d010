"""Windows, ranges and maps against an oracle in fractions that searches instead of computing."""

from __future__ import annotations

from fractions import Fraction as F
from math import ceil, floor

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from miao.errors import PlanError
from miao.geometry.frames import corners
from miao.geometry.levels import choose_level, extent_size
from miao.geometry.pinned import pinned_index
from miao.geometry.resample_map import label_indices, linear_taps, nearest_indices
from miao.geometry.windows import (
    bbox,
    centre_range,
    clipped,
    geometry_of,
    label_start,
    limits,
    place,
    scale_of,
    start_of,
    window_range,
)
from miao.records import LevelInfo, PyramidInfo, ScalePlan, VolumeInfo

# Sizes in eighths: floats hold them and their products exactly, so a tie is a tie.
EIGHTHS = st.integers(1, 64).map(lambda k: k / 8)
EXAMPLES = settings(max_examples=150, deadline=None)


@st.composite
def pyramids(draw, path="image", least=1):
    """One axis, one to three levels, each with any size, any translation or none."""
    levels = []
    declared = draw(st.sampled_from(["all", "some", "none"]))
    first = draw(EIGHTHS)
    for index in range(draw(st.integers(1, 3))):
        voxel = first * draw(st.sampled_from([1.0, 1.5, 2.0, 3.0, 4.0])) if index else first
        says = declared == "all" or (declared == "some" and draw(st.booleans()))
        translation = (draw(st.integers(-80, 80)) / 16,) if says else None
        shape = (draw(st.integers(least, 40)),)
        levels.append(LevelInfo(f"s{index}", path, shape, (voxel,), translation, shape, "uint8"))
    return PyramidInfo(path, tuple(levels), "x")


@st.composite
def volumes(draw, *, labels=None):
    image = draw(pyramids(least=8))
    has_labels = draw(st.booleans()) if labels is None else labels
    label = draw(pyramids("label", least=4)) if has_labels else None
    box = None
    if draw(st.booleans()):
        low = draw(st.integers(0, 4))
        box = ((low, draw(st.integers(low + 3, low + 44))),)
    fill = draw(st.sampled_from([None, 0])) if has_labels else None
    patch = (draw(st.integers(1, 9)),)
    return VolumeInfo("v", image, patch, (), label=label, bounding_box=box, label_fill=fill)


RESOLUTIONS = st.integers(1, 160).map(lambda k: (k / 8,))
SAMPLING = st.sampled_from(["index", "position"])


def corner(volume, what, level):
    """Lower corner of voxel 0 by the rule, in fractions."""
    pyramid = getattr(volume, what)
    if all(entry.translation is None for entry in pyramid.levels):
        origin = volume.image if all(entry.translation is None for entry in volume.image.levels) else pyramid
        return -F(origin.levels[0].voxel[0]) / 2
    entry = pyramid.levels[level]
    return F(entry.translation[0] if entry.translation else 0) - F(entry.voxel[0]) / 2


def middle(volume, what, level, start, size):
    return corner(volume, what, level) + (start + F(size) / 2) * F(getattr(volume, what).levels[level].voxel[0])


def nearest(distance, about, *, upper):
    """The whole number of least distance; of two the lower, or the upper."""
    found = range(about - 3, about + 4)
    return min(found, key=lambda o: (distance(o), -o if upper else o))


def start_by_search(volume, scale, centre):
    if scale.level == 0:
        return centre - scale.size[0] // 2
    v0, v = (F(volume.image.levels[i].voxel[0]) for i in (0, scale.level))
    half = F(volume.patch[0] % 2, 2)
    point = corner(volume, "image", 0) + (centre + half) * v0
    about = round((point - corner(volume, "image", scale.level)) / v - F(scale.size[0]) / 2)
    return nearest(lambda o: abs(middle(volume, "image", scale.level, o, scale.size[0]) - point), about, upper=False)


def output_centre(volume, scale, start, j):
    """Where the centre of output voxel j lies."""
    voxel = F(volume.image.levels[scale.level].voxel[0])
    step = scale.size[0] * voxel / volume.patch[0]
    return corner(volume, "image", scale.level) + start * voxel + (j + F(1, 2)) * step


def label_voxel_by_search(volume, scale, start, j):
    voxel = F(volume.label.levels[scale.label_level].voxel[0])
    point, first = output_centre(volume, scale, start, j), corner(volume, "label", scale.label_level)
    about = floor((point - first) / voxel)
    return next(k for k in range(about - 2, about + 3) if first + k * voxel <= point < first + (k + 1) * voxel)


def labels_by_search(volume, scale, start):
    """First and last label voxel that belong to a window."""
    if scale.by_position:
        ends = (0, volume.patch[0] - 1)
        return tuple(label_voxel_by_search(volume, scale, start, j) for j in ends)
    point = middle(volume, "image", scale.level, start, scale.size[0])
    voxel, count = F(volume.label.levels[scale.label_level].voxel[0]), scale.label_size[0]
    about = round((point - corner(volume, "label", scale.label_level)) / voxel - F(count) / 2)
    first = nearest(lambda o: abs(middle(volume, "label", scale.label_level, o, count) - point), about, upper=True)
    return first, first + count - 1


def allowed(volume, scale, start):
    """Whether a window at an origin lies in the level and the box, its labels in their array."""
    level, size = volume.image.levels[scale.level], scale.size[0]
    if not 0 <= start <= level.shape[0] - size:
        return False
    if volume.bounding_box:
        low, high = volume.bounding_box[0]
        v0, v = F(volume.image.levels[0].voxel[0]), F(level.voxel[0])
        begin, first = corner(volume, "image", scale.level) + start * v, corner(volume, "image", 0)
        if begin < first + low * v0 or begin + size * v > first + high * v0:
            return False
    if volume.label is None or volume.label_fill is not None:
        return True
    first, last = labels_by_search(volume, scale, start)
    return first >= 0 and last < volume.label.levels[scale.label_level].shape[0]


def on_labels(volume, centre):
    if volume.label is None or volume.label_fill is None:
        return True
    label, v0 = volume.label.levels[0], F(volume.image.levels[0].voxel[0])
    point, first = corner(volume, "image", 0) + (centre + F(1, 2)) * v0, corner(volume, "label", 0)
    return first <= point < first + label.shape[0] * F(label.voxel[0])


def origins(volume, scale):
    shape = volume.image.levels[scale.level].shape[0]
    return [start for start in range(shape + 1) if allowed(volume, scale, start)]


@EXAMPLES
@given(volumes(), RESOLUTIONS, st.integers(-10, 60))
def test_a_window_is_the_one_whose_middle_is_nearest_the_sampling_point(volume, resolution, centre):
    scale = scale_of(volume, resolution)
    assert start_of(geometry_of(volume), volume, scale, (centre,)) == (start_by_search(volume, scale, centre),)


@EXAMPLES
@given(volumes(labels=True), RESOLUTIONS, SAMPLING, st.integers(-10, 60))
def test_labels_belong_to_the_window_of_the_image(volume, resolution, sampling, start):
    scale = scale_of(volume, resolution, label_sampling=sampling)
    first, _ = labels_by_search(volume, scale, start)
    if volume.label_fill is None:
        last = volume.label.levels[scale.label_level].shape[0] - scale.label_size[0]
        first = max(0, min(first, last))
    assert label_start(geometry_of(volume), volume, scale, (start,)) == (first,)


@EXAMPLES
@given(volumes(), RESOLUTIONS, SAMPLING)
def test_limits_are_all_origins_at_which_a_window_may_begin(volume, resolution, sampling):
    scale = scale_of(volume, resolution, label_sampling=sampling)
    first, last = limits(geometry_of(volume), volume, scale)[0]
    assert list(range(first, last + 1)) == origins(volume, scale)


@EXAMPLES
@given(volumes(), st.lists(RESOLUTIONS, min_size=1, max_size=3), SAMPLING, st.booleans())
def test_every_centre_of_the_range_may_be_drawn_and_no_other(volume, resolutions, sampling, clamp):
    scales = [scale_of(volume, resolution, label_sampling=sampling) for resolution in resolutions]
    possible = [set(origins(volume, scale)) for scale in scales]
    confining = scales[:1] if clamp else scales
    expected = [
        centre
        for centre in range(volume.image.levels[0].shape[0] + 1)
        if on_labels(volume, centre)
        and all(
            start_by_search(volume, scale, centre) in starts for scale, starts in zip(confining, possible, strict=False)
        )
    ]
    if not expected or not all(possible):
        with pytest.raises(PlanError) as caught:
            centre_range(geometry_of(volume), volume, scales, clamp=clamp)
        assert (caught.value.code, caught.value.at) == ("out_of_range", ("v", "x"))
        return
    ((low, high),) = centre_range(geometry_of(volume), volume, scales, clamp=clamp)
    assert list(range(low, high + 1)) == expected


@EXAMPLES
@given(volumes(), RESOLUTIONS, SAMPLING, st.integers(-10, 60))
def test_clipped_is_the_nearest_origin_that_is_allowed(volume, resolution, sampling, start):
    scale = scale_of(volume, resolution, label_sampling=sampling)
    possible = origins(volume, scale)
    assume(possible)
    expected = min(possible, key=lambda origin: abs(origin - start))
    assert clipped(volume, scale, (start,)) == (expected,)
    assert clipped(volume, scale, (start,), geometry_of(volume)) == (expected,)


@EXAMPLES
@given(volumes(), RESOLUTIONS, RESOLUTIONS, st.integers(0, 40))
def test_window_range_is_every_allowed_origin_that_covers_the_window_before(volume, resolution, coarser, start):
    geometry, fine = geometry_of(volume), scale_of(volume, resolution)
    scale = scale_of(volume, coarser)
    possible = origins(volume, scale)
    assume(possible)
    fine_voxel, voxel = (F(volume.image.levels[s.level].voxel[0]) for s in (fine, scale))
    begin = corner(volume, "image", fine.level) + start * fine_voxel
    first = corner(volume, "image", scale.level)
    covering = [
        o
        for o in possible
        if first + o * voxel <= begin and begin + fine.size[0] * fine_voxel <= first + (o + scale.size[0]) * voxel
    ]
    ((low, high),) = window_range(geometry, volume, scale, ScalePlan(fine, (start,)))
    if covering:
        assert list(range(low, high + 1)) == covering
    else:
        middle_of = begin + fine.size[0] * fine_voxel / 2
        expected = min(possible, key=lambda o: (abs(first + (o + F(scale.size[0]) / 2) * voxel - middle_of), o))
        assert low == high == expected


@EXAMPLES
@given(volumes(labels=True), RESOLUTIONS)
def test_positions_are_the_label_voxels_that_hold_the_output_voxels_centres(volume, resolution):
    geometry, scale = geometry_of(volume), scale_of(volume, resolution, label_sampling="position")
    possible = origins(volume, scale)
    assume(possible)
    for start in (possible[0], possible[-1]):
        plan = place(geometry, volume, scale, (start,))
        (found,) = label_indices(geometry, volume, plan)
        expected = [label_voxel_by_search(volume, scale, start, j) for j in range(volume.patch[0])]
        assert [plan.label_start[0] + index for index in found] == expected
        if volume.label_fill is None:
            stored = volume.label.levels[scale.label_level].shape[0]
            assert 0 <= plan.label_start[0] <= stored - scale.label_size[0]


@EXAMPLES
@given(volumes(), RESOLUTIONS, st.integers(0, 40))
def test_corner_boxes_are_what_the_voxels_cover(volume, resolution, start):
    geometry, scale = geometry_of(volume), scale_of(volume, resolution)
    lower, upper = bbox(geometry, volume, ScalePlan(scale, (start,)), anchor="corner")
    voxel = F(volume.image.levels[scale.level].voxel[0])
    begin = corner(volume, "image", scale.level) + start * voxel
    assert (F(lower[0]), F(upper[0])) == (begin, begin + scale.size[0] * voxel)


@EXAMPLES
@given(pyramids())
def test_corners_lie_half_a_voxel_below_the_centres_or_are_one(pyramid):
    volume = VolumeInfo("v", pyramid, (1,), ())
    expected = [corner(volume, "image", level) for level in range(len(pyramid.levels))]
    assert [F(place[0]) for place in corners(pyramid)] == expected


@EXAMPLES
@given(st.lists(st.tuples(EIGHTHS, EIGHTHS), min_size=1, max_size=4), EIGHTHS, EIGHTHS)
def test_the_level_is_the_coarsest_that_is_nowhere_coarser(sizes, first, second):
    levels = [LevelInfo("s", "a", (9, 9), size, None, (9, 9), "uint8") for size in sizes]
    fine = [i for i, size in enumerate(sizes) if size[0] <= first and size[1] <= second]
    area = [F(size[0]) * F(size[1]) for size in sizes]
    expected = max(fine, key=lambda i: (area[i], -i)) if fine else min(range(len(sizes)), key=lambda i: (area[i], i))
    assert choose_level(levels, (first, second)) == expected


@EXAMPLES
@given(st.integers(1, 300), st.integers(1, 2000), st.integers(1, 2000))
def test_the_extent_is_the_least_whole_number_of_voxels_of_decimal_sizes(patch, target, voxel):
    # Hundredths are no floats: the quotient of their decimals counts, not that of the floats.
    exact = F(patch * target, voxel)
    assert extent_size((patch,), (target / 100,), (voxel / 100,)) == (max(1, ceil(exact - F(1, 10**6))),)


@EXAMPLES
@given(st.integers(0, 5000), st.integers(1, 400), st.integers(1, 400))
def test_a_pinned_index_is_floored_exactly(index, first, other):
    assert pinned_index(index, first / 100, other / 100) == index * first // other


@EXAMPLES
@given(st.integers(1, 40), st.integers(1, 40))
def test_taps_and_nearest_indices_are_exact(size, count):
    taps = linear_taps(size, count)
    for j in range(count):
        place_of = min(max(F(2 * j + 1, 2) * F(size, count) - F(1, 2), F(0)), F(size - 1))
        assert taps.lower[j] == floor(place_of)
        assert taps.upper[j] == min(taps.lower[j] + 1, size - 1)
        assert taps.weight[j] == float(place_of - taps.lower[j])
    assert nearest_indices(size, count) == tuple(floor(F(j * size, count)) for j in range(count))


@EXAMPLES
@given(
    st.sampled_from([0.1, 0.3, 5.0 / 3, 16 / 3, 4.04, 7.7]),
    st.sampled_from([2, 4]),
    st.integers(0, 20000),
    st.sampled_from([0.0, 1e6, -3e5 / 7]),
)
def test_ties_of_sizes_that_are_no_floats_go_toward_the_origin(voxel, factor, centre, origin):
    # Block means: level 1 is centred (factor - 1) / 2 level-0 voxels above level 0; the corner is shared.
    levels = (
        LevelInfo("s0", "a", (40000,), (voxel,), (origin,), (64,), "uint8"),
        LevelInfo("s1", "a", (20000,), (voxel * factor,), (origin + voxel * (factor - 1) / 2,), (64,), "uint8"),
    )
    volume = VolumeInfo("v", PyramidInfo("a", levels, "x"), (8,), ())
    scale = scale_of(volume, (voxel * factor,))
    expected = ceil(F(centre, factor) - 4 - F(1, 2))
    assert start_of(geometry_of(volume), volume, scale, (centre,)) == (expected,)
