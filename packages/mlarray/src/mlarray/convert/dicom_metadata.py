"""Every element of DICOM files as plain values."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any, Final

_PIXELS: Final = frozenset({"PixelData", "FloatPixelData", "DoubleFloatPixelData"})
_BROKEN: Final = (ValueError, KeyError, AttributeError, TypeError, NotImplementedError, IndexError, OverflowError)


def metadata(found: Sequence[Any]) -> dict[str, Any]:
    """Return the elements that all files share, and for each file those that differ."""
    each = [elements(dataset) for dataset in found]
    shared = {key: value for key, value in each[0].items() if all(key in one and one[key] == value for one in each)}
    return {"shared": shared, "files": [{k: v for k, v in one.items() if k not in shared} for one in each]}


def elements(dataset: Any) -> dict[str, Any]:
    """Return the elements of a dataset but its pixels, by keyword; those without one of their own by group and element.

    Private elements have no keyword, and those of repeating groups (50xx, 60xx) share theirs. What cannot be read is
    kept as its bytes.
    """
    found: dict[str, Any] = {}
    for part in (getattr(dataset, "file_meta", None), dataset):
        for tag in part.keys() if part is not None else ():
            name, value = _element(part, tag)
            if name not in _PIXELS:
                found[name] = value
    return found


def _element(dataset: Any, tag: Any) -> tuple[str, Any]:
    number = f"{tag.group:04X},{tag.element:04X}"
    try:
        element = dataset[tag]
        name = element.keyword if element.keyword and tag.group & 0xFF00 not in (0x5000, 0x6000) else number
        return name, _native(element)
    except _BROKEN:
        value = getattr(dataset.get_item(tag), "value", None)
        return number, bytes(value) if isinstance(value, (bytes, bytearray)) else str(value)


def _native(element: Any) -> Any:
    """Return the value of an element as plain values."""
    value = element.value
    if element.VR == "SQ":
        return [elements(item) for item in value or ()]
    if isinstance(value, (bytes, bytearray)) or value is None:
        return value
    if isinstance(value, (MutableSequence, tuple)):
        return [_one(item) for item in value]
    return _one(value)


def _one(value: Any) -> Any:
    if isinstance(value, bool) or value is None or isinstance(value, (bytes, bytearray)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) or type(value).__name__ == "DSdecimal":
        return float(value)
    return str(value).encode("utf-8", "replace").decode("utf-8")
