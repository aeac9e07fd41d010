"""One array from its documents alone: storage facts, placement and every notice, as one record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple

from worldarray import chunks
from worldarray.describing import placement
from worldarray.describing.detection import require_node
from worldarray.describing.placement import Placement, place, says_no_more
from worldarray.describing.rules import Ancestor, Case
from worldarray.documents import ome
from worldarray.documents.alike import known_facts
from worldarray.documents.attributes import Attributes
from worldarray.documents.facts import StorageFacts
from worldarray.documents.loading import load_object
from worldarray.documents.n5 import parse_n5
from worldarray.documents.parsing import mapping
from worldarray.documents.precomputed import Volume, parse_precomputed, scale_facts
from worldarray.documents.source import Source, document_path
from worldarray.documents.zarr2 import parse_zarr2
from worldarray.documents.zarr3 import parse_zarr3
from worldarray.errors import LevelError, Notice, notice, problem
from worldarray.paths import Location, parse_path
from worldarray.records import ArrayMeta, Format, Node, made

Conflicts = Literal["error", "warn"]
ANCESTORS: Final = 4
"""How many folders above an array are read: a dataset path has up to four components."""
Attributed = dict[str, "tuple[Attributes, ...] | None"]
"""Folder to the attributes in it; None where what was answered is no document."""
_BEFORE_JSON: Final = b"\xef\xbb\xbf \t\r\n"
_ANCESTOR_KEYS: Final[Mapping[Format, tuple[str, ...]]] = {
    "zarr2": (".zattrs", "zarr.json"),
    "zarr3": ("zarr.json", ".zattrs"),
    "n5": ("attributes.json",),
}
"""The documents of a folder above an array, those of the array's own format first."""


class ArrayDocuments(NamedTuple):
    """Everything that is read to describe one array."""

    where: Location
    """The path of the array (for a precomputed scale: the volume's folder and the key)."""
    folder: Location
    """Where its documents lie: the same, but for a precomputed scale the volume's folder."""
    node: Node
    ancestors: tuple[Ancestor, ...]
    """The folders above it, the parent first, as far as they had to be read."""


class Described(NamedTuple):
    """One array: what its documents say, and what is needed to open it."""

    meta: ArrayMeta
    facts: StorageFacts
    documents: ArrayDocuments


def describe_array(
    source: Source,
    where: Location,
    node: Node | None = None,
    *,
    conflicts: Conflicts = "error",
    field: str | None = None,
    dimension_separator: str | None = None,
) -> Described:
    """Return what the documents of a store say about one array, with its placement in stored units.

    Parameters
    ----------
    source, where
        The store, and the path of the array in it.
    node
        What `detect_node` found there, when that is known.
    conflicts
        "warn" notes documents that contradict each other instead of refusing them.
    field, dimension_separator
        The field of a structured dtype; the zarr v2 separator in place of the declared one.

    Raises
    ------
    StoreNotFoundError
        Nothing stands at `where`.
    LevelError
        It is a group.
    PlacementError
        A document says something that cannot be read.

    Examples
    --------
    >>> from worldarray.documents.source import MappingSource
    >>> array = {"zarr_format": 2, "shape": [6, 8], "chunks": [3, 4], "dtype": "<u2", "order": "C",
    ...          "filters": None, "fill_value": 0, "compressor": None}
    >>> source = MappingSource({"em/.zarray": array, "em/.zattrs": {"resolution": [40, 8], "units": ["nm", "nm"]}})
    >>> meta = describe_array(source, parse_path("em")).meta
    >>> meta.shape, meta.axes, meta.voxel_size, meta.translation, meta.placed_by
    ((6, 8), ('y', 'x'), (40.0, 8.0), (20.0, 4.0), 'funlib')
    """
    documents = gather(source, where, node)
    return describe(documents, conflicts=conflicts, field=field, dimension_separator=dimension_separator)


def gather(
    source: Source, where: Location, node: Node | None = None, *, read: Attributed | None = None
) -> ArrayDocuments:
    """Read every document that says something about the array at a path.

    `read` is a dict of the folders above it that were read before, and is filled with those that are read now.

    Raises
    ------
    StoreNotFoundError
        Nothing stands at `where`.
    LevelError
        It is a group.
    """
    node = require_node(source, where) if node is None else node
    if node.kind == "group":
        message = "is a group; name one of its levels"
        raise LevelError(problem("level_required", where.text, message))
    if node.format == "precomputed":
        folder = parse_path(node.path)
        return ArrayDocuments(folder.join(node.scale_key or ""), folder, node, ())
    return ArrayDocuments(where, where, node, _ancestors(source, where, node.format, {} if read is None else read))


def describe(
    documents: ArrayDocuments,
    *,
    conflicts: Conflicts = "error",
    field: str | None = None,
    dimension_separator: str | None = None,
    listed: Placement | None = None,
) -> Described:
    """Return what documents already read say about an array; see `describe_array`.

    `listed` is where its group's document places it: there it lies unless its own documents have a say in it.
    """
    node = documents.node
    if node.format == "precomputed":
        return _precomputed(documents)
    facts, own = _STORAGE[node.format](documents, field, dimension_separator)
    if listed is not None and says_no_more(own, node.format, len(facts.shape), listed):
        return _described(documents, facts, listed, own.values, documents.ancestors[0].attributes[0].values)
    case = Case(
        path=documents.where.text,
        format=node.format,
        ndim=len(facts.shape),
        own=own,
        ancestors=documents.ancestors,
        dimension_names=facts.dimension_names,
        lenient=conflicts == "warn",
    )
    return _described(documents, facts, place(case), own.values, case.group.values)


def storage_facts(
    where: Location, node: Node, *, field: str | None = None, dimension_separator: str | None = None
) -> tuple[StorageFacts, Location]:
    """Return how an array is stored and the folder of its document; nothing that places it is read.

    Raises
    ------
    PlacementError
        The storage part of its document says something that cannot be read.
    """
    if node.format == "precomputed":
        folder = parse_path(node.path)
        at = (document_path(folder, "info"),)
        volume = parse_precomputed(node.docs["info"], at)
        return scale_facts(volume, volume.index(node.scale_key or "") or 0, at), folder
    documents = ArrayDocuments(where, where, node, ())
    return _STORAGE[node.format](documents, field, dimension_separator)[0], where


def _described(
    documents: ArrayDocuments,
    facts: StorageFacts,
    placed: Placement,
    attrs: Mapping[str, Any],
    group_attrs: Mapping[str, Any],
) -> Described:
    meta = made(
        ArrayMeta,
        shape=facts.shape,
        dtype=facts.dtype,
        chunk_shape=facts.chunk_shape,
        axes=placed.axes,
        axes_named=placed.axes_named,
        units=placed.units,
        voxel_size=placed.voxel_size,
        translation=placed.translation,
        format=facts.format,
        path=documents.where.text,
        parent=_parent(documents),
        attrs=attrs,
        group_attrs=group_attrs,
        placed_by=placed.placed_by,
        fill_value=facts.fill_value,
        shard_shape=facts.shard_shape,
        axis_types=placed.axis_types,
        translation_declared=placed.translation_declared,
        outer_transforms=placed.outer_transforms,
        storage=facts.storage,
        notices=(*facts.notices, *placed.notices),
    )
    return Described(meta, facts, documents)


def _parent(documents: ArrayDocuments) -> str | None:
    """Return the path of the folder above an array, of a precomputed scale that of its volume; None at a root."""
    if documents.ancestors:
        return documents.ancestors[0].path
    parent = documents.folder if documents.node.format == "precomputed" else documents.where.parent
    return None if parent is None or parent.is_root else parent.text


# Storage, by format --------------------------------------------------------------------------------------------------

_N5_MEMBERS: Final = ("blockSize", "dataType", "compression", "compressionType")
"""What says how an N5 array is stored, but for its dimensions."""
_NOT_STORAGE: Final = frozenset({"shape", "attributes"})
"""What does not say how a zarr v3 array is stored, and its shape."""
Storing = Callable[[ArrayDocuments, "str | None", "str | None"], tuple[StorageFacts, Attributes]]


def _zarr2(documents: ArrayDocuments, field: str | None, separator: str | None) -> tuple[StorageFacts, Attributes]:
    docs, where = documents.node.docs, documents.where
    at = (document_path(where, ".zarray"),)
    doc = docs[".zarray"]
    facts = None
    if field is None and separator is None:
        facts = known_facts(parse_zarr2, doc, "shape", {key: doc[key] for key in doc if key != "shape"})
    facts = facts or parse_zarr2(doc, at, field=field, dimension_separator=separator)
    return facts, Attributes((document_path(where, ".zattrs"),), docs.get(".zattrs", {}))


def _zarr3(documents: ArrayDocuments, field: str | None, _: str | None) -> tuple[StorageFacts, Attributes]:
    doc, at = documents.node.docs["zarr.json"], (document_path(documents.where, "zarr.json"),)
    facts = None
    if field is None:
        rest = {key: doc[key] for key in doc if key not in _NOT_STORAGE}
        facts = known_facts(parse_zarr3, doc, "shape", rest)
    return facts or parse_zarr3(doc, at, field=field), _zarr3_attributes(doc, at[0])


def _n5(documents: ArrayDocuments, _: str | None, __: str | None) -> tuple[StorageFacts, Attributes]:
    doc, at = documents.node.docs["attributes.json"], (document_path(documents.where, "attributes.json"),)
    rest = {key: doc[key] for key in _N5_MEMBERS if key in doc}
    return known_facts(parse_n5, doc, "dimensions", rest) or parse_n5(doc, at), Attributes(at, doc, "n5")


_STORAGE: Final[Mapping[Format, Storing]] = {"zarr2": _zarr2, "zarr3": _zarr3, "n5": _n5}


def _zarr3_attributes(doc: Mapping[str, Any], path: str) -> Attributes:
    at = (path, "attributes")
    raw = doc.get("attributes")
    return Attributes(at, {} if raw is None else mapping(raw, at), "zarr3")


def _precomputed(documents: ArrayDocuments) -> Described:
    info, at = documents.node.docs["info"], (document_path(documents.folder, "info"),)
    volume = parse_precomputed(info, at)
    index = volume.index(documents.node.scale_key or "") or 0
    facts = scale_facts(volume, index, at)
    placed = place_scale(volume, index, info)
    return _described(documents, facts, placed, info["scales"][index], info)


def place_scale(volume: Volume, index: int, info: Mapping[str, Any]) -> Placement:
    """Return where one scale of a precomputed volume lies."""
    scale = volume.scales[index]
    declared = info["scales"][index].get("voxel_offset") is not None
    return placement.precomputed(
        scale.resolution[::-1], scale.voxel_offset[::-1], channels=volume.num_channels > 1, declared=declared
    )


# Ancestors -----------------------------------------------------------------------------------------------------------


def _ancestors(source: Source, where: Location, format_: Format, read: Attributed) -> tuple[Ancestor, ...]:
    """Return the folders above an array, up to the first whose multiscales list it."""
    found: list[Ancestor] = []
    name, folder = where.name, where.parent
    for _ in range(ANCESTORS):
        if folder is None or folder.is_root:
            break
        if folder.text not in read:
            read[folder.text] = read_attributes(source, folder, format_)
        known = read[folder.text]
        if known is None:
            break
        found.append(Ancestor(folder.text, name, known))
        if any(ome.find(attrs, name) for attrs in known):
            break
        name, folder = f"{folder.name}/{name}", folder.parent
    return tuple(found)


def read_attributes(source: Source, folder: Location, format_: Format) -> tuple[Attributes, ...] | None:
    """Return the attributes in a folder above an array, those of its format first; None for an answer that is no JSON.

    Raises
    ------
    PlacementError
        A document that begins as a JSON object cannot be read.
    """
    docs = source.documents(folder, _ANCESTOR_KEYS[format_], ancestor=True)
    found: list[Attributes] = []
    for key in _ANCESTOR_KEYS[format_]:
        data = docs.get(key)
        if data is None:
            continue
        if not data.lstrip(_BEFORE_JSON).startswith(b"{"):
            return None
        path = document_path(folder, key)
        doc = load_object(data, (path,))
        if key == ".zattrs":
            found.append(Attributes((path,), doc))
        elif key == "attributes.json":
            found.append(Attributes((path,), doc, "n5"))
        elif doc.get("zarr_format") == 3:
            found.append(_zarr3_attributes(doc, path))
    return tuple(found)


def group_attributes(where: Location, node: Node) -> Attributes:
    """Return the attributes of a group."""
    if node.format == "zarr3":
        return _zarr3_attributes(node.docs.get("zarr.json", {}), document_path(where, "zarr.json"))
    key = ".zattrs" if node.format == "zarr2" else "attributes.json"
    return Attributes((document_path(where, key),), node.docs.get(key, {}), node.format)


# Chunk keys that cannot be what the documents say --------------------------------------------------------------------


def chunk_notices(source: Source, described: Described) -> tuple[Notice, ...]:
    """Return what to say where the stored chunks have other keys than the documents tell, and would read as fill.

    A zarr v2 array whose chunks are keyed with the other dimension separator; a precomputed scale whose files end in
    ``.gz``. A few chunks are looked for: the first, the last and the middle one.
    """
    meta, where = described.meta, described.documents.where
    if meta.format not in ("zarr2", "precomputed") or not described.facts.keyed or 0 in meta.shape:
        return ()
    if meta.format == "precomputed":
        return _gz_notice(source, where, described) if where.is_local else ()
    keys = _sample(described, meta.storage.separator)
    other: Literal[".", "/"] = "." if meta.storage.separator == "/" else "/"
    others = tuple(key.replace(meta.storage.separator, other) for key in keys)
    # asked for first is what is seldom there: of a server that lists nothing a key that is there is read
    if others == keys or not source.present(where, others) or source.present(where, keys):
        return ()
    declared = meta.storage.separator
    message = (
        f"the dimension separator is {declared!r}, but the chunks found are keyed with {other!r}, so every chunk would "
        f"read as fill; pass dimension_separator={other!r} or correct the document"
    )
    return (notice("conflict", (document_path(where, ".zarray"), "dimension_separator"), message),)


def _sample(described: Described, separator: Literal[".", "/"]) -> tuple[str, ...]:
    meta = described.meta
    grid = chunks.grid_shape(meta.shape, meta.write_shape)
    indices = dict.fromkeys(((0,) * len(grid), tuple(n - 1 for n in grid), tuple(n // 2 for n in grid)))
    if meta.format == "zarr2":
        codec = chunks.unbounded_codec("zarr2", separator, "v2", len(grid))
    else:
        origin = meta.storage.origin
        codec = chunks.key_codec(meta.format, None, chunk_shape=meta.write_shape, shape=meta.shape, origin=origin)
    return tuple(map(codec.encode, indices))


def _gz_notice(source: Source, where: Location, described: Described) -> tuple[Notice, ...]:
    keys = _sample(described, ".")
    if source.present(where, keys[:1]) or not source.present(where, tuple(f"{key}.gz" for key in keys)):
        return ()
    message = "holds chunk files that end in .gz, which read as fill; gunzip them, dropping the suffix"
    return (notice("conflict", (where.text,), message),)
