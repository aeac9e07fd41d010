"""Bounds of a column: an operator and a literal of the column's type."""

from __future__ import annotations

import math
import re
import struct
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from maml_parquet.sections.types import TypeToken

Operator: TypeAlias = Literal[">=", ">", "<=", "<"]
Side: TypeAlias = Literal["min", "max"]
Miss: TypeAlias = Literal["unchecked", "expected", "unexpected"]

_OPERATORS: Final[tuple[Operator, ...]] = (">=", "<=", ">", "<")
_SIDES: Final[dict[Side, tuple[Operator, Operator]]] = {"min": (">=", ">"), "max": ("<=", "<")}
_NUMBER: Final = re.compile(r"([+-]?)([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")
_BITS: Final = {"int32": 31, "int64": 63}


@dataclass(frozen=True)
class Bound:
    """A bound: the operator, and the literal as a value of the column's type, or as text where no type is known."""

    operator: Operator
    value: int | float | str
    text: str

    @property
    def inclusive(self) -> bool:
        """Whether the value itself is within."""
        return len(self.operator) == 2


@dataclass(frozen=True)
class Qc:
    """What is checked of a column's values; `miss` says what of Nulls."""

    min: Bound | None = None
    max: Bound | None = None
    miss: Miss = "unchecked"


@dataclass(frozen=True)
class BoundError:
    """Why a text is no bound: a code, and words."""

    code: str
    message: str


def parse_bound(text: str, side: Side, kind: TypeToken | None) -> Bound | BoundError | None:
    """Return the bound that the text is, or why it is none; None for blank text.

    Parameters
    ----------
    text
        An operator (or none: the bound is within) and a literal.
    side
        ``min`` takes ``>=`` and ``>``, ``max`` takes ``<=`` and ``<``.
    kind
        The column's type; None where the file decides, and the literal stays text.

    Examples
    --------
    >>> parse_bound("> 0", "min", TypeToken("int32"))
    Bound(operator='>', value=0, text='> 0')
    >>> parse_bound("1.5", "max", TypeToken("int32")).message
    "'1.5' is no whole number, but the column is int32; write one, or declare float64"
    """
    words = text.strip()
    if not words:
        return None
    if kind is not None and kind.is_temporal:
        message = f"a column of {kind} has no bounds, {side} is {words!r}; remove it (miss may stay)"
        return BoundError("qc-temporal", message)
    written = next((operator for operator in _OPERATORS if words.startswith(operator)), None)
    operator = written or _SIDES[side][0]
    literal = words[len(written or "") :].strip()
    if kind is not None and kind.base == "boolean":
        return Bound(operator, literal, words)
    if not literal:
        return BoundError("qc-empty-operator", f"nothing stands after {words!r}; write a value, like '{words} 5'")
    if operator not in _SIDES[side]:
        first, second = _SIDES[side]
        message = f"{side} is {words!r}; {side} takes {first} or {second} (or no operator, which is {first})"
        return BoundError("qc-direction", message)
    value = literal if kind is None else _value(literal, kind)
    return value if isinstance(value, BoundError) else Bound(operator, value, words)


def parse_miss(text: str) -> Miss | None:
    """Return what a `miss` says of Nulls; None for text that is none of Null, NA and blank.

    Examples
    --------
    >>> parse_miss("null"), parse_miss(""), parse_miss("-999")
    ('expected', 'unexpected', None)
    """
    words = text.strip()
    if not words:
        return "unexpected"
    return "expected" if words.lower() in ("null", "na") else None


def _value(literal: str, kind: TypeToken) -> int | float | str | BoundError:
    if kind.is_integer:
        return _integer(literal, kind.base)
    if kind.is_float:
        return _float(literal, kind.base)
    return literal


def _integer(literal: str, base: str) -> int | BoundError:
    found = _NUMBER.fullmatch(literal)
    if not found:
        return BoundError("qc-bound", f"{literal!r} is no number, but the column is {base}; write a whole number")
    sign, digits, exponent = found.groups()
    whole, _, fraction = digits.partition(".")
    figures = (whole + fraction).lstrip("0")
    if not figures:
        return 0
    stripped = figures.rstrip("0")
    power = _power(exponent or "0") - len(fraction) + len(figures) - len(stripped)
    if power < 0:
        message = f"{literal!r} is no whole number, but the column is {base}; write one, or declare float64"
        return BoundError("qc-bound", message)
    limit = 2 ** _BITS[base]
    value = int(sign + stripped + "0" * power) if len(stripped) + power <= 19 else limit
    if not -limit <= value < limit:
        message = (
            f"{literal!r} is outside {base} ({-limit} to {limit - 1}); write a value inside, or leave the bound out"
        )
        return BoundError("qc-bound", message)
    return value


def _power(exponent: str) -> int:
    """Return the exponent, or one that is as far beyond every limit."""
    figures = exponent.lstrip("+-").lstrip("0")[:20] or "0"
    return -int(figures) if exponent.startswith("-") else int(figures)


def _float(literal: str, base: str) -> float | BoundError:
    if not _NUMBER.fullmatch(literal):
        message = f"{literal!r} is no finite decimal number, but the column is {base}; write one, like 1.5 or 2e-3"
        return BoundError("qc-bound", message)
    value = float(literal)
    if not math.isfinite(value) or (base == "float32" and not _fits_float32(value)):
        message = f"{literal!r} is too large for {base}; write a smaller value, or leave the bound out"
        return BoundError("qc-bound", message)
    return value


def _fits_float32(value: float) -> bool:
    try:
        struct.pack("<f", value)
    except OverflowError:
        return False
    return True
