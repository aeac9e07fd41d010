"""What is written of a table: its schema, the keys of a file, its VOTable, the MAML beside it."""

import warnings
from xml.etree import ElementTree

import numpy as np

from maml_parquet import MamlError, MamlWarning, Schema, entries, parse
from maml_parquet.header.keys import CONTENT, file_items
from maml_parquet.header.sidecar import sidecar
from maml_parquet.header.votable import votable
from maml_parquet.schema.records import TableEntry, WrittenColumn
from maml_parquet.schema.values import typed
from maml_parquet.sections.qc import Qc, parse_bound, parse_miss
from maml_parquet.sections.types import parse_type

SPACE = "{http://www.ivoa.net/xml/VOTable/v1.3}"


def quietly(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MamlWarning)
        return parse(text)


def answered(function):
    """Answer an error with its codes."""

    def answer(given):
        try:
            return function(given)
        except MamlError as error:
            return {"codes": [problem.code for problem in error.problems]}

    return answer


def column_of(given):
    words = {key: given.get(key, "") for key in ("unit", "info", "ucd")}
    kind = parse_type(given["data_type"])
    return WrittenColumn(given["name"], kind, given.get("col_size", 1), given.get("array_size", 1), **words)


def entries_of(given):
    return [TableEntry(**entry) for entry in given]


def schema_of(given):
    base = quietly(given["base"]) if "base" in given else None
    schema = Schema.from_maml(quietly(given["text"]), base)
    plain = ("name", "output_name", "col_size", "array_size")
    flags = ("is_limited", "is_protected", "is_nullable", "is_declared", "is_enabled")
    return [
        {key: getattr(column, key) for key in (*plain, *flags)} | {"data_type": str(column.kind)}
        for column in schema.columns.values()
    ]


def typed_value(given):
    value = given["value"]
    if "type" in given:
        kind = np.dtype(given["type"]).type
        value = [kind(item) for item in value] if isinstance(value, list) else kind(value)
    text, datatype = typed(value)
    return {"text": text, "datatype": datatype}


def items_of(given):
    columns = [column_of(column) for column in given["columns"]]
    items = file_items(columns, entries_of(given["entries"]), date=given["date"], maml=given.get("maml"))
    return [[key, None if key == CONTENT else value] for key, value in items]


def element_of(element):
    description = element.find(f"{SPACE}DESCRIPTION")
    return dict(element.attrib) | ({} if description is None else {"description": description.text})


def votable_of(given):
    columns = [column_of(column) for column in given["columns"]]
    root = ElementTree.fromstring(votable(columns, entries_of(given["entries"]), given["date"]))
    table = root.find(f"{SPACE}RESOURCE/{SPACE}TABLE")
    params = [element_of(element) for element in table.findall(f"{SPACE}PARAM")]
    params[0].pop("description")
    return {
        "version": root.attrib["version"],
        "table": element_of(table),
        "params": params,
        "fields": [element_of(element) for element in table.findall(f"{SPACE}FIELD")],
    }


def qc_of(given, kind):
    low, high = (parse_bound(given.get(side, ""), side, kind) for side in ("min", "max"))
    return Qc(low, high, parse_miss(given["miss"]) if "miss" in given else "unchecked")


def sidecar_of(given):
    columns = [column_of(column) for column in given["columns"]]
    maml = quietly(given["text"]) if "text" in given else None
    said = [TableEntry(e.key, e.value, e.description) for e in entries(maml)] if maml else []
    kinds = {column.name: column.kind for column in columns}
    qc = {name: qc_of(words, kinds[name]) for name, words in given.get("qc", {}).items()}
    text = sidecar(maml, columns, [*said, *entries_of(given["added"])], qc)
    assert max(map(len, text.split("\n"))) <= 1024
    found = quietly(text)
    return {
        "entries": [{"key": e.key, "value": e.value, "description": e.description} for e in entries(found)],
        "fields": [field_of(field) for field in found.fields],
        "col_map": [[rename.internal, rename.external] for rename in found.extra.col_map],
        "protected_cols": [name.text for name in found.extra.protected_cols],
        "nullable_cols": [name.text for name in found.extra.nullable_cols],
    }


def field_of(field):
    words = {"name": field.name, "data_type": str(field.data_type), "col_size": field.col_size}
    words |= {"array_size": field.array_size, "unit": field.unit, "info": field.info, "ucd": field.ucd}
    if field.qc is not None:
        bounds = {side: bound.text for side, bound in (("min", field.qc.min), ("max", field.qc.max)) if bound}
        words["qc"] = bounds | {"miss": field.qc.miss}
    return words


OPS = {
    "maml.schema": answered(schema_of),
    "maml.typed_value": answered(typed_value),
    "maml.file_items": answered(items_of),
    "maml.votable": answered(votable_of),
    "maml.sidecar": answered(sidecar_of),
}
