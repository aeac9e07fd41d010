"""A user's MAML against the one that a program knows."""

from __future__ import annotations

from collections import Counter

from maml_parquet.arguments import check_maml
from maml_parquet.errors import MamlError, Problem
from maml_parquet.sections.records import Field, Maml, Rename
from maml_parquet.sections.typed import find


def validate_user(user: Maml, base: Maml) -> tuple[Rename, ...]:
    r"""Return the renamings of a user's MAML whose columns are all columns of the base.

    Parameters
    ----------
    user
        Its `fields` are under the names in the file; ``extra: col_map:`` tells the names in the base.
    base
        What the program knows; columns that the user leaves out stay known, and are not written.

    Raises
    ------
    MamlError
        `col-map` for renamings that contradict the base, the fields or each other, `field-unknown` for fields that the
        base does not have; all of them in one report.

    Examples
    --------
    >>> from maml_parquet import parse
    >>> base = parse("table: t\nfields: [{name: id0, data_type: int32}]")
    >>> user = parse("table: u\nfields: [{name: mine, data_type: int32}]\nextra: {col_map: [id0: mine]}")
    >>> validate_user(user, base)
    (Rename(internal='id0', external='mine', line=3, column=19),)
    """
    check_maml("user", user)
    check_maml("base", base)
    found = user_problems(user, base)
    if found:
        raise MamlError(found, user.source)
    return user.extra.col_map


def user_problems(user: Maml, base: Maml) -> tuple[Problem, ...]:
    """Return everything that keeps the user's MAML from being one of the base, in the order of its lines."""
    known = {field.name for field in base.fields}
    declared = {field.name for field in user.fields}
    found = []
    internals: Counter[str] = Counter()
    outputs: Counter[str] = Counter()
    for position, rename in enumerate(user.extra.col_map):
        internals[rename.internal] += 1
        outputs[rename.external] += 1
        found += [
            Problem("col-map", ("extra", "col_map", position), words, rename.line, rename.column)
            for words in _rename_problems(rename, known, declared)
        ]
        if internals[rename.internal] > 1:
            found.append(_twice(rename, position, f"the column {rename.internal!r} is renamed twice; rename it once"))
        if outputs[rename.external] > 1:
            found.append(_twice(rename, position, f"two columns get the name {rename.external!r}; choose another"))
    strangers = (field for field in user.fields if field.name not in known and not outputs[field.name])
    found += list({field.position: _unknown(field, user) for field in reversed(tuple(strangers))}.values())
    return tuple(sorted(found, key=lambda problem: (problem.line, problem.column)))


def _rename_problems(rename: Rename, known: set[str], declared: set[str]) -> list[str]:
    found = []
    internal, output = rename.internal, rename.external
    if internal not in known:
        found.append(f"the base has no column {internal!r}; it has {', '.join(sorted(known)[:20])}")
    if output not in declared:
        found.append(f"{output!r} is not the name of a field; declare the field {output!r} in full")
    if internal != output and internal in declared:
        found.append(f"the field {internal!r} is there without the new name too; keep one of the two")
    if internal != output and output in known:
        found.append(f"{output!r} is the name of another column of the base; choose another")
    return found


def _twice(rename: Rename, position: int, words: str) -> Problem:
    return Problem("col-map", ("extra", "col_map", position), words, rename.line, rename.column)


def _unknown(field: Field, user: Maml) -> Problem:
    words = f"the base has no column {field.name!r}; remove the field, or rename a column to it with extra: col_map:"
    _, item, _ = find(user.root, ("fields", field.position))
    return Problem("field-unknown", ("fields", field.position, "name"), words, field.line, item.column)
