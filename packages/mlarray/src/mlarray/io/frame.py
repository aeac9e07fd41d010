"""The frame of blosc2, read without opening the array: its header, its trailer, and one metadata key at a time.

A frame begins with a msgpack list (magic, length of this header, length of the frame, flags, …, metalayers), then come
the chunks, then a trailer that names every variable-length metadata key with where it lies. So a key is found with a
few small reads, however large the array and the other keys are, and no memory of the C library is lost on the way.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgpack
import numpy as np

from mlarray.errors import ArgumentTypeError, FormatError, Problem
from mlarray.io.dtypes import MOST_AXES, check_dtype

Read = Callable[[int, int], bytes]
"""From an offset and a count to that many bytes, fewer at the end."""

MAGIC: Final = b"b2frame\0"
_FIRST: Final = 1024
_TAIL: Final = 22
_SMALLEST_HEADER: Final = 32
_LARGEST_HEADER: Final = 1 << 20


@dataclass(frozen=True)
class FrameInfo:
    """What header and trailer say of an array."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    chunks: tuple[int, ...]
    blocks: tuple[int, ...]
    length: int
    """Of the whole frame, in bytes; a file may go on behind it."""
    trailer: int
    """Where the trailer begins."""
    offsets: Mapping[str, int]
    """Where each metadata key lies, from the trailer's begin."""


def damaged(what: str, path: str | None = None) -> FormatError:
    """Return the error for a file that is not a whole frame."""
    return FormatError(Problem("corrupt", (), f"not a readable blosc2 file ({what})"), path=path)


def of_bytes(frame: bytes) -> Read:
    """Return a reader of a frame in memory."""
    return lambda offset, count: frame[offset : offset + count]


def of_descriptor(descriptor: int) -> Read:
    """Return a reader of an open file."""
    return lambda offset, count: os.pread(descriptor, count, offset)


def read_info(read: Read, size: int) -> FrameInfo:
    """Return what a frame's header and trailer say.

    Parameters
    ----------
    read
        Reads from the frame.
    size
        How many bytes there are, at least the frame's own.

    Raises
    ------
    FormatError
        It is no frame of an n-dimensional array, or it is cut short or damaged.
    """
    head = read(0, _FIRST)
    if len(head) < _SMALLEST_HEADER or head[2:10] != MAGIC:
        empty = "the file is empty" if not head else "it does not begin as one; truncated?"
        raise damaged(empty)
    header_length, length = struct.unpack(">xi", head[10:15])[0], struct.unpack(">Q", head[16:24])[0]
    if not _SMALLEST_HEADER <= header_length <= _LARGEST_HEADER or length < header_length + _TAIL:
        raise damaged("its header is damaged")
    if length > size:
        raise damaged(f"truncated? {length} bytes belong there, and {size} are there")
    if header_length > len(head):
        head = read(0, header_length)
    shape, chunks, blocks, dtype = _array(head[:header_length])
    trailer, offsets = _trailer(read, length)
    return FrameInfo(shape, dtype, chunks, blocks, length, trailer, offsets)


def _array(header: bytes) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], np.dtype[Any]]:
    fields = _unpack(header, "its header")
    if not isinstance(fields, list) or len(fields) < 14 or not isinstance(fields[13], list):
        raise damaged("its header is damaged")
    layers = fields[13]
    names = list(layers[1]) if len(layers) == 3 and isinstance(layers[1], dict) else []
    if b"b2nd" not in names:
        raise FormatError(Problem("wrong_type", (), "a blosc2 file that holds no n-dimensional array"))
    array = _unpack(layers[2][names.index(b"b2nd")], "the shape in its header")
    if not isinstance(array, list) or len(array) < 5 or not all(isinstance(part, list) for part in array[2:5]):
        raise damaged("the shape in its header is damaged")
    shape, chunks, blocks = (tuple(part) for part in array[2:5])
    sizes = [*shape, *chunks, *blocks]
    if not len(shape) == len(chunks) == len(blocks) or not all(isinstance(n, int) and n >= 0 for n in sizes):
        raise damaged("the shape in its header is damaged")
    if len(shape) > MOST_AXES:
        raise FormatError(Problem("unsupported", (), f"the array has {len(shape)} axes; at most {MOST_AXES} are read"))
    dtype = _dtype(array)
    if _bytes(shape, chunks, blocks, dtype.itemsize) != fields[4]:
        raise damaged("its header gives a shape and a size that disagree")
    return shape, chunks, blocks, dtype


def _bytes(shape: Sequence[int], chunks: Sequence[int], blocks: Sequence[int], itemsize: int) -> int:
    """Return how many bytes all chunks hold, each filled up to whole blocks, and the array to whole chunks."""
    found = itemsize
    for size, chunk, block in zip(shape, chunks, blocks, strict=True):
        if not size:
            return 0
        found *= -(-size // max(chunk, 1)) * -(-chunk // max(block, 1)) * block
    return found


def _dtype(array: list[Any]) -> np.dtype[Any]:
    text = array[6] if len(array) > 6 else b"|u1"
    try:
        return check_dtype(np.dtype(text.decode("ascii") if isinstance(text, bytes) else text))
    except ArgumentTypeError as error:
        raise FormatError(*error.problems) from None
    except (TypeError, ValueError, UnicodeDecodeError):
        shown = repr(text)[:60]
        raise FormatError(
            Problem("unsupported", (), f"the dtype {shown} of the array is not one that files hold")
        ) from None


def _trailer(read: Read, length: int) -> tuple[int, dict[str, int]]:
    tail = read(length - _TAIL, 4)
    size = struct.unpack(">I", tail)[0] if len(tail) == 4 else 0
    if not _TAIL < size <= length:
        raise damaged("truncated? its trailer is damaged")
    start = length - size
    count = min(size, 4096)
    while True:
        unpacker = msgpack.Unpacker(raw=True, strict_map_key=False, max_buffer_size=0)
        unpacker.feed(read(start, count))
        try:
            unpacker.read_array_header()
            unpacker.unpack()
            unpacker.read_array_header()
            unpacker.unpack()
            offsets = unpacker.unpack()
            break
        except msgpack.OutOfData:
            if count >= size:
                raise damaged("its trailer is damaged") from None
            count = min(size, count * 8)
        except (ValueError, TypeError, msgpack.UnpackException):
            raise damaged("its trailer is damaged") from None
    if not isinstance(offsets, dict) or not all(isinstance(at, int) and 0 < at < size for at in offsets.values()):
        raise damaged("its trailer is damaged")
    return start, {name.decode("utf-8", "replace"): at for name, at in offsets.items() if isinstance(name, bytes)}


def _unpack(raw: bytes, what: str) -> Any:
    try:
        return msgpack.unpackb(raw, raw=True, strict_map_key=False)
    except (ValueError, TypeError, RecursionError, msgpack.UnpackException):
        raise damaged(f"{what} is damaged") from None


def read_key(read: Read, info: FrameInfo, name: str) -> bytes:
    """Return the bytes of a metadata key, as they were stored.

    Raises
    ------
    FormatError
        The value is damaged; the message names the key.
    """
    import blosc2  # a value is compressed as a chunk is

    at = info.trailer + info.offsets[name]
    head = read(at, 5)
    if len(head) < 5 or head[0] != 0xC6:
        raise _damaged_key(name)
    size = struct.unpack(">I", head[1:])[0]
    if at + 5 + size > info.length or size < 16:
        raise _damaged_key(name)
    chunk = read(at + 5, size)
    plain, packed = struct.unpack("<i", chunk[4:8])[0], struct.unpack("<I", chunk[12:16])[0]
    if packed != size or len(chunk) != size or plain < 0:
        raise _damaged_key(name)
    if plain == 0:
        return b""
    try:
        found: bytes = blosc2.decompress2(chunk, nthreads=1)
    except (RuntimeError, ValueError, MemoryError, SystemError):
        raise _damaged_key(name) from None
    return found


def _damaged_key(name: str) -> FormatError:
    return FormatError(Problem("corrupt", (), f"the metadata key {name!r} is damaged"))


class FrameKeys(Mapping[str, bytes]):
    """The metadata keys of a frame; a value is read when it is looked up."""

    def __init__(self, names: Mapping[str, int], fetch: Callable[[str], bytes]) -> None:
        self._names, self._fetch = names, fetch

    def __getitem__(self, name: str) -> bytes:
        if name not in self._names:
            raise KeyError(name)
        return self._fetch(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names  # without looking the value up, as a Mapping's own would

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def read_header_of(path: str, *names: str) -> tuple[FrameInfo, dict[str, bytes]]:
    """Return what a file says of its array, and those of the named keys that it has; no array data is read.

    Raises
    ------
    FormatError
        The file is no whole frame, or a value is damaged.
    OSError
        The file cannot be read.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        read = of_descriptor(descriptor)
        info = read_info(read, os.fstat(descriptor).st_size)
        return info, {name: read_key(read, info, name) for name in names if name in info.offsets}
    except FormatError as error:
        raise FormatError(*error.problems, path=path) from None
    finally:
        os.close(descriptor)
