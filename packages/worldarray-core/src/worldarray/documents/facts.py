"""What the storage part of an array's document says, and what tensorstore is to be asked for."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from worldarray.documents.parsing import refuse
from worldarray.errors import At, Notice
from worldarray.records import Format, Storage, changed

MAX_AXES: Final = 32
"""The largest number of axes that tensorstore opens."""
OVERLAYS: Final = "worldarray-overlay"
"""The folder of a context's ``memory://`` store that overlay documents are written to."""

X_FIRST: Final = frozenset({"n5", "precomputed"})
"""The formats whose documents list axes against C order."""
DRIVERS: Final[Mapping[Format, str]] = {
    "zarr2": "zarr",
    "zarr3": "zarr3",
    "n5": "n5",
    "precomputed": "neuroglancer_precomputed",
}


@dataclass(frozen=True)
class StorageFacts:
    """How one array is stored, one entry per axis in C order; every value is what tensorstore reports for it."""

    format: Format
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    """In the machine's byte order, whatever the store's."""
    chunk_shape: tuple[int, ...]
    """The read chunk: of a sharded array the inner chunk. It may be larger than the array."""
    shard_shape: tuple[int, ...] | None = None
    """The shard of a zarr v3 array, else None."""
    fill_value: Any = field(default=None, hash=False)
    """A numpy scalar; None where tensorstore reports none (a null in zarr v2, N5, precomputed) and reads zeros."""
    storage: Storage = field(default_factory=Storage)
    dimension_names: tuple[str | None, ...] | None = None
    """Zarr v3 only: the names, as stored."""
    fields: tuple[str, ...] = ()
    """The field names of a structured dtype."""
    keyed: bool = True
    """Whether each chunk (or zarr v3 shard) is stored under its own key; false for sharded precomputed."""
    notices: tuple[Notice, ...] = field(default=(), hash=False)
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """The document that tensorstore opens: the stored one, less what it refuses and the reading does not need."""
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Further members of the spec: ``field``, ``scale_index``."""
    drop_channel: bool = False
    """Precomputed with one channel: the axis is there in tensorstore and not in `shape`."""
    stored_as_is: bool = True
    """Precomputed only: whether tensorstore opens the stored document; else `metadata` has to stand in for it."""

    def of_shape(self, extents: Sequence[int], key: str) -> StorageFacts:
        """Return the same of another array of as many axes, whose document gives `extents` as its member `key`."""
        shape = tuple(extents)
        metadata = {**self.metadata, key: list(shape)}
        return changed(self, shape=shape[::-1] if self.format in X_FIRST else shape, metadata=metadata)


@dataclass(frozen=True)
class Opening:
    """How tensorstore opens an array, and what makes the result C-ordered with its origin at 0."""

    spec: Mapping[str, Any] = field(hash=False)
    """The JSON spec; ``open`` is set, so that nothing is created."""
    reverse_axes: bool
    """Whether the axes come x-first and have to be reversed."""
    drop_channel: bool
    """Whether the first axis, once reversed, is the only channel and has to be dropped."""
    overlay: tuple[str, bytes] | None = None
    """A key of the context's ``memory://`` store and the document to write there before opening, or None."""


def opening(facts: StorageFacts, kvstore: Mapping[str, Any]) -> Opening:
    """Return how to open an array whose folder is the given kvstore (for precomputed: the volume's folder).

    A zarr or N5 document is given along as ``metadata`` with ``assume_metadata``, so that tensorstore reads no
    document, and opens what it would refuse. The precomputed driver always reads ``info``: where it would refuse the
    stored one, ``kvstack`` lays a corrected one over it.

    Examples
    --------
    >>> from worldarray.documents.n5 import parse_n5
    >>> doc = {"dimensions": [7, 5], "blockSize": [3, 2], "dataType": "uint8", "compression": {"type": "raw"}}
    >>> how = opening(parse_n5(doc, ("em.n5/s0/attributes.json",)), {"driver": "file", "path": "em.n5/s0/"})
    >>> how.spec["driver"], how.spec["assume_metadata"], how.reverse_axes
    ('n5', True, True)
    """
    x_first = facts.format in X_FIRST
    spec: dict[str, Any] = {"driver": DRIVERS[facts.format], "kvstore": kvstore, "open": True, **facts.options}
    if facts.format != "precomputed":
        spec |= {"metadata": facts.metadata, "assume_metadata": True}
        return Opening(spec, x_first, facts.drop_channel)
    if facts.stored_as_is:
        return Opening(spec, x_first, facts.drop_channel)
    import hashlib  # noqa: PLC0415  (slow to import, rarely needed)

    document = json.dumps(facts.metadata, sort_keys=True).encode()
    key = f"{OVERLAYS}/{hashlib.sha256(document).hexdigest()[:32]}/info"
    over = {"base": {"driver": "memory", "path": key}, "exact": "info"}
    spec["kvstore"] = {"driver": "kvstack", "layers": [{"base": kvstore}, over]}
    return Opening(spec, x_first, facts.drop_channel, (key, document))


def check_rank(shape: Sequence[int], at: At) -> None:
    """Raise ``out_of_range`` for more axes than tensorstore opens."""
    if len(shape) > MAX_AXES:
        refuse("out_of_range", at, f"has {len(shape)} axes; tensorstore opens at most {MAX_AXES}")


def check_chunk_bytes(chunk_shape: Sequence[int], itemsize: int, at: At, *, limit: int = 2**62) -> None:
    """Raise ``out_of_range`` for chunks of more bytes than tensorstore opens."""
    size = math.prod(chunk_shape) * itemsize
    if size > limit:
        refuse("out_of_range", at, f"makes chunks of {size} bytes; tensorstore opens chunks of at most {limit} bytes")
