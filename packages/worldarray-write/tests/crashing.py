"""Processes that are killed while they write. Run as a script that has not used tensorstore, so that it may fork."""

import json
import os
import shutil
import signal
import sys
from pathlib import Path

import numpy as np

import worldarray as wa

SHAPE, CHUNKS = (7, 11, 13), (3, 4, 5)
LEVEL = {"shape": SHAPE, "dtype": "uint16", "voxel_size": (30.0, 8.0, 4.0), "translation": (100.0, 20.0, 6.0)}


def create(group, format, exists="error"):
    """The first level of a group, with attributes everywhere."""
    more = {"attrs": {"by": "me"}, "group_attrs": {"run": 7}}
    return wa.create(f"{group}/s0", **LEVEL, chunks=CHUNKS, format=format, exists=exists, **more)


def create_second(group, format, exists="error"):
    """A level beside one that is there, by `create`."""
    changes = {"voxel_size": (60.0, 16.0, 8.0), "translation": (115.0, 24.0, 8.0), "shape": (4, 6, 7)}
    return wa.create(f"{group}/s1", **{**LEVEL, **changes}, chunks=CHUNKS, format=format, exists=exists)


def add_level(group, format, exists="error"):
    """A level beside one that is there, by `add_level`."""
    pyramid = wa.open_pyramid(group, mode="r+")
    return pyramid.add_level("s1", 2, attrs={"by": "me"}, exists=exists)


def killed(task, group, format, at, when):
    """Run a task in a forked child that is killed at its `at`-th renaming; return whether it was."""
    pid = os.fork()
    if not pid:
        _die_at(at, when)
        globals()[task](group, format)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, status
    return os.WIFSIGNALED(status)


def _die_at(at, when):
    rename, left = os.rename, [at]

    def dying(source, target):
        left[0] -= 1
        if left[0] == 0 and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        rename(source, target)
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    os.rename = dying


def every_crash(folder, task, format):
    """Kill a task at each of its writes, each in a copy of ``<folder>/start``; print the names of the copies."""
    names = []
    for when in ("before", "after"):
        for at in range(1, 20):
            name = f"{when}-{at}"
            if (folder / "start").exists():
                shutil.copytree(folder / "start", folder / name)
            else:
                (folder / name).mkdir()
            if not killed(task, folder / name / "em.zarr", format, at, when):
                break
            names.append(name)
    print(json.dumps(names))


def fill(path):
    """Write every unit of an array again and again, until killed; values say which round it is."""
    vol = wa.open(path, mode="r+")
    print("writing", flush=True)
    rng = np.random.default_rng(0)
    for round_ in range(1, 100_000):
        for block in vol.blocks():
            shape = tuple(e - b for b, e in zip(block.begin, block.end, strict=True))
            noise = rng.integers(0, 2, shape, "uint16") * (round_ % 2)  # so that chunks differ in length
            vol.write_index(block.begin, block.end, (noise + round_ * 2).astype("uint16"))


if __name__ == "__main__":
    if sys.argv[1] == "fill":
        fill(sys.argv[2])
    else:
        every_crash(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
