"""Values of Apache Thrift's compact protocol: those that are asked for are read, the others passed over.

`at` is a position in the bytes; a reader returns the value and the position behind it. The work and the memory grow
with the bytes that are there, and with nothing that they claim.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

MAX_DEPTH: Final = 32
"""The most lists, maps and structures inside each other."""

I32, I64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12
"""The kinds of values that are read."""

Reader: TypeAlias = Callable[[bytes, int, int], tuple[Any, int]]
"""Takes the bytes, a position and how many values the value is inside of."""


class TornError(Exception):
    """Why the bytes do not follow the protocol, or not what is read from them."""


def integer(data: bytes, at: int, _: int) -> tuple[int, int]:
    r"""Return the integer; IndexError where the bytes end inside it.

    Examples
    --------
    >>> integer(b"\xac\x02", 0, 0)
    (150, 2)
    """
    number, at = _varint(data, at)
    return (number >> 1) ^ -(number & 1), at


def binary(data: bytes, at: int, _: int) -> tuple[bytes, int]:
    r"""Return the bytes of a string; IndexError where not all of them are there.

    Examples
    --------
    >>> binary(b"\x02abc", 0, 0)
    (b'ab', 3)
    """
    size, at = _varint(data, at)
    return data[at : at + size], _behind(data, at, size)


def struct(wanted: Mapping[int, tuple[int, Reader]]) -> Reader:
    r"""Return what reads the wanted fields of a structure: each its kind, and how it is read; the last of two counts.

    Examples
    --------
    >>> struct({2: (I32, integer)})(b"\x15\x02\x15\x04\x18\x01a\x00", 0, 0)
    ({2: 2}, 8)
    """

    def read(data: bytes, at: int, depth: int) -> tuple[dict[int, Any], int]:
        fields: dict[int, Any] = {}
        number = 0
        while True:
            head = data[at]
            at += 1
            kind = head & 15
            if kind == 0:
                return fields, at
            if head < 16:
                number, at = integer(data, at, depth)
            else:
                number += head >> 4
            expected, reader = wanted.get(number, (0, None))
            if reader is not None and kind == expected:
                fields[number], at = reader(data, at, depth + 1)
            elif kind > 2:
                at = _after(kind, at, depth)(data, at, depth + 1)

    return read


def each(reader: Reader, make: Callable[[dict[int, Any]], Any], most: int) -> Reader:
    """Return what reads a list of at most so many structures, and makes something of each."""

    def read(data: bytes, at: int, depth: int) -> tuple[list[Any], int]:
        number, at = _structures(data, at)
        if number > most:
            raise TornError(f"a list before byte {at} holds {number} structures, {most} are the most")
        found: list[Any] = []
        for _ in range(number):
            fields, at = reader(data, at, depth + 1)
            found.append(make(fields))
        return found, at

    return read


def length(data: bytes, at: int, depth: int) -> tuple[int, int]:
    r"""Return how many values a list has, whatever they are.

    Examples
    --------
    >>> length(b"\x26\x02\x04", 0, 0)
    (2, 3)
    """
    return _list_head(data, at)[1], _after_list(data, at, depth)


def _structures(data: bytes, at: int) -> tuple[int, int]:
    """Return how many structures a list has, and where they begin."""
    kind, number, at = _list_head(data, at)
    if number and kind != STRUCT:
        raise TornError(f"a list before byte {at} holds something else than structures")
    return number, at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
        shift += 7
        if shift > 63:
            raise TornError(f"the number before byte {at} has no end")


def _behind(data: bytes, at: int, size: int) -> int:
    if size > len(data) - at:
        raise IndexError
    return at + size


def _list_head(data: bytes, at: int) -> tuple[int, int, int]:
    """Return kind and number of a list's values, and where they begin; each takes a byte or more."""
    head = data[at]
    at += 1
    number = head >> 4
    if number == 15:
        number, at = _varint(data, at)
    _behind(data, at, number)
    return head & 15, number, at


def _after_integer(data: bytes, at: int, _: int) -> int:
    while data[at] > 127:
        at += 1
    return at + 1


def _after_binary(data: bytes, at: int, _: int) -> int:
    size, at = _varint(data, at)
    return _behind(data, at, size)


def _after_bytes(size: int) -> Callable[[bytes, int, int], int]:
    return lambda data, at, _: _behind(data, at, size)


def _after_list(data: bytes, at: int, depth: int) -> int:
    kind, number, at = _list_head(data, at)
    if number == 0:
        return at
    after = _after(kind, at, depth)
    for _ in range(number):
        at = after(data, at, depth + 1)
    return at


def _after_map(data: bytes, at: int, depth: int) -> int:
    number, at = _varint(data, at)
    if number == 0:
        return at
    kinds = data[at]
    at += 1
    after_key, after_value = _after(kinds >> 4, at, depth), _after(kinds & 15, at, depth)
    for _ in range(number):
        at = after_value(data, after_key(data, at, depth + 1), depth + 1)
    return at


def _after_struct(data: bytes, at: int, depth: int) -> int:
    while True:
        head = data[at]
        at += 1
        kind = head & 15
        if kind == 0:
            return at
        if head < 16:
            at = _after_integer(data, at, depth)
        # Of a truth value nothing follows: the kind says which it is.
        if kind > 2:
            at = _after(kind, at, depth)(data, at, depth + 1)


def _after(kind: int, at: int, depth: int) -> Callable[[bytes, int, int], int]:
    """Return what passes over a value of the kind."""
    after = _AFTER.get(kind)
    if after is None:
        raise TornError(f"{kind} before byte {at} is no kind of value")
    if depth >= MAX_DEPTH:
        raise TornError(f"more than {MAX_DEPTH} values are inside each other at byte {at}")
    return after


_AFTER: Final[dict[int, Callable[[bytes, int, int], int]]] = {
    1: _after_bytes(1),
    2: _after_bytes(1),
    3: _after_bytes(1),
    4: _after_integer,
    I32: _after_integer,
    I64: _after_integer,
    7: _after_bytes(8),
    BINARY: _after_binary,
    LIST: _after_list,
    10: _after_list,
    11: _after_map,
    STRUCT: _after_struct,
    13: _after_bytes(16),
}
"""What passes over each kind of value; truth values are bytes in lists and maps."""
