"""Weighted sums over whole arrays, axis by axis: what means and interpolations are before they are divided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from worldarray.resample.kernels import Array, Kernel, Linear, Mean, Pick

_ALL: Final = slice(None)
_MAX_PERIOD: Final = 16
"""Up to this period an interpolation is done phase by phase with one pair of weights each, else by index tables."""


def weighted_sums(block: Array, kernels: Sequence[Kernel], dtype: np.dtype[Any]) -> Array:
    """Return the sums of `block` under one kernel per axis, in `dtype`: a new array.

    Integer and object sums are the exact numerators over the product of the kernels' denominators; float sums carry
    the weights of interpolations as fractions, and are still to be divided by the sizes of blocks. The order of
    operations depends on the kernels alone, so a value never depends on what else is computed with it.
    """
    out = pick(block, kernels).astype(dtype)
    for axis, kernel in enumerate(kernels):
        if isinstance(kernel, Mean):
            out = _block_sums(out, axis, kernel)
    for axis in _interpolation_order(kernels):
        kernel = kernels[axis]
        assert isinstance(kernel, Linear)
        out = _interpolate(out, axis, kernel)
    return out


def pick(block: Array, kernels: Sequence[Kernel]) -> Array:
    """Return `block` with the axes that pick voxels picked: a view where all of them are evenly spaced."""
    indices = [kernel.index if isinstance(kernel, Pick) else _ALL for kernel in kernels]
    out = block[tuple([index if isinstance(index, slice) else _ALL for index in indices])]
    for axis in reversed(range(len(indices))):
        index = indices[axis]
        if not isinstance(index, slice):
            out = np.take(out, index, axis=axis)
    return out


def _interpolation_order(kernels: Sequence[Kernel]) -> Iterable[int]:
    """Return the axes to interpolate: those that lose voxels first to last, then those that gain last to first."""
    linear = [(axis, kernel) for axis, kernel in enumerate(kernels) if isinstance(kernel, Linear)]
    losing = [axis for axis, kernel in linear if kernel.advance >= kernel.period]
    return losing + [axis for axis, kernel in reversed(linear) if kernel.advance < kernel.period]


def _along(axis: int, first: int, stop: int, step: int = 1) -> tuple[slice, ...]:
    return (slice(None),) * axis + (slice(first, stop, step),)


def _empty(block: Array, axis: int, count: int) -> Array:
    return np.empty((*block.shape[:axis], count, *block.shape[axis + 1 :]), block.dtype)


def _block_sums(block: Array, axis: int, kernel: Mean) -> Array:
    out = _empty(block, axis, kernel.count)
    first, stop = kernel.blocks()
    if stop > first:
        start, end = kernel.start + first * kernel.factor, kernel.start + stop * kernel.factor
        parts = [block[_along(axis, start + i, end, kernel.factor)] for i in range(kernel.factor)]
        _add_all(parts, out[_along(axis, first, stop)])
    for index in kernel.cut_blocks():
        parts = [block[_along(axis, i, i + 1)] for i in range(*kernel.bounds(index))]
        _add_all(parts, out[_along(axis, index, index + 1)])
    return out


def _add_all(parts: Sequence[Array], total: Array) -> None:
    if len(parts) == 1:
        total[...] = parts[0]
        return
    np.add(parts[0], parts[1], out=total)
    for part in parts[2:]:
        np.add(total, part, out=total)


def _interpolate(block: Array, axis: int, kernel: Linear) -> Array:
    low, high = _weights(kernel, block.dtype)
    first, stop = kernel.core
    if kernel.period > _MAX_PERIOD or stop - first < 2 * kernel.period:
        return _by_table(block, axis, kernel, low, high)
    out = _empty(block, axis, kernel.count)
    for begin, end in ((0, first), (stop, kernel.count)):
        if begin < end:  # past the first or the last centre all of them are the border voxel
            voxel = int(kernel.lower[begin])
            np.multiply(block[_along(axis, voxel, voxel + 1)], low[begin], out=out[_along(axis, begin, end)])
    for begin in range(first, first + kernel.period):
        count = -(-(stop - begin) // kernel.period)
        voxel = int(kernel.lower[begin])
        end = voxel + (count - 1) * kernel.advance + 1
        lower = block[_along(axis, voxel, end, kernel.advance)]
        upper = block[_along(axis, voxel + 1, end + 1, kernel.advance)] if kernel.weight[begin] else None
        _mix(lower, low[begin], upper, high[begin], out[_along(axis, begin, stop, kernel.period)])
    return out


def _mix(lower: Array, low: Any, upper: Array | None, high: Any, out: Array) -> None:
    """Write ``lower * low + upper * high`` to `out`."""
    if upper is None:
        np.multiply(lower, low, out=out)
        return
    other = upper if high == 1 else np.multiply(upper, high)
    if low == 1:
        np.add(lower, other, out=out)
    else:
        np.multiply(lower, low, out=out)
        np.add(out, other, out=out)


def _by_table(block: Array, axis: int, kernel: Linear, low: Array, high: Array) -> Array:
    column = (slice(None),) + (None,) * (block.ndim - axis - 1)
    out = np.take(block, kernel.lower, axis=axis)
    np.multiply(out, low[column], out=out)
    between = np.flatnonzero(kernel.weight != 0)
    upper = np.take(block, kernel.lower[between] + 1, axis=axis)
    if len(between) == kernel.count:
        np.multiply(upper, high[column], out=upper)
        np.add(out, upper, out=out)
    elif len(between):
        np.multiply(upper, high[between][column], out=upper)
        out[(slice(None),) * axis + (between,)] += upper
    return out


def _weights(kernel: Linear, dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """Return the weights of the lower and the upper voxel: numerators for integers, nearest floats of the fractions."""
    sides = (kernel.denominator - kernel.weight, kernel.weight)
    if dtype.kind in "iuO":
        return sides[0].astype(dtype), sides[1].astype(dtype)
    if kernel.weight.dtype == object or kernel.denominator >= 2**53:
        low, high = (np.array([int(w) / kernel.denominator for w in side], dtype) for side in sides)
        return low, high
    return (sides[0] / kernel.denominator).astype(dtype), (sides[1] / kernel.denominator).astype(dtype)
