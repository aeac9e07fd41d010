"""Values that documents can hold: what is no JSON is refused before anything is written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from math import isfinite
from typing import Any, Final

from worldarray.documents.loading import load_object
from worldarray.documents.parsing import show
from worldarray.errors import ArgumentError, ArgumentTypeError, At, Code, WorldArrayError, problem

_DEEPEST: Final = 100
_MAX_BITS: Final = 4096


@lru_cache(maxsize=8)
def parsed(data: bytes, at: At) -> Mapping[str, Any]:
    """Return a JSON document that must be an object; what was parsed last is kept, and is not to be changed.

    Listing one level looks at the same few documents again and again, and the documents of a large group are large.

    Raises
    ------
    PlacementError
        ``not_json``, or ``wrong_type`` where the document is no object.

    Examples
    --------
    >>> parsed(b'{"zarr_format": 2}', ("em.zarr/.zgroup",))["zarr_format"]
    2
    """
    return load_object(data, at)


def plain_json(value: Any, at: At) -> Any:
    """Return a copy of a value that is JSON: dicts with string keys, lists (tuples become lists) and scalars.

    Parameters
    ----------
    value
        What a caller wants in a document.
    at
        The path of the argument, for errors.

    Raises
    ------
    ArgumentError
        ``not_finite`` for NaN and infinities, ``wrong_value`` for half a surrogate pair, ``out_of_range`` for nesting
        that no reader follows.
    ArgumentTypeError
        ``wrong_type`` for a key that is no string and for any other object.

    Examples
    --------
    >>> plain_json({"box": (1, 2.5), "by": None}, ("attrs",))
    {'box': [1, 2.5], 'by': None}
    """
    if len(at) > _DEEPEST:
        raise ArgumentError(problem("out_of_range", at[:8], "is nested too deeply for JSON; metadata is a few levels"))
    if isinstance(value, Mapping):
        return {_key(key, at): plain_json(entry, (*at, key)) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain_json(entry, (*at, i)) for i, entry in enumerate(value)]
    return _scalar(value, at)


def _key(key: Any, at: At) -> str:
    if not isinstance(key, str):
        raise _refuse("wrong_type", at, f"has the key {key!r}, but the keys of a JSON object are strings")
    return _text(key, at)


def _scalar(value: Any, at: At) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(value, at)
    if isinstance(value, float):
        if not isfinite(value):
            raise _refuse("not_finite", at, f"is {value}, which JSON does not have; give a string or null")
        return float(value)
    if isinstance(value, int):
        if value.bit_length() > _MAX_BITS:
            raise _refuse("out_of_range", at, f"is {show(value)}, too large for any reader")
        return int(value)
    kind = type(value).__name__
    raise _refuse("wrong_type", at, f"is a {kind}, which is no JSON; give numbers, strings, lists and dicts")


def _text(value: str, at: At) -> str:
    if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        raise _refuse("wrong_value", at, f"is {show(value)}, which holds half a surrogate pair; give Unicode text")
    return str(value)


def _refuse(code: Code, at: At, message: str) -> WorldArrayError:
    kind = ArgumentTypeError if code == "wrong_type" else ArgumentError
    return kind(problem(code, at, f"{at[-1]} {message}"))


def render(document: Any) -> bytes:
    r"""Return the bytes of a document: UTF-8, keys in the order given, two spaces a level, a newline at the end.

    Examples
    --------
    >>> render({"zarr_format": 2})
    b'{\n  "zarr_format": 2\n}\n'
    """
    return (json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
