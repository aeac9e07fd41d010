"""Worker processes: every start method, epochs, crashes, corrupt chunks, ranks."""

import os
import subprocess
import sys
import textwrap
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from miao_functions import cache, crash
from miao_stores import config, group2, ramp_pyramid
from torch.utils.data import DataLoader

import miao
from miao.errors import AugmentError, ForkError, ReadError

METHODS = ("fork", "forkserver", "spawn")


@pytest.fixture
def ramp(tmp_path):
    ramp_pyramid(tmp_path / "a.zarr")
    return tmp_path / "a.zarr"


def made(path, augment=None, *, seed=3, **more):
    return miao.VolumeDataset(config(path, samples_per_epoch=12, **more), augment, seed=seed, verbose=False)


def loader(dataset, workers=2, method="fork", **more):
    return DataLoader(
        dataset, batch_size=3, num_workers=workers, multiprocessing_context=method if workers else None, **more
    )


def drawn(batches):
    return [tuple(map(int, place)) for batch in batches for place in zip(*batch["meta"]["coordinate"], strict=True)]


def in_a_process(code, *arguments):
    """Run a script of its own: whether tensorstore was used in this process must not matter to it."""
    command = [
        sys.executable,
        "-W",
        "error",
        "-W",
        "ignore:resource_tracker",
        "-c",
        textwrap.dedent(code),
        *map(str, arguments),
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path[1:]])}
    return subprocess.run(command, capture_output=True, text=True, timeout=240, env=environment, check=False)


@pytest.mark.parametrize("method", METHODS)
def test_workers_read_however_they_are_started(ramp, method):
    """Two epochs of persistent workers; the samples are those that the main process draws, each epoch's its own."""
    code = """
        import sys, torch, miao
        from miao_stores import config
        from miao_functions import process
        from test_workers import drawn, loader, made

        if __name__ == "__main__":
            dataset = made(sys.argv[1], process)
            batches = loader(dataset, method=sys.argv[2], persistent_workers=True)
            epochs, pids = [], set()
            for epoch in range(2):
                dataset.set_epoch(epoch)
                found = list(batches)
                epochs.append((drawn(found), [float(x) for b in found for x in b["draw"]]))
                pids |= {int(pid) for batch in found for pid in batch["pid"]}
            del batches
            assert len(pids) == 2, pids
            assert epochs[0] != epochs[1]
            for epoch in range(2):
                dataset.set_epoch(epoch)
                here = list(loader(dataset, workers=0))
                assert epochs[epoch] == (drawn(here), [float(x) for b in here for x in b["draw"]])
            print("as drawn here")
    """
    done = in_a_process(code, ramp, method)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "as drawn here"


def test_crops_differ_between_workers_and_epochs_without_a_seed(ramp):
    code = """
        import sys
        from test_workers import drawn, loader, made

        if __name__ == "__main__":
            dataset = made(sys.argv[1], seed=None, resolutions=[[8, 6, 4]], patch_size=[2, 2, 2])
            batches = loader(dataset, persistent_workers=True)
            places = drawn(batches) + drawn(batches)
            assert len(places) == 24
            assert len(set(places)) > 20, places
    """
    done = in_a_process(code, ramp)
    assert done.returncode == 0, done.stderr


def test_a_dataset_that_has_read_says_why_its_forked_workers_cannot(ramp):
    dataset = made(ramp)
    dataset[0]
    with pytest.raises(ForkError, match="forkserver"):
        next(iter(loader(dataset)))
    assert len(drawn(loader(dataset, method="forkserver"))) == 12


def test_leaving_early_is_quiet(ramp):
    code = """
        import sys
        from test_workers import loader, made

        if __name__ == "__main__":
            batches = loader(made(sys.argv[1]))
            for batch in batches:
                break
            print(tuple(batch["img"].shape))
    """
    done = in_a_process(code, ramp)
    assert done.returncode == 0
    assert done.stdout.strip() == "(3, 1, 1, 8, 10, 12)"
    assert not done.stderr


@pytest.mark.parametrize("method", METHODS)
def test_a_crash_in_augment_fn_reaches_the_caller(ramp, method):
    code = """
        import sys
        from miao_functions import crash
        from test_workers import loader, made

        if __name__ == "__main__":
            try:
                list(loader(made(sys.argv[1], crash), method=sys.argv[2]))
            except KeyError as error:
                assert "this augmentation is broken" in str(error)
                print("told")
    """
    done = in_a_process(code, ramp, method)
    assert done.stdout.strip() == "told", done.stderr


def test_a_closure_says_what_to_pass_instead_when_workers_are_spawned(ramp):
    with pytest.raises(AugmentError, match=r"functools\.partial"):
        next(iter(loader(made(ramp, lambda sample: sample), method="spawn")))
    assert len(drawn(loader(made(ramp, partial(crash, at=5)), method="forkserver"))) == 12


def test_a_corrupt_chunk_names_volume_place_and_file(tmp_path):
    group2(tmp_path / "a.zarr" / "raw", [("s0", np.ones((16, 16, 16), "uint8"), (8, 6, 4), None, (8, 8, 8))])
    chunk = tmp_path / "a.zarr" / "raw" / "s0" / "1" / "1" / "1"
    chunk.write_bytes(chunk.read_bytes()[:-100])
    dataset = made(tmp_path / "a.zarr", patch_size=[12, 12, 12])
    for batches in ((dataset[index] for index in range(12)), loader(dataset, method="forkserver")):
        with pytest.raises(ReadError) as caught:
            list(batches)
        text = str(caught.value)
        assert "volume a" in text
        assert "level-0 voxel (z=" in text
        assert "raw/s0" in text
        assert "1/1/1" in text


def test_missing_chunks_are_an_error_where_asked_for(tmp_path):
    group2(tmp_path / "a.zarr" / "raw", [("s0", np.ones((16, 16, 16), "uint8"), (8, 6, 4), None, (8, 8, 8))])
    (tmp_path / "a.zarr" / "raw" / "s0" / "1" / "1" / "1").unlink()
    filled = made(tmp_path / "a.zarr", patch_size=[12, 12, 12])
    assert filled[0]["img"].min() == 0
    strict = made(tmp_path / "a.zarr", patch_size=[12, 12, 12], missing_chunks="error")
    with pytest.raises(ReadError, match="volume a"):
        strict[0]


@pytest.mark.filterwarnings("ignore:This DataLoader will create 4 worker processes")
@pytest.mark.parametrize("workers", [0, 1, 4])
def test_a_seed_gives_the_same_list_for_any_number_of_workers(ramp, workers):
    dataset = made(ramp)
    alone = [dataset.plan(index) for index in range(12)]
    order = [plan.centre for plan in alone]
    assert drawn(loader(dataset, workers, method="forkserver")) == order


def test_ranks_draw_different_samples(ramp):
    plans = [
        [miao.VolumeDataset(config(ramp), seed=1, rank=rank, world_size=2, verbose=False).plan(i) for i in range(6)]
        for rank in range(2)
    ]
    assert not {plan.centre for plan in plans[0]} & {plan.centre for plan in plans[1]}


@pytest.mark.slow
def test_two_ranks_under_torchrun_never_draw_the_same(ramp, tmp_path):
    script = tmp_path / "ranks.py"
    script.write_text(
        textwrap.dedent("""
        import sys
        import torch.distributed as dist
        from test_workers import drawn, loader, made

        if __name__ == "__main__":
            dist.init_process_group("gloo")
            dataset = made(sys.argv[1], patch_size=[2, 2, 2])
            assert (dataset.rank, dataset.world_size) == (dist.get_rank(), 2)
            found = [None, None]
            dist.all_gather_object(found, drawn(loader(dataset, method="forkserver", shuffle=True)))
            assert len(found[0]) == len(found[1]) == 12
            assert not set(found[0]) & set(found[1]), found
            dist.destroy_process_group()
            print("distinct")
    """)
    )
    command = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--nproc-per-node=2",
        "--standalone",
        str(script),
        str(ramp),
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path[1:]])}
    environment |= {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("distinct") == 2


def test_worker_processes_share_the_cache_out(ramp):
    dataset = made(ramp, cache, cache_bytes=1 << 20)
    batches = list(loader(dataset, workers=2, method="forkserver"))
    assert {int(value) for batch in batches for value in batch["cache"]} == {1 << 19}


def test_state_is_kept_and_of_one_seed(ramp):
    dataset, other = made(ramp), made(ramp)
    dataset.set_epoch(4)
    other.load_state_dict(dataset.state_dict())
    assert other.epoch == 4
    assert [other.plan(i) for i in range(3)] == [dataset.plan(i) for i in range(3)]
    with pytest.raises(ValueError, match="seed"):
        made(ramp, seed=9).load_state_dict(dataset.state_dict())
    with pytest.raises(ValueError, match="epoch"):
        dataset.set_epoch(-1)
