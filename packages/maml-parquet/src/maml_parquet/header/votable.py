"""A file's columns and metadata as a VOTable without data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from maml_parquet.errors import MamlError, Problem
from maml_parquet.schema.records import TableEntry, WrittenColumn
from maml_parquet.schema.values import COMPANION, UNWRITABLE

_HEAD: Final = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<VOTABLE version="1.4" xmlns="http://www.ivoa.net/xml/VOTable/v1.3">\n'
    '<RESOURCE type="results">\n'
)
_TAIL: Final = "</TABLE>\n</RESOURCE>\n</VOTABLE>\n"

_DATATYPES: Final = {
    "int32": "int",
    "int64": "long",
    "float32": "float",
    "float64": "double",
    "boolean": "boolean",
}
"""The words of VOTable for numbers and truth values."""

_DATES: Final = {"date": 10, "time": 8, "timestamp": 19}
_FRACTIONS: Final = {None: 0, "ms": 4, "us": 7, "ns": 10}
"""Characters of ISO 8601, and those of a fraction with its point."""

_UCD: Final = re.compile(r"[A-Za-z0-9_.:;\-]+")
_SPECIAL: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;", "\r": "&#13;"}
_BLANKS: Final = {"\n": "&#10;", "\t": "&#9;"}
_SPECIALS: Final = str.maketrans(_SPECIAL)
_IN_ATTRIBUTES: Final = str.maketrans(_SPECIAL | _BLANKS)
_NUMBERS: Final = {"nan": "NaN", "inf": "+Inf", "-inf": "-Inf", "true": "T", "false": "F"}


def votable(columns: Sequence[WrittenColumn], entries: Sequence[TableEntry], date: str) -> str:
    """Return the XML: a parameter for the date and for each entry, a field for each column, no data.

    Parameters
    ----------
    columns
        In the order of the file.
    entries
        Those with a `datatype` of one value become typed parameters; all others are text.
    date
        When the file was written, ``YYYY-MM-DDTHH:MM:SS``.

    Raises
    ------
    MamlError
        `metadata` for text with characters that XML cannot hold.

    Notes
    -----
    VOTable 1.4: strings are ``unicodeChar`` of ``array_size`` characters at most, vectors have their size, dates and
    times are text. UCDs with characters that no UCD has are left out, which the schema of VOTable asks for.

    Examples
    --------
    >>> from maml_parquet.sections.types import TypeToken
    >>> column = WrittenColumn("ra", TypeToken("float64"), unit="deg", ucd="pos.eq.ra")
    >>> print(votable([column], [TableEntry("table", "t")], "2024-05-06T07:08:09").split(chr(10))[6])
    <FIELD datatype="double" name="ra" unit="deg" ucd="pos.eq.ra"/>
    """
    described = next((entry.value for entry in entries if entry.key == "description"), "")
    lines = [_HEAD, f"<TABLE{_attribute('name', table_name(entries))}>\n"]
    if described:
        lines.append(f"<DESCRIPTION>{_text(described)}</DESCRIPTION>\n")
    date_words = {"datatype": "char", "arraysize": str(len(date)), "name": "DATE", "value": date}
    lines.append(_element("PARAM", date_words, "When the file was written, in UTC."))
    lines += [_param(entry, is_typed) for entry, is_typed in typed_entries(entries)]
    lines += [_field(column) for column in columns]
    lines.append(_TAIL)
    return "".join(lines)


def table_name(entries: Sequence[TableEntry]) -> str:
    """Return the name of the table: the first entry ``table``, else ``table``.

    Examples
    --------
    >>> table_name([TableEntry("author", "A"), TableEntry("table", "t")]), table_name([])
    ('t', 'table')
    """
    return next((entry.value for entry in entries if entry.key == "table"), "table")


def typed_entries(entries: Sequence[TableEntry]) -> list[tuple[TableEntry, bool]]:
    """Return each entry, and whether its type is told: not where an entry of the user says it.

    Examples
    --------
    >>> [told for _, told in typed_entries([TableEntry("n", "5", datatype="int64"), TableEntry("m", "5")])]
    [True, False]
    """
    keys = {entry.key for entry in entries}
    return [(entry, bool(entry.datatype) and entry.key + COMPANION not in keys) for entry in entries]


def _param(entry: TableEntry, is_typed: bool) -> str:
    datatype = _DATATYPES.get(entry.datatype) if is_typed else None
    if datatype is None:
        words = {"datatype": "char" if entry.value.isascii() else "unicodeChar", "arraysize": "*"}
        value = entry.value
    else:
        words = {"datatype": datatype}
        value = _NUMBERS.get(entry.value, entry.value)
    return _element("PARAM", words | {"name": entry.key, "value": value}, entry.description)


def _field(column: WrittenColumn) -> str:
    words = _shape(column) | {"name": column.name}
    if column.unit:
        words["unit"] = column.unit
    if _UCD.fullmatch(column.ucd):
        words["ucd"] = column.ucd
    return _element("FIELD", words, column.info)


def _shape(column: WrittenColumn) -> dict[str, str]:
    """Return datatype, and arraysize and xtype where there are such."""
    kind, size = column.kind, column.col_size
    if kind.base == "string":
        return {"datatype": "unicodeChar", "arraysize": f"{column.array_size}{f'x{size}' if size > 1 else '*'}"}
    if not kind.is_temporal:
        return {"datatype": _DATATYPES[kind.base]} | ({"arraysize": str(size)} if size > 1 else {})
    width = _DATES[kind.base] + _FRACTIONS[kind.unit] + kind.utc
    words = {"datatype": "char", "arraysize": f"{width}x{size}" if size > 1 else "*"}
    # A time of the day is none of the words that xtype knows.
    return words if kind.base == "time" else words | {"xtype": "timestamp"}


def _element(name: str, words: dict[str, str], description: str) -> str:
    start = f"<{name}{''.join(_attribute(key, value) for key, value in words.items())}"
    return f"{start}><DESCRIPTION>{_text(description)}</DESCRIPTION></{name}>\n" if description else f"{start}/>\n"


def _attribute(name: str, value: str) -> str:
    return f' {name}="{_checked(value).translate(_IN_ATTRIBUTES)}"'


def _text(value: str) -> str:
    return _checked(value).translate(_SPECIALS)


def _checked(value: str) -> str:
    if found := UNWRITABLE.search(value):
        words = f"{value[:60]!r} holds the character U+{ord(found[0]):04X}, which no header can hold; remove it"
        raise MamlError([Problem("metadata", (), words)])
    return value
