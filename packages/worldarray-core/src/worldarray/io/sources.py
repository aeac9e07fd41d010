"""Document sources: plain files for local folders, tensorstore kvstores for everything else."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from worldarray.documents.source import Source
from worldarray.errors import AccessError, StoreNotFoundError, StoreUnavailableError, problem
from worldarray.io import access, contexts, failures, messages, runtime
from worldarray.paths import Location

T = TypeVar("T")

DOCUMENT_TIMEOUT: Final = 60.0
"""Seconds to wait for the documents of one folder, tensorstore's retries included."""
_READ_FLAGS: Final = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
_BLOCK: Final = 1 << 16


def source_for(where: Location, context: Any = None) -> Source:
    """Return what reads the documents of the store that `where` lies in; local files never touch tensorstore.

    `context` is the caller's tensorstore.Context, on which stores that are not local files are read.
    """
    return FileSource() if where.is_local else KvSource(context)


class FileSource:
    """Documents in local folders, read by plain file I/O."""

    def documents(self, where: Location, keys: Sequence[str], *, ancestor: bool = False) -> dict[str, bytes]:
        """Return the bytes of each key that is a file in the folder `where`.

        Raises
        ------
        AccessError
            A file may not be read by this user, and `ancestor` is false.
        StoreUnavailableError
            The file system failed.
        """
        found: dict[str, bytes] = {}
        prefix = where.local_path.rstrip("/") + "/"
        for key in keys:
            try:
                found[key] = read_file(prefix + key)
            except OSError as error:
                if error.errno in failures.ABSENT:
                    continue
                named = failures.of_file(error, where.join(key).text)
                if not (ancestor and isinstance(named, AccessError)):
                    raise named from error
        return found

    def exists(self, where: Location) -> bool:
        """Whether `where` is a file, or a folder with anything in it."""
        try:
            with os.scandir(where.local_path) as entries:
                return next(entries, None) is not None
        except NotADirectoryError:
            return os.path.exists(where.local_path)  # noqa: PTH110 - no pathlib on the way to a first read
        except OSError as error:
            return error.errno not in failures.ABSENT

    def present(self, where: Location, keys: Sequence[str]) -> frozenset[str]:
        """Return which of these keys are files below `where`."""
        prefix = where.local_path.rstrip("/") + "/"
        return frozenset(key for key in keys if _is_file(prefix + key))

    def folders(self, where: Location) -> tuple[str, ...]:
        """Return the names of the folders in `where` that hold something, sorted, hidden ones left out."""
        try:
            with os.scandir(where.local_path) as entries:
                names = sorted(entry.name for entry in entries if not entry.name.startswith(".") and entry.is_dir())
        except OSError:
            return ()
        return tuple(name for name in names if self.exists(where.join(name)))


class KvSource:
    """Documents in a tensorstore kvstore, on the caller's context, read at the same time under one way in."""

    def __init__(self, context: Any = None) -> None:
        self._context = context

    def documents(self, where: Location, keys: Sequence[str], *, ancestor: bool = False) -> dict[str, bytes]:
        """Return the bytes of each key that exists directly below `where`.

        A key that is refused counts as missing when another one is not refused: a bucket without listing answers so.

        Raises
        ------
        AccessError
            Every key is refused under every way in, and `ancestor` is false.
        StoreUnavailableError
            The store is busy, does not answer, or answers nonsense; for an ancestor only the first two.
        """

        def attempt(way: access.Way) -> dict[str, bytes]:
            kv = self._open(where, way)
            return _read_keys(kv, keys, quiet=ancestor, one_by_one=where.base is not None)

        try:
            return self._asked(where, attempt)
        except StoreNotFoundError:
            return {}
        except AccessError:
            if ancestor:
                return {}
            raise

    def exists(self, where: Location) -> bool:
        """Whether anything stands below `where`; true for http, S3 and GCS, where asking is dear or impossible."""
        if where.remote:
            return True

        def attempt(way: access.Way) -> bool:
            return bool(self._open(where, way).list().result(timeout=DOCUMENT_TIMEOUT))

        try:
            return self._asked(where, attempt)
        except StoreNotFoundError:
            return False

    def present(self, where: Location, keys: Sequence[str]) -> frozenset[str]:
        """Return which of these keys exist below `where`; a refused one does not.

        Each that exists is read whole: stores answer odd things when asked to list, tensorstore's gs driver takes a
        refusal for an empty list, and http cannot.
        """

        def attempt(way: access.Way) -> frozenset[str]:
            kv = self._open(where, way)
            asked = [(key, kv.read(key)) for key in keys]
            return frozenset(key for key, future in asked if _is_there(future))

        return self._asked(where, attempt)

    def folders(self, where: Location) -> tuple[str, ...]:  # noqa: ARG002
        """Return nothing: a server is not listed for the words of an error."""
        return ()

    def _open(self, where: Location, way: access.Way) -> Any:
        return open_folder(where, way, contexts.document_context(self._context))

    def _asked(self, where: Location, attempt: Callable[[access.Way], T]) -> T:
        runtime.using()
        try:
            return access.first_allowed(where, attempt)
        except runtime.ERRORS as error:
            if hasattr(error, "problems"):
                raise
            raise failures.of_documents(error, where) from error
        except TimeoutError as error:
            message = f"the store did not answer within {DOCUMENT_TIMEOUT:g} s; try again later"
            raise StoreUnavailableError(problem("unavailable", (where.text,), message)) from error


def read_file(path: str) -> bytes:
    """Return the bytes of a local file; a pipe or device of that name is not waited for."""
    handle = os.open(path, _READ_FLAGS)
    try:
        data = os.read(handle, _BLOCK)
        if len(data) < _BLOCK:
            return data
        if stat.S_ISCHR(os.fstat(handle).st_mode):  # /dev/zero has no end
            raise OSError(errno.EINVAL, "it is a device, not a file", path)
        parts = [data]
        while data := os.read(handle, 16 * _BLOCK):
            parts.append(data)
        return b"".join(parts)
    finally:
        os.close(handle)


def open_folder(where: Location, way: access.Way, context: Any) -> Any:
    """Return the kvstore of a folder, opened one way on a context.

    Raises
    ------
    StoreNotFoundError
        It lies in an archive in memory that is not there.
    """
    if where.base is not None and where.base.scheme == "memory":
        archive = _open(access.kvstore_spec(where.base, way, folder=False), context)
        if archive.read("").result().state != "value":
            raise access.no_archive(where.base)
    return _open(access.kvstore_spec(where, way), context)


def _open(spec: access.Spec, context: Any) -> Any:
    return runtime.module().KvStore.open(spec, context=context).result(timeout=DOCUMENT_TIMEOUT)


def _read_keys(kv: Any, keys: Sequence[str], *, quiet: bool, one_by_one: bool) -> dict[str, bytes]:
    """Return the keys that are there; raise the first error that decides, as tensorstore raised it.

    In an archive keys are read one after another: tensorstore 0.1.78 waits for itself for ever when a second read
    begins while the first still reads the archive's directory.
    """
    started = ((key, kv.read(key)) for key in keys)
    futures = started if one_by_one else list(started)
    found: dict[str, bytes] = {}
    passed: list[Exception] = []
    missing = False
    for key, future in futures:
        try:
            answer = future.result(timeout=DOCUMENT_TIMEOUT)
        except runtime.ERRORS as error:
            kind = messages.kind(error)
            if kind == "missing":
                missing = True
            elif kind in {"refused", "redirected"} or (quiet and kind != "busy"):
                passed.append(error)
            else:
                raise
        else:
            if answer.state == "value":
                found[key] = bytes(answer.value)
            else:
                missing = True
    if passed and not found and not missing:
        _raise_first(passed, quiet=quiet)
    return found


def _raise_first(passed: list[Exception], *, quiet: bool) -> None:
    refused = [error for error in passed if messages.is_refusal(error)]
    if refused:
        raise refused[0]
    if not quiet:
        raise passed[0]


def _is_there(future: Any) -> bool:
    try:
        return bool(future.result(timeout=DOCUMENT_TIMEOUT).state == "value")
    except runtime.ERRORS as error:
        if messages.kind(error) in {"missing", "refused", "redirected"}:
            return False
        raise


def _is_file(path: str) -> bool:
    if not os.access(path, os.F_OK):  # half the time of an error, and most are not there
        return False
    try:
        return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 - called once per chunk key
    except OSError:
        return False
