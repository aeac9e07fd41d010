"""The stores that are measured, written once per run into a temporary folder."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorstore as ts

Array = np.ndarray[Any, Any]
SIZE = (40.0, 16.0, 10.5)
"""The voxel size, in nanometres, of every store."""
AXES = [{"name": name, "type": "space", "unit": "nanometer"} for name in "zyx"]
_ZSTD: dict[str, dict[str, Any]] = {
    "zarr": {"id": "zstd", "level": 1},
    "zarr3": {"name": "zstd", "configuration": {"level": 1}},
}
KINDS = [(driver, codec) for driver in ("zarr", "zarr3") for codec in ("uncompressed", "zstd")]
NAMES = {"zarr": "zarr v2", "zarr3": "zarr v3"}


def shells(side: int) -> Array:
    """Return a cube of uint8 that compresses about as an image does."""
    axis = np.arange(side, dtype=np.float32) - side / 2
    radius = np.sqrt(axis[:, None, None] ** 2 + axis[:, None] ** 2 + axis**2)
    noise = np.random.default_rng(7).integers(0, 24, (side,) * 3, np.uint8)
    return (100 + 100 * np.cos(radius / 9)).astype(np.uint8) + noise


def write(path: Path, values: Array, *, driver: str = "zarr3", codec: str = "uncompressed", chunk: int = 64) -> Path:
    """Write an array in chunks of `chunk` voxels a side, placed by its group at voxels of `SIZE`; return its path."""
    opened = ts.open(_spec(path, values.shape, values.dtype, driver, codec, chunk), create=True).result()
    opened.write(values).result()
    _write_group(path.parent, [path.name], driver)
    return path


def empty(path: Path, shape: Sequence[int], chunk: Sequence[int], *, driver: str, separator: str = "/") -> Path:
    """Write the documents of a uint8 array that has no chunks yet; return its path."""
    spec = _spec(path, shape, np.dtype("uint8"), driver, "uncompressed", 1)
    meta = spec["metadata"]
    if driver == "zarr":
        meta |= {"chunks": list(chunk), "dimension_separator": separator}
    else:
        meta["chunk_grid"]["configuration"]["chunk_shape"] = list(chunk)
    ts.open(spec, create=True).result()
    _write_group(path.parent, [path.name], driver)
    return path


def pyramid(root: Path, count: int, *, driver: str = "zarr3") -> Path:
    """Write a multiscale group of `count` small levels, each listed with scale and translation; return its path."""
    names = [f"s{i}" for i in range(count)]
    for name in names:
        ts.open(_spec(root / name, (8, 8, 8), np.dtype("uint8"), driver, "uncompressed", 8), create=True).result()
    _write_group(root, names, driver)
    return root


def chunk_files(path: Path, keys: Sequence[str]) -> None:
    """Make an empty file of each key below a folder."""
    for folder in {key.rpartition("/")[0] for key in keys}:
        (path / folder).mkdir(parents=True, exist_ok=True)
    for key in keys:
        os.close(os.open(f"{path}/{key}", os.O_CREAT | os.O_WRONLY))


def document(path: Path, driver: str) -> str:
    """Return the path of an array's metadata document."""
    return str(path / {"zarr": ".zarray", "zarr3": "zarr.json"}[driver])


def group_document(path: Path, driver: str) -> str:
    """Return the path of the document that places the levels of a group."""
    return str(path / {"zarr": ".zattrs", "zarr3": "zarr.json"}[driver])


def _spec(
    path: Path, shape: Sequence[int], dtype: np.dtype[Any], driver: str, codec: str, chunk: int
) -> dict[str, Any]:
    zstd = _ZSTD[driver] if codec == "zstd" else None
    meta: dict[str, Any] = {"shape": list(shape)}
    if driver == "zarr":
        meta |= {"chunks": [chunk] * len(shape), "dtype": dtype.str, "compressor": zstd, "dimension_separator": "/"}
    else:
        grid = {"name": "regular", "configuration": {"chunk_shape": [chunk] * len(shape)}}
        codecs = [{"name": "bytes"}, *([zstd] if zstd else [])]
        meta |= {"chunk_grid": grid, "data_type": dtype.name, "codecs": codecs}
    return {"driver": driver, "kvstore": {"driver": "file", "path": f"{path}/"}, "metadata": meta}


def _write_group(group: Path, names: Sequence[str], driver: str) -> None:
    datasets = []
    for level, name in enumerate(names):
        size = [s * 2.0**level for s in SIZE]
        transforms = [{"type": "scale", "scale": size}, {"type": "translation", "translation": [s / 2 for s in size]}]
        datasets.append({"path": name, "coordinateTransformations": transforms})
    multiscales = [{"name": "em", "axes": AXES, "datasets": datasets}]
    if driver == "zarr":
        _json(group / ".zgroup", {"zarr_format": 2})
        _json(group / ".zattrs", {"multiscales": [{"version": "0.4", **multiscales[0]}]})
    else:
        attributes = {"ome": {"version": "0.5", "multiscales": multiscales}}
        _json(group / "zarr.json", {"zarr_format": 3, "node_type": "group", "attributes": attributes})


def _json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value), encoding="utf-8")
