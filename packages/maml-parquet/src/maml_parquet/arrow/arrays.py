"""What programs hold as one column, as an Arrow array: lists, numpy arrays, and what speaks Arrow."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Collection, Iterator, Sequence
from importlib import import_module
from typing import Any, Final, NoReturn

import numpy as np
import pyarrow as pa

from maml_parquet.errors import MamlError, Problem

_GROUPS: Final[dict[str, tuple[type, ...]]] = {
    "boolean": (bool, np.bool_),
    "number": (int, float, np.integer, np.floating),
    "decimal": (decimal.Decimal,),
    "text": (str,),
    "bytes": (bytes, bytearray, memoryview),
    "timestamp": (datetime.datetime,),
    "date": (datetime.date,),
    "time": (datetime.time,),
    "list": (list, tuple, np.ndarray),
    "mapping": (dict,),
}
"""Values that lists hold, none of which mix; a type belongs to the first group that has it."""


def array_of(values: Any, name: str) -> pa.Array | pa.ChunkedArray:
    """Return one column's values as an Arrow array, without a copy where their memory allows.

    Parameters
    ----------
    values
        A pyarrow array, chunked or not; a numpy array ``(rows,)`` or ``(rows, col_size)``, masked or not, of any byte
        order; a list or tuple; a pandas or polars series, or whatever else gives Arrow arrays of itself. Masked values,
        None, NaT, and pandas' NaN are Null; NaN elsewhere is a value.
    name
        The column's, for messages.

    Raises
    ------
    MamlError
        Code ``column``: a scalar, values that are of several kinds, more than two dimensions, or of a type that Arrow
        has not. Code ``value``: bytes that are not UTF-8.

    Examples
    --------
    >>> import numpy as np
    >>> array_of(np.array([[1, 2, 3], [4, 5, 6]], ">i4"), "v").type
    FixedSizeListType(fixed_size_list<item: int32>[3])
    >>> array_of([1.5, True], "x")
    Traceback (most recent call last):
    maml_parquet.errors.MamlError: x: values are of several kinds: number (row 0) and boolean (row 1); give one kind
    """
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    try:
        return _array(values, name)
    except (pa.ArrowException, OverflowError, TypeError, UnicodeError, ValueError) as error:
        if isinstance(error, MamlError):
            raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        _refuse(name, f"values make no column: {reason}; give values of one declared type")


def _array(values: Any, name: str) -> pa.Array | pa.ChunkedArray:
    if isinstance(values, np.ndarray):
        return _from_numpy(values, name)
    if isinstance(values, list | tuple):
        return _from_list(values, name)
    if is_of("pandas", type(values)):
        return _from_pandas(values, name)
    if hasattr(values, "__arrow_c_stream__"):
        return pa.chunked_array(values)
    return _from_others(values, name)


def _from_others(values: Any, name: str) -> pa.Array | pa.ChunkedArray:
    if hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_array__"):
        return pa.array(values)
    if hasattr(values, "to_arrow"):
        return array_of(values.to_arrow(), name)
    if isinstance(values, str | bytes) or not hasattr(values, "__array__"):
        _refuse(name, f"{type(values).__name__} is no column; give a list or an array with a value for each row")
    return _from_numpy(np.asanyarray(values), name)


def _from_pandas(values: Any, name: str) -> pa.Array | pa.ChunkedArray:
    if values.dtype == object:
        check_kinds(values[values.notna()].tolist(), name)
    return pa.array(values, from_pandas=True)


def _from_list(values: Sequence[Any], name: str) -> pa.Array:
    check_kinds(values, name)
    if any(isinstance(value, np.ndarray) and value.ndim > 1 for value in values):
        _refuse(name, "rows have more than one dimension; a row holds a value or a list of values")
    if any(is_of("pandas", type_) for type_ in set(map(type, values))):
        # Arrow itself drops the nanoseconds of such timestamps.
        return pa.array(import_module("pandas").Series(values), from_pandas=True)
    return pa.array(values)


def is_of(package: str, type_: type) -> bool:
    """Return whether a type is a package's, without importing the package.

    Examples
    --------
    >>> is_of("pyarrow", type(pa.array([1])))
    True
    """
    return type_.__module__.partition(".")[0] == package


def check_kinds(values: Collection[Any], name: str) -> None:
    """Raise where values in a list, or elements of its lists, are of several kinds, which Arrow would take for one."""
    kinds = {_KINDS.get(type_) for type_ in set(map(type, values)) - {type(None)}}
    if len(kinds) == 1 and kinds <= _PLAIN:
        return
    first: dict[int, dict[str, int]] = {}
    for depth, kind, row in _kinds(values, name):
        first.setdefault(depth, {}).setdefault(kind, row)
    for found in first.values():
        if len(found) > 1:
            told = " and ".join(f"{kind} (row {row})" for kind, row in list(found.items())[:2])
            _refuse(name, f"values are of several kinds: {told}; give one kind")


def _kinds(
    values: Collection[Any], name: str, depth: int = 0, inside: int | None = None
) -> Iterator[tuple[int, str, int]]:
    """Give how deep each value lies in lists, its kind and its row; Nulls have none."""
    for position, value in enumerate(values):
        row = position if inside is None else inside
        if value is None or type(value).__name__ in ("NaTType", "NAType"):
            continue
        kind = _kind(value)
        if kind == "time with a time zone":
            _refuse(name, f"{value} (row {row}) is a time with a time zone, which no column has; take the zone away")
        yield depth, kind, row
        if kind != "list":
            continue
        if isinstance(value, np.ndarray) and value.dtype != object:
            yield depth + 1, _DTYPES.get(value.dtype.kind, str(value.dtype)), row
        else:
            yield from _kinds(value, name, depth + 1, row)


def _kind(value: Any) -> str:
    found = _KINDS.get(type(value))
    if found is None:
        found = next((word for word, types in _GROUPS.items() if isinstance(value, types)), type(value).__name__)
    if found in ("timestamp", "time") and value.tzinfo is not None:
        return f"{found} with a time zone"
    return found


_KINDS: Final = {type_: word for word, types in _GROUPS.items() for type_ in types}
"""The same by exact type, which is fast."""

_DTYPES: Final = {"b": "boolean", "i": "number", "u": "number", "f": "number", "U": "text", "S": "bytes"}

_PLAIN: Final[frozenset[str | None]] = frozenset({"boolean", "number", "decimal", "text", "bytes", "date"})
"""Groups that say all there is to know."""


def _from_numpy(values: np.ndarray[Any, Any], name: str) -> pa.Array:
    if values.ndim not in (1, 2):
        what = "a scalar" if not values.ndim else f"{values.ndim}-dimensional"
        _refuse(name, f"the array is {what}; give one of (rows,), or of (rows, col_size)")
    mask = np.ma.getmask(values)
    flat_mask = None if mask is np.ma.nomask or not mask.any() else np.ascontiguousarray(mask).reshape(-1)
    plain = np.asarray(values.unmasked if hasattr(values, "unmasked") else np.ma.getdata(values))
    if values.ndim == 1:
        return _flat(plain, flat_mask, name)
    if not values.shape[1]:
        _refuse(name, f"the array has the shape {values.shape}; rows need at least one element")
    elements = _flat(np.ascontiguousarray(plain).reshape(-1), flat_mask, name)
    return pa.FixedSizeListArray.from_arrays(elements, values.shape[1])


def _flat(values: np.ndarray[Any, Any], mask: Any, name: str) -> pa.Array:
    if values.dtype.kind == "S":
        values = _decoded(values, mask, name)
    elif values.dtype.kind == "M":
        values = _in_known_unit(values, mask, name)
    elif values.dtype.kind == "O":
        return _from_list((values if mask is None else np.where(mask, np.array(None), values)).tolist(), name)
    elif not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    return pa.array(values, mask=mask)


def _in_known_unit(values: np.ndarray[Any, Any], mask: Any, name: str) -> np.ndarray[Any, Any]:
    """Return datetime64 in a unit that Arrow has, in the byte order of the machine; dates are days of 32 bits there."""
    unit, count = np.datetime_data(values.dtype)
    known = count == 1 and unit in ("D", "s", "ms", "us", "ns")
    coarse = "D" if unit in ("Y", "M", "W", "D") else "s"
    target = np.dtype(f"M8[{unit if known else coarse if unit in ('Y', 'M', 'W', 'D', 'h', 'm', 's') else 'ns'}]")
    if values.dtype == target and unit != "D":
        return values
    made = values.astype(target)
    is_same = np.isnat(values) if unit == "generic" else np.isnat(values) | (made.astype(values.dtype) == values)
    if target == np.dtype("M8[D]"):
        is_same &= np.isnat(values) | (np.abs(made.astype(np.int64) + 0.5) < 2**31)
    if mask is not None:
        is_same |= mask
    if not is_same.all():
        row = int(is_same.argmin())
        message = f"{values[row]!r} is no moment in units of {np.datetime_data(target)[0]}; round it, or leave it out"
        raise MamlError([Problem("value", (name, row), message)])
    return made


def _decoded(values: np.ndarray[Any, Any], mask: Any, name: str) -> np.ndarray[Any, Any]:
    """Return bytes as text: what FITS files hold."""
    filled = values if mask is None else np.where(mask, b"", values)
    try:
        return np.char.decode(filled, "utf-8")
    except UnicodeDecodeError:
        row = next(position for position, value in enumerate(filled) if _undecodable(value))
        message = f"the bytes {bytes(filled[row])!r} are no UTF-8; decode the column first"
        raise MamlError([Problem("value", (name, row), message)]) from None


def _undecodable(value: bytes) -> bool:
    try:
        value.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def _refuse(name: str, message: str) -> NoReturn:
    raise MamlError([Problem("column", (name,), message)])
