"""Answers compared with cases: everything is compared, so that nothing is silently unasserted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from worldarray_conformance.case_files import Case, Tolerance
from worldarray_conformance.errors import Mismatch
from worldarray_conformance.integers import unsigned_zeros
from worldarray_conformance.values import ArrayValue, Text

_PLAIN: Final = frozenset({type(None), bool, int, float, str, bytes, ArrayValue, Text})


@dataclass(frozen=True)
class Answer:
    """What an op answers when it has warnings too: notices are codes, or objects that carry one as `code`."""

    value: Any
    notices: Iterable[Any] = ()


@dataclass(frozen=True)
class Failed:
    """An error as data, for runners whose errors carry no code themselves."""

    code: str
    at: tuple[str | int, ...]
    message: str

    def __str__(self) -> str:
        """Return the message."""
        return self.message


def run(case: Case, function: Callable[[Any], Any], errors: tuple[type[Exception], ...]) -> list[str]:
    """Return how a function's answer to a case differs from it; nothing when it agrees.

    `errors` are the classes whose instances count as answers (they carry `code` and `at`); others are raised.
    """
    try:
        found = function(dict(case.input))
    except errors as error:
        return differences(case, error)
    if isinstance(found, Answer):
        return differences(case, found.value, found.notices)
    return differences(case, found)


def check(case: Case, outcome: Any, notices: Iterable[Any] = ()) -> None:
    """Compare an answer, or an error (an exception or a `Failed`), and its notices with a case.

    Raises
    ------
    Mismatch
        Something differs.
    """
    found = differences(case, outcome, notices)
    if found:
        raise Mismatch("\n".join([f"{case.key} ({case.op}): {case.description}", *found]))


def differences(case: Case, outcome: Any, notices: Iterable[Any] = ()) -> list[str]:
    """Return every difference between an outcome and a case, in words."""
    if isinstance(outcome, Exception | Failed):
        return _compare_error(case, outcome)
    if case.error is not None:
        return [f"the error {case.error.code} was expected, but the answer is {outcome!r}"]
    found = list(_compare(case.expect, unsigned_zeros(case.op, plain(outcome)), "answer", case.compare))
    codes = sorted(str(getattr(item, "code", item)) for item in notices)
    if codes != sorted(case.warnings):
        found.append(f"warnings: {sorted(case.warnings)} were expected, not {codes}")
    return found


def plain(value: Any) -> Any:
    """Return an answer as decoded JSON: tuples as lists, numpy arrays as `ArrayValue`, numpy scalars as numbers.

    Raises
    ------
    TypeError
        The answer holds something that JSON and the encodings cannot say.
    """
    if type(value) in _PLAIN:
        return value
    if hasattr(value, "dtype") and hasattr(value, "tolist"):
        if type(value).__name__ != "ndarray":
            return plain(value.item())
        return ArrayValue(value.dtype.name, tuple(value.shape), tuple(value.reshape(-1).tolist()))
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, complex):
        return [value.real, value.imag]
    raise TypeError(f"an answer holds {value!r}, which is neither JSON nor an array")


def _compare_error(case: Case, outcome: Exception | Failed) -> list[str]:
    if case.error is None:
        return [f"an answer was expected, but it failed: {type(outcome).__name__}: {outcome}"]
    found: list[str] = []
    code, at, message = getattr(outcome, "code", None), getattr(outcome, "at", None), str(outcome)
    if code != case.error.code:
        found.append(f"the error's code is {code!r}, not {case.error.code!r}: {message}")
    if at is None or not _same_path(at, case.error.at):
        found.append(f"the error is at {at!r}, not at {case.error.at!r}: {message}")
    found.extend(
        f"the error does not mention {word!r}: {message}" for word in case.error.mentions if word not in message
    )
    return found


def _same_path(found: Any, expected: tuple[str | int, ...]) -> bool:
    return [(type(part), part) for part in found] == [(type(part), part) for part in expected]


def _compare(expected: Any, found: Any, where: str, tolerance: Tolerance) -> Iterable[str]:
    if _is_number(expected) and _is_number(found):
        if not _same_number(expected, found, tolerance):
            yield f"{where}: {expected!r} was expected, not {found!r}"
    elif type(expected) is not type(found):
        yield f"{where}: {expected!r} was expected, not {found!r}"
    elif isinstance(expected, dict):
        yield from _compare_objects(expected, found, where, tolerance)
    elif isinstance(expected, list):
        yield from _compare_lists(expected, found, where, tolerance)
    elif isinstance(expected, ArrayValue):
        yield from _compare_arrays(expected, found, where, tolerance)
    elif expected != found:
        yield f"{where}: {expected!r} was expected, not {found!r}"


def _compare_objects(expected: Any, found: Any, where: str, tolerance: Tolerance) -> Iterable[str]:
    for key in sorted(expected.keys() | found.keys()):
        if key not in found:
            yield f"{where}.{key}: is missing; {expected[key]!r} was expected"
        elif key not in expected:
            yield f"{where}.{key}: was not expected; it is {found[key]!r}"
        else:
            yield from _compare(expected[key], found[key], f"{where}.{key}", tolerance)


def _compare_lists(expected: Any, found: Any, where: str, tolerance: Tolerance) -> Iterable[str]:
    if len(expected) != len(found):
        yield f"{where}: {len(expected)} entries {expected!r} were expected, not {len(found)}: {found!r}"
        return
    for index, (one, other) in enumerate(zip(expected, found, strict=True)):
        yield from _compare(one, other, f"{where}[{index}]", tolerance)


def _compare_arrays(expected: ArrayValue, found: ArrayValue, where: str, tolerance: Tolerance) -> Iterable[str]:
    if expected.dtype != found.dtype:
        yield f"{where}: the dtype {expected.dtype} was expected, not {found.dtype}"
    if expected.shape != found.shape:
        yield f"{where}: the shape {expected.shape} was expected, not {found.shape}"
        return
    wrong = [
        index
        for index, (one, other) in enumerate(zip(expected.data, found.data, strict=True))
        if not _same_element(one, other, tolerance)
    ]
    if wrong:
        first = wrong[0]
        yield (
            f"{where}: {len(wrong)} of {len(expected.data)} elements differ, the first at flat index {first}: "
            f"{expected.data[first]!r} was expected, not {found.data[first]!r}; "
            f"expected {expected.data[:64]!r}, found {found.data[:64]!r}"
        )


def _same_element(expected: Any, found: Any, tolerance: Tolerance) -> bool:
    if isinstance(expected, complex) and isinstance(found, complex):
        pairs = ((expected.real, found.real), (expected.imag, found.imag))
        return all(_same_number(one, other, tolerance) for one, other in pairs)
    if _is_number(expected) and _is_number(found):
        return _same_number(expected, found, tolerance)
    return type(expected) is type(found) and bool(expected == found)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same_number(expected: float, found: float, tolerance: Tolerance) -> bool:
    if math.isnan(expected) or math.isnan(found):
        return math.isnan(expected) and math.isnan(found)
    if expected == found:
        return expected != 0 or math.copysign(1, expected) == math.copysign(1, found)
    if math.isinf(expected) or math.isinf(found):
        return False
    allowed = Fraction(tolerance.abs) + Fraction(tolerance.rel) * abs(Fraction(expected))
    return abs(Fraction(found) - Fraction(expected)) <= allowed
