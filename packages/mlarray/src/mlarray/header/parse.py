"""From the bytes of the key `mlarray` to a checked header with its defaults filled in."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlarray.errors import FormatError, Notice, Problem
from mlarray.header import units
from mlarray.header.check import check
from mlarray.header.check_axes import default_name
from mlarray.header.versions import VERSION_1, check_version
from mlarray.header.wire import decode


@dataclass(frozen=True)
class Parsed:
    """A header that can be used, and what is odd about it."""

    document: dict[str, Any]
    notices: tuple[Notice, ...]
    problems: tuple[Problem, ...] = ()
    """What is wrong with it; each is a notice too."""


def parse(
    raw: bytes, shape: Sequence[int], dtype: np.dtype[Any], *, strict: bool = True, path: str | None = None
) -> Parsed:
    """Return the header that the bytes of the key `mlarray` hold.

    Parameters
    ----------
    raw
        The bytes as stored.
    shape, dtype
        Those of the array, C order.
    strict
        False makes a notice of every problem behind the version, so that a broken file can be repaired.
    path
        The file, for messages.

    Raises
    ------
    FormatError
        The bytes are not plain msgpack, the version is not 1.x, or, strictly, a rule is broken.

    Examples
    --------
    >>> from mlarray.header.wire import encode
    >>> raw = encode({"version": "1.0", "axes": [{}], "values": {"unit": "kelvin"}})
    >>> parse(raw, (3,), np.dtype("f4")).document
    {'version': '1.0', 'axes': [{'name': 'axis_0'}], 'values': {'unit': 'kelvin', 'kind': 'measurement', \
'unit_code': 'K'}}
    """
    try:
        document = decode(raw)
    except FormatError as error:
        raise FormatError(*error.problems, path=path) from None
    if (version := check_version(document)) is not None:
        raise FormatError(version, path=path)
    found = check(document, shape, dtype)
    if found.problems and strict:
        raise FormatError(*found.problems, path=path)
    lenient = tuple(Notice(problem.code, problem.at, problem.message) for problem in found.problems)
    return Parsed(fill(document), found.notices + lenient, found.problems)


def filled(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a document with its defaults; see `fill`.

    Examples
    --------
    >>> filled({"version": "1.0", "axes": [{"type": "time", "unit_code": "s"}]})
    {'version': '1.0', 'axes': [{'type': 'time', 'unit_code': 's', 'name': 'axis_0', 'unit': 'second'}], \
'values': {'kind': 'measurement'}}
    """
    return fill(copy.deepcopy(dict(document)))


def fill(document: dict[str, Any]) -> dict[str, Any]:
    """Fill a document's defaults in: axis names, the kind of the values, names or codes of listed units.

    Whole numbers that are held as floats where integers belong become integers. What breaks a rule stays as it is, so
    that a document with problems can be filled too.
    """
    for index, axis in enumerate(_maps(document.get("axes"))):
        axis.setdefault("name", default_name(index))
        _unit(axis)
    for space in _maps(document.get("spaces")):
        for axis in _maps(space.get("axes")):
            _unit(axis)
    for values in _maps([document.setdefault("values", {})]):
        values.setdefault("kind", "measurement")
        _unit(values)
    for storage in _maps([document.get("storage")]):
        _integers(storage, ("chunk_size", "block_size", "patch_size"))
        for compression in _maps([storage.get("compression")]):
            _integers(compression, ("level", "filters_meta"))
    if "profiles" in document:
        _profile(document["profiles"])
    return document


def _profile(profiles: Any) -> None:
    for ml in _maps([profiles.get("ml")] if type(profiles) is dict else None):
        if not VERSION_1.fullmatch(str(ml.get("profile_version"))):
            continue
        _integers(ml, ("patch_size",))
        for boxes in _maps([ml.get("boxes")]):
            for box in _maps(boxes.get("items")):
                _integers(box, ("label",))


def _maps(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if type(item) is dict] if type(value) is list else []


def _unit(owner: dict[str, Any]) -> None:
    if ("unit" in owner) == ("unit_code" in owner):
        return
    unit, code = owner.get("unit"), owner.get("unit_code")
    if isinstance(unit or code, str):
        for key, value in zip(("unit", "unit_code"), units.resolve(unit, code), strict=True):
            if value is not None:
                owner.setdefault(key, value)


def _integers(owner: dict[str, Any], keys: tuple[str, ...]) -> None:
    for key in keys:
        value = owner.get(key)
        if type(value) is list and float in map(type, value):
            owner[key] = [_integer(item) for item in value]
        elif type(value) is float:
            owner[key] = _integer(value)


def _integer(value: Any) -> Any:
    return int(value) if type(value) is float and value.is_integer() else value


def refuse(problems: Sequence[Problem], path: str | None = None) -> None:
    """Raise what is wrong with a document, if anything is.

    Raises
    ------
    FormatError
        There is a problem.
    """
    if problems:
        raise FormatError(*problems, path=path)
