"""Writing voxels through tensorstore."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from worldarray.documents.facts import StorageFacts
from worldarray.errors import AccessError, StoreUnavailableError, WorldArrayError, problem
from worldarray.io import access, arrays, contexts, messages, retry, runtime
from worldarray.paths import Location
from worldarray_write.write_plan import Piece, Target, filled_up, whole_pieces

Part = tuple[tuple[slice, ...], np.ndarray[Any, Any]]
"""A box over every stored axis, and the values that it gets."""

_MODE: Final = {"read": True, "write": True}
_REFUSED: Final = "PERMISSION_DENIED: a public URL can be read alone"


class Writer:
    """The writes of one array. Each store is opened at its first write, under the way in that may write there.

    Whole units are written to the array with its last units filled up, so that each is stored by one put, with nothing
    read before: tensorstore reads a unit that it takes to be cut, and fails where that one is corrupt.
    """

    def __init__(
        self, facts: StorageFacts, folder: Location, target: Target, context: Any, *, store_fill: bool
    ) -> None:
        """Take what a document says of an array, its folder, and what may be written of it."""
        if store_fill:
            facts = replace(facts, options={**facts.options, "store_data_equal_to_fill_value": True})
        shape = list(filled_up(target.shape, target.unit))
        self._facts = {False: facts, True: replace(facts, metadata={**facts.metadata, "shape": shape})}
        self._folder = folder
        self._target = target
        self._context = context
        self._opened: dict[tuple[bool, str], Any] = {}

    def write(
        self, box: tuple[slice, ...], values: np.ndarray[Any, Any], retries: retry.Retry | None, *, whole: bool
    ) -> None:
        """Write an array to a box, over every stored axis, and return when all of it is stored.

        Without `retries` a write is tried once and waited for as long as it takes: giving up on it would not undo it.

        Parameters
        ----------
        whole
            The box is whole units. Else the units that it cuts are read and rewritten.

        Raises
        ------
        AccessError, StoreUnavailableError
            The store refused, or did not take the data; the message names the file where one is known.
        ForkError
            This process was forked from one that had used tensorstore.
        """
        pieces = whole_pieces(self._target, box) if whole else [Piece(tuple(map(_of_data, box)), box)]
        self._write([(piece.box, self._filled(piece, values)) for piece in pieces], retries, whole=whole)

    def write_plain(self, box: tuple[slice, ...], values: np.ndarray[Any, Any], retries: retry.Retry | None) -> None:
        """Write an array to a box of whole units that the array's end does not cut, as `write` does."""
        self._write([(box, values)], retries, whole=True)

    def _write(self, parts: Sequence[Part], retries: retry.Retry | None, *, whole: bool) -> None:
        runtime.refuse_fork()

        def attempt(way: access.Way) -> None:
            store = self._store(way, whole)
            if retries is not None:
                for where, part in parts:
                    _write_again(store[where], part, retries, remote=self._folder.remote)
            elif len(parts) == 1:
                where, part = parts[0]
                store[where].write(part).result()
            else:
                _wait([store[where].write(part) for where, part in parts])

        try:
            access.first_allowed(self._folder, attempt)
        except WorldArrayError:
            raise
        except (*runtime.ERRORS, TimeoutError) as error:
            raise of_write(error, self._folder) from error

    def _filled(self, piece: Piece, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return the values of a piece, filled up with the fill value where it reaches past the array's end."""
        part = values[piece.data]
        if part.shape == piece.shape:
            return part
        fill = self._facts[True].fill_value
        filled = np.full(piece.shape, 0 if fill is None else fill, self._facts[True].dtype)
        filled[tuple(slice(0, n) for n in part.shape)] = part
        return filled

    def _store(self, way: access.Way, whole: bool) -> Any:
        found = self._opened.get((whole, way.name))
        if found is None:
            kvstore = access.kvstore_spec(self._folder, way)
            if kvstore["driver"] == "http":
                raise ValueError(_REFUSED)
            context = contexts.shared_context() if self._context is None else self._context
            found = self._opened[whole, way.name] = arrays.open_in(self._facts[whole], kvstore, context, _MODE)
        return found


def _of_data(span: slice) -> slice:
    return slice(0, span.stop - span.start)


def _wait(futures: Sequence[Any]) -> None:
    """Wait for every write, then raise the first error: none is still under way when this one is told of."""
    errors = [error for error in map(_outcome, futures) if error is not None]
    if errors:
        raise errors[0]


def _outcome(future: Any) -> Exception | None:
    try:
        future.result()
    except runtime.ERRORS as error:
        found: Exception = error
        return found
    return None


def _write_again(view: Any, values: np.ndarray[Any, Any], retries: retry.Retry, *, remote: bool) -> None:
    start: Callable[[], Any] = lambda: view.write(values)  # noqa: E731  (typed)
    retry.wait(start, retries, nbytes=values.nbytes, remote=remote)


def of_write(error: Exception, where: Location) -> WorldArrayError:
    """Return what is raised when data of the array at `where` cannot be written."""
    if isinstance(error, TimeoutError):
        message = "it was not written in time, as often as was tried; write the same units again"
        return StoreUnavailableError(problem("unavailable", (where.text,), message))
    about = messages.failed(error, where)
    if messages.kind(error) == "refused":
        message = f"writing it was refused: {about.reason}; check the credentials, or who may write the folder"
        return AccessError(problem("access_denied", (about.name,), message))
    message = f"it was not written, or not wholly: {about.reason}; write the same units again"
    return StoreUnavailableError(problem("unavailable", (about.name,), message))
