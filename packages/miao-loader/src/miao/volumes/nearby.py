"""What to do about a group that is not there: whether its container is, and which groups that holds."""

from __future__ import annotations

import os
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEEPEST: Final = 3
_MOST: Final = 200
"""Folders that are looked at; what is written about a mistake need not be complete."""
_SHOWN: Final = 8
_DOCUMENTS: Final = ("zarr.json", ".zarray", ".zattrs", "attributes.json")
_ARRAYS: Final = (b'"chunks"', b'"chunk_grid"', b'"blockSize"')
"""What a document of an array says; below it there are chunks."""


def advice(path: str, key: str) -> str:
    """Return what to correct where there is no group `key` in the container at `path`.

    Of remote containers nothing is asked for.

    Examples
    --------
    >>> from miao.demo import demo_config
    >>> with demo_config() as config:
    ...     advice(config["volumes"][0]["path"], "rwa")
    "did you mean 'raw'? there are 'labels', 'raw'"
    >>> advice("s3://bucket/em.zarr", "raw")
    'give the key of the group that holds the levels'
    """
    if "://" in path:
        return "give the key of the group that holds the levels"
    container = Path(path)
    if not container.exists():
        return f"correct path: there is nothing at {container.absolute()}{_unexpanded(path)}"
    found = sorted(_groups(container))
    if not found:
        return "give the key of the group that holds the levels"
    near = get_close_matches(key, found, 1, 0.5)
    meant = f"did you mean {near[0]!r}? " if near else ""
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    itself = " (the container itself)" if "." in found else ""
    return f"{meant}there are {', '.join(map(repr, found[:_SHOWN]))}{more}{itself}"


def _unexpanded(path: str) -> str:
    return "; variables of the environment are not filled in" if "$" in path else ""


def _groups(container: Path) -> Iterator[str]:
    """Yield the keys of the multiscale groups that are found in a container, "." for itself."""
    waiting, seen = [(container, 0)], 0
    while waiting and seen < _MOST:
        folder, depth = waiting.pop(0)
        seen += 1
        documents = _documents(folder)
        if b'"multiscales"' in documents:
            yield folder.relative_to(container).as_posix()
        if depth < _DEEPEST and not any(word in documents for word in _ARRAYS):
            waiting += [(one, depth + 1) for one in _folders(folder)]


def _folders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.is_dir())[:_MOST]
    except OSError:
        return []


def _documents(folder: Path) -> bytes:
    """Return the documents of a folder, one behind the other."""
    found = b""
    for name in _DOCUMENTS:
        try:
            found += (folder / name).read_bytes()
        except OSError:
            continue
    return found
