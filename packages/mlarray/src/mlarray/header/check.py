"""The rules of the whole header: every problem of a document, each with the path to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlarray.errors import Notice, Problem
from mlarray.header import report as checks
from mlarray.header.check_axes import check_axes, check_used, default_name, effective_types
from mlarray.header.check_profiles import check_profiles
from mlarray.header.check_spaces import check_spaces
from mlarray.header.check_storage import check_history, check_source, check_storage
from mlarray.header.check_values import check_values
from mlarray.header.report import Report
from mlarray.header.versions import check_version, newer


@dataclass(frozen=True)
class Checked:
    """What is wrong with a document, and what is odd about it."""

    problems: tuple[Problem, ...]
    notices: tuple[Notice, ...]


def check(document: Mapping[str, Any], shape: Sequence[int] | None, dtype: np.dtype[Any] | None) -> Checked:
    """Return all that is wrong with a header; None for an array that is not known checks the document alone.

    Examples
    --------
    >>> found = check({"version": "1.0", "axes": [{"name": "y"}, {"name": "y"}]}, (3, 4), np.dtype("u1"))
    >>> [str(problem) for problem in found.problems]
    ["/axes: the axis name 'y' stands twice"]
    """
    version = check_version(document)
    if version is not None:
        return Checked((version,), ())
    report = Report(newer(document["version"]))
    if "writer" in document:
        checks.text(document["writer"], ("writer",), report, empty=True)
    if not checks.required(document, ("axes",), (), report):
        return Checked(tuple(report.problems), tuple(report.notices))
    names = check_axes(document["axes"], shape, report)
    spaces = document.get("spaces")
    axes = _maps(document["axes"])
    types = effective_types(axes, names, spaces)
    if spaces is not None or "spaces" in document:
        check_used(axes, names, types, report)
        check_spaces(spaces, names, types, report)
    if "values" in document:
        check_values(document["values"], shape, types, dtype, report)
    if "profiles" in document:
        check_profiles(document["profiles"], shape, names, _frames(spaces), report)
    if "history" in document:
        check_history(document["history"], report)
    if "storage" in document:
        check_storage(document["storage"], len(names), types, report)
    return Checked(tuple(report.problems), tuple(report.notices))


def _maps(axes: object) -> list[Mapping[str, Any]]:
    return [axis if isinstance(axis, dict) else {} for axis in axes] if isinstance(axes, list) else []


def _frames(spaces: object) -> dict[str, list[str]]:
    """Return the names of the axes of each space that can be told."""
    found = {}
    for space in spaces if isinstance(spaces, list) else ():
        if isinstance(space, dict) and isinstance(space.get("name"), str) and isinstance(space.get("axes"), list):
            axes = [axis.get("name") for axis in space["axes"] if isinstance(axis, dict)]
            found[space["name"]] = [name for name in axes if isinstance(name, str)]
    return found


def axis_names(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the axes of a document, defaults filled in.

    Examples
    --------
    >>> axis_names({"axes": [{}, {"name": "y"}]})
    ('axis_0', 'y')
    """
    axes = enumerate(_maps(document.get("axes")))
    return tuple(name if isinstance(name := axis.get("name"), str) else default_name(index) for index, axis in axes)


def axis_types(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the types of the axes of a document: missing, space where a space uses the axis, else other.

    Examples
    --------
    >>> axis_types({"axes": [{"type": "time"}, {}]})
    ('time', 'other')
    """
    return effective_types(_maps(document.get("axes")), axis_names(document), document.get("spaces"))


def check_source_document(document: Mapping[str, Any]) -> Checked:
    """Return all that is wrong with the document of the key `mlarray.source`.

    Examples
    --------
    >>> check_source_document({"source": [{"format": "nifti"}]}).problems
    ()
    """
    report = Report()
    check_source(document, report)
    return Checked(tuple(report.problems), tuple(report.notices))


def check_user_document(document: Mapping[str, Any]) -> Checked:
    """Return all that is wrong with the document of the key `mlarray.user`.

    Examples
    --------
    >>> check_user_document({"user": []}).problems[0].message
    '[] stands where a map belongs'
    """
    report = Report()
    if checks.required(document, ("user",), (), report):
        checks.mapping(document["user"], ("user",), report)
    return Checked(tuple(report.problems), tuple(report.notices))
