"""Compression between blosc2's settings, the document of a file, and the arguments of a caller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mlarray.errors import ArgumentError, ArgumentTypeError, Problem
from mlarray.layout.records import Compression

_NAMES: Final = {
    "codec": "codec",
    "level": "level",
    "clevel": "level",
    "filters": "filters",
    "filters_meta": "filters_meta",
}
_RUNTIME: Final = frozenset({"nthreads", "typesize", "blocksize", "schunk"})
"""Settings of one machine or one array, which are never recorded."""


def from_cparams(cparams: Any) -> Compression:
    """Return what is portable of a blosc2.CParams, or of the settings of a store; empty filter slots are left out."""
    meta = list(getattr(cparams, "filters_meta", None) or ())
    named = [_name(item) for item in cparams.filters]
    slots = [index for index, name in enumerate(named) if name != "NOFILTER"]
    settings = [int(meta[index]) if index < len(meta) else 0 for index in slots]
    return Compression(
        codec=_name(cparams.codec),
        level=int(cparams.clevel),
        filters=tuple(named[index] for index in slots),
        filters_meta=tuple(settings) if any(settings) else None,
    )


def from_argument(cparams: Any) -> Compression:
    """Return the compression that a caller asks for: None, a `Compression`, a map of settings, or a blosc2.CParams.

    A map has blosc2's names (codec, clevel, filters, filters_meta), or those of `storage` (codec, level, …).

    Raises
    ------
    ArgumentTypeError, ArgumentError
        It is something else, or a setting is unknown.

    Examples
    --------
    >>> from_argument({"codec": "ZSTD", "clevel": 3})
    Compression(codec='ZSTD', level=3, filters=('SHUFFLE',), filters_meta=None)
    """
    if cparams is None:
        return Compression()
    if isinstance(cparams, Compression):
        return cparams
    if not isinstance(cparams, Mapping):
        if all(hasattr(cparams, name) for name in ("codec", "clevel", "filters")):
            return from_cparams(cparams)
        message = f"cparams is {cparams!r}; it is a map such as {{'codec': 'ZSTD', 'clevel': 5}}, or a blosc2.CParams"
        raise ArgumentTypeError(Problem("wrong_type", ("cparams",), message))
    found: dict[str, Any] = {}
    for key, value in cparams.items():
        if key in _RUNTIME:
            continue
        if key not in _NAMES:
            message = f"the setting {key!r} is unknown; known are {', '.join(_NAMES)}"
            raise ArgumentError(Problem("unknown_name", ("cparams", str(key)), message))
        found[_NAMES[key]] = value
    return _checked(found)


def _checked(found: Mapping[str, Any]) -> Compression:
    filters = found.get("filters", Compression.filters)
    listed = [filters] if isinstance(filters, (str, int)) else list(filters)
    names = tuple(name for name in map(_name, listed) if name != "NOFILTER")
    meta = found.get("filters_meta")
    level = found.get("level", Compression.level)
    if isinstance(level, bool) or not isinstance(level, int) or not 0 <= level <= 9:
        raise ArgumentError(Problem("out_of_range", ("cparams", "level"), f"the level is {level!r}; it is from 0 to 9"))
    kept = tuple(int(item) for item in meta)[: len(names)] if meta is not None and any(meta) else None
    made = Compression(_name(found.get("codec", Compression.codec)), level, names, kept)
    made.to_cparams()  # a name that blosc2 does not know is refused here, before anything is written
    return made


def _name(value: Any) -> str:
    name = getattr(value, "name", value)
    if isinstance(name, str):
        return name.upper() if name.isidentifier() else name
    return str(value)


def document(compression: Compression) -> dict[str, Any]:
    """Return `storage.compression` as it is stored.

    Examples
    --------
    >>> document(Compression())
    {'codec': 'LZ4', 'level': 5, 'filters': ['SHUFFLE']}
    """
    found: dict[str, Any] = {
        "codec": compression.codec,
        "level": compression.level,
        "filters": list(compression.filters),
    }
    if compression.filters_meta is not None:
        found["filters_meta"] = list(compression.filters_meta)
    return found


def from_document(recorded: Mapping[str, Any] | None) -> Compression:
    """Return what `storage.compression` says; the library's default where it says nothing.

    Examples
    --------
    >>> from_document({"codec": "LZ4HC", "level": 8})
    Compression(codec='LZ4HC', level=8, filters=('SHUFFLE',), filters_meta=None)
    """
    if not recorded:
        return Compression()
    meta = recorded.get("filters_meta")
    return Compression(
        codec=recorded["codec"],
        level=int(recorded.get("level", Compression.level)),
        filters=tuple(recorded.get("filters", Compression.filters)),
        filters_meta=None if meta is None else tuple(int(item) for item in meta),
    )
