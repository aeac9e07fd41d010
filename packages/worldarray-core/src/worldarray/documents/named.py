"""Zarr v3's way to name an extension: a string, or an object with a name and a configuration."""

from __future__ import annotations

from typing import Any, NamedTuple

from worldarray.documents.parsing import mapping, optional, required, text
from worldarray.errors import At


class Named(NamedTuple):
    """A codec, chunk grid, key encoding or data type."""

    name: str
    configuration: dict[str, Any]
    at: At
    """The path of the configuration."""


def parse_named(raw: object, at: At) -> Named:
    """Return a name and its configuration, which is empty where there is none.

    Raises
    ------
    PlacementError
        ``wrong_type`` or ``missing_key``.

    Notes
    -----
    Zarr core specification version 3, "Extension definition".

    Examples
    --------
    >>> parse_named("crc32c", ("em/zarr.json", "codecs", 1)).configuration
    {}
    """
    if isinstance(raw, str):
        return Named(text(raw, at), {}, at)
    configuration = optional(raw, "configuration", at, mapping)
    return Named(required(raw, "name", at, text), configuration or {}, (*at, "configuration"))
