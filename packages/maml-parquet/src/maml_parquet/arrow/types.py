"""Types of columns: MAML's words as Arrow's types, and back."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from maml_parquet.rows.binding import Kinds
from maml_parquet.rows.kinds import Kind
from maml_parquet.sections.types import TimeUnit, TypeToken

_TYPES: Final = {
    "int32": pa.int32(),
    "int64": pa.int64(),
    "float32": pa.float32(),
    "float64": pa.float64(),
    "boolean": pa.bool_(),
    "string": pa.string(),
    "date": pa.date32(),
}
"""The types without a unit, one row per word."""

_TIMES: Final[dict[TimeUnit, pa.DataType]] = {"ms": pa.time32("ms"), "us": pa.time64("us"), "ns": pa.time64("ns")}

_WORDS: Final = {
    **{type_: TypeToken(word) for word, type_ in _TYPES.items()},
    **{type_: TypeToken("time", unit) for unit, type_ in _TIMES.items()},
    pa.large_string(): TypeToken("string"),
    pa.string_view(): TypeToken("string"),
}
"""The word of each type but timestamps, which carry a time zone."""

_UNITS: Final[dict[str, TimeUnit]] = {"ms": "ms", "us": "us", "ns": "ns"}

_OTHER_NUMBERS: Final = {
    pa.int8(): "int8",
    pa.int16(): "int16",
    pa.uint8(): "uint8",
    pa.uint16(): "uint16",
    pa.uint32(): "uint32",
    pa.uint64(): "uint64",
    pa.float16(): "float16",
}
"""Numbers that rows can be chosen by, though no MAML declares them."""


def arrow_type(
    kind: TypeToken, col_size: int = 1, *, large: bool = False, element_nullable: bool = True
) -> pa.DataType:
    """Return the type that a column has in memory and in a file.

    Parameters
    ----------
    col_size
        Elements of a row: 1 is a scalar, more a list of that many.
    large
        Strings with offsets of 64 bits, which together may be longer than 2 GiB.
    element_nullable
        Whether elements of a vector may be Null.

    Examples
    --------
    >>> arrow_type(TypeToken("timestamp", "ns", utc=True))
    TimestampType(timestamp[ns, tz=UTC])
    >>> arrow_type(TypeToken("int32"), 3, element_nullable=False)
    FixedSizeListType(fixed_size_list<element: int32 not null>[3])
    """
    if kind.base == "timestamp":
        type_ = pa.timestamp(kind.unit, "UTC" if kind.utc else None)
    elif kind.base == "time":
        type_ = _TIMES[kind.unit or "us"]
    else:
        type_ = pa.large_string() if large and kind.base == "string" else _TYPES[kind.base]
    return type_ if col_size == 1 else pa.list_(pa.field("element", type_, nullable=element_nullable), col_size)


def token_of(type_: pa.DataType) -> TypeToken | None:
    """Return the word for a type, or for the elements of a list; None where MAML has none.

    Dictionaries are what they hold. A timestamp in any time zone is in UTC, as its numbers are. Seconds, dates of 64
    bits, numbers of other widths, decimals and bytes have no word.

    Examples
    --------
    >>> str(token_of(pa.timestamp("ms", "America/New_York"))), str(token_of(pa.list_(pa.float32(), 2)))
    ('timestamp[ms,utc]', 'float32')
    >>> token_of(pa.int16()) is None
    True
    """
    return _word(element_of(type_))


def size_of(type_: pa.DataType) -> int:
    """Return how many elements a row has: 1 for a scalar, 0 where each row may have its own number.

    Examples
    --------
    >>> size_of(pa.int32()), size_of(pa.list_(pa.int32(), 3)), size_of(pa.list_(pa.int32()))
    (1, 3, 0)
    """
    if pa.types.is_fixed_size_list(type_):
        return int(type_.list_size)
    return 0 if is_list(type_) else 1


def is_list(type_: pa.DataType) -> bool:
    """Return whether a row is a list: of a fixed length, of its own, with whatever offsets."""
    types = pa.types
    return bool(
        types.is_fixed_size_list(type_)
        or types.is_list(type_)
        or types.is_large_list(type_)
        or types.is_list_view(type_)
        or types.is_large_list_view(type_)
    )


def element_of(type_: pa.DataType) -> pa.DataType:
    """Return the type of a list's elements, or a scalar's own; dictionaries are what they hold."""
    found = type_.value_type if is_list(type_) else type_
    return found.value_type if pa.types.is_dictionary(found) else found


def kinds_of(schema: pa.Schema) -> Kinds:
    """Return the kind of each column, as rules and sort keys need them; of structs, the kinds of what is in them.

    Of a repeated name the first counts. What rules cannot compare soundly is ``other``: decimals, bytes, durations,
    seconds, dates of 64 bits.

    Examples
    --------
    >>> kinds = kinds_of(pa.schema({"s": pa.struct({"t": pa.time32("ms")}), "v": pa.list_(pa.int8(), 2)}))
    >>> str(kinds["s"]["t"]), str(kinds["v"])
    ('time[ms]', 'vector')
    """
    kinds: dict[str, Kind | Kinds] = {}
    for field in schema:
        kinds.setdefault(field.name, _kind(field.type))
    return kinds


def _kind(type_: pa.DataType) -> Kind | Kinds:
    if pa.types.is_struct(type_):
        return kinds_of(pa.schema([type_.field(index) for index in range(type_.num_fields)]))
    if pa.types.is_fixed_size_list(type_):
        return Kind("vector")
    if is_list(type_):
        return Kind("list")
    if pa.types.is_map(type_):
        return Kind("map")
    held = element_of(type_)
    if held in _OTHER_NUMBERS:
        return Kind(_OTHER_NUMBERS[held])
    word = _word(held)
    return Kind("other") if word is None else Kind(word.base, word.unit or "", word.utc)


def _word(type_: pa.DataType) -> TypeToken | None:
    if pa.types.is_timestamp(type_):
        unit = _UNITS.get(type_.unit)
        return unit and TypeToken("timestamp", unit, type_.tz is not None)
    return _WORDS.get(type_)
