"""What `MLArray` is made of: a store with its metadata, opened, made, or taken from another array."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from mlarray.errors import FormatError, Notice, Problem, warn
from mlarray.header.parse import parse
from mlarray.header.report import cut
from mlarray.io.blosc_store import closed
from mlarray.layout.arguments import storage_document
from mlarray.layout.compression import differing
from mlarray.layout.compression import document as compression_document
from mlarray.layout.records import Layout
from mlarray.meta.mending import touching
from mlarray.meta.meta import CORE, SOURCE, USER, Meta

if TYPE_CHECKING:
    from mlarray.array import MLArray


@dataclass
class Parts:
    """An array that is not wrapped yet."""

    store: Any
    meta: Meta
    patch: tuple[int, ...] | None = None


class Handle:
    """A store and its metadata, of which the parts of `MLArray` are made."""

    _store: Any
    _meta: Meta | None
    _patch: tuple[int, ...] | None
    _options: dict[str, Any]

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse names that mean nothing here: a setter with a typo would be taken and forgotten."""
        if name[:1] != "_" and not hasattr(type(self), name):
            near = get_close_matches(name, [known for known in dir(type(self)) if known[0] != "_"], 1)
            hint = f"did you mean {near[0]}?" if near else "what is of your own goes into meta.user"
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}; {hint}")
        object.__setattr__(self, name, value)

    def _set(self, parts: Parts, **options: Any) -> None:
        self._store, self._meta, self._patch = parts.store, parts.meta, parts.patch
        self._options = options

    @classmethod
    def _wrap(cls, parts: Parts, **options: Any) -> MLArray:
        made = cls.__new__(cls)
        made._set(parts, **options)
        return cast("MLArray", made)

    def _live(self) -> Any:
        if self._meta is None:
            raise closed()
        return self._store

    @property
    def meta(self) -> Meta:
        """The metadata; see `Meta`."""
        if self._meta is None:
            raise closed()
        return self._meta

    @property
    def shape(self) -> tuple[int, ...]:
        """Size per axis, C order."""
        found: tuple[int, ...] = self._live().shape
        return found

    @property
    def dtype(self) -> np.dtype[Any]:
        """As stored, byte order too."""
        found: np.dtype[Any] = self._live().dtype
        return found

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def filepath(self) -> Path | None:
        """The file, links resolved; None in memory."""
        path = self._live().path
        return None if path is None else Path(path)

    @property
    def mode(self) -> str | None:
        """How the file is open; None in memory."""
        found: str | None = self._live().mode
        return found

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._meta is None

    def __repr__(self) -> str:
        if self.closed:
            return "<MLArray closed>"
        where = self._store.path or "in memory"
        axes = ", ".join(f"{name} {size}" for name, size in zip(self.meta.axis_names, self.shape, strict=False))
        return f"<MLArray ({axes}) {self.dtype} {where}>"


def read_meta(store: Any, path: str | None, *, strict: bool = True) -> Meta:
    """Return the metadata of a store that has its raw keys.

    Raises
    ------
    FormatError
        There is none, or it breaks a rule.
    """
    keys = store.keys()
    if CORE not in keys:
        message = "not an .mla file: no 'mlarray' metadata (a plain blosc2 array?)"
        raise FormatError(Problem("missing_key", (), message), path=path)
    parsed = parse(keys[CORE], store.shape, store.dtype, strict=strict, path=path)
    document, notices = parsed.document, list(parsed.notices)
    notices += _storage(document, store, parsed.problems)
    if notices:
        warn(notices, path)
    lazy = {name: _fetch(keys, key) for name, key in (("source", SOURCE), ("user", USER)) if key in keys}
    meta = Meta(document, store.shape, store.dtype, problems=parsed.problems, **lazy)
    # What is recorded of the layout is corrected where a file is open for writing, if nothing else hinders that.
    odd = [one.at[:1] == ("storage",) for one in (*parsed.problems, *notices[len(parsed.notices) :])]
    meta.changed = store.mode == "r+" and bool(odd) and all(odd)
    return meta


def _fetch(keys: Mapping[str, bytes], name: str) -> Callable[[], bytes]:
    return lambda: keys[name]


def _storage(document: dict[str, Any], store: Any, problems: Sequence[Problem]) -> list[Notice]:
    """Let the store win where `storage` records another chunk, block or compression; say so."""
    recorded = document.get("storage")
    if not isinstance(recorded, dict):
        return []
    found: dict[str, Any] = {}
    if store.shape:
        found = {"chunk_size": list(store.chunks), "block_size": list(store.blocks)}
    said = [
        f"{key} {cut(str(recorded[key]))} (it is {value})"
        for key, value in found.items()
        if key in recorded and recorded[key] != value
    ]
    if "compression" in recorded and not touching(problems, [("storage", "compression")]):
        real, packed = store.compression, recorded["compression"]
        if wrong := differing(packed, real):
            found["compression"] = compression_document(real)
            said += [f"{key} {packed[key]} (it is {found['compression'].get(key, 'absent')})" for key in wrong]
    if not said:
        return []
    document["storage"] = {**recorded, **found}
    message = f"the file records {', '.join(said)}; the array counts, and saving corrects it"
    return [Notice("conflict", ("storage",), message)]


def recorded_storage(meta: Meta) -> dict[str, Any]:
    """Return what `storage` records; nothing where it breaks a rule."""
    found = meta.at(("storage",))
    return dict(found) if isinstance(found, dict) and not meta.wrong(("storage",)) else {}


def storage_of(store: Any, patch: Sequence[int] | None) -> dict[str, Any]:
    """Return what `storage` records of a store as it is."""
    layout: Layout | None = store.layout
    if layout is None:
        return {}
    kept = None if patch is None else tuple(patch)
    return storage_document(Layout(layout.chunk, layout.block, kept, layout.compression))


def recorded(meta: Meta, store: Any, patch: Sequence[int] | None) -> Meta:
    """Return metadata after `storage` was set to what the store is."""
    document = meta.to_dict()
    document["storage"] = storage_of(store, patch)
    meta._replace(document)
    return meta


def fill_value(meta: Meta, dtype: np.dtype[Any]) -> Any:
    """Return what stands outside of the array: `values.fill`, else 0, as a numpy scalar of the dtype."""
    meta.usable(("values", "fill"))
    fill = meta.values.fill
    return np.asarray(0 if fill is None else fill).astype(dtype)[()]
