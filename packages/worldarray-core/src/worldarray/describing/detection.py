"""What stands at a path: the format and kind of a store node, from the documents found there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from worldarray.documents.loading import load_json, load_object
from worldarray.documents.n5 import is_n5_array
from worldarray.documents.n5_keys import level_index
from worldarray.documents.parsing import refuse, show
from worldarray.documents.precomputed import is_volume
from worldarray.documents.source import Source, document_path
from worldarray.errors import AccessError, PlacementError, StoreNotFoundError, problem
from worldarray.paths import Location
from worldarray.records import Format, Kind, Node

PROBES: Final = ("zarr.json", ".zarray", ".zgroup", "info", "attributes.json")
"""The documents that say what a node is, in the order in which they are believed."""
ARRAY_KEYS: Final[Mapping[Format, tuple[str, ...]]] = {
    "zarr2": (".zarray", ".zattrs"),
    "zarr3": ("zarr.json",),
    "n5": ("attributes.json",),
}
"""The documents of an array whose format is known."""
_KEYS: Final = (*PROBES, ".zattrs")
_ROUNDS: Final = (("zarr.json",), (".zarray", ".zattrs"), (".zgroup",), ("info", "attributes.json"))
"""The same, as local files are looked for: one that is missing costs as much as one that is there."""
_MOST_NAMED: Final = 10
"""As many folders as an error names, of those that hold something."""
_MOST_LOOKED_INTO: Final = 1000
_ZARR_JSON_KINDS: Final[Mapping[str, Kind]] = {"array": "array", "group": "group"}

Found = tuple[Format, Kind, dict[str, Any]]


def detect_node(source: Source, where: Location) -> Node | None:
    """Return what stands at a path, or None for nothing.

    Probed in order: the documents at the path itself, ``info`` in its parent with the last segment as a precomputed
    scale (its key, or ``s<N>`` for the N-th), and a folder ``s0`` that holds an array. The root of a filesystem, host
    or bucket is never probed. A file called ``zarr.json`` or ``info`` that is no metadata does not hide the real
    document beside it.

    Raises
    ------
    PlacementError
        A document is not JSON, not UTF-8 or not what its name says, and no other one says what the node is.
    AccessError
        The store refuses every document under every way in; a local document may not be read.

    Examples
    --------
    >>> from worldarray.documents.source import MappingSource
    >>> from worldarray.paths import parse_path
    >>> volume = {"scales": [{"key": "8_8_40"}, {"key": "16_16_40"}]}
    >>> node = detect_node(MappingSource({"em/info": volume}), parse_path("em/s1"))
    >>> node.format, node.kind, node.path, node.scale_key
    ('precomputed', 'array', 'em', '16_16_40')
    """
    if where.is_root:
        return None
    refusals: list[PlacementError | AccessError] = []
    node = _probe(source, where, refusals) or _scale(source, where) or _documentless(source, where)
    if node is None and refusals:
        raise refusals[0]
    return node


def _probe(source: Source, where: Location, refusals: list[PlacementError | AccessError]) -> Node | None:
    """Return the node that the documents at a path make."""
    docs: dict[str, bytes] = {}
    for keys in _ROUNDS if where.is_local else (_KEYS,):
        docs.pop("zarr.json", None)  # it was no metadata
        try:
            docs |= source.documents(where, keys)
        except AccessError as error:
            if where.is_local:  # a bucket refuses what is not there, a file system what is
                raise
            refusals.append(error)
            continue
        node = _read(where, docs, refusals) if docs else None
        if node is not None:
            return node
    return None


def detect_array(source: Source, where: Location, format_: Format) -> Node | None:
    """Return the array at a path that is expected to be of one format; `detect_node` where that has no document."""
    keys = ARRAY_KEYS.get(format_)
    if keys is not None and not where.is_root:
        docs = source.documents(where, keys, ancestor=not where.is_local)
        node = _read(where, docs, []) if docs else None
        if node is not None and node.kind == "array":
            return node
    return detect_node(source, where)


def require_node(source: Source, where: Location) -> Node:
    """Return what stands at a path.

    Raises
    ------
    StoreNotFoundError
        Nothing that this package reads stands there.
    """
    node = detect_node(source, where)
    if node is not None:
        return node
    if where.is_root:
        message = "is the root of a filesystem, host or bucket, where no store is looked for; name a folder in it"
    elif source.exists(where):
        inside = f"; for what is in a zip file, {where.text}|zip:" if where.name.endswith(".zip") else ""
        below = holds(_with_documents(source, where))
        told = f"{below[2:]}; name one of them" if below else "name the folder that has one of them"
        message = f"holds no array or group: found none of {', '.join(PROBES)}; {told}{inside}"
    else:
        message = f"does not exist: found none of {', '.join(PROBES)} there"
    raise StoreNotFoundError(problem("not_found", where.text, message))


def holds(names: Sequence[str]) -> str:
    """Return the words that name what a folder holds, after a semicolon; none for nothing.

    Examples
    --------
    >>> holds(("recon", "setup0"))
    '; it holds recon, setup0'
    """
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"; it holds {', '.join(names[:_MOST_NAMED])}{more}" if names else ""


def _with_documents(source: Source, where: Location) -> list[str]:
    """Return the folders directly below a path that hold an array or group, as far as they can be told cheaply."""
    names = source.folders(where)[:_MOST_LOOKED_INTO]
    return [name for name in names if source.documents(where.join(name), PROBES, ancestor=True)]


def _read(where: Location, docs: Mapping[str, bytes], refusals: list[PlacementError | AccessError]) -> Node | None:
    """Return the node that the documents of one folder make, by the first probe that is what its name says."""
    for key in PROBES:
        if key not in docs:
            continue
        try:
            found = _READERS[key](docs, where)
        except PlacementError as error:
            if key not in _OFTEN_FOREIGN:
                raise
            refusals.append(error)
            continue
        return Node(found[0], found[1], where.text, found[2])
    return None


def _zarr_json(docs: Mapping[str, bytes], where: Location) -> Found:
    at = (document_path(where, "zarr.json"),)
    doc = load_object(docs["zarr.json"], at)
    kind = doc.get("node_type")
    if doc.get("zarr_format") != 3 or not isinstance(kind, str) or kind not in _ZARR_JSON_KINDS:
        found = f"zarr_format {show(doc.get('zarr_format'))} and node_type {show(kind)}"
        refuse("wrong_value", at, f"has {found}; a zarr v3 document has zarr_format 3 and node_type array or group")
    return "zarr3", _ZARR_JSON_KINDS[kind], {"zarr.json": doc}


def _zarray(docs: Mapping[str, bytes], where: Location) -> Found:
    return "zarr2", "array", _zarr2_docs(docs, where, ".zarray")


def _zgroup(docs: Mapping[str, bytes], where: Location) -> Found:
    return "zarr2", "group", _zarr2_docs(docs, where, ".zgroup")


def _zarr2_docs(docs: Mapping[str, bytes], where: Location, key: str) -> dict[str, Any]:
    return {name: load_object(docs[name], (document_path(where, name),)) for name in (key, ".zattrs") if name in docs}


def _info(docs: Mapping[str, bytes], where: Location) -> Found:
    at = (document_path(where, "info"),)
    doc = load_object(docs["info"], at)
    if not is_volume(doc):
        rule = "the info of a precomputed volume has a list of scales"
        refuse("wrong_value", at, f"is not the info of a volume (@type is {show(doc.get('@type'))}); {rule}")
    return "precomputed", "group", {"info": doc}


def _attributes_json(docs: Mapping[str, bytes], where: Location) -> Found:
    doc = load_object(docs["attributes.json"], (document_path(where, "attributes.json"),))
    return "n5", "array" if is_n5_array(doc) else "group", {"attributes.json": doc}


_READERS: Final[Mapping[str, Callable[[Mapping[str, bytes], Location], Found]]] = {
    "zarr.json": _zarr_json,
    ".zarray": _zarray,
    ".zgroup": _zgroup,
    "info": _info,
    "attributes.json": _attributes_json,
}
_OFTEN_FOREIGN: Final = frozenset({"zarr.json", "info"})
"""Names that other programs use for files of their own."""


def _scale(source: Source, where: Location) -> Node | None:
    """Return the scale of a precomputed volume that the last segment of a path names."""
    parent = where.parent
    if parent is None or parent.is_root:
        return None
    data = source.documents(parent, ("info",), ancestor=True).get("info")
    try:
        doc = None if data is None else load_json(data, (document_path(parent, "info"),))
    except PlacementError:  # an ancestor that answers anything but a document
        return None
    if not isinstance(doc, Mapping) or not is_volume(doc):
        return None
    key = scale_key(doc, where.name)
    return None if key is None else Node("precomputed", "array", parent.text, {"info": doc}, key)


def scale_key(doc: Mapping[str, Any], name: str) -> str | None:
    """Return the key of the scale that a path segment names: by its key, else ``s<N>`` by position; None for none.

    Examples
    --------
    >>> scale_key({"scales": [{"key": "8_8_40"}, {"key": "16_16_40"}]}, "s1")
    '16_16_40'
    """
    scales = doc["scales"] if isinstance(doc["scales"], list) else []
    keys = [scale.get("key") if isinstance(scale, Mapping) else None for scale in scales]
    for key in keys:
        if isinstance(key, str) and key.strip("/") == name:
            return key
    index = level_index(name)
    found = keys[index] if index is not None and index < len(keys) else None
    return found if isinstance(found, str) else None


def _documentless(source: Source, where: Location) -> Node | None:
    """Return a group that has no document of its own, but holds an array called s0."""
    first = where.join("s0")
    docs = source.documents(first, _KEYS, ancestor=not where.is_local)
    try:
        node = _read(first, docs, [])
    except PlacementError:  # said when s0 itself is opened
        return None
    return Node(node.format, "group", where.text, {}) if node is not None and node.kind == "array" else None
