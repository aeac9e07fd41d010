"""Files made whole: written under another name in the same folder, synced, and put in place in one step."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mlarray.errors import ArgumentError, LockedError, Problem
from mlarray.io import locks, runtime
from mlarray.io.blosc_store import BloscStore
from mlarray.io.file_store import FileStore, write_keys
from mlarray.io.frame import of_descriptor, read_info
from mlarray.io.memory_store import PlainStore, settings
from mlarray.layout.records import Layout

LONGEST_NAME = 31
LARGEST_VALUE = 2**31 - 33
_COPIED = 1 << 22


def check_keys(keys: Mapping[str, bytes | None]) -> None:
    """Refuse metadata keys that blosc2 cannot hold.

    Raises
    ------
    ArgumentError
        A name is longer than 31 bytes, or a value is larger than 2^31 - 33 bytes.
    """
    for name, raw in keys.items():
        if len(name.encode()) > LONGEST_NAME:
            raise ArgumentError(Problem("out_of_range", (), f"the metadata key {name!r} is longer than 31 bytes"))
        if raw is not None and len(raw) > LARGEST_VALUE:
            message = f"the metadata key {name!r} holds {len(raw)} bytes; at most {LARGEST_VALUE} can be stored"
            raise ArgumentError(Problem("out_of_range", (), message))


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
    OSError
        The disk is full, or the file cannot be written; what stood there still does.
    """
    check_keys(keys)
    own = isinstance(store, FileStore) and store.path == path and store.mode == "r+"
    if not own and not locks.free(path):
        message = "another handle has the file open for writing; close it first, or save under another name"
        raise LockedError(Problem("unavailable", (), message), path=path)
    with temporary(path) as name:
        with _as_os_error(path):
            _write(store, name, keys, layout)
        replace(name, path)
    if own and isinstance(store, FileStore):
        store.reopen()


def _write(store: BloscStore | PlainStore, name: str, keys: Mapping[str, bytes | None], layout: Layout | None) -> None:
    blosc2 = runtime.module()
    if isinstance(store, PlainStore):
        plain = np.ascontiguousarray(store.array).reshape(store.shape)
        array = blosc2.asarray(plain, urlpath=name, mode="w", **settings(layout))
    elif layout is not None:
        array = _cut_anew(store, name, layout)
    else:
        _copy(store, name)
        # Only a frame that is in a file can be given keys; nothing of the data is touched.
        array = blosc2.open(name, mode="a", dparams={"nthreads": 1})
    write_keys(array, {**_foreign(store, layout), **keys}, frozenset(array.schunk.vlmeta.get_names()))


def _foreign(store: BloscStore | PlainStore, layout: Layout | None) -> dict[str, bytes]:
    """Return every key that a copy of the frame does not bring along."""
    if isinstance(store, FileStore) and layout is None:
        return {}
    found = store.keys()
    return {name: found[name] for name in found}


def _cut_anew(store: BloscStore, name: str, layout: Layout) -> Any:
    return store.array.copy(urlpath=name, mode="w", **settings(layout))


def _copy(store: BloscStore, name: str) -> None:
    """Copy a frame as it is, without what may stand behind it."""
    if not isinstance(store, FileStore) or store.mode == "c":
        with open(name, "xb") as file:
            file.write(store.cframe())
        return
    with open(store.path, "rb") as source, open(name, "xb") as file:
        info = read_info(of_descriptor(source.fileno()), os.fstat(source.fileno()).st_size)
        shutil.copyfileobj(source, file, _COPIED)
        file.truncate(info.length)


@contextlib.contextmanager
def _as_os_error(path: str) -> Iterator[None]:
    """Turn what blosc2 raises when it cannot write into an OSError; it says no more than that."""
    try:
        yield
    except OSError:
        raise
    except RuntimeError as error:
        free = shutil.disk_usage(os.path.dirname(path)).free  # noqa: PTH120
        code = errno.ENOSPC if free < 1 << 20 else errno.EIO
        raise OSError(code, f"the file could not be written ({error}); is the disk full?", path) from error


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
    return f"{path}.{os.getpid()}.{secrets.token_hex(4)}.tmp"


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
        os.link(name, path)
        os.unlink(name)  # noqa: PTH108
    else:
        os.replace(name, path)  # noqa: PTH105
    sync(os.path.dirname(path))  # noqa: PTH120


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
