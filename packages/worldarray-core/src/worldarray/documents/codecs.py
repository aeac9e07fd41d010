"""The codecs of a zarr v3 array: which chunks and shards they make, and how tensorstore takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from worldarray.documents.compressors import ZARR3, known_members
from worldarray.documents.named import Named, parse_named
from worldarray.documents.parsing import choice, integers, optional, refuse, required, sequence, shape, show
from worldarray.errors import At

_ALIASES: Final = {
    "endian": "bytes",
    "numcodecs.blosc": "blosc",
    "numcodecs.gzip": "gzip",
    "numcodecs.zstd": "zstd",
}
"""Names that stand for the same bytes: zarr v3's draft, and numcodecs under zarr-python."""
_MAX_NESTING: Final = 8
_KNOWN: Final = ("bytes", "sharding_indexed", "transpose", *ZARR3)


@dataclass(frozen=True)
class Chain:
    """What a list of codecs makes of one chunk."""

    chunk_shape: tuple[int, ...]
    """The innermost chunk, in the order of the array's axes."""
    sharded: bool
    stored: list[dict[str, Any]]
    """The codecs as tensorstore takes them."""


@dataclass(frozen=True)
class _Walk:
    """Where a walk along the codecs is: the axes as the transposes so far have ordered them."""

    chunk_shape: tuple[int, ...]
    axes: tuple[int, ...]
    depth: int = 0
    encoded: bool = False
    """Whether the codec that turns an array into bytes has come."""
    chain: Chain | None = None
    """What a sharding codec among them made."""

    @property
    def order(self) -> tuple[int, ...]:
        """The chunk as the next codec sees it."""
        return tuple(self.chunk_shape[axis] for axis in self.axes)


def parse_codecs(raw: object, at: At, *, chunk_shape: Sequence[int], depth: int = 0) -> Chain:
    """Return the chunks that the codecs of an array make, and the codecs as tensorstore takes them.

    Parameters
    ----------
    raw : object
        The ``codecs`` of an array, or of a sharding codec.
    at : tuple
        Their path.
    chunk_shape : sequence of int
        The chunk they encode, in the order of the array's axes.
    depth : int
        How many sharding codecs they lie in.

    Raises
    ------
    PlacementError
        ``unsupported`` for a codec that tensorstore does not know or cannot nest; ``order`` for codecs that do not
        follow each other; ``wrong_value`` for a transpose that is no permutation or an inner chunk that does not
        divide its shard; ``wrong_length``.

    Examples
    --------
    >>> inner = {"chunk_shape": [5, 4], "codecs": ["bytes"]}
    >>> codecs = [{"name": "transpose", "configuration": {"order": [1, 0]}},
    ...           {"name": "sharding_indexed", "configuration": inner}]
    >>> parse_codecs(codecs, ("em/zarr.json", "codecs"), chunk_shape=(8, 10)).chunk_shape
    (4, 5)
    """
    if depth > _MAX_NESTING:
        refuse("unsupported", at, f"nests sharding {depth} times; at most {_MAX_NESTING} times is read")
    walk = _Walk(tuple(chunk_shape), tuple(range(len(chunk_shape))), depth)
    stored = []
    for i, entry in enumerate(sequence(raw, at)):
        named = parse_named(entry, (*at, i))
        walk, codec = _step(walk, named._replace(name=_ALIASES.get(named.name, named.name)), (*at, i))
        stored.append(codec)
    if not walk.encoded:
        refuse("missing_key", at, 'holds no codec that turns an array into bytes; it needs "bytes" or sharding_indexed')
    if walk.chain is None:
        return Chain(walk.chunk_shape, sharded=False, stored=stored)
    return replace(walk.chain, stored=stored)


def _step(walk: _Walk, codec: Named, at: At) -> tuple[_Walk, dict[str, Any]]:
    if codec.name in ZARR3:
        return _bytes_to_bytes(walk, codec, at)
    if codec.name not in _KNOWN:
        known = ", ".join(_KNOWN)
        refuse("unsupported", at, f"is {show(codec.name)}, which tensorstore cannot decode; it decodes {known}")
    if walk.encoded:
        refuse("order", at, f"{codec.name} takes an array, but the codec before it has made bytes of it")
    if codec.name == "transpose":
        order = _permutation(codec, len(walk.axes))
        moved = replace(walk, axes=tuple(walk.axes[axis] for axis in order))
        return moved, {"name": "transpose", "configuration": {"order": list(order)}}
    if codec.name == "bytes":
        endian = optional(codec.configuration, "endian", codec.at, partial(choice, choices=("little", "big")))
        return replace(walk, encoded=True), {"name": "bytes", "configuration": {"endian": endian or "little"}}
    return _sharding(walk, codec)


def _bytes_to_bytes(walk: _Walk, codec: Named, at: At) -> tuple[_Walk, dict[str, Any]]:
    if not walk.encoded:
        refuse("order", at, f"{codec.name} takes bytes, but no codec before it makes bytes of the array")
    if walk.chain is not None:
        refuse(
            "unsupported", at, f"{codec.name} after sharding_indexed encodes whole shards, which tensorstore refuses"
        )
    configuration = known_members(codec.configuration, ZARR3[codec.name])
    checksum = codec.configuration.get("checksum")
    if codec.name == "zstd" and isinstance(checksum, bool):
        configuration["checksum"] = checksum
    return walk, {"name": codec.name, **({"configuration": configuration} if configuration else {})}


def _permutation(codec: Named, ndim: int) -> tuple[int, ...]:
    raw = codec.configuration.get("order")
    if raw in ("C", "F"):
        return tuple(range(ndim))[:: 1 if raw == "C" else -1]
    order = required(codec.configuration, "order", codec.at, partial(integers, ndim=ndim, whole_floats=True))
    if sorted(order) != list(range(ndim)):
        last = f"0 to {ndim - 1}" if ndim else "none"
        refuse("wrong_value", (*codec.at, "order"), f"is {show(list(order))}; it must hold each axis once ({last})")
    return order


def _sharding(walk: _Walk, codec: Named) -> tuple[_Walk, dict[str, Any]]:
    raw, at, outer = codec.configuration, codec.at, walk.order
    inner = required(raw, "chunk_shape", at, partial(shape, ndim=len(outer), minimum=1))
    if any(whole % part for whole, part in zip(outer, inner, strict=True)):
        rule = f"it must divide the shard {list(outer)} on every axis"
        refuse("wrong_value", (*at, "chunk_shape"), f"is {show(list(inner))}; {rule}")
    chain = required(raw, "codecs", at, partial(parse_codecs, chunk_shape=inner, depth=walk.depth + 1))
    location = optional(raw, "index_location", at, partial(choice, choices=("start", "end")))
    configuration: dict[str, Any] = {"chunk_shape": list(inner), "codecs": chain.stored}
    configuration["index_codecs"] = optional(raw, "index_codecs", at, _index_codecs) or _INDEX_CODECS
    configuration["index_location"] = location or "end"
    back = dict(zip(walk.axes, chain.chunk_shape, strict=True))
    found = Chain(tuple(back[axis] for axis in range(len(outer))), sharded=True, stored=[])
    return replace(walk, encoded=True, chain=found), {"name": "sharding_indexed", "configuration": configuration}


_INDEX_CODECS: Final = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]


def _index_codecs(raw: object, at: At) -> list[dict[str, Any]]:
    """Return the codecs of a shard's index, which have to keep its size: bytes, then crc32c or nothing."""
    for i, entry in enumerate(sequence(raw, at)):
        name = parse_named(entry, (*at, i)).name
        if _ALIASES.get(name, name) not in ("bytes", "crc32c"):
            refuse("unsupported", (*at, i), f"is {show(name)}; a shard's index is read through bytes and crc32c only")
    return parse_codecs(raw, at, chunk_shape=()).stored
