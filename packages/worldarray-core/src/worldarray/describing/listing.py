"""The levels of a pyramid, listed and where possible placed from the documents of its group alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from worldarray.describing import placement
from worldarray.describing.describe import (
    ANCESTORS,
    ArrayDocuments,
    Attributed,
    Conflicts,
    Described,
    describe,
    gather,
    group_attributes,
    place_scale,
    read_attributes,
)
from worldarray.describing.detection import detect_array, detect_node, holds, require_node
from worldarray.describing.placement import Placement
from worldarray.describing.rules import Ancestor
from worldarray.documents import ome
from worldarray.documents.attributes import Attributes
from worldarray.documents.n5_keys import level_index
from worldarray.documents.precomputed import parse_precomputed
from worldarray.documents.source import Source, document_path
from worldarray.errors import AccessError, LevelError, Notice, StoreNotFoundError, notice, problem
from worldarray.paths import Location, parse_path
from worldarray.records import Format, Level, Node

_NOT_A_PYRAMID: Final[Mapping[str, str]] = {
    "bioformats2raw.layout": "its images are in folders called 0, 1, …; open one of them",
    "plate": "it is a plate; open a field of a well, such as A/1/0",
    "well": "it is a well; open one of its fields, such as 0",
    "labels": "it lists label images; open one of them by its name",
}
"""Group attributes that tell why a group has no levels of its own."""


@dataclass(frozen=True)
class Listing:
    """A pyramid as its group tells it; placements are in stored units."""

    group: Location
    """The group, or the folder of a precomputed volume."""
    format: Format
    names: tuple[str, ...]
    """The levels in the order listed: dataset paths, scale keys, or s0, s1, … where they were probed for."""
    placements: tuple[Placement | None, ...]
    """Where the group's document places each level, over all axes; None where only the level's own documents tell."""
    documents: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """The raw attributes of the group."""
    outer_transforms: tuple[Any, ...] = field(default=(), hash=False)
    """The raw multiscale-level transforms, applied or not."""
    notices: tuple[Notice, ...] = field(default=(), hash=False)
    opened: str | None = None
    """The level that the given path named, None where it named the group."""
    attributes: Attributes | None = field(default=None, compare=False, repr=False)
    """What `documents` were read into, so that describing a level parses nothing twice."""

    @property
    def path(self) -> str:
        """The normalised path of the group."""
        return self.group.text

    @property
    def levels(self) -> tuple[Level | None, ...]:
        """Each level over its spatial axes, in its stored units; None where only its own documents place it."""
        pairs = zip(self.names, self.placements, strict=True)
        return tuple(None if placed is None else _level(name, placed) for name, placed in pairs)


def _level(name: str, placed: Placement) -> Level:
    spatial = placed.spatial
    return Level(name, tuple(placed.voxel_size[i] for i in spatial), tuple(placed.translation[i] for i in spatial))


def list_pyramid(source: Source, where: Location, *, conflicts: Conflicts = "error") -> Listing:
    """Return the levels of the pyramid at a path: a group, one of its levels, a precomputed volume or its scale.

    A group's own levels are those of its first multiscale; a group without multiscales is probed for s0, s1, …. The
    pyramid of an array is the one that an ancestor's multiscales list it in, whether or not the array is there, else
    the folder of s0, s1, … that it lies in, else the array alone.

    Raises
    ------
    StoreNotFoundError
        Nothing stands at `where`, and no group above lists it.
    LevelError
        The group has no levels.
    PlacementError
        A document says something that cannot be read.

    Examples
    --------
    >>> from worldarray.documents.source import MappingSource
    >>> def dataset(path, scale):
    ...     return {"path": path, "coordinateTransformations": [{"type": "scale", "scale": scale}]}
    >>> datasets = [dataset("s0", [40, 4]), dataset("s1", [40, 8])]
    >>> attrs = {"multiscales": [{"axes": ["y", "x"], "datasets": datasets}]}
    >>> source = MappingSource({"em/.zgroup": {"zarr_format": 2}, "em/.zattrs": attrs})
    >>> list_pyramid(source, parse_path("em")).levels[1]
    Level(name='s1', voxel_size=(40.0, 8.0), translation=(0.0, 0.0))
    """
    node = detect_node(source, where)
    if node is not None and node.format == "precomputed":
        return _volume(node)
    if node is not None and node.kind == "group":
        return _group(source, where, node, conflicts)
    return _listed_above(source, where, node, conflicts) or _probed_above(source, where, node)


def level_location(listing: Listing, name: str) -> Location:
    """Return where a level lies."""
    return listing.group.join(name)


def describe_level(
    source: Source,
    listing: Listing,
    name: str,
    *,
    conflicts: Conflicts = "error",
    field: str | None = None,
    dimension_separator: str | None = None,
    read: Attributed | None = None,
) -> Described:
    """Return what the documents say about one level; `describe_array` with what the listing already tells.

    Parameters
    ----------
    source, listing, name
        The store, its levels and the name of one.
    conflicts, field, dimension_separator
        As for `describe_array`.
    read
        A dict that is filled with the folders above the levels, for describing several levels in turn.

    Raises
    ------
    StoreNotFoundError
        The level is listed but not there.
    """
    where, node = level_node(source, listing, name)
    listed = listing.placements[listing.names.index(name)]
    if listed is not None and listing.attributes is not None and where.name == name:
        above = Ancestor(listing.path, name, (listing.attributes,))
        documents = ArrayDocuments(where, where, node, (above,))
    else:
        read = {} if read is None else read
        if listing.attributes is not None:
            read.setdefault(listing.path, (listing.attributes,))
        documents, listed = gather(source, where, node, read=read), None  # a folder between may have a say
    return describe(documents, conflicts=conflicts, field=field, dimension_separator=dimension_separator, listed=listed)


def level_node(source: Source, listing: Listing, name: str) -> tuple[Location, Node]:
    """Return where a level lies and what stands there.

    Raises
    ------
    StoreNotFoundError
        The level is listed but not there.
    """
    where = level_location(listing, name)
    if listing.format == "precomputed":
        return where, Node("precomputed", "array", listing.path, {"info": listing.documents}, name)
    node = detect_array(source, where, listing.format)
    if node is None:
        message = f"is listed as a level of {listing.path} but holds no array"
        raise StoreNotFoundError(problem("not_found", where.text, message))
    return where, node


def _volume(node: Node) -> Listing:
    folder, info = parse_path(node.path), node.docs["info"]
    volume = parse_precomputed(info, (document_path(folder, "info"),))
    return Listing(
        group=folder,
        format="precomputed",
        names=tuple(scale.key for scale in volume.scales),
        placements=tuple(place_scale(volume, i, info) for i in range(len(volume.scales))),
        documents=info,
        opened=node.scale_key,
    )


def _group(source: Source, where: Location, node: Node, conflicts: Conflicts) -> Listing:
    attrs = group_attributes(where, node)
    listed = ome.multiscales(attrs)
    if not listed:
        return _probed(source, where, node.format, attrs)
    if not listed[0].datasets:
        message = "has no datasets, so there is no level to read; list the arrays of the pyramid"
        raise LevelError(problem("no_level", (*listed[0].at, "datasets"), message))
    return _listed(where, node.format, attrs, listed[0], conflicts)


def _listed(
    group: Location, format_: Format, attrs: Attributes, multiscale: ome.Multiscale, conflicts: Conflicts
) -> Listing:
    """Return the levels of one multiscale; a path listed twice counts once."""
    datasets: dict[str, ome.Dataset] = {}
    notes: list[Notice] = []
    for dataset in multiscale.datasets:
        if dataset.path in datasets:
            message = f"lists {dataset.path!r} a second time; the first entry counts"
            notes.append(notice("duplicate", (*dataset.at, "path"), message))
        datasets.setdefault(dataset.path, dataset)
    lenient = conflicts == "warn"
    return Listing(
        group=group,
        format=format_,
        names=tuple(datasets),
        placements=tuple(
            placement.place_dataset(attrs, multiscale, dataset, format_, lenient=lenient)
            for dataset in datasets.values()
        ),
        documents=attrs.values,
        attributes=attrs,
        outer_transforms=ome.raw_outer(multiscale),
        notices=tuple(notes),
    )


def _probed(source: Source, where: Location, format_: Format, attrs: Attributes) -> Listing:
    """Return s0, s1, … of a group without multiscales, as far as they are there.

    A bucket without listing refuses what is not there, so there a refusal after s0 ends them.

    Raises
    ------
    LevelError
        There is no s0.
    """
    names: list[str] = []
    while True:
        name = f"s{len(names)}"
        try:
            node = detect_array(source, where.join(name), format_)
        except AccessError:
            if names and where.remote:
                break
            raise
        if node is None or node.kind != "array":
            break
        names.append(name)
    if not names:
        why = next((text for key, text in _NOT_A_PYRAMID.items() if key in attrs.values), None)
        why = why or "name the group that has multiscales, or an array"
        below = holds(source.folders(where))
        message = f"is a group without multiscales and without an array called s0{below}: {why}"
        raise LevelError(problem("no_level", where.text, message))
    return Listing(where, format_, tuple(names), (None,) * len(names), attrs.values, attributes=attrs)


def _listed_above(source: Source, where: Location, node: Node | None, conflicts: Conflicts) -> Listing | None:
    """Return the pyramid of the nearest ancestor whose multiscales list a path, whatever stands there."""
    formats: tuple[Format, ...] = ("zarr3", "n5") if node is None else (node.format,)
    name, folder = where.name, where.parent
    for _ in range(ANCESTORS):
        if folder is None or folder.is_root:
            break
        for format_ in formats:
            for attrs in read_attributes(source, folder, format_) or ():
                found = ome.find(attrs, name)
                if found is not None:
                    kind = format_ if node is not None else attrs.format
                    return replace(_listed(folder, kind, attrs, found[0], conflicts), opened=found[1].path)
        name, folder = f"{folder.name}/{name}", folder.parent
    return None


def _probed_above(source: Source, where: Location, node: Node | None) -> Listing:
    """Return the s0, s1, … among which an array lies, else the array alone."""
    node = require_node(source, where) if node is None else node
    parent = where.parent
    if parent is None:
        return Listing(where, node.format, (".",), (None,), opened=".")
    if level_index(where.name) is not None and not parent.is_root:
        group = detect_node(source, parent)
        if group is not None and group.kind == "group" and detect_array(source, parent.join("s0"), group.format):
            listing = _probed(source, parent, group.format, group_attributes(parent, group))
            if where.name in listing.names:
                return replace(listing, opened=where.name)
    return Listing(parent, node.format, (where.name,), (None,), opened=where.name)
