"""Tables of FITS files, read by ranges of rows."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
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
from maml_parquet.errors import MamlError
from maml_parquet.schema.records import Column
from maml_parquet.sections.types import TypeToken


@dataclass(frozen=True)
class _Table:
    """An HDU, where it comes from, and the names of its columns."""

    path: Path
    hdu: Any
    names: tuple[str, ...]


@contextmanager
def open_fits(path: Path, _format: str, options: Options) -> Iterator[Input]:
    """Give a table of a FITS file: the one that is named, or the first."""
    fits = imported("astropy.io.fits")
    with contextlib.ExitStack() as stack:
        try:
            with quiet():
                hdus = stack.enter_context(fits.open(path, memmap=None if _is_packed(path) else True))
                hdu = _chosen(path, hdus, options)
                table = _Table(path, hdu, unique([column.name or "" for column in hdu.columns]))
        except MamlError:
            raise
        except Exception as error:
            raise file_error(path, f"astropy cannot read it as FITS: {error}") from error
        yield Input(
            table=one_line(hdu.name) or stem(path),
            names=table.names,
            describe=lambda: _described(table),
            batches=lambda columns: _batches(table, columns),
            num_rows=int(hdu.header["NAXIS2"]),
            units={
                name: clean_unit(str(column.unit or "")) for name, column in zip(table.names, hdu.columns, strict=True)
            },
        )


def _is_packed(path: Path) -> bool:
    return path.suffix.lower() in (".gz", ".bz2", ".xz", ".zst")


def _chosen(path: Path, hdus: Any, options: Options) -> Any:
    fits = imported("astropy.io.fits")
    tables = [(place, hdu) for place, hdu in enumerate(hdus) if isinstance(hdu, (fits.BinTableHDU, fits.TableHDU))]
    tables = [(place, hdu) for place, hdu in tables if not isinstance(hdu, fits.CompImageHDU)]
    there = ", ".join(f"{place} ({hdu.name})" if hdu.name else str(place) for place, hdu in tables) or "none"
    if options.table is None:
        if not tables:
            raise file_error(path, "there is no table in it")
        return tables[0][1]
    for place, hdu in tables:
        if options.table in (str(place), hdu.name):
            return hdu
    raise file_error(path, f"HDU {options.table!r} is no table of it; its tables are {there}")


def _described(table: _Table) -> tuple[InputColumn, ...]:
    try:
        with quiet():
            return tuple(_describe(table, place) for place in range(len(table.names)))
    except Exception as error:
        raise file_error(table.path, f"astropy cannot read the table: {error}") from error


def _describe(table: _Table, place: int) -> InputColumn:
    """Return what a column is: the type of what one row holds after scaling."""
    header, column = table.hdu.header, table.hdu.columns[place]
    number = place + 1
    said = InputColumn(
        table.names[place],
        None,
        unit=clean_unit(str(column.unit or "")),
        info=_info(header, place + 1),
        ucd=one_line(str(header.get(f"TUCD{number}") or "")),
    )
    raw = _raw(table.hdu.data[:1], place)
    if _is_variable(column):
        return _describe_variable(table, place, said)
    if not raw.dtype.itemsize or 0 in raw.shape[1:]:
        return replace(said, reason="its rows have no elements")
    if _is_text(table, place):
        shape = raw.shape[1:]
        characters = raw.dtype.itemsize
        kind: TypeToken | None = TypeToken("string")
        return replace(
            said, kind=kind, col_size=arrays.width_of(shape), array_size=characters, reason=arrays.shape_reason(shape)
        )
    values = np.asarray(table.hdu.data[:1].field(place))
    kind = arrays.kind_of(values.dtype)
    shape = values.shape[1:]
    reason = arrays.shape_reason(shape) if kind else f"MAML has no word for the format {column.format}"
    if values.dtype == np.uint64:
        reason = f"{reason}; " * bool(reason) + "numbers beyond 9223372036854775807 will be refused"
    return replace(said, kind=kind, col_size=arrays.width_of(shape), reason=reason)


def _info(header: Any, number: int) -> str:
    """Return what a header says of a column: its own card, or what stands behind the name, if that says anything."""
    behind = "" if f"TTYPE{number}" not in header else str(header.comments[f"TTYPE{number}"])
    said = one_line(str(header.get(f"TCOMM{number}") or behind))
    return "" if said.lower() == f"label for field {number}" else said


def _describe_variable(table: _Table, place: int, said: InputColumn) -> InputColumn:
    column = table.hdu.columns[place]
    lengths = set(_raw(table.hdu.data, place)[:, 0].tolist())
    element = column.format.partition("(")[0][-1]
    if element == "A":
        return replace(said, kind=TypeToken("string"), array_size=max(1, *lengths, 1))
    if len(lengths) != 1 or lengths == {0}:
        words = "each row has its own number of elements, which no MAML column has"
        return replace(said, reason=words)
    values = np.asarray(table.hdu.data[:1].field(place)[0])
    kind = arrays.kind_of(values.dtype)
    return replace(said, kind=kind, col_size=lengths.pop(), reason="" if kind else f"no word for {column.format}")


def _is_variable(column: Any) -> bool:
    return column.format.lstrip("0123456789")[:1] in ("P", "Q")


def _is_text(table: _Table, place: int) -> bool:
    """Return whether a column is text, which the numbers of a table of characters are not."""
    kind: str = np.asarray(table.hdu.data[:1].field(place)).dtype.kind
    return kind in "SU"


def _raw(rows: Any, place: int) -> Any:
    """Return a column as the file holds it, before scaling."""
    return rows.view(np.ndarray)[rows.dtype.names[place]]


def _batches(table: _Table, columns: Sequence[Column]) -> Iterator[Batch]:
    total = int(table.hdu.header["NAXIS2"])
    step = rows_per_batch(int(table.hdu.header["NAXIS1"]))
    places = {column.name: table.names.index(column.name) for column in columns}
    for start in range(0, max(total, 1), step):
        try:
            with quiet():
                rows = table.hdu.data[start : start + step]
                found = {name: _values(table, rows, place) for name, place in places.items()}
        except Exception as error:
            words = f"rows {start} to {min(start + step, total) - 1} cannot be read: {error}"
            raise file_error(table.path, words) from error
        yield found


def _values(table: _Table, rows: Any, place: int) -> Any:
    """Return the values of a column in some rows: scaled, its Nulls masked."""
    column = table.hdu.columns[place]
    if _is_variable(column):
        return [value.tolist() if isinstance(value, np.ndarray) else value for value in rows.field(place)]
    raw = _raw(rows, place)
    if _is_text(table, place):
        return _texts(raw, table.names[place])
    values = np.asarray(rows.field(place))
    return arrays.with_nulls(arrays.plain(values), arrays.rows_of(_nulls(column, raw, values)))


def _nulls(column: Any, raw: Any, values: Any) -> Any:
    """Return where values are undefined: TNULL, and a logical value that is neither T nor F."""
    if raw.dtype.kind == "S" and column.null is not None:
        return np.char.strip(raw) == str(column.null).strip().encode()
    if values.dtype.kind == "b" and raw.dtype == np.int8:
        return (raw != ord("T")) & (raw != ord("F"))
    if raw.dtype.kind in "iu" and column.null not in (None, ""):
        return raw == int(column.null)
    return np.zeros(values.shape, bool)


def _texts(raw: Any, name: str) -> Any:
    """Return bytes as strings: they end at a NUL, and blanks at their end do not count."""
    import pyarrow as pa
    import pyarrow.compute as pc

    values = pa.array(raw.ravel(), pa.binary())
    if pc.any(pc.greater_equal(pc.find_substring(values, b"\0"), 0)).as_py():
        values = pa.array([value.partition(b"\0")[0] for value in values.to_pylist()], pa.binary())
    try:
        texts = pc.ascii_rtrim(values.cast(pa.string()), " ")
    except pa.ArrowInvalid as error:
        raise ValueError(f"column {name!r} holds bytes that are no text in UTF-8") from error
    width = arrays.width_of(raw.shape[1:])
    return texts if width == 1 else pa.FixedSizeListArray.from_arrays(texts, width)
