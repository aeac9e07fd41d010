"""What converters share: the entry of `source`, and what changed since it was made."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlarray.geometry.fingerprint import geometry_hash, little_endian

if TYPE_CHECKING:
    from mlarray.array import MLArray


def file_entry(name: str, content: bytes) -> dict[str, Any]:
    """Return a file of a source: its name, how many bytes it has, and their hash."""
    return {"name": name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def fingerprint_of(array: MLArray) -> dict[str, Any]:
    """Return the fingerprint of an array and of its default space."""
    spaces = array.meta.at(("spaces",)) or [None]
    return {
        "shape": list(array.shape),
        "dtype": little_endian(array.dtype),
        "geometry": geometry_hash(spaces[0], array.meta.axis_names),
        "data": array.fingerprint(),
    }


def attach(array: MLArray, entry: Mapping[str, Any], warnings: Sequence[str] = ()) -> MLArray:
    """Give a converted array its source, with the fingerprint, and its first entry of history."""
    array.meta.set_source([{**entry, "fingerprint": fingerprint_of(array)}])
    more: dict[str, Any] = {"warnings": list(warnings)} if warnings else {}
    array.meta.add_history("converted", from_=entry["format"], **more)
    return array


def entry_of(array: MLArray, name: str) -> dict[str, Any] | None:
    """Return the first source of a format, as plain values; None where there is none."""
    for entry in array.meta.source:
        if entry["format"] == name:
            return entry.to_dict()
    return None


def changes(array: MLArray, entry: Mapping[str, Any]) -> frozenset[str]:
    """Return what differs from the fingerprint of a source: of shape, dtype, geometry and data."""
    before, now = entry.get("fingerprint") or {}, fingerprint_of(array)
    return frozenset(key for key, value in now.items() if before.get(key) != value)


def new_path(path: Any, *, overwrite: bool) -> Path:
    """Return a path to write to.

    Raises
    ------
    FileExistsError
        Something stands there, and `overwrite` is not set.
    FileNotFoundError
        There is no such folder.
    """
    found = Path(os.fsdecode(path)).expanduser().absolute()
    if not found.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "the folder to write to does not exist; make it first", str(found.parent))
    if os.path.lexists(found) and not overwrite:
        raise FileExistsError(
            errno.EEXIST, "something stands there already; overwrite=True (--overwrite) replaces it", str(found)
        )
    return found
