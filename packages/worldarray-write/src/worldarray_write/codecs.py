"""How chunks are compressed: short words or the format's own JSON, checked against what tensorstore encodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn

from worldarray.documents.codecs import parse_codecs
from worldarray.documents.compressors import ZARR2, ZARR3, parse_zarr2_compressor
from worldarray.documents.facts import StorageFacts
from worldarray.documents.parsing import choice, mapping, sequence, show
from worldarray.documents.zarr2 import parse_zarr2
from worldarray.documents.zarr3 import parse_zarr3
from worldarray.errors import ArgumentError, ArgumentTypeError, At, Code, PlacementError, Problem, problem
from worldarray.records import Format
from worldarray_write.json_values import plain_json

Codecs = str | Mapping[str, Any] | Sequence[Any] | None
"""A word of `WORDS`, a zarr v2 ``compressor``, a zarr v3 ``codecs`` list, or None for no compression."""

LEVEL: Final = 3
"""The zstd level of "zstd": what zarr-python's default, ``zstd(level=0)``, means."""
_BYTES: Final[Mapping[str, Any]] = {"name": "bytes", "configuration": {"endian": "little"}}
WORDS: Final[Mapping[str, Mapping[str, Any]]] = {
    "zarr2": {"none": None, "zstd": {"id": "zstd", "level": LEVEL}},
    "zarr3": {
        "none": [_BYTES],
        "zstd": [_BYTES, {"name": "zstd", "configuration": {"level": LEVEL, "checksum": False}}],
    },
}
"""What each word means in each format."""
_ZARR2_DEFAULTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "blosc": {"cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0},
    "bz2": {"level": 1},
    "gzip": {"level": 1},
    "zlib": {"level": 1},
    "zstd": {"level": 1},
}
"""What numcodecs takes a missing member for."""
_ZARR3_DEFAULTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "blosc": {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "blocksize": 0},
    "crc32c": {},
    "gzip": {"level": 6},
    "zstd": {"level": LEVEL, "checksum": False},
}
"""What tensorstore takes a missing member for."""
_AT: Final[At] = ("codecs",)


def format_codecs(codecs: Codecs, format: Format, *, chunk_shape: Sequence[int], itemsize: int) -> Any:
    """Return how chunks are encoded, as the JSON of the format's own document, complete with every default.

    Parameters
    ----------
    codecs
        "zstd" (level 3), "none", None for no compression, or the format's own JSON: a zarr v2 ``compressor``, a zarr
        v3 ``codecs`` list. Of a sharded array the list is that of the inner chunks.
    format
        "zarr2" or "zarr3".
    chunk_shape
        The chunk that is encoded, the inner one of a sharded array.
    itemsize
        The bytes of one element.

    Returns
    -------
    dict, list or None
        The ``compressor`` of zarr v2, None for none; the ``codecs`` of zarr v3.

    Raises
    ------
    ArgumentError
        ``unsupported`` for a codec or member that tensorstore does not encode, ``wrong_value`` for a word or a value
        it does not take, ``order`` for codecs that do not follow each other.
    ArgumentTypeError
        ``wrong_type`` for what is no JSON of the format.

    Examples
    --------
    >>> format_codecs("zstd", "zarr2", chunk_shape=(64, 64), itemsize=1)
    {'id': 'zstd', 'level': 3}
    >>> format_codecs(["zstd"], "zarr3", chunk_shape=(64, 64), itemsize=1)[1]
    {'name': 'zstd', 'configuration': {'level': 3, 'checksum': False}}
    """
    if codecs is None or isinstance(codecs, str):
        words = WORDS[format]
        word = "none" if codecs is None else codecs
        if word not in words:
            known = " and ".join(map(show, sorted(words)))
            _refuse("wrong_value", _AT, f"codecs is {show(word)}; the words are {known}, else give {_OWN[format]}")
        return plain_json(words[word], _AT)
    if not isinstance(codecs, _KINDS[format]):
        message = f"codecs is {show(codecs)}, which is no {format} JSON; give {_OWN[format]}"
        raise ArgumentTypeError(problem("wrong_type", _AT, message))
    try:
        if format == "zarr2":
            return _compressor(plain_json(codecs, _AT))
        return _chain(plain_json(codecs, _AT), chunk_shape, itemsize)
    except PlacementError as error:
        raise ArgumentError(*error.problems) from error


_KINDS: Final[Mapping[str, Any]] = {"zarr2": Mapping, "zarr3": list | tuple}
_OWN: Final[Mapping[str, str]] = {
    "zarr2": "a compressor such as {'id': 'zstd', 'level': 3}",
    "zarr3": "a list such as [{'name': 'zstd', 'configuration': {'level': 3}}]",
}


def _refuse(code: Code, at: At, message: str) -> NoReturn:
    raise ArgumentError(problem(code, at, message))


# Zarr v2 -------------------------------------------------------------------------------------------------------------


def _compressor(raw: dict[str, Any]) -> dict[str, Any]:
    kind = parse_zarr2_compressor(raw, _AT)["id"]
    given = {key: value for key, value in raw.items() if key != "id"}
    if kind == "zstd" and given.get("checksum") is False:  # as numcodecs spells its default
        del given["checksum"]
    _check_members(given, parse_zarr2_compressor(raw, _AT), tuple(ZARR2[kind]), _AT)
    return {"id": kind, **_ZARR2_DEFAULTS[kind], **given}


def _check_members(given: Mapping[str, Any], taken: Mapping[str, Any], known: Sequence[str], at: At) -> None:
    """Refuse the members of a codec that tensorstore would refuse: what reading leaves out."""
    for key, value in given.items():
        if key not in known:
            members = f"it takes {', '.join(known)}" if known else "it takes none"
            _refuse("unsupported", (*at, key), f"is {show(value)}, a member that tensorstore does not take; {members}")
        if key not in taken:
            _refuse("wrong_value", (*at, key), f"is {show(value)}, which tensorstore does not take there")


# Zarr v3 -------------------------------------------------------------------------------------------------------------


def _chain(raw: list[Any], chunk_shape: Sequence[int], itemsize: int) -> list[dict[str, Any]]:
    """Return a list of codecs, complete, with ``bytes`` where no codec makes bytes of the array."""
    entries = [_entry(value, (*_AT, i)) for i, value in enumerate(raw)]
    names = [name for name, _ in entries]
    for i, name in enumerate(names):
        if name == "sharding_indexed":
            _refuse("unsupported", (*_AT, i), "is sharding_indexed; give shards= and the codecs of the inner chunks")
    positions = list(range(len(entries)))
    if "bytes" not in names:
        place = next((i for i, name in enumerate(names) if name != "transpose"), len(names))
        entries.insert(place, ("bytes", {}))
        positions.insert(place, place)
    written = [{"name": name, "configuration": configuration} for name, configuration in entries]
    try:
        chain = parse_codecs(written, _AT, chunk_shape=chunk_shape)
    except PlacementError as error:
        raise ArgumentError(*(_placed(found, positions) for found in error.problems)) from error
    return [
        _complete(name, configuration, taken, itemsize, (*_AT, position))
        for position, (name, configuration), taken in zip(positions, entries, chain.stored, strict=True)
    ]


def _placed(found: Problem, positions: Sequence[int]) -> Problem:
    """Return a problem with the position that the caller gave a codec."""
    if len(found.at) < 2 or not isinstance(found.at[1], int):
        return found
    return problem(found.code, (found.at[0], positions[found.at[1]], *found.at[2:]), found.message)


def _entry(value: object, at: At) -> tuple[str, dict[str, Any]]:
    raw = {"name": value} if isinstance(value, str) else mapping(value, at)
    extra = sorted(raw.keys() - {"name", "configuration"})
    if extra:
        _refuse("unsupported", (*at, extra[0]), "is a member that tensorstore does not take; give name, configuration")
    name = choice(raw.get("name"), (*at, "name"), ("bytes", "sharding_indexed", "transpose", *ZARR3))
    configuration = raw.get("configuration")
    return name, {} if configuration is None else mapping(configuration, (*at, "configuration"))


def _complete(name: str, given: Mapping[str, Any], taken: Mapping[str, Any], itemsize: int, at: At) -> dict[str, Any]:
    stored = taken.get("configuration", {})
    known = {"bytes": ("endian",), "transpose": ("order",)}.get(name) or tuple(
        dict.fromkeys((*ZARR3[name], *_ZARR3_DEFAULTS[name]))
    )
    _check_members(given, stored, known, (*at, "configuration"))
    configuration = {**_ZARR3_DEFAULTS.get(name, {}), **stored}
    if name == "blosc" and configuration["shuffle"] != "noshuffle":
        configuration.setdefault("typesize", itemsize)
    return {"name": name, **({"configuration": configuration} if configuration else {})}


# Of an array that exists ---------------------------------------------------------------------------------------------


def codecs_of(array: Any) -> Any:
    """Return how an array's chunks are encoded, as `create` takes it in ``codecs=``.

    Parameters
    ----------
    array
        A WorldArray; or the document of an array, parsed: a ``.zarray`` or a ``zarr.json``; or StorageFacts.

    Returns
    -------
    dict, list or str
        The ``compressor`` of a zarr v2 array, "none" where it has none; the ``codecs`` of a zarr v3 array, of a
        sharded one those of its inner chunks.

    Raises
    ------
    ArgumentError
        The array is of a format that is not written: N5 or precomputed.
    ArgumentTypeError
        `array` is none of these.
    PlacementError
        The document cannot be read.

    Examples
    --------
    >>> codecs_of({"zarr_format": 2, "shape": [8], "chunks": [4], "dtype": "|u1", "fill_value": 0,
    ...            "compressor": {"id": "zstd", "level": 6}, "order": "C", "filters": None})
    {'id': 'zstd', 'level': 6}
    """
    return codecs_of_facts(_facts(array))


def _facts(array: Any) -> StorageFacts:
    if isinstance(array, Mapping):
        parse = parse_zarr3 if "codecs" in array else parse_zarr2
        return parse(array, ("array",))
    for candidate in (array, getattr(array, "facts", None), getattr(getattr(array, "opened", None), "facts", None)):
        if isinstance(candidate, StorageFacts):
            return candidate
    message = f"array is a {type(array).__name__}; give an opened array, or its .zarray or zarr.json as a dict"
    raise ArgumentTypeError(problem("wrong_type", ("array",), message))


def codecs_of_facts(facts: StorageFacts) -> Any:
    """Return how an array's chunks are encoded, from what its document says; see `codecs_of`.

    Raises
    ------
    ArgumentError
        The array is of a format that is not written.
    """
    if facts.format == "zarr2":
        compressor = facts.metadata["compressor"]
        return "none" if compressor is None else plain_json(compressor, _AT)
    if facts.format != "zarr3":
        message = f"the array is {facts.format}, whose codecs are no zarr codecs; give codecs= in the format written"
        _refuse("unsupported", _AT, message)
    return plain_json(_inner(facts.metadata["codecs"]), _AT)


def _inner(chain: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the codecs of the innermost chunks; transposes around a sharding codec are applied to the chunk itself."""
    found: list[Mapping[str, Any]] = []
    for codec in chain:
        if codec["name"] == "sharding_indexed":
            return [*found, *_inner(sequence(codec["configuration"]["codecs"], _AT))]
        found.append(codec)
    return found
