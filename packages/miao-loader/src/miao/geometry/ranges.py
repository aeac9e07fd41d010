"""The level-0 voxels that may be the centre of a sample: around them every window lies where it has to."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Final, NamedTuple

from miao.errors import PlanError
from miao.geometry.scales import NEAR, Geometry, level_limits, limits, lines_of, reaching
from miao.records import LevelInfo, Scale, Span, VolumeInfo

_FAR_TOO_LARGE: Final = 50
"""How many times a level a window is that was asked for in another unit."""


class _Bound(NamedTuple):
    """The centres along one axis that one scale allows; high before low where there is none."""

    scale: Scale
    low: int
    high: int


def centre_range(
    geometry: Geometry, volume: VolumeInfo, scales: Sequence[Scale], *, clamp: bool = False
) -> tuple[Span, ...]:
    """Return per axis the first and the last level-0 voxel (inclusive) that may be the centre of a sample.

    Around each of them the window of every scale lies in its level and in the bounding box, and the labels that belong
    to it lie in their array. With a `label_fill` labels may leave it, and the centre lies on the labels. No centre
    lies outside 0 to the size of level 0.

    Parameters
    ----------
    geometry, volume
        What is read.
    scales
        In the order of the output.
    clamp
        Only the first scale confines the centre; the windows of the others are moved inside and must fit there.

    Raises
    ------
    PlanError
        ``out_of_range`` at (name of the volume, axis): there is no such centre.

    Examples
    --------
    >>> from miao.geometry.scales import geometry_of, scale_of
    >>> from miao.records import LevelInfo, PyramidInfo
    >>> level = LevelInfo("s0", "a/s0", (80, 61), (4.0, 2.0), None, (8, 6), "uint8")
    >>> volume = VolumeInfo("a", PyramidInfo("a", (level,), "yx"), (16, 7), ())
    >>> centre_range(geometry_of(volume), volume, [scale_of(volume, (4.0, 2.0))])
    ((8, 72), (3, 57))
    """
    return tuple(_axis_range(geometry, volume, scales, axis, clamp) for axis in range(len(volume.patch)))


def _axis_range(geometry: Geometry, volume: VolumeInfo, scales: Sequence[Scale], axis: int, clamp: bool) -> Span:
    bounds = [_bound(geometry, volume, scale, axis) for scale in scales]
    confining = bounds[:1] if clamp else bounds
    low, high = max(bound.low for bound in confining), min(bound.high for bound in confining)
    if volume.label_fill is not None and volume.label is not None:
        first, last = _on_labels(geometry, volume, axis)
        low, high = max(low, first), min(high, last)
    if low > high:
        raise _no_centre(geometry, volume, confining, axis, (low, high))
    for bound in bounds[len(confining) :]:
        first, last = limits(geometry, volume, bound.scale)[axis]
        if first > last:
            raise _no_centre(geometry, volume, [bound], axis, (bound.low, bound.high))
    return low, high


def _bound(geometry: Geometry, volume: VolumeInfo, scale: Scale, axis: int) -> _Bound:
    found = geometry.known.get(scale) or lines_of(geometry, volume, scale)
    line, (first, last) = found.start[axis], found.limits[axis]
    low, high = reaching(line, first, up=True), reaching(line, last + 1, up=True) - 1
    return _Bound(scale, max(low, 0), min(high, volume.image.levels[0].shape[axis]))


def _on_labels(geometry: Geometry, volume: VolumeInfo, axis: int) -> Span:
    """Return the first and the last level-0 voxel whose centre lies on level 0 of the labels."""
    assert volume.label is not None
    label, size = volume.label.levels[0], volume.image.levels[0].voxel[axis]
    shift = geometry.label[0][axis] - geometry.image[0][axis]
    extent = label.shape[axis] * label.voxel[axis]
    return ceil(shift / size - 0.5 - NEAR), ceil((shift + extent) / size - 0.5 - NEAR) - 1


def _no_centre(geometry: Geometry, volume: VolumeInfo, bounds: Sequence[_Bound], axis: int, found: Span) -> PlanError:
    letter = volume.image.axes[axis]
    windows = "; ".join(_described(geometry, volume, bound, axis) for bound in bounds)
    advice = ["use a smaller patch_size or finer resolutions"]
    bare = [level_limits(geometry, volume, bound.scale, axis) for bound in bounds]
    fits = all(first <= last for first, last in bare)
    if volume.label is not None and volume.label_fill is None and fits:
        advice.append("set label_fill, so that windows may reach past the labels")
    if volume.bounding_box is not None:
        advice.append(f"enlarge the bounding_box, which is {list(volume.bounding_box[axis])} along {letter}")
    if len(bounds) > 1 and bounds[0].low <= bounds[0].high:
        advice.append("or set border: clamp, so that only the first scale confines the centre")
    advice += _other_units(volume, bounds, axis)
    advice = _apart(geometry, volume, axis) or advice
    message = (
        f"no voxel of level 0 can be the centre of a sample of volume {volume.name} along {letter}: the least centre "
        f"is {found[0]}, the greatest {found[1]} ({windows}); {', '.join(advice)}"
    )
    return PlanError(message, code="out_of_range", at=(volume.name, letter))


def _apart(geometry: Geometry, volume: VolumeInfo, axis: int) -> list[str]:
    """Return what to say of labels that lie wholly beside their image, which no size of a patch helps."""
    if volume.label is None:
        return []
    (low, high), (first, last) = (
        (corner[0][axis], corner[0][axis] + pyramid.levels[0].shape[axis] * pyramid.levels[0].voxel[axis])
        for corner, pyramid in ((geometry.image, volume.image), (geometry.label, volume.label))
    )
    if first < high and low < last:
        return []
    return [
        f"the labels lie beside the image, from {first:g} to {last:g} where it is from {low:g} to {high:g}: correct "
        "the translation or the unit in either store"
    ]


def _other_units(volume: VolumeInfo, bounds: Sequence[_Bound], axis: int) -> list[str]:
    """Return what to say of windows so much larger than their level that the resolutions are of another unit."""
    if all(bound.scale.size[axis] < _FAR_TOO_LARGE * _level(volume, bound).shape[axis] for bound in bounds):
        return []
    finest = volume.image.levels[0].voxel[axis]
    unit = volume.image.units[axis] if volume.image.units else ""
    return [f"or set units, if the resolutions are not in {unit or 'the unit of the store'} ({finest:g} at level 0)"]


def _level(volume: VolumeInfo, bound: _Bound) -> LevelInfo:
    return volume.image.levels[bound.scale.level]


def _described(geometry: Geometry, volume: VolumeInfo, bound: _Bound, axis: int) -> str:
    scale = bound.scale
    level = _level(volume, bound)
    text = (
        f"resolution {scale.resolution[axis]:g} reads {scale.size[axis]} of the {level.shape[axis]} voxels of level "
        f"{level.name}, centres {bound.low} to {bound.high}"
    )
    if volume.label is None or scale.label_level is None:
        return text
    if limits(geometry, volume, scale)[axis] == level_limits(geometry, volume, scale, axis):
        return text
    label = volume.label.levels[scale.label_level]
    return f"{text}, confined by its labels: {scale.label_size[axis]} of the {label.shape[axis]} voxels of {label.path}"
