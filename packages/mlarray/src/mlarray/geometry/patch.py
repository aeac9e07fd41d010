"""Where a patch lies: what of it is inside the array, and where that goes."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

from mlarray.errors import ArgumentError, ArgumentTypeError, Problem

Ints = tuple[int, ...]


class PatchPlan(NamedTuple):
    """The box [begin, end) of the array to read, and where it begins in the patch; an empty box reads nothing.

    Examples
    --------
    >>> plan = PatchPlan((0, 4), (2, 6), (1, 0), (3, 5), pads=True)
    >>> plan.empty, plan.target
    (False, (slice(1, 3, None), slice(0, 2, None)))
    """

    begin: Ints
    end: Ints
    into: Ints
    size: Ints
    pads: bool
    """Whether some of the patch lies outside the array."""

    @property
    def empty(self) -> bool:
        """Whether no voxel of the patch lies inside the array."""
        return any(a >= b for a, b in zip(self.begin, self.end, strict=True))

    @property
    def target(self) -> tuple[slice, ...]:
        """Where in the patch the box goes."""
        return tuple(slice(i, i + b - a) for i, a, b in zip(self.into, self.begin, self.end, strict=True))


def plan_patch(start: Sequence[int], size: Sequence[int], shape: Sequence[int]) -> PatchPlan:
    """Return how a patch [start, start + size) is read from an array of a shape.

    Parameters
    ----------
    start
        The first index per axis; it may lie outside, and is never counted from the end.
    size
        How many indices per axis, at least 0.
    shape
        That of the array.

    Raises
    ------
    ArgumentTypeError
        An entry is no integer.
    ArgumentError
        Another number of entries than axes, or a negative size.

    Examples
    --------
    >>> plan = plan_patch((-1, 4), (3, 5), (4, 6))
    >>> plan.begin, plan.end, plan.into, plan.pads
    ((0, 4), (2, 6), (1, 0), True)
    """
    first, count = integers(start, "start", len(shape)), integers(size, "size", len(shape))
    after = tuple(map(operator.add, first, count))
    if all(map(operator.le, after, shape)) and min(first, default=0) >= 0 and min(count, default=0) >= 0:
        return PatchPlan(first, after, (0,) * len(shape), count, pads=False)
    begin, end, into = [], [], []
    for axis, (a, n, full) in enumerate(zip(first, count, shape, strict=True)):
        if n < 0:
            raise ArgumentError(Problem("out_of_range", ("size", axis), f"the size is {n}; it must be at least 0"))
        low = min(max(a, 0), full)
        begin.append(low)
        end.append(max(low, min(a + n, full)))
        into.append(min(max(low - a, 0), n))
    inside = [b - a for a, b in zip(begin, end, strict=True)]
    pads = 0 not in count and inside != list(count)
    return PatchPlan(tuple(begin), tuple(end), tuple(into), count, pads)


def integers(values: Sequence[Any], name: str, ndim: int) -> Ints:
    """Return whole numbers, one per axis.

    Raises
    ------
    ArgumentTypeError
        It is no sequence, or an entry is no integer.
    ArgumentError
        Another number of entries than axes.

    Examples
    --------
    >>> integers([1, 2], "start", 2)
    (1, 2)
    """
    try:
        found = tuple(map(operator.index, values))
    except TypeError:
        found = None
    if found is None or bool in map(type, values):
        raise ArgumentTypeError(_not_whole(values, name))
    if len(found) != ndim:
        message = f"{len(found)} numbers, expected {ndim} (one per axis of the array)"
        raise ArgumentError(Problem("wrong_length", (name,), message))
    return found


def _not_whole(values: Any, name: str) -> Problem:
    """Return what is wrong with a list that does not hold whole numbers alone: the first entry that is none."""
    for index, value in enumerate(values if isinstance(values, (list, tuple)) else ()):
        if not hasattr(value, "__index__") or isinstance(value, bool):
            return Problem("wrong_type", (name, index), f"{value!r} stands where a whole number belongs")
    return Problem("wrong_type", (name,), f"{name} is {values!r}; it is a whole number per axis")
