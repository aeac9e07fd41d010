"""Opening arrays through tensorstore, and starting reads of them."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from worldarray.documents.facts import StorageFacts, opening
from worldarray.documents.source import document_path
from worldarray.errors import ArgumentError, PlacementError, StoreUnavailableError, WorldArrayError, problem
from worldarray.io import access, contexts, failures, folders, retry, runtime, shards
from worldarray.io.sources import KvSource
from worldarray.memory import memory_bytes
from worldarray.paths import Location
from worldarray.records import Format

Array = np.ndarray[Any, Any]
Pins = tuple[tuple[int, int], ...]
"""Axes that are pinned, ascending, and to which index; counted among the axes before these are dropped."""

OPEN_TIMEOUT: Final = 120.0
"""Seconds that opening an array may take, tensorstore's own retries included."""
_DOCUMENT: Final[Mapping[Format, str]] = {
    "zarr2": ".zarray",
    "zarr3": "zarr.json",
    "n5": "attributes.json",
    "precomputed": "info",
}


def open_facts(
    facts: StorageFacts, folder: Location, context: Any = None, *, write: bool = False, store_fill: bool = False
) -> Any:
    """Return an array as a tensorstore.TensorStore with axes in C order and origin 0.

    Parameters
    ----------
    facts
        What its document says.
    folder
        The folder that holds the document; of a precomputed scale the volume's folder.
    context
        The caller's tensorstore.Context; None is the one that every open of the process shares.
    write, store_fill
        Open for writing as well; store chunks whose values all equal the fill value.

    Raises
    ------
    AccessError
        Every way in was refused.
    StoreNotFoundError
        No array is there.
    StoreUnavailableError
        The store did not answer.
    PlacementError
        tensorstore cannot read what the document describes.
    ForkError
        This process was forked from one that had used tensorstore.
    """
    runtime.using()
    _refuse_chunks(facts, folder)
    shared = contexts.shared_context() if context is None else context
    how = {"read": True, "write": True} if write else {"read": True}
    if store_fill:
        facts = replace(facts, options={**facts.options, "store_data_equal_to_fill_value": True})
    if not access.is_known(folder):
        # opening reads no document, so one is read to learn which way in is allowed
        KvSource(context).documents(folder, (_DOCUMENT[facts.format],))
    try:
        return access.first_allowed(folder, lambda way: open_in(facts, access.kvstore_spec(folder, way), shared, how))
    except WorldArrayError:
        raise
    except runtime.ERRORS as error:
        raise failures.of_open(error, folder) from error
    except TimeoutError as error:
        message = f"the store did not answer within {OPEN_TIMEOUT:g} s; try again later"
        raise StoreUnavailableError(problem("unavailable", (folder.text,), message)) from error


def open_in(facts: StorageFacts, kvstore: access.Spec, context: Any, mode: Mapping[str, bool]) -> Any:
    """Return an array in a given kvstore as `open_facts` does; what tensorstore raises is raised as it came.

    Local files that are written each get a name of their own until they are whole. By tensorstore's default the next
    writer of a shorter chunk keeps the end of what a writer that was killed had left in the lock file.
    """
    tensorstore = runtime.module()
    if mode.get("write") and kvstore["driver"] == "file":
        kvstore = {**kvstore, "file_io_locking": {"mode": "none"}}
    how = opening(facts, kvstore)
    if how.overlay is not None:
        key, document = how.overlay
        memory = tensorstore.KvStore.open({"driver": "memory"}, context=context).result()
        memory.write(key, document).result(timeout=OPEN_TIMEOUT)
    opened = tensorstore.open(dict(how.spec), context=context, **mode).result(timeout=OPEN_TIMEOUT)
    if how.reverse_axes:
        opened = opened.T
    if any(opened.origin):
        opened = opened[tensorstore.d[:].translate_to[0]]
    return opened[0] if how.drop_channel else opened


def _refuse_chunks(facts: StorageFacts, folder: Location) -> None:
    """Refuse chunks that no read could hold: tensorstore decodes whole chunks, and ends the process where it cannot."""
    size, memory = math.prod(facts.chunk_shape) * facts.dtype.itemsize, memory_bytes()
    if size > memory:
        message = f"has chunks of {size} bytes, and this machine has {memory} bytes of memory; a chunk is read whole"
        raise PlacementError(problem("out_of_range", document_path(folder, _DOCUMENT[facts.format]), message))


class Reader:
    """The reads of one open array: how they are started, tried again and checked."""

    __slots__ = ("_context", "_facts", "_local", "_pins", "_shards_known", "_where", "opened")

    def __init__(
        self, opened: Any, where: Location, facts: StorageFacts, context: Any = None, pins: tuple[Pins, ...] = ()
    ) -> None:
        """Take an array as `open_facts` gives it, less the axes of `pins`.

        Parameters
        ----------
        where
            The path of the array.
        context
            The context that it was opened with, None for the shared one.
        pins
            Groups of axes that were pinned: the group that was pinned last comes first.
        """
        self.opened = opened
        self._where = where
        self._facts = facts
        self._context = context
        self._pins = pins
        self._local = where.is_local
        self._shards_known = facts.keyed or not self._local

    def pin(self, pins: Pins) -> Reader:
        """Return the reader of the same array with more axes pinned."""
        if not pins:
            return self
        opened = self.opened
        for axis, index in reversed(pins):
            opened = opened[(slice(None),) * axis + (index,)]
        return Reader(opened, self._where, self._facts, self._context, (pins, *self._pins))

    def read(self, fetched: tuple[slice, ...], retries: retry.Retry) -> Array:
        """Return the voxels of one slice per axis, C-contiguous and in native byte order.

        Raises
        ------
        ForkError
            This process was forked from one that had used tensorstore.
        DataError, AccessError, StoreUnavailableError
            They cannot be read; the message names the file where one is known.
        """
        return self._checked(self._attempts(fetched, retries).result(), fetched)

    def start(
        self, fetched: tuple[slice, ...], retries: retry.Retry, batch: Any = None, clock: retry.Clock = retry.REAL
    ) -> retry.PendingRead[Array]:
        """Return `read` under way. With a tensorstore.Batch, the first attempt waits for it to be submitted."""
        attempts = self._attempts(fetched, retries, batch, clock)
        return retry.PendingRead(attempts, lambda block: self._checked(block, fetched))

    def _attempts(
        self, fetched: tuple[slice, ...], retries: retry.Retry, batch: Any = None, clock: retry.Clock = retry.REAL
    ) -> retry.Attempts:
        runtime.refuse_fork()
        view = self.opened[fetched]
        size = view.size * self._facts.dtype.itemsize
        if size > memory_bytes():  # tensorstore would end the process
            message = f"{size} bytes would be read, and this machine has {memory_bytes()} of memory; read in blocks"
            raise ArgumentError(problem("out_of_range", (self._where.text,), message))
        return retry.Attempts(
            view.read,
            retries,
            retries.timeout_for(size, remote=not self._local and self._where.remote),
            first=None if batch is None else view.read(batch=batch),
            afresh=lambda: _Reopened(view, self._context),
            explain=self._explained,
            clock=clock,
        )

    def _explained(self, error: Exception) -> Exception:
        return failures.of_read(error, self._where)

    def _checked(self, block: Array, fetched: tuple[slice, ...]) -> Array:
        facts = self._facts
        if self._local and facts.keyed:
            folders.refuse_folders(self._where, facts, self._every_axis(fetched), block)
        if not self._shards_known and not block.all():
            shards.refuse_torn_shards(self._where)
            self._shards_known = True
        return block

    def _every_axis(self, fetched: tuple[slice, ...]) -> tuple[slice | int, ...]:
        """Return what is read on each axis of the stored array: a slice, or the index that the axis is pinned to."""
        if not self._pins:
            return fetched
        spans: list[slice | int] = list(fetched)
        for group in self._pins:
            for axis, index in group:
                spans.insert(axis, index)
        return tuple(spans)


class _Reopened:
    """A read of an array that is opened again with a cache of its own, as a future.

    tensorstore joins a new read of a chunk with one that is under way, so a request that hangs would be waited for
    by every attempt.
    """

    def __init__(self, view: Any, context: Any) -> None:
        tensorstore = runtime.using()
        mode = tensorstore.OpenMode(open=True, assume_metadata=True)
        spec = view.spec(open_mode=mode, unbind_context=True).to_json()
        spec.pop("context", None)
        parent = contexts.shared_context() if context is None else context
        self._future = tensorstore.open(spec, context=tensorstore.Context({"cache_pool": {}}, parent), read=True)
        self._opened = False

    def result(self, timeout: float) -> Array:
        end = time.monotonic() + timeout
        if not self._opened:
            self._future, self._opened = self._future.result(timeout=timeout).read(), True
        block: Array = self._future.result(timeout=max(end - time.monotonic(), 0.0))
        return block

    def done(self) -> bool:
        return self._opened and bool(self._future.done())

    def cancel(self) -> bool:
        return bool(self._future.cancel())
