"""A configuration and the documents of its stores become the records of volumes, each problem found before a read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from miao.config.fixed_axes import expand
from miao.errors import At, Notice, VolumeError, render_at
from miao.records import (
    FinishPolicy,
    Floats,
    Normalisation,
    PyramidInfo,
    ResolutionRanges,
    SamplingRules,
    Span,
    VolumeInfo,
)
from miao.volumes.axes import check_channels, check_sampled, permutation, same_order
from miao.volumes.documents import Failure, Group, Place, fetch, require
from miao.volumes.dtypes import check_fill, check_image, check_labels, label_dtype
from miao.volumes.pyramids import Described, describe_pyramid
from miao.volumes.units import agree, in_units

if TYPE_CHECKING:
    from miao.config.models import MiaoConfig, ResolutionSampling, VolumeConfig


@dataclass(frozen=True)
class Description:
    """All that a dataset knows of its volumes before it reads a voxel."""

    volumes: tuple[VolumeInfo, ...]
    policies: tuple[FinishPolicy, ...]
    """How the crops of each volume become tensors."""
    rules: SamplingRules
    channels: int
    """Channels of an image, 1 where none is stored."""
    label_dtype: str
    notices: tuple[Notice, ...]


def describe(config: MiaoConfig) -> Description:
    """Return what a configuration and the documents of its stores say.

    Raises
    ------
    VolumeError
        A store does not hold what the configuration says; the error's path is that of the configuration.
    VolumeNotFoundError
        Nothing that can be read stands at a path.
    """
    return description(config, fetch(place for volume in config.volumes for place in places(volume)))


def places(volume: VolumeConfig) -> list[Place]:
    """Return the groups that a volume names: image, labels, mask."""
    keys = (volume.image_key, volume.label_key, volume.mask_key)
    return [Place(volume.path, key) for key in keys if key is not None]


def description(config: MiaoConfig, documents: Mapping[Place, Group | Failure]) -> Description:
    """Return what `describe` does, of documents that are there already."""
    from miao.config.rules import notices as odd  # noqa: PLC0415  (pydantic takes a moment)

    notices = [Notice(one.code, f"{render_at(one.at)}: {one.message}") for one in odd(config)]
    found: list[VolumeInfo] = []
    for index, volume in enumerate(config.volumes):
        found += _volume(config, volume, documents, ("volumes", index), notices)
    paths = [("volumes", index) for index, volume in enumerate(config.volumes) for _ in _frames(volume)]
    notices += agree(found, paths)
    returned = label_dtype(level.dtype for volume in found if volume.label for level in volume.label.levels)
    for volume_info, at in zip(found, paths, strict=True):
        stored = volume_info.label.levels[0].dtype if volume_info.label else ""
        check_fill(volume_info.label_fill, returned, (*at, "label_fill"), stored)
    channels = _channels(found, paths) if "c" in config.output_axes else 1
    policies = tuple(
        FinishPolicy(
            read_axes=volume_info.image.read_axes,
            output_axes=config.output_axes,
            patch=volume_info.patch,
            source_dtype=volume_info.image.levels[0].dtype,
            image_dtype=config.image_dtype,
            label_dtype=returned,
            normalisation=volume_info.normalisation,
        )
        for volume_info in found
    )
    return Description(tuple(found), policies, _rules(config), channels, returned, tuple(dict.fromkeys(notices)))


def _rules(config: MiaoConfig) -> SamplingRules:
    return SamplingRules(
        sampling=config.sampling,
        samples_per_epoch=config.samples_per_epoch,
        size_weighting_exponent=config.size_weighting_exponent,
        sample_windows=config.sample_windows,
        chunk_aligned=config.chunk_aligned,
        border="clamp" if config.sampling == "sequential" else config.border,
        level_policy=config.level_policy,
        label_sampling=config.label_sampling,
    )


def _frames(volume: VolumeConfig) -> Sequence[tuple[str, Mapping[str, int], float]]:
    return expand(volume.name, volume.fixed_axes or {}, volume.weight)


def _volume(
    config: MiaoConfig,
    volume: VolumeConfig,
    documents: Mapping[Place, Group | Failure],
    at: At,
    notices: list[Notice],
) -> list[VolumeInfo]:
    """Return the records of one entry: one volume, or one for each pinned index."""
    groups: dict[str, Group] = {}
    for key, name in (("image_key", "image"), ("label_key", "label"), ("mask_key", "mask")):
        if getattr(volume, key) is not None:
            place = Place(volume.path, getattr(volume, key))
            group = require(documents[place], place, (*at, key))
            _check_format(volume, group, (*at, "zarr_version"))
            groups[name] = in_units(group, config.units, groups.get("image"), (*at, key))
    if volume.exp_factor != 1 and any(group.outer_scaled for group in groups.values()):
        said = (
            f"volume {volume.name}: exp_factor is {volume.exp_factor:g} and the multiscale itself has a scale, "
            "which was applied: if that is the same correction, it counts twice"
        )
        notices.append(Notice("conflict", said))
    return [
        _framed(config, volume, groups, (name, fixed, weight), at, notices) for name, fixed, weight in _frames(volume)
    ]


def _check_format(volume: VolumeConfig, group: Group, at: At) -> None:
    found = group.metas[0].format
    if volume.zarr_version not in {"auto", found}:
        raise VolumeError(
            f"zarr_version is {volume.zarr_version!r}, but {group.path} is {found}; say zarr_version: {found}, or auto",
            code="wrong_value",
            at=at,
        )


def _framed(
    config: MiaoConfig,
    volume: VolumeConfig,
    groups: Mapping[str, Group],
    frame: tuple[str, Mapping[str, int], float],
    at: At,
    notices: list[Notice],
) -> VolumeInfo:
    """Return the record of one volume, its axes pinned."""
    name, fixed, weight = frame
    parts: dict[str, Described] = {
        what: describe_pyramid(group, fixed, volume.exp_factor, (*at, f"{what}_key"), pin_missing=what != "image")
        for what, group in groups.items()
    }
    for part in parts.values():
        notices += part.notices
    image = parts["image"].pyramid
    check_sampled(image.path, image.axes, config.spatial, (*at, "image_key"))
    check_channels(image, config.output_axes, (*at, "image_key"))
    check_image([level.dtype for level in image.levels], image.path, (*at, "image_key"))
    for what in ("label", "mask"):
        if what in parts:
            _check_beside(image, parts[what].pyramid, what, (*at, f"{what}_key"), notices)
    order = permutation(config.spatial, image.axes)
    stored = tuple(config.spatial.index(axis) for axis in image.axes)
    return VolumeInfo(
        name=name,
        image=image,
        patch=tuple(config.patch_size[i] for i in stored),
        resolutions=_resolutions(config, volume, stored),
        order=order,
        label=parts["label"].pyramid if "label" in parts else None,
        mask=parts["mask"].pyramid if "mask" in parts else None,
        weight=weight,
        overlap=_overlap(config, stored),
        normalisation=Normalisation(
            volume.normalize, volume.normalize_min, volume.normalize_max, volume.patch_normalize
        ),
        bounding_box=_bounding_box(volume, image, stored, at, notices),
        label_fill=volume.label_fill,
        min_foreground=volume.min_foreground,
        exp_factor=volume.exp_factor,
    )


def _check_beside(image: PyramidInfo, other: PyramidInfo, what: str, at: At, notices: list[Notice]) -> None:
    """Refuse labels or a mask that cannot be read beside their image."""
    if other.channels is not None:
        raise VolumeError(
            f"the {what} {other.path} has {other.channels} channels; it has one, or no channel axis",
            code="wrong_length",
            at=at,
        )
    same_order(image.axes, other.axes, what, other.path, at)
    for dtype in dict.fromkeys(level.dtype for level in other.levels):
        said = check_labels(dtype, other.path, at)
        if said and what == "label":
            notices.append(said)


def _resolutions(
    config: MiaoConfig, volume: VolumeConfig, stored: Sequence[int]
) -> tuple[Floats, ...] | ResolutionRanges:
    own = volume.resolutions is not None or volume.resolution_sampling is not None
    source: Any = volume if own else config
    if source.resolutions is not None:
        return tuple(tuple(float(scale[i]) for i in stored) for scale in source.resolutions)
    return _ranges(source.resolution_sampling, stored)


def _ranges(sampling: ResolutionSampling, stored: Sequence[int]) -> ResolutionRanges:
    def bound(values: Sequence[float]) -> Floats:
        return (float(values[0]),) if len(values) == 1 else tuple(float(values[i]) for i in stored)

    bounds = tuple((bound(low), bound(high)) for low, high in sampling.ranges)
    counts = sampling.n_scales
    per_range = (counts,) * len(bounds) if isinstance(counts, int) else tuple(counts)
    return ResolutionRanges(bounds, per_range, sampling.sort)


def _overlap(config: MiaoConfig, stored: Sequence[int]) -> tuple[int, ...]:
    given = config.overlap
    return (given,) * len(stored) if isinstance(given, int) else tuple(given[i] for i in stored)


def _bounding_box(
    volume: VolumeConfig, image: PyramidInfo, stored: Sequence[int], at: At, notices: list[Notice]
) -> tuple[Span, ...] | None:
    if volume.bounding_box is None:
        return None
    given = [tuple(volume.bounding_box[i]) for i in stored]
    shape = image.levels[0].shape
    clipped = tuple((max(0, low), min(high, size)) for (low, high), size in zip(given, shape, strict=True))
    for axis, (low, high) in enumerate(clipped):
        if high <= low:
            raise VolumeError(
                f"the bounding box {list(given[axis])} along {image.axes[axis]} holds no voxel of {image.path}, whose "
                f"level 0 has {shape[axis]} there",
                code="out_of_range",
                at=(*at, "bounding_box", stored[axis]),
            )
    if list(clipped) != given:
        said = (
            f"volume {volume.name}: the bounding box {volume.bounding_box} leaves the volume and is clipped to "
            f"{[list(span) for span in clipped]} ({', '.join(image.axes)})"
        )
        notices.append(Notice("out_of_range", said))
    return clipped


def _channels(volumes: Sequence[VolumeInfo], paths: Sequence[At]) -> int:
    """Return how many channels every image has.

    Raises
    ------
    VolumeError
        Two differ: their patches cannot be in one batch.
    """
    counts = [volume.image.channels or 1 for volume in volumes]
    for volume, count, at in zip(volumes, counts, paths, strict=True):
        if count != counts[0]:
            raise VolumeError(
                f"volume {volume.name} has {count} channels where {volumes[0].name} has {counts[0]}; images in one "
                "dataset have as many: or pin one of each with fixed_axes: {c: 0}, and leave c out of output_axes",
                code="wrong_length",
                at=(*at, "image_key"),
            )
    return counts[0]
