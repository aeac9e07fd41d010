"""What an array to be created is: every rule checked before the first write."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np

from worldarray.arguments import Indices, finite, index_tuple, positive
from worldarray.axes import default_axes
from worldarray.documents.dtypes import EXTENDED, SCALARS, Scalar
from worldarray.documents.facts import MAX_AXES
from worldarray.documents.parsing import MAX_EXTENT, show
from worldarray.errors import ArgumentError, ArgumentTypeError, problem
from worldarray.grid import Grid
from worldarray.records import Format
from worldarray_write import multiscales
from worldarray_write.codecs import Codecs, format_codecs
from worldarray_write.fills import FillValue, fill_value
from worldarray_write.findings import Findings
from worldarray_write.json_values import plain_json

FORMATS: Final[tuple[Format, ...]] = ("zarr2", "zarr3")
"""The formats that are written."""
_MAX_CHUNK_BYTES: Final = 2**62
Separator = Literal[".", "/"]


@dataclass(frozen=True)
class Storing:
    """How chunks are keyed and ordered: what a level takes over from the array it is made like."""

    separator: str | None = None
    """"/" or "."; None for "/", which OME-NGFF recommends, or zarr v3's encoding's own."""
    encoding: str = "default"
    """Zarr v3's chunk_key_encoding: "default" or "v2"."""
    order: str = "C"
    """Zarr v2: "C" or "F", the order of the elements in a chunk."""
    index_location: str = "end"
    """Of a sharded array: where a shard's index stands, "end" or "start"."""


@dataclass(frozen=True)
class Wanted:
    """What a caller asks of a new array, unchecked; every field is an argument of `create`."""

    shape: Any
    dtype: Any
    voxel_size: Any
    translation: Any
    format: Any
    chunks: Any = None
    shards: Any = None
    axes: Any = None
    units: Any = "nanometer"
    axis_types: Any = None
    fill_value: Any = 0
    codecs: Codecs = "zstd"
    attrs: Any = None
    storing: Storing = Storing()


@dataclass(frozen=True)
class ArrayLayout:
    """How a new array is stored, checked; one entry per axis in C order."""

    format: Format
    shape: Indices
    scalar: Scalar
    chunks: Indices
    """The read chunk: of a sharded array the inner chunk."""
    shards: Indices | None
    fill: FillValue
    codecs: Any = field(hash=False)
    """JSON, complete: zarr v2's compressor; zarr v3's codecs, of a sharded array those of the inner chunks."""
    dimension_names: tuple[str, ...]
    separator: Separator
    encoding: Literal["default", "v2"]
    order: Literal["C", "F"]
    index_location: Literal["start", "end"]
    attrs: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The data type, in the machine's byte order."""
        return self.scalar.dtype


@dataclass(frozen=True)
class Planned:
    """A new array, checked: how it is stored and where it lies."""

    layout: ArrayLayout
    grid: Grid


def validate(wanted: Wanted) -> Planned:
    """Return a new array as it will be, or every problem with what is asked; nothing is read or written.

    Parameters
    ----------
    wanted
        What the caller asks.

    Raises
    ------
    ArgumentError
        Every problem: a shape or chunk that is no list of integers, chunks that are missing, shards that are not whole
        chunks or not zarr v3, a dtype or codec that tensorstore does not write, a fill value that the dtype does not
        hold, a size that is not positive, a wrong number of entries, attributes that are no JSON.

    Notes
    -----
    Behaviour 11 of the specification.

    Examples
    --------
    >>> planned = validate(Wanted((60, 200), "uint16", (30, 8), (15, 4), "zarr3", chunks=(10, 64)))
    >>> planned.layout.dtype.name, planned.grid.axes, planned.layout.codecs[1]["name"]
    ('uint16', ('y', 'x'), 'zstd')
    """
    found = Findings()
    found.take(_format, wanted.format)
    extents = found.take(_shape, wanted.shape)
    ndim = None if extents is None else len(extents)
    chunks, shards = _units(wanted, ndim, found)
    scalar = found.take(data_type, wanted.dtype)
    fill = codecs = None
    if scalar is not None and wanted.format in FORMATS:
        fill = found.take(fill_value, wanted.fill_value, scalar, wanted.format)
        if chunks is not None:
            codecs = found.take(_codecs, wanted, chunks, scalar)
            found.take(_chunk_bytes, shards or chunks, scalar)
    attrs = found.take(_attributes, wanted.attrs)
    storing = found.take(_storing, wanted)
    grid = _grid(wanted, extents, chunks, shards, found)
    found.check()
    assert extents is not None
    assert chunks is not None
    assert scalar is not None
    assert fill is not None
    assert attrs is not None
    assert storing is not None
    assert grid is not None
    layout = ArrayLayout(
        format=wanted.format,
        shape=extents,
        scalar=scalar,
        chunks=chunks,
        shards=shards,
        fill=fill,
        codecs=codecs,
        dimension_names=grid.axes,
        attrs=attrs,
        **storing,
    )
    return Planned(layout, grid)


# Each rule -----------------------------------------------------------------------------------------------------------


def _format(given: Any) -> None:
    _choice(given, "format", FORMATS)


def _choice(given: Any, name: str, choices: Sequence[str]) -> str:
    if not isinstance(given, str) or given not in choices:
        message = f"{name} is {given!r}; give {' or '.join(map(show, choices))}"
        raise ArgumentError(problem("wrong_value", (name,), message))
    return given


def _shape(given: Any) -> Indices:
    extents = index_tuple(given, "shape")
    if not 1 <= len(extents) <= MAX_AXES:
        message = f"shape has {len(extents)} axes; OME-NGFF needs at least 1, tensorstore opens at most {MAX_AXES}"
        raise ArgumentError(problem("out_of_range", ("shape",), message))
    _bounded(extents, "shape", 0)
    return extents


def _bounded(values: Indices, name: str, minimum: int) -> None:
    for axis, n in enumerate(values):
        if not minimum <= n <= MAX_EXTENT:
            rule = f"at least {minimum}" if n < minimum else f"at most {MAX_EXTENT}"
            code: Literal["not_positive", "out_of_range"] = "not_positive" if minimum and n < 1 else "out_of_range"
            message = f"{name} is {n} on axis {axis}; give {rule}"
            raise ArgumentError(problem(code, (name, axis), message))


def _units(wanted: Wanted, ndim: int | None, found: Findings) -> tuple[Indices | None, Indices | None]:
    """Return the chunk and the shard, each None where it is not given or wrong."""
    chunks = found.take(_unit, wanted.chunks, "chunks", ndim)
    if wanted.shards is None:
        return chunks, None
    shards = found.take(_unit, wanted.shards, "shards", ndim)
    found.take(_whole_chunks, wanted.format, chunks, shards)
    return chunks, shards


def _unit(given: Any, name: str, ndim: int | None) -> Indices:
    if given is None:
        message = "chunks is missing; give the storage chunk, one integer per axis (writes are aligned to it)"
        raise ArgumentError(problem("missing_field", (name,), message))
    sizes = index_tuple(given, name, ndim)
    _bounded(sizes, name, 1)
    return sizes


def _whole_chunks(format: Any, chunks: Indices | None, shards: Indices | None) -> None:
    if format == "zarr2":
        message = "zarr v2 has no shards; leave shards out, or write zarr3"
        raise ArgumentError(problem("unsupported", ("shards",), message))
    for axis, (s, c) in enumerate(zip(shards or (), chunks or (), strict=False)):
        if s % c:
            message = f"the shard of {s} on axis {axis} is not a whole number of chunks of {c}; give a multiple of {c}"
            raise ArgumentError(problem("not_integral", ("shards", axis), message))


def data_type(given: Any) -> Scalar:
    """Return a data type that tensorstore writes; the byte order is not kept, arrays are written little-endian.

    Raises
    ------
    ArgumentError
        ``unsupported`` for a numpy dtype that no array is created of (strings, dates, records).
    ArgumentTypeError
        ``wrong_type`` for what is no dtype.

    Examples
    --------
    >>> data_type(">u2").name, data_type("bfloat16").bits
    ('uint16', 16)
    """
    if isinstance(given, str) and given in EXTENDED:
        return SCALARS[given]
    try:
        if given is None:
            raise TypeError("None is numpy's float64")  # noqa: TRY301
        kind = np.dtype(given)
    except (TypeError, ValueError, SyntaxError) as error:
        known = ", ".join(SCALARS)
        message = f"dtype is {given!r}, which is no dtype; give one of {known}"
        raise ArgumentTypeError(problem("wrong_type", ("dtype",), message)) from error
    scalar = SCALARS.get(kind.name)
    if scalar is None or scalar.dtype != kind.newbyteorder("="):
        message = f"dtype is {kind}, which tensorstore does not write; give one of {', '.join(SCALARS)}"
        raise ArgumentError(problem("unsupported", ("dtype",), message))
    return scalar


def _codecs(wanted: Wanted, chunks: Indices, scalar: Scalar) -> Any:
    return format_codecs(wanted.codecs, wanted.format, chunk_shape=chunks, itemsize=scalar.itemsize)


def _chunk_bytes(unit: Indices, scalar: Scalar) -> None:
    size = math.prod(unit) * scalar.itemsize
    if size > _MAX_CHUNK_BYTES:
        message = f"chunks of {size} bytes are asked for; tensorstore opens chunks of at most {_MAX_CHUNK_BYTES} bytes"
        raise ArgumentError(problem("out_of_range", ("chunks",), message))


def _attributes(given: Any) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        message = f"attrs is {given!r}; give a dict of JSON"
        raise ArgumentTypeError(problem("wrong_type", ("attrs",), message))
    found: dict[str, Any] = plain_json(given, ("attrs",))
    return found


def _storing(wanted: Wanted) -> dict[str, Any]:
    storing = wanted.storing
    encoding = _choice(storing.encoding, "encoding", ("default", "v2"))
    own = "." if encoding == "v2" and wanted.format == "zarr3" else "/"
    separator = own if storing.separator is None else storing.separator
    return {
        "separator": _choice(separator, "separator", (".", "/")),
        "encoding": "v2" if wanted.format == "zarr2" else encoding,
        "order": _choice(storing.order, "order", ("C", "F")),
        "index_location": _choice(storing.index_location, "index_location", ("start", "end")),
    }


def _grid(
    wanted: Wanted, extents: Indices | None, chunks: Indices | None, shards: Indices | None, found: Findings
) -> Grid | None:
    """Return where the array lies; None where that, or anything before it, is wrong."""
    sizes = found.take(positive, wanted.voxel_size, "voxel_size")
    places = found.take(finite, wanted.translation, "translation")
    given = wanted.axes if wanted.axes is not None or extents is None else default_axes(len(extents))
    names = None if given is None else found.take(multiscales.axis_names, given)
    types = None if names is None else found.take(multiscales.types_of, names, wanted.axis_types)
    if names is None or types is None or extents is None:
        return None
    if len(names) != len(extents):
        message = f"axes has {len(names)} entries {names}; give {len(extents)}, one per axis"
        found.errors.append(ArgumentError(problem("wrong_length", ("axes",), message)))
        return None
    units = found.take(multiscales.axis_units, names, wanted.units, types)
    if found.errors or sizes is None or places is None or units is None:
        return None
    return found.take(Grid, extents, sizes, places, names, units, chunks, shards, axis_types=types)
