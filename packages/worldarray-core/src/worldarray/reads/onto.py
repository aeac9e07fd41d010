"""Reading one array onto another grid: units, axes and index ranges lined up. Facts only."""

from __future__ import annotations

from collections.abc import Sequence

from worldarray import geometry, units
from worldarray.arguments import index_tuple
from worldarray.box import along
from worldarray.conversion import ASSUMED
from worldarray.errors import ArgumentError, ArgumentTypeError, problem
from worldarray.grid import Grid
from worldarray.reads.planning import Index
from worldarray.reads.view import Floats, Lattice, View
from worldarray.records import ArrayMeta


def onto_lattice(
    view: View, grid: Grid, begin: Sequence[int] | None, end: Sequence[int] | None
) -> tuple[Lattice, Index, Index]:
    """Return the lattice of `grid` over the view's data and the index range on it, per spatial axis.

    `begin` and `end` are voxels of `grid` on its spatial axes; all of them by default. At equal voxel sizes the
    lattice is the stored one and the range is found by the centre rule.

    Raises
    ------
    ArgumentTypeError
        `grid` is no Grid.
    ArgumentError
        The spatial axes differ, or a range runs backwards.
    """
    given: object = grid
    if not isinstance(given, Grid):
        message = f"{grid!r} is no grid; give a Grid or a WorldArray"
        raise ArgumentTypeError(problem("wrong_type", ("grid",), message))
    over = grid.meta("uint8")
    size, corner = _placed(view.grid, over)
    count = len(size)
    shape = tuple(over.shape[axis] for axis in over.spatial)
    low = (0,) * count if begin is None else index_tuple(begin, "begin", count)
    high = shape if end is None else index_tuple(end, "end", count)
    if any(e < b for b, e in zip(low, high, strict=True)):
        message = f"end {high} lies before begin {low}; a box is half-open with begin <= end on every axis"
        raise ArgumentError(problem("order", ("end",), message))
    if not geometry.same_sizes(size, view.source_size):
        return view.lattice_at(size, corner), low, high
    stored = view.lattice_at(None, None)
    first, _ = geometry.index_range(
        along(corner, low, size),
        along(corner, high, size),
        view.source_size,
        view.source_translation,
    )
    return stored, first, tuple(f + e - b for f, b, e in zip(first, low, high, strict=True))


def _placed(ours: ArrayMeta, theirs: ArrayMeta) -> tuple[Floats, Floats]:
    """Voxel size and corner of their spatial axes in our units; no unit is nanometres."""
    our_names = [ours.axes[axis] for axis in ours.spatial]
    their_names = [theirs.axes[axis] for axis in theirs.spatial]
    if our_names != their_names:
        message = (
            f"the grid's spatial axes are {', '.join(their_names) or 'none'}, those of {ours.path} are "
            f"{', '.join(our_names) or 'none'}; give a grid with the same axes in the same order"
        )
        raise ArgumentError(problem("wrong_value", ("grid", "axes"), message))
    size, corner = [], []
    lower = theirs.corner
    for mine, other in zip(ours.spatial, theirs.spatial, strict=True):
        source, target = theirs.units[other] or ASSUMED, ours.units[mine] or ASSUMED
        if units.same(source, target):
            size.append(theirs.voxel_size[other])
            corner.append(lower[other])
            continue
        factor = units.factor(source, target)
        size.append(units.convert(theirs.voxel_size[other], factor))
        corner.append(units.convert(lower[other], factor))
    return tuple(size), tuple(corner)


def whole_axes(view: View, begin: Index, end: Index) -> tuple[Index, Index]:
    """Return the ranges of the spatial axes among those of every kept axis, which the others cover whole."""
    low, high = [0] * view.grid.ndim, list(view.grid.shape)
    for axis, b, e in zip(view.spatial, begin, end, strict=True):
        low[axis], high[axis] = b, e
    return tuple(low), tuple(high)
