"""The loader without worker processes: the batches of a DataLoader, ahead of time, and nothing left behind."""

import threading

import pytest
import torch
from miao_stores import config, ramp_pyramid
from torch.utils.data import DataLoader

import miao
from miao.errors import ArgumentError, ArgumentTypeError, ReadError


@pytest.fixture
def ramp(tmp_path):
    ramp_pyramid(tmp_path / "a.zarr")
    return tmp_path / "a.zarr"


def made(path, augment=None, **more):
    return miao.VolumeDataset(config(path, samples_per_epoch=10, **more), augment, seed=3, verbose=False)


def threads():
    return [thread for thread in threading.enumerate() if thread.name == "miao-loader"]


def same(first, second):
    assert first.keys() == second.keys()
    assert torch.equal(first["img"], second["img"])
    assert torch.equal(first["bbox"], second["bbox"])
    assert first["meta"]["volume"] == second["meta"]["volume"]


@pytest.mark.parametrize("prefetch", [1, 2, 20])
def test_batches_are_those_of_a_data_loader(ramp, prefetch):
    dataset = made(ramp)
    ours = list(miao.loader(dataset, batch_size=4, prefetch=prefetch))
    plain = list(DataLoader(dataset, batch_size=4))
    assert [len(batch["img"]) for batch in ours] == [4, 4, 2]
    for one, other in zip(ours, plain, strict=True):
        same(one, other)
    assert not threads()


def test_a_last_batch_may_be_dropped_and_an_order_be_given(ramp):
    dataset = made(ramp)
    batches = miao.loader(dataset, batch_size=4, drop_last=True)
    assert len(batches) == 2
    assert len(list(batches)) == 2
    turned = list(miao.loader(dataset, batch_size=4, sampler=range(9, -1, -1)))
    assert torch.equal(turned[0]["img"][0], dataset[9]["img"])


def test_leaving_early_stops_the_thread(ramp):
    for batch in miao.loader(made(ramp), batch_size=2, prefetch=3):
        assert len(batch["img"]) == 2
        break
    assert not threads()


def test_an_error_comes_out_where_batches_are_taken(ramp):
    def broken(sample):
        raise KeyError("broken")

    with pytest.raises(KeyError, match="broken"):
        list(miao.loader(made(ramp, broken), batch_size=2))
    assert not threads()
    for chunk in (ramp / "raw" / "s0").rglob("[0-9]"):
        if chunk.is_file():
            chunk.write_bytes(b"short")
    with pytest.raises(ReadError, match="volume a"):
        list(miao.loader(made(ramp), batch_size=2))


def test_every_pass_is_an_epoch_that_can_be_resumed(ramp):
    dataset = made(ramp)
    whole = list(miao.loader(dataset, batch_size=3))
    first = miao.loader(dataset, batch_size=3)
    batches = iter(first)
    next(batches)
    next(batches)
    state = first.state_dict()
    batches.close()
    resumed = miao.loader(made(ramp), batch_size=3)
    resumed.load_state_dict(state)
    rest = list(resumed)
    assert len(rest) == 2
    for one, other in zip(rest, whole[2:], strict=True):
        same(one, other)
    assert len(list(resumed)) == 4
    with pytest.raises(ArgumentError, match="batches of 3"):
        miao.loader(made(ramp), batch_size=5).load_state_dict(state)


def test_deferred_images_are_finished_on_the_device(ramp):
    plain = list(miao.loader(made(ramp, resolutions=[[12, 7, 5]]), batch_size=5))
    calls = []

    def counted(sample):
        calls.append(sample["img"].shape)
        return sample

    deferred = made(ramp, resolutions=[[12, 7, 5]], defer_image_ops=True)
    found = list(miao.loader(deferred, batch_size=5, device="cpu", augment_fn=counted))
    for one, other in zip(found, plain, strict=True):
        assert torch.equal(one["img"], other["img"])
    assert calls == [(1, 1, 8, 10, 12)] * 10


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("batch_size", 0, ArgumentError),
        ("prefetch", 0, ArgumentError),
        ("batch_size", 2.0, ArgumentTypeError),
        ("prefetch", True, ArgumentTypeError),
    ],
)
def test_counts_are_whole_numbers_of_at_least_one(ramp, name, value, kind):
    with pytest.raises(kind, match=name):
        miao.loader(made(ramp), **{"batch_size": 2, name: value})
