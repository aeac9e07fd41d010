"""Many chunk keys at once: the keys of `worldarray.chunks`, decoded as one text, since a listing may hold millions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from worldarray import chunks

Index = tuple[int, ...]
Table = npt.NDArray[np.int64]

_NUMBER: Final = "(?:0|[1-9][0-9]{0,17})"


class Form(NamedTuple):
    """How the keys of one encoding look: indices joined by a separator, after a prefix."""

    head: str
    separator: str
    scalar: str | None
    x_first: bool


def form(format: str, separator: str | None, encoding: str) -> Form:
    """Return how the keys of a format with joined indices look.

    Raises
    ------
    ArgumentError
        There is no such format, encoding or separator.
    """
    chunks.key_codec(format, separator, encoding)
    row = chunks.ENCODINGS[format, encoding]
    assert row is not None
    joiner = row.separator if separator is None else separator
    return Form(row.prefix + joiner if row.prefix else "", joiner, row.scalar, row.x_first)


def decode(
    keys: Iterable[str], forms: Sequence[Form], ndim: int | None = None, grid: Sequence[int] | None = None
) -> list[Index]:
    """Return the indices that keys of any of the forms name, sorted, each once; other keys are left out.

    Parameters
    ----------
    ndim
        How many indices a key has; None accepts any number.
    grid
        How many chunks there are on each axis; indices beyond are left out.

    Examples
    --------
    >>> decode(("0.1", "1.0", "0.2", ".zarray"), [form("zarr2", None, "default")], 2, (2, 2))
    [(0, 1), (1, 0)]
    """
    listed = [key for key in keys if "\n" not in key]
    text = "\n".join(["", *listed])
    found: list[list[Index]] = []
    plain = False
    for each in forms:
        for count in _counts(listed, each, ndim) if f"\n{each.head}" in text else ():
            if count == 1 and not each.head:
                # a key of one index looks alike with every separator
                if plain:
                    continue
                plain = True
            found.append(_indices(_numbers(text, each, count), each, grid))
        if ndim in (None, 0) and (each.head or ndim == 0) and each.scalar in listed:
            found.append([()])
    found = [indices for indices in found if indices]
    return found[0] if len(found) == 1 else sorted(set().union(*found))


def _counts(keys: Sequence[str], each: Form, ndim: int | None) -> list[int]:
    """Return the numbers of indices that keys may have, none for a key without an index."""
    if ndim is not None:
        return [ndim] if ndim else []
    extra = 1 - each.head.count(each.separator)
    return sorted({key.count(each.separator) + extra for key in keys} - {0})


def _numbers(text: str, each: Form, count: int) -> Table:
    """Return the indices in every line that is a key, as stored: one row each."""
    joined = re.escape(each.separator).join([_NUMBER] * count)
    lines = re.findall(f"^{re.escape(each.head)}({joined})$", text, re.MULTILINE)
    plain = " ".join(lines).replace(each.separator, " ")
    return np.fromstring(plain, dtype=np.int64, sep=" ").reshape(len(lines), count)


def _indices(rows: Table, each: Form, grid: Sequence[int] | None) -> list[Index]:
    if each.x_first:
        rows = rows[:, ::-1]
    if grid is not None:
        rows = rows[(rows < np.asarray(grid)).all(axis=1)]
    ordered = rows[np.lexsort(rows.T[::-1])]
    return list(zip(*(column.tolist() for column in ordered.T), strict=True))
