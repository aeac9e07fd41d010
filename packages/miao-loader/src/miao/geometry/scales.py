"""One volume's frame, what each scale reads of it, and where a window begins."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, floor
from typing import Final, NamedTuple

from miao.geometry.frames import centres, corners, declares
from miao.geometry.levels import choose_level, extent_size
from miao.records import Floats, Ints, Scale, Span, VolumeInfo

NEAR: Final = 1e-9
"""Voxels: a place this near a voxel's bound, or the middle between two, is there."""
_KEPT: Final = 256
_FAR: Final = 2**53


Line = tuple[float, float]
"""(a, b) of a straight line a x + b along one axis."""


class Lines(NamedTuple):
    """How origins follow from centres, and those of labels from those of images, along each axis of one scale."""

    start: tuple[Line, ...]
    """The origin is ``ceil(a * centre + b)``."""
    label: tuple[Line, ...]
    """The origin of the labels is ``floor(a * start + b)``; empty where the volume has none."""
    label_last: Ints
    """The last origin of a window in the label array; empty where windows may leave it."""
    limits: tuple[Span, ...]
    """The first and the last origin at which a window of the image may begin."""


@dataclass(frozen=True)
class Geometry:
    """The frame of a volume: lower corners of voxel 0 by level, and the sampling point within a level-0 voxel."""

    image: tuple[Floats, ...]
    label: tuple[Floats, ...]
    """Empty where the volume has no labels."""
    mask: tuple[Floats, ...]
    """Empty where the volume has no mask."""
    centres: tuple[Floats, ...]
    """Declared centre of voxel 0 by level of the image, 0 where there is none."""
    half: Floats
    """Level-0 voxels from the corner of voxel c to the sampling point of c: 0 for an even patch, 0.5 for an odd one."""
    known: dict[Scale, Lines] = field(default_factory=dict, compare=False, repr=False)
    """What the scales that were asked for come to."""


def geometry_of(volume: VolumeInfo) -> Geometry:
    """Return the frame of a volume.

    Examples
    --------
    >>> from miao.records import LevelInfo, PyramidInfo
    >>> level = LevelInfo("s0", "a/s0", (8, 6), (4.0, 2.0), (12.0, 2.0), (8, 6), "uint8")
    >>> frame = geometry_of(VolumeInfo("a", PyramidInfo("a", (level,), "yx"), (4, 3), ((4.0, 2.0),)))
    >>> frame.image, frame.half
    (((10.0, 1.0),), (0.0, 0.5))
    """
    image = corners(volume.image)
    anchor = None if declares(volume.image) else image[0]
    return Geometry(
        image=image,
        label=corners(volume.label, anchor) if volume.label else (),
        mask=corners(volume.mask, anchor) if volume.mask else (),
        centres=centres(volume.image),
        half=tuple(0.5 if count % 2 else 0.0 for count in volume.patch),
    )


def scale_of(volume: VolumeInfo, resolution: Floats, policy: str = "strict", label_sampling: str = "index") -> Scale:
    """Return the level and the number of its voxels that a resolution reads, of the image and of the labels.

    Parameters
    ----------
    volume
        What is read.
    resolution
        Voxel size of the output, in the store's order.
    policy
        Of `choose_level`.
    label_sampling
        ``"index"``: labels are read as the image is, at the level of their own pyramid. ``"position"``: as many
        voxels as can hold the centres of the output voxels.

    Examples
    --------
    >>> from miao.records import LevelInfo, PyramidInfo
    >>> level = LevelInfo("s0", "a/s0", (80, 60), (4.0, 2.0), None, (8, 6), "uint8")
    >>> scale_of(VolumeInfo("a", PyramidInfo("a", (level,), "yx"), (16, 8), ()), (6.0, 2.0)).size
    (24, 8)
    """
    level = choose_level(volume.image.levels, resolution, policy)
    size = extent_size(volume.patch, resolution, volume.image.levels[level].voxel)
    if volume.label is None:
        return Scale(resolution, level, size)
    labels = choose_level(volume.label.levels, resolution, policy)
    voxel = volume.label.levels[labels].voxel
    if label_sampling == "position":
        spans = zip(volume.patch, size, volume.image.levels[level].voxel, voxel, strict=True)
        counts = tuple(ceil((p - 1) * n * v / p / stored - NEAR) + 1 for p, n, v, stored in spans)
        if volume.label_fill is None:
            counts = tuple(min(pair) for pair in zip(counts, volume.label.levels[labels].shape, strict=True))
        return Scale(resolution, level, size, labels, counts, by_position=True)
    return Scale(resolution, level, size, labels, extent_size(volume.patch, resolution, voxel))


def start_of(geometry: Geometry, volume: VolumeInfo, scale: Scale, centre: Ints) -> Ints:
    """Return the first voxel of the window of a scale around a level-0 voxel; it may lie outside the level.

    At level 0 ``centre - size // 2``. At others the window whose middle is nearest the sampling point, of two the one
    nearer the origin: with Q = C_0 + (centre + h) * v_0, h 0 for an even patch and 0.5 for an odd one,
    ``ceil((Q - C_l) / v_l - size / 2 - 0.5)``; within 1e-9 of the middle between two is the middle.
    """
    if scale.level == 0:
        return tuple([c - n // 2 for c, n in zip(centre, scale.size, strict=True)])
    found = geometry.known.get(scale) or lines_of(geometry, volume, scale)
    return tuple([ceil(a * c + b) for c, (a, b) in zip(centre, found.start, strict=True)])


def limits(geometry: Geometry, volume: VolumeInfo, scale: Scale) -> tuple[Span, ...]:
    """Return per axis the first and the last origin at which a window may begin; last before first where none may.

    The window lies in the level, in the bounding box, and its labels in their array unless they are filled.
    """
    return (geometry.known.get(scale) or lines_of(geometry, volume, scale)).limits


def lines_of(geometry: Geometry, volume: VolumeInfo, scale: Scale) -> Lines:
    """Return what a scale of a volume comes to, and keep it in the geometry."""
    start = tuple(_start_line(geometry, volume, scale, axis) for axis in range(len(scale.size)))
    bare = tuple(level_limits(geometry, volume, scale, axis) for axis in range(len(scale.size)))
    found = Lines(start, (), (), bare)
    if volume.label is not None:
        found = _with_labels(geometry, volume, scale, found)
    if len(geometry.known) < _KEPT:
        geometry.known[scale] = found
    return found


def level_limits(geometry: Geometry, volume: VolumeInfo, scale: Scale, axis: int) -> Span:
    """Return the first and the last origin along an axis by the level and the bounding box alone."""
    level, size = volume.image.levels[scale.level], scale.size[axis]
    first, last = 0, level.shape[axis] - size
    if volume.bounding_box is not None:
        low, high = volume.bounding_box[axis]
        shift = geometry.image[0][axis] - geometry.image[scale.level][axis]
        v0, v = volume.image.levels[0].voxel[axis], level.voxel[axis]
        first = max(first, ceil((shift + low * v0) / v - NEAR))
        last = min(last, floor((shift + high * v0) / v - size + NEAR))
    return first, last


def point_line(geometry: Geometry, volume: VolumeInfo, scale: Scale, axis: int, point: float) -> Line:
    """Return the line from the origin of a window to the label voxel that holds a point of it.

    The point counts voxels of the image's level from the corner of the window; the voxel is ``floor(a * start + b)``.
    """
    assert volume.label is not None
    assert scale.label_level is not None
    corner = geometry.image[scale.level][axis] - geometry.label[scale.label_level][axis]
    voxel = volume.image.levels[scale.level].voxel[axis]
    stored = volume.label.levels[scale.label_level].voxel[axis]
    return voxel / stored, (corner + point * voxel) / stored + NEAR


def _start_line(geometry: Geometry, volume: VolumeInfo, scale: Scale, axis: int) -> Line:
    first, voxel = volume.image.levels[0].voxel[axis], volume.image.levels[scale.level].voxel[axis]
    shift = geometry.image[0][axis] - geometry.image[scale.level][axis]
    size = scale.size[axis]
    if scale.level == 0:
        return 1.0, float(-(size // 2))
    return first / voxel, (shift + geometry.half[axis] * first) / voxel - size / 2 - 0.5 - NEAR


def _with_labels(geometry: Geometry, volume: VolumeInfo, scale: Scale, found: Lines) -> Lines:
    assert volume.label is not None
    assert scale.label_level is not None
    shape = volume.label.levels[scale.label_level].shape
    begins, ends = [], []
    for axis, (n, count, p) in enumerate(zip(scale.size, scale.label_size, volume.patch, strict=True)):
        if scale.by_position:
            begins.append(point_line(geometry, volume, scale, axis, n / (2 * p)))
            ends.append(point_line(geometry, volume, scale, axis, n - n / (2 * p)))
        else:
            slope, middle = point_line(geometry, volume, scale, axis, n / 2)
            begins.append((slope, middle - count / 2 + 0.5))
            ends.append((slope, middle + count / 2 - 0.5))
    found = found._replace(label=tuple(begins))
    if volume.label_fill is not None:
        return found
    spans = tuple(
        (max(low, reaching(begin, 0)), min(high, reaching(end, size) - 1))
        for (low, high), begin, end, size in zip(found.limits, begins, ends, shape, strict=True)
    )
    last = tuple(size - count for size, count in zip(shape, scale.label_size, strict=True))
    return found._replace(limits=spans, label_last=last)


def reaching(line: Line, target: int, *, up: bool = False) -> int:
    """Return the least whole number x at which ``floor(a x + b)`` is at least a target; a is positive.

    Parameters
    ----------
    line
        (a, b).
    target
        What is to be reached.
    up
        ``ceil(a x + b)`` instead.

    Examples
    --------
    >>> reaching((0.5, -7.0), 0), reaching((0.5, -7.0), 0, up=True)
    (14, 13)
    """
    a, b = line

    def reached(x: int) -> bool:
        value = a * x + b
        return value > target - 1 if up else value >= target

    place = int(min(max((target - b) / a, -_FAR), _FAR))
    low, high = place - 4, place + 4
    if reached(low) or not reached(high):
        low, high = -_FAR, _FAR
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high
