"""Placement that N5 writers leave in attributes.json: pixelResolution or resolution, times downsamplingFactors."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from worldarray import units
from worldarray.documents import parsing
from worldarray.documents.attributes import (
    Attributes,
    Covered,
    Floats,
    Found,
    Hints,
    axis_units,
    offset,
    per_axis,
    spread,
)
from worldarray.errors import Notice, notice

BASE_KEYS: Final = ("pixelResolution", "resolution")
"""The attributes that hold the voxel size of the full resolution, x first."""
FACTOR_KEYS: Final = ("downsamplingFactors", "scales")
"""The attributes of a group that list the factors of every level."""
_LEVEL = re.compile(r"s(0|[1-9][0-9]{0,8})")


@dataclass(frozen=True)
class _Base:
    """The voxel size of the full resolution, and the node that gives it."""

    size: Covered
    holder: Attributes
    unit: str | None
    """The unit that stands inside pixelResolution."""


def level_index(name: str) -> int | None:
    """Return N for a folder called ``sN``, else None.

    Examples
    --------
    >>> level_index("s12"), level_index("raw")
    (12, None)
    """
    matched = _LEVEL.fullmatch(name)
    return int(matched[1]) if matched else None


def place(
    own: Attributes,
    group: Attributes,
    above: Sequence[Attributes],
    name: str,
    hints: Hints,
    notes: list[Notice],
) -> Found | None:
    """Return the placement of N5 keys: the corner is at the origin, or at ``offset``, at every level.

    A resolution on the array goes with the array's own factors; one on the group with the array's own factors, else
    with those that the group, or the folder above it, lists for the level. Factors alone scale voxels of 1.

    Parameters
    ----------
    own, group, above
        The attributes of the array, of its parent and of the folders above that.
    name
        The array's folder name.
    hints
        The axes; lists are read x first whatever it says.
    notes
        Where remarks go.

    Raises
    ------
    PlacementError
        A key is no list of (positive) numbers that fits the array.
    """
    hints = hints._replace(types=None, x_first=True)
    own_factors = _factors(own, hints)
    base = _base(own, hints)
    if base is not None:
        if own_factors is None:
            _note_group_factors(base, _listed_factors((group, *above), name, hints, []), notes)
        return _found(base, own_factors, own, own, hints)
    factors = own_factors
    if factors is None:
        before = len(notes)
        factors = _listed_factors((group, *above), name, hints, notes)
        if len(notes) > before:
            return None
    base = _base(group, hints)
    if base is None and factors is None:
        _note_bare_offset(own, notes)
        return None
    if base is None:
        base = _Base(Covered(tuple(range(hints.ndim)), (1.0,) * hints.ndim), Attributes((), {}), None)
    return _found(base, factors, own, own if own.first("offset") else group, hints)


def _base(attrs: Attributes, hints: Hints) -> _Base | None:
    key = attrs.first(*BASE_KEYS)
    if key is None:
        return None
    value, at, unit = attrs.values[key], attrs.path(key), None
    if isinstance(value, Mapping) and key == "pixelResolution":
        unit = parsing.optional(value, "unit", at, parsing.text)
        value, at = parsing.member(value, "dimensions", at), (*at, "dimensions")
    return _Base(per_axis(value, at, hints, parsing.positive), attrs, unit)


def _factors(attrs: Attributes, hints: Hints) -> Covered | None:
    """Return the factors that stand on a level itself."""
    key = FACTOR_KEYS[0]
    if attrs.first(key) is None:
        return None
    return per_axis(attrs.values[key], attrs.path(key), hints, parsing.positive)


def _listed_factors(groups: Sequence[Attributes], name: str, hints: Hints, notes: list[Notice]) -> Covered | None:
    """Return the factors that the nearest group lists for a level, by the number in its name."""
    index = level_index(name)
    holder = next((attrs for attrs in groups if attrs.first(*FACTOR_KEYS)), None)
    if index is None or holder is None:
        return None
    key = holder.first(*FACTOR_KEYS) or ""
    listed = parsing.sequence(holder.values[key], holder.path(key))
    if index >= len(listed):
        message = f"lists {len(listed)} levels, none for {name}, which is placed by its own attributes or not at all"
        notes.append(notice("missing_key", holder.path(key), message))
        return None
    return per_axis(listed[index], holder.path(key, index), hints, parsing.positive)


def _note_group_factors(base: _Base, listed: Covered | None, notes: list[Notice]) -> None:
    if listed is not None and any(value != 1 for value in listed.values):
        key = base.holder.first(*BASE_KEYS) or ""
        message = f"is the array's own, so the factors {listed.values[::-1]} that the group lists are not applied to it"
        notes.append(notice("conflict", base.holder.path(key), message))


def _note_bare_offset(own: Attributes, notes: list[Notice]) -> None:
    if own.first("offset") is not None:
        message = "has no voxel size beside it, so its order and unit are unknown and it places nothing"
        notes.append(notice("unsupported", own.path("offset"), message))


def _found(base: _Base, factors: Covered | None, own: Attributes, offset_from: Attributes, hints: Hints) -> Found:
    ndim = hints.ndim
    sizes = spread(base.size, ndim, 1.0)
    size = tuple(b * f for b, f in zip(sizes, spread(factors, ndim, 1.0), strict=True))
    corner = offset(offset_from, hints)
    covered = {axis for part in (base.size, factors, corner) if part is not None for axis in part.axes}
    named = _units(base, own, hints)
    position, named = _offset_in_units(spread(corner, ndim, 0.0), offset_from, named, corner, hints)
    return Found(
        voxel_size=size,
        position=position,
        frame="corner",
        units=named,
        covered=frozenset(covered),
        declared=corner is not None,
    )


def _units(base: _Base, own: Attributes, hints: Hints) -> tuple[str, ...]:
    """Return the units of the base: inside pixelResolution, beside it, else on the array."""
    if base.unit is not None:
        return axis_units(base.unit, (), hints, base.size.axes)
    for attrs in (base.holder, own):
        if attrs.values and attrs.first("units"):
            return axis_units(attrs.values["units"], attrs.path("units"), hints, base.size.axes)
    return ("",) * hints.ndim


def _offset_in_units(
    position: Floats, holder: Attributes, named: tuple[str, ...], corner: Covered | None, hints: Hints
) -> tuple[Floats, tuple[str, ...]]:
    """Return the offset in the units of the voxel size; ``offset_unit`` is that of both where only it is there."""
    if corner is None or holder.first("offset_unit") is None:
        return position, named
    unit = parsing.text(holder.values["offset_unit"], holder.path("offset_unit"))
    if not any(named):
        return position, axis_units(unit, (), hints, corner.axes)
    return tuple(converted(value, unit, target) for value, target in zip(position, named, strict=True)), named


def converted(value: float, source: str, target: str) -> float:
    """Return a value in another unit where both are known and of one dimension, else as it is."""
    first, second = units.parse(source), units.parse(target)
    if first is None or second is None or first.dimension != second.dimension:
        return value
    return units.convert(value, first.factor / second.factor)
