"""Centres whose window holds enough foreground, found once from a coarse mask, drawn without trying."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import numpy as np

from miao.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from miao.records import Floats, Ints, PyramidInfo, Span
    from miao.sampling.draws import Rng
    from miao.sampling.places import Places

Array = np.ndarray[Any, Any]

MASK_VOXELS: Final = 1 << 24
"""How many voxels the level of a mask may have that is read whole."""
_ALMOST: Final = 1e-9


class Mask(NamedTuple):
    """The foreground of a volume at one level of its mask, or of its labels where it has none."""

    foreground: Array
    """bool, axes in the store's order."""
    corner: Floats
    """Lower corner of its voxel 0."""
    voxel: Floats


class MaskSource(Protocol):
    """Where masks come from: called once per volume and process, when a place is first drawn."""

    def __call__(self, volume: int) -> tuple[Array, int]:
        """Return the foreground (bool, the store's order), and which level of the mask's pyramid it is."""


def mask_level(pyramid: PyramidInfo, most: int = MASK_VOXELS) -> int:
    """Return the first level of at most so many voxels, else the one of the fewest.

    Examples
    --------
    >>> from miao.records import LevelInfo, PyramidInfo
    >>> levels = [LevelInfo("s", "a", (n, n), (1.0, 1.0), None, (n, n), "uint8") for n in (64, 32, 16)]
    >>> mask_level(PyramidInfo("a", tuple(levels), "yx"), 1024)
    1
    """
    counts = [prod(level.shape) for level in pyramid.levels]
    return next((index for index, count in enumerate(counts) if count <= most), counts.index(min(counts)))


@dataclass(frozen=True)
class AxisCells:
    """The centres of one axis in short runs, and the window of the middle of each."""

    low: Array
    """int64: the least centre of each cell."""
    high: Array
    """int64: the greatest, inclusive."""
    middle: Array
    """int64: the centre that stands for its cell."""
    begin: Array
    """float64: where the window of the middle begins, in mask voxels from the mask's corner."""
    end: Array


class Windows(NamedTuple):
    """Where the windows of the first scale lie along one axis, by centre."""

    origin: Callable[[int], int]
    """The first voxel that a centre's window reads."""
    corner: float
    """Lower corner of voxel 0 of the level that is read."""
    voxel: float
    size: int


def axis_cells(spans: Sequence[Span], windows: Windows, corner: float, voxel: float, step: int) -> AxisCells:
    """Return the cells of one axis: each span in runs of nearly equal length, of at most `step` centres.

    Parameters
    ----------
    spans
        The centres that may be drawn, both ends inclusive.
    windows
        What each centre reads.
    corner, voxel
        Of the mask.
    step
        The most centres of a cell.
    """
    low: list[int] = []
    high: list[int] = []
    for first, last in spans:
        count = last - first + 1
        parts = -(-count // step)
        edges = [first + count * part // parts for part in range(parts + 1)]
        low += edges[:-1]
        high += [edge - 1 for edge in edges[1:]]
    middle = [(a + b) // 2 for a, b in zip(low, high, strict=True)]
    begin = np.array([_place(windows, centre, corner, voxel) for centre in middle])
    length = windows.size * windows.voxel / voxel
    return AxisCells(np.array(low), np.array(high), np.array(middle), begin, begin + length)


def _place(windows: Windows, centre: int, corner: float, voxel: float) -> float:
    return (windows.corner + windows.origin(centre) * windows.voxel - corner) / voxel


class ForegroundIndex:
    """Which centres read enough foreground, and draws among them.

    Foreground is measured exactly, parts of mask voxels by their part; what lies outside the mask is none. One centre
    stands for each cell of neighbouring ones: a cell is drawn by its number of centres among those whose middle holds
    enough, then a centre in it, and the middle is taken where that centre holds too little. So every draw holds
    enough, and no draw is repeated.

    Parameters
    ----------
    mask
        The foreground.
    windows
        What the first scale reads, per axis.
    spans
        The centres that may be drawn, per axis.
    least
        The fraction of a window, from 0 to 1, that has to be foreground.
    name
        Of the volume, for errors.

    Raises
    ------
    PlanError
        No cell's middle holds enough.
    """

    def __init__(
        self,
        mask: Mask,
        windows: Sequence[Windows],
        spans: Sequence[Sequence[Span]],
        least: float,
        *,
        voxel: Floats,
        name: str,
    ) -> None:
        self._mask = mask
        self._windows = tuple(windows)
        self._least = least
        self._sums = _integral(mask.foreground)
        self._cells = tuple(
            axis_cells(part, window, corner, size, max(1, floor(size / unit + 0.5)))
            for part, window, corner, size, unit in zip(spans, windows, mask.corner, mask.voxel, voxel, strict=True)
        )
        self._enough = _fractions(self._sums, self._cells) >= least - _ALMOST
        rows = self._enough.reshape(len(self._enough), -1) @ self._counts(range(1, len(self._cells))).reshape(-1)
        self._rows = np.cumsum(rows * self._counts([0]))
        if not self._rows[-1]:
            raise PlanError(
                f"no window of volume {name} holds {least:g} foreground, the most is "
                f"{_fractions(self._sums, self._cells).max():.3g}; lower min_foreground, or correct the mask",
                code="out_of_range",
                at=("min_foreground",),
            )

    def fraction(self, centre: Ints) -> float:
        """Return which part of the first scale's window at a centre is foreground."""
        begins = [
            _place(window, c, corner, size)
            for window, c, corner, size in zip(self._windows, centre, self._mask.corner, self._mask.voxel, strict=True)
        ]
        lengths = [
            window.size * window.voxel / size for window, size in zip(self._windows, self._mask.voxel, strict=True)
        ]
        block = self._sums
        for begin, length in zip(begins, lengths, strict=True):
            block = _at(block, begin + length) - _at(block, begin)
        return float(block) / prod(lengths)

    def draw(self, rng: Rng) -> Ints:
        """Return a centre whose window holds enough: a uniform draw for the cell, then an integer per axis."""
        cell = self._cell(float(rng.uniform(0.0, float(self._rows[-1]))))
        centre = tuple(
            int(rng.randint(int(cells.low[k]), int(cells.high[k]) + 1))
            for cells, k in zip(self._cells, cell, strict=True)
        )
        if self.fraction(centre) >= self._least - _ALMOST:
            return centre
        return tuple(int(cells.middle[k]) for cells, k in zip(self._cells, cell, strict=True))

    def _cell(self, place: float) -> Ints:
        """Return the cell at a place in the running count of centres, the last axis fastest."""
        row = min(
            int(np.searchsorted(self._rows, place, side="right")),
            int(np.flatnonzero(np.diff(self._rows, prepend=0.0))[-1]),
        )
        before = float(self._rows[row - 1]) if row else 0.0
        inner = (self._enough[row] * self._counts(range(1, len(self._cells)))).reshape(-1)
        running = before + np.cumsum(inner) * float(self._counts([0])[row])
        found = min(int(np.searchsorted(running, place, side="right")), int(np.flatnonzero(inner)[-1]))
        shape = self._enough.shape[1:]
        return (row, *(int(k) for k in np.unravel_index(found, shape))) if shape else (row,)

    def _counts(self, axes: Sequence[int]) -> Array:
        """Return how many centres the cells of some axes hold, as an array over them."""
        found: Array = np.ones(())
        for axis in axes:
            cells = self._cells[axis]
            found = found[..., None] * (cells.high - cells.low + 1).astype(np.float64)
        return found


def foreground_of(places: Places, foreground: Array, level: int) -> ForegroundIndex:
    """Return the centres of a volume that hold enough foreground.

    Drawn resolutions: of the coarsest window that the first scale may have.

    Parameters
    ----------
    places
        What is drawn from.
    foreground
        bool, one level of the mask's pyramid, or of the labels' where there is no mask; axes in the store's order.
    level
        Which level.

    Raises
    ------
    PlanError
        No centre holds enough, or the mask is not of that level's shape.
    """
    volume, scale, frame = places.volume, places.first, places.geometry
    pyramid, corners = (volume.mask, frame.mask) if volume.mask is not None else (volume.label, frame.label)
    if pyramid is None or foreground.shape != pyramid.levels[level].shape:
        found = None if pyramid is None else pyramid.levels[level].shape
        raise PlanError(
            f"the mask of volume {volume.name} has shape {foreground.shape}; level {level} has {found}",
            code="wrong_length",
            at=("masks",),
        )
    stored = volume.image.levels[scale.level]
    windows = [
        Windows(places.origin(scale, axis), frame.image[scale.level][axis], stored.voxel[axis], scale.size[axis])
        for axis in range(len(scale.size))
    ]
    spans: list[Sequence[Span]] = [[span] for span in places.centres]
    if places.rules.chunk_aligned:
        tables = places.chunks(scale)
        spans = [span if table is None else table.centres for span, table in zip(spans, tables, strict=True)]
    mask = Mask(foreground.astype(bool), corners[level], pyramid.levels[level].voxel)
    return ForegroundIndex(
        mask, windows, spans, volume.min_foreground, voxel=volume.image.levels[0].voxel, name=volume.name
    )


def _integral(foreground: Array) -> Array:
    """Return sums of the mask up to each corner, one longer than it per axis."""
    sums = np.zeros(tuple(size + 1 for size in foreground.shape))
    inner = sums[tuple(slice(1, None) for _ in foreground.shape)]
    inner[...] = foreground
    for axis in range(foreground.ndim):
        np.cumsum(inner, axis=axis, out=inner)
    return sums


def _fractions(sums: Array, cells: Sequence[AxisCells]) -> Array:
    """Return the part of each cell's middle window that is foreground."""
    block = sums
    for axis, part in enumerate(cells):
        block = _along(block, part.end, axis) - _along(block, part.begin, axis)
        block /= (part.end - part.begin).reshape([-1 if k == axis else 1 for k in range(block.ndim)])
    return block


def _along(sums: Array, places: Array, axis: int) -> Array:
    """Return the sums at places between corners along one axis; they are linear there."""
    last = sums.shape[axis] - 1
    clipped = np.clip(places, 0, last)
    below = np.minimum(clipped.astype(np.int64), max(last - 1, 0))
    part = (clipped - below).reshape([-1 if k == axis else 1 for k in range(sums.ndim)])
    first = np.take(sums, below, axis)
    found: Array = first + (np.take(sums, below + 1, axis) - first) * part
    return found


def _at(sums: Array, place: float) -> Array:
    """Return the sums at one place of the first axis."""
    last = len(sums) - 1
    clipped = min(max(place, 0.0), float(last))
    below = min(int(clipped), last - 1)
    found: Array = sums[below] + (sums[below + 1] - sums[below]) * (clipped - below)
    return found
