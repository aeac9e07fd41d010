"""Frozen records that documents are parsed into; nothing here reads a store."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, NamedTuple, ParamSpec, TypeVar, get_args

import numpy as np

from worldarray import conversion, geometry
from worldarray.axes import spatial_axes
from worldarray.errors import ArgumentError, ArgumentTypeError, Notice, problem

Format = Literal["zarr2", "zarr3", "n5", "precomputed"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
PlacedBy = Literal["ome", "cosem", "funlib", "n5", "precomputed", "dimension_units"]
Kind = Literal["array", "group"]


class Level(NamedTuple):
    """One level of a pyramid, placed: sizes and centres over the spatial axes, in one unit."""

    name: str
    voxel_size: tuple[float, ...]
    translation: tuple[float, ...]


@dataclass(frozen=True)
class Storage:
    """How an array's chunks are keyed: what `chunks.chunk_key` needs beside shapes."""

    encoding: Literal["default", "v2"] = "default"
    separator: Literal[".", "/"] = "/"
    origin: tuple[int, ...] | None = None
    """Precomputed only: voxel_offset in C order, whole voxels."""


@dataclass(frozen=True)
class Node:
    """What stands at a path: its format, whether it is an array or a group, and the documents found there."""

    format: Format
    kind: Kind
    path: str
    """The normalised path of the store node itself (for a precomputed scale: the volume's folder)."""
    docs: Mapping[str, Any] = field(hash=False)
    """Document name (``zarr.json``, ``.zattrs``, …) to parsed JSON."""
    scale_key: str | None = None
    """Precomputed only: the scale that the given path named, or None for the volume."""

    @property
    def attrs(self) -> Mapping[str, Any]:
        """The raw attributes: of ``.zattrs``, of zarr v3's ``attributes``, ``attributes.json`` or ``info`` whole."""
        match self.format:
            case "zarr2":
                found = self.docs.get(".zattrs", {})
            case "zarr3":
                found = self.docs.get("zarr.json", {}).get("attributes", {})
            case "n5":
                found = self.docs.get("attributes.json", {})
            case _:
                found = self.docs["info"]
        return found if isinstance(found, Mapping) else {}

    @property
    def multiscales(self) -> Any:
        """The raw multiscales of the node, OME 0.5's ``ome`` unwrapped; None where it has none."""
        attrs = self.attrs
        ome = attrs.get("ome")
        if isinstance(ome, Mapping) and "multiscales" in ome:
            return ome["multiscales"]
        return attrs.get("multiscales")


@dataclass(frozen=True)
class ArrayMeta:
    """What the documents of a store say about one array, one entry per axis in C order.

    `translation` is the centre of voxel 0 and `voxel_size` one index step, both in `units` (as stored, "" for none).
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    chunk_shape: tuple[int, ...]
    """The read chunk: a sharded array's inner chunk."""
    axes: tuple[str, ...]
    axes_named: bool
    units: tuple[str, ...]
    voxel_size: tuple[float, ...]
    translation: tuple[float, ...]
    format: Format
    path: str
    parent: str | None = None
    attrs: Mapping[str, Any] = field(default_factory=dict, hash=False)
    group_attrs: Mapping[str, Any] = field(default_factory=dict, hash=False)
    placed_by: PlacedBy | None = None
    fill_value: Any = field(default=None, hash=False)
    shard_shape: tuple[int, ...] | None = None
    axis_types: tuple[str, ...] | None = None
    """The OME type of each axis ("space", "time", "channel" or another; "" where the store gives none)."""
    translation_declared: bool = False
    """Whether a document gave the translation or offset, rather than a rule of what absence means."""
    outer_transforms: tuple[Any, ...] = field(default=(), hash=False)
    """The raw multiscale-level coordinateTransformations, whether or not they were applied."""
    storage: Storage = Storage()
    notices: tuple[Notice, ...] = field(default=(), hash=False)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def spatial(self) -> tuple[int, ...]:
        """The indices of the spatial axes, in C order."""
        return spatial_axes(self.axes, self.axis_types)

    @property
    def corner(self) -> tuple[float, ...]:
        """The lower corner of voxel 0 on spatial axes, in `units`; on other axes its translation."""
        return geometry.centre_to_corner(self.translation, self.voxel_size, self.spatial)

    @property
    def write_shape(self) -> tuple[int, ...]:
        """The unit one writer may own: the shard shape when sharded, else the chunk shape."""
        return self.chunk_shape if self.shard_shape is None else self.shard_shape

    def in_units(self, *, space: str | None = None, time: str | None = None, strict: bool = True) -> ArrayMeta:
        """Return the same array with its spatial axes in `space` and its time axes in `time`; None leaves a kind.

        Raises
        ------
        UnitError
            A unit on an axis being converted is unknown and `strict` is true.
        """
        wanted = {kind: unit for kind, unit in (("space", space), ("time", time)) if unit is not None}
        return conversion.convert_meta(self, wanted, strict=strict)

    def in_nm(self) -> ArrayMeta:
        """Return the same array with its spatial axes in nanometres."""
        return self.in_units(space="nanometer")

    def drop_axis(self, axis: int | str) -> ArrayMeta:
        """Return the meta without one axis, given by index or name."""
        index = self.axis_index(axis)
        per_axis = ("shape", "chunk_shape", "axes", "units", "voxel_size", "translation")
        changes: dict[str, Any] = {name: _without(getattr(self, name), index) for name in per_axis}
        for name in ("shard_shape", "axis_types"):
            value = getattr(self, name)
            changes[name] = None if value is None else _without(value, index)
        return replace(self, **changes)

    def axis_index(self, axis: int | str) -> int:
        """Return the index of an axis given by name or by index.

        Raises
        ------
        ArgumentError
            The array has no such axis.
        """
        if isinstance(axis, str):
            if axis in self.axes:
                return self.axes.index(axis)
        elif (index := _as_index(axis)) is not None and 0 <= index < self.ndim:
            return index
        message = f"there is no axis {axis!r}; the axes are {', '.join(self.axes) or 'none'}"
        raise ArgumentError(problem("invalid_argument", (self.path, "axes"), message))

    def same_grid(self, other: ArrayMeta) -> bool:
        """Whether two arrays hold the same voxels at the same places, in the same chunks and shards.

        Shapes, chunk and shard shapes and axes are equal, units equal by meaning, placement within rtol 1e-6.
        """
        given: object = other
        if not isinstance(given, ArrayMeta):
            message = f"{other!r} is no ArrayMeta; give an array's meta or grid"
            raise ArgumentTypeError(problem("wrong_type", ("other",), message))
        return conversion.same_grid(self, other)


P = ParamSpec("P")
R = TypeVar("R")


def made(kind: Callable[P, R], *_: P.args, **fields: P.kwargs) -> R:
    """Return a frozen record of all its fields, given by name: what calling `kind` does, which takes twice as long.

    For records that check nothing when they are made.

    Examples
    --------
    >>> made(Storage, encoding="v2", separator=".", origin=None) == Storage("v2", ".")
    True
    """
    found = object.__new__(kind)  # type: ignore[arg-type]  # a class, called with its fields
    found.__dict__.update(fields)
    return found


def changed(record: R, **fields: Any) -> R:
    """Return a frozen record with some fields replaced: `dataclasses.replace`, which takes several times as long.

    For records that check nothing when they are made and remember nothing.

    Examples
    --------
    >>> changed(Storage(), separator=".")
    Storage(encoding='default', separator='.', origin=None)
    """
    found = object.__new__(type(record))
    found.__dict__.update(record.__dict__)
    found.__dict__.update(fields)
    return found


def _without(values: tuple[Any, ...], index: int) -> tuple[Any, ...]:
    return values[:index] + values[index + 1 :]


def _as_index(value: object) -> int | None:
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None
