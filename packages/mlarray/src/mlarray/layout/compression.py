"""Compression between blosc2's settings, the document of a file, and the arguments of a caller."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np

from mlarray.errors import ArgumentError, ArgumentTypeError, Problem
from mlarray.layout.records import Compression, default_for

_NAMES: Final = {
    "codec": "codec",
    "level": "level",
    "clevel": "level",
    "filters": "filters",
    "filters_meta": "filters_meta",
}
MOST_FILTERS: Final = 6
OTHER_LEVEL: Final = 5
"""Where a codec other than the default is asked for, and no level."""
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


def from_argument(cparams: Any, itemsize: int = 2) -> Compression:
    """Return the compression that a caller asks for: None, a `Compression`, a map of settings, or a blosc2.CParams.

    A map has blosc2's names (codec, clevel, filters, filters_meta), or those of `storage` (codec, level, …). Where it
    names no codec, it is LZ4HC; no level, 8 for LZ4HC and 5 else; no filters, SHUFFLE, or none for numbers of one byte.

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
        return default_for(itemsize)
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
    return _checked(found, itemsize)


def _checked(found: Mapping[str, Any], itemsize: int) -> Compression:
    codec = _name(found.get("codec", Compression.codec))
    listed = _list(found.get("filters", default_for(itemsize).filters), "filters")
    level = found.get("level", _level(codec))
    kept = [(name, meta) for name, meta in zip(map(_name, listed), _settings(found, len(listed)), strict=True)]
    kept = [(name, meta) for name, meta in kept if name != "NOFILTER"]
    if len(kept) > MOST_FILTERS:
        message = f"{len(kept)} filters; blosc2 has room for {MOST_FILTERS}"
        raise ArgumentError(Problem("wrong_length", ("cparams", "filters"), message))
    meta = tuple(meta for _, meta in kept)
    names = tuple(name for name, _ in kept)
    made = Compression(codec, _whole(level, "level", 9), names, meta if any(meta) else None)
    made.members(("cparams",))  # a name that blosc2 does not know is refused here, before anything is written
    return made


def _settings(found: Mapping[str, Any], count: int) -> list[int]:
    """Return a setting for each filter, 0 where none is given."""
    given = found.get("filters_meta")
    listed = () if given is None else _list(given, "filters_meta")
    return [*(_whole(item, "filters_meta", 255) for item in listed), *[0] * count][:count]


def _list(value: Any, name: str) -> list[Any]:
    """Return a list of settings; one setting is a list of one."""
    if isinstance(value, (str, int, enum.Enum)):
        return [value]
    if isinstance(value, Iterable):
        return list(value)
    raise ArgumentTypeError(Problem("wrong_type", ("cparams", name), f"{value!r} is no list of {name}"))


def _whole(value: Any, name: str, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ArgumentTypeError(Problem("wrong_type", ("cparams", name), f"{value!r} is no whole number"))
    if not 0 <= value <= most:
        message = f"the number is {value}; it must be from 0 to {most}"
        raise ArgumentError(Problem("out_of_range", ("cparams", name), message))
    return int(value)


def _level(codec: str) -> int:
    """Return the level where none is given."""
    return Compression.level if codec == Compression.codec else OTHER_LEVEL


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
    {'codec': 'LZ4HC', 'level': 8, 'filters': ['SHUFFLE']}
    """
    found: dict[str, Any] = {
        "codec": compression.codec,
        "level": compression.level,
        "filters": list(compression.filters),
    }
    if compression.filters_meta is not None:
        found["filters_meta"] = list(compression.filters_meta)
    return found


def differing(recorded: Mapping[str, Any], real: Compression) -> tuple[str, ...]:
    """Return the keys of a recorded compression, whose form was checked, that say something else than what is real.

    A key that is absent says nothing; NOFILTER is an empty slot, and a filter without a setting has the setting 0.

    Examples
    --------
    >>> differing({"codec": "ZSTD", "level": 8, "filters": ["NOFILTER", "SHUFFLE"]}, Compression())
    ('codec',)
    """
    names = recorded.get("filters", real.filters)
    meta = [*recorded.get("filters_meta", ()), *[0] * len(names)]
    kept = [setting for name, setting in zip(names, meta, strict=False) if name != "NOFILTER"]
    said = {
        "codec": recorded.get("codec"),
        "level": recorded.get("level"),
        "filters": [name for name in names if name != "NOFILTER"],
        "filters_meta": kept,
    }
    found = {
        "codec": real.codec,
        "level": real.level,
        "filters": list(real.filters),
        "filters_meta": list(real.filters_meta or [0] * len(real.filters)),
    }
    return tuple(key for key in found if key in recorded and said[key] != found[key])


def from_document(recorded: Mapping[str, Any] | None) -> Compression:
    """Return what `storage.compression` says; the library's default where it says nothing, or nothing that can be read.

    Examples
    --------
    >>> from_document({"codec": "ZSTD", "filters": ["BITSHUFFLE"]})
    Compression(codec='ZSTD', level=5, filters=('BITSHUFFLE',), filters_meta=None)
    """
    if not isinstance(recorded, Mapping) or not isinstance(recorded.get("codec"), str):
        return Compression()
    level, filters, meta = (recorded.get(key) for key in ("level", "filters", "filters_meta"))
    codec = recorded["codec"]
    return Compression(
        codec=codec,
        level=int(level) if isinstance(level, (int, float)) else _level(codec),
        filters=tuple(map(str, filters)) if isinstance(filters, (list, tuple)) else Compression.filters,
        filters_meta=tuple(map(int, meta)) if isinstance(meta, (list, tuple)) and any(meta) else None,
    )
