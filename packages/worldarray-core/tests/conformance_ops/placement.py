from dataclasses import replace

import numpy as np

from worldarray.conversion import convert_meta
from worldarray.describing.describe import chunk_notices, describe_array
from worldarray.describing.detection import detect_node
from worldarray.describing.listing import list_pyramid
from worldarray.documents.source import MappingSource
from worldarray.paths import parse_path
from worldarray.records import ArrayMeta
from worldarray_conformance import Answer, store_bytes

READ = (
    *("format", "shape", "dtype", "chunk_shape", "shard_shape", "fill_value", "axes", "axes_named", "axis_types"),
    *("spatial", "units", "voxel_size", "translation", "corner", "translation_declared", "placed_by"),
)
PLACED = ("axes", "units", "voxel_size", "translation", "placed_by")
STORAGE = {"zarr2": ("separator",), "zarr3": ("encoding", "separator"), "precomputed": ("origin",)}


def opened(given):
    source = MappingSource(store_bytes(given["store"]))
    options = {key: given[key] for key in ("conflicts", "dimension_separator") if key in given}
    return source, parse_path(given["path"]), options


def read(given):
    source, where, options = opened(given)
    described = describe_array(source, where, **options)
    meta = described.meta
    storage = {key: getattr(meta.storage, key) for key in STORAGE.get(meta.format, ())}
    answer = {key: getattr(meta, key) for key in READ} | {"dtype": meta.dtype.name, "storage": storage or None}
    return Answer(answer, (*meta.notices, *chunk_notices(source, described)))


def attributes(given):
    source, where, options = opened(given)
    meta = describe_array(source, where, **options).meta
    answer = {key: getattr(meta, key) for key in ("path", "parent", "attrs", "group_attrs", "outer_transforms")}
    return Answer(answer, meta.notices)


def pyramid(given):
    source, where, options = opened(given)
    listing = list_pyramid(source, where, **options)
    levels = [
        {"name": name, "placed": None if placed is None else {key: getattr(placed, key) for key in PLACED}}
        for name, placed in zip(listing.names, listing.placements, strict=True)
    ]
    notices = [notice for placed in listing.placements if placed is not None for notice in placed.notices]
    answer = {"path": listing.path, "format": listing.format, "opened": listing.opened, "levels": levels}
    return Answer(answer, (*listing.notices, *notices))


def detect(given):
    source, where, _ = opened(given)
    node = detect_node(source, where)
    if node is None:
        return None
    names = ("format", "kind", "path", "scale_key")
    return {key: getattr(node, key) for key in names} | {"documents": sorted(node.docs)}


def convert(given):
    ndim = len(given["axes"])
    meta = ArrayMeta(
        shape=(8,) * ndim,
        dtype=np.dtype("uint8"),
        chunk_shape=(4,) * ndim,
        axes=tuple(given["axes"]),
        axes_named=True,
        units=tuple(given["units"]),
        voxel_size=tuple(given["voxel_size"]),
        translation=tuple(given["translation"]),
        format="zarr3",
        path="array",
    )
    if "axis_types" in given:
        meta = replace(meta, axis_types=tuple(given["axis_types"]))
    found = convert_meta(meta, given["wanted"], strict=given.get("strict", True))
    return Answer({key: getattr(found, key) for key in ("units", "voxel_size", "translation")}, found.notices)


OPS = {
    "placement.read": read,
    "placement.attributes": attributes,
    "placement.pyramid": pyramid,
    "placement.detect": detect,
    "placement.convert": convert,
}
