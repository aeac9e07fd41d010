"""A phantom for computed tomography: a water-filled cylinder with five inserts, whose centroids and volumes are known.

Every insert is made of whole voxels and of shapes that can be counted by hand, so what is measured of it can be checked
to the last digit, `EXACT` says what. Axes are z up, y to the front, x to the right, in millimetres.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

SHAPE: Final = (48, 96, 128)
VOXEL_SIZE: Final = (2.5, 1.5, 1.0)
CORNER: Final = (-912.5, -70.25, -66.0)
"""Where voxel 0 begins; tables of scanners count down, so z is far below zero."""
NAMES: Final = ("bone block", "Teflon octahedron", "acrylic steps", "polystyrene L", "air jacket")
"""Of the labels from 1 on."""
DENSITIES: Final = (0, 870, 950, 120, -35, -1000)
"""Of water and of each insert, in Hounsfield units, before noise."""

Triple = tuple[Fraction, Fraction, Fraction]


@dataclass(frozen=True)
class Known:
    """What an insert is by construction: how many voxels, and their mean index (z, y, x)."""

    voxels: int
    index: Triple

    @property
    def volume(self) -> float:
        """Cubic millimetres: 2.5 * 1.5 * 1 = 3.75 of each voxel."""
        return self.voxels * 3.75

    @property
    def centroid(self) -> tuple[float, ...]:
        """Millimetres (z, y, x): voxel i has its centre half a voxel and i voxels after the corner."""
        places = zip(CORNER, self.index, VOXEL_SIZE, strict=True)
        return tuple(float(Fraction(corner) + (at + Fraction(1, 2)) * Fraction(size)) for corner, at, size in places)


def mean(first: int, last: int) -> Fraction:
    """Return the mean of the whole numbers from the first to the last.

    Examples
    --------
    >>> mean(16, 31)
    Fraction(47, 2)
    """
    return Fraction(first + last, 2)


EXACT: Final = {
    # 16 x 18 x 20 voxels.
    1: Known(16 * 18 * 20, (mean(16, 31), mean(22, 39), mean(30, 49))),
    # |dz| + |dy| + |dx| <= 10 has (2 r + 1) (2 r^2 + 2 r + 3) / 3 = 21 * 223 / 3 = 1561 voxels about (24, 63, 40).
    2: Known(1561, (Fraction(24), Fraction(63), Fraction(40))),
    # Squares of 18, 16, ..., 2 voxels, two slices of each: 2 * 4 * (81 + 64 + ... + 1) = 8 * 285 = 2280. The mean
    # step is (0 * 81 + 1 * 64 + 2 * 49 + 3 * 36 + 4 * 25 + 5 * 16 + 6 * 9 + 7 * 4 + 8 * 1) / 285 = 36 / 19; the first
    # begins at slice 15.
    3: Known(2280, (15 + Fraction(1, 2) + 2 * Fraction(36, 19), mean(21, 38), mean(79, 96))),
    # An upright of 22 x 8 = 176 and a foot of 8 x 16 = 128 voxels, in 20 slices: 304 * 20 = 6080. The foot lies 7
    # further along y and 12 further along x, so the mean lies 128 / 304 = 8 / 19 of that way, which is outside the L.
    4: Known(6080, (mean(14, 33), mean(52, 73) + 7 * Fraction(8, 19), mean(78, 85) + 12 * Fraction(8, 19))),
    # 12 x 16 x 16 = 3072 less a hollow of 6 x 10 x 10 = 600, whose middle is 1 voxel before that along y and 1 behind
    # it along x: 2472 remain, and their mean lies 600 / 2472 = 25 / 103 to the other side.
    5: Known(2472, (mean(18, 29), mean(40, 55) + Fraction(25, 103), mean(56, 71) - Fraction(25, 103))),
}
"""Of each label."""


def labels() -> Any:
    """Return which insert each voxel belongs to, uint8 (z, y, x); 0 is none."""
    found = np.zeros(SHAPE, "uint8")
    found[16:32, 22:40, 30:50] = 1
    z, y, x = np.ogrid[tuple(map(slice, SHAPE))]
    found[abs(z - 24) + abs(y - 63) + abs(x - 40) <= 10] = 2
    for step in range(9):
        half = 9 - step
        found[15 + 2 * step : 17 + 2 * step, 30 - half : 30 + half, 88 - half : 88 + half] = 3
    found[14:34, 52:74, 78:86] = 4
    found[14:34, 66:74, 86:102] = 4
    found[18:30, 40:56, 56:72] = 5
    found[21:27, 42:52, 60:70] = 0
    return found


def image(inserts: Any) -> Any:
    """Return a scan of such inserts, int16 Hounsfield units (z, y, x): water in an acrylic wall, air around, noise."""
    rng = np.random.default_rng(7)
    _, y, x = np.ogrid[tuple(map(slice, SHAPE))]
    # An ellipse of 128 x 118 mm about the middle, its wall 4 mm thick.
    y, x = (y + 0.5 - 48) * 1.5, (x + 0.5 - 64) * 1.0
    outer, inner = (y / 64) ** 2 + (x / 59) ** 2, (y / 60) ** 2 + (x / 55) ** 2
    ideal = np.where(outer > 1, -1000, np.where(inner > 1, 120, 0)) + np.zeros(SHAPE)
    # The last two slices on either side are the lids.
    ideal[:2] = ideal[-2:] = np.where(outer[0] > 1, -1000, 120)
    ideal = np.where(inserts > 0, np.array(DENSITIES)[inserts], ideal)
    return np.rint(rng.normal(ideal, 18)).astype("int16")
