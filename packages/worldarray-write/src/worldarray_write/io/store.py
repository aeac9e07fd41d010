"""Documents of a store, read fresh and changed by compare-and-swap, so that no writer loses another's change.

On local disk see `files`. Elsewhere the condition is the kvstore generation: S3's ETag with ``If-Match`` and
``If-None-Match`` (tensorstore also asks for the ETag just before, which narrows the race on a server that ignores the
conditions), GCS's object generation, a counter in memory, a version of the tree in OCDBT.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeVar

from worldarray.documents.source import document_path
from worldarray.errors import (
    AccessError,
    ArgumentError,
    StoreUnavailableError,
    WorldArrayError,
    problem,
)
from worldarray.io import access, contexts, messages, runtime
from worldarray.io.retry import REAL, Clock
from worldarray.io.sources import DOCUMENT_TIMEOUT
from worldarray.paths import Location
from worldarray_write.io import files

T = TypeVar("T")
Change = Callable[[Mapping[str, bytes]], Mapping[str, bytes]]
"""From the documents that are there to those to write, in order; the same where they are as they should be."""

WRITE_TIMEOUT: Final = 60.0
"""Seconds for one change of documents, conflicts with other writers included."""
_PAUSES: Final = {True: (0.002, 0.1), False: (0.02, 1.0)}
"""Local or not: seconds of the first pause after a conflict, and of the longest."""
_CONFLICT: Final = 409
_READ_ONLY: Final = frozenset({"http", "https", "zip"})
_REFUSED: Final = "PERMISSION_DENIED: a public URL can be read alone"


class Seen(NamedTuple):
    """A document as it was read, which a conditional write is compared with."""

    data: bytes | None
    """None where it was not there."""
    generation: bytes
    """tensorstore's; of a local file nothing, since there the data are compared."""


def check_writable(where: Location) -> None:
    """Refuse a place in a store that cannot be written to.

    Raises
    ------
    ArgumentError
        It is an http URL, or inside a zip file.

    Examples
    --------
    >>> from worldarray.paths import parse_path
    >>> check_writable(parse_path("s3://bucket/em.zarr"))
    """
    if where.is_local:
        files.refuse_bytes(where.local_path)
    place: Location | None = where
    while place is not None:
        if place.scheme in _READ_ONLY:
            message = f"{place.scheme} stores are read alone; write to local disk, s3:// or gs://"
            raise ArgumentError(problem("unsupported", (where.text,), message))
        place = place.base


def refuse_symlink(where: Location) -> None:
    """Refuse a local path whose last part is a symbolic link: a level that is one is never written through.

    Raises
    ------
    ArgumentError
        It is a symbolic link, whether or not it leads anywhere.
    """
    if where.is_local:
        files.refuse_link(where.local_path)


def refuse_obstacles(where: Location, keys: Sequence[str]) -> None:
    """Refuse a local folder that cannot be made or written in, before anything is written elsewhere.

    Raises
    ------
    StoreExistsError
        A file stands where the folder goes, or a folder where a document goes.
    ArgumentError
        A name is too long for the file system, or a document is a symbolic link that leads nowhere.
    AccessError
        This user may not write in the folder.
    """
    if where.is_local:
        files.refuse_obstacles(where.local_path, keys)


def contents(where: Location) -> list[str]:
    """Return the names of what stands in a local folder, but for folders that hold no file; none of another store.

    Elsewhere documents alone are looked at: listing is dear, or not allowed.
    """
    return files.contents(where.local_path) if where.is_local else []


def read_with_generation(where: Location, key: str, context: Any = None) -> Seen:
    """Return one document of a folder as the store has it now.

    Raises
    ------
    AccessError
        The store refuses every way in.
    StoreUnavailableError
        The store does not answer.
    """
    return _read(where, (key,), context)[key]


def read_documents(where: Location, keys: Sequence[str], context: Any = None) -> dict[str, bytes]:
    """Return those of these documents of a folder that are there, as the store has them now.

    Raises
    ------
    AccessError, StoreUnavailableError
        As for `read_with_generation`.
    """
    seen = _read(where, keys, context)
    return {key: document.data for key, document in seen.items() if document.data is not None}


def write_if(
    where: Location,
    key: str,
    data: bytes,
    seen: Seen,
    context: Any = None,
    *,
    timeout: float = WRITE_TIMEOUT,
) -> bool:
    """Write one document of a folder, whole, if the store still has what was seen; return whether it was written.

    False may also mean that the store took the write and its answer was lost: reading again tells.

    Raises
    ------
    ArgumentError
        The store cannot be written to, or the document is a symbolic link.
    AccessError
        Writing there is refused.
    StoreUnavailableError
        The store does not answer or has no conditional writes; the disk is full.
    """
    check_writable(where)
    if _by_file(where):
        return files.replace(_local(where, key), data, seen.data, timeout=timeout)

    def attempt(kv: Any) -> bool:
        stamp = kv.write(key, data, if_equal=seen.generation).result(timeout=timeout)
        return bool(stamp.generation)

    try:
        return _through(where, context, attempt)
    except runtime.ERRORS as error:
        if isinstance(error, WorldArrayError):
            raise
        if messages.http_code(error) == _CONFLICT:
            return False
        raise _failure(error, where, key) from error
    except TimeoutError as error:
        message = f"the store did not take the document within {timeout:g} s; try again later"
        raise StoreUnavailableError(problem("unavailable", (document_path(where, key),), message)) from error


def create_only(where: Location, key: str, data: bytes, context: Any = None) -> bool:
    """Write one document of a folder if it has none of that name; return whether it was written.

    Raises
    ------
    ArgumentError, AccessError, StoreUnavailableError
        As for `write_if`.
    """
    return write_if(where, key, data, Seen(None, b"" if _by_file(where) else _absent()), context)


def update_documents(
    where: Location,
    keys: Sequence[str],
    change: Change,
    context: Any = None,
    *,
    timeout: float = WRITE_TIMEOUT,
    clock: Clock = REAL,
) -> dict[str, bytes]:
    """Change documents of a folder so that no change made by others meanwhile is lost; return them as they are now.

    The documents are read, changed and written in order, each if it still is what was read. After a conflict all of
    it is done again, until `change` has nothing left to write. A process that ends between two documents leaves what
    `change` completes when it is asked the next time.

    Parameters
    ----------
    where, keys
        The folder, and the documents that `change` sees.
    change
        Makes the documents to write of those that are there. It is called again after each conflict, and what it
        raises is raised, with nothing written by that round.
    timeout
        Seconds until other writers have had their turn long enough.

    Raises
    ------
    StoreUnavailableError
        The store does not answer, or other writers were faster for all of `timeout`.
    ArgumentError, AccessError
        As for `write_if`.
    """
    check_writable(where)
    end, conflicts = clock.now() + timeout, 0
    first, longest = _PAUSES[_by_file(where)]
    while True:
        seen = _read(where, keys, context)
        found = {key: document.data for key, document in seen.items() if document.data is not None}
        wanted = {key: data for key, data in change(found).items() if found.get(key) != data}
        left = max(end - clock.now(), 1.0)
        if all(write_if(where, key, data, seen[key], context, timeout=left) for key, data in wanted.items()):
            return found | wanted
        if clock.now() >= end:
            message = f"other writers changed {', '.join(wanted)} for all of {timeout:g} s; try again later"
            raise StoreUnavailableError(problem("unavailable", (where.text,), message))
        clock.sleep(clock.jitter() * min(first * 2.0**conflicts, longest))
        conflicts += 1


# Ways in -------------------------------------------------------------------------------------------------------------


def _by_file(where: Location) -> bool:
    return where.is_local and files.SUPPORTED


def _local(where: Location, key: str) -> str:
    return f"{where.local_path.rstrip('/')}/{key}"


def _read(where: Location, keys: Sequence[str], context: Any) -> dict[str, Seen]:
    """Return documents with their generations, read at the same time under one way in."""
    if _by_file(where):
        if files.is_missing(where.local_path):
            return dict.fromkeys(keys, Seen(None, b""))
        return {key: Seen(files.read(_local(where, key)), b"") for key in keys}
    try:
        return _through(where, context, lambda kv: _read_keys(kv, keys))
    except runtime.ERRORS as error:
        if isinstance(error, WorldArrayError):
            raise
        raise _failure(error, where, "") from error
    except TimeoutError as error:
        message = f"the store did not answer within {DOCUMENT_TIMEOUT:g} s; try again later"
        raise StoreUnavailableError(problem("unavailable", (where.text,), message)) from error


def _read_keys(kv: Any, keys: Sequence[str]) -> dict[str, Seen]:
    """Return documents; one that is refused counts as missing where another one is not: a bucket may not be listed."""
    futures = [(key, kv.read(key)) for key in keys]
    found: dict[str, Seen] = {}
    refused: list[Exception] = []
    for key, future in futures:
        try:
            answer = future.result(timeout=DOCUMENT_TIMEOUT)
        except runtime.ERRORS as error:
            if not messages.is_refusal(error):
                raise
            refused.append(error)
            found[key] = Seen(None, _absent())
        else:
            found[key] = Seen(bytes(answer.value) if answer.state == "value" else None, answer.stamp.generation)
    if refused and len(refused) == len(keys):
        raise refused[0]
    return found


def _through(where: Location, context: Any, ask: Callable[[Any], T]) -> T:
    """Return what a kvstore answers under the first way in that is not refused; one that cannot write is none."""
    runtime.using()

    def attempt(way: access.Way) -> T:
        spec = access.kvstore_spec(where, way)
        if spec["driver"] == "http":
            raise ValueError(_REFUSED)
        opened = runtime.module().KvStore.open(spec, context=contexts.document_context(context))
        return ask(opened.result(timeout=DOCUMENT_TIMEOUT))

    return access.first_allowed(where, attempt)


@lru_cache(maxsize=1)
def _absent() -> bytes:
    """Return the generation that stands for no document, as tensorstore gives it for a key that is missing."""
    tensorstore = runtime.using()
    empty = tensorstore.KvStore.open({"driver": "memory"}, context=tensorstore.Context()).result()
    generation: bytes = empty.read("absent").result().stamp.generation
    return generation


def _failure(error: Exception, where: Location, key: str) -> WorldArrayError:
    """Return what is raised when a store does not take or give a document."""
    at = (document_path(where, key) if key else where.text,)
    about = messages.reason(error)
    if messages.is_refusal(error):
        return AccessError(problem("access_denied", at, f"the store refuses it: {about}; check the credentials"))
    if isinstance(error, NotImplementedError):
        message = f"the store has no conditional writes, which keep writers from losing each other's changes: {about}"
        return StoreUnavailableError(problem("unsupported", at, message))
    return StoreUnavailableError(problem("unavailable", at, f"the store did not take part: {about}; try again later"))
