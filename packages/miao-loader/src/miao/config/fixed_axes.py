"""Pinned axes: which indices a volume is pinned to, and the volumes that it becomes, one for each index."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from miao.config.values import count, listed, shown, whole
from miao.errors import ConfigError

Fixed = int | list[int] | str
"""One index, a list of them, or a range "start:stop" or "start:stop:step" whose stop is left out."""
MOST: Final = 1_000_000
"""The most volumes that one entry may become."""
_RANGE: Final = re.compile(r"([0-9]+):([0-9]+)(?::([0-9]+))?")


def parse_fixed(value: object) -> tuple[int, ...]:
    """Return the level-0 indices that an axis is pinned to.

    Raises
    ------
    ConfigError
        No index is given, one is given twice, is negative or no whole number; a range is open, empty or backwards.

    Examples
    --------
    >>> parse_fixed(10), parse_fixed([25, 40]), parse_fixed("1:8:3")
    ((10,), (25, 40), (1, 4, 7))
    """
    return tuple(_chosen(value))


def _chosen(value: object) -> Sequence[int]:
    """Return the indices, of a range without holding each."""
    if isinstance(value, str):
        return _range(value)
    return _indices(listed(value)) if hasattr(value, "__len__") else (_index(value),)


def plain(value: object) -> Fixed:
    """Return what an axis is pinned to as it was written, in plain Python: an int, a list or a range's text."""
    if isinstance(value, str):
        return value
    indices = parse_fixed(value)
    return list(indices) if hasattr(value, "__len__") else indices[0]


def _index(value: object) -> int:
    try:
        return count(value)
    except ConfigError as error:
        raise ConfigError(
            f"{error.message}; an axis is pinned to an index, a list of them or a range such as '1:25'",
            code=error.code,
        ) from None


def _indices(values: list[object]) -> tuple[int, ...]:
    if not values:
        raise ConfigError("the list has 0 entries; at least 1 index belongs there", code="wrong_length")
    found: dict[int, None] = {}
    for position, value in enumerate(values):
        try:
            index = _index(value)
        except ConfigError as error:
            raise ConfigError(error.message, code=error.code, at=(position,)) from None
        if index in found:
            raise ConfigError(f"the index {index} stands twice in {shown(values)}", code="duplicate", at=(position,))
        found[index] = None
    _few(len(found))
    return tuple(found)


def _range(value: str) -> range:
    parts = _RANGE.fullmatch(value)
    if parts is None:
        raise ConfigError(
            f"{value!r} is no range; write start:stop or start:stop:step in digits, such as '1:25'",
            code="wrong_value",
        )
    start, stop, step = (_digits(part) for part in (parts[1], parts[2], parts[3] or "1"))
    if step == 0:
        raise ConfigError(f"the step of the range {value!r} is 0; it is 1 or more", code="not_positive")
    if stop <= start:
        raise ConfigError(
            f"the range {value!r} is empty: it stops at {stop}, which is left out, and starts at {start}",
            code="order",
        )
    _few((stop - start + step - 1) // step)
    return range(start, stop, step)


def _digits(text: str) -> int:
    if len(text.lstrip("0")) > 19:
        raise ConfigError(f"{shown(text)} does not fit into 64 bits", code="out_of_range")
    return whole(int(text))


def _few(number: int) -> None:
    if number > MOST:
        raise ConfigError(f"it would become {number} volumes; at most {MOST} are allowed", code="out_of_range")


def expand(name: str, fixed: Mapping[str, object], weight: float = 1.0) -> list[tuple[str, dict[str, int], float]]:
    """Return the volumes that an entry becomes: name, the index of each pinned axis, and weight of each.

    Of several indices each is a volume named after them, in the order in which the axes are written, the last one
    running fastest; they share the weight evenly. Where each axis has one index the name stays.

    Raises
    ------
    ConfigError
        As of `parse_fixed`, at the axis; or the entry would become more than a million volumes.

    Examples
    --------
    >>> expand("fish", {"t": 10})
    [('fish', {'t': 10}, 1.0)]
    >>> expand("fish", {"t": [25, 40]}, 3.0)
    [('fish[t=25]', {'t': 25}, 1.5), ('fish[t=40]', {'t': 40}, 1.5)]
    """
    indices = parsed(fixed)
    number = math.prod(len(found) for found in indices.values())
    chosen = [dict(zip(indices, values, strict=True)) for values in product(*indices.values())]
    return [(name if number == 1 else _named(name, one), one, weight / number) for one in chosen]


def parsed(fixed: Mapping[str, object]) -> dict[str, Sequence[int]]:
    """Return the indices of each pinned axis; together they make a million volumes at most."""
    found: dict[str, Sequence[int]] = {}
    for axis, value in fixed.items():
        try:
            found[axis] = _chosen(value)
        except ConfigError as error:
            raise ConfigError(error.message, code=error.code, at=(axis, *error.at)) from None
    _few(math.prod(len(indices) for indices in found.values()))
    return found


def names(name: str, fixed: Mapping[str, object] | None) -> Iterator[str]:
    """Yield the names of the volumes that an entry becomes.

    Examples
    --------
    >>> list(names("fish", {"t": "1:3", "c": 0}))
    ['fish[t=1,c=0]', 'fish[t=2,c=0]']
    """
    for child, _, _ in expand(name, fixed or {}):
        yield child


def _named(name: str, fixed: Mapping[str, int]) -> str:
    return f"{name}[{','.join(f'{axis}={index}' for axis, index in fixed.items())}]"
