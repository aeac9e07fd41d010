"""A placed grid of voxels without a store: what an array would be, before it exists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike

from worldarray import units as unit_table
from worldarray.arguments import Floats, Indices, finite, index_tuple, positive
from worldarray.axes import OTHER_TYPES, default_axes, spatial_axes, time_axes
from worldarray.box import Box, box_range
from worldarray.chunks import chunk_indices
from worldarray.errors import ArgumentError, ArgumentTypeError, problem
from worldarray.geometry import centre_to_corner, same_sizes, shifted_to_centre
from worldarray.records import ArrayMeta
from worldarray.resample.targets import target_count
from worldarray.tiling import Blocks, blocks

Units = str | Sequence[str] | Mapping[str, str | None] | None

_TYPES: Final = {
    **dict.fromkeys(("z", "y", "x"), "space"),
    **dict.fromkeys(("t", "time"), "time"),
    **dict.fromkeys(("c", "channel"), "channel"),
}


@dataclass(frozen=True, init=False)
class Grid:
    """A placed grid: shape, voxel size, centre of voxel 0, axes and units, and chunks where they are decided.

    It answers as a WorldArray of those facts does: `voxel_size`, `translation`, `corner` and `box` are over the
    spatial axes, in `units`; `meta` has every axis.

    Parameters
    ----------
    shape
        Voxels per axis, in C order.
    voxel_size, translation
        One index step and the centre of voxel 0, over the spatial axes (others get 1 and 0) or one per axis.
    axes
        Axis names; ``("t", "c", "z", "y", "x")[-ndim:]`` by default.
    units
        The unit of the spatial axes; or a mapping of axis kind ("space", "time") to unit; or one unit per axis, ""
        for none; or None for none at all. Known units are kept by their OME names.
    chunks, shards
        The storage chunk, and the shard of whole chunks on every axis.
    axis_types
        The OME type per axis; by default from the name: z, y, x space, t and time time, c and channel channel.

    Raises
    ------
    ArgumentError
        A list has the wrong length, a size is not positive, a name stands twice, or shards are not whole chunks.
    ArgumentTypeError
        A shape, chunk or shard is no integer.
    UnitError
        A unit for an axis kind is unknown, or is of the wrong dimension.

    Examples
    --------
    >>> grid = Grid((100, 200, 300), (30, 8, 8), (15, 4, 4), chunks=(10, 64, 64))
    >>> grid.box
    Box(begin=(0.0, 0.0, 0.0), end=(3000.0, 1600.0, 2400.0))
    >>> grid.index_box(((0, 8, 16), (60, 24, 48)))
    ((0, 1, 2), (2, 3, 6))
    """

    shape: Indices
    axes: tuple[str, ...]
    units: tuple[str, ...]
    """The unit of each axis, "" for none."""
    axis_types: tuple[str, ...]
    chunks: Indices | None
    shards: Indices | None
    every_voxel_size: Floats
    """The voxel size of each axis."""
    every_translation: Floats
    """The centre of voxel 0 on each axis."""

    def __init__(
        self,
        shape: Sequence[int],
        voxel_size: Sequence[float],
        translation: Sequence[float],
        axes: Sequence[str] | None = None,
        units: Units = "nanometer",
        chunks: Sequence[int] | None = None,
        shards: Sequence[int] | None = None,
        *,
        axis_types: Sequence[str] | None = None,
    ) -> None:
        sizes = _shape(shape)
        names = _names(axes, len(sizes))
        types = (
            tuple(_TYPES.get(name, "") for name in names) if axis_types is None else _texts(axis_types, "axis_types")
        )
        _length("axis_types", types, len(sizes))
        spatial = spatial_axes(names, types)
        unit, shard = _chunks(chunks, shards, len(sizes))
        facts = {
            "shape": sizes,
            "axes": names,
            "units": _units(units, names, types),
            "axis_types": types,
            "chunks": unit,
            "shards": shard,
            "every_voxel_size": _every(positive(voxel_size, "voxel_size"), "voxel_size", spatial, len(sizes), 1.0),
            "every_translation": _every(finite(translation, "translation"), "translation", spatial, len(sizes), 0.0),
        }
        for name, value in facts.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_meta(cls, meta: ArrayMeta, voxel_size: Sequence[float] | None = None) -> Grid:
        """Return an array's own grid, or the grid that reading it at `voxel_size` answers on.

        The second has the array's corner and ``ceil(n * s / t)`` voxels on every spatial axis, so that a read at
        `voxel_size` fills it exactly. Either has the array's chunks and shards.

        Parameters
        ----------
        meta
            The array, in the units that the grid shall have.
        voxel_size
            In those units, over the spatial axes; or one per axis, the array's own on every other axis.

        Raises
        ------
        ArgumentError
            `voxel_size` has the wrong length, is not positive, or differs from the array's on another axis.

        Examples
        --------
        >>> source = Grid((10, 20), (8, 4), (4, 2), chunks=(10, 10)).meta("uint8")
        >>> target = Grid.from_meta(source, voxel_size=(12, 16))
        >>> target.shape, target.translation, target.corner
        ((7, 5), (6.0, 8.0), (0.0, 0.0))
        """
        given: object = meta
        if not isinstance(given, ArrayMeta):
            message = f"{meta!r} is no ArrayMeta; give an array's meta or grid"
            raise ArgumentTypeError(problem("wrong_type", ("meta",), message))
        shape, sizes, places = meta.shape, meta.voxel_size, meta.translation
        if voxel_size is not None:
            sizes = _target_sizes(meta, voxel_size)
            counts = tuple(map(target_count, meta.shape, meta.voxel_size, sizes))
            shape = tuple(counts[i] if i in meta.spatial else n for i, n in enumerate(meta.shape))
            places = shifted_to_centre(meta.corner, sizes, meta.spatial)
        return cls(
            shape,
            sizes,
            places,
            axes=meta.axes,
            units=meta.units,
            chunks=meta.chunk_shape,
            shards=meta.shard_shape,
            axis_types=meta.axis_types,
        )

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def spatial(self) -> tuple[int, ...]:
        """The indices of the spatial axes, in C order."""
        return spatial_axes(self.axes, self.axis_types)

    @property
    def voxel_size(self) -> tuple[float, ...]:
        """One index step on each spatial axis, in `units`."""
        return tuple(self.every_voxel_size[i] for i in self.spatial)

    @property
    def translation(self) -> tuple[float, ...]:
        """The centre of voxel 0 on each spatial axis, in `units`."""
        return tuple(self.every_translation[i] for i in self.spatial)

    @property
    def corner(self) -> tuple[float, ...]:
        """The lower corner of voxel 0 on each spatial axis, in `units`."""
        return centre_to_corner(self.translation, self.voxel_size, range(len(self.spatial)))

    @property
    def box(self) -> Box:
        """The extent over the spatial axes, ``[corner, corner + shape * voxel_size)``."""
        shape = tuple(self.shape[i] for i in self.spatial)
        return Box.from_index((0,) * len(shape), shape, self.voxel_size, self.translation)

    @property
    def write_shape(self) -> tuple[int, ...]:
        """The unit one writer may own: the shard, else the chunk.

        Raises
        ------
        ArgumentError
            The grid has no chunks.
        """
        return self._chunked() if self.shards is None else self.shards

    def index_box(self, box: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the voxels (begin, end) whose centres lie in a world box, one entry per axis, unclipped.

        A box over the spatial axes keeps the others whole; one with an entry per axis selects on each.

        Raises
        ------
        ArgumentError
            The box has another number of entries, or is no box.
        """
        return box_range(box, self.shape, self.every_voxel_size, self.every_translation, self.spatial, self.axes)

    def chunks_covering(
        self, begin: Sequence[int], end: Sequence[int], *, write: bool = False
    ) -> list[tuple[int, ...]]:
        """Return the indices, in C order, of the chunks (`write`: of the write units) that voxels [begin, end) touch.

        Raises
        ------
        ArgumentError
            The grid has no chunks, or the bounds are no box of voxels.
        """
        unit = self.write_shape if write else self._chunked()
        return list(chunk_indices(begin, end, unit, self.shape))

    def blocks(
        self, block_shape: Sequence[int] | None = None, context: Any = 0, box: Any = None, *, clip: bool = True
    ) -> Blocks:
        """Return the blocks that tile the grid, of `write_shape` by default; see `worldarray.blocks`."""
        return blocks(self.shape, self.write_shape if block_shape is None else block_shape, context, box, clip)

    def meta(self, dtype: DTypeLike) -> ArrayMeta:
        """Return what an array created from this grid, as zarr v3, reports of itself.

        A grid without chunks is one chunk here.

        Raises
        ------
        ArgumentTypeError
            `dtype` names no dtype.
        """
        try:
            kind = np.dtype(dtype)
        except (TypeError, ValueError) as error:
            message = f"{dtype!r} is no dtype; give what numpy.dtype takes"
            raise ArgumentTypeError(problem("wrong_type", ("dtype",), message)) from error
        return ArrayMeta(
            shape=self.shape,
            dtype=kind,
            chunk_shape=self.shape if self.chunks is None else self.chunks,
            axes=self.axes,
            axes_named=True,
            units=self.units,
            voxel_size=self.every_voxel_size,
            translation=self.every_translation,
            format="zarr3",
            path="",
            placed_by="ome",
            fill_value=np.zeros((), kind)[()],
            shard_shape=self.shards,
            axis_types=self.axis_types,
            translation_declared=True,
        )

    def _chunked(self) -> Indices:
        if self.chunks is None:
            message = "the grid has no chunks; give Grid(…, chunks=), or block_shape where blocks are asked for"
            raise ArgumentError(problem("missing_field", ("chunks",), message))
        return self.chunks


def _shape(shape: Sequence[int]) -> Indices:
    sizes = index_tuple(shape, "shape")
    for axis, n in enumerate(sizes):
        if n < 0:
            raise ArgumentError(
                problem("out_of_range", ("shape", axis), f"shape is {n} on axis {axis}; give 0 or more")
            )
    return sizes


def _names(axes: Sequence[str] | None, ndim: int) -> tuple[str, ...]:
    names = default_axes(ndim) if axes is None else _texts(axes, "axes")
    _length("axes", names, ndim)
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        message = f"axis {twice!r} stands twice in {names}; name each axis once"
        raise ArgumentError(problem("duplicate", ("axes",), message))
    return names


def _listed(values: Any, name: str) -> tuple[Any, ...]:
    """Return a list of a caller as a tuple."""
    try:
        return tuple(values)
    except TypeError as error:
        message = f"{name} is {values!r}; give one string per axis"
        raise ArgumentTypeError(problem("wrong_type", (name,), message)) from error


def _texts(values: Any, name: str) -> tuple[str, ...]:
    """Return one string per axis as a tuple."""
    found = _listed(values, name)
    for axis, value in enumerate(found):
        if not isinstance(value, str):
            message = f"{name} has {value!r} on axis {axis}; give one string per axis"
            raise ArgumentTypeError(problem("wrong_type", (name, axis), message))
    return found


def _length(name: str, values: Sequence[Any], ndim: int) -> None:
    if len(values) != ndim:
        message = f"{name} has {len(values)} entries {tuple(values)}; give {ndim}, one per axis"
        raise ArgumentError(problem("wrong_length", (name,), message))


def _every(values: Floats, name: str, spatial: Indices, ndim: int, other: float) -> Floats:
    """Return one number per axis from numbers over the spatial axes, or from one per axis."""
    if len(values) == ndim:
        return values
    if len(values) != len(spatial):
        some = f"{len(spatial)} (the spatial axes) or " if len(spatial) != ndim else ""
        message = f"{name} has {len(values)} entries {values}; give {some}{ndim}"
        raise ArgumentError(problem("wrong_length", (name,), message))
    placed = dict(zip(spatial, values, strict=True))
    return tuple(placed.get(i, other) for i in range(ndim))


def _units(asked: Units, names: tuple[str, ...], types: tuple[str, ...]) -> tuple[str, ...]:
    """Return the unit of each axis by its OME name; a channel axis has none."""
    if asked is not None and not isinstance(asked, (str, Mapping)):
        texts = _texts(("" if text is None else text for text in _listed(asked, "units")), "units")
        _length("units", texts, len(names))
    else:
        kinds = unit_table.normalise(asked)
        of_axis = {i: kinds.get("time", "") for i in time_axes(names, types)}
        of_axis.update({i: kinds.get("space", "") for i in spatial_axes(names, types)})
        texts = tuple(of_axis.get(i, "") for i in range(len(names)))
    known = ((unit_table.parse(text), text) for text in texts)
    spelled = tuple(unit.name if unit is not None else text or "" for unit, text in known)
    bare = OTHER_TYPES - {"time"}
    return tuple("" if kind in bare else text for text, kind in zip(spelled, types, strict=True))


def _chunks(
    chunks: Sequence[int] | None, shards: Sequence[int] | None, ndim: int
) -> tuple[Indices | None, Indices | None]:
    given = {
        name: None if value is None else index_tuple(value, name, ndim)
        for name, value in (("chunks", chunks), ("shards", shards))
    }
    for name, values in given.items():
        if values and min(values) < 1:
            raise ArgumentError(problem("not_positive", (name,), f"{name} is {values}; give 1 or more on every axis"))
    unit, shard = given["chunks"], given["shards"]
    if shard is not None and unit is None:
        message = "shards are given without chunks; give the chunk inside the shard too"
        raise ArgumentError(problem("missing_field", ("chunks",), message))
    for axis, (s, c) in enumerate(zip(shard or (), unit or (), strict=False)):
        if s % c:
            message = f"the shard of {s} on axis {axis} is not a whole number of chunks of {c}; give a multiple of {c}"
            raise ArgumentError(problem("not_integral", ("shards", axis), message))
    return unit, shard


def _target_sizes(meta: ArrayMeta, voxel_size: Sequence[float]) -> Floats:
    wanted, spatial = positive(voxel_size, "voxel_size"), meta.spatial
    sizes = _every(wanted, "voxel_size", spatial, meta.ndim, 0.0)
    if len(wanted) != meta.ndim:
        return tuple(s if i in spatial else meta.voxel_size[i] for i, s in enumerate(sizes))
    others = [i for i in range(meta.ndim) if i not in spatial]
    if not same_sizes([wanted[i] for i in others], [meta.voxel_size[i] for i in others]):
        message = f"voxel_size {wanted} differs from {meta.voxel_size} on an axis that is not spatial; keep it there"
        raise ArgumentError(problem("wrong_value", ("voxel_size",), message))
    return wanted
