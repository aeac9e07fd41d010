"""Small placed pyramids on disk, one per kind of store, whose every voxel has a value of its own."""

import json
from pathlib import Path

import numpy as np
import tensorstore as ts

SHAPE, CHUNKS = (6, 10, 14), (3, 5, 7)
"""Level s0: 2 x 2 x 2 whole chunks. Level s1 is its stride by (1, 2, 2): 2 x 1 x 1 chunks."""
SIZE, CORNER = (40.0, 8.5, 4.0), (400.0, -34.0, 24.0)
"""In nanometres, of level s0; both levels have that corner, which is a whole number of voxels of either."""
FACTORS = {"s0": (1, 1, 1), "s1": (1, 2, 2)}
KINDS = ("zarr2", "zarr3", "zarr3-sharded", "n5", "precomputed", "precomputed-sharded")

BYTES = {"name": "bytes", "configuration": {"endian": "little"}}
SHARDING = {
    "@type": "neuroglancer_uint64_sharded_v1",
    "preshift_bits": 1,
    "hash": "identity",
    "minishard_bits": 1,
    "shard_bits": 1,
    "minishard_index_encoding": "raw",
    "data_encoding": "raw",
}


def values(level="s0"):
    """1 to 840 as uint16 in C order: no voxel is the fill value, 0; s1 is every second voxel on y and x."""
    whole = np.arange(1, np.prod(SHAPE) + 1, dtype="uint16").reshape(SHAPE)
    return np.ascontiguousarray(whole[tuple(slice(None, None, f) for f in FACTORS[level])])


def size(level="s0"):
    """The voxel size of a level (z, y, x) in nanometres."""
    return tuple(s * f for s, f in zip(SIZE, FACTORS[level], strict=True))


def centre(level="s0"):
    """The centre of voxel 0 of a level (z, y, x) in nanometres."""
    return tuple(c + s / 2 for c, s in zip(CORNER, size(level), strict=True))


def write(folder: Path, kind: str, codec: dict | None = None) -> Path:
    """Write a pyramid of a kind to `folder` and return it; `codec` is the format's own JSON of a compressor."""
    folder.mkdir(parents=True, exist_ok=True)
    _WRITERS[kind.partition("-")[0]](folder, kind, codec)
    return folder


def dump(path: Path, document: object) -> None:
    """Write JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")


def level_path(folder: Path, kind: str, level: str = "s0") -> Path:
    """The path of a level's array (for precomputed: of its scale)."""
    return folder / (key(level) if kind.startswith("precomputed") else level)


def key(level):
    """The key of a scale of the precomputed volume."""
    return "_".join(f"{s:g}" for s in size(level)[::-1])


def _ome(version):
    axes = [{"name": name, "type": "space", "unit": "nanometer"} for name in "zyx"]
    datasets = [
        {
            "path": level,
            "coordinateTransformations": [
                {"type": "scale", "scale": size(level)},
                {"type": "translation", "translation": centre(level)},
            ],
        }
        for level in FACTORS
    ]
    multiscale = {"axes": axes, "datasets": datasets}
    return [{"version": version, **multiscale}] if version == "0.4" else [multiscale]


def _zarr2(folder, kind, codec):
    dump(folder / ".zgroup", {"zarr_format": 2})
    dump(folder / ".zattrs", {"multiscales": _ome("0.4")})
    for level in FACTORS:
        shape = values(level).shape
        metadata = {
            "zarr_format": 2,
            "shape": shape,
            "chunks": CHUNKS,
            "dtype": "<u2",
            "compressor": codec,
            "fill_value": 0,
            "order": "C",
            "filters": None,
            "dimension_separator": ".",
        }
        _store("zarr", folder / level, metadata).write(values(level)).result()


def _zarr3(folder, kind, codec):
    attributes = {"ome": {"version": "0.5", "multiscales": _ome("0.5")}}
    dump(folder / "zarr.json", {"zarr_format": 3, "node_type": "group", "attributes": attributes})
    for level in FACTORS:
        codecs, chunks = [BYTES, *([] if codec is None else [codec])], CHUNKS
        if kind == "zarr3-sharded":
            inner = {"chunk_shape": CHUNKS, "codecs": codecs, "index_codecs": [BYTES, {"name": "crc32c"}]}
            codecs, chunks = [{"name": "sharding_indexed", "configuration": inner}], (CHUNKS[0], *SHAPE[1:])
        metadata = {
            "zarr_format": 3,
            "node_type": "array",
            "shape": values(level).shape,
            "data_type": "uint16",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}},
            "chunk_key_encoding": {"name": "default"},
            "fill_value": 0,
            "codecs": codecs,
            "dimension_names": list("zyx"),
        }
        _store("zarr3", folder / level, metadata).write(values(level)).result()


def _n5(folder, kind, codec):
    dump(folder / "attributes.json", {"n5": "2.0.0"})
    for level, factors in FACTORS.items():
        data = values(level)
        metadata = {
            "dimensions": data.shape[::-1],
            "blockSize": CHUNKS[::-1],
            "dataType": "uint16",
            "compression": codec or {"type": "raw"},
        }
        _store("n5", folder / level, metadata).T.write(data).result()
        resolution = {"dimensions": SIZE[::-1], "unit": "nm"}
        placed = {"pixelResolution": resolution, "downsamplingFactors": factors[::-1], "offset": CORNER[::-1]}
        dump(folder / level / "attributes.json", {**metadata, **placed})


def _precomputed(folder, kind, codec):
    scales = [
        {
            "key": key(level),
            "size": values(level).shape[::-1],
            "voxel_offset": [round(c / s) for c, s in zip(CORNER[::-1], size(level)[::-1], strict=True)],
            "chunk_sizes": [CHUNKS[::-1]],
            "encoding": "raw",
            "resolution": size(level)[::-1],
            **({"sharding": {**SHARDING, **(codec or {})}} if kind == "precomputed-sharded" else {}),
        }
        for level in FACTORS
    ]
    info = {"@type": "neuroglancer_multiscale_volume", "type": "image", "data_type": "uint16", "num_channels": 1}
    dump(folder / "info", {**info, "scales": scales})
    for index, level in enumerate(FACTORS):
        spec = {"driver": "neuroglancer_precomputed", "kvstore": _file(folder), "scale_index": index}
        ts.open(spec).result().T[0].write(values(level)).result()


def _store(driver, folder, metadata):
    spec = {"driver": driver, "kvstore": _file(folder), "metadata": metadata}
    return ts.open(spec, create=True).result()


def _file(folder):
    return {"driver": "file", "path": f"{folder}/"}


_WRITERS = {"zarr2": _zarr2, "zarr3": _zarr3, "n5": _n5, "precomputed": _precomputed}
