"""What is collected while a document is read: problems, and notices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from maml_parquet.errors import At, Notice, Problem
from maml_parquet.sections.likely import likely
from maml_parquet.sections.records import Profile, Role
from maml_parquet.sections.types import TypeToken
from maml_parquet.text.records import Mapping, Node, Scalar, Sequence, fold

START: Final = Scalar("", 1, 1, "plain")
"""The place of what is not there."""


@dataclass
class Report:
    """What was found so far, and what is asked for."""

    role: Role
    profile: Profile
    problems: list[Problem] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    type_words: dict[str, TypeToken] = field(default_factory=dict)

    @property
    def is_spec(self) -> bool:
        """Whether one of the profiles of the specification is asked for."""
        return self.profile != "parquet"

    def problem(self, code: str, at: At, message: str, node: Node = START) -> None:
        """Add a problem at a node."""
        self.problems.append(Problem(code, at, message, node.line, node.column))

    def notice(self, code: str, at: At, message: str, node: Node = START) -> None:
        """Add a notice at a node."""
        self.notices.append(Notice(code, at, message, node.line, node.column))

    def dialect(self, code: str, at: At, message: str, node: Node = START) -> None:
        """Add what is wrong for parquet, and only odd for the specification."""
        (self.notice if self.is_spec else self.problem)(code, at, message, node)

    def text(self, node: Node, at: At) -> str | None:
        """Return a value without the blanks around it; None for nothing and for what is no text, which is a problem."""
        if isinstance(node, Scalar):
            return (None if node.is_null else node.text.strip()) or None
        what = "a list" if isinstance(node, Sequence) else "a map"
        self.problem("shape", at, f"{what} stands here; write one text (in quotes where it holds ': ')", node)
        return None

    def word(self, node: Node, at: At) -> str | None:
        """Return a value as `text` does; one that was begun with ``|`` or ``>`` is a problem."""
        if isinstance(node, Scalar) and node.is_block:
            words = (
                "the value begins with | or >, which YAML takes for a text of several lines; put it in quotes: '> 5'"
            )
            self.problem("qc-block-scalar", at, words, node)
            return None
        return self.text(node, at)

    def items(self, node: Node, at: At, what: str) -> tuple[Node, ...]:
        """Return the items of a list; nothing for nothing and for what is no list, which is a problem."""
        if isinstance(node, Sequence):
            return node.items
        if not (isinstance(node, Scalar) and (node.is_null or not node.text.strip())):
            self.problem("shape", at, f"this is no list; write a list of {what}, each begun with '- '", node)
        return ()

    def members(self, node: Node, at: At, allowed: Iterable[str]) -> dict[str, Node]:
        """Return the values of a map by its folded keys; others are problems, and only odd for the specification."""
        if isinstance(node, Mapping):
            known = tuple(allowed)
            found = {}
            for name, key, value in node.folded():
                if name in known:
                    found[name] = value
                else:
                    self.unknown(key, at, known)
            return found
        if not (isinstance(node, Scalar) and (node.is_null or not node.text.strip())):
            self.problem("shape", at, f"this is no map; write keys and values ({', '.join(allowed)})", node)
        return {}

    def unknown(self, key: Scalar, at: At, known: Iterable[str]) -> None:
        """Add the problem of a key that is not allowed there, which the specification lets pass."""
        names = tuple(known)
        fix = ", and ignored" if self.is_spec else f"; {likely(key.text, names)}use {', '.join(names)}"
        where = (*at, fold(key.text.strip()))
        self.dialect("subkey-unknown", where, f"the key {key.text!r} is not known here{fix}", key)
