"""Patches inside one stored chunk: the centres of each chunk, along one axis."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

from miao.sampling.draws import Shares

if TYPE_CHECKING:
    from collections.abc import Callable

    from miao.records import Ints, Span


@dataclass(frozen=True)
class ChunkTable:
    """The chunks of one axis that hold a window whole, in order."""

    chunks: Ints
    """Which chunks of the level."""
    centres: tuple[Span, ...]
    """The least and the greatest centre of each, both inclusive."""
    shares: Shares
    """The share of each chunk's centres in those of all."""

    @property
    def weights(self) -> tuple[float, ...]:
        """The share of each chunk's centres in those of all."""
        return self.shares.weights


def chunk_table(origin: Callable[[int], int], centres: Span, size: int, chunk: int) -> ChunkTable | None:
    """Return the chunks that hold a window whole, and the centres for which they do.

    Parameters
    ----------
    origin
        Where the window of a centre begins; it never falls as the centre grows.
    centres
        The least and the greatest centre, both inclusive.
    size, chunk
        Voxels of the window and of a chunk, at the level that is read.

    Returns
    -------
    ChunkTable or None
        None where no chunk holds a window: chunks are smaller than it, or the centres allow none. Such an axis is drawn
        without regard to chunks.

    Examples
    --------
    >>> table = chunk_table(lambda centre: centre - 3, (3, 17), 6, 8)
    >>> table.chunks, table.centres, table.weights
    ((0, 1), ((3, 5), (11, 13)), (0.5, 0.5))
    """
    if chunk < size:
        return None
    low, high = centres
    found: list[tuple[int, Span]] = []
    first, last = origin(low) // chunk, origin(high) // chunk
    reached = low
    for index in range(first, last + 1):
        begin = _first(origin, (reached, high), index * chunk)
        reached = _first(origin, (begin, high), (index + 1) * chunk - size + 1)
        if begin < reached:
            found.append((index, (begin, reached - 1)))
    if not found:
        return None
    counts = [end - begin + 1 for _, (begin, end) in found]
    total = sum(counts)
    return ChunkTable(
        tuple(index for index, _ in found),
        tuple(span for _, span in found),
        Shares([count / total for count in counts]),
    )


def _first(origin: Callable[[int], int], centres: Span, target: int) -> int:
    """Return the first centre whose window begins at `target` or later; one past the last where none does.

    The search widens from the lower end: what is looked for lies near it.
    """
    low, high = centres
    step = 1
    while low + step <= high and origin(low + step) < target:
        low += step
        step *= 2
    return low + bisect_left(range(low, min(low + step, high + 1)), target, key=origin)
