"""Frozen records without I/O: what the documents of a store say about volumes, and what one sample reads.

Tuples per axis are in the store's order of the sampled axes: without the channel and without pinned axes. Sizes
and places are floats in the store's own unit, effective: after `exp_factor`.
"""

from __future__ import annotations

from dataclasses import dataclass

Floats = tuple[float, ...]
Ints = tuple[int, ...]
Span = tuple[int, int]
"""A half-open range of indices."""


@dataclass(frozen=True)
class LevelInfo:
    """One level of a pyramid over its sampled axes."""

    name: str
    path: str
    shape: Ints
    voxel: Floats
    """Size of a voxel."""
    translation: Floats | None
    """Centre of voxel 0; None where no document declares it."""
    chunk: Ints
    """What one read decodes: the inner chunk of a sharded array."""
    dtype: str
    select: tuple[tuple[str, int], ...] = ()
    """The index at this level of each pinned axis, by its stored name."""


@dataclass(frozen=True)
class PyramidInfo:
    """The levels that may be read, as listed; the first is level 0."""

    path: str
    levels: tuple[LevelInfo, ...]
    axes: str
    """One letter of z, y, x, t per sampled axis, in the store's order."""
    units: tuple[str, ...] = ()
    channels: int | None = None
    """How many channels are stored; None where there is no such axis."""
    read_axes: str = ""
    """The axes of what a read returns: the sampled ones and c where a channel is stored, in the store's order."""


@dataclass(frozen=True)
class ResolutionRanges:
    """Resolutions that are drawn for each sample: `bounds` per range as (low, high), each of one or of all axes."""

    bounds: tuple[tuple[Floats, Floats], ...]
    counts: Ints
    """How many scales each range gives."""
    sort: bool = True


@dataclass(frozen=True)
class Normalisation:
    """What is done to the values of an image after it was resampled."""

    normalize: bool = True
    low: float | None = None
    high: float | None = None
    per_patch: bool = False


@dataclass(frozen=True)
class VolumeInfo:
    """One volume to draw from; of several pinned indices each is a volume of its own."""

    name: str
    image: PyramidInfo
    patch: Ints
    """Voxels of an output patch."""
    resolutions: tuple[Floats, ...] | ResolutionRanges
    """The voxel size of each scale, or the ranges that they are drawn from."""
    order: Ints = ()
    """For each spatial axis of the output, its position among the sampled axes."""
    label: PyramidInfo | None = None
    mask: PyramidInfo | None = None
    weight: float = 1.0
    overlap: Ints = ()
    """Sequential mode: voxels of an output patch that neighbours share."""
    normalisation: Normalisation = Normalisation()
    bounding_box: tuple[Span, ...] | None = None
    """Level-0 voxels, inside the volume."""
    label_fill: int | None = None
    min_foreground: float = 0.0
    """The least fraction of the first scale's window that the mask (the labels where there is none) covers."""
    exp_factor: float = 1.0
    """What the store's sizes were divided by."""


@dataclass(frozen=True)
class Scale:
    """What of one scale does not depend on the place: the level, and how many of its voxels are read."""

    resolution: Floats
    level: int
    size: Ints
    label_level: int | None = None
    label_size: Ints = ()
    by_position: bool = False
    """Whether each output voxel looks its label up at its centre; False where labels are taken by whole voxels."""


@dataclass(frozen=True)
class ScalePlan:
    """What one scale of a sample reads: voxels [start, start + size) of a level, and of the label's.

    A label window may leave its array only where the volume has a `label_fill`.
    """

    scale: Scale
    start: Ints
    label_start: Ints = ()


@dataclass(frozen=True)
class SamplePlan:
    """What one sample reads; `centre` is the level-0 voxel that was asked for."""

    volume: int
    centre: Ints
    scales: tuple[ScalePlan, ...]
    grid_index: Ints | None = None


@dataclass(frozen=True)
class SamplingRules:
    """How places and levels are chosen, for every volume of a dataset."""

    sampling: str = "random"
    """"random" or "sequential"."""
    samples_per_epoch: int = 1000
    size_weighting_exponent: float = 0.0
    sample_windows: bool = False
    chunk_aligned: bool = False
    border: str = "confine"
    """"confine": every scale shares the centre; "clamp": coarser windows are moved inside. Sequential mode clamps."""
    level_policy: str = "strict"
    """"strict", or "relaxed": an axis on which no level is fine enough does not decide."""
    label_sampling: str = "index"
    """"index": labels are taken by whole voxels; "position": each output voxel looks its centre up."""


@dataclass(frozen=True)
class FinishPolicy:
    """How the crops of one volume become tensors."""

    read_axes: str
    """The axes of a crop, in the store's order: "czyx", "zyx"."""
    output_axes: str
    """The axes of the output, "lczyx"; without c a stored channel is 1 long and dropped."""
    patch: Ints
    """Voxels of the output per axis of `read_axes`, without the channel."""
    source_dtype: str
    image_dtype: str = "float32"
    label_dtype: str = "int64"
    normalisation: Normalisation = Normalisation()
