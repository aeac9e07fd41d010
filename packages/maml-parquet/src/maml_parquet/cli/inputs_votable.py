"""Tables of VOTable files; the whole table is in memory."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from maml_parquet.cli import inputs_arrays as arrays
from maml_parquet.cli.inputs import (
    Batch,
    Input,
    InputColumn,
    Options,
    clean_unit,
    file_error,
    imported,
    one_line,
    rows_per_batch,
    stem,
    unique,
)
from maml_parquet.errors import MamlError, MamlWarning
from maml_parquet.schema.records import Column
from maml_parquet.sections.types import TypeToken

_WORDS: Final = {
    "boolean": "boolean",
    "bit": "boolean",
    "unsignedByte": "int32",
    "short": "int32",
    "int": "int32",
    "long": "int64",
    "float": "float32",
    "double": "float64",
    "char": "string",
    "unicodeChar": "string",
}
"""The type of each datatype; complex numbers have none."""


@contextmanager
def open_votable(path: Path, _format: str, options: Options) -> Iterator[Input]:
    """Give a table of a VOTable file: the one that is named, or the first."""
    parsing = imported("astropy.io.votable")
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            document = parsing.parse(str(path), verify="warn")
            table = _chosen(path, list(document.iter_tables()), options)
            names = unique([field.name or field.ID for field in table.fields])
    except MamlError:
        raise
    except Exception as error:
        raise file_error(path, f"astropy cannot read it as a VOTable: {error}") from error
    if said:
        words = f"{path}: astropy reads it with {len(said)} warnings; the first is: {one_line(str(said[0].message))}"
        warnings.warn(words, MamlWarning, stacklevel=2)
    yield Input(
        table=one_line(table.name or table.ID or stem(path)),
        names=names,
        describe=lambda: tuple(_describe(name, table, place) for place, name in enumerate(names)),
        batches=lambda columns: _batches(table, names, columns),
        description=one_line(table.description or ""),
        num_rows=len(table.array),
        units={name: _unit(field.unit) for name, field in zip(names, table.fields, strict=True)},
    )


def _chosen(path: Path, tables: Sequence[Any], options: Options) -> Any:
    with_columns = [table for table in tables if table.fields]
    if options.table is None:
        if not with_columns:
            raise file_error(path, "there is no table with columns in it")
        return with_columns[0]
    for place, table in enumerate(tables):
        if options.table in (str(place), table.ID, table.name):
            return table
    there = ", ".join(f"{place} ({table.ID or table.name or ''})" for place, table in enumerate(tables)) or "none"
    raise file_error(path, f"there is no table {options.table!r} in it; its tables are {there}")


def _describe(name: str, table: Any, place: int) -> InputColumn:
    """Return what a FIELD says of a column."""
    field = table.fields[place]
    said = InputColumn(
        name,
        None,
        unit=_unit(field.unit),
        info=one_line(field.description or ""),
        ucd=one_line(field.ucd or ""),
    )
    word = _WORDS.get(field.datatype)
    if word is None:
        return replace(said, reason=f"MAML has no word for the datatype {field.datatype}")
    sizes = (field.arraysize or "1").split("x")
    if word == "string":
        return _describe_text(sizes, said)
    if not sizes[-1].endswith("*"):
        shape = tuple(int(size) for size in reversed(sizes))
        reason = arrays.shape_reason(shape)
        return replace(said, kind=TypeToken(word), col_size=arrays.width_of(shape), reason=reason)
    lengths = {np.size(value) for value in _cells(table.array, place)}
    if len(lengths) != 1 or lengths == {0}:
        words = "each row has its own number of elements, which no MAML column has"
        return replace(said, reason=words)
    return replace(said, kind=TypeToken(word), col_size=lengths.pop())


def _describe_text(sizes: Sequence[str], said: InputColumn) -> InputColumn:
    if len(sizes) > 1:
        words = "texts in several dimensions have no MAML column"
        return replace(said, reason=words)
    characters = sizes[0].rstrip("*")
    return replace(said, kind=TypeToken("string"), array_size=int(characters) if characters else None)


def _unit(unit: Any) -> str:
    """Return a unit as VOTables write it; what astropy does not know stays as it was."""
    if unit is None:
        return ""
    try:
        return clean_unit(unit.to_string(format="vounit"))
    except (ValueError, AttributeError):
        return clean_unit(str(unit))


def _batches(table: Any, names: Sequence[str], columns: Sequence[Column]) -> Iterator[Batch]:
    rows = table.array
    step = rows_per_batch(rows.dtype.itemsize)
    places = {column.name: names.index(column.name) for column in columns}
    for start in range(0, max(len(rows), 1), step):
        part = rows[start : start + step]
        yield {name: _values(_cells(part, place), table.fields[place]) for name, place in places.items()}


def _cells(rows: Any, place: int) -> Any:
    """Return a column by its place; what names it differs with how the rows are stored."""
    return rows[rows.dtype.names[place]]


def _values(values: Any, field: Any) -> Any:
    """Return the values of a column, masked where they are Null: strings and rows of their own length as a list."""
    mask = np.asarray(np.ma.getmaskarray(values))
    data = np.asarray(np.ma.getdata(values))
    if _WORDS.get(field.datatype) == "string":
        return [None if null else text_of(value) for value, null in zip(data.tolist(), mask.tolist(), strict=True)]
    if data.dtype.kind == "O":
        return [np.ma.ravel(value).tolist() for value in data]
    return arrays.with_nulls(arrays.plain(data), arrays.rows_of(mask))


def text_of(value: Any) -> str | None:
    """Return a text that may come as bytes, or not at all."""
    if value is None:
        return None
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)
