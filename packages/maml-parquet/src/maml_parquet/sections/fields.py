"""The section `fields`: one record per column."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final, Literal

from maml_parquet.errors import At
from maml_parquet.sections.qc import Bound, BoundError, Miss, Qc, Side, parse_bound, parse_miss
from maml_parquet.sections.records import Field
from maml_parquet.sections.report import Report
from maml_parquet.sections.sizes import AUTO, MAX_SIZE, Size, parse_size
from maml_parquet.sections.types import TypeToken, parse_type
from maml_parquet.text.records import Mapping, Node, Scalar, Sequence

SUBKEYS: Final = ("name", "unit", "info", "ucd", "data_type", "array_size", "col_size", "qc", "source")
QC_SUBKEYS: Final = ("min", "max", "miss")

MAX_COLUMNS: Final = 10_000
"""The most columns that all fields of several columns are together."""

_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SOURCES: Final[dict[str | None, Literal["file", "computed"]]] = {None: "file", "file": "file", "computed": "computed"}


def parse_fields(node: Node, report: Report, *, is_divided: bool = False) -> tuple[Field, ...]:
    """Return the fields of the section; what is wrong goes into the report, and fields without a name are left out.

    Where `is_divided`, a field whose name ends with ``_icol`` and that has a col_size is that many columns.
    """
    at: At = ("fields",)
    items = report.items(node, at, "fields")
    if not items and report.role != "read" and (isinstance(node, Sequence) or _is_blank(node)):
        report.problem("fields-missing", at, "there are no fields; write one for each column, - name: … first", node)
    fields: list[Field] = []
    first: dict[str, int] = {}
    room = MAX_COLUMNS
    for position, item in enumerate(items):
        field = _field(item, (*at, position), report)
        if field is None:
            continue
        field = replace(field, position=position)
        columns = _columns(field, item, room, report) if is_divided else (field,)
        room -= 0 if columns == (field,) else len(columns)
        line = _name_node(item).line
        twice = next((column.name for column in columns if column.name in first), None)
        if twice is not None:
            words = f"the field {twice!r} stands in line {first[twice]} already; names are unique"
            if twice != field.name:
                words = f"{field.name!r} is {len(columns)} columns, and {words}"
            report.problem("field-name-duplicate", (*at, position, "name"), words, _name_node(item))
        for column in columns:
            first.setdefault(column.name, line)
        fields += columns
    return tuple(fields)


def _columns(field: Field, item: Node, room: int, report: Report) -> tuple[Field, ...]:
    """Return the columns that a field is: as many as its col_size where its name ends with ``_icol``, itself else."""
    prefix = field.name.removesuffix("_icol")
    members = {name: value for name, _, value in item.folded()} if isinstance(item, Mapping) else {}
    node = members.get("col_size")
    if prefix == field.name or node is None or _is_blank(node):
        return (field,)
    at: At = ("fields", field.position, "col_size")
    if field.col_size == AUTO:
        if report.role == "write" and not report.is_spec:
            words = f"col_size is auto, but {field.name!r} is one column for each number to it; write the number"
            report.problem("size-invalid", at, words, node)
        return (field,)
    if field.col_size > room:
        words = (
            f"{field.name!r} is {field.col_size} columns, with which such fields are more than {MAX_COLUMNS}; "
            "give it a name that does not end with _icol, which is one column of vectors"
        )
        report.problem("limit", at, words, node)
        return (field,)
    return tuple(replace(field, name=f"{prefix}_{number}", col_size=1) for number in range(1, field.col_size + 1))


def _is_blank(node: Node) -> bool:
    return isinstance(node, Scalar) and (node.is_null or not node.text.strip())


def _name_node(item: Node) -> Node:
    if isinstance(item, Mapping):
        return next((value for name, _, value in item.folded() if name == "name"), item)
    return item


def _field(item: Node, at: At, report: Report) -> Field | None:
    before = len(report.problems)
    members = report.members(item, at, SUBKEYS)
    if not members and len(report.problems) > before and not isinstance(item, Mapping):
        return None
    name = _name(members, item, at, report)
    kind = _type(members, item, at, report)
    unit = report.text(members["unit"], (*at, "unit")) if "unit" in members else None
    info = report.text(members["info"], (*at, "info")) if "info" in members else None
    ucd = _ucd(members["ucd"], (*at, "ucd"), report) if "ucd" in members else ""
    col_size = _size(members, "col_size", at, report)
    array_size = _size(members, "array_size", at, report)
    if array_size == AUTO and kind is not None and kind.base != "string":
        words = f"array_size is the length of strings, auto on a column of {kind} is no size; remove it"
        report.problem("array-auto-nonstring", (*at, "array_size"), words, members["array_size"])
    qc = _qc(members["qc"], (*at, "qc"), kind, report) if "qc" in members else None
    source = _source(members, at, report)
    if name is None:
        return None
    drop = unit is None or unit.lower() == "unitless"
    limited = "array_size" in members and not _is_blank(members["array_size"])
    return Field(
        name,
        kind,
        col_size,
        array_size,
        "" if drop else unit or "",
        info or "",
        ucd,
        qc,
        source,
        item.line,
        limited,
    )


def _name(members: dict[str, Node], item: Node, at: At, report: Report) -> str | None:
    where = (*at, "name")
    node = members.get("name")
    if node is None:
        report.problem("field-name-missing", where, "the field has no name; write name: <column>", item)
        return None
    before = len(report.problems)
    name = report.word(node, where)
    if name is None:
        if len(report.problems) == before:
            words = "the name is empty; write the column's name (in quotes if it is null or ~)"
            report.problem("field-name-missing", where, words, node)
        return None
    if _CONTROL.search(name):
        words = f"the name {name!r} holds a control character or the end of a line; names are one line of text"
        report.problem("shape", where, words, node)
        return None
    return name


def _type(members: dict[str, Node], item: Node, at: At, report: Report) -> TypeToken | None:
    where = (*at, "data_type")
    node = members.get("data_type")
    if report.role == "read":
        kind = parse_type(node.text, report.type_words) if isinstance(node, Scalar) else None
        return kind if isinstance(kind, TypeToken) else None
    if node is None:
        report.problem("type-missing", where, "the field has no data_type; write one, like data_type: float64", item)
        return None
    before = len(report.problems)
    text = report.word(node, where)
    if text is None:
        if len(report.problems) == before:
            report.problem("type-missing", where, "data_type is empty; write one, like float64", node)
        return None
    kind = parse_type(text, report.type_words)
    if isinstance(kind, str):
        report.dialect("type-invalid", where, kind, node)
        return None
    return kind


def _size(members: dict[str, Node], key: str, at: At, report: Report) -> Size:
    node = members.get(key)
    if node is None:
        return 1
    if report.role == "read":
        return (parse_size(node.text) if isinstance(node, Scalar) and not node.is_null else 1) or 1
    where = (*at, key)
    text = report.word(node, where)
    if text is None:
        return 1
    size = parse_size(text)
    if size is None:
        words = f"{key} is {text!r}; write a whole number from 1 to {MAX_SIZE}, or auto"
        report.problem("size-invalid", where, words, node)
        return 1
    if size == AUTO and (report.role == "table-type" or (report.is_spec and key == "col_size")):
        why = "the type of a table" if report.role == "table-type" else "the specification"
        report.problem("size-invalid", where, f"{key} is auto, but {why} needs a number; write it", node)
    return size


def _ucd(node: Node, at: At, report: Report) -> str:
    if not isinstance(node, Sequence):
        return report.text(node, at) or ""
    texts = [report.text(item, (*at, position)) for position, item in enumerate(node.items)]
    return ";".join(text for text in texts if text)


def _source(members: dict[str, Node], at: At, report: Report) -> Literal["file", "computed"]:
    where = (*at, "source")
    text = report.text(members["source"], where) if "source" in members else None
    if text not in _SOURCES:
        report.dialect("shape", where, f"source is {text!r}; write file or computed", members["source"])
    return _SOURCES.get(text, "file")


def _qc(node: Node, at: At, kind: TypeToken | None, report: Report) -> Qc | None:
    members = report.members(node, at, QC_SUBKEYS)
    low = _bound(members.get("min"), "min", at, kind, report)
    high = _bound(members.get("max"), "max", at, kind, report)
    return Qc(low, high, _miss(members.get("miss"), at, report))


def _bound(node: Node | None, side: Side, at: At, kind: TypeToken | None, report: Report) -> Bound | None:
    text = report.word(node, (*at, side)) if node is not None else None
    # A file decides about the types of its columns, whatever its description says; bounds of booleans bound nothing.
    is_judged = report.role != "read" or (kind is not None and kind.base == "boolean")
    bound = parse_bound(text or "", side, kind if is_judged else None)
    if isinstance(bound, BoundError):
        report.dialect(bound.code, (*at, side), bound.message, node or Scalar("", 1, 1, "plain"))
        return None
    return bound


def _miss(node: Node | None, at: At, report: Report) -> Miss:
    if node is None:
        return "unchecked"
    where = (*at, "miss")
    if not isinstance(node, Scalar):
        report.text(node, where)
        return "unchecked"
    if node.is_block:
        report.word(node, where)
        return "unchecked"
    miss = parse_miss(node.text)
    if miss is None:
        words = f"miss is {node.text.strip()!r}; write Null (Nulls are expected), or nothing (they are not)"
        report.dialect("qc-miss", where, words, node)
    return miss or "unchecked"
