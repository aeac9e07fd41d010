"""The memory of columns: numbers as numpy sees them, without a copy; columns without dictionaries and views."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from maml_parquet.arrow.types import is_list

Numbers: TypeAlias = npt.NDArray[Any]
Mask: TypeAlias = npt.NDArray[np.bool_]

MAX_BYTES: Final = 2**31 - 1
"""What strings with offsets of 32 bits have together at most."""


def chunks_of(array: pa.Array | pa.ChunkedArray) -> list[pa.Array]:
    """Return the pieces of a column, as they lie in memory.

    Examples
    --------
    >>> len(chunks_of(pa.chunked_array([[1], [2, 3]]))), len(chunks_of(pa.array([1])))
    (2, 1)
    """
    return list(array.chunks) if isinstance(array, pa.ChunkedArray) else [array]


def numbers_of(array: pa.Array) -> Numbers:
    """Return the numbers of a column as they lie in memory: no copy, read-only; where a Null is, any number.

    Parameters
    ----------
    array
        Integers, floats, dates, times or timestamps (as the integers that they are).

    Examples
    --------
    >>> numbers_of(pa.array([7, None, 9])[1:])[1].item()
    9
    """
    type_ = array.type
    # Not `to_pandas_dtype`: with older pyarrow it needs pandas.
    letter = "f" if pa.types.is_floating(type_) else "u" if pa.types.is_unsigned_integer(type_) else "i"
    dtype = np.dtype(f"{letter}{type_.bit_width // 8}")
    buffer = array.buffers()[1]
    if buffer is None or not len(array):
        return np.zeros(len(array), dtype)
    return np.frombuffer(buffer, dtype, count=len(array), offset=array.offset * dtype.itemsize)


def valid_of(array: pa.Array) -> Mask | None:
    """Return where there is a value; None where there is one everywhere.

    Examples
    --------
    >>> valid_of(pa.array([1, None])).tolist(), valid_of(pa.array([1, 2]))
    ([True, False], None)
    """
    if not array.null_count:
        return None
    found: Mask = array.is_valid().to_numpy(zero_copy_only=False)
    return found


def stored(array: pa.Array) -> pa.Array:
    """Return the array that an extension type keeps its values in; any other array itself."""
    while isinstance(array, pa.ExtensionArray):
        array = array.storage
    return array


def undressed(array: pa.Array) -> pa.Array:
    """Return the column as the values that it holds: no extension, no runs, no dictionary, no view of strings.

    Strings that had a dictionary or were views come back with offsets of 64 bits.

    Examples
    --------
    >>> undressed(pa.array(["a", "b", "a"]).dictionary_encode()).to_pylist()
    ['a', 'b', 'a']
    """
    found = stored(array)
    if pa.types.is_run_end_encoded(found.type):
        return undressed(pc.run_end_decode(found))
    if pa.types.is_dictionary(found.type):
        held = undressed(found.dictionary)
        held = held.cast(pa.large_string()) if held.type == pa.string() else held
        return held.take(found.indices)
    return found.cast(pa.large_string()) if found.type == pa.string_view() else found


def elements_of(array: pa.Array) -> pa.Array:
    """Return the elements of all rows, one after the other; a scalar column is its own. Rows that are Null have none.

    Examples
    --------
    >>> elements_of(pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int32(), 2))[1:]).to_pylist()
    [3, 4]
    """
    found = stored(array)
    return undressed(found.flatten() if is_list(found.type) else found)


def bytes_of(strings: pa.Array) -> int:
    """Return how many bytes the strings have together.

    Examples
    --------
    >>> bytes_of(pa.array(["é", None, "a"]))
    3
    """
    return pc.sum(pc.binary_length(strings)).as_py() or 0


def end_of(strings: pa.Array) -> int:
    """Return where the last string of a column with offsets of 64 bits ends in its memory.

    Examples
    --------
    >>> end_of(pa.array(["ab", "c", "def"], pa.large_string())[:2])
    3
    """
    offsets = strings.buffers()[1]
    if offsets is None or not len(strings):
        return 0
    return int(np.frombuffer(offsets, np.int64, count=1, offset=8 * (strings.offset + len(strings)))[0])
