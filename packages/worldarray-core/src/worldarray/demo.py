"""A small placed pyramid to look at: OME-Zarr 0.5 in a temporary folder, written with plain files."""

from __future__ import annotations

import json
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np

from worldarray import api, info
from worldarray.axes import with_units
from worldarray.box import Box

AXES: Final = ("z", "y", "x")
SHAPE: Final = (24, 40, 48)
VOXEL_SIZE: Final = (40.0, 16.0, 10.5)
CORNER: Final = (400.0, -160.0, 1050.0)
FACTORS: Final = ((1, 1, 1), (1, 2, 2), (2, 4, 4))
CHUNKS: Final = (12, 20, 24)

Array = np.ndarray[Any, Any]


@contextmanager
def demo_pyramid() -> Iterator[str]:
    """Give the path of a three-level pyramid of uint8 (z, y, x) in nanometres; it is gone afterwards.

    Level 0 has voxels of 40 by 16 by 10.5 nm and its lower corner at (400, -160, 1050); the other levels are block
    means, so every level covers the same box.

    Examples
    --------
    >>> with demo_pyramid() as path:
    ...     (Path(path) / "zarr.json").exists()
    True
    """
    with tempfile.TemporaryDirectory(prefix="worldarray-demo-") as folder:
        path = Path(folder) / "demo.zarr"
        _write_pyramid(path)
        yield str(path)


def show(path: str) -> str:
    """Return what ``worldarray demo`` prints: the table of `path`, and a box in its middle at twice the voxel size.

    The box is half the volume on every spatial axis, and at most 64 voxels of the larger size; all is in the units
    that the store has.

    Examples
    --------
    >>> with demo_pyramid() as path:
    ...     print(show(path).splitlines()[-2])
    the middle of s0, (640, 0, 1176) to (1120, 320, 1428) nanometer, read at voxel size (80, 32, 21):
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the table says every one of them
        table = info.table(info.describe_path(path))
        volume = api.open(path, level=0, units=None)
    size = tuple(2 * s for s in volume.voxel_size)
    box = _middle(volume.box, size)
    block = volume.read(box, voxel_size=size, method="linear")
    units = tuple(volume.units[axis] for axis in volume.spatial)
    span = with_units(f"{_numbers(box.begin)} to {_numbers(box.end)}", units)
    told = f"the middle of {volume.level_name}, {span}, read at voxel size {_numbers(size)}:"
    values = f"smallest {block.min()}, largest {block.max()}" if block.size else "no voxels"
    return "\n".join([table, "", told, f"shape {block.shape}, dtype {block.dtype}, {values}"])


def _middle(extent: Box, size: tuple[float, ...]) -> Box:
    half = tuple(min(length / 4, 32 * s) for length, s in zip(extent.shape, size, strict=True))
    begin = tuple(c - h for c, h in zip(extent.centre, half, strict=True))
    return Box(begin, tuple(c + h for c, h in zip(extent.centre, half, strict=True)))


def _numbers(values: Sequence[float]) -> str:
    return f"({', '.join(f'{value:g}' for value in values)})"


def _write_pyramid(path: Path) -> None:
    base = _shells(SHAPE)
    datasets = []
    for level, factors in enumerate(FACTORS):
        name = f"s{level}"
        _write_array(path / name, _block_mean(base, factors))
        size = [s * f for s, f in zip(VOXEL_SIZE, factors, strict=True)]
        centre = [c + s / 2 for c, s in zip(CORNER, size, strict=True)]
        transforms = [{"type": "scale", "scale": size}, {"type": "translation", "translation": centre}]
        datasets.append({"path": name, "coordinateTransformations": transforms})
    axes = [{"name": name, "type": "space", "unit": "nanometer"} for name in AXES]
    multiscales = [{"name": "demo", "axes": axes, "datasets": datasets}]
    group = {
        "zarr_format": 3,
        "node_type": "group",
        "attributes": {"ome": {"version": "0.5", "multiscales": multiscales}},
    }
    (path / "zarr.json").write_text(json.dumps(group, indent=1), encoding="utf-8")


def _shells(shape: tuple[int, ...]) -> Array:
    """Return spherical shells round the middle of the volume, in world units, as uint8."""
    centres = [(np.arange(n) - (n - 1) / 2) * s for n, s in zip(shape, VOXEL_SIZE, strict=True)]
    z, y, x = np.meshgrid(*centres, indexing="ij")
    radius = np.sqrt(z * z + y * y + x * x)
    shells: Array = (127.5 + 127.5 * np.cos(radius / 40)).astype(np.uint8)
    return shells


def _block_mean(values: Array, factors: tuple[int, ...]) -> Array:
    split = [part for n, f in zip(values.shape, factors, strict=True) for part in (n // f, f)]
    means: Array = values.reshape(split).mean(axis=(1, 3, 5)).round().astype(np.uint8)
    return means


def _write_array(path: Path, values: Array) -> None:
    chunks = tuple(min(c, n) for c, n in zip(CHUNKS, values.shape, strict=True))
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": values.shape,
        "data_type": "uint8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "codecs": [{"name": "bytes"}],
        "fill_value": 0,
        "dimension_names": AXES,
        "attributes": {},
    }
    path.mkdir(parents=True)
    (path / "zarr.json").write_text(json.dumps(document, indent=1), encoding="utf-8")
    counts = [-(-n // c) for n, c in zip(values.shape, chunks, strict=True)]
    for index in np.ndindex(*counts):
        begin = [i * c for i, c in zip(index, chunks, strict=True)]
        part = values[tuple(slice(b, b + c) for b, c in zip(begin, chunks, strict=True))]
        whole = np.zeros(chunks, np.uint8)
        whole[tuple(slice(0, n) for n in part.shape)] = part
        file = path.joinpath("c", *map(str, index))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(whole.tobytes())
