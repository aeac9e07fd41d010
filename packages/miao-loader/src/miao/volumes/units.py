"""Sizes of several volumes are numbers of one unit: the store's own where all agree, or the one that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from miao.errors import At, Notice, VolumeError
from miao.records import Floats, ResolutionRanges, VolumeInfo
from miao.volumes.documents import Group

_ENLARGED: Final = 8
"""How many times finer than what is stored a scale is, on each spatial axis, before it is taken for a mistake."""


def in_units(group: Group, units: str | None, image: Group | None, at: At) -> Group:
    """Return a group in the unit that the configuration asks for, or that its image is in, else as it is stored.

    Raises
    ------
    VolumeError
        A unit is unknown, so that sizes cannot be converted.
    """
    from worldarray.errors import UnitError  # noqa: PLC0415  (on first use)

    wanted = units if units is not None else _space_unit(image)
    if wanted is None or (units is None and _space_unit(group) in {None, wanted}):
        return group
    try:
        metas = tuple(meta.in_units(space=wanted) for meta in group.metas)
    except (UnitError, ValueError) as error:
        raise VolumeError(
            f"{group.path} cannot be converted to {wanted}: {error}", code="unknown_unit", at=at
        ) from error
    return replace(group, metas=metas)


def _space_unit(group: Group | None) -> str | None:
    """Return the unit of the spatial axes where they have one."""
    if group is None:
        return None
    meta = group.metas[0]
    found = {meta.units[i] for i in meta.spatial}
    return found.pop() if len(found) == 1 and "" not in found else None


def agree(volumes: Sequence[VolumeInfo], paths: Sequence[At]) -> list[Notice]:
    """Return what there is to say where some volumes name units and others none.

    Raises
    ------
    VolumeError
        Two volumes name other units on one axis: their sizes are not comparable.
    """
    from worldarray import units as table  # noqa: PLC0415  (on first use)

    known: dict[str, tuple[str, str]] = {}
    silent: dict[str, str] = {}
    for volume, at in zip(volumes, paths, strict=True):
        for axis, unit in zip(volume.image.axes, volume.image.units, strict=True):
            if not unit:
                silent.setdefault(axis, volume.name)
                continue
            name, first = known.setdefault(axis, (volume.name, unit))
            if first != unit and not table.same(first, unit):
                raise VolumeError(
                    f"volume {volume.name} is in {unit} along {axis} where {name} is in {first}; resolutions are "
                    "numbers of one unit: say units: nanometer in the configuration to convert both",
                    code="conflict",
                    at=(*at, "image_key"),
                )
    for axis in silent.keys() & known.keys():
        name, unit = known[axis]
        said = f"volume {silent[axis]} says no unit where {name} is in {unit}; its sizes are taken as {unit}"
        return [Notice("unknown_unit", said)]
    return []


def enlarged(volumes: Sequence[VolumeInfo]) -> list[Notice]:
    """Return what there is to say where a scale is far finer than the finest voxels: it was meant in another unit.

    Examples
    --------
    >>> from miao.records import LevelInfo, PyramidInfo
    >>> level = LevelInfo("s0", "a/s0", (80, 60), (40.0, 8.0), None, (8, 6), "uint8")
    >>> image = PyramidInfo("a", (level,), "yx", ("nanometer", "nanometer"))
    >>> [one.code for one in enlarged([VolumeInfo("a", image, (4, 4), ((0.04, 0.008),))])]
    ['wrong_value']
    >>> enlarged([VolumeInfo("a", image, (4, 4), ((8.0, 8.0),))])
    []
    """
    found = [(volume, factor) for volume in volumes if (factor := _enlargement(volume)) >= _ENLARGED]
    if not found:
        return []
    volume, factor = found[0]
    unit = next((unit for unit in volume.image.units if unit), "")
    others = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    said = (
        f"volume {volume.name}{others}: a scale is {factor:.4g} times finer than the finest voxels, which are "
        f"{' x '.join(f'{size:g}' for size in _finest(volume))}{f' {unit}' if unit else ''}, so that its patches are "
        "a few voxels enlarged; if the resolutions are in another unit, name it: units: micrometer, say"
    )
    return [Notice("wrong_value", said)]


def _enlargement(volume: VolumeInfo) -> float:
    """Return how many times the finest voxels are enlarged, on the spatial axis on which they are the least."""
    ranges = volume.resolutions
    scales: list[Floats] = [high for _, high in ranges.bounds] if isinstance(ranges, ResolutionRanges) else list(ranges)
    finest = _finest(volume)
    spatial = [axis for axis, letter in enumerate(volume.image.axes) if letter in "zyx"]
    return max(
        min((finest[axis] / scale[axis if len(scale) > 1 else 0] for axis in spatial), default=1.0) for scale in scales
    )


def _finest(volume: VolumeInfo) -> Floats:
    return tuple(map(min, *(level.voxel for level in volume.image.levels), volume.image.levels[0].voxel))
