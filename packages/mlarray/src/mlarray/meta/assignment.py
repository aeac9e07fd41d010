"""What people assign, as a header holds it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any, Final

import numpy as np

from mlarray.errors import ArgumentError, MLArrayError, Problem
from mlarray.geometry.compose import axes_documents
from mlarray.header import units
from mlarray.header.check import axis_types
from mlarray.header.wire import normalise
from mlarray.meta.fields import Place

ALTERNATIVES: Final[Mapping[str, tuple[str, ...]]] = {
    "matrix": ("scale", "translation"),
    "scale": ("matrix",),
    "step": ("coordinates",),
    "coordinates": ("start", "step"),
    "unit": ("unit_code",),
}
"""The keys that a key takes away when it is set: a map has the one or the others; codes are filled in again."""
_KNOWN: Final = frozenset({"axes", "spaces", "values"})
_PROFILE_VERSION: Final = {"profile_version": "1.0"}


def put(document: dict[str, Any], place: Place, value: Any, ndim: int | None) -> None:
    """Put a value at a place of a header that may be changed; None takes the key away.

    Axes may be names; numbers as keys of labels become text; the other half of a unit that is set anew goes, to be
    filled in again; a profile that this package knows gets its version.

    Raises
    ------
    ArgumentTypeError, ArgumentError
        The value cannot be stored.
    MLArrayError
        There is no such place.

    Examples
    --------
    >>> document = {"values": {"unit": "kelvin", "unit_code": "K"}}
    >>> put(document, ("values", "labels"), {1: {"name": "liver"}}, None)
    >>> put(document, ("values", "unit"), "second", None)
    >>> document
    {'values': {'unit': 'second', 'labels': {'1': {'name': 'liver'}}}}
    """
    plain = None if value is None else normalise(_prepared(place, value, ndim), place)
    owner = _owner(document, place, absent=plain is not None)
    if owner is None:
        return
    key = place[-1]
    if isinstance(owner, list):
        _entry(owner, place, plain)
        return
    normalise({key: None}, place[:-1])  # a key that no header can hold
    if plain is None:
        for taken in (key, "unit_code") if key == "unit" else (key,):
            owner.pop(taken, None)
        return
    for other in _excluded(owner, str(key)) if place[0] in _KNOWN else ():
        owner.pop(other, None)
    owner[key] = plain
    if place[0] == "profiles":
        _versions(document["profiles"])


def _entry(owner: list[Any], place: Place, plain: Any) -> None:
    """Put an entry in the place of another."""
    key = place[-1]
    if plain is None or not isinstance(key, int) or not 0 <= key < len(owner):
        message = f"{len(owner)} entries stand there, and one of them can be replaced; assign the whole list"
        raise ArgumentError(Problem("not_found", place, message))
    owner[key] = plain


def _excluded(owner: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Return the keys that one takes away; a code takes away a listed name, and leaves other names."""
    if key == "unit_code":
        unit = owner.get("unit")
        return ("unit",) if not isinstance(unit, str) or unit in units.codes() else ()
    return ALTERNATIVES.get(key, ())


def _owner(document: dict[str, Any], place: Place, *, absent: bool) -> Any:
    """Return the map that holds a place, made where it is absent if that is asked for."""
    owner: Any = document
    for depth, part in enumerate(place[:-1], 1):
        if isinstance(owner, dict) and part not in owner:
            if not absent:
                return None
            owner[str(part)] = {}
        owner = owner[part] if _holds(owner, part) else None
        if not isinstance(owner, (dict, list)):
            raise MLArrayError(Problem("not_found", place[:depth], "no map stands there (any more); look it up again"))
    return owner


def _holds(owner: Any, part: str | int) -> bool:
    if isinstance(part, int):
        return isinstance(owner, list) and 0 <= part < len(owner)
    return isinstance(owner, dict) and part in owner


def _prepared(place: Place, value: Any, ndim: int | None) -> Any:
    if place == ("axes",) and isinstance(value, (list, tuple)):
        return axes_documents(value, len(value) if ndim is None else ndim)
    if place == ("values",) and isinstance(value, Mapping) and "labels" in value:
        return {**value, "labels": label_keys(value["labels"])}
    return label_keys(value) if place == ("values", "labels") else value


def label_keys(value: Any) -> Any:
    """Return the map of labels with numbers as keys written in decimal digits.

    Examples
    --------
    >>> label_keys({7: {"name": "liver"}})
    {'7': {'name': 'liver'}}
    """
    if not isinstance(value, Mapping):
        return value
    found: dict[Any, Any] = {}
    for key, label in value.items():
        number = isinstance(key, (int, np.integer)) and not isinstance(key, bool)
        text = str(int(key)) if number else key
        if text in found:
            raise ArgumentError(Problem("duplicate", ("values", "labels"), f"the label {text} stands twice"))
        found[text] = label
    return found


def _versions(profiles: Any) -> None:
    for name in ("ml", "medical"):
        profile = profiles.get(name) if isinstance(profiles, dict) else None
        if isinstance(profile, dict) and "profile_version" not in profile:
            profiles[name] = {**_PROFILE_VERSION, **profile}


def history_entry(action: str, tool: str, more: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry of the history; its time is now (UTC, whole seconds) unless one is given.

    Examples
    --------
    >>> history_entry("converted", "scanner 2", {"from_": "nifti", "time": "2026-11-06T10:12:00Z"})
    {'action': 'converted', 'tool': 'scanner 2', 'time': '2026-11-06T10:12:00Z', 'from': 'nifti'}
    """
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"action": action, "tool": tool, "time": now} | {key.removesuffix("_"): more[key] for key in more}


def drop_patch(document: dict[str, Any]) -> None:
    """Take the recorded patch size away where it is for another number of axes: others are of type space now.

    Examples
    --------
    >>> document = {"axes": [{"name": "z"}, {"name": "y", "type": "space"}], "storage": {"patch_size": [8, 8]}}
    >>> drop_patch(document)
    >>> document["storage"]
    {}
    """
    storage = document.get("storage")
    patch = storage.get("patch_size") if isinstance(storage, dict) else None
    types = axis_types(document)
    if isinstance(storage, dict) and isinstance(patch, list) and len(patch) != (types.count("space") or len(types)):
        document["storage"] = {key: value for key, value in storage.items() if key != "patch_size"}
