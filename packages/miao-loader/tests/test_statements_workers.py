"""Randomness and endings of worker processes: generators of the loader, factories, walks, early ends, broken chunks."""

import numpy as np
import pytest
import torch
from miao_stores import config, group2, ramp_pyramid
from test_workers import drawn, in_a_process, loader
from torch.utils.data import DataLoader

import miao

METHODS = ("fork", "forkserver", "spawn")


@pytest.fixture
def ramp(tmp_path):
    ramp_pyramid(tmp_path / "a.zarr")
    return tmp_path / "a.zarr"


def made(path, augment=None, *, seed=None, **more):
    return miao.VolumeDataset(config(path, samples_per_epoch=12, **more), augment, seed=seed, verbose=False)


def private():
    """A factory as it is meant to be: its generator is seeded from numpy's global one, its product a closure."""
    rng = np.random.default_rng(np.random.randint(2**31))

    def augment(sample):
        worker = torch.utils.data.get_worker_info()
        return {**sample, "draw": rng.random(), "worker": -1 if worker is None else worker.id}

    return augment


FACTORY = {"augment_fn": {"factory": "test_statements_workers.private"}}


def run(dataset, number):
    generator = torch.Generator().manual_seed(number)
    batches = list(loader(dataset, method="forkserver", generator=generator))
    found = {}
    for batch in batches:
        for worker, draw in zip(batch.get("worker", torch.zeros(3)).tolist(), batch.get("draw", []), strict=False):
            found.setdefault(worker, []).append(float(draw))
    return drawn(batches), found


def test_the_generator_of_the_loader_decides_what_its_workers_draw(ramp):
    dataset = made(ramp)
    first = run(dataset, 5)
    assert first == run(dataset, 5)
    assert first != run(dataset, 6)
    assert len(set(first[0])) == 12


def test_a_factory_runs_in_each_worker_after_that_was_seeded(ramp):
    """Workers draw numbers of their own, the same ones where the loader's generator is the same."""
    dataset = made(ramp, **FACTORY)
    first = run(dataset, 5)
    assert first == run(dataset, 5)
    draws = first[1]
    assert sorted(draws) == [0, 1]
    assert not set(draws[0]) & set(draws[1])
    assert run(dataset, 6)[1] != draws


def test_a_walk_by_workers_is_in_order(ramp):
    dataset = made(ramp, sampling="sequential", overlap=[2, 0, 4])
    walked = [
        tuple(map(int, place))
        for batch in DataLoader(dataset, 7, num_workers=2, multiprocessing_context="forkserver")
        for place in zip(*batch["meta"]["grid_index"], strict=True)
    ]
    assert walked == [dataset.plan(index).grid_index for index in range(len(dataset))]


@pytest.mark.parametrize("method", METHODS)
def test_an_iterator_that_is_deleted_early_is_quiet(ramp, method):
    code = """
        import sys
        from test_statements_workers import made
        from test_workers import loader

        if __name__ == "__main__":
            iterator = iter(loader(made(sys.argv[1]), method=sys.argv[2], persistent_workers=True))
            print(tuple(next(iterator)["img"].shape))
            del iterator
    """
    done = in_a_process(code, ramp, method)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "(3, 1, 1, 8, 10, 12)"
    # Python's tracker of semaphores may speak of one that was gone already; it stands in a process of its own.
    noise = [line for line in done.stderr.splitlines() if not line.startswith(" ") and "resource_tracker" not in line]
    assert noise in ([], ["Traceback (most recent call last):"])
    assert "terminate called" not in done.stderr
    assert "torch" not in done.stderr


@pytest.mark.parametrize("method", METHODS)
def test_a_broken_chunk_comes_out_of_workers_as_the_error_that_it_is(tmp_path, method):
    group2(tmp_path / "a.zarr" / "raw", [("s0", np.ones((16, 16, 16), "uint8"), (8, 6, 4), None, (8, 8, 8))])
    chunk = tmp_path / "a.zarr" / "raw" / "s0" / "1" / "1" / "1"
    chunk.write_bytes(chunk.read_bytes()[:-100])
    code = """
        import sys
        from miao.errors import ReadError
        from test_statements_workers import made
        from test_workers import loader

        if __name__ == "__main__":
            try:
                list(loader(made(sys.argv[1], patch_size=[12, 12, 12]), method=sys.argv[2]))
            except ReadError as error:
                assert "volume a" in str(error) and "1/1/1" in str(error), str(error)
                print("told")
    """
    done = in_a_process(code, tmp_path / "a.zarr", method)
    assert done.stdout.strip() == "told", done.stderr


def test_unlike_samples_are_a_runtime_error_in_workers_too(tmp_path):
    path = tmp_path / "a.zarr"
    for key in ("raw", "seg"):
        group2(path / key, [("s0", np.ones((10, 12, 14), "uint8"), (8, 6, 4), None)])
    fields = config(path, volume={"label_key": "seg"}, samples_per_epoch=20)
    fields["volumes"].append({"name": "b", "path": str(path), "image_key": "raw"})
    dataset = miao.VolumeDataset(fields, seed=1, verbose=False)
    with pytest.raises(RuntimeError, match="labelled and unlabelled"):
        list(DataLoader(dataset, 20, num_workers=1, multiprocessing_context="forkserver"))


def test_ranks_without_a_seed_are_warned_that_they_may_draw_alike(ramp):
    fields = config(ramp)
    with pytest.warns(miao.errors.MiaoWarning, match="2 ranks draw without a seed"):
        miao.VolumeDataset(fields, rank=1, world_size=2, verbose=False)
    miao.VolumeDataset(fields, rank=0, world_size=1, verbose=False)
    miao.VolumeDataset(fields, rank=1, world_size=2, seed=3, verbose=False)
    miao.VolumeDataset({**fields, "sampling": "sequential"}, rank=1, world_size=2, verbose=False)
