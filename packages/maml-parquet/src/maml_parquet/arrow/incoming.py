"""Tables as programs hold them, column by column: Arrow, numpy, pandas, polars, astropy, dictionaries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa

from maml_parquet.arrow.arrays import array_of, is_of
from maml_parquet.arrow.types import is_list
from maml_parquet.errors import MamlError, Problem

Columns: TypeAlias = "dict[str, pa.Array | pa.ChunkedArray]"

_TAKEN: Final = (
    "a pyarrow Table or RecordBatch, a dict of arrays, a DataFrame of pandas or polars, an astropy Table, a structured "
    "numpy array, or what has __arrow_c_stream__"
)
_MIXINS: Final = {
    "Time": "give moments as numpy has them, like t['x'] = t['x'].utc.datetime64, and assume_utc=True",
    "SkyCoord": "give its parts, like t['ra'] = c.ra.deg and t['dec'] = c.dec.deg",
}
"""What to do with columns of astropy that are no arrays."""


def columns_of(data: Any, sizes: Mapping[str, int] | None = None) -> tuple[Columns, int]:
    """Return the columns of a table by their names, and how many rows it has.

    Nothing is copied that has the memory of Arrow or numpy. Masked values are Null, and so is NaN in the numpy columns
    of pandas, where it stands for what is missing; NaN elsewhere is a value. Of pandas' index the levels with a name
    are columns. Units are told by `units_of`.

    Parameters
    ----------
    data
        A pyarrow Table or RecordBatch, a mapping from names to what `array_of` takes, a DataFrame of pandas or polars,
        an astropy Table or QTable, a structured numpy array, or whatever else has ``__arrow_c_stream__``.
    sizes
        How many elements the rows of a vector have, where it is known: these columns may be flat.

    Raises
    ------
    MamlError
        Code ``column``, all that is wrong: no table, a name twice or not a text, columns of different lengths, arrays
        of Arrow whose memory is broken, and what `array_of` says of a column.

    Examples
    --------
    >>> columns, rows = columns_of({"id": [1, 2], "xy": [1.0, 2.0, 3.0, 4.0]}, {"xy": 2})
    >>> rows, columns["id"].type
    (2, DataType(int64))
    >>> columns_of({"id": [1, 2], "x": [1.0]})
    Traceback (most recent call last):
    maml_parquet.errors.MamlError: x: the column has 1 row, and 'id' has 2; give columns of one length
    """
    problems: list[Problem] = []
    columns: Columns = {}
    for name, values in _pairs(data):
        if not isinstance(name, str):
            problems.append(_problem(repr(name), f"the name of a column is {name!r}; give a text"))
        elif name in columns:
            problems.append(_problem(name, f"two columns have the name {name!r}; rename one"))
        else:
            try:
                columns[name] = _whole(array_of(_array(values, name), name), name)
            except MamlError as error:
                columns[name] = pa.nulls(0)
                problems.extend(error.problems)
    if problems:
        raise MamlError(problems)
    return columns, _rows(columns, sizes or {})


def units_of(data: Any) -> dict[str, str]:
    """Return the units that a table gives its columns; those without one are left out.

    They are astropy's, and ``unit`` of the metadata of Arrow's fields.

    Examples
    --------
    >>> field = pa.field("ra", pa.float64(), metadata={"unit": "deg"})
    >>> units_of(pa.table([[1.0]], schema=pa.schema([field])))
    {'ra': 'deg'}
    """
    if _is_of_astropy(data):
        units = ((name, getattr(data[name], "unit", None)) for name in data.colnames)
        return {name: str(unit) for name, unit in units if unit is not None and str(unit)}
    if isinstance(data, pa.Table | pa.RecordBatch):
        texts = ((field.name, (field.metadata or {}).get(b"unit", b"")) for field in data.schema)
        return {name: text.decode(errors="replace") for name, text in texts if text}
    return {}


def other_units(data: Any, declared: Mapping[str, str]) -> dict[str, str]:
    """Return the units that contradict declared ones, by column; what has no unit, here or there, contradicts nothing.

    Units of astropy are compared as units, others as text without blanks. No value is converted anywhere.

    Examples
    --------
    >>> field = pa.field("v", pa.float64(), metadata={"unit": "km / s"})
    >>> table = pa.table([[1.0]], schema=pa.schema([field]))
    >>> other_units(table, {"v": "km/s"}), other_units(table, {"v": "m/s"})
    ({}, {'v': 'km / s'})
    """
    found = {}
    for name, unit in units_of(data).items():
        wanted = declared.get(name, "")
        is_same = "".join(unit.split()) == "".join(wanted.split())
        if wanted and not is_same and not (_is_of_astropy(data) and _equals(data[name].unit, wanted)):
            found[name] = unit
    return found


def _equals(unit: Any, text: str) -> bool:
    try:
        return bool(unit == text)
    except (TypeError, ValueError):
        return False


def _pairs(data: Any) -> Iterable[tuple[Any, Any]]:
    """Return names and values of the columns, in order."""
    if isinstance(data, pa.Table | pa.RecordBatch):
        return zip(data.schema.names, data.columns, strict=True)
    if isinstance(data, Mapping):
        return data.items()
    if isinstance(data, np.ndarray) and data.dtype.names:
        return [(name, data[name]) for name in data.dtype.names]
    if _is_of_astropy(data):
        return [(name, data[name]) for name in data.colnames]
    if is_of("pandas", type(data)) and hasattr(data, "columns"):
        return _of_pandas(data)
    return _pairs(_table(data))


def _table(data: Any) -> pa.Table:
    if not (hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")):
        fix = "collect it first" if hasattr(data, "collect") else f"give {_TAKEN}"
        raise MamlError([Problem("column", (), f"{type(data).__name__} is no table; {fix}")])
    try:
        return pa.table(data)
    except (pa.ArrowException, TypeError, ValueError) as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        if "Traceback" in lines[0]:
            message = f"the {type(data).__name__} failed while its rows were read ({lines[-1].strip()})"
            raise MamlError([Problem("column", (), f"{message}; look at where they come from")]) from error
        message = f"{type(data).__name__} makes no table ({lines[0]}); give {_TAKEN}"
        raise MamlError([Problem("column", (), message)]) from None


def _of_pandas(data: Any) -> Iterator[tuple[Any, Any]]:
    for level, name in enumerate(data.index.names):
        if name is not None:
            yield name, data.index.get_level_values(level).to_series()
    for position, name in enumerate(data.columns):
        yield name, data.iloc[:, position]


def _is_of_astropy(data: Any) -> bool:
    return hasattr(data, "colnames") and hasattr(data, "itercols")


def _array(values: Any, name: str) -> Any:
    """Return values as they are, but for columns of astropy that are no arrays."""
    if is_of("astropy", type(values)) and not isinstance(values, np.ndarray):
        kind = type(values).__name__
        fix = _MIXINS.get(kind, "give its parts as arrays")
        raise MamlError([_problem(name, f"the column is a {kind}, which is no array; {fix}")])
    return values


def _whole(values: pa.Array | pa.ChunkedArray, name: str) -> pa.Array | pa.ChunkedArray:
    """Return values whose memory is what it says: text that is UTF-8, and no place that is outside of it."""
    if getattr(values.type, "extension_name", "") == "pandas.period":
        fix = "give their beginnings, as to_timestamp() has them"
        raise MamlError([_problem(name, f"the column is of periods, which are no dates; {fix}")])
    try:
        values.validate(full=not pa.types.is_primitive(values.type))
    except pa.ArrowException as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        message = f"the column is no valid Arrow array ({reason}); make it anew from its values"
        raise MamlError([_problem(name, message)]) from None
    return values


def _rows(columns: Columns, sizes: Mapping[str, int]) -> int:
    """Return how many rows the columns have, all of them."""
    problems: list[Problem] = []
    first: tuple[str, int] | None = None
    for name, values in columns.items():
        size = 1 if _has_rows(values.type) else sizes.get(name, 1)
        if len(values) % size:
            message = f"{len(values)} flat values are no rows of {size} (col_size); give a multiple of {size}"
            problems.append(_problem(name, message))
            continue
        rows = len(values) // size
        first = first or (name, rows)
        if rows != first[1]:
            told = f"the column has {rows} row{'s' * (rows != 1)}, and {first[0]!r} has {first[1]}"
            problems.append(_problem(name, f"{told}; give columns of one length"))
    if problems:
        raise MamlError(problems)
    return first[1] if first else 0


def _has_rows(type_: pa.DataType) -> bool:
    """Return whether each value is a row, even in a column of vectors."""
    return is_list(type_) or pa.types.is_null(type_) or isinstance(type_, pa.BaseExtensionType)


def _problem(name: str, message: str) -> Problem:
    return Problem("column", (name,), message)
