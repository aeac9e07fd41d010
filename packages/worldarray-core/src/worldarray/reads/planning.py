"""What a read does, as data: which stored voxels it needs, which kernel they pass, where the padding lies."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod
from operator import le, lt, sub
from typing import Any, NamedTuple

import numpy as np

from worldarray import geometry
from worldarray.box import box_bounds, box_range
from worldarray.errors import ArgumentError, problem
from worldarray.memory import memory_bytes
from worldarray.reads.padding import EDGE, Extent, inside_mask, pad_edge, pad_value, plan_extent
from worldarray.reads.view import Lattice, View
from worldarray.resample import AxisPlan, Method, identity_axis, plan_axis, resample
from worldarray.resample.kernels import Pick

Array = np.ndarray[Any, Any]
_COUNTED = 2**63
"""Larger numbers are not worth printing."""
Transform = Callable[[Array], Array]
Index = tuple[int, ...]


class ReadPlan(NamedTuple):
    """The stored voxels [lo, hi) that a read needs and how they become its result."""

    lo: Index
    hi: Index
    extent: Extent
    begin: Index
    data: tuple[tuple[int, int], ...]
    """Per axis, the indices [first, stop) of the result's grid that hold data."""
    kernels: tuple[AxisPlan, ...] | None = None
    slices: tuple[slice, ...] | None = None
    """What is fetched where it is not every voxel of [lo, hi): evenly spaced ones."""

    @property
    def fetched(self) -> tuple[slice, ...]:
        """The stored voxels to fetch, one slice per kept axis."""
        return tuple(map(slice, self.lo, self.hi)) if self.slices is None else self.slices


@dataclass(frozen=True)
class Finish:
    """What happens to the stored voxels of one read: transforms, then padding of the result's `dtype`."""

    padding: Any
    dtype: np.dtype[Any]
    mask: bool = False
    transform: Transform | None = None
    post_transform: Transform | None = None

    @property
    def edge(self) -> bool:
        """Whether the nearest stored voxel fills what lies outside."""
        return isinstance(self.padding, str)


def plan_index(shape: Sequence[int], begin: Index, end: Index, *, edge: bool) -> ReadPlan:
    """Return the plan of the voxels [begin, end) of an array of `shape`.

    Raises
    ------
    ArgumentError
        An end lies before its begin, or "edge" has no voxel to repeat.
    """
    origin = (0,) * len(shape)
    data = tuple(zip(origin, shape, strict=True))
    if all(map(le, origin, begin)) and all(map(lt, begin, end)) and all(map(le, end, shape)):  # as most boxes lie
        extent = Extent(tuple(map(sub, end, begin)), begin, end, origin, whole=True, empty=False)
        return ReadPlan(begin, end, extent, begin, data)
    if any(map(lt, end, begin)):
        message = f"end {end} lies before begin {begin}; a box is half-open with begin <= end on every axis"
        raise ArgumentError(problem("order", ("end",), message))
    extent = plan_extent(data, begin, end, edge)
    if edge:
        _check_edge(extent, data)
    return ReadPlan(extent.lo, extent.hi, extent, begin, data)


def plan_lattice(view: View, lattice: Lattice, begin: Index, end: Index, method: Method, *, edge: bool) -> ReadPlan:
    """Return the plan of the target voxels [begin, end) of a lattice; entries of other axes are stored indices.

    `begin` and `end` have one entry per kept axis.
    """
    check_room(tuple(max(e - b, 0) for b, e in zip(begin, end, strict=True)), 1)
    over = dict(zip(view.spatial, lattice.axes, strict=True))
    kernels = tuple(
        plan_axis(over[axis], b, e, method, edge=edge) if axis in over else identity_axis(n, b, e, edge=edge)
        for axis, (n, b, e) in enumerate(zip(view.grid.shape, begin, end, strict=True))
    )
    inside = tuple(kernel.inside for kernel in kernels)
    data = tuple(kernel.data for kernel in kernels)
    extent = plan_extent(inside, begin, end, edge=False)
    if edge:
        _check_edge(extent, data)
    lo = tuple(kernel.source[0] for kernel in kernels)
    hi = tuple(kernel.source[1] for kernel in kernels)
    picked = [kernel.picked for kernel in kernels]
    slices = tuple(
        slice(*kernel.source) if pick is None else pick for kernel, pick in zip(kernels, picked, strict=True)
    )
    if all(pick is not None for pick in picked):
        return ReadPlan(lo, hi, extent, begin, data, None, slices)
    rest = tuple(kernel if pick is None else _fetched(kernel) for kernel, pick in zip(kernels, picked, strict=True))
    return ReadPlan(lo, hi, extent, begin, data, rest, slices)


def _fetched(plan: AxisPlan) -> AxisPlan:
    """Return the plan of an axis whose voxels are picked while they are fetched."""
    count = plan.inside[1] - plan.inside[0]
    first = plan.source[0]
    return replace(plan, source=(first, first + count), kernel=Pick(slice(0, count, 1), count))


def _check_edge(extent: Extent, data: Sequence[tuple[int, int]]) -> None:
    if extent.empty and all(extent.shape) and any(stop <= first for first, stop in data):
        message = f'"{EDGE}" repeats the nearest voxel, but an axis of the array has none; give a value'
        raise ArgumentError(problem("invalid_argument", ("padding",), message))


def spans(view: View, box: object, lattice: Lattice, *, strict: bool) -> tuple[Index, Index]:
    """Return the indices [begin, end) that a world box selects, one entry per kept axis, by the centre rule.

    On spatial axes they are indices of `lattice`, on the others of the array. A box over the spatial axes keeps the
    other axes whole.

    Raises
    ------
    ArgumentError
        The box has another number of entries, or `strict` is true and a face lies on neither corners nor centres.
    """
    grid = view.grid
    size, centre = grid.voxel_size, grid.translation
    if not lattice.stored:
        size, centre = _over(view, size, lattice.voxel_size), _over(view, centre, lattice.translation)
    found = box_range(box, grid.shape, size, centre, view.spatial, grid.axes)
    if strict:
        _check_aligned(view, box, size, centre)
    return found


def _over(view: View, values: Sequence[float], spatial: Sequence[float]) -> tuple[float, ...]:
    """Return values per axis with those of the spatial axes replaced."""
    replaced = dict(zip(view.spatial, spatial, strict=True))
    return tuple(replaced.get(axis, value) for axis, value in enumerate(values))


def _check_aligned(view: View, box: object, size: Sequence[float], centre: Sequence[float]) -> None:
    low, high = box_bounds(box)
    axes = range(view.grid.ndim) if len(low) == view.grid.ndim else view.spatial
    for k, axis in enumerate(axes):
        (kind,) = geometry.alignment(low[k : k + 1], high[k : k + 1], [size[axis]], [centre[axis]])
        if kind == "neither":
            message = (
                f"axis {view.grid.axes[axis]!r} of the box, {low[k]} to {high[k]}, is aligned neither to voxel corners "
                f"nor to voxel centres (voxel size {size[axis]}, centre of voxel 0 {centre[axis]}); snap it first, or "
                "leave strict=False"
            )
            raise ArgumentError(problem("not_aligned", ("box", k), message))


def apply(transform: Transform, block: Array, name: str) -> Array:
    """Return what a caller's transform makes of a block.

    Raises
    ------
    ArgumentError
        Its result has another shape: a transform maps values, voxel for voxel.
    """
    out = np.asarray(transform(block))
    if out.shape != block.shape:
        message = f"{transform!r} made shape {out.shape} of {block.shape}; a transform keeps the shape"
        raise ArgumentError(problem("wrong_value", (name,), message))
    return out


def result_dtype(
    stored: np.dtype[Any], fill: Any, ndim: int, transform: Transform | None, post_transform: Transform | None
) -> np.dtype[Any]:
    """Return the dtype that a read has: the transforms are tried once on one voxel of the fill value."""
    if transform is None and post_transform is None:
        return stored
    block = np.full((1,) * ndim, 0 if fill is None else fill, stored)
    with np.errstate(all="ignore"):  # what a transform makes of a fill value is nobody's concern
        if transform is not None:
            block = apply(transform, block, "transform")
        if post_transform is not None:
            block = apply(post_transform, block, "post_transform")
    dtype: np.dtype[Any] = block.dtype
    return dtype


def finish(plan: ReadPlan, block: Array | None, how: Finish) -> Array | tuple[Array, Array]:
    """Return the result of a read from its stored voxels (None where the box holds none), with the mask if asked.

    Raises
    ------
    ArgumentError
        The box has more voxels than any array can.
    """
    if not plan.extent.whole:
        check_room(plan.extent.shape, how.dtype.itemsize)
    if block is None:
        out = np.full(plan.extent.shape, _value(how), how.dtype)
    else:
        block = _voxels(plan, block, how)
        if plan.extent.whole:
            out = block
        elif how.edge:
            out = pad_edge(block, plan.extent)
        else:
            out = pad_value(block, plan.extent, how.padding)
    if not (out.flags.c_contiguous and out.dtype.isnative):
        out = np.asarray(out, dtype=out.dtype.newbyteorder("="), order="C")
    if how.mask:
        return out, inside_mask(plan.extent, plan.data, plan.begin)
    return out


def check_room(shape: Index, itemsize: int) -> None:
    """Refuse a result that this machine has no memory for, before anything is allocated.

    Raises
    ------
    ArgumentError
        Its voxels take more bytes than the machine has, or more than an array can hold.
    """
    held = prod(n for n in shape if n) * itemsize  # numpy counts the other axes of an empty array too
    room = sys.maxsize if 0 in shape else memory_bytes()
    if held > room:
        counts = " x ".join(map(str, shape)) if max(shape) < _COUNTED else "too many"
        limit = "more than an array can hold" if held > sys.maxsize else f"and this machine has {room} bytes of memory"
        message = f"it has {counts} voxels, {limit}; give a smaller one"
        raise ArgumentError(problem("out_of_range", ("box",), message))


def _voxels(plan: ReadPlan, block: Array, how: Finish) -> Array:
    """Return the voxels of the result that hold data, transformed and resampled."""
    if how.transform is not None:
        block = apply(how.transform, block, "transform")
    if plan.kernels is not None:
        block = resample(block, plan.kernels)
    if how.post_transform is not None:
        block = apply(how.post_transform, block, "post_transform")
    if block.dtype != how.dtype and block.dtype.newbyteorder("=") != how.dtype.newbyteorder("="):
        message = f"it made {block.dtype} of these voxels but {how.dtype} of the fill value; give every value one dtype"
        raise ArgumentError(problem("wrong_value", ("transform",), message))
    return block


def _value(how: Finish) -> Any:
    return 0 if how.edge else how.padding
