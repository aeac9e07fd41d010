"""Edits of a JSON document as text: what is not edited keeps its bytes, and what is new takes the document's style.

Key order, number spelling (``1.10``, ``1e400``, integers of any size), escapes, whitespace and duplicate keys of the
rest stay as they are, which parsing and writing again would not keep.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple, NoReturn

from worldarray.errors import ArgumentError, PlacementError, problem

Path = Sequence[str | int]
"""From the root of a document to a value: the keys of objects and the positions in lists."""

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_SCALAR: Final = re.compile(r'[^\s,:"\[\]{}]+')
_PLAIN: Final = re.compile(r'[^"\[\]{}]*')
_LINE: Final = re.compile(r"(\r?\n)[ \t\r\n]*?([ \t]*)\Z")
_MARK: Final = "\ufeff"


def span_of(text: str, path: Path) -> tuple[int, int] | None:
    """Return where the value at a path begins and ends, or None where the document has none there.

    Of duplicate keys the last one counts, as for every JSON parser. `text` is valid JSON; a byte order mark is skipped.

    Raises
    ------
    PlacementError
        ``not_json``: `text` is not JSON.

    Examples
    --------
    >>> text = '{"scale": [1.10, 1e400], "fs": null}'
    >>> begin, end = span_of(text, ("scale", 1))
    >>> text[begin:end], span_of(text, ("scale", 2))
    ('1e400', None)
    """
    return _inside(text, _root(text), tuple(path))[1]


def with_value(text: str, path: Path, value: Any) -> str:
    """Return the document with one value replaced, or added as a new member of an object or at the end of a list.

    Parameters
    ----------
    text
        Valid JSON.
    path
        Where the value goes: all but its last part must be there.
    value
        Anything JSON has; a float is written so that it is read back exactly.

    Raises
    ------
    ArgumentError
        There is no object or list for the value to go into, or `value` is nothing that JSON has.

    Examples
    --------
    >>> with_value('{"a": 1.10, "b": 2}', ("b",), [8.0])
    '{"a": 1.10, "b": [8.0]}'
    >>> with_value('{"a":1.10}', ("b",), {"c": None})
    '{"a":1.10,"b":{"c":null}}'
    """
    span = span_of(text, path)
    if span is not None:
        old = text[span[0] : span[1]]
        expanded = "\n" in old if _is_filled(old) else None
        return text[: span[0]] + _dumped(text, value, span[0], expanded) + text[span[1] :]
    *parents, part = path
    holder = span_of(text, parents)
    if holder is None or text[holder[0]] != ("{" if isinstance(part, str) else "["):
        _refuse(path, "there is no object or list at the path for the value to go into")
    items = _items(text, holder[0])
    if isinstance(part, int):
        if part != len(items):
            _refuse(path, f"the list has {len(items)} entries; the next one is added at {len(items)}")
        return inserted(text, parents, part, value)
    key = json.dumps(part) + _style(text).colon
    return _put(text, holder, len(items), key, value)


def inserted(text: str, path: Path, index: int, value: Any) -> str:
    """Return the document with a value inserted in the list at a path, before the entry at `index`.

    Raises
    ------
    ArgumentError
        There is no list at the path, or it is shorter than `index`.

    Examples
    --------
    >>> inserted('{"datasets": [1.0, 4.00]}', ("datasets",), 1, 2.5)
    '{"datasets": [1.0, 2.5, 4.00]}'
    """
    span, items = _list(text, path)
    if not 0 <= index <= len(items):
        _refuse(path, f"the list has {len(items)} entries; nothing can be inserted at {index}")
    return _put(text, span, index, "", value)


def removed(text: str, path: Path, index: int) -> str:
    """Return the document without one entry of the list at a path, and without one comma.

    Raises
    ------
    ArgumentError
        There is no list at the path, or no such entry.

    Examples
    --------
    >>> removed('{"datasets": [1.0, 2.5, 4.00]}', ("datasets",), 0)
    '{"datasets": [2.5, 4.00]}'
    """
    (begin, end), items = _list(text, path)
    if not 0 <= index < len(items):
        _refuse(path, f"the list has {len(items)} entries; there is none at {index}")
    return _without(text, (begin, end), items, index)


def moved(text: str, path: Path, index: int, to: int) -> str:
    """Return the document with one entry of a list, its bytes unchanged, put before the `to`-th of the others.

    Raises
    ------
    ArgumentError
        There is no list at the path, no such entry, or fewer others than `to`.

    Examples
    --------
    >>> moved('{"datasets": [4.00, 1.0, 2.5]}', ("datasets",), 0, 2)
    '{"datasets": [1.0, 2.5, 4.00]}'
    """
    span, items = _list(text, path)
    if not (0 <= index < len(items) and 0 <= to < len(items)):
        _refuse(path, f"the list has {len(items)} entries; none of them can be moved from {index} to {to}")
    if index == to:
        return text
    entry = text[items[index].begin : items[index].end]
    text = _without(text, span, items, index)
    return _put_text(text, span[0], _items(text, span[0]), to, entry)


def _without(text: str, span: tuple[int, int], items: Sequence[_Item], index: int) -> str:
    begin, end = span
    if len(items) == 1:
        return text[: begin + 1] + text[end - 1 :]
    if index + 1 < len(items):
        return text[: items[index].begin] + text[items[index + 1].begin :]
    return text[: items[index - 1].end] + text[items[index].end :]


# Scanning ------------------------------------------------------------------------------------------------------------

_CLOSING: Final = {"{": "}", "[": "]"}


class _Item(NamedTuple):
    """One member of an object or entry of a list."""

    key: str | int
    begin: int
    end: int
    head: int
    """Where the member begins: at its key; `begin` is where its value does."""


def _root(text: str) -> int:
    return _skip(text, len(_MARK) if text.startswith(_MARK) else 0)


def _skip(text: str, at: int) -> int:
    """Return where the next token begins."""
    found = _SPACE.match(text, at)
    at = at if found is None else found.end()
    if at >= len(text):
        _not_json(text, at)
    return at


_SCANNER: Final = json.JSONDecoder(strict=False, parse_int=str, parse_float=str)


def _end(text: str, begin: int) -> int:
    """Return where the value that begins at `begin` ends."""
    if text[begin] not in _CLOSING:
        return _token(text, begin)
    try:
        return _SCANNER.raw_decode(text, begin)[1]
    except (ValueError, RecursionError):  # not JSON, or nested too deeply for a parser
        return _end_of_nested(text, begin)


def _end_of_nested(text: str, begin: int) -> int:
    """Return where an object or list ends, by its brackets: nesting costs no recursion."""
    depth, at = 0, begin
    while True:
        found = _PLAIN.match(text, at)
        at = at if found is None else found.end()
        if at >= len(text):
            _not_json(text, at)
        if text[at] == '"':
            at = _token(text, at)
            continue
        depth += 1 if text[at] in _CLOSING else -1
        at += 1
        if not depth:
            return at


def _token(text: str, begin: int) -> int:
    found = (_STRING if text[begin] == '"' else _SCALAR).match(text, begin)
    if found is None:
        _not_json(text, begin)
    return found.end()


def _items(text: str, begin: int) -> Sequence[_Item]:
    """Return the members of the object, or the entries of the list, that begins at `begin`."""
    return _whole(text, begin).items


class _Container(NamedTuple):
    """An object or list: what is in it, where it ends, and the span of what was looked for in it."""

    items: Sequence[_Item]
    end: int
    span: tuple[int, int] | None


def _scan(text: str, begin: int, path: Path) -> _Container:
    """Return the object or list that begins at `begin`, with the value at a path below it, in one pass."""
    closing = _CLOSING[text[begin]]
    items: list[_Item] = []
    span: tuple[int, int] | None = None
    at = _skip(text, begin + 1)
    while text[at] != closing:
        if items:
            at = _skip(text, _expect(text, at, ","))
        head, key = at, len(items)
        if closing == "}":
            stop = _token(text, at)
            key = json.loads(text[at:stop])
            at = _skip(text, _expect(text, _skip(text, stop), ":"))
        if path and key == path[0] and type(key) is type(path[0]):
            end, span = _inside(text, at, path[1:])
        else:
            end = _end(text, at)
        items.append(_Item(key, at, end, head))
        at = _skip(text, end)
    return _Container(items, at + 1, span)


@lru_cache(maxsize=16)
def _whole(text: str, begin: int) -> _Container:
    return _scan(text, begin, ())


def _inside(text: str, begin: int, path: Path) -> tuple[int, tuple[int, int] | None]:
    """Return where the value that begins at `begin` ends, and the span of the one at a path below it."""
    if path and text[begin] in _CLOSING:
        found = _scan(text, begin, path)
        return found.end, found.span
    end = _whole(text, begin).end if text[begin] == "[" else _end(text, begin)
    return end, None if path else (begin, end)


def _expect(text: str, at: int, char: str) -> int:
    if text[at] != char:
        _not_json(text, at)
    return at + 1


def _list(text: str, path: Path) -> tuple[tuple[int, int], Sequence[_Item]]:
    span = span_of(text, path)
    if span is None or text[span[0]] != "[":
        _refuse(path, "there is no list at the path")
    return span, _items(text, span[0])


def _not_json(text: str, at: int) -> NoReturn:
    line = text.count("\n", 0, at) + 1
    raise PlacementError(problem("not_json", (), f"not JSON at line {line}; rewrite the document"))


def _refuse(path: Path, message: str) -> NoReturn:
    raise ArgumentError(problem("wrong_value", tuple(path), message))


# Writing in the document's style -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Style:
    """How a document is laid out: what it breaks lines with ("" for one line), and its separators."""

    newline: str
    unit: str
    """One step of indentation."""
    comma: str
    """Between two members on one line."""
    colon: str


_MARKS: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|([:,])([ \t\r\n]*)', re.DOTALL)
_INLINE_COMMA: Final = re.compile(r",[ \t\r]*[^ \t\r\n]")
_DEFAULT: Final = {":": ": ", ",": ", "}


@lru_cache(maxsize=4)
def _style(text: str) -> _Style:
    """Return the style of a document, from its first comma, colon and line."""
    marks: dict[str, str] = {}
    wanted = 1 if _INLINE_COMMA.search(text) is None else 2
    for found in _MARKS.finditer(text):
        if found[1] and found[1] not in marks and "\n" not in found[2]:
            marks[found[1]] = found[1] + found[2]
            if len(marks) == wanted:
                break
    colon = marks.get(":", _DEFAULT[":"])
    comma = marks.get(",", "," + colon[1:])
    begin = _root(text)
    if text[begin] in _CLOSING and not _items(text, begin):
        return _Style("\n", "  ", ",", _DEFAULT[":"])
    broken = _LINE.search(text, begin + 1, _skip(text, begin + 1)) if text[begin] in _CLOSING else None
    if broken is None:
        return _Style("", "", comma, colon)
    return _Style(broken[1], broken[2] or "  ", comma, colon)


def _is_filled(text: str) -> bool:
    """Whether a value is an object or list with something in it."""
    return text[0] in _CLOSING and bool(text[1:-1].strip())


def _indent(text: str, at: int) -> str:
    """Return the whitespace that the line of a position begins with."""
    begin = text.rfind("\n", 0, at) + 1
    found = re.compile(r"[ \t]*").match(text, begin, at)
    return "" if found is None else found[0]


def _dumped(text: str, value: Any, at: int, expanded: bool | None, indent: str | None = None) -> str:
    """Return a value as JSON for a position: over several lines or not, None for as the document is."""
    style = _style(text)
    if expanded is None:
        expanded = bool(style.newline)
    newline, unit = style.newline or ("\r\n" if "\r\n" in text else "\n"), style.unit or "  "
    separators = (",", style.colon) if expanded else (style.comma, style.colon)
    try:
        dumped = json.dumps(
            value, indent=unit if expanded else None, separators=separators, allow_nan=False, ensure_ascii=False
        )
    except (TypeError, ValueError, RecursionError) as error:
        _refuse((), f"the value is nothing that JSON has: {error}")
    base = _indent(text, at) if indent is None else indent
    return dumped.replace("\n", newline + base) if expanded else dumped


def _put(text: str, span: tuple[int, int], index: int, key: str, value: Any) -> str:
    """Return the document with a member or entry put into a container, before its `index`-th."""
    begin, end = span
    items = _items(text, begin)
    if not items:
        style, outer = _style(text), _indent(text, begin)
        dumped = _dumped(text, value, begin, None, outer + style.unit)
        before, after = (style.newline + outer + style.unit, style.newline + outer) if style.newline else ("", "")
        return f"{text[: begin + 1]}{before}{key}{dumped}{after}{text[end - 1 :]}"
    near = items[min(index, len(items) - 1)]
    line = _LINE.search(_gap(text, begin, items))
    sibling = text[near.begin : near.end]
    expanded = "\n" in sibling if _is_filled(sibling) else (None if line else False)
    dumped = _dumped(text, value, near.head, expanded, None if line is None else line[2])
    return _put_text(text, begin, items, index, key + dumped)


def _put_text(text: str, begin: int, items: Sequence[_Item], index: int, entry: str) -> str:
    gap = _gap(text, begin, items)
    if index < len(items):
        head = items[index].head
        return f"{text[:head]}{entry},{gap}{text[head:]}"
    end = items[-1].end
    return f"{text[:end]},{gap}{entry}{text[end:]}"


def _gap(text: str, begin: int, items: Sequence[_Item]) -> str:
    """Return the whitespace that stands between a comma of a container and what follows it."""
    if len(items) > 1:
        return text[_skip(text, items[0].end) + 1 : items[1].head]
    first = text[begin + 1 : items[0].head]
    return first if "\n" in first else _style(text).comma[1:]
