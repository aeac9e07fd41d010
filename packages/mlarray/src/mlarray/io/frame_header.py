"""The header of a blosc2 frame: parsed as strictly as the C library reads it, which trusts what it finds there.

The fields stand at fixed places, each behind a byte of msgpack that says its type; behind them stand layers of metadata
with a name, a place and a length each. The layer ``b2nd`` holds shape, chunks, blocks and dtype.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from mlarray.errors import ArgumentTypeError, FormatError, Problem
from mlarray.io.dtypes import MOST_AXES, STRUCTURED, check_dtype

MAGIC: Final = b"b2frame\0"
FIRST: Final = 1024
"""How many bytes to read first: most headers are shorter."""
_FIELDS: Final = struct.Struct(">BB8sBiBQB4sBqBqBiBiBiBhBhBBB16sBBH")
_TYPES: Final = (0x9E, 0xA8, 0xD2, 0xCF, 0xA4, 0xD3, 0xD3, 0xD2, 0xD2, 0xD2, 0xD1, 0xD1, 0xD8, 0x93, 0xCD)
"""The bytes that say the types of the fields, in order; one of them, whether there is metadata, is itself a value."""
_HIGHEST_LEVEL: Final = 9
_NAMED_ELSEWHERE: Final = 15
"""The codec's number where another byte holds it: that of one that is registered."""
_LAYERS: Final = _FIELDS.size
_LARGEST: Final = 1 << 20
_OTHERS: Final = {
    "proxy-source": "a proxy",
    "b2o": "a lazy object",
    "LazyArray": "a lazy expression",
    "listarray": "a list array",
    "vlarray": "objects of variable length",
    "batcharray": "a batch array",
    "vlmetalayer": "metadata alone",
}
"""The layers of what is made of an array, but is none: blosc2 itself would build it, and open what it names."""


@dataclass(frozen=True)
class Header:
    """What the header of a frame says."""

    length: int
    """Of the header, in bytes."""
    frame: int
    """Of the whole frame, in bytes."""
    packed: int
    """Of all compressed chunks."""
    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    blocks: tuple[int, ...]
    dtype: np.dtype[Any]
    codec: int
    """The number that blosc2 has for it."""
    filters: tuple[int, ...]
    """Their numbers, in the order of the pipeline, without the empty slots."""
    chunk_bytes: int
    """Of a chunk that is filled up to whole blocks."""

    @property
    def block_bytes(self) -> int:
        """Of a block."""
        return math.prod(self.blocks) * self.dtype.itemsize

    @property
    def count(self) -> int:
        """How many chunks there are."""
        return 0 if 0 in self.shape else math.prod(-(-n // c) for n, c in zip(self.shape, self.chunks, strict=True))


def damaged(what: str, path: str | None = None) -> FormatError:
    """Return the error for a file that is not a whole frame."""
    return FormatError(Problem("corrupt", (), f"not a readable blosc2 file ({what})"), path=path)


_DAMAGED: Final = "its header is damaged"


def header_length(head: bytes, size: int) -> int:
    """Return how long a header is, from its first bytes.

    Raises
    ------
    FormatError
        It is none, or more belongs to the frame than the `size` bytes that there are.
    """
    if len(head) < _FIELDS.size or head[:2] != b"\x9e\xa8" or head[2:10] != MAGIC:
        raise damaged("it does not begin as one; truncated?" if head else "the file is empty")
    length, frame = struct.unpack_from(">i", head, 11)[0], struct.unpack_from(">Q", head, 16)[0]
    if not _FIELDS.size <= length <= min(_LARGEST, frame):
        raise damaged(_DAMAGED)
    if frame > size:
        raise damaged(f"truncated? {frame} bytes belong there, and {size} are there")
    return int(length)


def parse(header: bytes) -> Header:
    """Return what a whole header says.

    Raises
    ------
    FormatError
        It is damaged, or of something else than an array that files hold.
    """
    fields = _FIELDS.unpack_from(header)
    types = (*fields[0:2], *fields[3:22:2], fields[24], *fields[27:29])
    length, frame, flags, size, packed, item, block, chunk = fields[4:19:2]
    if types != _TYPES or fields[23] not in {0xC2, 0xC3} or length != len(header):
        raise damaged(_DAMAGED)
    layers = _layers(header)
    for name, what in _OTHERS.items():
        if name.encode() in layers:
            raise FormatError(Problem("wrong_type", (), f"a blosc2 file that holds {what}, not an array"))
    if b"b2nd" not in layers:
        raise FormatError(Problem("wrong_type", (), "a blosc2 file that holds no n-dimensional array"))
    shape, chunks, blocks, dtype = _array(layers[b"b2nd"])
    slots, codec = fields[26][:6], flags[2] & 0xF
    if fields[25] != len(slots) or flags[2] >> 4 > _HIGHEST_LEVEL or flags[1]:
        raise damaged(_DAMAGED)
    codec = fields[26][6] if codec == _NAMED_ELSEWHERE else codec
    found = Header(
        length, frame, packed, shape, chunks, blocks, dtype, codec, tuple(slot for slot in slots if slot), chunk
    )
    whole = 0 if 0 in blocks else math.prod(-(-c // b) * b for c, b in zip(chunks, blocks, strict=True))
    wanted = whole * dtype.itemsize, found.block_bytes, dtype.itemsize
    if (chunk, block, item) != wanted or size != found.count * chunk:
        raise damaged("its header gives sizes that disagree")
    if not 0 <= packed <= frame - length or math.prod(size or 1 for size in shape) * dtype.itemsize >= 1 << 63:
        raise damaged("its header gives sizes that disagree")
    return found


@dataclass(frozen=True)
class Packing:
    """How the chunks of a frame are compressed, in the numbers of blosc2: of the codec, and per filter slot."""

    codec: int
    clevel: int
    filters: tuple[int, ...]
    filters_meta: tuple[int, ...]


def packing(header: bytes) -> Packing:
    """Return how chunks are compressed, from a header that was parsed."""
    fields = _FIELDS.unpack_from(header)
    flags, slots = fields[8], fields[26]
    codec = flags[2] & 0xF
    return Packing(
        slots[6] if codec == _NAMED_ELSEWHERE else codec, flags[2] >> 4, tuple(slots[:6]), tuple(slots[8:14])
    )


def places(raw: bytes, at: int) -> tuple[list[tuple[bytes, int]], int]:
    """Return the names and places that a map of layers gives, and where the values begin behind it.

    Raises
    ------
    struct.error, IndexError, ValueError
        It is damaged.
    """
    mark, count = struct.unpack_from(">BH", raw, at)
    at += 3
    found = []
    for _ in range(count):
        width = max(raw[at] - 0xA0, 0)
        name, sign, place = struct.unpack_from(f">{width}sBi", raw, at + 1)
        if not 0 < width < 32 or sign != 0xD2:
            raise ValueError
        found.append((name, place))
        at += 6 + width
    if mark != 0xDE or struct.unpack_from(">BH", raw, at) != (0xDC, count):
        raise ValueError
    return found, at + 3


def _layers(header: bytes) -> Mapping[bytes, bytes]:
    """Return the layers of metadata behind the fields."""
    found: dict[bytes, bytes] = {}
    try:
        entries, at = places(header, _LAYERS)
        for name, place in entries:
            kind, size = struct.unpack_from(">BI", header, at)
            if place != at or kind != 0xC6 or at + 5 + size > len(header):
                raise damaged(_DAMAGED)
            found[name] = header[at + 5 : at + 5 + size]
            at += 5 + size
    except (struct.error, IndexError, ValueError):
        raise damaged(_DAMAGED) from None
    return found


def _array(layer: bytes) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], np.dtype[Any]]:
    """Return shape, chunks, blocks and dtype, as the layer ``b2nd`` gives them."""
    wrong = damaged("the shape in its header is damaged")
    if len(layer) < 6 or layer[0] not in b"\x95\x97" or layer[1] > 0x7F or layer[2] > 0x7F:
        raise wrong
    if layer[1] != 0:
        raise FormatError(Problem("unsupported", (), f"an array of a version of blosc2 that is not known: {layer[1]}"))
    count = layer[2]
    if count > MOST_AXES:
        raise FormatError(Problem("unsupported", (), f"the array has {count} axes; at most {MOST_AXES} are read"))
    whole = struct.Struct(">" + "B" + "Bq" * count + ("B" + "Bi" * count) * 2)
    if len(layer) < 3 + whole.size:
        raise wrong
    parts = whole.unpack_from(layer, 3)
    rows = [parts[: 2 * count + 1], parts[2 * count + 1 : 4 * count + 2], parts[4 * count + 2 :]]
    for row, kind in zip(rows, (0xD3, 0xD2, 0xD2), strict=True):
        if row[0] != 0x90 + count or any(mark != kind for mark in row[1::2]):
            raise wrong
    shape, chunks, blocks = (tuple(row[2::2]) for row in rows)
    for size, chunk, block in zip(shape, chunks, blocks, strict=True):
        if size < 0 or not 0 <= block <= chunk or (size and not block):
            raise wrong
    return shape, chunks, blocks, _dtype(layer, 3 + whole.size)


def _dtype(layer: bytes, at: int) -> np.dtype[Any]:
    if layer[0] == 0x95:
        return np.dtype("|u1")
    if len(layer) < at + 6 or layer[at] != 0 or layer[at + 1] != 0xDB:
        raise damaged("the dtype in its header is damaged")
    text = layer[at + 6 :]
    if struct.unpack_from(">I", layer, at + 2)[0] != len(text):
        raise damaged("the dtype in its header is damaged")
    if text.startswith(b"["):
        raise FormatError(
            Problem("unsupported", (), f"the dtype {text.decode(errors='replace')} cannot be stored: {STRUCTURED}")
        )
    try:
        return check_dtype(np.dtype(text.decode("ascii")))
    except ArgumentTypeError as error:
        raise FormatError(*error.problems) from None
    except (TypeError, ValueError, SyntaxError):
        message = f"the dtype {text!r:.60} of the array is not one that files hold"
        raise FormatError(Problem("unsupported", (), message)) from None
