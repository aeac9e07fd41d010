"""The OME-NGFF document of a pyramid: axes, and one explicitly placed dataset per level."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal

from worldarray import units as unit_table
from worldarray.arguments import Floats, finite, positive
from worldarray.axes import SPATIAL_NAMES, spatial_axes, time_axes
from worldarray.documents.ome import normalise
from worldarray.documents.parsing import show
from worldarray.errors import ArgumentError, ArgumentTypeError, At, Problem, UnitError, problem
from worldarray_write.json_values import plain_json

Version = Literal["0.4", "0.5"]
Units = str | Sequence[str | None] | Mapping[str, str | None] | None
LevelEntry = tuple[str, Sequence[float], Sequence[float]]
"""A level's name, voxel size and translation (the centre of voxel 0)."""

TYPES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("z", "y", "x"), "space"),
    **dict.fromkeys(("t", "time"), "time"),
    **dict.fromkeys(("c", "channel"), "channel"),
}
"""The OME type of an axis by its name; any other name has none."""
_MAX_COMPONENTS: Final = 4
"""Readers look for an array's entry in the parent and three more folders."""


def ome_multiscales(
    axes: Sequence[str],
    units: Units,
    levels: Iterable[LevelEntry],
    version: Version = "0.5",
    axis_types: Sequence[str | None] | None = None,
    name: str = "",
    metadata: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the complete attributes of a group that holds these levels.

    Every level is placed explicitly: nothing is derived, so levels may have non-whole factors and translations of
    their own. Scale and translation are always written, zeros included, as the floats given.

    Parameters
    ----------
    axes
        Axis names in the array's C order, such as ``("c", "z", "y", "x")``.
    units
        One unit per axis, "" or None for none; or a unit per kind, ``{"space": "nanometer", "time": "second"}``; or
        one unit for the spatial axes; or None. Written by its OME-NGFF name, on space and time axes only.
    levels
        ``(name, voxel_size, translation)`` per level, in the order that is written; sizes and centres of voxel 0 over
        the spatial axes (other axes get 1 and 0), or one per axis.
    version
        "0.5", for zarr v3: under ``ome``. "0.4", for zarr v2: under ``multiscales``.
    axis_types
        The OME type per axis, "" or None for none; by default from the name: z, y, x space, t and time time, c and
        channel channel.
    name
        The name of the multiscale; left out where empty.
    metadata
        JSON that says how the levels were made; left out where None.

    Returns
    -------
    dict
        JSON: dicts, lists, strings and floats.

    Raises
    ------
    ArgumentError
        A list has the wrong length, a number is not finite, a size is not positive, a name stands twice or is no
        path, there is no level, a unit stands on an axis that is neither space nor time, metadata is no JSON.
    ArgumentTypeError
        An argument is of a type that cannot be used.
    UnitError
        A unit is unknown, or of the wrong dimension for its axis.

    Notes
    -----
    OME-NGFF 0.5 and 0.4, "multiscales" metadata.

    Examples
    --------
    >>> document = ome_multiscales("zyx", "nm", [("s0", (30, 8, 8), (15, 4, 4))])
    >>> document["ome"]["multiscales"][0]["axes"][0]
    {'name': 'z', 'type': 'space', 'unit': 'nanometer'}
    >>> document["ome"]["multiscales"][0]["datasets"][0]["coordinateTransformations"][1]
    {'type': 'translation', 'translation': [15.0, 4.0, 4.0]}
    """
    names = axis_names(axes)
    types = types_of(names, axis_types)
    entry: dict[str, Any] = {}
    if _text(name, ("name",)):
        entry["name"] = name
    entry["axes"] = axes_entries(names, axis_units(names, units, types), types)
    entry["datasets"] = _datasets(levels, spatial_axes(names, types), len(names))
    if metadata is not None:
        entry["metadata"] = plain_json(metadata, ("metadata",))
    return versioned(version)([entry])


# Versions ------------------------------------------------------------------------------------------------------------


def _version_04(entries: list[dict[str, Any]]) -> dict[str, Any]:
    return {"multiscales": [{"version": "0.4", **entry} for entry in entries]}


def _version_05(entries: list[dict[str, Any]]) -> dict[str, Any]:
    return {"ome": {"version": "0.5", "multiscales": entries}}


VERSIONS: Final[Mapping[str, Callable[[list[dict[str, Any]]], dict[str, Any]]]] = {
    "0.4": _version_04,
    "0.5": _version_05,
}
"""Per version of OME-NGFF, what makes group attributes of a list of multiscales."""
OF_FORMAT: Final[Mapping[str, Version]] = {"zarr2": "0.4", "zarr3": "0.5"}
"""The one version that goes with each format."""


def versioned(version: str) -> Callable[[list[dict[str, Any]]], dict[str, Any]]:
    """Return what makes group attributes of a list of multiscales in one version.

    Raises
    ------
    ArgumentError
        It is none that is written.

    Examples
    --------
    >>> versioned("0.4")([{"axes": []}])
    {'multiscales': [{'version': '0.4', 'axes': []}]}
    """
    if version not in VERSIONS:
        known = ", ".join(map(show, VERSIONS))
        message = f"version is {show(version)}; OME-NGFF is written as one of {known}"
        raise ArgumentError(problem("wrong_value", ("version",), message))
    return VERSIONS[version]


# Axes ----------------------------------------------------------------------------------------------------------------


def axis_names(axes: Sequence[str]) -> tuple[str, ...]:
    """Return axis names as a tuple, checked: each is text, none stands twice.

    Raises
    ------
    ArgumentError
        A name stands twice, is empty, or there is none.
    ArgumentTypeError
        A name is no string.

    Examples
    --------
    >>> axis_names("zyx")
    ('z', 'y', 'x')
    """
    try:
        names = tuple(axes)
    except TypeError as error:
        raise ArgumentTypeError(
            problem("wrong_type", ("axes",), f"axes is {axes!r}; give one name per axis")
        ) from error
    if not names:
        raise ArgumentError(problem("missing_field", ("axes",), "axes is empty; OME-NGFF needs at least one axis"))
    for i, name in enumerate(names):
        if not _text(name, ("axes", i)):
            raise ArgumentError(problem("wrong_value", ("axes", i), "an axis name is empty; name every axis"))
        if name in names[:i]:
            message = f"axis {name!r} stands twice in {names}; name each axis once"
            raise ArgumentError(problem("duplicate", ("axes", i), message))
    return names


def types_of(axes: Sequence[str], axis_types: Sequence[str | None] | None = None) -> tuple[str, ...]:
    """Return the OME type of each axis: as given, else by its name; "" for none.

    Raises
    ------
    ArgumentError
        `axis_types` has not one entry per axis.
    ArgumentTypeError
        A type is no string.

    Examples
    --------
    >>> types_of(("t", "lat", "x"))
    ('time', '', 'space')
    """
    if axis_types is None:
        return tuple(TYPES.get(name, "") for name in axes)
    types = _entries(axis_types, "axis_types", len(axes))
    return tuple("" if kind is None else _text(kind, ("axis_types", i)) for i, kind in enumerate(types))


def axis_units(axes: Sequence[str], units: Units, types: Sequence[str]) -> tuple[str, ...]:
    """Return the unit of each axis by its OME-NGFF name, "" for none, from any way of giving units.

    Parameters
    ----------
    axes, types
        The name and the OME type of each axis.
    units
        As for `ome_multiscales`.

    Raises
    ------
    ArgumentError
        The list has not one entry per axis, or a unit stands on an axis that is neither space nor time.
    ArgumentTypeError
        A unit is no string.
    UnitError
        A unit is unknown, or of the wrong dimension for its axis. A spatial axis that is not named z, y or x may have
        any unit (``degrees_north``).

    Examples
    --------
    >>> axis_units(("t", "c", "y", "x"), {"space": "µm", "time": "s"}, ("time", "channel", "space", "space"))
    ('second', '', 'micrometer', 'micrometer')
    >>> axis_units(("time", "lat", "lon"), ("days", "degrees_north", None), ("time", "", ""))
    ('day', 'degrees_north', '')
    """
    kinds = _kinds(axes, types)
    if units is None or isinstance(units, str | Mapping):
        given = {} if not units else unit_table.normalise(_present(units))
        return tuple(given.get(kind, "") for kind in kinds)
    texts = _entries(units, "units", len(axes))
    return tuple(_axis_unit(axes[i], kinds[i], text, ("units", i)) for i, text in enumerate(texts))


def _present(units: str | Mapping[str, str | None]) -> str | dict[str, str]:
    """Return units without the kinds that have none."""
    return units if isinstance(units, str) else {kind: text for kind, text in units.items() if text}


def _kinds(axes: Sequence[str], types: Sequence[str]) -> tuple[str, ...]:
    """Return "space", "time" or "" per axis: what units it may have."""
    time = time_axes(axes, types)
    space = {*spatial_axes(axes, types), *(i for i, kind in enumerate(types) if kind == "space")}
    return tuple("time" if i in time else "space" if i in space else "" for i in range(len(axes)))


def _axis_unit(axis: str, kind: str, unit: object, at: At) -> str:
    if unit is None or not _text(unit, at):
        return ""
    spelled = str(unit)
    if not kind:
        message = f"axis {axis!r} is neither space nor time, but its unit is {unit!r}; give '' there"
        raise ArgumentError(problem("wrong_value", at, message))
    if kind == "space" and axis not in SPATIAL_NAMES and unit_table.parse(spelled) is None:
        return spelled
    found = unit_table.lookup(spelled, at)
    dimension = unit_table.KINDS[kind]
    if found.dimension != dimension:
        message = f"{unit!r} is a {found.dimension}, but axis {axis!r} is {kind}; give a {dimension} unit, or ''"
        raise UnitError(problem("wrong_value", at, message))
    return found.name


def axes_entries(axes: Sequence[str], units: Sequence[str], types: Sequence[str]) -> list[dict[str, str]]:
    """Return the ``axes`` of a multiscale; a type or unit of "" is left out.

    Examples
    --------
    >>> axes_entries(("c", "x"), ("", "nanometer"), ("channel", "space"))
    [{'name': 'c', 'type': 'channel'}, {'name': 'x', 'type': 'space', 'unit': 'nanometer'}]
    """
    found = []
    for name, unit, kind in zip(axes, units, types, strict=True):
        entry = {"name": name, "type": kind, "unit": unit}
        found.append({key: value for key, value in entry.items() if value})
    return found


# Datasets ------------------------------------------------------------------------------------------------------------


def dataset_entry(name: str, voxel_size: Sequence[float], translation: Sequence[float]) -> dict[str, Any]:
    """Return the entry of one level in ``datasets``: its scale and its translation, one number per axis.

    Examples
    --------
    >>> dataset_entry("s1", (8, 4.5), (0, -2))["coordinateTransformations"]
    [{'type': 'scale', 'scale': [8.0, 4.5]}, {'type': 'translation', 'translation': [0.0, -2.0]}]
    """
    return {
        "path": name,
        "coordinateTransformations": [
            {"type": "scale", "scale": [float(value) for value in voxel_size]},
            {"type": "translation", "translation": [float(value) for value in translation]},
        ],
    }


def level_path(name: object, at: At) -> str:
    """Return the name of a level as a dataset path: up to four components, none of them ``.`` or ``..``.

    Raises
    ------
    ArgumentError
        It is empty, not in its shortest form, leads out of the group, or has more components than readers follow.
    ArgumentTypeError
        It is no string.

    Examples
    --------
    >>> level_path("seg/s0", ("levels", 0))
    'seg/s0'
    """
    path = _text(name, at)
    parts = path.split("/")
    if not path or normalise(path) != path or path == "." or ".." in parts or len(parts) > _MAX_COMPONENTS:
        message = f"the level is called {show(path)}; give a path below the group, such as 's0' (1 to 4 components)"
        raise ArgumentError(problem("wrong_value", at, message))
    return path


def _datasets(levels: Iterable[LevelEntry], spatial: Sequence[int], ndim: int) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for i, level in enumerate(_listed(levels)):
        path, voxel_size, translation = _level(level, ("levels", i))
        if path in found:
            message = f"level {path!r} stands twice; list each level once"
            raise ArgumentError(problem("duplicate", ("levels", i), message))
        try:
            sizes = every_axis(positive(voxel_size, "voxel_size"), "voxel_size", spatial, ndim, 1.0)
            places = every_axis(finite(translation, "translation"), "translation", spatial, ndim, 0.0)
        except (ArgumentError, ArgumentTypeError) as error:
            raise type(error)(*(_of_level(found, path, i) for found in error.problems)) from error
        found[path] = dataset_entry(path, sizes, places)
    if not found:
        raise ArgumentError(problem("missing_field", ("levels",), "levels is empty; list at least one level"))
    return list(found.values())


def _of_level(found: Problem, path: str, position: int) -> Problem:
    return problem(found.code, ("levels", position, *found.at), f"of level {path!r}: {found.message}")


def _listed(levels: object) -> list[Any]:
    if isinstance(levels, str | Mapping) or not isinstance(levels, Iterable):
        message = f"levels is {levels!r}; give a list of (name, voxel_size, translation)"
        raise ArgumentTypeError(problem("wrong_type", ("levels",), message))
    return list(levels)


def _level(level: Any, at: At) -> tuple[str, Any, Any]:
    if not isinstance(level, Sequence) or isinstance(level, str) or len(level) != 3:
        message = f"a level is {level!r}; give (name, voxel_size, translation)"
        raise ArgumentTypeError(problem("wrong_type", at, message))
    name, voxel_size, translation = level
    return level_path(name, at), voxel_size, translation


def every_axis(values: Floats, name: str, spatial: Sequence[int], ndim: int, other: float) -> Floats:
    """Return one number per axis from numbers over the spatial axes, or from one per axis.

    Raises
    ------
    ArgumentError
        There are neither as many as axes nor as many as spatial axes.

    Examples
    --------
    >>> every_axis((30.0, 8.0), "voxel_size", (1, 2), 3, 1.0)
    (1.0, 30.0, 8.0)
    """
    if len(values) == ndim:
        return values
    if len(values) != len(spatial):
        message = f"{name} has {len(values)} entries {values}; give {len(spatial)} (the spatial axes) or {ndim}"
        raise ArgumentError(problem("wrong_length", (name,), message))
    placed = dict(zip(spatial, values, strict=True))
    return tuple(placed.get(i, other) for i in range(ndim))


def _entries(values: Any, name: str, ndim: int) -> tuple[Any, ...]:
    try:
        entries = tuple(values)
    except TypeError as error:
        message = f"{name} is {values!r}; give one entry per axis"
        raise ArgumentTypeError(problem("wrong_type", (name,), message)) from error
    if len(entries) != ndim:
        message = f"{name} has {len(entries)} entries {entries}; give {ndim}, one per axis"
        raise ArgumentError(problem("wrong_length", (name,), message))
    return entries


def _text(value: object, at: At) -> str:
    if not isinstance(value, str):
        raise ArgumentTypeError(problem("wrong_type", at, f"is {value!r}; give a string"))
    return str(plain_json(value, at))
