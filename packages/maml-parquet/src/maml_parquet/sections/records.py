"""A MAML as records: its sections and their entries, its fields, what `extra` asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from maml_parquet.errors import Notice
from maml_parquet.sections.qc import Qc
from maml_parquet.sections.sizes import Size
from maml_parquet.sections.types import TypeToken
from maml_parquet.text.records import Mapping

Role: TypeAlias = Literal["write", "read", "table-type"]
Profile: TypeAlias = Literal["parquet", "spec-1.0", "spec-1.1", "spec-1.2"]


@dataclass(frozen=True)
class Entry:
    """One entry of a table's metadata."""

    key: str
    value: str
    description: str = ""


@dataclass(frozen=True)
class Section:
    """A top-level key: its name in small letters, as it was written, its line, and the entries it becomes."""

    name: str
    written: str
    line: int
    entries: tuple[Entry, ...] = ()


@dataclass(frozen=True)
class Field:
    """A column.

    `data_type` is None only where it was not asked for: in a MAML that describes a file (role ``read``), and for words
    that the profiles of the specification let pass. `unit` is empty for ``unitless``; `qc` is None where nothing was
    declared, which differs from a `qc` that checks nothing. Where no `array_size` is written, `has_array_size` is False
    and strings have no limit. `position` is that of the item of `fields` it was read from: a field of several columns
    is one item.
    """

    name: str
    data_type: TypeToken | None
    col_size: Size = 1
    array_size: Size = 1
    unit: str = ""
    info: str = ""
    ucd: str = ""
    qc: Qc | None = None
    source: Literal["file", "computed"] = "file"
    line: int = 1
    has_array_size: bool = False
    position: int = 0


@dataclass(frozen=True)
class Rename:
    """An item of `col_map` or `remap`: the name inside the program, and the one outside."""

    internal: str
    external: str
    line: int = 1
    column: int = 1


@dataclass(frozen=True)
class Name:
    """A text of a list of `extra`, with its place."""

    text: str
    line: int = 1
    column: int = 1


@dataclass(frozen=True)
class Extra:
    """What `extra` asks for: three lists for writing, three for reading; the lists of the other role stay empty."""

    col_map: tuple[Rename, ...] = ()
    protected_cols: tuple[Name, ...] = ()
    nullable_cols: tuple[Name, ...] = ()
    remap: tuple[Rename, ...] = ()
    filter: tuple[Name, ...] = ()
    sort: tuple[Name, ...] = ()


@dataclass(frozen=True)
class Maml:
    """A MAML without problems.

    Attributes
    ----------
    sections
        In the order of the text, `fields` and `extra` among them, those that say nothing left out.
    notices
        What is odd but usable.
    root
        The nodes it was read from.
    """

    sections: tuple[Section, ...]
    fields: tuple[Field, ...]
    extra: Extra
    role: Role
    profile: Profile
    root: Mapping
    notices: tuple[Notice, ...] = ()
    source: str = ""
