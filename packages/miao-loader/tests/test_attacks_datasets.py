"""Datasets asked for what they do not have: indices, ranks, epochs and states that are none."""

import json

import numpy as np
import pytest
import torch
from miao_stores import config, group2, ramp_pyramid

import miao
from miao.errors import ArgumentError, ArgumentTypeError, MiaoWarning, PlanError, ReadError


@pytest.fixture
def ramp(tmp_path):
    ramp_pyramid(tmp_path / "a.zarr")
    return tmp_path / "a.zarr"


def made(path, **more):
    return miao.VolumeDataset(config(path), verbose=False, **{"seed": 1, **more})


@pytest.mark.parametrize(
    "index",
    [np.array([1]), torch.tensor([1, 2]), torch.tensor(1.0), torch.tensor(True), np.True_, 1.0, "0", None, slice(2)],
    ids=repr,
)
def test_an_index_that_is_no_whole_number_is_named(ramp, index):
    with pytest.raises(ArgumentTypeError, match="no index of a sample; give a whole number"):
        made(ramp)[index]


@pytest.mark.parametrize("index", [np.int64(1), np.uint8(1), torch.tensor(1), np.array(1), -5], ids=repr)
def test_an_index_may_be_a_whole_number_of_numpy_or_torch(ramp, index):
    dataset = made(ramp)
    assert dataset[index]["meta"] == dataset[1]["meta"]


def test_no_indices_are_no_samples(ramp):
    assert made(ramp).__getitems__([]) == []


@pytest.mark.parametrize("indices", [None, 3, "01"], ids=repr)
def test_indices_that_are_no_list_are_named(ramp, indices):
    with pytest.raises(ArgumentTypeError, match="is no list of indices"):
        made(ramp).__getitems__(indices)


@pytest.mark.parametrize(
    "given",
    [{"rank": "0"}, {"rank": 0.5}, {"rank": True, "world_size": 2}, {"world_size": "2"}, {"world_size": 1.0}],
    ids=repr,
)
def test_a_rank_or_world_size_that_is_no_whole_number_is_named(ramp, given):
    with pytest.raises(ArgumentTypeError, match="it is a whole number"):
        made(ramp, **given)


@pytest.mark.parametrize("given", [{"rank": -1}, {"rank": 2, "world_size": 2}, {"world_size": 0}, {"world_size": -3}])
def test_a_rank_that_is_none_of_the_world_is_refused(ramp, given):
    with pytest.raises(ArgumentError, match=r"rank is 2 of 2|is at least"):
        made(ramp, **given)


def test_ranks_of_the_environment_that_are_no_numbers_are_named_and_empty_ones_are_absent(ramp, monkeypatch):
    monkeypatch.setenv("RANK", "x")
    with pytest.raises(ArgumentError, match="the environment says RANK='x'"):
        made(ramp)
    monkeypatch.setenv("RANK", "")
    assert (made(ramp).rank, made(ramp).world_size) == (0, 1)
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert (made(ramp).rank, made(ramp).world_size) == (1, 2)


@pytest.mark.parametrize("state", [None, 5, [("seed", 1)]], ids=repr)
def test_a_state_that_is_no_mapping_is_named(ramp, state):
    with pytest.raises(ArgumentTypeError, match=r"state is .*; it is a mapping, as state_dict returns"):
        made(ramp).load_state_dict(state)


def test_samples_of_one_call_belong_to_one_epoch(ramp, monkeypatch):
    dataset = made(ramp)
    first = [sample["meta"]["coordinate"] for sample in dataset.__getitems__(range(6))]
    planned = type(dataset._sampler).plan

    def between(sampler, index, rng):
        dataset.set_epoch(9)
        return planned(sampler, index, rng)

    monkeypatch.setattr(type(dataset._sampler), "plan", between)
    assert [sample["meta"]["coordinate"] for sample in dataset.__getitems__(range(6))] == first


def test_a_grid_of_more_positions_than_a_dataset_can_have_is_refused(tmp_path):
    group2(tmp_path / "raw", [("s0", np.zeros((64, 64, 64), "u1"), (8, 6, 4), None)])
    document = json.loads((tmp_path / "raw" / "s0" / ".zarray").read_text())
    document["shape"] = [1 << 24] * 3
    (tmp_path / "raw" / "s0" / ".zarray").write_text(json.dumps(document))
    # 2^24 / 8 = 2^21 positions per axis are 2^63 together, and 2^63 - 1 is the most.
    with pytest.raises(PlanError, match="the grids have 9223372036854775808 positions"):
        miao.VolumeDataset(config(tmp_path, sampling="sequential", patch_size=[8, 8, 8]), verbose=False)
    fewer = miao.VolumeDataset(config(tmp_path, sampling="sequential", patch_size=[8, 8, 16]), verbose=False)
    assert len(fewer) == 1 << 62
    assert fewer.plan(-1).scales[0].start == ((1 << 24) - 8, (1 << 24) - 8, (1 << 24) - 16)


@pytest.mark.parametrize("deferred", [False, True])
def test_a_label_that_is_no_whole_number_is_named_with_its_volume_and_place(tmp_path, deferred):
    group2(tmp_path / "raw", [("s0", np.ones((8, 10, 12), "u1"), (8, 6, 4), None)])
    group2(tmp_path / "labels", [("s0", np.full((8, 10, 12), 3.75), (8, 6, 4), None)])
    with pytest.warns(MiaoWarning, match="no whole number stops the read"):
        dataset = miao.VolumeDataset(
            config(tmp_path, volume={"label_key": "labels"}, defer_image_ops=deferred), verbose=False
        )
    # The only centre: n // 2 of 8, 10, 12.
    with pytest.raises(ReadError, match=r"volume a: .* \(4, 5, 6\) \(z, y, x\) of .*labels: a label is 3\.75"):
        dataset[0]


def test_labels_are_on_the_cpu_whatever_the_default_device(tmp_path):
    for name in ("raw", "labels"):
        group2(tmp_path / name, [("s0", np.full((8, 10, 12), 3, "u1"), (8, 6, 4), None)])
    fields = config(tmp_path)
    both = [fields["volumes"][0], {**fields["volumes"][0], "name": "b", "label_key": "labels"}]
    dataset = miao.VolumeDataset({**fields, "volumes": both, "samples_per_epoch": 20}, seed=1, verbose=False)
    with torch.device("meta"):
        samples = dataset.__getitems__(range(20))
    assert {sample["label"].numel() for sample in samples} == {0, 960}
    assert {sample["label"].device.type for sample in samples} == {"cpu"}
    assert all((sample["label"] == 3).all() for sample in samples)


@pytest.mark.parametrize(
    ("bbox", "voxel"),
    [
        ("a", "b"),
        (None, None),
        ([0, 1], [1]),
        ([[0, 0], [1, 1]], [1]),
        ([[0, 0], [1, 1]], [[1, 1], [2, 2]]),
        ([[0, 0]], 1),
    ],
    ids=repr,
)
def test_boxes_and_voxels_that_do_not_fit_are_named(bbox, voxel):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=r"bbox (is|has shape)"):
        miao.extent(bbox, voxel)
    assert miao.extent([[[0, 0], [4, 4]]] * 2, [[2, 4], [4, 8]]).tolist() == [[[-1, -2], [3, 2]], [[-2, -4], [2, 0]]]


@pytest.mark.parametrize("volume", [1, -1, "a", None], ids=repr)
def test_a_volume_that_the_dataset_does_not_have_is_named(ramp, volume):
    dataset = miao.VolumeDataset(config(ramp, sampling="sequential"), verbose=False)
    for of in (dataset.scales, dataset.grid):
        with pytest.raises((ArgumentError, ArgumentTypeError), match="volume is"):
            of(volume)
    assert dataset.scales(0)[0].size == (8, 10, 12)


def test_a_picture_that_cannot_be_written_is_named_and_one_that_is_there_stays(ramp, tmp_path):
    pytest.importorskip("matplotlib")
    dataset = made(ramp)
    with pytest.raises(OSError, match=r"none.x\.png cannot be written: No such file") as caught:
        dataset.preview(0, tmp_path / "none" / "x.png")
    assert isinstance(caught.value, ArgumentError)
    with pytest.raises(OSError, match="cannot be written: Is a directory"):
        dataset.preview(0, ramp, overwrite=True)
    assert (ramp / "raw").is_dir()
    (tmp_path / "x.png").write_bytes(b"mine")
    with pytest.raises(FileExistsError, match="pass overwrite=True"):
        dataset.preview(0, tmp_path / "x.png")
    assert (tmp_path / "x.png").read_bytes() == b"mine"
    dataset.preview(0, tmp_path / "x.png", overwrite=True)
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a.zarr", "x.png"]
