"""The words of `data_type`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from maml_parquet.sections.likely import likely

TimeUnit: TypeAlias = Literal["ms", "us", "ns"]

BASES: Final = ("int32", "int64", "float32", "float64", "boolean", "string", "date", "time", "timestamp")
"""The kinds of columns."""

UNITS: Final[dict[str, TimeUnit]] = {
    "ms": "ms",
    "milli": "ms",
    "millis": "ms",
    "us": "us",
    "micro": "us",
    "micros": "us",
    "ns": "ns",
    "nano": "ns",
    "nanos": "ns",
}
"""How units of time are spelled."""

DATAMAP: Final = {
    "bool": "boolean",
    "logical": "boolean",
    "i32": "int32",
    "i64": "int64",
    "integer64": "int64",
    "single": "float32",
    "f32": "float32",
    "double": "float64",
    "numeric": "float64",
    "f64": "float64",
    "str": "string",
    "text": "string",
    "character": "string",
    "utf8": "string",
}
"""Words of other programs that stand for one type, which is read where a map of words is given."""

_SEVERAL: Final = {
    **dict.fromkeys(("float", "real"), "float32 or float64"),
    **dict.fromkeys(("int", "integer", "long"), "int32 or int64"),
}
"""Words of other programs that stand for several types."""

_SECONDS: Final = frozenset({"s", "sec", "second", "seconds"})
_NESTED: Final = ("list", "map", "struct")


@dataclass(frozen=True)
class TypeToken:
    """A kind of column: one of `BASES`; the unit of time and timestamp; whether a timestamp is in UTC."""

    base: str
    unit: TimeUnit | None = None
    utc: bool = False

    @property
    def is_temporal(self) -> bool:
        """Whether it is a date, a time or a timestamp."""
        return self.base in ("date", "time", "timestamp")

    @property
    def is_integer(self) -> bool:
        """Whether it holds whole numbers."""
        return self.base in ("int32", "int64")

    @property
    def is_float(self) -> bool:
        """Whether it holds floating-point numbers."""
        return self.base in ("float32", "float64")

    def __str__(self) -> str:
        """Return the token in full."""
        parts = [part for part in (self.unit, "utc" if self.utc else None) if part]
        return f"{self.base}[{','.join(parts)}]" if parts else self.base


def parse_type(text: str, words: Mapping[str, TypeToken] | None = None) -> TypeToken | str:
    """Return the type that the text is, or what is wrong with it.

    Case and blanks around words do not matter. `words` are other words for types, in small letters.

    Examples
    --------
    >>> parse_type("timestamp[UTC, NS]")
    TypeToken(base='timestamp', unit='ns', utc=True)
    >>> parse_type("time[s]")
    "parquet has no unit of seconds ('s' in 'time[s]'); write time[ms], time[us] or time[ns]"
    """
    whole = text.strip().lower()
    if words and whole in words:
        return words[whole]
    base, bracket, rest = whole.partition("[")
    base = base.rstrip()
    if base not in BASES:
        return _unknown(text.strip(), base)
    if not bracket:
        return TypeToken(base, None if base in BASES[:7] else "us")
    if base in BASES[:7]:
        size = " and array_size, its characters" if base == "string" else ""
        return f"{base} takes nothing in brackets, {text.strip()!r} has some; write {base}{size}"
    if not rest.endswith("]"):
        return f"the bracket of {text.strip()!r} is not closed at its end; write {base}[us]"
    return _bracketed(text.strip(), base, rest[:-1])


def _unknown(text: str, base: str) -> str:
    if base in _NESTED:
        return f"columns of {base} are not supported; the types are {', '.join(BASES)}"
    if base in DATAMAP:
        return f"{text!r} is no type; write {DATAMAP[base]}, or read it as that with datamap={{}}"
    if base in _SEVERAL:
        mapped = f"datamap={{{base!r}: …}}"
        return f"{text!r} is no type, and may be {_SEVERAL[base]}; write one of the two, or say which with {mapped}"
    meant = "" if re.fullmatch(r"u?int(8|16|32|64)|float(16|128)", base) else likely(base, BASES)
    return f"{text!r} is no type; {meant}the types are {', '.join(BASES)}"


def _bracketed(text: str, base: str, inside: str) -> TypeToken | str:
    parts = [part.strip() for part in inside.split(",")]
    if base == "timestamp" and parts == [""]:
        return TypeToken(base, "us")
    unit: TimeUnit | None = None
    utc = False
    for part in parts:
        if part in UNITS and unit is None:
            unit = UNITS[part]
        elif part == "utc" and base == "timestamp" and not utc:
            utc = True
        else:
            return _bad_part(text, base, part)
    return TypeToken(base, unit or "us", utc)


def _bad_part(text: str, base: str, part: str) -> str:
    if part in _SECONDS:
        return f"parquet has no unit of seconds ({part!r} in {text!r}); write {base}[ms], {base}[us] or {base}[ns]"
    if part in UNITS:
        return f"{text!r} has two units; write one of ms, us and ns"
    if part == "utc" and base == "time":
        return f"a time is in no time zone, {text!r} has utc; write time[us], or timestamp[us,utc]"
    if part == "utc":
        return f"{text!r} has utc twice; write it once"
    allowed = "ms, us or ns" if base == "time" else "ms, us or ns, and utc"
    return f"{part!r} in {text!r} is no unit; in the brackets stand {allowed}"
