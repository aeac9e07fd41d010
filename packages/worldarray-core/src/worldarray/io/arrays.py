"""Opening arrays through tensorstore, and starting reads of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from worldarray.documents.facts import DRIVERS, StorageFacts, opening
from worldarray.errors import StoreUnavailableError, WorldArrayError, problem
from worldarray.io import access, contexts, failures, folders, retry, runtime
from worldarray.io.sources import KvSource
from worldarray.paths import Location
from worldarray.records import ArrayMeta

Array = np.ndarray[Any, Any]
Pins = tuple[tuple[int, int], ...]
"""Axes that are pinned, and to which index: in the order of the axes that are there before they are dropped."""

OPEN_TIMEOUT: Final = 120.0
"""Seconds that opening an array may take, tensorstore's own retries included."""
_DOCUMENT: Final = {
    "zarr": ".zarray",
    "zarr3": "zarr.json",
    "n5": "attributes.json",
    "neuroglancer_precomputed": "info",
}
_X_FIRST: Final = frozenset({"n5", "neuroglancer_precomputed"})


def open_array(spec: Mapping[str, Any], where: Location, context: Any = None) -> Any:
    """Return the array at `where` as a tensorstore.TensorStore with axes in C order and origin 0.

    Parameters
    ----------
    spec
        tensorstore's JSON spec of the array without its kvstore.
    where
        The folder that holds the array's metadata document; of a precomputed scale the volume's folder.
    context
        The caller's tensorstore.Context; None is the one that every open of the process shares.

    Raises
    ------
    AccessError
        Every way in was refused.
    StoreNotFoundError
        No array is there.
    StoreUnavailableError
        The store did not answer.
    PlacementError
        tensorstore cannot read what the documents describe.
    ForkError
        This process was forked from one that had used tensorstore.
    """
    if spec.get("assume_metadata") and len(access.ways(where)) > 1:
        # nothing is read on opening such a spec, so a document tells which way in is allowed
        KvSource(context).documents(where, (_DOCUMENT[spec["driver"]],))
    return c_order(_opened(lambda kvstore: {**spec, "kvstore": kvstore}, where, context), str(spec["driver"]))


def open_facts(facts: StorageFacts, where: Location, context: Any = None) -> Any:
    """Return the array whose storage is described by `facts`, as `open_array` does.

    `where` is the folder that holds its metadata document. Where this process does not know the way in yet (a worker
    that was handed an open array), that document is read first, since opening itself reads nothing.
    """
    if not access.is_known(where):
        KvSource(context).documents(where, (_DOCUMENT[DRIVERS[facts.format]],))
    shared = contexts.shared_context() if context is None else context

    def spec(kvstore: Mapping[str, Any]) -> Mapping[str, Any]:
        how = opening(facts, kvstore)
        if how.overlay is not None:
            key, document = how.overlay
            store = runtime.module().KvStore.open({"driver": "memory"}, context=shared).result()
            store.write(key, document).result()
        return how.spec

    return c_order(_opened(spec, where, shared), DRIVERS[facts.format])


def _opened(spec: Callable[[Mapping[str, Any]], Mapping[str, Any]], where: Location, context: Any) -> Any:
    opener = runtime.using()
    shared = contexts.shared_context() if context is None else context

    def attempt(way: access.Way) -> Any:
        full = spec(access.kvstore_spec(where, way))
        return opener.open(full, context=shared, read=True).result(timeout=OPEN_TIMEOUT)

    try:
        opened = access.first_allowed(where, attempt)
    except WorldArrayError:
        raise
    except runtime.ERRORS as error:
        raise failures.of_open(error, where) from error
    except TimeoutError as error:
        message = f"the store did not answer within {OPEN_TIMEOUT:g} s; try again later"
        raise StoreUnavailableError(problem("unavailable", (where.text,), message)) from error
    return opened


def c_order(opened: Any, driver: str) -> Any:
    """Return an open array with its axes in C order and its origin at 0.

    N5 and precomputed list x first; the channel axis of a precomputed volume with one channel is dropped.
    """
    if driver in _X_FIRST:
        opened = opened.T
        if driver == "neuroglancer_precomputed" and opened.shape[0] == 1:
            opened = opened[0]
    if any(opened.origin):
        opened = opened[runtime.module().d[:].translate_to[0]]
    return opened


@dataclass(frozen=True)
class Wanted:
    """The voxels of one read: where the array is, what its documents say, and one slice per axis that is kept."""

    where: Location
    stored: ArrayMeta
    fetched: tuple[slice, ...]
    pins: tuple[Pins, ...] = ()
    """Groups of axes that were pinned before: the group that was pinned last comes first."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what is read."""
        return tuple(len(range(s.start, s.stop, s.step or 1)) for s in self.fetched)

    @property
    def nbytes(self) -> int:
        """How many bytes are read."""
        count = self.stored.dtype.itemsize
        for size in self.shape:
            count *= size
        return count


def start_read(
    opened: Any, wanted: Wanted, retries: retry.Retry, batch: Any = None, clock: retry.Clock = retry.REAL
) -> retry.PendingRead[Array]:
    """Return a read under way whose result is a C-contiguous array in native byte order.

    `opened` has the axes that `wanted.fetched` has slices for. With a tensorstore.Batch, the first attempt waits for
    the batch to be submitted.

    Raises
    ------
    ForkError
        This process was forked from one that had used tensorstore.
    """
    runtime.using()
    view = opened[wanted.fetched]
    where = wanted.where
    attempts = retry.Attempts(
        view.read,
        retries,
        retries.timeout_for(wanted.nbytes, remote=where.remote),
        first=None if batch is None else view.read(batch=batch),
        explain=lambda error: failures.of_read(error, where),
        clock=clock,
    )
    return retry.PendingRead(attempts, _finisher(wanted))


def _finisher(wanted: Wanted) -> Callable[[Array], Array]:
    if not wanted.where.is_local:
        return _same

    def checked(block: Array) -> Array:
        folders.refuse_folders(wanted.where, wanted.stored, _every_axis(wanted), block)
        return block

    return checked


def _same(block: Array) -> Array:
    return block


def _every_axis(wanted: Wanted) -> tuple[slice | int, ...]:
    slices: list[slice | int] = list(wanted.fetched)
    for group in wanted.pins:
        for axis, index in group:
            slices.insert(axis, index)
    return tuple(slices)
