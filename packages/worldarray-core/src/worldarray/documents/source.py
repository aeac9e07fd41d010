"""Where documents come from: the protocol that a store answers, and a store made of documents in memory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from worldarray.paths import Location


class Source(Protocol):
    """A store as far as documents go: small keys, read whole."""

    def documents(self, where: Location, keys: Sequence[str], *, ancestor: bool = False) -> dict[str, bytes]:
        """Return the bytes of each key that exists directly below `where`; missing ones are left out.

        With `ancestor`, whatever is no document (a refusal, a redirect, an odd answer) counts as missing.

        Raises
        ------
        AccessError
            Every key is refused under every way in.
        StoreUnavailableError
            The store does not answer.
        """

    def exists(self, where: Location) -> bool:
        """Whether `where` is a folder or prefix with anything in it; true where that cannot be told."""

    def present(self, where: Location, keys: Sequence[str]) -> frozenset[str]:
        """Return which of these chunk keys, relative to `where`, exist, reading none of them whole."""

    def folders(self, where: Location) -> tuple[str, ...]:
        """Return the names of the folders directly below `where` that hold something, sorted; none where that is dear.

        Only to word errors: hidden folders are left out, and whatever cannot be listed has none.
        """


class MappingSource:
    """A store of documents in memory: full key to bytes, or to a JSON value that stands for its document.

    Examples
    --------
    >>> from worldarray.paths import parse_path
    >>> source = MappingSource({"em.zarr/.zgroup": {"zarr_format": 2}, "em.zarr/s0/0.0": b"chunk"})
    >>> source.documents(parse_path("em.zarr"), (".zgroup", ".zattrs"))
    {'.zgroup': b'{"zarr_format": 2}'}
    >>> source.exists(parse_path("em.zarr/s0")), source.present(parse_path("em.zarr/s0"), ("0.0", "0.1"))
    (True, frozenset({'0.0'}))
    """

    def __init__(self, store: Mapping[str, Any]) -> None:
        self._store = {_key(key): _document(value) for key, value in store.items()}

    def documents(self, where: Location, keys: Sequence[str], *, ancestor: bool = False) -> dict[str, bytes]:  # noqa: ARG002
        """Return the bytes of each key that exists directly below `where`."""
        prefix = _prefix(where)
        return {key: self._store[prefix + key] for key in keys if prefix + key in self._store}

    def exists(self, where: Location) -> bool:
        """Whether any key stands below `where`."""
        prefix = _prefix(where)
        return any(key.startswith(prefix) for key in self._store)

    def present(self, where: Location, keys: Sequence[str]) -> frozenset[str]:
        """Return which of these keys exist below `where`."""
        prefix = _prefix(where)
        return frozenset(key for key in keys if prefix + key in self._store)

    def folders(self, where: Location) -> tuple[str, ...]:
        """Return the names of the folders directly below `where`, sorted."""
        prefix = _prefix(where)
        below = (key[len(prefix) :].split("/") for key in self._store if key.startswith(prefix))
        return tuple(sorted({parts[0] for parts in below if len(parts) > 1 and not parts[0].startswith(".")}))


def document_path(where: Location, key: str) -> str:
    """Return the path of a document of a folder, as errors name it: what `Location.join` gives, sooner.

    Examples
    --------
    >>> from worldarray.paths import parse_path
    >>> document_path(parse_path("https://host/em.zarr?token=1"), ".zattrs")
    'https://host/em.zarr/.zattrs?token=1'
    """
    if where.query or where.text.endswith((".", "/", ":")):
        return where.join(key).text
    return f"{where.text}/{key}"


def _key(key: str) -> str:
    return key.strip("/")


def _prefix(where: Location) -> str:
    text = _key(where.text.removeprefix("memory://"))
    return f"{text}/" if text not in {"", "."} else ""


def _document(value: Any) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()
