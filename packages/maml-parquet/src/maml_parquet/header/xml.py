"""What a VOTable says of the columns of its first table: IVOA VOTable 1.4, and documents that are nearly one."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final
from xml.parsers import expat

from maml_parquet.sections.sizes import parse_size
from maml_parquet.sections.types import TypeToken, parse_type

MAX_DEPTH: Final = 64
"""The most elements inside each other."""

MAX_FIELDS: Final = 100_000
"""The most fields, and the most parameters."""

_BASES: Final = {
    "int": "int32",
    "long": "int64",
    "float": "float32",
    "double": "float64",
    "boolean": "boolean",
    "char": "string",
    "unicodeChar": "string",
}
"""The words of VOTable that a type of MAML stands for; others stay as they are."""

_TEMPORAL: Final = ("date", "time", "timestamp")
_ARRAY: Final = re.compile(r"([0-9]+x)*([0-9]+\*?|\*)")


@dataclass
class Element:
    """A field or a parameter: its attributes, and what its description says."""

    name: str
    words: dict[str, str]
    description: str = ""

    @property
    def datatype(self) -> str:
        """The type in MAML's word; VOTable's own where MAML has none."""
        word = self.words.get("datatype", "")
        if self.words.get("xtype", "") in _TEMPORAL and _BASES.get(word) == "string":
            return self.words["xtype"]
        kind = parse_type(word)
        # Some writers put the words of a MAML there.
        return kind.base if isinstance(kind, TypeToken) else _BASES.get(word, word)

    @property
    def sizes(self) -> tuple[int | None, int | None]:
        """Characters and elements at most, as far as they are told: the first is that of strings alone."""
        parts = self._parts()
        if _BASES.get(self.words.get("datatype", "")) != "string":
            return None, 1 if not parts else _whole(parts[0]) if len(parts) == 1 else None
        if not parts:
            return 1, 1
        elements = 1 if len(parts) == 1 else _whole(parts[1]) if len(parts) == 2 else None
        is_string = self.datatype == "string"
        return _whole(parts[0].rstrip("*")) if is_string else None, elements

    def _parts(self) -> list[str]:
        text = self.words.get("arraysize", "").strip()
        if not text and isinstance(parse_type(self.words.get("datatype", "")), TypeToken):
            # Those that write the words of a MAML write no sizes: they may be any.
            return ["*"]
        if not text:
            return []
        return text.split("x") if _ARRAY.fullmatch(text) else ["*", "*", "*"]


@dataclass
class Votable:
    """What a document says: the table's name and description, its fields and its parameters, in their order."""

    name: str = ""
    description: str = ""
    fields: list[Element] = field(default_factory=list)
    params: list[Element] = field(default_factory=list)


def read_votable(text: str) -> Votable:
    """Return what the document says of its first table.

    Raises
    ------
    ValueError
        It is no XML, has a document type (and could have entities), too many fields, or elements too far inside each
        other.

    Examples
    --------
    >>> found = read_votable('<VOTABLE><TABLE><FIELD name="ra" datatype="double" unit="deg"/></TABLE></VOTABLE>')
    >>> found.fields[0].name, found.fields[0].datatype, found.fields[0].words["unit"]
    ('ra', 'float64', 'deg')
    """
    parser = expat.ParserCreate("utf-8")
    reading = _Reading()
    parser.StartDoctypeDeclHandler = _refuse
    parser.StartElementHandler = reading.start
    parser.EndElementHandler = reading.end
    parser.CharacterDataHandler = reading.text
    parser.buffer_text = True
    try:
        parser.Parse(text.encode("utf-8", "surrogatepass"), True)
    except expat.ExpatError as error:
        raise ValueError(f"it is no XML: {error}") from None
    return reading.found


def _refuse(*_: object) -> None:
    raise ValueError("it has a document type (DOCTYPE), which is not read")


def _whole(text: str) -> int | None:
    size = parse_size(text) if text else None
    return size if isinstance(size, int) else None


class _Reading:
    """Takes the parser's events; the elements that are open are their names without prefix."""

    def __init__(self) -> None:
        self.found = Votable()
        self._open: list[str] = []
        self._inside: Element | None = None
        self._table = 0
        self._words: list[str] = []

    def start(self, name: str, words: dict[str, str]) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise ValueError(f"more than {MAX_DEPTH} elements are inside each other")
        local = name.rpartition(":")[2]
        self._open.append(local)
        if local == "TABLE":
            self._table += 1
            if self._table == 1:
                self.found.name = words.get("name", "")
        elif self._table == 1 and local in ("FIELD", "PARAM"):
            self._inside = Element(words.get("name") or words.get("ID", ""), words)
            found = self.found.fields if local == "FIELD" else self.found.params
            found.append(self._inside)
            if len(found) > MAX_FIELDS:
                raise ValueError(f"it has more than {MAX_FIELDS} elements {local}")
        self._words.clear()

    def end(self, _: str) -> None:
        local = self._open.pop()
        parent = self._open[-1] if self._open else ""
        if local in ("FIELD", "PARAM"):
            self._inside = None
        elif local == "TABLE":
            # Another one, and what is in it, is not looked at.
            self._table += 1
        elif local == "DESCRIPTION" and self._table == 1:
            if parent in ("FIELD", "PARAM") and self._inside is not None:
                self._inside.description = "".join(self._words).strip()
            elif parent == "TABLE":
                self.found.description = "".join(self._words).strip()
        self._words.clear()

    def text(self, words: str) -> None:
        if self._open[-1] == "DESCRIPTION":
            self._words.append(words)
