"""Resampling beside the plain numpy that does the same job: (name, reference, ours) triples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from worldarray.resample import AxisPlan, Method, plan_axis, resample, target_axis

Array = np.ndarray[Any, Any]
_SUMS = {"uint8": "uint16", "uint16": "uint32", "float32": "float64", "uint64": "uint64"}
Case = tuple[str, Callable[[], Array], Callable[[], Array]]


def cases(size: int = 256) -> list[Case]:
    """Return the cases of the speed table on a cube of uint8, reference and ours of each."""
    block = np.random.default_rng(7).integers(0, 256, (size,) * 3, np.uint8)
    return [
        (f"block mean by 2, uint8 {size}^3", _means(block, 2), _ours(block, 2.0, "linear")),
        (f"block mean by 3, uint8 {size}^3", _means(block, 3), _ours(block, 3.0, "linear")),
        (f"linear to half, uint8 {size}^3", _linear(block, 0.5), _ours(block, 0.5, "linear")),
        (f"nearest by 8, uint8 {size}^3", lambda: strided(block, 8), _ours(block, 8.0, "nearest")),
    ]


def more_cases(size: int = 128) -> list[Case]:
    """Return cases beyond the table: other dtypes and ratios."""
    rng = np.random.default_rng(7)
    small = rng.integers(0, 256, (size,) * 3, np.uint8)
    wide = small.astype(np.uint16) * 257
    real = rng.normal(size=(size,) * 3).astype(np.float32)
    labels = rng.integers(0, 2**63, (size,) * 3, np.uint64)
    found = [
        (f"block mean by {f}, {block.dtype} {size}^3", _means(block, f), _ours(block, float(f), "linear"))
        for block in (wide, real, labels)
        for f in (2, 3, 8)
    ]
    for block in (small, wide, real, labels):
        for target in (0.5, 0.8, 1.25, 1.7, 1 / 3.14159265):
            name = f"linear to {target:.3g}, {block.dtype} {size}^3"
            found.append((name, _linear(block, target), _ours(block, target, "linear")))
    return found


def plans(shape: Sequence[int], target: float, method: Method) -> list[AxisPlan]:
    """Return the plans of the whole of an array of `shape`, of voxels of 1, at voxels of `target`."""
    axes = [target_axis(n, 1.0, target) for n in shape]
    return [plan_axis(axis, 0, axis.stop, method) for axis in axes]


def slice_means(block: Array, factor: int) -> Array:
    """Return block means by adding strided slices, then dividing; what does not fill a block is left out."""
    held = [n // factor * factor for n in block.shape]
    total: Any = np.zeros([n // factor for n in held], _SUMS[block.dtype.name])
    for z in range(factor):
        for y in range(factor):
            for x in range(factor):
                total += block[z : held[0] : factor, y : held[1] : factor, x : held[2] : factor]
    mean: Array = (total // factor**3 if block.dtype.kind == "u" else total / factor**3).astype(block.dtype)
    return mean


def trilinear(block: Array, target: float = 0.5) -> Array:
    """Return `block` interpolated in float32, axis by axis."""
    out: Any = block.astype(np.float32)
    for axis, n in enumerate(block.shape):
        centre = (np.arange(int(n / target)) + 0.5) * target - 0.5
        lower = np.floor(centre).astype(int)
        shape = [1] * block.ndim
        shape[axis] = -1
        weight = (centre - lower).astype(np.float32).reshape(shape)
        low, high = np.clip(lower, 0, n - 1), np.clip(lower + 1, 0, n - 1)
        out = np.take(out, low, axis) * (1 - weight) + np.take(out, high, axis) * weight
    rounded: Array = (np.rint(out) if block.dtype.kind == "u" else out).astype(block.dtype)
    return rounded


def strided(block: Array, factor: int) -> Array:
    """Return a copy of the strided view that a nearest read by a whole factor is."""
    return np.array(block[(slice(factor // 2, None, factor),) * block.ndim])


def _means(block: Array, factor: int) -> Callable[[], Array]:
    return lambda: slice_means(block, factor)


def _linear(block: Array, target: float) -> Callable[[], Array]:
    return lambda: trilinear(block, target)


def _ours(block: Array, target: float, method: Method) -> Callable[[], Array]:
    chosen = plans(block.shape, target, method)
    part = block[tuple(slice(*plan.source) for plan in chosen)]
    return lambda: resample(part, chosen)
