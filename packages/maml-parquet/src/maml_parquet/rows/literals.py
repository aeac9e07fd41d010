"""Values as rules write them, converted to the kind of their column: exactly, or refused."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Final

from maml_parquet.rows.kinds import INTEGERS, UNITS, Kind
from maml_parquet.rows.tokens import shown
from maml_parquet.rows.trees import Literal, Value

_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_INFINITY: Final = re.compile(r"([+-]?)inf(?:inity)?", re.IGNORECASE)
_NAN: Final = re.compile(r"[+-]?nan", re.IGNORECASE)
_DATE: Final = r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
_TIME: Final = r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]+))?)?"
_ZONE: Final = r"(?:[zZ]|[+-][0-9]{2}(?::?[0-9]{2})?)"
_SHAPES: Final = {
    "date": re.compile(_DATE),
    "time": re.compile(_TIME),
    "timestamp": re.compile(rf"{_DATE}(?:[T ]{_TIME})?"),
    "zoned": re.compile(rf"{_DATE}(?:[T ]{_TIME})?{_ZONE}"),
}
_WRITTEN: Final = {"date": "2024-01-31", "time": "23:59:59.5", "timestamp": "2024-01-31T23:59:59.5"}
_EPOCH: Final = date(1970, 1, 1).toordinal()


def convert(literal: Literal, kind: Kind) -> Value:
    """Return a literal as a value of a column of this kind.

    Whole numbers are exact in 64 bits; floats are doubles, in columns of float32 too. Dates are days since 1970-01-01,
    times and timestamps counts of the column's unit; a timestamp without a time is midnight; zones are not interpreted.

    Raises
    ------
    ValueError
        The literal is no such value; the message says why.

    Examples
    --------
    >>> convert(Literal("1970-01-02", quoted=True), Kind.of("timestamp[ms]"))
    86400000
    >>> convert(Literal("5e3", quoted=False), Kind.of("int32"))
    5000
    """
    wants_quotes = kind.base == "string" or kind.is_temporal
    if wants_quotes and not literal.quoted:
        raise ValueError(f'{shown(literal.text)} on a column of {kind} stands in double quotes: "{literal.text}"')
    if literal.quoted and not wants_quotes:
        raise ValueError(f"{shown(literal.text)} on a column of {kind} is written without quotes")
    return _CONVERSIONS[_group(kind)](literal.text, kind)


def _group(kind: Kind) -> str:
    if kind.is_integer:
        return "integer"
    return "float" if kind.is_float else "temporal" if kind.is_temporal else kind.base


def _string(text: str, kind: Kind) -> str:
    if _SURROGATE.search(text):
        raise ValueError(f"{shown(text)} on a column of {kind} holds half a character; write it whole")
    return text


def _boolean(text: str, kind: Kind) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(f"{shown(text)} on a column of {kind} is neither true nor false")
    return text.lower() == "true"


def _integer(text: str, kind: Kind) -> int:
    low, high = INTEGERS[kind.base]
    beyond = f"{shown(text)} does not fit a column of {kind}, which holds {low} to {high}"
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise ValueError(f"{shown(text)} on a column of {kind} is no whole number")
    mantissa = re.split("[eE]", text)[0]
    if not mantissa.strip("+-0."):
        return 0
    value = Decimal(mantissa)
    size = value.adjusted() + int(found[1] or 0)
    if size > 20:
        raise ValueError(beyond)
    # Digits that are not zero reach from 10**size down to 10**last; a whole number has none below 1.
    digits = "".join(map(str, value.as_tuple().digits)).strip("0")
    if size - len(digits) + 1 < 0:
        raise ValueError(f"{shown(text)} on a column of {kind} has a fraction; write a whole number")
    whole = int(digits + "0" * (size - len(digits) + 1)) * (-1 if value.is_signed() else 1)
    if not low <= whole <= high:
        raise ValueError(beyond)
    return whole


def _float(text: str, kind: Kind) -> float:
    if _NAN.fullmatch(text):
        raise ValueError(f"{shown(text)} equals nothing; write is_nan or is_not_nan")
    infinite = _INFINITY.fullmatch(text)
    if infinite is not None:
        return -math.inf if infinite[1] == "-" else math.inf
    if _NUMBER.fullmatch(text) is None:
        raise ValueError(f"{shown(text)} on a column of {kind} is no number")
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{shown(text)} is too large for a double; write inf where infinity is meant")
    return value


def _temporal(text: str, kind: Kind) -> int:
    found = _SHAPES[kind.base].fullmatch(text)
    if found is None:
        raise ValueError(_why_no_shape(text, kind))
    parts = {key: int(value) for key, value in found.groupdict().items() if value is not None and key != "fraction"}
    days = _days(text, parts) if "year" in parts else 0
    if kind.base == "date":
        return days
    second_count = _seconds(text, parts)
    per_second = UNITS[kind.unit]
    digits = (found["fraction"] or "").rstrip("0")
    places = len(str(per_second)) - 1
    if len(digits) > places:
        raise ValueError(f"{shown(text)} is finer than the column's unit {kind.unit}; write at most {places} decimals")
    value = (days * 86400 + second_count) * per_second + int(digits.ljust(places, "0"))
    if not -(2**63) <= value < 2**63:
        raise ValueError(f"{shown(text)} does not fit a column of {kind}: 64 bits reach from 1677-09-21 to 2262-04-11")
    return value


def _why_no_shape(text: str, kind: Kind) -> str:
    if kind.base == "date" and _SHAPES["timestamp"].fullmatch(text):
        return f"{shown(text)} has a time, and the column is a date; write the date alone"
    if kind.base == "time" and _SHAPES["timestamp"].fullmatch(text):
        return f"{shown(text)} has a date, and the column is a time; write the time alone"
    if kind.base == "timestamp" and _SHAPES["zoned"].fullmatch(text):
        stored = "in UTC" if kind.utc else "as they were written"
        return f"{shown(text)} has a zone; write the time without it: values are compared {stored}"
    return f'{shown(text)} is no {kind.base}; write for example "{_WRITTEN[kind.base]}"'


def _days(text: str, parts: dict[str, int]) -> int:
    try:
        return date(parts["year"], parts["month"], parts["day"]).toordinal() - _EPOCH
    except ValueError as error:
        raise ValueError(f"{shown(text)} is no day of the calendar: {error}") from None


def _seconds(text: str, parts: dict[str, int]) -> int:
    hour, minute, second = (parts.get(name, 0) for name in ("hour", "minute", "second"))
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError(f"{shown(text)} is no time of the day, which ends at 23:59:59")
    return hour * 3600 + minute * 60 + second


_CONVERSIONS: Final[dict[str, Callable[[str, Kind], Value]]] = {
    "integer": _integer,
    "float": _float,
    "string": _string,
    "boolean": _boolean,
    "temporal": _temporal,
}
