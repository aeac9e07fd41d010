"""Neuroglancer precomputed: the ``info`` of a volume to its scales and the facts of their storage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np

from worldarray.documents.dtypes import SCALARS
from worldarray.documents.facts import StorageFacts, check_chunk_bytes
from worldarray.documents.parsing import (
    MAX_EXTENT,
    Problems,
    choice,
    each,
    integer,
    integers,
    mapping,
    optional,
    path_text,
    positive,
    refuse,
    required,
    sequence,
    shape,
    show,
    text,
)
from worldarray.errors import At, PlacementError, Problem
from worldarray.records import Storage

DATA_TYPES: Final = ("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "float32")
ENCODINGS: Final = ("raw", "png", "jpeg", "compressed_segmentation")
_ATYPE: Final = "neuroglancer_multiscale_volume"
_AXES: Final = "x, y and z"
_QUALITIES: Final = {"jpeg_quality": (0, 100), "png_level": (0, 9)}
_BLOCK_SIZE: Final = "compressed_segmentation_block_size"
_SHARDING: Final[Mapping[str, tuple[int, int]]] = {
    "preshift_bits": (0, 64),
    "minishard_bits": (0, 32),
    "shard_bits": (0, 63),
}
_SHARDING_DEFAULTS: Final = {"minishard_index_encoding": "raw", "data_encoding": "raw"}
_HASHES: Final = ("identity", "murmurhash3_x86_128")


@dataclass(frozen=True)
class Scale:
    """One scale of a volume; lists are x-first, as stored."""

    key: str
    size: tuple[int, ...]
    resolution: tuple[float, ...]
    """Nanometres a voxel."""
    voxel_offset: tuple[int, ...]
    """The corner of the first voxel, in voxels."""
    chunk_size: tuple[int, ...]
    encoding: str
    sharded: bool
    stored: Mapping[str, Any] = field(hash=False)
    """The scale as tensorstore takes it."""
    as_is: bool = True
    """Whether tensorstore takes the scale as the document has it."""
    refused: tuple[Problem, ...] = ()
    """Why this scale cannot be read, although the volume and its other scales can."""


@dataclass(frozen=True)
class Volume:
    """A volume of one or more scales, finest first as stored."""

    type: str
    dtype: np.dtype[Any]
    num_channels: int
    scales: tuple[Scale, ...]
    as_is: bool = True
    """Whether tensorstore takes the members beside the scales as the document has them."""

    def index(self, key: str) -> int | None:
        """Return the position of the first scale of that key, or None."""
        return next((i for i, scale in enumerate(self.scales) if scale.key == key), None)


def is_volume(doc: object) -> bool:
    """Whether an ``info`` is that of a volume: a foreign file of that name, a mesh's or a skeleton's, is not.

    Examples
    --------
    >>> is_volume({"@type": "neuroglancer_legacy_mesh"}), is_volume({"scales": [], "data_type": "uint8"})
    (False, True)
    """
    return isinstance(doc, Mapping) and "scales" in doc and doc.get("@type", _ATYPE) == _ATYPE


def parse_precomputed(doc: object, at: At) -> Volume:
    """Return what the ``info`` of a volume says.

    Raises
    ------
    PlacementError
        Every problem of the document: no volume (``wrong_value``), a missing or malformed member, a data type that
        tensorstore cannot read (``unsupported``), no scale at all. An encoding that it cannot read is kept in the
        scale's `refused` instead, for the other scales may be readable.

    Notes
    -----
    Neuroglancer's precomputed volume format, "info" metadata file specification. A ``voxel_offset`` that is absent
    or null is 0, and 10.0 is 10.

    Examples
    --------
    >>> scale = {"key": "4_4_40", "size": [70, 50, 30], "resolution": [4, 4, 40], "chunk_sizes": [[32, 16, 8]],
    ...          "encoding": "raw", "voxel_offset": [10.0, 0, -3]}
    >>> doc = {"type": "image", "data_type": "uint8", "num_channels": 1, "scales": [scale]}
    >>> volume = parse_precomputed(doc, ("em/info",))
    >>> volume.scales[0].voxel_offset, scale_facts(volume, 0, ("em/info",)).shape
    ((10, 0, -3), (30, 50, 70))
    """
    raw = mapping(doc, at)
    if not is_volume(raw):
        kind = raw.get("@type")
        rule = f"a volume has scales, and @type is absent or {show(_ATYPE)}"
        refuse("wrong_value", at, f"is not the info of a volume (@type is {show(kind)}); {rule}")
    found = Problems()
    name = found.take(required, raw, "data_type", at, _data_type)
    channels = found.take(
        required, raw, "num_channels", at, partial(integer, minimum=1, maximum=2**31 - 1, whole_floats=True)
    )
    entries = found.take(required, raw, "scales", at, sequence) or []
    where = (*at, "scales")
    scales = [found.take(_parse_scale, entry, name, channels, (*where, i)) for i, entry in enumerate(entries)]
    if not found.problems and not scales:
        refuse("missing_key", where, "is empty; a volume has at least one scale")
    found.check()
    assert name is not None
    assert channels is not None
    stored_type = raw.get("type")
    return Volume(
        type=stored_type if isinstance(stored_type, str) else "image",
        dtype=SCALARS[name].dtype,
        num_channels=channels,
        scales=tuple(scale for scale in scales if scale is not None),
        as_is=isinstance(stored_type, str),
    )


def scale_facts(volume: Volume, index: int, at: At) -> StorageFacts:
    """Return how one scale is stored, in C order: (z, y, x), or (c, z, y, x) when there are several channels.

    Raises
    ------
    PlacementError
        The scale's `refused`.
    """
    scale = volume.scales[index]
    if scale.refused:
        raise PlacementError(*scale.refused)
    single = volume.num_channels == 1
    channel = () if single else (volume.num_channels,)
    chunk_shape = (*channel, *scale.chunk_size[::-1])
    check_chunk_bytes(chunk_shape, volume.dtype.itemsize, (*at, "scales", index, "chunk_sizes"))
    readable = [i for i, other in enumerate(volume.scales) if not other.refused]
    as_is = volume.as_is and len(readable) == len(volume.scales) and all(other.as_is for other in volume.scales)
    document = {
        "@type": _ATYPE,
        "type": volume.type,
        "data_type": volume.dtype.name,
        "num_channels": volume.num_channels,
        "scales": [volume.scales[i].stored for i in readable],
    }
    return StorageFacts(
        format="precomputed",
        shape=(*channel, *scale.size[::-1]),
        dtype=volume.dtype,
        chunk_shape=chunk_shape,
        storage=Storage(origin=(*(() if single else (0,)), *scale.voxel_offset[::-1])),
        keyed=not scale.sharded,
        metadata=document,
        options={"scale_index": index if as_is else readable.index(index)},
        drop_channel=single,
        stored_as_is=as_is,
    )


def _data_type(raw: object, at: At) -> str:
    name = text(raw, at)
    if name not in DATA_TYPES:
        refuse("unsupported", at, f"is {show(name)}, which tensorstore cannot read; it reads {', '.join(DATA_TYPES)}")
    return name


def _parse_scale(doc: object, data_type: str | None, channels: int | None, at: At) -> Scale:
    raw = mapping(doc, at)
    found = Problems()
    key = found.take(required, raw, "key", at, path_text)
    size = found.take(required, raw, "size", at, partial(shape, ndim=3))
    resolution = found.take(required, raw, "resolution", at, _resolution)
    offset = found.take(_voxel_offset, raw, at)
    chunk_size = found.take(required, raw, "chunk_sizes", at, _chunk_size)
    encoding = found.take(required, raw, "encoding", at, text)
    found.check()
    assert key is not None
    assert size is not None
    assert resolution is not None
    assert offset is not None
    assert chunk_size is not None
    assert encoding is not None
    for axis, (start, extent) in enumerate(zip(offset, size, strict=True)):
        integer(start + extent, (*at, "voxel_offset", axis), minimum=-MAX_EXTENT, maximum=MAX_EXTENT)
    late = Problems()
    extra = late.take(_encoding_members, raw, encoding, data_type, channels, at) or {}
    sharding = late.take(optional, raw, "sharding", at, partial(_sharding, size=size, chunk_size=chunk_size))
    chunk_sizes = [list(chunk_size)]
    stored: dict[str, Any] = {
        "key": key,
        "size": list(size),
        "resolution": list(resolution),
        "voxel_offset": list(offset),
        "chunk_sizes": chunk_sizes,
        "encoding": encoding,
        **extra,
    }
    if sharding is not None:
        stored["sharding"] = sharding
    return Scale(
        key=key,
        size=size,
        resolution=resolution,
        voxel_offset=offset,
        chunk_size=chunk_size,
        encoding=encoding,
        sharded=sharding is not None,
        stored=stored,
        as_is=_same_reading(raw, stored),
        refused=tuple(late.problems),
    )


def _same_reading(raw: Mapping[str, Any], stored: Mapping[str, Any]) -> bool:
    """Whether tensorstore reads the same from a scale as stored as from what was made of it."""
    if raw.get("voxel_offset", stored["voxel_offset"]) != stored["voxel_offset"]:
        return False
    if raw["chunk_sizes"] != stored["chunk_sizes"]:  # the second and later ones are not looked at
        return False
    sharding = raw.get("sharding")
    if isinstance(sharding, Mapping) and {**_SHARDING_DEFAULTS, **sharding} != stored.get("sharding"):
        return False
    absent = object()
    return all(raw.get(name, absent) == stored.get(name, absent) for name in (*_QUALITIES, _BLOCK_SIZE))


def _resolution(raw: object, at: At) -> tuple[float, ...]:
    if isinstance(raw, list | tuple) and len(raw) != 3:
        refuse("wrong_length", at, f"has {len(raw)} entries {show(raw)}; write one each for {_AXES}")
    return each(raw, at, positive)


def _voxel_offset(raw: dict[str, Any], at: At) -> tuple[int, ...]:
    bounds = partial(integers, ndim=3, whole_floats=True)
    return optional(raw, "voxel_offset", at, bounds) or (0, 0, 0)


def _chunk_size(raw: object, at: At) -> tuple[int, ...]:
    """Return the first of the chunk sizes: each describes a copy of the same data, and tensorstore reads the first."""
    sizes = sequence(raw, at)
    if not sizes:
        refuse("missing_key", at, f"is empty; it lists at least one size, with one entry each for {_AXES}")
    return shape(sizes[0], (*at, 0), ndim=3, minimum=1)


def _encoding_members(
    raw: Mapping[str, Any], encoding: str, data_type: str | None, channels: int | None, at: At
) -> dict[str, Any]:
    """Return the members that an encoding needs, or raise where tensorstore cannot decode it."""
    where = (*at, "encoding")
    if encoding not in ENCODINGS:
        known = ", ".join(ENCODINGS)
        refuse("unsupported", where, f"is {show(encoding)}, which tensorstore cannot decode; it decodes {known}")
    kinds, counts = _ENCODED[encoding]
    if data_type is not None and data_type not in kinds:
        refuse("wrong_value", where, f"is {encoding} of {data_type} voxels; it encodes {', '.join(kinds)}")
    if channels is not None and channels not in counts:
        refuse("wrong_value", where, f"is {encoding} of {channels} channels; it encodes {', '.join(map(str, counts))}")
    if encoding == "compressed_segmentation":
        return {_BLOCK_SIZE: list(required(raw, _BLOCK_SIZE, at, partial(shape, ndim=3, minimum=1)))}
    wanted = {"jpeg": "jpeg_quality", "png": "png_level"}.get(encoding, "")
    value = raw.get(wanted)
    low, high = _QUALITIES.get(wanted, (0, -1))
    return {wanted: value} if isinstance(value, int) and low <= value <= high and value is not True else {}


_ENCODED: Final[Mapping[str, tuple[tuple[str, ...], range]]] = {
    "raw": (DATA_TYPES, range(1, 2**31)),
    "png": (("uint8", "uint16"), range(1, 5)),
    "jpeg": (("uint8",), range(1, 4, 2)),
    "compressed_segmentation": (("uint32", "uint64"), range(1, 2**31)),
}
"""The voxels and the numbers of channels that each encoding holds."""


def _sharding(raw: object, at: At, *, size: tuple[int, ...], chunk_size: tuple[int, ...]) -> dict[str, Any]:
    kind = "neuroglancer_uint64_sharded_v1"
    required(raw, "@type", at, partial(choice, choices=(kind,)))
    found: dict[str, Any] = {"@type": kind}
    for name, (low, high) in _SHARDING.items():
        found[name] = required(raw, name, at, partial(integer, minimum=low, maximum=high, whole_floats=True))
    found["hash"] = required(raw, "hash", at, partial(choice, choices=_HASHES))
    bits = found["minishard_bits"] + found["shard_bits"]
    if bits > 64:
        refuse("out_of_range", at, f"has {bits} minishard_bits and shard_bits together; there are at most 64")
    for name, default in _SHARDING_DEFAULTS.items():
        found[name] = optional(raw, name, at, partial(choice, choices=("raw", "gzip"))) or default
    grid = [-(-extent // chunk) for extent, chunk in zip(size, chunk_size, strict=True)]
    if sum(max(0, cells - 1).bit_length() for cells in grid) > 64:
        refuse("unsupported", at, f"numbers a grid of {grid} chunks, which takes more than 64 bits")
    return found
