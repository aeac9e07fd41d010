"""A pyramid whose true voxel size its caller declares: every level's placement scales with level 0's."""

from __future__ import annotations

from dataclasses import dataclass, replace

from worldarray import units
from worldarray.errors import ArgumentError, ArgumentTypeError, UnitError, problem
from worldarray.reads.view import scaled, spatial_sizes
from worldarray.records import ArrayMeta


@dataclass(frozen=True)
class BaseScale:
    """The declared and the stored voxel size of level 0, per spatial axis; a unit of None keeps the stored one."""

    sizes: tuple[float, ...]
    stored: tuple[float, ...]
    unit: str | None

    def apply(self, meta: ArrayMeta) -> ArrayMeta:
        """Return the meta with its spatial placement scaled and its spatial axes in `unit`."""
        placed = scaled(meta, self.sizes, self.stored)
        if self.unit is None:
            return placed
        spatial = frozenset(meta.spatial)
        return replace(placed, units=tuple(self.unit if i in spatial else u for i, u in enumerate(meta.units)))


def base_scale(
    level0: ArrayMeta, base_voxel_size: object, base_units: str | None, wanted: str | None
) -> BaseScale | None:
    """Return how to scale a pyramid so that `level0` has `base_voxel_size`, None where none is declared.

    The size is in `base_units`, by default in the `wanted` unit of spatial axes, else in the stored one.

    Raises
    ------
    ArgumentError
        The size is not one positive number per spatial axis, or `base_units` stands without a size.
    UnitError
        `base_units` is no known unit of length.
    """
    if base_voxel_size is None:
        if base_units is not None:
            message = f"base_units is {base_units!r} but no base_voxel_size is given; give both"
            raise ArgumentError(problem("invalid_argument", ("base_units",), message))
        return None
    sizes = spatial_sizes(len(level0.spatial), base_voxel_size, "base_voxel_size")
    stored = tuple(level0.voxel_size[axis] for axis in level0.spatial)
    if base_units is None:
        return BaseScale(sizes, stored, wanted)
    unit = _length(base_units)
    if wanted is None:
        return BaseScale(sizes, stored, unit)
    factor = units.factor(unit, wanted)
    return BaseScale(tuple(units.convert(size, factor) for size in sizes), stored, wanted)


def _length(base_units: object) -> str:
    if not isinstance(base_units, str):
        message = f"base_units is {base_units!r}; give the name of a unit of length"
        raise ArgumentTypeError(problem("wrong_type", ("base_units",), message))
    unit = units.lookup(base_units, ("base_units",))
    if unit.dimension != "length":
        message = f"{base_units!r} is a {unit.dimension}; base_units is a unit of length"
        raise UnitError(problem("wrong_value", ("base_units",), message))
    return unit.name
