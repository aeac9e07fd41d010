"""The keys and values that a file's footer holds, in their order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from maml_parquet.errors import MamlError, Problem
from maml_parquet.header.votable import table_name, typed_entries, votable
from maml_parquet.schema.records import TableEntry, WrittenColumn
from maml_parquet.schema.values import COMPANION

CONTENT: Final = "IVOA.VOTable-Parquet.content"
VERSION: Final = "IVOA.VOTable-Parquet.version"
MAML: Final = "maml"
COLUMN: Final = "column."
LENGTH: Final = "table::len::"
"""Astropy's key for the longest string of a column."""

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}")


def file_items(
    columns: Sequence[WrittenColumn], entries: Sequence[TableEntry], *, date: str, maml: str | None
) -> tuple[tuple[str, str], ...]:
    """Return the keys and values of a file, repeated keys and all.

    Parameters
    ----------
    columns
        In the order of the file, with the sizes that were written.
    entries
        What is said of the table: what a MAML says, then what a program added. The type of a value follows it.
    date
        When the file was written: UTC, ``YYYY-MM-DDTHH:MM:SS``.
    maml
        The text of the file's own MAML; None leaves it out.

    Raises
    ------
    MamlError
        `argument` for a date of another form, `metadata` for text that no header can hold.

    Examples
    --------
    >>> from maml_parquet.sections.types import TypeToken
    >>> column = WrittenColumn("x", TypeToken("int32"), unit="mJy")
    >>> items = file_items([column], [TableEntry("table", "t")], date="2024-05-06T07:08:09", maml=None)
    >>> items[1:6]  # doctest: +NORMALIZE_WHITESPACE
    (('IVOA.VOTable-Parquet.version', '1.0'), ('DATE', '2024-05-06T07:08:09'), ('name', 't'), ('table', 't'),
     ('column.x.unit', 'mJy'))
    """
    _check_date(date)
    # Checks the text of everything that follows too.
    content = votable(columns, entries, date)
    items = [(CONTENT, content)] if columns else []
    items += [(VERSION, "1.0"), ("DATE", date), ("name", table_name(entries))]
    for entry, is_typed in typed_entries(entries):
        items.append((entry.key, entry.value))
        if is_typed:
            items.append((entry.key + COMPANION, entry.datatype))
    for column in columns:
        items += [(f"{COLUMN}{column.name}.{word}", value) for word, value in _words(column)]
    if maml is not None:
        items.append((MAML, maml))
    items += [(LENGTH + column.name, str(column.array_size)) for column in columns if column.kind.base == "string"]
    return tuple(items)


def _words(column: WrittenColumn) -> tuple[tuple[str, str], ...]:
    return (
        ("unit", column.unit),
        ("description", column.info),
        ("ucd", column.ucd),
        ("datatype", column.kind.base),
        ("array_size", str(column.array_size)),
        ("col_size", str(column.col_size)),
    )


def _check_date(date: str) -> None:
    try:
        well = _DATE.fullmatch(date) is not None and datetime.fromisoformat(date) is not None
    except ValueError:
        well = False
    if not well:
        words = f"the date of the file is {date!r}; give one like 2024-05-06T07:08:09, in UTC"
        raise MamlError([Problem("argument", ("date",), words)])
