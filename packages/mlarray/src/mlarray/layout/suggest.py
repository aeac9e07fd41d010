"""Chunks and blocks for patches: what is decoded for a patch should be little more than the patch."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from mlarray.errors import ArgumentError, ArgumentTypeError, Problem
from mlarray.geometry.compose import TYPES_BY_NAME
from mlarray.layout.records import Shape

DEFAULT_PATCH_SIZE: Final = 192
"""Per axis of type space."""
BLOCK_BUDGET: Final = 24 << 10
CHUNK_BUDGET: Final = 512 << 10
SLICE_BLOCK_BUDGET: Final = 32 << 10
SLICE_CHUNK_BUDGET: Final = 1 << 20
"""Bytes; the larger ones where a patch is one index thick on some axis, so that whole rows and slices fit."""
WHOLE: Final = 16
"""A channel or component axis of at most so many indices stands whole in every block."""


def suggest_layout(
    shape: Sequence[int],
    dtype: Any,
    patch_size: Any = "default",
    axes: Sequence[str | Mapping[str, Any]] | None = None,
    *,
    block_budget: int | None = None,
    chunk_budget: int | None = None,
) -> tuple[Shape, Shape]:
    """Return the chunk and the block, per array axis, that suit reading patches of a size.

    Both begin at one index (on channel and component axes of at most 16 at all of them) and grow along the axes that
    patches have by doubling: the shortest axis first, of equal ones the last; never beyond the patch, never beyond the
    budget. Where a patch is one index thick, the last axis grows whole first, then the one before it.

    Parameters
    ----------
    shape
        Of the array, C order.
    dtype
        Its dtype.
    patch_size
        One number for all, or one per axis of type space (per axis, where no axis is of that type); "default" is 192.
    axes
        A name or a map per axis, as for `MLArray`; None takes every axis for one that patches have.
    block_budget, chunk_budget
        The most bytes of each; as a rule 24 KiB and 512 KiB.

    Raises
    ------
    ArgumentTypeError, ArgumentError
        A patch size, axis or budget that cannot be used.

    Examples
    --------
    >>> suggest_layout((300, 512, 512), "int16", 64)
    ((64, 64, 64), (16, 16, 32))
    >>> suggest_layout((30, 512, 512), "float32", (1, 512, 512))
    ((1, 512, 512), (1, 16, 512))
    >>> suggest_layout((2048, 2048, 3), "uint8", 256, ["y", "x", "c"])
    ((256, 256, 3), (64, 128, 3))
    """
    sizes = tuple(int(size) for size in shape)
    types = _types(axes, len(sizes))
    patch = patch_shape(patch_size, types)
    along = patch_axes(types)
    goal = [
        min(size, WHOLE) if kind in {"channel", "component"} and size <= WHOLE else 1
        for size, kind in zip(sizes, types, strict=True)
    ]
    for axis, length in zip(along, patch, strict=True):
        goal[axis] = max(1, min(length, sizes[axis]))
    thin = any(length == 1 and sizes[axis] > 1 for axis, length in zip(along, patch, strict=True))
    budgets = (SLICE_BLOCK_BUDGET, SLICE_CHUNK_BUDGET) if thin else (BLOCK_BUDGET, CHUNK_BUDGET)
    itemsize = np.dtype(dtype).itemsize
    start = [1 if axis in along else goal[axis] for axis in range(len(sizes))]
    grow = _Growth(sizes, goal, along, rows_first=thin)
    block = grow.within(start, [1] * len(sizes), (block_budget or budgets[0]) // itemsize)
    chunk = grow.within(block, block, (chunk_budget or budgets[1]) // itemsize)
    return tuple(chunk), tuple(block)


class _Growth:
    """Growing by doubling toward a goal."""

    def __init__(self, sizes: Sequence[int], goal: Sequence[int], along: Sequence[int], *, rows_first: bool) -> None:
        self.sizes, self.goal, self.along, self.rows_first = sizes, goal, along, rows_first

    def within(self, start: Sequence[int], unit: Sequence[int], budget: int) -> list[int]:
        """Return the largest that doubling makes of `start` within so many elements, in multiples of `unit`."""
        found = list(start)
        left = list(self.along)
        while left:
            axis = max(left) if self.rows_first else min(left, key=lambda axis: (found[axis], -axis))
            longer = self._next(found[axis], axis, unit[axis])
            if longer > found[axis] and math.prod(found) // found[axis] * longer <= budget:
                found[axis] = longer
            else:
                left.remove(axis)
        return found

    def _next(self, length: int, axis: int, unit: int) -> int:
        """Return the next length of an axis: twice as long, or the goal; whole units unless it is the whole axis."""
        longer = min(2 * length, self.goal[axis])
        return longer if longer == self.sizes[axis] else max(length, longer // unit * unit)


def patch_axes(types: Sequence[str]) -> tuple[int, ...]:
    """Return the axes that patches have a size along: those of type space, or all where there are none.

    Examples
    --------
    >>> patch_axes(["channel", "space", "space"]), patch_axes(["other", "time"])
    ((1, 2), (0, 1))
    """
    return tuple(index for index, kind in enumerate(types) if kind == "space") or tuple(range(len(types)))


def patch_shape(patch_size: Any, types: Sequence[str]) -> Shape:
    """Return a patch size per axis that patches have; see `suggest_layout`.

    Raises
    ------
    ArgumentTypeError, ArgumentError
        It is no positive whole number, or another number of them.

    Examples
    --------
    >>> patch_shape("default", ["channel", "space", "space"]), patch_shape((5, 6), ["other", "time"])
    ((192, 192), (5, 6))
    """
    along = patch_axes(types)
    if isinstance(patch_size, str):
        if patch_size != "default":
            message = f"patch_size is {patch_size!r}; it is 'default', None, a number or a number per axis"
            raise ArgumentError(Problem("wrong_value", ("patch_size",), message))
        return (DEFAULT_PATCH_SIZE,) * len(along)
    return positive(patch_size, "patch_size", len(along), "one per axis of type space, or per axis where there is none")


def positive(value: Any, name: str, count: int, why: str, least: int = 1) -> Shape:
    """Return whole numbers of at least `least`, a single one for all.

    Raises
    ------
    ArgumentTypeError
        Something is no integer.
    ArgumentError
        A number is too small, or there are more or fewer than belong there.

    Examples
    --------
    >>> positive(3, "patch_size", 2, ""), positive(np.array([4, 5]), "patch_size", 2, "")
    ((3, 3), (4, 5))
    """
    listed = [value] * count if np.ndim(value) == 0 else list(value)
    found = []
    for item in listed:
        if isinstance(item, bool) or not isinstance(item, (int, np.integer)):
            message = f"{name} is {value!r}; it is a whole number of at least {least} per axis"
            raise ArgumentTypeError(Problem("wrong_type", (name,), message))
        if item < least:
            message = f"{name} is {value!r}; every number must be at least {least}"
            raise ArgumentError(Problem("not_positive", (name,), message))
        found.append(int(item))
    if len(found) != count:
        raise ArgumentError(Problem("wrong_length", (name,), f"{len(found)} numbers, expected {count} ({why})"))
    return tuple(found)


def _types(axes: Sequence[str | Mapping[str, Any]] | None, ndim: int) -> tuple[str, ...]:
    if axes is None:
        return ("other",) * ndim
    if isinstance(axes, str) or len(axes) != ndim:
        raise ArgumentError(Problem("wrong_length", ("axes",), f"{axes!r} is not {ndim} axes, as the shape has"))
    return tuple(TYPES_BY_NAME.get(a, "other") if isinstance(a, str) else str(a.get("type", "other")) for a in axes)
