"""What the fields of a configuration say together: each rule yields the problems that it finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from miao.config.fixed_axes import names
from miao.config.values import entries
from miao.errors import At

if TYPE_CHECKING:
    from miao.config.models import MiaoConfig, ResolutionSampling, VolumeConfig

_FINER: Final = 1e-9
"""How much finer, relatively, a scale may be than the one before and still count as equal."""


class Problem(NamedTuple):
    """One thing that is wrong: a word of `miao.errors.CODES`, where, and what people read."""

    code: str
    at: At
    message: str
    value: object = None


def of_sampling(sampling: ResolutionSampling) -> Iterator[Problem]:
    """Yield what is wrong between the fields of a resolution sampling."""
    for number, (low, high) in enumerate(sampling.ranges):
        if len(low) != len(high):
            yield Problem(
                "wrong_length",
                ("ranges", number, 1),
                f"the upper bound has {entries(len(high))} and the lower one {len(low)}; both have 1, or 1 per axis",
                high,
            )
            continue
        for axis, (least, most) in enumerate(zip(low, high, strict=True)):
            if most < least:
                yield Problem(
                    "order",
                    ("ranges", number, 1, axis),
                    f"the range runs from {least!r} down to {most!r}; write [min, max]",
                    most,
                )
    if isinstance(sampling.n_scales, list) and len(sampling.n_scales) != len(sampling.ranges):
        yield Problem(
            "wrong_length",
            ("n_scales",),
            f"n_scales has {entries(len(sampling.n_scales))} and there are {len(sampling.ranges)} ranges; "
            "write one entry per range, or one number for all",
            sampling.n_scales,
        )


def of_volume(volume: VolumeConfig) -> Iterator[Problem]:
    """Yield what is wrong between the fields of a volume."""
    if volume.resolutions is not None and volume.resolution_sampling is not None:
        yield Problem(
            "conflict", ("resolution_sampling",), "resolutions and resolution_sampling are both set; set at most one"
        )
    yield from _bounds(volume)
    yield from _companions(volume)
    for axis, (low, high) in enumerate(volume.bounding_box or ()):
        if high <= low:
            yield Problem(
                "order",
                ("bounding_box", axis, 1),
                f"the box ends at {high}, which is left out, and begins at {low}; write [min, max]",
                high,
            )


def _bounds(volume: VolumeConfig) -> Iterator[Problem]:
    low, high = volume.normalize_min, volume.normalize_max
    if (low is None) != (high is None):
        given, absent = ("normalize_max", "normalize_min") if low is None else ("normalize_min", "normalize_max")
        yield Problem("missing_field", (absent,), f"{given} is set without {absent}; set both or none")
    if low is not None and high is not None and high <= low:
        yield Problem("order", ("normalize_max",), f"normalize_max {high!r} is not above normalize_min {low!r}", high)


def _companions(volume: VolumeConfig) -> Iterator[Problem]:
    if volume.label_fill is not None and volume.label_key is None:
        yield Problem(
            "missing_field", ("label_key",), "label_fill is set without label_key; name the labels that it fills"
        )
    if volume.min_foreground > 0 and volume.mask_key is None and volume.label_key is None:
        yield Problem(
            "missing_field",
            ("mask_key",),
            f"min_foreground {volume.min_foreground!r} needs mask_key or label_key, which say where foreground is",
        )


def of_config(config: MiaoConfig) -> Iterator[Problem]:
    """Yield what is wrong between the fields of a configuration and those of its volumes."""
    yield from _one_of(config)
    yield from _lengths(config)
    yield from _scales(config)
    yield from _overlap(config)
    yield from _windows(config)
    yield from _names(config)
    yield from _pinned(config)
    if config.sampling == "sequential":
        for at, found in used(config):
            if not isinstance(found, list):
                yield Problem(
                    "conflict", at, "sampling: sequential needs resolutions; resolution_sampling draws new ones"
                )
    if config.defer_image_ops and config.augment_fn is not None:
        yield Problem(
            "conflict",
            ("augment_fn",),
            "augment_fn would see unfinished crops where defer_image_ops is set; "
            "give the function to finish_images(batch, augment_fn=...)",
        )


def _one_of(config: MiaoConfig) -> Iterator[Problem]:
    if config.resolutions is None and config.resolution_sampling is None:
        yield Problem("missing_key", ("resolutions",), "neither resolutions nor resolution_sampling is set; set one")
    if config.resolutions is not None and config.resolution_sampling is not None:
        yield Problem(
            "conflict",
            ("resolution_sampling",),
            "resolutions and resolution_sampling are both set; set one, or change both at once with changed()",
        )


def _lengths(config: MiaoConfig) -> Iterator[Problem]:
    """Yield the lists that do not have one entry per spatial axis of the output."""
    axes = config.spatial
    if len(config.patch_size) != len(axes):
        yield _per_axis(("patch_size",), config.patch_size, axes)
    for at, found in _all(config):
        if isinstance(found, list):
            yield from (
                _per_axis((*at, scale), entry, axes) for scale, entry in enumerate(found) if len(entry) != len(axes)
            )
        else:
            yield from (
                _per_axis((*at, "ranges", number, 0), low, axes, or_one=True)
                for number, (low, _) in enumerate(found.ranges)
                if len(low) not in {1, len(axes)}
            )
    for number, volume in enumerate(config.volumes):
        box = volume.bounding_box
        if box is not None and len(box) != len(axes):
            yield _per_axis(("volumes", number, "bounding_box"), box, axes)


def _per_axis(at: At, found: Sequence[object], axes: str, *, or_one: bool = False) -> Problem:
    also = "1 or " if or_one else ""
    return Problem(
        "wrong_length",
        at,
        f"{list(found)} has {entries(len(found))}; {also}{len(axes)} belong there, "
        f"for the axes {', '.join(axes)} of output_axes",
        found,
    )


def _all(config: MiaoConfig) -> Iterator[tuple[At, list[list[float]] | ResolutionSampling]]:
    """Yield every resolutions and resolution_sampling that is set, the config's own first."""
    owners: list[tuple[At, MiaoConfig | VolumeConfig]] = [((), config)]
    owners.extend((("volumes", number), volume) for number, volume in enumerate(config.volumes))
    for at, owner in owners:
        if owner.resolutions is not None:
            yield (*at, "resolutions"), owner.resolutions
        if owner.resolution_sampling is not None:
            yield (*at, "resolution_sampling"), owner.resolution_sampling


def used(config: MiaoConfig) -> list[tuple[At, list[list[float]] | ResolutionSampling]]:
    """Return what scales are drawn from: the config's own where a volume has none itself, then each volume's."""
    found = list(_all(config))
    if all(one.resolutions is not None or one.resolution_sampling is not None for one in config.volumes):
        return [(at, one) for at, one in found if at[0] == "volumes"]
    return found


def scales(found: list[list[float]] | ResolutionSampling) -> int:
    """Return how many scales a sample has."""
    if isinstance(found, list):
        return len(found)
    counts = found.n_scales
    return sum(counts) if isinstance(counts, list) else counts * len(found.ranges)


def _scales(config: MiaoConfig) -> Iterator[Problem]:
    found = used(config)
    for at, one in found[1:]:
        if scales(one) != scales(found[0][1]):
            yield Problem(
                "wrong_length",
                at,
                f"it gives {entries(scales(one), 'scale', 'scales')}; {scales(found[0][1])} belong there, "
                "as many as other volumes have",
                one,
            )


def _overlap(config: MiaoConfig) -> Iterator[Problem]:
    if config.sampling != "sequential" or len(config.patch_size) != len(config.spatial):
        return
    overlap = config.overlap
    if isinstance(overlap, list) and len(overlap) != len(config.spatial):
        yield _per_axis(("overlap",), overlap, config.spatial)
        return
    for axis, (shared, size) in enumerate(zip(config.overlaps, config.patch_size, strict=True)):
        if shared >= size:
            yield Problem(
                "out_of_range",
                ("overlap", axis) if isinstance(overlap, list) else ("overlap",),
                f"an overlap of {shared} is not less than patch_size, which is {size} on axis {config.spatial[axis]}; "
                "a list gives each axis its own",
                shared,
            )
            if not isinstance(overlap, list):
                return


def _windows(config: MiaoConfig) -> Iterator[Problem]:
    """Yield what would let a scale be finer than the one before, inside which it has to lie."""
    if not config.sample_windows:
        return
    for at, found in used(config):
        yield from _drawn(at, found) if not isinstance(found, list) else _listed(at, found)


def _listed(at: At, found: list[list[float]]) -> Iterator[Problem]:
    for scale in range(1, len(found)):
        for axis, (before, here) in enumerate(zip(found[scale - 1], found[scale], strict=False)):
            if here < before * (1 - _FINER):
                yield Problem(
                    "order",
                    (*at, scale, axis),
                    f"{here!r} is finer than {before!r} of the scale before; "
                    "sample_windows needs resolutions from fine to coarse",
                    here,
                )


def _drawn(at: At, sampling: ResolutionSampling) -> Iterator[Problem]:
    for number, (low, high) in enumerate(sampling.ranges):
        if len(low) > 1 or len(high) > 1:
            yield Problem(
                "conflict",
                (*at, "ranges", number),
                f"the range {[low, high]} draws each axis for itself; sample_windows needs [[min], [max]]",
                [low, high],
            )
            return
    if not sampling.sort and _may_run_down(sampling):
        yield Problem(
            "conflict",
            (*at, "sort"),
            "sort: false may draw a coarser scale first; sample_windows needs sort: true",
            value=False,
        )


def _may_run_down(sampling: ResolutionSampling) -> bool:
    counts = sampling.n_scales
    counts = counts if isinstance(counts, list) else [counts] * len(sampling.ranges)
    flat = [(low[0], high[0]) for low, high in sampling.ranges]
    inside = any(number > 1 and low < high for number, (low, high) in zip(counts, flat, strict=False))
    return inside or any(after[0] < before[1] for before, after in pairwise(flat))


def _names(config: MiaoConfig) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for number, volume in enumerate(config.volumes):
        if volume.name in first:
            yield Problem(
                "duplicate",
                ("volumes", number, "name"),
                f"the name {volume.name!r} stands twice in volumes, also at {first[volume.name]}",
                volume.name,
            )
        first.setdefault(volume.name, number)
    if len(first) == len(config.volumes):
        yield from _expanded_names(config)


def _expanded_names(config: MiaoConfig) -> Iterator[Problem]:
    if not any("[" in volume.name for volume in config.volumes):
        return  # what is appended begins with the first bracket, so that names stay as distinct as they were
    owners: dict[str, int] = {}
    for number, volume in enumerate(config.volumes):
        for name in names(volume.name, volume.fixed_axes):
            if name in owners:
                yield Problem(
                    "duplicate",
                    ("volumes", number, "name"),
                    f"{volume.name!r} and {config.volumes[owners[name]].name!r} both become {name!r}; rename one",
                    volume.name,
                )
                break
            owners[name] = number


def _pinned(config: MiaoConfig) -> Iterator[Problem]:
    for number, volume in enumerate(config.volumes):
        for axis in volume.fixed_axes or ():
            if axis in config.output_axes:
                yield Problem(
                    "conflict",
                    ("volumes", number, "fixed_axes", axis),
                    f"the axis {axis!r} is pinned and stands in output_axes {config.output_axes!r} too; "
                    "leave it out of output_axes, patch_size, resolutions and bounding_box",
                )


def notices(config: MiaoConfig) -> list[Problem]:
    """Return what is odd but usable, for the one that opens the volumes to warn of once."""
    found = []
    for number, volume in enumerate(config.volumes):
        if not volume.normalize and volume.normalize_min is not None:
            found.append(
                Problem(
                    "conflict",
                    ("volumes", number, "normalize"),
                    "normalize: false leaves the values as they are; normalize_min and normalize_max are not used",
                )
            )
        if volume.mask_key is not None and volume.min_foreground == 0:
            found.append(
                Problem(
                    "missing_field",
                    ("volumes", number, "min_foreground"),
                    "mask_key is not used without min_foreground; set min_foreground above 0",
                )
            )
    return found
