"""The rules of `spaces`: names, directions, and the map from the array."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from mlarray.errors import At
from mlarray.geometry import matrix as matrices
from mlarray.header import report as check
from mlarray.header.report import Report

OPPOSITES: Final = {
    "left": "right",
    "right": "left",
    "anterior": "posterior",
    "posterior": "anterior",
    "superior": "inferior",
    "inferior": "superior",
    "east": "west",
    "west": "east",
    "north": "south",
    "south": "north",
    "up": "down",
    "down": "up",
}
"""The twelve words of `increases_toward`, each with the other end."""
_WORDS: Final = tuple(OPPOSITES)


def check_spaces(spaces: object, axis_names: Sequence[str], types: Sequence[str], report: Report) -> None:
    """Check the list of spaces against the axes of the array, their names and effective types."""
    at: At = ("spaces",)
    listed = check.items(spaces, at, report)
    named: list[str] = []
    for index, raw in enumerate(listed or ()):
        space = check.mapping(raw, (*at, index), report)
        if space is not None:
            _space(space, (*at, index), axis_names, types, report)
            if isinstance(space.get("name"), str):
                named.append(space["name"])
    check.unique(named, at, "the space", report)


def _space(space: Mapping[str, Any], at: At, axis_names: Sequence[str], types: Sequence[str], report: Report) -> None:
    check.required(space, ("name", "axes", "from_array"), at, report)
    if "name" in space and check.text(space["name"], (*at, "name"), report) and space["name"] == "index":
        report.add("wrong_value", (*at, "name"), "the name 'index' is reserved for array indices; choose another")
    if "reference" in space:
        _reference(space["reference"], (*at, "reference"), report)
    names = _axes(space["axes"], (*at, "axes"), report) if "axes" in space else None
    from_array = space.get("from_array", check.MISSING)
    if from_array is not check.MISSING:
        found = check.mapping(from_array, (*at, "from_array"), report)
        if found is not None:
            _from_array(found, (*at, "from_array"), names, (axis_names, types), report)


def _reference(value: object, at: At, report: Report) -> None:
    reference = check.mapping(value, at, report)
    if reference is not None:
        check.required(reference, ("scheme", "id"), at, report)
        check.optional_text(reference, ("scheme", "id"), at, report)


def _axes(value: object, at: At, report: Report) -> list[str] | None:
    """Return the names of the axes of a space, None where they cannot be told."""
    listed = check.items(value, at, report)
    if listed is None:
        return None
    if not listed:
        report.add("wrong_length", at, "0 axes, expected at least 1")
    names: list[str] = []
    toward: list[str] = []
    for index, raw in enumerate(listed):
        axis = check.mapping(raw, (*at, index), report)
        if axis is not None:
            _axis(axis, (*at, index), names, toward, report)
    whole = check.unique(names, at, "the space axis", report) and len(names) == len(listed)
    return names if whole and names else None


def _axis(axis: Mapping[str, Any], at: At, names: list[str], toward: list[str], report: Report) -> None:
    """Check an axis of a space; add its name to the names, and its direction to the directions."""
    name = axis.get("name", check.MISSING)
    if name is check.MISSING:
        check.required(axis, ("name",), at, report)
    elif (type(name) is str and name) or check.text(name, (*at, "name"), report):
        names.append(name)
    if len(axis) == 1:
        return
    check.unit(axis, at, report)
    word = axis.get("increases_toward", check.MISSING)
    if word is check.MISSING or not check.word(word, _WORDS, (*at, "increases_toward"), report):
        return
    if word in toward or OPPOSITES[word] in toward:
        message = f"two axes lie along {word} and {OPPOSITES[word]}; each pair of directions belongs to one axis"
        report.add("conflict", (*at, "increases_toward"), message)
    toward.append(word)


def _from_array(
    value: Mapping[str, Any],
    at: At,
    space_axes: Sequence[str] | None,
    array: tuple[Sequence[str], Sequence[str]],
    report: Report,
) -> None:
    columns = _columns(value, at, array, report)
    forms = [key for key in ("matrix", "scale") if key in value]
    if not forms:
        report.add("missing_key", at, "one of the keys 'matrix' and 'scale' is missing")
    elif "matrix" in value:
        for key in ("scale", "translation"):
            if key in value:
                report.add("conflict", (*at, key), f"{key} and matrix exclude each other; keep one form")
        _matrix(value["matrix"], (*at, "matrix"), space_axes, columns, report)
    else:
        _scale(value, at, space_axes, columns, report)


def _columns(
    value: Mapping[str, Any], at: At, array: tuple[Sequence[str], Sequence[str]], report: Report
) -> Sequence[str] | None:
    """Return `array_axes` where each is an axis of the array, once; else None."""
    if not check.required(value, ("array_axes",), at, report):
        return None
    at = (*at, "array_axes")
    listed = check.texts(value["array_axes"], at, report)
    if listed is None:
        return None
    if not listed:
        report.add("wrong_length", at, "0 array axes, expected at least 1")
    good = check.unique(listed, at, "the array axis", report) and bool(listed)
    axis_names, types = array
    for index, name in enumerate(listed):
        if name not in axis_names:
            report.add(
                "unknown_name",
                (*at, index),
                f"the array has no axis {check.shown(name)}; it has {check.listing(axis_names)}",
            )
            good = False
        elif (kind := types[axis_names.index(name)]) == "other" and report.newer:
            message = f"the axis {check.shown(name)} is of type other to this version, and a space maps it; it is kept"
            report.notice("conflict", (*at, index), message)
        elif kind != "space":
            report.add(
                "conflict",
                (*at, index),
                f"the axis {check.shown(name)} is of type {kind}; a space maps axes of type space",
            )
            good = False
    return listed if good else None


def _matrix(
    value: Any, at: At, space_axes: Sequence[str] | None, columns: Sequence[str] | None, report: Report
) -> None:
    if space_axes is not None and columns is not None and _shaped(value, len(space_axes) + 1, len(columns) + 1):
        _linear(value, at, report)
        return
    rows = check.items(value, at, report)
    if rows is None or None in [check.numbers(row, (*at, index), report) for index, row in enumerate(rows)]:
        return
    if space_axes is not None:
        why = f"{len(space_axes)} space axes and the last row"
        check.length(len(rows), len(space_axes) + 1, at, "rows", why, report)
    wide = sorted({len(row) for row in rows})
    if len(wide) > 1:
        report.add("wrong_length", at, f"rows of {' and '.join(map(str, wide))} columns, expected as many in each")
    elif wide and columns is not None:
        why = f"array_axes has {len(columns)}"
        check.length(wide[0], len(columns) + 1, at, "columns", why, report)


def _shaped(value: Any, rows: int, columns: int) -> bool:
    """Whether a matrix has the shape that belongs there and finite numbers alone: the fast answer."""
    return (
        type(value) is list
        and len(value) == rows
        and all(type(row) is list and len(row) == columns and check.all_numbers(row) for row in value)
    )


def _linear(rows: Sequence[Sequence[float]], at: At, report: Report) -> None:
    last = [0] * (len(rows[0]) - 1) + [1]
    if list(rows[-1]) != last:
        report.add("wrong_value", (*at, len(rows) - 1), f"the last row is {rows[-1]}, expected {last} exactly")
    elif not matrices.full_rank(rows):
        message = "the columns are not independent (the linear part is singular); every array axis needs its direction"
        report.add("wrong_value", at, message)


def _scale(
    value: Mapping[str, Any], at: At, space_axes: Sequence[str] | None, columns: Sequence[str] | None, report: Report
) -> None:
    good = True
    for key in ("scale", "translation"):
        if key not in value:
            continue
        listed = check.numbers(value[key], (*at, key), report)
        if listed is None:
            continue
        if key == "scale":
            for index, item in enumerate(listed):
                check.nonzero(item, (*at, key, index), report)
        for wanted, why in ((columns, "array_axes"), (space_axes, "the axes of the space")):
            if wanted is not None and good:
                good = check.length(len(listed), len(wanted), (*at, key), "numbers", f"as many as {why}", report)
    if good and columns is not None and space_axes is not None and matrices.matching(columns, space_axes) is None:
        message = (
            f"the array axes {check.listing(columns)} and the space axes {check.listing(space_axes)} share some names, "
            "not all, so scale and translation cannot be matched; write a matrix"
        )
        report.add("conflict", (*at, "array_axes"), message)
