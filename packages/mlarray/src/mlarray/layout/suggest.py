"""Chunks and blocks for patches: what is decoded for a patch should be little more than the patch."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from mlarray.errors import ArgumentError, ArgumentTypeError, Problem
from mlarray.geometry.compose import TYPES_BY_NAME
from mlarray.header.wire import printed
from mlarray.layout.records import Shape

DEFAULT_PATCH_SIZE: Final = 192
"""Per axis of type space."""
BLOCK_BUDGET: Final = 24 << 10
CHUNK_BUDGET: Final = 256 << 10
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

    A block begins at one index (on channel and component axes of at most 16 at all of them), a chunk at the block. Both
    grow by doubling along the axes that patches have: first where they are the smallest part of the patch, of equal
    parts along the last axis; never beyond patch or array, never beyond the budget. A chunk is a multiple of the block
    along each axis, or the whole axis. Where a patch is one index thick, the axes that it spans from end to end grow
    first, the last of them before the others.

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
        The most bytes of each, 24 KiB and 256 KiB if not given; 32 KiB and 1 MiB where a patch is one index thick. What
        stands whole in a block may take more.

    Raises
    ------
    ArgumentTypeError, ArgumentError
        A shape, patch size, axis or budget that cannot be used.

    Examples
    --------
    >>> suggest_layout((300, 512, 512), "int16", 64)
    ((32, 64, 64), (16, 16, 32))
    >>> suggest_layout((30, 512, 512), "float32", (1, 512, 512))
    ((1, 512, 512), (1, 16, 512))
    >>> suggest_layout((2048, 2048, 3), "uint8", 256, ["y", "x", "c"])
    ((256, 256, 3), (64, 128, 3))
    """
    sizes = whole_numbers(shape, "shape", None, "", least=0)
    types = _types(axes, len(sizes))
    patch = patch_shape(patch_size, types)
    along = patch_axes(types)
    itemsize = _itemsize(dtype)
    goal = [_whole(kind, size) for kind, size in zip(types, sizes, strict=True)]
    start = [1 if axis in along else length for axis, length in enumerate(goal)]
    for axis, length in zip(along, patch, strict=True):
        goal[axis] = max(1, min(length, sizes[axis]))
    thin = any(length == 1 and sizes[axis] > 1 for axis, length in zip(along, patch, strict=True))
    first = [axis for axis in reversed(along) if thin and goal[axis] == sizes[axis]]
    budgets = (SLICE_BLOCK_BUDGET, SLICE_CHUNK_BUDGET) if thin else (BLOCK_BUDGET, CHUNK_BUDGET)
    budgets = _budget(block_budget, "block_budget", budgets[0]), _budget(chunk_budget, "chunk_budget", budgets[1])
    growth = _Growth(sizes, goal, along, first)
    block = growth.within(start, [1] * len(sizes), budgets[0] // itemsize)
    chunk = growth.within(block, block, budgets[1] // itemsize)
    return tuple(chunk), tuple(block)


def _whole(kind: str, size: int) -> int:
    """Return the length of a block along an axis that patches do not have."""
    return max(1, size) if kind in {"channel", "component"} and size <= WHOLE else 1


def _itemsize(dtype: Any) -> int:
    try:
        return max(1, int(np.dtype(dtype).itemsize))
    except (TypeError, ValueError):
        raise ArgumentTypeError(Problem("wrong_type", ("dtype",), f"{dtype!r} is no dtype of numpy")) from None


def _budget(value: int | None, name: str, default: int) -> int:
    return default if value is None else whole_numbers(value, name, 1, "one")[0]


class _Growth:
    """Growing by doubling toward a goal; `first` are the axes that grow before the others, in their order."""

    def __init__(self, sizes: Sequence[int], goal: Sequence[int], along: Sequence[int], first: Sequence[int]) -> None:
        self.sizes, self.goal, self.along, self.first = sizes, goal, along, first

    def within(self, start: Sequence[int], unit: Sequence[int], budget: int) -> list[int]:
        """Return the largest that doubling makes of `start` within so many elements, in multiples of `unit`."""
        found = list(start)
        left = list(self.along)
        while left:
            axis = self._shortest(found, left)
            longer = self._next(found[axis], axis, unit[axis])
            if longer > found[axis] and math.prod(found) // found[axis] * longer <= budget:
                found[axis] = longer
            else:
                left.remove(axis)
        return found

    def _shortest(self, found: Sequence[int], left: Sequence[int]) -> int:
        """Return the axis to grow: of those that go first the next, else where the smallest part is reached."""
        first = [axis for axis in self.first if axis in left]
        return first[0] if first else min(left, key=lambda axis: (Fraction(found[axis], self.goal[axis]), -axis))

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
    why = "one per axis of type space, or per axis where there is none"
    return whole_numbers(patch_size, "patch_size", len(along), why)


def whole_numbers(value: Any, name: str, count: int | None, why: str, least: int = 1) -> Shape:
    """Return whole numbers of at least `least`, a single one for all; `count` None takes as many as there are.

    Raises
    ------
    ArgumentTypeError
        Something is no integer.
    ArgumentError
        A number is too small, or there are more or fewer than belong there.

    Examples
    --------
    >>> whole_numbers(3, "patch_size", 2, ""), whole_numbers(np.array([4, 5]), "patch_size", 2, "")
    ((3, 3), (4, 5))
    """
    plain = value.tolist() if isinstance(value, np.ndarray) else value
    if isinstance(plain, (int, np.integer)):
        plain = [plain] * (1 if count is None else count)
    listed = list(plain) if isinstance(plain, Sequence) else [plain]
    for item in listed:
        if isinstance(item, bool) or not isinstance(item, (int, np.integer)):
            message = f"{name} is {printed(value)}; it is a whole number of at least {least} per axis"
            raise ArgumentTypeError(Problem("wrong_type", (name,), message))
        if item < least:
            message = f"{name} is {printed(value)}; every number must be at least {least}"
            raise ArgumentError(Problem("not_positive" if least else "out_of_range", (name,), message))
    if count is not None and len(listed) != count:
        raise ArgumentError(Problem("wrong_length", (name,), f"{len(listed)} numbers, expected {count} ({why})"))
    return tuple(map(int, listed))


def _types(axes: Sequence[str | Mapping[str, Any]] | None, ndim: int) -> tuple[str, ...]:
    if axes is None:
        return ("other",) * ndim
    if isinstance(axes, (str, bytes)) or not isinstance(axes, Sequence):
        raise ArgumentTypeError(Problem("wrong_type", ("axes",), f"axes is {axes!r}; it is a list of names or maps"))
    if len(axes) != ndim:
        raise ArgumentError(Problem("wrong_length", ("axes",), f"{len(axes)} axes, expected {ndim}, as the shape has"))
    return tuple(_type(axis, index) for index, axis in enumerate(axes))


def _type(axis: Any, index: int) -> str:
    if isinstance(axis, str):
        return TYPES_BY_NAME.get(axis, "other")
    if isinstance(axis, Mapping):
        return str(axis.get("type", "other"))
    raise ArgumentTypeError(Problem("wrong_type", ("axes", index), f"{axis!r} is neither a name nor a map"))
