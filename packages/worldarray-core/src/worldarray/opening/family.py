"""The levels of one pyramid, seen in the units that a caller asked for; each is described when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from worldarray import units
from worldarray.describing.describe import Attributed, Described
from worldarray.describing.listing import Listing, describe_level
from worldarray.describing.placement import Placement
from worldarray.documents.source import Source
from worldarray.errors import Notice, notice
from worldarray.opening.options import OpenArguments
from worldarray.opening.scaling import BaseScale, base_scale
from worldarray.reads.selection import drop_pinned, drop_selected, pin_axes
from worldarray.reads.view import View
from worldarray.records import ArrayMeta, Level


class Family:
    """One pyramid: its listing, and its levels as far as they were asked for."""

    def __init__(self, source: Source, listing: Listing, arguments: OpenArguments) -> None:
        self.source = source
        self.listing = listing
        self.arguments = arguments
        self._wanted = units.normalise(arguments.units)
        self._read: Attributed = {}
        self._found: dict[str, Described] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The levels in the order listed."""
        return self.listing.names

    def described(self, name: str) -> Described:
        """Return what the documents say about a level, remembered."""
        found = self._found.get(name)
        if found is None:
            arguments = self.arguments
            found = self._found[name] = describe_level(
                self.source,
                self.listing,
                name,
                conflicts=arguments.metadata_conflicts,
                field=arguments.field,
                dimension_separator=arguments.dimension_separator,
                read=self._read,
            )
        return found

    def know(self, name: str, described: Described) -> None:
        """Remember a level that was described already."""
        self._found[name] = described

    def placed(self) -> Iterator[ArrayMeta]:
        """Give each level in the requested units, from the group's document where that places it.

        Of such a level only the placement is meant: its array is not looked at, so it has no shape.
        """
        for meta in self._stored():
            yield self._converted(drop_selected(meta, self.arguments.select))

    def levels(self) -> tuple[Level, ...]:
        """Return the name, voxel size and translation of each level over its spatial axes, in the requested units."""
        found = []
        for name, grid in zip(self.names, self.placed(), strict=True):
            size, centre = ([values[axis] for axis in grid.spatial] for values in (grid.voxel_size, grid.translation))
            found.append(Level(name, tuple(size), tuple(centre)))
        return tuple(found)

    def spatial_units(self) -> tuple[str, ...]:
        """Return the units of the spatial axes in which `levels` are; none where the levels differ in them."""
        found = {tuple(grid.units[axis] for axis in grid.spatial) for grid in self.placed()}
        return found.pop() if len(found) == 1 else ()

    def remarks(self) -> tuple[Notice, ...]:
        """Return what placing the levels has to say, each thing once, of the first level it is true of."""
        notes = (note for meta in self.placed() for note in meta.notices)
        return tuple({note.message: note for note in reversed(list(notes))}.values())[::-1]

    def placed_elsewhere(self, name: str, meta: ArrayMeta) -> tuple[Notice, ...]:
        """Return a notice where a level's own document, which is read, outranks the group's and places it elsewhere."""
        listing = self.listing
        placed = listing.placements[listing.names.index(name)] if name in listing.names else None
        if placed is None or (placed.voxel_size, placed.translation) == (meta.voxel_size, meta.translation):
            return ()
        message = (
            f"{listing.path} gives {name} the voxel size {placed.voxel_size} and the translation {placed.translation}, "
            f"the array's own document {meta.voxel_size} and {meta.translation}, which are read"
        )
        return (notice("conflict", (meta.path,), message),)

    def declared(self) -> tuple[bool, ...]:
        """Return per level whether its store gives a translation."""
        return tuple(meta.translation_declared for meta in self._stored())

    def view(self, stored: ArrayMeta) -> View:
        """Return how a level is seen: axes pinned, its pyramid's base size declared, units converted.

        Raises
        ------
        UnitError
            A kept axis that is being converted has an unknown unit, and units are strict.
        """
        pins = pin_axes(stored, self.arguments.select)
        meta = drop_pinned(stored, pins)
        return View(stored, pins, meta, self._converted(meta))

    def _converted(self, meta: ArrayMeta) -> ArrayMeta:
        arguments = self.arguments
        as_stored = arguments.base_voxel_size is None and arguments.base_units is None
        scale = None if as_stored else self._scale
        scaled = meta if scale is None else scale.apply(meta)
        space, time = self._wanted.get("space"), self._wanted.get("time")
        return scaled.in_units(space=space, time=time, strict=arguments.strict_units)

    @cached_property
    def _scale(self) -> BaseScale | None:
        """What the base size asked for makes of every level."""
        arguments = self.arguments
        first = next(self._stored())
        return base_scale(first, arguments.base_voxel_size, arguments.base_units, self._wanted.get("space"))

    def _stored(self) -> Iterator[ArrayMeta]:
        for name, placement in zip(self.names, self.listing.placements, strict=True):
            known = self._found.get(name)
            if known is not None:
                yield known.meta
            else:
                yield self.described(name).meta if placement is None else _placement_only(self.listing, name, placement)


def _placement_only(listing: Listing, name: str, placed: Placement) -> ArrayMeta:
    ndim = len(placed.axes)
    return ArrayMeta(
        shape=(1,) * ndim,
        dtype=np.dtype("uint8"),
        chunk_shape=(1,) * ndim,
        axes=placed.axes,
        axes_named=placed.axes_named,
        units=placed.units,
        voxel_size=placed.voxel_size,
        translation=placed.translation,
        format=listing.format,
        path=listing.group.join(name).text,
        placed_by=placed.placed_by,
        axis_types=placed.axis_types,
        translation_declared=placed.translation_declared,
    )
