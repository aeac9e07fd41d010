"""Where an answer holds integers, as the schema of its op says: an integer has no sign of zero."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from worldarray_conformance import strict_json
from worldarray_conformance.case_files import data_root
from worldarray_conformance.values import ArrayValue

_WHOLE: Final = ("int", "uint")


class _Schema(NamedTuple):
    document: str
    node: Any


def unsigned_zeros(op: str, answer: Any) -> Any:
    """Return an answer with 0 for each -0 that stands where the op's schema says integer, or in an integer array.

    Examples
    --------
    >>> unsigned_zeros("grid.chunk_grid", [-0.0, 3])
    [0, 3]
    >>> unsigned_zeros("geometry.corner_to_centre", [-0.0, 3])
    [-0.0, 3]
    """
    return _settle(answer, _expectations().get(op, ()))


def _settle(value: Any, schemas: Iterable[_Schema]) -> Any:
    if isinstance(value, ArrayValue):
        if not value.dtype.startswith(_WHOLE):
            return value
        return ArrayValue(value.dtype, value.shape, tuple(0 if item == 0 else item for item in value.data))
    if isinstance(value, list):
        branches = list(_branches(schemas))
        return [_settle(item, list(_entries(branches, index))) for index, item in enumerate(value)]
    if isinstance(value, dict):
        branches = list(_branches(schemas))
        return {key: _settle(item, list(_members(branches, key))) for key, item in value.items()}
    if isinstance(value, float) and value == 0:
        return 0 if any(schema.node.get("type") == "integer" for schema in _branches(schemas)) else value
    return value


def _branches(schemas: Iterable[_Schema]) -> Iterator[_Schema]:
    """Yield every schema object that speaks of one place: references followed, alternatives side by side."""
    for document, node in schemas:
        if not isinstance(node, Mapping):
            continue
        yield _Schema(document, node)
        if "$ref" in node:
            path, _, pointer = str(node["$ref"]).partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(document), path)) if path else document
            found: Any = _document(target)
            for part in pointer.split("/")[1:]:
                found = found[part]
            yield from _branches([_Schema(target, found)])
        for word in ("anyOf", "oneOf", "allOf"):
            yield from _branches(_Schema(document, branch) for branch in node.get(word, ()))


def _entries(branches: Iterable[_Schema], index: int) -> Iterator[_Schema]:
    for document, node in branches:
        first = node.get("prefixItems", ())
        yield _Schema(document, first[index] if index < len(first) else node.get("items"))


def _members(branches: Iterable[_Schema], key: str) -> Iterator[_Schema]:
    for document, node in branches:
        yield _Schema(document, node.get("properties", {}).get(key, node.get("additionalProperties")))


@cache
def _document(name: str) -> Any:
    return strict_json.parse((data_root() / "schema" / name).read_text(encoding="utf-8"), name)


@cache
def _expectations() -> dict[str, tuple[_Schema, ...]]:
    rows = [row["$ref"] for row in _document("ops.schema.json")["allOf"]]
    return {
        op: (_Schema(name, schema["properties"]["expect"]),)
        for name in rows
        for op, schema in _document(name)["properties"].items()
    }
