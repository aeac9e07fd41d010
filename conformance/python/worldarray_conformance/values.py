"""The encodings `$float`, `$int`, `$bytes`, `$text` and `$array`, decoded without numpy."""

from __future__ import annotations

import base64
import binascii
import json
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from worldarray_conformance.errors import CaseFileError

if TYPE_CHECKING:
    import numpy as np

STRUCT_CODES: Final[Mapping[str, str]] = {
    "bool": "?",
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "uint8": "B",
    "uint16": "H",
    "uint32": "I",
    "uint64": "Q",
    "float16": "e",
    "float32": "f",
    "float64": "d",
    "complex64": "f",
    "complex128": "d",
}
"""dtype name to the `struct` code of one element, or of one half of a complex one."""

_SPECIAL: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf, "-0": -0.0}


@dataclass(frozen=True)
class Text:
    """Text that a store holds as UTF-8 as it stands."""

    text: str


@dataclass(frozen=True)
class ArrayValue:
    """An array: `data` is flat in C order; a complex element is a complex number."""

    dtype: str
    shape: tuple[int, ...]
    data: tuple[Any, ...]

    def tobytes(self) -> bytes:
        r"""Return the elements raw and little-endian, in C order.

        Examples
        --------
        >>> ArrayValue("uint16", (2,), (1, 258)).tobytes()
        b'\x01\x00\x02\x01'
        """
        values: Sequence[Any] = self.data
        if self.dtype.startswith("complex"):
            values = [half for value in self.data for half in (value.real, value.imag)]
        return struct.pack(f"<{len(values)}{STRUCT_CODES[self.dtype]}", *values)

    def as_numpy(self) -> np.ndarray[Any, Any]:
        """Return a writable numpy array of the same dtype, shape and elements; imports numpy."""
        import numpy as np  # noqa: PLC0415 - the suite itself needs no numpy

        little_endian = np.dtype(self.dtype).newbyteorder("<")
        return np.frombuffer(self.tobytes(), little_endian).astype(self.dtype).reshape(self.shape)


def decode(value: object, where: str) -> object:
    """Return a JSON value with every encoded value in it decoded.

    Raises
    ------
    CaseFileError
        An encoding is malformed, or stands beside other keys.

    Examples
    --------
    >>> decode({"size": [{"$int": "18446744073709551615"}, {"$float": "-0"}]}, "example")
    {'size': [18446744073709551615, -0.0]}
    """
    if isinstance(value, list):
        return [decode(item, f"{where}[{index}]") for index, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    tags = _DECODERS.keys() & value.keys()
    if not tags:
        return {key: decode(item, f"{where}.{key}") for key, item in value.items()}
    if len(value) != 1:
        raise CaseFileError(f"{where}: {min(tags)} stands alone in its object, not beside {sorted(set(value) - tags)}")
    (tag,) = tags
    return _DECODERS[tag](value[tag], f"{where}.{tag}")


def store_bytes(store: Mapping[str, object]) -> dict[str, bytes]:
    r"""Return a decoded store as the bytes of each key.

    A JSON document is written as JSON, `$text` as UTF-8, `$bytes` as they are, and an `$array` as its raw little-endian
    elements.

    Examples
    --------
    >>> store_bytes({"a/.zgroup": {"zarr_format": 2}, "a/0": ArrayValue("uint8", (2,), (1, 2))})
    {'a/.zgroup': b'{"zarr_format": 2}', 'a/0': b'\x01\x02'}
    """
    return {key: _stored(value) for key, value in store.items()}


def _stored(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, Text):
        return value.text.encode()
    if isinstance(value, ArrayValue):
        return value.tobytes()
    return json.dumps(value).encode()


def _float(value: object, where: str) -> float:
    if not isinstance(value, str) or value not in _SPECIAL:
        raise CaseFileError(f"{where}: {value!r} is none of {', '.join(_SPECIAL)}; write other floats as JSON numbers")
    return _SPECIAL[value]


def _integer(value: object, where: str) -> int:
    digits = value.removeprefix("-") if isinstance(value, str) else ""
    if not (digits.isascii() and digits.isdigit()) or digits.startswith("0") or int(digits) < 2**53:
        raise CaseFileError(f"{where}: {value!r} is not the decimal digits of an integer beyond 2^53 - 1")
    return int(str(value))


def _bytes(value: object, where: str) -> bytes:
    try:
        return base64.b64decode(str(value), validate=True)
    except binascii.Error as error:
        raise CaseFileError(f"{where}: {value!r} is not base64: {error}") from error


def _text(value: object, where: str) -> Text:
    if not isinstance(value, str):
        raise CaseFileError(f"{where}: {value!r} is not a string")
    return Text(value)


def _array(value: object, where: str) -> ArrayValue:
    keys = set(value) if isinstance(value, dict) else set()
    sources = keys & {"data", "full", "iota"}
    if not isinstance(value, dict) or keys - sources != {"dtype", "shape"} or len(sources) != 1:
        raise CaseFileError(f"{where}: an array has dtype, shape and one of data, full and iota, not {sorted(keys)}")
    dtype, shape = value["dtype"], value["shape"]
    if dtype not in STRUCT_CODES:
        raise CaseFileError(f"{where}.dtype: {dtype!r} is none of {', '.join(STRUCT_CODES)}")
    if not isinstance(shape, list) or not all(type(size) is int and size >= 0 for size in shape):
        raise CaseFileError(f"{where}.shape: {shape!r} is not a list of sizes")
    elements = _elements(value, math.prod(shape), where)
    try:
        data = tuple(_element(element, dtype) for element in elements)
    except (struct.error, OverflowError, TypeError) as error:
        raise CaseFileError(f"{where}: an element is no {dtype}: {error}") from error
    return ArrayValue(dtype, tuple(shape), data)


def _elements(value: Mapping[str, Any], count: int, where: str) -> Sequence[object]:
    if "full" in value:
        return [decode(value["full"], where)] * count
    if "iota" in value:
        iota = value["iota"]
        if not isinstance(iota, dict) or iota.keys() != {"start", "step"}:
            raise CaseFileError(f"{where}.iota: has start and step, not {iota!r}")
        start, step = (decode(iota[key], where) for key in ("start", "step"))
        if not isinstance(start, int | float) or not isinstance(step, int | float):
            raise CaseFileError(f"{where}.iota: start and step are numbers, not {iota!r}")
        return [start + step * index for index in range(count)]
    data = value["data"]
    if not isinstance(data, list) or len(data) != count:
        found = len(data) if isinstance(data, list) else data
        raise CaseFileError(f"{where}.data: a flat list of {count} elements belongs here, not {found!r}")
    return [decode(element, where) for element in data]


def _element(value: Any, dtype: str) -> object:
    if (dtype == "bool") != isinstance(value, bool):
        raise TypeError(f"{value!r}")
    if dtype.startswith("complex"):
        real, imaginary = value
        return complex(_rounded(real, STRUCT_CODES[dtype]), _rounded(imaginary, STRUCT_CODES[dtype]))
    return _rounded(value, STRUCT_CODES[dtype])


def _rounded(value: Any, code: str) -> Any:
    return struct.unpack(f"<{code}", struct.pack(f"<{code}", value))[0]


_DECODERS: Final[Mapping[str, Callable[[object, str], object]]] = {
    "$float": _float,
    "$int": _integer,
    "$bytes": _bytes,
    "$text": _text,
    "$array": _array,
}
