"""The kinds of columns that rows are chosen by, one row per word."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

INTEGERS: Final = {
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint8": (0, 2**8 - 1),
    "uint16": (0, 2**16 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}
"""The range of each kind of whole numbers."""

FLOATS: Final = ("float16", "float32", "float64")

UNITS: Final = {"ms": 10**3, "us": 10**6, "ns": 10**9}
"""How many of a unit make a second."""

NOT_SCALAR: Final = ("vector", "list", "map", "struct", "other")
"""Columns that no rule and no key can name; `other` is what is not MAML's (decimals, bytes)."""

_PLAIN: Final = (*INTEGERS, *FLOATS, "boolean", "string", "date", *NOT_SCALAR)
_TEMPORAL: Final = re.compile(r"(time|timestamp)\[(ms|us|ns)(,utc)?\]")


@dataclass(frozen=True)
class Kind:
    """A kind of column: the base word; the unit of times and timestamps; whether a timestamp is in UTC.

    Examples
    --------
    >>> Kind.of("timestamp[ms,utc]")
    Kind(base='timestamp', unit='ms', utc=True)
    >>> str(Kind.of("int32"))
    'int32'
    """

    base: str
    unit: str = ""
    utc: bool = False

    @classmethod
    def of(cls, token: str) -> Kind:
        """Return the kind of a word such as ``float64`` or ``time[us]``.

        Raises
        ------
        ValueError
            The word is none of the table.
        """
        if token in _PLAIN:
            return cls(token)
        found = _TEMPORAL.fullmatch(token)
        if found is None or (found[3] and found[1] == "time"):
            raise ValueError(
                f"{token!r} is no kind of column; use one of {', '.join(_PLAIN)}, time[us], timestamp[us,utc]"
            )
        return cls(found[1], found[2], found[3] is not None)

    def __str__(self) -> str:
        """Return the word."""
        return f"{self.base}[{self.unit}{',utc' if self.utc else ''}]" if self.unit else self.base

    def holds(self, value: object) -> bool:
        """Return whether this is a value of such a column, as rows and statistics here have it; Null is none.

        Examples
        --------
        >>> Kind.of("date").holds(19753), Kind.of("date").holds("2024-01-31"), Kind.of("int32").holds(True)
        (True, False, False)
        """
        if self.base in ("boolean", "string"):
            return isinstance(value, bool if self.base == "boolean" else str)
        return isinstance(value, (int, float) if self.is_float else int) and not isinstance(value, bool)

    @property
    def is_float(self) -> bool:
        """Whether values may be NaN."""
        return self.base in FLOATS

    @property
    def is_integer(self) -> bool:
        """Whether values are whole numbers that a rule writes as such."""
        return self.base in INTEGERS

    @property
    def is_temporal(self) -> bool:
        """Whether values are dates, times or timestamps."""
        return self.base in ("date", "time", "timestamp")

    @property
    def is_scalar(self) -> bool:
        """Whether rows can be chosen and sorted by such a column."""
        return self.base not in NOT_SCALAR
