"""A folder that stands where a chunk's file belongs: tensorstore reads it as a missing chunk, so we look."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import compress, islice
from typing import Any, Final

import numpy as np

from worldarray import chunks
from worldarray.documents.facts import StorageFacts
from worldarray.errors import DataError, problem
from worldarray.paths import Location
from worldarray.records import Storage

Array = np.ndarray[Any, Any]


def refuse_folders(where: Location, facts: StorageFacts, fetched: Sequence[slice | int], block: Array) -> None:
    """Refuse a block that holds fill because a folder stands where the file of a chunk or shard belongs.

    Only chunks whose first voxel read is fill are looked at, so that most reads cost no look.

    Parameters
    ----------
    fetched
        What was read, per axis of the stored array: a slice with its bounds, or the index that an axis was pinned to.
    block
        The voxels read, without the pinned axes.

    Raises
    ------
    DataError
        A folder stands at a chunk's key; the message names it.
    """
    if facts.dtype.names or not block.size:
        return
    unit = facts.chunk_shape if facts.shard_shape is None else facts.shard_shape
    if _begins_with_data(facts, unit, fetched, block):
        return
    strides = _strides(fetched, unit)
    if strides is not None and not _is_fill(block[strides], facts.fill_value).any():
        return
    firsts = [_firsts(span, size) for span, size in zip(fetched, unit, strict=True)]
    kept = [at for (at, _), span in zip(firsts, fetched, strict=True) if isinstance(span, slice)]
    sample = block[_open_mesh(kept)] if kept else block
    empty = _is_fill(sample, facts.fill_value)
    if not empty.any():
        return
    encode_all = _encoder(facts.format, facts.storage, unit, facts.shape)
    keys = compress(encode_all([index for _, index in firsts]), empty.reshape(-1).tolist())
    for key in _folders(where.local_path, keys):
        message = (
            "a folder stands where the file of a chunk belongs; remove it to read its voxels as fill, and check that "
            "the array's dimension separator is right"
        )
        raise DataError(problem("bad_chunk", (where.join(key).text,), message))


def _folders(root: str, keys: Iterable[str]) -> Iterator[str]:
    """Yield the keys at which a folder stands: each parent is listed once, unless it holds much more than the keys."""
    inside: dict[str, list[str]] = {}
    for key in keys:
        head, slash, name = key.rpartition("/")
        inside.setdefault(head + slash, []).append(name)
    for head, names in inside.items():
        listed = _listed_folders(f"{root}/{head}", most=_LISTED * len(names)) if len(names) >= _FEW else None
        if listed is None:
            yield from (head + name for name in names if _is_folder(f"{root}/{head}{name}"))
        elif listed:
            yield from (head + name for name in names if name in listed)


_FEW: Final = 4
"""So many keys are looked at one by one."""
_LISTED: Final = 8
"""A folder with more entries than this per key is not listed."""


def _listed_folders(path: str, most: int) -> set[str] | None:
    """Return the names of the folders in a folder; None where it holds more than `most` or cannot be listed."""
    try:
        with os.scandir(path) as entries:
            found = {entry.name for entry in islice(entries, most) if entry.is_dir()}
            return found if next(entries, None) is None else None
    except FileNotFoundError:
        return set()
    except OSError:
        return None


def _is_folder(path: str) -> bool:
    if not os.access(path, os.F_OK):  # half the time of an error, and most are not there
        return False
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)  # noqa: PTH116 - called once per empty chunk
    except OSError:
        return False


def _begins_with_data(facts: StorageFacts, unit: Sequence[int], fetched: Sequence[slice | int], block: Array) -> bool:
    """Whether a block of numbers lies in one chunk and its first voxel is no fill: the quick look at a small read."""
    if facts.dtype.kind not in _NUMBERS:
        return False
    for span, size in zip(fetched, unit, strict=True):
        if not isinstance(span, int) and span.start // size != (span.stop - 1) // size:
            return False
    first, fill = block.item(0), 0 if facts.fill_value is None else facts.fill_value
    return bool(first != fill and (first == first or fill == fill))  # noqa: PLR0124 - NaN is NaN


def _strides(fetched: Sequence[slice | int], unit: Sequence[int]) -> tuple[slice, ...] | None:
    """Return what picks the first voxel of each chunk of a block that begins where chunks do; None for others."""
    strides = []
    for span, size in zip(fetched, unit, strict=True):
        if not isinstance(span, int):
            if span.start % size or span.step not in (None, 1):
                return None
            strides.append(slice(None, None, size))
    return tuple(strides)


_NUMBERS: Final = frozenset("biufc")


def _open_mesh(indices: Sequence[list[int]]) -> tuple[Array, ...]:
    """Return what `numpy.ix_` does, for lists of integers."""
    count = len(indices)
    return tuple(np.array(at, np.intp).reshape((-1,) + (1,) * (count - 1 - k)) for k, at in enumerate(indices))


def _firsts(span: slice | int, unit: int) -> tuple[list[int], list[int]]:
    """Return where in the block each chunk begins on one axis, and the chunks' indices."""
    if isinstance(span, int):
        return [0], [span // unit]
    start, stop, step = span.start, span.stop, span.step or 1
    if step == 1:
        index = range(start // unit, -(-stop // unit))
        return [max(i * unit - start, 0) for i in index], list(index)
    numbers, at = np.unique(np.arange(start, stop, step) // unit, return_index=True)
    return at.tolist(), numbers.tolist()


def _is_fill(sample: Array, fill: Any) -> Any:
    value = np.asarray(0 if fill is None else fill).astype(sample.dtype)
    if value != value:  # noqa: PLR0124 - NaN, of any float type
        return sample != sample  # noqa: PLR0124
    return sample == value


@lru_cache(maxsize=64)
def _encoder(
    format: str, storage: Storage, unit: tuple[int, ...], shape: tuple[int, ...]
) -> Callable[[Sequence[Sequence[int]]], Iterator[str]]:
    separator = storage.separator if format in {"zarr2", "zarr3"} else None
    return chunks.key_codec(format, separator, storage.encoding, unit, shape, storage.origin).encode_all
