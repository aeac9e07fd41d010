"""Predictions of a sequential dataset become the array that they were made of, placed where its volume is."""

import numpy as np
import pytest
import torch
from miao_stores import config, group2, positions, ramp_pyramid

import miao
import worldarray
from miao.errors import ArgumentError, ArgumentTypeError, MiaoWarning
from miao.stitching.blending import patch_weights
from miao.stitching.blocks import BlockSums

VOXEL = (8.0, 6.0, 4.0)


def made(path, **more):
    return miao.VolumeDataset(config(path, sampling="sequential", **more), verbose=False)


def stitched(dataset, out, value=lambda batch: batch["img"][:, 0, 0], **more):
    with miao.Stitcher(dataset, out, **more) as stitcher:
        for batch in miao.loader(dataset, batch_size=7):
            stitcher.add(value(batch), batch)


@pytest.fixture
def ramp(tmp_path):
    ramp_pyramid(tmp_path / "a.zarr", weights=(1.0, 0.5, 0.25))
    return tmp_path / "a.zarr"


@pytest.mark.parametrize("blend", ["hann", "mean"])
@pytest.mark.parametrize("overlap", [0, [2, 4, 6]])
def test_the_image_itself_comes_back_where_it_was(ramp, tmp_path, blend, overlap):
    stitched(made(ramp, overlap=overlap), tmp_path / "out.zarr" / "s0", blend=blend)
    out = worldarray.open(tmp_path / "out.zarr" / "s0")
    source = worldarray.open(ramp / "raw", level="s0")
    assert out.shape == source.shape == (40, 48, 56)
    assert out.voxel_size == VOXEL
    assert out.corner == source.corner
    found = out.read_index((0, 0, 0), out.shape)
    assert np.allclose(found, source.read_index((0, 0, 0), source.shape), rtol=1e-5)


def test_a_coarser_scale_lies_corner_on_corner(ramp, tmp_path):
    stitched(made(ramp, resolutions=[[16, 12, 8]]), tmp_path / "out.zarr" / "s0")
    out = worldarray.open(tmp_path / "out.zarr" / "s0")
    assert out.shape == (20, 24, 28)
    assert out.voxel_size == (16, 12, 8)
    # Level 0's corner is -4, -3, -2; the centre of a voxel of twice the size is at +4, +3, +2.
    assert out.meta.translation == (4, 3, 2)
    wanted = positions((20, 24, 28), (16, 12, 8), (4, 3, 2), (1, 0.5, 0.25))
    assert np.allclose(out.read_index((0, 0, 0), out.shape), wanted, rtol=1e-5)


def test_a_bounding_box_bounds_the_array(ramp, tmp_path):
    box = [[10, 30], [8, 40], [0, 20]]
    stitched(made(ramp, volume={"bounding_box": box}), tmp_path / "out.zarr" / "s0")
    out = worldarray.open(tmp_path / "out.zarr" / "s0")
    assert out.shape == (20, 32, 20)
    assert out.meta.translation == (80, 48, 0)


def test_channels_and_the_order_of_output_axes(ramp, tmp_path):
    dataset = made(ramp, output_axes="lcxyz", patch_size=[12, 10, 8], resolutions=[[4, 6, 8]])
    stitched(dataset, tmp_path / "out.zarr" / "s0", lambda b: torch.cat([b["img"][:, 0], -b["img"][:, 0]], 1))
    out = worldarray.open(tmp_path / "out.zarr" / "s0")
    assert out.axes == ("c", "z", "y", "x")
    assert out.shape == (2, 40, 48, 56)
    found = out.read_index((0, 0, 0, 0), out.shape)
    wanted = positions((40, 48, 56), VOXEL, (0, 0, 0), (1, 0.5, 0.25))
    assert np.allclose(found[0], wanted, rtol=1e-5)
    assert np.allclose(found[1], -wanted, rtol=1e-5)


def test_expanded_volumes_are_placed_as_their_store_is(ramp, tmp_path):
    dataset = made(ramp, volume={"exp_factor": 4.0}, resolutions=[[2, 1.5, 1]])
    stitched(dataset, tmp_path / "out.zarr" / "s0")
    out = worldarray.open(tmp_path / "out.zarr" / "s0")
    assert out.voxel_size == VOXEL
    assert out.corner == worldarray.open(ramp / "raw", level="s0").corner


def test_several_volumes_have_an_array_each(tmp_path):
    for name in "ab":
        group2(tmp_path / f"{name}.zarr" / "raw", [("s0", np.full((10, 12, 14), ord(name), "float32"), VOXEL, None)])
    volumes = [{"name": name, "path": str(tmp_path / f"{name}.zarr"), "image_key": "raw"} for name in "ab"]
    fields = {**config(tmp_path, sampling="sequential"), "volumes": volumes}
    dataset = miao.VolumeDataset(fields, verbose=False)
    with pytest.raises(ArgumentError, match=r"\{volume\}"):
        miao.Stitcher(dataset, tmp_path / "out.zarr" / "s0")
    stitched(dataset, tmp_path / "out.zarr" / "{volume}" / "s0")
    for name in "ab":
        found = worldarray.open(tmp_path / "out.zarr" / name / "s0").read_index((0, 0, 0), (10, 12, 14))
        assert np.allclose(found, ord(name))


def test_what_exists_is_not_overwritten_and_what_is_wrong_is_refused(ramp, tmp_path):
    dataset = made(ramp)
    out = tmp_path / "out.zarr" / "s0"
    batch = next(iter(miao.loader(dataset, batch_size=2)))
    stitcher = miao.Stitcher(dataset, out)
    good = batch["img"][:, 0, 0]
    for wrong in (good[:1], good[..., :-1], batch["img"]):
        with pytest.raises(ArgumentError, match="shape"):
            stitcher.add(wrong, batch)
    with pytest.raises(ArgumentTypeError, match="largest"):
        stitcher.add(good.argmax(-1, keepdim=True).expand_as(good), batch)
    with pytest.raises(ArgumentError, match="sequential"):
        stitcher.add(good, {"meta": {}})
    stitcher.add(good, batch)
    with pytest.raises(ArgumentError, match="added before"):
        stitcher.add(good, batch)
    with pytest.warns(MiaoWarning, match="never added"):
        stitcher.close()
    with pytest.raises(ArgumentError, match="closed"):
        stitcher.add(good, batch)
    with pytest.raises(FileExistsError), miao.Stitcher(dataset, out) as again:
        again.add(good, batch)
    with pytest.raises(ArgumentError, match="sequential"):
        miao.Stitcher(miao.VolumeDataset(config(ramp), verbose=False), tmp_path / "other.zarr" / "s0")
    with pytest.raises(ArgumentError, match="hann"):
        miao.Stitcher(dataset, tmp_path / "other.zarr" / "s0", blend="cosine")
    assert not (tmp_path / "other.zarr").exists()


def test_integers_are_rounded_and_clipped(ramp, tmp_path):
    dataset = made(ramp)
    stitched(dataset, tmp_path / "out.zarr" / "s0", lambda b: b["img"][:, 0, 0] * 0 + 300.5, dtype="uint8")
    stitched(dataset, tmp_path / "low.zarr" / "s0", lambda b: b["img"][:, 0, 0] * 0 + 2.5, dtype="uint8")
    assert worldarray.open(tmp_path / "out.zarr" / "s0").read_index((0, 0, 0), (1, 1, 1)).item() == 255
    assert worldarray.open(tmp_path / "low.zarr" / "s0").read_index((0, 0, 0), (1, 1, 1)).item() == 2


@pytest.mark.parametrize("memory", [0, 1000, 1 << 30])
def test_blocks_that_wait_lie_on_disk_beyond_the_memory_that_is_allowed(memory):
    """Two patches of 4 overlap by 1 in a line of 7; blocks of 2. Weights 1: the mean of 1 and 3 is 2 at voxel 3."""
    found = np.full(7, -1.0)

    def emit(start, values):
        found[start[0] : start[0] + len(values)] = values

    sums = BlockSums((7,), (2,), 0, [(0, 3)], (4,), emit, memory)
    weights = patch_weights("mean", (4,))
    sums.add((0,), np.full((1, 4), 1, "float32"), weights)
    assert found.tolist() == [1, 1, -1, -1, -1, -1, -1]
    sums.add((3,), np.full((1, 4), 3, "float32"), weights)
    assert found.tolist() == [1, 1, 1, 2, 3, 3, 3]
    assert sums.finish() == 0
    sums.close()


def test_hann_weights_are_positive_and_even():
    weights = patch_weights("hann", (4, 6))
    assert (weights > 0).all()
    assert np.array_equal(weights, weights[::-1, ::-1])
    # sin^2(pi / 8) sin^2(pi / 12) = 0.14645 * 0.06699
    assert weights[0, 0] == pytest.approx(0.00981, abs=1e-5)
