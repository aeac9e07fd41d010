"""Documents to placement: one table of rules per format, in precedence order; the first that finds something wins."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from worldarray import geometry
from worldarray.axes import default_axes, spatial_axes
from worldarray.describing.rules import NOTHING, RULES, Case, Context, complete_names, context_of, some
from worldarray.documents import attributes, n5_keys, ome, parsing
from worldarray.documents.attributes import Attributes, Covered, Floats, Found, Hints
from worldarray.errors import At, Notice, PlacementError, notice, problem
from worldarray.records import Format, PlacedBy


class Placement(NamedTuple):
    """Where an array lies, one entry per axis in C order, in stored units."""

    axes: tuple[str, ...]
    axes_named: bool
    axis_types: tuple[str, ...] | None
    units: tuple[str, ...]
    voxel_size: Floats
    translation: Floats
    translation_declared: bool
    placed_by: PlacedBy | None
    outer_transforms: tuple[Any, ...] = ()
    notices: tuple[Notice, ...] = ()

    @property
    def spatial(self) -> tuple[int, ...]:
        """The indices of the spatial axes."""
        return spatial_axes(self.axes, self.axis_types)


def place(case: Case) -> Placement:
    """Return where an array lies, by the first rule of its format that finds something.

    Raises
    ------
    PlacementError
        A document says something that cannot be read, or an array's voxel size contradicts its OME scale.

    Examples
    --------
    >>> own = Attributes(("em.zarr/s0/.zattrs",), {"voxel_size": [40, 8, 4], "offset": [100, 0, 2]})
    >>> found = place(Case("em.zarr/s0", "zarr2", 3, own))
    >>> found.voxel_size, found.translation, found.placed_by
    ((40.0, 8.0, 4.0), (120.0, 4.0, 4.0), 'funlib')
    """
    notes: list[Notice] = []
    context = context_of(case, notes)
    for placed_by, rule in RULES[case.format]:
        found = rule(context, notes)
        if found is not None:
            if placed_by == "ome":
                _check_against_ome(context, found, notes)
            return _finish(found, placed_by, context, notes)
    return _finish(_unplaced(context), None, context, notes)


def place_dataset(
    attrs: Attributes, multiscale: ome.Multiscale, dataset: ome.Dataset, format_: Format, *, lenient: bool = False
) -> Placement | None:
    """Return where a group's document alone places one of its datasets; None where only the array can tell.

    The array has to tell where the document gives no scale, or names no axis: names say which axes are spatial.

    Raises
    ------
    PlacementError
        The document says something that cannot be read.
    """
    if format_ == "n5":
        transform = dataset.raw.get("transform")
        if not attributes.is_cosem(transform):
            return None
        ndim = _cosem_length(transform)
        hints = Hints(ndim, spatial_axes(default_axes(ndim)), x_first=True)
        names = attributes.axis_names(attrs.values["axes"], attrs.path("axes"), hints) if attrs.first("axes") else None
        found = attributes.cosem(transform, (*dataset.at, "transform"), hints._replace(x_first=False))
        if not any(found.names or names or ()):
            return None
        case = Case("", format_, ndim, NOTHING)
        return _finish(found, "cosem", Context(case, None, dataset, False, names, hints), [])
    entry = ome.entry(multiscale, dataset, lenient=lenient)
    if entry.scale is None or entry.axes is None or not any(entry.axes.names):
        return None
    assert entry.translation is not None  # there is one wherever there is a scale
    return Placement(
        axes=complete_names(len(entry.scale), entry.axes.names),
        axes_named=True,
        axis_types=some(entry.axes.types),
        units=entry.axes.units,
        voxel_size=entry.scale,
        translation=entry.translation,
        translation_declared=entry.declared,
        placed_by="ome",
        outer_transforms=entry.outer,
        notices=entry.notices,
    )


def says_no_more(own: Attributes, format_: Format, ndim: int, listed: Placement) -> bool:
    """Whether `place` would find for an array nothing but what `place_dataset` made of the group's document alone.

    So it is where the OME entry comes first, gives names and types to the axes and has nothing odd about it, and the
    array's own attributes hold nothing that is read beside it.
    """
    return (
        listed.placed_by == RULES[format_][0][0] == "ome"
        and len(listed.axes) == ndim
        and listed.axis_types is not None
        and not listed.notices
        and own.values.keys().isdisjoint(_BESIDE_OME)
    )


_BESIDE_OME: Final = frozenset({*attributes.SIZE_KEYS, "axis_names", "multiscales", "offset", "ome", "types", "units"})
"""The attributes of an array that are read though its OME entry places it."""


def precomputed(resolution: Sequence[float], origin: Sequence[int], channels: bool, declared: bool) -> Placement:
    """Return where a scale of a precomputed volume lies.

    Parameters
    ----------
    resolution
        Nanometres per voxel, (z, y, x).
    origin
        ``voxel_offset`` in whole voxels, (z, y, x): the corner.
    channels
        Whether the array has a channel axis in front.
    declared
        Whether the document gives a voxel_offset.

    Examples
    --------
    >>> precomputed((30.0, 25.0, 20.5), (-19, 34, 41), False, True).translation
    (-555.0, 862.5, 850.75)
    """
    lead = 1 if channels else 0
    corner = tuple(o * r for o, r in zip(origin, resolution, strict=True))
    axes = ("c", "z", "y", "x")[1 - lead :]
    size, position = (1.0,) * lead + tuple(resolution), (0.0,) * lead + corner
    return Placement(
        axes=axes,
        axes_named=True,
        axis_types=("channel", "space", "space", "space")[1 - lead :],
        units=("",) * lead + ("nm",) * len(corner),
        voxel_size=size,
        translation=geometry.corner_to_centre(position, size, axes),
        translation_declared=declared,
        placed_by="precomputed",
    )


def _unplaced(context: Context) -> Found:
    ndim = context.case.ndim
    return Found((1.0,) * ndim, (0.0,) * ndim, "corner", ("",) * ndim, frozenset(range(ndim)), declared=False)


def _finish(found: Found, placed_by: PlacedBy | None, context: Context, notes: list[Notice]) -> Placement:
    ndim, entry, types = context.case.ndim, context.entry, context.hints.types
    names = found.names if found.names is not None and any(found.names) else context.names
    axes = complete_names(ndim, names)
    translation = found.position
    if found.frame == "corner":
        translation = _centres(found.position, found.voxel_size, set(spatial_axes(axes, types)) & found.covered)
    named = found.units
    if not any(named) and entry is not None and entry.axes is not None:
        named = entry.axes.units
    return Placement(
        axes=axes,
        axes_named=names is not None,
        axis_types=types,
        units=named,
        voxel_size=found.voxel_size,
        translation=translation,
        translation_declared=found.declared,
        placed_by=placed_by,
        outer_transforms=() if entry is None else entry.outer,
        notices=tuple(notes),
    )


def _centres(corner: Sequence[float], size: Sequence[float], spatial: Collection[int]) -> Floats:
    """Return corners as centres along the axes of `spatial`."""
    names = ["x" if i in spatial else "c" for i in range(len(corner))]
    return geometry.corner_to_centre(corner, size, names)


def _check_against_ome(context: Context, found: Found, notes: list[Notice]) -> None:
    """Hold an array's own voxel sizes and offset against its OME entry, in one unit where both are known."""
    own, hints = context.case.own, context.hints
    for key in attributes.SIZE_KEYS:
        if own.first(key) is None:
            continue
        size = attributes.per_axis(own.values[key], own.path(key), hints, parsing.positive)
        remark = _size_conflict(own.path(key), _in_units_of(found, own, hints, size), found)
        if remark is not None and not context.case.lenient:
            raise PlacementError(
                problem("conflict", remark.at, f"{remark.message}; or read with metadata_conflicts='warn'")
            )
        if remark is not None:
            notes.append(remark)
    corner = attributes.offset(own, hints)
    if corner is not None:
        remark = _offset_conflict(own, _in_units_of(found, own, hints, corner), found, hints.spatial)
        if remark is not None:
            notes.append(remark)


def _in_units_of(found: Found, own: Attributes, hints: Hints, given: Covered) -> Covered:
    """Return an array's own numbers in the units of its OME entry where both are known, else as they are."""
    sources = attributes.axis_units(own.values.get("units"), own.path("units"), hints, given.axes)
    pairs = zip(given.axes, given.values, strict=True)
    return Covered(given.axes, tuple(n5_keys.converted(value, sources[i], found.units[i]) for i, value in pairs))


def _size_conflict(at: At, size: Covered, found: Found) -> Notice | None:
    scale = tuple(found.voxel_size[i] for i in size.axes)
    if geometry.same_sizes(size.values, scale):
        return None
    message = f"is {size.values} but the OME scale is {scale} over the same axes; correct the one that is stale"
    return notice("conflict", at, message)


def _offset_conflict(own: Attributes, corner: Covered, found: Found, spatial: Sequence[int]) -> Notice | None:
    """Return what to say of an offset that is neither the OME translation nor the corner half a voxel below it."""
    size = tuple(found.voxel_size[i] for i in corner.axes)
    translation = tuple(found.position[i] for i in corner.axes)
    on_space = [k for k, i in enumerate(corner.axes) if i in spatial]
    for reading in (_centres(corner.values, size, on_space), corner.values):
        if all(map(geometry.same_place, reading, translation, size)):
            return None
    message = f"is {corner.values}, which is neither the OME translation {translation}, which is read, nor its corner"
    return notice("conflict", own.path("offset"), message)


def _cosem_length(value: object) -> int:
    """Return the number of entries of a transform's longest list."""
    lists = [entry for entry in value.values() if isinstance(entry, list)] if isinstance(value, Mapping) else []
    return max(map(len, lists), default=1)
