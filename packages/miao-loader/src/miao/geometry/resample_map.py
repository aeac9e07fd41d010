"""Which voxels of a crop an output voxel is made of, along one axis."""

from __future__ import annotations

from math import floor
from typing import NamedTuple

from miao.geometry.scales import Geometry, point_line
from miao.records import Floats, Ints, ScalePlan, VolumeInfo


class Taps(NamedTuple):
    """The two voxels that each output voxel is between, and the weight of the upper one."""

    lower: Ints
    upper: Ints
    weight: Floats
    """Of `upper`; that of `lower` is 1 less it."""


def linear_taps(size: int, count: int) -> Taps:
    """Return what linear interpolation from `size` voxels of a crop to `count` of the output takes.

    Output voxel j lies at ``x = (j + 0.5) * size / count - 0.5`` of the crop, no lower than 0 and no higher than
    ``size - 1``, between the voxels ``floor(x)`` and the next.

    Examples
    --------
    >>> linear_taps(4, 2)
    Taps(lower=(0, 2), upper=(1, 3), weight=(0.5, 0.5))
    >>> linear_taps(2, 4).weight
    (0.0, 0.25, 0.75, 0.0)
    """
    last = size - 1
    # In whole numbers x = (size * (2j + 1) - count) / (2 count), so that no weight is off by a rounding.
    lower, upper, weight = [], [], []
    for j in range(count):
        place, rest = divmod(min(max(size * (2 * j + 1) - count, 0), last * 2 * count), 2 * count)
        lower.append(place)
        upper.append(min(place + 1, last))
        weight.append(rest / (2 * count))
    return Taps(tuple(lower), tuple(upper), tuple(weight))


def nearest_indices(size: int, count: int) -> Ints:
    """Return which of `size` voxels of a crop each of `count` output voxels takes: ``floor(j * size / count)``.

    Examples
    --------
    >>> nearest_indices(8, 3), nearest_indices(4, 8)
    ((0, 2, 5), (0, 0, 1, 1, 2, 2, 3, 3))
    """
    return tuple(j * size // count for j in range(count))


def label_indices(geometry: Geometry, volume: VolumeInfo, plan: ScalePlan) -> tuple[Ints, ...]:
    """Return per axis which voxel of the label crop holds the centre of each output voxel.

    For scales of `label_sampling` ``"position"``. Output voxel j is centred ``(j + 0.5) * n / p`` voxels of the image's
    level from the corner of the window. A centre on the bound between two label voxels (within 1e-9 of one) is in the
    upper; one outside the crop takes its first or last voxel.

    Examples
    --------
    >>> from miao.geometry.windows import geometry_of, place, scale_of
    >>> from miao.records import LevelInfo, PyramidInfo
    >>> image = LevelInfo("s0", "a/s0", (80,), (8.0,), None, (8,), "uint8")
    >>> label = LevelInfo("s0", "b/s0", (40,), (16.0,), None, (8,), "uint8")
    >>> volume = VolumeInfo("a", PyramidInfo("a", (image,), "x"), (4,), (), label=PyramidInfo("b", (label,), "x"))
    >>> plan = place(geometry_of(volume), volume, scale_of(volume, (8.0,), label_sampling="position"), (5,))
    >>> plan.label_start, label_indices(geometry_of(volume), volume, plan)
    ((2,), ((0, 1, 1, 2),))
    """
    found: list[Ints] = []
    for axis, count in enumerate(volume.patch):
        size = plan.scale.size[axis]
        begin, last = plan.label_start[axis], plan.scale.label_size[axis] - 1
        held = (_holding(geometry, volume, plan, axis, (2 * j + 1) * size / (2 * count)) for j in range(count))
        found.append(tuple(min(max(index - begin, 0), last) for index in held))
    return tuple(found)


def _holding(geometry: Geometry, volume: VolumeInfo, plan: ScalePlan, axis: int, point: float) -> int:
    slope, place = point_line(geometry, volume, plan.scale, axis, point)
    return floor(slope * plan.start[axis] + place)
