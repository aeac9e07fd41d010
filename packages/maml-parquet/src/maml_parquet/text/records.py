"""The nodes of a text: every scalar as its text, with its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from maml_parquet.errors import At, Problem

Style: TypeAlias = Literal["plain", "single", "double", "literal", "folded"]

NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
"""The plain scalars that stand for nothing."""


def fold(key: str) -> str:
    """Return the key as keys are compared: ASCII capitals as small letters, nothing else changed.

    Examples
    --------
    >>> fold("Data_Type"), fold("\u00c5")
    ('data_type', 'Å')
    """
    return "".join(chr(ord(letter) + 32) if "A" <= letter <= "Z" else letter for letter in key)


@dataclass(frozen=True)
class Scalar:
    """A scalar as its text; lines and columns count from 1."""

    text: str
    line: int
    column: int
    style: Style

    @property
    def is_null(self) -> bool:
        """Whether it stands for nothing: empty, ``~`` or ``null`` without quotes."""
        return self.style == "plain" and self.text in NULLS

    @property
    def is_block(self) -> bool:
        """Whether it was begun with ``|`` or ``>``."""
        return self.style in ("literal", "folded")


@dataclass(frozen=True)
class Sequence:
    """A list of nodes."""

    items: tuple[Node, ...]
    line: int
    column: int


@dataclass(frozen=True)
class Mapping:
    """Keys and their values in the order of the text; no two keys fold together."""

    pairs: tuple[tuple[Scalar, Node], ...]
    line: int
    column: int

    def folded(self) -> Iterator[tuple[str, Scalar, Node]]:
        """Yield each key as it is compared, as it is written, and its value."""
        for key, value in self.pairs:
            yield fold(key.text.strip()), key, value


Node: TypeAlias = Scalar | Sequence | Mapping


def duplicate(first: Scalar, second: Scalar, at: At) -> Problem:
    """Return the problem of two keys of one map that are the same."""
    words = f"the key {second.text!r} stands in line {first.line} already ({first.text!r}); keep one of the two"
    return Problem("key-duplicate", at, words, second.line, second.column)
