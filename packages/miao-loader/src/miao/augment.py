"""Random changes of images and labels: tensors in, new tensors out; what comes out follows from the numbers of `rng`.

`rng` is the module ``numpy.random``, which PyTorch seeds anew in every worker, a ``RandomState`` or a ``Generator``.
What turns and moves takes several tensors and changes all of them alike; what changes intensities takes the image
alone. Nothing decides by itself whether it applies: that is for the function that composes them.

Spatial axes are given as ``spatial_dims``, in the order of the layout, counted from the end; `spatial_dims_for` derives
them. The three of them are slots 0, 1 and 2 of whatever names or permutes one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any, Final

from miao.errors import AugmentError
from miao.intensities import additive_noise, intensity_jitter, percentile_normalize
from miao.tensor_axes import (
    SLOTS,
    Dims,
    RandomNumbers,
    SpatialDims,
    check_cubes,
    check_rng,
    check_voxels,
    dims_of,
    integers,
    number_of,
    signed_bits,
    spatial_dims_for,
)

if TYPE_CHECKING:
    import torch

__all__ = [
    "additive_noise",
    "apply_rot90",
    "draw_rot90",
    "drop_sections",
    "intensity_jitter",
    "percentile_normalize",
    "rot90inplane",
    "rot90isocube",
    "shift_sections",
    "spatial_dims_for",
]

Flips = tuple[bool, ...]
LAST: Final = (-3, -2, -1)
"""The spatial axes of a layout in which they are the last three."""
ORDERS: Final = tuple(permutations(range(SLOTS)))


def draw_rot90(rng: RandomNumbers, *, fixed_axis: int | None = None) -> tuple[Dims, Flips]:
    """Return one symmetry of a cube, `perm` and `flips` for `apply_rot90`: each of the 48 is as likely as the others.

    One number chooses among the six orders of the slots, sorted; then one per slot, below a half, mirrors it. With a
    `fixed_axis` it is one of the 16 that leave that slot in place: the first number, below a half, exchanges the other
    two.

    Raises
    ------
    AugmentError
        `rng` draws no numbers, or `fixed_axis` is no slot.

    Examples
    --------
    >>> import numpy as np
    >>> perm, flips = draw_rot90(np.random.default_rng(1))
    >>> perm, flips
    ((1, 2, 0), (False, True, False))
    """
    check_rng(rng)
    if fixed_axis is None:
        perm = ORDERS[int(rng.random() * len(ORDERS))]
    else:
        first, second = _free(fixed_axis)
        slots = list(range(SLOTS))
        if rng.random() < 0.5:
            slots[first], slots[second] = second, first
        perm = tuple(slots)
    return perm, tuple(bool(rng.random() < 0.5) for _ in range(SLOTS))


def _free(fixed_axis: int) -> Dims:
    """Return the two slots that are not fixed."""
    if isinstance(fixed_axis, bool) or fixed_axis not in range(SLOTS):
        raise AugmentError(
            f"is {fixed_axis!r}; give 0, 1 or 2: the place of the axis among spatial_dims",
            code="out_of_range",
            at=("fixed_axis",),
        )
    return tuple(slot for slot in range(SLOTS) if slot != fixed_axis)


def apply_rot90(
    t: torch.Tensor, perm: Sequence[int], flips: Sequence[bool], spatial_dims: Sequence[int] = LAST
) -> torch.Tensor:
    """Return a copy, mirrored along the slots that `flips` says, in which then slot i holds what was slot ``perm[i]``.

    Raises
    ------
    AugmentError
        The patch is not cubic, `perm` is no order of 0, 1 and 2, there are not three `flips`, or `spatial_dims` are not
        three axes of the tensor.

    Examples
    --------
    >>> import torch
    >>> apply_rot90(torch.arange(8).view(2, 2, 2), (1, 0, 2), (True, False, False)).tolist()
    [[[4, 5], [0, 1]], [[6, 7], [2, 3]]]
    """
    dims = dims_of([t], spatial_dims)
    check_cubes([t], dims)
    order = integers(perm)
    if order not in ORDERS:
        raise AugmentError(f"is {perm!r}; give 0, 1 and 2 in some order", code="wrong_value", at=("perm",))
    if not hasattr(flips, "__len__"):
        raise AugmentError(f"is {flips!r}; give {SLOTS} booleans", code="wrong_type", at=("flips",))
    if len(flips) != SLOTS:
        raise AugmentError(f"has {len(flips)} entries; give {SLOTS}", code="wrong_length", at=("flips",))
    return _turned(t, dims[0], order, flips)


def _turned(tensor: torch.Tensor, dims: Dims, perm: Sequence[int], flips: Sequence[bool]) -> torch.Tensor:
    import torch

    order = list(range(tensor.ndim))
    for slot, source in enumerate(perm):
        order[dims[slot]] = dims[source]
    mirrored = [dim for dim, flip in zip(dims, flips, strict=True) if flip]
    bits = signed_bits(tensor)
    turned = torch.flip(bits, mirrored) if mirrored else bits
    return turned.permute(order).clone(memory_format=torch.contiguous_format).view(tensor.dtype)


def rot90isocube(
    rng: RandomNumbers, *tensors: torch.Tensor, spatial_dims: SpatialDims = LAST, pixel_size: Any = None
) -> tuple[torch.Tensor, ...]:
    """Return copies of the tensors, all turned and mirrored by one of the 48 symmetries of a cube.

    Parameters
    ----------
    rng
        What draws: four numbers.
    *tensors
        Images and labels; the spatial axes of each are of one length.
    spatial_dims
        The spatial axes: of every tensor, or a list of them per tensor.
    pixel_size
        Sizes of voxels, (3) or (scales, 3), that are to be equal along the three axes; not looked at by default.

    Raises
    ------
    AugmentError
        A patch is not cubic, or voxels are not.

    Examples
    --------
    >>> import numpy as np, torch
    >>> image, label = torch.rand(2, 1, 8, 8, 8), torch.ones(2, 8, 8, 8)
    >>> image, label = rot90isocube(np.random, image, label, pixel_size=[[8, 8, 8], [16, 16, 16]])
    """
    check_rng(rng)
    dims = dims_of(tensors, spatial_dims)
    check_cubes(tensors, dims)
    hint = "voxels of a cube have one size along all axes: rot90inplane keeps one axis in place"
    check_voxels(pixel_size, (0, 1, 2), hint)
    perm, flips = draw_rot90(rng)
    return tuple(_turned(tensor, axes, perm, flips) for tensor, axes in zip(tensors, dims, strict=True))


def rot90inplane(
    rng: RandomNumbers,
    *tensors: torch.Tensor,
    spatial_dims: SpatialDims = LAST,
    fixed_axis: int = 0,
    pixel_size: Any = None,
) -> tuple[torch.Tensor, ...]:
    """Return copies of the tensors, all turned and mirrored by one of the 16 symmetries that keep an axis in place.

    Parameters
    ----------
    rng
        What draws: four numbers.
    *tensors
        Images and labels; the spatial axes of each are of one length.
    spatial_dims
        The spatial axes: of every tensor, or a list of them per tensor.
    fixed_axis
        The slot that is exchanged with no other one, though it may be mirrored: where the layout has the axis of
        coarser voxels.
    pixel_size
        Sizes of voxels, (3) or (scales, 3), that are to be equal along the other two axes; not looked at by default.

    Raises
    ------
    AugmentError
        A patch is not cubic, voxels are not square, or `fixed_axis` is none of 0, 1 and 2.

    Examples
    --------
    >>> import numpy as np, torch
    >>> (turned,) = rot90inplane(np.random, torch.rand(1, 1, 8, 8, 8), fixed_axis=0, pixel_size=(40, 8, 8))
    """
    check_rng(rng)
    dims = dims_of(tensors, spatial_dims)
    check_cubes(tensors, dims)
    free = _free(fixed_axis)
    check_voxels(pixel_size, free, f"axes {free} are exchanged, so that they need one size; fixed_axis names another")
    perm, flips = draw_rot90(rng, fixed_axis=fixed_axis)
    return tuple(_turned(tensor, axes, perm, flips) for tensor, axes in zip(tensors, dims, strict=True))


def shift_sections(
    rng: RandomNumbers,
    *tensors: torch.Tensor,
    prob: float = 0.05,
    magnitude: int = 10,
    spatial_dims: SpatialDims = LAST,
) -> tuple[torch.Tensor, ...]:
    """Return the tensors with some sections moved within their plane, as badly aligned ones are.

    One axis is drawn; of the sections across it each is moved with the probability `prob`, along both other axes by a
    whole number of voxels from -`magnitude` to `magnitude`, each as likely. What leaves on one side comes in on the
    other. All tensors, and all scales and channels, move alike. Where nothing moves the tensors themselves come back.

    Raises
    ------
    AugmentError
        Tensors of other spatial shapes, no probability, or a magnitude that is no whole number of voxels.

    Examples
    --------
    >>> import numpy as np, torch
    >>> image, label = torch.rand(1, 1, 8, 8, 8), torch.ones(1, 8, 8, 8)
    >>> image, label = shift_sections(np.random, image, label, prob=0.2, magnitude=3)
    """
    check_rng(rng)
    prob = number_of(prob, "prob", 0, 1)
    steps = int(number_of(magnitude, "magnitude", 0, 2**31))
    if steps != magnitude:
        raise AugmentError(f"is {magnitude}; give a whole number of voxels", code="wrong_type", at=("magnitude",))
    dims = dims_of(tensors, spatial_dims)
    shapes = [tuple(tensor.shape[dim] for dim in axes) for tensor, axes in zip(tensors, dims, strict=True)]
    if len(set(shapes)) > 1:
        raise AugmentError(
            f"have spatial shapes {shapes}; sections of one shape move alike: one call for each shape",
            code="conflict",
            at=("tensors",),
        )
    if not tensors:
        return ()
    slot = int(rng.random() * SLOTS)
    moves = {}
    for section in range(shapes[0][slot]):
        if rng.random() < prob:
            offsets = (_offset(rng, steps), _offset(rng, steps))
            if any(offsets):
                moves[section] = offsets
    return tuple(_moved(tensor, axes, slot, moves) for tensor, axes in zip(tensors, dims, strict=True))


def _offset(rng: RandomNumbers, most: int) -> int:
    return int(rng.random() * (2 * most + 1)) - most


def _moved(tensor: torch.Tensor, dims: Dims, slot: int, moves: dict[int, tuple[int, int]]) -> torch.Tensor:
    import torch

    if not moves:
        return tensor
    moved = tensor.clone()
    plane = tuple(dim for place, dim in enumerate(dims) if place != slot)
    for section, offsets in moves.items():
        before = tensor.narrow(dims[slot], section, 1)
        moved.narrow(dims[slot], section, 1).copy_(torch.roll(before, offsets, plane))
    return moved


def drop_sections(
    rng: RandomNumbers, img: torch.Tensor, prob: float = 0.05, spatial_dims: SpatialDims = LAST
) -> torch.Tensor:
    """Return the image with some sections blanked to 0, as lost ones are; labels keep what passes through them.

    One axis is drawn; of the sections across it each is blanked with the probability `prob`, in all scales and
    channels. Where none is, the image itself comes back.

    Raises
    ------
    AugmentError
        No tensor with three spatial axes, or no probability.

    Examples
    --------
    >>> import numpy as np, torch
    >>> drop_sections(np.random, torch.ones(1, 1, 8, 8, 8), prob=1).sum().item()
    0.0
    """
    check_rng(rng)
    prob = number_of(prob, "prob", 0, 1)
    (dims,) = dims_of([img], spatial_dims)
    dim = dims[int(rng.random() * SLOTS)]
    lost = [section for section in range(img.shape[dim]) if rng.random() < prob]
    if not lost:
        return img
    dropped = img.clone()
    for section in lost:
        dropped.narrow(dim, section, 1).zero_()
    return dropped
