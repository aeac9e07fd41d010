"""Placement in other units, and whether two arrays hold the same voxels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from worldarray import geometry, units
from worldarray.axes import SPATIAL_NAMES, spatial_axes, time_axes
from worldarray.errors import Notice, UnitError, notice, problem

if TYPE_CHECKING:
    from worldarray.records import ArrayMeta

_SAME: Final = Fraction(1)
ASSUMED: Final = "nanometer"
"""What a spatial axis without a unit is taken to be in."""


@dataclass(frozen=True)
class _Axis:
    """How one axis is converted: the exact factor (None leaves the axis alone) and what to say about it."""

    factor: Fraction | None
    remark: Notice | None = None
    unnamed: bool = False


def convert_meta(meta: ArrayMeta, wanted: Mapping[str, str], *, strict: bool = True) -> ArrayMeta:
    """Return the same array with its placement in other units, exactly converted; new notices stand after its own.

    A spatial axis without a unit is taken as nanometres, with one notice per array; a time axis without one as the
    unit wanted. A spatial axis that is not named z, y or x and whose unit is no length is left as it is. Units are
    reported by their OME names on every converted axis.

    Parameters
    ----------
    meta
        The array, in any units.
    wanted
        The unit per axis kind, "space" and "time"; a kind that is left out is not converted.
    strict
        False takes an unknown unit as the unit wanted, with a notice, instead of raising.

    Raises
    ------
    UnitError
        A unit wanted is unknown or of the wrong kind, or `strict` and an axis being converted has an unknown unit.
    """
    targets = units.normalise(wanted)
    types = None if meta.axis_types is None else tuple(meta.axis_types)
    if _is_done(tuple(meta.axes), types, tuple(meta.units), targets.get("space"), targets.get("time")):
        return meta
    plans = dict.fromkeys(range(meta.ndim), _Axis(None))
    named: dict[int, str] = {}
    for kind, indices in (("space", meta.spatial), ("time", time_axes(meta.axes, meta.axis_types))):
        if kind in targets:
            plans.update({i: _plan(meta, i, kind, targets[kind], strict) for i in indices})
            named.update(dict.fromkeys(indices, targets[kind]))
    done = {i: plan.factor for i, plan in plans.items() if plan.factor is not None}
    remarks = tuple(plan.remark for plan in plans.values() if plan.remark is not None)
    spelled = tuple(named[i] if i in done else unit for i, unit in enumerate(meta.units))
    notes = (*_missing(meta, plans), *remarks)
    if spelled == meta.units and not notes and all(factor is _SAME for factor in done.values()):
        return meta
    return replace(
        meta,
        units=spelled,
        voxel_size=_scaled(meta.voxel_size, done),
        translation=_scaled(meta.translation, done),
        notices=(*meta.notices, *notes),
    )


@lru_cache(maxsize=128)
def _is_done(
    axes: tuple[str, ...],
    types: tuple[str, ...] | None,
    stored: tuple[str, ...],
    space: str | None,
    time: str | None,
) -> bool:
    """Whether every axis of a kind that is converted is in the unit wanted, by its OME name."""
    of_space = space is None or all(stored[i] == space for i in spatial_axes(axes, types))
    return of_space and (time is None or all(stored[i] == time for i in time_axes(axes, types)))


def _plan(meta: ArrayMeta, index: int, kind: str, target: str, strict: bool) -> _Axis:
    text = meta.units[index]
    if units.is_missing(text):
        if kind == "space":
            return _Axis(_ratio(ASSUMED, target), unnamed=True)
        message = f"axis {meta.axes[index]!r} has no unit; taken as {target}"
        return _Axis(_SAME, notice("missing_field", (meta.path, "units", index), message))
    unit = units.parse(text)
    if unit is not None and unit.dimension == units.KINDS[kind]:
        return _Axis(_ratio(text, target))
    if kind == "space" and meta.axes[index] not in SPATIAL_NAMES:
        return _Axis(None)
    return _unknown(meta, index, kind, target, strict)


@lru_cache(maxsize=128)
def _ratio(source: str, target: str) -> Fraction:
    ratio = units.factor(source, target)
    return _SAME if ratio == 1 else ratio


def _unknown(meta: ArrayMeta, index: int, kind: str, target: str, strict: bool) -> _Axis:
    at, name, text = (meta.path, "units", index), meta.axes[index], meta.units[index]
    found = f"axis {name!r} is in {text!r}, which is no {units.KINDS[kind]} unit that is known"
    if strict:
        fix = "pass units=None to keep it, strict_units=False to take it as the unit wanted, or correct the store"
        raise UnitError(problem("unknown_unit", at, f"{found}; {fix}"))
    return _Axis(_SAME, notice("unknown_unit", at, f"{found}; taken as {target}"))


def _missing(meta: ArrayMeta, plans: Mapping[int, _Axis]) -> tuple[Notice, ...]:
    names = [meta.axes[i] for i, plan in plans.items() if plan.unnamed]
    if not names:
        return ()
    listed = f"axis {names[0]} has" if len(names) == 1 else f"axes {', '.join(names)} have"
    message = f"{listed} no unit; taken as {ASSUMED}. Declare base_voxel_size and base_units where that is wrong"
    return (notice("missing_field", (meta.path, "units"), message),)


def _scaled(values: Sequence[float], factors: Mapping[int, Fraction]) -> tuple[float, ...]:
    return tuple(v if factors.get(i, _SAME) is _SAME else units.convert(v, factors[i]) for i, v in enumerate(values))


def same_grid(a: ArrayMeta, b: ArrayMeta) -> bool:
    """Whether two arrays hold the same voxels at the same places, in the same chunks and shards.

    Shapes, chunk and shard shapes and axes are equal, units equal by meaning, voxel sizes and translations within
    rtol 1e-6.
    """
    exact = ("shape", "chunk_shape", "shard_shape", "axes")
    return (
        all(getattr(a, name) == getattr(b, name) for name in exact)
        and all(map(units.same, a.units, b.units))
        and geometry.same_sizes(a.voxel_size, b.voxel_size)
        and all(map(geometry.same_place, a.translation, b.translation, a.voxel_size))
    )
