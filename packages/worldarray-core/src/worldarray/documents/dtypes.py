"""The data types that tensorstore knows by name, and the fill values that documents give them."""

from __future__ import annotations

import base64
import binascii
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from worldarray.documents.parsing import refuse, show
from worldarray.errors import ArgumentError, At, Notice, notice, problem

Kind = Literal["bool", "int", "float", "complex"]


@dataclass(frozen=True)
class Scalar:
    """A data type: its name in numpy or ml_dtypes, what it holds, and its size in bits."""

    name: str
    kind: Kind
    bits: int

    @property
    def itemsize(self) -> int:
        """The bytes of one element, in memory as in every format."""
        return max(1, self.bits // 8)

    @property
    def bounds(self) -> tuple[int, int]:
        """The smallest and the largest integer."""
        if self.name.startswith("u"):
            return 0, 2**self.bits - 1
        return -(2 ** (self.bits - 1)), 2 ** (self.bits - 1) - 1

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy dtype, in the machine's byte order; ml_dtypes is imported only for the types it adds."""
        if self.name not in EXTENDED:
            return np.dtype(self.name)
        import ml_dtypes  # noqa: PLC0415

        found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, self.name))
        return found


EXTENDED: Final[Mapping[str, int]] = {
    "int2": 2,
    "int4": 4,
    "bfloat16": 16,
    "float4_e2m1fn": 4,
    "float8_e3m4": 8,
    "float8_e4m3b11fnuz": 8,
    "float8_e4m3fn": 8,
    "float8_e4m3fnuz": 8,
    "float8_e5m2": 8,
    "float8_e5m2fnuz": 8,
    "float8_e8m0fnu": 8,
}
"""The data types that ml_dtypes adds to numpy, and their bits."""


def _scalars() -> dict[str, Scalar]:
    found = {"bool": Scalar("bool", "bool", 8)}
    for bits in (8, 16, 32, 64):
        found |= {name: Scalar(name, "int", bits) for name in (f"int{bits}", f"uint{bits}")}
    found |= {f"float{bits}": Scalar(f"float{bits}", "float", bits) for bits in (16, 32, 64)}
    found |= {f"complex{bits}": Scalar(f"complex{bits}", "complex", bits) for bits in (64, 128)}
    for name, bits in EXTENDED.items():
        found[name] = Scalar(name, "int" if name.startswith("int") else "float", bits)
    return found


SCALARS: Final[Mapping[str, Scalar]] = _scalars()
"""Every data type that tensorstore reads into numpy, by the name that tensorstore and zarr v3 give it."""
MISREAD_FILL: Final = "float8_e8m0fnu"
"""The data type whose fill value tensorstore 0.1.86 misreads unless it is given by its bits (1 becomes 2**-64)."""
RAW_BITS: Final = {bits: f"uint{bits}" for bits in (8, 16, 32, 64)}
"""What raw bits are read as: tensorstore has no numpy dtype that holds them."""


class Fill(NamedTuple):
    """A fill value: as numpy holds it, as tensorstore is given it, and what was odd about the stored one."""

    value: Any
    stored: Any
    notices: tuple[Notice, ...] = ()


_NON_FINITE: Final = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,40}(\.0*)?", re.ASCII)
_NUMBER: Final = re.compile(r"[+-]?([0-9]{1,40}(\.[0-9]{0,40})?|\.[0-9]{1,40})([eE][+-]?[0-9]{1,4})?", re.ASCII)
_HEX: Final = re.compile(r"0x[0-9a-fA-F]+", re.ASCII)


def parse_fill(raw: object, scalar: Scalar, at: At, *, bits: bool = False) -> Fill:
    """Return the fill value of an array, exactly; `raw` is not null.

    A number written as a string is read as that number with a notice, as are 0 and 1 for false and true.

    Parameters
    ----------
    raw : object
        The JSON value.
    scalar : Scalar
        The array's data type.
    at : tuple
        The path of the value.
    bits : bool
        Whether a string ``0x…`` gives the bits of a float, as in zarr v3.

    Raises
    ------
    PlacementError
        ``wrong_type``, ``wrong_value``, ``not_integral`` (1.5 on integers), ``not_representable``.

    Examples
    --------
    >>> fill = parse_fill("7", SCALARS["uint16"], ("em/.zarray", "fill_value"))
    >>> fill.value.dtype.name, int(fill.value), len(fill.notices)
    ('uint16', 7, 1)
    """
    return _FILLS[scalar.kind](raw, scalar, at, bits)


def zero(scalar: Scalar) -> Any:
    """Return the numpy scalar whose bits are all zero."""
    return decode(bytes(scalar.itemsize), scalar)


def _bool_fill(raw: object, scalar: Scalar, at: At, bits: bool) -> Fill:  # noqa: ARG001
    if isinstance(raw, bool):
        return Fill(np.bool_(raw), raw)
    if isinstance(raw, int | float) and raw in (0, 1):
        odd = notice("wrong_type", at, f"is {show(raw)} on a boolean array; read as {'true' if raw else 'false'}")
        return Fill(np.bool_(raw), bool(raw), (odd,))
    return refuse("wrong_type", at, f"is {show(raw)}; the fill value of a boolean array is true or false")


def _integer_fill(raw: object, scalar: Scalar, at: At, bits: bool) -> Fill:  # noqa: ARG001
    odd: tuple[Notice, ...] = ()
    if isinstance(raw, str) and _INTEGER.fullmatch(raw):
        odd = (notice("wrong_type", at, f"is the string {show(raw)} on a {scalar.name} array; read as that number"),)
        raw = int(raw.partition(".")[0])
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        refuse("wrong_type", at, f"is {show(raw)}; the fill value of a {scalar.name} array is an integer")
    if isinstance(raw, float) and not raw.is_integer():
        refuse("not_integral", at, f"is {show(raw)}; the fill value of a {scalar.name} array is an integer")
    value, (low, high) = int(raw), scalar.bounds
    if not low <= value <= high:
        refuse("not_representable", at, f"is {show(raw)}; a {scalar.name} holds {low} to {high}")
    return Fill(scalar.dtype.type(value), value, odd)


def _float_fill(raw: object, scalar: Scalar, at: At, bits: bool) -> Fill:
    odd: tuple[Notice, ...] = ()
    if isinstance(raw, str):
        if raw in _NON_FINITE:
            return Fill(_rounded(_NON_FINITE[raw], scalar), raw)
        if bits and _HEX.fullmatch(raw):
            return Fill(_from_bits(raw, scalar, at), raw)
        if not _NUMBER.fullmatch(raw):
            known = ", ".join(map(show, _NON_FINITE))
            refuse("wrong_value", at, f"is {show(raw)}; the fill value of a {scalar.name} array is a number or {known}")
        odd = (notice("wrong_type", at, f"is the string {show(raw)} on a {scalar.name} array; read as that number"),)
        raw = float(raw)
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        refuse("wrong_type", at, f"is {show(raw)}; the fill value of a {scalar.name} array is a number")
    try:
        value = float(raw)
    except OverflowError:
        value = float("inf") if raw > 0 else float("-inf")
    rounded = _rounded(value, scalar)
    stored = f"0x{rounded.tobytes().hex()}" if scalar.name == MISREAD_FILL else _json_float(value)
    return Fill(rounded, stored, odd)


def _complex_fill(raw: object, scalar: Scalar, at: At, bits: bool) -> Fill:
    part = SCALARS[f"float{scalar.bits // 2}"]
    if isinstance(raw, list | tuple) and len(raw) == 2:
        real, imaginary = (_float_fill(entry, part, (*at, i), bits) for i, entry in enumerate(raw))
        value = np.array([real.value, imaginary.value]).view(scalar.dtype)[0]
        return Fill(value, [real.stored, imaginary.stored], real.notices + imaginary.notices)
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        found = _float_fill(raw, part, at, bits)
        odd = notice("wrong_type", at, f"is {show(raw)} on a {scalar.name} array; read as that real number")
        return Fill(scalar.dtype.type(found.value), [found.stored, 0.0], (odd,))
    return refuse("wrong_type", at, f"is {show(raw)}; the fill value of a {scalar.name} array is [real, imaginary]")


_FILLS: Final[Mapping[Kind, Callable[[object, Scalar, At, bool], Fill]]] = {
    "bool": _bool_fill,
    "int": _integer_fill,
    "float": _float_fill,
    "complex": _complex_fill,
}


def _rounded(value: float, scalar: Scalar) -> Any:
    with np.errstate(over="ignore", invalid="ignore"):
        return scalar.dtype.type(value)


def _json_float(value: float) -> float | str:
    if value != value:  # noqa: PLR0124
        return "NaN"
    return value if abs(value) != float("inf") else "Infinity" if value > 0 else "-Infinity"


def _from_bits(text: str, scalar: Scalar, at: At) -> Any:
    digits = max(1, scalar.bits // 4)
    if len(text) != digits + 2:
        refuse(
            "wrong_value", at, f"is {show(text)}; the bits of a {scalar.name} are 0x and {digits} hexadecimal digits"
        )
    return decode(int(text, 16).to_bytes(scalar.itemsize, "little"), scalar)


def decode(data: bytes, scalar: Scalar, *, big_endian: bool = False) -> Any:
    """Return the numpy scalar that the bytes of one element stand for.

    Examples
    --------
    >>> int(decode(bytes([1, 2]), SCALARS["uint16"], big_endian=True))
    258
    """
    part = scalar.itemsize // 2 if scalar.kind == "complex" else scalar.itemsize
    if big_endian != (sys.byteorder == "big"):
        data = b"".join(data[i : i + part][::-1] for i in range(0, len(data), part))
    return np.frombuffer(data, scalar.dtype)[0]


def parse_base64(raw: object, size: int, at: At) -> bytes:
    """Return the `size` bytes that a fill value gives in base64.

    Raises
    ------
    PlacementError
        ``wrong_type`` when it is no string, ``wrong_value`` when it is not base64 of so many bytes.
    """
    if not isinstance(raw, str):
        refuse("wrong_type", at, f"is {show(raw)}; it must be {size} bytes in base64")
    try:
        data = base64.b64decode(raw, validate=True)
    except (binascii.Error, ValueError):  # ValueError: letters outside ASCII
        refuse("wrong_value", at, f"is {show(raw)}, which is not base64; it must be {size} bytes in base64")
    if len(data) != size:
        refuse("wrong_value", at, f"is {len(data)} bytes in base64; it must be {size} bytes")
    return data


def choose_field(names: Sequence[str], field: str | None, at: At) -> int:
    """Return the position of the field of a structured data type that is read; `field` may be None where there is one.

    Raises
    ------
    PlacementError
        ``duplicate`` for two fields of one name; ``missing_field`` when `field` is None and there are several.
    ArgumentError
        ``missing_field`` when no field has that name.

    Examples
    --------
    >>> choose_field(("score", "id"), "id", ("em/.zarray", "dtype"))
    1
    """
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        refuse("duplicate", at, f"has more than one field called {', '.join(map(show, repeated))}")
    listed = ", ".join(map(show, names)) or "none"
    if field is None and len(names) != 1:
        refuse("missing_field", at, f"is structured; choose one of its fields with field= ({listed})")
    chosen = names[0] if field is None else field
    if chosen not in names:
        raise ArgumentError(problem("missing_field", at, f"there is no field {show(field)}; the fields are {listed}"))
    return names.index(chosen)


def no_field(field: str | None, spelled: object, at: At) -> None:
    """Raise an ArgumentError when a field is asked of a data type that has none."""
    if field is not None:
        message = f"there is no field {show(field)}: the data type is {show(spelled)}, which has no fields"
        raise ArgumentError(problem("missing_field", at, message))
