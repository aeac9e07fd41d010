"""Axes and spaces from what a caller gives: names, spacing, origin, direction or a matrix, the patient preset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mlarray.errors import ArgumentError, ArgumentTypeError, Problem
from mlarray.geometry import derive
from mlarray.geometry.matrix import Matrix, columns_of, expanded, full_rank
from mlarray.header.wire import printed

TYPES_BY_NAME: Final = {
    "c": "channel",
    "channel": "channel",
    "t": "time",
    "time": "time",
    "z": "space",
    "y": "space",
    "x": "space",
}
"""The type that a bare name stands for; any other name is of type other."""
PATIENT_AXES: Final = (("x", "left"), ("y", "posterior"), ("z", "superior"))
"""The DICOM patient frame (LPS), in millimetres."""
_LAST: Final = ("z", "y", "x")
UNIT: Final = 1e-3
"""How far the length of a column of direction may be from 1: digits that a text header cut off, not a spacing."""


@dataclass(frozen=True)
class Geometry:
    """What a caller says about where voxels lie; None where nothing is said."""

    spacing: Any = None
    origin: Any = None
    direction: Any = None
    matrix: Any = None

    @property
    def given(self) -> tuple[str, ...]:
        """The names of what is said."""
        return tuple(name for name in ("spacing", "origin", "direction", "matrix") if getattr(self, name) is not None)


def axes_documents(axes: Sequence[Any] | None, ndim: int, spatial: int = 0) -> list[dict[str, Any]]:
    """Return the `axes` of a header.

    Parameters
    ----------
    axes
        A name or a map per array axis, C order. A bare name c, channel, t, time, z, y or x brings its type, any other
        is of type other. None: as many as `spatial` of the last ones are of type space, three of them named z, y, x.
    ndim
        How many axes the array has.
    spatial
        How many axes a space will use.

    Raises
    ------
    ArgumentTypeError
        An entry is neither text nor a map.
    ArgumentError
        Another number of entries than axes.

    Examples
    --------
    >>> axes_documents(["c", "y", "depth"], 3)
    [{'name': 'c', 'type': 'channel'}, {'name': 'y', 'type': 'space'}, {'name': 'depth', 'type': 'other'}]
    """
    if axes is None:
        names = _LAST if spatial == len(_LAST) else ()
        found = []
        for index in range(ndim):
            from_end = ndim - index
            name = names[-from_end] if names and from_end <= spatial else f"axis_{index}"
            found.append({"name": name, "type": "space" if from_end <= spatial else "other"})
        return found if spatial else [{"name": f"axis_{index}"} for index in range(ndim)]
    if isinstance(axes, (str, bytes)) or not isinstance(axes, Sequence):
        message = f"axes is {printed(axes)}; it is a list with a name or a map per axis"
        raise ArgumentTypeError(Problem("wrong_type", ("axes",), message))
    if len(axes) != ndim:
        raise ArgumentError(
            Problem("wrong_length", ("axes",), f"{len(axes)} axes, expected {ndim} (the array has {ndim})")
        )
    return [_axis(axis, index) for index, axis in enumerate(axes)]


def _axis(axis: Any, index: int) -> dict[str, Any]:
    if isinstance(axis, str):
        return {"name": axis, "type": TYPES_BY_NAME.get(axis, "other")}
    if not isinstance(axis, Mapping):
        message = f"{axis!r} is neither the name of an axis nor a map"
        raise ArgumentTypeError(Problem("wrong_type", ("axes", index), message))
    found = dict(axis)
    if "type" not in found and found.get("name") in TYPES_BY_NAME:
        found["type"] = TYPES_BY_NAME[found["name"]]
    return found


def columns_wanted(geometry: Geometry, space: str | None) -> int:
    """Return how many array axes the geometry is about, for `axes_documents`: 3 for the patient space.

    Examples
    --------
    >>> columns_wanted(Geometry(spacing=(1, 2)), None), columns_wanted(Geometry(), "patient")
    (2, 3)
    """
    if space == "patient":
        return 3
    for name, extra in (("spacing", 0), ("matrix", 1), ("direction", 0), ("origin", 0)):
        if getattr(geometry, name) is not None:
            shape = _numbers(getattr(geometry, name), name).shape
            return max(0, shape[-1] - extra) if shape else 0
    return 0


def space_document(
    axes: Sequence[Mapping[str, Any]], types: Sequence[str], geometry: Geometry, space: str | None = None
) -> dict[str, Any]:
    """Return a space over the array axes of type space.

    Parameters
    ----------
    axes
        The `axes` of the header, named.
    types
        The type of each. Where none is space, the space is over the last axes, if these have no type of their own.
    geometry
        A matrix, or any of spacing (per array axis of type space), origin (per axis of the space) and direction
        (n_space x n_array); what is absent is 1, 0 and the axes themselves.
    space
        "patient": x toward left, y toward posterior, z toward superior, in millimetres, for three array axes. Another
        name: axes called as the array's. None: "world".

    Raises
    ------
    ArgumentError
        A matrix beside spacing, origin or direction; wrong lengths; a spacing that is not positive and finite; a
        direction that is singular, or whose columns are not of length 1; no axis of type space.

    Examples
    --------
    >>> axes = axes_documents(["y", "x"], 2)
    >>> space_document(axes, ["space", "space"], Geometry(spacing=(0.5, 0.25), origin=(3, 4)))["from_array"]
    {'array_axes': ['y', 'x'], 'scale': [0.5, 0.25], 'translation': [3.0, 4.0]}
    """
    _check_name(space)
    wanted = columns_wanted(geometry, space)
    names = _used(axes, types, wanted)
    if not names:
        raise ArgumentError(_no_axis(geometry if not wanted else Geometry()))
    patient = space == "patient"
    if patient and len(names) != len(PATIENT_AXES):
        message = f"the patient space needs 3 axes of type space; the array has {len(names)}: {', '.join(names)}"
        raise ArgumentError(Problem("wrong_length", ("space",), message))
    rows = [name for name, _ in PATIENT_AXES] if patient else None
    matrix = _matrix(geometry, names, rows)
    if patient:
        axes_of_space = [
            {"name": name, "unit": "millimeter", "unit_code": "mm", "increases_toward": word}
            for name, word in PATIENT_AXES
        ]
    else:
        axes_of_space = [{"name": name} for name in _names(names, len(matrix) - 1)]
    found = {"name": space or "world", "axes": axes_of_space}
    return {**found, "from_array": from_array(names, [axis["name"] for axis in axes_of_space], matrix)}


def _check_name(space: Any) -> None:
    if space is not None and not isinstance(space, str):
        message = f"space is {printed(space)}; it is the name of a space, such as 'patient'"
        raise ArgumentTypeError(Problem("wrong_type", ("space",), message))
    if space in {"", "index"}:
        why = "reserved for array indices" if space else "empty"
        raise ArgumentError(Problem("wrong_value", ("space",), f"the name {space!r} is {why}; give another"))


def _used(axes: Sequence[Mapping[str, Any]], types: Sequence[str], wanted: int) -> list[str]:
    """Return the names of the axes of type space, or else of the last ones, as many as are wanted, without a type."""
    names = [axis["name"] for axis, kind in zip(axes, types, strict=True) if kind == "space"]
    last = axes[len(axes) - wanted :] if 0 < wanted <= len(axes) else ()
    if not names and not any("type" in axis for axis in last):
        names = [axis["name"] for axis in last]
    return names


def _no_axis(geometry: Geometry) -> Problem:
    """Return what is wrong where a space has no axis: numbers without an axis, or types of axes."""
    for name in geometry.given:
        message = f"{name} is {printed(getattr(geometry, name))}; it has a number per axis, and one axis at least"
        return Problem("wrong_length", (name,), message)
    message = "the array has no axis of type space; give axes such as {'name': 'z', 'type': 'space'}"
    return Problem("missing_field", ("axes",), message)


def rewritten(space: Mapping[str, Any], axis_names: Sequence[str], geometry: Geometry) -> dict[str, Any]:
    """Return a space with another spacing, origin, direction or matrix; what is not given stays.

    Raises
    ------
    ArgumentError
        As for `space_document`; a spacing where the axes of the space have several units.

    Examples
    --------
    >>> world = space_document(axes_documents(["y", "x"], 2), ["space"] * 2, Geometry(spacing=(2, 3), origin=(5, 7)))
    >>> rewritten(world, ["y", "x"], Geometry(origin=(0, 1)))["from_array"]
    {'array_axes': ['y', 'x'], 'scale': [2.0, 3.0], 'translation': [0.0, 1.0]}
    """
    rows = [axis["name"] for axis in space["axes"]]
    names = [axis_names[column] for column in columns_of(space["from_array"]["array_axes"], axis_names)]
    before = expanded(space["from_array"], rows, axis_names)
    if geometry.spacing is not None:
        derive.refuse_mixed_units(space, ("spacing",))
    if geometry.matrix is None:
        if geometry.spacing is None and geometry.direction is None:
            assert geometry.origin is not None
            shift = _vector(geometry.origin, "origin", len(rows), "axis of the space")
            matrix = [[*row[:-1], value] for row, value in zip(before[:-1], shift, strict=True)] + [before[-1]]
        else:
            kept = {
                "spacing": derive.spacing(before) if geometry.spacing is None else geometry.spacing,
                "origin": derive.origin(before) if geometry.origin is None else geometry.origin,
                "direction": derive.direction(before) if geometry.direction is None else geometry.direction,
            }
            matrix = _from_parts(Geometry(**kept), len(names), len(rows), None)
    else:
        matrix = _matrix(geometry, names, rows)
    found = {**space["from_array"]}
    for key in ("matrix", "scale", "translation", "array_axes"):
        found.pop(key, None)
    return {**space, "from_array": {**from_array(names, rows, matrix), **found}}


def from_array(array_axes: Sequence[str], space_axes: Sequence[str], matrix: Matrix) -> dict[str, Any]:
    """Return the map from the array: scale and translation where names, order and zeros allow it, else the matrix.

    Examples
    --------
    >>> from_array(["y", "x"], ["x", "y"], [[0.0, 2.0, 0.0], [3.0, 0.0, 1.0], [0.0, 0.0, 1.0]])["matrix"]
    [[0.0, 2.0, 0.0], [3.0, 0.0, 1.0], [0.0, 0.0, 1.0]]
    """
    plain = [[float(value) + 0.0 for value in row] for row in matrix]
    if list(array_axes) == list(space_axes):
        off = [value for i, row in enumerate(plain[:-1]) for j, value in enumerate(row[:-1]) if i != j]
        if not any(off):
            scale = [plain[index][index] for index in range(len(array_axes))]
            return {"array_axes": list(array_axes), "scale": scale, "translation": [row[-1] for row in plain[:-1]]}
    return {"array_axes": list(array_axes), "matrix": plain}


def _names(array_names: Sequence[str], count: int) -> list[str]:
    """Return names for the axes of a space: the array's, or, where there are more, x, y, z or s0, s1 and so on."""
    if count == len(array_names):
        return list(array_names)
    return ["x", "y", "z"][:count] if count <= 3 else [f"s{index}" for index in range(count)]


def _matrix(geometry: Geometry, array_names: Sequence[str], space_names: Sequence[str] | None) -> Matrix:
    if geometry.matrix is not None:
        if len(geometry.given) > 1:
            others = ", ".join(name for name in geometry.given if name != "matrix")
            message = f"matrix says all that {others} would; give one or the other"
            raise ArgumentError(Problem("conflict", ("matrix",), message))
        return _checked_matrix(geometry.matrix, len(array_names), None if space_names is None else len(space_names))
    rows = len(space_names) if space_names is not None else len(array_names)
    if space_names is None and geometry.direction is not None:
        given = _numbers(geometry.direction, "direction")
        rows = len(given) if given.ndim == 2 else rows
    order = None
    if space_names is not None and geometry.direction is None:
        if set(space_names) != set(array_names):
            message = (
                f"without a direction the array axes {', '.join(array_names)} must be called as those of the space, "
                f"{', '.join(space_names)}; name them so, or give direction or matrix"
            )
            raise ArgumentError(Problem("conflict", ("axes",), message))
        order = [space_names.index(name) for name in array_names]
    return _from_parts(geometry, len(array_names), rows, order)


def _from_parts(geometry: Geometry, width: int, height: int, order: Sequence[int] | None) -> Matrix:
    """Return the matrix of spacing, origin and direction; without one column j grows along row order[j]."""
    lengths = [1.0] * width
    if geometry.spacing is not None:
        lengths = _vector(geometry.spacing, "spacing", width, "array axis of type space")
        for index, value in enumerate(lengths):
            if value <= 0:
                raise ArgumentError(
                    Problem("not_positive", ("spacing", index), f"the spacing is {value}; it must be above 0")
                )
    shift = [0.0] * height
    if geometry.origin is not None:
        shift = _vector(geometry.origin, "origin", height, "axis of the space")
    if geometry.direction is None:
        along = range(width) if order is None else order
        cosines = np.zeros((height, width))
        cosines[list(along), range(width)] = 1.0
    else:
        cosines = _cosines(geometry.direction, height, width)
    linear = (cosines * np.array(lengths)).tolist()
    matrix = [[value + 0.0 for value in row] + [move] for row, move in zip(linear, shift, strict=True)]
    matrix.append([0.0] * width + [1.0])
    if not full_rank(matrix):
        message = f"spacing is {lengths}: too far apart; the smallest must be above 1e-9 of the largest"
        raise ArgumentError(Problem("wrong_value", ("spacing",), message))
    return matrix


def _cosines(value: Any, height: int, width: int) -> NDArray[np.float64]:
    """Return a direction: independent columns of length 1, a row per axis of the space."""
    found = _numbers(value, "direction")
    if found.shape != (height, width):
        message = f"direction has the shape {found.shape}, expected ({height}, {width}): axes of the space, array axes"
        raise ArgumentError(Problem("wrong_length", ("direction",), message))
    whole = [*([*row, 0.0] for row in found.tolist()), [0.0] * width + [1.0]]
    if not full_rank(whole):
        raise ArgumentError(Problem("wrong_value", ("direction",), "the columns of direction are not independent"))
    for column, length in enumerate(derive.spacing(whole)):
        if abs(length - 1) > UNIT:
            message = f"column {column} of direction has the length {length}, expected 1; lengths belong into spacing"
            raise ArgumentError(Problem("wrong_value", ("direction",), message))
    return found


def _checked_matrix(value: Any, width: int, height: int | None) -> Matrix:
    found = _numbers(value, "matrix")
    if found.ndim != 2 or found.shape[1] != width + 1 or (height is not None and found.shape[0] != height + 1):
        rows = "n + 1" if height is None else str(height + 1)
        message = f"matrix has the shape {found.shape}, expected ({rows}, {width + 1}): with translation and last row"
        raise ArgumentError(Problem("wrong_length", ("matrix",), message))
    matrix: Matrix = (found + 0.0).tolist()  # no -0.0
    last = [0.0] * width + [1.0]
    if matrix[-1] != last:
        raise ArgumentError(
            Problem("wrong_value", ("matrix",), f"the last row is {matrix[-1]}, expected {last} exactly")
        )
    if not full_rank(matrix):
        raise ArgumentError(Problem("wrong_value", ("matrix",), "the columns of the linear part are not independent"))
    return matrix


def _vector(value: Any, name: str, count: int, per: str) -> list[float]:
    found = _numbers(value, name)
    if found.shape != (count,):
        have = f"{found.size} numbers" if found.ndim == 1 else "lists in lists" if found.ndim else "one number"
        raise ArgumentError(Problem("wrong_length", (name,), f"{have}, expected {count} (one per {per})"))
    listed: list[float] = found.tolist()
    return listed


def _numbers(value: Any, name: str) -> NDArray[np.float64]:
    try:
        found = np.asarray(value)
    except ValueError:  # lists of several lengths
        found = np.array(None)
    if found.dtype.kind not in "iuf" or _holds_a_boolean(value):
        raise ArgumentTypeError(
            Problem("wrong_type", (name,), f"{name} is {printed(value)}; it holds numbers alone")
        ) from None
    with np.errstate(over="ignore"):
        found = found.astype(np.float64)
    if not np.isfinite(found).all():
        raise ArgumentError(
            Problem("not_finite", (name,), f"{name} holds NaN or an infinity; every number must be finite")
        )
    return found


def _holds_a_boolean(value: Any) -> bool:
    """Whether a boolean stands in nested lists, where numpy would take it for a number."""
    if isinstance(value, (list, tuple)):
        return any(map(_holds_a_boolean, value))
    return isinstance(value, (bool, np.bool_))
