"""Parquet files as one sequence of row groups: a file, or the files of a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from maml_parquet.errors import MamlError, Problem
from maml_parquet.files.folders import files_of
from maml_parquet.files.footer import Footer as WalkedFooter
from maml_parquet.files.footer import is_endless, read_footer

_NOT_THE_FILE: Final = (FileNotFoundError, PermissionError, MemoryError)
"""What can go wrong that is no fault of a file's bytes."""

_PLAIN: Final = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
"""Types whose rows pyarrow cannot choose, and the same that it can."""

_LONG: Final = {**_PLAIN, pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}


@dataclass(frozen=True)
class Group:
    """A row group: the position of its file, its own position in that file, its first row of all, how many rows."""

    file: int
    index: int
    start: int
    rows: int


@dataclass(frozen=True)
class Footer:
    """What the end of a file says: its columns and its row groups; `stamp` changes where the file does."""

    path: Path
    metadata: pq.FileMetaData
    schema: pa.Schema
    stamp: tuple[int, ...]


class Sources:
    """The row groups of one file or of several with the same columns; at most one file is open at a time.

    Attributes
    ----------
    path
        As it was given.
    footers
        One for each file, in the order of their names.
    schema
        Columns that all files have; a column may hold Nulls where it may in one of them.
    groups
        In the order of files and rows.
    """

    def __init__(self, path: Path, footers: Sequence[Footer], schema: pa.Schema) -> None:
        self.path = path
        self.footers = tuple(footers)
        self.schema = schema
        self.groups = _groups(self.footers)
        self._open: tuple[int, pq.ParquetFile] | None = None
        self._unsound: dict[int, frozenset[int]] = {}

    @property
    def num_rows(self) -> int:
        """Rows of all files."""
        return sum(group.rows for group in self.groups)

    def read(self, groups: Sequence[Group], columns: Sequence[str]) -> pa.Table:
        """Return columns of row groups of one file, at least one of each, in the order of their names.

        Raises
        ------
        MamlError
            Code ``file``: the file is damaged, or has changed since its footer was read.
        """
        self._check_same(groups[0].file)
        with self._telling(groups[0] if len(groups) == 1 else groups[0].file):
            file = self._file(groups[0].file)
            table = file.read_row_groups([group.index for group in groups], columns=list(columns))
            return self._as_all(table.select(list(columns)))

    def batches(self, group: Group, columns: Sequence[str], batch_size: int) -> Iterator[pa.Table]:
        """Give columns of a row group in pieces of at most so many rows, read one after the other."""
        self._check_same(group.file)
        # A file of its own: what else is read meanwhile does not close it.
        with self._telling(group):
            file = self._opened(group.file)
        with file:
            reader = file.iter_batches(batch_size, [group.index], columns=list(columns))
            while True:
                with self._telling(group):
                    batch = next(reader, None)
                    if batch is None:
                        return
                    table = self._as_all(pa.Table.from_batches([batch]).select(list(columns)))
                yield table

    def unsound(self, position: int) -> frozenset[int]:
        """Return the numbers of the stored columns of a file whose statistics pyarrow must not be asked for.

        Raises
        ------
        MamlError
            Code ``file``: the footer is torn.
        """
        if position not in self._unsound:
            self._unsound[position] = read_footer(self.footers[position].path).unsound
        return self._unsound[position]

    def know(self, path: str, footer: WalkedFooter) -> None:
        """Take over the footer of a file that was read by others, so that it is not read again."""
        if len(self.footers) == 1 and os.fspath(self.footers[0].path) == path:
            self._unsound[0] = footer.unsound

    def place(self, group: Group) -> str:
        """Return where a row group is, for messages."""
        return f"row group {group.index} of {self.footers[group.file].path}"

    def close(self) -> None:
        """Close the file that is open."""
        if self._open is not None:
            self._open[1].close()
            self._open = None

    def __enter__(self) -> Sources:
        """Return the sources themselves."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close what is open."""
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy has, which opens its files itself."""
        return {**self.__dict__, "_open": None}

    def _file(self, position: int) -> pq.ParquetFile:
        opened = self._open
        if opened is None or opened[0] != position:
            # The file before closes when nobody reads it any more: another thread may still do so.
            self._open = None
            self._open = opened = (position, self._opened(position))
        return opened[1]

    def _opened(self, position: int) -> pq.ParquetFile:
        # Reading ahead would keep all of a file in memory; checksums are looked at where a file has them.
        footer = self.footers[position]
        return pq.ParquetFile(footer.path, metadata=footer.metadata, pre_buffer=False, page_checksum_verification=True)

    def _check_same(self, position: int) -> None:
        """Raise where a file is no longer the one whose footer is known: its pages would be taken for others."""
        footer = self.footers[position]
        if _stamp(footer.path) != footer.stamp:
            raise _file_error(f"{footer.path} has changed since it was opened; open it again (reload an open table)")

    def _as_all(self, table: pa.Table) -> pa.Table:
        """Return a table of one file with the types of all of them: only what may be Null differs."""
        fields = [self.schema.field(name) for name in table.column_names]
        return table if table.schema.equals(pa.schema(fields)) else table.cast(pa.schema(fields))

    @contextmanager
    def _telling(self, where: Group | int) -> Iterator[None]:
        """Tell which row group, or which file, is damaged."""
        try:
            yield
        except _NOT_THE_FILE:
            raise
        except (pa.ArrowException, OSError) as error:
            place = self.place(where) if isinstance(where, Group) else str(self.footers[where].path)
            if isinstance(error, NotImplementedError):
                raise _file_error(f"{place} holds what pyarrow cannot read: {_first_line(error)}") from error
            raise _file_error(f"{place} is {_fault(error, 'damaged')}") from error


def open_sources(path: str | os.PathLike[str]) -> Sources:
    """Return the row groups of a parquet file, or of the parquet files of a folder, in the order of their names.

    Of a folder, names that begin with ``_`` or ``.``, and those that do not end with ``.parquet``, ``.parq`` or
    ``.pq``, are skipped.

    Raises
    ------
    FileNotFoundError
        There is no such file or folder.
    MamlError
        Code ``file``: it is no parquet file, or a torn one; the folder has none, or has folders inside; the files of
        the folder differ in their columns.
    """
    found = Path(path)
    if found.is_dir():
        footers = [_footer(file) for file in files_of(found)]
    elif found.exists():
        footers = [_footer(found)]
    else:
        raise FileNotFoundError(2, "there is no such file or folder", os.fspath(path))
    return Sources(found, footers, _common_schema(footers))


def _footer(path: Path) -> Footer:
    if is_endless(path.stat().st_mode):
        raise _file_error(f"{path} is a pipe, a device or a socket, and no parquet file; give the path of a file")
    try:
        stamp = _stamp(path)
        with pq.ParquetFile(path, pre_buffer=False) as file:
            schema = file.schema_arrow
            _check_names(schema)
            return Footer(path, file.metadata, schema, stamp)
    except _NOT_THE_FILE:
        raise
    except UnicodeEncodeError:
        raise _file_error(f"{str(path)!r} is a name that is not UTF-8, which pyarrow cannot open; rename it") from None
    except UnicodeDecodeError as error:
        words = f"the name {error.object!r} of a column is not UTF-8; write the file again with names that are"
        raise _file_error(f"{path} cannot be read: {words}") from error
    except (pa.ArrowException, OSError) as error:
        raise _file_error(f"{path} is {_fault(error, 'no whole parquet file')}") from error


def _check_names(parent: pa.Schema | pa.DataType) -> None:
    """Raise UnicodeDecodeError where the name of a column, or of a part of one, is not UTF-8."""
    fields = list(parent) if isinstance(parent, pa.Schema) else [parent.field(at) for at in range(parent.num_fields)]
    for field in fields:
        _ = field.name
        _check_names(field.type)


def _fault(error: BaseException, words: str) -> str:
    """Return what is wrong with a file, in pyarrow's words after our own, and what to do."""
    told = _first_line(error)
    if "encrypt" in told.lower() or "decrypt" in told.lower():
        return f"encrypted: {told}; decrypt it with the program that has its key"
    return f"{words}: {told}; get the file anew"


def _stamp(path: Path) -> tuple[int, ...]:
    found = path.stat()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _groups(footers: Sequence[Footer]) -> tuple[Group, ...]:
    groups = []
    start = 0
    for file, footer in enumerate(footers):
        for index in range(footer.metadata.num_row_groups):
            rows = footer.metadata.row_group(index).num_rows
            groups.append(Group(file, index, start, rows))
            start += rows
    return tuple(groups)


def _common_schema(footers: Sequence[Footer]) -> pa.Schema:
    """Return the columns that all files have; MamlError where one has others."""
    first = footers[0]
    if all(footer.schema.equals(first.schema) for footer in footers):
        return pa.schema([field.with_type(_mapped(field.type, _PLAIN)) for field in first.schema])
    for footer in footers[1:]:
        difference = _difference(first, footer)
        if difference:
            raise _file_error(
                f"the files of a folder have the same columns in the same order, but {footer.path} {difference}; "
                "read it by itself"
            )
    return pa.schema(
        [_common_field([footer.schema.field(at) for footer in footers]) for at in range(len(first.schema))]
    )


def _common_field(fields: Sequence[pa.Field]) -> pa.Field:
    """Return the field that holds what all of them hold.

    Writers that see all rows at once say which columns hold Nulls, and how long all strings are; others cannot.
    """
    first = fields[0]
    same = all(field.type.equals(first.type) for field in fields)
    kind = _mapped(first.type, _PLAIN) if same else _widest(first.type)
    return first.with_type(kind).with_nullable(any(field.nullable for field in fields))


def _difference(first: Footer, other: Footer) -> str:
    """Return what differs between the columns of two files, or nothing."""
    ours, theirs = first.schema.names, other.schema.names
    if ours != theirs:
        missing = [name for name in ours if name not in theirs]
        added = [name for name in theirs if name not in ours]
        if missing:
            return f"has no column {missing[0]!r}, which {first.path.name} has"
        if added:
            return f"has a column {added[0]!r}, which {first.path.name} has not"
        return f"has its columns in another order than {first.path.name}"
    for left, right in zip(first.schema, other.schema, strict=True):
        if not _widest(left.type).equals(_widest(right.type)):
            return f"has {right.type} in its column {right.name!r}, and {first.path.name} has {left.type}"
    return ""


def _widest(type_: pa.DataType) -> pa.DataType:
    """Return a type in which everything may be Null, and strings may be as long as they like."""
    return _mapped(type_, _LONG, nullable=True)


def _mapped(type_: pa.DataType, types: Mapping[pa.DataType, pa.DataType], *, nullable: bool = False) -> pa.DataType:
    """Return a type with others in place of those of a table, in lists and structs too."""

    def inner(field: pa.Field) -> pa.Field:
        return field.with_type(_mapped(field.type, types, nullable=nullable)).with_nullable(nullable or field.nullable)

    if pa.types.is_fixed_size_list(type_):
        return pa.list_(inner(type_.value_field), type_.list_size)
    if pa.types.is_list(type_):
        return pa.list_(inner(type_.value_field))
    if pa.types.is_large_list(type_):
        return pa.large_list(inner(type_.value_field))
    if pa.types.is_struct(type_):
        return pa.struct([inner(type_.field(index)) for index in range(type_.num_fields)])
    return types.get(type_, type_)


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__).rstrip(".")


def _file_error(message: str) -> MamlError:
    return MamlError([Problem("file", (), message)])
