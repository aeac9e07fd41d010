"""Random patches from an open file, and from one that is opened for each, against what people use instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import blosc2
import h5py
import numpy as np
import phantoms
import tensorstore as ts
from harness import Goal, Line, Timer, timer
from numpy.typing import NDArray

from mlarray import MLArray

_WARM = "all in the cache of the system; goals against the peer are in the column peer: its time over the reference's"


def lines(root: Path, *, quick: bool = False) -> Iterator[Line]:
    """Yield patches, slices, colour tiles, a patch of a file that is opened for it, and the alternatives."""
    scan = phantoms.scan(quick=quick)
    edge = 32 if quick else 64
    for size in (edge, 2 * edge):
        yield _line(root, f"patch {size}^3", "scan", scan, (size,) * 3, edge, None)
    slices = scan[:30].astype(np.float32)
    yield _line(root, "slice", "slices", slices, (1, *slices.shape[1:]), (1, *slices.shape[1:]), None)
    photo = phantoms.photograph(quick=quick)
    yield _line(root, "colour tile", "photo", photo, (edge * 4, edge * 4, 3), edge * 4, ["y", "x", "c"])
    yield _opened(root, scan, edge)
    yield from _alternatives(root, scan, edge)


def _file(root: Path, name: str, array: NDArray[Any], patch: Any, axes: list[str] | None) -> Path:
    path = root / f"{name}.mla"
    if not path.exists():
        MLArray(array, axes=axes or ["z", "y", "x"][-array.ndim :], patch_size=patch).save(path)
    return path


def _keys(starts: list[tuple[int, ...]], size: tuple[int, ...]) -> Iterator[tuple[slice, ...]]:
    return cycle([tuple(slice(a, a + n) for a, n in zip(start, size, strict=True)) for start in starts])


def _copying(read: Callable[[tuple[slice, ...]], Any], starts: list[tuple[int, ...]], size: tuple[int, ...]) -> Timer:
    keys = _keys(starts, size)
    return timer(lambda: np.array(read(next(keys))))


def _job(op: str, source: Path, patch: Any, size: tuple[int, ...], starts: Any, axes: Any = None) -> dict[str, Any]:
    labels = None if axes is None else ["spatial_y", "spatial_x", "channel"]
    return {"op": op, "source": str(source), "patch": patch, "size": size, "starts": starts, "labels": labels}


def _line(
    root: Path, what: str, name: str, array: NDArray[Any], size: tuple[int, ...], patch: Any, axes: list[str] | None
) -> Line:
    source, starts = phantoms.saved(root, name, array), phantoms.starts(array.shape, size)
    opened, out, at = MLArray.open(_file(root, name, array, patch, axes)), np.empty(size, array.dtype), cycle(starts)
    return Line(
        what,
        _copying(np.load(source, mmap_mode="r").__getitem__, starts, size),
        timer(lambda: opened.read_patch(next(at), size, out=out)),
        Goal(),
        f"np.load(mmap_mode='r') and a copy; {_WARM}",
        peer=_job("patch", source, patch, size, starts, axes),
    )


def _opened(root: Path, scan: NDArray[Any], edge: int) -> Line:
    size = (edge,) * 3
    source, starts = phantoms.saved(root, "scan", scan), phantoms.starts(scan.shape, size)
    path, out, at, keys = (
        _file(root, "scan", scan, edge, None),
        np.empty(size, scan.dtype),
        cycle(starts),
        _keys(starts, size),
    )

    def ours() -> None:
        with MLArray.open(path) as array:
            array.read_patch(next(at), size, out=out)

    def memmap() -> None:
        np.array(np.load(source, mmap_mode="r")[next(keys)])

    job = _job("open", source, edge, size, starts)
    return Line(
        f"open and patch {edge}^3", timer(memmap), timer(ours), Goal(1.1), "the same, opened each time", peer=job
    )


def _alternatives(root: Path, scan: NDArray[Any], edge: int) -> Iterator[Line]:
    size = (edge,) * 3
    starts = phantoms.starts(scan.shape, size)
    opened, out, at = MLArray.open(_file(root, "scan", scan, edge, None)), np.empty(size, scan.dtype), cycle(starts)
    ours = timer(lambda: opened.read_patch(next(at), size, out=out))
    for name, read in _others(root, scan).items():
        yield Line(
            f"patch {edge}^3 / {name}", _copying(read, starts, size), ours, Goal(1.0), f"{name}, default settings"
        )


def _others(root: Path, scan: NDArray[Any]) -> dict[str, Callable[[tuple[slice, ...]], Any]]:
    raw = blosc2.asarray(scan, urlpath=str(root / "raw.b2nd"), mode="w")
    file = h5py.File(root / "scan.h5", "w")
    gzipped = file.create_dataset("scan", data=scan, chunks=(64,) * 3, compression="gzip", shuffle=True)
    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": str(root / "scan.zarr")}}
    grid = {"name": "regular", "configuration": {"chunk_shape": [64] * 3}}
    codecs = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "zstd", "configuration": {"level": 3}}]
    metadata = {"shape": scan.shape, "data_type": "int16", "chunk_grid": grid, "codecs": codecs}
    zarr = ts.open({**spec, "metadata": metadata}, create=True).result()
    zarr.write(scan).result()
    return {
        "blosc2 as it comes": raw.__getitem__,
        "h5py gzip 64": gzipped.__getitem__,
        "zarr 3 zstd 64 through tensorstore": lambda key: zarr[key].read().result(),
    }
