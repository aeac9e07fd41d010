"""How much of a volume samples can reach, and how often each volume is drawn."""

from __future__ import annotations

from math import fsum, prod
from typing import TYPE_CHECKING

from miao.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from miao.records import Ints, PyramidInfo, ScalePlan, Span


def reachable_size(pyramid: PyramidInfo, low: Sequence[ScalePlan], high: Sequence[ScalePlan]) -> int:
    """Return how many stored voxels samples can read of the finest level that any scale reads.

    Parameters
    ----------
    pyramid
        The levels of the image.
    low, high
        What every scale reads where it lies nearest the array's origin, and where it lies farthest from it.
    """
    levels = {plan.scale.level for plan in low}
    finest = min(levels, key=lambda level: (prod(pyramid.levels[level].voxel), level))
    return prod(last - first for first, last in reach(finest, low, high))


def reach(level: int, low: Sequence[ScalePlan], high: Sequence[ScalePlan]) -> tuple[Span, ...]:
    """Return the voxels [first, last) of a level, per axis, from the lowest window to the highest."""
    begins: list[Ints] = [plan.start for plan in low if plan.scale.level == level]
    ends = [
        tuple(begin + size for begin, size in zip(plan.start, plan.scale.size, strict=True))
        for plan in high
        if plan.scale.level == level
    ]
    return tuple(
        (min(first), max(last)) for first, last in zip(zip(*begins, strict=True), zip(*ends, strict=True), strict=True)
    )


def probabilities(sizes: Sequence[float], weights: Sequence[float], exponent: float) -> tuple[float, ...]:
    """Return how often each volume is drawn: in proportion to ``weight * size ** exponent``.

    Examples
    --------
    >>> probabilities([64, 4096], [1.0, 0.5], 0.5)
    (0.2, 0.8)
    >>> probabilities([64, 4096], [1.0, 3.0], 0.0)
    (0.25, 0.75)
    """
    if len(sizes) != len(weights) or not sizes:
        raise ArgumentError(
            f"there are {len(sizes)} sizes and {len(weights)} weights; give one of each per volume",
            code="wrong_length",
            at=("weights",),
        )
    most, heaviest = max(sizes), max(weights)
    terms = [(weight / heaviest) * (size / most) ** exponent for size, weight in zip(sizes, weights, strict=True)]
    total = fsum(terms)
    return tuple(term / total for term in terms)
