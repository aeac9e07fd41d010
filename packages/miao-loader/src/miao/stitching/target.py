"""Where the predictions of one volume go: the voxels of the whole, where each window begins in it, where it lies."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING

from miao.geometry.frames import corners

if TYPE_CHECKING:
    from collections.abc import Sequence

    from miao.records import Floats, Ints, Scale, VolumeInfo

_WHOLE = 1e-6
"""How far below a half a quotient may be for float noise and still be rounded up."""


@dataclass(frozen=True)
class Target:
    """The array that the windows of one volume make, over the sampled axes in the store's order."""

    axes: str
    units: tuple[str, ...]
    shape: Ints
    voxel: Floats
    """Size of a voxel, in the store's own unit, as the store counts it."""
    translation: Floats
    """Centre of voxel 0."""
    origins: tuple[Ints, ...]
    """Per axis, where each window of the grid begins."""


def target_of(volume: VolumeInfo, scale: Scale, origins: Sequence[Ints]) -> Target:
    """Return the array of the windows of a sequential grid.

    Its voxels are those of the first scale, its corner is that of the first window. Window k begins at the voxel
    nearest to where it was read, ties upward: exactly there where a stride is a whole number of output voxels.

    Parameters
    ----------
    volume
        The volume that is walked over.
    scale
        The first scale.
    origins
        Per axis, where each window begins, in voxels of the level that the scale reads.
    """
    level = volume.image.levels[scale.level]
    corner = corners(volume.image)[scale.level]
    found = tuple(
        tuple(floor((begin - own[0]) * v / t + 0.5 + _WHOLE) for begin in own)
        for own, v, t in zip(origins, level.voxel, scale.resolution, strict=True)
    )
    factor = volume.exp_factor
    return Target(
        axes=volume.image.axes,
        units=volume.image.units,
        shape=tuple(own[-1] + size for own, size in zip(found, volume.patch, strict=True)),
        voxel=tuple(t * factor for t in scale.resolution),
        translation=tuple(
            (c + own[0] * v + t / 2) * factor
            for c, own, v, t in zip(corner, origins, level.voxel, scale.resolution, strict=True)
        ),
        origins=found,
    )
