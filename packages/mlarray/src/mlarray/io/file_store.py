"""An array in a file, opened for reading, for changing it in place, or for changing a copy in memory."""

from __future__ import annotations

import dataclasses
import mmap
import os
import shutil
from collections.abc import Mapping
from typing import IO, Any, Final

from mlarray.errors import ArgumentError, FormatError, Problem
from mlarray.io import runtime
from mlarray.io.blosc_store import BloscStore
from mlarray.io.frame import FrameInfo, FrameKeys, Read, check_keys, of_bytes, of_descriptor, read_info, read_key
from mlarray.io.frame_header import damaged
from mlarray.io.locks import Lock

MODES: Final = ("r", "r+", "c")
LARGE: Final = 1 << 20
"""From how many bytes of metadata on a file is opened by blosc2, which copies them, only when a voxel is asked for."""
SMALL: Final = 4 << 10
"""Up to how many bytes a key is packed by LZ4: ZSTD packs better, but takes longer to begin than to unpack them."""
_COPIED: Final = 4 << 20
_TRIES: Final = 5
_BINARY: Final = getattr(os, "O_BINARY", 0)
Identity = tuple[int, int, int, int]


class FileStore(BloscStore):
    """An open file."""

    path: str
    mode: str
    _mapping: mmap.mmap | None = None
    """The file, mapped, of a handle that reads with one thread."""

    def __init__(self, path: str, mode: str = "r", *, mmap: bool = True, nthreads: int = 1) -> None:
        """Open a file; see `open_file`."""
        self.path, self.mode, self._nthreads = path, mode, nthreads
        self._mapped = mode == "c" or (mmap and mode == "r")
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
        for _ in range(_TRIES):
            self._look()
            if self.mode == "r" and self._info.length - self._info.trailer > LARGE:
                self._described(threads)
                return
            if self._mapping is not None:
                super().__init__(over(self._mapping, self._info.length, self.path), threads)
                self._drop_descriptor()
                return
            self._drop_descriptor()
            array = _opened(self.path, self.mode, mapped=self._mapped, nthreads=threads)
            if _identity(os.stat(self.path)) == self._identity:  # noqa: PTH116  (speed)
                super().__init__(array, threads)
                return
            del array
        raise FormatError(Problem("unavailable", (), "the file is being changed all the time"), path=self.path)

    def _look(self) -> None:
        """Read what the frame says; the file stays open."""
        self._drop_descriptor()
        self._descriptor = os.open(self.path, os.O_RDONLY | _BINARY)
        status = os.fstat(self._descriptor)
        try:
            self._info = decodable(read_info(of_descriptor(self._descriptor), status.st_size))
        except FormatError as error:
            raise FormatError(*error.problems, path=self.path) from None
        self._identity = _identity(status)
        self._names = dict(self._info.offsets)
        self._values: dict[str, bytes] = {}
        alone = self.mode == "r" and runtime.threads(self._nthreads) == 1
        self._mapping = _mapping(self._descriptor) if alone and self._mapped else None

    def _described(self, threads: int) -> None:
        """Be open without blosc2: the descriptor keeps the file, whatever takes its place at the path."""
        self._array, self._threads, self._made_after = None, threads, runtime.forks()
        self._shape, self._dtype, self._process = self._info.shape, self._info.dtype, os.getpid()

    def _load(self) -> None:
        """Open with blosc2 the very file that was looked at."""
        if self._mapping is not None:
            self._take(over(self._mapping, self._info.length, self.path), 1)
            self._drop_descriptor()
            return
        threads = runtime.threads(self._threads)
        array = _opened(self.path, "r", mapped=self._mapped, nthreads=threads) if self._stands() else None
        if array is None or not self._stands():
            frame = of_descriptor(self._descriptor)(0, self._info.length)
            array, threads = runtime.in_memory(frame, self.path), 1
            self._mapped = True  # in memory, where nothing that happens to the path matters
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
        elif not self._mapped:
            self._check_unchanged()
        return super().array

    def _check_unchanged(self) -> None:
        """Refuse to go on with a file that is another one by now: what is known of it is not true of that one."""
        if self._closed:
            return
        try:
            found = _identity(os.stat(self.path))  # noqa: PTH116  (speed)
        except OSError:
            found = (0, 0, 0, 0)
        if found != self._identity and (self.mode == "r" or found[:2] != self._identity[:2]):
            message = "the file was changed or replaced by another process since it was opened; open it again"
            raise FormatError(Problem("unavailable", (), message), path=self.path)

    def _stands(self) -> bool:
        """Whether the path leads to the file that was looked at, unchanged."""
        try:
            return _identity(os.stat(self.path)) == self._identity  # noqa: PTH116  (speed)
        except OSError:
            return False

    def _after_fork(self) -> None:
        """Make the array one of this process: opened anew if it has threads, or copied if the file was replaced."""
        if self._threads == 1 or self.mode == "c" or not self._stands():
            super()._after_fork()
        else:
            self._take(_opened(self.path, "r", mapped=self._mapped, nthreads=1), 1)

    @property
    def chunks(self) -> tuple[int, ...]:
        """How the array is cut."""
        return self._info.chunks

    @property
    def blocks(self) -> tuple[int, ...]:
        """How a chunk is cut."""
        return self._info.blocks

    def keys(self) -> Mapping[str, bytes]:
        """Every metadata key; its bytes are read when it is looked up, once."""
        return FrameKeys(dict(self._names), self._fetch)

    def _fetch(self, name: str) -> bytes:
        if name not in self._values:
            self._values[name] = self._read(name)
        return self._values[name]

    def _read(self, name: str) -> bytes:
        """Read a key from the file, or, where the path holds another file by now, through the open array."""
        mapping = self._mapping
        if mapping is not None:
            return self._at(name, of_bytes(mapping))
        try:
            descriptor = (
                os.dup(self._descriptor) if self._descriptor >= 0 else os.open(self.path, os.O_RDONLY | _BINARY)
            )
        except OSError:
            return self._through_array(name)
        try:
            found, read = os.fstat(descriptor), of_descriptor(descriptor)
            if _identity(found) == self._identity:
                return read_key(read, self._info, name)
            if self.mode == "r+" and _identity(found)[:2] == self._identity[:2]:  # changed through this handle
                return read_key(read, read_info(read, found.st_size), name)
        except FormatError as error:
            raise FormatError(*error.problems, path=self.path) from None
        finally:
            os.close(descriptor)
        return self._through_array(name)

    def _at(self, name: str, read: Read) -> bytes:
        try:
            return read_key(read, self._info, name)
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
        source = os.dup(self._descriptor) if self._descriptor >= 0 else os.open(self.path, os.O_RDONLY | _BINARY)
        with open(source, "rb") as file:
            found = _identity(os.fstat(source))
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
        self._mapping = None
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
    check_keys(keys)
    metadata, codecs = array.schunk.vlmeta, runtime.module().Codec
    for name, raw in keys.items():
        if raw is not None:
            codec = codecs.LZ4 if len(raw) <= SMALL else codecs.ZSTD
            metadata.set_vlmeta(name, raw, codec=codec, typesize=1, nthreads=1)
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
    """
    if mode not in MODES:
        raise ArgumentError(Problem("wrong_value", ("mode",), f"the mode {mode!r} is none of {', '.join(MODES)}"))
    return FileStore(path, mode, mmap=mmap, nthreads=nthreads)


def decodable(info: FrameInfo) -> FrameInfo:
    """Refuse a frame whose codec or filters this blosc2 does not have: it would not say so.

    Raises
    ------
    FormatError
        There is one.
    """
    blosc2 = runtime.module()
    for kind, numbers in ((blosc2.Codec, (info.codec,)), (blosc2.Filter, info.filters)):
        for number in numbers:
            try:
                kind(number)
            except ValueError:
                message = f"it is compressed with a {kind.__name__.lower()} that this blosc2 does not have: {number}"
                raise FormatError(Problem("unsupported", (), message)) from None
    return info


def over(mapping: mmap.mmap, length: int, path: str) -> Any:
    """Return the blosc2.NDArray of a frame that was looked at already, in a file that is mapped: nothing is copied.

    blosc2 maps a file as well; it takes longer to open one, and a little longer to read.

    Raises
    ------
    FormatError
        blosc2 cannot read it.
    """
    frame = memoryview(mapping)[:length]
    try:
        found = runtime.module().ndarray_from_cframe(frame, copy=False)
    except runtime.REFUSALS as error:
        raise damaged(str(error), path) from None
    found.frame = frame  # blosc2 keeps its address alone
    return found


def _mapping(descriptor: int) -> mmap.mmap | None:
    """Return a file mapped for reading; None where it cannot be."""
    try:
        return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):
        return None


def _identity(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size


def _opened(path: str, mode: str, *, mapped: bool, nthreads: int) -> Any:
    """Return what blosc2 opens at a path."""
    try:
        found = runtime.open_frame(
            path, "a" if mode == "r+" else "r", mmap_mode=mode if mapped else None, nthreads=nthreads
        )
    except FileNotFoundError:
        raise
    except UnicodeEncodeError:
        message = "the name of the file, or of its folder, is no UTF-8 text, which blosc2 needs; rename it"
        raise FormatError(Problem("unsupported", (), message), path=path) from None
    except runtime.REFUSALS as error:
        raise damaged(f"truncated? {error}", path) from None
    if not isinstance(found, runtime.module().NDArray):
        message = f"it holds a {type(found).__name__}, not an array"
        raise FormatError(Problem("wrong_type", (), message), path=path)
    if mode != "r":
        # As many threads compress as decode; given to `open`, it would set the other settings back to defaults.
        found.schunk.cparams = dataclasses.replace(found.schunk.cparams, nthreads=nthreads)
    return found
