"""The loader of one process draws what a dataset draws, whatever its caller draws meanwhile."""

import time

import numpy as np
import pytest
import torch
from miao_stores import config, ramp_pyramid
from torch.utils.data import DataLoader

import miao


@pytest.fixture
def ramp(tmp_path):
    ramp_pyramid(tmp_path / "a.zarr")
    return tmp_path / "a.zarr"


def made(path, augment=None, *, seed=3, **more):
    return miao.VolumeDataset(config(path, samples_per_epoch=40, **more), augment, seed=seed, verbose=False)


def drawing(sample):
    """Draws while other threads may run."""
    time.sleep(0.001)
    return {**sample, "draw": torch.tensor(np.random.random(), dtype=torch.float64)}


def run(batches, *, extra=0):
    """What each sample drew, and what the caller of the loader drew between batches."""
    draws, mine = [], []
    for batch in batches:
        draws += batch["draw"].tolist()
        mine += np.random.random(extra).tolist()
    return draws, mine


def test_augmentations_draw_by_their_seed_and_leave_the_draws_of_the_caller_alone(ramp):
    dataset = made(ramp, drawing)
    alone = [dataset[index]["draw"].item() for index in range(40)]
    np.random.seed(5)
    expected = np.random.random(40 * 20).tolist()
    np.random.seed(5)
    assert run(miao.loader(dataset, batch_size=2), extra=40) == (alone, expected)


def test_without_a_seed_a_run_is_repeated_by_that_of_numpy(ramp):
    dataset = made(ramp, drawing, seed=None)

    def places():
        np.random.seed(5)
        found = []
        for batch in miao.loader(dataset, batch_size=4, prefetch=3):
            found += [batch["draw"].tolist(), [column.tolist() for column in batch["meta"]["coordinate"]]]
            found.append(np.random.random())
        return found

    assert places() == places()


@pytest.mark.parametrize("workers", [0, 2])
def test_deferred_images_are_augmented_by_their_seed_wherever_they_are_finished(ramp, workers):
    """The same numbers as for an augmentation of a dataset that defers nothing."""
    plain = made(ramp, drawing)
    alone = [plain[index]["draw"].item() for index in range(40)]
    deferred = made(ramp, defer_image_ops=True)
    assert run(miao.loader(deferred, batch_size=4, augment_fn=drawing))[0] == alone
    context = "forkserver" if workers else None
    batches = DataLoader(
        deferred, 4, num_workers=workers, multiprocessing_context=context, collate_fn=miao.collate_deferred
    )
    np.random.seed(5)
    found = [miao.finish_images(batch, augment_fn=drawing) for batch in batches]
    assert [value for batch in found for value in batch["draw"].tolist()] == alone
    assert all(isinstance(batch["meta"]["coordinate"], list) for batch in found)


def test_deferred_images_without_a_seed_are_augmented_by_the_global_generator(ramp):
    batch = miao.collate_deferred(made(ramp, defer_image_ops=True, seed=None).__getitems__([0, 1]))
    np.random.seed(5)
    expected = np.random.random(2).tolist()
    np.random.seed(5)
    assert miao.finish_images(batch, augment_fn=drawing)["draw"].tolist() == expected


def test_an_error_of_one_batch_comes_after_those_before_it(ramp):
    def odd(sample):
        if sample["meta"]["coordinate"] == plans[9]:
            raise KeyError("the tenth")
        return sample

    plans = [list(made(ramp).plan(index).centre) for index in range(40)]
    batches = iter(miao.loader(made(ramp, odd), batch_size=2, prefetch=1))
    assert [len(next(batches)["img"]) for _ in range(4)] == [2, 2, 2, 2]
    with pytest.raises(KeyError, match="the tenth"):
        next(batches)


def test_no_more_batches_are_ahead_than_prefetch_allows(ramp):
    """Of 20 batches of 2, with prefetch 1: the one that was taken, the next one, and two ahead of that."""
    dataset = made(ramp)
    planned = []
    start = dataset.start
    dataset.start = lambda indices: planned.append(list(indices)) or start(indices)
    batches = iter(miao.loader(dataset, batch_size=2, prefetch=1))
    next(batches)
    assert planned == [[0, 1], [2, 3], [4, 5], [6, 7]]
    next(batches)
    assert planned[-1] == [8, 9]
    batches.close()
