"""Values of one type as another, where they are the same values: one row for each pair that may be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from maml_parquet.arrow.memory import MAX_BYTES, Mask, Numbers, end_of, numbers_of, valid_of
from maml_parquet.arrow.types import arrow_type
from maml_parquet.rows.kinds import INTEGERS
from maml_parquet.sections.types import TypeToken

Step: TypeAlias = Callable[[pa.Array, TypeToken], pa.Array]

_PER_DAY: Final = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
"""How many of a unit make a day."""

_DIGITS: Final = {"float32": 24, "float64": 53}
"""Bits of a whole number that a float keeps."""


@dataclass
class UnfitError(Exception):
    """Values that are not values of the type: the first one's place, what it is, why it does not fit, how many."""

    position: int
    shown: str
    rule: str
    count: int


class OtherTypeError(Exception):
    """A column of this type is never one of that type; the text says what to do."""


def family_of(type_: pa.DataType) -> str:
    """Return the family of an undressed type; ``other`` where nothing is made of it.

    Examples
    --------
    >>> family_of(pa.uint8()), family_of(pa.time32("s")), family_of(pa.binary())
    ('integer', 'time', 'other')
    """
    return next((word for word, is_one in _FAMILIES.items() if is_one(type_)), "other")


def converted(array: pa.Array, kind: TypeToken, *, assume_utc: bool = False) -> pa.Array:
    """Return the values of an undressed scalar column as exactly the type; the same memory where it is right already.

    Raises
    ------
    OtherTypeError
        Columns of the two types are never converted.
    UnfitError
        A value is none of the type.

    Examples
    --------
    >>> converted(pa.array([5.0, None, -0.0]), TypeToken("int32")).to_pylist()
    [5, None, 0]
    """
    family = family_of(array.type)
    if family == "null":
        return pa.nulls(len(array), arrow_type(kind))
    step = _STEPS.get((family, kind.base))
    if step is None:
        raise OtherTypeError(_HINTS[kind.base])
    if family == "timestamp":
        _check_zone(array.type, kind, assume_utc)
    return step(array, kind)


def _check_zone(type_: pa.DataType, kind: TypeToken, assume_utc: bool) -> None:
    if kind.utc and type_.tz is None and not assume_utc:
        raise OtherTypeError("they are in no time zone; give them one, or pass assume_utc=True where they are in UTC")
    if not kind.utc and type_.tz is not None:
        fix = f"declare timestamp[{kind.unit},utc], or take the zone away"
        raise OtherTypeError(f"they are in the time zone {type_.tz}, and the column is declared without one; {fix}")


def _refuse(array: pa.Array, bad: Mask, rule: str, numbers: Numbers | None = None) -> None:
    """Raise for the first value that is bad and no Null."""
    valid = valid_of(array)
    bad = bad if valid is None else bad & valid
    if bad.any():
        position = int(bad.argmax())
        raise UnfitError(position, _shown(array, position, numbers), rule, int(bad.sum()))


def _shown(array: pa.Array, position: int, numbers: Numbers | None) -> str:
    if numbers is not None:
        return repr(numbers[position].item())
    one = array[position : position + 1]
    zone = "Z" if pa.types.is_timestamp(one.type) and one.type.tz else ""
    bare = one.view(pa.timestamp(one.type.unit)) if zone else one
    return f"{bare.cast(pa.string())[0].as_py()}{zone}"


def _exactly(array: pa.Array, kind: TypeToken) -> pa.Array:
    """Cast what is known to fit."""
    target = arrow_type(kind)
    return array if array.type == target else array.cast(target, safe=False)


def _integer_as_integer(array: pa.Array, kind: TypeToken) -> pa.Array:
    low, high = INTEGERS[kind.base]
    least, most = INTEGERS[str(array.type)]
    if least < low or most > high:
        numbers = numbers_of(array)
        if len(numbers) and (int(numbers.min()) < low or int(numbers.max()) > high):
            bad = (numbers < max(low, least)) | (numbers > min(high, most))
            _refuse(array, bad, f"is outside {kind} ({low} to {high}); {_WIDER[kind.base]}", numbers)
    return _exactly(array, kind)


def _float_as_integer(array: pa.Array, kind: TypeToken) -> pa.Array:
    numbers = numbers_of(array)
    wide = numbers.astype(np.float32) if numbers.dtype == np.float16 else numbers
    low, high = INTEGERS[kind.base]
    _refuse(array, wide != np.trunc(wide), f"is no whole number, and the column is {kind}; {_FRACTION}", numbers)
    bad = ~((wide >= low) & (wide < high + 1))
    _refuse(array, bad, f"is outside {kind} ({low} to {high}); {_WIDER[kind.base]}", numbers)
    return _exactly(array.cast(pa.float32()) if numbers.dtype == np.float16 else array, kind)


def _integer_as_float(array: pa.Array, kind: TypeToken) -> pa.Array:
    digits = _DIGITS[kind.base]
    least, most = INTEGERS[str(array.type)]
    numbers = numbers_of(array)
    if max(-least, most) > 2**digits and len(numbers) and _reach(numbers) > 2**digits:
        near = numbers.astype(kind.base).astype(np.float64)
        back = near < most + 1
        bad = ~(back & (np.where(back, near, 0.0).astype(numbers.dtype) == numbers))
        _refuse(array, bad, f"is no {kind}: it keeps {digits} bits of a whole number; declare int64", numbers)
    return _exactly(array, kind)


def _reach(numbers: Numbers) -> int:
    return max(-int(numbers.min()), int(numbers.max()))


def _float_as_float(array: pa.Array, kind: TypeToken) -> pa.Array:
    found = _exactly(array, kind)
    if kind.base == "float32" and array.type == pa.float64():
        numbers = numbers_of(array)
        bad = np.isinf(numbers_of(found))
        if bad.any():
            _refuse(array, bad & np.isfinite(numbers), "is too large for float32; declare float64", numbers)
    return found


def _same(array: pa.Array, kind: TypeToken) -> pa.Array:
    return _exactly(array, kind)


def _string_as_string(array: pa.Array, kind: TypeToken) -> pa.Array:
    if pa.types.is_large_string(array.type) and end_of(array) > MAX_BYTES:
        # Offsets of a slice do not begin at 0; those of a copy do.
        array = pa.concat_arrays([array, array[:0]])
    return _exactly(array, kind)


def _date_as_date(array: pa.Array, kind: TypeToken) -> pa.Array:
    if array.type == pa.date32():
        return array
    numbers = numbers_of(array)
    _refuse(array, numbers % _PER_DAY["ms"] != 0, "milliseconds since 1970 are no whole day", numbers)
    days = numbers // _PER_DAY["ms"]
    low, high = INTEGERS["int32"]
    _refuse(array, (days < low) | (days > high), f"is outside {kind}", numbers)
    return _divided(array, _PER_DAY["ms"]).cast(pa.int32(), safe=False).view(pa.date32())


def _time_as_time(array: pa.Array, kind: TypeToken) -> pa.Array:
    numbers = numbers_of(array)
    if len(numbers) and (numbers.min() < 0 or numbers.max() >= _PER_DAY[array.type.unit]):
        bad = (numbers < 0) | (numbers >= _PER_DAY[array.type.unit])
        _refuse(array, bad, f"({array.type.unit} since midnight) is no time of a day", numbers)
    found = _in_unit(array, kind)
    target = arrow_type(kind)
    return found if found.type == target else found.cast(_integers(target), safe=False).view(target)


def _timestamp_as_timestamp(array: pa.Array, kind: TypeToken) -> pa.Array:
    found = _in_unit(array, kind)
    return found if found.type == arrow_type(kind) else found.view(arrow_type(kind))


def _in_unit(array: pa.Array, kind: TypeToken) -> pa.Array:
    """Return the numbers in the unit of the column; the array itself where it has that unit."""
    here, there = _PER_DAY[array.type.unit], _PER_DAY[kind.unit or "us"]
    if here == there:
        return array
    numbers = numbers_of(array).astype(np.int64, copy=False)
    if here > there:
        rule = f"is finer than {kind}; round it, or declare a finer unit"
        _refuse(array, numbers % (here // there) != 0, rule)
        return _divided(array, here // there)
    factor = there // here
    bad = (numbers > INTEGERS["int64"][1] // factor) | (numbers < -(INTEGERS["int64"][1] // factor))
    _refuse(array, bad, f"is outside {kind}; declare a coarser unit")
    return pc.multiply(_as_int64(array), pa.scalar(factor, pa.int64()))


def _divided(array: pa.Array, factor: int) -> pa.Array:
    return pc.divide(_as_int64(array), pa.scalar(factor, pa.int64()))


def _as_int64(array: pa.Array) -> pa.Array:
    return array.view(_integers(array.type)).cast(pa.int64())


def _integers(type_: pa.DataType) -> pa.DataType:
    return pa.int32() if type_.bit_width == 32 else pa.int64()


_FRACTION: Final = "round it, or declare float64"
_WIDER: Final = {"int32": "declare int64", "int64": "declare float64"}

_FAMILIES: Final[dict[str, Callable[[pa.DataType], bool]]] = {
    "null": pa.types.is_null,
    "integer": pa.types.is_integer,
    "float": pa.types.is_floating,
    "boolean": pa.types.is_boolean,
    "string": lambda type_: type_ in (pa.string(), pa.large_string()),
    "date": pa.types.is_date,
    "time": pa.types.is_time,
    "timestamp": pa.types.is_timestamp,
}

_STEPS: Final[dict[tuple[str, str], Step]] = {
    ("integer", "int32"): _integer_as_integer,
    ("integer", "int64"): _integer_as_integer,
    ("integer", "float32"): _integer_as_float,
    ("integer", "float64"): _integer_as_float,
    ("float", "int32"): _float_as_integer,
    ("float", "int64"): _float_as_integer,
    ("float", "float32"): _float_as_float,
    ("float", "float64"): _float_as_float,
    ("boolean", "boolean"): _same,
    ("string", "string"): _string_as_string,
    ("date", "date"): _date_as_date,
    ("time", "time"): _time_as_time,
    ("timestamp", "timestamp"): _timestamp_as_timestamp,
}
"""From a family to a type; a pair that is not here is never converted."""

_HINTS: Final = {
    **dict.fromkeys(
        ("int32", "int64", "float32", "float64"), "numbers are made of integers and floats alone; convert them first"
    ),
    "boolean": "booleans are made of booleans alone; compare the values first, like x != 0",
    "string": "strings are made of strings alone; format the values first",
    "date": "dates are made of dates alone; convert them first",
    "time": "times are made of times alone; convert them first",
    "timestamp": "timestamps are made of timestamps alone; convert them first",
}
