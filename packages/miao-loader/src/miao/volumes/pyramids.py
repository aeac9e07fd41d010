"""One group's documents become the record of a pyramid: sampled axes, effective sizes, pinned indices per level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from miao.errors import At, Notice, VolumeError
from miao.geometry.pinned import pinned_index
from miao.records import LevelInfo, PyramidInfo
from miao.volumes.axes import letters, pinned_names
from miao.volumes.documents import Group

if TYPE_CHECKING:
    from worldarray import ArrayMeta


@dataclass(frozen=True)
class Described:
    """A pyramid, and what there is to say about it."""

    pyramid: PyramidInfo
    notices: tuple[Notice, ...]


def describe_pyramid(
    group: Group, fixed: Mapping[str, int], factor: float, at: At, *, pin_missing: bool = False
) -> Described:
    """Return the record of one pyramid.

    Parameters
    ----------
    group
        Its documents, in the units that the configuration's sizes are in.
    fixed
        Index at level 0 of each axis that is pinned.
    factor
        What sizes and translations are divided by (`exp_factor`).
    at
        The path in the configuration that errors name.
    pin_missing
        Labels and masks: an axis that is pinned may be absent, and a channel that is 1 long is pinned.

    Raises
    ------
    VolumeError
        An axis that cannot be sampled or pinned; a level whose axes or channels differ from those of level 0, or
        that lacks the pinned index; several levels of which no document says how large their voxels are.
    """
    first = group.metas[0]
    axes = letters(first, at)
    notices = _unplaced(group, at)
    known = {name: index for name, index in fixed.items() if not pin_missing or _has(first, axes, name)}
    pins = pinned_names(first, axes, known, (*at[:2], "fixed_axes"))
    if pin_missing and "c" in axes and first.shape[axes.index("c")] == 1 and axes.index("c") not in pins.values():
        pins, known = {**pins, "c": axes.index("c")}, {**known, "c": 0}
    kept = tuple(position for position in range(first.ndim) if position not in pins.values())
    levels: list[LevelInfo] = []
    for name, meta in zip(group.names, group.metas, strict=True):
        if meta.axes != first.axes:
            raise VolumeError(
                f"level {name} of {group.path} has axes {', '.join(meta.axes)} where level {group.names[0]} has "
                f"{', '.join(first.axes)}; every level of a pyramid has the same",
                code="wrong_value",
                at=at,
            )
        dropped = _other_times(first, meta, axes, pins)
        if dropped:
            said = f"level {name} of {group.path} has another step along the pinned axis {dropped}, so it is left out"
            notices.append(Notice("conflict", said))
            continue
        sampled = tuple(position for position in kept if axes[position] != "c")
        if "c" in axes:
            _check_channels(meta, first, axes.index("c"), at)
        levels.append(_level(name, meta, first, sampled, _selected(known, pins, first, meta, at), factor))
    letters_kept = "".join(axes[position] for position in kept)
    channels = first.shape[axes.index("c")] if "c" in letters_kept else None
    sampled_axes = letters_kept.replace("c", "")
    units = tuple(first.units[axes.index(axis)] for axis in sampled_axes)
    notices.extend(_order_notices(group, levels))
    return Described(
        PyramidInfo(group.path, tuple(levels), sampled_axes, units, channels, letters_kept), tuple(notices)
    )


def _has(meta: ArrayMeta, axes: str, name: str) -> bool:
    return name in meta.axes or name.lower()[:1] in axes


def _other_times(first: ArrayMeta, meta: ArrayMeta, axes: str, pins: Mapping[str, int]) -> str:
    """Return a pinned time axis along which a level has another step than level 0: its frames are other ones."""
    for name, position in pins.items():
        if axes[position] == "t" and meta.voxel_size[position] != first.voxel_size[position]:
            return name
    return ""


def _unplaced(group: Group, at: At) -> list[Notice]:
    """Say that voxels count as 1 long where no document gives their size; refuse several levels, which it tells apart.

    Raises
    ------
    VolumeError
        There are several.
    """
    bare = [name for name, meta in zip(group.names, group.metas, strict=True) if meta.placed_by is None]
    if not bare:
        return []
    said = f"no document of {group.path} says how large the voxels of level {bare[0]} are"
    if len(group.metas) > 1:
        raise VolumeError(
            f"{said}, and it has {len(group.metas)} levels; write multiscales with a scale for each level",
            code="missing_key",
            at=at,
        )
    return [Notice("missing_key", f"{said}; they count as 1 along every axis: write multiscales with a scale")]


def _check_channels(meta: ArrayMeta, first: ArrayMeta, axis: int, at: At) -> None:
    """Refuse a level without channels, or with other ones than level 0."""
    found, wanted = meta.shape[axis], first.shape[axis]
    if found != wanted or not found:
        raise VolumeError(
            f"{meta.path} has {found} channels where {first.path} has {wanted}; every level of a pyramid has the same "
            "ones, at least one",
            code="wrong_length",
            at=at,
        )


def _selected(
    known: Mapping[str, int], pins: Mapping[str, int], first: ArrayMeta, meta: ArrayMeta, at: At
) -> tuple[tuple[str, int], ...]:
    """Return which index of each pinned axis a level is read at.

    Raises
    ------
    VolumeError
        The level has the same step along the axis as level 0 and ends before the index.
    """
    found = []
    for name, position in pins.items():
        step, own, size = first.voxel_size[position], meta.voxel_size[position], meta.shape[position]
        if known[name] >= size and step == own:
            raise VolumeError(
                f"{name} is pinned to index {known[name]}, but {meta.path} has {size} there and level 0 "
                f"{first.shape[position]}; every level has the indices that are pinned",
                code="out_of_range",
                at=(*at[:2], "fixed_axes", name),
            )
        found.append((meta.axes[position], min(pinned_index(known[name], step, own), size - 1)))
    return tuple(found)


def _level(
    name: str,
    meta: ArrayMeta,
    first: ArrayMeta,
    sampled: tuple[int, ...],
    select: tuple[tuple[str, int], ...],
    factor: float,
) -> LevelInfo:
    del first
    translation = tuple(meta.translation[i] / factor for i in sampled) if meta.translation_declared else None
    return LevelInfo(
        name=name,
        path=meta.path,
        shape=tuple(meta.shape[i] for i in sampled),
        voxel=tuple(meta.voxel_size[i] / factor for i in sampled),
        translation=translation,
        chunk=tuple(meta.chunk_shape[i] for i in sampled),
        dtype=meta.dtype.name,
        select=select,
    )


def _order_notices(group: Group, levels: list[LevelInfo]) -> list[Notice]:
    """Say so where the first level is not the finest: it is the frame of coordinates and bounding boxes."""
    if not levels:
        return []
    sizes = [_volume(level) for level in levels]
    if sizes[0] <= min(sizes):
        return []
    finest = levels[sizes.index(min(sizes))].name
    said = (
        f"{group.path} lists level {levels[0].name} first, but {finest} is finer; coordinates and bounding boxes count "
        f"voxels of {levels[0].name}"
    )
    return [Notice("order", said)]


def _volume(level: LevelInfo) -> float:
    product = 1.0
    for size in level.voxel:
        product *= size
    return product
