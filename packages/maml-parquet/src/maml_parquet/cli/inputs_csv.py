"""Tables of text with a delimiter: typed by a MAML, or by what every cell of a column can be."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from maml_parquet.cli.inputs import Batch, Input, InputColumn, Options, file_error, stem, unique
from maml_parquet.errors import MamlError, Problem
from maml_parquet.schema.records import Column
from maml_parquet.sections.sizes import AUTO
from maml_parquet.sections.types import TypeToken

_BLOCK: Final = 16 * 2**20
"""Bytes that are read at once; a row must fit into one block."""

_FEW: Final = 100
_TRUE: Final = ("true", "True", "TRUE", "T", "t", "1")
_FALSE: Final = ("false", "False", "FALSE", "F", "f", "0")
_LEADING_ZERO: Final = r"^[+-]?0[0-9]"
_HEXADECIMAL: Final = r"^[+-]?0[xX]"
_LONG_NUMBER: Final = r"^[+-]?[0-9]{16,}$"
_TIME: Final = r"^[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?$"
_FINE_TIME: Final = r"\.[0-9]{7,9}$"
_NUMBERED: Final = re.compile(r"(.+)_([1-9][0-9]*)")


@dataclass(frozen=True)
class _Csv:
    """A file, its columns, and how it is written."""

    path: Path
    names: tuple[str, ...]
    options: Options

    @property
    def delimiter(self) -> str:
        return _delimiter(self.path, self.options)


@contextmanager
def open_csv(path: Path, _format: str, options: Options) -> Iterator[Input]:
    """Give the table of a text file whose first line names the columns; rows are read as they are asked for."""
    table = _Csv(path, _header(path, options), options)
    yield Input(
        table=stem(path),
        names=_vectors(table.names),
        describe=lambda: _describe(table),
        batches=lambda columns: _batches(table, columns),
    )


def _delimiter(path: Path, options: Options) -> str:
    chosen = options.delimiter or ("\t" if ".tsv" in path.suffixes else ",")
    if len(chosen) != 1 or not chosen.isascii() or chosen in '"\r\n':
        words = f"the delimiter is {chosen!r}; give one character, like ';'"
        raise MamlError([Problem("argument", (), words)])
    return chosen


def _header(path: Path, options: Options) -> tuple[str, ...]:
    if options.skip < 0:
        raise MamlError([Problem("argument", (), f"--skip is {options.skip}; give a number of lines, 0 or more")])
    import pyarrow as pa

    try:
        with pa.input_stream(path) as stream:
            lines = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
            for _ in range(options.skip):
                next(lines, None)
            names = next(csv.reader(lines, delimiter=_delimiter(path, options)), None)
    except (UnicodeDecodeError, csv.Error, pa.ArrowException, OSError) as error:
        raise file_error(path, f"no table with a first line of names in UTF-8: {error}") from error
    if not names:
        raise file_error(path, "the first line is empty; it must name the columns (--skip N passes over lines)")
    return unique(names)


def _vectors(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns, and the vectors that they may be the elements of: `x` where there are `x_1`, `x_2`, …."""
    counted = [found[1] for found in map(_NUMBERED.fullmatch, names) if found and found[2] == "1"]
    return (*names, *(name for name in counted if name not in names))


def _elements(names: Sequence[str], name: str, size: int | str) -> list[str]:
    """Return the columns that hold a column's elements: itself, or `name_1` … `name_N`."""
    if name in names and (size == 1 or f"{name}_1" not in names):
        return [name]
    found: list[str] = []
    while f"{name}_{len(found) + 1}" in names and len(found) != size:
        found.append(f"{name}_{len(found) + 1}")
    return found


def _batches(table: _Csv, columns: Sequence[Column]) -> Iterator[Batch]:
    import pyarrow as pa

    parts = {column.name: _elements(table.names, column.name, column.col_size) for column in columns}
    for column in columns:
        if column.col_size not in (1, AUTO) and parts[column.name] == [column.name]:
            words = f"{column.name} has rows of {column.col_size}; name the columns of its elements {column.name}_1, …"
            raise MamlError([Problem("column", (column.name,), words)], str(table.path))
    types = {part: _type(column.kind, table.options) for column in columns for part in parts[column.name]}
    for batch in _read(table, types):
        found: dict[str, Any] = {}
        for name, elements in parts.items():
            if len(elements) == 1:
                found[name] = batch[elements[0]]
                continue
            stacked = pa.concat_arrays([batch[element] for element in elements])
            order = np.arange(len(stacked)).reshape(len(elements), batch.num_rows).T.ravel()
            found[name] = pa.FixedSizeListArray.from_arrays(stacked.take(pa.array(order)), len(elements))
        yield found


def _type(kind: TypeToken, options: Options) -> Any:
    """Return what cells are read as: as wide as can be, so that what does not fit is found and not cut."""
    import pyarrow as pa

    if kind.base == "timestamp":
        return pa.timestamp(kind.unit, "UTC" if kind.utc and not options.assume_utc else None)
    if kind.base == "time":
        return pa.time32("ms") if kind.unit == "ms" else pa.time64(kind.unit)
    wide = {"int32": pa.int64(), "int64": pa.int64(), "float32": pa.float64(), "float64": pa.float64()}
    others = {"boolean": pa.bool_(), "date": pa.date32(), "string": pa.string()}
    return {**wide, **others}[kind.base]


def _read(table: _Csv, types: Mapping[str, Any]) -> Iterator[Any]:
    """Yield record batches of the columns that have a type."""
    import pyarrow as pa
    import pyarrow.csv as reading

    if not types:
        return
    try:
        rows = reading.open_csv(
            table.path,
            # One thread tells the row of what is wrong.
            read_options=reading.ReadOptions(
                use_threads=False,
                block_size=_BLOCK,
                skip_rows=table.options.skip,
                column_names=list(table.names),
                skip_rows_after_names=1,
            ),
            parse_options=reading.ParseOptions(delimiter=table.delimiter, newlines_in_values=True),
            convert_options=reading.ConvertOptions(
                column_types=dict(types),
                include_columns=list(types),
                null_values=["", *table.options.nulls],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                true_values=list(_TRUE),
                false_values=list(_FALSE),
            ),
        )
        yield from rows
    except (pa.ArrowException, OSError) as error:
        raise file_error(table.path, f"{error}{_advice(str(error), table.names)}") from error


def _advice(message: str, names: Sequence[str]) -> str:
    """Return the name of the column that a message counts from 0, and what may help."""
    found = re.search(r"CSV column #([0-9]+)", message)
    if not found:
        return ""
    name = names[int(found[1])]
    return f" (column {name!r}; declare it as it is, or say what stands for Null: --null WORD)"


# Describing ----------------------------------------------------------------------------------------------------------


def _describe(table: _Csv) -> tuple[InputColumn, ...]:
    import pyarrow as pa
    import pyarrow.compute as pc

    left = {name: list(_CANDIDATES) for name in table.names}
    empty = set(table.names)
    for batch in _read(table, dict.fromkeys(table.names, pa.string())):
        for name in table.names:
            words = pc.utf8_trim_whitespace(batch[name].drop_null())
            if len(words):
                empty.discard(name)
                left[name] = [word for word in left[name] if _fits(word, words)]
    found = []
    for name in table.names:
        if name in empty:
            found.append(InputColumn(name, TypeToken("string"), reason="no cell holds anything, so it may be any type"))
        else:
            found.append(InputColumn(name, next(iter(left[name]), TypeToken("string"))))
    return tuple(found)


def _fits(kind: TypeToken, words: Any) -> bool:
    """Return whether words are of a type; the first few decide it most often, and a cast that fails takes long."""
    return _CANDIDATES[kind](words.slice(0, _FEW)) and _CANDIDATES[kind](words)


def _casts(words: Any, type_: Any) -> bool:
    import pyarrow as pa

    try:
        words.cast(type_)
    except pa.ArrowInvalid:
        return False
    return True


def _any(words: Any, pattern: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring_regex(words, pattern)).as_py())


def _all(words: Any, pattern: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.all(pc.match_substring_regex(words, pattern)).as_py())


def _is_integer(words: Any) -> bool:
    """Return whether the words are whole numbers that no digit is lost of: 007 is the name of something."""
    return not _any(words, _LEADING_ZERO) and not _any(words, _HEXADECIMAL) and _casts(words, "int64")


def _is_float(words: Any) -> bool:
    return not _any(words, _LEADING_ZERO) and not _any(words, _LONG_NUMBER) and _casts(words, "float64")


def _is_boolean(words: Any) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    return bool(pc.all(pc.is_in(words, pa.array([*_TRUE[:3], *_FALSE[:3]]))).as_py())


def _timestamp(unit: str, zone: str | None) -> Callable[[Any], bool]:
    def fits(words: Any) -> bool:
        import pyarrow as pa

        return _casts(words, pa.timestamp(unit, zone))

    return fits


_CANDIDATES: Final[dict[TypeToken, Callable[[Any], bool]]] = {
    TypeToken("int64"): _is_integer,
    TypeToken("float64"): _is_float,
    TypeToken("boolean"): _is_boolean,
    TypeToken("date"): lambda words: _casts(words, "date32"),
    TypeToken("time", "us"): lambda words: _all(words, _TIME) and not _any(words, _FINE_TIME),
    TypeToken("time", "ns"): lambda words: _all(words, _TIME),
    TypeToken("timestamp", "us"): _timestamp("us", None),
    TypeToken("timestamp", "ns"): _timestamp("ns", None),
    TypeToken("timestamp", "us", utc=True): _timestamp("us", "UTC"),
    TypeToken("timestamp", "ns", utc=True): _timestamp("ns", "UTC"),
}
"""The types that a column may be, the best first, and whether words are of that type."""
