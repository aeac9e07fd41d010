"""Columns as they are to be written: exactly the declared type, and no value changed on the way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.compute as pc

from maml_parquet.arrow.arrays import array_of
from maml_parquet.arrow.elements import OtherTypeError, UnfitError, converted
from maml_parquet.arrow.memory import MAX_BYTES, bytes_of, chunks_of, elements_of, stored
from maml_parquet.arrow.types import arrow_type, element_of, is_list, size_of
from maml_parquet.errors import MamlError, Problem
from maml_parquet.schema.records import Column


def convert(
    values: Any, column: Column, *, col_size: int | None, assume_utc: bool = False, first_row: int = 0
) -> pa.Array | pa.ChunkedArray:
    """Return values as exactly the type of a column, ``arrow_type(column.kind, col_size)``.

    Numbers become other numbers where the value stays the same (float32 rounds); booleans, strings, dates, times and
    timestamps are made of their like alone. A column that is right already comes back in the same memory.

    Parameters
    ----------
    values
        A pyarrow array, chunked or not; else what `array_of` takes. Of a vector: lists of one length, or a flat array,
        which is divided into rows.
    col_size
        Elements of a row; None while it is not decided: the lists decide.
    assume_utc
        Timestamps without a time zone are in UTC.
    first_row
        The row of the table that the first value is, for messages.

    Raises
    ------
    MamlError
        Code ``column``: the type is never converted, rows have another length than declared, or `col_size` is undecided
        and the values are flat. Code ``value``: a value that does not fit, a row of another length, a row of a vector
        that is Null, a Null in a protected column; `at` is the name, the row, and in a vector the element.

    Examples
    --------
    >>> from maml_parquet.sections.types import TypeToken
    >>> column = Column("x", "x", TypeToken("int32"))
    >>> convert(pa.array([1.0, 2.0]), column, col_size=1).type
    DataType(int32)
    >>> convert(pa.array([1, 2**31]), column, col_size=1, first_row=10)
    Traceback (most recent call last):
    maml_parquet.errors.MamlError: x[11]: 2147483648 is outside int32 (-2147483648 to 2147483647); declare int64
    """
    found = array_of(values, column.name)
    size = width_of(found, column) if col_size is None else col_size
    if size != 1 and not is_list(_bare(found)):
        found = _rows(found, column, size)
    target = arrow_type(column.kind, size)
    results: list[pa.Array] = []
    row = first_row
    for chunk in chunks_of(found):
        converter = _Converter(column, target, size, assume_utc)
        results.extend(converter.pieces(chunk, row))
        row += len(chunk)
    if len(results) == 1 and isinstance(found, pa.Array):
        return results[0]
    return pa.chunked_array(results, type=target)


def width_of(values: pa.Array | pa.ChunkedArray, column: Column) -> int:
    """Return how many elements the rows of a column have, where ``col_size: auto`` leaves it to them.

    Raises
    ------
    MamlError
        Code ``column``: the values are flat, there are no rows to tell, or rows have no elements.

    Examples
    --------
    >>> from maml_parquet.sections.types import TypeToken
    >>> width_of(pa.array([[1, 2, 3]]), Column("v", "v", TypeToken("int32"), col_size="auto"))
    3
    """
    type_ = _bare(values)
    if not is_list(type_) and not pa.types.is_null(type_):
        _refuse(column, "its col_size is auto and the values are flat; give rows as lists, or set col_size first")
    size = size_of(type_)
    if is_list(type_) and not size:
        lengths = (pc.list_value_length(stored(chunk)) for chunk in chunks_of(values) if len(chunk))
        size = next((found[0].as_py() or 0 for found in lengths), 0)
    if size < 1 or not is_list(type_):
        _refuse(column, "its col_size is auto and no row with elements tells it; set col_size first")
    return size


class _Converter:
    """One column's way into its type."""

    def __init__(self, column: Column, target: pa.DataType, size: int, assume_utc: bool) -> None:
        self.column = column
        self.target = target
        self.size = size
        self.assume_utc = assume_utc

    def pieces(self, chunk: pa.Array, row: int) -> Iterator[pa.Array]:
        """Give a chunk as one piece; in halves where its strings are too long for one."""
        self.check_rows(chunk, row)
        elements = elements_of(chunk)
        if pa.types.is_large_string(elements.type) and bytes_of(elements) > MAX_BYTES:
            if len(chunk) < 2:
                _refuse(self.column, f"has more than {MAX_BYTES} bytes in one row; divide it", row)
            middle = len(chunk) // 2
            yield from self.pieces(chunk[:middle], row)
            yield from self.pieces(chunk[middle:], row + middle)
            return
        made = self.converted(elements, row)
        if self.size == 1:
            yield made
        elif made is elements and chunk.type.equals(self.target) and _same_field(chunk.type, self.target):
            yield chunk
        else:
            yield pa.FixedSizeListArray.from_arrays(made, type=self.target)

    def converted(self, elements: pa.Array, row: int) -> pa.Array:
        """Return the elements in the column's type."""
        try:
            made = converted(elements, self.column.kind, assume_utc=self.assume_utc)
        except OtherTypeError as error:
            _refuse(self.column, f"the values are {elements.type}, and the column is {self.column.kind}: {error}")
        except UnfitError as error:
            more = f" ({error.count - 1} more such values)" if error.count > 1 else ""
            self.refuse_element(f"{error.shown} {error.rule}{more}", row, error.position)
        if self.column.is_protected and made.null_count:
            position = pc.index(made.is_null(), pa.scalar(True)).as_py()
            self.refuse_element("is Null, and the column is protected; give a value", row, position)
        return made

    def refuse_element(self, message: str, row: int, position: int) -> NoReturn:
        """Raise for one element."""
        if self.size == 1:
            _refuse(self.column, message, row + position)
        _refuse(self.column, message, row + position // self.size, position % self.size)

    def check_rows(self, chunk: pa.Array, row: int) -> None:
        """Raise for lists of another length than the column's, and for rows of a vector that are Null."""
        type_ = stored(chunk).type
        if not is_list(type_):
            return
        declared = f"the column has a col_size of {self.size}"
        if size_of(type_) not in (0, self.size):
            _refuse(self.column, f"rows have {size_of(type_)} elements, and {declared}; give rows of {self.size}")
        if chunk.null_count:
            position = pc.index(chunk.is_null(), pa.scalar(True)).as_py()
            fix = "give a list of Nulls" if self.size > 1 else "give a list with a Null"
            _refuse(self.column, f"the row is Null, and a row of lists cannot be; {fix}", row + position)
        if not size_of(type_):
            lengths = pc.list_value_length(stored(chunk))
            position = pc.index(pc.not_equal(lengths, self.size), pa.scalar(True)).as_py()
            if position >= 0:
                count = lengths[position].as_py()
                message = f"the row has {count} element{'s' * (count != 1)}, and {declared}; give {self.size}"
                _refuse(self.column, message, row + position)


def _bare(values: pa.Array | pa.ChunkedArray) -> pa.DataType:
    """Return the type without extensions."""
    type_ = values.type
    while isinstance(type_, pa.BaseExtensionType):
        type_ = type_.storage_type
    return type_


def _same_field(one: pa.DataType, other: pa.DataType) -> bool:
    return bool(one.value_field.equals(other.value_field) and element_of(one) == one.value_type)


def _rows(values: pa.Array | pa.ChunkedArray, column: Column, size: int) -> pa.Array | pa.ChunkedArray:
    """Return a flat array as rows of `size` elements."""
    if pa.types.is_null(values.type):
        if len(values):
            _refuse(column, "the row is Null, and a row of a vector cannot be; give a list of Nulls", 0)
        return pa.array([], pa.list_(pa.null(), size))
    if len(values) % size:
        message = f"{len(values)} flat values are no rows of {size} (col_size); give a multiple of {size}"
        _refuse(column, message)
    chunks = chunks_of(values)
    if any(len(chunk) % size for chunk in chunks):
        chunks = [pa.concat_arrays(chunks)]
    rows = [pa.FixedSizeListArray.from_arrays(elements_of(chunk), size) for chunk in chunks]
    if isinstance(values, pa.Array):
        return rows[0]
    return pa.chunked_array(rows, type=pa.list_(element_of(_bare(values)), size) if not rows else None)


def _refuse(column: Column, message: str, *place: int) -> NoReturn:
    raise MamlError([Problem("value" if place else "column", (column.name, *place), message)])
