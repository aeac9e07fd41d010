"""Reading boxes of stored voxels, beside the same read through tensorstore."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import stores
from harness import Goal, Growth, Line, timer

import worldarray as wa

Index = tuple[int, ...]

MANY = ((0, 0, 0), (128, 128, 256))
"""4 MiB of uint8."""
ONE = ((5, 6, 7), (6, 7, 8))


def lines(root: Path, *, quick: bool) -> list[Line]:
    """Return the reads of the speed table: 4 MiB and one voxel, by index and by world box."""
    found = []
    values = stores.shells(256)
    for driver, codec in stores.KINDS[:1] if quick else stores.KINDS:
        path = stores.write(root / f"{driver}-{codec}.zarr" / "s0", values, driver=driver, codec=codec)
        found += _of_array(path, f"{stores.NAMES[driver]} {codec}")
    return found


def growth(root: Path, *, quick: bool) -> list[Growth]:
    """Return reads of whole volumes, stored ones and ones of which no chunk exists."""
    sides = (16, 32, 64) if quick else (64, 128, 256)
    points = []
    for side in sides:
        path = stores.write(root / f"cube-{side}.zarr" / "s0", stores.shells(side), chunk=min(side, 64))
        points.append((side**3, timer(_reading(wa.open(path)))))
    found = [Growth("read_index of a whole volume, by voxels", points)]
    counts = (4, 6, 8) if quick else (5, 10, 20)
    points = []
    for count in counts:
        path = stores.empty(root / f"none-{count}.zarr" / "s0", (count * 8,) * 3, (8,) * 3, driver="zarr3")
        points.append((count**3, timer(_reading(wa.open(path)))))
    return [*found, Growth("read_index where every chunk is missing, by chunks", points)]


def _reading(volume: wa.WorldArray) -> Any:
    begin, end = (0,) * volume.ndim, volume.meta.shape
    return lambda: volume.read_index(begin, end)


def _of_array(path: Path, kind: str) -> list[Line]:
    volume = wa.open(path)
    store = volume.ts
    says = "the same tensorstore read of the same open array; files in the page cache, no chunk cache"
    found = []
    for (begin, end), what, by_index, by_box in (
        (MANY, "4 MiB", Goal(ratio=1.03), Goal(ratio=1.05)),
        (ONE, "one voxel", Goal(over_us=30), Goal(over_us=60)),
    ):
        box = _world(begin, end)
        slices = tuple(map(slice, begin, end))
        job = {"path": str(path), "begin": begin, "end": end}
        read = timer(lambda slices=slices: store[slices].read().result())  # type: ignore[misc]
        indexed = timer(lambda begin=begin, end=end: volume.read_index(begin, end))  # type: ignore[misc]
        boxed = timer(lambda box=box: volume.read(box))  # type: ignore[misc]
        name = f"of {what}, {kind}"
        found.append(Line(f"read_index {name}", read, indexed, by_index, says, {"op": "read_index", **job}))
        found.append(Line(f"read by box {name}", read, boxed, by_box, says, {"op": "read", "box": box, **job}))
    return found


def _world(begin: Index, end: Index) -> tuple[tuple[float, ...], tuple[float, ...]]:
    low, high = (tuple(i * s for i, s in zip(index, stores.SIZE, strict=True)) for index in (begin, end))
    return low, high
