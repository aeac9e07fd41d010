"""The MAML of a file that was written: what it was written by, with what came out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from maml_parquet.header.yaml_text import NUMBER, Bare, Tree, yaml_text
from maml_parquet.schema.records import TableEntry, WrittenColumn
from maml_parquet.sections.entries import DEPENDS, SECTIONS, entries
from maml_parquet.sections.qc import Bound, Qc
from maml_parquet.sections.records import Entry, Extra, Maml, Section
from maml_parquet.text.records import Mapping as MapNode
from maml_parquet.text.records import Node, Scalar
from maml_parquet.text.records import Sequence as ListNode

_AS_IT_IS: Final = re.compile(r"~|[+-]?(?:[^\W_]|\.[^\W_])[\w.+-]{0,99}")
"""Texts without quotes that keep their type for other readers."""


def sidecar(
    maml: Maml | None,
    columns: Sequence[WrittenColumn],
    metadata: Sequence[TableEntry],
    qc: Mapping[str, Qc] | None = None,
) -> str:
    r"""Return a MAML of the columns that were written; read again, it says the same.

    Parameters
    ----------
    maml
        What the file was written by; None where there is none.
    columns
        In the order of the file, with the sizes that were written.
    metadata
        What is said of the table: the entries of the MAML, then what was added, which becomes ``keyarray``.
    qc
        What is checked, by the names of the columns in the file.

    Raises
    ------
    MamlError
        `limit` for a text of more than 4 MiB.

    Notes
    -----
    Sections stand in the order of the MAML; what was added follows what ``keyarray`` says there, or all sections. Below
    ``extra``, names of columns that were not written are left out; everything else stays.

    Examples
    --------
    >>> from maml_parquet import Schema, parse
    >>> maml = parse("Table: t\nFields: [{name: a, data_type: string}, {name: b, data_type: int32}]")
    >>> schema = Schema.from_maml(maml)
    >>> schema.add_metadata("epoch", 2015.5)
    >>> column = WrittenColumn("a", schema.columns["a"].kind, array_size=7)
    >>> print(sidecar(maml, [column], schema.metadata), end="")
    table: t
    keyarray:
    - key: epoch
      value: 2015.5
    fields:
    - name: a
      data_type: string
      array_size: 7
    """
    sources = {item.name: item.source for item in maml.fields} if maml else {}
    bounds = qc or {}
    fields = [_field(column, bounds.get(column.name), sources.get(column.name, "file")) for column in columns]
    if maml is None:
        return yaml_text(_bare_document(metadata, fields))
    added = [_added(entry) for entry in metadata[len(entries(maml)) :]]
    document = _Document(added=added)
    nodes = {name: node for name, _, node in maml.root.folded()}
    for section in maml.sections:
        if section.name == "fields":
            document.add("fields", fields)
        elif section.name == "extra":
            document.add("extra", _extra(nodes["extra"], maml.extra, {column.name for column in columns}))
        else:
            document.add(SECTIONS[section.name], _section(section, nodes[section.name]), is_entry=True)
    return yaml_text(document.tree())


@dataclass
class _Document:
    """The sections so far; what was added goes behind the last one that becomes entries."""

    added: list[Tree]
    sections: list[tuple[str, Tree]] = field(default_factory=list)
    last: int = 0

    def add(self, name: str, value: Tree, *, is_entry: bool = False) -> None:
        if name == "keyarray" and isinstance(value, list):
            value = [*value, *self.added]
            self.added = []
        if value:
            self.sections.append((name, value))
        if is_entry:
            self.last = len(self.sections)

    def tree(self) -> dict[str, Tree]:
        sections = list(self.sections)
        if self.added:
            sections.insert(self.last, ("keyarray", self.added))
        return dict(sections)


def _bare_document(metadata: Sequence[TableEntry], fields: list[Tree]) -> dict[str, Tree]:
    table = next((position for position, entry in enumerate(metadata) if entry.key == "table" and entry.value), None)
    added = [_added(entry) for position, entry in enumerate(metadata) if position != table]
    document: dict[str, Tree] = {"table": "table" if table is None else metadata[table].value}
    return document | ({"keyarray": added} if added else {}) | {"fields": fields}


def _section(section: Section, node: Node) -> Tree:
    name, texts = section.name, [entry.value for entry in section.entries]
    if name == "keyarray":
        plain = [_is_plain(item) for item in node.items] if isinstance(node, ListNode) else []
        return [_item(entry, is_number=is_plain) for entry, is_plain in zip(section.entries, plain, strict=True)]
    if name == "dois":
        return [{"DOI": entry.value} | _given(type=entry.description) for entry in section.entries]
    if name == "depends":
        return _depends(node)
    if name == "keywords":
        words = texts[0].split(";")
        return words if all(word and word == word.strip() for word in words) else texts[0]
    if len(texts) > 1 or section.entries[0].key != name:
        return texts
    is_number = name == "maml_version" and isinstance(node, Scalar) and node.style == "plain"
    return _number(texts[0]) if is_number else texts[0]


def _is_plain(item: Node) -> bool:
    """Return whether the value of an item of keyarray was written without quotes."""
    values = (value for key, _, value in item.folded() if key == "value") if isinstance(item, MapNode) else iter(())
    return any(isinstance(value, Scalar) and value.style == "plain" for value in values)


def _depends(node: Node) -> list[Tree]:
    """Return the items from their nodes: a ``;`` in one of the parts cannot be told from those between them."""
    found: list[Tree] = []
    for item in node.items if isinstance(node, ListNode) else ():
        parts = {}
        for key, _, value in item.folded() if isinstance(item, MapNode) else ():
            if key in DEPENDS and isinstance(value, Scalar) and not value.is_null and value.text.strip():
                parts[key] = value.text.strip()
        if parts:
            found.append({key: parts[key] for key in DEPENDS if key in parts})
    return found


def _added(entry: TableEntry) -> Tree:
    return _item(Entry(entry.key, entry.value, entry.description), is_number=bool(entry.datatype))


def _item(entry: Entry, *, is_number: bool) -> Tree:
    value = _number(entry.value) if is_number else entry.value
    item: dict[str, Tree] = {"key": entry.key}
    if entry.value:
        item["value"] = value
    return item | _given(comment=entry.description)


def _number(text: str) -> Tree:
    return Bare(text) if NUMBER.fullmatch(text) else text


def _given(**texts: str) -> dict[str, Tree]:
    return {key: text for key, text in texts.items() if text}


def _field(column: WrittenColumn, qc: Qc | None, source: str) -> Tree:
    found: dict[str, Tree] = {"name": column.name}
    found |= _given(unit=column.unit, info=column.info, ucd=column.ucd)
    found["data_type"] = Bare(str(column.kind))
    if column.kind.base == "string":
        found["array_size"] = Bare(str(column.array_size))
    if column.col_size > 1:
        found["col_size"] = Bare(str(column.col_size))
    if qc is not None:
        found["qc"] = _qc(qc)
    return found if source == "file" else found | {"source": source}


def _qc(qc: Qc) -> Tree:
    found: dict[str, Tree] = {}
    for side, bound in (("min", qc.min), ("max", qc.max)):
        if isinstance(bound, Bound):
            found[side] = _number(bound.text)
    if qc.miss != "unchecked":
        found["miss"] = Bare("Null") if qc.miss == "expected" else ""
    return found


def _extra(node: Node, extra: Extra, names: set[str]) -> Tree:
    found: dict[str, Tree] = {}
    for name, key, value in node.folded() if isinstance(node, MapNode) else ():
        if name == "col_map":
            kept: list[Tree] = [{item.internal: item.external} for item in extra.col_map if item.external in names]
        elif name == "protected_cols":
            kept = [item.text for item in extra.protected_cols if item.text in names]
        elif name == "nullable_cols":
            kept = [item.text for item in extra.nullable_cols if item.text in names]
        else:
            found[key.text] = _kept(value)
            continue
        if kept:
            found[name] = kept
    return found


def _kept(node: Node) -> Tree:
    """Return what nobody looks at as it is."""
    if isinstance(node, ListNode):
        return [_kept(item) for item in node.items]
    if isinstance(node, MapNode):
        return {key.text: _kept(value) for key, value in node.pairs}
    if node.is_null:
        return Bare(node.text or "null")
    return Bare(node.text) if node.style == "plain" and _AS_IT_IS.fullmatch(node.text) else node.text
