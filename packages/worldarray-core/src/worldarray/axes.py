"""Axis names and the one rule of which axes are spatial."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Final

from worldarray.errors import ArgumentError, ArgumentTypeError, problem

SPATIAL_NAMES: Final = frozenset({"z", "y", "x"})
OTHER_NAMES: Final = frozenset({"t", "time", "c", "channel"})
OTHER_TYPES: Final = frozenset({"time", "channel"})
MOST_AXES: Final = 64
"""As many as a numpy array has."""
_DEFAULT: Final = ("t", "c", "z", "y", "x")


def axis_count(value: object, name: str) -> int:
    """Return a number of axes that a caller gave.

    Raises
    ------
    ArgumentTypeError
        It is no integer.
    ArgumentError
        It is negative, or more than any array has.

    Examples
    --------
    >>> axis_count(3, "ndim")
    3
    """
    try:
        count = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ArgumentTypeError(problem("wrong_type", (name,), f"{name} is {value!r}; give an integer")) from None
    if not 0 <= count <= MOST_AXES:
        message = f"{name} is {count if abs(count) < 2**63 else 'too large'}; give 0 to {MOST_AXES}"
        raise ArgumentError(problem("out_of_range", (name,), message))
    return count


def default_axes(ndim: int) -> tuple[str, ...]:
    """Return the names of `ndim` unnamed axes: the last of t, c, z, y, x; more axes get ``d0``, ``d1``, … in front.

    Raises
    ------
    ArgumentError
        `ndim` is no integer, or negative.

    Examples
    --------
    >>> default_axes(3), default_axes(6)
    (('z', 'y', 'x'), ('d0', 't', 'c', 'z', 'y', 'x'))
    """
    count = axis_count(ndim, "ndim")
    extra = tuple(f"d{i}" for i in range(count - len(_DEFAULT)))
    return extra + _DEFAULT[len(_DEFAULT) - min(count, len(_DEFAULT)) :]


def spatial_axes(axes: Sequence[str], types: Sequence[str] | None = None) -> tuple[int, ...]:
    """Return the indices of the spatial axes, in order.

    Those named z, y or x when any are; else the last three that are neither named t, time, c or channel nor typed
    time or channel.

    Examples
    --------
    >>> spatial_axes(("t", "y", "x", "c")), spatial_axes(("time", "lat", "lon"))
    ((1, 2), (1, 2))
    """
    named = tuple(i for i, name in enumerate(axes) if name in SPATIAL_NAMES)
    if named:
        return named
    kinds = types or ("",) * len(axes)
    rest = [
        i
        for i, (name, kind) in enumerate(zip(axes, kinds, strict=True))
        if name not in OTHER_NAMES and kind not in OTHER_TYPES
    ]
    return tuple(rest[-3:])


def with_units(values: str, units: Sequence[str]) -> str:
    """Return numbers, as they are shown, and the unit that they are in: one for all, or one each; nothing for none.

    Examples
    --------
    >>> with_units("(30, 8)", ("nanometer", "nanometer")), with_units("(1, 8)", ("", "micrometer"))
    ('(30, 8) nanometer', '(1, 8) (none, micrometer)')
    """
    if not any(units):
        return values
    shared = len(set(units)) == 1
    return f"{values} {units[0]}" if shared else f"{values} ({', '.join(unit or 'none' for unit in units)})"


def time_axes(axes: Sequence[str], types: Sequence[str] | None = None) -> tuple[int, ...]:
    """Return the indices of the axes that are time: typed time, or untyped and named t or time.

    Examples
    --------
    >>> time_axes(("t", "y", "x"))
    (0,)
    """
    kinds = types or ("",) * len(axes)
    return tuple(
        i
        for i, (name, kind) in enumerate(zip(axes, kinds, strict=True))
        if kind == "time" or (not kind and name in ("t", "time"))
    )
