"""Files made whole: written under another name in the same folder, synced, and put in place in one step."""

from __future__ import annotations

import contextlib
import errno
import itertools
import operator
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from mlarray.errors import FormatError, MLArrayError
from mlarray.io import locks, runtime
from mlarray.io.blosc_store import BloscStore
from mlarray.io.file_store import FileStore, write_keys
from mlarray.io.frame import check_keys, read_header_of
from mlarray.io.frame_header import damaged
from mlarray.io.memory_store import PlainStore, settings
from mlarray.layout.records import Layout

_LONGEST: Final = 200
"""How many bytes of a file's name stand in the name of its temporary file; a system allows some 255 in all."""


def publish(
    store: BloscStore | PlainStore, path: str, keys: Mapping[str, bytes | None], *, layout: Layout | None = None
) -> None:
    """Write an array with its metadata to a path, in place of what stands there.

    Parameters
    ----------
    store
        The array; it may have that very file open.
    path
        As `paths.resolve(…, writing=True)` leaves it.
    keys
        The metadata keys that change, raw; None takes one away. Those not named stay as they are.
    layout
        None copies the chunks as they are, compressed; else the array is cut and compressed anew.

    Raises
    ------
    LockedError
        Another handle has the file open for writing.
    FormatError
        A chunk of the array is damaged; what stood there still does.
    OSError
        The disk is full, or the file cannot be written; what stood there still does.
    """
    check_keys(keys)
    own = store if isinstance(store, FileStore) and store.path == path and store.mode != "c" else None
    writes = own is not None and own.mode == "r+"
    if not writes and not locks.free(path):
        raise locks.locked(path)
    with temporary(path) as name:
        with _named(path, store):
            _write(store, name, keys, layout)
        check_written(name, path, keys)
        lock = locks.Lock(name) if writes else None  # of the file, so it is held at once under its new name
        with contextlib.nullcontext() if writes else locks.held(path):
            replace(name, path)
    if own is not None:
        own.reopen(lock)


def check_written(name: str, path: str, keys: Mapping[str, bytes | None]) -> None:
    """Make sure that a written file is whole and says what it should: a full disk is not always reported.

    Raises
    ------
    OSError
        It is not.
    """
    try:
        _, found = read_header_of(name, *keys)
    except FormatError as error:
        raise OSError(
            errno.EIO, f"the file could not be written ({error.problems[0]}); is the disk full?", path
        ) from None
    if found != {key: raw for key, raw in keys.items() if raw is not None}:
        raise OSError(errno.EIO, "the metadata could not be written; is the disk full?", path)


def _write(store: BloscStore | PlainStore, name: str, keys: Mapping[str, bytes | None], layout: Layout | None) -> None:
    blosc2 = runtime.module()
    if isinstance(store, PlainStore):
        plain = np.ascontiguousarray(store.array).reshape(store.shape)
        array = blosc2.asarray(plain, urlpath=name, mode="w", **settings(layout))
    elif layout is not None:
        array = store.array.copy(urlpath=name, mode="w", **settings(layout))
    else:
        _copy(store, name)
        # Only a frame that is in a file can be given keys; nothing of the data is touched.
        array = _reopened(name, store)
    write_keys(array, {**_foreign(store, layout), **keys}, frozenset(array.schunk.vlmeta.get_names()))


def _reopened(name: str, store: BloscStore) -> Any:
    """Open the copy of a frame for writing.

    Raises
    ------
    FormatError
        blosc2 cannot: the frame was looked at, but holds what this one does not take.
    """
    try:
        return runtime.open_frame(name, "a")
    except (OverflowError, ValueError, TypeError, KeyError, SystemError) as error:
        raise damaged(str(error), store.path) from None


def _foreign(store: BloscStore | PlainStore, layout: Layout | None) -> dict[str, bytes]:
    """Return every key that a copy of the frame does not bring along."""
    if isinstance(store, FileStore) and layout is None:
        return {}
    found = store.keys()
    return {name: found[name] for name in found}


def _copy(store: BloscStore, name: str) -> None:
    """Copy a frame as it is, without what may stand behind it."""
    with open(name, "xb") as file:
        if not isinstance(store, FileStore) or not store.copy_to(file):
            file.write(store.cframe())


@contextlib.contextmanager
def _named(path: str, store: BloscStore | PlainStore) -> Iterator[None]:
    """Turn what blosc2 raises into an error that says which file is to blame; it says no more than that it failed."""
    try:
        yield
    except MLArrayError:
        raise
    except OSError as error:
        if error.filename is not None or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, path) from None  # of a write, which names no file
    except RuntimeError as error:
        _check_whole(store)
        free = shutil.disk_usage(os.path.dirname(path)).free  # noqa: PTH120
        code = errno.ENOSPC if free < 1 << 20 else errno.EIO
        raise OSError(code, f"the file could not be written ({error}): is the disk full?", path) from error


def _check_whole(store: BloscStore | PlainStore) -> None:
    """Refuse an array that has a damaged chunk or metadata key.

    Raises
    ------
    FormatError
        It has; it says which.
    """
    if isinstance(store, PlainStore):
        return
    grid = (range(0, size, chunk or 1) for size, chunk in zip(store.shape, store.chunks, strict=True))
    for start in itertools.product(*grid):
        stop = tuple(min(a + c, n) for a, c, n in zip(start, store.chunks, store.shape, strict=True))
        store.read_box(start, stop, np.empty(tuple(map(operator.sub, stop, start)), store.dtype))
    dict(store.keys())


@contextlib.contextmanager
def temporary(path: str) -> Iterator[str]:
    """Give a name beside a path, and take away what stands there under it if anything goes wrong."""
    name = temporary_name(path)
    try:
        yield name
    except BaseException:
        discard(name)
        raise


def temporary_name(path: str) -> str:
    """Return an unused name beside a path, which tells whose it is."""
    folder, name = os.path.split(path)
    short = os.fsdecode(os.fsencode(name)[:_LONGEST]) if len(os.fsencode(name)) > _LONGEST else name
    return os.path.join(folder, f"{short}.{os.getpid()}.{secrets.token_hex(4)}.tmp")  # noqa: PTH118


def discard(name: str) -> None:
    """Take a temporary file away, if it is there."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name)  # noqa: PTH108


def replace(name: str, path: str, *, exclusive: bool = False) -> None:
    """Put a finished file in place, synced, with the permissions of what stood there.

    `exclusive` does so only where nothing stands.

    Raises
    ------
    FileExistsError
        Something stands there, and `exclusive` is set.
    """
    sync(name)
    with contextlib.suppress(OSError):
        os.chmod(name, os.stat(path).st_mode & 0o7777)  # noqa: PTH101, PTH116
    if exclusive:
        _place(name, path)
    else:
        os.replace(name, path)  # noqa: PTH105
    sync(os.path.dirname(path))  # noqa: PTH120


def _place(name: str, path: str) -> None:
    """Give a file a name that nothing has."""
    try:
        os.link(name, path)
    except FileExistsError:
        raise
    except (OSError, AttributeError, NotImplementedError):  # a file system without second names
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, "something stands there by now", path) from None
        os.rename(name, path)  # noqa: PTH104
    else:
        os.unlink(name)  # noqa: PTH108


def sync(path: str) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:  # a folder, on a system that opens none
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
