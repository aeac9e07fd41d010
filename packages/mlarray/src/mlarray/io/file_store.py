"""An array in a file, opened for reading, for changing it in place, or for changing a copy in memory."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Mapping
from types import SimpleNamespace
from typing import IO, Any, Final

from mlarray.errors import ArgumentError, FormatError, Problem
from mlarray.io import runtime
from mlarray.io.blosc_store import BloscStore
from mlarray.io.frame import FrameInfo, FrameKeys, Read, check_keys, of_bytes, of_descriptor, read_info, read_key
from mlarray.io.frame_header import FIRST, packing
from mlarray.io.locks import Lock, written
from mlarray.io.opening import Buffer, Identity, decodable, from_path, identity, mapped, over
from mlarray.layout.compression import from_cparams
from mlarray.layout.records import Compression

MODES: Final = ("r", "r+", "c")
LARGE: Final = 1 << 20
"""From how many bytes of metadata on a file is opened by blosc2, which copies them, only when a voxel is asked for."""
SMALL: Final = 4 << 10
"""Up to how many bytes a key is packed by LZ4: ZSTD packs better, but takes longer to begin than to unpack them."""
_COPIED: Final = 4 << 20
_TRIES: Final = 8
_PAUSE: Final = 0.003
_BINARY: Final = getattr(os, "O_BINARY", 0)


class FileStore(BloscStore):
    """An open file."""

    path: str
    mode: str
    _buffer: Buffer | None = None
    """The frame, mapped or in memory, of a handle that reads, where blosc2 has not opened the file itself."""

    def __init__(self, path: str, mode: str = "r", *, mmap: bool = True, nthreads: int = 1) -> None:
        """Open a file; see `open_file`."""
        self.path, self.mode, self._nthreads = path, mode, nthreads
        self._maps = mode == "c" or (mmap and mode == "r")
        self._descriptor = -1
        self._array, self._closed = None, False
        self._lock = Lock(path) if mode == "r+" else None
        try:
            self._open()
        except BaseException:
            self._release()
            raise

    def _open(self) -> None:
        threads = runtime.threads(self._nthreads)
        for left in reversed(range(_TRIES)):
            try:
                self._look()
            except FormatError:
                if not left or not written(self._descriptor):
                    raise
                time.sleep(_PAUSE)  # it was looked at while something was written
                continue
            if self.mode == "r" and written(self._descriptor):
                self._buffer = self._snapshot()
                if self._buffer is None:
                    time.sleep(_PAUSE)
                    continue
            elif self.mode == "r" and self._maps and threads == 1:
                self._buffer = mapped(self._descriptor)
            if self.mode == "r" and self._info.length - self._info.trailer > LARGE:
                self._described(threads)
                return
            if self._buffer is not None:
                super().__init__(over(self._buffer, self._info.length, self.path))
                self._drop_descriptor()
                return
            array = from_path(self.path, self.mode, maps=self._maps, nthreads=threads)
            if identity(os.stat(self.path)) == self._identity:  # noqa: PTH116  (speed)
                super().__init__(array, threads)
                self._drop_descriptor()
                return
            del array
        raise FormatError(Problem("unavailable", (), "the file is being changed all the time"), path=self.path)

    def _look(self) -> None:
        """Read what the frame says; the file stays open."""
        self._drop_descriptor()
        self._buffer = None
        self._descriptor = os.open(self.path, os.O_RDONLY | _BINARY)
        status = os.fstat(self._descriptor)
        try:
            self._info: FrameInfo = decodable(read_info(of_descriptor(self._descriptor), status.st_size))
        except FormatError as error:
            raise FormatError(*error.problems, path=self.path) from None
        self._identity = identity(status)
        self._names = dict(self._info.offsets)
        self._values: dict[str, bytes] = {}

    def _snapshot(self) -> bytes | None:
        """Return the frame as it is now; None if it was changed meanwhile.

        Another handle has the file open for writing: what is mapped, or read bit by bit, would change under the reader.
        """
        frame = of_descriptor(self._descriptor)(0, self._info.length)
        return frame if identity(os.fstat(self._descriptor)) == self._identity else None

    def _described(self, threads: int) -> None:
        """Be open without blosc2: the descriptor keeps the file, whatever takes its place at the path."""
        self._array, self._threads, self._made_after = None, threads, runtime.forks()
        self._shape, self._dtype, self._process = self._info.shape, self._info.dtype, os.getpid()

    def _load(self) -> None:
        """Open with blosc2 the very file that was looked at."""
        array, threads = None, runtime.threads(self._threads)
        if self._buffer is None and self._stands():
            array = from_path(self.path, "r", maps=self._maps, nthreads=threads)
            array = array if self._stands() else None
        if array is None:
            if self._buffer is None:  # the path leads elsewhere by now
                self._buffer = of_descriptor(self._descriptor)(0, self._info.length)
            array, threads = over(self._buffer, self._info.length, self.path), 1
        if self._array is None:  # no other thread was faster
            self._take(array, threads)
        self._drop_descriptor()

    @property
    def array(self) -> Any:
        """The blosc2.NDArray underneath.

        Raises
        ------
        FormatError
            blosc2 cannot open it; or a file that is not mapped was replaced, or changed by another process.
        """
        if self._array is None and not self._closed:
            self._load()
        else:
            self._check_unchanged()
        return super().array

    def _check_unchanged(self) -> None:
        """Refuse to go on with a file that is not the one that was opened: blosc2 would look for chunks elsewhere.

        One that was replaced is still mapped. One that was written to is as it was if nothing in it has moved.
        """
        if isinstance(self._buffer, bytes) or self._closed:
            return
        try:
            found: Identity | None = identity(os.stat(self.path))  # noqa: PTH116  (speed)
        except OSError:
            found = None
        if found == self._identity:
            return
        if found is None or found[:2] != self._identity[:2]:
            if self._maps:
                return
        elif self.mode == "r+" or self._as_it_was(found):
            self._identity = found
            return
        message = "the file was changed or replaced by another handle since it was opened; open it again"
        raise FormatError(Problem("unavailable", (), message), path=self.path)

    def _as_it_was(self, found: Identity) -> bool:
        with open(self.path, "rb") as file:
            if identity(os.fstat(file.fileno())) != found:
                return False
            try:
                return read_info(of_descriptor(file.fileno()), found[3]) == self._info
            except FormatError:
                return False

    def _stands(self) -> bool:
        """Whether the path leads to the file that was looked at, unchanged."""
        try:
            return identity(os.stat(self.path)) == self._identity  # noqa: PTH116  (speed)
        except OSError:
            return False

    def _after_fork(self) -> None:
        """Make the array one of this process: opened anew if it has threads, or copied if the file was replaced."""
        if self._threads == 1 or self.mode == "c" or not self._stands():
            super()._after_fork()
        else:
            self._take(from_path(self.path, "r", maps=self._maps, nthreads=1), 1)

    @property
    def chunks(self) -> tuple[int, ...]:
        """How the array is cut."""
        return self._info.chunks

    @property
    def blocks(self) -> tuple[int, ...]:
        """How a chunk is cut."""
        return self._info.blocks

    @property
    def compression(self) -> Compression:
        """How its chunks are compressed; known without opening the file by blosc2."""
        if self._array is not None or self._closed:
            return super().compression
        found, blosc2 = packing(of_descriptor(self._descriptor)(0, FIRST)), runtime.module()
        named = SimpleNamespace(
            codec=blosc2.Codec(found.codec),
            clevel=found.clevel,
            filters=[blosc2.Filter(number) for number in found.filters],
            filters_meta=found.filters_meta,
        )
        return from_cparams(named)

    def keys(self) -> Mapping[str, bytes]:
        """Every metadata key; its bytes are read when it is looked up, once."""
        return FrameKeys(dict(self._names), self._fetch)

    def _fetch(self, name: str) -> bytes:
        if name not in self._values:
            self._values[name] = self._read(name)
        return self._values[name]

    def _read(self, name: str) -> bytes:
        """Read a key from the file, or, where the path holds another file by now, through the open array."""
        if self._buffer is not None:
            return self._at(name, of_bytes(self._buffer), self._info)
        try:
            descriptor = (
                os.dup(self._descriptor) if self._descriptor >= 0 else os.open(self.path, os.O_RDONLY | _BINARY)
            )
        except OSError:
            return self._through_array(name)
        try:
            found, read = os.fstat(descriptor), of_descriptor(descriptor)
            if identity(found) == self._identity:
                return self._at(name, read, self._info)
            if self.mode == "r+" and identity(found)[:2] == self._identity[:2]:  # changed through this handle
                return self._at(name, read, read_info(read, found.st_size))
        finally:
            os.close(descriptor)
        return self._through_array(name)

    def _at(self, name: str, read: Read, info: FrameInfo) -> bytes:
        try:
            return read_key(read, info, name)
        except FormatError as error:
            raise FormatError(*error.problems, path=self.path) from None

    def _through_array(self, name: str) -> bytes:
        """Read a key as blosc2 has it; it loses memory each time, so this is for what cannot be read from the file."""
        array = super().array  # stays referenced for as long as its metadata is used
        try:
            found: bytes = array.schunk.vlmeta.get_vlmeta(name)
        except (KeyError, RuntimeError, AttributeError):
            message = f"the metadata key {name!r} cannot be read any more: the file was changed by another process"
            raise FormatError(Problem("corrupt", (), message), path=self.path) from None
        return found

    def copy_to(self, target: IO[bytes]) -> bool:
        """Copy the frame, without what may stand behind it; False where it is not in the file at the path."""
        if self.mode == "c" or self.closed:
            return False
        try:
            source = os.dup(self._descriptor) if self._descriptor >= 0 else os.open(self.path, os.O_RDONLY | _BINARY)
        except FileNotFoundError:  # it was taken away, and is mapped still
            return False
        with open(source, "rb") as file:
            found = identity(os.fstat(source))
            changed = found[:2] if self.mode == "r+" else found
            if changed != self._identity[: len(changed)]:
                return False
            try:
                length = read_info(of_descriptor(source), found[3]).length
            except FormatError as error:
                raise FormatError(*error.problems, path=self.path) from None
            file.seek(0)
            shutil.copyfileobj(file, target, _COPIED)
        target.truncate(length)
        return True

    def set_keys(self, keys: Mapping[str, bytes | None]) -> None:
        """Write raw keys into the file (into memory for mode "c"); None takes one away.

        Raises
        ------
        ReadOnlyError
            The file was opened for reading.
        ArgumentError
            A name or a value is too long.
        OSError
            They cannot be written: the disk is full, or the like.
        """
        array = self.writable()
        try:
            write_keys(array, keys, frozenset(self._names))
        except RuntimeError as error:
            raise self._unwritable(error) from None
        for name, raw in keys.items():
            if raw is None:
                self._names.pop(name, None)
                self._values.pop(name, None)
            else:
                self._names[name], self._values[name] = 0, raw

    def reopen(self, lock: Lock | None) -> None:
        """Open what stands at the path now, after it was replaced, whose lock is held if it is open for writing."""
        self._release()
        self._lock = lock
        self._open()

    def close(self) -> None:
        """Let go of the file and of its lock; a second time does nothing."""
        super().close()
        self._release()

    def _release(self) -> None:
        self._buffer = None
        self._drop_descriptor()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _drop_descriptor(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __del__(self) -> None:
        if getattr(self, "_descriptor", -1) >= 0:
            self._drop_descriptor()


def write_keys(array: Any, keys: Mapping[str, bytes | None], present: frozenset[str]) -> None:
    """Write raw metadata keys into a blosc2.NDArray that may be written to; None takes one away.

    Raises
    ------
    ArgumentError
        A name or a value is too long.
    RuntimeError
        As blosc2 finds.
    """
    check_keys(keys, present)
    metadata, codecs = array.schunk.vlmeta, runtime.module().Codec
    for name in present.intersection(name for name, raw in keys.items() if raw is None):
        metadata.del_vlmeta(name)
    for name, raw in keys.items():
        if raw is not None:
            codec = codecs.LZ4 if len(raw) <= SMALL else codecs.ZSTD
            metadata.set_vlmeta(name, raw, codec=codec, typesize=1, nthreads=1)


def open_file(path: str, mode: str = "r", *, mmap: bool = True, nthreads: int = 1) -> FileStore:
    """Open a file of a resolved path.

    Parameters
    ----------
    path
        As `paths.resolve` leaves it.
    mode
        "r"; "r+" to change the file in place, alone; "c" to change a copy in memory.
    mmap
        Whether the file is mapped rather than read; mode "c" always maps, mode "r+" never does. A mapped file may be
        replaced by another; one that is not cannot be read from then on.
    nthreads
        How many threads decode.

    Raises
    ------
    FormatError
        It is no whole frame of an array that files may hold.
    LockedError
        Another handle has the file open with "r+".
    PermissionError
        The mode is "r+", and the file cannot be written to.
    """
    if mode not in MODES:
        raise ArgumentError(Problem("wrong_value", ("mode",), f"the mode {mode!r} is none of {', '.join(MODES)}"))
    if mode == "r+" and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "the file cannot be written to; open it with mode='r', or 'c'", path)
    return FileStore(path, mode, mmap=mmap, nthreads=nthreads)
