"""Names that a table gives the columns of a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from maml_parquet.errors import At, MamlError, Problem
from maml_parquet.rows.tokens import shown


def check_names(items: Iterable[tuple[str, str]], *, at: At = ("remap",)) -> None:
    """Check what can be checked before the file is open: no name is empty, none is given twice.

    Raises
    ------
    MamlError
        Code ``remap``, every problem.

    Examples
    --------
    >>> check_names([("mass", "MASS_KG"), ("weight", "MASS_KG")])
    """
    problems = _problems_of_names(tuple(items), at)
    if problems:
        raise MamlError(problems)


def remap(
    file_columns: Sequence[str], items: Iterable[tuple[str, str]], *, at: At = ("remap",)
) -> tuple[tuple[str, str], ...]:
    """Return the columns of a table, each with the column of the file that it reads, in the order of the file.

    A column that items point at goes by their internal names, in the order of the items; one whose own name is given to
    another column cannot be reached and is left out; every other one keeps its name.

    Parameters
    ----------
    file_columns
        Names of the file's columns, in its order.
    items
        Pairs of an internal name and the column it reads.

    Raises
    ------
    MamlError
        Code ``remap``, every problem: an empty name, an internal name that is given twice, a column that the file does
        not have, or has several times.

    Examples
    --------
    >>> remap(["ra", "dec", "z"], [("ra", "dec")])
    (('ra', 'dec'), ('z', 'z'))
    """
    pairs = tuple(items)
    problems = _problems_of_names(pairs, at)
    for index, (_, target) in enumerate(pairs):
        count = file_columns.count(target)
        if target and count != 1:
            problems.append(Problem("remap", (*at, index), _why_not(target, count, file_columns), index + 1))
    if problems:
        raise MamlError(problems)
    claimed = {internal for internal, _ in pairs}
    found: list[tuple[str, str]] = []
    for column in file_columns:
        internals = [internal for internal, target in pairs if target == column]
        if not internals and column not in claimed:
            internals = [column]
        found += [(internal, column) for internal in internals]
    return tuple(found)


def _problems_of_names(pairs: tuple[tuple[str, str], ...], at: At) -> list[Problem]:
    problems = []
    first: dict[str, int] = {}
    for index, (internal, target) in enumerate(pairs):
        where = (*at, index)
        if not internal or not target:
            problems.append(Problem("remap", where, "a name is empty; write 'internal: file_column'", index + 1))
        elif internal in first:
            given = f"first to {pairs[first[internal]][1]!r}, then to {target!r}"
            message = f"the internal name {shown(internal)} is given twice, {given}"
            problems.append(Problem("remap", where, message, index + 1))
        first.setdefault(internal, index)
    return problems


def _why_not(target: str, count: int, file_columns: Sequence[str]) -> str:
    if count:
        return f"the file has {count} columns named {shown(target)}, so it is not clear which is meant"
    alike = [column for column in file_columns if column.lower() == target.lower()]
    hint = (
        f"case counts: it has {alike[0]!r}" if alike else f"it has {', '.join(map(repr, file_columns[:8])) or 'none'}"
    )
    return f"the file has no column {shown(target)}; {hint}"
