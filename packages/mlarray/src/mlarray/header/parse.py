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
from mlarray.header.versions import check_version
from mlarray.header.wire import decode


@dataclass(frozen=True)
class Parsed:
    """A header that can be used, and what is odd about it."""

    document: dict[str, Any]
    notices: tuple[Notice, ...]


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
    if not found.problems:
        return Parsed(fill(document), found.notices)
    if strict:
        raise FormatError(*found.problems, path=path)
    lenient = tuple(Notice(problem.code, problem.at, problem.message) for problem in found.problems)
    return Parsed(document, found.notices + lenient)


def filled(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a checked document with its defaults; see `fill`.

    Examples
    --------
    >>> filled({"version": "1.0", "axes": [{"type": "time", "unit_code": "s"}]})
    {'version': '1.0', 'axes': [{'type': 'time', 'unit_code': 's', 'name': 'axis_0', 'unit': 'second'}], \
'values': {'kind': 'measurement'}}
    """
    return fill(copy.deepcopy(dict(document)))


def fill(document: dict[str, Any]) -> dict[str, Any]:
    """Fill a checked document's defaults in: axis names, the kind of the values, and names or codes of listed units."""
    for index, axis in enumerate(document["axes"]):
        axis.setdefault("name", default_name(index))
        _unit(axis)
    for space in document.get("spaces") or ():
        for axis in space["axes"]:
            _unit(axis)
    values = document.setdefault("values", {})
    values.setdefault("kind", "measurement")
    _unit(values)
    return document


def _unit(owner: dict[str, Any]) -> None:
    if ("unit" in owner) == ("unit_code" in owner):
        return
    unit, code = units.resolve(owner.get("unit"), owner.get("unit_code"))
    for key, value in (("unit", unit), ("unit_code", code)):
        if value is not None:
            owner.setdefault(key, value)


def refuse(problems: Sequence[Problem], path: str | None = None) -> None:
    """Raise what is wrong with a document, if anything is.

    Raises
    ------
    FormatError
        There is a problem.
    """
    if problems:
        raise FormatError(*problems, path=path)
