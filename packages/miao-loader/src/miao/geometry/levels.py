"""Which level answers a voxel size, and how many of its voxels one patch needs."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, prod
from typing import Final

from miao.records import Floats, Ints, LevelInfo

TOLERANCE: Final = 1e-6
"""Sizes are equal within this relative difference; a quotient this near a whole number is that number."""
_MOST: Final = 2.0**53


def choose_level(levels: Sequence[LevelInfo], target: Floats, policy: str = "strict") -> int:
    """Return the position of the coarsest level that is nowhere coarser than a voxel size, else of the finest level.

    Levels compare by the product of their voxel size; the first of equal ones is taken. Sizes compare with rtol 1e-6.

    Parameters
    ----------
    levels
        As listed; at least one.
    target
        The voxel size that is asked for, in the levels' unit.
    policy
        ``"strict"``: one axis finer than every level leads to the finest level. ``"relaxed"``: on such an axis the
        finest size that is stored is fine enough, and the other axes decide.

    Examples
    --------
    >>> sizes = [(40.0, 4.0), (40.0, 8.0), (80.0, 32.0)]
    >>> levels = [LevelInfo("s", "a", (9, 9), size, None, (9, 9), "uint8") for size in sizes]
    >>> choose_level(levels, (40.0, 16.0)), choose_level(levels, (39.0, 16.0)), choose_level(levels, (1e3, 1e3))
    (1, 0, 2)
    >>> choose_level(levels, (39.0, 16.0), "relaxed")
    1
    """
    if policy == "relaxed":
        finest = tuple(min(sizes) for sizes in zip(*(level.voxel for level in levels), strict=True))
        target = tuple(max(pair) for pair in zip(target, finest, strict=True))
    limit = tuple(size * (1 + TOLERANCE) for size in target)
    best = least = 0
    largest, smallest = 0.0, prod(levels[0].voxel)
    for index, level in enumerate(levels):
        size = prod(level.voxel)
        if size * (1 + TOLERANCE) < smallest:
            least, smallest = index, size
        if size > largest * (1 + TOLERANCE) and all(v <= most for v, most in zip(level.voxel, limit, strict=True)):
            best, largest = index, size
    return best if largest else least


def extent_size(patch: Ints, target: Floats, voxel: Floats) -> Ints:
    """Return how many voxels of a level a patch covers: ``ceil(patch * target / voxel)``, from 1 to 2**53.

    A quotient within 1e-6 above a whole number is that number.

    Examples
    --------
    >>> extent_size((24, 5, 1), (0.1, 3.0, 2.0), (0.1, 2.0, 8.0))
    (24, 8, 1)
    """
    return tuple(
        max(1, ceil(min(count * size / stored, _MOST) - TOLERANCE))
        for count, size, stored in zip(patch, target, voxel, strict=True)
    )
