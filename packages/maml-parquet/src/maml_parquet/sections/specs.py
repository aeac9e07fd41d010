"""What the versions of the MAML specification ask for beyond what is asked here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from maml_parquet.errors import At
from maml_parquet.sections.entries import SECTIONS
from maml_parquet.sections.report import Report
from maml_parquet.text.records import Mapping, Node, Scalar, Sequence, fold

VERSIONS: Final = ("1.0", "1.1", "1.2")
"""The versions that are known."""

_REQUIRED: Final = ("version", "date", "author")
_TEXTS: Final = ("survey", "dataset", "table", "date", "author", "description", "license")
_LISTS: Final = ("coauthors", "comments", "keywords")
_SINCE: Final = {"keyarray": "1.1", "extra": "1.1"}
_SUBKEYS: Final = {
    "dois": {"doi": "DOI", "type": "type"},
    "depends": {key: key for key in ("survey", "dataset", "table", "version")},
    "keyarray": {key: key for key in ("key", "value", "comment")},
    "fields": {key: key for key in ("name", "unit", "info", "ucd", "data_type", "array_size", "col_size", "qc")},
}
_NUMBER: Final = re.compile(r"[-+]?(0o[0-7]+|0x[0-9a-fA-F]+|(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?)")
_WORDS: Final = frozenset(
    ["true", "True", "TRUE", "false", "False", "FALSE", ".nan", ".NaN", ".NAN"]
    + [sign + word for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")]
)


def check_spec(root: Mapping, report: Report) -> None:
    """Add the problems that a document has with the specification of the report's profile."""
    version = report.profile.removeprefix("spec-")
    sections = {name: (key, value) for name, key, value in root.folded() if name in SECTIONS}
    for name in _REQUIRED:
        if name not in sections or _is_blank(sections[name][1]):
            report.problem(
                "key-missing", (name,), f"there is no {name}, which the specification wants; write {name}: …"
            )
    for name, (key, value) in sections.items():
        _check_case(key, SECTIONS[name], (name,), report)
        if _SINCE.get(name, version) > version:
            words = f"{name} is of version {_SINCE[name]}, not of {version}; remove it, or use the newer version"
            report.problem("section-unknown", (name,), words, key)
        _check_kind(name, value, report)
        if name in _SUBKEYS:
            _check_subkeys(name, value, version, report)
    if "maml_version" in sections:
        _check_version(sections["maml_version"][1], version, report)


def _is_blank(node: Node) -> bool:
    return isinstance(node, Scalar) and (node.is_null or not node.text.strip())


def _check_case(key: Scalar, canonical: str, at: At, report: Report) -> None:
    if key.text != canonical:
        report.problem("section-unknown", at, f"the specification spells it {canonical}, not {key.text}", key)


def _check_kind(name: str, value: Node, report: Report) -> None:
    if name in _TEXTS:
        if isinstance(value, Sequence):
            report.problem("shape", (name,), f"{name} is one text for the specification, not a list", value)
        elif isinstance(value, Scalar) and value.style == "plain" and _is_number(value.text):
            words = f"{name} is {value.text}, which YAML takes for a number or a truth value; put it in quotes"
            report.problem("shape", (name,), words, value)
    if name in _LISTS and isinstance(value, Scalar):
        report.problem("shape", (name,), f"{name} is a list for the specification; write each item with '- '", value)
    if name not in ("license", *_REQUIRED, "table", "fields", *_LISTS) and isinstance(value, Scalar) and value.is_null:
        words = f"{name} is empty, which the specification does not allow; write a value, or remove the key"
        report.problem("shape", (name,), words, value)


def _is_number(text: str) -> bool:
    return text in _WORDS or _NUMBER.fullmatch(text) is not None


def _check_subkeys(name: str, value: Node, version: str, report: Report) -> None:
    for position, item in _maps(value):
        for key, _ in item.pairs:
            at = (name, position, fold(key.text))
            canonical = _SUBKEYS[name].get(fold(key.text), key.text)
            if canonical == "col_size" and version < "1.2":
                report.notice("subkey-unknown", at, f"col_size is of version 1.2, and ignored by {version}", key)
            _check_case(key, canonical, at, report)


def _maps(value: Node) -> Iterator[tuple[int, Mapping]]:
    for position, item in enumerate(value.items if isinstance(value, Sequence) else ()):
        if isinstance(item, Mapping):
            yield position, item


def _check_version(value: Node, version: str, report: Report) -> None:
    plain = isinstance(value, Scalar) and value.style == "plain" and _is_number(value.text)
    if not plain or not isinstance(value, Scalar) or _as_number(value.text) != float(version):
        text = value.text if isinstance(value, Scalar) else "no number"
        words = (
            f"MAML_version is {text!r}, the specification is {version}; write MAML_version: {version} without quotes"
        )
        report.problem("shape", ("maml_version",), words, value)


def _as_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
