"""What each dtype is summed in and how it is rounded back: integers exactly, never through a float that loses a bit."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from worldarray.errors import ArgumentError, problem
from worldarray.resample.kernels import Array, Kernel, Mean, Pick
from worldarray.resample.rounding import divide_half_even
from worldarray.resample.sums import weighted_sums

_NARROW: Final = {"int2": "int8", "int4": "int8", "uint2": "uint8", "uint4": "uint8", "int1": "int8", "uint1": "uint8"}
_HALF_LIMB: Final = 2**31
_SUMS: Final = {"u": ("uint16", "uint32", "uint64"), "i": ("int16", "int32", "int64")}


def working_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the native dtype that values are taken as: bool as uint8, int4 as int8, bfloat16 and float8 as float32.

    Raises
    ------
    ArgumentError
        Values of the dtype have no mean: text, bytes, structures.
    """
    if dtype.name in _NARROW:
        return np.dtype(_NARROW[dtype.name])
    if dtype.kind == "b":
        return np.dtype(np.uint8)
    if dtype.kind in "iufc" and dtype.isbuiltin != 2:
        native: np.dtype[Any] = dtype.newbyteorder("=")
        return native
    if dtype.name.startswith(("bfloat", "float")):
        return np.dtype(np.float32)
    message = f"values of dtype {dtype} cannot be averaged; use method='nearest'"
    raise ArgumentError(problem("unsupported", ("method",), message))


def combine(block: Array, kernels: Sequence[Kernel]) -> Array:
    """Return the means and interpolations of `block`, of a dtype that `working_dtype` returns, in that dtype."""
    if block.dtype.kind == "f":
        return _floats(block, kernels)
    gain = math.prod(kernel.gain for kernel in kernels)
    limits = np.iinfo(block.dtype)
    sums = _sums_dtype(block.dtype, int(limits.min), int(limits.max), gain)
    if sums is None and block.dtype.itemsize == 8:  # what these values need, rather than what any could
        sums = _sums_dtype(block.dtype, int(block.min()), int(block.max()), gain)
    if sums is not None:
        return _divided(weighted_sums(block, kernels, sums), kernels).astype(block.dtype, copy=False)
    if gain < _HALF_LIMB:
        return _two_limbs(block, kernels)
    if block.dtype.itemsize <= 4:
        return _filtered(block, kernels)
    whole = _divided(weighted_sums(block.astype(object), kernels, np.dtype(object)), kernels)
    return whole.astype(block.dtype)


def _sums_dtype(dtype: np.dtype[Any], low: int, high: int, gain: int) -> np.dtype[Any] | None:
    """Return the narrowest dtype that holds sums of values of [low, high] and half a divisor more; None if none."""
    for name in _SUMS[dtype.kind]:
        limits = np.iinfo(name)
        if low * gain >= limits.min and (high + 1) * gain <= limits.max:
            return np.dtype(name)
    return None


def _boxes(kernels: Sequence[Kernel]) -> list[tuple[tuple[slice, ...], int]]:
    """Return the boxes of targets that share one denominator, with it."""
    found = []
    for box in itertools.product(*(kernel.runs() for kernel in kernels)):
        found.append((tuple(slice(first, stop) for first, stop, _ in box), math.prod(d for _, _, d in box)))
    return found


def _divided(sums: Array, kernels: Sequence[Kernel]) -> Array:
    boxes = _boxes(kernels)
    if len(boxes) == 1:
        return divide_half_even(sums, boxes[0][1])
    for box, denominator in boxes:
        sums[box] = divide_half_even(sums[box], denominator)
    return sums


def _two_limbs(block: Array, kernels: Sequence[Kernel]) -> Array:
    """Sum upper and lower halves apart; signed values are moved up by an even number first and back afterwards."""
    signed = block.dtype.kind == "i"
    wide = block.astype(np.int64 if signed else np.uint64).view(np.uint64)
    flip = np.uint64(2**63 if signed else 0)
    wide = wide ^ flip
    sums = np.dtype(np.uint64)
    high = weighted_sums(wide >> np.uint64(32), kernels, sums)
    low = weighted_sums(wide & np.uint64(2**32 - 1), kernels, sums)
    for box, denominator in _boxes(kernels):
        divisor = np.uint64(denominator)
        top = high[box] // divisor
        rest = ((high[box] - top * divisor) << np.uint64(32)) + low[box]
        high[box] = (top << np.uint64(32)) + _round_uint64(rest, divisor)
    out: Array = (high ^ flip).view(np.int64 if signed else np.uint64).astype(block.dtype)
    return out


def _round_uint64(rest: Array, divisor: np.uint64) -> Array:
    quotient = rest // divisor
    left = rest - quotient * divisor
    over = divisor - left
    up = (left > over) | ((left == over) & ((quotient & np.uint64(1)) == 1))
    return np.asarray(quotient + up.astype(np.uint64))


def _floats(block: Array, kernels: Sequence[Kernel]) -> Array:
    sums = np.dtype(np.float32 if block.dtype.itemsize == 2 else np.result_type(block.dtype, np.float64))
    with np.errstate(all="ignore"):
        out = _float_means(block, kernels, sums)
        if block.dtype.itemsize >= 8 and not np.isfinite(out).all():
            factor = np.ldexp(sums.type(1), math.prod(k.factor for k in kernels if isinstance(k, Mean)).bit_length())
            spare = _float_means(block / factor, kernels, sums) * factor
            out = np.where(np.isfinite(out), out, spare)
        return out.astype(block.dtype, copy=False)


def _float_means(block: Array, kernels: Sequence[Kernel], sums: np.dtype[Any]) -> Array:
    out = weighted_sums(block, kernels, sums)
    means = [kernel for kernel in kernels if isinstance(kernel, Mean)]
    if not means:
        return out
    plain = [k if isinstance(k, Mean) else Pick(slice(0, k.count, 1), k.count) for k in kernels]
    for box, denominator in _boxes(plain):
        out[box] /= denominator
    return out


def _filtered(block: Array, kernels: Sequence[Kernel]) -> Array:
    """Compute in float64, then again exactly where the rounding hangs on less than the error of that."""
    limits = np.iinfo(block.dtype)
    steps = sum(kernel.factor if isinstance(kernel, Mean) else 4 for kernel in kernels) + 4
    error = 2.0**-52 * max(limits.max, -limits.min) * steps
    close = _float_means(block, kernels, np.dtype(np.float64))
    whole = np.rint(close)
    out = whole.astype(block.dtype)
    for index in np.argwhere(np.abs(close - whole) >= 0.5 - error):
        out[tuple(index)] = round(exact_value(block, kernels, tuple(int(i) for i in index)))
    return out


def exact_value(block: Array, kernels: Sequence[Kernel], index: Sequence[int]) -> Fraction:
    """Return the value at one target index as an exact fraction."""
    total = Fraction(0)
    for terms in itertools.product(*(_terms(kernel, i) for kernel, i in zip(kernels, index, strict=True))):
        total += math.prod(weight for _, weight in terms) * int(block[tuple(source for source, _ in terms)])
    return total


def _terms(kernel: Kernel, index: int) -> list[tuple[int, Fraction]]:
    if isinstance(kernel, Pick):
        if isinstance(kernel.index, slice):
            return [(kernel.index.start + index * kernel.index.step, Fraction(1))]
        return [(int(kernel.index[index]), Fraction(1))]
    if isinstance(kernel, Mean):
        low, high = kernel.bounds(index)
        return [(i, Fraction(1, high - low)) for i in range(low, high)]
    lower, weight = int(kernel.lower[index]), Fraction(int(kernel.weight[index]), kernel.denominator)
    return [(lower, 1 - weight)] + ([(lower + 1, weight)] if weight else [])
