"""What a footer says of each stored column, and whether Arrow can be asked about it.

Where the two places that speak of a column contradict each other, or where a column is encrypted, pyarrow does not
raise when it is asked for statistics: it ends the process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from maml_parquet.files.compact import I32, I64, LIST, STRUCT, Reader, each, integer, length, struct

MAX_CHUNKS: Final = 100_000_000
"""The most columns of all row groups; a footer that holds more is larger than any that is read."""

_OPTIONAL, _REPEATED = 1, 2
_BYTE_ARRAY: Final = 6


class Part(NamedTuple):
    """A column or a part of one, as the schema of a footer has it: of a group, how many parts follow inside it."""

    name: bytes
    inside: int
    physical: int | None
    repetition: int


class Chunk(NamedTuple):
    """A stored column in a row group: its type, whether it is encrypted, and what its statistics of sizes hold."""

    physical: int | None
    is_encrypted: bool
    has_bytes: bool
    repetitions: int
    definitions: int


def part(fields: Mapping[int, Any]) -> Part:
    """Return a part of the schema from the fields of its structure, of which the name is there."""
    return Part(fields[4], max(0, fields.get(5, 0)), fields.get(1), fields.get(3, 0))


@lru_cache(4096)
def _chunk(*values: Any) -> Chunk:
    """Return one object for all that are the same: row groups repeat what they say."""
    return Chunk(*values)


def _made(fields: Mapping[int, Any]) -> Chunk:
    told = fields.get(3, {})
    sizes = told.get(16, {})
    return _chunk(told.get(1), 8 in fields, 1 in sizes, sizes.get(2, 0), sizes.get(3, 0))


def _group(fields: Mapping[int, Any]) -> tuple[Chunk, ...]:
    return tuple(fields.get(1, ()))


_SIZES: Final = struct({1: (I64, integer), 2: (LIST, length), 3: (LIST, length)})
_TOLD: Final = struct({1: (I32, integer), 16: (STRUCT, _SIZES)})
_CHUNK: Final = struct({3: (STRUCT, _TOLD), 8: (STRUCT, struct({}))})
_COLUMNS: Final = each(_CHUNK, _made, MAX_CHUNKS)

GROUPS: Final[Reader] = each(struct({1: (LIST, _COLUMNS)}), _group, MAX_CHUNKS)
"""Reads the row groups of a footer: of each, its stored columns."""


def unsound(parts: Sequence[Part], groups: Sequence[Sequence[Chunk]]) -> frozenset[int]:
    """Return the numbers of the stored columns that pyarrow must not be asked about.

    Parameters
    ----------
    parts
        The schema, from its root on.
    groups
        The stored columns of each row group.

    Examples
    --------
    >>> parts = [Part(b"schema", 2, None, 0), Part(b"x", 0, 1, 1), Part(b"y", 0, 5, 1)]
    >>> unsound(parts, [[Chunk(1, False, False, 0, 2), Chunk(4, False, False, 0, 2)]])
    frozenset({1})
    """
    stored = _stored(parts)
    found: set[int] = set()
    for group in set(map(tuple, groups)):
        if len(group) != len(stored):
            return frozenset(range(len(stored)))
        found.update(at for at, (leaf, chunk) in enumerate(zip(stored, group, strict=True)) if not _agree(leaf, chunk))
    return frozenset(found)


def _agree(leaf: tuple[int | None, int, int], chunk: Chunk) -> bool:
    physical, repetition, definition = leaf
    return (
        chunk.physical == physical
        and not chunk.is_encrypted
        and not (chunk.has_bytes and physical != _BYTE_ARRAY)
        and chunk.repetitions in (0, repetition + 1)
        and chunk.definitions in (0, definition + 1)
    )


def _stored(parts: Sequence[Part]) -> list[tuple[int | None, int, int]]:
    """Return type and levels, of repetition and of definition, of each column that is stored."""
    found: list[tuple[int | None, int, int]] = []
    # Of each level that is begun: how many parts are still to come, and the levels around them.
    open_: list[list[int]] = [[parts[0].inside, 0, 0]] if parts else []
    for each_part in parts[1:]:
        while not open_[-1][0]:
            open_.pop()
        open_[-1][0] -= 1
        repetition = open_[-1][1] + (each_part.repetition == _REPEATED)
        definition = open_[-1][2] + (each_part.repetition in (_OPTIONAL, _REPEATED))
        if each_part.inside:
            open_.append([each_part.inside, repetition, definition])
        else:
            found.append((each_part.physical, repetition, definition))
    return found
