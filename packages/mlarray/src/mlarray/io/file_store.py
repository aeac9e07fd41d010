"""An array in a file, opened for reading, for changing it in place, or for changing a copy in memory."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import Any, Final

from mlarray.errors import ArgumentError, FormatError, Problem
from mlarray.io import runtime
from mlarray.io.blosc_store import BloscStore
from mlarray.io.frame import FrameInfo, FrameKeys, damaged, of_descriptor, read_info, read_key
from mlarray.io.locks import Lock

MODES: Final = ("r", "r+", "c")
_TRIES: Final = 5
Identity = tuple[int, int, int]


class FileStore(BloscStore):
    """An open file."""

    path: str
    mode: str

    def __init__(self, path: str, mode: str = "r", *, mmap: bool = True, nthreads: int = 1) -> None:
        """Open a file; see `open_file`."""
        self.path, self.mode, self._mmap, self._nthreads = path, mode, mmap, nthreads
        self._lock = Lock(path) if mode == "r+" else None
        try:
            self._open()
        except BaseException:
            self._release()
            raise

    def _open(self) -> None:
        threads = runtime.threads(self._nthreads)
        array, self._info, self._identity = _opened(self.path, self.mode, self._mmap, threads)
        super().__init__(array, threads)
        self._names = dict(self._info.offsets)
        self._values: dict[str, bytes] = {}

    def _after_fork(self) -> None:
        """Open the file anew, for reading; what was changed in memory (mode "c") is copied."""
        if self.mode == "c":
            super()._after_fork()
            return
        self._array, self._info, self._identity = _opened(self.path, "r", self._mmap and self.mode == "r", 1)
        self._threads, self._made_after = 1, runtime.forks()

    def keys(self) -> Mapping[str, bytes]:
        """Every metadata key; its bytes are read when it is looked up, once."""
        return FrameKeys(dict(self._names), self._fetch)

    def _fetch(self, name: str) -> bytes:
        if name not in self._values:
            self._values[name] = self._read(name)
        return self._values[name]

    def _read(self, name: str) -> bytes:
        """Read a key from the file, or, where the path holds another file by now, through the open array."""
        try:
            descriptor = os.open(self.path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        except OSError:
            return self._through_array(name)
        try:
            if _identity(os.fstat(descriptor)) == self._identity:
                return read_key(of_descriptor(descriptor), self._info, name)
        except FormatError as error:
            raise FormatError(*error.problems, path=self.path) from None
        finally:
            os.close(descriptor)
        return self._through_array(name)

    def _through_array(self, name: str) -> bytes:
        array = self.array  # stays referenced for as long as its metadata is used
        metadata = array.schunk.vlmeta
        try:
            found: bytes = metadata.get_vlmeta(name)
        except (KeyError, RuntimeError):
            message = f"the metadata key {name!r} cannot be read any more"
            raise FormatError(Problem("corrupt", (), message), path=self.path) from None
        return found

    def set_keys(self, keys: Mapping[str, bytes | None]) -> None:
        """Write raw keys into the file (into memory for mode "c"); None takes one away.

        Raises
        ------
        ReadOnlyError
            The file was opened for reading.
        """
        array = self.writable()
        write_keys(array, keys, frozenset(self._names))
        for name, raw in keys.items():
            if raw is None:
                self._names.pop(name, None)
                self._values.pop(name, None)
            else:
                self._names[name], self._values[name] = 0, raw

    def reopen(self) -> None:
        """Open what stands at the path now, after it was replaced."""
        lock, self._lock = self._lock, None
        self._array = None
        if lock is not None:
            lock.release()
            self._lock = Lock(self.path)
        self._open()

    def close(self) -> None:
        """Let go of the file and of its lock; a second time does nothing."""
        super().close()
        self._release()

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None


def write_keys(array: Any, keys: Mapping[str, bytes | None], present: frozenset[str]) -> None:
    """Write raw metadata keys into a blosc2.NDArray that may be written to; None takes one away."""
    metadata = array.schunk.vlmeta
    for name, raw in keys.items():
        if raw is not None:
            metadata.set_vlmeta(name, raw, typesize=1, nthreads=1)
        elif name in present:
            metadata.del_vlmeta(name)


def open_file(path: str, mode: str = "r", *, mmap: bool = True, nthreads: int = 1) -> FileStore:
    """Open a file of a resolved path.

    Parameters
    ----------
    path
        As `paths.resolve` leaves it.
    mode
        "r"; "r+" to change the file in place, alone; "c" to change a copy in memory.
    mmap
        Whether the file is mapped rather than read; mode "c" always maps, mode "r+" never does.
    nthreads
        How many threads decode.

    Raises
    ------
    FormatError
        It is no whole frame of an array that files may hold.
    LockedError
        Another handle has the file open with "r+".
    """
    if mode not in MODES:
        raise ArgumentError(Problem("wrong_value", ("mode",), f"the mode {mode!r} is none of {', '.join(MODES)}"))
    return FileStore(path, mode, mmap=mmap, nthreads=nthreads)


def _identity(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino, status.st_mtime_ns


def _opened(path: str, mode: str, mmap: bool, nthreads: int) -> tuple[Any, FrameInfo, Identity]:
    """Open a file, and make sure that what was looked at and what was opened are one."""
    for _ in range(_TRIES):
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        try:
            status = os.fstat(descriptor)
            info = read_info(of_descriptor(descriptor), status.st_size)
        except FormatError as error:
            raise FormatError(*error.problems, path=path) from None
        finally:
            os.close(descriptor)
        array = _array(path, mode, mmap, nthreads)
        identity = _identity(status)
        if _identity(os.stat(path)) == identity:  # noqa: PTH116  (speed)
            return array, info, identity
        del array
    raise FormatError(Problem("unavailable", (), "the file is being replaced all the time"), path=path)


def _array(path: str, mode: str, mmap: bool, nthreads: int) -> Any:
    blosc2 = runtime.module()
    options: dict[str, Any] = {"mode": "a" if mode == "r+" else "r", "dparams": {"nthreads": nthreads}}
    if mode == "c" or (mmap and mode == "r"):
        options["mmap_mode"] = mode
    try:
        found = blosc2.open(path, **options)
    except FileNotFoundError:
        raise
    except (RuntimeError, ValueError, TypeError, KeyError, OSError, MemoryError) as error:
        raise damaged(f"truncated? {error}", path) from None
    if not isinstance(found, blosc2.NDArray):
        message = f"it holds a {type(found).__name__}, not an array"
        raise FormatError(Problem("wrong_type", (), message), path=path)
    if mode != "r":
        # As many threads compress as decode; given to `open`, it would set the other settings back to defaults.
        found.schunk.cparams = dataclasses.replace(found.schunk.cparams, nthreads=nthreads)
    return found
