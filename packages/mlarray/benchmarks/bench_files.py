"""Whole files: their size, opening one with a large source, its header, saving, two workers, importing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import bench_imports
import numpy as np
import phantoms
from harness import Goal, Growth, Line, Timer, timer
from phantoms import Array

from mlarray import MLArray
from mlarray.cli.headers import header_of

_PEAK = Path(__file__).with_name("peaks.py")


def lines(root: Path, *, quick: bool) -> Iterator[Line]:
    """Yield what the speed table says of files, and what people notice beside it."""
    scan = phantoms.scan(quick=quick)
    bare, loaded = _file(root, "bare", scan), _file(root, "loaded", scan, 4_500 if quick else 450_000)
    yield _size(root, bare, scan)
    yield from _opening(bare, loaded)
    yield from _memory(bare, loaded, scan)
    yield from _saving(root, bare, scan)
    says = "one worker process that does all of it"
    yield Line("patches by two workers", _workers(bare, 1), _workers(bare, 2), Goal(1 / 1.6), says)
    cache = root / "bytecode"
    base = bench_imports.fresh("import numpy, msgpack", cache)
    ours = bench_imports.fresh("from mlarray import MLArray", cache)
    yield Line("import MLArray / import numpy, msgpack", base, ours, Goal(), "in fresh processes, byte code cached")


def _file(root: Path, name: str, scan: Array, elements: int = 0) -> Path:
    path = root / f"{name}.mla"
    if not path.exists():
        source = [_source(elements)] if elements else None
        MLArray(scan, axes=["z", "y", "x"], patch_size=128, source=source).save(path)
    return path


def _source(elements: int) -> dict[str, object]:
    """Return a source of about 100 bytes per element, as a long series of DICOM files has."""
    one = {"vr": "DS", "name": "Element of a file"}
    elements_of = [{**one, "tag": index, "value": f"{index * 0.37:.6f}"} for index in range(elements)]
    return {"format": "dicom", "header": {"files": elements_of}}


def _size(root: Path, bare: Path, scan: Array) -> Line:
    plain = phantoms.saved(root, "scan", scan)
    job = {"op": "bytes", "source": str(plain), "patch": 128, "labels": ["spatial_z", "spatial_y", "spatial_x"]}
    return Line("size of a file", _bytes(plain), _bytes(bare), Goal(gain=1 / 1.08), "the .npy file", job, unit="bytes")


def _bytes(path: Path) -> Timer:
    return lambda _: float(path.stat().st_size)


def _opening(bare: Path, loaded: Path) -> Iterator[Line]:
    without = timer(lambda: MLArray.open(bare).close())
    says = "opening the same file without a source"
    large = timer(lambda: MLArray.open(loaded).close())
    yield Line("open with a 45 MB source", without, large, Goal(5), says)
    yield Line("open with a 45 MB source, under 1 ms", lambda _: 1e-3, large, Goal(1), "1 ms")
    yield Line("header of a file with a 45 MB source", without, timer(lambda: header_of(loaded)), Goal(2), says)


def _memory(bare: Path, loaded: Path, scan: Array) -> Iterator[Line]:
    for name, path, doing in (
        ("header command", bare, "header"),
        ("header command, 45 MB source", loaded, "header"),
        ("open, 45 MB source", loaded, "open"),
    ):
        goal = Goal(0.05)
        yield Line(f"memory: {name}", _bytes(path), _peak(doing, path), goal, "the size of the file", unit="bytes")
    says = "the size of the array; pages of the file that are mapped count, the system takes them back"
    goal = Goal(0.1)
    yield Line("memory: patch 64^3", lambda _: float(scan.nbytes), _peak("patch", bare), goal, says, unit="bytes")


def _peak(doing: str, path: Path) -> Timer:
    """Return a timer that answers the bytes by which something raises the peak of a fresh process."""

    @lru_cache(maxsize=1)
    def measured(_: int) -> float:
        found = [int(subprocess.check_output([sys.executable, str(_PEAK), doing, str(path)])) for _ in range(3)]
        return float(sorted(found)[1])

    return lambda _: measured(0)


def _saving(root: Path, bare: Path, scan: Array) -> Iterator[Line]:
    opened, copy = MLArray.open(bare), root / "copy.mla"
    saving = timer(lambda: opened.save(root / "saved.mla"))
    says = "copying the file and waiting for the disk"
    yield Line("save an opened, unchanged file", timer(lambda: _copied(bare, copy)), saving, Goal(3), says, noisy=True)
    array = MLArray(scan, axes=["z", "y", "x"], patch_size=128)
    plain = root / "plain.npy"
    whole = timer(lambda: _synced(plain, np.save(plain, scan)))
    making = timer(lambda: MLArray(scan, axes=["z", "y", "x"], patch_size=128).save(root / "made.mla"))
    job = {"op": "write", "source": str(phantoms.saved(root, "scan", scan)), "patch": 128, "labels": None}
    yield Line("compress and save", whole, making, Goal(), "np.save, and waiting for the disk", job, noisy=True)
    del array


def _copied(source: Path, target: Path) -> None:
    _synced(target, shutil.copyfile(source, target))


def _synced(path: Path, _: Any) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _workers(path: Path, count: int) -> Timer:
    pool = ProcessPoolExecutor(count, get_context("spawn"))
    list(pool.map(_patches, [str(path)] * count, [1] * count))

    def timed(calls: int) -> float:
        start = time.perf_counter()
        for _ in range(calls):
            list(pool.map(_patches, [str(path)] * count, [800 // count] * count))
        return (time.perf_counter() - start) / calls

    return timed


def _patches(path: str, count: int) -> None:
    with MLArray.open(path) as array:
        size = tuple(min(64, n) for n in array.shape)
        out = np.empty(size, array.dtype)
        for start in phantoms.starts(array.shape, size, count):
            array.read_patch(start, size, out=out)


def growth(root: Path, *, quick: bool) -> Iterator[Growth]:
    """Yield opening over the size of the source, headers over their labels, and saving over the volume."""
    scan = phantoms.scan(quick=quick)
    counts = (100, 1_000, 10_000)
    sources = [(n, _file(root, f"source-{n}", scan[:8, :8, :8].copy(), n)) for n in counts]
    yield Growth("open, over the elements of its source", [(n, _open(path)) for n, path in sources])
    labelled = []
    for count in counts:
        path = root / f"labels-{count}.mla"
        MLArray(
            np.zeros((count, 2), "u1"), axes=[{"name": "c", "labels": [f"label {n}" for n in range(count)]}, "x"]
        ).save(path)
        labelled.append((count, _open(path)))
    yield Growth("open, over the labels in its header", labelled)
    parts = [scan[: scan.shape[0] // n] for n in (16, 4, 1)]
    made = [MLArray(part, axes=["z", "y", "x"], patch_size=64) for part in parts]
    target = root / "grown.mla"
    yield Growth("save, over the voxels", [(m.to_numpy().size, timer(lambda m=m: m.save(target))) for m in made])


def _open(path: Path) -> Timer:
    return timer(lambda: MLArray.open(path).close())
