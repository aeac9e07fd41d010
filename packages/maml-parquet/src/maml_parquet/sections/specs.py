"""What the versions of the MAML specification ask for beyond what is asked here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from maml_parquet.errors import At, Problem
from maml_parquet.sections.report import Report
from maml_parquet.sections.schemas import schema_problems
from maml_parquet.sections.typed import KEYS
from maml_parquet.text.records import Mapping, Node, Sequence, fold

VERSIONS: Final = ("1.0", "1.1", "1.2")
"""The versions that are known."""


def check_spec(root: Mapping, report: Report) -> None:
    """Add the problems that a document has with the specification of the report's profile.

    The schema of the profile decides, on top of it the spelling of keys, which schemas here do not see. A place that
    has a problem already gets no second one.
    """
    _check_spelling(root, (), (), report)
    seen = {_folded(problem) for problem in report.problems}
    report.problems += [
        problem
        for problem in schema_problems(root, report.profile)
        if _folded(problem) not in seen and not (report.role == "read" and _is_of_tables(problem))
    ]


def _is_of_tables(problem: Problem) -> bool:
    """Whether it is about what a MAML that describes a file need not say: the table, the fields, their types."""
    at = problem.at
    return at in (("table",), ("fields",)) or (at[0] == "fields" and at[-1] == "data_type")


def _folded(problem: Problem) -> At:
    return tuple(fold(part) if isinstance(part, str) else part for part in problem.at)


def _check_spelling(node: Node, names: At, at: At, report: Report) -> None:
    """Add the keys that the specification spells otherwise; `names` are the keys of `at` without positions."""
    for position, mapping in _maps(node):
        where = at if position is None else (*at, position)
        for name, key, value in mapping.folded():
            canonical = KEYS[names].get(name)
            if canonical is None:
                continue
            if key.text != canonical:
                words = f"the specification spells it {canonical}, not {key.text}"
                report.problem("section-unknown", (*where, name), words, key)
            if name == "col_size" and report.profile < "spec-1.2":
                version = report.profile.removeprefix("spec-")
                words = f"col_size is of version 1.2, and ignored by {version}"
                report.notice("subkey-unknown", (*where, name), words, key)
            if (*names, name) in KEYS and name != "extra":
                _check_spelling(value, (*names, name), (*where, name), report)


def _maps(node: Node) -> Iterator[tuple[int | None, Mapping]]:
    """Yield the map that the node is, or the maps of the list that it is with their positions."""
    if isinstance(node, Mapping):
        yield None, node
    for position, item in enumerate(node.items if isinstance(node, Sequence) else ()):
        if isinstance(item, Mapping):
            yield position, item
