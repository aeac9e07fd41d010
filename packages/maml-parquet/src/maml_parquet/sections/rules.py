"""A document to a record, and everything that is wrong with it in one report."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from maml_parquet.errors import Problem
from maml_parquet.sections.entries import SECTIONS, parse_entries
from maml_parquet.sections.extra import check_names, parse_extra
from maml_parquet.sections.fields import parse_fields
from maml_parquet.sections.likely import likely
from maml_parquet.sections.records import Entry, Extra, Field, Maml, Profile, Role, Section
from maml_parquet.sections.report import Report
from maml_parquet.sections.specs import check_spec
from maml_parquet.sections.types import TypeToken
from maml_parquet.text.records import Mapping, Node, Scalar

PROFILES: Final[tuple[Profile, ...]] = ("parquet", "spec-1.0", "spec-1.1", "spec-1.2")
_VERSION: Final = re.compile(r"\+?0*1\.20*")
ROLES: Final[tuple[Role, ...]] = ("write", "read", "table-type")


def read_document(
    root: Mapping,
    *,
    role: Role,
    profile: Profile,
    source: str = "",
    found: Iterable[Problem] = (),
    type_words: dict[str, TypeToken] | None = None,
) -> tuple[Maml, tuple[Problem, ...]]:
    """Return the record of a document, and its problems in the order of their lines.

    Parameters
    ----------
    root
        The document.
    role
        ``write`` describes a table to be written, ``read`` a file that exists, ``table-type`` the type of a table.
    profile
        ``parquet``, or one version of the specification.
    source
        The name of the file.
    found
        Problems that were found before.
    type_words
        Other words for types, in small letters.
    """
    report = Report(role, profile, list(found), type_words=type_words or {})
    sections: list[Section] = []
    fields: tuple[Field, ...] = ()
    extra = Extra()
    for name, key, value in root.folded():
        if name not in SECTIONS:
            fix = f"put it below extra, or use one of {', '.join(SECTIONS.values())}"
            words = f"{key.text!r} is no section; {likely(key.text, SECTIONS.values())}{fix}"
            report.problem("section-unknown", (name,), words, key)
            continue
        entries: tuple[Entry, ...] = ()
        if name == "fields":
            fields = parse_fields(value, report, is_divided=is_of_1_2(root))
        elif name == "extra":
            extra = parse_extra(value, report)
        else:
            entries = parse_entries(name, value, report)
        if entries or (name in ("fields", "extra") and not _is_nothing(value)):
            sections.append(Section(name, key.text, key.line, entries))
    _check_table(root, sections, report)
    if "fields" not in {name for name, _, _ in root.folded()} and role != "read":
        report.problem("fields-missing", ("fields",), "there are no fields; write fields: with one item per column")
    check_names(extra, fields, report)
    _check_repeats(sections, report)
    if report.is_spec:
        check_spec(root, report)
    order = sorted(report.problems, key=lambda problem: (problem.line, problem.column))
    notices = tuple(sorted(report.notices, key=lambda notice: (notice.line, notice.column)))
    return Maml(tuple(sections), fields, extra, role, profile, root, notices, source), tuple(order)


def is_of_1_2(root: Mapping) -> bool:
    """Whether MAML_version is 1.2, where a field whose name ends with ``_icol`` is several columns."""
    version = next((value for name, _, value in root.folded() if name == "maml_version"), None)
    return isinstance(version, Scalar) and _VERSION.fullmatch(version.text.strip()) is not None


def _is_nothing(node: Node) -> bool:
    return isinstance(node, Scalar) and node.is_null


def _check_table(root: Mapping, sections: list[Section], report: Report) -> None:
    if report.role == "read" or any(section.name == "table" for section in sections):
        return
    written = next(((key, value) for name, key, value in root.folded() if name == "table"), None)
    if written is None:
        report.problem("table-missing", ("table",), "there is no table; write table: <name>")
    elif isinstance(written[1], Scalar):
        report.problem("table-missing", ("table",), "the table has no name; write table: <name>", written[0])


def _check_repeats(sections: list[Section], report: Report) -> None:
    """Add a notice for each key of `keyarray` that another entry has too: readers find the first."""
    seen = {entry.key for section in sections if section.name != "keyarray" for entry in section.entries}
    for section in sections:
        if section.name != "keyarray":
            continue
        place = Scalar("", section.line, 1, "plain")
        for entry in section.entries:
            if entry.key in seen:
                words = f"another entry has the key {entry.key!r} too; readers that look for it find the first"
                report.notice("key-duplicate", ("keyarray",), words, place)
            seen.add(entry.key)
