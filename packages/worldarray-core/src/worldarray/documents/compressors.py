"""The compressors that tensorstore decodes, and the members of their configuration that it takes.

Decoding needs none of these members but N5's ``useZlib``, so one that is unknown or out of bounds (numcodecs'
``checksum``, z5py's ``nthreads``) is left out rather than refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from worldarray.documents.parsing import boolean, mapping, optional, refuse, required, show, text
from worldarray.errors import At

_Member = tuple[int, int] | tuple[str, ...]
_LEVEL: Final[Mapping[str, _Member]] = {"level": (0, 9)}
_ZSTD: Final[Mapping[str, _Member]] = {"level": (-131072, 22)}
_BLOSC_NAMES: Final = ("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd")
_BLOSC: Final[Mapping[str, _Member]] = {"cname": _BLOSC_NAMES, "clevel": (0, 9), "blocksize": (0, 2**63 - 1)}

ZARR2: Final[Mapping[str, Mapping[str, _Member]]] = {
    "blosc": {**_BLOSC, "shuffle": (-1, 2)},
    "bz2": {"level": (1, 9)},
    "gzip": _LEVEL,
    "zlib": _LEVEL,
    "zstd": _ZSTD,
}
N5: Final[Mapping[str, Mapping[str, _Member]]] = {
    "blosc": {**_BLOSC, "shuffle": (0, 2)},
    "bzip2": {"blockSize": (1, 9)},
    "gzip": {"level": (-1, 9)},
    "raw": {},
    "xz": {"preset": (0, 9)},
    "zstd": _ZSTD,
}
ZARR3: Final[Mapping[str, Mapping[str, _Member]]] = {
    "blosc": {**_BLOSC, "shuffle": ("noshuffle", "shuffle", "bitshuffle"), "typesize": (1, 255)},
    "crc32c": {},
    "gzip": _LEVEL,
    "zstd": _ZSTD,
}
"""The bytes-to-bytes codecs of zarr v3; zstd's ``checksum`` is a bool and handled apart."""
_N5_BLOSC: Final = {"cname": "lz4", "clevel": 5, "shuffle": 1}
"""What stands for the members that tensorstore wants of an N5 blosc; decoding needs none of them."""


def known_members(raw: Mapping[str, Any], members: Mapping[str, _Member]) -> dict[str, Any]:
    """Return the members that tensorstore takes, and of them those within its bounds.

    Examples
    --------
    >>> known_members({"level": 6, "checksum": False}, {"level": (-131072, 22)})
    {'level': 6}
    """
    return {key: raw[key] for key, allowed in members.items() if key in raw and _allowed(raw[key], allowed)}


def _allowed(value: object, allowed: _Member) -> bool:
    if isinstance(allowed[0], str):
        return isinstance(value, str) and value in allowed
    low, high = allowed
    return isinstance(value, int) and not isinstance(value, bool) and int(low) <= value <= int(high)


def parse_zarr2_compressor(raw: object, at: At) -> dict[str, Any]:
    """Return a zarr v2 compressor as tensorstore takes it.

    Raises
    ------
    PlacementError
        ``unsupported`` for one that tensorstore cannot decode; what `mapping` and `member` raise.

    Examples
    --------
    >>> parse_zarr2_compressor({"id": "zstd", "level": 6, "checksum": False}, ("em/.zarray", "compressor"))
    {'id': 'zstd', 'level': 6}
    """
    kind = _kind(raw, "id", at, ZARR2)
    return {"id": kind, **known_members(mapping(raw, at), ZARR2[kind])}


def parse_n5_compression(raw: object, at: At) -> dict[str, Any]:
    """Return an N5 compression as tensorstore takes it.

    Raises
    ------
    PlacementError
        ``unsupported`` for one that tensorstore cannot decode; ``wrong_type`` for a ``useZlib`` that is no bool.

    Examples
    --------
    >>> parse_n5_compression({"type": "gzip", "level": 5, "nthreads": 4}, ("em/attributes.json", "compression"))
    {'type': 'gzip', 'level': 5}
    """
    kind = _kind(raw, "type", at, N5)
    found = {"type": kind, **known_members(mapping(raw, at), N5[kind])}
    if kind == "blosc":
        return {**_N5_BLOSC, **found}
    zlib = optional(raw, "useZlib", at, boolean) if kind == "gzip" else None
    return found if zlib is None else {**found, "useZlib": zlib}


def _kind(raw: object, key: str, at: At, table: Mapping[str, object]) -> str:
    kind = required(raw, key, at, text)
    if kind not in table:
        known = ", ".join(table)
        refuse("unsupported", (*at, key), f"is {show(kind)}, which tensorstore cannot decode; it decodes {known}")
    return kind
