"""The datasets of a multiscale: one level listed in it, placed as asked and in its order, as an edit of the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, nextafter, prod
from typing import Any, Final

from worldarray import geometry, units
from worldarray.arguments import Floats
from worldarray.documents import ome, parsing
from worldarray.documents.parsing import refuse, show
from worldarray.errors import ArgumentError, PlacementError, Problem, problem
from worldarray_write import splice
from worldarray_write.multiscales import dataset_entry

_TRANSFORMS: Final = "coordinateTransformations"


@dataclass(frozen=True)
class GroupLevel:
    """A level as its group is to list it; one entry per axis of the array, in C order."""

    name: str
    """Its dataset path."""
    voxel_size: Floats
    translation: Floats
    """The centre of voxel 0."""
    axes: tuple[str, ...]
    units: tuple[str, ...]
    """By their OME names; "" for none."""
    axis_types: tuple[str, ...]
    """"" for none."""
    multiscale_name: str = ""
    """Of the multiscale, where the group has none yet."""


def with_dataset(
    text: str, path: splice.Path, multiscale: ome.Multiscale, level: GroupLevel, *, keep_near: bool = False
) -> str:
    """Return the document with a level listed in one of its multiscales; the same text where it is already.

    An entry of the level's name keeps its place unless its voxel size belongs elsewhere, and keeps everything but its
    transforms. A new one goes before the first that is coarser.

    Parameters
    ----------
    text, path, multiscale
        The document, the path of the multiscale in it, and what it says.
    level
        What is listed; its axes are those of the multiscale (`axes_problem`).
    keep_near
        Whether an entry that is the same within the tolerance (rtol 1e-6) stays as it is.

    Raises
    ------
    PlacementError
        A dataset of the multiscale cannot be read.
    ArgumentError
        The multiscale's own transforms leave no entry that fits.
    """
    path = (*path, "datasets")
    entry = _entry(multiscale, level)
    index = next((i for i, dataset in enumerate(multiscale.datasets) if dataset.path == level.name), None)
    if index is None:
        sizes = _sizes(multiscale, multiscale.datasets, level)
        return splice.inserted(text, path, _position(sizes, level), entry)
    if is_listed(multiscale, level, keep_near=keep_near):
        return text
    text = splice.with_value(text, (*path, index, _TRANSFORMS), entry[_TRANSFORMS])
    sizes = _sizes(multiscale, multiscale.datasets[:index] + multiscale.datasets[index + 1 :], level)
    if _fits(sizes, index, level):
        return text
    return splice.moved(text, path, index, _position(sizes, level))


def is_listed(multiscale: ome.Multiscale, level: GroupLevel, *, keep_near: bool = False) -> bool:
    """Whether a multiscale has an entry that places the level as asked, by a scale and a translation of its own.

    With `keep_near` one that is the same within the tolerance will do, and a translation of 0 that is left out.
    """
    dataset = multiscale.dataset(level.name)
    if dataset is None:
        return False
    try:
        found = ome.entry(multiscale, dataset, len(level.axes))
    except PlacementError:  # said by whoever needs it read
        return False
    if found.scale is None or found.translation is None:
        return False
    if keep_near:
        return is_near(found.scale, found.translation, level)
    return _declares(dataset) and (found.scale, found.translation) == (level.voxel_size, level.translation)


def is_near(scale: Floats, translation: Floats, level: GroupLevel) -> bool:
    """Whether a scale and translation are the level's within the tolerance."""
    places = map(geometry.same_place, translation, level.translation, level.voxel_size)
    return geometry.same_sizes(scale, level.voxel_size) and all(places)


def check_version(multiscale: ome.Multiscale, wanted: str) -> None:
    """Refuse a multiscale of a version of OME-NGFF that is not written.

    Raises
    ------
    PlacementError
        It is of another version, or lists something that is no dataset.
    """
    if multiscale.version is not None and not is_version(multiscale.version, wanted):
        message = f"is {show(multiscale.version)}, but a level is listed in OME-NGFF {wanted} alone"
        refuse("unsupported", (*multiscale.at, "version"), message)
    if "coordinateSystems" in multiscale.raw:
        message = f"are of OME-NGFF 0.6, but a level is listed in OME-NGFF {wanted} alone"
        refuse("unsupported", (*multiscale.at, "coordinateSystems"), message)
    parsing.each(multiscale.raw["datasets"], (*multiscale.at, "datasets"), parsing.mapping)


def is_version(version: object, wanted: str) -> bool:
    """Whether a version is the one wanted, or a revision of it.

    Examples
    --------
    >>> is_version("0.5.2", "0.5"), is_version("0.50", "0.5")
    (True, False)
    """
    return isinstance(version, str) and (version == wanted or version.startswith(f"{wanted}."))


def axes_problem(multiscale: ome.Multiscale, level: GroupLevel) -> Problem | None:
    """Return what keeps a level out of a multiscale: other axes, types or units (by meaning); None for nothing.

    Raises
    ------
    PlacementError
        The multiscale has no axes, or they cannot be read.
    """
    at = (*multiscale.at, "axes")
    if multiscale.raw.get("axes") is None:
        refuse(
            "missing_key", at, "are missing, so a level's axes cannot be compared; write the multiscale's axes first"
        )
    names = tuple(_name(axis) for axis in parsing.sequence(multiscale.raw["axes"], at))
    if names != level.axes:
        message = f"the level has the axes {level.axes}, but its group has {names}; use the group's"
        return problem("conflict", ("axes",), message)
    axes = ome.entry(multiscale, _blank(multiscale, len(names)), len(names)).axes
    assert axes is not None
    for i, name in enumerate(names):
        if not units.same(axes.units[i], level.units[i]):
            found = f"the unit of axis {name!r} is {level.units[i]!r}, but {axes.units[i]!r} in its group"
            return problem("conflict", ("units", i), f"{found}; place the level in the group's units")
        if axes.types[i] and level.axis_types[i] and axes.types[i] != level.axis_types[i]:
            message = f"axis {name!r} is of type {level.axis_types[i]!r}, but {axes.types[i]!r} in its group"
            return problem("conflict", ("axis_types", i), f"{message}; use the group's")
    return None


def _name(axis: object) -> Any:
    return axis.get("name") if isinstance(axis, Mapping) else axis


def _declares(dataset: ome.Dataset) -> bool:
    """Whether a dataset has a translation of its own: one that the multiscale gives may not stand for it."""
    transforms = dataset.raw.get(_TRANSFORMS)
    kinds = [step.get("type") for step in transforms if isinstance(step, Mapping)] if transforms else []
    return "translation" in kinds or "sequence" in kinds


# Placement under the multiscale's own transforms ---------------------------------------------------------------------


def _entry(multiscale: ome.Multiscale, level: GroupLevel) -> dict[str, Any]:
    """Return the level's dataset entry: its placement, with what the multiscale applies to every dataset undone."""
    ndim = len(level.axes)
    outer = ome.entry(multiscale, _blank(multiscale, ndim), ndim)
    scale, shift = outer.scale or (1.0,) * ndim, outer.translation or (0.0,) * ndim
    sizes = tuple(_factor(asked, by) for asked, by in zip(level.voxel_size, scale, strict=True))
    places = tuple(map(_term, level.translation, scale, shift))
    if not all(map(isfinite, (*sizes, *places))) or not all(value > 0 for value in sizes):
        message = f"the group scales its levels by {scale} and moves them by {shift}, so no entry places this one"
        raise ArgumentError(problem("not_representable", ("voxel_size",), f"{message}; choose another group"))
    return dataset_entry(level.name, sizes, places)


def _blank(multiscale: ome.Multiscale, ndim: int) -> ome.Dataset:
    """Return a dataset that has voxels of 1 at 0, so that its placement is what the multiscale applies."""
    return ome.Dataset("", (*multiscale.at, _TRANSFORMS), {_TRANSFORMS: [{"type": "scale", "scale": [1.0] * ndim}]})


def _factor(asked: float, by: float) -> float:
    """Return what times `by` is `asked`: the nearest float, or a neighbour of it that is exact."""
    nearest = asked / by
    return next((near for near in _neighbours(nearest) if near * by == asked), nearest)


def _term(asked: float, by: float, plus: float) -> float:
    """Return what times `by`, plus `plus`, is `asked`."""
    nearest = (asked - plus) / by
    return next((near for near in _neighbours(nearest) if near * by + plus == asked), nearest)


def _neighbours(value: float) -> tuple[float, ...]:
    return value, nextafter(value, inf), nextafter(value, -inf)


# Order ---------------------------------------------------------------------------------------------------------------


def _sizes(multiscale: ome.Multiscale, datasets: Sequence[ome.Dataset], level: GroupLevel) -> list[float | None]:
    """Return how large the voxels of each dataset are; None where its entry does not tell."""
    scales = [ome.entry(multiscale, dataset, len(level.axes)).scale for dataset in datasets]
    return [None if scale is None else prod(scale) for scale in scales]


def _position(sizes: Sequence[float | None], level: GroupLevel) -> int:
    """Return where a level goes among others: before the first that is coarser."""
    size = prod(level.voxel_size)
    return next((i for i, other in enumerate(sizes) if other is not None and _is_finer(size, other)), len(sizes))


def _fits(sizes: Sequence[float | None], index: int, level: GroupLevel) -> bool:
    """Whether no level before `index` is coarser, and none from there on finer."""
    size = prod(level.voxel_size)
    before = [other for other in sizes[:index] if other is not None]
    after = [other for other in sizes[index:] if other is not None]
    return not any(_is_finer(size, other) for other in before) and not any(_is_finer(other, size) for other in after)


def _is_finer(a: float, b: float) -> bool:
    return a < b and not geometry.same_size(a, b)
