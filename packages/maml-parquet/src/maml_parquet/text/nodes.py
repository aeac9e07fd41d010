"""YAML text to nodes: every scalar as text, with its place; limits before anything is built."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

import yaml

from maml_parquet.errors import At, MamlError, Problem
from maml_parquet.text.lined import compose_lines
from maml_parquet.text.records import Mapping, Node, Scalar, Sequence, Style, duplicate, fold

__all__ = ["MAX_DEPTH", "MAX_NODES", "Dialect", "Mapping", "Node", "Scalar", "Sequence", "compose", "fold"]

Dialect: TypeAlias = Literal["yaml", "line"]

MAX_DEPTH: Final = 32
"""The most lists and maps inside each other."""

MAX_NODES: Final = 100_000
"""The most nodes, each alias counted as what it stands for."""

_LOADER: Final[Any] = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

_STYLES: Final[dict[str | None, Style]] = {
    None: "plain",
    "": "plain",
    "'": "single",
    '"': "double",
    "|": "literal",
    ">": "folded",
}

_CORE: Final = "tag:yaml.org,2002:"
_SCALAR_TAGS: Final = frozenset(_CORE + word for word in ("str", "int", "float", "bool", "null"))
_ILLEGAL: Final = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def compose(text: str, dialect: Dialect = "yaml", *, loader: Any = None) -> tuple[Mapping, tuple[Problem, ...]]:
    """Return the map that the text is, and its duplicate keys.

    Parameters
    ----------
    text
        As `lines` returns it.
    dialect
        ``yaml``, or ``line``: a line is split at its first colon, quotes hold no escapes, comments are whole lines.
    loader
        The class of pyyaml that finds the events; by default libyaml's where pyyaml has it.

    Raises
    ------
    MamlError
        `yaml` for what cannot be parsed, `shape` for a root that is not a map, `limit` for too deep and too many.

    Examples
    --------
    >>> root, problems = compose("version: 1.10")
    >>> root.pairs[0][1]
    Scalar(text='1.10', line=1, column=10, style='plain')
    """
    if dialect == "line":
        return compose_lines(text, depth=MAX_DEPTH, nodes=MAX_NODES)
    builder = _Builder()
    try:
        for event in yaml.parse(text, Loader=loader or _LOADER):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        raise MamlError([_marked(error, text)]) from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        if isinstance(error, MamlError):
            raise
        raise MamlError([Problem("yaml", (), f"the text is not YAML: {error}")]) from None
    return builder.root(), tuple(builder.problems)


def _marked(error: yaml.MarkedYAMLError, text: str) -> Problem:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    words = ", ".join(part for part in (error.context, error.problem) if part) or "the text is not YAML"
    if "nesting" in words:
        return Problem("limit", (), f"lists and maps are more than {MAX_DEPTH} deep here; flatten them", line, column)
    return Problem("yaml", (), words + _hint(words, text.split("\n"), line), line, column)


_QUOTE: Final = "quote values that hold any of : # [ ] { } & * ! | > ' \" % @"


def _hint(words: str, rows: list[str], line: int) -> str:
    row = rows[line - 1] if line <= len(rows) else ""
    if "mapping values" in words:
        return "; a value that holds ': ' needs quotes around it (or read the file with dialect=\"line\")"
    if re.search(r":\s+[>|]", row):
        return "; quote a value that begins with an operator: min: '> 5'"
    if "\t" in row[: len(row) - len(row.lstrip())]:
        return "; indent with blanks, not with tabs"
    if "block collection" in words or "block mapping" in words:
        return "; items and keys that belong together begin at the same column; " + _QUOTE
    if "flow" in words:
        return "; a { or [ before it is not closed, or a comma is missing; " + _QUOTE
    return f"; {_QUOTE}"


@dataclass
class _Open:
    """A list or map that is being built."""

    line: int
    column: int
    is_map: bool
    anchor: str | None
    before: int
    opaque: bool
    items: list[Node] = field(default_factory=list)
    keys: dict[str, Scalar] = field(default_factory=dict)
    key: Scalar | None = None
    height: int = 1


@dataclass
class _Builder:
    """Takes events; counts before it builds."""

    problems: list[Problem] = field(default_factory=list)
    stack: list[_Open] = field(default_factory=list)
    anchors: dict[str, tuple[Node, int, int] | None] = field(default_factory=dict)
    count: int = 0
    documents: int = 0
    built: Node | None = None

    def root(self) -> Mapping:
        if isinstance(self.built, Mapping):
            return self.built
        if self.built is None or (isinstance(self.built, Scalar) and self.built.is_null):
            words = "the text is empty; a MAML is a map of keys, and begins with `table: <name>`"
        else:
            what = "a list" if isinstance(self.built, Sequence) else "a single value"
            words = f"the text is {what}; a MAML is a map of keys, and begins with `table: <name>`"
            if isinstance(self.built, Scalar) and self.built.text.lower().endswith((".maml", ".yaml", ".yml")):
                words += "; `load` reads a file"
        raise MamlError([Problem("shape", (), words)])

    def take(self, event: Any) -> None:
        line, column = event.start_mark.line + 1, event.start_mark.column + 1
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event, line, column)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event.anchor, line, column)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._begin(event, line, column)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._end()
        elif isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                raise self._error(
                    "yaml", "a second document begins here; put each MAML into its own file", line, column
                )

    def _scalar(self, event: Any, line: int, column: int) -> None:
        style = _STYLES[event.style]
        if event.tag is not None and not (event.tag == "!" or event.tag in _SCALAR_TAGS):
            raise self._tag(event.tag, line, column)
        if event.tag in ("!", _CORE + "str") and style == "plain":
            style = "single"
        if illegal := _ILLEGAL.search(event.value):
            words = f"the value holds the character U+{ord(illegal[0]):04X}, which no MAML can; remove it"
            self.problems.append(Problem("encoding", self._at(), words, line, column))
        self._add(Scalar(event.value, line, column, style), event.anchor, 1, 0)

    def _alias(self, anchor: str | None, line: int, column: int) -> None:
        if anchor is None or anchor not in self.anchors:
            raise self._error("yaml", f"*{anchor} refers to nothing: there is no &{anchor} before it", line, column)
        found = self.anchors[anchor]
        if found is None:
            raise self._error("yaml", f"*{anchor} stands inside what it refers to; write the value out", line, column)
        node, size, height = found
        if isinstance(node, Scalar):
            node = Scalar(node.text, line, column, node.style)
        elif self.stack and self.stack[-1].is_map and self.stack[-1].key is None:
            raise self._error("yaml", f"*{anchor} is a list or a map, and a key here; keys are words", line, column)
        if len(self.stack) + height > MAX_DEPTH:
            raise self._deep(line, column)
        self._check_count(size, line, column)
        self._add(node, None, size, height)

    def _begin(self, event: Any, line: int, column: int) -> None:
        is_map = isinstance(event, yaml.MappingStartEvent)
        if event.tag is not None and event.tag != _CORE + ("map" if is_map else "seq"):
            raise self._tag(event.tag, line, column)
        top = self.stack[-1] if self.stack else None
        if top and top.is_map and top.key is None:
            raise self._error("yaml", "a list or a map is the key here; keys are words", line, column)
        if len(self.stack) >= MAX_DEPTH:
            raise self._deep(line, column)
        opaque = len(self.stack) >= 2 and fold(self.stack[0].key.text if self.stack[0].key else "") == "extra"
        if event.anchor:
            self.anchors[event.anchor] = None
        self.stack.append(_Open(line, column, is_map, event.anchor, self.count, opaque))

    def _end(self) -> None:
        done = self.stack.pop()
        node: Node
        if done.is_map:
            node = Mapping(tuple(zip(done.keys.values(), done.items, strict=True)), done.line, done.column)
        else:
            node = Sequence(tuple(done.items), done.line, done.column)
        self._add(node, done.anchor, 1, done.height, size=self.count - done.before + 1)

    def _add(self, node: Node, anchor: str | None, counted: int, height: int, size: int | None = None) -> None:
        self.count += counted
        if self.count > MAX_NODES:
            words = (
                f"there are more than {MAX_NODES} values (each alias counts as what it stands for); shorten the MAML"
            )
            raise self._error("limit", words, node.line, node.column)
        if anchor:
            self.anchors[anchor] = (node, counted if size is None else size, height)
        if not self.stack:
            self.built = node
            return
        top = self.stack[-1]
        top.height = max(top.height, height + 1)
        if not top.is_map:
            top.items.append(node)
        elif top.key is None:
            self._key(top, node)
        else:
            self._value(top, top.key, node)

    def _check_count(self, counted: int, line: int, column: int) -> None:
        if self.count + counted > MAX_NODES:
            words = (
                f"there are more than {MAX_NODES} values (each alias counts as what it stands for); shorten the MAML"
            )
            raise self._error("limit", words, line, column)

    def _key(self, top: _Open, node: Node) -> None:
        if not isinstance(node, Scalar):
            raise self._error("yaml", "a list or a map is the key here; keys are words", node.line, node.column)
        top.key = node

    def _value(self, top: _Open, key: Scalar, node: Node) -> None:
        same = key.text if top.opaque else fold(key.text.strip())
        if first := top.keys.get(same):
            self.problems.append(duplicate(first, key, self._at()))
        else:
            top.keys[same] = key
            top.items.append(node)
        top.key = None

    def _at(self) -> At:
        at: list[str | int] = []
        for frame in self.stack:
            if not frame.is_map:
                at.append(len(frame.items))
            elif frame.key is not None:
                at.append(frame.key.text if frame.opaque else fold(frame.key.text.strip()))
        return tuple(at)

    def _error(self, code: str, words: str, line: int, column: int) -> MamlError:
        return MamlError([*self.problems, Problem(code, self._at(), words, line, column)])

    def _tag(self, tag: str, line: int, column: int) -> MamlError:
        return self._error("yaml", f"the tag {tag!r} is not read; remove it: every value is text", line, column)

    def _deep(self, line: int, column: int) -> MamlError:
        words = f"lists and maps are more than {MAX_DEPTH} deep here; flatten them"
        return MamlError([*self.problems, Problem("limit", self._at()[:MAX_DEPTH], words, line, column)])
