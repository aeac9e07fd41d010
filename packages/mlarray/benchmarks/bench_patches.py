"""Random patches of an open file, and of one that is opened for each, against the public peer and np.memmap."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import phantoms
from harness import Goal, Growth, Line, Timer, timer
from phantoms import Array

from mlarray import MLArray

_SAYS = "np.load(mmap_mode='r') and a copy; everything in the cache of the system, one process, one thread"
_PEER = 128
"""The patch size of the peer's files of volumes."""


def lines(root: Path, *, quick: bool) -> Iterator[Line]:
    """Yield patches of volumes, masks, slices and tiles, and what a data loader does that opens a file per sample."""
    scan = phantoms.scan(quick=quick)
    yield from _volume(root, scan, quick=quick)
    slices = scan[:30].astype(np.float32)
    whole = (1, *slices.shape[1:])
    yield _line(root, "slice of float32", _Read("slices", slices, whole, whole), Goal(gain=5))
    photo = phantoms.photograph(quick=quick)
    edge = photo.shape[0] // 8
    tile = _Read("photo", photo, (edge, edge, 3), edge, axes=("y", "x", "c"))
    yield _line(root, f"RGB tile of {edge}^2", tile, Goal(gain=1.8))


def _volume(root: Path, scan: Array, *, quick: bool) -> Iterator[Line]:
    edges = (32, 64) if quick else (64, 128)
    for edge, gain in zip(edges, (1.35, 1.15), strict=True):
        read = _Read("scan", scan, (edge,) * 3, edge)
        yield _line(root, f"patch {edge}^3", read, Goal(gain=gain))
        yield _indexed(root, read)
        yield _line(root, f"patch {edge}^3, default patch size", _Read("scan", scan, (edge,) * 3, "default"), Goal())
    read = _Read("scan", scan, (edges[0],) * 3, edges[0])
    yield _loaded(root, read)
    yield _opened(root, read, Goal(), fresh=True)
    yield _opened(root, read, Goal(1.1, gain=1.8), fresh=False)
    mask = phantoms.labels(scan)
    yield _line(root, f"patch {edges[0]}^3 of labels", _Read("labels", mask, (edges[0],) * 3, edges[0]), Goal())


class _Read:
    """Random patches of an array, and the files that hold it."""

    def __init__(
        self, name: str, array: Array, size: tuple[int, ...], patch: Any, axes: tuple[str, ...] = ("z", "y", "x")
    ) -> None:
        self.name, self.array, self.size, self.patch, self.axes = name, array, size, patch, axes
        self.starts = phantoms.starts(array.shape, size)

    def plain(self, root: Path) -> Path:
        """Return its .npy file."""
        return phantoms.saved(root, self.name, self.array)

    def file(self, root: Path) -> Path:
        """Return its .mla file."""
        patch = self.patch if isinstance(self.patch, (str, int)) else "-".join(map(str, self.patch))
        path = root / f"{self.name}-{patch}.mla"
        if not path.exists():
            MLArray(self.array, axes=list(self.axes), patch_size=self.patch).save(path)
        return path

    def keys(self) -> Iterator[tuple[slice, ...]]:
        """Yield the slices of its patches, for ever."""
        return cycle([tuple(slice(a, a + n) for a, n in zip(start, self.size, strict=True)) for start in self.starts])

    def memmap(self, root: Path) -> Timer:
        """Return the timer of copying a patch from memory that is mapped to the .npy file."""
        mapped, keys = np.load(self.plain(root), mmap_mode="r"), self.keys()
        return timer(lambda: np.array(mapped[next(keys)]))

    def job(self, op: str, root: Path) -> dict[str, Any]:
        """Return what the peer is asked for."""
        labels = {"c": "channel", "z": "spatial_z", "y": "spatial_y", "x": "spatial_x"}
        patch = self.patch if "c" in self.axes or self.name == "slices" else _PEER
        job: dict[str, Any] = {"op": op, "source": str(self.plain(root)), "size": self.size, "starts": self.starts}
        return {**job, "patch": patch, "labels": [labels[axis] for axis in self.axes]}


def _line(root: Path, what: str, read: _Read, goal: Goal) -> Line:
    opened, out, at = MLArray.open(read.file(root)), np.empty(read.size, read.array.dtype), cycle(read.starts)
    ours = timer(lambda: opened.read_patch(next(at), read.size, out=out))
    return Line(what, read.memmap(root), ours, goal, _SAYS, read.job("patch", root))


def _indexed(root: Path, read: _Read) -> Line:
    opened, keys = MLArray.open(read.file(root)), read.keys()
    what = f"patch {read.size[0]}^3, m[…]"
    return Line(what, read.memmap(root), timer(lambda: opened[next(keys)]), Goal(), _SAYS, read.job("patch", root))


def _loaded(root: Path, read: _Read) -> Line:
    loaded, out, at = MLArray.load(read.file(root)), np.empty(read.size, read.array.dtype), cycle(read.starts)
    ours = timer(lambda: loaded.read_patch(next(at), read.size, out=out))
    what = f"patch {read.size[0]}^3 of a loaded file"
    return Line(what, read.memmap(root), ours, Goal(), _SAYS, read.job("loaded", root))


def _opened(root: Path, read: _Read, goal: Goal, *, fresh: bool) -> Line:
    """Return a patch of a file that is opened for it; `fresh` files lie in the cache as they were written."""
    path, plain, at, keys = read.file(root), read.plain(root), cycle(read.starts), read.keys()

    def ours() -> None:
        with MLArray.open(path) as array:
            array.read_patch(next(at), read.size)

    def memmap() -> None:
        np.array(np.load(plain, mmap_mode="r")[next(keys)])

    if not fresh:
        for file, call in ((path, ours), (plain, memmap)):
            phantoms.forgotten(file)
            for _ in read.starts:
                call()
    what = f"open and patch {read.size[0]}^3" + (", files just written" if fresh else "")
    says = (
        "np.load(mmap_mode='r') for each patch, and a copy; in the cache of the system by such reads, or just written"
    )
    return Line(what, timer(memmap), timer(ours), goal, says, {**read.job("open", root), "fresh": fresh})


def growth(root: Path, *, quick: bool) -> Iterator[Growth]:
    """Yield patches of three sizes, in voxels: the cost of a voxel falls as less is read beside the patch."""
    scan = phantoms.scan(quick=quick)
    edges = (16, 32, 64) if quick else (32, 64, 128)
    with MLArray.open(_Read("scan", scan, (edges[-1],) * 3, edges[-1]).file(root)) as opened:
        points = []
        for edge in edges:
            size, out = (edge,) * 3, np.empty((edge,) * 3, scan.dtype)
            at = cycle(phantoms.starts(scan.shape, size))
            points.append(
                (edge**3, timer(lambda at=at, size=size, out=out: opened.read_patch(next(at), size, out=out)))
            )
        yield Growth("patch, over its voxels", points)
