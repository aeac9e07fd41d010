"""Parquet files, read by row groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from maml_parquet.cli.inputs import Batch, Input, InputColumn, Options, clean_unit, file_error, one_line, stem, unique
from maml_parquet.schema.records import Column
from maml_parquet.sections.types import TypeToken

_ROWS: Final = 131_072

_WIDENED: Final = {
    "int8": "int32",
    "int16": "int32",
    "uint8": "int32",
    "uint16": "int32",
    "uint32": "int64",
    "uint64": "int64",
    "halffloat": "float32",
}
"""The type that holds the numbers of widths that MAML does not have, by Arrow's name of them."""


@contextmanager
def open_parquet(path: Path, _format: str, _options: Options) -> Iterator[Input]:
    """Give the table of a parquet file; units, UCDs and descriptions are those of its header."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from maml_parquet.files.metadata import metadata  # noqa: PLC0415

    try:
        file = pq.ParquetFile(path, pre_buffer=False)
    except (pa.ArrowException, OSError) as error:
        raise file_error(path, f"no parquet file: {error}") from error
    with file:
        header = metadata(path)
        names = unique(file.schema_arrow.names)
        yield Input(
            table=one_line(header.get("table") or header.get("name") or "") or stem(path),
            names=names,
            describe=lambda: tuple(
                _describe(name, field, header.columns) for name, field in zip(names, file.schema_arrow, strict=True)
            ),
            batches=lambda columns: _batches(file, path, names, columns),
            description=one_line(header.get("description") or ""),
            num_rows=file.metadata.num_rows,
            maml=header.maml,
            units={
                name: clean_unit(header.columns[asked].unit)
                for name, asked in zip(names, file.schema_arrow.names, strict=True)
                if asked in header.columns
            },
        )


def _describe(name: str, field: Any, told: Mapping[str, Any]) -> InputColumn:
    from maml_parquet.arrow.types import element_of, size_of, token_of  # noqa: PLC0415  (pyarrow takes a moment)

    info = told.get(field.name)
    said = InputColumn(
        name,
        None,
        unit=clean_unit(info.unit) if info else "",
        info=one_line(info.description) if info else "",
        ucd=one_line(info.ucd) if info else "",
    )
    word = _WIDENED.get(str(element_of(field.type)))
    kind = TypeToken(word) if word else token_of(field.type)
    size = size_of(field.type)
    if kind is None or size == 0:
        return replace(said, reason=f"MAML has no word for {field.type}")
    return replace(said, kind=kind, col_size=size)


def _batches(file: Any, path: Path, names: Sequence[str], columns: Sequence[Column]) -> Iterator[Batch]:
    import pyarrow as pa

    there = file.schema_arrow.names
    places = {column.name: names.index(column.name) for column in columns}
    read = sorted(places.values())
    if len(set(there)) < len(there) or any("." in name for name in there):
        # Arrow takes a name with a dot for what is inside a struct, and cannot tell columns of one name apart.
        read = list(range(len(there)))
    try:
        for group in range(file.num_row_groups):
            for batch in file.iter_batches(_ROWS, row_groups=[group], columns=[there[place] for place in read]):
                found = dict(zip(read, batch.columns, strict=True))
                yield {name: found[place] for name, place in places.items()}
    except (pa.ArrowException, OSError) as error:
        raise file_error(path, f"the rows cannot be read: {error}") from error
