"""Zarr v3: the array document ``zarr.json`` to the facts of an array's storage."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from functools import partial
from typing import Any, Final, Literal, NamedTuple, cast

from worldarray.documents.codecs import parse_codecs
from worldarray.documents.dtypes import (
    MISREAD_FILL,
    RAW_BITS,
    SCALARS,
    Fill,
    Scalar,
    choose_field,
    decode,
    no_field,
    parse_base64,
    parse_fill,
    zero,
)
from worldarray.documents.facts import StorageFacts, check_chunk_bytes, check_rank
from worldarray.documents.named import Named, parse_named
from worldarray.documents.parsing import (
    Problems,
    choice,
    integer,
    mapping,
    member,
    optional,
    refuse,
    required,
    sequence,
    shape,
    show,
    text,
    texts_or_nulls,
)
from worldarray.errors import At, Notice, notice
from worldarray.records import Storage

_KNOWN: Final = frozenset(
    {
        "attributes",
        "chunk_grid",
        "chunk_key_encoding",
        "codecs",
        "consolidated_metadata",
        "data_type",
        "dimension_names",
        "fill_value",
        "node_type",
        "shape",
        "storage_transformers",
        "zarr_format",
    }
)
_RAW: Final = re.compile(r"r([1-9][0-9]{0,5})", re.ASCII)
_SEPARATORS: Final[Mapping[str, Literal[".", "/"]]] = {"default": "/", "v2": "."}
_STRUCTURED: Final = ("struct", "structured")


class DataType(NamedTuple):
    """The data type of an array: the one that is read, and all of the element it is part of."""

    scalar: Scalar
    itemsize: int
    stored: Any
    """The whole data type as tensorstore takes it."""
    raw_bits: bool = False
    names: tuple[str, ...] = ()
    """The field names; empty unless structured."""
    field: str = ""
    offset: int = 0
    """Bytes before the field in one element."""


def parse_zarr3(doc: object, at: At, *, field: str | None = None) -> StorageFacts:
    """Return what a zarr v3 array document says.

    Parameters
    ----------
    doc : object
        The parsed ``zarr.json``.
    at : tuple
        Its path.
    field : str, optional
        The field of a structured data type that is read.

    Returns
    -------
    StorageFacts
        `chunk_shape` is the innermost chunk and `shard_shape` the chunk of the grid when sharded, both in the
        array's own order, through any transpose.

    Raises
    ------
    PlacementError
        Every problem of the document: a missing or malformed member, a data type, codec, chunk grid or extension
        that tensorstore cannot read (``unsupported``), a structured data type without `field` (``missing_field``).
    ArgumentError
        `field` names no field.

    Notes
    -----
    Zarr core specification version 3, "Array metadata", and its ``sharding_indexed`` and ``transpose`` codecs.

    Examples
    --------
    >>> doc = {"zarr_format": 3, "node_type": "array", "shape": [50, 60], "data_type": "uint16", "fill_value": 7,
    ...        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [20, 30]}},
    ...        "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "sharding_indexed",
    ...        "configuration": {"chunk_shape": [10, 15], "codecs": [{"name": "bytes"}]}}]}
    >>> facts = parse_zarr3(doc, ("em.zarr/zarr.json",))
    >>> facts.chunk_shape, facts.shard_shape, facts.storage.encoding, int(facts.fill_value)
    ((10, 15), (20, 30), 'default', 7)
    """
    raw = mapping(doc, at)
    found = Problems()
    found.take(required, raw, "zarr_format", at, partial(integer, minimum=3, maximum=3, whole_floats=True))
    found.take(optional, raw, "node_type", at, partial(choice, choices=("array",)))
    found.take(_no_extensions, raw, at)
    extents = found.take(required, raw, "shape", at, shape)
    ndim = None if extents is None else len(extents)
    chunks = found.take(required, raw, "chunk_grid", at, partial(_chunk_grid, ndim=ndim))
    kind = found.take(required, raw, "data_type", at, partial(_data_type, field=field))
    storage = found.take(required, raw, "chunk_key_encoding", at, _key_encoding)
    names = found.take(optional, raw, "dimension_names", at, partial(texts_or_nulls, ndim=ndim))
    fill = None if kind is None else found.take(_fill, raw, kind, at)
    codecs = None
    if chunks is not None:
        codecs = found.take(required, raw, "codecs", at, partial(parse_codecs, chunk_shape=chunks))
    found.check()
    assert extents is not None
    assert chunks is not None
    assert kind is not None
    assert storage is not None
    assert fill is not None
    assert codecs is not None
    check_rank(extents, (*at, "shape"))
    check_chunk_bytes(chunks, kind.itemsize, (*at, "chunk_grid", "configuration", "chunk_shape"))
    metadata = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(extents),
        "data_type": kind.stored,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(chunks)}},
        "chunk_key_encoding": {"name": storage.encoding, "configuration": {"separator": storage.separator}},
        "codecs": codecs.stored,
        "fill_value": fill.stored,
    }
    if names is not None and _distinct(names):
        metadata["dimension_names"] = list(names)
    return StorageFacts(
        format="zarr3",
        shape=extents,
        dtype=kind.scalar.dtype,
        chunk_shape=codecs.chunk_shape,
        shard_shape=chunks if codecs.sharded else None,
        fill_value=fill.value,
        storage=storage,
        dimension_names=names,
        fields=kind.names,
        notices=fill.notices + (_raw_notices(raw["data_type"], kind, (*at, "data_type")) if kind.raw_bits else ()),
        metadata=metadata,
        options={"field": kind.field} if kind.names else {},
    )


def _distinct(names: tuple[str | None, ...]) -> bool:
    """Whether tensorstore takes the names as labels, which have to differ."""
    given = [name for name in names if name]
    return len(set(given)) == len(given)


def _no_extensions(raw: dict[str, Any], at: At) -> None:
    for key in raw.keys() - _KNOWN:
        value = raw[key]
        if not (isinstance(value, Mapping) and value.get("must_understand") is False):
            what = "is a member that this reader does not know and that is not marked must_understand: false"
            refuse("unsupported", (*at, key), f"{what}; reading on could give wrong values")
    transformers = optional(raw, "storage_transformers", at, sequence)
    if transformers:
        refuse("unsupported", (*at, "storage_transformers"), f"is {show(transformers)}; tensorstore applies none")


def _chunk_grid(raw: object, at: At, *, ndim: int | None) -> tuple[int, ...]:
    grid = parse_named(raw, at)
    if grid.name != "regular":
        refuse("unsupported", (*at, "name"), f"is {show(grid.name)}; tensorstore reads regular chunk grids only")
    return required(grid.configuration, "chunk_shape", grid.at, partial(shape, ndim=ndim, minimum=1))


def _key_encoding(raw: object, at: At) -> Storage:
    encoding = parse_named(raw, at)
    if encoding.name not in _SEPARATORS:
        known = " and ".join(_SEPARATORS)
        refuse("unsupported", (*at, "name"), f"is {show(encoding.name)}; tensorstore knows {known}")
    chosen = optional(encoding.configuration, "separator", encoding.at, partial(choice, choices=(".", "/")))
    separator = cast("Literal['.', '/'] | None", chosen) or _SEPARATORS[encoding.name]
    return Storage(cast("Literal['default', 'v2']", encoding.name), separator)


def _data_type(raw: object, at: At, *, field: str | None) -> DataType:
    if isinstance(raw, list | tuple):
        return _structured(raw, at, field)
    named = parse_named(raw, at)
    if named.name in _STRUCTURED:
        fields = member(named.configuration, "fields", named.at)
        return _structured(sequence(fields, (*named.at, "fields")), (*named.at, "fields"), field)
    no_field(field, named.name, at)
    scalar = SCALARS.get(named.name)
    if scalar is not None:
        return DataType(scalar, scalar.itemsize, scalar.name)
    bits = _raw_bits(named)
    if bits in RAW_BITS:
        scalar = SCALARS[RAW_BITS[bits]]
        return DataType(scalar, scalar.itemsize, scalar.name, raw_bits=True)
    known = f"{', '.join(SCALARS)}, {', '.join(f'r{width}' for width in RAW_BITS)} and structured"
    return refuse("unsupported", at, f"is {show(named.name)}, which tensorstore cannot read; it reads {known}")


def _raw_bits(named: Named) -> int:
    """Return the bits of a raw data type, ``r16`` or zarr-python's ``raw_bytes``; 0 for another data type."""
    match = _RAW.fullmatch(named.name)
    if match:
        return int(match[1])
    if named.name == "raw_bytes":
        return 8 * required(named.configuration, "length_bytes", named.at, partial(integer, minimum=1, maximum=2**20))
    return 0


def _raw_notices(raw: object, kind: DataType, at: At) -> tuple[Notice, ...]:
    name = parse_named(raw, at).name
    return (notice("unsupported", at, f"is {show(name)}, raw bits, which are read as {kind.scalar.name}"),)


def _structured(raw: list[Any] | tuple[Any, ...], at: At, field: str | None) -> DataType:
    rows = [_row(entry, (*at, i)) for i, entry in enumerate(raw)]
    names = tuple(name for name, _, _ in rows)
    index = choose_field(names, field, at)
    _, scalar, bits = rows[index]
    if scalar is None:
        refuse(
            "unsupported", (*at, index), f"field {show(names[index])} is of {bits} raw bits; only numbers can be read"
        )
    sizes = [max(1, width // 8) for _, _, width in rows]
    stored = [
        [name, f"r{8 * size}" if other is None else other.name]
        for (name, other, _), size in zip(rows, sizes, strict=True)
    ]
    whole = {"name": "structured", "configuration": {"fields": stored}}
    return DataType(scalar, sum(sizes), whole, names=names, field=names[index], offset=sum(sizes[:index]))


def _row(raw: object, at: At) -> tuple[str, Scalar | None, int]:
    """Return the name, the data type (None for raw bits) and the bits of a field."""
    if isinstance(raw, Mapping):
        name, spelled = member(raw, "name", at), member(raw, "data_type", at)
    else:
        entry = sequence(raw, at)
        if len(entry) != 2:
            refuse("wrong_length", at, f"has {len(entry)} entries; a field is [name, data type]")
        name, spelled = entry
    label = text(name, (*at, "name"))
    if not label:
        refuse("wrong_value", (*at, "name"), "is empty; a field has a name")
    named = parse_named(spelled, (*at, "data_type"))
    scalar = SCALARS.get(named.name)
    bits = _raw_bits(named) if scalar is None else scalar.bits
    if scalar is None and (bits == 0 or bits % 8):
        where = (*at, "data_type")
        refuse(
            "unsupported", where, f"is {show(named.name)}, whose size is not known, so no field beside it can be read"
        )
    return label, scalar, bits


def _fill(raw: dict[str, Any], kind: DataType, at: At) -> Fill:
    where = (*at, "fill_value")
    value = raw.get("fill_value")
    if value is None:
        odd = notice("missing_key", where, f"is {'null' if 'fill_value' in raw else 'missing'}; read as zero")
        fill = _zeros(kind)
        return fill._replace(notices=(odd,))
    if kind.names:
        return _structured_fill(value, kind, where)
    if kind.raw_bits:
        return _raw_fill(value, kind.scalar, where)
    return parse_fill(value, kind.scalar, where, bits=True)


def _zeros(kind: DataType) -> Fill:
    value = zero(kind.scalar)
    if kind.names:
        return Fill(value, base64.b64encode(bytes(kind.itemsize)).decode())
    if kind.scalar.name == MISREAD_FILL:
        return Fill(value, "0x00")
    plain: Mapping[str, Any] = {"bool": False, "complex": [0.0, 0.0]}
    return Fill(value, plain.get(kind.scalar.kind, 0))


def _structured_fill(raw: object, kind: DataType, at: At) -> Fill:
    """Return the fill value of one field, from base64 of the element, a list or an object with one value a field."""
    if isinstance(raw, str):
        data = parse_base64(raw, kind.itemsize, at)[kind.offset : kind.offset + kind.scalar.itemsize]
        return Fill(decode(data, kind.scalar), raw)
    if isinstance(raw, Mapping):
        value, where = member(raw, kind.field, at), (*at, kind.field)
    else:
        index = kind.names.index(kind.field)
        value, where = sequence(raw, at, len(kind.names))[index], (*at, index)
    fill = parse_fill(value, kind.scalar, where, bits=True)
    data = bytes(kind.offset) + fill.value.tobytes()
    stored = base64.b64encode(data + bytes(kind.itemsize - len(data))).decode()
    return Fill(fill.value, stored, fill.notices)


def _raw_fill(raw: object, scalar: Scalar, at: At) -> Fill:
    """Return the fill value of raw bits: base64, or a list of bytes."""
    if isinstance(raw, list | tuple):
        parts = [integer(entry, (*at, i), minimum=0, maximum=255) for i, entry in enumerate(raw)]
        raw = base64.b64encode(bytes(parts)).decode()
    if isinstance(raw, str):
        value = decode(parse_base64(raw, scalar.itemsize, at), scalar)
        return Fill(value, int(value))
    return parse_fill(raw, scalar, at)
