"""Stores whose documents contradict themselves: each is refused by name, or said; nothing is read at a wrong scale."""

import json
import shutil

import numpy as np
import pytest
from miao_stores import config, group2, ramp_pyramid

import miao
from miao.errors import MiaoWarning, VolumeError

VOXEL = (8.0, 6.0, 4.0)
TWICE = (16.0, 12.0, 8.0)


def ones(dtype, shape=(40, 48, 56), value=1):
    return np.full(shape, value, dtype)


def made(path, **more):
    return miao.VolumeDataset(config(path, **more), seed=1, verbose=False)


def two_levels(path, first, second, **more):
    group2(path / "raw", [("s0", first, VOXEL, None), ("s1", second, TWICE, None)], **more)
    return path


def test_an_image_whose_levels_differ_in_dtype_is_refused(tmp_path):
    path = two_levels(tmp_path, ones("u1"), ones("u2", (20, 24, 28)))
    with pytest.raises(VolumeError, match=r"level 1 of .*raw holds uint16 and level 0 uint8") as caught:
        made(path)
    assert caught.value.at == ("volumes", 0, "image_key")


def test_an_image_whose_levels_agree_in_dtype_is_scaled_alike(tmp_path):
    path = two_levels(tmp_path, ones("u1", value=51), ones("u1", (20, 24, 28), 102))
    sample = made(path, resolutions=[VOXEL, TWICE], patch_size=[4, 4, 4])[0]
    # 51 / 255 = 0.2 and 102 / 255 = 0.4
    assert sample["img"].amin(dim=(1, 2, 3, 4)).tolist() == pytest.approx([0.2, 0.4])


def test_labels_come_back_in_integers_that_hold_every_level(tmp_path):
    path = two_levels(tmp_path, ones("u1"), ones("u1", (20, 24, 28)))
    labels = [("s0", ones("u1", value=7), VOXEL, None), ("s1", ones("u4", (20, 24, 28), 70000), TWICE, None)]
    group2(path / "labels", labels)
    more = {"resolutions": [VOXEL, TWICE], "patch_size": [4, 4, 4], "volume": {"label_key": "labels"}}
    # uint8 alone would come back as int16, where 70000 is 70000 - 65536 = 4464.
    assert made(path, **more)[0]["label"].amax(dim=(1, 2, 3)).tolist() == [7, 70000]


def test_labels_that_are_complex_at_a_coarser_level_are_refused(tmp_path):
    path = two_levels(tmp_path, ones("u1"), ones("u1", (20, 24, 28)))
    group2(path / "labels", [("s0", ones("u1"), VOXEL, None), ("s1", ones("c8", (20, 24, 28)), TWICE, None)])
    with pytest.raises(VolumeError, match="hold complex64; labels are integers"):
        made(path, volume={"label_key": "labels"})


def test_levels_with_other_channels_are_refused(tmp_path):
    sizes = ((1.0, *VOXEL), (1.0, *TWICE))
    levels = [("s0", ones("u1", (3, 40, 48, 56)), sizes[0], None), ("s1", ones("u1", (2, 20, 24, 28)), sizes[1], None)]
    group2(tmp_path / "raw", levels, axes="czyx")
    with pytest.raises(VolumeError, match=r"s1 has 2 channels where .*s0 has 3"):
        made(tmp_path)
    # Pinning one of them does not say whether it is the same one at both.
    with pytest.raises(VolumeError, match="has 2 channels"):
        made(tmp_path, output_axes="lzyx", volume={"fixed_axes": {"c": 2}})


def test_an_image_without_channels_along_its_channel_axis_is_refused(tmp_path):
    group2(tmp_path / "raw", [("s0", ones("u1", (0, 40, 48, 56)), (1.0, *VOXEL), None, (1, 40, 48, 56))], axes="czyx")
    with pytest.raises(VolumeError, match="s0 has 0 channels"):
        made(tmp_path)


def test_a_pinned_index_that_a_level_of_the_same_step_lacks_is_refused(tmp_path):
    sizes = ((5.0, *VOXEL), (5.0, *TWICE))
    levels = [("s0", ones("u1", (4, 40, 48, 56)), sizes[0], None), ("s1", ones("u1", (3, 20, 24, 28)), sizes[1], None)]
    group2(tmp_path / "raw", levels, axes="tzyx")
    with pytest.raises(VolumeError, match=r"t is pinned to index 3, but .*s1 has 3 there and level 0 4") as caught:
        made(tmp_path, volume={"fixed_axes": {"t": 3}})
    assert caught.value.at == ("volumes", 0, "fixed_axes", "t")
    assert made(tmp_path, volume={"fixed_axes": {"t": 2}})[0]["meta"]["volume"] == "a"


def test_an_axis_that_is_pinned_under_two_names_is_refused(tmp_path):
    axes, types = ("time", "z", "y", "x"), ("time", "space", "space", "space")
    group2(tmp_path / "raw", [("s0", ones("u1", (4, 40, 48, 56)), (5.0, *VOXEL), None)], axes=axes, types=types)
    with pytest.raises(VolumeError, match=r"t pins the axis 'time' of .*, which another entry pins already") as caught:
        made(tmp_path, volume={"fixed_axes": {"time": 1, "t": 2}})
    assert caught.value.code == "duplicate"
    assert len(made(tmp_path, volume={"fixed_axes": {"time": 1}})) == 6


def test_levels_of_which_no_document_says_the_voxel_size_are_refused(tmp_path):
    ramp_pyramid(tmp_path)
    (tmp_path / "raw" / ".zattrs").write_text("{}")
    with pytest.raises(
        VolumeError, match=r"no document of .*raw says how large the voxels of level s0 are, and it has"
    ):
        made(tmp_path, resolutions=[[1, 1, 1]])


def test_a_level_without_a_scale_beside_one_that_has_it_is_refused(tmp_path):
    ramp_pyramid(tmp_path)
    document = json.loads((tmp_path / "raw" / ".zattrs").read_text())
    del document["multiscales"][0]["datasets"][1]["coordinateTransformations"]
    (tmp_path / "raw" / ".zattrs").write_text(json.dumps(document))
    with pytest.raises(VolumeError, match="s1"):
        made(tmp_path)


def test_one_array_of_which_no_document_says_the_voxel_size_counts_voxels_and_says_so(tmp_path):
    ramp_pyramid(tmp_path, levels=1)
    (tmp_path / "raw" / ".zattrs").write_text("{}")
    with pytest.warns(MiaoWarning, match="they count as 1 along every axis"):
        dataset = made(tmp_path, resolutions=[[1, 1, 1]])
    assert dataset[0]["meta"]["read_voxel_size"] == [[1.0, 1.0, 1.0]]


def test_a_level_that_is_listed_and_absent_is_refused(tmp_path):
    ramp_pyramid(tmp_path)
    shutil.rmtree(tmp_path / "raw" / "s1")
    with pytest.raises(FileNotFoundError, match="s1: is listed as a level"):
        made(tmp_path)
