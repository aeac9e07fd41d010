"""Arrays sent to other processes: a file by its path, an array in memory by its bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mlarray.errors import ArgumentError, Problem
from mlarray.handle import Parts
from mlarray.io.memory_store import PlainStore, from_cframe
from mlarray.meta.meta import Meta

if TYPE_CHECKING:
    from mlarray.array import MLArray


def reduce(array: MLArray, store: Any, options: Mapping[str, Any], patch: Any) -> tuple[Any, ...]:
    """Return how an array is made again elsewhere.

    Raises
    ------
    ArgumentError
        It is open for writing: two processes would write one file; or its metadata was changed and not saved.
    """
    kind = type(array)
    if store.mode in {"r+", "c", "w"}:
        message = f"an array that is open with mode {store.mode!r} belongs to one process; save it and open it with 'r'"
        raise ArgumentError(Problem("unsupported", ("mode",), message))
    if store.mode == "r":
        if array.meta.changed:
            message = "the metadata was changed and is not in the file; save it before the array is sent to a process"
            raise ArgumentError(Problem("conflict", ("meta",), message))
        return _opened, (kind, store.path, dict(options))
    keys = dict(store.keys())
    if isinstance(store, PlainStore):
        # The dtype goes too: numpy's pickles put values into the byte order of the machine.
        return _plain, (
            kind,
            store.array.astype(store.dtype.newbyteorder("="), copy=False),
            store.dtype,
            array.meta.copy(),
            patch,
            keys,
        )
    return _compressed, (kind, store.cframe(), array.meta.copy(), patch, keys)


def copy(array: MLArray, store: Any, patch: Any) -> MLArray:
    """Return a copy: another handle on a file that is read, else a copy in memory."""
    if store.mode == "r" and not array.meta.changed:
        function, arguments = reduce(array, store, array._options, patch)
        made: MLArray = function(*arguments)
        return made
    keys = dict(store.keys())
    if isinstance(store, PlainStore):
        return _plain(type(array), store.array.copy(), store.dtype, array.meta.copy(), patch, keys)
    return _compressed(type(array), store.cframe(), array.meta.copy(), patch, keys)


def _opened(kind: type[MLArray], path: str, options: Mapping[str, Any]) -> MLArray:
    return kind.open(path, **options)


def _plain(
    kind: type[MLArray],
    values: NDArray[Any],
    dtype: np.dtype[Any],
    meta: Meta,
    patch: Any,
    keys: Mapping[str, bytes],
) -> MLArray:
    store = PlainStore(np.asarray(values, dtype, order="C"))
    return _wrapped(kind, store, meta, patch, keys)


def _compressed(kind: type[MLArray], frame: bytes, meta: Meta, patch: Any, keys: Mapping[str, bytes]) -> MLArray:
    return _wrapped(kind, from_cframe(frame), meta, patch, keys)


def _wrapped(kind: type[MLArray], store: Any, meta: Meta, patch: Any, keys: Mapping[str, bytes]) -> MLArray:
    store.set_keys({name: raw for name, raw in keys.items() if not name.startswith("mlarray")})
    meta.bind(store.shape, store.dtype)
    return kind._wrap(Parts(store, meta, patch))
