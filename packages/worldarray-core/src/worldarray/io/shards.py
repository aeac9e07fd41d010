"""Shard files of a local sharded precomputed scale that tensorstore reads as missing: empty ones, and folders."""

from __future__ import annotations

import os

from worldarray.errors import DataError, problem
from worldarray.paths import Location

_SUFFIX = ".shard"


def refuse_torn_shards(where: Location) -> None:
    """Refuse a scale in whose folder a shard is empty or a folder: every chunk of it would read as 0.

    A shard that is cut anywhere else is named when it is read.

    Raises
    ------
    DataError
        The message names the first such shard.
    """
    try:
        with os.scandir(where.local_path) as entries:
            torn = sorted(entry.name for entry in entries if entry.name.endswith(_SUFFIX) and _is_torn(entry))
    except OSError:
        return
    if torn:
        message = (
            "the shard is empty or a folder, so its chunks would read as 0; restore it, or remove it to read them so"
        )
        raise DataError(problem("bad_chunk", (where.join(torn[0]).text,), message))


def _is_torn(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir() or entry.stat().st_size == 0
    except OSError:
        return False
