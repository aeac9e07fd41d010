"""Tables of text that astropy reads: ECSV, MRT, IPAC, RDB; the whole table is in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

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
    quiet,
    rows_per_batch,
    stem,
    unique,
)
from maml_parquet.cli.inputs_votable import text_of
from maml_parquet.schema.records import Column
from maml_parquet.sections.types import TypeToken


@contextmanager
def open_text(path: Path, format_: str, _options: Options) -> Iterator[Input]:
    """Give the table of a file of a format that astropy calls by that name."""
    module = imported("astropy.table")
    try:
        with quiet():
            table = module.Table.read(path, format=f"ascii.{format_}")
    except Exception as error:
        raise file_error(path, f"astropy cannot read it as {format_}: {error}") from error
    names = unique(table.colnames)
    columns = dict(zip(names, table.columns.values(), strict=True))
    yield Input(
        table=stem(path),
        names=names,
        describe=lambda: tuple(_describe(name, column) for name, column in columns.items()),
        batches=lambda chosen: _batches(columns, len(table), chosen),
        num_rows=len(table),
        units={name: clean_unit(str(column.info.unit or "")) for name, column in columns.items()},
    )


def _describe(name: str, column: Any) -> InputColumn:
    said = InputColumn(
        name,
        None,
        unit=clean_unit(str(column.info.unit or "")),
        info=one_line(str(column.info.description or "")),
        ucd=one_line(str((column.info.meta or {}).get("ucd", ""))),
    )
    dtype = getattr(column, "dtype", np.dtype("O"))
    if dtype.kind == "O" and all(value is None or isinstance(value, str) for value in _objects(column)):
        return replace(said, kind=TypeToken("string"))
    kind = arrays.kind_of(dtype)
    if kind is None:
        words = f"MAML has no word for a column of {type(column).__name__} of {dtype}"
        return replace(said, reason=words)
    shape = tuple(column.shape[1:])
    return replace(said, kind=kind, col_size=arrays.width_of(shape), reason=arrays.shape_reason(shape))


def _objects(column: Any) -> list[Any]:
    """Return the elements of a column of objects, None for Nulls; of anything else a thing that is no text."""
    if getattr(column, "dtype", None) != np.dtype("O") or column.ndim != 1:
        return [0]
    data, mask = np.ma.getdata(column), np.ma.getmaskarray(column)
    return [None if null else value for value, null in zip(data, mask, strict=True)]


def _batches(columns: dict[str, Any], total: int, chosen: Sequence[Column]) -> Iterator[Batch]:
    step = rows_per_batch(sum(getattr(columns[column.name], "itemsize", 8) for column in chosen))
    for start in range(0, max(total, 1), step):
        parts = {column.name: columns[column.name][start : start + step] for column in chosen}
        yield {name: _values(part) for name, part in parts.items()}


def _values(part: Any) -> Any:
    """Return the values of a column: strings and objects as a list, None for Nulls."""
    data, mask = np.ma.getdata(part), np.ma.getmaskarray(part)
    if data.dtype.kind in "OSU" and data.ndim == 1:
        texts = data.dtype.kind != "O"
        return [
            None if null else text_of(value) if texts else value
            for value, null in zip(data.tolist(), mask.tolist(), strict=True)
        ]
    return arrays.with_nulls(arrays.plain(np.asarray(data)), arrays.rows_of(np.asarray(mask)))
