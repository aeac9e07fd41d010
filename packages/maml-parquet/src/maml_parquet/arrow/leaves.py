"""Columns that rows are chosen and sorted by, found by their path and in a form that can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from maml_parquet.arrow.types import kinds_of
from maml_parquet.errors import MamlError, Problem
from maml_parquet.rows.kinds import Kind

Values: TypeAlias = "pa.Array | pa.ChunkedArray"
Columns: TypeAlias = "Mapping[str, Values] | pa.RecordBatch | pa.Table"

_WIDER: Final = {pa.string_view(): pa.large_string(), pa.float16(): pa.float32()}
"""Types that few kernels take, and the type that holds all of their values."""


def leaf(columns: Columns, path: tuple[str, ...], name: str) -> Values:
    """Return the column at a path, through structs: Null where a struct on the way is. Of a repeated name, the first.

    Parameters
    ----------
    path
        The name of a column, then those of fields inside structs.
    name
        What the column is called in messages.

    Raises
    ------
    MamlError
        Code ``argument``: there is no such column, or a name of the path has no struct before it.

    Examples
    --------
    >>> leaf({"s": pa.array([{"x": 1}, None])}, ("s", "x"), "s.x").to_pylist()
    [1, None]
    """
    found = _top(columns, path[0])
    for part in path[1:]:
        if found is None or not pa.types.is_struct(found.type):
            found = None
            break
        inside = found.type.get_all_field_indices(part)
        found = pc.struct_field(found, [inside[0]]) if inside else None
    if found is None:
        there = columns.keys() if isinstance(columns, Mapping) else columns.schema.names
        message = f"the rows have no column {name!r}; they have {', '.join(map(repr, there)) or 'none'}"
        raise _wrong(path, message)
    return found


def kind_of(type_: pa.DataType) -> Kind:
    """Return the kind of a column of this type; of a struct, ``struct``.

    Examples
    --------
    >>> str(kind_of(pa.time64("us"))), str(kind_of(pa.struct({"x": pa.int8()})))
    ('time[us]', 'struct')
    """
    found = kinds_of(pa.schema([("x", type_)]))["x"]
    return found if isinstance(found, Kind) else Kind("struct")


def checked(found: Values, path: tuple[str, ...], name: str, wanted: Kind | None = None) -> Values:
    """Return a column that is scalar and of the kind that is wanted.

    Raises
    ------
    MamlError
        Code ``argument``: it is not.

    Examples
    --------
    >>> checked(pa.array([1, 2], pa.int8()), ("x",), "x", Kind("int8")).type
    DataType(int8)
    """
    kind = kind_of(found.type)
    if kind == wanted or (wanted is None and kind.is_scalar):
        return found
    wants = "a scalar" if wanted is None else f"of {wanted}"
    message = (
        f"the column {name!r} is to be {wants}, and holds {found.type} ({kind}); bind to the columns that are read"
    )
    raise _wrong(path, message)


def plain(values: Values) -> Values:
    """Return values as kernels take them: dictionaries decoded, views of strings and halves of floats widened.

    Examples
    --------
    >>> plain(pa.array(["a", None]).dictionary_encode()).type
    DataType(large_string)
    """
    if isinstance(values, pa.ChunkedArray):
        if not needs_plain(values.type):
            return values
        chunks = [plain(chunk) for chunk in values.chunks]
        return pa.chunked_array(chunks, type=plain(pa.array([], values.type)).type)
    if isinstance(values, pa.DictionaryArray):
        entries = plain(values.dictionary)
        # Repeated, strings may be longer than offsets of 32 bits reach.
        entries = entries.cast(pa.large_string()) if pa.types.is_string(entries.type) else entries
        return entries.take(values.indices)
    return values.cast(_WIDER[values.type]) if values.type in _WIDER else values


def needs_plain(type_: pa.DataType) -> bool:
    """Return whether `plain` changes values of this type.

    Examples
    --------
    >>> needs_plain(pa.float16()), needs_plain(pa.string())
    (True, False)
    """
    return type_ in _WIDER or bool(pa.types.is_dictionary(type_))


def _top(columns: Columns, name: str) -> Values | None:
    if isinstance(columns, Mapping):
        return columns.get(name)
    indices = columns.schema.get_all_field_indices(name)
    return columns.column(indices[0]) if indices else None


def _wrong(path: tuple[str, ...], message: str) -> MamlError:
    return MamlError([Problem("argument", ("columns", *path), message)])
