"""The rules of `history`, `storage` and of the entries of `source`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from mlarray.errors import At
from mlarray.header import report as check
from mlarray.header.report import Report

_DAY: Final = r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_CLOCK: Final = r"([01][0-9]|2[0-3]):[0-5][0-9]"
TIME: Final = re.compile(rf"{_DAY}T{_CLOCK}:([0-5][0-9]|60)(\.[0-9]+)?(Z|[+-]{_CLOCK})")
SHA256: Final = re.compile(r"[0-9a-f]{64}")
HASH: Final = re.compile(r"sha256:[0-9a-f]{64}")
MOST_FILTERS: Final = 6


def check_history(value: object, report: Report) -> None:
    """Check every entry of the history."""
    check.each(value, ("history",), report, _entry)


def _entry(entry: Mapping[str, Any], at: At, report: Report) -> None:
    if check.required(entry, ("action",), at, report):
        check.text(entry["action"], (*at, "action"), report)
    check.optional_text(entry, ("tool", "from"), at, report, empty=True)
    if "time" in entry and _string(entry["time"], (*at, "time"), report) and not TIME.fullmatch(entry["time"]):
        message = f"the time {check.shown(entry['time'])} is not of the form 2026-11-06T10:12:00Z, with a zone"
        report.add("wrong_value", (*at, "time"), message)
    if "warnings" in entry:
        check.texts(entry["warnings"], (*at, "warnings"), report, empty=True)


def check_storage(value: object, ndim: int | None, types: Sequence[str], report: Report) -> None:
    """Check what is recorded of the layout, against the number of axes and their types."""
    at: At = ("storage",)
    storage = check.mapping(value, at, report)
    if not storage:
        return
    spatial = types.count("space")
    wanted = {"chunk_size": ndim, "block_size": ndim, "patch_size": spatial or ndim}
    why = {"patch_size": f"one per axis of type space, of which there are {spatial}" if spatial else "one per axis"}
    for key, count in wanted.items():
        if key not in storage:
            continue
        # An axis without a voxel has chunks of size 0.
        found = check.wholes(storage[key], (*at, key), report, 1 if key == "patch_size" else 0)
        if found is not None and count is not None:
            check.length(len(found), count, (*at, key), "numbers", why.get(key, f"the array has {count} axes"), report)
    if "compression" in storage:
        _compression(storage["compression"], (*at, "compression"), report)


def _compression(value: object, at: At, report: Report) -> None:
    compression = check.mapping(value, at, report)
    if compression is None:
        return
    if check.required(compression, ("codec",), at, report):
        check.text(compression["codec"], (*at, "codec"), report)
    if "level" in compression:
        check.whole(compression["level"], (*at, "level"), report, 0, 9)
    for key, read in (("filters", check.texts), ("filters_meta", _filter_settings)):
        found = read(compression[key], (*at, key), report) if key in compression else None
        if found is not None and len(found) > MOST_FILTERS:
            report.add("wrong_length", (*at, key), f"{len(found)} entries, expected at most {MOST_FILTERS}")


def _filter_settings(value: object, at: At, report: Report) -> Sequence[Any] | None:
    return check.wholes(value, at, report, 0, 255)


def check_source(document: Mapping[str, Any], report: Report) -> None:
    """Check the document of the key `mlarray.source`."""
    if check.required(document, ("source",), (), report):
        check.each(document["source"], ("source",), report, _source)


def _source(entry: Mapping[str, Any], at: At, report: Report) -> None:
    if check.required(entry, ("format",), at, report):
        check.text(entry["format"], (*at, "format"), report)
    if "files" in entry:
        check.each(entry["files"], (*at, "files"), report, _file)
    check.optional_text(entry, ("reader",), at, report, empty=True)
    if "index_map" in entry and (found := check.mapping(entry["index_map"], (*at, "index_map"), report)) is not None:
        _index_map(found, (*at, "index_map"), report)
    if "fingerprint" in entry:
        at = (*at, "fingerprint")
        if (found := check.mapping(entry["fingerprint"], at, report)) is not None:
            _fingerprint(found, at, report)
        at = at[:-1]
    if "header" in entry:
        check.mapping(entry["header"], (*at, "header"), report)


def _file(entry: Mapping[str, Any], at: At, report: Report) -> None:
    if check.required(entry, ("name",), at, report):
        check.text(entry["name"], (*at, "name"), report)
    if "bytes" in entry:
        check.whole(entry["bytes"], (*at, "bytes"), report, 0)
    if "sha256" in entry:
        _pattern(entry["sha256"], SHA256, "64 hexadecimal digits in lower case", (*at, "sha256"), report)


def _index_map(found: Mapping[str, Any], at: At, report: Report) -> None:
    check.required(found, ("axes", "flip"), at, report)
    axes = check.wholes(found["axes"], (*at, "axes"), report, 0) if "axes" in found else None
    flip = check.items(found["flip"], (*at, "flip"), report) if "flip" in found else None
    for index, item in enumerate(flip or ()):
        if type(item) is not bool:
            report.add("wrong_type", (*at, "flip", index), f"{check.shown(item)} stands where a boolean belongs")
    if axes is not None and sorted(axes) != list(range(len(axes))):
        report.add("wrong_value", (*at, "axes"), f"{list(axes)} is no order of the axes 0 to {len(axes) - 1}")
    if axes is not None and flip is not None:
        check.length(len(flip), len(axes), (*at, "flip"), "entries", f"axes has {len(axes)}", report)


def _fingerprint(found: Mapping[str, Any], at: At, report: Report) -> None:
    check.required(found, ("shape", "dtype", "data"), at, report)
    if "shape" in found:
        check.wholes(found["shape"], (*at, "shape"), report, 0)
    check.optional_text(found, ("dtype",), at, report)
    for key in ("geometry", "data"):
        if key in found:
            _pattern(found[key], HASH, "sha256: and 64 hexadecimal digits in lower case", (*at, key), report)


def _string(value: object, at: At, report: Report) -> bool:
    return check.text(value, at, report, empty=True)


def _pattern(value: Any, pattern: re.Pattern[str], words: str, at: At, report: Report) -> None:
    if _string(value, at, report) and not pattern.fullmatch(value):
        report.add("wrong_value", at, f"{check.shown(value)} is not {words}")
