"""Targets made of labels: the same every time. Each takes one volume (z, y, x): loop over the scales of a sample.

Compose them after random augmentations, since affinities have a direction, and erode before taking affinities.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import TYPE_CHECKING, Any, Final

from miao.errors import AugmentError
from miao.tensor_axes import check_tensor, signed_bits

if TYPE_CHECKING:
    import torch

__all__ = ["NEAREST_NEIGHBORHOOD", "affinities", "erode_labels"]

NEAREST_NEIGHBORHOOD: Final = ((-1, 0, 0), (0, -1, 0), (0, 0, -1))
"""The voxel before along z, along y and along x."""
NDIM: Final = 3


def erode_labels(labels: torch.Tensor, steps: int = 1, only_xy: bool = False) -> torch.Tensor:
    """Return a copy (z, y, x) in which voxels at the border of their object are background, 0.

    In one step every voxel becomes 0 that has a neighbour of another label, background included, along z, y or x; with
    `only_xy`, for voxels that are longer along z, along y or x. Where objects touch, a gap of `steps` voxels opens on
    each side. The faces of the volume are no border: what lies beyond them is not known.

    Raises
    ------
    AugmentError
        No tensor of three axes, or a number of steps below 0.

    Examples
    --------
    >>> import torch
    >>> erode_labels(torch.tensor([[[1, 1, 1, 1, 2, 2, 2, 2]]])).tolist()
    [[[1, 1, 1, 0, 0, 2, 2, 2]]]
    """
    import torch

    _check_volume(labels)
    if isinstance(steps, bool) or not hasattr(steps, "__index__") or index(steps) < 0:
        raise AugmentError(f"is {steps!r}; give a whole number from 0", code="out_of_range", at=("steps",))
    eroded = labels.clone()
    bits = signed_bits(eroded)
    for _ in range(index(steps)):
        border = torch.zeros(bits.shape, dtype=torch.bool, device=bits.device)
        for axis in range(1 if only_xy else 0, NDIM):
            length = bits.shape[axis]
            if length > 1:
                differs = bits.narrow(axis, 1, length - 1) != bits.narrow(axis, 0, length - 1)
                border.narrow(axis, 1, length - 1).logical_or_(differs)
                border.narrow(axis, 0, length - 1).logical_or_(differs)
        bits.masked_fill_(border, 0)
    return eroded


def affinities(labels: torch.Tensor, neighborhood: Sequence[Sequence[int]] = NEAREST_NEIGHBORHOOD) -> torch.Tensor:
    """Return one map per neighbour, float32 (c, z, y, x): 1 where a voxel and that neighbour have one non-zero label.

    A neighbour is given as its offset in voxels (z, y, x). Where it lies outside the volume the map is 0, so that it is
    0 everywhere for an offset of the volume's size or more. Maps are where the labels are.

    Raises
    ------
    AugmentError
        No tensor of three axes, or an offset that is not three whole numbers.

    Examples
    --------
    >>> import torch
    >>> affinities(torch.tensor([[[0, 0, 1, 1, 2]]]), [(0, 0, -1), (0, 0, 1)]).tolist()
    [[[[0.0, 0.0, 0.0, 1.0, 0.0]]], [[[0.0, 0.0, 1.0, 0.0, 0.0]]]]
    """
    import torch

    _check_volume(labels)
    labels = signed_bits(labels)
    offsets = _offsets(neighborhood)
    maps = torch.zeros((len(offsets), *labels.shape), dtype=torch.float32, device=labels.device)
    foreground = labels != 0
    for found, offset in zip(maps, offsets, strict=True):
        if any(abs(step) >= size for step, size in zip(offset, labels.shape, strict=True)):
            continue
        here = tuple(slice(max(0, -step), size - max(0, step)) for step, size in zip(offset, labels.shape, strict=True))
        there = tuple(slice(part.start + step, part.stop + step) for part, step in zip(here, offset, strict=True))
        found[here] = ((labels[here] == labels[there]) & foreground[here]).to(torch.float32)
    return maps


def _offsets(neighborhood: Any) -> list[tuple[int, ...]]:
    """Return offsets (z, y, x) of a nested list, an array or a tensor."""
    at = ("neighborhood",)
    try:
        offsets = [tuple(index(step) for step in offset) for offset in neighborhood]
    except TypeError:
        raise AugmentError(
            f"is {neighborhood!r}; give offsets (z, y, x) in whole voxels, such as {NEAREST_NEIGHBORHOOD}",
            code="wrong_type",
            at=at,
        ) from None
    for number, offset in enumerate(offsets):
        if len(offset) != NDIM:
            raise AugmentError(
                f"{offset} has {len(offset)} entries; give {NDIM} (z, y, x)", code="wrong_length", at=(*at, number)
            )
    return offsets


def _check_volume(labels: torch.Tensor) -> None:
    check_tensor(labels, ("labels",))
    if labels.ndim != NDIM:
        hint = "leave out the empty label of a volume without labels" if labels.numel() == 0 else "loop over the scales"
        raise AugmentError(
            f"has {labels.ndim} axes, {tuple(labels.shape)}; give one volume, {NDIM} axes (z, y, x): {hint}",
            code="wrong_length",
            at=("labels",),
        )
