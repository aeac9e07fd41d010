"""WritablePyramid: a pyramid whose levels may be written, and to which levels may be added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from worldarray import units as unit_table
from worldarray.arguments import index_tuple
from worldarray.describing.listing import list_pyramid
from worldarray.errors import ArgumentError, problem
from worldarray.geometry import centre_to_corner
from worldarray.opening import choose
from worldarray.opening.family import Family
from worldarray.opening.opened import Opened
from worldarray.opening.options import OpenArguments
from worldarray.pyramid import Pyramid, find_family
from worldarray.reads.view import spatial_numbers, spatial_sizes
from worldarray.records import ArrayMeta
from worldarray.resample import target_axis
from worldarray_write.codecs import Codecs
from worldarray_write.creation import Exists, carry_out, check_made, plan_creation
from worldarray_write.documents import like
from worldarray_write.layout import FORMATS, Wanted
from worldarray_write.multiscales import level_path
from worldarray_write.placement import level_placement, level_shape
from worldarray_write.writable import WritableArray, check_writable


class WritablePyramid(Pyramid):
    """The levels of a group, each opened for writing; made by ``worldarray.open_pyramid(path, mode="r+")``."""

    def add_level(  # noqa: PLR0913  (the arguments of the specification)
        self,
        name: str,
        factors: int | Sequence[int] | None = None,
        origin: int | Sequence[int] = 0,
        *,
        voxel_size: Sequence[float] | None = None,
        translation: Sequence[float] | None = None,
        shape: Sequence[int] | None = None,
        dtype: DTypeLike | None = None,
        chunks: Sequence[int] | None = None,
        shards: Sequence[int] | None = None,
        codecs: Codecs | None = None,
        fill_value: Any = None,
        attrs: Mapping[str, Any] | None = None,
        exists: Exists = "error",
        from_level: str | int | None = None,
        store_fill: bool = False,
    ) -> WritableArray:
        """Make an empty level and list it in the group, in order of voxel size; write no voxel.

        Parameters
        ----------
        name
            The level, directly below the group.
        factors, origin
            Whole factors over `from_level`, on the spatial axes (or on every axis), and the source voxel that the
            first block begins at: `level_placement` and `level_shape` say where the level lies and how large it is.
        voxel_size, translation
            In place of `factors`: over the spatial axes, in the pyramid's units.
        shape
            Over every axis. By default what `factors` give, else the voxels from the level's corner to the end of
            `from_level`, of which one at least must be left.
        dtype, chunks, shards, codecs, fill_value
            Those of `from_level` by default, as are its chunk keys and element order. Its shards are kept beside
            `chunks` that fill them, and must be given anew beside others.
        from_level
            The level it is made from; the finest listed by default.
        exists, store_fill, attrs
            As for `create`.

        Raises
        ------
        ArgumentError, StoreExistsError
            As for `create`; and where neither factors nor a voxel size and a translation are given, or both.

        Notes
        -----
        Many processes may add levels to one group at once: its document is changed by compare-and-swap. Of those that
        add the same level one makes it; under ``exists="adopt"`` the others get it as it is, and raise if it differs.
        `store_fill` goes with this handle and its pickles alone, not through ``open(mode="r+")``. An array that is
        adopted keeps its own attributes.
        """
        source = self._source(from_level)
        meta = source.view.stored
        if factors is None:
            place = _explicit(source, voxel_size, translation, origin, sized=shape is not None)
        else:
            place = _by_factors(meta, factors, origin, given=(voxel_size, translation))
        copied = like(source.facts)
        given = {"dtype": dtype, "codecs": codecs, "fill_value": fill_value}
        copied |= {key: value for key, value in given.items() if value is not None}
        if shards is not None:
            copied["shards"] = shards
        if chunks is not None:
            copied["chunks"] = chunks
            _check_shards(copied["shards"] if shards is None else None, index_tuple(chunks, "chunks", meta.ndim))
        wanted = Wanted(
            shape=place.shape if shape is None else index_tuple(shape, "shape", meta.ndim),
            voxel_size=place.voxel_size,
            translation=place.translation,
            axes=meta.axes,
            units=meta.units,
            axis_types=meta.axis_types,
            attrs=attrs,
            **copied,
        )
        where = self._family.listing.group.join(_own_name(name))
        arguments = self._family.arguments
        creation = plan_creation(where, wanted, exists=exists, group_attrs=None, context=arguments.context)
        carry_out(creation)
        self._list_again()
        opened = choose.open_level(self._family, where.name)
        check_made(creation, opened)
        return WritableArray(check_writable(opened), store_fill=store_fill)

    def _list_again(self) -> None:
        """Read the group again, which its levels are opened through from now on."""
        source, group, arguments = self._family.source, self._family.listing.group, self._family.arguments
        if self._family.listing.opened is not None:  # the pyramid was opened by the path of one of its levels
            arguments = replace(arguments, path=group.text)
        listing = list_pyramid(source, group, conflicts=arguments.metadata_conflicts)
        self._family = Family(source, listing, arguments)

    def _source(self, from_level: str | int | None) -> Opened:
        """Return the level that a new one is made from: the finest unless one is named."""
        if self._family.arguments.base_voxel_size is not None:
            message = "a declared base_voxel_size is not what the group's document says; open the pyramid without it"
            raise ArgumentError(problem("invalid_argument", ("base_voxel_size",), message))
        listing = self._family.listing
        if from_level is None:
            sizes = [prod(level.voxel_size) for level in self._family.levels()]
            from_level = listing.names[sizes.index(min(sizes))]
        name = choose.named_level(listing, from_level)
        if listing.placements[listing.names.index(name)] is None:
            message = (
                "lists no levels, and a group that lists one hides the others; list them first with ensure_group_entry"
            )
            raise ArgumentError(problem("missing_key", listing.path, message))
        return choose.open_level(self._family, name)

    def _handle(self, opened: Opened) -> WritableArray:
        return WritableArray(check_writable(opened))


def _own_name(name: str) -> str:
    """Return the name of a level that stands directly below its group."""
    if "/" in level_path(name, ("name",)):
        message = f"the level is called {name!r}; one that is added stands directly below the group"
        raise ArgumentError(problem("wrong_value", ("name",), message))
    return name


class _Place(NamedTuple):
    """Where a new level lies, every axis, in stored units, and its shape."""

    voxel_size: tuple[float, ...]
    translation: tuple[float, ...]
    shape: tuple[int, ...]


def _check_shards(shards: Sequence[int] | None, chunks: Sequence[int]) -> None:
    """Refuse chunks of the caller's that do not fill the shards that are copied."""
    for axis, (shard, chunk) in enumerate(zip(shards or (), chunks, strict=False)):
        if chunk > 0 and shard % chunk:
            message = (
                f"the shards of the level that is copied are {tuple(shards or ())}, and {shard} on axis {axis} is not "
                f"a whole number of chunks of {chunk}; give shards= too, whole chunks (shards equal to chunks keep one "
                "chunk to a file)"
            )
            raise ArgumentError(problem("not_integral", ("shards", axis), message))


def _explicit(source: Opened, voxel_size: Any, translation: Any, origin: Any, *, sized: bool) -> _Place:
    """Return the place that a caller gave, in stored units; of a level that is not `sized`, the shape follows."""
    if voxel_size is None or translation is None:
        message = "give factors, or voxel_size and translation both"
        raise ArgumentError(problem("missing_field", ("factors",), message))
    if np.any(origin):
        message = f"origin is {origin!r}, which goes with factors; give the translation of the level instead"
        raise ArgumentError(problem("invalid_argument", ("origin",), message))
    view = source.view
    stored, spatial = view.stored, view.stored.spatial
    sizes = spatial_sizes(len(spatial), voxel_size, "voxel_size")
    centres = spatial_numbers(len(spatial), translation, "translation")
    size, centre, shape = list(stored.voxel_size), list(stored.translation), list(stored.shape)
    for axis, asked, s, t in zip(spatial, view.spatial, sizes, centres, strict=True):
        factor = _factor(view.grid.units[asked], stored.units[axis])
        size[axis], centre[axis] = unit_table.convert(s, factor), unit_table.convert(t, factor)
    corner = centre_to_corner(centre, size, spatial)
    for axis in spatial:
        n, s, c = stored.shape[axis], stored.voxel_size[axis], stored.corner[axis]
        shape[axis] = max(target_axis(n, s, size[axis], corner=c, anchor=corner[axis]).stop, 0)
        if n and not shape[axis] and not sized:
            name, unit = stored.axes[axis], stored.units[axis]
            message = (
                f"the level begins at {corner[axis]:g} {unit} on axis {name!r}, where {stored.path} has ended (at "
                f"{c + n * s:g}), so no voxel is left; give a translation in the pyramid's units, or shape= as well"
            )
            raise ArgumentError(problem("out_of_range", ("translation", axis), message))
    return _Place(tuple(size), tuple(centre), tuple(shape))


def _factor(asked: str, stored: str) -> Fraction:
    """Return the factor from the pyramid's unit to the stored one; no stored unit is nanometres, as in reading."""
    if unit_table.same(asked, stored):
        return Fraction(1)
    return unit_table.factor(asked, "nanometer" if unit_table.is_missing(stored) else stored)


def _by_factors(meta: ArrayMeta, factors: Any, origin: Any, given: Sequence[Any]) -> _Place:
    """Return the place of the level whose voxels are blocks of the source's."""
    if any(value is not None for value in given):
        message = "give either factors, or voxel_size and translation"
        raise ArgumentError(problem("invalid_argument", ("factors",), message))
    every = _every_axis(meta, factors, "factors", 1)
    first = _every_axis(meta, origin, "origin", 0)
    size, centre = level_placement(meta.voxel_size, meta.translation, every, first)
    return _Place(size, centre, level_shape(meta.shape, every, first))


def _every_axis(meta: ArrayMeta, given: Any, name: str, other: int) -> tuple[int, ...]:
    """Return one integer per axis, from one for all spatial axes, one per spatial axis or one per axis."""
    spatial = meta.spatial
    values = [given] * len(spatial) if not hasattr(given, "__len__") else given
    found = index_tuple(values, name)
    if len(found) == meta.ndim:
        return found
    if len(found) != len(spatial):
        message = f"{name} has {len(found)} entries; give {len(spatial)} (the spatial axes) or {meta.ndim} (every axis)"
        raise ArgumentError(problem("wrong_length", (name,), message))
    along = dict(zip(spatial, found, strict=True))
    return tuple(along.get(axis, other) for axis in range(meta.ndim))


def open_writable_pyramid(arguments: OpenArguments) -> WritablePyramid:
    """Return the pyramid of ``worldarray.open_pyramid(…, mode="r+")``: what stands there is opened, nothing is made.

    Raises
    ------
    ArgumentError
        It is N5 or precomputed, which are not written here.
    """
    family = find_family(arguments)
    if family.listing.format not in FORMATS:
        message = f"is {family.listing.format}; only zarr v2 and v3 are written"
        raise ArgumentError(problem("unsupported", family.listing.path, message))
    return WritablePyramid(family)
