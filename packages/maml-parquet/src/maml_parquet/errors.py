"""Errors and warnings: each problem carries a code, the key path to the value, its line, and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

At = tuple[str | int, ...]

CODES: Final = frozenset(
    {
        "argument",
        "array-auto-nonstring",
        "col-map",
        "column",
        "encoding",
        "exists",
        "field-name-duplicate",
        "field-name-missing",
        "field-unknown",
        "fields-missing",
        "file",
        "filter",
        "key-duplicate",
        "key-missing",
        "limit",
        "line-too-long",
        "metadata",
        "protected-nullable",
        "protected-unknown",
        "qc",
        "qc-block-scalar",
        "qc-bound",
        "qc-direction",
        "qc-empty-operator",
        "qc-miss",
        "qc-temporal",
        "remap",
        "reserved-key",
        "section-unknown",
        "separator",
        "shape",
        "size-invalid",
        "sort",
        "subkey-unknown",
        "table-missing",
        "type-invalid",
        "type-missing",
        "value",
        "votable",
        "yaml",
    }
)
"""The words of `Problem.code`."""

_WITHOUT_LINES: Final = frozenset({"argument", "column", "exists", "file", "filter", "sort", "value"})
"""Codes of what mostly is in no text: a first line that they name is none, and is not shown."""


def render_at(at: At) -> str:
    """Return a path to a value as people write it.

    Examples
    --------
    >>> render_at(("fields", 3, "qc", "min"))
    'fields[3].qc.min'
    """
    text = ""
    for part in at:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: a word of `CODES`, where, and words for people. Lines and columns count from 1."""

    code: str
    at: At
    message: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        """Return ``line:column path: message``."""
        where = render_at(self.at)
        return f"{self.line}:{self.column} {where + ': ' if where else ''}{self.message}"


@dataclass(frozen=True)
class Notice(Problem):
    """One thing that is odd but usable: what a warning says, as data."""


class MamlError(ValueError):
    """What is wrong with a MAML, all of it, in the order of its lines; `source` names the file where there is one."""

    def __init__(self, problems: Iterable[Problem], source: str = "") -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: (problem.line, problem.column)))
        self.source = source
        super().__init__(self.problems, source)

    @property
    def code(self) -> str:
        """The code of the first problem."""
        return self.problems[0].code

    @property
    def at(self) -> At:
        """The path to the value of the first problem."""
        return self.problems[0].at

    def __str__(self) -> str:
        """Return every problem, one a line; lines and columns are told where there is a text that has them.

        Examples
        --------
        >>> print(MamlError([Problem("column", ("ra",), "there is no such column")], "a.fits"))
        a.fits: ra: there is no such column
        >>> print(MamlError([Problem("type-missing", ("fields", 0), "write one", 3, 7)], "a.maml"))
        a.maml:3:7 fields[0]: write one
        """
        return "\n".join(self._told(problem) for problem in self.problems)

    def _told(self, problem: Problem) -> str:
        if problem.line > 1 or problem.code not in _WITHOUT_LINES:
            return f"{self.source}:{problem}" if self.source else f"{problem}"
        where = render_at(problem.at)
        return ": ".join(part for part in (self.source, where, problem.message) if part)


class MamlWarning(UserWarning):
    """Something that is odd but usable."""
