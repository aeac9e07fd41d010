"""Stores for tests: zarr written by hand, whose values say where they are."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np


def positions(shape, voxel, translation, weights):
    """World positions of voxel centres, weighted and summed: linear, so that linear resampling keeps them exact."""
    total = np.zeros(shape)
    for axis, (size, v, t, w) in enumerate(zip(shape, voxel, translation, weights, strict=True)):
        values = (t + np.arange(size) * v) * w
        total += values.reshape([-1 if i == axis else 1 for i in range(len(shape))])
    return total


def zarr2(path, array, chunks=None):
    """Write an array as uncompressed zarr v2, chunk by chunk."""
    path = Path(path)
    path.mkdir(parents=True)
    chunks = tuple(chunks or array.shape)
    document = {"zarr_format": 2, "shape": array.shape, "chunks": chunks, "dtype": array.dtype.str, "compressor": None}
    document |= {
        "fill_value": False if array.dtype == bool else 0,
        "order": "C",
        "filters": None,
        "dimension_separator": "/",
    }
    (path / ".zarray").write_text(json.dumps(document))
    counts = [-(-size // chunk) for size, chunk in zip(array.shape, chunks, strict=True)]
    for index in np.ndindex(*counts):
        window = tuple(slice(i * c, (i + 1) * c) for i, c in zip(index, chunks, strict=True))
        block = np.zeros(chunks, array.dtype)
        part = array[window]
        block[tuple(map(slice, part.shape))] = part
        target = path.joinpath(*map(str, index))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(block.tobytes())


def group2(path, levels, axes="zyx", units="nanometer", outer=None, types=None):
    """Write an OME-NGFF 0.4 group: levels are (name, array, voxel, translation or None[, chunks])."""
    path = Path(path)
    path.mkdir(parents=True, exist_ok=True)
    datasets = []
    for name, array, voxel, translation, *chunks in levels:
        zarr2(path / name, array, *chunks)
        transforms = [{"type": "scale", "scale": list(map(float, voxel))}]
        if translation is not None:
            transforms.append({"type": "translation", "translation": list(map(float, translation))})
        datasets.append({"path": name, "coordinateTransformations": transforms})
    kinds = {"t": "time", "c": "channel"}
    named = []
    for index, axis in enumerate(axes):
        kind = types[index] if types else kinds.get(axis, "space")
        entry = {"name": axis, "type": kind}
        if kind == "space" and units:
            entry["unit"] = units
        named.append(entry)
    multiscale = {"version": "0.4", "axes": named, "datasets": datasets}
    if outer is not None:
        multiscale["coordinateTransformations"] = [{"type": "scale", "scale": outer}]
    (path / ".zgroup").write_text(json.dumps({"zarr_format": 2}))
    (path / ".zattrs").write_text(json.dumps({"multiscales": [multiscale]}))


def ramp_pyramid(path, shape=(40, 48, 56), voxel=(8.0, 6.0, 4.0), levels=3, weights=(1.0, 1000.0, 0.01), declared=True):
    """Write a float64 pyramid of block means placed by centres, whose values are weighted world positions."""
    found = []
    for level in range(levels):
        factor = 2**level
        size = tuple(n // factor for n in shape)
        v = tuple(s * factor for s in voxel)
        t = tuple((a - b) / 2 for a, b in zip(v, voxel, strict=True))
        found.append((f"s{level}", positions(size, v, t, weights), v, t if declared else None, (16, 16, 16)))
    group2(Path(path) / "raw", found)
    return found


def config(path, **more):
    """The fields of a small configuration over one volume; keys of the volume go into `volume`."""
    volume = {"name": "a", "path": str(path), "image_key": "raw", **more.pop("volume", {})}
    base = {"resolutions": [[8, 6, 4]], "output_axes": "lczyx", "patch_size": [8, 10, 12], "samples_per_epoch": 6}
    return {"volumes": [volume], **base, **more}
