"""The section `extra`: lists that ask for something; everything else in it is left alone."""

from __future__ import annotations

from maml_parquet.errors import At
from maml_parquet.sections.records import Extra, Field, Name, Rename
from maml_parquet.sections.report import Report
from maml_parquet.text.records import Mapping, Node, Scalar


def parse_extra(node: Node, report: Report) -> Extra:
    """Return what `extra` asks for in the report's role; what is wrong goes into the report."""
    if not isinstance(node, Mapping):
        if not isinstance(node, Scalar) or not (node.is_null or not node.text.strip()):
            report.problem("shape", ("extra",), "extra is no map; write keys and values below it", node)
        return Extra()
    if report.is_spec or report.role == "table-type":
        return Extra()
    members = {name: value for name, _, value in node.folded()}
    if report.role == "read":
        return Extra(
            remap=_remap(members.get("remap"), report),
            filter=_texts(members.get("filter"), "filter", report),
            sort=_texts(members.get("sort"), "sort", report),
        )
    return Extra(
        col_map=_renames(members.get("col_map"), "col_map", "output name", report),
        protected_cols=_names(members.get("protected_cols"), "protected_cols", report),
        nullable_cols=_names(members.get("nullable_cols"), "nullable_cols", report),
    )


def check_names(extra: Extra, fields: tuple[Field, ...], report: Report) -> None:
    """Add the problems of names in `protected_cols` and `nullable_cols` that are not fields, or in both lists."""
    known = {field.name for field in fields}
    internal = {rename.internal: rename.external for rename in extra.col_map}
    for key, names in (("protected_cols", extra.protected_cols), ("nullable_cols", extra.nullable_cols)):
        for position, name in enumerate(names):
            if name.text in known:
                continue
            fix = "write the name of a field"
            if name.text in internal:
                fix = f"write its output name, {internal[name.text]!r}"
            first = name.text.removesuffix("_icol") + "_1"
            if name.text.endswith("_icol") and first in known:
                fix = f"write the names of its columns, {first!r} first"
            words = f"{name.text!r} is not the name of a field; {fix}"
            report.problem("protected-unknown", ("extra", key, position), words, _place(name))
    protected = {name.text for name in extra.protected_cols}
    for position, name in enumerate(extra.nullable_cols):
        if name.text in protected:
            words = f"{name.text!r} is in protected_cols too; a column has Nulls or has none: keep one of the two"
            report.problem("protected-nullable", ("extra", "nullable_cols", position), words, _place(name))


def _place(name: Name | Rename) -> Scalar:
    return Scalar("", name.line, name.column, "plain")


def _remap(node: Node | None, report: Report) -> tuple[Rename, ...]:
    renames = _renames(node, "remap", "column of the file", report)
    seen: dict[str, int] = {}
    for position, rename in enumerate(renames):
        if rename.internal in seen:
            words = f"the name {rename.internal!r} is given in line {seen[rename.internal]} already; give it once"
            at: At = ("extra", "remap", position)
            report.problem("remap", at, words, _place(rename))
        seen.setdefault(rename.internal, rename.line)
    return renames


def _renames(node: Node | None, key: str, what: str, report: Report) -> tuple[Rename, ...]:
    found = []
    at: At = ("extra", key)
    items = () if node is None else report.items(node, at, f"internal name: {what}")
    for position, item in enumerate(items):
        pair = item.pairs[0] if isinstance(item, Mapping) and len(item.pairs) == 1 else None
        internal = pair[0].text.strip() if pair else ""
        external = report.text(pair[1], (*at, position)) if pair and isinstance(pair[1], Scalar) else None
        if internal and external:
            found.append(Rename(internal, external, item.line, item.column))
        else:
            words = f"this is not one pair; write - <internal name>: <{what}>"
            report.problem("shape", (*at, position), words, item)
    return tuple(found)


def _names(node: Node | None, key: str, report: Report) -> tuple[Name, ...]:
    """Return the names of a list, or of a text that is divided by semicolons."""
    if isinstance(node, Scalar):
        text = report.text(node, ("extra", key)) or ""
        return tuple(Name(part.strip(), node.line, node.column) for part in text.split(";") if part.strip())
    return _texts(node, key, report)


def _texts(node: Node | None, key: str, report: Report) -> tuple[Name, ...]:
    at: At = ("extra", key)
    if isinstance(node, Mapping):
        report.problem("shape", at, f"{key} is a map; write a list of texts, each begun with '- '", node)
        return ()
    items = () if node is None else report.items(node, at, "texts")
    found = []
    for position, item in enumerate(items):
        text = report.text(item, (*at, position))
        if text is not None:
            found.append(Name(text, item.line, item.column))
        elif isinstance(item, Scalar):
            report.problem("shape", (*at, position), "the item is empty; write a text, or remove it", item)
    return tuple(found)
