"""Resampling reads, beside the read and the plain numpy that do the same job."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import stores
from harness import Goal, Growth, Line, timer
from memory import Peak

import worldarray as wa
from worldarray.resample import Method, plan_axis, resample, target_axis

Array = np.ndarray[Any, Any]
_SUMS = {"uint8": "uint16", "uint16": "uint32", "float32": "float64", "uint64": "uint64"}


def lines(root: Path, *, quick: bool) -> list[Line]:
    """Return the resampled reads of the speed table, on a cube of uint8."""
    path = _cube(root, 64 if quick else 256)
    volume = wa.open(path)
    means = "the tensorstore read, strided slices added up in numpy and divided"
    return [
        _line(volume, 2, "linear", "block mean by 2", lambda b: slice_means(b, 2), 2, means),
        _line(volume, 3, "linear", "block mean by 3", lambda b: slice_means(b, 3), 2, means),
        _line(volume, 0.5, "linear", "linear to half", trilinear, 1, "the tensorstore read, numpy in float32"),
        _nearest(volume, 8),
    ]


def peaks(root: Path, *, quick: bool) -> list[Peak]:
    """Return the reads of the speed table whose memory is bounded."""
    side = 64 if quick else 256
    path, size = _cube(root, side), side**3
    above = "the input's bytes; peak resident size above that of the open array, from a fresh process"
    output = "the output's bytes; peak resident size above that of the open array, from a fresh process"
    return [
        Peak(f"memory of block mean by 2, uint8 {side}^3", path, 2, size, 3, above),
        Peak(f"memory of block mean by 3, uint8 {side}^3", path, 3, size, 3, above),
        Peak(f"memory of linear to half, uint8 {side}^3", path, 0.5, 8 * size, 2, output, extra=64 << 20),
    ]


def growth(root: Path, *, quick: bool) -> list[Growth]:
    """Return each kernel at three volumes."""
    volumes = [wa.open(_cube(root, side)) for side in ((16, 32, 64) if quick else (64, 128, 256))]
    found = []
    for name, factor, method in (
        ("block mean by 2", 2, "linear"),
        ("linear to 1.7", 1.7, "linear"),
        ("nearest", 8, "nearest"),
    ):
        points = [(v.shape[0] ** 3, timer(_reading(v, factor, method))) for v in volumes]  # type: ignore[arg-type]
        found.append(Growth(f"read, {name}, by voxels", points))
    return found


def kernels(*, quick: bool) -> list[Line]:
    """Return the kernels alone beyond the table: other dtypes and ratios, on blocks in memory."""
    rng, side = np.random.default_rng(7), 32 if quick else 128
    small = rng.integers(0, 256, (side,) * 3, np.uint8)
    wide = small.astype(np.uint16) * 257
    real = rng.normal(size=(side,) * 3).astype(np.float32)
    labels = rng.integers(0, 2**63, (side,) * 3, np.uint64)
    found = []
    for block in (small, wide, real, labels):
        name = f"{block.dtype} {side}^3"
        for factor in (2, 3, 8):
            reference = timer(lambda b=block, f=factor: slice_means(b, f))  # type: ignore[misc]
            ours = timer(_alone(block, factor, "linear"))
            found.append(Line(f"kernel alone, block mean by {factor}, {name}", reference, ours, Goal(), "numpy slices"))
        for target in (0.5, 0.8, 1.25, 1.7, 1 / 3.14159265):
            reference = timer(lambda b=block, t=target: trilinear(b, t))  # type: ignore[misc]
            ours = timer(_alone(block, target, "linear"))
            found.append(
                Line(f"kernel alone, linear to {target:.3g}, {name}", reference, ours, Goal(), "numpy float32")
            )
    return found


# What is compared ----------------------------------------------------------------------------------------------------


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


def _line(
    volume: wa.WorldArray,
    factor: float,
    method: Method,
    name: str,
    plain: Callable[[Array], Array],
    goal: float,
    says: str,
) -> Line:
    store = volume.ts
    return Line(
        f"{name}, uint8 {volume.shape[0]}^3",
        timer(lambda: plain(store.read().result())),
        timer(_reading(volume, factor, method)),
        Goal(ratio=goal),
        f"{says}; files in the page cache",
        _job(volume, factor, method),
    )


def _nearest(volume: wa.WorldArray, factor: int) -> Line:
    strided = volume.ts[(slice(factor // 2, None, factor),) * volume.ndim]
    return Line(
        f"nearest by {factor}, uint8 {volume.shape[0]}^3",
        timer(lambda: strided.read().result()),
        timer(_reading(volume, factor, "nearest")),
        Goal(ratio=1.3),
        "the read of a strided tensorstore view; files in the page cache",
        _job(volume, factor, "nearest"),
    )


def _job(volume: wa.WorldArray, factor: float, method: Method) -> dict[str, object]:
    size = tuple(s * factor for s in volume.voxel_size)
    box = (volume.box.begin, volume.box.end)
    return {"op": "read", "path": volume.path, "box": box, "voxel_size": size, "method": method}


def _reading(volume: wa.WorldArray, factor: float, method: Method) -> Callable[[], Array]:
    size, box = tuple(s * factor for s in volume.voxel_size), volume.box
    return lambda: volume.read(box, voxel_size=size, method=method)


def _alone(block: Array, target: float, method: Method) -> Callable[[], Array]:
    axes = [target_axis(n, 1.0, target) for n in block.shape]
    plans = [plan_axis(axis, 0, axis.stop, method) for axis in axes]
    part = block[tuple(slice(*plan.source) for plan in plans)]
    return lambda: resample(part, plans)


def _cube(root: Path, side: int) -> Path:
    path = root / f"resample-{side}.zarr" / "s0"
    return path if path.exists() else stores.write(path, stores.shells(side), chunk=min(side, 64))
