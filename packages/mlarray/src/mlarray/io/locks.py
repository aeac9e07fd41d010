"""One writer per file: an advisory lock on the file itself, which ends with the process that holds it."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final

from mlarray.errors import LockedError, Problem

try:
    fcntl: Any = import_module("fcntl")
except ImportError:  # no such locks on this system: nothing is refused there
    fcntl = None

_WAIT: Final = 2.0
_TRIES: Final = 5
_LOOKS: Final = (0.0005, 0.001, 0.002, 0.005, 0.01)
"""For how long a reader may hold the lock, which is a moment."""
_BINARY: Final = getattr(os, "O_BINARY", 0)


class Lock:
    """A held lock; `release` lets it go."""

    def __init__(self, path: str) -> None:
        """Take the lock of the file that stands at a path.

        Raises
        ------
        LockedError
            Another handle, of this process or another, has the file open for writing.
        OSError
            There is no such file, or it may not be opened.
        """
        self._process = os.getpid()
        self._held = False
        self._descriptor = -1
        for _ in range(_TRIES):
            self._take(path)
            if os.path.samestat(os.fstat(self._descriptor), os.stat(path)):  # noqa: PTH116  (speed)
                return
            self.release()  # the file was replaced between the two
        raise LockedError(Problem("unavailable", (), "the file is being replaced all the time"), path=path)

    def _take(self, path: str) -> None:
        self._descriptor = _opened(path)
        if fcntl is None:
            return
        for wait in (*_LOOKS, None):
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._held = True
            except BlockingIOError:
                if wait is None:
                    self.release()
                    raise locked(path) from None
                time.sleep(wait)  # it may be a reader that looks whether there is a writer
            except OSError:  # a file system that knows no such locks: nothing is refused there
                return
            else:
                return

    def release(self) -> None:
        """Let go; a second time does nothing.

        Children that were forked have the descriptor too: it is the process that took the lock that ends it, for all.
        """
        if self._descriptor >= 0:
            if self._held and self._process == os.getpid():
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            os.close(self._descriptor)
            self._descriptor = -1
        self._held = False


def locked(path: str) -> LockedError:
    """Return the error for a file that another handle has open for writing."""
    message = "another handle has the file open for writing; close it first, or save under another name"
    return LockedError(Problem("unavailable", (), message), path=path)


def _opened(path: str) -> int:
    try:
        return os.open(path, os.O_RDWR | _BINARY)
    except PermissionError:
        return os.open(path, os.O_RDONLY | _BINARY)


def written(descriptor: int) -> bool:
    """Whether a handle has an open file open for writing; False where there is no telling."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return False


def free(path: str) -> bool:
    """Whether no handle has the file open for writing; True where there is no file or no telling."""
    try:
        Lock(path).release()
    except LockedError:
        return False
    except OSError:
        return True
    return True


@contextlib.contextmanager
def held(path: str) -> Iterator[None]:
    """Hold the lock of what stands at a path, if something does, while it is replaced.

    Another one that replaces it, which takes a moment, is waited for.

    Raises
    ------
    LockedError
        Another handle has the file open for writing.
    """
    end = time.monotonic() + _WAIT
    lock = None
    while lock is None:
        try:
            lock = Lock(path)
        except LockedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.005)
        except OSError:
            break
    try:
        yield
    finally:
        if lock is not None:
            lock.release()
