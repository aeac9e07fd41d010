"""The form in which a header is written: known keys in one order, then the others as they came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from mlarray.header.versions import merged

TOP: Final = ("version", "writer", "axes", "spaces", "values", "profiles", "history", "storage")
_ALWAYS: Final = frozenset({"version", "writer", "axes", "values", "storage"})
_LISTS: Final = frozenset({"axes", "spaces", "history"})
_UNIT: Final = ("unit", "unit_code")

# The order of the known keys of each map: by its place in the document, "*" for positions and free names.
ORDERS: Final[Mapping[tuple[str, ...], Sequence[str]]] = {
    ("axes", "*"): ("name", "type", "labels", "start", "step", "coordinates", *_UNIT),
    ("spaces", "*"): ("name", "reference", "axes", "from_array"),
    ("spaces", "*", "reference"): ("scheme", "id"),
    ("spaces", "*", "axes", "*"): ("name", *_UNIT, "increases_toward"),
    ("spaces", "*", "from_array"): ("array_axes", "matrix", "scale", "translation"),
    ("values",): ("kind", *_UNIT, "scale", "offset", "fill", "labels", "label_layout"),
    ("values", "labels", "*"): ("name", "color", "code"),
    ("values", "labels", "*", "code"): ("scheme", "value", "meaning"),
    ("profiles", "medical"): ("profile_version", "dicom"),
    ("profiles", "ml"): ("profile_version", "statistics", "boxes", "patch_size", "split"),
    ("profiles", "ml", "statistics"): ("min", "max", "mean", "median", "standard_deviation", "percentiles"),
    ("profiles", "ml", "boxes"): ("frame", "axes", "items"),
    ("profiles", "ml", "boxes", "items", "*"): ("min", "max", "label", "score"),
    ("history", "*"): ("action", "tool", "time", "from", "warnings"),
    ("storage",): ("chunk_size", "block_size", "patch_size", "compression"),
    ("storage", "compression"): ("codec", "level", "filters", "filters_meta"),
}


def canonical(document: Mapping[str, Any], *, writer: str, had: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return a header as it is written.

    Parameters
    ----------
    document
        A checked header with its defaults.
    writer
        The software that writes, such as ``mlarray 1.0.0``.
    had
        The keys of the top that the file held already: they stay even when they are empty.

    Examples
    --------
    >>> list(canonical({"org_x": 1, "axes": [], "version": "1.4", "spaces": []}, writer="mlarray 1.0.0"))
    ['version', 'writer', 'axes', 'values', 'storage', 'org_x']
    """
    found: dict[str, Any] = {}
    for key in TOP:
        if key == "version":
            found[key] = merged(document.get(key))
        elif key == "writer":
            found[key] = writer
        elif document.get(key) or key in had or key in _ALWAYS:
            found[key] = _ordered(document.get(key, [] if key in _LISTS else {}), (key,))
    found.update((key, _ordered(value, None)) for key, value in document.items() if key not in TOP)
    return found


def _ordered(value: Any, place: tuple[str, ...] | None) -> Any:
    """Return a copy with the known keys of every map in order; below a key that is unknown all stays as it came."""
    if isinstance(value, list):
        return [_ordered(item, None if place is None else (*place, "*")) for item in value]
    if not isinstance(value, dict):
        return value
    known = () if place is None else ORDERS.get(place, ())
    keys = [key for key in known if key in value] + [key for key in value if key not in known]
    return {key: _ordered(value[key], None if place is None else _below(place, key)) for key in keys}


def _below(place: tuple[str, ...], key: str) -> tuple[str, ...]:
    named = (*place, key)
    return named if place != ("values", "labels") else (*place, "*")
