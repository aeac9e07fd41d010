"""Placement that stands in plain attributes: funlib, COSEM and dimension_units, as one record per rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from worldarray.documents import parsing
from worldarray.errors import At
from worldarray.records import Format

Floats = tuple[float, ...]
Names = tuple[str | None, ...]
SIZE_KEYS: Final = ("voxel_size", "resolution")
"""The attributes that hold a voxel size over a zarr array's axes; the first one present counts."""
_QUANTITY = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)?\s*(.*?)\s*", re.DOTALL)


@dataclass(frozen=True)
class Attributes:
    """The user attributes of one node, and the path that an error gives to them."""

    at: At
    values: Mapping[str, Any]
    format: Format = "zarr2"
    """The format of the document that they were read from."""
    parsed: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """What was made of them, kept so that ten levels parse their group's document once."""

    def first(self, *keys: str) -> str | None:
        """Return the first of `keys` that is present and not null, or None."""
        for key in keys:
            if self.values.get(key) is not None:
                return key
        return None

    def path(self, *keys: str | int) -> At:
        """Return the path to a value."""
        return self.at + keys


class Hints(NamedTuple):
    """What is known of an array's axes before its placement is read."""

    ndim: int
    spatial: tuple[int, ...]
    types: tuple[str, ...] | None = None
    x_first: bool = False
    """Whether lists run against the array's C order."""


class Covered(NamedTuple):
    """Values and the axes, by index in C order, that they cover."""

    axes: tuple[int, ...]
    values: Floats


class Found(NamedTuple):
    """What one rule found, in stored units: one entry per axis in C order, 1 and 0 on axes that it does not cover."""

    voxel_size: Floats
    position: Floats
    frame: Literal["centre", "corner"]
    """Whether `position` is the centre of voxel 0, or its lower corner along the covered spatial axes."""
    units: tuple[str, ...]
    covered: frozenset[int]
    declared: bool
    """Whether a document gave the position."""
    names: Names | None = None
    """The axis names that the rule itself gives."""


def per_axis(value: object, at: At, hints: Hints, parse: Callable[[object, At], float] = parsing.number) -> Covered:
    """Return a per-axis list and the axes it covers.

    A short list covers the axes that types call space when it has one entry for each of them, else the trailing axes;
    one bare number covers the spatial axes.

    Raises
    ------
    PlacementError
        The value is neither a number nor a list of 1 to `ndim` numbers that `parse` takes.

    Examples
    --------
    >>> per_axis([40, 4], ("a/.zattrs", "voxel_size"), Hints(3, (1, 2)))
    Covered(axes=(1, 2), values=(40.0, 4.0))
    """
    if isinstance(value, int | float):
        axes = hints.spatial or tuple(range(hints.ndim))
        return Covered(axes, (parse(value, at),) * len(axes))
    values = parsing.each(value, at, parse)
    return Covered(cover(len(values), at, hints), values[::-1] if hints.x_first else values)


def cover(length: int, at: At, hints: Hints) -> tuple[int, ...]:
    """Return the axes that a list of `length` entries covers; see `per_axis`."""
    if length == hints.ndim:
        return tuple(range(length))
    if not 1 <= length < hints.ndim:
        entries = "entry" if length == 1 else "entries"
        rule = "write one entry per axis, or one per trailing axis"
        parsing.refuse("wrong_length", at, f"has {length} {entries} but the array has {hints.ndim} axes; {rule}")
    if hints.types is not None:
        space = tuple(i for i, kind in enumerate(hints.types) if kind == "space")
        if len(space) == length:
            return space
    return tuple(range(hints.ndim - length, hints.ndim))


def spread(found: Covered | None, ndim: int, default: float) -> Floats:
    """Return one value per axis, `default` where `found` covers none."""
    if found is None:
        return (default,) * ndim
    values = dict(zip(found.axes, found.values, strict=True))
    return tuple(values.get(i, default) for i in range(ndim))


def axis_units(value: object, at: At, hints: Hints, covered: Sequence[int]) -> tuple[str, ...]:
    """Return a unit per axis: one string is the unit of every covered axis, a short list is that of `per_axis`.

    Examples
    --------
    >>> axis_units(["nm", None], ("a/.zattrs", "units"), Hints(3, (1, 2)), (1, 2))
    ('', 'nm', '')
    """
    if value is None:
        return ("",) * hints.ndim
    if isinstance(value, str):
        unit = parsing.text(value, at)
        return tuple(unit if i in covered else "" for i in range(hints.ndim))
    given = parsing.texts_or_nulls(value, at)
    given = given[::-1] if hints.x_first else given
    by_axis = dict(zip(cover(len(given), at, hints), given, strict=True)) if given else {}
    return tuple(by_axis.get(i) or "" for i in range(hints.ndim))


def axis_names(value: object, at: At, hints: Hints) -> Names:
    """Return a name per axis, None for the leading axes that a short list leaves out; empty names are none."""
    given = parsing.texts_or_nulls(value, at)
    if len(given) > hints.ndim:
        cover(len(given), at, hints)
    given = given[::-1] if hints.x_first else given
    return (None,) * (hints.ndim - len(given)) + tuple(name or None for name in given)


def axis_types(attrs: Attributes, ndim: int) -> tuple[str, ...] | None:
    """Return the type of each axis: from ``types``, else from funlib names, of which ``c^`` is no spatial one."""
    if attrs.first("types"):
        types = parsing.texts_or_nulls(attrs.values["types"], attrs.path("types"))
        return tuple(kind or "" for kind in types) if len(types) == ndim else None
    names = attrs.values.get("axis_names")
    if not isinstance(names, list) or len(names) != ndim or not all(isinstance(name, str) for name in names):
        return None
    if not any(name.endswith("^") for name in names):
        return None
    return tuple("channel" if name.endswith("^") else "space" for name in names)


def voxel_size(attrs: Attributes, hints: Hints) -> Covered | None:
    """Return what `SIZE_KEYS` give, or None where there is none of them.

    Raises
    ------
    PlacementError
        The value is no list of positive numbers that fits the array.
    """
    key = attrs.first(*SIZE_KEYS)
    return None if key is None else per_axis(attrs.values[key], attrs.path(key), hints, parsing.positive)


def offset(attrs: Attributes, hints: Hints) -> Covered | None:
    """Return what ``offset`` gives, the corner of voxel 0, or None."""
    if attrs.first("offset") is None:
        return None
    return per_axis(attrs.values["offset"], attrs.path("offset"), hints)


def funlib(size: Covered | None, corner: Covered | None, units_from: Attributes, hints: Hints) -> Found:
    """Return the placement of funlib keys: `corner` is that of voxel 0, missing at the origin; sizes missing are 1."""
    covered = tuple({axis: None for part in (size, corner) if part is not None for axis in part.axes})
    units = axis_units(units_from.values.get("units"), units_from.path("units"), hints, covered)
    return Found(
        voxel_size=spread(size, hints.ndim, 1.0),
        position=spread(corner, hints.ndim, 0.0),
        frame="corner",
        units=units,
        covered=frozenset(covered),
        declared=corner is not None,
    )


def is_cosem(value: object) -> bool:
    """Whether the value of a ``transform`` attribute is COSEM's: an object with a scale or a translate."""
    return isinstance(value, Mapping) and not value.keys().isdisjoint({"scale", "translate"})


def cosem(value: object, at: At, hints: Hints) -> Found:
    """Return the placement of a COSEM transform: the centre of voxel 0, in C order unless its order is "F".

    Raises
    ------
    PlacementError
        A member is of the wrong type or length, or a scale is not positive.

    Examples
    --------
    >>> found = cosem({"scale": [4, 5.24], "translate": [2, 3]}, ("a", "transform"), Hints(2, (0, 1)))
    >>> found.voxel_size, found.position
    ((4.0, 5.24), (2.0, 3.0))
    """
    raw = parsing.mapping(value, at)
    order = next((key for key in ("ordering", "order") if raw.get(key) is not None), None)
    reverse = order is not None and parsing.choice(raw[order], (*at, order), ("C", "F")) == "F"
    facing = Hints(hints.ndim, hints.spatial, None, x_first=reverse)
    parts: dict[str, Covered] = {}
    for key, parse in (("scale", parsing.positive), ("translate", parsing.number)):
        if raw.get(key) is not None:
            parts[key] = per_axis(raw[key], (*at, key), facing, parse)
    covered = tuple({axis: None for part in parts.values() for axis in part.axes})
    return Found(
        voxel_size=spread(parts.get("scale"), hints.ndim, 1.0),
        position=spread(parts.get("translate"), hints.ndim, 0.0),
        frame="centre",
        units=axis_units(raw.get("units"), (*at, "units"), facing, covered),
        covered=frozenset(covered),
        declared="translate" in parts,
        names=None if raw.get("axes") is None else axis_names(raw["axes"], (*at, "axes"), facing),
    )


def dimension_units(attrs: Attributes, ndim: int) -> Found | None:
    """Return the placement of tensorstore's ``dimension_units``, or None where they say nothing.

    Raises
    ------
    PlacementError
        The value is no list of one quantity, string or null per axis, or a multiplier is not positive.

    Examples
    --------
    >>> found = dimension_units(Attributes(("a",), {"dimension_units": ["4 nm", "40nm", None]}), 3)
    >>> found.voxel_size, found.units
    ((4.0, 40.0, 1.0), ('nm', 'nm', ''))
    """
    key = attrs.first("dimension_units")
    if key is None:
        return None
    given = parsing.each(attrs.values[key], attrs.path(key), _quantity, ndim)
    if all(entry is None for entry in given):
        return None
    return Found(
        voxel_size=tuple(1.0 if entry is None else entry[0] for entry in given),
        position=(0.0,) * ndim,
        frame="corner",
        units=tuple("" if entry is None else entry[1] for entry in given),
        covered=frozenset(range(ndim)),
        declared=False,
    )


def _quantity(value: object, at: At) -> tuple[float, str] | None:
    """Return the multiplier and unit of ``"4 nm"``, ``"nm"``, ``4`` or ``[4, "nm"]``; None for null and ``""``."""
    if value is None or value == "":
        return None
    if isinstance(value, int | float):
        return parsing.positive(value, at), ""
    if isinstance(value, list):
        pair = parsing.sequence(value, at)
        if len(pair) != 2:
            parsing.refuse("wrong_length", at, f"is {parsing.show(pair)}; a quantity is a number and a unit")
        return parsing.positive(pair[0], (*at, 0)), parsing.text(pair[1], (*at, 1))
    matched = _QUANTITY.fullmatch(parsing.text(value, at))
    if matched is None:  # the pattern takes any text
        return None
    number, unit = matched.groups()
    return (1.0 if number is None else parsing.positive(float(number), at)), unit
