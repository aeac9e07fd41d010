"""JSON as case files may use it: no duplicate keys, and only numbers that every language reads alike."""

from __future__ import annotations

import json
import math
from typing import Final, NoReturn

from worldarray_conformance.errors import CaseFileError

SAFE_INTEGER: Final = 2**53 - 1


def parse(text: str, where: str) -> object:
    """Return the value of a JSON text.

    Raises
    ------
    CaseFileError
        The text is not JSON, repeats a key in an object, or holds a number literal that needs `$float` or `$int`:
        NaN, Infinity, -0, or an integer beyond 2^53 - 1.

    Examples
    --------
    >>> parse('{"a": 1}', "example")
    {'a': 1}
    """
    try:
        return json.loads(
            text,
            object_pairs_hook=lambda items: _object(items, where),
            parse_constant=lambda literal: _refused(literal, where, f'{{"$float": "{literal}"}}'),
            parse_int=lambda literal: _integer(literal, where),
            parse_float=lambda literal: _float(literal, where),
        )
    except json.JSONDecodeError as error:
        raise CaseFileError(f"{where}: not JSON: {error}") from error


def _object(items: list[tuple[str, object]], where: str) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in items:
        if key in found:
            raise CaseFileError(f"{where}: the key {key!r} is given twice in one object; keep one")
        found[key] = value
    return found


def _integer(literal: str, where: str) -> int:
    value = int(literal)
    if value == 0 and literal.startswith("-"):
        _refused(literal, where, '{"$float": "-0"}')
    if abs(value) > SAFE_INTEGER:
        _refused(literal, where, f'{{"$int": "{literal}"}}')
    return value


def _float(literal: str, where: str) -> float:
    value = float(literal)
    if value == 0 and literal.startswith("-"):
        _refused(literal, where, '{"$float": "-0"}')
    if math.isinf(value):
        _refused(literal, where, '{"$float": "Infinity"}')
    return value


def _refused(literal: str, where: str, form: str) -> NoReturn:
    raise CaseFileError(f"{where}: the number {literal} is written {form} in a case file")
