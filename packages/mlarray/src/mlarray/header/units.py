"""Units: a readable name, and for listed names its UCUM code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from mlarray.errors import At, Problem


@cache
def codes() -> Mapping[str, str]:
    """Return the UCUM code of every listed name.

    Examples
    --------
    >>> codes()["millimeter"], codes()["hounsfield_unit"]
    ('mm', "[hnsf'U]")
    """
    document = json.loads(files("mlarray").joinpath("schemas/units-1.0.json").read_text("utf-8"))
    return MappingProxyType({unit["name"]: unit["code"] for unit in document["units"]})


@cache
def names() -> Mapping[str, str]:
    """Return the listed name of every code.

    Examples
    --------
    >>> names()["um"]
    'micrometer'
    """
    return MappingProxyType({code: name for name, code in codes().items()})


_COMMON = MappingProxyType({"millimeter": "mm"})
"""Looked at before the table is read, for the sake of opening."""


def resolve(unit: str | None, code: str | None) -> tuple[str | None, str | None]:
    """Return name and code, with the one filled in that a listed unit lacks; nothing is invented for other names.

    Examples
    --------
    >>> resolve("second", None), resolve(None, "mm"), resolve("furlong", None)
    (('second', 's'), ('millimeter', 'mm'), ('furlong', None))
    """
    if unit is None:
        return (unit, code) if code is None else (names().get(code), code)
    if code is None:
        return unit, _COMMON.get(unit) or codes().get(unit)
    return unit, code


def disagreement(unit: str, code: str, at: At) -> Problem | None:
    """Return what is wrong with a listed name beside another code, or None.

    Examples
    --------
    >>> disagreement("millimeter", "mm", ())
    >>> disagreement("millimeter", "cm", ("values",)).code
    'conflict'
    """
    if _COMMON.get(unit) == code:
        return None
    listed = codes().get(unit)
    if listed is None or listed == code:
        return None
    message = f"the unit {unit!r} has the code {listed!r}, and unit_code says {code!r}; leave unit_code out"
    return Problem("conflict", at, message)
