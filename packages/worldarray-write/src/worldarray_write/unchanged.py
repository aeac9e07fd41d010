"""Whether an array still is what a handle of it says: one that was made anew since would be written wrongly."""

from __future__ import annotations

from typing import Any, Final

from worldarray.describing.describe import ArrayDocuments, Described, chunk_notices, storage_facts
from worldarray.documents.facts import StorageFacts
from worldarray.documents.loading import load_object
from worldarray.documents.source import Source, document_path
from worldarray.errors import ArgumentError, StoreNotFoundError, problem
from worldarray.opening.opened import Opened
from worldarray.records import Format, Node

DOCUMENT: Final[dict[Format, str]] = {"zarr2": ".zarray", "zarr3": "zarr.json"}
"""Per format: the document that makes a folder an array."""
_NAMES: Final = frozenset({"dimension_names"})
"""Of the document that tensorstore opens: what does not say how chunks are stored."""


def check_unchanged(opened: Opened) -> None:
    """Check that the array of a handle is still there and is stored as it was when the handle was made.

    Its document is read fresh. tensorstore is told what the document says and reads none itself, so it would write
    chunks of the old layout among those of a new one.

    Raises
    ------
    StoreNotFoundError
        The array is no longer there.
    ArgumentError
        ``conflict``: it is stored in another way now.
    PlacementError
        Its document cannot be read.
    """
    from worldarray_write.io import store  # noqa: PLC0415  (documents need no tensorstore)

    where, arguments = opened.location, opened.arguments
    key = DOCUMENT[opened.facts.format]
    found = store.read_documents(opened.folder, (key,), arguments.context)
    if key not in found:
        message = "the array is no longer there, so nothing was written; create it again, or open another"
        raise StoreNotFoundError(problem("not_found", (document_path(opened.folder, key),), message))
    at = (document_path(opened.folder, key),)
    document = load_object(found[key], at)
    is_array = opened.facts.format == "zarr2" or document.get("node_type") == "array"
    node = Node(opened.facts.format, "array", where.text, {key: document})
    separator = arguments.dimension_separator
    if not is_array or _stored(storage_facts(where, node, dimension_separator=separator)[0]) != _stored(opened.facts):
        message = (
            "the array has changed since this handle was made (its shape, dtype, chunks, fill value or codecs), so "
            "nothing was written; open it again"
        )
        raise ArgumentError(problem("conflict", at, message))


def _stored(facts: StorageFacts) -> tuple[Any, ...]:
    """Return what decides the bytes that are stored, and where."""
    metadata = {key: value for key, value in facts.metadata.items() if key not in _NAMES}
    return facts.format, facts.shape, facts.dtype, facts.storage, metadata


def refuse_other_keys(source: Source, described: Described, way: str = "") -> None:
    """Refuse a zarr v2 array whose chunks are keyed with another separator than its document says.

    Readers would no longer be told of the chunks that are there once one is stored under the declared key. `way` says
    who takes the separator, where that is not the caller.

    Raises
    ------
    ArgumentError
        ``conflict``, naming the separator that is found.
    """
    found = chunk_notices(source, described)
    if found:
        raise ArgumentError(*(problem(note.code, note.at, note.message + way) for note in found))


def described(opened: Opened) -> Described:
    """Return what opening found as describing gave it, without the folders above."""
    stored = opened.view.stored
    node = Node(stored.format, "array", opened.location.text, {})
    return Described(stored, opened.facts, ArrayDocuments(opened.location, opened.folder, node, ()))
