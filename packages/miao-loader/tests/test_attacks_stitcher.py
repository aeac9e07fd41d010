"""A stitcher given what it cannot place: it says so before anything is added, and loses nothing that stands there."""

import numpy as np
import pytest
import torch
from miao_stores import config, ramp_pyramid

import miao
from miao.errors import ArgumentError, ArgumentTypeError

pytest.importorskip("worldarray_write")


@pytest.fixture
def made(tmp_path):
    """Return a sequential dataset over two names of one volume, and its batches."""
    ramp_pyramid(tmp_path / "a.zarr", levels=1)
    fields = config(tmp_path / "a.zarr", sampling="sequential", patch_size=[20, 24, 28])
    dataset = miao.VolumeDataset(fields, verbose=False)
    return dataset, list(miao.loader(dataset, batch_size=8))


def scores(batch):
    return batch["img"][:, 0, 0]


def meta(batch, **other):
    return {"meta": {**batch["meta"], **other}}


def test_a_batch_with_one_bad_position_is_added_not_at_all(made, tmp_path):
    dataset, (batch,) = made
    twice = [column.clone() for column in batch["meta"]["grid_index"]]
    for column in twice:
        column[7] = column[0]
    with miao.Stitcher(dataset, tmp_path / "out.zarr" / "s0") as stitcher:
        with pytest.raises(ArgumentError, match=r"position \(0, 0, 0\) of a was added before"):
            stitcher.add(scores(batch), meta(batch, grid_index=twice))
        stitcher.add(scores(batch), batch)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"grid_index": [torch.full((8,), 2)] * 3}, r"no position \(2, 2, 2\) in the grid of a, which has \(2, 2, 2\)"),
        ({"grid_index": [torch.full((8,), -1)] * 3}, "grid_index is -1"),
        ({"grid_index": [torch.arange(8) % 2] * 2}, r"no position \(0, 0\)"),
        ({"grid_index": [[0], [0, 1], [0]]}, "one tensor as long per axis"),
        ({"grid_index": "abc"}, "one tensor as long per axis"),
        ({"grid_index": (0, 0, 0)}, "one tensor as long per axis"),
        ({"volume": ["b"] * 8}, "the dataset has no volume 'b'; it has a"),
        ({"volume": "a"}, "one tensor as long per axis"),
    ],
)
def test_a_place_that_the_dataset_does_not_have_is_named(made, tmp_path, other, said):
    dataset, (batch,) = made
    stitcher = miao.Stitcher(dataset, tmp_path / "out.zarr" / "s0")
    with pytest.raises(ArgumentError, match=said):
        stitcher.add(scores(batch), meta(batch, **other))
    stitcher.close(complete=False)


@pytest.mark.parametrize("batch", [None, 5, {}, {"meta": None}, {"meta": {"grid_index": []}}], ids=repr)
def test_a_batch_that_is_none_is_named(made, tmp_path, batch):
    dataset, (good,) = made
    with pytest.raises(ArgumentError, match=r"the batch has no meta\.grid_index"):
        miao.Stitcher(dataset, tmp_path / "out.zarr" / "s0").add(scores(good), batch)


@pytest.mark.parametrize("predictions", [None, "abc", [[1.0], [2.0, 3.0]]], ids=repr)
def test_predictions_that_are_no_array_are_named(made, tmp_path, predictions):
    dataset, (batch,) = made
    with pytest.raises(ArgumentTypeError, match="predictions are of"):
        miao.Stitcher(dataset, tmp_path / "out.zarr" / "s0").add(predictions, batch)
    assert not (tmp_path / "out.zarr").exists()


def test_predictions_without_channels_along_their_axis_are_named(made, tmp_path):
    dataset, (batch,) = made
    with pytest.raises(ArgumentError, match=r"predictions have shape \(8, 0, 20, 24, 28\)"):
        miao.Stitcher(dataset, tmp_path / "out.zarr" / "s0").add(scores(batch)[:, None][:, :0], batch)


@pytest.mark.parametrize(
    "given",
    [
        {"dtype": "foo"},
        {"dtype": "c8"},
        {"chunks": "abc"},
        {"chunks": 5},
        {"chunks": [1.5, 2, 3]},
        {"chunks": [0] * 3},
        {"memory": None},
        {"memory": "1"},
        {"memory": -1},
    ],
    ids=repr,
)
def test_an_argument_that_cannot_be_used_is_named(made, tmp_path, given):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=next(iter(given))):
        miao.Stitcher(made[0], tmp_path / "out.zarr" / "s0", **given)


@pytest.mark.parametrize("out", [None, 5, b"x", "", {"a": None}], ids=repr)
def test_a_path_that_is_none_is_named(made, out):
    with pytest.raises(ArgumentTypeError, match="it is a path, or a mapping"):
        miao.Stitcher(made[0], out)


def test_what_is_no_dataset_is_named(tmp_path):
    with pytest.raises(ArgumentTypeError, match="dataset is NoneType"):
        miao.Stitcher(None, tmp_path / "s0")


def test_two_volumes_are_not_given_one_path_nor_one_outside_the_folder(tmp_path):
    ramp_pyramid(tmp_path / "a.zarr", levels=1)
    fields = config(tmp_path / "a.zarr", sampling="sequential", patch_size=[20, 24, 28])
    volume = fields["volumes"][0]
    dataset = miao.VolumeDataset({**fields, "volumes": [volume, {**volume, "name": ".."}]}, verbose=False)
    with pytest.raises(ArgumentError, match=r"the volume '\.\.' cannot stand for"):
        miao.Stitcher(dataset, f"{tmp_path}/out/{{volume}}/s0")
    with pytest.raises(ArgumentError, match=r"gives volumes 'a' and '\.\.' the same path"):
        miao.Stitcher(dataset, {"a": tmp_path / "s0", "..": f"{tmp_path}/./s0"})


def test_what_stands_where_an_array_would_be_made_stays(made, tmp_path):
    dataset, (batch,) = made
    (tmp_path / "file").write_text("mine")
    for out in (tmp_path / "file" / "s0", tmp_path / "file"):
        with pytest.raises(FileExistsError, match="no array can be made at") as caught:
            miao.Stitcher(dataset, out).add(scores(batch), batch)
        assert isinstance(caught.value, miao.errors.ArgumentError)
        assert caught.value.at == ("out",)
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize(
    ("dtype", "value", "stored"),
    # Doubles hold the limits of 32 bits; the largest double below 2^63 is 2^63 - 1024, and below 2^64 2^64 - 2048.
    [
        ("int32", 1e10, 2**31 - 1),
        ("int32", -1e10, -(2**31)),
        ("uint32", 1e10, 2**32 - 1),
        ("int64", 1e20, 2**63 - 1024),
        ("uint64", 1e20, 2**64 - 2048),
        ("uint8", -1.0, 0),
        ("uint8", 300.0, 255),
        ("int8", 2.5, 2),
    ],
)
def test_scores_beyond_the_integers_of_the_array_are_clipped(made, tmp_path, dtype, value, stored):
    import worldarray

    dataset, (batch,) = made
    with miao.Stitcher(dataset, tmp_path / "out.zarr" / "s0", "mean", dtype=dtype) as stitcher:
        stitcher.add(torch.full_like(scores(batch), value), batch)
    assert int(worldarray.open(tmp_path / "out.zarr" / "s0").read_index((0, 0, 0), (1, 1, 1)).item()) == stored


def test_scores_that_are_no_numbers_are_refused_where_integers_are_stored(made, tmp_path):
    dataset, (batch,) = made
    broken = scores(batch).clone()
    broken[3, 1, 2, 3] = np.nan
    with pytest.raises(ArgumentError, match="predictions hold NaN or infinities, which uint8 cannot"):
        miao.Stitcher(dataset, tmp_path / "out.zarr" / "s0", dtype="uint8").add(broken, batch)
    with miao.Stitcher(dataset, tmp_path / "out.zarr" / "s0") as stitcher:
        stitcher.add(broken, batch)
