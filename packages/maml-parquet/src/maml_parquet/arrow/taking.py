"""Rows in another order, strings of more than 2 GiB among them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pyarrow as pa

MAX_BYTES: Final = 2**31 - 1
"""What the strings of one array have together at most: its offsets are of 32 bits."""

_WIDE: Final = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}
"""Types whose offsets end at 2 GiB, and the same with offsets of 64 bits."""


def taken(table: pa.Table, positions: pa.Int64Array) -> pa.Table:
    """Return the rows at these positions, in their order; as `pa.Table.take`, whatever the strings have together.

    Examples
    --------
    >>> taken(pa.table({"s": ["a", "b", None]}), pa.array([2, 0])).to_pydict()
    {'s': [None, 'a']}
    """
    long = {field.name for field in table.schema if field.type in _WIDE and table.column(field.name).nbytes > MAX_BYTES}
    if not long:
        return table.take(positions)
    columns = [_long(column, positions) if name in long else column.take(positions) for name, column in _named(table)]
    return pa.Table.from_arrays(columns, schema=table.schema)


def _named(table: pa.Table) -> Iterator[tuple[str, pa.ChunkedArray]]:
    return zip(table.column_names, table.columns, strict=True)


def _long(column: pa.ChunkedArray, positions: pa.Int64Array) -> pa.ChunkedArray:
    wide = column.cast(_WIDE[column.type]).take(positions)
    pieces = [piece.cast(column.type) for chunk in wide.chunks for piece in _split(chunk)]
    return pa.chunked_array(pieces, type=column.type)


def _split(array: pa.Array) -> Iterator[pa.Array]:
    """Give an array in pieces that offsets of 32 bits reach to the end of."""
    if array.nbytes <= MAX_BYTES or len(array) < 2:
        yield array
        return
    half = len(array) // 2
    yield from _split(array[:half])
    yield from _split(array[half:])
