"""From the metadata arguments of a constructor to a header."""

from __future__ import annotations

import copy as copying
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from mlarray.errors import ArgumentError, ArgumentTypeError, Problem
from mlarray.geometry.compose import Geometry, axes_documents, columns_wanted, rewritten, space_document
from mlarray.header.check import axis_types, check
from mlarray.header.check_axes import default_name
from mlarray.header.parse import fill
from mlarray.header.versions import FORMAT_VERSION
from mlarray.header.wire import normalise
from mlarray.meta.assignment import drop_patch, put
from mlarray.meta.meta import Meta


@dataclass(frozen=True)
class Description:
    """What a caller says about an array; None where nothing is said."""

    axes: Any = None
    space: str | None = None
    spacing: Any = None
    origin: Any = None
    direction: Any = None
    matrix: Any = None
    affine: Any = None
    spaces: Any = None
    values: Any = None
    profiles: Any = None
    user: Any = None
    source: Any = None
    meta: Any = None
    copy: Any = None
    copy_source: bool = False

    @property
    def given(self) -> tuple[str, ...]:
        """The names of what is said."""
        return tuple(f.name for f in fields(self) if getattr(self, f.name) not in (None, False))

    @property
    def geometry(self) -> Geometry:
        """What is said of where voxels lie; `affine` is another name of `matrix`."""
        if self.affine is not None and self.matrix is not None:
            raise ArgumentError(Problem("conflict", ("affine",), "affine is another name of matrix; give one of them"))
        matrix = self.matrix if self.affine is None else self.affine
        return Geometry(self.spacing, self.origin, self.direction, matrix)


def describe(said: Description, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Meta:
    """Return the metadata of an array that a caller describes.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        What is said contradicts itself, the array or a rule of the format.
    """
    base = _base(said)
    document: dict[str, Any] = {"version": FORMAT_VERSION, "axes": []}
    if base is not None:
        document = base.to_dict()
        if len(document["axes"]) != len(shape):
            message = f"the metadata to copy is for {len(document['axes'])} axes, and the array has {len(shape)}"
            raise ArgumentError(Problem("wrong_length", ("copy",), message))
    _place(document, said, len(shape), fresh=base is None)
    drop_patch(document)
    for key in ("values", "profiles"):
        given = getattr(said, key)
        if given is not None:
            put(document, (key,), given, len(shape))
    found = check(document, shape, dtype)
    if found.problems:
        raise ArgumentError(*found.problems)
    made = Meta(fill(document))
    made.bind(shape, dtype)
    _lazy(made, said, base)
    return made


def _base(said: Description) -> Meta | None:
    if said.meta is not None and not isinstance(said.meta, Meta):
        message = f"meta is {type(said.meta).__name__}; it is a Meta. For metadata of your own give user={{…}}"
        raise ArgumentTypeError(Problem("wrong_type", ("meta",), message))
    if said.meta is not None and said.copy is not None:
        raise ArgumentError(Problem("conflict", ("copy",), "meta and copy exclude each other; give one of them"))
    if said.meta is None and said.copy is None:
        return None
    found = getattr(said.copy, "meta", said.copy) if said.meta is None else said.meta
    if not isinstance(found, Meta):
        message = f"copy is {type(said.copy).__name__}; it is an MLArray or a Meta"
        raise ArgumentTypeError(Problem("wrong_type", ("copy",), message))
    found.usable(())
    return found


def _place(document: dict[str, Any], said: Description, ndim: int, *, fresh: bool) -> None:
    """Write axes and spaces into a header."""
    geometry = said.geometry
    placed = bool(geometry.given) or said.space is not None
    if placed and said.spaces is not None:
        message = "spaces says all; leave space, spacing, origin, direction and matrix out"
        raise ArgumentError(Problem("conflict", ("spaces",), message))
    if said.axes is not None or fresh:
        wanted = columns_wanted(geometry, said.space) if placed else 0
        document["axes"] = normalise(axes_documents(said.axes, ndim, min(wanted, ndim)), ("axes",))
        for index, axis in enumerate(document["axes"]):
            if isinstance(axis, dict):
                axis.setdefault("name", default_name(index))
    if said.spaces is not None:
        document["spaces"] = normalise(said.spaces, ("spaces",))
    elif placed:
        document["spaces"] = place_spaces(document, geometry, said.space)


def place_spaces(document: Mapping[str, Any], geometry: Geometry, space: str | None) -> list[dict[str, Any]]:
    """Return the spaces of a header with another geometry for the default one, or for one of a name.

    Raises
    ------
    ArgumentError
        The geometry does not fit.
    """
    spaces = list(copying.deepcopy(document.get("spaces") or []))
    names = [axis["name"] for axis in document["axes"]]
    if spaces and geometry.given and space in (None, spaces[0]["name"]):
        return [rewritten(spaces[0], names, geometry), *spaces[1:]]
    made = space_document(document["axes"], axis_types(document), geometry, space)
    return [made, *(other for other in spaces if other["name"] != made["name"])]


def _lazy(made: Meta, said: Description, base: Meta | None) -> None:
    if base is not None:
        made.adopt(base, source=said.copy_source, user=True)
    if said.user is not None:
        made.user = said.user
    if said.source is not None:
        made.set_source(said.source)
