"""Stores that are odd, large, broken or gone: every one is read exactly, or named with what to do."""

import json
import pickle
import shutil
import time

import numpy as np
import pytest
import torch
from miao_stores import config, group2, positions, ramp_pyramid
from torch.utils.data import DataLoader, random_split

import miao
from miao.errors import MiaoWarning, PlanError, ReadError, VolumeError

VOXEL = (8.0, 6.0, 4.0)


def made(path, *, seed=3, **more):
    return miao.VolumeDataset(config(path, **more), seed=seed, verbose=False)


def test_floats_beside_a_fill_are_whole_numbers_or_an_error(tmp_path):
    """2^53 + 1 is no double; 2^53 is."""
    path = tmp_path / "a.zarr"
    group2(path / "raw", [("s0", np.zeros((40, 40, 40), "uint8"), VOXEL, (0, 0, 0))])
    for key, value in (("seg", 7.0), ("odd", 3.7), ("nan", np.nan)):
        group2(path / key, [("s0", np.full((4, 5, 6), value, "float32"), VOXEL, (128, 96, 64))])
    with pytest.warns(MiaoWarning, match="float32"):
        dataset = made(path, volume={"label_key": "seg", "label_fill": 2**53})
    assert set(dataset[0]["label"].unique().tolist()) == {7, 2**53}
    for key, word in (("odd", r"3\.7"), ("nan", "nan")):
        with pytest.warns(MiaoWarning, match="float32"):
            broken = made(path, volume={"label_key": key, "label_fill": 0})
        with pytest.raises(ReadError, match=word):
            broken[0]
    with pytest.raises(VolumeError, match="9007199254740993"):
        made(path, volume={"label_key": "seg", "label_fill": 2**53 + 1})


def test_a_label_pyramid_of_fewer_levels_is_read_at_the_level_it_has(tmp_path):
    """Scale 16 12 8 reads 8 10 12 voxels of s1 and 16 20 24 labels of level 0, and takes every second: 0, 2, 4..."""
    ramp_pyramid(tmp_path / "a.zarr")
    labels = positions((40, 48, 56), (1, 1, 1), (0, 0, 0), (1, 40, 2000)).astype("int32")
    group2(tmp_path / "a.zarr" / "seg", [("s0", labels, VOXEL, None)])
    dataset = made(tmp_path / "a.zarr", volume={"label_key": "seg"}, resolutions=[[16, 12, 8]])
    for index in range(6):
        plan = dataset.plan(index).scales[0]
        assert plan.scale.label_size == (16, 20, 24)
        # s1 is centred at half a voxel of level 0 and labels say nothing: centred at 0, so corner on corner.
        assert plan.label_start == tuple(2 * o for o in plan.start)
        window = tuple(slice(2 * o, 2 * o + 2 * n, 2) for o, n in zip(plan.start, (8, 10, 12), strict=True))
        assert np.array_equal(dataset[index]["label"][0].numpy(), labels[window])


def test_labels_smaller_than_a_patch_or_elsewhere_are_named_as_the_cause(tmp_path):
    path = tmp_path / "a.zarr"
    group2(path / "raw", [("s0", np.zeros((40, 40, 40), "uint8"), VOXEL, (0, 0, 0))])
    group2(path / "small", [("s0", np.zeros((4, 20, 20), "uint8"), VOXEL, (0, 0, 0))])
    group2(path / "away", [("s0", np.zeros((20, 20, 20), "uint8"), VOXEL, (4000, 0, 0))])
    for key, advice in (("small", "set label_fill"), ("away", "the labels lie beside the image, from 3996")):
        with pytest.raises(PlanError, match=rf"volume a along z.*labels.*{key}.*{advice}"):
            made(path, volume={"label_key": key})


def test_a_volume_smaller_than_a_patch_names_window_and_level(tmp_path):
    group2(tmp_path / "a.zarr" / "raw", [("s0", np.zeros((6, 40, 40), "uint8"), VOXEL, None)])
    with pytest.raises(PlanError, match=r"volume a along z.*reads 8 of the 6 voxels of level s0"):
        made(tmp_path / "a.zarr")


def test_two_million_positions_are_counted_and_not_held(tmp_path):
    """Documents alone: 1300 of 8 along each axis with a stride of 8 are 163 positions: 163^3 = 4330747."""
    group = tmp_path / "a.zarr" / "raw"
    group2(group, [("s0", np.zeros((2, 2, 2), "uint8"), VOXEL, None)])
    document = json.loads((group / "s0" / ".zarray").read_text())
    (group / "s0" / ".zarray").write_text(json.dumps({**document, "shape": [1300] * 3, "chunks": [64] * 3}))
    begin = time.perf_counter()
    dataset = made(tmp_path / "a.zarr", sampling="sequential", patch_size=[8, 8, 8])
    assert len(dataset) == 163**3
    assert len(pickle.dumps(dataset)) < 10_000
    assert dataset.plan(163**3 - 1).scales[0].start == (1292, 1292, 1292)
    assert time.perf_counter() - begin < 2


def test_a_dataset_is_pickled_before_and_after_it_has_read(tmp_path):
    ramp_pyramid(tmp_path / "a.zarr")
    dataset = made(tmp_path / "a.zarr")
    before = pickle.loads(pickle.dumps(dataset))
    image = dataset[2]["img"]
    after = pickle.loads(pickle.dumps(dataset))
    assert torch.equal(before[2]["img"], image)
    assert torch.equal(after[2]["img"], image)


def test_parts_of_a_dataset_are_its_samples(tmp_path):
    ramp_pyramid(tmp_path / "a.zarr")
    dataset = made(tmp_path / "a.zarr")
    first, second = random_split(dataset, [4, 2], torch.Generator().manual_seed(0))
    places = [tuple(x["meta"]["coordinate"]) for part in (first, second) for x in part]
    assert sorted(places) == sorted(dataset.plan(index).centre for index in range(6))
    assert len(next(iter(DataLoader(first, 4)))["img"]) == 4


def test_an_array_that_is_gone_is_zeros_or_an_error_as_the_configuration_says(tmp_path):
    ramp_pyramid(tmp_path / "a.zarr")
    filled, strict = made(tmp_path / "a.zarr"), made(tmp_path / "a.zarr", missing_chunks="error")
    assert torch.equal(filled[0]["img"], strict[0]["img"])
    shutil.rmtree(tmp_path / "a.zarr" / "raw" / "s0")
    # What is open goes on reading: chunks that are not there are 0, or an error.
    fresh = made_again(filled)
    assert filled[0]["img"].shape == (1, 1, 8, 10, 12)
    with pytest.raises(ReadError, match=r"volume a.*level-0 voxel \(z="):
        [strict[index] for index in range(6)]
    # What is not open yet cannot be opened.
    with pytest.raises(ReadError, match=r"volume a.*level-0 voxel \(z=.*s0"):
        fresh[0]
    with pytest.raises(VolumeError, match="s0"):
        made(tmp_path / "a.zarr")


def made_again(dataset):
    return pickle.loads(pickle.dumps(dataset))


def test_a_mask_that_is_gone_names_its_volume(tmp_path):
    path = tmp_path / "a.zarr"
    for key in ("raw", "fg"):
        group2(path / key, [("s0", np.ones((10, 12, 14), "uint8"), VOXEL, None)])
    dataset = made(path, volume={"mask_key": "fg", "min_foreground": 0.5})
    shutil.rmtree(path / "fg")
    with pytest.raises(ReadError, match=r"volume a: its mask .*fg/s0"):
        dataset[0]


@pytest.mark.parametrize("axes", ["tzyx", "zyx"])
def test_chunks_that_are_not_stored_are_an_error_of_pinned_frames_too(tmp_path, axes):
    values = np.ones((3, 16, 16, 16)[4 - len(axes) :], "uint8")
    chunks = (1, 8, 8, 8)[4 - len(axes) :]
    group = tmp_path / "a.zarr" / "raw"
    group2(group, [("s0", values, (1, *VOXEL)[4 - len(axes) :], None, chunks)], axes=axes)
    volume = {"fixed_axes": {"t": 1}} if "t" in axes else {}
    whole = {"volume": volume, "missing_chunks": "error", "patch_size": [16, 16, 16]}
    assert made(tmp_path / "a.zarr", **whole)[0]["img"].unique().tolist() == [pytest.approx(1 / 255)]
    (group / "s0" / ("1/0/1/1" if "t" in axes else "0/1/1")).unlink()
    with pytest.raises(ReadError, match="volume a"):
        made(tmp_path / "a.zarr", **whole)[0]
    if "t" in axes:
        made(tmp_path / "a.zarr", **{**whole, "volume": {"fixed_axes": {"t": 2}}})[0]


def test_four_axes_are_resampled_with_time_among_them(tmp_path):
    """Linear in every axis, so that a ramp stays what it is between its first and last voxels."""
    weights = (1e5, 1.0, 1000.0, 0.01)
    values = positions((9, 20, 24, 28), (2, 8, 6, 4), (0,) * 4, weights)
    group2(tmp_path / "a.zarr" / "raw", [("s0", values, (2, 8, 6, 4), None)], axes="tzyx")
    dataset = made(tmp_path / "a.zarr", output_axes="ltzyx", patch_size=[3, 4, 5, 6], resolutions=[[4, 16, 12, 8]])
    sample = dataset[0]
    begin = sample["bbox"][0, 0].double().numpy()
    # Twice the size along each axis: the mean of two voxels, half a voxel past the first.
    expected = np.zeros((3, 4, 5, 6))
    for axis, (n, v, w) in enumerate(zip((3, 4, 5, 6), (2, 8, 6, 4), weights, strict=True)):
        place = begin[axis] + (np.arange(n) * 2 + 0.5) * v
        expected += (place * w).reshape([-1 if i == axis else 1 for i in range(4)])
    assert np.allclose(sample["img"][0].numpy(), expected, rtol=1e-6)
    assert sample["pixel_size"].tolist() == [[4, 16, 12, 8]]
