"""Pyramid: the levels of one group, placed from its documents; arrays are opened when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from worldarray import levels as level_rules
from worldarray.array import WorldArray
from worldarray.describing.listing import list_pyramid
from worldarray.emit import warn_notices
from worldarray.errors import Notice
from worldarray.opening import choose
from worldarray.opening.family import Family
from worldarray.opening.opened import Opened
from worldarray.opening.options import OpenArguments
from worldarray.paths import parse_path
from worldarray.reads.view import spatial_sizes
from worldarray.records import ArrayMeta, Level

Floats = tuple[float, ...]


class Pyramid:
    """The levels of a multiscale group, finest first as stores list them; made by `worldarray.open_pyramid`.

    Choosing and placing levels reads documents only, so a process that does no more may still be forked.

    Examples
    --------
    >>> import worldarray as wa
    >>> from worldarray.demo import demo_pyramid
    >>> with demo_pyramid() as path:
    ...     pyramid = wa.open_pyramid(path)
    ...     pyramid.names, pyramid.select((40, 30, 20)).level_name
    (('s0', 's1', 's2'), 's0')
    """

    def __init__(self, family: Family) -> None:
        self._family = family
        self._said = False

    def __repr__(self) -> str:
        return f"<Pyramid {self.path} levels={', '.join(self.names)}>"

    if not TYPE_CHECKING:  # types know every attribute there is

        def __getattr__(self, name: str) -> Any:
            """Say how to get what only a writable pyramid has."""
            kind = type(self).__name__
            message = f"{kind!r} object has no attribute {name!r}"
            if name == "add_level":
                message = f"{kind} has no {name}: it was opened to read; open with mode='r+' (worldarray-write)"
            raise AttributeError(message)

    @property
    def path(self) -> str:
        """The normalised path of the group."""
        return self._family.listing.path

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the levels, as listed."""
        return self._family.names

    @property
    def attrs(self) -> Mapping[str, Any]:
        """The raw attributes of the group."""
        return self._family.listing.documents

    @property
    def outer_transforms(self) -> tuple[Any, ...]:
        """The raw multiscale-level coordinateTransformations, whether or not they were applied."""
        return self._family.listing.outer_transforms

    @property
    def levels(self) -> tuple[WorldArray, ...]:
        """A handle on each level, in the order of `names`."""
        return tuple(map(self.by_name, self.names))

    def by_name(self, name: str) -> WorldArray:
        """Return a handle on a level, given by its name.

        Raises
        ------
        LevelError
            There is no such level; the message lists them.
        """
        return self._handle(choose.open_level(self._family, choose.named_level(self._family.listing, name)))

    def select(self, voxel_size: Any, mode: str = "floor") -> WorldArray:
        """Return a handle on the level that answers a voxel size (per spatial axis, in the pyramid's units).

        Raises
        ------
        LevelError
            `mode` finds none; the message lists the levels.
        """
        placed = self._family.levels()
        size = spatial_sizes(len(placed[0].voxel_size), voxel_size, "voxel_size")
        chosen = level_rules.pick_level(placed, size, mode, units=self._family.spatial_units)
        return self._handle(choose.open_level(self._family, chosen.name))

    def _handle(self, opened: Opened) -> WorldArray:
        """Return the handle of one level; a writable pyramid gives writable ones."""
        return WorldArray(opened)

    def placements(self) -> tuple[Level, ...]:
        """Return (name, voxel_size, translation) of each level over its spatial axes, in the pyramid's units.

        From the group's own document where that lists the levels, whether or not their arrays are there. What there is
        to say about units is warned of once.
        """
        if not self._said:
            self._said = True
            warn_notices(self._family.remarks())
        return self._family.levels()

    def voxel_sizes(self) -> tuple[Floats, ...]:
        """Return the voxel size of each level over its spatial axes, in the pyramid's units."""
        return tuple(level.voxel_size for level in self.placements())

    def translations(self) -> tuple[Floats, ...]:
        """Return the centre of voxel 0 of each level over its spatial axes, in the pyramid's units."""
        return tuple(level.translation for level in self.placements())

    def metas(self) -> tuple[ArrayMeta, ...]:
        """Return what the documents say of each level, in the store's own units, every axis."""
        return tuple(self._family.described(name).meta for name in self.names)

    def level_meta(self, name: str) -> ArrayMeta:
        """Return what the documents say of one level, in the store's own units, every axis."""
        return self._family.described(choose.named_level(self._family.listing, name)).meta

    def check(self) -> tuple[Notice, ...]:
        """Return a notice for each level that shares neither corner nor first centre with the finest, never repaired.

        Each gives the translation that a block mean would have. A first centre is shared where the store gives it.
        """
        return level_rules.check_levels(self._family.levels(), self._family.declared())


def find_family(arguments: OpenArguments) -> Family:
    """Return what `worldarray.open_pyramid` makes a pyramid of, for these arguments."""
    where = parse_path(arguments.path)
    source = choose.source_of(where, arguments.context)
    listing = list_pyramid(source, where, conflicts=arguments.metadata_conflicts)
    warn_notices(listing.notices)
    return Family(source, listing, arguments)
