"""Centres whose window holds enough foreground, found once from a coarse mask, drawn without trying."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import floor, prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import numpy as np

from miao.errors import PlanError
from miao.sampling.integral import Integral

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from miao.records import Floats, Ints, PyramidInfo, Scale, Span
    from miao.sampling.draws import Rng
    from miao.sampling.places import Places

Array = np.ndarray[Any, Any]

MASK_VOXELS: Final = 1 << 24
"""How many voxels the level of a mask may have that is read whole."""
_ALMOST: Final = 1e-9
_TRIES: Final = 32
"""How many centres of the coarsest window are looked at for one that suits a finer one, before all of them are."""


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
    sums
        Those of the mask, where they are there already.

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
        sums: Integral | None = None,
    ) -> None:
        self._mask = mask
        self._windows = tuple(windows)
        self._spans = tuple(spans)
        self._least = least
        self._voxel, self._name = voxel, name
        self._sums = Integral(mask.foreground) if sums is None else sums
        self._cells = tuple(
            axis_cells(part, window, corner, size, max(1, floor(size / unit + 0.5)))
            for part, window, corner, size, unit in zip(spans, windows, mask.corner, mask.voxel, voxel, strict=True)
        )
        lengths = [window.size * window.voxel / size for window, size in zip(self._windows, mask.voxel, strict=True)]
        fractions = self._sums.insides([part.begin for part in self._cells], [part.end for part in self._cells])
        fractions /= prod(lengths)
        self._enough = fractions >= least - _ALMOST
        if not self._enough.any():
            raise PlanError(
                f"no window of volume {name} holds {least:g} foreground, the most is {fractions.max():.3g}; lower "
                "min_foreground, or correct the mask",
                code="out_of_range",
                at=("min_foreground",),
            )
        counts = [(part.high - part.low + 1).astype(np.float64) for part in self._cells]
        self._inner = counts[-1]
        outer = _product(counts[:-1])
        self._outer = outer
        self._rows = np.cumsum((self._enough @ self._inner * outer).reshape(-1))
        self._last = int(np.flatnonzero(self._enough.any(axis=-1).reshape(-1))[-1])

    def fraction(self, centre: Ints, windows: Sequence[Windows] | None = None) -> float:
        """Return which part of the window at a centre is foreground: the first scale's, or another one."""
        chosen = self._windows if windows is None else windows
        places = zip(chosen, centre, self._mask.corner, self._mask.voxel, strict=True)
        begins = [_place(window, c, corner, size) for window, c, corner, size in places]
        lengths = [window.size * window.voxel / size for window, size in zip(chosen, self._mask.voxel, strict=True)]
        ends = [begin + length for begin, length in zip(begins, lengths, strict=True)]
        return self._sums.inside(begins, ends) / prod(lengths)

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

    def draw_for(self, windows: Sequence[Windows], rng: Rng) -> Ints:
        """Return a centre at which another window holds enough, one of a drawn resolution.

        It is drawn as `draw` does until one suits; where few do, from those of the other window itself.

        Raises
        ------
        PlanError
            That window holds enough nowhere.
        """
        for _ in range(_TRIES):
            centre = self.draw(rng)
            if self.fraction(centre, windows) >= self._least - _ALMOST:
                return centre
        own = ForegroundIndex(
            self._mask, windows, self._spans, self._least, voxel=self._voxel, name=self._name, sums=self._sums
        )
        return own.draw(rng)

    def _cell(self, place: float) -> Ints:
        """Return the cell at a place in the running count of centres, the last axis fastest."""
        row = min(int(np.searchsorted(self._rows, place, side="right")), self._last)
        before = float(self._rows[row - 1]) if row else 0.0
        index = np.unravel_index(row, self._outer.shape)
        inner = self._enough[index] * self._inner
        running = before + np.cumsum(inner) * float(self._outer[index])
        found = min(int(np.searchsorted(running, place, side="right")), int(np.flatnonzero(inner)[-1]))
        return (*(int(k) for k in index), found)


def _product(counts: Sequence[Array]) -> Array:
    """Return the products of every combination, as an array over them."""
    found: Array = np.ones(())
    for row in counts:
        found = found[..., None] * row
    return found


def windows_of(places: Places, scale: Scale) -> list[Windows]:
    """Return where the windows of a scale lie, per axis."""
    scale = replace(scale, resolution=())  # so that what is known of it is known for every resolution that reads it
    corner, voxel = places.geometry.image[scale.level], places.volume.image.levels[scale.level].voxel
    return [
        Windows(places.origin(scale, axis), corner[axis], voxel[axis], size) for axis, size in enumerate(scale.size)
    ]


def foreground_of(places: Places, foreground: Array, level: int) -> ForegroundIndex:
    """Return the centres of a volume that hold enough foreground.

    Drawn resolutions: of the coarsest window that the first scale may have; `ForegroundIndex.draw_for` is for others.

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
    windows = windows_of(places, scale)
    spans: list[Sequence[Span]] = [[span] for span in places.centres]
    if places.rules.chunk_aligned:
        tables = places.chunks(scale)
        spans = [span if table is None else table.centres for span, table in zip(spans, tables, strict=True)]
    mask = Mask(foreground.astype(bool), corners[level], pyramid.levels[level].voxel)
    return ForegroundIndex(
        mask, windows, spans, volume.min_foreground, voxel=volume.image.levels[0].voxel, name=volume.name
    )
