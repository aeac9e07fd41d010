"""A folder that stands where a chunk's file belongs: tensorstore reads it as a missing chunk, so we look."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import product
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
    grid = [index for _, index in firsts]
    encode = _encoder(facts.format, facts.storage, unit, facts.shape)
    for index, fill in zip(product(*grid), empty.reshape(-1).tolist(), strict=True):
        if fill:
            _refuse_folder(where, encode, index)


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


def _refuse_folder(where: Location, encode: Callable[[Sequence[int]], str], index: tuple[int, ...]) -> None:
    path = f"{where.local_path}/{encode(index)}"
    try:
        is_folder = stat.S_ISDIR(os.stat(path).st_mode)  # noqa: PTH116 - called once per empty chunk
    except OSError:
        return
    if is_folder:
        message = (
            "a folder stands where the file of a chunk belongs; remove it to read its voxels as fill, and check that "
            "the array's dimension separator is right"
        )
        raise DataError(problem("bad_chunk", (where.join(encode(index)).text,), message))


@lru_cache(maxsize=64)
def _encoder(
    format: str, storage: Storage, unit: tuple[int, ...], shape: tuple[int, ...]
) -> Callable[[Sequence[int]], str]:
    separator = storage.separator if format in {"zarr2", "zarr3"} else None
    return chunks.key_codec(format, separator, storage.encoding, unit, shape, storage.origin).encode
