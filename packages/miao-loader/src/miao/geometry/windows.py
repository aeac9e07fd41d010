"""The windows that a sample reads: placed, moved inside, drawn around a finer one."""

from __future__ import annotations

from math import ceil, floor

from miao.geometry.boxes import bbox, extent
from miao.geometry.ranges import centre_range
from miao.geometry.scales import NEAR, Geometry, geometry_of, limits, lines_of, scale_of, start_of
from miao.records import Ints, Scale, ScalePlan, Span, VolumeInfo

__all__ = [
    "Geometry",
    "bbox",
    "centre_range",
    "clipped",
    "extent",
    "geometry_of",
    "label_start",
    "limits",
    "place",
    "scale_of",
    "start_of",
    "window_range",
]


def clipped(volume: VolumeInfo, scale: Scale, start: Ints, geometry: Geometry | None = None) -> Ints:
    """Return the origin nearest to one at which a window lies where it has to.

    That is in the level, in the bounding box, and its labels in their array unless they are filled. Where no origin
    does, it lies in the level.

    Parameters
    ----------
    volume, scale
        What is read.
    start
        The origin that is asked for.
    geometry
        The frame of the volume; made anew where it is absent.

    Examples
    --------
    >>> from miao.records import LevelInfo, PyramidInfo
    >>> level = LevelInfo("s0", "a/s0", (80, 60), (4.0, 2.0), None, (8, 6), "uint8")
    >>> volume = VolumeInfo("a", PyramidInfo("a", (level,), "yx"), (16, 8), ())
    >>> clipped(volume, scale_of(volume, (4.0, 2.0)), (-3, 55))
    (0, 52)
    """
    frame = geometry if geometry is not None else geometry_of(volume)
    shape = volume.image.levels[scale.level].shape
    return tuple(
        [
            _within(place, low, high, size - count)
            for place, (low, high), size, count in zip(
                start, limits(frame, volume, scale), shape, scale.size, strict=True
            )
        ]
    )


def _within(place: int, low: int, high: int, last: int) -> int:
    inside = min(max(place, low), high)
    return inside if low <= high else min(max(inside, 0), max(last, 0))


def label_start(geometry: Geometry, volume: VolumeInfo, scale: Scale, start: Ints) -> Ints:
    """Return the first label voxel that a scale reads beside a window of the image.

    By whole voxels it is the window whose middle is nearest the middle of the image's, of two the farther from the
    origin: ``floor((C_l + (start + n / 2) * v_l - C_lab) / v_lab - n_lab / 2 + 0.5)``. By position it is the voxel
    that holds the centre of the first output voxel. Within 1e-9 of a whole number is that number. It is moved into the
    label array unless the volume has a `label_fill`.
    """
    found = geometry.known.get(scale) or lines_of(geometry, volume, scale)
    if not found.label_last:
        return tuple([floor(a * o + b) for o, (a, b) in zip(start, found.label, strict=True)])
    return tuple(
        [
            max(0, min(floor(a * o + b), last))
            for o, (a, b), last in zip(start, found.label, found.label_last, strict=True)
        ]
    )


def place(geometry: Geometry, volume: VolumeInfo, scale: Scale, start: Ints) -> ScalePlan:
    """Return what a scale reads whose window of the image begins at `start`."""
    if volume.label is None:
        return ScalePlan(scale, start)
    return ScalePlan(scale, start, label_start(geometry, volume, scale, start))


def window_range(geometry: Geometry, volume: VolumeInfo, scale: Scale, previous: ScalePlan) -> tuple[Span, ...]:
    """Return per axis the first and the last origin (inclusive) at which a window covers that of the scale before.

    The window stays where `clipped` would keep it. Where none covers the other, both are the origin that is nearest to
    sharing its middle, of two the one nearer the origin.

    Examples
    --------
    >>> from miao.records import LevelInfo, PyramidInfo
    >>> sizes = ((80, 4.0), (40, 8.0))
    >>> levels = tuple(LevelInfo("s", "a", (n,), (v,), None, (8,), "uint8") for n, v in sizes)
    >>> volume = VolumeInfo("a", PyramidInfo("a", levels, "x"), (16,), ())
    >>> fine, coarse = scale_of(volume, (4.0,)), scale_of(volume, (8.0,))
    >>> frame = geometry_of(volume)
    >>> window_range(frame, volume, coarse, place(frame, volume, fine, (41,)))
    ((13, 20),)
    """
    before = previous.scale
    levels = volume.image.levels
    found = []
    for (low, high), shift, o, n, v_before, v, count, size in zip(
        limits(geometry, volume, scale),
        [a - b for a, b in zip(geometry.image[before.level], geometry.image[scale.level], strict=True)],
        previous.start,
        before.size,
        levels[before.level].voxel,
        levels[scale.level].voxel,
        scale.size,
        levels[scale.level].shape,
        strict=True,
    ):
        least, most = (shift + (o + n) * v_before) / v - count, (shift + o * v_before) / v
        first, last = max(low, ceil(least - NEAR)), min(high, floor(most + NEAR))
        if first > last:
            first = last = _within(ceil((least + most) / 2 - 0.5 - NEAR), low, high, size - count)
        found.append((first, last))
    return tuple(found)
