"""Columns that grow by the values that are written: converted, checked, and what is known of them in the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import pyarrow as pa

from maml_parquet.arrow.checks import Check, first_longer, lengths
from maml_parquet.arrow.convert import convert
from maml_parquet.arrow.memory import bytes_of, elements_of
from maml_parquet.arrow.types import arrow_type, is_list, size_of
from maml_parquet.errors import MamlError, Problem
from maml_parquet.files.options import Options
from maml_parquet.schema.records import Column, WrittenColumn
from maml_parquet.sections.sizes import AUTO

_MAX_BYTES: Final = 2**31 - 1
"""The most bytes of all strings of a column whose offsets have 32 bits."""


class Growing:
    """A column of a file that is being written.

    Attributes
    ----------
    column
        As it was declared.
    col_size
        Elements of a row; None until the first rows decide it.
    longest
        The most characters that a string had so far.
    nulls
        Nulls so far, among the elements of vectors too.
    """

    def __init__(self, column: Column, options: Options) -> None:
        self.column = column
        self.col_size = None if column.col_size == AUTO else column.col_size
        self.longest = 0
        self.nulls = 0
        self._other_unit = ""
        self._options = options
        self._is_text = column.kind.base == "string"
        self._limit = column.array_size if column.is_limited and column.array_size != AUTO else None
        self._check = Check(column.qc, column.kind, column.name) if options.qc and column.qc is not None else None

    def take(self, values: object, first_row: int) -> pa.ChunkedArray:
        """Return the values as the column has them, checked against what was declared and what came before.

        Parameters
        ----------
        first_row
            The row of the file that the first value is of, for messages.

        Raises
        ------
        MamlError
            `column`: values of another type, or of another length of rows. `value`: one that does not fit, a string
            that is too long, a Null in a protected column, a row of a vector that is Null.
        """
        found = convert(
            values, self.column, col_size=self.col_size, assume_utc=self._options.assume_utc, first_row=first_row
        )
        array = found if isinstance(found, pa.ChunkedArray) else pa.chunked_array([found], found.type)
        if self.col_size is None:
            self.col_size = size_of(array.type)
        self.nulls += sum(elements_of(chunk).null_count for chunk in array.chunks)
        if self._is_text:
            self._measure(array, first_row)
        if self._check is not None:
            self._check.add(array)
        return array

    def note_unit(self, unit: str) -> None:
        """Take note of another unit that values say they are in; nothing is converted."""
        self._other_unit = self._other_unit or unit

    def field(self, *, is_streamed: bool, array: pa.ChunkedArray | None = None) -> pa.Field:
        """Return the column as the file has it.

        Where more rows may come, there may be Nulls among them unless the column is protected; else there are Nulls
        where a Null is, or where the MAML wants them to be possible.

        Parameters
        ----------
        array
            All values, where no more rows come.
        """
        column = self.column
        has_nulls = not column.is_protected if is_streamed else self.nulls > 0 or column.is_nullable
        large = self._is_text and (array is None or _text_bytes(array) > _MAX_BYTES)
        size = self.col_size or 1
        type_ = arrow_type(column.kind, size, large=large, element_nullable=has_nulls)
        return pa.field(column.output_name, type_, nullable=has_nulls and size == 1)

    def written(self) -> WrittenColumn:
        """Return the column as the header tells it."""
        column = self.column
        array_size = max(self._limit or 1, self.longest) if self._is_text else 1
        return WrittenColumn(
            column.output_name, column.kind, self.col_size or 1, array_size, column.unit, column.info, column.ucd
        )

    def warnings_(self) -> Iterator[str]:
        """Yield what is odd about the values that came."""
        if self._other_unit:
            yield (
                f"column {self.column.name!r}: the values are in {self._other_unit!r}, and the schema says"
                f" {self.column.unit!r}; nothing is converted"
            )
        if self._limit is not None and self.longest > self._limit:
            yield (
                f"column {self.column.name!r}: a string has {self.longest} characters, and array_size is"
                f" {self._limit}; the file says {self.longest}"
            )
        if self._check is not None:
            yield from self._check.warnings_()

    def _measure(self, array: pa.ChunkedArray, first_row: int) -> None:
        longest = lengths(array)
        self.longest = max(self.longest, longest)
        if self._limit is None or longest <= self._limit or self._options.on_overlong == "warn":
            return
        found = first_longer(array, self._limit)
        assert found is not None  # as one of them is longer
        position, text = found
        row, element = divmod(position, self.col_size or 1)
        words = (
            f"{_shortened(text)} has {len(text)} characters, and the column an array_size of {self._limit}; declare"
            " array_size: auto or a larger one, or write with on_overlong='warn'"
        )
        at = (self.column.name, first_row + row, *((element,) if self.col_size != 1 else ()))
        raise MamlError([Problem("value", at, words)])


def retyped(array: pa.ChunkedArray, type_: pa.DataType) -> pa.ChunkedArray:
    """Return the same values as the type of the file, which differs in the width of offsets and what may be Null."""
    if array.type.equals(type_, check_metadata=True):
        return array
    return pa.chunked_array([_retyped(chunk, type_) for chunk in array.chunks], type_)


def _retyped(chunk: pa.Array, type_: pa.DataType) -> pa.Array:
    if not is_list(type_):
        return chunk.cast(type_)
    return pa.FixedSizeListArray.from_arrays(elements_of(chunk).cast(type_.value_type), type=type_)


def _text_bytes(array: pa.ChunkedArray) -> int:
    return sum(bytes_of(elements_of(chunk)) for chunk in array.chunks)


def _shortened(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:40]}…")


def collected(columns: Sequence[Growing], values: Sequence[object], first_row: int) -> list[pa.ChunkedArray]:
    """Return what every column takes of its values; whatever is wrong with any of them is in one report."""
    found: list[Problem] = []
    arrays = []
    for column, given in zip(columns, values, strict=True):
        try:
            arrays.append(column.take(given, first_row))
        except MamlError as error:
            found += error.problems
    if found:
        raise MamlError(found)
    return arrays
