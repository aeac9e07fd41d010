"""Zarr v2: ``.zarray`` to the facts of an array's storage."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal, cast

from worldarray.documents.compressors import parse_zarr2_compressor
from worldarray.documents.dtypes import (
    EXTENDED,
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
)
from worldarray.documents.facts import StorageFacts, check_chunk_bytes, check_rank
from worldarray.documents.parsing import (
    Problems,
    choice,
    integer,
    mapping,
    optional,
    refuse,
    required,
    sequence,
    shape,
    show,
    text,
)
from worldarray.errors import ArgumentError, At, Notice, notice, problem
from worldarray.records import Storage

_TYPE: Final = re.compile(r"(?P<order>[<>|])(?P<kind>[biufcV])(?P<size>[0-9]{1,9})", re.ASCII)
_SIBLING: Final = re.compile(r"[<>|=](?P<kind>[biufcSVUmM])(?P<size>[0-9]{1,9})(\[[0-9a-zA-Zμ]{1,12}\])?", re.ASCII)
_KINDS: Final = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}
_SEPARATORS: Final = (".", "/")


@dataclass(frozen=True)
class Field:
    """One data type of a ``.zarray``: of the whole array, or of one field of a structured one."""

    name: str
    scalar: Scalar
    stored: str
    """The data type as tensorstore takes it."""
    big_endian: bool = False
    notices: tuple[Notice, ...] = ()
    offset: int = 0
    """Bytes before the field in one element."""


@dataclass(frozen=True)
class Record:
    """The data type of a ``.zarray``: the one that is read, and all of the element it is part of."""

    field: Field
    itemsize: int
    stored: Any
    """The whole data type as tensorstore takes it."""
    names: tuple[str, ...] = ()
    """The field names; empty unless structured."""


def parse_zarr2(
    doc: object, at: At, *, field: str | None = None, dimension_separator: str | None = None
) -> StorageFacts:
    """Return what a ``.zarray`` says.

    Parameters
    ----------
    doc : object
        The parsed ``.zarray``.
    at : tuple
        Its path.
    field : str, optional
        The field of a structured data type that is read.
    dimension_separator : str, optional
        "." or "/", in place of the declared one.

    Returns
    -------
    StorageFacts
        `shape` and `chunk_shape` in the array's own order, `dtype` native.

    Raises
    ------
    PlacementError
        Every problem of the document: a missing or malformed member, filters, a compressor or data type that
        tensorstore cannot read (``unsupported``), a structured data type without `field` (``missing_field``).
    ArgumentError
        `field` names no field, or `dimension_separator` is neither "." nor "/".

    Notes
    -----
    Zarr storage specification version 2, "Metadata".

    Examples
    --------
    >>> doc = {"zarr_format": 2, "shape": [8, 9], "chunks": [4, 5], "dtype": ">i2", "order": "F", "filters": None,
    ...        "fill_value": "0", "compressor": {"id": "zstd", "level": 6, "checksum": False}}
    >>> facts = parse_zarr2(doc, ("em.zarr/.zarray",))
    >>> facts.dtype.name, int(facts.fill_value), facts.storage.separator, facts.metadata["compressor"]
    ('int16', 0, '.', {'id': 'zstd', 'level': 6})
    >>> print(facts.notices[0])
    em.zarr/.zarray: fill_value: is the string "0" on a int16 array; read as that number
    """
    raw = mapping(doc, at)
    found = Problems()
    found.take(optional, raw, "zarr_format", at, partial(integer, minimum=2, maximum=2, whole_floats=True))
    extents = found.take(required, raw, "shape", at, shape)
    ndim = None if extents is None else len(extents)
    chunks = found.take(required, raw, "chunks", at, partial(shape, ndim=ndim, minimum=1))
    record = found.take(required, raw, "dtype", at, partial(_parse_dtype, field=field))
    order = found.take(optional, raw, "order", at, partial(choice, choices=("C", "F")))
    found.take(optional, raw, "filters", at, _no_filters)
    compressor = found.take(optional, raw, "compressor", at, parse_zarr2_compressor)
    declared = found.take(optional, raw, "dimension_separator", at, partial(choice, choices=_SEPARATORS))
    fill = None if record is None else found.take(_parse_fill, raw.get("fill_value"), record, (*at, "fill_value"))
    found.check()
    assert extents is not None
    assert chunks is not None
    assert record is not None
    assert fill is not None
    check_rank(extents, (*at, "shape"))
    check_chunk_bytes(chunks, record.itemsize, (*at, "chunks"))
    separator = _separator(declared, dimension_separator, at)
    return StorageFacts(
        format="zarr2",
        shape=extents,
        dtype=record.field.scalar.dtype,
        chunk_shape=chunks,
        fill_value=fill.value,
        storage=Storage("v2", separator),
        fields=record.names,
        notices=record.field.notices + fill.notices,
        metadata={
            "zarr_format": 2,
            "shape": list(extents),
            "chunks": list(chunks),
            "dtype": record.stored,
            "compressor": compressor,
            "fill_value": fill.stored,
            "order": order or "C",
            "filters": None,
            "dimension_separator": separator,
        },
        options={"field": record.field.name} if record.names else {},
    )


def _separator(declared: str | None, override: str | None, at: At) -> Literal[".", "/"]:
    if override is not None and override not in _SEPARATORS:
        message = f"dimension_separator is {show(override)}; it must be {show('.')} or {show('/')}"
        raise ArgumentError(problem("invalid_argument", (*at, "dimension_separator"), message))
    return cast("Literal['.', '/']", override or declared or ".")


def _no_filters(raw: object, at: At) -> None:
    filters = sequence(raw, at)
    if not filters:
        return
    names = [show(entry.get("id")) if isinstance(entry, Mapping) else show(entry) for entry in filters[:8]]
    what = f"holds {', '.join(names)}; tensorstore applies no filters"
    refuse("unsupported", at, f"{what}, so the values would be wrong: rewrite the array without them")


def _parse_dtype(raw: object, at: At, *, field: str | None) -> Record:
    if isinstance(raw, list | tuple):
        return _structured(raw, at, field)
    plain = _scalar_type(raw, at)
    no_field(field, raw, at)
    return Record(plain, plain.scalar.itemsize, plain.stored)


def _scalar_type(raw: object, at: At, name: str = "") -> Field:
    """Return a data type that tensorstore reads into numpy, or raise ``unsupported``."""
    spelled = text(raw, at)
    if spelled in EXTENDED:
        return Field(name, SCALARS[spelled], spelled)
    match = _TYPE.fullmatch(spelled)
    if match is None:
        refuse("unsupported", at, f"is {show(spelled)}, which tensorstore cannot read; {_READABLE}")
    order, kind, bits = match["order"], match["kind"], 8 * int(match["size"])
    if kind == "V" and bits in RAW_BITS:
        kind_name, stored = RAW_BITS[bits], f"{'|' if bits == 8 else '<'}u{bits // 8}"
        return Field(name, SCALARS[kind_name], stored, notices=(_raw_notice(spelled, kind_name, at),))
    scalar = SCALARS.get("bool" if spelled[1:] == "b1" else f"{_KINDS.get(kind, kind)}{bits}")
    if scalar is None or (order == "|" and bits > 8):
        refuse("unsupported", at, f"is {show(spelled)}, which tensorstore cannot read; {_READABLE}")
    return Field(name, scalar, spelled, order == ">")


_READABLE: Final = "it reads booleans, integers, floats and complex numbers, such as <u2, >f4 or |b1"


def _raw_notice(spelled: str, name: str, at: At) -> Notice:
    return notice("unsupported", at, f"is {show(spelled)}, raw bits, which are read as {name}")


def _structured(raw: list[Any] | tuple[Any, ...], at: At, field: str | None) -> Record:
    """Return a structured data type, of which one field is read; fields beside it only have to have a known size."""
    rows = [_row(entry, (*at, i)) for i, entry in enumerate(raw)]
    names = tuple(name for name, _, _ in rows)
    index = choose_field(names, field, at)
    offset, stored, picked = 0, [], None
    for i, (name, spelled, inner) in enumerate(rows):
        where = (*at, i, 1)
        if i == index:
            if inner:
                what = f"holds {inner} values in every voxel, which are further axes"
                refuse("unsupported", (*at, i), f"field {show(name)} {what}; only fields of one value can be read")
            found = _scalar_type(spelled, where, name)
            picked = Field(name, found.scalar, found.stored, found.big_endian, found.notices, offset)
            stored.append([name, found.stored])
            offset += found.scalar.itemsize
        else:
            size = _sibling_size(spelled, where)
            count = 1
            for extent in inner:
                count *= extent
            check_chunk_bytes((size, count), 1, where, limit=2**31)
            stored.append([name, f"|V{size * count}"])
            offset += size * count
    assert picked is not None
    return Record(picked, offset, stored, names)


def _row(raw: object, at: At) -> tuple[str, str, tuple[int, ...]]:
    entry = sequence(raw, at)
    if len(entry) not in (2, 3):
        refuse("wrong_length", at, f"has {len(entry)} entries; a field is [name, type] or [name, type, shape]")
    name = text(entry[0], (*at, 0))
    if not name:
        refuse("wrong_value", (*at, 0), "is empty; a field has a name")
    if isinstance(entry[1], list | tuple):
        refuse("unsupported", (*at, 1), "is structured itself, which tensorstore cannot read")
    inner = shape(entry[2], (*at, 2), minimum=1) if len(entry) == 3 else ()
    return name, text(entry[1], (*at, 1)), inner


def _sibling_size(spelled: str, at: At) -> int:
    """Return the bytes of a field that is not read."""
    if spelled in EXTENDED:
        return SCALARS[spelled].itemsize
    match = _SIBLING.fullmatch(spelled)
    size = int(match["size"]) if match else 0
    if match is None or not size:
        refuse("unsupported", at, f"is {show(spelled)}, whose size is not known, so no field beside it can be read")
    return 4 * size if match["kind"] == "U" else size


def _parse_fill(raw: object, record: Record, at: At) -> Fill:
    field, scalar = record.field, record.field.scalar
    if raw is None:
        return Fill(None, None)
    if record.names:
        odd: tuple[Notice, ...] = ()
        if raw in (0, ""):
            odd = (notice("wrong_type", at, f"is {show(raw)} on a structured array; read as zeros"),)
            raw = base64.b64encode(bytes(record.itemsize)).decode()
        data = parse_base64(raw, record.itemsize, at)[field.offset : field.offset + scalar.itemsize]
        return Fill(decode(data, scalar, big_endian=field.big_endian), raw, odd)
    if isinstance(raw, str) and (scalar.kind == "complex" or field.notices):
        value = decode(parse_base64(raw, scalar.itemsize, at), scalar, big_endian=field.big_endian)
        return Fill(value, raw if scalar.kind == "complex" else int(value))
    if scalar.name == MISREAD_FILL:
        refuse("unsupported", at, f"is {show(raw)} on a {scalar.name} array, which tensorstore misreads; write null")
    return parse_fill(raw, scalar, at)
