"""Crops at the patch's size: images between voxels, labels by whole ones.

Output voxel j of p looks at x = (j + 1/2) * n / p - 1/2 of the n voxels that were read, no further than the first and
the last one; images take the two voxels beside x per axis, labels voxel floor(j * n / p).
"""

from __future__ import annotations

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
        ``torch.nn.functional.interpolate(..., align_corners=False)`` gives: bit by bit for floats; for integers the
        last bits may differ. A whole factor along an axis needs one voxel (odd) or the mean of two (even), so NaN
        reaches no other.

    Examples
    --------
    >>> import torch
    >>> resize_image(torch.tensor([[0, 4, 8, 100]], dtype=torch.uint8), (2,))
    tensor([[ 2., 54.]])
    >>> resize_image(torch.tensor([1.0, 2.0]), (4,))
    tensor([1.0000, 1.2500, 1.7500, 2.0000])
    """
    import torch

    rank = len(size)
    lead = crop.shape[: crop.ndim - rank]
    read = tuple(crop.shape[crop.ndim - rank :])
    if read == tuple(size):
        return crop.to(torch.float32)
    if all(n % p == 0 for n, p in zip(read, size, strict=True)):
        return _by_whole_factors(crop, size)
    values = crop.to(torch.float32).reshape(-1, *read)
    if rank == 4:
        values = _interpolated(values.flatten(0, 1), size[1:]).reshape(-1, read[0], *size[1:])
        values = _interpolated(values.flatten(2), (size[0], values[0, 0].numel()))
    else:
        values = _interpolated(values, size)
    return values.reshape(*lead, *size)


def _interpolated(values: torch.Tensor, size: Ints) -> torch.Tensor:
    """Return float32 of shape (channel, ...) at another size along the axes after the first."""
    from torch.nn.functional import interpolate

    return interpolate(values[None], size=tuple(size), mode=_MODES[len(size)], align_corners=False)[0]


def _by_whole_factors(crop: torch.Tensor, size: Ints) -> torch.Tensor:
    """Return the crop where along each axis a whole number of voxels becomes one."""
    import torch

    values = crop.to(torch.float32)
    halvings = 0
    for axis in range(-1, -len(size) - 1, -1):
        factor = values.shape[axis] // size[axis]
        if factor == 1:
            continue
        below = (factor - 1) // 2
        taken = _every(values, axis, below, factor)
        if factor % 2 == 0:
            taken = taken + _every(values, axis, below + 1, factor)
            halvings += 1
        values = taken
    return torch.mul(values, 0.5**halvings)


def _every(values: torch.Tensor, axis: int, first: int, step: int) -> torch.Tensor:
    index = [slice(None)] * values.ndim
    index[axis] = slice(first, None, step)
    return values[tuple(index)]


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
