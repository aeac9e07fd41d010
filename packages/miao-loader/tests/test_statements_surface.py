"""What the package says about itself: summaries, pictures, errors of how an augmentation is given."""

import numpy as np
import pytest
from miao_stores import config, group2, ramp_pyramid

import miao
from miao.errors import ArgumentError, AugmentError

VOXEL = (8.0, 6.0, 4.0)


@pytest.fixture
def ramp(tmp_path):
    ramp_pyramid(tmp_path / "a.zarr")
    return tmp_path / "a.zarr"


def made(path, augment=None, **more):
    return miao.VolumeDataset(config(path, **more), augment, seed=3, verbose=False)


def test_a_preview_without_a_path_is_the_png_itself(ramp, tmp_path):
    pytest.importorskip("matplotlib")
    dataset = made(ramp, resolutions=[[8, 6, 4], [16, 12, 8]])
    picture = dataset.preview(2)
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.zarr"]
    dataset.preview(2, tmp_path / "same.png")
    assert (tmp_path / "same.png").read_bytes() == picture


def test_a_preview_of_one_axis_or_of_deferred_images_is_refused(ramp, tmp_path):
    pytest.importorskip("matplotlib")
    group2(tmp_path / "line.zarr" / "raw", [("s0", np.zeros(40), (4.0,), None)], axes="x")
    line = made(tmp_path / "line.zarr", output_axes="lx", patch_size=[8], resolutions=[[4]])
    for dataset in (line, made(ramp, defer_image_ops=True)):
        with pytest.raises(ArgumentError, match="two or more spatial axes"):
            dataset.preview(0)


@pytest.mark.parametrize(
    ("volume", "words"),
    [
        ({}, "values divided by 65535"),
        ({"patch_normalize": True}, "values divided by 65535, then standardised per sample"),
        ({"normalize": False}, "values as they are stored"),
        ({"normalize": False, "patch_normalize": True}, "values as they are stored, then standardised per sample"),
        ({"normalize_min": 5, "normalize_max": 700}, "values clipped to [5, 700] and mapped to [0, 1]"),
    ],
)
def test_the_summary_says_size_to_the_voxel_and_what_becomes_of_values(tmp_path, volume, words):
    """One scale at level 0 reaches everything: 120 x 130 x 140 = 2184000 voxels."""
    values = np.zeros((120, 130, 140), "uint16")
    group2(tmp_path / "a.zarr" / "raw", [("s0", values, VOXEL, None)])
    lines = made(tmp_path / "a.zarr", volume=volume).summary().splitlines()
    assert any("p=1 size=2184000 reachable voxels, center_range " in line for line in lines), lines
    assert lines[-1].strip() == words


def test_how_an_augmentation_is_given_is_a_value_error_and_an_assertion_error(ramp):
    path = "miao.augment_std.em_default"
    for kind in (ValueError, AssertionError, AugmentError, ArgumentError):
        with pytest.raises(kind, match="in the configuration and was passed"):
            made(ramp, dict, augment_fn=path)
        with pytest.raises(kind, match="finish_images"):
            made(ramp, dict, defer_image_ops=True)
        with pytest.raises(kind, match="returned NoneType"):
            made(ramp, print)[0]
        with pytest.raises(kind, match="no 'nothing'"):
            made(ramp, augment_fn="miao.augment_std.nothing")
        with pytest.raises(kind, match="is a callable"):
            made(ramp, "miao.augment_std.em_default")
    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        made(ramp, augment_fn="nowhere.at_all")
    assert made(ramp, augment_fn={"factory": path, "kwargs": {"rotate": False}})[0]["img"].shape == (1, 1, 8, 10, 12)


def test_arguments_that_a_factory_lacks_are_named(ramp):
    fields = {"augment_fn": {"factory": "miao.augment_std.em_default", "kwargs": {"turn": True}}}
    with pytest.raises(AugmentError, match="turn"):
        made(ramp, **fields)[0]
