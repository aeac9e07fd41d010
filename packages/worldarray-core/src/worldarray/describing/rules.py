"""The rules that place an array, one table per format in precedence order, and what they are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from worldarray import geometry
from worldarray.axes import default_axes, spatial_axes
from worldarray.documents import attributes, n5_keys, ome, parsing
from worldarray.documents.attributes import Attributes, Covered, Found, Hints, Names
from worldarray.errors import At, Notice, PlacementError, notice
from worldarray.records import Format, PlacedBy

NOTHING: Final = Attributes((), {})
"""The attributes of a node that has none."""


class Ancestor(NamedTuple):
    """One folder above an array: what its documents say, and the path by which they would name the array."""

    path: str
    name: str
    """``s0`` seen from the parent, ``em/s0`` from the folder above it."""
    attributes: tuple[Attributes, ...]
    """The attributes of its documents, those of the array's own format first."""


class Case(NamedTuple):
    """Everything that the placement of one array follows from."""

    path: str
    format: Format
    ndim: int
    own: Attributes
    ancestors: tuple[Ancestor, ...] = ()
    """The parent first."""
    dimension_names: Names | None = None
    """Zarr v3's names."""
    lenient: bool = False
    """Whether conflicting documents are noted instead of refused."""

    @property
    def group(self) -> Attributes:
        """The attributes of the parent; none where there is no parent or no document in it."""
        found = self.ancestors[0].attributes if self.ancestors else ()
        return found[0] if found else Attributes((), {})


class Context(NamedTuple):
    """A case with what is read of it before any rule: its multiscale entry, its axes, where lists fall."""

    case: Case
    entry: ome.Entry | None
    dataset: ome.Dataset | None
    unlisted: bool
    """Whether the parent lists levels, but not this array; then nothing of the parent places it."""
    names: Names | None
    hints: Hints

    @property
    def group(self) -> Attributes:
        """The attributes of the parent as far as they may place the array."""
        return NOTHING if self.unlisted else self.case.group


Rule = Callable[[Context, list[Notice]], Found | None]


def context_of(case: Case, notes: list[Notice]) -> Context:
    """Return what every rule is given, after looking for the array in the multiscales above it.

    Raises
    ------
    PlacementError
        A multiscales document, or a list of axis names, says something that cannot be read.
    """
    found, unlisted = _dataset_of(case)
    entry = None
    if found is not None and case.format != "n5":
        entry = ome.entry(*found, case.ndim, lenient=case.lenient)
        notes += entry.notices
    if unlisted:
        message = f"lists levels but not {case.ancestors[0].name}, which is placed by its own attributes or not at all"
        notes.append(notice("missing_key", unlisted, message))
    types = some(entry.axes.types) if entry is not None and entry.axes is not None else None
    types = types or attributes.axis_types(case.own, case.ndim)
    if types is None and _sized_by_group(case) and not unlisted:
        types = attributes.axis_types(case.group, case.ndim)
    names = _first_names(case, entry)
    dataset = None if found is None else found[1]
    return Context(case, entry, dataset, unlisted is not None, names, hints_of(case.ndim, names, types))


@lru_cache(maxsize=64)
def hints_of(ndim: int, names: Names | None, types: tuple[str, ...] | None) -> Hints:
    """Return where lists fall on an array whose axes have these names and types."""
    return Hints(ndim, spatial_axes(complete_names(ndim, names), types), types)


def _dataset_of(case: Case) -> tuple[tuple[ome.Multiscale, ome.Dataset] | None, At | None]:
    """Return the multiscale entry that names the array, else the path of the parent's list that leaves it out."""
    found = ome.find(case.own, ".")
    if found is not None:
        return found, None
    for ancestor in case.ancestors:
        for attrs in ancestor.attributes:
            found = ome.find(attrs, ancestor.name)
            if found is not None:
                return found, None
    parent = case.ancestors[0].attributes if case.ancestors else ()
    listing = (multiscale for attrs in parent for multiscale in ome.multiscales(attrs) if multiscale.datasets)
    return None, next((multiscale.at[:-1] for multiscale in listing), None)


def _first_names(case: Case, entry: ome.Entry | None) -> Names | None:
    """Return the names that documents other than the placing rule's give, those of the OME entry first choice."""
    hints = Hints(case.ndim, (), x_first=case.format == "n5")
    if entry is not None and entry.axes is not None and any(entry.axes.names):
        return entry.axes.names
    if case.dimension_names is not None and any(case.dimension_names):
        return tuple(name or None for name in case.dimension_names)
    for attrs, key, x_first in _NAME_KEYS[case.format](case):
        if attrs.first(key) is not None:
            if key == "_ARRAY_DIMENSIONS":
                parsing.texts_or_nulls(attrs.values[key], attrs.path(key), case.ndim)
            names = attributes.axis_names(attrs.values[key], attrs.path(key), hints._replace(x_first=x_first))
            if any(names):
                return names
    return None


def _zarr_name_keys(case: Case) -> tuple[tuple[Attributes, str, bool], ...]:
    own = ((case.own, "_ARRAY_DIMENSIONS", False), (case.own, "axis_names", False))
    return (*own, (case.group, "axis_names", False)) if _sized_by_group(case) else own


def _sized_by_group(case: Case) -> bool:
    """Whether the funlib keys of the parent speak for an array that has none."""
    keys = attributes.SIZE_KEYS
    return case.own.first(*keys) is None and case.group.first(*keys) is not None


def _n5_name_keys(case: Case) -> tuple[tuple[Attributes, str, bool], ...]:
    return (case.own, "axes", True), (case.group, "axes", True), (case.own, "axis_names", False)


_NAME_KEYS: Final[Mapping[Format, Callable[[Case], tuple[tuple[Attributes, str, bool], ...]]]] = {
    "zarr2": _zarr_name_keys,
    "zarr3": _zarr_name_keys,
    "n5": _n5_name_keys,
}


def by_ome(context: Context, _: list[Notice]) -> Found | None:
    """Return the placement of an OME entry that has a scale; a missing translation is 0."""
    entry = context.entry
    if entry is None or entry.scale is None or entry.translation is None:
        return None
    ndim = context.case.ndim
    return Found(
        voxel_size=entry.scale,
        position=entry.translation,
        frame="centre",
        units=entry.axes.units if entry.axes is not None else ("",) * ndim,
        covered=frozenset(range(ndim)),
        declared=entry.declared,
    )


def _own_funlib(context: Context, notes: list[Notice]) -> Found | None:
    own, hints = context.case.own, context.hints
    size = attributes.voxel_size(own, hints)
    if size is None:
        return None
    _check_second_size(own, size, hints, notes)
    return attributes.funlib(size, attributes.offset(own, hints), own, hints)


def _check_second_size(own: Attributes, size: Covered, hints: Hints, notes: list[Notice]) -> None:
    """Note a resolution that contradicts the voxel_size beside it."""
    first, second = attributes.SIZE_KEYS
    if own.first(first) is None or own.first(second) is None:
        return
    other = attributes.per_axis(own.values[second], own.path(second), hints, parsing.positive)
    if other.axes != size.axes or not geometry.same_sizes(other.values, size.values):
        message = f"is {other.values} but {first} is {size.values}, which is read; remove the one that is wrong"
        notes.append(notice("conflict", own.path(second), message))


def _own_cosem(context: Context, notes: list[Notice]) -> Found | None:
    own = context.case.own
    value = own.values.get("transform")
    if value is None:
        return None
    if not attributes.is_cosem(value):
        message = "is no COSEM transform (an object with scale and translate), so it places nothing"
        notes.append(notice("unsupported", own.path("transform"), message))
        return None
    return attributes.cosem(value, own.path("transform"), context.hints)


def _listed_cosem(context: Context, _: list[Notice]) -> Found | None:
    dataset = context.dataset
    if dataset is None or not attributes.is_cosem(dataset.raw.get("transform")):
        return None
    return attributes.cosem(dataset.raw["transform"], (*dataset.at, "transform"), context.hints)


def _own_scale(context: Context, notes: list[Notice]) -> Found | None:
    """Read a bare ``scale`` attribute; the word is a common one, so anything but a voxel size is passed over."""
    own, hints = context.case.own, context.hints
    if own.first("scale") is None:
        return None
    try:
        size = attributes.per_axis(own.values["scale"], own.path("scale"), hints, parsing.positive)
    except PlacementError as error:
        notes.append(notice("unsupported", error.at, f"is taken as no voxel size: it {error.problems[0].message}"))
        return None
    return attributes.funlib(size, attributes.offset(own, hints), own, hints)


def _group_funlib(context: Context, _: list[Notice]) -> Found | None:
    own, group, hints = context.case.own, context.group, context.hints
    size = attributes.voxel_size(group, hints)
    if size is None:
        return None
    corner = attributes.offset(own, hints) or attributes.offset(group, hints)
    return attributes.funlib(size, corner, own if own.first("units") else group, hints)


def _dimension_units(context: Context, _: list[Notice]) -> Found | None:
    own, hints = context.case.own, context.hints
    found = attributes.dimension_units(own, hints.ndim)
    corner = None if found is None else attributes.offset(own, hints)
    if found is None or corner is None:
        return found
    return found._replace(position=attributes.spread(corner, hints.ndim, 0.0), declared=True)


def _bare_offset(context: Context, _: list[Notice]) -> Found | None:
    hints = context.hints
    for attrs in (context.case.own, context.group):
        corner = attributes.offset(attrs, hints)
        if corner is not None:
            return attributes.funlib(None, corner, attrs, hints)
    return None


def _n5_funlib(context: Context, _: list[Notice]) -> Found | None:
    """Read ``voxel_size`` and ``offset`` as zarr-python's N5 store leaves them: in C order."""
    own, group, hints = context.case.own, context.group, context.hints
    for attrs in (own, group):
        if attrs.first("voxel_size") is not None:
            size = attributes.per_axis(attrs.values["voxel_size"], attrs.path("voxel_size"), hints, parsing.positive)
            corner = attributes.offset(own, hints) or attributes.offset(attrs, hints)
            return attributes.funlib(size, corner, own if own.first("units") else attrs, hints)
    return None


def _n5(context: Context, notes: list[Notice]) -> Found | None:
    case = context.case
    above = [found for ancestor in case.ancestors[1:2] for found in ancestor.attributes[:1]]
    name = case.ancestors[0].name if case.ancestors else ""
    return n5_keys.place(case.own, context.group, above, name, context.hints, notes)


RULES: Final[Mapping[Format, tuple[tuple[PlacedBy, Rule], ...]]] = {
    "zarr2": (
        ("ome", by_ome),
        ("funlib", _own_funlib),
        ("cosem", _own_cosem),
        ("cosem", _listed_cosem),
        ("funlib", _own_scale),
        ("funlib", _group_funlib),
        ("funlib", _bare_offset),
    ),
    "zarr3": (
        ("ome", by_ome),
        ("funlib", _own_funlib),
        ("cosem", _own_cosem),
        ("cosem", _listed_cosem),
        ("funlib", _own_scale),
        ("funlib", _group_funlib),
        ("dimension_units", _dimension_units),
        ("funlib", _bare_offset),
    ),
    "n5": (
        ("cosem", _own_cosem),
        ("cosem", _listed_cosem),
        ("funlib", _n5_funlib),
        ("n5", _n5),
    ),
}
"""Per format, who places an array and the rule that reads it, in precedence order."""


def complete_names(ndim: int, names: Names | None) -> tuple[str, ...]:
    """Return a name per axis: a missing one gets the default of its place, or ``d<i>`` where that is taken."""
    if names is not None and None not in names:
        return names  # type: ignore[return-value]  # there is no None in it
    defaults = default_axes(ndim)
    if names is None:
        return defaults
    return tuple(
        name if name is not None else default if default not in names else f"d{i}"
        for i, (name, default) in enumerate(zip(names, defaults, strict=True))
    )


def some(values: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the values, or None where every one is empty."""
    return values if any(values) else None
