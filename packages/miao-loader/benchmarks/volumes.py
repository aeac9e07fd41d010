"""Volumes like those that are trained on, written once per run, and the configurations that draw from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np

import worldarray_write

LEVELS: Final = 3
CHUNK: Final = 64


def volume(root: Path, edge: int, kind: str = "zarr3") -> Path:
    """Return a pyramid of uint8 with voxels of 8, 16 and 32 nm: blobs with noise, half as large when compressed."""
    path = root / f"{kind}-{edge}.zarr"
    if not path.exists():
        random = np.random.default_rng(edge)
        coarse = random.integers(30, 220, (edge // 16,) * 3, dtype=np.uint8)
        noise = random.integers(0, 16, (32, edge, edge), dtype=np.uint8)
        for level in range(LEVELS):
            _write(path, level, edge >> level, 16 >> level, coarse, noise, kind)
    return path


def _write(path: Path, level: int, size: int, factor: int, coarse: Any, noise: Any, kind: str) -> None:
    array = worldarray_write.create(
        path / "raw" / f"s{level}",
        shape=(size,) * 3,
        dtype="uint8",
        chunks=(CHUNK,) * 3,
        voxel_size=(8 * 2**level,) * 3,
        translation=((8 * 2**level - 8) / 2,) * 3,
        format=kind,
        exists="adopt",
    )
    for first in range(0, size, CHUNK):
        stop = min(first + CHUNK, size)
        slab = coarse[first // factor : -(-stop // factor)].repeat(factor, 0).repeat(factor, 1).repeat(factor, 2)
        slab = slab[: stop - first] + noise[:1, :size, :size]
        slab[::2] += noise[1, :size, :size]
        array.write_index((first, 0, 0), (stop, size, size), slab)


def config(path: Path, resolutions: tuple[int, ...] = (8, 16, 32), **more: Any) -> dict[str, Any]:
    """Return the fields of a configuration that both packages take: patches of 64^3 at three voxel sizes."""
    return {
        "volumes": [{"name": "a", "path": str(path), "image_key": "raw", "zarr_version": path.name.split("-")[0]}],
        "resolutions": [[size] * 3 for size in resolutions],
        "output_axes": "lczyx",
        "patch_size": [64] * 3,
        "samples_per_epoch": 1_000_000,
        **more,
    }


def many(root: Path, count: int, levels: int) -> list[dict[str, Any]]:
    """Return the volume entries of many small pyramids of documents alone."""
    entries = []
    for number in range(count):
        path = root / f"many-{number}.zarr"
        if not path.exists():
            _documents(path / "raw", levels)
        entries.append({"name": f"v{number}", "path": str(path), "image_key": "raw", "zarr_version": "zarr2"})
    return entries


def _documents(group: Path, levels: int) -> None:
    datasets = []
    for level in range(levels):
        array = group / f"s{level}"
        array.mkdir(parents=True)
        document = {"zarr_format": 2, "shape": [2048 >> level] * 3, "chunks": [CHUNK] * 3, "dtype": "|u1"}
        document |= {"compressor": None, "fill_value": 0, "order": "C", "filters": None, "dimension_separator": "/"}
        (array / ".zarray").write_text(json.dumps(document))
        transforms = [{"type": "scale", "scale": [8.0 * 2**level] * 3}]
        datasets.append({"path": f"s{level}", "coordinateTransformations": transforms})
    axes = [{"name": name, "type": "space", "unit": "nanometer"} for name in "zyx"]
    (group / ".zgroup").write_text(json.dumps({"zarr_format": 2}))
    (group / ".zattrs").write_text(
        json.dumps({"multiscales": [{"version": "0.4", "axes": axes, "datasets": datasets}]})
    )
