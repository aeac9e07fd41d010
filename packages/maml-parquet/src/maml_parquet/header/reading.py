"""From the keys and values of a file to what they say of its columns and of the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from maml_parquet.errors import MamlError, Notice
from maml_parquet.header.keys import COLUMN, CONTENT, LENGTH, MAML, VERSION
from maml_parquet.header.xml import Element, Votable, read_votable
from maml_parquet.schema.records import TableEntry
from maml_parquet.schema.values import COMPANION
from maml_parquet.sections.entries import entries as entries_of
from maml_parquet.sections.records import Field, Maml
from maml_parquet.sections.rules import read_document
from maml_parquet.sections.sizes import parse_size
from maml_parquet.text.nodes import compose
from maml_parquet.text.reading import MAX_BYTES, lines

DATATYPES: Final = frozenset(
    word + brackets for word in ("int32", "int64", "float32", "float64", "boolean") for brackets in ("", "[]")
) | {"string[]"}
"""The words for the type of an entry."""

_TEXTS: Final = {"unit": "unit", "description": "description", "ucd": "ucd"} | dict.fromkeys(
    ("datatype", "data_type"), "datatype"
)
_SIZES: Final = ("array_size", "col_size")
_PREFIX: Final = "IVOA.VOTable-Parquet."
_TECHNICAL: Final = frozenset({"ARROW:schema", "pandas", MAML, "table_meta_yaml"})


@dataclass(frozen=True)
class ColumnInfo:
    """What a header says of a column; texts are empty and sizes None where it says nothing.

    `datatype` is a word of MAML without unit (``timestamp``), or VOTable's own (``short``) where MAML has none.
    `array_size` is the most characters of a string, `col_size` the elements of a row.
    """

    unit: str = ""
    description: str = ""
    ucd: str = ""
    datatype: str = ""
    array_size: int | None = None
    col_size: int | None = None


@dataclass(frozen=True)
class Header:
    """What the keys and values of a file say.

    Attributes
    ----------
    columns
        By the names of the file, in the order of the header.
    entries
        What is said of the table, in the order of the file, repeats included; no key that serves a reader of files.
    votable, maml
        These documents as they stand; None where there is none.
    date, name
        When the file was written, and the table's name; empty where the header does not say.
    notices
        Documents that cannot be read: what they say is missing here.
    """

    columns: Mapping[str, ColumnInfo]
    entries: tuple[TableEntry, ...]
    votable: str | None = None
    maml: str | None = None
    date: str = ""
    name: str = ""
    notices: tuple[Notice, ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy has: a view of columns cannot be copied, what it shows can."""
        return {**self.__dict__, "columns": dict(self.columns)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Become a copy."""
        self.__dict__.update(state, columns=MappingProxyType(state["columns"]))


def read_items(items: Iterable[tuple[str, str]]) -> Header:
    """Return what the keys and values of a file say of its columns and of the table.

    Parameters
    ----------
    items
        All of the footer, in their order. Of repeated keys of a column the first counts.

    Returns
    -------
    Header
        Of columns: the keys ``column.<name>.unit`` and so on; what they leave out as the VOTable has it; where there
        is neither, as the MAML has it. Of the table: all entries, with the descriptions of the VOTable's parameters;
        where there is neither keys of columns nor a VOTable, the MAML's besides. Documents that cannot be read are
        `Header.notices`; nothing is raised for what a header says.

    Examples
    --------
    >>> header = read_items([("survey", "S"), ("column.a.b.unit", "deg"), ("n", "5"), ("n.datatype", "int64")])
    >>> header.columns["a.b"].unit
    'deg'
    >>> [(entry.key, entry.value, entry.datatype) for entry in header.entries]
    [('survey', 'S', ''), ('n', '5', 'int64')]
    """
    pairs = tuple(items)
    columns: dict[str, dict[str, str]] = {}
    others = [pair for pair in pairs if not _told(pair, columns)]
    content, maml = _first(pairs, CONTENT), _first(pairs, MAML)
    notices: list[Notice] = []
    votable = _votable(content, notices)
    date, name, others = _dated(others)
    entries = _described(_entries(others), votable, has_date=bool(date))
    if not columns and content is None and maml is not None:
        found, more = _of_maml(maml, notices)
        present = {entry.key for entry in entries}
        entries += [entry for entry in more if entry.key not in present]
    else:
        found = _merged(columns, votable)
    title = name or votable.name
    return Header(MappingProxyType(found), tuple(entries), content, maml, date, title, tuple(notices))


def _first(pairs: Iterable[tuple[str, str]], wanted: str) -> str | None:
    return next((value for key, value in pairs if key == wanted), None)


def _told(pair: tuple[str, str], columns: dict[str, dict[str, str]]) -> bool:
    """Take the pair if it is an attribute of a column: ``column.<name>.<word>``, the name with what dots it has."""
    key, value = pair
    if not key.startswith(COLUMN):
        return False
    name, _, word = key[len(COLUMN) :].rpartition(".")
    word = _TEXTS.get(word, word)
    if not name or word not in ColumnInfo.__dataclass_fields__:
        return False
    columns.setdefault(name, {}).setdefault(word, value)
    return True


def _dated(pairs: list[tuple[str, str]]) -> tuple[str, str, list[tuple[str, str]]]:
    """Return date and name, which stand behind the version of the header, and the pairs without them."""
    place = next((place for place, (key, _) in enumerate(pairs) if key == VERSION), len(pairs)) + 1
    if [key for key, _ in pairs[place : place + 2]] != ["DATE", "name"]:
        return "", "", pairs
    return pairs[place][1], pairs[place + 1][1], pairs[:place] + pairs[place + 2 :]


def _entries(pairs: Iterable[tuple[str, str]]) -> list[TableEntry]:
    """Return the entries; the type of one stands behind it."""
    found: list[TableEntry] = []
    typed = ""
    for key, value in pairs:
        if key in _TECHNICAL or key.startswith((_PREFIX, LENGTH)):
            typed = ""
        elif typed and key == typed and value in DATATYPES:
            found[-1] = replace(found[-1], datatype=value)
            typed = ""
        else:
            found.append(TableEntry(key, value))
            typed = key + COMPANION
    return found


def _votable(content: str | None, notices: list[Notice]) -> Votable:
    if content is not None:
        try:
            return read_votable(content)
        except ValueError as error:
            words = f"the VOTable of the file cannot be read: {error}; what it alone says is missing"
            notices.append(Notice("votable", (CONTENT,), words))
    return Votable()


def _described(entries: list[TableEntry], votable: Votable, *, has_date: bool) -> list[TableEntry]:
    """Return the entries with the descriptions of the parameters of the same key, the first for the first."""
    waiting: dict[str, list[str]] = {}
    for param in reversed(votable.params):
        waiting.setdefault(param.name, []).append(param.description)
    if has_date and waiting.get("DATE"):
        waiting["DATE"].pop()
    return [
        replace(entry, description=waiting[entry.key].pop()) if waiting.get(entry.key) else entry for entry in entries
    ]


def _merged(columns: Mapping[str, Mapping[str, str]], votable: Votable) -> dict[str, ColumnInfo]:
    """Return what keys say of the columns, and where they say nothing, the fields."""
    fields: dict[str, Element] = {}
    for element in votable.fields:
        fields.setdefault(element.name, element)
    found: dict[str, ColumnInfo] = {}
    for name in dict.fromkeys((*columns, *fields)):
        info = _of_field(fields[name]) if name in fields else ColumnInfo()
        told = columns.get(name, {})
        texts = {word: told[word] for word in _TEXTS if word in told}
        sizes = {word: _size(told[word]) for word in _SIZES if word in told}
        found[name] = replace(info, **texts, **sizes)  # type: ignore[arg-type]
    return found


def _of_field(element: Element) -> ColumnInfo:
    words = element.words
    unit, ucd = words.get("unit", "").strip(), words.get("ucd", "").strip()
    return ColumnInfo(unit, element.description, ucd, element.datatype, *element.sizes)


def _size(text: str) -> int | None:
    size = parse_size(text) if text.strip() else None
    return size if isinstance(size, int) else None


def _of_maml(text: str, notices: list[Notice]) -> tuple[dict[str, ColumnInfo], list[TableEntry]]:
    """Return columns and entries of a MAML that describes the file; what in it is odd is left to those who load it."""
    try:
        root, _ = compose(lines(text, max_line=MAX_BYTES))
    except MamlError as error:
        words = f"the MAML of the file cannot be read: {error.problems[0].message}; what it says is missing"
        notices.append(Notice(error.code, (MAML,), words, error.problems[0].line, error.problems[0].column))
        return {}, []
    maml: Maml = read_document(root, role="read", profile="parquet")[0]
    columns: dict[str, ColumnInfo] = {}
    for field in maml.fields:
        columns.setdefault(field.name, _of_maml_field(field))
    return columns, [TableEntry(entry.key, entry.value, entry.description) for entry in entries_of(maml)]


def _of_maml_field(field: Field) -> ColumnInfo:
    return ColumnInfo(
        field.unit,
        field.info,
        field.ucd,
        field.data_type.base if field.data_type else "",
        field.array_size if isinstance(field.array_size, int) and field.has_array_size else None,
        field.col_size if isinstance(field.col_size, int) else None,
    )
