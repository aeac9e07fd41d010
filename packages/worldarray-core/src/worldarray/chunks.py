"""Chunk grids and chunk keys: one table of encodings, each its own inverse."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any, Final, NoReturn

from worldarray.arguments import Indices, index_tuple, same_length
from worldarray.axes import axis_count
from worldarray.errors import ArgumentError, ArgumentTypeError, problem

SEPARATORS: Final = (".", "/")
_LAST: Final = 2**63 - 1
_NUMBER: Final = "(0|[1-9][0-9]{0,18})"
_SIGNED: Final = "(0|-?[1-9][0-9]{0,18})"


@dataclass(frozen=True)
class Joined:
    """Keys that are the indices joined by a separator, after a prefix; the separator is a choice unless `fixed`."""

    separator: str
    prefix: str = ""
    scalar: str | None = None
    """The key of an array without axes; None where the format has no such array."""
    x_first: bool = False
    fixed: bool = False


ENCODINGS: Final[dict[tuple[str, str], Joined | None]] = {
    ("zarr2", "default"): Joined(".", scalar="0"),
    ("zarr2", "v2"): Joined(".", scalar="0"),
    ("zarr3", "default"): Joined("/", prefix="c", scalar="c"),
    ("zarr3", "v2"): Joined(".", scalar="0"),
    ("n5", "default"): Joined("/", x_first=True, fixed=True),
    ("precomputed", "default"): None,
}
"""Every (format, encoding) that has keys; None stands for precomputed, whose keys are ranges of voxels."""


@dataclass(frozen=True)
class KeyCodec:
    """The keys of one array: `encode` gives the key of an index, `decode` the index of a key or None.

    `encode_all` gives the keys of every index that some numbers per axis make, in C order; the numbers are not checked.
    """

    encode: Callable[[Sequence[int]], str]
    decode: Callable[[str], Indices | None]
    encode_all: Callable[[Sequence[Sequence[int]]], Iterator[str]]


def key_codec(
    format: str,
    separator: str | None = None,
    encoding: str = "default",
    chunk_shape: Sequence[int] | None = None,
    shape: Sequence[int] | None = None,
    origin: Sequence[int] | None = None,
    ndim: int | None = None,
) -> KeyCodec:
    """Return both directions of an array's keys, for callers with many of them; see `chunk_key`.

    Raises
    ------
    ArgumentError
        There is no such format, encoding or separator, or the facts are too few or contradict one another.

    Examples
    --------
    >>> codec = key_codec("n5", ndim=3)
    >>> codec.encode((0, 1, 2)), codec.decode("2/1/0"), codec.decode("2/1")
    ('2/1/0', (0, 1, 2), None)
    """
    row = _row(format, encoding)
    joiner = _separator(row, separator, format)
    grid, count = _facts(chunk_shape, shape, ndim)
    if row is None:
        return _ranges(chunk_shape, shape, origin)
    return _joined(row, joiner, grid, count)


@lru_cache(maxsize=32)
def unbounded_codec(format: str, separator: str | None, encoding: str, ndim: int) -> KeyCodec:
    """Return the codec of every array of so many axes: its keys are not held against a shape. Not for precomputed.

    Examples
    --------
    >>> unbounded_codec("zarr3", None, "default", 2).encode((0, 7))
    'c/0/7'
    """
    return key_codec(format, separator, encoding, ndim=ndim)


def chunk_key(
    index: Sequence[int],
    format: str,
    separator: str | None = None,
    encoding: str = "default",
    chunk_shape: Sequence[int] | None = None,
    shape: Sequence[int] | None = None,
    origin: Sequence[int] | None = None,
) -> str:
    """Return the storage key, relative to the array, of the write unit at `index`.

    Parameters
    ----------
    index
        Position on the grid of write units (of shards where there are any), in C order.
    format
        "zarr2", "zarr3", "n5" or "precomputed".
    separator
        "." or "/"; None is the format's own: "." for zarr v2 and the v2 encoding, "/" for zarr v3 and N5.
    encoding
        zarr v3's chunk_key_encoding, "default" or "v2".
    chunk_shape, shape
        The write unit and the array in voxels, in C order: needed for precomputed, otherwise they bound the index.
    origin
        Precomputed's voxel_offset in C order; 0 without it.

    Raises
    ------
    ArgumentError
        The index lies outside the array, has another number of entries, or the format or separator is unknown.
    ArgumentTypeError
        An index is no integer.

    Examples
    --------
    >>> chunk_key((0, 1, 2), "zarr2"), chunk_key((0, 1, 2), "zarr3"), chunk_key((0, 1, 2), "n5")
    ('0.1.2', 'c/0/1/2', '2/1/0')
    >>> chunk_key((0, 0, 1), "precomputed", chunk_shape=(10, 20, 64), shape=(10, 20, 100), origin=(5, 0, -8))
    '56-92_0-20_5-15'
    """
    return key_codec(format, separator, encoding, chunk_shape, shape, origin).encode(index)


def parse_chunk_key(
    key: str,
    format: str,
    separator: str | None = None,
    encoding: str = "default",
    chunk_shape: Sequence[int] | None = None,
    shape: Sequence[int] | None = None,
    origin: Sequence[int] | None = None,
    ndim: int | None = None,
) -> tuple[int, ...] | None:
    """Return the index of the write unit that a key names, or None for a key that is no chunk of the array.

    The inverse of `chunk_key`: only the very key that it writes is read. The number of axes comes from `shape`,
    `chunk_shape` or `ndim`; without any, every number of them is accepted.

    Raises
    ------
    ArgumentError
        There is no such format, encoding or separator, or the facts are too few or contradict one another.

    Examples
    --------
    >>> parse_chunk_key("c/0/1/2", "zarr3"), parse_chunk_key("zarr.json", "zarr3")
    ((0, 1, 2), None)
    >>> parse_chunk_key("01.2", "zarr2"), parse_chunk_key("1.2", "zarr2", ndim=3)
    (None, None)
    """
    given: object = key
    if not isinstance(given, str):
        message = f"key is {key!r}; give the text of a storage key"
        raise ArgumentTypeError(problem("wrong_type", ("key",), message))
    return key_codec(format, separator, encoding, chunk_shape, shape, origin, ndim).decode(key)


def _row(format: str, encoding: str) -> Joined | None:
    given: tuple[object, object] = (format, encoding)
    if not all(isinstance(part, str) for part in given) or (format, encoding) not in ENCODINGS:
        known = ", ".join(f"{f} with {e}" for f, e in ENCODINGS)
        message = f"there are no keys of format {format!r} with encoding {encoding!r}; use one of {known}"
        raise ArgumentError(problem("invalid_argument", ("format",), message))
    return ENCODINGS[format, encoding]


def _separator(row: Joined | None, separator: str | None, format: str) -> str:
    if separator is None:
        return "_" if row is None else row.separator
    given: object = separator
    if (
        not isinstance(given, str)
        or given not in SEPARATORS
        or (row is not None and row.fixed and separator != row.separator)
    ):
        message = f"the separator of {format} keys cannot be {separator!r}; leave it None for the format's own"
        raise ArgumentError(problem("invalid_argument", ("separator",), message))
    return separator


def _facts(
    chunk_shape: Sequence[int] | None, shape: Sequence[int] | None, ndim: int | None
) -> tuple[Indices | None, int | None]:
    """Return the grid of write units where it is known, and the number of axes where that is."""
    lists = {
        name: index_tuple(value, name)
        for name, value in (("shape", shape), ("chunk_shape", chunk_shape))
        if value is not None
    }
    same_length(**(lists or {"": ()}))
    ndim = None if ndim is None else axis_count(ndim, "ndim")
    counts = {len(value) for value in lists.values()} | ({ndim} if ndim is not None else set())
    if len(counts) > 1:
        message = f"ndim is {ndim} but the shapes given have {len(next(iter(lists.values())))} axes; leave one out"
        raise ArgumentError(problem("wrong_length", ("ndim",), message))
    grid = grid_shape(lists["shape"], lists["chunk_shape"]) if len(lists) == 2 else None
    return grid, counts.pop() if counts else None


def _joined(row: Joined, joiner: str, grid: Indices | None, count: int | None) -> KeyCodec:
    head = row.prefix + joiner if row.prefix else ""
    step = -1 if row.x_first else 1

    def encode(index: Sequence[int]) -> str:
        numbers = _checked(index, grid, count)
        if not numbers:
            return row.scalar or _no_scalar()
        return head + joiner.join(map(str, numbers[::step]))

    def decode(key: str) -> Indices | None:
        if count == 0:
            return () if key == row.scalar else None
        match = pattern.fullmatch(key)
        if match is None:
            return () if count is None and row.prefix and key == row.scalar else None
        texts = match.groups() if count is not None else key[len(head) :].split(joiner)
        index = tuple(map(int, texts[::step]))
        return index if _inside(index, grid) else None

    def encode_all(numbers: Sequence[Sequence[int]]) -> Iterator[str]:
        if not numbers:
            return iter((encode(()),))
        return (head + joiner.join(texts[::step]) for texts in product(*(list(map(str, axis)) for axis in numbers)))

    escaped = re.escape(joiner)
    tail = f"(?:{escaped}{_NUMBER})*" if count is None else f"{escaped}{_NUMBER}" * (count - 1)
    pattern = re.compile(re.escape(head) + _NUMBER + tail)
    return KeyCodec(encode, decode, encode_all)


def _no_scalar() -> NoReturn:
    message = "N5 has no array without axes, so no key for its chunk; give an index per axis"
    raise ArgumentError(problem("wrong_length", ("index",), message))


def _ranges(chunk_shape: Sequence[int] | None, shape: Sequence[int] | None, origin: Sequence[int] | None) -> KeyCodec:
    """Return the codec of precomputed keys: ranges of voxels, x first, over the last three axes.

    An axis in front of them is channels, which one chunk always holds whole.
    """
    if chunk_shape is None or shape is None or len(shape) < 3:
        message = "precomputed keys are ranges of voxels; give chunk_shape and shape over (z, y, x) or (c, z, y, x)"
        raise ArgumentError(problem("invalid_argument", ("shape",), message))
    count, grid = len(shape), grid_shape(shape, chunk_shape)
    offsets = (0,) * 3 if origin is None else index_tuple(origin, "origin")[-3:]
    same_length(z_y_x=(0,) * 3, origin=offsets)
    axes = tuple(zip(tuple(shape)[-3:], tuple(chunk_shape)[-3:], offsets, strict=True))
    pattern = re.compile("_".join([f"{_SIGNED}-{_SIGNED}"] * 3))

    def span(i: int, n: int, c: int, o: int) -> str:
        return f"{o + i * c}-{o + min((i + 1) * c, n)}"

    def encode(index: Sequence[int]) -> str:
        numbers = _checked(index, grid, count)[-3:]
        return "_".join([span(i, *axis) for i, axis in zip(numbers, axes, strict=True)][::-1])

    def encode_all(numbers: Sequence[Sequence[int]]) -> Iterator[str]:
        texts = [[span(i, *axis) for i in given] for given, axis in zip(numbers[-3:], axes, strict=True)]
        return ("_".join(spans[::-1]) for spans in product(*texts))

    def decode(key: str) -> Indices | None:
        match = pattern.fullmatch(key)
        if match is None:
            return None
        begins = tuple(map(int, match.groups()[::2]))[::-1]
        index = (0,) * (count - 3) + tuple((b - o) // max(c, 1) for b, (_, c, o) in zip(begins, axes, strict=True))
        return index if _inside(index, grid) and encode(index) == key else None

    return KeyCodec(encode, decode, encode_all)


def _inside(index: Indices, grid: Indices | None) -> bool:
    if grid is None:
        return all(0 <= i <= _LAST for i in index)
    return all(0 <= i < n for i, n in zip(index, grid, strict=True))


def _checked(index: Sequence[int], grid: Indices | None, count: int | None) -> Indices:
    numbers = index_tuple(index, "index", count)
    if not _inside(numbers, grid):
        limit = "indices are 0 or more" if grid is None else f"the grid of chunks has shape {grid}"
        message = f"index {numbers} lies outside; {limit}"
        raise ArgumentError(problem("out_of_range", ("index",), message))
    return numbers


def grid_shape(shape: Sequence[int], unit: Sequence[int]) -> tuple[int, ...]:
    """Return how many units of shape `unit` cover an array of shape `shape` on each axis, the last one clipped.

    Raises
    ------
    ArgumentError
        The lists differ in length, a unit is not positive, or a shape is negative.

    Examples
    --------
    >>> grid_shape((10, 20, 30), (10, 8, 7))
    (1, 3, 5)
    """
    sizes, units = index_tuple(shape, "shape"), index_tuple(unit, "chunk_shape")
    same_length(shape=sizes, chunk_shape=units)
    for axis, (n, c) in enumerate(zip(sizes, units, strict=True)):
        if n < 0:
            message = f"shape is {n} on axis {axis}; give 0 or more"
            raise ArgumentError(problem("out_of_range", ("shape", axis), message))
        if c < 1 and n:
            message = f"chunk_shape is {c} on axis {axis}; give 1 or more"
            raise ArgumentError(problem("not_positive", ("chunk_shape", axis), message))
    return tuple(-(-n // c) if n else 0 for n, c in zip(sizes, units, strict=True))


def chunk_indices(
    begin: Sequence[int], end: Sequence[int], unit: Sequence[int], shape: Sequence[int]
) -> Iterator[tuple[int, ...]]:
    """Return the indices, in C order, of the units of shape `unit` that voxels ``[begin, end)`` of an array touch.

    The part of the box outside the array touches nothing.

    Raises
    ------
    ArgumentError
        The lists differ in length, an end lies before its begin, or a unit is not positive.
    ArgumentTypeError
        A bound is no integer.

    Examples
    --------
    >>> list(chunk_indices((0, 7), (4, 99), (4, 8), (10, 20)))
    [(0, 0), (0, 1), (0, 2)]
    """
    grid_shape(shape, unit)
    low, high = voxel_box(begin, end, len(shape))
    spans = [_span(b, e, c, n) for b, e, c, n in zip(low, high, unit, shape, strict=True)]
    return product(*spans)


def _span(begin: int, end: int, unit: int, size: int) -> range:
    first, last = max(begin, 0), min(end, size)
    return range(first // unit, -(-last // unit)) if first < last else range(0)


def voxel_box(begin: Any, end: Any, ndim: int) -> tuple[Indices, Indices]:
    """Return the bounds of a box of voxels as integers, one per axis.

    Raises
    ------
    ArgumentError
        A bound has another number of entries, or an end lies before its begin.
    ArgumentTypeError
        A bound is no integer.

    Examples
    --------
    >>> voxel_box([0, 4], [8, 4], 2)
    ((0, 4), (8, 4))
    """
    low, high = index_tuple(begin, "begin", ndim), index_tuple(end, "end", ndim)
    for axis, (b, e) in enumerate(zip(low, high, strict=True)):
        if e < b:
            message = f"the box ends at {e} before it begins at {b} on axis {axis}; give begin <= end"
            raise ArgumentError(problem("order", ("end", axis), message))
    return low, high
