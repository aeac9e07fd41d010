"""One axis of a read: which source voxels the target voxels [begin, end) need, which of them hold data, the kernel."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal

import numpy as np

from worldarray.errors import ArgumentError, problem
from worldarray.resample.kernels import Kernel, Linear, Mean, Pick
from worldarray.resample.targets import TargetAxis

Array = np.ndarray[Any, Any]
Method = Literal["nearest", "linear"]
METHODS: Final[tuple[Method, ...]] = ("nearest", "linear")

_HALF: Final = Fraction(1, 2)
_WIDE: Final = 2**62
"""Tables whose numerators stay below this are computed in int64, others in whole Python numbers."""


@dataclass(frozen=True)
class AxisPlan:
    """One axis of a read as data. Indices are absolute: of the source axis, and of the target grid.

    `source` are the source voxels [lo, hi) to read; empty where the read holds no data. `inside` are the target
    voxels [lo, hi) that `resample` returns: those of the read that hold data, or all of it under "edge". `data` are
    the target voxels [lo, hi) of the whole grid that hold data, however far the read reaches. `repeat` is how often
    the first and the last voxel that `kernel` makes are repeated to fill `inside`.
    """

    source: tuple[int, int]
    inside: tuple[int, int]
    data: tuple[int, int]
    kernel: Kernel
    repeat: tuple[int, int] = (0, 0)

    @property
    def picked(self) -> slice | None:
        """The source voxels that the target voxels are, where they are evenly spaced, as a slice; else None.

        A read of just these needs no kernel.
        """
        if isinstance(self.kernel, Pick) and isinstance(self.kernel.index, slice) and self.repeat == (0, 0):
            return slice(*self.source, self.kernel.index.step)
        return None


def plan_axis(target: TargetAxis, begin: int, end: int, method: Method, *, edge: bool = False) -> AxisPlan:
    """Return how the target voxels [begin, end) of one axis are made of source voxels (Behaviour 4).

    "nearest" takes the source voxel whose half-open extent holds the target's centre. "linear" takes the mean of the
    block where a target voxel is two or more whole source voxels, else it interpolates between two voxels with the
    border repeated. A target holds data where its centre lies inside the source, for means where its block overlaps
    it. With `edge`, targets that hold none repeat the border voxel, for means the last block that holds data.

    Raises
    ------
    ArgumentError
        There is no such method.

    Examples
    --------
    A factor of 2 takes the upper of the middle two voxels, and the mean of a last block is of what it holds:

    >>> from worldarray.resample import target_axis
    >>> plan = plan_axis(target_axis(7, 1.0, 2.0), 0, 4, "nearest")
    >>> plan.source, plan.inside, plan.picked
    ((1, 6), (0, 3), slice(1, 6, 2))
    >>> plan_axis(target_axis(7, 1.0, 2.0), 2, 9, "linear").inside
    (2, 4)
    """
    if method not in METHODS:
        message = f"there is no method {method!r}; the methods are {', '.join(METHODS)}"
        raise ArgumentError(problem("wrong_value", ("method",), message))
    if method == "linear" and target.whole_blocks:
        return _plan_mean(target, begin, end, edge)
    return _plan_centres(target, begin, end, edge, nearest=method == "nearest" or _on_grid(target))


def identity_axis(n: int, begin: int, end: int, *, edge: bool = False) -> AxisPlan:
    """Return the plan of an axis of `n` voxels that is not resampled: target voxels are source voxels.

    Examples
    --------
    >>> identity_axis(5, -2, 3).source
    (0, 3)
    """
    low, high = min(max(begin, 0), n), max(min(end, n), 0)
    if low < high and not (edge and (low, high) != (begin, end)):
        return AxisPlan((low, high), (low, high), (0, n), Pick(slice(0, high - low, 1), high - low))
    one = Fraction(1)
    return _plan_centres(TargetAxis(n, one, Fraction(0), 0, n), begin, end, edge, nearest=True)


def _on_grid(target: TargetAxis) -> bool:
    """Whether every target centre is a source centre, so that interpolation picks voxels."""
    return target.ratio.denominator == 1 and (target.centre(0) - _HALF).denominator == 1


def _plan_centres(target: TargetAxis, begin: int, end: int, edge: bool, *, nearest: bool) -> AxisPlan:
    ratio, shift, n = target.ratio, target.shift, target.n
    first = math.ceil(-shift / ratio - _HALF)
    data = (first, math.ceil((n - shift) / ratio - _HALF) if n else first)
    low, high = _bounded(begin, end, data)
    repeat = (0, 0)
    if edge and n and begin < end and (low, high) != (begin, end):
        low, high, repeat = _extended(begin, end, (data[0] - 1, data[1] + 1))
    elif low == high:
        return _nothing(low, data)
    kernel, source = (_pick if nearest else _linear)(target, low, high)
    return AxisPlan(source, (low, high) if repeat == (0, 0) and not edge else (begin, end), data, kernel, repeat)


def _plan_mean(target: TargetAxis, begin: int, end: int, edge: bool) -> AxisPlan:
    data = (target.first, target.stop)
    low, high = _bounded(begin, end, data)
    repeat = (0, 0)
    inside = (low, high)
    if edge and target.n and begin < end and inside != (begin, end):
        low, high, repeat = _extended(begin, end, data)
        inside = (begin, end)
    elif low == high:
        return _nothing(low, data)
    factor = target.ratio.numerator
    start, stop = target.shift.numerator + low * factor, target.shift.numerator + high * factor
    source = (max(start, 0), min(stop, target.n))
    return AxisPlan(source, inside, data, Mean(factor, start - source[0], source[1] - source[0], high - low), repeat)


def _bounded(begin: int, end: int, data: tuple[int, int]) -> tuple[int, int]:
    """Return the part of [begin, end) in `data`; empty ones stay inside [begin, end)."""
    low, high = max(begin, data[0]), min(end, data[1])
    if low < high:
        return low, high
    place = min(max(begin, data[0]), max(begin, end))
    return place, place


def _extended(begin: int, end: int, reach: tuple[int, int]) -> tuple[int, int, tuple[int, int]]:
    """Return the part of `reach` that fills [begin, end) when its ends are repeated, and how often they are."""
    low = min(max(begin, reach[0]), reach[1] - 1)
    high = max(min(end, reach[1]), reach[0] + 1)
    spare = (end - begin) - (high - low)
    before = min(max(low - begin, 0), spare)
    return low, high, (before, spare - before)


def _nothing(place: int, data: tuple[int, int]) -> AxisPlan:
    return AxisPlan((0, 0), (place, place), data, Pick(slice(0, 0, 1), 0))


def _pick(target: TargetAxis, low: int, high: int) -> tuple[Pick, tuple[int, int]]:
    count, step = high - low, target.ratio.numerator
    if target.ratio.denominator == 1:
        start, last = math.floor(target.centre(low)), math.floor(target.centre(high - 1))
        if start >= 0 and last < target.n:
            return Pick(slice(0, last - start + 1, step), count), (start, last + 1)
    index = np.clip(_quotients(target, low, high, Fraction(0))[0], 0, target.n - 1)
    start, last = int(index[0]), int(index[-1])
    return Pick(index - start, count), (start, last + 1)


def _linear(target: TargetAxis, low: int, high: int) -> tuple[Linear, tuple[int, int]]:
    lower, weight, denominator = _quotients(target, low, high, _HALF)
    core = tuple(int(i) for i in np.searchsorted(lower, (0, target.n - 1)))
    lower, weight = np.clip(lower, 0, target.n - 1), weight.copy()
    weight[: core[0]] = 0
    weight[core[1] :] = 0
    start, stop = int(lower[0]), int(lower[-1]) + (2 if weight[-1] else 1)
    period, advance = target.ratio.denominator, target.ratio.numerator
    return Linear(lower - start, weight, denominator, period, advance, (core[0], core[1])), (start, stop)


def _quotients(target: TargetAxis, low: int, high: int, back: Fraction) -> tuple[Array, Array, int]:
    """Return the whole part of every centre less `back`, and the rest as numerators over a common denominator."""
    ratio, base = target.ratio, target.shift - back
    denominator = math.lcm(2 * ratio.denominator, base.denominator)
    step, start = int(ratio / 2 * denominator), int(base * denominator)
    common = math.gcd(math.gcd(step, start), denominator)
    step, start, denominator = step // common, start // common, denominator // common
    reach = max(abs(2 * low + 1), abs(2 * high + 1)) * step + abs(start)
    exact = reach < _WIDE and denominator < _WIDE
    odd = 2 * np.arange(low, high, dtype=np.int64 if exact else object) + 1
    centres = odd * step + start
    whole, rest = centres // denominator, centres % denominator
    if not exact:
        limit = 2**62
        whole = np.array([min(max(int(value), -limit), limit) for value in whole], np.int64)
    return whole, rest, denominator
