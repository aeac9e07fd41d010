"""Which row groups of a file have to be read: what their statistics say of a rule."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from maml_parquet.arrow.leaves import kind_of
from maml_parquet.rows.binding import leaves, mapped
from maml_parquet.rows.kinds import Kind
from maml_parquet.rows.pruning import Stats, keeps
from maml_parquet.rows.trees import Bound

_STORED: Final = {
    "int8": ("INT32", "INT"),
    "int16": ("INT32", "INT"),
    "int32": ("INT32", "INT"),
    "int64": ("INT64", "INT"),
    "float32": ("FLOAT", "NONE"),
    "float64": ("DOUBLE", "NONE"),
    "boolean": ("BOOLEAN", "NONE"),
    "string": ("BYTE_ARRAY", "STRING"),
    "date": ("INT32", "DATE"),
    "time[ms]": ("INT32", "TIME"),
    "time[us]": ("INT64", "TIME"),
    "time[ns]": ("INT64", "TIME"),
    "timestamp[ms]": ("INT64", "TIMESTAMP"),
    "timestamp[us]": ("INT64", "TIMESTAMP"),
    "timestamp[ns]": ("INT64", "TIMESTAMP"),
}
"""How a file stores the kinds whose bounds can be trusted: what it is physically, and what that means.

Missing are kinds that writers order in their own ways; and what no kind is stored as is missing too, such as the
timestamps of 96 bits of old writers.
"""

_UNITS: Final = {"milliseconds": "ms", "microseconds": "us", "nanoseconds": "ns"}

_LONGEST: Final = 60
"""Bytes of a string that is trusted as a bound: longer ones may have been cut, and pyarrow does not tell."""


def kept(metadata: pq.FileMetaData, bound: Bound, unsound: Collection[int] = ()) -> list[int]:
    """Return the numbers of the row groups that may have a row that passes: reading these alone gives the same rows.

    Groups without rows are left out. A group stays where its statistics are missing or cannot be trusted.

    Parameters
    ----------
    bound
        A rule bound to the columns of the file; they are found by the path of each test.
    unsound
        The numbers of stored columns whose statistics are not asked for: pyarrow ends the process by some.

    Examples
    --------
    >>> import io
    >>> from maml_parquet.rows.filters import bind, parse_filter
    >>> file = io.BytesIO()
    >>> pq.write_table(pa.table({"ra": [10.0, 20.0, 30.0, 40.0]}), file, row_group_size=2)
    >>> rule = bind(parse_filter("ra > 20"), {"ra": Kind("float64")})
    >>> kept(pq.read_metadata(file), rule)
    [1]
    """
    # Names that no two paths share.
    bound = mapped(bound, lambda test: replace(test, name="\0".join(test.path)))
    tests = {test.name: test for test in leaves(bound)}
    found = _leaves(metadata, {name: test.path for name, test in tests.items()})
    # Counts of one unit are not compared with counts of another.
    found = {
        name: (index, kind)
        for name, (index, kind) in found.items()
        if kind == tests[name].kind and index not in unsound
    }
    groups = ((number, metadata.row_group(number)) for number in range(metadata.num_row_groups))
    return [number for number, group in groups if group.num_rows and keeps(bound, _stats(group, found))]


def stats_of(metadata: pq.FileMetaData, group: int, paths: Mapping[str, tuple[str, ...]]) -> dict[str, Stats]:
    """Return what a row group says of columns, by name; a column that it says nothing of is absent.

    Bounds are as rows have values: dates as days, times and timestamps as counts of the column's unit.

    Parameters
    ----------
    paths
        Of each name, the path to the column through structs; elements of lists have no statistics of rows.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> pq.write_table(pa.table({"s": [{"x": 1}, {"x": 5}, None]}), file)
    >>> stats_of(pq.read_metadata(file), 0, {"s.x": ("s", "x")})
    {'s.x': Stats(rows=3, null_count=1, min=1, max=5)}
    """
    return _stats(metadata.row_group(group), _leaves(metadata, paths))


def _leaves(metadata: pq.FileMetaData, paths: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[int, Kind]]:
    """Return number and kind of the stored column that each path leads to, where it leads to one."""
    schema = metadata.schema.to_arrow_schema()
    names: dict[tuple[str, ...], list[str]] = {}
    for name, path in paths.items():
        names.setdefault(path, []).append(name)
    stored = list(_walk(schema))
    if len(stored) != metadata.num_columns:
        return {}
    found: dict[str, tuple[int, Kind]] = {}
    for index, (path, type_) in enumerate(stored):
        column = metadata.schema.column(index)
        if path in names and column.path == ".".join(path) and not column.max_repetition_level:
            # Of a repeated name the first counts.
            for name in names[path]:
                found.setdefault(name, (index, kind_of(type_)))
    return found


def _walk(parent: pa.Schema | pa.DataType, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], pa.DataType]]:
    """Give path and type of each stored column, in the order of the file."""
    fields = list(parent) if isinstance(parent, pa.Schema) else [parent.field(at) for at in range(parent.num_fields)]
    for field in fields:
        type_ = field.type.storage_type if isinstance(field.type, pa.BaseExtensionType) else field.type
        if type_.num_fields:
            yield from _walk(type_, (*path, field.name))
        else:
            yield (*path, field.name), type_


def _stats(group: pq.RowGroupMetaData, found: Mapping[str, tuple[int, Kind]]) -> dict[str, Stats]:
    told = {}
    for name, (index, kind) in found.items():
        stats = _of_chunk(group.column(index), group.num_rows, kind)
        if stats is not None:
            told[name] = stats
    return told


def _of_chunk(chunk: pq.ColumnChunkMetaData, rows: int, kind: Kind) -> Stats | None:
    """Return what is told of one column of a group; None where that is nothing or contradicts itself."""
    try:
        told = chunk.statistics if chunk.is_stats_set else None
        if told is None or chunk.num_values != rows:
            return None
        nulls = told.null_count if told.has_null_count else None
        if not told.has_min_max:
            return Stats(rows, nulls)
        low, high = told.min_raw, told.max_raw
    except (OSError, ValueError):
        # Bytes that are no value of the column.
        return None
    if nulls == rows:
        return None
    return Stats(rows, nulls, *(_bounds(low, high) if _is_stored(told, kind) else ()))


def _is_stored(told: pq.Statistics, kind: Kind) -> bool:
    """Return whether bounds are numbers, text or truth as rows of this kind have them."""
    physical, logical = _STORED.get(str(Kind(kind.base, kind.unit)), ("", ""))
    meaning = told.logical_type
    if told.physical_type != physical or meaning.type not in (logical, "NONE" if kind.is_integer else logical):
        return False
    said = json.loads(meaning.to_json())
    return bool(said.get("isSigned", True)) and _UNITS.get(said.get("timeUnit"), "") == kind.unit


def _bounds(low: Any, high: Any) -> tuple[Any, ...]:
    """Return two bounds, or nothing where one cannot be trusted."""
    if not isinstance(low, bytes):
        return low, high
    if max(len(low), len(high)) > _LONGEST:
        return ()
    try:
        return low.decode(), high.decode()
    except UnicodeDecodeError:
        return ()
