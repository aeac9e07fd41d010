"""Small stores on disk, written as documents and raw chunks by plain files: nothing of the package makes them."""

import json
from pathlib import Path

import numpy as np

ZYX = (("z", "space", "nanometer"), ("y", "space", "nanometer"), ("x", "space", "nanometer"))
CZYX = (("c", "channel", None), *ZYX)
TCZYX = (("t", "time", "millisecond"), *CZYX)


def coded(*shape, dtype="uint16", base=0):
    """Values that say where they are: 100 z + 10 y + x, and so on for more axes, plus a base."""
    places = np.indices(shape)
    powers = [10 ** (len(shape) - 1 - axis) for axis in range(len(shape))]
    return np.asarray(base + sum(p * place for p, place in zip(powers, places, strict=True))).astype(dtype)


def write_json(path, document):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")


def write_chunks(folder, values, chunks, key, order="C"):
    """Raw chunks, each whole: what lies past the end of the array is 0."""
    counts = [-(-n // c) for n, c in zip(values.shape, chunks, strict=False)]
    for index in np.ndindex(*counts):
        begin = [i * c for i, c in zip(index, chunks, strict=False)]
        part = values[tuple(slice(b, b + c) for b, c in zip(begin, chunks, strict=False))]
        whole = np.zeros(chunks, values.dtype)
        whole[tuple(slice(0, n) for n in part.shape)] = part
        file = folder / key(index)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(whole.tobytes(order))


def zarr3(path, values, chunks=None, names=None, attributes=None, **changes):
    """A zarr v3 array of uncompressed chunks; returns its path as text."""
    path, chunks = Path(path), values.shape if chunks is None else chunks
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": values.shape,
        "data_type": values.dtype.name,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "fill_value": 0,
        "dimension_names": names,
        "attributes": attributes or {},
    }
    if names is None:
        del document["dimension_names"]
    write_json(path / "zarr.json", {**document, **changes})
    write_chunks(path, values, chunks, lambda index: "/".join(["c", *map(str, index)]))
    return str(path)


def zarr2(path, values, chunks=None, attributes=None, **changes):
    """A zarr v2 array of uncompressed chunks; returns its path as text."""
    path, chunks = Path(path), values.shape if chunks is None else chunks
    document = {
        "zarr_format": 2,
        "shape": values.shape,
        "chunks": chunks,
        "dtype": values.dtype.str,
        "compressor": None,
        "filters": None,
        "order": "C",
        "fill_value": 0,
        **changes,
    }
    write_json(path / ".zarray", document)
    if attributes is not None:
        write_json(path / ".zattrs", attributes)
    separator = document.get("dimension_separator", ".")
    write_chunks(path, values, chunks, lambda i: separator.join(map(str, i)) if i else "0", document["order"])
    return str(path)


def multiscales(levels, axes=ZYX, outer=None):
    """One OME multiscale: levels are (name, scale, translation or None) over every axis."""
    datasets = []
    for name, scale, translation in levels:
        transforms = [{"type": "scale", "scale": scale}]
        if translation is not None:
            transforms.append({"type": "translation", "translation": translation})
        datasets.append({"path": name, "coordinateTransformations": transforms})
    listed = [{"name": n, "type": t, **({} if u is None else {"unit": u})} for n, t, u in axes]
    more = {} if outer is None else {"coordinateTransformations": outer}
    return [{"axes": listed, "datasets": datasets, **more}]


def group3(path, levels, axes=ZYX, outer=None, **attributes):
    """A zarr v3 group with OME 0.5."""
    ome = {"version": "0.5", "multiscales": multiscales(levels, axes, outer)}
    document = {"zarr_format": 3, "node_type": "group", "attributes": {"ome": ome, **attributes}}
    write_json(Path(path) / "zarr.json", document)
    return str(path)


def group2(path, levels, axes=ZYX, outer=None, **attributes):
    """A zarr v2 group with OME 0.4."""
    listed = multiscales(levels, axes, outer)
    listed[0]["version"] = "0.4"
    write_json(Path(path) / ".zgroup", {"zarr_format": 2})
    write_json(Path(path) / ".zattrs", {"multiscales": listed, **attributes})
    return str(path)


def placed(path, values, scale, translation, axes=ZYX, chunks=None, name="s0"):
    """A group with one placed level; returns the level's path."""
    group3(path, [(name, scale, translation)], axes)
    return zarr3(Path(path) / name, values, chunks, [axis[0] for axis in axes])


VOXEL = (30.0, 8.0, 4.0)
CENTRE = (100.0, 20.0, 6.0)
CORNER = (85.0, 16.0, 4.0)  # 100 - 15, 20 - 4, 6 - 2
SHAPE = (4, 5, 6)
END = (205.0, 56.0, 28.0)  # 85 + 4 * 30, 16 + 5 * 8, 4 + 6 * 4


def volume(path):
    """(z, y, x) of shape (4, 5, 6), voxels of (30, 8, 4) nm from the corner (85, 16, 4); voxel (z, y, x) is zyx."""
    return placed(path, coded(*SHAPE), VOXEL, CENTRE, chunks=(2, 3, 4))


LEVELS = (
    ("s0", (30.0, 8.0, 4.0), (100.0, 20.0, 6.0)),
    ("s1", (30.0, 16.0, 8.0), (100.0, 24.0, 8.0)),
    ("s2", (60.0, 32.0, 16.0), (115.0, 32.0, 12.0)),
)


def pyramid(path, make=zarr3, group=group3, **arguments):
    """Three levels with the corner (85, 16, 4) and shapes (4, 6, 8), (4, 3, 4), (2, 2, 2); sn holds 1000 n + zyx."""
    for level, shape in enumerate([(4, 6, 8), (4, 3, 4), (2, 2, 2)]):
        make(Path(path) / f"s{level}", coded(*shape, base=1000 * level))
    return group(path, LEVELS, **arguments)
