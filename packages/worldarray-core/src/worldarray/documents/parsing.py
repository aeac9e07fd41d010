"""Combinators that turn JSON into typed values, and build the path that an error names."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, NoReturn, ParamSpec, TypeVar

from worldarray.errors import At, Code, PlacementError, Problem, problem

T = TypeVar("T")
P = ParamSpec("P")

MAX_INT: Final = 2**63 - 1
MAX_EXTENT: Final = 2**62 - 2
"""The largest extent of an axis that tensorstore can index."""
_EXACT: Final = 2**53
_SHOWN: Final = 60


def refuse(code: Code, at: At, message: str) -> NoReturn:
    """Raise a PlacementError of one problem."""
    raise PlacementError(problem(code, at, message))


def show(value: object) -> str:
    """Return a value as an error message shows it: short, whatever the value is.

    Examples
    --------
    >>> show([4.0, None]), show("a" * 100)[:8], show(10**5000)
    ('[4.0, null]', '"aaaaaaa', 'an integer of 16610 bits')
    """
    if isinstance(value, Mapping):
        return f"an object with the keys {_clip(', '.join(map(str, list(value)[:8])))}" if value else "an empty object"
    if isinstance(value, list | tuple):
        inner = ", ".join(show(entry) for entry in value[:8]) if _shallow(value) else "…"
        return _clip(f"[{inner}{', …' if len(value) > 8 else ''}]")
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 200:
        return f"an integer of {value.bit_length()} bits"
    if value is None or isinstance(value, bool | str):
        return _clip(json.dumps(value[: _SHOWN + 1] if isinstance(value, str) else value, ensure_ascii=False))
    return _clip(repr(value))


def _shallow(value: list[object] | tuple[object, ...]) -> bool:
    return not any(
        isinstance(entry, list | tuple) and any(isinstance(e, list | tuple) for e in entry) for entry in value
    )


def _clip(text: str) -> str:
    safe = text.encode("utf-8", "backslashreplace").decode()
    return safe if len(safe) <= _SHOWN else safe[: _SHOWN - 1] + "…"


def mapping(value: object, at: At) -> dict[str, Any]:
    """Return a JSON object as it is, or raise ``wrong_type``."""
    if isinstance(value, dict):
        return value
    if isinstance(value, Mapping):
        return dict(value)
    refuse("wrong_type", at, f"is {show(value)}; it must be a JSON object")


def member(raw: object, key: str, at: At) -> object:
    """Return a member that must be there; `at` is the path of the object.

    Raises
    ------
    PlacementError
        ``missing_key``, or ``wrong_type`` when `raw` is no object.
    """
    found = mapping(raw, at)
    if key not in found:
        present = _clip(", ".join(map(str, list(found)[:8]))) or "nothing"
        refuse("missing_key", (*at, key), f"is missing; it must be there (found: {present})")
    return found[key]


def required(raw: object, key: str, at: At, parse: Callable[[object, At], T]) -> T:
    """Return a parsed member that must be there; `at` is the path of the object.

    Examples
    --------
    >>> required({"voxel_size": [4, 4.5]}, "voxel_size", ("em.zarr/.zattrs",), numbers)
    (4.0, 4.5)
    """
    found = raw[key] if type(raw) is dict and key in raw else member(raw, key, at)
    return parse(found, (*at, key))


def optional(raw: object, key: str, at: At, parse: Callable[[object, At], T]) -> T | None:
    """Return a parsed member, or None where it is missing or null; `at` is the path of the object."""
    value = (raw if type(raw) is dict else mapping(raw, at)).get(key)
    return None if value is None else parse(value, (*at, key))


def text(value: object, at: At) -> str:
    """Return a string, or raise ``wrong_type``; half a surrogate pair, which is no text, is ``wrong_value``."""
    if not isinstance(value, str):
        refuse("wrong_type", at, f"is {show(value)}; it must be a string")
    if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        refuse("wrong_value", at, f"is {show(value)}, which holds half a surrogate pair; it must be Unicode text")
    return value


def path_text(value: object, at: At) -> str:
    """Return a string that can be part of a path, or raise as `text` does; with a NUL in it, ``wrong_value``."""
    found = text(value, at)
    if "\0" in found:
        refuse("wrong_value", at, f"is {show(found)}; a path cannot hold a NUL character")
    return found


def choice(value: object, at: At, choices: Collection[str]) -> str:
    """Return a string that is one of `choices`, or raise ``wrong_value`` with the list of them."""
    found = text(value, at)
    if found not in choices:
        refuse("wrong_value", at, f"is {show(found)}; it must be one of {', '.join(map(show, choices))}")
    return found


def boolean(value: object, at: At) -> bool:
    """Return true or false, or raise ``wrong_type``."""
    if isinstance(value, bool):
        return value
    refuse("wrong_type", at, f"is {show(value)}; it must be true or false")


def integer(
    value: object, at: At, *, minimum: int = -MAX_INT - 1, maximum: int = MAX_INT, whole_floats: bool = False
) -> int:
    """Return an integer within bounds, int64's unless given; a bool is not one.

    Parameters
    ----------
    value : object
        A JSON value.
    at : tuple
        Its path.
    minimum, maximum : int
        The bounds, both allowed.
    whole_floats : bool
        Whether 3.0 is read as 3, for the keys that writers fill with floats.

    Raises
    ------
    PlacementError
        ``wrong_type`` (a string, a bool, 3.0), ``not_integral`` (10.5), ``not_positive`` (0 where at least 1 belongs),
        ``out_of_range``.

    Examples
    --------
    >>> integer(10.0, ("info",), whole_floats=True)
    10
    """
    code: Code
    if isinstance(value, float) and whole_floats:
        if not value.is_integer() or abs(value) > _EXACT:
            refuse("not_integral", at, f"is {show(value)}; it must be an integer")
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        code = "not_integral" if isinstance(value, float) else "wrong_type"
        refuse(code, at, f"is {show(value)}; it must be an integer")
    if not minimum <= value <= maximum:
        rule = f"at least {minimum}" if value < minimum else f"at most {maximum}"
        code = "not_positive" if minimum == 1 and value < 1 else "out_of_range"
        refuse(code, at, f"is {show(value)}; it must be {rule}")
    return value


def number(value: object, at: At, *, finite: bool = True) -> float:
    """Return a number as a float; a bool or a string is not one.

    Raises
    ------
    PlacementError
        ``wrong_type``; ``not_finite`` unless `finite` is false; ``not_representable`` for an integer beyond a float.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        refuse("wrong_type", at, f"is {show(value)}; it must be a number")
    try:
        found = float(value)
    except OverflowError:
        refuse("not_representable", at, f"is {show(value)}, which is beyond any float; write a finite number")
    if finite and not math.isfinite(found):
        refuse("not_finite", at, f"is {show(value)}; it must be a finite number")
    return found


def positive(value: object, at: At) -> float:
    """Return a finite number above zero, or raise what `number` does, or ``not_positive``."""
    found = number(value, at)
    if found <= 0:
        refuse("not_positive", at, f"is {show(value)}; it must be above zero")
    return found


def sequence(value: object, at: At, length: int | None = None) -> list[Any]:
    """Return a JSON list, of `length` entries when given.

    Raises
    ------
    PlacementError
        ``wrong_type`` or ``wrong_length``.
    """
    if not isinstance(value, list | tuple):
        refuse("wrong_type", at, f"is {show(value)}; it must be a list")
    if length is not None and len(value) != length:
        entries = "entry" if len(value) == 1 else "entries"
        found = f"has {len(value)} {entries} {show(value)} but the array has {length} axes"
        refuse("wrong_length", at, f"{found}; write one entry per axis")
    return list(value)


def each(value: object, at: At, parse: Callable[[object, At], T], length: int | None = None) -> tuple[T, ...]:
    """Return every entry of a list, parsed; an error names the entry's position.

    Examples
    --------
    >>> each(["z", "y"], ("em.zarr/.zattrs", "axes"), text)
    ('z', 'y')
    """
    return tuple(parse(entry, (*at, i)) for i, entry in enumerate(sequence(value, at, length)))


def numbers(value: object, at: At, ndim: int | None = None) -> tuple[float, ...]:
    """Return a list of finite numbers, `ndim` of them when given.

    Raises
    ------
    PlacementError
        ``wrong_type``, ``wrong_length``, ``not_finite`` or ``not_representable``, naming the entry.
    """
    return each(value, at, number, ndim)


def numbers_or_scalar(value: object, at: At, ndim: int) -> tuple[float, ...]:
    """Return a list of `ndim` finite numbers; one bare number means that number on every axis.

    Examples
    --------
    >>> numbers_or_scalar(4, ("em.zarr/.zattrs", "voxel_size"), 3)
    (4.0, 4.0, 4.0)
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (number(value, at),) * ndim
    return numbers(value, at, ndim)


def integers(
    value: object, at: At, ndim: int | None = None, *, whole_floats: bool = False, minimum: int = -MAX_INT - 1
) -> tuple[int, ...]:
    """Return a list of integers, `ndim` of them when given; see `integer`."""
    return each(value, at, lambda v, a: integer(v, a, minimum=minimum, whole_floats=whole_floats), ndim)


def texts(value: object, at: At, ndim: int | None = None) -> tuple[str, ...]:
    """Return a list of strings, `ndim` of them when given."""
    return each(value, at, text, ndim)


def texts_or_nulls(value: object, at: At, ndim: int | None = None) -> tuple[str | None, ...]:
    """Return a list of strings and nulls, `ndim` of them when given."""
    return each(value, at, lambda v, a: None if v is None else text(v, a), ndim)


def shape(value: object, at: At, ndim: int | None = None, *, minimum: int = 0) -> tuple[int, ...]:
    """Return a list of extents, each at least `minimum` and at most what tensorstore can index; 3.0 is read as 3.

    Raises
    ------
    PlacementError
        ``wrong_type``, ``wrong_length``, ``not_integral``, ``not_positive`` or ``out_of_range``, naming the entry.

    Examples
    --------
    >>> shape([60, 64], ("em.zarr/.zarray", "shape"))
    (60, 64)
    """
    listed: Any = value
    plain = type(listed) is list and ndim in (None, len(listed))
    if plain and all(type(v) is int and minimum <= v <= MAX_EXTENT for v in listed):  # as nearly every list is
        return tuple(listed)
    bounds = {"minimum": minimum, "maximum": MAX_EXTENT}
    return each(value, at, lambda v, a: integer(v, a, whole_floats=True, **bounds), ndim)


class Problems:
    """What is wrong with one document, collected so that one error tells all of it.

    Examples
    --------
    >>> found, at = Problems(), ("em.zarr/.zarray",)
    >>> found.take(required, {}, "shape", at, shape) is None
    True
    >>> found.take(required, {"order": "F"}, "order", at, text)
    'F'
    >>> [p.code for p in found.problems]
    ['missing_key']
    """

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def take(self, parse: Callable[P, T], *args: P.args, **options: P.kwargs) -> T | None:
        """Return ``parse(*args)``, or None after noting the problems it raises."""
        try:
            return parse(*args, **options)
        except PlacementError as error:
            self.problems += error.problems
            return None

    def check(self) -> None:
        """Raise one PlacementError with every problem found, or return."""
        if self.problems:
            raise PlacementError(*self.problems)
