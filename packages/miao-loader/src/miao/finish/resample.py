"""Crops at the patch's size: images between voxels, labels by whole ones.

Output voxel j of p looks at x = (j + 1/2) * n / p - 1/2 of the n voxels that were read, no further than the first and
the last one; images take the two voxels beside x per axis, labels voxel floor(j * n / p).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch

    from miao.records import Ints

Array = np.ndarray[Any, Any]

_MODES: Final = {1: "linear", 2: "bilinear", 3: "trilinear"}


def resize_image(crop: torch.Tensor, size: Ints) -> torch.Tensor:
    """Return an image at another size, as float32, between voxels: linear along every axis, nothing averaged.

    Parameters
    ----------
    crop
        Axes (..., n_1, ..., n_k): of the last k the image is resized, 1 to 4 of them. Any dtype that torch converts
        to float32, on any device.
    size
        Voxels of the result along each of the last k axes.

    Returns
    -------
    torch.Tensor
        float32 of shape (..., p_1, ..., p_k). The crop itself where it has that size and dtype already. What
        ``torch.nn.functional.interpolate(..., align_corners=False)`` gives: bit by bit for signed integers and floats;
        of unsigned integers, which the CPU does faster, the last bits may differ where a factor is not whole. A whole
        factor along every axis needs one voxel (odd) or the mean of two (even) of each, so NaN reaches no other.

    Examples
    --------
    >>> import torch
    >>> resize_image(torch.tensor([[0, 4, 8, 100]], dtype=torch.uint8), (2,))
    tensor([[ 2., 54.]])
    >>> resize_image(torch.tensor([1.0, 2.0]), (4,))
    tensor([1.0000, 1.2500, 1.7500, 2.0000])
    """
    import torch

    read = tuple(crop.shape[crop.ndim - len(size) :])
    if read == tuple(size):
        return crop.to(torch.float32)
    whole = all(n % p == 0 for n, p in zip(read, size, strict=True))
    sums = _sums(crop.dtype)
    # Other devices have a kernel for all axes at once that is fast.
    if sums is not None and (whole or (crop.device.type == "cpu" and not crop.dtype.is_signed)):
        return _of_integers(crop, size, sums)
    if whole:
        return _of_floats(crop.to(torch.float32), size)
    return _interpolated(crop.to(torch.float32), size)


def _sums(dtype: torch.dtype) -> torch.dtype | None:
    """Return integers that hold the sum of two values along each of four axes; None where float32 would round it."""
    import torch

    names = {"bool": torch.int16, "uint8": torch.int16, "int8": torch.int16, "int16": torch.int32}
    return (names | {"uint16": torch.int32}).get(str(dtype).removeprefix("torch."))


def _of_integers(crop: torch.Tensor, size: Ints, sums: torch.dtype) -> torch.Tensor:
    """Return small integers resized axis by axis: what shrinks first, of those the outermost."""
    import torch

    first = crop.ndim - len(size)
    # Torch does not calculate with uint16.
    values = crop.to(sums) if str(crop.dtype) == "torch.uint16" else crop
    halvings = 0
    # Along an outer axis whole rows are copied.
    for axis in sorted(range(first, crop.ndim), key=lambda axis: (crop.shape[axis] < size[axis - first], axis)):
        n, p = crop.shape[axis], size[axis - first]
        if n % p:
            values = _between(values, axis, p)
        elif n != p:
            values, above = _beside(values, axis, n // p)
            if above is not None:
                values = values.to(sums).add_(above) if values.dtype == crop.dtype else values + above
                halvings += 1
    values = values.to(torch.float32)
    return values.mul_(0.5**halvings) if halvings else values


def _of_floats(values: torch.Tensor, size: Ints) -> torch.Tensor:
    """Return float32 where along each axis a whole number of voxels becomes one; in torch's order, so with its bits."""
    halvings = 0
    for axis in range(-1, -len(size) - 1, -1):
        values, above = _beside(values, axis, values.shape[axis] // size[axis])
        if above is not None:
            values = values + above
            halvings += 1
    return values * 0.5**halvings


def _beside(values: torch.Tensor, axis: int, factor: int) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Return the voxels before the middle of every `factor`, and those after it; the middle ones where it is odd."""
    below = (factor - 1) // 2
    return _every(values, axis, below, factor), None if factor % 2 else _every(values, axis, below + 1, factor)


def _every(values: torch.Tensor, axis: int, first: int, step: int) -> torch.Tensor:
    index = [slice(None)] * values.ndim
    index[axis] = slice(first, None, step)
    return values[tuple(index)]


def _between(values: torch.Tensor, axis: int, p: int) -> torch.Tensor:
    """Return values at p places along one axis, as float32, each between two of them."""
    import torch

    shape = values.shape
    low, high, weights = _taps(shape[axis], p, values.device)
    if axis == values.ndim - 1:
        # Torch is quick to pick columns of a matrix, and slow to pick those of anything else.
        values, axis = values.reshape(-1, shape[-1]), 1
    below = values.index_select(axis, low).to(torch.float32)
    above = values.index_select(axis, high).to(torch.float32)
    found = below.lerp_(above, weights.view(-1, *(1,) * (values.ndim - axis - 1)))
    return found if found.ndim == len(shape) else found.view(*shape[:-1], p)


@lru_cache(maxsize=1024)
def _taps(n: int, p: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return for each of p places the voxel of n before it, the one after it, and the weight of that.

    Rounded to float32 where torch rounds, so that both read the same places.
    """
    import torch

    step = np.float64(np.float32(n) / np.float32(p))
    places = (step * (np.arange(p) + 0.5) - 0.5).astype(np.float32).clip(0, n - 1)
    low = np.floor(places).astype(np.int64)
    found = low, np.minimum(low + 1, n - 1), places - low.astype(np.float32)
    first, second, weights = (torch.from_numpy(array).to(device) for array in found)
    return first, second, weights


def _interpolated(values: torch.Tensor, size: Ints) -> torch.Tensor:
    """Return float32 resized by torch along the last axes; of four, the first of them afterwards."""
    lead = values.shape[: values.ndim - len(size)]
    read = values.shape[values.ndim - len(size) :]
    if len(size) < 4:
        return _by_torch(values.reshape(-1, *read), size).reshape(*lead, *size)
    inner = _by_torch(values.reshape(-1, *read[1:]), size[1:]).reshape(-1, read[0], math.prod(size[1:]))
    return _by_torch(inner, (size[0], inner.shape[2])).reshape(*lead, *size)


def _by_torch(values: torch.Tensor, size: Ints) -> torch.Tensor:
    """Return float32 of shape (channel, ...) resized along one to three axes."""
    from torch.nn.functional import interpolate

    return interpolate(values[None], size=tuple(size), mode=_MODES[len(size)], align_corners=False)[0]


def resize_labels(labels: Array, size: Ints) -> Array:
    """Return labels at another size by whole voxels: output j along an axis is voxel floor(j * n / p).

    Parameters
    ----------
    labels
        Any dtype; values are copied as they are.
    size
        Voxels of the result per axis.

    Returns
    -------
    numpy.ndarray
        Of the labels' dtype; the labels themselves, or a view of them, where no copy is needed.

    Examples
    --------
    >>> import numpy as np
    >>> resize_labels(np.arange(8), (3,)), resize_labels(np.arange(2), (4,))
    (array([0, 2, 5]), array([0, 0, 1, 1]))
    """
    return take_labels(labels, [_nearest(n, p) for n, p in zip(labels.shape, size, strict=True)])


def take_labels(labels: Array, maps: Sequence[Sequence[int] | Array | None]) -> Array:
    """Return labels at the given indices of every axis.

    Parameters
    ----------
    labels
        Any dtype, any number of axes.
    maps
        Per axis the index of each output voxel; None keeps the axis.

    Examples
    --------
    >>> import numpy as np
    >>> take_labels(np.arange(6).reshape(2, 3), [[1, 1], None])
    array([[3, 4, 5],
           [3, 4, 5]])
    """
    # The axis that loses most goes first, so that the others copy less.
    order = sorted(range(labels.ndim), key=lambda axis: _length(labels, maps, axis) / labels.shape[axis])
    for axis in order:
        chosen = maps[axis]
        if chosen is not None:
            labels = _taken(labels, axis, np.asarray(chosen, dtype=np.int64))
    return labels


def _length(labels: Array, maps: Sequence[Sequence[int] | Array | None], axis: int) -> int:
    chosen = maps[axis]
    return labels.shape[axis] if chosen is None else len(chosen)


def _taken(labels: Array, axis: int, chosen: Array) -> Array:
    """Return labels at indices of one axis: a view where the indices are evenly spaced."""
    step = int(chosen[1] - chosen[0]) if len(chosen) > 1 else 1
    first = int(chosen[0])
    if step > 0 and np.array_equal(chosen, np.arange(first, first + step * len(chosen), step)):
        index = [slice(None)] * labels.ndim
        index[axis] = slice(first, first + step * len(chosen), step)
        return labels[tuple(index)]
    return np.take(labels, chosen, axis=axis)


@lru_cache(maxsize=4096)
def _nearest(n: int, p: int) -> Array | None:
    if n == p:
        return None
    return np.arange(p, dtype=np.int64) * n // p
