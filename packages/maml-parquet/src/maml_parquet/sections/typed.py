"""A document as YAML 1.2 reads it, with keys as the specification spells them: what JSON Schemas look at."""

from __future__ import annotations

import re
from typing import Final

from maml_parquet.errors import At
from maml_parquet.sections.entries import DEPENDS, KEYARRAY, SECTIONS
from maml_parquet.sections.fields import QC_SUBKEYS, SUBKEYS
from maml_parquet.text.records import Mapping, Node, Scalar, Sequence, fold

REQUESTS: Final = ("col_map", "protected_cols", "nullable_cols", "remap", "filter", "sort")
"""The keys of `extra` that are looked at."""

KEYS: Final[dict[At, dict[str, str]]] = {
    (): SECTIONS,
    ("dois",): {"doi": "DOI", "type": "type"},
    ("depends",): dict(zip(DEPENDS, DEPENDS, strict=True)),
    ("keyarray",): dict(zip(KEYARRAY, KEYARRAY, strict=True)),
    ("fields",): dict(zip(SUBKEYS, SUBKEYS, strict=True)),
    ("fields", "qc"): dict(zip(QC_SUBKEYS, QC_SUBKEYS, strict=True)),
    ("extra",): dict(zip(REQUESTS, REQUESTS, strict=True)),
}
"""The keys of each map, by the keys above it: each as it is compared, and as the specification spells it."""

_DECIMAL: Final = re.compile(r"[-+]?[0-9]+")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_BASES: Final = ((re.compile("0o[0-7]+"), 8), (re.compile("0x[0-9a-fA-F]+"), 16))
_WORDS: Final[dict[str, bool | float]] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **{word: float("nan") for word in (".nan", ".NaN", ".NAN")},
    **{sign + word: float("inf") for sign in ("", "+") for word in (".inf", ".Inf", ".INF")},
    **{"-" + word: float("-inf") for word in (".inf", ".Inf", ".INF")},
}
_MOST_DIGITS: Final = 4000


def typed(node: Node) -> object:
    r"""Return the value of a document: dicts, lists, texts, numbers, truth values and None.

    Scalars without quotes are read by the core rules of YAML 1.2, so dates, ``yes`` and ``1_000`` stay texts. Texts
    lose the blanks around them. Keys of maps that are known are spelled as the specification spells them.

    Examples
    --------
    >>> from maml_parquet.text.nodes import compose
    >>> typed(compose("Table: yes\nversion: 1.10\ndate: 2024-01-31\ndois: [{doi: '5'}]\nmaml_version: 1.2\n")[0])
    {'table': 'yes', 'version': 1.1, 'date': '2024-01-31', 'DOIs': [{'DOI': '5'}], 'MAML_version': 1.2}
    """
    return _typed(node, ())


def _typed(node: Node, at: At | None) -> object:
    """Return the value of a node below the keys `at`; None where no keys are known any more."""
    if isinstance(node, Scalar):
        return scalar(node)
    if isinstance(node, Sequence):
        return [_typed(item, at) for item in node.items]
    known = KEYS.get(at, {}) if at is not None else {}
    found = {}
    for folded, key, value in node.folded():
        below = (*at, folded) if at is not None and folded in known else None
        found[known.get(folded, key.text)] = _typed(value, below)
    return found


def scalar(node: Scalar) -> str | int | float | bool | None:
    """Return the value of a scalar by the core rules of YAML 1.2; a text without the blanks around it.

    Examples
    --------
    >>> [scalar(Scalar(text, 1, 1, "plain")) for text in ("0x10", "010", "1e3", "no", "~")]
    [16, 10, 1000.0, 'no', None]
    >>> scalar(Scalar("5", 1, 1, "single"))
    '5'
    """
    if node.is_null:
        return None
    if node.style != "plain":
        return node.text.strip()
    if node.text in _WORDS:
        return _WORDS[node.text]
    for pattern, base in _BASES:
        if pattern.fullmatch(node.text):
            return int(node.text[2:], base)
    if _DECIMAL.fullmatch(node.text) and len(node.text) <= _MOST_DIGITS:
        return int(node.text)
    return float(node.text) if _FLOAT.fullmatch(node.text) else node.text.strip()


def find(root: Mapping, path: At) -> tuple[Scalar | None, Node, At]:
    """Return the key and the node that a path of the typed view leads to, and the path with keys as they are compared.

    The key is that of the last map on the way. Where the path leads on to what is not there, the last node that is.
    """
    node: Node = root
    key: Scalar | None = None
    at: At = ()
    for part in path:
        if isinstance(part, int) and isinstance(node, Sequence) and part < len(node.items):
            node, at = node.items[part], (*at, part)
            continue
        pairs = list(node.folded()) if isinstance(node, Mapping) else []
        hit = next((pair for pair in pairs if pair[1].text == part or pair[0] == fold(str(part))), None)
        if hit is None:
            break
        at, key, node = (*at, hit[0]), hit[1], hit[2]
    return key, node, at
