"""Random patches of what else people keep volumes in; the peer beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import phantoms
from harness import Goal, Line, timer
from phantoms import Array

from mlarray import MLArray

Read = Callable[[tuple[slice, ...]], Any]


def lines(root: Path, *, quick: bool) -> Iterator[Line]:
    """Yield patches of 64^3 from each: ours is to be no slower than what is compressed."""
    scan = phantoms.scan(quick=quick)
    size = (32 if quick else 64,) * 3
    starts = phantoms.starts(scan.shape, size)
    boxes = [tuple(slice(a, a + n) for a, n in zip(start, size, strict=True)) for start in starts]
    path = root / "alternative.mla"
    MLArray(scan, axes=["z", "y", "x"], patch_size=size).save(path)
    with MLArray.open(path) as opened:
        keys = cycle(boxes)
        ours = timer(lambda: opened[next(keys)])
        for name, goal, read in _others(root, scan):
            theirs = cycle(boxes)
            reference = timer(lambda read=read, theirs=theirs: np.asarray(read(next(theirs))))
            yield Line(f"patch {size[0]}^3 / {name}", reference, ours, goal, "each as its documentation suggests; warm")


def _others(root: Path, scan: Array) -> Iterator[tuple[str, Goal, Read]]:
    mapped = np.load(phantoms.saved(root, "scan", scan), mmap_mode="r")
    yield "np.memmap and a copy", Goal(), lambda key: np.array(mapped[key])
    yield "np.ndarray and a copy", Goal(), lambda key: scan[key].copy()
    yield from _blosc2(root, scan)
    yield from _hdf5(root, scan)
    yield from _zarr(root, scan)


def _blosc2(root: Path, scan: Array) -> Iterator[tuple[str, Goal, Read]]:
    import blosc2  # noqa: PLC0415  (only where it is measured)

    for name, more in (("defaults", {}), ("64 / 32, ZSTD 1", {"chunks": (64,) * 3, "blocks": (32,) * 3})):
        settings = {"cparams": blosc2.CParams(clevel=1)} if more else {}
        path = str(root / f"{len(more)}.b2nd")
        blosc2.asarray(scan, urlpath=path, mode="w", **more, **settings)
        array = blosc2.open(path, mode="r", mmap_mode="r", dparams={"nthreads": 1})
        yield f"blosc2, {name}", Goal(1), array.__getitem__


def _hdf5(root: Path, scan: Array) -> Iterator[tuple[str, Goal, Read]]:
    try:
        import h5py  # noqa: PLC0415
    except ImportError:
        return
    with h5py.File(root / "scan.h5", "w") as file:
        for name, how in (("gzip 4", {"compression": "gzip"}), ("lzf", {"compression": "lzf"})):
            held = file.create_dataset(name, data=scan, chunks=(64,) * 3, shuffle=True, **how)
            yield f"h5py, 64, {name}", Goal(1), held.__getitem__


def _zarr(root: Path, scan: Array) -> Iterator[tuple[str, Goal, Read]]:
    try:
        import tensorstore as ts  # noqa: PLC0415
    except ImportError:
        return
    codecs = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "zstd", "configuration": {"level": 3}}]
    inner = {"chunk_shape": [64] * 3, "codecs": codecs}
    sharded = [{"name": "sharding_indexed", "configuration": inner}]
    for name, chunk, how in (("64", 64, codecs), ("64 in shards of 256", 256, sharded)):
        grid = {"name": "regular", "configuration": {"chunk_shape": [chunk] * 3}}
        metadata = {"shape": scan.shape, "data_type": "int16", "chunk_grid": grid, "codecs": how}
        store = {"driver": "file", "path": str(root / f"{chunk}.zarr")}
        array = ts.open({"driver": "zarr3", "kvstore": store, "metadata": metadata}, create=True).result()
        array.write(scan).result()
        yield f"zarr 3 through tensorstore, {name}", Goal(1), lambda key, array=array: array[key].read().result()
