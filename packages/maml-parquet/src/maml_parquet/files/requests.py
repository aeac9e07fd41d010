"""What is asked of a table: the arguments of the functions that read, checked before a file is opened."""

from __future__ import annotations

import contextlib
import operator
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from maml_parquet.arguments import is_word
from maml_parquet.errors import At, MamlError, Problem
from maml_parquet.rows.filters import parse_rules
from maml_parquet.rows.sorts import MAX_KEYS, parse_sorts
from maml_parquet.sections.loading import load, parse
from maml_parquet.sections.qc import Miss, Side, parse_miss
from maml_parquet.sections.records import Maml, Name

QcMode: TypeAlias = Literal["error", "warn", "off"]
MamlSource: TypeAlias = "str | bytes | os.PathLike[str] | Maml"
Rows: TypeAlias = "tuple[int, int] | slice"
Checks: TypeAlias = "Mapping[str, Mapping[str, object]]"

_MODES: Final = ("error", "warn", "off")
_SIDES: Final[tuple[Side, ...]] = ("min", "max")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_CHECKS: Final = "{name: {'min': …, 'max': …, 'miss': …}}"


@dataclass(frozen=True)
class Asked:
    """The bounds of one column as text; `miss` says what of Nulls."""

    min: str = ""
    max: str = ""
    miss: Miss = "unchecked"


@dataclass(frozen=True)
class Request:
    """What is asked of a table.

    Attributes
    ----------
    maml
        A MAML that describes the file, in the file's own names.
    columns
        Names inside the program, in the order that is wanted; None for all, in the file's order.
    filter, sort
        The caller's rules and keys, by names inside the program; a MAML's own go before them.
    start, stop
        The rows that are looked at; `stop` is None up to the last one.
    mode
        What is done about values that break their bounds.
    checks
        The caller's bounds, by names inside the program.
    """

    maml: Maml | None = None
    columns: tuple[str, ...] | None = None
    filter: tuple[str, ...] = ()
    sort: tuple[str, ...] = ()
    start: int = 0
    stop: int | None = None
    mode: QcMode = "error"
    checks: Mapping[str, Asked] | None = None

    @property
    def source(self) -> str:
        """The name of the MAML's file, for messages."""
        return self.maml.source if self.maml else ""

    @property
    def maml_filter(self) -> tuple[str, ...]:
        """The MAML's rules."""
        return tuple(name.text for name in self.maml.extra.filter) if self.maml else ()

    @property
    def maml_sort(self) -> tuple[str, ...]:
        """The MAML's keys."""
        return tuple(name.text for name in self.maml.extra.sort) if self.maml else ()


def read_request(
    maml: MamlSource | None,
    *,
    columns: Sequence[str] | None = None,
    filter: str | Sequence[str] | None = None,
    sort: str | Sequence[str] | None = None,
    rows: Rows | None = None,
    qc: QcMode = "error",
    checks: Checks | None = None,
) -> Request:
    """Return what is asked for, with everything checked that needs no file.

    Raises
    ------
    MamlError
        A MAML that is wrong or was not read with ``role="read"``; rules and keys that cannot be parsed; more than 16
        keys; a sort of some of the rows; rows that are no range; bounds that are none.
    """
    described = read_maml(maml)
    if not is_word(qc, _MODES):
        raise _argument("qc", f"qc is {qc!r}; use one of {', '.join(_MODES)}")
    start, stop = _range(rows)
    request = Request(
        described, names_of(columns), _texts(filter, "filter"), _texts(sort, "sort"), start, stop, qc, _checks(checks)
    )
    _check_slice(request, rows)
    _check_texts(request)
    return request


def read_maml(maml: MamlSource | None) -> Maml | None:
    r"""Return the MAML that describes a file: one that is parsed, a text with a line end or a colon in it, or a path.

    Raises
    ------
    MamlError
        The text is no such MAML; or it was parsed to write a file.

    Examples
    --------
    >>> read_maml("extra: {remap: [{mass: MASS_KG}]}").extra.remap[0].external
    'MASS_KG'
    """
    if maml is None:
        return None
    if isinstance(maml, Maml):
        if maml.role != "read":
            raise _argument("maml", f"the MAML was read with role={maml.role!r}; read it with role='read'", maml.source)
        return maml
    if isinstance(maml, bytes) or (isinstance(maml, str) and ("\n" in maml or ": " in maml)):
        return parse(maml, role="read")
    if isinstance(maml, str | os.PathLike):
        return load(maml, role="read")
    raise _argument("maml", f"maml is of the type {type(maml).__name__}; give a path, a text, or a parsed MAML")


def names_of(columns: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return names of columns, one alone being one of them; None where all are meant.

    Raises
    ------
    MamlError
        Code ``argument``: these are no texts, or one of them comes twice.

    Examples
    --------
    >>> names_of("ra"), names_of(None)
    (('ra',), None)
    """
    if columns is None:
        return None
    names = _texts(columns, "columns")
    twice = next((name for position, name in enumerate(names) if name in names[:position]), None)
    if twice is not None:
        raise _argument("columns", f"the column {twice!r} is asked for twice; name it once")
    return names


def _texts(value: str | Sequence[str] | None, name: str) -> tuple[str, ...]:
    """Return texts; one alone is one of them."""
    texts = () if value is None else (value,) if isinstance(value, str) else value
    try:
        found = tuple(texts)
    except TypeError:
        raise _argument(name, f"{name} is of the type {type(value).__name__}; give a list of texts") from None
    for text in found:
        if not isinstance(text, str):
            raise _argument(name, f"{name} holds {text!r}, which is no text; give a list of texts")
    return found


def _range(rows: Rows | None) -> tuple[int, int | None]:
    """Return the first row and the one after the last, None for all that follow."""
    if rows is None:
        return 0, None
    if isinstance(rows, slice):
        if rows.step not in (None, 1):
            raise _argument("rows", f"rows has a step of {rows.step!r}; rows that follow each other are read")
        start, stop = rows.start if rows.start is not None else 0, rows.stop
    else:
        try:
            start, stop = rows
        except (TypeError, ValueError):
            raise _argument("rows", f"rows is {rows!r}; give (start, stop), or a slice") from None
    start = _whole(start, rows)
    end = None if stop is None and isinstance(rows, slice) else _whole(stop, rows)
    if start < 0 or (end is not None and end < start):
        raise _argument("rows", f"rows is {rows!r}; start is at least 0, and stop at least start: nothing is clamped")
    return start, end


def _whole(value: object, rows: Rows) -> int:
    if not isinstance(value, bool | np.bool_):
        with contextlib.suppress(TypeError):
            return operator.index(value)  # type: ignore[arg-type]
    raise _argument("rows", f"rows is {rows!r}, and {value!r} is no whole number; give (start, stop), or a slice")


def _check_slice(request: Request, rows: Rows | None) -> None:
    """Raise where some rows are asked for in an order that all rows have."""
    if rows is None or not (request.maml_sort or request.sort):
        return
    message = "rows are in an order across the whole file, so that some of them cannot be named by their places in it"
    fix = "read all rows, or leave the order out"
    if request.maml_sort and request.maml:
        first = request.maml.extra.sort[0]
        who = f"the MAML {request.source}" if request.source else "the MAML"
        message = f"{who} sorts, and rows={rows!r} is a part of the table: {message}; {fix}"
        raise MamlError([Problem("sort", ("extra", "sort"), message, first.line, first.column)], request.source)
    raise MamlError([Problem("sort", ("sort",), f"rows={rows!r} is a part of the table: {message}; {fix}")])


def _check_texts(request: Request) -> None:
    """Raise what is wrong with rules and keys whatever the columns: first what the MAML says."""
    if request.maml:
        rules, keys = request.maml.extra.filter, request.maml.extra.sort
        raise_all(
            [
                *problems_of(lambda: parse_rules(request.maml_filter, at=("extra", "filter"), lines=lines(rules))),
                *problems_of(lambda: parse_sorts(request.maml_sort, at=("extra", "sort"), lines=lines(keys))),
            ],
            request.source,
        )
    raise_all([*problems_of(lambda: parse_rules(request.filter)), *problems_of(lambda: parse_sorts(request.sort))])
    count = len(request.maml_sort) + len(request.sort)
    if count > MAX_KEYS:
        message = f"the MAML has {len(request.maml_sort)} keys and sort {len(request.sort)}, at most {MAX_KEYS} in all"
        raise MamlError([Problem("sort", ("sort",), f"{message} are allowed; leave some out")])


def problems_of(function: Callable[[], object]) -> tuple[Problem, ...]:
    """Return the problems that a function raises; none where it does not."""
    try:
        function()
    except MamlError as error:
        return error.problems
    return ()


def raise_all(problems: Sequence[Problem], source: str = "") -> None:
    """Raise the problems where there are any."""
    if problems:
        raise MamlError(problems, source)


def lines(names: Sequence[Name]) -> tuple[int, ...]:
    """Return the lines that texts of a MAML stand in."""
    return tuple(name.line for name in names)


def _checks(checks: Checks | None) -> Mapping[str, Asked]:
    """Return the caller's bounds as text."""
    if checks is None:
        return {}
    if not isinstance(checks, Mapping):
        raise _argument("checks", f"checks is of the type {type(checks).__name__}; give {_CHECKS}")
    found = {}
    for name, said in checks.items():
        at: At = ("checks", str(name))
        if not isinstance(said, Mapping):
            raise MamlError([Problem("argument", at, f"{said!r} is no map; give {_CHECKS}")])
        unknown = [key for key in said if key not in (*_SIDES, "miss")]
        if unknown:
            raise MamlError([Problem("argument", at, f"the key {unknown[0]!r} is not known; use min, max and miss")])
        found[str(name)] = Asked(_bound_text(said, "min", at), _bound_text(said, "max", at), _miss(said, at))
    return found


def _bound_text(said: Mapping[str, object], side: Side, at: At) -> str:
    value = said.get(side)
    if value is None or isinstance(value, str):
        if value and _SURROGATE.search(value):
            words = f"{side} is {value!r}, which holds half a character; write it whole"
            raise MamlError([Problem("argument", (*at, side), words)])
        return (value or "").strip()
    if not isinstance(value, bool) and isinstance(value, int | float | np.integer | np.floating):
        return str(value)
    raise MamlError([Problem("argument", (*at, side), f"{side} is {value!r}; write a number, or a text like '> 5'")])


def _miss(said: Mapping[str, object], at: At) -> Miss:
    value = said.get("miss")
    if value is None:
        return "unchecked"
    miss = parse_miss(value) if isinstance(value, str) else None
    if miss is None:
        message = f"miss is {value!r}; write 'Null' (Nulls are expected), or '' (they are not)"
        raise MamlError([Problem("qc-miss", (*at, "miss"), message)])
    return miss


def _argument(name: str, message: str, source: str = "") -> MamlError:
    return MamlError([Problem("argument", (name,), message)], source)
