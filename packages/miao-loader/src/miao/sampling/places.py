"""One volume to draw from: its centres, the windows around them, and its grid."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import floor
from typing import TYPE_CHECKING, Final

from miao.errors import PlanError
from miao.geometry.scales import NEAR, level_limits, limits
from miao.geometry.windows import centre_range, clipped, geometry_of, place, scale_of, start_of, window_range
from miao.records import ResolutionRanges, Scale, ScalePlan
from miao.sampling.chunks import ChunkTable, chunk_table
from miao.sampling.resolutions import bounds_of, draw_resolutions
from miao.sampling.sequential import Grid, grid_of
from miao.sampling.sizes import reachable_size

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from miao.geometry.windows import Geometry
    from miao.records import Floats, Ints, SamplingRules, Span, VolumeInfo
    from miao.sampling.draws import Rng

Tables = tuple[ChunkTable | None, ...]
_KEPT: Final = 256


@dataclass(frozen=True)
class Places:
    """What of a volume's draws does not depend on the draw."""

    volume: VolumeInfo
    rules: SamplingRules
    geometry: Geometry
    scales: tuple[Scale, ...]
    """Of drawn resolutions: the finest, and the coarsest."""
    first: Scale
    """What the first scale reads; of drawn resolutions the coarsest that it may."""
    centres: tuple[Span, ...]
    """The centres that may be drawn, per axis, both ends inclusive."""
    drawn: bool
    """Whether each sample draws its resolutions."""
    moves: bool
    """Whether windows may have to be moved inside."""
    tables: dict[Scale, Tables] = field(default_factory=dict, compare=False, repr=False)
    """Chunks of the windows that were asked for."""
    fits: dict[Scale, Scale] = field(default_factory=dict, compare=False, repr=False)
    """What drawn windows were made to fit."""

    def size(self) -> int:
        """Return how many distinct stored voxels samples can reach, at the finest level that is read."""
        low, high = (tuple(span[end] for span in self.centres) for end in (0, 1))
        return reachable_size(
            self.volume.image, self.windows(low, self.scales, _least), self.windows(high, self.scales, _greatest)
        )

    def draw_scales(self, rng: Rng) -> tuple[Scale, ...]:
        """Return the scales of a sample; nothing is drawn where the resolutions are given."""
        ranges = self.volume.resolutions
        if not isinstance(ranges, ResolutionRanges):
            return self.scales
        drawn = draw_resolutions(ranges, len(self.volume.patch), rng)
        return tuple([self._fitted(self.scale(resolution)) for resolution in drawn])

    def _fitted(self, scale: Scale) -> Scale:
        bare = _bare(scale)
        found = self.fits.get(bare)
        if found is None:
            found = fitted(self.geometry, self.volume, bare)
            if len(self.fits) < _KEPT:
                self.fits[bare] = found
        return scale if found is bare or found == bare else replace(found, resolution=scale.resolution)

    def scale(self, resolution: Floats) -> Scale:
        """Return what a resolution reads."""
        return scale_of(self.volume, resolution, self.rules.level_policy, self.rules.label_sampling)

    def draw_centre(self, scale: Scale, rng: Rng) -> Ints:
        """Return a centre, axis after axis: an integer, or a chunk and then an integer."""
        if not self.rules.chunk_aligned:
            return tuple([int(rng.randint(low, high + 1)) for low, high in self.centres])
        centre = []
        for span, table in zip(self.centres, self.chunks(scale), strict=True):
            low, high = span if table is None else table.centres[table.shares.choose(rng)]
            centre.append(int(rng.randint(low, high + 1)))
        return tuple(centre)

    def chunks(self, scale: Scale) -> Tables:
        """Return per axis the chunks that hold the window of the first scale whole; None where none does."""
        scale = _bare(scale) if self.drawn else scale
        found = self.tables.get(scale)
        if found is None:
            chunk = self.volume.image.levels[scale.level].chunk
            found = tuple(
                chunk_table(self.origin(scale, axis), span, size, stored)
                for axis, (span, size, stored) in enumerate(zip(self.centres, scale.size, chunk, strict=True))
            )
            if len(self.tables) < _KEPT:
                self.tables[scale] = found
        return found

    def origin(self, scale: Scale, axis: int) -> Callable[[int], int]:
        """Return the function from a centre along one axis to the first voxel that is read."""
        others = [low for low, _ in self.centres]

        def begin(centre: int) -> int:
            return self.start(scale, (*others[:axis], centre, *others[axis + 1 :]))[axis]

        return begin

    def start(self, scale: Scale, centre: Ints) -> Ints:
        """Return where the window around a centre begins, moved inside where that may be needed."""
        start = start_of(self.geometry, self.volume, scale, centre)
        return clipped(self.volume, scale, start, self.geometry) if self.moves else start

    def at(self, scale: Scale, start: Ints) -> ScalePlan:
        """Return what a scale reads whose window begins at `start`."""
        return place(self.geometry, self.volume, scale, start)

    def windows(
        self, centre: Ints, scales: Sequence[Scale], pick: Callable[[Span], int] | None = None
    ) -> tuple[ScalePlan, ...]:
        """Return what each scale reads around a centre.

        Parameters
        ----------
        centre, scales
            Level-0 voxel, and what is read around it.
        pick
            Chooses the origin of each window but the first from those that cover the window before it, axis by axis.
            None for windows that share the centre.
        """
        follow = pick is not None and self.rules.sample_windows
        plans: list[ScalePlan] = []
        for scale in scales:
            # Draws differ in their resolution and seldom in what is read: what is known of it has no resolution.
            known = _bare(scale) if self.drawn else scale
            if plans and follow:
                assert pick is not None
                spans = window_range(self.geometry, self.volume, known, plans[-1])
                start = tuple([pick(span) for span in spans])
                start = _inside(self.volume, known, start) if self.drawn else start
            else:
                start = self.start(known, centre)
            plan = place(self.geometry, self.volume, known, start)
            plans.append(ScalePlan(scale, start, plan.label_start) if self.drawn else plan)
        return tuple(plans)

    def grid(self) -> Grid:
        """Return the windows of the first scale that cover the volume.

        They begin at multiples of ``(patch - overlap) * resolution / voxel``, rounded down, from the first origin that
        the level, the bounding box and the labels allow; the last one closes the axis. With a `label_fill` centres
        stay on the labels.
        """
        volume, scale = self.volume, self.first
        voxel = volume.image.levels[scale.level].voxel
        overlap = volume.overlap or (0,) * len(volume.patch)
        strides = [
            (patch - shared) * target / stored
            for patch, shared, target, stored in zip(volume.patch, overlap, scale.resolution, voxel, strict=True)
        ]
        ranges = limits(self.geometry, volume, scale)
        if volume.label is not None and volume.label_fill is not None:
            ends = [self.start(scale, tuple(span[end] for span in self.centres)) for end in (0, 1)]
            ranges = tuple(zip(*ends, strict=True))
        return grid_of(ranges, strides, scale.size)

    def centre_of(self, scale: Scale, start: Ints) -> Ints:
        """Return the level-0 voxel nearest the middle of a window, of two the farther from the origin; on the volume.

        At level 0 it is ``start + size // 2``.
        """
        if scale.level == 0:
            return tuple([first + size // 2 for first, size in zip(start, scale.size, strict=True)])
        levels, frame = self.volume.image.levels, self.geometry
        return tuple(
            [
                min(max(floor(((corner - first + (o + n / 2) * v) / v0) - half + 0.5 + NEAR), 0), extent - 1)
                for first, corner, o, n, v, v0, half, extent in zip(
                    frame.image[0],
                    frame.image[scale.level],
                    start,
                    scale.size,
                    levels[scale.level].voxel,
                    levels[0].voxel,
                    frame.half,
                    levels[0].shape,
                    strict=True,
                )
            ]
        )


def places_of(volume: VolumeInfo, rules: SamplingRules) -> Places:
    """Return what is drawn from a volume.

    Drawn resolutions: the coarsest one confines the centres, or the coarsest that the first scale may have where
    coarser windows are moved inside or have origins of their own.

    Raises
    ------
    PlanError
        No window fits where it has to.
    """
    geometry = geometry_of(volume)
    ndim = len(volume.patch)

    def scale(resolution: Floats) -> Scale:
        return scale_of(volume, resolution, rules.level_policy, rules.label_sampling)

    if isinstance(volume.resolutions, ResolutionRanges):
        bounds = bounds_of(volume.resolutions, ndim)
        first, last = scale(bounds.first), scale(bounds.coarsest)
        scales: tuple[Scale, ...] = (fitted(geometry, volume, scale(bounds.finest)), last)
        confining: tuple[Scale, ...] = (first, last) if _clamps(rules) else (last,)
    else:
        scales = confining = tuple(scale(resolution) for resolution in volume.resolutions)
        first = scales[0]
    drawn, clamps = isinstance(volume.resolutions, ResolutionRanges), _clamps(rules)
    centres = centre_range(geometry, volume, confining, clamp=clamps)
    return Places(volume, rules, geometry, scales, first, centres, drawn=drawn, moves=drawn or clamps)


def fitted(geometry: Geometry, volume: VolumeInfo, scale: Scale) -> Scale:
    """Return a scale whose window is no larger than its level, the bounding box and its labels' level.

    A drawn resolution may ask for a voxel more than the coarsest one, which was seen to fit: sizes are rounded up.

    Raises
    ------
    PlanError
        The bounding box holds no voxel of the level.
    """
    spans = [level_limits(geometry, volume, scale, axis) for axis in range(len(scale.size))]
    size = tuple([n + min(0, last - first) for n, (first, last) in zip(scale.size, spans, strict=True)])
    if min(size) < 1:
        axis = volume.image.axes[size.index(min(size))]
        raise PlanError(
            f"no whole voxel of level {volume.image.levels[scale.level].name} lies in the bounding box of volume "
            f"{volume.name} along {axis}; enlarge it, or lower the coarsest resolution",
            code="out_of_range",
            at=(volume.name, axis),
        )
    labels = scale.label_size
    if volume.label is not None and volume.label_fill is None and scale.label_level is not None:
        shape = volume.label.levels[scale.label_level].shape
        labels = tuple([min(pair) for pair in zip(labels, shape, strict=True)])
    if size == scale.size and labels == scale.label_size:
        return scale
    return replace(scale, size=size, label_size=labels)


def _bare(scale: Scale) -> Scale:
    """Return what is read, whatever the resolution that asks for it."""
    return Scale((), scale.level, scale.size, scale.label_level, scale.label_size, scale.by_position)


def _clamps(rules: SamplingRules) -> bool:
    """Whether the first scale alone confines the centre."""
    return rules.border == "clamp" or rules.sample_windows or rules.sampling == "sequential"


def _inside(volume: VolumeInfo, scale: Scale, start: Ints) -> Ints:
    """Return an origin at which a window lies in its level: where labels allow none, they give way."""
    shape = volume.image.levels[scale.level].shape
    return tuple([min(max(o, 0), size - n) for o, size, n in zip(start, shape, scale.size, strict=True)])


def _least(span: Span) -> int:
    return span[0]


def _greatest(span: Span) -> int:
    return span[1]
