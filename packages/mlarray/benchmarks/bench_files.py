"""Whole files: opening one with a large source, saving one that is open, two workers, the header command."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import phantoms
from harness import Goal, Line, Timer, timer

from mlarray import MLArray
from mlarray.cli.headers import header_of


def lines(root: Path, *, quick: bool = False) -> Iterator[Line]:
    """Yield opening with a source of 45 MB, saving against copying, one process against two, and the header."""
    scan = phantoms.scan(quick=quick)
    bare, loaded = root / "bare.mla", root / "loaded.mla"
    MLArray(scan, axes=["z", "y", "x"], patch_size=64).save(bare)
    MLArray(scan, axes=["z", "y", "x"], patch_size=64, source=[_source(4_500 if quick else 450_000)]).save(loaded)
    yield Line(
        "open with a 45 MB source",
        timer(lambda: MLArray.open(bare).close()),
        timer(lambda: MLArray.open(loaded).close()),
        Goal(5, over_us=1000),
        "opening the same file without a source",
    )
    yield Line(
        "header of a file with a 45 MB source",
        timer(lambda: MLArray.open(bare).close()),
        timer(lambda: header_of(loaded)),
        Goal(2),
        "opening a file without a source",
    )
    opened = MLArray.open(bare)
    copy = root / "copy.mla"

    def copied() -> None:
        shutil.copyfile(bare, copy)
        with copy.open("rb+") as file:
            os.fsync(file.fileno())

    saving = timer(lambda: opened.save(root / "saved.mla"))
    yield Line("save an opened, unchanged file", timer(copied), saving, Goal(3), "copying and syncing it", noisy=True)
    yield Line("patches by two workers", _workers(bare, 1), _workers(bare, 2), Goal(1 / 1.6), "one worker process")


def _source(elements: int) -> dict[str, object]:
    """Return a source of about 100 bytes per element, as a long series of DICOM files has."""
    one = {"vr": "DS", "name": "Element of a file"}
    elements_of = [{**one, "tag": index, "value": f"{index * 0.37:.6f}"} for index in range(elements)]
    return {"format": "dicom", "header": {"files": elements_of}}


def _workers(path: Path, count: int) -> Timer:
    pool = ProcessPoolExecutor(count, get_context("spawn"))
    list(pool.map(_patches, [str(path)] * count, [1] * count))

    def timed(calls: int) -> float:
        start = time.perf_counter()
        for _ in range(calls):
            list(pool.map(_patches, [str(path)] * count, [400 // count] * count))
        return (time.perf_counter() - start) / calls

    return timed


def _patches(path: str, count: int) -> None:
    with MLArray.open(path) as array:
        size = tuple(min(64, n) for n in array.shape)
        starts = phantoms.starts(array.shape, size, count)
        out = np.empty(size, array.dtype)
        for start in starts:
            array.read_patch(start, size, out=out)
