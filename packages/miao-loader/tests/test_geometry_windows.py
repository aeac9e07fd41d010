"""Windows by hand: what the rules come to on pyramids that people have."""

from __future__ import annotations

import pickle
from timeit import repeat

import numpy as np
import pytest

import miao
from miao.errors import PlanError
from miao.geometry.levels import choose_level
from miao.geometry.windows import (
    bbox,
    centre_range,
    geometry_of,
    place,
    scale_of,
    start_of,
    window_range,
)
from miao.records import LevelInfo, PyramidInfo, VolumeInfo


def levels(path, *rows):
    """One level per (shape, voxel, translation)."""
    return tuple(
        LevelInfo(f"s{i}", f"{path}/s{i}", shape, voxel, translation, shape, "uint8")
        for i, (shape, voxel, translation) in enumerate(rows)
    )


def volume(rows, patch, *, labels=None, axes="x", **others):
    label = PyramidInfo("label", levels("label", *labels), axes) if labels else None
    return VolumeInfo("em", PyramidInfo("em", levels("em", *rows), axes), patch, (), label=label, **others)


MEANS = [((256,), (8.0,), (0.0,)), ((128,), (16.0,), (4.0,)), ((64,), (32.0,), (12.0,))]
SILENT = [(shape, voxel, None) for shape, voxel, _ in MEANS]


@pytest.mark.parametrize("rows", [MEANS, SILENT], ids=["declared centres of block means", "no translations"])
@pytest.mark.parametrize(
    ("resolution", "centre", "start"),
    [
        (8.0, 100, 92),  # 100 - 16 // 2
        (16.0, 100, 42),  # 100 / 2 - 8
        (16.0, 101, 42),  # 42.5: of two the one nearer the origin
        (32.0, 101, 17),  # 101 / 4 - 8 = 17.25
        (32.0, 102, 17),  # 17.5
        (32.0, 103, 18),  # 17.75
    ],
)
def test_a_pyramid_that_says_nothing_lies_as_its_block_means_would(rows, resolution, centre, start):
    given = volume(rows, (16,))
    assert start_of(geometry_of(given), given, scale_of(given, (resolution,)), (centre,)) == (start,)


def test_an_odd_patch_is_about_the_middle_of_its_voxel():
    # Patch 5 about voxel 101: (101 + 0.5) / 2 - 5 / 2 = 48.25.
    given = volume(SILENT, (5,))
    assert start_of(geometry_of(given), given, scale_of(given, (16.0,)), (101,)) == (48,)
    assert start_of(geometry_of(given), given, scale_of(given, (8.0,)), (101,)) == (99,)


def test_declared_zeros_are_decimation_and_put_centres_on_centres():
    # Every level is centred at 0: level 1 covers [-8, 8), level 0 [-4, 4). Q = -4 + 100 * 8 = 796 is
    # (796 + 8) / 16 - 8 = 42.25 of level 1, where no translations gave 42.
    rows = [((256,), (8.0,), (0.0,)), ((128,), (16.0,), (0.0,))]
    given = volume(rows, (16,))
    assert start_of(geometry_of(given), given, scale_of(given, (16.0,)), (101,)) == (43,)  # 42.75
    assert start_of(geometry_of(given), given, scale_of(given, (16.0,)), (100,)) == (42,)


def test_labels_without_translation_lie_corner_on_corner_on_an_image_without():
    given = volume(SILENT[:1], (16,), labels=[((128,), (16.0,), None)])
    geometry = geometry_of(given)
    assert geometry.label == ((-4.0,),)
    scale = scale_of(given, (8.0,))
    # The middle of [5, 21) is 13 * 8 = 104 above the corner: 104 / 16 - 8 / 2 = 2.5, and of two the farther one.
    # The labels' own level 0 is coarser than 8: it is the finest, and 16 * 8 / 16 = 8 voxels are read.
    assert place(geometry, given, scale, (5,)).label_start == (3,)


def test_labels_without_translation_under_an_image_with_one_are_centred_at_0():
    given = volume([((64,), (8.0,), (800.0,))], (16,), labels=[((256,), (8.0,), None)])
    assert geometry_of(given).label == ((-4.0,),)
    assert centre_range(geometry_of(given), given, [scale_of(given, (8.0,))]) == ((8, 56),)


@pytest.mark.parametrize(
    ("policy", "target", "level"),
    [
        ("strict", (40, 16, 16), 2),
        ("strict", (39, 16, 16), 0),
        ("strict", (100, 20, 8), 1),
        ("strict", (8, 8, 8), 0),
        ("strict", (1000, 1000, 1000), 3),
        ("relaxed", (39, 16, 16), 2),
        ("relaxed", (8, 8, 8), 1),
        ("relaxed", (39, 32, 32), 2),
        ("relaxed", (1, 1, 1), 0),
    ],
)
def test_levels_of_a_section_series(policy, target, level):
    voxels = [(40.0, 4.0, 4.0), (40.0, 8.0, 8.0), (40.0, 16.0, 16.0), (80.0, 32.0, 32.0)]
    rows = levels("em", *[((9, 9, 9), voxel, None) for voxel in voxels])
    assert choose_level(rows, tuple(float(size) for size in target), policy) == level


class TestCentreRange:
    def test_a_bounding_box_of_exactly_a_window_has_one_centre(self):
        given = volume(SILENT, (16,), bounding_box=((8, 24),))
        assert centre_range(geometry_of(given), given, [scale_of(given, (8.0,))]) == ((16, 16),)

    def test_a_box_one_voxel_smaller_has_none(self):
        given = volume(SILENT, (16,), bounding_box=((8, 23),))
        with pytest.raises(PlanError, match=r"enlarge the bounding_box, which is \[8, 23\] along x"):
            centre_range(geometry_of(given), given, [scale_of(given, (8.0,))])

    def test_the_error_names_volume_axis_window_size_and_centres(self):
        given = volume([((60, 64), (2.0, 3.0), None)], (20, 100), axes="yx")
        with pytest.raises(PlanError) as caught:
            centre_range(geometry_of(given), given, [scale_of(given, (2.0, 3.0))])
        # Along x: 100 // 2 = 50 at least, 64 - 100 + 50 = 14 at most.
        text = str(caught.value)
        for part in ("volume em along x", "reads 100 of the 64 voxels of level s0", "centre is 50", "greatest 14"):
            assert part in text
        assert "smaller patch_size" in text
        assert "label_fill" not in text

    @pytest.mark.parametrize("resolution", [1e6, 1e18, 1e300])
    def test_a_resolution_far_too_coarse_is_an_error_like_any(self, resolution):
        given = volume(SILENT, (16,))
        with pytest.raises(PlanError, match="smaller patch_size or finer resolutions"):
            centre_range(geometry_of(given), given, [scale_of(given, (resolution,))])

    def test_labels_that_are_the_cause_are_named_with_label_fill(self):
        given = volume(SILENT, (16,), labels=[((10,), (8.0,), (0.0,))])
        with pytest.raises(PlanError, match=r"confined by its labels: 16 of the 10 voxels of label/s0.*label_fill"):
            centre_range(geometry_of(given), given, [scale_of(given, (8.0,))])

    def test_with_label_fill_the_centre_lies_on_the_labels(self):
        # The labels' 10 voxels begin at voxel 20 of the image: centres of voxels 20 to 29 lie on them.
        given = volume(SILENT, (16,), labels=[((10,), (8.0,), (160.0,))], label_fill=0)
        assert centre_range(geometry_of(given), given, [scale_of(given, (8.0,))]) == ((20, 29),)

    def test_a_label_crop_confines_whole_windows_without_it(self):
        # 24 voxels from voxel 20 on: origins 20 to 28, centres 28 to 36.
        given = volume(SILENT, (16,), labels=[((24,), (8.0,), (160.0,))])
        assert centre_range(geometry_of(given), given, [scale_of(given, (8.0,))]) == ((28, 36),)

    def test_clamp_lets_the_first_scale_reach_the_border(self):
        given = volume(SILENT, (16,))
        scales = [scale_of(given, (size,)) for size in (8.0, 16.0, 32.0)]
        assert centre_range(geometry_of(given), given, scales, clamp=True) == ((8, 248),)
        # Shared centres: 16 voxels of 32 reach 8 * 4 = 32 voxels up and down. Origin ceil(c / 4 - 8.5) is 0 from
        # c = 31 on (7.75 - 8.5), and 64 - 16 = 48 up to 226 (56.5 - 8.5).
        assert centre_range(geometry_of(given), given, scales) == ((31, 226),)

    def test_clamp_still_asks_each_window_to_fit(self):
        given = volume([((40,), (8.0,), None)], (16,))
        scales = [scale_of(given, (size,)) for size in (8.0, 32.0)]
        with pytest.raises(PlanError, match="resolution 32 reads 64 of the 40 voxels"):
            centre_range(geometry_of(given), given, scales, clamp=True)


def test_a_coarser_window_covers_the_one_before():
    # [41, 57) is [20.5, 28.5) of level 1, of which 16 are read: from ceil(28.5 - 16) to floor(20.5).
    given = volume(SILENT, (16,))
    geometry = geometry_of(given)
    fine = place(geometry, given, scale_of(given, (8.0,)), (41,))
    assert window_range(geometry, given, scale_of(given, (16.0,)), fine) == ((13, 20),)


class TestBoxes:
    rows = (((256,), (8.0,), (1000.0,)), ((128,), (16.0,), (1004.0,)))

    def test_absolute_boxes_hold_the_translation(self):
        given = volume(self.rows, (16,))
        geometry = geometry_of(given)
        plans = [place(geometry, given, scale_of(given, (size,)), (10,)) for size in (8.0, 16.0)]
        # 1000 + 10 * 8 to 1000 + 26 * 8; 1004 + 10 * 16 to 1004 + 26 * 16.
        assert bbox(geometry, given, plans[0]) == ((1080.0,), (1208.0,))
        assert bbox(geometry, given, plans[1]) == ((1164.0,), (1420.0,))
        # Less (1080 + 1208) / 2 = 1144.
        assert bbox(geometry, given, plans[1], mode="relative", reference=plans[0]) == ((20.0,), (276.0,))

    def test_extents_are_half_a_voxel_lower(self):
        given = volume(self.rows, (16,))
        geometry = geometry_of(given)
        plan = place(geometry, given, scale_of(given, (16.0,)), (10,))
        assert miao.extent(bbox(geometry, given, plan), (16.0,)).tolist() == [[1156.0], [1412.0]]
        assert bbox(geometry, given, plan, anchor="corner") == ((1156.0,), (1412.0,))

    def test_without_translations_every_level_begins_half_a_level_0_voxel_lower(self):
        given = volume(SILENT, (16,))
        geometry = geometry_of(given)
        plan = place(geometry, given, scale_of(given, (16.0,)), (10,))
        assert bbox(geometry, given, plan) == ((160.0,), (416.0,))
        assert bbox(geometry, given, plan, anchor="corner") == ((156.0,), (412.0,))
        assert miao.extent(bbox(geometry, given, plan), (8.0,)).tolist() == [[156.0], [412.0]]

    def test_extents_of_a_batch(self):
        boxes = np.zeros((2, 3, 2, 2)) + 10
        voxels = np.array([[2.0, 4.0], [4.0, 8.0], [8.0, 16.0]])
        found = miao.extent(boxes, voxels)
        assert found.shape == (2, 3, 2, 2)
        assert found[1, 2].tolist() == [[6.0, 2.0], [6.0, 2.0]]


class TestByPosition:
    def given(self, count, **others):
        return volume([((64,), (8.0,), None)], (16,), labels=[((count,), (16.0,), None)], **others)

    def test_a_voxel_more_is_read_where_the_window_may_straddle(self):
        # The output centres span 15 * 8 = 120 of 16: 7.5, so that 9 voxels may hold them.
        assert scale_of(self.given(32), (8.0,), label_sampling="position").label_size == (9,)

    def test_no_more_than_there_are(self):
        assert scale_of(self.given(8), (8.0,), label_sampling="position").label_size == (8,)
        assert scale_of(self.given(8, label_fill=0), (8.0,), label_sampling="position").label_size == (9,)

    def test_as_many_where_the_labels_are_as_fine(self):
        given = volume([((64,), (8.0,), None)], (16,), labels=[((64,), (8.0,), None)])
        assert scale_of(given, (8.0,), label_sampling="position").label_size == (16,)


def test_a_plan_of_three_scales_takes_little_of_its_50_microseconds():
    rows = [((1024 // k,) * 3, (8.0 * k,) * 3, None) for k in (1, 2, 4)]
    given = volume(rows, (64,) * 3, labels=rows, axes="zyx", bounding_box=((10, 1000), (20, 900), (3, 800)))
    geometry = geometry_of(given)
    scales = [scale_of(given, (8.0 * k,) * 3) for k in (1, 2, 4)]

    def plan():
        return [place(geometry, given, scale, start_of(geometry, given, scale, (300, 401, 502))) for scale in scales]

    assert min(repeat(plan, number=200, repeat=20)) / 200 < 50e-6


def test_geometry_pickles_small():
    given = volume(SILENT, (16,))
    geometry = geometry_of(given)
    centre_range(geometry, given, [scale_of(given, (8.0,))])
    assert pickle.loads(pickle.dumps(geometry)) == geometry
    assert len(pickle.dumps(geometry)) < 2000
