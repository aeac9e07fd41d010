"""Trees of texts as YAML that every reader takes the same way: one item a line, quotes where a text needs them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from maml_parquet.errors import MamlError, Problem
from maml_parquet.text.reading import MAX_BYTES

NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
"""Numbers that every reader of YAML takes for numbers."""

_LINE: Final = 600
"""The most characters of a text on one line; with key and indentation lines stay far below 1024."""

_KEY: Final = 300
"""The most characters of a key that stands before its value in a line."""

_PLAIN: Final = re.compile(r"[^\W\d_][\w./;()+*^<>@=,-]*(?: [\w./;()+*^<>@=,-]+)*")
_TAKEN: Final = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
_ESCAPED: Final = re.compile('[\x00-\x1f"\\\\\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]')
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


@dataclass(frozen=True)
class Bare:
    """A text that stands as it is: a number, null, or a word that needs no quotes."""

    text: str


Tree: TypeAlias = "str | Bare | Sequence[Tree] | Mapping[str, Tree]"


def yaml_text(tree: Mapping[str, Tree]) -> str:
    r"""Return the tree as a YAML document.

    Parameters
    ----------
    tree
        Maps and lists of texts. A text is read back as exactly that text, by readers that give numbers, dates and truth
        values types of their own too.

    Raises
    ------
    MamlError
        `limit` above 4 MiB.

    Examples
    --------
    >>> print(yaml_text({"a": "b c", "version": "1.10", "size": Bare("5"), "list": ["it's", "yes"]}), end="")
    a: b c
    version: '1.10'
    size: 5
    list:
    - "it's"
    - 'yes'
    """
    rows: list[str] = []
    size = 0
    for row in _map(tree, 0):
        size += len(row.encode()) + 1
        if size > MAX_BYTES:
            words = f"the MAML of the file has more than {MAX_BYTES} bytes (4 MiB); shorten its texts"
            raise MamlError([Problem("limit", (), words)])
        rows.append(row)
    return "".join(f"{row}\n" for row in rows)


def _map(tree: Mapping[str, Tree], indent: int) -> Iterator[str]:
    margin = " " * indent
    for key, value in tree.items():
        words = _scalar(key, indent)
        if len(words) > _KEY:
            yield f"{margin}? {words}"
            start = f"{margin}:"
        else:
            start = f"{margin}{words}:"
        if isinstance(value, str | Bare) or not value:
            yield f"{start} {_leaf(value, indent)}"
        else:
            yield start
            # A list may stand below its key; behind a key on a line of its own it may not.
            yield from _below(value, indent if len(words) <= _KEY else indent + 2, indent + 2)


def _below(value: Sequence[Tree] | Mapping[str, Tree], list_indent: int, map_indent: int) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from _map(value, map_indent)
    else:
        yield from _list(value, list_indent)


def _list(items: Sequence[Tree], indent: int) -> Iterator[str]:
    margin = " " * indent
    for item in items:
        if isinstance(item, str | Bare) or not item:
            yield f"{margin}- {_leaf(item, indent)}"
        else:
            inner = _below(item, indent + 2, indent + 2)
            yield f"{margin}- {next(inner)[indent + 2 :]}"
            yield from inner


def _leaf(value: Tree, indent: int) -> str:
    if isinstance(value, Bare):
        return value.text
    if isinstance(value, str):
        return _scalar(value, indent)
    return "{}" if isinstance(value, Mapping) else "[]"


def _scalar(text: str, indent: int) -> str:
    """Return the text with the quotes that it needs; a long one in several lines, which are one for readers."""
    if len(text) <= _LINE and not _ESCAPED.search(text.replace('"', "").replace("\\", "")):
        if _PLAIN.fullmatch(text) and text.lower() not in _TAKEN:
            return text
        if "'" not in text:
            return f"'{text}'"
        if '"' not in text and "\\" not in text:
            return f'"{text}"'
        quoted = text.replace("'", "''")
        return f"'{quoted}'"
    return _double(text, indent)


def _double(text: str, indent: int) -> str:
    parts: list[str] = []
    row: list[str] = []
    length = 0
    for letter in text:
        unit = _escape(letter) if _ESCAPED.match(letter) else letter
        if length + len(unit) > _LINE:
            parts.append("".join(row))
            # Blanks at the beginning of a line would be lost.
            row, length, unit = [], 0, "\\ " if unit == " " else unit
        row.append(unit)
        length += len(unit)
    parts.append("".join(row))
    fold = "\\\n" + " " * (indent + 2)
    return f'"{fold.join(parts)}"'


def _escape(letter: str) -> str:
    number = ord(letter)
    return _ESCAPES.get(letter) or (f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}")
