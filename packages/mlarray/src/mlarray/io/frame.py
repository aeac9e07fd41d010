"""The frame of blosc2, read without opening the array: its header, its trailer, and one metadata key at a time.

A frame begins with a msgpack list (magic, length of this header, length of the frame, flags, …, metalayers), then come
the chunks, then a trailer that names every variable-length metadata key with where it lies. So a key is found with a
few small reads, however large the array and the other keys are, and no memory of the C library is lost on the way.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from mlarray.errors import ArgumentError, FormatError, Problem
from mlarray.io import runtime
from mlarray.io.frame_header import FIRST, Header, damaged, header_length, parse, places

Read = Callable[[int, int], bytes]
"""From an offset and a count to that many bytes, fewer at the end."""

MOST_KEYS: Final = 16
LONGEST_NAME: Final = 31
"""How many bytes the name of a metadata key has at most."""
LARGEST_VALUE: Final = 2**31 - 33
"""How many bytes a metadata key holds at most."""
_TAIL: Final = 22
_EMPTY: Final = 32
"""How many bytes a value of none takes, packed."""
_LAST: Final = 4096
"""How many bytes of a trailer to read first."""


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
    packed: int
    """How many bytes all compressed chunks take: what is written anew is longer, or lies behind them."""
    codec: int
    """The number that blosc2 has for it."""
    filters: tuple[int, ...]
    """Their numbers."""
    offsets: Mapping[str, int]
    """Where each metadata key lies, from the trailer's begin."""


def check_keys(keys: Mapping[str, bytes | None], present: Iterable[str] = ()) -> None:
    """Refuse metadata keys that blosc2 cannot hold, beside those that are present.

    Raises
    ------
    ArgumentError
        A name is empty or longer than 31 bytes, a value is larger than 2^31 - 33 bytes, or there are more than 16.
    """
    names = {*present, *keys} - {name for name, raw in keys.items() if raw is None}
    if len(names) > MOST_KEYS:
        message = (
            f"a file holds at most {MOST_KEYS} metadata keys, and these are {len(names)}: {', '.join(sorted(names))}"
        )
        raise ArgumentError(Problem("out_of_range", (), message))
    for name, raw in keys.items():
        if not 0 < len(name.encode("utf-8", "surrogateescape")) <= LONGEST_NAME:
            raise ArgumentError(Problem("out_of_range", (), f"the metadata key {name!r} is not 1 to 31 bytes long"))
        if raw is not None and len(raw) > LARGEST_VALUE:
            message = f"the metadata key {name!r} holds {len(raw)} bytes; at most {LARGEST_VALUE} can be stored"
            raise ArgumentError(Problem("out_of_range", (), message))


def of_bytes(frame: bytes | mmap.mmap) -> Read:
    """Return a reader of a frame in memory, or in a file that is mapped."""
    return lambda offset, count: frame[offset : offset + count]


def of_descriptor(descriptor: int) -> Read:
    """Return a reader of an open file."""

    def read(offset: int, count: int) -> bytes:
        raw = _pread(descriptor, count, offset)
        if len(raw) == count:
            return raw
        parts = [raw]
        while raw and (left := count - sum(map(len, parts))):  # a system reads at most 2 GiB at a time
            raw = _pread(descriptor, left, offset + count - left)
            parts.append(raw)
        return b"".join(parts)

    return read


def _seek_and_read(descriptor: int, count: int, offset: int) -> bytes:
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, count)


_pread: Final[Callable[[int, int, int], bytes]] = getattr(os, "pread", _seek_and_read)


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
    head = read(0, FIRST)
    length = header_length(head, size)
    header = parse(head[:length] if length <= len(head) else read(0, length))
    start, offsets = _trailer(read, header.frame)
    _check_chunks(read, header, start, head)
    return FrameInfo(
        header.shape,
        header.dtype,
        header.chunks,
        header.blocks,
        header.frame,
        start,
        header.packed,
        header.codec,
        header.filters,
        offsets,
    )


def _check_chunks(read: Read, header: Header, trailer: int, begin: bytes) -> None:
    """Refuse a frame whose first chunk is of another size, or whose list of chunks has not one place for each.

    The first chunk stands behind the header, the list before the trailer; blosc2 reads both when it opens a frame.
    """
    at = header.length + header.packed
    if not header.count:
        return
    if header.packed:
        first = begin[header.length : header.length + 32]
        first = first if len(first) == 32 else read(header.length, 32)
        item, plain, block, packed = struct.unpack("<xxxBiii16x", first) if len(first) == 32 else (0,) * 4
        wanted = header.dtype.itemsize, header.chunk_bytes, header.block_bytes
        if (item, plain, block) != wanted or not 32 <= packed <= header.packed:
            raise damaged("its first chunk is damaged")
    head = read(at, 16)
    if at + 32 > trailer or len(head) < 16:
        raise damaged("its list of chunks is damaged")
    plain, _, packed = struct.unpack_from("<iii", head, 4)
    if plain != 8 * header.count or at + packed != trailer:
        raise damaged("its list of chunks is damaged")


def _trailer(read: Read, length: int) -> tuple[int, dict[str, int]]:
    """Return where the trailer begins, and where in it each metadata key lies."""
    wrong = damaged("truncated? its trailer is damaged")
    tail = read(length - _TAIL - 1, 5)
    size = struct.unpack(">BI", tail)[1] if len(tail) == 5 and tail[0] == 0xCE else 0
    if not _TAIL < size <= length:
        raise wrong
    start = length - size
    raw = read(start, min(size, _LAST))
    if raw[:4] != b"\x94\x01\x93\xcd" or len(raw) < 9:
        raise wrong
    # What this counts ends where the values begin, but for 6 bytes.
    index = struct.unpack_from(">H", raw, 4)[0] + 6
    try:
        entries, at = places(raw if len(raw) >= index else read(start, index), 6)
    except (struct.error, IndexError, ValueError):
        raise wrong from None
    for _, place in entries:
        head = raw[at : at + 5] if at + 5 <= len(raw) else read(start + at, 5)
        if place != at or len(head) < 5 or head[0] != 0xC6:
            raise wrong
        at += 5 + int.from_bytes(head[1:], "big")
    if at + _TAIL + 1 > size:
        raise wrong
    try:
        return start, {name.decode(): place for name, place in entries}
    except UnicodeDecodeError:
        raise wrong from None


def read_key(read: Read, info: FrameInfo, name: str) -> bytes:
    """Return the bytes of a metadata key, as they were stored.

    Raises
    ------
    FormatError
        The value is damaged; the message names the key.
    """
    at = info.trailer + info.offsets[name]
    head = read(at, 5)
    if len(head) < 5 or head[0] != 0xC6:
        raise _damaged_key(name)
    size = struct.unpack(">I", head[1:])[0]
    if at + 5 + size > info.length or size < 16:
        raise _damaged_key(name)
    chunk = read(at + 5, size)
    plain, packed = struct.unpack("<i", chunk[4:8])[0], struct.unpack("<I", chunk[12:16])[0]
    if packed != size or len(chunk) != size or not 0 <= plain <= LARGEST_VALUE or (plain == 0 and size > _EMPTY):
        raise _damaged_key(name)
    if plain == 0:
        return b""
    try:
        found: bytes = runtime.module().decompress2(chunk, nthreads=1)
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
