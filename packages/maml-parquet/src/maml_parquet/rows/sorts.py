"""Sort keys: text to frozen keys, and the order of rows by them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from maml_parquet.errors import At, MamlError, Problem
from maml_parquet.rows.binding import Kinds, scalar
from maml_parquet.rows.tokens import MAX_NAME, Place, checked_text, refuse_unseen, shown

MAX_KEYS: Final = 16
MAX_KEY: Final = 320

_DIRECTIONS: Final = {"asc": False, "ascending": False, "desc": True, "descending": True}
_NULLS: Final = {"nulls_first": True, "nulls_last": False}
_FORM: Final = "write 'NAME', 'NAME desc' or '-NAME', and nulls_first or nulls_last behind it"


@dataclass(frozen=True)
class SortKey:
    """A column to sort by. `path` leads to it through structs; it is the name alone until the key is bound."""

    name: str
    descending: bool = False
    nulls_first: bool = False
    path: tuple[str, ...] = field(default=(), compare=False)


def parse_sort(key: str, *, at: At = ("sort",), line: int = 1) -> SortKey:
    """Return one key: ``[-]NAME [asc|ascending|desc|descending] [nulls_first|nulls_last]``, the words in any case.

    Ascending and nulls last are what is meant where nothing is said. Descending does not move Nulls and NaN.

    Raises
    ------
    MamlError
        Code ``sort``: no name; a name of more than 64 characters, a key of more than 320; a word that is none of
        these or comes twice; a direction beside a ``-``. The problem's column counts characters of the key, from 1.

    Examples
    --------
    >>> parse_sort("quality desc nulls_first")
    SortKey(name='quality', descending=True, nulls_first=True, path=('quality',))
    """
    place = Place("sort", at, line)
    key = checked_text(key, place)
    if len(key) > MAX_KEY:
        raise place.error(f"the key has {len(key)} characters, at most {MAX_KEY} are allowed", MAX_KEY + 1)
    words = _words(key, place)
    if not words:
        raise place.error(f"the key is empty; {_FORM}", 1)
    position, first = words[0]
    minus = first.startswith("-")
    name = first[1:] if minus else first
    if not name:
        raise place.error(f"no name follows the '-', which stands right before it; {_FORM}", position)
    if len(name) > MAX_NAME:
        message = f"the name {shown(name)} has {len(name)} characters, at most {MAX_NAME} are allowed"
        raise place.error(message, position + minus)
    descending, nulls_first = _options(words[1:], place, minus=minus)
    return SortKey(name, descending, nulls_first, (name,))


def parse_sorts(keys: Sequence[str], *, at: At = ("sort",), lines: Sequence[int] | None = None) -> tuple[SortKey, ...]:
    """Return several keys, the first one counting most; text alone is one.

    Where no `lines` are given, each key is a line of its own.

    Raises
    ------
    MamlError
        Code ``sort``: the problems of every key; more than 16 keys.

    Examples
    --------
    >>> [key.name for key in parse_sorts(["ra", "-dec"])]
    ['ra', 'dec']
    """
    found = []
    problems: list[Problem] = []
    for index, key in enumerate([keys] if isinstance(keys, str) else keys):
        line = lines[index] if lines is not None else index + 1
        if index == MAX_KEYS:
            place = Place("sort", (*at, index), line)
            problems.append(place.problem(f"there are {len(keys)} keys, at most {MAX_KEYS} are allowed", 1))
            break
        try:
            found.append(parse_sort(key, at=(*at, index), line=line))
        except MamlError as error:
            problems += error.problems
    if problems:
        raise MamlError(problems)
    return tuple(found)


def bind_sorts(keys: Sequence[SortKey], kinds: Kinds, *, at: At = ("sort",)) -> tuple[SortKey, ...]:
    """Return the keys with the paths to their columns: a name is that of a column, else a path with dots into structs.

    Raises
    ------
    MamlError
        Code ``sort``, every problem: a column that is not there, or is a vector, list, map or struct.

    Examples
    --------
    >>> from maml_parquet.rows.kinds import Kind
    >>> bind_sorts([SortKey("s.x")], {"s": {"x": Kind("int32")}})[0].path
    ('s', 'x')
    """
    found = []
    problems: list[Problem] = []
    for index, key in enumerate(keys):
        try:
            path, _ = scalar(key.name, kinds)
        except ValueError as error:
            problems.append(Problem("sort", (*at, index), str(error), index + 1))
            continue
        found.append(SortKey(key.name, key.descending, key.nulls_first, path))
    if problems:
        raise MamlError(problems)
    return tuple(found)


def order(rows: Sequence[Mapping[str, Any]], keys: Sequence[SortKey]) -> tuple[int, ...]:
    """Return the positions of the rows in sorted order; rows that are equal in every key stay as they stand.

    Values come first, then NaN, then Nulls; with ``nulls_first`` Nulls, NaN, values. Descending turns the values round
    and nothing else. Strings are in the order of their code points, which is that of their bytes; -0 equals 0.

    Raises
    ------
    MamlError
        Code ``argument``: a row lacks a column, or a column holds values of several kinds.

    Examples
    --------
    >>> rows = [{"x": None}, {"x": 2.0}, {"x": float("nan")}, {"x": 3.0}]
    >>> order(rows, [parse_sort("x desc")])
    (3, 1, 2, 0)
    """
    found = list(range(len(rows)))
    for key in reversed(keys):
        found = _sorted_by(key, rows, found)
    return tuple(found)


def _sorted_by(key: SortKey, rows: Sequence[Mapping[str, Any]], positions: list[int]) -> list[int]:
    column = {position: _value(rows[position], key, position) for position in positions}
    nulls = [position for position in positions if column[position] is None]
    nans = [position for position in positions if _is_nan(column[position])]
    apart = {*nulls, *nans}
    values = [position for position in positions if position not in apart]
    try:
        values.sort(key=column.__getitem__, reverse=key.descending)
    except TypeError as error:
        message = f"values of several kinds have no order: {error}"
        raise MamlError([Problem("argument", ("rows", key.name), message)]) from None
    return [*nulls, *nans, *values] if key.nulls_first else [*values, *nans, *nulls]


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _value(row: Mapping[str, Any], key: SortKey, position: int) -> Any:
    value: Any = row
    for name in key.path or (key.name,):
        if value is None:
            return None
        if name not in value:
            raise MamlError(
                [Problem("argument", ("rows", position), f"the row has no value of the column {key.name!r}")]
            )
        value = value[name]
    return value


def _words(key: str, place: Place) -> list[tuple[int, str]]:
    """Return the words of a key, each with its position."""
    words: list[tuple[int, str]] = []
    inside = False
    for index, character in enumerate(key):
        if character in " \t\r\n":
            inside = False
            continue
        refuse_unseen(character, index + 1, place)
        if inside:
            words[-1] = (words[-1][0], words[-1][1] + character)
        else:
            words.append((index + 1, character))
        inside = True
    return words


def _options(words: list[tuple[int, str]], place: Place, *, minus: bool) -> tuple[bool, bool]:
    """Return direction and place of Nulls that the words behind a name say."""
    descending: bool | None = True if minus else None
    nulls_first: bool | None = None
    for position, word in words:
        plain = word.lower()
        if plain in _DIRECTIONS:
            if descending is not None:
                said = "the '-' before the name" if minus else "a word before it"
                raise place.error(f"{word!r} says the direction, and so does {said}; keep one", position)
            if nulls_first is not None:
                raise place.error(f"{word!r} stands behind the word on Nulls; {_FORM}", position)
            descending = _DIRECTIONS[plain]
        elif plain in _NULLS:
            if nulls_first is not None:
                raise place.error(f"{word!r} says a second time where Nulls go; keep one", position)
            nulls_first = _NULLS[plain]
        else:
            raise place.error(f"{shown(word)} is no word of a sort key; {_FORM}", position)
    return bool(descending), bool(nulls_first)
