"""Resampling a block of source voxels by one plan per axis."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from worldarray.errors import ArgumentError, problem
from worldarray.resample.arithmetic import combine, working_dtype
from worldarray.resample.kernels import Array, Kernel, Pick
from worldarray.resample.plans import AxisPlan
from worldarray.resample.sums import pick

_TILE_BYTES: Final = 2**20
"""How much is worked on at once, in sums of twice the width of a value: what a cache holds."""


def resample(block: Array, plans: Sequence[AxisPlan]) -> Array:
    """Return the target voxels `inside` of every plan, made of the source voxels `source` of every plan.

    `block` holds just those source voxels, one axis per plan. The result has its dtype in native byte order and is
    C-contiguous. Integers are exact and rounded once, half to even, at the end; bool counts as 0 and 1. A target
    voxel's value depends on its own source voxels alone. Where nothing is to be done the block itself comes back.

    Raises
    ------
    ArgumentError
        The block does not have the plans' shape, or its dtype has no means or interpolations.

    Examples
    --------
    >>> from worldarray.resample import plan_axis, resample, target_axis
    >>> plan = plan_axis(target_axis(5, 4.0, 8.0), 0, 3, "linear")
    >>> resample(np.array([1, 2, 4, 7, 9], "uint8"), [plan])
    array([2, 6, 9], dtype=uint8)
    """
    wanted = tuple(plan.source[1] - plan.source[0] for plan in plans)
    if block.shape != wanted:
        message = f"the block has shape {block.shape} but the plans read {wanted} voxels; give what they name as source"
        raise ArgumentError(problem("wrong_length", ("block",), message))
    kernels = [plan.kernel for plan in plans]
    if all(isinstance(kernel, Pick) for kernel in kernels):
        out = pick(block, kernels)
        if out.shape == block.shape and all(plan.picked == slice(*plan.source, 1) for plan in plans):
            out = block
    else:
        out = np.empty(tuple(kernel.count for kernel in kernels), block.dtype.newbyteorder("="))
        _fill(block, kernels, out)
    if any(plan.repeat != (0, 0) for plan in plans):
        out = np.pad(out, [plan.repeat for plan in plans], mode="edge")
    if out.flags.c_contiguous and out.flags.writeable and out.dtype.isnative:
        return out
    return np.array(out, out.dtype.newbyteorder("="), order="C")


def _fill(block: Array, kernels: Sequence[Kernel], out: Array) -> None:
    working = working_dtype(block.dtype)
    if working.kind == "c":
        _fill(block.real, kernels, out.real)
        _fill(block.imag, kernels, out.imag)
        return
    for tile in _tiles(kernels, _TILE_BYTES // (2 * working.itemsize)):
        cuts = [kernel.cut(part.start, part.stop) for kernel, part in zip(kernels, tile, strict=True)]
        source = block[tuple(slice(low, high) for low, high, _ in cuts)].astype(working, copy=False)
        out[tile] = combine(source, [kernel for _, _, kernel in cuts])


def _tiles(kernels: Sequence[Kernel], room: int) -> Iterator[tuple[slice, ...]]:
    """Yield the parts of a target of about `room` voxels, of it or of its source: boxes long along the last axis."""
    shape = [kernel.count for kernel in kernels]
    if 0 in shape:
        return
    steps = list(shape)
    while math.prod(steps[a] * max(kernel.density, 1) for a, kernel in enumerate(kernels)) > room:
        longest = max(range(len(steps) - 1), key=steps.__getitem__, default=-1)
        axis = longest if longest >= 0 and steps[longest] > 1 else len(steps) - 1
        if steps[axis] == 1:
            break
        steps[axis] = -(-steps[axis] // 2)
    ranges = [range(0, size, step) for size, step in zip(shape, steps, strict=True)]
    for starts in itertools.product(*ranges):
        yield tuple(
            slice(start, min(start + r.step, size)) for start, r, size in zip(starts, ranges, shape, strict=True)
        )
