"""What stands in the folder of a group before a level is listed in it: its format, or why no level goes there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from worldarray.documents.loading import load_json
from worldarray.documents.parsing import refuse, show
from worldarray.documents.precomputed import is_volume
from worldarray.errors import ArgumentError, At, Notice, PlacementError, notice, problem
from worldarray_write.json_values import parsed
from worldarray_write.multiscales import OF_FORMAT

GROUP_KEYS: Final = ("zarr.json", ".zgroup", ".zattrs", ".zarray", ".zmetadata", "attributes.json", "info")
"""The documents of a folder that decide how a level is listed in it; those that are there are handed on."""
NEW: Final[Mapping[str, Mapping[str, Any]]] = {
    "zarr2": {".zgroup": {"zarr_format": 2}, ".zattrs": {}},
    "zarr3": {"zarr.json": {"zarr_format": 3, "node_type": "group", "attributes": {}}},
}
"""Per format: the documents of an empty group, in the order in which they are written."""


@dataclass(frozen=True)
class Group:
    """What the documents of a folder make of it."""

    format: str | None
    """None where nothing says."""
    present: bool
    """Whether there is a group document."""
    notices: tuple[Notice, ...] = ()


def group_of(existing: Mapping[str, bytes], where: str) -> Group:
    """Return what stands in a folder that is, or becomes, a group.

    Parameters
    ----------
    existing
        The documents of the folder, of `GROUP_KEYS`.
    where
        Its path, for errors.

    Raises
    ------
    PlacementError
        It is an array, an N5 group, a precomputed volume or a group of both zarr formats; or a document is not JSON.

    Examples
    --------
    >>> group_of({".zgroup": b'{"zarr_format": 2}'}, "em.zarr")
    Group(format='zarr2', present=True, notices=())
    """
    if ".zarray" in existing:
        refuse("wrong_value", (where,), "is a zarr v2 array, which holds no levels; create the level beside it")
    v2 = ".zgroup" in existing
    if v2:
        parsed(existing[".zgroup"], (f"{where}/.zgroup",))
    v3 = _is_v3(existing, where)
    if v2 and v3:
        message = "holds .zgroup and zarr.json, so it is a group of zarr v2 and of v3; remove the one that is stale"
        refuse("conflict", (where,), message)
    if v2 or v3:
        return Group("zarr2" if v2 else "zarr3", present=True, notices=_consolidated(existing, where))
    _refuse_foreign(existing, where)
    return Group("zarr2" if ".zattrs" in existing else None, present=False)


def format_of(group: Group, wanted: str | None, where: str) -> str:
    """Return the format that a level in a group has: the group's, else the one asked for, else zarr3.

    Raises
    ------
    ArgumentError
        The one asked for is unknown, or is not the group's.

    Examples
    --------
    >>> format_of(Group(None, present=False), None, "em.zarr")
    'zarr3'
    """
    given: object = wanted
    if given is not None and not (isinstance(given, str) and given in OF_FORMAT):
        message = f"format is {show(wanted)}; it is one of {', '.join(map(show, OF_FORMAT))}"
        raise ArgumentError(problem("wrong_value", ("format",), message))
    if wanted is not None and group.format is not None and wanted != group.format:
        message = (
            f"format is {wanted!r}, but the group {where} is {group.format}, and formats are never mixed in a group; "
            "leave format out, or choose another group"
        )
        raise ArgumentError(problem("conflict", ("format",), message))
    return group.format or wanted or "zarr3"


def _is_v3(existing: Mapping[str, bytes], where: str) -> bool:
    """Whether ``zarr.json`` makes the folder a group; a foreign file of that name beside ``.zgroup`` does not."""
    if "zarr.json" not in existing:
        return False
    at = (f"{where}/zarr.json",)
    try:
        document = parsed(existing["zarr.json"], at)
    except PlacementError:
        if ".zgroup" in existing:
            return False
        raise
    kind = document.get("node_type")
    if document.get("zarr_format") == 3 and kind == "array":
        refuse("wrong_value", at, "is a zarr v3 array, which holds no levels; create the level beside it")
    if document.get("zarr_format") == 3 and kind == "group":
        return True
    if ".zgroup" not in existing:
        found = f"zarr_format {show(document.get('zarr_format'))} and node_type {show(kind)}"
        refuse("wrong_value", at, f"has {found}, so it is no zarr v3 group; move it away, or choose another folder")
    return False


def _refuse_foreign(existing: Mapping[str, bytes], where: str) -> None:
    """Refuse a folder that readers take for a group of another format."""
    if "attributes.json" in existing:
        refuse("unsupported", (where,), "is an N5 group, and only zarr is written; choose another folder")
    if "info" not in existing:
        return
    try:
        document = load_json(existing["info"], (f"{where}/info",))
    except PlacementError:  # a file of that name which is no metadata
        return
    if isinstance(document, Mapping) and is_volume(document):
        refuse("unsupported", (where,), "is a precomputed volume, and only zarr is written; choose another folder")


def _consolidated(existing: Mapping[str, bytes], where: str) -> tuple[Notice, ...]:
    """Return what to say of a copy of the metadata, which will not list a new level."""
    if ".zgroup" in existing:
        at: At | None = (f"{where}/.zmetadata",) if ".zmetadata" in existing else None
    else:
        document = parsed(existing["zarr.json"], (f"{where}/zarr.json",))
        at = (f"{where}/zarr.json", "consolidated_metadata") if document.get("consolidated_metadata") else None
    if at is None:
        return ()
    message = "is a copy of metadata that is left as it is; consolidate again, or its readers miss the new level"
    return (notice("conflict", at, message),)
