"""Errors and warnings: each carries a code, the JSON pointer to the value, the rule and what to do."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, get_args

Code = Literal[
    "already_exists",
    "closed",
    "conflict",
    "corrupt",
    "duplicate",
    "invalid_argument",
    "missing_field",
    "missing_key",
    "not_finite",
    "not_found",
    "not_integral",
    "not_msgpack",
    "not_positive",
    "not_representable",
    "out_of_range",
    "read_only",
    "unavailable",
    "unknown_name",
    "unsupported",
    "wrong_length",
    "wrong_type",
    "wrong_value",
]
CODES: Final[frozenset[str]] = frozenset(get_args(Code))

At = tuple[str | int, ...]


def pointer(at: At) -> str:
    """Return a path to a value as a JSON pointer (RFC 6901); the empty path is the whole document.

    Examples
    --------
    >>> pointer(("spaces", 0, "from_array", "matrix"))
    '/spaces/0/from_array/matrix'
    >>> pointer(("user", "a/b"))
    '/user/a~1b'
    """
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in at)


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: a code of `CODES`, the path to the value in the header, and words for people."""

    code: Code
    at: At
    message: str

    def __str__(self) -> str:
        """Return ``/key/path: message``."""
        where = pointer(self.at)
        return f"{where}: {self.message}" if where else self.message


@dataclass(frozen=True)
class Notice(Problem):
    """One thing that is odd but readable: what a warning says, as data."""


class MLArrayError(RuntimeError):
    """What every error of this package is; `problems` holds what was found, in order; `path` the file, where one is."""

    problems: tuple[Problem, ...]

    def __init__(self, *problems: Problem, path: str | None = None) -> None:
        super().__init__(*problems)
        self.problems = problems
        self.path = path

    @property
    def code(self) -> Code:
        """The code of the first problem."""
        return self.problems[0].code

    @property
    def at(self) -> At:
        """The path to the value of the first problem."""
        return self.problems[0].at

    def __str__(self) -> str:
        """Return every problem, one a line, with the file in front."""
        text = "\n".join(str(problem) for problem in self.problems)
        return f"{self.path}: {text}" if self.path else text

    def __reduce__(self) -> tuple[object, ...]:
        """Carry the problems and the path to another process."""
        return _rebuild, (type(self), self.problems, self.path)


def _rebuild(kind: type[MLArrayError], problems: tuple[Problem, ...], path: str | None) -> MLArrayError:
    return kind(*problems, path=path)


class FormatError(MLArrayError, ValueError):
    """A file, or a document of one, is not what format version 1 allows."""


class ArgumentError(MLArrayError, ValueError):
    """A caller asked for something that cannot be done."""


class FieldError(ArgumentError, AttributeError):
    """A field of the metadata that there is not, or that cannot be set."""


class ArgumentTypeError(MLArrayError, TypeError):
    """An argument, or a value in metadata, is of a type that cannot be used or stored."""


class UnknownNameError(MLArrayError, KeyError):
    """A name of a space or an axis that is not there; the message lists those that are."""


class ClosedError(MLArrayError):
    """A handle is used after `close`."""


class ReadOnlyError(MLArrayError):
    """A handle that was opened for reading is written to."""


class LockedError(MLArrayError):
    """Another handle has the file open for writing."""


class MLArrayWarning(UserWarning):
    """What every warning of this package is."""


def warn(notices: Iterable[Notice], path: str | None = None) -> None:
    """Issue each notice as an `MLArrayWarning`, of the line that called into this package."""
    for notice in notices:
        warnings.warn(f"{path}: {notice}" if path else str(notice), MLArrayWarning, stacklevel=_outside())


def _outside() -> int:
    """Return how many frames above `warn` the caller is that is no part of this package."""
    level, frame = 2, sys._getframe(2)
    while frame.f_back is not None and f"{frame.f_globals.get('__name__')}.".startswith("mlarray."):
        level, frame = level + 1, frame.f_back
    return level
