"""What a parquet file says beside its rows, without reading any: columns, entries, VOTable, MAML."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeVar, overload

from maml_parquet.arguments import check_path
from maml_parquet.files.folders import files_of
from maml_parquet.files.footer import Footer, Source, read_footer
from maml_parquet.header.reading import ColumnInfo, Header, read_items
from maml_parquet.schema.records import TableEntry
from maml_parquet.telling import warn

WHOLE: Final = "_metadata"
"""The file of a folder that lists the row groups of all its files."""

ALONE: Final = ("_common_metadata", WHOLE)
"""The files of a folder that hold no rows and speak for all of it; the first that is there counts."""

_Default = TypeVar("_Default")


@dataclass(frozen=True)
class FileMetadata:
    """What a file, or a folder of files, says beside its rows.

    Attributes
    ----------
    path
        What was asked for; empty for an open file without a name.
    source
        The file whose footer it is: `path`, or a file in that folder.
    footer
        Keys and values as they stand, and what the file says of itself.
    header
        What the keys and values say.
    """

    path: str
    source: str
    footer: Footer = field(repr=False)
    header: Header = field(repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy has; what follows from it is found anew."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    @overload
    def get(self, key: str) -> str | None: ...

    @overload
    def get(self, key: str, default: _Default) -> str | _Default: ...

    def get(self, key: object, default: _Default | None = None) -> str | _Default | None:
        """Return the value of the first key that is this one, of all that the file has; the default where none is."""
        return self._values.get(key, default) if isinstance(key, str) else default

    def items(self) -> tuple[tuple[str, str], ...]:
        """Return every key and value in the order of the file, repeats and technical ones included."""
        return self._items

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in the order of the file."""
        return self.footer.names

    @cached_property
    def columns(self) -> Mapping[str, ColumnInfo]:
        """What is said of each column of the file, in its order; then of what is inside them (``a.b``)."""
        told = self.header.columns
        found = {name: told.get(name, ColumnInfo()) for name in self.names}
        found.update((name, info) for name, info in told.items() if name.partition(".")[0] in found)
        return MappingProxyType(found)

    @property
    def entries(self) -> tuple[TableEntry, ...]:
        """What is said of the table, in the order of the file, repeats included."""
        return self.header.entries

    @property
    def votable(self) -> str | None:
        """The VOTable's XML as it stands; None where there is none."""
        return self.header.votable

    @property
    def maml(self) -> str | None:
        """The text of the MAML as it stands; None where there is none."""
        return self.header.maml

    @property
    def created_by(self) -> str:
        """The program that wrote the file, in its own words."""
        return self.footer.created_by

    @cached_property
    def num_rows(self) -> int:
        """Rows of the file; of a folder, of all that is in it: its footers are read when this is asked for first.

        Raises
        ------
        MamlError
            Code ``file``: one of a folder's files is no parquet file, or there are folders in it.
        """
        if self.source == self.path:
            return self.footer.num_rows
        whole = Path(self.path, WHOLE)
        files = [whole] if whole.is_file() else files_of(Path(self.path))
        return sum(read_footer(file).num_rows for file in files)

    @cached_property
    def _items(self) -> tuple[tuple[str, str], ...]:
        return self.footer.items

    @cached_property
    def _values(self) -> dict[str, str]:
        values: dict[str, str] = {}
        for key, value in self._items:
            values.setdefault(key, value)
        return values


def metadata(file: Source) -> FileMetadata:
    r"""Return what a parquet file, or a folder of such files, says beside its rows.

    Parameters
    ----------
    file
        A path, or a file that is open for reading bytes and can be sought. Of a folder: ``_common_metadata`` or
        ``_metadata`` where there is one, else the first of its files by name; names that begin with ``_`` or ``.``
        and those that do not end as parquet files do are skipped.

    Raises
    ------
    MamlError
        Code ``file``: no parquet file, a torn one, one whose footer is encrypted; a folder without parquet files.
    OSError
        There is no such file, or it cannot be read.

    Warns
    -----
    MamlWarning
        For a VOTable or a MAML of the file that cannot be read; also in `Header.notices`.

    Examples
    --------
    >>> import io
    >>> import pyarrow as pa
    >>> import pyarrow.parquet as pq
    >>> sink = io.BytesIO()
    >>> pq.write_table(pa.table({"ra": [1.5]}).replace_schema_metadata({"column.ra.unit": "deg"}), sink)
    >>> found = metadata(sink)
    >>> found.num_rows, found.columns["ra"].unit, found.get("survey", "none")
    (1, 'deg', 'none')
    """
    if isinstance(file, str | os.PathLike):
        check_path("file", file)
    path = source = os.fspath(file) if isinstance(file, str | os.PathLike) else str(getattr(file, "name", ""))
    if isinstance(file, str | os.PathLike) and Path(path).is_dir():
        source = os.fspath(_speaker(Path(path)))
        footer = read_footer(source)
    else:
        footer = read_footer(file)
    found = FileMetadata(path, source, footer, read_items(footer.items))
    for notice in found.header.notices:
        warn(f"{source}:{notice}")
    return found


def _speaker(folder: Path) -> Path:
    alone = (folder / name for name in ALONE)
    return next((path for path in alone if path.is_file()), None) or files_of(folder)[0]
