"""A rule meets the columns: names looked up, operators allowed, values converted; every problem is told at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias, TypeVar

from maml_parquet.errors import At, MamlError, Problem
from maml_parquet.rows.kinds import Kind
from maml_parquet.rows.literals import convert
from maml_parquet.rows.tokens import Place, shown
from maml_parquet.rows.trees import And, Bound, Clause, Expr, Not, Or, Test, Tree, Value

Kinds: TypeAlias = "Mapping[str, Kind | Kinds]"
"""The kind of each column; of a struct, the kinds of what is in it."""

From = TypeVar("From")
To = TypeVar("To")

_ORDERING: Final = (">", ">=", "<", "<=")
_OF_FLOATS: Final = ("is_nan", "is_not_nan", "is_finite", "is_not_finite")


def bind(expr: Expr, kinds: Kinds, *, at: At = ("filter",), line: int = 1) -> Bound:
    """Return a rule with the path and kind of each column, and with values of that kind.

    A name is that of a column; else a path with dots into structs.

    Raises
    ------
    MamlError
        Code ``filter``, every problem: a column that is not there or is a vector, list, map or struct; an operator or a
        value that does not go with the column's kind.

    Examples
    --------
    >>> from maml_parquet.rows.filters import parse_filter
    >>> bind(parse_filter("s.id in (1, 2e3)"), {"s": {"id": Kind.of("int32")}})
    Test(name='s.id', path=('s', 'id'), op='in', values=(1, 2000), kind=Kind(base='int32', unit='', utc=False))
    """
    place = Place("filter", at, line)
    problems: list[Problem] = []

    def test(clause: Clause) -> Test:
        path, kind, found = _bound(clause, kinds, place)
        problems.extend(found)
        values: list[Value] = []
        if not found:
            for literal in clause.values:
                try:
                    values.append(convert(literal, kind))
                except ValueError as error:
                    problems.append(place.problem(f"{clause.name}: {error}", literal.position))
        return Test(clause.name, path, clause.op, tuple(values), kind)

    bound = mapped(expr, test)
    if problems:
        raise MamlError(problems)
    return bound


def mapped(tree: Tree[From], function: Callable[[From], To]) -> Tree[To]:
    """Return the tree with each leaf replaced by what the function makes of it."""
    if isinstance(tree, And):
        return And(tuple(mapped(item, function) for item in tree.items))
    if isinstance(tree, Or):
        return Or(tuple(mapped(item, function) for item in tree.items))
    if isinstance(tree, Not):
        return Not(mapped(tree.item, function))
    return function(tree)


def leaves(tree: Tree[From]) -> Iterator[From]:
    """Give the leaves, from the left; of a bound rule, the tests: which columns have to be read.

    Examples
    --------
    >>> from maml_parquet.rows.filters import parse_filter
    >>> [clause.name for clause in leaves(parse_filter("not (ra > 1 or dec < 0) and id is_null"))]
    ['ra', 'dec', 'id']
    """
    if isinstance(tree, And | Or):
        for item in tree.items:
            yield from leaves(item)
    elif isinstance(tree, Not):
        yield from leaves(tree.item)
    else:
        yield tree


def resolve(name: str, kinds: Kinds) -> tuple[tuple[str, ...], Kind] | None:
    """Return path and kind of a name: a column of exactly this name, else a path with dots; None where there is none.

    Examples
    --------
    >>> resolve("a.b", {"a": {"b": Kind("date")}, "a.b": Kind("int32")})
    (('a.b',), Kind(base='int32', unit='', utc=False))
    """
    found = kinds.get(name)
    if isinstance(found, Kind):
        return (name,), found
    if found is not None:
        return (name,), Kind("struct")
    for end in range(len(name) - 1, 0, -1):
        inside = kinds.get(name[:end]) if name[end] == "." else None
        if isinstance(inside, Mapping):
            rest = resolve(name[end + 1 :], inside)
            if rest is not None:
                return (name[:end], *rest[0]), rest[1]
    return None


def scalar(name: str, kinds: Kinds) -> tuple[tuple[str, ...], Kind]:
    """Return path and kind of a name that rows can be chosen or sorted by.

    Raises
    ------
    ValueError
        There is no such column, or it is no scalar.
    """
    found = resolve(name, kinds)
    if found is None:
        raise ValueError(f"there is no column {shown(name)}; {_columns(name, kinds)}")
    if found[1].base == "other":
        words = "is of a type that rules and keys do not know; name one of numbers, truth values, text, dates or times"
        raise ValueError(f"the column {shown(name)} {words}")
    if not found[1].is_scalar:
        raise ValueError(
            f"the column {shown(name)} is no scalar ({found[1]}); name one with a single value in each row"
        )
    return found


def _columns(name: str, kinds: Kinds) -> str:
    """Return what to say of the columns there are: first the one that differs in case."""
    alike = [column for column in kinds if column.lower() == name.lower()]
    if alike:
        return f"case counts: there is {alike[0]!r}"
    named = ", ".join(map(repr, list(kinds)[:8]))
    return f"columns are {named}{', ...' if len(kinds) > 8 else ''}" if kinds else "there are no columns"


def _bound(clause: Clause, kinds: Kinds, place: Place) -> tuple[tuple[str, ...], Kind, list[Problem]]:
    """Return path and kind of a clause's column, and what is wrong with column and operator."""
    try:
        path, kind = scalar(clause.name, kinds)
    except ValueError as error:
        return (clause.name,), Kind("other"), [place.problem(str(error), clause.position)]
    if clause.op in _OF_FLOATS and not kind.is_float:
        message = (
            f"{clause.op} asks about floats, and {clause.name!r} is a column of {kind}; {clause.op} does not go with it"
        )
        return path, kind, [place.problem(message, clause.position)]
    if clause.op in _ORDERING and kind.base == "boolean":
        message = f"{clause.op} puts values in order, and {clause.name!r} is a column of boolean; write == or /="
        return path, kind, [place.problem(message, clause.position)]
    return path, kind, []
