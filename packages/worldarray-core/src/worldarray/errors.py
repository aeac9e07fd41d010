"""Errors and warnings: each carries a code, the path to the offending value, the rule and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

Code = Literal[
    "access_denied",
    "already_exists",
    "bad_chunk",
    "bad_key",
    "conflict",
    "duplicate",
    "forked",
    "invalid_argument",
    "level_required",
    "missing_field",
    "missing_key",
    "no_level",
    "not_aligned",
    "not_finite",
    "not_found",
    "not_integral",
    "not_json",
    "not_positive",
    "not_representable",
    "order",
    "out_of_range",
    "unavailable",
    "unknown_level",
    "unknown_unit",
    "unsupported",
    "write_package_missing",
    "wrong_length",
    "wrong_type",
    "wrong_value",
]
CODES: Final[frozenset[str]] = frozenset(get_args(Code))

At = tuple[str | int, ...]


def render_at(at: At) -> str:
    """Return a path to a value as people write it.

    Examples
    --------
    >>> render_at(("em.zarr/.zattrs", "multiscales", 0, "axes"))
    'em.zarr/.zattrs: multiscales[0].axes'
    """
    if not at:
        return ""
    head, text = str(at[0]), ""
    for part in at[1:]:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return f"{head}: {text}" if text else head


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: a code of `CODES`, the path to the value (document first), and words for people."""

    code: Code
    at: At
    message: str

    def __str__(self) -> str:
        """Return ``document: key.path: message``."""
        where = render_at(self.at)
        return f"{where}: {self.message}" if where else self.message


@dataclass(frozen=True)
class Notice(Problem):
    """One thing that is odd but readable: what a warning says, as data."""


class WorldArrayError(Exception):
    """What every error of this package is; `problems` holds what was found, in order."""

    problems: tuple[Problem, ...]

    def __init__(self, *problems: Problem) -> None:
        super().__init__(*problems)
        self.problems = problems

    @property
    def code(self) -> Code:
        """The code of the first problem."""
        return self.problems[0].code

    @property
    def at(self) -> At:
        """The path to the value of the first problem."""
        return self.problems[0].at

    def __str__(self) -> str:
        """Return every problem, one a line."""
        return "\n".join(str(problem) for problem in self.problems)


class PlacementError(WorldArrayError, ValueError):
    """A document of a store says something that cannot be read."""


class ArgumentError(WorldArrayError, ValueError):
    """A caller asked for something that cannot be done."""


class ArgumentTypeError(WorldArrayError, TypeError, ValueError):
    """An argument is of a type that cannot be used (0.9 for an index)."""


class ArgumentIndexError(WorldArrayError, IndexError, ValueError):
    """A position in a sequence that it does not have."""


class UnitError(WorldArrayError, ValueError):
    """A unit that no table knows, on an axis that is being converted."""


class LevelError(WorldArrayError, ValueError):
    """No level, or no single level, answers what was asked; the message lists the levels."""


class DataError(WorldArrayError, ValueError):
    """A chunk or shard is corrupt, short or not a file; the message names it."""


class StoreNotFoundError(WorldArrayError, FileNotFoundError):
    """Nothing that this package reads stands at a path."""


class StoreExistsError(WorldArrayError, FileExistsError):
    """Something stands where an array would be made; nothing is ever overwritten."""


class AccessError(WorldArrayError, PermissionError):
    """A store refused every way in."""


class StoreUnavailableError(WorldArrayError, OSError):
    """A store did not answer, or not in time."""


class ForkError(WorldArrayError, RuntimeError):
    """A forked child would use tensorstore after its parent did, which ends the process."""


class WritePackageError(WorldArrayError, ImportError):
    """A write name was used without the distribution that has it."""


class PlacementWarning(UserWarning):
    """Something about where an array lies, or how it is stored, that its reader should know."""

    @property
    def notice(self) -> Notice:
        """What the warning says, as data."""
        found: Notice = self.args[0]
        return found


def problem(code: Code, at: At | str, message: str) -> Problem:
    """Return a Problem; a string stands for a path of one part."""
    return Problem(code, (at,) if isinstance(at, str) else at, message)


def notice(code: Code, at: At | str, message: str) -> Notice:
    """Return a Notice; a string stands for a path of one part."""
    return Notice(code, (at,) if isinstance(at, str) else at, message)
