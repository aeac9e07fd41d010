"""Samples that are asked for two things at once: resolutions that are drawn, and foreground."""

import numpy as np
import pytest
from miao_stores import config, group2

import miao
from miao.errors import PlanError


def made(path, least, bright, **more):
    """Return a dataset over 24 x 26 x 28 voxels of 4 nm, of which a list is foreground."""
    group2(path / "raw", [("s0", np.zeros((24, 26, 28), "u1"), (4, 4, 4), None)])
    mask = np.zeros((24, 26, 28), "u1")
    for voxel in bright:
        mask[voxel] = 1
    group2(path / "mask", [("s0", mask, (4, 4, 4), None)])
    volume = {"mask_key": "mask", "min_foreground": least}
    drawn = {"ranges": [[[2], [12]]], "n_scales": 1}
    fields = config(path, volume=volume, resolutions=None, resolution_sampling=drawn, patch_size=[4, 4, 4], **more)
    return miao.VolumeDataset({**fields, "samples_per_epoch": 60}, seed=3, verbose=False), mask


def test_drawn_windows_hold_enough_foreground_whatever_their_size(tmp_path):
    dataset, mask = made(tmp_path, 1e-4, [(5, 6, 7), (17, 11, 20)])
    sizes = set()
    for index in range(60):
        (plan,) = dataset.plan(index).scales
        window = tuple(slice(first, first + count) for first, count in zip(plan.start, plan.scale.size, strict=True))
        # 1e-4 of any window here, of at most 12^3 voxels, is less than the one voxel of foreground that it holds.
        assert mask[window].sum() >= 1
        sizes.add(plan.scale.size)
    # From 4 * 2 / 4 = 2 voxels to 4 * 12 / 4 = 12.
    assert len(sizes) > 5


def test_foreground_that_fills_half_a_coarse_window_and_no_fine_one_is_an_error(tmp_path):
    # Every other voxel: half of each window of an even size, and never more than 2 in 3 of any other.
    checks = [(z, y, x) for z in range(24) for y in range(26) for x in range(28) if (z + y + x) % 2]
    dataset, mask = made(tmp_path, 0.5, checks)
    for index in range(60):
        (plan,) = dataset.plan(index).scales
        window = tuple(slice(first, first + count) for first, count in zip(plan.start, plan.scale.size, strict=True))
        assert mask[window].mean() >= 0.5
    with pytest.raises(PlanError, match=r"no window of volume a holds 0\.9 foreground"):
        made(tmp_path / "other", 0.9, checks)[0].plan(0)
