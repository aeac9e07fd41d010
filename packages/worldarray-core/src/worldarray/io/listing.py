"""Listing what is stored: the keys below a folder or prefix, and the chunks among them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final

from worldarray import chunks
from worldarray.axes import axis_count
from worldarray.documents.facts import StorageFacts
from worldarray.errors import AccessError, ArgumentError, StoreNotFoundError, WorldArrayError, problem
from worldarray.io import access, bulk_keys, contexts, failures, runtime
from worldarray.io.sources import open_folder
from worldarray.paths import Location, parse_path
from worldarray.records import FORMATS

_NODE_DOCUMENTS: Final = frozenset({".zarray", ".zgroup", "zarr.json", "attributes.json", "info"})
_UNLISTABLE: Final = frozenset({"http", "https"})


def list_keys(where: Location, context: Any = None) -> Iterator[str]:
    """Yield the key, relative to `where`, of every file or object below it, in no order.

    Raises
    ------
    ArgumentError
        `where` is on http, which cannot list.
    StoreNotFoundError
        `where` is local and no folder.
    AccessError
        Listing was refused.
    """
    if where.is_local:
        yield from _walk(where)
    else:
        yield from _listed(where, context)


def list_chunk_keys(
    path: str | os.PathLike[str],
    separator: str | None = None,
    ndim: int | None = None,
    format: str | None = None,
    *,
    context: Any = None,
) -> list[tuple[int, ...]]:
    """Return the indices of the chunks that are present under a path, sorted, from its keys alone.

    No metadata document is needed: a folder of chunk files lists too. What lies in a nested array or group is left out.

    Parameters
    ----------
    path
        The array's folder or prefix.
    separator
        "." or "/": only keys with it count. None is the format's own, or either one without a format.
    ndim
        Only keys with that many indices count; None accepts any number.
    context
        The tensorstore.Context whose ``memory://`` store is meant, say; the shared one by default.
    format
        "zarr2", "zarr3" or "n5" (whose keys are x first). None reads zarr keys of both versions, ``c/…`` ones too.

    Raises
    ------
    ArgumentError
        The path is on http, which cannot list; the format is unknown, or precomputed, whose keys need a shape.
    StoreNotFoundError
        The path is local and no folder.
    AccessError
        Listing was refused.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("0.0", "0.1", ".zattrs", "readme"):
    ...         _ = pathlib.Path(folder, name).write_bytes(b"")
    ...     list_chunk_keys(folder)
    [(0, 0), (0, 1)]
    """
    where = parse_path(path)
    forms = _forms(separator, format)
    ndim = None if ndim is None else axis_count(ndim, "ndim")
    return bulk_keys.decode(_chunk_keys(where, context), forms, ndim)


def list_stored(where: Location, facts: StorageFacts, context: Any = None) -> list[tuple[int, ...]]:
    """Return the indices, on the grid of write units, of the chunks or shards of an array that exist in storage.

    Raises
    ------
    ArgumentError
        The array is on http, which cannot list, or is sharded precomputed, whose files are no chunks.
    AccessError
        Listing was refused.
    """
    if not facts.keyed:
        message = "the files of a sharded precomputed scale hold many chunks each, so chunks cannot be listed"
        raise ArgumentError(problem("unsupported", (where.text,), message))
    storage, unit = facts.storage, facts.chunk_shape if facts.shard_shape is None else facts.shard_shape
    keys = _chunk_keys(where, context)
    if facts.format == "precomputed":
        codec = chunks.key_codec(facts.format, None, "default", unit, facts.shape, storage.origin)
        return sorted(index for index in map(codec.decode, keys) if index is not None)
    joiner = storage.separator if facts.format in {"zarr2", "zarr3"} else None
    form = bulk_keys.form(facts.format, joiner, storage.encoding)
    return bulk_keys.decode(keys, [form], len(facts.shape), chunks.grid_shape(facts.shape, unit))


def _chunk_keys(where: Location, context: Any) -> Iterator[str]:
    """Yield keys that may be chunks: those that lie in no nested array or group."""
    if where.is_local:
        yield from _walk(where, nested=False)
        return
    keys = list(_listed(where, context))
    inner = {head + "/" for head, _, name in (key.rpartition("/") for key in keys) if head and name in _NODE_DOCUMENTS}
    for key in keys:
        if not (inner and any(key.startswith(prefix) for prefix in inner)):
            yield key


def _walk(where: Location, *, nested: bool = True) -> Iterator[str]:
    """Yield the files below a local folder; without `nested`, not those below a folder with a document of its own."""
    pending = [""]
    while pending:
        prefix = pending.pop()
        files: list[str] = []
        try:
            with os.scandir(f"{where.local_path}/{prefix}") as entries:
                for entry in entries:
                    if entry.is_dir():
                        if entry.is_symlink() and _is_loop(entry.path):
                            continue
                        pending.append(f"{prefix}{entry.name}/")
                    else:
                        files.append(entry.name)
        except OSError as error:
            if prefix and error.errno in failures.ABSENT:
                continue
            raise _unlisted(where, prefix, error) from error
        if not nested and prefix and not _NODE_DOCUMENTS.isdisjoint(files):
            pending = [folder for folder in pending if not folder.startswith(prefix)]
            continue
        if prefix:
            for name in files:
                yield prefix + name
        else:
            yield from files


def _is_loop(link: str) -> bool:
    """Whether a symbolic link leads to a folder that it lies in."""
    return f"{os.path.realpath(os.path.dirname(link))}/".startswith(f"{os.path.realpath(link)}/")  # noqa: PTH120


def _unlisted(where: Location, prefix: str, error: OSError) -> WorldArrayError:
    if error.errno in failures.ABSENT:
        message = "no folder is there, so nothing can be listed"
        return StoreNotFoundError(problem("not_found", (where.text,), message))
    return failures.of_file(error, where.join(prefix).text)


def _listed(where: Location, context: Any) -> list[str]:
    if where.scheme in _UNLISTABLE:
        message = "http cannot list what is stored; use the store's s3, gs or local path, or read the array"
        raise ArgumentError(problem("unsupported", (where.text,), message))
    runtime.using()

    def attempt(way: access.Way) -> list[str]:
        spec = access.kvstore_spec(where, way)
        if spec["driver"] == "http":
            message = "listing was refused with default credentials, and the bucket's public URL cannot list"
            raise AccessError(problem("access_denied", (where.text,), message))
        keys = open_folder(where, way, contexts.document_context(context)).list().result()
        if spec["driver"] == "gcs" and not keys:
            message = "nothing is listed, which gs answers where nothing is stored and where listing is refused"
            raise AccessError(problem("access_denied", (where.text,), message))
        return [key.decode("utf-8", "surrogateescape") for key in keys]

    try:
        return access.first_allowed(where, attempt)
    except WorldArrayError:
        raise
    except runtime.ERRORS as error:
        raise failures.of_documents(error, where) from error


def _forms(separator: str | None, format: str | None) -> list[bulk_keys.Form]:
    if format == "precomputed":
        message = "precomputed keys are ranges of voxels; open the array and use its list_chunks"
        raise ArgumentError(problem("unsupported", ("format",), message))
    if format is not None:
        if format not in FORMATS:
            message = f"there is no format {format!r}; use one of {', '.join(FORMATS)}"
            raise ArgumentError(problem("invalid_argument", ("format",), message))
        return [bulk_keys.form(format, separator, encoding) for encoding in _ENCODINGS[format]]
    separators = chunks.SEPARATORS if separator is None else (separator,)
    return [bulk_keys.form(name, joiner, "default") for name in ("zarr2", "zarr3") for joiner in separators]


_ENCODINGS: Final = {"zarr2": ("default",), "zarr3": ("default", "v2"), "n5": ("default",)}
