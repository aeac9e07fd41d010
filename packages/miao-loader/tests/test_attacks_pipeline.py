"""Batches and what becomes of them, given what cannot be used: each thing is named, and no thread stays behind."""

import itertools
import shutil
import threading

import numpy as np
import pytest
import torch
from miao_stores import config, group2, ramp_pyramid

import miao
from miao.errors import ArgumentError, ArgumentTypeError, AugmentError, ConfigError, MiaoError, ReadError


@pytest.fixture
def ramp(tmp_path):
    ramp_pyramid(tmp_path / "a.zarr")
    return tmp_path / "a.zarr"


def made(path, augment=None, seed=1, **more):
    return miao.VolumeDataset(config(path, **more), augment, seed=seed, verbose=False)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"device": "nowhere"}, "device is 'nowhere'"),
        ({"device": 1.5}, "device is 1.5"),
        ({"sampler": 5}, "sampler is 5"),
        ({"sampler": "01"}, "sampler is '01'"),
        ({"sampler": iter([0, 1])}, "which can be gone through once"),
        ({"batch_size": True}, "batch_size is True"),
        ({"prefetch": 0}, "prefetch is 0; it is at least 1"),
    ],
)
def test_what_a_loader_cannot_use_is_named(ramp, given, said):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=said):
        miao.loader(made(ramp), **given)


def test_a_device_that_this_machine_lacks_is_named(ramp):
    if torch.cuda.is_available():
        pytest.skip("it has one")
    with pytest.raises(ArgumentError, match="device is 'cuda', where no tensor can be"):
        miao.loader(made(ramp), device="cuda")
    deferred = made(ramp, defer_image_ops=True)
    with pytest.raises(ArgumentError, match="device is 'cuda', where no tensor can be"):
        miao.finish_images(miao.collate_deferred([deferred[0]]), "cuda")


@pytest.mark.parametrize("wrap", [lambda one: None, lambda one: torch.utils.data.ConcatDataset([one, one])])
def test_a_loader_of_what_is_no_dataset_of_volumes_is_refused(ramp, wrap):
    with pytest.raises(ArgumentTypeError, match="a loader reads one VolumeDataset"):
        miao.loader(wrap(made(ramp)))


def test_an_epoch_of_any_length_begins_at_once(ramp):
    batches = miao.loader(made(ramp, samples_per_epoch=2**62), batch_size=2)
    assert len(batches) == 2**61
    found = list(itertools.islice(batches, 2))
    assert [len(batch["img"]) for batch in found] == [2, 2]


def test_a_sampler_that_draws_is_drawn_from_once_an_epoch(ramp):
    class Counted(list):
        times = 0

        def __iter__(self):
            Counted.times += 1
            return super().__iter__()

    assert len(list(miao.loader(made(ramp), batch_size=4, sampler=Counted([5, 0, 1, 2, 3]), drop_last=True))) == 1
    assert Counted.times == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda state: None, "state is NoneType"),
        (lambda state: {"batch_size": 2}, "the state has no 'dataset'"),
        (lambda state: {**state, "dataset": None}, "state is NoneType"),
        (lambda state: {**state, "position": 4}, "position is 4; it is at most 3"),
        (lambda state: {**state, "position": 1.5}, "position is 1.5"),
    ],
)
def test_a_state_of_a_loader_that_is_none_is_named(ramp, change, said):
    batches = miao.loader(made(ramp), batch_size=2)
    with pytest.raises((ArgumentError, ArgumentTypeError), match=said):
        batches.load_state_dict(change(batches.state_dict()))
    assert len(list(batches)) == 3


@pytest.mark.parametrize("batch", [None, 5, [], {"deferred": []}, {"deferred": [], "img": []}, {"deferred": None}])
def test_a_batch_that_cannot_be_finished_is_named(batch):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=r"miao\.collate_deferred returned"):
        miao.finish_images(batch)


def test_an_augmentation_of_finished_images_returns_samples(ramp):
    batch = miao.collate_deferred([made(ramp, defer_image_ops=True)[0]])
    with pytest.raises(AugmentError, match="augment_fn is 5; it is a callable"):
        miao.finish_images(batch, augment_fn=5)
    with pytest.raises(AugmentError, match="augment_fn returned NoneType"):
        miao.finish_images(batch, augment_fn=lambda sample: None)
    assert miao.finish_images(batch, augment_fn=dict)["img"].shape == (1, 1, 1, 8, 10, 12)


def test_a_store_that_went_away_before_it_was_read_is_a_read_error(ramp):
    dataset = made(ramp)
    shutil.rmtree(ramp)
    with pytest.raises(ReadError, match=r"level .*s0 cannot be opened: .* does not exist"):
        list(miao.loader(dataset))
    assert not [thread for thread in threading.enumerate() if thread.name == "miao-loader"]


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [((40, 48, 56), "u1"), ((9, 11, 13), "f8"), ((80, 96, 112), "f8")],
    ids=["dtype", "small", "large"],
)
def test_a_store_that_became_another_one_before_it_was_read_is_refused(ramp, shape, dtype):
    dataset = made(ramp)
    shutil.rmtree(ramp)
    group2(ramp / "raw", [("s0", np.ones(shape, dtype), (8, 6, 4), None)])
    with pytest.raises(ReadError, match="when the dataset was made; make the dataset again"):
        dataset[0]


def test_a_module_of_an_augmentation_that_is_absent_is_named(ramp):
    with pytest.raises(
        ModuleNotFoundError, match=r"augment_fn is 'nowhere\.at\.all', and there is no module"
    ) as caught:
        made(ramp, augment_fn="nowhere.at.all")
    assert isinstance(caught.value, AugmentError)


def test_arguments_that_a_factory_does_not_take_are_named_when_the_dataset_is_made(ramp):
    factory = {"factory": "miao.augment_std.em_default", "kwargs": {"rotate": False, "sclae": [1, 1]}}
    with pytest.raises(AugmentError, match=r"em_default cannot be called with \['rotate', 'sclae'\]") as caught:
        made(ramp, augment_fn=factory)
    assert caught.value.at == ("augment_fn", "kwargs")


def test_a_configuration_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"the configuration '.*none\.yaml' cannot be read") as caught:
        miao.VolumeDataset(tmp_path / "none.yaml")
    assert isinstance(caught.value, MiaoError)
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        miao.load_config(tmp_path)


def test_a_name_that_no_file_can_hold_is_refused(ramp):
    with pytest.raises(ValueError, match="holds half a character"):
        made(ramp, volume={"name": "a\ud800"})


@pytest.mark.parametrize(
    ("perm", "flips", "said"),
    [
        (None, (0, 0, 0), "give 0, 1 and 2"),
        ((0.0, 1.0, 2.0), (0, 0, 0), "in some order"),
        ((0, 1, 2), None, "booleans"),
    ],
)
def test_what_turns_no_cube_is_named(perm, flips, said):
    with pytest.raises(AugmentError, match=said):
        miao.augment.apply_rot90(torch.ones(2, 2, 2), perm, flips)


def test_counts_that_are_none_are_named_by_augmentations():
    with pytest.raises(AugmentError, match=r"sample_size: is 1\.5; give a whole number"):
        miao.augment.percentile_normalize(torch.ones(2, 2, 2), sample_size=1.5)
    with pytest.raises(AugmentError, match="magnitude"):
        miao.augment.shift_sections(np.random, torch.ones(2, 2, 2), prob=1, magnitude=2**70)
