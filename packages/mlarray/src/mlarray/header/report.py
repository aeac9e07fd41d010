"""What a check collects, and the small checks that every map needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from mlarray.errors import At, Code, Notice, Problem
from mlarray.header import units
from mlarray.header.wire import is_number, printed

MISSING: Final[Any] = object()


@dataclass
class Report:
    """Problems and notices, in the order they were found; `newer` says that the file has a later minor version."""

    newer: bool = False
    problems: list[Problem] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)

    def add(self, code: Code, at: At, message: str) -> None:
        """Note one thing that is wrong."""
        self.problems.append(Problem(code, at, message))

    def notice(self, code: Code, at: At, message: str) -> None:
        """Note one thing that is odd but readable."""
        self.notices.append(Notice(code, at, message))


def shown(value: object) -> str:
    """Return a value as messages print it, cut where it is long.

    Examples
    --------
    >>> shown("nm"), shown(None)
    ("'nm'", 'nil')
    """
    return "nil" if value is None else printed(value)


def cut(words: str) -> str:
    """Return text as messages print it, without its end where it is long.

    Examples
    --------
    >>> cut("nm"), cut("9" * 100) == "9" * 77 + "..."
    ('nm', True)
    """
    return words if len(words) <= 80 else f"{words[:77]}..."


def listing(names: Iterable[str]) -> str:
    """Return names as messages list them, the first few where they are many.

    Examples
    --------
    >>> listing("zyx")
    'z, y, x'
    """
    found = ", ".join(map(cut, names))
    return found if len(found) <= 240 else f"{found[:237]}..."


_NUMBERS: Final = frozenset({int, float})
_TEXTS: Final = frozenset({str})
_INTS: Final = frozenset({int})


def all_numbers(listed: Sequence[Any]) -> bool:
    """Whether a list holds finite numbers alone; the fast answer, without saying what is wrong.

    Examples
    --------
    >>> all_numbers([1, 2.5]), all_numbers([1, True]), all_numbers([float("nan")])
    (True, False, False)
    """
    return _NUMBERS.issuperset(map(type, listed)) and all(map(math.isfinite, listed))


def all_texts(listed: Sequence[Any]) -> bool:
    """Whether a list holds text alone, none of it empty; the fast answer.

    Examples
    --------
    >>> all_texts(["a", "b"]), all_texts(["a", ""]), all_texts([b"a"])
    (True, False, False)
    """
    return _TEXTS.issuperset(map(type, listed)) and "" not in listed


def mapping(value: object, at: At, report: Report) -> Mapping[str, Any] | None:
    """Return a map as it is; None, with a problem, for anything else."""
    if type(value) is dict:
        return value
    report.add("wrong_type", at, f"{shown(value)} stands where a map belongs")
    return None


def items(value: object, at: At, report: Report) -> Sequence[Any] | None:
    """Return a list as it is; None, with a problem, for anything else."""
    if type(value) is list:
        return value
    report.add("wrong_type", at, f"{shown(value)} stands where a list belongs")
    return None


def text(value: object, at: At, report: Report, *, empty: bool = False) -> bool:
    """Whether a value is text; empty text only where that is allowed."""
    if type(value) is not str:
        report.add("wrong_type", at, f"{shown(value)} stands where text belongs")
        return False
    if not value and not empty:
        report.add("wrong_value", at, "the text is empty; at least one character belongs there")
        return False
    return True


def optional_text(
    document: Mapping[str, Any], keys: Sequence[str], at: At, report: Report, *, empty: bool = False
) -> None:
    """Check each of some keys that is there as text."""
    for key in keys:
        if key in document:
            text(document[key], (*at, key), report, empty=empty)


def number(value: object, at: At, report: Report, *, finite: bool = True) -> bool:
    """Whether a value is a number, finite unless that is waived."""
    if not is_number(value):
        report.add("wrong_type", at, f"{shown(value)} stands where a number belongs")
        return False
    if finite and type(value) is float and not math.isfinite(value):
        report.add("not_finite", at, f"the number is {value}; it must be finite")
        return False
    return True


def nonzero(value: object, at: At, report: Report) -> bool:
    """Whether a value is a finite number other than zero."""
    if not number(value, at, report):
        return False
    if value == 0:
        report.add("out_of_range", at, "the number is 0, which it may not be")
        return False
    return True


def numbers(value: object, at: At, report: Report) -> Sequence[float] | None:
    """Return a list of finite numbers as it is, else None with every problem."""
    listed = items(value, at, report)
    if listed is None or all_numbers(listed):
        return listed
    return _whole_list(listed, [number(item, (*at, index), report) for index, item in enumerate(listed)])


def whole(value: object, at: At, report: Report, low: int, high: int | None = None) -> bool:
    """Whether a value is an integer within bounds; a float that is whole counts as one, as it does in JSON Schema."""
    if not is_number(value) or value != value or (type(value) is float and not value.is_integer()):  # noqa: PLR0124
        report.add("wrong_type", at, f"{shown(value)} stands where an integer belongs")
        return False
    assert isinstance(value, (int, float))
    if value < low or (high is not None and value > high):
        bounds = f"at least {low}" if high is None else f"from {low} to {high}"
        report.add("out_of_range", at, f"the number is {value}; it must be {bounds}")
        return False
    return True


def wholes(value: object, at: At, report: Report, low: int, high: int | None = None) -> Sequence[int] | None:
    """Return a list of integers within bounds as it is, else None with every problem."""
    listed = items(value, at, report)
    if not listed or (_INTS.issuperset(map(type, listed)) and min(listed) >= low and (not high or max(listed) <= high)):
        return listed
    return _whole_list(listed, [whole(item, (*at, index), report, low, high) for index, item in enumerate(listed)])


def texts(value: object, at: At, report: Report, *, empty: bool = False) -> Sequence[str] | None:
    """Return a list of texts as it is, else None with every problem."""
    listed = items(value, at, report)
    if listed is None or all_texts(listed):
        return listed
    return _whole_list(listed, [text(item, (*at, i), report, empty=empty) for i, item in enumerate(listed)])


def _whole_list(listed: Sequence[Any], good: Sequence[bool]) -> Sequence[Any] | None:
    """Return a list of which every entry was checked and is good, else None."""
    return listed if all(good) else None


def word(value: object, allowed: Sequence[str], at: At, report: Report) -> bool:
    """Whether a value is one of the words; one that a later minor version may have brought is noticed, and kept."""
    if type(value) is str and value in allowed:
        return True
    listed = ", ".join(allowed)
    if type(value) is not str:
        report.add("wrong_type", at, f"{shown(value)} stands where one of the words {listed} belongs")
    elif report.newer:
        report.notice(
            "wrong_value", at, f"the word {shown(value)} is unknown to this version, which knows {listed}; it is kept"
        )
    else:
        report.add("wrong_value", at, f"the word {shown(value)} is none of {listed}")
    return False


def unit(document: Mapping[str, Any], at: At, report: Report) -> None:
    """Check `unit` and `unit_code`, and that a listed name has its own code."""
    name, code = document.get("unit"), document.get("unit_code")
    if name == "millimeter" and code == "mm":
        return
    optional_text(document, ("unit", "unit_code"), at, report)
    if type(name) is str and type(code) is str and (found := units.disagreement(name, code, (*at, "unit_code"))):
        report.problems.append(found)


def length(found: int, wanted: int, at: At, what: str, why: str, report: Report) -> bool:
    """Whether a list has as many entries as belong there."""
    if found != wanted:
        report.add("wrong_length", at, f"{found} {what}, expected {wanted} ({why})")
    return found == wanted


def required(document: Mapping[str, Any], keys: Sequence[str], at: At, report: Report) -> bool:
    """Whether every key is there."""
    absent = [key for key in keys if key not in document]
    for key in absent:
        report.add("missing_key", at, f"the key {key!r} is missing")
    return not absent


def unique(names: Sequence[str], at: At, what: str, report: Report) -> bool:
    """Whether no name stands twice."""
    if len(set(names)) == len(names):
        return True
    repeated = sorted({name for name in names if names.count(name) > 1})
    for name in repeated:
        report.add("duplicate", at, f"{what} {shown(name)} stands twice")
    return False


def each(value: object, at: At, report: Report, check: Callable[[Mapping[str, Any], At, Report], None]) -> int:
    """Check every map of a list; return how many entries there are."""
    listed = items(value, at, report)
    for index, item in enumerate(listed or ()):
        found = mapping(item, (*at, index), report)
        if found is not None:
            check(found, (*at, index), report)
    return len(listed or ())
