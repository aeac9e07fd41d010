"""A table that is open: its columns are read when they are asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Final

import pyarrow as pa

from maml_parquet.arguments import check_path
from maml_parquet.arrow.ordering import order
from maml_parquet.arrow.taking import taken
from maml_parquet.arrow.types import kinds_of
from maml_parquet.errors import MamlError, Problem
from maml_parquet.files.checking import Checking, look
from maml_parquet.files.fetching import Fetching
from maml_parquet.files.metadata import metadata
from maml_parquet.files.options import MOST_ROWS
from maml_parquet.files.plans import Notes, Plan, TableColumn, missing_columns, plan
from maml_parquet.files.requests import Checks, MamlSource, QcMode, Request, Rows, names_of, raise_all, read_request
from maml_parquet.files.sources import open_sources
from maml_parquet.rows.binding import Kinds
from maml_parquet.rows.sorts import SortKey
from maml_parquet.telling import warn

BATCH: Final = 65_536
"""Rows of a batch where nothing else is said."""


def open_table(
    path: str | os.PathLike[str],
    maml: MamlSource | None = None,
    *,
    columns: Sequence[str] | None = None,
    filter: str | Sequence[str] | None = None,
    sort: str | Sequence[str] | None = None,
    rows: Rows | None = None,
    qc: QcMode = "error",
    checks: Checks | None = None,
) -> ParquetTable:
    """Return a table of which only the footer is read: rows follow when columns are asked for.

    Parameters
    ----------
    path
        A parquet file, or a folder of them with the same columns, which are one table in the order of their names.
    maml
        A MAML that describes the file: a path, a text, or one that was parsed with ``role="read"``. Its `remap` gives
        columns names inside the program; its units, bounds, filter and sort are in the file's names.
    columns
        Names inside the program, in the order that is wanted; without, all columns in the file's order.
    filter
        Rules that rows have to pass, by names inside the program, after those of the MAML.
    sort
        Keys by names inside the program, which decide where the MAML's leave rows equal. Rows that are equal in all of
        them stay in the file's order.
    rows
        ``(start, stop)`` or a slice: the rows of the file that are looked at, before the filter; not with a sort.
    qc
        What is done about values of the columns that are touched, in rows that pass, that break their bounds.
    checks
        Bounds by names inside the program: ``{"mag": {"min": "> 0", "max": 30, "miss": ""}}``. Where the MAML has
        bounds for the column, those count alone.

    Raises
    ------
    FileNotFoundError
        There is no such file or folder.
    MamlError
        What is wrong with the MAML, the arguments, or the file, before any row is read.

    Examples
    --------
    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> folder = getfixture("tmp_path")
    >>> pq.write_table(pa.table({"RA": [10.0, 200.0], "z": [0.1, 0.2]}), folder / "t.parquet")
    >>> with open_table(folder / "t.parquet", "extra: {remap: [{ra: RA}]}", filter="ra > 180") as table:
    ...     table.names, table.num_rows, table.column("ra").to_pylist()
    (('ra', 'z'), 1, [200.0])
    """
    check_path("path", path)
    request = read_request(maml, columns=columns, filter=filter, sort=sort, rows=rows, qc=qc, checks=checks)
    return ParquetTable(path, request)


@dataclass
class _State:
    """What is known of an open table: what is to be read, and what was."""

    fetching: Fetching
    plan: Plan
    columns: dict[str, TableColumn]
    entries: Mapping[str, str]
    order: pa.Int64Array | None = None


class ParquetTable:
    """An open table. `open_table` makes it; `close`, or the end of a ``with``, closes its file.

    A column that was read with `column` is kept until `reload`. Columns that read the same column of the file are
    independent of each other.
    """

    def __init__(self, path: str | os.PathLike[str], request: Request) -> None:
        self._path = path
        # The folder that the process works in may be another one when rows are read.
        self._place = Path(path).absolute()
        self._request = request
        self._renamed: dict[str, str] = {}
        self._read: dict[str, pa.ChunkedArray] = {}
        self._warned: set[tuple[str, str]] = set()
        self._is_open = True
        self._state = self._opened()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns inside the program, in their order."""
        return tuple(self._state.columns)

    @property
    def schema(self) -> pa.Schema:
        """Columns with unit, UCD and description in their metadata; the table's entries, of repeated keys the first."""
        return self._schema(self.names)

    @property
    def kinds(self) -> Kinds:
        """The kind of each column, as rules and keys have it."""
        return kinds_of(self.schema)

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column, empty where it has none."""
        return {name: column.notes.unit for name, column in self._state.columns.items()}

    @property
    def metadata(self) -> dict[str, str]:
        """What the file says of the table; of repeated keys, the first."""
        return dict(self._state.entries)

    @property
    def num_rows(self) -> int:
        """Rows that pass. Where there is a filter, the columns that it names are read for it, once."""
        self._check_open()
        return self._state.fetching.num_rows()

    def column(self, name: str) -> pa.ChunkedArray:
        """Return a column, read when it is first asked for.

        Raises
        ------
        MamlError
            Code ``column``: there is none of this name; ``qc``: a value breaks its bounds; ``file``: the file is
            damaged.
        """
        self._check_open()
        self._check_names([name])
        if name not in self._read:
            self._read[name] = self._fetched([self._state.columns[name]])[name]
        return self._read[name]

    def to_arrow(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Return columns as a table, in the order that they are named in; without names, all of them.

        Columns that were not read before are read and not kept.
        """
        self._check_open()
        names = self._chosen(columns)
        if not names:
            # A table keeps its rows where the last column is taken from it.
            rows = pa.table({"": pa.nulls(self.num_rows)}).replace_schema_metadata(self._schema([]).metadata)
            return rows.select([])
        fetched = self._fetched([self._state.columns[name] for name in names if name not in self._read])
        arrays = [fetched[name] if name in fetched else self._read[name] for name in names]
        return pa.Table.from_arrays(arrays, schema=self._schema(names))

    def iter_batches(self, columns: Sequence[str] | None = None, batch_size: int = BATCH) -> Iterator[pa.RecordBatch]:
        """Give the rows in batches of `batch_size`, the last one smaller, with about one row group in memory.

        Where the table is sorted, all rows of the columns are in memory.

        Raises
        ------
        MamlError
            Code ``column`` and ``argument`` at once; ``qc`` at the batch whose values break their bounds, which is not
            given, with its row group.
        """
        self._check_open()
        names = self._chosen(columns)
        if not _is_count(batch_size):
            raise _argument("batch_size", f"batch_size is {batch_size!r}; give a whole number from 1 to {MOST_ROWS}")
        if not names:
            raise _argument(
                "columns", "no columns are asked for, and batches have rows by them; name one, or use num_rows"
            )
        chosen = [self._state.columns[name] for name in names]
        return self._batches(chosen, self._schema(names), batch_size)

    def rename_column(self, old: str, new: str) -> None:
        """Give a column another name inside the program; it still reads the same column of the file.

        Raises
        ------
        MamlError
            Code ``column``: there is no such column; ``argument``: the name is empty, or another column's.
        """
        self._check_open()
        self._check_names([old])
        if not _is_name(new):
            raise _argument("new", f"the new name of {old!r} is {new!r}; give a text that is not empty")
        if new != old and new in self._state.columns:
            raise _argument("new", f"there is a column {new!r} already; give {old!r} another name")
        original = next((first for first, now in self._renamed.items() if now == old), old)
        self._renamed[original] = new
        self._state.columns = _renamed(self._state.columns, {old: new})
        if old in self._read:
            self._read[new] = self._read.pop(old)

    def reload(self, name: str | None = None) -> None:
        """Forget a column that was read, so that it is read again; without a name, open the file anew.

        Columns keep the names that they were given.

        Raises
        ------
        MamlError
            Code ``column``: there is no such column. Without a name, what `open_table` raises; the table then is as it
            was.
        """
        self._check_open()
        if name is not None:
            self._check_names([name])
            self._read.pop(name, None)
            return
        state = self._opened()
        self._state.fetching.sources.close()
        self._state = state
        self._read.clear()

    def close(self) -> None:
        """Close the file. Names, kinds and units can still be asked for."""
        self._is_open = False
        self._read.clear()
        self._state.fetching.sources.close()

    def __enter__(self) -> ParquetTable:
        """Return the table itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self.close()

    def __repr__(self) -> str:
        """Return path and columns."""
        return f"ParquetTable({os.fspath(self._path)!r}, names={self.names!r})"

    def _opened(self) -> _State:
        """Open the file and look at every name and bound."""
        sources = open_sources(self._place)
        told = metadata(self._place)
        sources.know(told.source, told.footer)
        notes = {name: Notes(said.unit, said.ucd, said.description) for name, said in told.columns.items()}
        found = plan(self._request, sources.schema, sources.num_rows, notes)
        columns = {column.name: column for column in found.columns}
        if self._request.columns is not None:
            columns = {name: columns[name] for name in self._request.columns}
        entries: dict[str, str] = {}
        for entry in told.entries:
            entries.setdefault(entry.key, entry.value)
        self._warn_of_checks([column.name for column in found.columns])
        return _State(Fetching(sources, found), found, _renamed(columns, self._renamed), entries)

    def _chosen(self, columns: Sequence[str] | None) -> tuple[str, ...]:
        found = names_of(columns)
        names = self.names if found is None else found
        self._check_names(names)
        return names

    def _check_names(self, names: Sequence[str]) -> None:
        raise_all(missing_columns(names, self.names))

    def _check_open(self) -> None:
        if not self._is_open:
            raise _argument("table", f"the table of {os.fspath(self._path)} is closed; open it again")

    def _schema(self, names: Sequence[str]) -> pa.Schema:
        fields = [self._state.columns[name].arrow_field for name in names]
        return pa.schema(fields, {key.encode(): value.encode() for key, value in self._state.entries.items()})

    def _fetched(self, columns: Sequence[TableColumn]) -> dict[str, pa.ChunkedArray]:
        """Read columns: the rows that pass, in their order, with their bounds checked."""
        if not columns:
            return {}
        state = self._state
        keys = () if state.order is not None else state.plan.keys
        wanted = _sources(columns, keys)
        checking = self._checking()
        tables = []
        for piece in state.fetching.pieces(wanted):
            look(checking, columns, piece.table, state.fetching.sources.place(piece.group))
            tables.append(piece.table)
        checking.tell()
        table = pa.concat_tables(tables) if tables else state.fetching.nothing(wanted)
        if keys:
            state.order = order(table, keys)
        if state.order is not None:
            table = taken(table.select(_sources(columns)).combine_chunks(), state.order)
        return {column.name: table.column(column.source) for column in columns}

    def _batches(self, columns: Sequence[TableColumn], schema: pa.Schema, batch_size: int) -> Iterator[pa.RecordBatch]:
        held = schema.empty_table()
        for table in self._streamed(columns, schema, batch_size):
            held = pa.concat_tables([held, table])
            while held.num_rows >= batch_size:
                yield from held.slice(0, batch_size).combine_chunks().to_batches()
                held = held.slice(batch_size)
        yield from held.combine_chunks().to_batches()

    def _streamed(self, columns: Sequence[TableColumn], schema: pa.Schema, batch_size: int) -> Iterator[pa.Table]:
        """Give the rows in tables, one of which is in memory; all rows at once where they are sorted."""
        if self._state.plan.keys:
            fetched = self._fetched(columns)
            yield pa.Table.from_arrays([fetched[column.name] for column in columns], schema=schema)
            return
        fetching = self._state.fetching
        checking = self._checking()
        for piece in fetching.batches(_sources(columns), batch_size):
            self._check_open()
            look(checking, columns, piece.table, fetching.sources.place(piece.group))
            checking.tell()
            yield pa.Table.from_arrays([piece.table.column(column.source) for column in columns], schema=schema)

    def _checking(self) -> Checking:
        return Checking(self._request.mode, os.fspath(self._path), self._warned)

    def _warn_of_checks(self, names: Sequence[str]) -> None:
        """Warn of bounds that the caller gave for columns that are not there."""
        for name in self._request.checks or ():
            if name not in names and (name, "") not in self._warned:
                self._warned.add((name, ""))
                message = f"{os.fspath(self._path)}: checks name the column {name!r}, which the table has not"
                warn(f"{message}; nothing is checked of it")


def _sources(columns: Sequence[TableColumn], keys: Sequence[SortKey] = ()) -> list[str]:
    """Return the columns of the file that are read, each once."""
    return list(dict.fromkeys([*(column.source for column in columns), *(key.path[0] for key in keys)]))


def _renamed(columns: Mapping[str, TableColumn], names: Mapping[str, str]) -> dict[str, TableColumn]:
    """Return columns under other names, in their order.

    Raises
    ------
    MamlError
        Code ``column``: a name that was given to a column is that of another one now.
    """
    moved: dict[str, TableColumn] = {}
    for name, column in columns.items():
        new = names.get(name, name)
        if new in moved:
            message = (
                f"the column {column.source!r} of the file now has the name {new!r} too, which was given to another"
            )
            raise MamlError([Problem("column", (new,), f"{message}; open the table anew")])
        moved[new] = replace(column, name=new)
    return moved


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_ROWS


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _argument(name: str, message: str) -> MamlError:
    return MamlError([Problem("argument", (name,), message)])
