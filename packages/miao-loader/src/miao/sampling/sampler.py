"""Sampler: what each sample of a dataset reads. Pure: a plan is a function of volumes, rules, index and draws."""

from __future__ import annotations

import sys
from bisect import bisect_right
from itertools import accumulate
from operator import index as whole
from typing import TYPE_CHECKING, Any

import numpy as np

from miao.errors import ArgumentError, ArgumentTypeError, PlanError, SampleIndexError
from miao.geometry.resample_map import label_indices
from miao.records import SamplePlan
from miao.sampling.draws import Integers, Shares
from miao.sampling.foreground import ForegroundIndex, MaskSource, foreground_of, windows_of
from miao.sampling.places import places_of
from miao.sampling.sizes import probabilities

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from miao.geometry.scales import Geometry
    from miao.records import Ints, SamplingRules, Scale, Span, VolumeInfo
    from miao.sampling.draws import Rng
    from miao.sampling.places import Places
    from miao.sampling.sequential import Grid


class Sampler:
    """Plans the samples of a dataset: which volume, where, which voxels of which level.

    Parameters
    ----------
    volumes
        What is drawn from; at least one.
    rules
        How.
    masks
        Gives the foreground of the volumes that have a `min_foreground`; called when one of them is first drawn.

    Raises
    ------
    PlanError
        A volume has no place where the windows fit, or the grids have more positions than a dataset can.

    Examples
    --------
    >>> from miao.records import LevelInfo, PyramidInfo, SamplingRules, VolumeInfo
    >>> level = LevelInfo("s0", "a/s0", (50, 70), (4.0, 4.0), None, (16, 16), "uint8")
    >>> volume = VolumeInfo("a", PyramidInfo("a", (level,), "yx"), (16, 16), ((4.0, 4.0),), (0, 1), overlap=(4, 4))
    >>> sampler = Sampler([volume], SamplingRules(sampling="sequential"))
    >>> sampler.length, sampler.plan(7).centre, sampler.plan(7).grid_index
    (24, (20, 20), (1, 1))
    """

    def __init__(self, volumes: Sequence[VolumeInfo], rules: SamplingRules, masks: MaskSource | None = None) -> None:
        if not volumes:
            raise ArgumentError("there is no volume to draw from", code="wrong_length", at=("volumes",))
        self._volumes = tuple(volumes)
        self._rules = rules
        self._masks = masks
        self._places = tuple(places_of(volume, rules) for volume in self._volumes)
        self._foreground: dict[int, ForegroundIndex] = {}
        self.ranges: tuple[tuple[Span, ...], ...] = tuple(places.centres for places in self._places)
        """The centres that may be drawn, per volume and axis, both ends inclusive."""
        self.sizes: tuple[int, ...] = tuple(places.size() for places in self._places)
        """The distinct stored voxels that samples of each volume can reach, at the finest level that is read."""
        self.probabilities: tuple[float, ...] | None = None
        """How often each volume is drawn; None in sequential mode."""
        self._grids: tuple[Grid, ...] = ()
        self._ends: list[int] = []
        if rules.sampling == "sequential":
            self._grids = tuple(places.grid() for places in self._places)
            self._ends = list(accumulate(grid.count for grid in self._grids))
            self.length = self._ends[-1]
            _check_length(self.length)
        else:
            self.probabilities = probabilities(
                self.sizes, [volume.weight for volume in volumes], rules.size_weighting_exponent
            )
            self.length = rules.samples_per_epoch
            self._shares = Shares(self.probabilities)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what each process finds by itself: the index of the foreground."""
        return {**self.__dict__, "_foreground": {}}

    def plan(self, index: int, rng: Rng | Any = None) -> SamplePlan:
        """Return what sample `index` reads.

        Parameters
        ----------
        index
            From 0; negative ones count from the end. Random samples do not depend on it.
        rng
            The module `numpy.random`, a `RandomState`, or anything with `choice`, `randint` and `uniform`. Draws come
            in this order: the volume, resolutions, the centre (per axis a chunk, then a voxel), origins of coarser
            windows. Not used in sequential mode.

        Raises
        ------
        SampleIndexError
            There is no such sample.
        """
        position = _position(index, self.length)
        if self._grids:
            return self._sequential(position)
        if rng is None:
            raise ArgumentError("random samples are drawn: give rng, such as numpy.random", at=("rng",))
        draw = rng if hasattr(rng, "randint") else Integers(rng)
        volume = self._shares.choose(draw)
        places = self._places[volume]
        scales = places.draw_scales(draw)
        if places.volume.min_foreground > 0:
            found = self.foreground(volume)
            centre = found.draw_for(windows_of(places, scales[0]), draw) if places.drawn else found.draw(draw)
        else:
            centre = places.draw_centre(scales[0], draw)
        return SamplePlan(volume, centre, places.windows(centre, scales, _drawer(draw)))

    def _sequential(self, position: int) -> SamplePlan:
        volume = bisect_right(self._ends, position)
        places, grid = self._places[volume], self._grids[volume]
        index = grid.index(position - (self._ends[volume - 1] if volume else 0))
        start = grid.origin(index)
        centre = places.centre_of(places.first, start)
        found = (places.at(places.first, start), *places.windows(centre, places.scales[1:]))
        order = places.volume.order or range(len(index))
        return SamplePlan(volume, centre, found, tuple([index[axis] for axis in order]))

    def foreground(self, volume: int) -> ForegroundIndex:
        """Return the centres of a volume that hold enough foreground; its mask is read at the first call."""
        found = self._foreground.get(volume)
        if found is None:
            if self._masks is None:
                info = self._volumes[volume]
                raise PlanError(
                    f"volume {info.name} has min_foreground {info.min_foreground:g}, but no masks were given",
                    code="unavailable",
                    at=("masks",),
                )
            found = self._foreground[volume] = foreground_of(self._places[volume], *self._masks(volume))
        return found

    def label_maps(self, plan: SamplePlan) -> list[tuple[Ints, ...]] | None:
        """Return per scale and axis which voxel of the label crop each output voxel takes.

        None where the volume has no labels, or takes them by whole voxels of the crop.
        """
        places = self._places[plan.volume]
        if places.volume.label is None or self._rules.label_sampling != "position":
            return None
        return [label_indices(places.geometry, places.volume, scale) for scale in plan.scales]

    def scales(self, volume: int) -> tuple[Scale, ...]:
        """Return what the scales of a volume read; of drawn resolutions the coarsest."""
        places = self._places[volume]
        return places.scales[1:] if places.drawn else places.scales

    def grid(self, volume: int) -> Grid:
        """Return the grid of a volume.

        Raises
        ------
        ArgumentError
            Samples are drawn, there is no grid.
        """
        if not self._grids:
            raise ArgumentError("there is a grid in sequential sampling alone", code="wrong_value", at=("sampling",))
        return self._grids[volume]

    def geometry(self, volume: int) -> Geometry:
        """Return the frame of a volume."""
        return self._places[volume].geometry

    def places(self, volume: int) -> Places:
        """Return what of a volume's draws does not depend on the draw."""
        return self._places[volume]


def _check_length(length: int) -> None:
    """Refuse a number of samples that ``len`` cannot return."""
    if length > sys.maxsize:
        raise PlanError(
            f"the grids have {length} positions, and a dataset has at most {sys.maxsize}; use a larger patch_size, "
            "coarser resolutions, or a bounding_box",
            code="out_of_range",
            at=("sampling",),
        )


def _drawer(rng: Rng) -> Callable[[Span], int]:
    def pick(span: Span) -> int:
        return int(rng.randint(span[0], span[1] + 1))

    return pick


def _position(index: Any, length: int) -> int:
    """Return an index from 0, of one that may be negative."""
    if isinstance(index, (bool, np.bool_)):
        raise ArgumentTypeError(f"index is {index}; it is a whole number", code="wrong_type", at=("index",))
    try:
        position = whole(index)
    except TypeError:
        raise ArgumentTypeError(f"index is {index!r}; it is a whole number", code="wrong_type", at=("index",)) from None
    if not -length <= position < length:
        raise SampleIndexError(
            f"index is {position}; the dataset has {length} samples" + (f", 0 to {length - 1}" if length else ""),
            code="out_of_range",
            at=("index",),
        )
    return position % length
