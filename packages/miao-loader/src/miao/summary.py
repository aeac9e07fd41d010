"""What a dataset draws from, in words: one line per scale and not more than a few volumes in full."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from miao.finish.normalise import bounds, divisor
from miao.geometry.windows import centre_range, geometry_of
from miao.records import ResolutionRanges, VolumeInfo

if TYPE_CHECKING:
    from miao.config.models import MiaoConfig
    from miao.records import Scale, Span
    from miao.sampling.sampler import Sampler
    from miao.volumes.describe import Description

SHOWN: Final = 20
"""Volumes that are described in full; of more, the rest is counted."""
_FEW: Final = 0.1
"""The share of places below which coarser scales are said to confine the first one."""


def summary(description: Description, sampler: Sampler, config: MiaoConfig) -> str:
    """Return the text that a dataset prints when it is made."""
    volumes = description.volumes
    lines = [
        f"miao dataset: {len(volumes)} volume{'s' * (len(volumes) != 1)}, {config.sampling} sampling, "
        f"{sampler.length} samples",
        f"  output {config.output_axes}, patch {_sized(config.spatial, config.patch_size)}, "
        f"image {config.image_dtype}, label {description.label_dtype}, bbox {config.bbox_mode}",
    ]
    for index, volume in enumerate(volumes[:SHOWN]):
        lines += _volume(volume, index, sampler)
    if len(volumes) > SHOWN:
        lines.append(f"  and {len(volumes) - SHOWN} more volumes")
    return "\n".join(lines)


def _volume(volume: VolumeInfo, index: int, sampler: Sampler) -> list[str]:
    image = volume.image
    first = image.levels[0]
    axes = "".join(image.axes[i] for i in volume.order)
    lines = [
        f"  {volume.name}: {image.path}",
        f"    {first.dtype} {_sized(image.axes, first.shape)}, {len(image.levels)} levels, voxels "
        f"{_units(image.axes, first.voxel, image.units)}, chunks {_sized(image.axes, first.chunk)}",
    ]
    for scale in sampler.scales(index):
        level = image.levels[scale.level]
        read = "as it is" if scale.size == volume.patch else f"to {_sized(image.axes, volume.patch)}"
        labels = "" if scale.label_level is None or volume.label is None else f", labels {_label(volume, scale)}"
        lines.append(
            f"    scale {_units(image.axes, scale.resolution, image.units)}: level {level.name}, reads "
            f"{_sized(image.axes, scale.size)} {read}{labels}"
        )
    if isinstance(volume.resolutions, ResolutionRanges):
        lines.append(f"    resolutions drawn from {_ranges(volume.resolutions)}")
    low, high = zip(*sampler.ranges[index], strict=True)
    share = f"p={sampler.probabilities[index]:.4g} " if sampler.probabilities is not None else ""
    lines.append(
        f"    {share}size={sampler.sizes[index]} reachable voxels, center_range "
        f"{_sized(axes, _ordered(low, volume))} to {_sized(axes, _ordered(high, volume))}"
    )
    lines += _confined(volume, sampler.scales(index), sampler.ranges[index])
    lines.append(f"    values {_normalised(volume)}")
    return lines


def _confined(volume: VolumeInfo, scales: Sequence[Scale], ranges: Sequence[Span]) -> list[str]:
    """Return what there is to say where coarser scales leave few of the places that the first one alone has."""
    if len(scales) < 2:
        return []
    alone = centre_range(geometry_of(volume), volume, scales[:1])
    share = math.prod(
        (high - low + 1) / (last - first + 1) for (low, high), (first, last) in zip(ranges, alone, strict=True)
    )
    if share >= _FEW:
        return []
    return [
        f"    {100 * share:.2g}% of the places of the first scale, those around which the others lie inside as well; "
        "border: clamp moves these inside"
    ]


def _ordered(values: Sequence[Any], volume: VolumeInfo) -> list[Any]:
    return [values[i] for i in volume.order]


def _label(volume: VolumeInfo, scale: Any) -> str:
    assert volume.label is not None
    level = volume.label.levels[scale.label_level]
    return f"{level.dtype} of level {level.name} {_sized(volume.label.axes, scale.label_size)}"


def _sized(axes: Sequence[str], values: Sequence[Any]) -> str:
    return "(" + ", ".join(f"{axis}={value}" for axis, value in zip(axes, values, strict=True)) + ")"


def _units(axes: Sequence[str], values: Sequence[float], units: Sequence[str]) -> str:
    text = _sized(axes, [f"{value:g}" for value in values])
    named = sorted(set(units) - {""})
    return f"{text} {'/'.join(named)}" if named else text


def _ranges(ranges: ResolutionRanges) -> str:
    return ", ".join(
        f"{count} of {_plain(low)} to {_plain(high)}"
        for (low, high), count in zip(ranges.bounds, ranges.counts, strict=True)
    )


def _plain(values: Sequence[float]) -> str:
    return "x".join(f"{value:g}" for value in values)


def _normalised(volume: VolumeInfo) -> str:
    how = volume.normalisation
    limits, largest = bounds(how), divisor(volume.image.levels[0].dtype, how)
    if limits is not None:
        text = f"clipped to [{limits[0]:g}, {limits[1]:g}] and mapped to [0, 1]"
    else:
        text = "as they are stored" if largest is None else f"divided by {largest:.0f}"
    return f"{text}, then standardised per sample" if how.per_patch else text
