"""Weighted sums over whole arrays, axis by axis: what means and interpolations are before they are divided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from worldarray.resample.kernels import Array, Kernel, Linear, Mean, Pick


def weighted_sums(block: Array, kernels: Sequence[Kernel], dtype: np.dtype[Any]) -> Array:
    """Return the sums of `block` under one kernel per axis, in `dtype`.

    Integer and object sums are the exact numerators over the product of the kernels' denominators; float sums carry
    the weights of interpolations as fractions, and are still to be divided by the sizes of blocks. The order of
    operations depends on the kernels alone, so a value never depends on what else is computed with it.
    """
    out = pick(block, kernels)
    for axis, kernel in enumerate(kernels):
        if isinstance(kernel, Mean):
            out = _block_sums(out, axis, kernel, dtype)
    for axis in reversed(range(len(kernels))):
        kernel = kernels[axis]
        if isinstance(kernel, Linear):
            out = _interpolate(out, axis, kernel, dtype)
    return out.astype(dtype, copy=False)


def pick(block: Array, kernels: Sequence[Kernel]) -> Array:
    """Return `block` with the axes that pick voxels picked: a view where all of them are evenly spaced."""
    out = block[tuple(_slice(kernel) for kernel in kernels)]
    for axis in reversed(range(len(kernels))):
        kernel = kernels[axis]
        if isinstance(kernel, Pick) and not isinstance(kernel.index, slice):
            out = np.take(out, kernel.index, axis=axis)
    return out


def _slice(kernel: Kernel) -> slice:
    return kernel.index if isinstance(kernel, Pick) and isinstance(kernel.index, slice) else slice(None)


def _along(axis: int, index: Any) -> tuple[Any, ...]:
    return (slice(None),) * axis + (index,)


def _block_sums(block: Array, axis: int, kernel: Mean, dtype: np.dtype[Any]) -> Array:
    shape = (*block.shape[:axis], kernel.count, *block.shape[axis + 1 :])
    out = np.empty(shape, dtype)
    first, stop = kernel.blocks()
    if stop > first:
        start = kernel.start + first * kernel.factor
        end = kernel.start + stop * kernel.factor
        total = out[_along(axis, slice(first, stop))]
        parts = [block[_along(axis, slice(start + i, end, kernel.factor))] for i in range(kernel.factor)]
        _add_all(parts, total, dtype)
    for index in kernel.cut_blocks():
        low, high = kernel.bounds(index)
        _add_all(
            [block[_along(axis, slice(i, i + 1))] for i in range(low, high)],
            out[_along(axis, slice(index, index + 1))],
            dtype,
        )
    return out


def _add_all(parts: Sequence[Array], total: Array, dtype: np.dtype[Any]) -> None:
    if len(parts) == 1:
        total[...] = parts[0]
        return
    np.add(parts[0], parts[1], out=total, dtype=dtype, casting="unsafe")
    for part in parts[2:]:
        np.add(total, part, out=total, dtype=dtype, casting="unsafe")


def _interpolate(block: Array, axis: int, kernel: Linear, dtype: np.dtype[Any]) -> Array:
    low, high = _weights(kernel, dtype)
    column = (slice(None),) + (None,) * (block.ndim - axis - 1)
    out: Array = np.multiply(np.take(block, kernel.lower, axis=axis), low[column], dtype=dtype, casting="unsafe")
    between = np.flatnonzero(kernel.weight != 0)
    upper = np.take(block, kernel.lower[between] + 1, axis=axis)
    if len(between) == kernel.count:
        out += np.multiply(upper, high[column], dtype=dtype, casting="unsafe")
    elif len(between):
        out[_along(axis, between)] += np.multiply(upper, high[between][column], dtype=dtype, casting="unsafe")
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
