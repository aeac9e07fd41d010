"""The dialect of lines: indentation, the first colon, one pair of quotes; no other YAML."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from maml_parquet.errors import At, MamlError, Problem
from maml_parquet.text.records import Mapping, Node, Scalar, Sequence, duplicate, fold

LISTS_OF_MAPS: Final = frozenset({"fields", "keyarray", "dois", "depends", "col_map", "remap"})
"""The keys whose items are maps; the items of every other list are texts, colons and all."""

_BLANKS: Final = " \t"


@dataclass(frozen=True)
class _Row:
    """A line with something on it: its indentation, its text without that, its number, the column where it begins."""

    indent: int
    text: str
    line: int

    @property
    def is_item(self) -> bool:
        return self.text == "-" or self.text[:2] in ("- ", "-\t")

    def without_dash(self) -> _Row:
        rest = self.text[1:].lstrip(_BLANKS)
        return _Row(self.indent + len(self.text) - len(rest), rest, self.line)


@dataclass
class _Reader:
    """The lines that are not read yet, and what was found so far."""

    rows: list[_Row]
    depth: int
    nodes: int
    next: int = 0
    count: int = 0
    at: list[str | int] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def peek(self) -> _Row | None:
        return self.rows[self.next] if self.next < len(self.rows) else None


def compose_lines(text: str, *, depth: int, nodes: int) -> tuple[Mapping, tuple[Problem, ...]]:
    """Return the map that the lines are, and its duplicate keys.

    Raises
    ------
    MamlError
        `yaml` for a line that is neither ``key: value`` nor ``- item``, `shape` for a text without keys, `limit` for
        more nodes or deeper nesting than given.

    Examples
    --------
    >>> root, problems = compose_lines("comment: this: and #that", depth=2, nodes=10)
    >>> root.pairs[0][1].text
    'this: and #that'
    """
    rows = []
    for number, line in enumerate(text.split("\n"), 1):
        words = line.strip(_BLANKS)
        if words and not words.startswith("#") and words not in ("---", "..."):
            rows.append(_Row(len(line) - len(line.lstrip(_BLANKS)), words, number))
    if not rows:
        words = "the text is empty; a MAML is a map of keys, and begins with `table: <name>`"
        raise MamlError([Problem("shape", (), words)])
    if rows[0].is_item:
        words = "the text is a list; a MAML is a map of keys, and begins with `table: <name>`"
        raise MamlError([Problem("shape", (), words, rows[0].line, rows[0].indent + 1)])
    reader = _Reader(rows, depth, nodes)
    root = _mapping(reader, rows[0].indent, 1)
    if left := reader.peek():
        raise _misplaced(reader, left)
    return root, tuple(reader.problems)


def _mapping(reader: _Reader, indent: int, depth: int) -> Mapping:
    first = reader.rows[reader.next]
    _count(reader, first, depth)
    keys: dict[str, Scalar] = {}
    values: list[Node] = []
    while (row := reader.peek()) and row.indent == indent and not row.is_item:
        key, colon, rest = row.text.partition(":")
        if not colon or not key.strip(_BLANKS):
            raise _misplaced(reader, row)
        reader.next += 1
        name = _scalar(key, row, 0)
        reader.at.append(fold(name.text))
        value = _value(reader, row, name.text, rest, depth)
        same = fold(name.text)
        if first_key := keys.get(same):
            reader.problems.append(duplicate(first_key, name, tuple(reader.at)))
        else:
            keys[same] = name
            values.append(value)
        reader.at.pop()
    if row and row.indent > indent:
        raise _misplaced(reader, row)
    return Mapping(tuple(zip(keys.values(), values, strict=True)), first.line, first.indent + 1)


def _value(reader: _Reader, row: _Row, key: str, rest: str, depth: int) -> Node:
    if rest.strip(_BLANKS):
        _count(reader, row, depth)
        return _scalar(rest, row, len(row.text) - len(rest))
    below = reader.peek()
    if below and below.is_item and below.indent >= row.indent:
        return _sequence(reader, below.indent, depth + 1, maps=fold(key) in LISTS_OF_MAPS)
    if below and below.indent > row.indent:
        return _mapping(reader, below.indent, depth + 1)
    _count(reader, row, depth)
    return Scalar("", row.line, row.indent + len(row.text) + 1, "plain")


def _sequence(reader: _Reader, indent: int, depth: int, *, maps: bool) -> Sequence:
    first = reader.rows[reader.next]
    _count(reader, first, depth)
    items: list[Node] = []
    while (row := reader.peek()) and row.indent == indent and row.is_item:
        reader.at.append(len(items))
        inner = row.without_dash()
        if maps and inner.text:
            reader.rows[reader.next] = inner
            items.append(_mapping(reader, inner.indent, depth + 1))
        else:
            reader.next += 1
            items.append(_item(reader, row, inner, depth, maps=maps))
        reader.at.pop()
    return Sequence(tuple(items), first.line, first.indent + 1)


def _item(reader: _Reader, row: _Row, inner: _Row, depth: int, *, maps: bool) -> Node:
    below = reader.peek()
    if maps and below and below.indent > row.indent and not below.is_item:
        return _mapping(reader, below.indent, depth + 1)
    _count(reader, row, depth)
    return _scalar(inner.text, inner, 0)


def _scalar(text: str, row: _Row, start: int) -> Scalar:
    words = text.strip(_BLANKS)
    column = row.indent + start + 1 + len(text) - len(text.lstrip(_BLANKS))
    if len(words) >= 2 and words[0] == words[-1] and words[0] in "'\"":
        return Scalar(words[1:-1], row.line, column, "single" if words[0] == "'" else "double")
    return Scalar(words, row.line, column, "plain")


def _count(reader: _Reader, row: _Row, depth: int) -> None:
    reader.count += 1
    if depth > reader.depth:
        words = f"lists and maps are more than {reader.depth} deep here; flatten them"
        raise _error(reader, "limit", words, row)
    if reader.count > reader.nodes:
        raise _error(reader, "limit", f"there are more than {reader.nodes} values; shorten the MAML", row)


def _misplaced(reader: _Reader, row: _Row) -> MamlError:
    words = f"{row.text[:40]!r} is neither `key: value` nor `- item` at the indentation of the lines before it"
    return _error(reader, "yaml", words, row)


def _error(reader: _Reader, code: str, words: str, row: _Row) -> MamlError:
    at: At = tuple(reader.at)
    return MamlError([*reader.problems, Problem(code, at, words, row.line, row.indent + 1)])
