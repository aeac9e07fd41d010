"""Sections to entries of a table's metadata."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from maml_parquet.arguments import check_maml
from maml_parquet.errors import At
from maml_parquet.sections.records import Entry, Maml
from maml_parquet.sections.report import Report
from maml_parquet.text.records import Mapping, Node, Scalar, Sequence

DEPENDS: Final = ("survey", "dataset", "table", "version")
DOIS: Final = ("doi", "type")
KEYARRAY: Final = ("key", "value", "comment")

SECTIONS: Final = {
    "survey": "survey",
    "dataset": "dataset",
    "table": "table",
    "version": "version",
    "date": "date",
    "author": "author",
    "coauthors": "coauthors",
    "dois": "DOIs",
    "depends": "depends",
    "description": "description",
    "comments": "comments",
    "license": "license",
    "keywords": "keywords",
    "maml_version": "MAML_version",
    "keyarray": "keyarray",
    "extra": "extra",
    "fields": "fields",
}
"""The sections: each as it is compared, and as the specification spells it."""

_RESERVED: Final = frozenset({"ARROW:schema", "pandas", "maml", "table_meta_yaml"})
_PREFIXES: Final = ("IVOA.VOTable-Parquet.", "column.", "table::len::")
_SHADOWED: Final = frozenset({"DATE", "name"})
_ILLEGAL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def entries(maml: Maml) -> tuple[Entry, ...]:
    r"""Return the entries that the sections become, in the order of the text, repeated keys and all.

    Examples
    --------
    >>> from maml_parquet import parse
    >>> maml = parse("table: t\ncomments: [a, b]\nfields: [{name: x, data_type: int32}]")
    >>> [(entry.key, entry.value) for entry in entries(maml)]
    [('table', 't'), ('comment_1', 'a'), ('comment_2', 'b')]
    """
    check_maml("maml", maml)
    return tuple(entry for section in maml.sections for entry in section.entries)


def parse_entries(name: str, node: Node, report: Report) -> tuple[Entry, ...]:
    """Return the entries of one section; what is wrong goes into the report."""
    special = _SPECIAL.get(name)
    if special:
        return special(node, (name,), report)
    return tuple(Entry(name, text) for text in _texts(node, (name,), report))


def _texts(node: Node, at: At, report: Report) -> Iterator[str]:
    """Yield the text, or the texts of the list; a map of one pair in a list is a text with a colon."""
    if not isinstance(node, Sequence):
        text = report.text(node, at)
        if text is not None:
            yield text
        return
    for position, item in enumerate(node.items):
        text = _item(item, (*at, position), report)
        if text is not None:
            yield text


def _item(item: Node, at: At, report: Report) -> str | None:
    if not isinstance(item, Mapping):
        return report.text(item, at)
    if len(item.pairs) != 1 or not isinstance(item.pairs[0][1], Scalar):
        words = "a map stands here; write one text (in quotes where it holds ': ')"
        report.problem("shape", at, words, item)
        return None
    key, value = item.pairs[0]
    text = value.text.strip() if isinstance(value, Scalar) else ""
    return f"{key.text.strip()}: {text}".strip()


def _table(node: Node, at: At, report: Report) -> tuple[Entry, ...]:
    text = report.text(node, at)
    return () if text is None else (Entry("table", text),)


def _numbered(name: str, singular: str) -> Callable[[Node, At, Report], tuple[Entry, ...]]:
    def parse(node: Node, at: At, report: Report) -> tuple[Entry, ...]:
        texts = tuple(_texts(node, at, report))
        if not isinstance(node, Sequence):
            return tuple(Entry(name, text) for text in texts)
        return tuple(Entry(f"{singular}_{number}", text) for number, text in enumerate(texts, 1))

    return parse


def _keywords(node: Node, at: At, report: Report) -> tuple[Entry, ...]:
    texts = tuple(_texts(node, at, report))
    if not texts:
        return ()
    if isinstance(node, Sequence):
        for text in texts:
            if ";" in text:
                words = f"the keyword {text!r} holds the ; that divides keywords; readers will see two"
                report.notice("separator", at, words, node)
    return (Entry("keywords", ";".join(texts)),)


def _maps(node: Node, at: At, report: Report, known: tuple[str, ...]) -> Iterator[tuple[Node, At, dict[str, Node]]]:
    """Yield the items of a list of maps: the item, its place, the values by their keys."""
    for position, item in enumerate(report.items(node, at, f"maps ({', '.join(known)})")):
        before = len(report.problems)
        members = report.members(item, (*at, position), known)
        if isinstance(item, Mapping) or len(report.problems) == before:
            yield item, (*at, position), members


def _dois(node: Node, at: At, report: Report) -> tuple[Entry, ...]:
    found: list[Entry] = []
    for _, where, nodes in _maps(node, at, report, DOIS):
        texts = _read(nodes, where, report)
        if "doi" in texts:
            found.append(Entry(f"DOI_{len(found) + 1}", texts["doi"], texts.get("type", "")))
    return tuple(found)


def _depends(node: Node, at: At, report: Report) -> tuple[Entry, ...]:
    found: list[Entry] = []
    for _, where, nodes in _maps(node, at, report, DEPENDS):
        texts = _read(nodes, where, report)
        for key, text in texts.items():
            if ";" in text:
                words = f"{text!r} holds the ; that divides the parts; readers will see one part more"
                report.notice("separator", (*where, key), words, nodes[key])
        if texts:
            found.append(Entry(f"depends_{len(found) + 1}", ";".join(texts.get(key, "") for key in DEPENDS)))
    return tuple(found)


def _keyarray(node: Node, at: At, report: Report) -> tuple[Entry, ...]:
    found: list[Entry] = []
    for item, where, nodes in _maps(node, at, report, KEYARRAY):
        value = nodes.pop("value", None)
        texts = _read(nodes, where, report)
        if value is not None:
            texts["value"] = _value(value, (*where, "value"), report)
        if "key" not in texts:
            if not isinstance(nodes.get("key"), (Sequence, Mapping)):
                place = nodes.get("key", item)
                report.problem("key-missing", (*where, "key"), "the item has no key; write key: <name>", place)
            continue
        _check_key(texts["key"], (*where, "key"), nodes["key"], report)
        found.append(Entry(texts["key"], texts.get("value", ""), texts.get("comment", "")))
    return tuple(found)


def _read(nodes: dict[str, Node], at: At, report: Report) -> dict[str, str]:
    texts = {key: report.text(node, (*at, key)) for key, node in nodes.items()}
    return {key: text for key, text in texts.items() if text is not None}


def _value(node: Node, at: At, report: Report) -> str:
    """Return the text of a value; a list of scalars is a text in brackets."""
    if not isinstance(node, Sequence):
        return report.text(node, at) or ""
    texts = []
    for position, item in enumerate(node.items):
        if isinstance(item, Scalar):
            texts.append(_quoted(item))
        else:
            report.problem("shape", (*at, position), "a list or a map stands in a list here; write plain values", item)
    return f"[{', '.join(texts)}]"


def _quoted(item: Scalar) -> str:
    if item.style == "single":
        return "'" + item.text.replace("'", "''") + "'"
    if item.style == "double":
        return '"' + item.text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return item.text.strip()


def check_key(key: str) -> tuple[str, str] | None:
    """Return what is wrong with the key of an entry, as code and words; the code is ``notice`` where it may stay."""
    if key in _RESERVED or key.startswith(_PREFIXES):
        return "reserved-key", f"the key {key!r} is one that files need themselves; choose another"
    if key in _SHADOWED:
        return (
            "notice",
            f"the key {key!r} stands in every file before this one; readers that look for it find the file's",
        )
    if "\n" in key or _ILLEGAL.search(key):
        return "shape", f"the key {key!r} is not one line of text; choose another"
    return None


def _check_key(key: str, at: At, node: Node, report: Report) -> None:
    told = check_key(key)
    if told is not None and told[0] == "notice":
        report.notice("reserved-key", at, told[1], node)
    elif told is not None:
        report.problem(told[0], at, told[1], node)


_SPECIAL: Final[dict[str, Callable[[Node, At, Report], tuple[Entry, ...]]]] = {
    "table": _table,
    "comments": _numbered("comments", "comment"),
    "coauthors": _numbered("coauthors", "coauthor"),
    "keywords": _keywords,
    "dois": _dois,
    "depends": _depends,
    "keyarray": _keyarray,
}
