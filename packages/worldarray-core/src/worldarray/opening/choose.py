"""Opening: documents are found and described, a level is chosen; what comes out is the record a handle is made of."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from worldarray import geometry, levels
from worldarray.axes import with_units
from worldarray.describing.describe import Described, chunk_notices, describe_array
from worldarray.describing.detection import require_node
from worldarray.describing.listing import Listing, level_location, list_pyramid
from worldarray.documents import ome
from worldarray.emit import warn_notices
from worldarray.errors import LevelError, notice, problem
from worldarray.opening.family import Family
from worldarray.opening.opened import Opened
from worldarray.opening.options import OpenArguments, check_context
from worldarray.paths import Location, parse_path
from worldarray.reads.view import View, scaled, spatial_numbers, spatial_sizes
from worldarray.records import Level, Node

if TYPE_CHECKING:
    import tensorstore  # noqa: TID251  (types only)

    from worldarray.documents.source import Source


def open_array(arguments: OpenArguments) -> Opened:
    """Return what `worldarray.open` makes a handle of, for these arguments."""
    where = parse_path(arguments.path)
    source = source_of(where, arguments.context)
    node = require_node(source, where)
    if node.kind == "array":
        warn_of_ignored_level(where, arguments.level)
        return _open_array(source, where, node, arguments)
    family = Family(source, list_pyramid(source, where, conflicts=arguments.metadata_conflicts), arguments)
    return open_level(family, choose_level(family))


def source_of(where: Location, context: Any) -> Source:
    """Return what reads the documents of the store that `where` lies in, on the caller's context."""
    from worldarray.io.sources import source_for  # noqa: PLC0415  (keeps importing the package light)

    check_context(context)
    return source_for(where, context)


def _open_array(source: Source, where: Location, node: Node, arguments: OpenArguments) -> Opened:
    described = describe_array(
        source,
        where,
        node,
        conflicts=arguments.metadata_conflicts,
        field=arguments.field,
        dimension_separator=arguments.dimension_separator,
    )
    name = _own_name(described)
    alone = Listing(described.documents.folder, node.format, (name,), (None,), opened=name)
    if arguments.base_voxel_size is not None or arguments.base_units is not None:
        alone = list_pyramid(source, where, conflicts=arguments.metadata_conflicts)
    family = Family(source, alone, arguments)
    family.know(alone.opened or name, described)
    return _opened(family, described, alone.opened or name, None)


def _own_name(described: Described) -> str:
    """Return what a pyramid's document calls an array, else its last path segment."""
    documents = described.documents
    if documents.node.scale_key is not None:
        return documents.node.scale_key
    listed = documents.ancestors[-1:]
    if any(ome.find(attrs, above.name) for above in listed for attrs in above.attributes):
        return listed[0].name
    return documents.where.name


def warn_of_ignored_level(where: Location, level: object) -> None:
    """Warn of a level that is given beside an array path, unless it is the first."""
    if level is None or level == "first" or (not isinstance(level, (str, bool)) and level == 0):
        return
    message = f"is an array, so level={level!r} is ignored; levels are chosen on a group path"
    warn_notices([notice("invalid_argument", where.text, message)])


# Levels --------------------------------------------------------------------------------------------------------------


def choose_level(family: Family) -> str:
    """Return the name of the level that the arguments ask for.

    Raises
    ------
    LevelError
        No level is named or chosen by a voxel size, or none answers; the message lists them.
    """
    arguments = family.arguments
    if arguments.level is not None:
        return named_level(family.listing, arguments.level)
    if arguments.voxel_size is None:
        message = f"is a group; give level= or voxel_size=. Its levels are {_listed(family)}"
        raise LevelError(problem("level_required", family.listing.path, message))
    placed = family.levels()
    size = spatial_sizes(len(placed[0].voxel_size), arguments.voxel_size, "voxel_size")
    matched = levels.match_level(placed, size)
    if matched is not None:
        return matched.name
    if arguments.on_mismatch == "error":
        units = family.spatial_units()
        message = (
            f"no level has voxel size {with_units(_sizes(size), units)}; the levels are "
            f"{with_units(_listed(family, placed), units)}. Name one of these, or "
            'give on_mismatch="resample", "relabel" or "keep"'
        )
        raise LevelError(problem("no_level", family.listing.path, message))
    return levels.pick_level(placed, size, arguments.level_mode, family.spatial_units).name


def named_level(listing: Listing, level: object) -> str:
    """Return the name of a level given by name, by position or as "first".

    Raises
    ------
    LevelError
        There is no such level; the message lists them.
    """
    names = listing.names
    if isinstance(level, str):
        found = level.strip("/").removeprefix("./")
        if found in names:
            return found
        if level == "first":
            return names[0]
    else:
        try:
            position = -1 if isinstance(level, bool) else operator.index(level)  # type: ignore[arg-type]
        except TypeError:
            position = -1
        if 0 <= position < len(names):
            return names[position]
    message = f"has no level {level!r}; its levels are {', '.join(names)} (positions 0 to {len(names) - 1})"
    raise LevelError(problem("unknown_level", listing.path, message))


def _listed(family: Family, placed: tuple[Level, ...] | None = None) -> str:
    if placed is None:
        return ", ".join(family.names)
    return ", ".join(f"{level.name} {_sizes(level.voxel_size)}" for level in placed)


def _sizes(values: tuple[float, ...]) -> str:
    return f"({', '.join(f'{value:g}' for value in values)})"


def open_level(family: Family, name: str) -> Opened:
    """Return what a handle on one level of a pyramid is made of."""
    return _opened(family, family.described(name), name, family.names)


# Views ---------------------------------------------------------------------------------------------------------------


def _opened(family: Family, described: Described, name: str, names: tuple[str, ...] | None) -> Opened:
    arguments = family.arguments
    view = _targeted(family.view(described.meta), arguments)
    notices = (*family.listing.notices, *view.grid.notices, *family.placed_elsewhere(name, described.meta))
    warn_notices((*notices, *chunk_notices(family.source, described)))
    documents = described.documents
    again = _naming(family, name, names)
    return Opened(again, documents.where, documents.folder, described.facts, view, name, names)


def _naming(family: Family, name: str, names: tuple[str, ...] | None) -> OpenArguments:
    """Return the arguments that open one level again, however it was chosen."""
    if names is None:
        return family.arguments
    if family.listing.opened is None:
        return replace(family.arguments, level=name)
    return replace(family.arguments, path=level_location(family.listing, name).text)


def _targeted(view: View, arguments: OpenArguments) -> View:
    """Return the view with the target, or the relabelled grid, that the arguments ask for."""
    count = len(view.spatial)
    if arguments.anchor is not None:
        view = replace(view, anchor=spatial_numbers(count, arguments.anchor, "anchor"))
    if arguments.voxel_size is None:
        return view
    size = spatial_sizes(count, arguments.voxel_size, "voxel_size")
    if geometry.same_sizes(size, view.source_size):
        return view if view.anchor is None else replace(view, target_size=view.source_size)
    match arguments.on_mismatch:
        case "resample":
            return replace(view, target_size=size)
        case "relabel":
            return replace(view, grid=scaled(view.grid, size, view.source_size), relabelled_from=view.source_size)
        case "keep":
            return view
    units = tuple(view.grid.units[axis] for axis in view.spatial)
    message = (
        f"has voxel size {_sizes(view.source_size)}, not {with_units(_sizes(size), units)}; give "
        'on_mismatch="resample", "relabel" or "keep"'
    )
    raise LevelError(problem("no_level", view.meta.path, message))


def reopen(opened: Opened, context: tensorstore.Context | None, overrides: Mapping[str, Any]) -> Opened:
    """Return the same array opened again, with some of `open`'s arguments replaced."""
    arguments = opened.arguments.override(overrides)
    return open_array(replace(arguments, context=context if context is not None else arguments.context))


def level_names(opened: Opened) -> tuple[str, ...]:
    """Return the names of the levels of the pyramid that an array belongs to; none where no pyramid lists it."""
    if opened.level_names is not None:
        return opened.level_names
    listing = list_pyramid(source_of(opened.location, opened.arguments.context), opened.location, conflicts="warn")
    alone = listing.placements == (None,) and listing.names == (listing.opened,)
    return () if alone else listing.names
