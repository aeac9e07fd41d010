"""The footer of a parquet file, read without Arrow: every key and value in order, repeats included.

Apache Parquet, "File format" and "Metadata".
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

from maml_parquet.errors import MamlError, Problem
from maml_parquet.files.chunks import GROUPS, Part, part, unsound
from maml_parquet.files.compact import BINARY, I32, I64, LIST, TornError, binary, each, integer, struct

MAX_FOOTER: Final = 64 * 1024 * 1024
"""The largest footer that is read, in bytes."""

MAX_ITEMS: Final = 1_000_000
"""The most keys, and the most columns and parts of columns."""

Source: TypeAlias = "str | os.PathLike[str] | BinaryIO"

_MAGIC: Final = b"PAR1"
_ENCRYPTED: Final = b"PARE"
_TAIL: Final = 8
_LEAST: Final = len(_MAGIC) + _TAIL
_SIGNATURE: Final = 28
"""The bytes of a nonce and a tag, which follow a footer whose columns are encrypted."""


@dataclass(frozen=True)
class Footer:
    """What a footer says of the whole file.

    Attributes
    ----------
    num_rows
        Rows of all row groups.
    num_row_groups
        How many row groups there are.
    created_by
        The program that wrote the file, in its own words; empty where it does not say.
    names
        The columns, in the order of the file; of a nested column the outermost name.
    raw_items
        Keys and values as they stand, repeats included.
    unsound
        The numbers of the stored columns that are encrypted, or of which the footer contradicts itself: pyarrow ends
        the process where it is asked for their statistics.
    """

    num_rows: int
    num_row_groups: int
    created_by: str
    names: tuple[str, ...]
    raw_items: tuple[tuple[bytes, bytes], ...]
    unsound: frozenset[int] = frozenset()

    @property
    def items(self) -> tuple[tuple[str, str], ...]:
        r"""Keys and values as text; bytes that are not UTF-8 stand as ``\xff`` and the like."""
        return tuple((_text(key), _text(value)) for key, value in self.raw_items)


def items(file: Source) -> tuple[tuple[str, str], ...]:
    r"""Return every key and value of the footer in the order of the file, repeats included.

    Bytes that are not UTF-8 stand as ``\xff`` and the like; `Footer.raw_items` of `read_footer` has them as they are.

    Parameters
    ----------
    file
        A path, or a file that is open for reading bytes and can be sought; its position stays where it is.

    Raises
    ------
    MamlError
        Code ``file``: no parquet file, a torn one, one whose footer is encrypted or above 64 MiB. Code ``argument``:
        neither a path nor an open file.
    OSError
        The file cannot be read.

    Examples
    --------
    >>> import io
    >>> import pyarrow as pa
    >>> import pyarrow.parquet as pq
    >>> sink = io.BytesIO()
    >>> pq.write_table(pa.table({"x": [1]}).replace_schema_metadata({"survey": "S"}), sink)
    >>> items(sink)[0]
    ('survey', 'S')
    """
    return read_footer(file).items


def read_footer(file: Source) -> Footer:
    """Return what the footer of a parquet file says of the whole file; file and errors as of `items`."""
    if isinstance(file, str | os.PathLike):
        source = os.fspath(file)
        with open(source, "rb", opener=_opener) as opened:
            return _footer(opened, source)
    if not all(hasattr(file, word) for word in ("read", "seek", "tell")):
        words = f"the file is {type(file).__name__}; give a path, or a file that is open for reading bytes"
        raise MamlError([Problem("argument", ("file",), words)])
    position = file.tell()
    try:
        return _footer(file, str(getattr(file, "name", "")))
    finally:
        file.seek(position)


def parse_footer(data: bytes, source: str = "") -> Footer:
    r"""Return what the bytes of a footer, without the file around them, say.

    Raises
    ------
    MamlError
        Code ``file``: they are no footer, or only the beginning of one.

    Examples
    --------
    >>> parse_footer(b"")
    Traceback (most recent call last):
    ...
    maml_parquet.errors.MamlError: the footer is torn: it ends too early; write the file again
    """
    try:
        fields, end = _FILE(data, 0, 0)
        return _made(fields, len(data) - end)
    except IndexError:
        words = "it ends too early"
    except TornError as error:
        words = str(error)
    raise MamlError([Problem("file", (), f"the footer is torn: {words}; write the file again")], source)


def is_endless(mode: int) -> bool:
    """Return whether a mode is that of a pipe, a device or a socket, whose end may never come."""
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


def _opener(path: str, flags: int) -> int:
    """Open what is a file; a pipe would wait for somebody who writes into it."""
    if is_endless(Path(path).stat().st_mode):
        raise _refused("is a pipe, a device or a socket, and no parquet file; give the path of a file", path)
    return os.open(path, flags)


def _footer(file: BinaryIO, source: str) -> Footer:
    size = file.seek(0, os.SEEK_END)
    if size < _LEAST:
        raise _refused(f"is no parquet file: it has {size} bytes, and the least is {_LEAST}", source)
    tail = _read(file, size - _TAIL, _TAIL, source)
    _check_ends(_read(file, 0, len(_MAGIC), source), tail[4:], source)
    length = int.from_bytes(tail[:4], "little")
    if length > size - _LEAST:
        raise _refused(f"claims a footer of {length} bytes and has {size - _LEAST} for it; write it again", source)
    if length > MAX_FOOTER:
        words = f"has a footer of {length} bytes, {MAX_FOOTER} are the most; write it with fewer row groups"
        raise _refused(words, source)
    return parse_footer(_read(file, size - _TAIL - length, length, source), source)


def _check_ends(first: bytes, last: bytes, source: str) -> None:
    if last == _ENCRYPTED:
        raise _refused("has an encrypted footer; decrypt it with the program that has its key", source)
    if first == last == _MAGIC:
        return
    if first == _MAGIC:
        raise _refused(f"is torn: it begins as a parquet file and ends with {last!r}; write it again", source)
    if last == _MAGIC:
        raise _refused(f"ends as a parquet file and begins with {first!r}; write it again", source)
    raise _refused(f"is no parquet file: it begins with {first!r}, and those with {_MAGIC!r}", source)


def _read(file: BinaryIO, at: int, size: int, source: str) -> bytes:
    file.seek(at)
    data: Any = file.read(size)
    if isinstance(data, str):
        raise MamlError([Problem("argument", ("file",), "the file is open for text; open it with 'rb'")], source)
    if len(data) != size:
        raise _refused(f"ended while it was read: {len(data)} of {size} bytes at {at} were there", source)
    return bytes(data)


def _refused(words: str, source: str) -> MamlError:
    return MamlError([Problem("file", (), f"the file {words}")], source)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")


def _made(fields: Mapping[int, Any], behind: int) -> Footer:
    if behind not in (0, _SIGNATURE):
        raise TornError(f"{behind} bytes follow its end")
    for number, name in ((1, "version"), (2, "columns"), (3, "number of rows"), (4, "row groups")):
        if number not in fields:
            raise TornError(f"it has no {name}")
    if fields[3] < 0:
        raise TornError(f"its number of rows is {fields[3]}")
    names = tuple(_text(name) for name in _outermost(fields[2]))
    by, items_ = _text(fields.get(6, b"")), tuple(fields.get(5, ()))
    return Footer(fields[3], len(fields[4]), by, names, items_, unsound(fields[2], fields[4]))


def _outermost(parts: list[Part]) -> list[bytes]:
    """Return the names below the root of a tree: each part and how many parts follow inside it, from the root on."""
    names: list[bytes] = []
    # How many parts are still to come, at each level that is begun.
    levels = [1]
    for name, inside, *_ in parts:
        if not levels:
            raise TornError("there are parts of columns after the last column")
        levels[-1] -= 1
        if len(levels) == 2:
            names.append(name)
        if inside:
            levels.append(inside)
        while levels and not levels[-1]:
            levels.pop()
    if levels:
        raise TornError(f"{levels[-1]} parts of its columns are missing")
    return names


def _element(fields: Mapping[int, Any]) -> Part:
    if 4 not in fields:
        raise TornError("a column has no name")
    return part(fields)


def _item(fields: Mapping[int, Any]) -> tuple[bytes, bytes]:
    if 1 not in fields:
        raise TornError("a value has no key")
    return fields[1], fields.get(2, b"")


_PART: Final = struct({1: (I32, integer), 3: (I32, integer), 4: (BINARY, binary), 5: (I32, integer)})

_FILE: Final = struct(
    {
        1: (I32, integer),
        2: (LIST, each(_PART, _element, MAX_ITEMS)),
        3: (I64, integer),
        4: (LIST, GROUPS),
        5: (LIST, each(struct({1: (BINARY, binary), 2: (BINARY, binary)}), _item, MAX_ITEMS)),
        6: (BINARY, binary),
    }
)
"""Reads `FileMetaData`: version, schema, num_rows, row_groups, key_value_metadata, created_by."""
