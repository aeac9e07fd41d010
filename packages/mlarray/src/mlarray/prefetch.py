"""Reading ahead in worker processes, each with a handle of its own."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from mlarray.errors import ArgumentError, ArgumentTypeError, Problem
from mlarray.header.wire import printed
from mlarray.layout.suggest import whole_numbers

if TYPE_CHECKING:
    from mlarray.array import MLArray

_AHEAD = 2
"""Reads in flight per worker."""
_open: dict[str, Any] = {}
"""The handle of a worker process."""


def ahead(array: MLArray, keys: Iterable[Any], workers: int, context: str | None) -> Iterator[Any]:
    """Yield the values of keys in their order; see `MLArray.prefetch`."""
    if array.mode != "r":
        message = "workers open the file themselves, so it must be one that is open with mode 'r'; save it first"
        raise ArgumentError(Problem("unsupported", ("mode",), message))
    workers = whole_numbers(workers, "workers", 1, "one")[0]
    if not isinstance(keys, Iterable):
        raise ArgumentTypeError(Problem("wrong_type", ("keys",), f"keys is {printed(keys)}; it is a list of keys"))
    methods = multiprocessing.get_all_start_methods()
    if context is not None and context not in methods:
        raise ArgumentError(Problem("wrong_value", ("context",), f"{context!r} is none of {', '.join(methods)}"))
    return _read(array, iter(keys), workers, context or "spawn")


def _read(array: MLArray, keys: Iterator[Any], workers: int, context: str) -> Iterator[Any]:
    dtype = array.dtype
    how = type(array), str(array.filepath), dict(array._options)
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context(context), _begin, how)
    try:
        pending: deque[Future[Any]] = deque(pool.submit(_one, key) for key in islice(keys, _AHEAD * workers))
        while pending:
            found = pending.popleft().result()
            pending.extend(pool.submit(_one, key) for key in islice(keys, 1))
            # Numpy's pickles put values into the byte order of the machine.
            yield found if isinstance(found, np.generic) else found.astype(dtype, copy=False)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _begin(kind: type[MLArray], path: str, options: Mapping[str, Any]) -> None:
    _open["how"] = kind, path, options


def _one(key: Any) -> Any:
    """Read one key; the file is opened with the first, so that what goes wrong there is the error of a read."""
    if "array" not in _open:
        kind, path, options = _open["how"]
        _open["array"] = kind.open(path, **options)
    return _open["array"][key]
