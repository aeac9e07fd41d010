"""Single values of a configuration: each function returns the plain value or raises a `ConfigError`."""

from __future__ import annotations

import math
import os
import re
import reprlib
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Final

from miao.errors import ConfigError

_LARGEST: Final = 2**63 - 1
_DOTTED: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")


def shown(value: object) -> str:
    """Return a value as an error names it: cut where it is long."""
    text = reprlib.Repr()
    text.maxstring = text.maxother = 120
    text.maxlist = text.maxtuple = text.maxdict = 8
    try:
        return text.repr(value)
    except ValueError:
        return "a number of too many digits to write"


def entries(count: int, one: str = "entry", many: str = "entries") -> str:
    """Return how many entries there are, in words."""
    return f"{count} {one if count == 1 else many}"


def number(value: object) -> float:
    """Return a finite float; a boolean or a text is none.

    Examples
    --------
    >>> number(8), number(0.5)
    (8.0, 0.5)
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ConfigError(f"{shown(value)} is no number", code="wrong_type")
    try:
        found = float(value)
    except OverflowError:
        raise ConfigError(f"{shown(value)} is too large for a double", code="out_of_range") from None
    if not math.isfinite(found):
        raise ConfigError(f"{found} is not finite; write a finite number", code="not_finite")
    return found


def whole(value: object) -> int:
    """Return an integer of 64 bits; a float without a fraction is one, a boolean or a text is none.

    Examples
    --------
    >>> whole(64), whole(1e3)
    (64, 1000)
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ConfigError(f"{shown(value)} is no whole number", code="wrong_type")
    if isinstance(value, Integral):
        found = int(value)
    else:
        as_float = number(value)
        if not as_float.is_integer():
            raise ConfigError(f"{shown(value)} is no whole number", code="wrong_type")
        found = int(as_float)
    if not -_LARGEST - 1 <= found <= _LARGEST:
        raise ConfigError(f"{shown(value)} does not fit into 64 bits; at most {_LARGEST}", code="out_of_range")
    return found


def positive(value: float) -> float:
    """Return a number that is above zero."""
    if value <= 0:
        raise ConfigError(f"{value!r} is not above zero; write a positive number", code="not_positive")
    return value


def positive_weight(value: float) -> float:
    """Return a weight, which is above zero."""
    if value <= 0:
        raise ConfigError(
            f"a weight of {value!r} is not above zero; to leave a volume out remove it from volumes",
            code="not_positive",
        )
    return value


def at_least_one(value: int) -> int:
    """Return a count of one or more."""
    if value < 1:
        raise ConfigError(f"{value} is less than 1; write a count of 1 or more", code="not_positive")
    return value


def not_negative(value: float) -> float:
    """Return a number of zero or more."""
    if value < 0:
        raise ConfigError(f"{value!r} is less than 0; write 0 or more", code="out_of_range")
    return value


def count(value: object) -> int:
    """Return a whole number of zero or more."""
    found = whole(value)
    not_negative(found)
    return found


def fraction(value: float) -> float:
    """Return a number from 0 to 1."""
    if not 0 <= value <= 1:
        raise ConfigError(f"{value!r} is no fraction; write a number from 0 to 1", code="out_of_range")
    return value


def flag(value: object) -> bool:
    """Return a boolean; numbers and words are none."""
    if isinstance(value, bool):
        return value
    if str(getattr(value, "dtype", "")) == "bool" and getattr(value, "ndim", None) == 0:
        return bool(value)
    raise ConfigError(f"{shown(value)} is neither true nor false", code="wrong_type")


def text(value: object) -> str:
    """Return a string."""
    if not isinstance(value, str):
        raise ConfigError(f"{shown(value)} is no text; put it into quotes", code="wrong_type")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise ConfigError(
            f"{value!a} holds half a character, which no file or screen can show; write it anew", code="wrong_value"
        ) from None
    return str(value)


def named(value: object) -> str:
    """Return a string that is not blank."""
    found = text(value)
    if not found.strip():
        raise ConfigError(f"{found!r} is blank; give it a name", code="wrong_value")
    return found


def place(value: object) -> str:
    """Return the path or URL of a store as text."""
    found = os.fspath(value) if isinstance(value, os.PathLike) else value
    return named(found)


def listed(value: object) -> list[Any]:
    """Return the entries of a list, a tuple or an array."""
    found = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(found, (str, bytes, bytearray)) or not isinstance(found, Sequence):
        raise ConfigError(f"{shown(value)} is no list", code="wrong_type")
    return list(found)


def some(value: object) -> list[Any]:
    """Return the entries of a list that is not empty."""
    found = listed(value)
    if not found:
        raise ConfigError("the list has 0 entries; at least 1 belongs there", code="wrong_length")
    return found


def pair(value: object) -> list[Any]:
    """Return the two entries of a list such as ``[min, max]``."""
    found = listed(value)
    if len(found) != 2:
        raise ConfigError(f"{shown(found)} has {entries(len(found))}; 2 belong there: [min, max]", code="wrong_length")
    return found


def mapped(value: object) -> dict[str, Any]:
    """Return a mapping whose keys are texts."""
    if not isinstance(value, Mapping):
        raise ConfigError(f"{shown(value)} is no mapping of names to values", code="wrong_type")
    for key in value:
        if not isinstance(key, str):
            raise ConfigError(f"the key {shown(key)} is no text; put it into quotes", code="wrong_type")
    return dict(value)


def word(allowed: Sequence[str]) -> Callable[[object], str]:
    """Return what accepts one word out of a few.

    Examples
    --------
    >>> word(("random", "sequential"))("random")
    'random'
    """

    def chosen(value: object) -> str:
        if not isinstance(value, str):
            raise ConfigError(f"{shown(value)} is no text; write one of {', '.join(allowed)}", code="wrong_type")
        if value not in allowed:
            raise ConfigError(f"{value!r} is not allowed; write one of {', '.join(allowed)}", code="wrong_value")
        return value

    return chosen


def dotted(value: object) -> str:
    """Return the dotted path of a Python name, such as ``miao.augment_std.em_default``."""
    found = text(value)
    if not _DOTTED.fullmatch(found):
        raise ConfigError(
            f"{found!r} is no dotted path of a module and a name in it; write one such as package.module.function",
            code="wrong_value",
        )
    return found


def length_unit(value: object) -> str:
    """Return a unit of length, as it is spelled."""
    from worldarray import units  # noqa: PLC0415

    found = text(value)
    unit = units.parse(found)
    if unit is None:
        raise ConfigError(f"the unit {found!r} is unknown; write one such as nanometer or um", code="unknown_unit")
    if unit.dimension != "length":
        raise ConfigError(f"{found!r} is no unit of length; write one such as nanometer or um", code="wrong_value")
    return found


def layout(value: object) -> str:
    """Return the axes of a tensor: distinct letters out of l, c, x, y, z, t, with l and a spatial axis.

    Examples
    --------
    >>> layout("lczyx")
    'lczyx'
    """
    found = text(value)
    for position, letter in enumerate(found):
        if letter not in "lcxyzt":
            raise ConfigError(
                f"the axis {letter!r} in {found!r} is unknown; letters are l, c, x, y, z, t in lower case",
                code="wrong_value",
            )
        if letter in found[:position]:
            raise ConfigError(f"the axis {letter!r} stands twice in {found!r}", code="duplicate")
    if "l" not in found:
        raise ConfigError(f"{found!r} lacks l, the axis of the scales; write for example lczyx", code="wrong_value")
    if not set(found) & set("xyzt"):
        raise ConfigError(f"{found!r} needs a spatial axis out of x, y, z, t", code="wrong_value")
    return found
