"""How one array is seen: axes pinned, units converted, a target grid laid over it. Facts only, nothing is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import isfinite, ulp
from numbers import Real

from worldarray import geometry, units
from worldarray.arguments import finite, positive
from worldarray.errors import ArgumentError, problem
from worldarray.geometry import TOLERANCE
from worldarray.reads.selection import Pins, drop_pinned
from worldarray.records import ArrayMeta
from worldarray.resample import TargetAxis, target_axis

Floats = tuple[float, ...]


@dataclass(frozen=True)
class View:
    """One array in the axes, units and grid that a handle was opened with.

    `stored` has every axis in the store's units; `meta` lacks the pinned ones; `grid` is `meta` in the requested
    units. `target_size`, over the spatial axes, stands for a resample target; None reads voxels as they are stored.
    `anchor` is where a target voxel has its lower corner, of that target and of those that reads ask for.
    """

    stored: ArrayMeta
    pins: Pins
    meta: ArrayMeta
    grid: ArrayMeta
    target_size: Floats | None = None
    anchor: Floats | None = None
    relabelled_from: Floats | None = None
    """The stored voxel size on spatial axes, where `grid` calls its voxels another size; else None."""
    read_pins: Pins = ()
    """Axes of the handle's own view that one read pins as well."""

    def pin(self, pins: Pins) -> View:
        """Return the view with more axes dropped, for one read."""
        meta, grid = drop_pinned(self.meta, pins), drop_pinned(self.grid, pins)
        return replace(self, meta=meta, grid=grid, read_pins=pins)

    @cached_property
    def spatial(self) -> tuple[int, ...]:
        """The indices of the spatial axes among the kept ones."""
        return self.grid.spatial

    @cached_property
    def source_size(self) -> Floats:
        """The stored voxel size on the spatial axes, in the requested units."""
        return tuple(self.grid.voxel_size[axis] for axis in self.spatial)

    @cached_property
    def source_translation(self) -> Floats:
        """The centre of stored voxel 0 on the spatial axes, in the requested units."""
        return tuple(self.grid.translation[axis] for axis in self.spatial)

    @cached_property
    def source_corner(self) -> Floats:
        """The lower corner of stored voxel 0 on the spatial axes, in the requested units."""
        corner = self.grid.corner
        return tuple(corner[axis] for axis in self.spatial)

    @cached_property
    def source_shape(self) -> tuple[int, ...]:
        """The number of stored voxels on the spatial axes."""
        return tuple(self.grid.shape[axis] for axis in self.spatial)

    @cached_property
    def lattice(self) -> Lattice:
        """The grid that `read` answers on: the target's, or the stored one."""
        return self.lattice_at(self.target_size, None if self.target_size is None else self.anchor)

    def lattice_at(self, size: Floats | None, anchor: Floats | None) -> Lattice:
        """Return the grid of voxels of `size` that has a corner at `anchor`; None stands for the stored ones."""
        return _lattice(self, self.source_size if size is None else size, anchor)


@dataclass(frozen=True)
class Lattice:
    """A grid of target voxels over a source: where target index 0 has its lower corner, and how each axis resamples."""

    voxel_size: Floats
    origin: Floats
    """The lower corner of target index 0, before `first` is counted."""
    axes: tuple[TargetAxis, ...]
    stored: bool
    """Whether its voxels are the stored ones, index for index."""

    @cached_property
    def translation(self) -> Floats:
        """The centre of target index 0."""
        return geometry.corner_to_centre(self.origin, self.voxel_size, None)

    @cached_property
    def first(self) -> tuple[int, ...]:
        """The index of the first target voxel that meets the data, per spatial axis."""
        return tuple(axis.first for axis in self.axes)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """How many target voxels meet the data, per spatial axis."""
        return tuple(axis.stop - axis.first for axis in self.axes)

    @cached_property
    def covering_translation(self) -> Floats:
        """The centre of the first target voxel that meets the data."""
        parts = zip(self.translation, self.first, self.voxel_size, strict=True)
        return tuple(centre + first * size if first else centre for centre, first, size in parts)

    @cached_property
    def covering_corner(self) -> Floats:
        """The lower corner of the first target voxel that meets the data."""
        parts = zip(self.origin, self.first, self.voxel_size, strict=True)
        return tuple(lower + first * size if first else lower for lower, first, size in parts)


def _lattice(view: View, size: Floats, anchor: Floats | None) -> Lattice:
    corner = view.source_corner
    origin = corner if anchor is None else anchor
    for axis, (o, c, t) in enumerate(zip(origin, corner, size, strict=True)):
        if not ulp(o - c) <= TOLERANCE * t:
            message = (
                f"anchor is {o} on axis {axis}, so far from the data at {c} that voxels of {t} cannot be counted from "
                "it; give one nearer, a whole number of voxels away"
            )
            raise ArgumentError(problem("out_of_range", ("anchor", axis), message))
    axes = tuple(
        target_axis(n, s, t, corner=c, anchor=None if anchor is None else o)
        for n, s, t, c, o in zip(view.source_shape, view.source_size, size, corner, origin, strict=True)
    )
    stored = anchor is None and geometry.same_sizes(view.source_size, size)
    if stored:
        return Lattice(view.source_size, corner, axes, stored=True)
    return Lattice(size, origin, axes, stored=False)


def scaled(grid: ArrayMeta, sizes: Sequence[float], stored: Sequence[float]) -> ArrayMeta:
    """Return the meta with voxel size and translation of its spatial axes multiplied by ``sizes / stored``."""
    factors = {
        axis: Fraction(size) / Fraction(old) for axis, size, old in zip(grid.spatial, sizes, stored, strict=True)
    }

    def times(values: Floats) -> Floats:
        return tuple(units.convert(v, factors[axis]) if axis in factors else v for axis, v in enumerate(values))

    voxel_size, translation = times(grid.voxel_size), times(grid.translation)
    if not all(map(isfinite, (*voxel_size, *translation))) or not all(voxel_size):
        message = f"{tuple(sizes)} puts the array of {grid.path} beyond what a float holds; give the size of its voxels"
        raise ArgumentError(problem("out_of_range", ("base_voxel_size",), message))
    return replace(grid, voxel_size=voxel_size, translation=translation)


def spatial_numbers(count: int, value: object, name: str) -> Floats:
    """Return finite numbers given as one for all or as one per spatial axis, as floats.

    Raises
    ------
    ArgumentError
        There are not `count` of them, or one is no finite number.
    """
    values = [value] * count if isinstance(value, Real) else value
    numbers = finite(values, name)  # type: ignore[arg-type]  # `finite` says what is no list
    if len(numbers) != count:
        message = f"{value!r} has {len(numbers)} entries but there are {count} spatial axes; give one per spatial axis"
        raise ArgumentError(problem("wrong_length", (name,), message))
    return numbers


def spatial_sizes(count: int, value: object, name: str) -> Floats:
    """Return voxel sizes given as one for all or as one per spatial axis, as floats.

    Raises
    ------
    ArgumentError
        There are not `count` of them, or one is not positive and finite.
    """
    return positive(spatial_numbers(count, value, name), name)
