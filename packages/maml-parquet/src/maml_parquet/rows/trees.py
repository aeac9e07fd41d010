"""What a filter is once it is parsed: a tree of and, or, not over clauses, frozen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

from maml_parquet.rows.kinds import Kind

Leaf = TypeVar("Leaf")


@dataclass(frozen=True)
class And(Generic[Leaf]):
    """True where every item is."""

    items: tuple[Tree[Leaf], ...]


@dataclass(frozen=True)
class Or(Generic[Leaf]):
    """True where an item is."""

    items: tuple[Tree[Leaf], ...]


@dataclass(frozen=True)
class Not(Generic[Leaf]):
    """True where the item is False; unknown stays unknown."""

    item: Tree[Leaf]


Tree: TypeAlias = "And[Leaf] | Or[Leaf] | Not[Leaf] | Leaf"


@dataclass(frozen=True)
class Literal:
    """A value as it stands in a rule: its text, without quotes where it had them. Positions count from 1."""

    text: str
    quoted: bool
    position: int = field(default=1, compare=False)


@dataclass(frozen=True)
class Clause:
    """A name, an operator in lower case, and the values it takes: none, one, or those of a list."""

    name: str
    op: str
    values: tuple[Literal, ...] = ()
    position: int = field(default=1, compare=False)


Value: TypeAlias = "bool | int | float | str"
"""A value of a column: dates as days since 1970-01-01, times and timestamps as a count of the column's unit."""


@dataclass(frozen=True)
class Test:
    """A clause on a column that is there: the path to it, its kind, and the values converted to that kind."""

    name: str
    path: tuple[str, ...]
    op: str
    values: tuple[Value, ...]
    kind: Kind

    __test__ = False
    """It is no test for pytest to collect."""


Expr: TypeAlias = "Tree[Clause]"
"""A parsed rule, whatever the columns."""

Bound: TypeAlias = "Tree[Test]"
"""A rule whose columns are there and whose values are of their kinds."""
