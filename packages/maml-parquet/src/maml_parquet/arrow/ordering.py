"""The order of rows by sort keys, on columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from maml_parquet.arrow.leaves import Columns, Values, checked, leaf, plain
from maml_parquet.errors import MamlError, Problem
from maml_parquet.rows.sorts import SortKey

_SAMPLE: Final = 1 << 15
"""So many values are looked at to find how many different ones there are."""

_SMALL: Final = 1 << 16
"""Whole numbers that span less than this are sorted by counting them, which pyarrow does."""

_FEW: Final = 1000
"""Rows that mostly show already that values are not sorted."""

Positions: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[Any]


def order(table: Columns, keys: Sequence[SortKey]) -> pa.Int64Array:
    """Return the positions of the rows in sorted order; rows that are equal in every key stay as they stand.

    It is what `rows.sorts.order` says: values, then NaN, then Nulls; with ``nulls_first`` Nulls, NaN, values;
    descending turns the values round and nothing else. ``table.take(order(table, keys))`` is the sorted table.

    Parameters
    ----------
    table
        Columns of one length, by name; at least one.
    keys
        The first one counts most. Bound ones lead through structs.

    Raises
    ------
    MamlError
        Code ``argument``: a column is missing or no scalar; columns differ in length, or there is none.

    Examples
    --------
    >>> from maml_parquet.rows.sorts import parse_sort
    >>> order(pa.table({"x": [None, 2.0, float("nan"), 3.0]}), [parse_sort("x desc")]).to_pylist()
    [3, 1, 2, 0]
    """
    found: Positions | None = None
    columns = [_column(table, key) for key in keys]
    rows = _rows(table, columns)
    for key, column in zip(reversed(keys), reversed(columns), strict=True):
        part = _tiers(column if found is None else column.take(pa.array(found)), key)
        found = part if found is None else found[part]
    return pa.array(np.arange(rows) if found is None else found, pa.int64())


def _column(table: Columns, key: SortKey) -> pa.Array:
    """Return a key's column in one piece, its strings with offsets of 64 bits."""
    path = key.path or (key.name,)
    values: Values = plain(checked(leaf(table, path, key.name), path, key.name))
    if pa.types.is_string(values.type):
        values = values.cast(pa.large_string())
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def _rows(table: Columns, columns: Sequence[pa.Array]) -> int:
    if isinstance(table, pa.Table | pa.RecordBatch):
        return int(table.num_rows)
    lengths = {len(column) for column in columns} or {len(column) for column in table.values()}
    if len(lengths) != 1:
        said = " and ".join(map(str, sorted(lengths))) or "no"
        message = f"columns of {said} rows have no order; give columns of one length, at least one"
        raise MamlError([Problem("argument", ("columns",), message)])
    return lengths.pop()


def _tiers(column: pa.Array, key: SortKey) -> Positions:
    """Return the positions of one column in sorted order: of values, of NaN, and of Nulls."""
    tiers: list[Positions] = []
    is_whole = not column.null_count
    if not is_whole:
        is_null = pc.is_null(column).to_numpy(zero_copy_only=False)
        valid = np.flatnonzero(~is_null)
        tiers.append(np.flatnonzero(is_null))
        column = column.drop_null()
    found, nans = _sorted(column, descending=key.descending)
    found = found if is_whole else valid[found]
    if not key.nulls_first:
        return np.concatenate([found, *tiers]) if tiers else found
    return np.concatenate([*tiers, found[len(found) - nans :], found[: len(found) - nans]])


def _sorted(values: pa.Array, *, descending: bool) -> tuple[Positions, int]:
    """Return positions of values without Nulls in sorted order, NaN at the end; and how many NaN there are."""
    if not pa.types.is_large_string(values.type):
        numbers = _numbers(values)
        if np.issubdtype(numbers.dtype, np.floating):
            return _sorted_floats(numbers, descending=descending)
        return _sorted_integers(numbers, descending=descending), 0
    ranks = _ranks(values)
    if ranks is not None:
        return _sorted_integers(ranks, descending=descending), 0
    return _found(pc.array_sort_indices(values, order="descending" if descending else "ascending")), 0


def _sorted_floats(numbers: Numbers, *, descending: bool) -> tuple[Positions, int]:
    is_nan = np.isnan(numbers)
    nans = np.flatnonzero(is_nan)
    if nans.size:
        rest = np.flatnonzero(~is_nan)
        found = rest[_sorted_floats(numbers[rest], descending=descending)[0]]
        return np.concatenate([found, nans]), nans.size
    # Both zeros become the same bits. Bits of what is below zero have the opposite order, as numbers with a sign.
    numbers = (-numbers if descending else numbers) + numbers.dtype.type(0)
    bits = numbers.view(f"i{numbers.itemsize}")
    bits ^= (bits >> (8 * bits.itemsize - 1)) & np.iinfo(bits.dtype).max
    return _sorted_integers(bits, descending=False), 0


def _sorted_integers(numbers: Numbers, *, descending: bool) -> Positions:
    # Complements have the opposite order, and none is out of range.
    numbers = ~numbers if descending else numbers
    if all((part[1:] >= part[:-1]).all() for part in (numbers[:_FEW], numbers)):
        return np.arange(len(numbers))
    low, high = int(numbers.min()), int(numbers.max())
    if high - low < _SMALL:
        return _found(pc.array_sort_indices(pa.array(numbers)))
    unsigned = f"u{numbers.itemsize}"
    # What is counted from the least wraps round to what it is.
    keys: Numbers = numbers.view(unsigned) - np.array(low, numbers.dtype).view(unsigned)
    return _sorted_keys(keys.astype(np.uint64), (high - low).bit_length())


def _sorted_keys(keys: Numbers, width: int) -> Positions:
    """Return the positions of whole numbers of so many bits in sorted order.

    Numbers are sorted together with their positions, in 64 bits: much faster than positions by numbers, and equal ones
    stay as they stand. Bits that find no room are left out at first; where that brought numbers together that differ,
    those are sorted again. Where that would be most of them, it is not tried.
    """
    for_rows = (len(keys) - 1).bit_length()
    left_out = max(width + for_rows - 64, 0)
    some = np.unique(keys[:: -(-len(keys) // _SAMPLE)])
    if np.unique(some >> left_out).size < 0.95 * some.size:
        return np.argsort(keys, kind="stable")
    packed = (keys >> left_out) << for_rows
    packed |= np.arange(len(keys), dtype=np.uint64)
    packed.sort()
    found: Positions = (packed & np.uint64((1 << for_rows) - 1)).view(np.int64)
    if not left_out:
        return found
    packed >>= for_rows
    again = np.zeros(len(keys), np.bool_)
    np.equal(packed[1:], packed[:-1], out=again[1:])
    again[:-1] |= again[1:]
    together = np.flatnonzero(again)
    part = found[together]
    found[together] = part[np.argsort(keys[part], kind="stable")]
    return found


def _found(indices: pa.Array) -> Positions:
    found: Positions = indices.to_numpy().view(np.int64)
    return found


def _numbers(values: pa.Array) -> Numbers:
    """Return values in a type of numpy with the same order."""
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.uint8())
    if pa.types.is_temporal(values.type):
        values = values.view(pa.int32() if values.type.bit_width == 32 else pa.int64())
    numbers: Numbers = values.to_numpy()
    return numbers


def _ranks(strings: pa.LargeStringArray) -> Numbers | None:
    """Return for each string the place of its value among the different ones; None where those are many."""
    sample = strings.take(
        pa.array(np.linspace(0, max(len(strings) - 1, 0), min(len(strings), _SAMPLE), dtype=np.int64))
    )
    if pc.count_distinct(sample).as_py() * 8 > len(sample):
        return None
    encoded = strings.dictionary_encode()
    sort = pc.array_sort_indices(encoded.dictionary).to_numpy()
    ranks: Numbers = np.empty(len(sort), np.uint16 if len(sort) <= _SMALL else np.int64)
    ranks[sort] = np.arange(len(sort))
    found: Numbers = ranks[encoded.indices.to_numpy()]
    return found
