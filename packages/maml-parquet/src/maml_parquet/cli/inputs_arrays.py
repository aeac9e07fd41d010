"""Columns of numpy arrays in the words of MAML: their types, their widths, their Nulls."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from maml_parquet.sections.types import TimeUnit, TypeToken

_KINDS: Final = {
    "i1": "int32",
    "u1": "int32",
    "i2": "int32",
    "u2": "int32",
    "i4": "int32",
    "u4": "int64",
    "i8": "int64",
    "u8": "int64",
    "f2": "float32",
    "f4": "float32",
    "f8": "float64",
    "b1": "boolean",
}
"""The type of each kind and size of numbers that holds every value; integers of 64 bits without a sign are checked."""

_UNITS: Final[dict[str, TimeUnit]] = {"s": "ms", "ms": "ms", "us": "us", "ns": "ns"}


def kind_of(dtype: np.dtype[Any]) -> TypeToken | None:
    """Return the type that holds the values of a dtype; None for objects, complex numbers and records.

    Examples
    --------
    >>> str(kind_of(np.dtype(">i2"))), str(kind_of(np.dtype("M8[s]"))), kind_of(np.dtype("c8"))
    ('int32', 'timestamp[ms]', None)
    """
    if dtype.kind in "SU":
        return TypeToken("string")
    if dtype.kind == "M":
        unit = np.datetime_data(dtype)[0]
        if unit == "D":
            return TypeToken("date")
        return TypeToken("timestamp", _UNITS[unit]) if unit in _UNITS else None
    word = _KINDS.get(f"{dtype.kind}{dtype.itemsize}")
    return TypeToken(word) if word else None


def plain(values: Any) -> Any:
    """Return numbers of this machine's byte order and of a width that MAML has; rows of several axes become flat.

    Examples
    --------
    >>> plain(np.zeros((2, 3, 4), ">i2")).shape, plain(np.zeros((5, 1), ">i2")).dtype
    ((2, 12), dtype('int32'))
    """
    if values.dtype.kind == "M" and np.datetime_data(values.dtype)[0] == "s":
        values = values.astype("M8[ms]")
    word = _KINDS.get(f"{values.dtype.kind}{values.dtype.itemsize}", "")
    if values.dtype.kind in "iuf" and word and f"{values.dtype.kind}{values.dtype.itemsize}" != "u8":
        values = values.astype(word, copy=False)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    return rows_of(values)


def rows_of(values: Any) -> Any:
    """Return an array of scalars (n,) or of vectors (n, width): what is in a row in order, the last axis fastest."""
    if values.ndim <= 1:
        return values
    width = int(np.prod(values.shape[1:]))
    return values.reshape(len(values)) if width == 1 else values.reshape(len(values), width)


def width_of(shape: tuple[int, ...]) -> int:
    """Return how many elements rows of a shape have."""
    return int(np.prod(shape))


def shape_reason(shape: tuple[int, ...]) -> str:
    """Return what is not carried over of rows of a shape: nothing for scalars and vectors."""
    if sum(length != 1 for length in shape) < 2:
        return ""
    words = " x ".join(map(str, shape))
    return f"rows of {words} become vectors of {width_of(shape)}, the last axis fastest"


def with_nulls(values: Any, nulls: Any) -> Any:
    """Return a masked array where some values are Null; the values where none is."""
    return np.ma.MaskedArray(values, mask=nulls) if np.any(nulls) else values
