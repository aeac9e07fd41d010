"""Documents that differ in their shape alone, as those of a pyramid's levels mostly do, are parsed once."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from worldarray.documents.facts import StorageFacts
from worldarray.documents.parsing import MAX_EXTENT
from worldarray.errors import PlacementError

Parse = Callable[[Mapping[str, Any], tuple[()]], StorageFacts]

_LONGEST: Final = 1 << 12
"""Bytes of what is remembered of one document; those of arrays are a few hundred."""
_INTEGERS: Final = frozenset({int})
_NO_REFERENCES: Final = 2
"""The marshal format in which equal values have equal bytes."""


def known_facts(parse: Parse, doc: Mapping[str, Any], key: str, rest: dict[str, Any]) -> StorageFacts | None:
    """Return what `parse` makes of a document, without parsing it where only the shape is new.

    None for a document that has to be parsed to tell: one with a problem or anything odd, which is to be named with
    the document's own path.

    Parameters
    ----------
    parse
        What turns a document into facts; of the shape it may look at the number of axes alone.
    doc, key
        The document, and its member that holds the shape.
    rest
        Every other member that `parse` looks at.

    Examples
    --------
    >>> from worldarray.documents.n5 import parse_n5
    >>> rest = {"blockSize": [3, 2], "dataType": "uint8", "compression": {"type": "raw"}}
    >>> doc = {"dimensions": [7, 5], **rest}
    >>> known_facts(parse_n5, doc, "dimensions", rest) == parse_n5(doc, ("em.n5/s0/attributes.json",))
    True
    """
    extents = doc.get(key)
    if type(extents) is not list or not _INTEGERS.issuperset(map(type, extents)):
        return None
    if extents and not 0 <= min(extents) <= max(extents) <= MAX_EXTENT:
        return None
    try:
        text = marshal.dumps(rest, _NO_REFERENCES)
    except ValueError:  # more than JSON, or nested deeply
        return None
    known = _facts(parse, text, key, len(extents)) if len(text) <= _LONGEST else None
    return None if known is None else known.of_shape(extents, key)


@lru_cache(maxsize=64)
def _facts(parse: Parse, text: bytes, key: str, ndim: int) -> StorageFacts | None:
    """Return the facts of a document with any shape; the bytes are those of the other members, types and all."""
    rest: dict[str, Any] = marshal.loads(text)  # noqa: S302  (made here)
    try:
        found = parse({**rest, key: [1] * ndim}, ())
    except PlacementError:
        return None
    return None if found.notices else found
