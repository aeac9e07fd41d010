"""Exact unit table: a unit is a dimension and a rational factor, so a conversion is rounded once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isfinite
from types import MappingProxyType
from typing import Final, Literal, NoReturn

from worldarray.errors import ArgumentError, ArgumentTypeError, At, UnitError, problem

Dimension = Literal["length", "time"]
KINDS: Final[Mapping[str, Dimension]] = MappingProxyType({"space": "length", "time": "time"})
"""The axis kinds that units can be asked for, and the dimension that each must have."""


@dataclass(frozen=True)
class Unit:
    """One unit: its full OME-NGFF name, its symbol, and the metres or seconds in one of it."""

    name: str
    abbreviation: str
    dimension: Dimension
    factor: Fraction


_PREFIXES: Final = (
    ("yocto", "y", -24),
    ("zepto", "z", -21),
    ("atto", "a", -18),
    ("femto", "f", -15),
    ("pico", "p", -12),
    ("nano", "n", -9),
    ("micro", "µ", -6),
    ("milli", "m", -3),
    ("centi", "c", -2),
    ("deci", "d", -1),
    ("", "", 0),
    ("hecto", "h", 2),
    ("kilo", "k", 3),
    ("mega", "M", 6),
    ("giga", "G", 9),
    ("tera", "T", 12),
    ("peta", "P", 15),
    ("exa", "E", 18),
    ("zetta", "Z", 21),
    ("yotta", "Y", 24),
)
"""The SI prefixes that OME-NGFF 0.5 lists for length and time: name, symbol, power of ten."""

# name, symbol, dimension, factor, further full names, further symbols
_Row = tuple[str, str, Dimension, Fraction, tuple[str, ...], tuple[str, ...]]
_OTHERS: Final[tuple[_Row, ...]] = (
    ("angstrom", "Å", "length", Fraction(1, 10**10), ("ångström", "ångstrom"), ("\u212b",)),
    ("inch", "in", "length", Fraction(254, 10**4), (), ()),
    ("foot", "ft", "length", Fraction(3048, 10**4), (), ()),
    ("yard", "yd", "length", Fraction(9144, 10**4), (), ()),
    ("mile", "mi", "length", Fraction(1609344, 10**3), (), ()),
    # 648000/π astronomical units (IAU 2015 B2), to the metre
    ("parsec", "pc", "length", Fraction(30856775814913673), (), ()),
    ("minute", "min", "time", Fraction(60), (), ()),
    ("hour", "h", "time", Fraction(3600), (), ("hr",)),
    ("day", "d", "time", Fraction(86400), (), ()),
)
_IRREGULAR: Final = {"inches": "inch", "feet": "foot"}


def _rows() -> list[_Row]:
    rows = list(_OTHERS)
    for prefix, letter, power in _PREFIXES:
        factor = Fraction(10) ** power
        letters = ("µ", "\u03bc", "u") if letter == "µ" else (letter,)
        metres = (f"{prefix}metre", *(("micron",) if prefix == "micro" else ()))
        rows.append((f"{prefix}meter", f"{letter}m", "length", factor, metres, tuple(f"{a}m" for a in letters)))
        seconds = tuple(f"{a}s" for a in letters) + (() if prefix else ("sec",))
        rows.append((f"{prefix}second", f"{letter}s", "time", factor, (), seconds))
    return rows


def _spellings() -> tuple[dict[str, Unit], dict[str, Unit]]:
    symbols: dict[str, Unit] = {}
    names: dict[str, Unit] = {}
    for name, abbreviation_, dimension, factor_, more_names, more_symbols in _rows():
        unit = Unit(name, abbreviation_, dimension, factor_)
        symbols.update(dict.fromkeys((abbreviation_, *more_symbols), unit))
        names.update(dict.fromkeys((name, *more_names), unit))
    return symbols, names


_SYMBOLS, _NAMES = _spellings()
_PLURALS: Final = {
    **{f"{name}s": unit for name, unit in _NAMES.items()},
    **{plural: _NAMES[name] for plural, name in _IRREGULAR.items()},
}


def _table(dimension: Dimension) -> Mapping[str, float]:
    spellings = {**_NAMES, **_SYMBOLS}
    return MappingProxyType({s: float(u.factor) for s, u in spellings.items() if u.dimension == dimension})


TABLE: Final[Mapping[Dimension, Mapping[str, float]]] = MappingProxyType(
    {"length": _table("length"), "time": _table("time")}
)
"""Metres or seconds per unit for every symbol and every full name; full names are also known in any case and plural."""


def is_missing(text: str | None) -> bool:
    """Whether a unit is not there at all: None and the empty string.

    Examples
    --------
    >>> is_missing(""), is_missing("pixel")
    (True, False)
    """
    return not text


def parse(text: str | None) -> Unit | None:
    """Return the unit that a spelling means, or None for a missing or unknown one.

    Symbols are case-sensitive, full names are not, and one plural s is dropped from full names only.

    Examples
    --------
    >>> parse("Micrometres").name, parse("mm").name, parse("Mm").name, parse("pixel")
    ('micrometer', 'millimeter', 'megameter', None)
    """
    given: object = text
    if not isinstance(given, str):
        return None
    name = given.lower()
    return _SYMBOLS.get(given) or _NAMES.get(name) or _PLURALS.get(name)


def lookup(text: str | None, at: At = ("units",)) -> Unit:
    """Return the unit that a spelling means.

    Raises
    ------
    UnitError
        The spelling is missing or unknown; `at` is the path to it.

    Examples
    --------
    >>> lookup("nm").factor
    Fraction(1, 1000000000)
    """
    if text is not None and not isinstance(text, str):
        raise ArgumentTypeError(problem("wrong_type", at, f"a unit is a string, not {text!r}"))
    return parse(text) or _refuse(text, at)


def _refuse(text: str | None, at: At) -> NoReturn:
    near = _near(text) if text else None
    hint = f"did you mean {near!r}? " if near else ""
    message = f"unknown unit {text!r}; {hint}use a length or time unit of OME-NGFF such as 'nanometer' or 'second'"
    raise UnitError(problem("unknown_unit", at, message))


def _near(text: str) -> str | None:
    from difflib import get_close_matches  # noqa: PLC0415 (only for an error message)

    folded = {spelling.lower(): spelling for spelling in (*_SYMBOLS, *_NAMES)}
    matches = get_close_matches(text.lower(), folded, n=1, cutoff=0.75)
    return folded[matches[0]] if matches else None


def factor(source: str, target: str) -> Fraction:
    """Return the exact number of `target` units in one `source` unit.

    Raises
    ------
    UnitError
        A unit is unknown, or the two are of different dimensions.

    Examples
    --------
    >>> factor("um", "nanometer"), factor("nm", "um")
    (Fraction(1000, 1), Fraction(1, 1000))
    """
    a, b = lookup(source), lookup(target)
    if a.dimension != b.dimension:
        message = f"{source!r} is a {a.dimension} and cannot be converted to {target!r}, a {b.dimension}"
        raise UnitError(problem("wrong_value", ("units",), message))
    return a.factor / b.factor


_EXACT: Final = 2**53


def convert(value: float, factor: Fraction) -> float:
    """Return ``value * factor`` computed exactly and rounded once.

    Examples
    --------
    >>> convert(0.004, factor("um", "nm"))
    4.0
    """
    value = float(value)
    top, bottom = factor.numerator, factor.denominator
    if bottom == 1 and top <= _EXACT:  # both operands are exact, so IEEE arithmetic rounds once
        return value * top
    if top == 1 and bottom <= _EXACT:
        return value / bottom
    if not isfinite(value):
        return value
    exact = Fraction(value) * factor
    try:
        return float(exact)
    except OverflowError:
        return inf if exact > 0 else -inf


def same(a: str | None, b: str | None) -> bool:
    """Whether two units mean the same: a missing one equals only a missing one, an unknown one its own spelling.

    Examples
    --------
    >>> same("um", "micrometre"), same("", "nm"), same("pixel", "pixel")
    (True, False, True)
    """
    first, second = parse(a), parse(b)
    if first is None or second is None:
        return first is second and (a or "") == (b or "")
    return first.dimension == second.dimension and first.factor == second.factor


def abbreviation(text: str) -> str:
    """Return the short form of any known spelling.

    Raises
    ------
    UnitError
        The spelling is unknown.

    Examples
    --------
    >>> abbreviation("Nanometers"), abbreviation("um"), abbreviation("hour")
    ('nm', 'µm', 'h')
    """
    return lookup(text).abbreviation


def ome_name(text: str) -> str:
    """Return the full OME-NGFF name of any known spelling.

    Raises
    ------
    UnitError
        The spelling is unknown.

    Examples
    --------
    >>> ome_name("µm"), ome_name("metre")
    ('micrometer', 'meter')
    """
    return lookup(text).name


def normalise(units: str | Mapping[str, str | None] | None) -> dict[str, str]:
    """Return the unit asked for per axis kind ("space", "time"), by its OME name; kinds left alone are left out.

    A string is the unit of space.

    Raises
    ------
    UnitError
        A unit is unknown, or is a time for space or a length for time.
    ArgumentError
        A kind is neither space nor time.
    ArgumentTypeError
        `units` is neither a string nor a mapping.

    Examples
    --------
    >>> normalise("nm"), normalise({"space": "um", "time": "s"}), normalise(None)
    ({'space': 'nanometer'}, {'space': 'micrometer', 'time': 'second'}, {})
    """
    if units is None:
        return {}
    if isinstance(units, str):
        return {"space": _of_kind("space", units, ("units",))}
    try:
        items = units.items()
    except AttributeError:
        message = f"units is a unit, a mapping of axis kind to unit, or None, not {units!r}"
        raise ArgumentTypeError(problem("wrong_type", ("units",), message)) from None
    return {kind: _of_kind(kind, text, ("units", kind)) for kind, text in items if text is not None}


def _of_kind(kind: str, text: str, at: At) -> str:
    dimension = KINDS.get(kind)
    if dimension is None:
        message = f"there is no axis kind {kind!r} to convert; use 'space' or 'time'"
        raise ArgumentError(problem("invalid_argument", at, message))
    unit = lookup(text, at)
    if unit.dimension != dimension:
        message = f"{text!r} is a {unit.dimension}; {kind} axes need a {dimension} unit"
        raise UnitError(problem("wrong_value", at, message))
    return unit.name
