"""A process that ends at any write of create or add_level leaves what exists="adopt" completes and readers report."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import crashing
import numpy as np
import pytest
import tensorstore as ts
from trees import counted, tree

import worldarray as wa
from worldarray.errors import LevelError, StoreNotFoundError, StoreUnavailableError, WorldArrayError
from worldarray_write.io import store

HERE = Path(__file__).parent
FORMATS = ("zarr2", "zarr3")
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


@pytest.fixture(params=FORMATS)
def format(request):
    return request.param


def started(folder, format):
    """A group with one level and its data, where the crashes of a second level begin."""
    crashing.create(folder / "em.zarr", format).write_index((0, 0, 0), crashing.SHAPE, counted(crashing.SHAPE))


def crashes(folder, task, format):
    command = [sys.executable, "-W", "error", str(HERE / "crashing.py"), str(folder), task, format]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs_fork
@pytest.mark.parametrize("task", ["create", "create_second", "add_level"])
def test_a_process_killed_at_any_write_leaves_what_adopt_completes_and_readers_report(tmp_path, task, format):
    if task != "create":
        started(tmp_path / "start", format)
    names = crashes(tmp_path, task, format)
    writes = {"create": {"zarr2": 4, "zarr3": 2}, "create_second": {"zarr2": 2, "zarr3": 2}}
    expected = writes.get(task, {"zarr2": 3, "zarr3": 2})[format]
    assert names == [f"{when}-{at}" for when in ("before", "after") for at in range(1, expected + 1)]
    whole = tmp_path / "whole" / "em.zarr"
    if task != "create":
        started(tmp_path / "whole", format)
    getattr(crashing, task)(whole, format)
    complete = tree(whole)
    for name in names:
        group = tmp_path / name / "em.zarr"
        reported(group, "s0" if task == "create" else "s1", name)
        if task != "create":
            level = wa.open(group, level="s0")
            assert (level.read_index((0, 0, 0), crashing.SHAPE) == counted(crashing.SHAPE)).all(), name
        made = getattr(crashing, task)(group, format, exists="adopt")
        assert tree(group) == complete, name
        made.write_chunk((0, 0, 0), counted(crashing.CHUNKS))
        assert (wa.open(made.level_path).read_index((0, 0, 0), crashing.CHUNKS) == counted(crashing.CHUNKS)).all()


def reported(group, level, name):
    """Readers see the level whole and placed, or say that it is not there."""
    there = (group / level / ".zarray").exists() or (group / level / "zarr.json").exists()
    if there:
        assert wa.open(group, level=level).meta.placed_by == "ome", name
        return
    said = rf"em\.zarr.*({level}|no level|holds no array or group)"
    with pytest.raises((StoreNotFoundError, LevelError), match=said):
        wa.open(group, level=level)
    with pytest.raises(WorldArrayError):
        wa.open(group / level)


def test_a_level_that_is_listed_and_not_there_is_placed_and_said_to_be_missing(tmp_path):
    crashing.create(tmp_path / "em.zarr", "zarr3")
    (tmp_path / "em.zarr" / "s0" / "zarr.json").unlink()
    pyramid = wa.open_pyramid(tmp_path / "em.zarr")
    assert pyramid.placements()[0].translation == (100.0, 20.0, 6.0)
    with pytest.raises(StoreNotFoundError, match=r"em\.zarr/s0"):
        pyramid.by_name("s0")


# Faults of a store ---------------------------------------------------------------------------------------------------


class Crash(BaseException):
    """The end of a process, as far as one test is concerned."""


def failing(monkeypatch, at, kind, *, taken):
    """Let the `at`-th document be written, or not, and an error be raised."""
    write, left = store.write_if, [at]

    def write_if(*arguments, **named):
        left[0] -= 1
        if left[0] == 0:
            if taken:
                write(*arguments, **named)
            raise kind
        return write(*arguments, **named)

    monkeypatch.setattr(store, "write_if", write_if)
    return left


@pytest.mark.parametrize("taken", [False, True], ids=["not taken", "taken, and the answer lost"])
@pytest.mark.parametrize("kind", [Crash, StoreUnavailableError], ids=["crash", "unavailable"])
@pytest.mark.parametrize("task", ["create", "create_second"])
def test_a_fault_at_any_write_of_any_store_leaves_what_adopt_completes(monkeypatch, task, format, kind, taken):
    for at in range(1, 20):
        context, group = ts.Context(), f"memory://{at}/em.zarr"
        monkeypatch.setattr(crashing, "LEVEL", {**crashing.LEVEL, "context": context})
        if task != "create":
            crashing.create(group, format)
        with monkeypatch.context() as patched:
            left = failing(patched, at, kind, taken=taken)
            with suppress(kind):
                getattr(crashing, task)(group, format)
            if left[0] > 0:
                break
        made = getattr(crashing, task)(group, format, exists="adopt")
        assert wa.open(made.level_path, context=context).meta == made.meta
        assert made.levels == (("s0",) if task == "create" else ("s0", "s1"))
    assert at > 2


# Data ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shards", [None, (6, 8, 10)])
def test_a_process_killed_while_it_writes_leaves_whole_units_and_the_next_run_completes_them(tmp_path, shards):
    vol = wa.create(
        tmp_path / "em.zarr" / "s0", (24, 24, 24), "uint16", (30, 8, 4), (0, 0, 0), chunks=(3, 4, 5), shards=shards
    )
    for seconds in (0.02, 0.11, 0.23):
        command = [sys.executable, str(HERE / "crashing.py"), "fill", vol.path]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
            assert writer.stdout.readline() == b"writing\n"
            time.sleep(seconds)
            writer.send_signal(signal.SIGKILL)
        known = {block.index: block for block in vol.blocks()}
        units = vol.list_chunks()
        assert set(units) <= set(known), "what the killed writer left beside the units is not listed as one"
        for index in units:
            values = vol.read_index(known[index].begin, known[index].end)
            assert len(np.unique(values // 2)) == 1, "one round's values: no unit is torn"
    vol.write_index((0, 0, 0), vol.shape, counted(vol.shape))
    assert (wa.open(vol.path).read_index((0, 0, 0), vol.shape) == counted(vol.shape)).all()
