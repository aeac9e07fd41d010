"""One writer per file: an advisory lock on the file itself, which ends with the process that holds it."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from mlarray.errors import LockedError, Problem

try:
    fcntl: Any = import_module("fcntl")
except ImportError:  # no such locks on this system: nothing is refused there
    fcntl = None


class Lock:
    """A held lock; `release` lets it go."""

    def __init__(self, path: str) -> None:
        """Take the lock of an existing file.

        Raises
        ------
        LockedError
            Another handle, of this process or another, has the file open for writing.
        """
        self._descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
        self._process = os.getpid()
        self._held = False
        if fcntl is None:
            return
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._held = True
        except OSError:
            self.release()
            message = "another handle has the file open for writing; close that one first"
            raise LockedError(Problem("unavailable", (), message), path=path) from None

    def release(self) -> None:
        """Let go; a second time does nothing.

        Children that were forked have the descriptor too: it is the process that took the lock that ends it, for all.
        """
        if self._descriptor >= 0:
            if self._held and self._process == os.getpid():
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            os.close(self._descriptor)
            self._descriptor = -1


def free(path: str) -> bool:
    """Whether no handle has the file open for writing; True where there is no file or no telling."""
    try:
        Lock(path).release()
    except LockedError:
        return False
    except OSError:
        return True
    return True
