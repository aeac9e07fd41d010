"""Resolutions that are drawn for each sample, and those that stand for all that may be drawn."""

from __future__ import annotations

from math import exp, log, prod
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from miao.records import Floats, ResolutionRanges
    from miao.sampling.draws import Rng


class Bounds(NamedTuple):
    """What drawn resolutions lie between, per axis."""

    finest: Floats
    """The least of all lower bounds."""
    first: Floats
    """The coarsest that the first scale may be: of sorted scales the least of all upper bounds."""
    coarsest: Floats
    """The greatest of all upper bounds."""


def draw_resolutions(ranges: ResolutionRanges, ndim: int, rng: Rng) -> tuple[Floats, ...]:
    """Return a voxel size for each scale, drawn evenly in its logarithm.

    Range by range and scale by scale: one number where the bounds have one entry, which holds for all axes, else one
    per axis in the store's order. Sorted scales go from the smallest voxel volume to the largest; equal ones stay.

    Examples
    --------
    >>> import numpy as np
    >>> from miao.records import ResolutionRanges
    >>> drawn = draw_resolutions(ResolutionRanges((((8.0,), (64.0,)),), (3,)), 3, np.random.RandomState(0))
    >>> len(drawn), drawn[0][0] == drawn[0][2], drawn[0] <= drawn[1] <= drawn[2]
    (3, True, True)
    """
    drawn = []
    for (low, high), count in zip(ranges.bounds, ranges.counts, strict=True):
        for _ in range(count):
            found = tuple(_log_uniform(a, b, rng) for a, b in zip(low, high, strict=True))
            drawn.append(found * ndim if len(found) == 1 else found)
    return tuple(sorted(drawn, key=prod) if ranges.sort else drawn)


def _log_uniform(low: float, high: float, rng: Rng) -> float:
    return min(max(exp(rng.uniform(log(low), log(high))), low), high)


def bounds_of(ranges: ResolutionRanges, ndim: int) -> Bounds:
    """Return what the resolutions of a volume that draws them lie between.

    Examples
    --------
    >>> from miao.records import ResolutionRanges
    >>> bounds_of(ResolutionRanges((((1.0,), (2.0,)), ((4.0,), (8.0,))), (1, 1)), 2)
    Bounds(finest=(1.0, 1.0), first=(2.0, 2.0), coarsest=(8.0, 8.0))
    """
    lows = [_spread(low, ndim) for low, _ in ranges.bounds]
    highs = [_spread(high, ndim) for _, high in ranges.bounds]
    first = highs if ranges.sort else highs[:1]
    return Bounds(
        tuple(min(column) for column in zip(*lows, strict=True)),
        tuple(min(column) for column in zip(*first, strict=True)),
        tuple(max(column) for column in zip(*highs, strict=True)),
    )


def _spread(bound: Floats, ndim: int) -> Floats:
    return bound * ndim if len(bound) == 1 else bound
