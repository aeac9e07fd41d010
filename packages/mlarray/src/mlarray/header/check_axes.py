"""The rules of `axes`: names, types, labels and sampling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from mlarray.errors import At
from mlarray.header import report as check
from mlarray.header.report import Report

TYPES: Final = ("space", "time", "channel", "component", "other")
_SAMPLING: Final = ("start", "step", "coordinates", "unit", "unit_code")


def default_name(position: int) -> str:
    """Return the name of an axis that has none.

    Examples
    --------
    >>> default_name(2)
    'axis_2'
    """
    return f"axis_{position}"


def check_axes(axes: object, shape: Sequence[int] | None, report: Report) -> tuple[str, ...]:
    """Check the list of axes; return their names, defaults filled in."""
    at: At = ("axes",)
    listed = check.items(axes, at, report)
    if listed is None:
        return ()
    names: list[str] = []
    for index, axis in enumerate(listed):
        if _simple(axis):
            names.append(axis["name"])
            continue
        found = check.mapping(axis, (*at, index), report)
        size = shape[index] if shape is not None and index < len(shape) else None
        names.append(_axis(found, index, size, report) if found is not None else default_name(index))
    if shape is not None:
        check.length(len(listed), len(shape), at, "axes", f"the array has {len(shape)}", report)
    check.unique(names, at, "the axis name", report)
    return tuple(names)


def _simple(axis: object) -> bool:
    """Whether an axis is a name and a known type alone, as most are."""
    if type(axis) is not dict or len(axis) != 2 or axis.get("type") not in TYPES:
        return False
    name = axis.get("name")
    return type(name) is str and name != ""


def _axis(axis: Mapping[str, Any], index: int, size: int | None, report: Report) -> str:
    at: At = ("axes", index)
    name = default_name(index)
    if "name" in axis and check.text(axis["name"], (*at, "name"), report):
        name = axis["name"]
    if "type" in axis:
        check.word(axis["type"], TYPES, (*at, "type"), report)
    if len(axis) > 2 or not axis.keys() <= {"name", "type"}:
        _sampling(axis, at, name, size, report)
    return name


def _sampling(axis: Mapping[str, Any], at: At, name: str, size: int | None, report: Report) -> None:
    if axis.get("type") == "space":
        _no_sampling(axis, at, f"the axis {check.shown(name)} is of type space", report)
    check.unit(axis, at, report)
    if "start" in axis:
        check.number(axis["start"], (*at, "start"), report)
        if "step" not in axis:
            report.add("missing_key", at, "start needs step beside it")
    if "step" in axis:
        check.nonzero(axis["step"], (*at, "step"), report)
        if "coordinates" in axis:
            report.add("conflict", (*at, "coordinates"), "step and coordinates exclude each other; keep one")
    for key, read in (("labels", _labels), ("coordinates", check.numbers)):
        if key in axis:
            read(axis[key], (*at, key), report)
        found = axis.get(key)
        if isinstance(found, list) and size is not None:
            check.length(len(found), size, (*at, key), key, f"the axis {check.shown(name)} has {size} indices", report)


def _no_sampling(axis: Mapping[str, Any], at: At, why: str, report: Report) -> None:
    for key in _SAMPLING:
        if key in axis:
            report.add("conflict", (*at, key), f"{why}, whose geometry stands in spaces; take {key!r} out")


def check_used(axes: Sequence[Mapping[str, Any]], names: Sequence[str], types: Sequence[str], report: Report) -> None:
    """Check that no axis without a type has sampling of its own where a space uses it, which makes it a space axis."""
    for index, (axis, name, kind) in enumerate(zip(axes, names, types, strict=True)):
        if kind == "space" and "type" not in axis:
            _no_sampling(axis, ("axes", index), f"the axis {check.shown(name)} is used by a space", report)


def _labels(value: object, at: At, report: Report) -> Sequence[str] | None:
    return check.texts(value, at, report, empty=True)


def effective_types(axes: Sequence[Mapping[str, Any]], names: Sequence[str], spaces: object) -> tuple[str, ...]:
    """Return the type of every axis: missing, it is space where a space uses the axis, else other.

    Words that this version does not know read as other.
    """
    used = {name for space in (spaces if isinstance(spaces, list) else ()) for name in _used(space)}
    found = []
    for axis, name in zip(axes, names, strict=True):
        given = axis.get("type")
        absent = "space" if name in used else "other"
        found.append(given if given in TYPES else absent if "type" not in axis else "other")
    return tuple(found)


def _used(space: object) -> Sequence[str]:
    from_array = space.get("from_array") if isinstance(space, Mapping) else None
    listed = from_array.get("array_axes") if isinstance(from_array, Mapping) else None
    return [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
