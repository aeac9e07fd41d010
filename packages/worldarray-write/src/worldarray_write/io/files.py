"""Documents in local folders: replaced whole, under a lock that no killed process leaves behind.

tensorstore's own conditional write to local files is not used, for three reasons seen with 0.1.86. A process killed
between writing and renaming leaves its lock file, and the next writer of a shorter document writes over the beginning
of it and keeps its end: a torn document. A generation is made of inode and modification time, which a file system with
coarse times can give to two versions of a file. And it replaces a symbolic link by a file.

Here a writer locks ``<name>.__lock``, the file that tensorstore locks too, so the two exclude each other; compares the
document, byte for byte, with the one that its change was made from; writes the new one into the lock file and renames
that. The kernel drops the lock of a process that ends however it ends, and the next writer empties the file it left.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Final

from worldarray.errors import (
    AccessError,
    ArgumentError,
    StoreExistsError,
    StoreUnavailableError,
    WorldArrayError,
    problem,
)
from worldarray.io import failures
from worldarray.io.retry import REAL, Clock
from worldarray.io.sources import read_file

try:
    import fcntl
except ImportError:  # Windows has none: documents there go through tensorstore
    _fcntl: ModuleType | None = None
else:
    _fcntl = fcntl

SUPPORTED: Final = _fcntl is not None
"""Whether this system has locks that end with the process that holds them."""
LOCK_SUFFIX: Final = ".__lock"
"""What tensorstore calls the file that it locks and renames; the same file, so that the two exclude each other."""
_POLL: Final = 0.01
"""Most seconds between two looks at a lock that is held."""
_HELD: Final = frozenset({errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK})
_NO_SUCH_LOCK: Final = frozenset({errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK})
_DENIED: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_LOCK_FLAGS: Final = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)


def read(path: str) -> bytes | None:
    """Return the bytes of a file, None where there is none.

    Raises
    ------
    AccessError
        It may not be read.
    StoreUnavailableError
        The file system failed.
    """
    try:
        return read_file(path)
    except OSError as error:
        if error.errno in failures.ABSENT:
            return None
        raise failures.of_file(error, path) from error


def is_missing(folder: str) -> bool:
    """Whether there is no such folder, so that none of its documents need be looked for."""
    try:
        os.stat(folder)  # noqa: PTH116 - paths are strings here
    except FileNotFoundError:
        return True
    except OSError:  # told by whoever reads there
        return False
    return False


def replace(path: str, data: bytes, seen: bytes | None, *, timeout: float, clock: Clock = REAL) -> bool:
    """Write a file whole if it still is what was seen; return whether it was written.

    No reader sees a part of it, and neither does a machine that loses power. Folders above it are made.

    Parameters
    ----------
    path, data
        The file and what it is to hold.
    seen
        What it held when `data` was made of it; None for no file.
    timeout
        Seconds to wait for another writer of the file.

    Raises
    ------
    ArgumentError
        It is a symbolic link.
    AccessError
        This user may not write there.
    StoreUnavailableError
        Another process holds the lock for too long, or the file system failed (it is full, say).
    """
    try:
        if seen is None:
            os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120 - paths are strings here
        return _replace(path, data, seen, timeout=timeout, clock=clock)
    except OSError as error:
        if isinstance(error, WorldArrayError):
            raise
        if seen is not None and error.errno in failures.ABSENT:
            return False
        raise _failure(error, path) from error


def refuse_link(path: str) -> None:
    """Refuse a path that is a symbolic link.

    Raises
    ------
    ArgumentError
        It is one, whether or not it leads anywhere.
    """
    if os.path.islink(path):  # noqa: PTH114 - paths are strings here
        message = "is a symbolic link, which is never written through; write to the place that it names"
        raise ArgumentError(problem("wrong_value", (path,), message))


def refuse_bytes(path: str) -> None:
    """Refuse a path that is no UTF-8: tensorstore could not write below it, nor a group list it.

    Raises
    ------
    ArgumentError
        It has bytes that are no UTF-8.
    """
    try:
        path.encode()
    except UnicodeEncodeError as error:
        message = "the name has bytes that are no UTF-8, which no document can say; give another name"
        raise ArgumentError(problem("wrong_value", (ascii(path),), message)) from error


def refuse_obstacles(folder: str, keys: Iterable[str]) -> None:
    """Refuse a folder that cannot be made, or in which documents of these names cannot be written.

    Raises
    ------
    StoreExistsError
        A file stands where the folder goes, or a folder where a document goes.
    ArgumentError
        A name is too long for the file system, or a document is a symbolic link that leads nowhere.
    AccessError
        This user may not write in the folder.
    """
    found = _mode(folder)
    if found is None:
        return
    if not stat.S_ISDIR(found):
        message = "is no folder, and nothing is overwritten; give another path, or remove it first"
        raise StoreExistsError(problem("already_exists", (folder,), message))
    for key in keys:
        path = f"{folder.rstrip('/')}/{key}"
        kind = _mode(path)
        if kind is not None and stat.S_ISDIR(kind):
            message = "is a folder where a document is kept, and nothing is overwritten; move it, or give another path"
            raise StoreExistsError(problem("already_exists", (path,), message))
        if kind is None:
            refuse_link(path)
    if not os.access(folder, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
        message = "this user may not write there; change the permissions or choose another folder"
        raise AccessError(problem("access_denied", (folder,), message))


def contents(folder: str) -> list[str]:
    """Return the names of what stands in a folder, sorted, but for folders that hold no file; none for no folder."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries if not _is_hollow(entry))
    except OSError:
        return []


def _is_hollow(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder without a file at any depth."""
    if not entry.is_dir(follow_symlinks=False):
        return False
    links = (os.path.join(at, name) for at, folders, _ in os.walk(entry.path) for name in folders)  # noqa: PTH118
    files = (name for _, _, names in os.walk(entry.path) for name in names)
    return not any(files) and not any(map(os.path.islink, links))


def _mode(path: str) -> int | None:
    """Return what a path leads to, None for nothing."""
    try:
        return os.stat(path).st_mode  # noqa: PTH116 - paths are strings here
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            message = "the name is too long for the file system; give a shorter one"
            raise ArgumentError(problem("wrong_value", (path,), message)) from error
        return None


def _replace(path: str, data: bytes, seen: bytes | None, *, timeout: float, clock: Clock) -> bool:
    with _locked(path + LOCK_SUFFIX, timeout, clock) as lock:
        refuse_link(path)
        if read(path) != seen:
            return False
        if seen is not None:
            _copy_mode(path, lock)
        view = memoryview(data)
        while view:
            view = view[os.write(lock, view) :]
        os.fsync(lock)
        os.rename(path + LOCK_SUFFIX, path)  # noqa: PTH104 - paths are strings here
    _sync_folder(os.path.dirname(path))  # noqa: PTH120 - paths are strings here
    return True


@contextmanager
def _locked(path: str, timeout: float, clock: Clock) -> Iterator[int]:
    """Hold a lock file, empty; it is removed unless it was renamed."""
    end = clock.now() + timeout
    while (lock := _lock(path)) is None:
        if clock.now() >= end:
            message = (
                f"another process has held the lock {path} for {timeout:g} s; let it end, or remove the file if no "
                "process is writing"
            )
            raise StoreUnavailableError(problem("unavailable", (path,), message))
        clock.sleep(_POLL * clock.jitter())
    try:
        os.ftruncate(lock, 0)  # what a process that was killed had written
        yield lock
    finally:
        if _is(path, lock):
            os.unlink(path)  # noqa: PTH108 - paths are strings here
        os.close(lock)


def _lock(path: str) -> int | None:
    """Return a locked lock file; None where another process holds it, or has just renamed it."""
    handle = os.open(path, _LOCK_FLAGS, 0o666)
    try:
        locked = _try_lock(handle) and _is(path, handle)
    except BaseException:
        os.close(handle)
        raise
    if not locked:
        os.close(handle)
    return handle if locked else None


def _try_lock(handle: int) -> bool:
    """Lock an open file without waiting, the way tensorstore does; return whether that was done."""
    assert _fcntl is not None
    command = getattr(_fcntl, "F_OFD_SETLK", None)
    if command is not None and sys.platform == "linux":
        try:
            _fcntl.fcntl(handle, command, _WHOLE_FILE)
        except OSError as error:
            if error.errno in _HELD:
                return False
            if error.errno not in _NO_SUCH_LOCK:
                raise
        else:
            return True
    try:
        _fcntl.flock(handle, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _HELD:
            return False
        raise
    return True


def _whole_file() -> bytes:
    """Return Linux's ``struct flock`` of an exclusive lock on a whole file; it is owned by the open file."""
    import struct  # noqa: PLC0415 - needed once

    return struct.pack("hhqqi4x", 1 if _fcntl is None else _fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)


_WHOLE_FILE: Final = _whole_file()


def _is(path: str, handle: int) -> bool:
    """Whether a path still names an open file."""
    try:
        found = os.stat(path, follow_symlinks=False)  # noqa: PTH116 - paths are strings here
    except FileNotFoundError:
        return False
    return os.path.samestat(found, os.fstat(handle))


def _copy_mode(path: str, handle: int) -> None:
    """Give a file the permissions of the one that it replaces, as far as this user may."""
    mode = stat.S_IMODE(os.stat(path).st_mode)  # noqa: PTH116 - paths are strings here
    if mode != stat.S_IMODE(os.fstat(handle).st_mode):
        try:
            os.fchmod(handle, mode)
        except PermissionError:  # another user's lock file, left when that process was killed
            return


def _sync_folder(path: str) -> None:
    """Make a rename last through a loss of power, where folders can be synced."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:  # some file systems sync files alone; the document itself is whole
        return
    finally:
        os.close(handle)


def _failure(error: OSError, path: str) -> WorldArrayError:
    if error.errno in _DENIED:
        message = f"this user may not write there ({error.strerror}); change the permissions or choose another folder"
        return AccessError(problem("access_denied", (path,), message))
    if error.errno in _NO_SUCH_LOCK:
        message = f"the file system has no locks ({error.strerror}); mount it with locks, or write elsewhere and copy"
        return StoreUnavailableError(problem("unsupported", (path,), message))
    message = f"the document cannot be written: {error.strerror}"
    return StoreUnavailableError(problem("unavailable", (path,), message))
