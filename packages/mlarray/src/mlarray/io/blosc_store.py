"""An array of blosc2 as a store: what a file and a compressed array in memory share."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlarray.errors import ClosedError, FormatError, MLArrayError, Problem, ReadOnlyError
from mlarray.io import access, runtime
from mlarray.layout.compression import from_cparams
from mlarray.layout.records import Compression, Layout


def closed() -> ClosedError:
    """Return the error for a handle that is used after it was closed."""
    return ClosedError(Problem("closed", (), "this array is closed; open its file again"))


class BloscStore:
    """Voxels in a blosc2.NDArray."""

    path: str | None = None
    mode: str | None = None

    def __init__(self, array: Any, nthreads: int = 1) -> None:
        self._take(array, nthreads)
        self._closed = False
        self._shape: tuple[int, ...] = tuple(array.shape)
        self._dtype: np.dtype[Any] = np.dtype(array.dtype)
        self._process = os.getpid()

    def _take(self, array: Any, nthreads: int) -> None:
        self._array: Any = array
        self._threads = nthreads
        self._made_after = runtime.forks()
        if nthreads > 1:
            runtime.note_threads(self)

    @property
    def array(self) -> Any:
        """The blosc2.NDArray underneath; in a forked child, one that does not need the threads of its parent."""
        if self._closed:
            raise closed()
        if self._made_after != runtime.forks():
            self._after_fork()
        return self._array

    @property
    def inherited(self) -> bool:
        """Whether it is open for writing in the process that this one was forked from, which alone writes."""
        return self.mode in {"r+", "w"} and self._process != os.getpid()

    def leave_behind(self) -> None:
        """Never free the array, in a forked child, where its threads are not."""
        if self._array is not None:
            runtime.keep_for_ever(self._array)

    def _after_fork(self) -> None:
        """Make the array one of this process: a copy, if it has threads."""
        if self._threads > 1:
            self._take(runtime.in_memory(self._array.to_cframe()), 1)
        self._made_after = runtime.forks()

    @property
    def shape(self) -> tuple[int, ...]:
        """Size per axis, C order."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """As stored, byte order too."""
        return self._dtype

    @property
    def layout(self) -> Layout:
        """Chunk, block and compression as stored."""
        array = self.array
        return Layout(tuple(array.chunks), tuple(array.blocks), None, self.compression)

    @property
    def compression(self) -> Compression:
        """How its chunks are compressed."""
        return from_cparams(self.array.schunk.cparams)

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    @property
    def chunks(self) -> tuple[int, ...]:
        """How the array is cut."""
        return tuple(self.array.chunks)

    @property
    def blocks(self) -> tuple[int, ...]:
        """How a chunk is cut."""
        return tuple(self.array.blocks)

    def __getitem__(self, key: Any) -> Any:
        """Return what numpy gives for the key."""
        if self._closed:
            raise closed()
        return access.get(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.writable()
        access.put(self, key, value)

    def writable(self) -> Any:
        """Return the blosc2.NDArray to write to.

        Raises
        ------
        ReadOnlyError
            The file was opened for reading, or by the process that this one was forked from.
        """
        if self.inherited:
            message = "the file is open for writing in the process that this one was forked from, which alone writes"
            raise ReadOnlyError(Problem("read_only", (), message), path=self.path)
        if self.mode == "r":
            message = "the file is open for reading; open it with mode='r+' to write, or 'c' to change a copy in memory"
            raise ReadOnlyError(Problem("read_only", (), message), path=self.path)
        return self.array

    def read_box(self, start: tuple[int, ...], stop: tuple[int, ...], out: NDArray[Any]) -> None:
        """Read a box that lies inside the array, and is not empty, into a C-contiguous array of its shape and dtype.

        Raises
        ------
        FormatError
            A chunk is damaged.
        """
        try:
            self.array.get_slice_numpy(out, (start, stop))
        except (RuntimeError, ValueError, MemoryError) as error:
            raise self._unreadable(start, stop, error) from None

    def _unreadable(self, start: tuple[int, ...], stop: tuple[int, ...], error: Exception) -> Exception:
        if isinstance(error, MLArrayError | MemoryError):
            return error
        message = f"the voxels from {start} to {stop} cannot be read: a chunk is damaged ({error})"
        return FormatError(Problem("corrupt", (), message), path=self.path)

    def write_box(self, start: tuple[int, ...], stop: tuple[int, ...], values: NDArray[Any]) -> None:
        """Write a box that lies inside the array, and is not empty, from a C-contiguous array of its shape and dtype.

        Raises
        ------
        OSError
            The file cannot be written: its disk is full, or the like.
        FormatError
            A chunk that has to be read for it is damaged.
        """
        try:
            self.writable()[tuple(map(slice, start, stop))] = values
        except RuntimeError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: RuntimeError) -> Exception:
        if isinstance(error, MLArrayError) or self.path is None:
            return error
        return OSError(errno.EIO, f"it cannot be written ({error}): is the disk full, or a chunk damaged?", self.path)

    def keys(self) -> Mapping[str, bytes]:
        """Every metadata key with its raw bytes."""
        raise NotImplementedError

    def cframe(self) -> bytes:
        """Return the whole array as the bytes of one frame."""
        found: bytes = self.array.to_cframe()
        return found

    def flush(self) -> None:
        """Write out what is pending: nothing is."""

    def close(self) -> None:
        """Let go of the array; a second time does nothing."""
        self._array, self._closed = None, True
