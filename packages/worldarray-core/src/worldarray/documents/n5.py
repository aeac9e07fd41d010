"""N5: the storage members of ``attributes.json`` to the facts of an array's storage."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from worldarray.documents.compressors import parse_n5_compression
from worldarray.documents.dtypes import SCALARS, Scalar
from worldarray.documents.facts import StorageFacts, check_chunk_bytes, check_rank
from worldarray.documents.parsing import Problems, mapping, member, refuse, required, shape, show, text
from worldarray.errors import At

DATA_TYPES: Final = (
    *(f"{kind}{bits}" for kind in ("uint", "int") for bits in (8, 16, 32, 64)),
    *("float32", "float64"),
)
MAX_BLOCK_BYTES: Final = 2**31


def is_n5_array(attributes: Mapping[str, Any]) -> bool:
    """Whether an ``attributes.json`` is that of an array: it has dimensions and a data type.

    BigDataViewer gives a group (``setup0``) a ``dataType`` too, so neither is enough alone.

    Examples
    --------
    >>> is_n5_array({"dataType": "uint16", "downsamplingFactors": [[1, 1, 1]]})
    False
    """
    return "dimensions" in attributes and "dataType" in attributes


def parse_n5(doc: object, at: At) -> StorageFacts:
    """Return what the storage members of an ``attributes.json`` say; every other member is left alone.

    The lists are x-first in the document and C-ordered in what comes back. N5 is big-endian, always, and has no
    fill value: what is not stored reads as zero.

    Raises
    ------
    PlacementError
        Every problem of the document: a missing or malformed member, a data type or compression that tensorstore
        cannot read (``unsupported``), blocks of more than 2 GiB (``out_of_range``).

    Notes
    -----
    The N5 file system specification, and tensorstore's N5 driver.

    Examples
    --------
    >>> doc = {"dimensions": [70, 50, 30], "blockSize": [32, 16, 8], "dataType": "uint16",
    ...        "compression": {"type": "gzip", "level": 5, "nthreads": 4}, "resolution": "four"}
    >>> facts = parse_n5(doc, ("em.n5/s0/attributes.json",))
    >>> facts.shape, facts.chunk_shape, facts.metadata["compression"]
    ((30, 50, 70), (8, 16, 32), {'type': 'gzip', 'level': 5})
    """
    raw = mapping(doc, at)
    found = Problems()
    extents = found.take(required, raw, "dimensions", at, shape)
    ndim = None if extents is None else len(extents)
    blocks = found.take(required, raw, "blockSize", at, partial(shape, ndim=ndim, minimum=1))
    scalar = found.take(required, raw, "dataType", at, _data_type)
    compression = found.take(_compression, raw, at)
    found.check()
    assert extents is not None
    assert blocks is not None
    assert scalar is not None
    check_rank(extents, (*at, "dimensions"))
    check_chunk_bytes(blocks, scalar.itemsize, (*at, "blockSize"), limit=MAX_BLOCK_BYTES)
    return StorageFacts(
        format="n5",
        shape=extents[::-1],
        dtype=scalar.dtype,
        chunk_shape=blocks[::-1],
        metadata={
            "dimensions": list(extents),
            "blockSize": list(blocks),
            "dataType": scalar.name,
            "compression": compression,
        },
    )


def _data_type(raw: object, at: At) -> Scalar:
    name = text(raw, at)
    if name not in DATA_TYPES:
        refuse("unsupported", at, f"is {show(name)}, which tensorstore cannot read; it reads {', '.join(DATA_TYPES)}")
    return SCALARS[name]


def _compression(raw: dict[str, Any], at: At) -> dict[str, Any]:
    """Return the compression; documents older than N5 1.1 name it in ``compressionType`` alone."""
    if "compression" not in raw and "compressionType" in raw:
        where = (*at, "compressionType")
        return parse_n5_compression({"type": text(raw["compressionType"], where)}, where)
    return parse_n5_compression(member(raw, "compression", at), (*at, "compression"))
