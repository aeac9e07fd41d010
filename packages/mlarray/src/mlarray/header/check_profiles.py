"""The rules of `profiles`: those of ml and medical; profiles of third parties are kept as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from mlarray.errors import At
from mlarray.header import report as check
from mlarray.header.report import Report
from mlarray.header.versions import VERSION_1

KEYWORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*")
PERCENTILE: Final = re.compile(r"100(\.0+)?|[0-9]{1,2}(\.[0-9]+)?")
_MAJOR: Final = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)")
_STATISTICS: Final = ("min", "max", "mean", "median")


def check_profiles(
    value: object,
    shape: Sequence[int] | None,
    names: Sequence[str],
    spaces: Mapping[str, Sequence[str]],
    report: Report,
) -> None:
    """Check the profiles that this version knows; `spaces` gives the axes of each space by its name."""
    profiles = check.mapping(value, ("profiles",), report)
    for name, raw in (profiles or {}).items():
        at: At = ("profiles", name)
        if not name:
            report.add("wrong_value", at, "the name of a profile is empty")
        profile = check.mapping(raw, at, report)
        if profile is None or name not in {"ml", "medical"} or not _version(profile, at, report):
            continue
        if name == "ml":
            _ml(profile, at, shape, {**spaces, "index": names}, report)
        else:
            _medical(profile, at, report)


def _version(profile: Mapping[str, Any], at: At, report: Report) -> bool:
    """Whether a profile is of major version 1; another is kept and not looked at."""
    if not check.required(profile, ("profile_version",), at, report):
        return True
    version, at = profile["profile_version"], (*at, "profile_version")
    if type(version) is not str:
        report.add("wrong_type", at, f"{check.shown(version)} stands where text belongs")
        return True
    if VERSION_1.fullmatch(version):
        return True
    if _MAJOR.fullmatch(version):
        report.notice(
            "unsupported", at, f"the profile is of version {check.cut(version)}, not 1.x; it is kept and not checked"
        )
        return False
    report.add(
        "wrong_value", at, f"the version {check.shown(version)} is malformed; it is 1 and a minor number, such as '1.0'"
    )
    return True


def _medical(profile: Mapping[str, Any], at: At, report: Report) -> None:
    if "dicom" not in profile or (found := check.mapping(profile["dicom"], (*at, "dicom"), report)) is None:
        return
    for key in found:
        if not KEYWORD.fullmatch(key):
            report.add(
                "wrong_value",
                (*at, "dicom", key),
                f"the key {check.shown(key)} is no DICOM keyword, such as 'Modality'",
            )


def _ml(
    profile: Mapping[str, Any],
    at: At,
    shape: Sequence[int] | None,
    frames: Mapping[str, Sequence[str]],
    report: Report,
) -> None:
    if "statistics" in profile:
        _statistics(profile["statistics"], (*at, "statistics"), report)
    if "boxes" in profile:
        _boxes(profile["boxes"], (*at, "boxes"), shape, frames, report)
    if "patch_size" in profile:
        found = check.wholes(profile["patch_size"], (*at, "patch_size"), report, 1)
        if found is not None and not found:
            report.add("wrong_length", (*at, "patch_size"), "0 numbers, expected at least 1")
    check.optional_text(profile, ("split",), at, report)


def _statistics(value: object, at: At, report: Report) -> None:
    statistics = check.mapping(value, at, report)
    if statistics is None:
        return
    for key in _STATISTICS:
        if key in statistics:
            check.number(statistics[key], (*at, key), report)
    deviation = statistics.get("standard_deviation", check.MISSING)
    if (
        deviation is not check.MISSING
        and check.number(deviation, (*at, "standard_deviation"), report)
        and deviation < 0
    ):
        report.add("out_of_range", (*at, "standard_deviation"), f"the number is {deviation}; it must be at least 0")
    if "percentiles" in statistics:
        at = (*at, "percentiles")
        for key, item in (check.mapping(statistics["percentiles"], at, report) or {}).items():
            check.number(item, (*at, key), report)
            if not PERCENTILE.fullmatch(key):
                report.add(
                    "wrong_value",
                    (*at, key),
                    f"the key {check.shown(key)} is no percentage from '0' to '100', such as '99.5'",
                )


def _boxes(
    value: object, at: At, shape: Sequence[int] | None, frames: Mapping[str, Sequence[str]], report: Report
) -> None:
    boxes = check.mapping(value, at, report)
    if boxes is None:
        return
    check.required(boxes, ("frame", "axes", "items"), at, report)
    axes = _box_axes(boxes, at, frames, report)
    frame = boxes.get("frame")
    sizes = None
    if frame == "index" and axes is not None and shape is not None and len(shape) == len(frames["index"]):
        sizes = [shape[frames["index"].index(name)] for name in axes]

    def box(found: Mapping[str, Any], where: At, report: Report) -> None:
        _box(found, where, axes, sizes, report)

    if "items" in boxes:
        check.each(boxes["items"], (*at, "items"), report, box)


def _box_axes(
    boxes: Mapping[str, Any], at: At, frames: Mapping[str, Sequence[str]], report: Report
) -> Sequence[str] | None:
    known = None
    if "frame" in boxes and check.text(boxes["frame"], (*at, "frame"), report):
        known = frames.get(boxes["frame"])
        if known is None:
            message = f"the frame {check.shown(boxes['frame'])} is none of {check.listing(frames)}"
            report.add("unknown_name", (*at, "frame"), message)
    axes = check.texts(boxes["axes"], (*at, "axes"), report) if "axes" in boxes else None
    if axes is None:
        return None
    if not axes:
        report.add("wrong_length", (*at, "axes"), "0 axes, expected at least 1")
    good = check.unique(axes, (*at, "axes"), "the axis", report) and bool(axes)
    for index, name in enumerate(axes):
        if known is not None and name not in known:
            message = f"the frame {check.shown(boxes['frame'])} has no axis {check.shown(name)}; it has "
            message += check.listing(known)
            report.add("unknown_name", (*at, "axes", index), message)
            good = False
    return axes if good and known is not None else None


def _box(
    box: Mapping[str, Any], at: At, axes: Sequence[str] | None, sizes: Sequence[int] | None, report: Report
) -> None:
    check.required(box, ("min", "max"), at, report)
    low, high = (check.numbers(box[key], (*at, key), report) if key in box else None for key in ("min", "max"))
    if "score" in box:
        check.number(box["score"], (*at, "score"), report)
    if "label" in box and type(box["label"]) is not str and not _integer(box["label"]):
        report.add("wrong_type", (*at, "label"), f"{check.shown(box['label'])} stands where an integer or text belongs")
    if low is not None and high is not None:
        _corners(low, high, at, axes, sizes, report)


def _corners(
    low: Sequence[float],
    high: Sequence[float],
    at: At,
    axes: Sequence[str] | None,
    sizes: Sequence[int] | None,
    report: Report,
) -> None:
    if axes is not None:
        why = f"the boxes have {len(axes)} axes"
        found = [
            check.length(len(list_), len(axes), (*at, key), "numbers", why, report) for key, list_ in _ends(low, high)
        ]
        if not all(found):
            return
    if len(low) != len(high):
        report.add("wrong_length", (*at, "max"), f"{len(high)} numbers, expected {len(low)} as in min")
        return
    for index, (a, b) in enumerate(zip(low, high, strict=True)):
        if a > b:
            report.add("conflict", (*at, "max", index), f"max is {b}, below min {a}")
    if sizes is not None and any(a < 0 or b > n for a, b, n in zip(low, high, sizes, strict=True)):
        message = f"the box {list(low)} to {list(high)} reaches beyond the array, which has {list(sizes)} indices there"
        report.notice("out_of_range", at, message)


def _ends(low: Sequence[float], high: Sequence[float]) -> tuple[tuple[str, Sequence[float]], ...]:
    return (("min", low), ("max", high))


def _integer(value: object) -> bool:
    return type(value) is int or (type(value) is float and value.is_integer())
