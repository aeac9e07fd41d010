"""The crops of one sample become its tensors: resampled, normalised, in the order of the output axes, in one pass."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from miao.errors import ReadError
from miao.finish.normalise import normalise, patch_normalise
from miao.finish.resample import resize_image, resize_labels, take_labels
from miao.finish.threads import one_thread

if TYPE_CHECKING:
    import torch

    from miao.records import FinishPolicy, Ints

Array = np.ndarray[Any, Any]
LabelMaps = Sequence[Sequence[Sequence[int] | Array]]
"""Per scale and per axis in the store's order, the index in the crop of each output voxel."""

_DIRECT: Final = frozenset(map(np.dtype, ("?", "u1", "i1", "i2", "i4", "i8", "f2", "f4", "f8")))
"""What every torch takes from numpy and computes with."""
_BLOCK: Final = 3600
"""Values from which on torch exchanges the axes of a matrix in blocks."""


@dataclass(frozen=True)
class Layout:
    """Where the axes of crops go, of one policy."""

    scales: int
    """Position of l in the output."""
    channel: int | None
    """Position of c in a crop, None where there is none."""
    dropped: bool
    """The crop has a channel, one long, and the output has none."""
    added: int | None
    """Position of c in the output without l where the crop has none."""
    image: Ints
    """For each axis of a crop (without a dropped channel), its position in the output without l and an added c."""
    image_inner: int
    """The axis of a crop (without a dropped channel) that comes last."""
    label_scales: int
    label: Ints
    """For each axis of a label crop, its position in the output without l and c."""
    label_inner: int


@lru_cache(maxsize=256)
def layout(read_axes: str, output_axes: str) -> Layout:
    """Return where the axes of crops go.

    Examples
    --------
    >>> layout("czyx", "lcxyz").image, layout("zyx", "lzyxc").added
    ((0, 3, 2, 1), 3)
    """
    rest = output_axes.replace("l", "")
    labels = rest.replace("c", "")
    dropped = "c" in read_axes and "c" not in output_axes
    kept = read_axes.replace("c", "") if dropped else read_axes
    added = rest.index("c") if "c" in rest and "c" not in read_axes else None
    places = labels if added is not None else rest
    image = tuple(places.index(axis) for axis in kept)
    label = tuple(labels.index(axis) for axis in read_axes.replace("c", ""))
    return Layout(
        scales=output_axes.index("l"),
        channel=read_axes.index("c") if "c" in read_axes else None,
        dropped=dropped,
        added=added,
        image=image,
        image_inner=image.index(max(image)),
        label_scales=output_axes.replace("c", "").index("l"),
        label=label,
        label_inner=label.index(max(label)),
    )


def shapes(policy: FinishPolicy, n_scales: int, channels: int | None = None) -> tuple[Ints, Ints]:
    """Return the shapes of a sample's image and of its labels.

    Parameters
    ----------
    policy
        The axes and the patch.
    n_scales
        How long l is.
    channels
        How long c is, where the output has it; 1 where no channel is stored.

    Examples
    --------
    >>> from miao.records import FinishPolicy
    >>> shapes(FinishPolicy("czyx", "lcxyz", (4, 5, 6), "uint8"), 2, 3)
    ((2, 3, 6, 5, 4), (2, 6, 5, 4))
    """
    size = dict(zip(policy.read_axes.replace("c", ""), policy.patch, strict=True))
    size |= {"l": n_scales, "c": channels or 1}
    image = tuple(size[axis] for axis in policy.output_axes)
    return image, tuple(size[axis] for axis in policy.output_axes if axis != "c")


def finish_sample(
    images: Sequence[Array],
    labels: Sequence[Array] | None,
    policy: FinishPolicy,
    coarsest: int,
    img_out: torch.Tensor,
    label_out: torch.Tensor | None,
    label_maps: LabelMaps | None = None,
) -> None:
    """Write the finished sample into its tensors.

    Parameters
    ----------
    images
        One crop per scale, axes as ``policy.read_axes``, of the stored dtype.
    labels
        One crop per scale, axes of the store without c; None where there are none.
    policy
        What is done to them.
    coarsest
        The scale whose statistics standardise all of them, where the policy says so.
    img_out, label_out
        Written to: contiguous, of the shapes of `shapes`, of ``policy.image_dtype`` and ``policy.label_dtype``.
    label_maps
        Per scale and axis which label voxel each output voxel takes; by whole voxels of the crop where it is absent.

    Raises
    ------
    ReadError
        Labels that are stored as floats are no whole numbers.

    Examples
    --------
    >>> import numpy as np, torch
    >>> from miao.records import FinishPolicy
    >>> out = torch.empty(1, 2, 2)
    >>> finish_sample([np.uint8([[0, 51], [102, 255]])], None, FinishPolicy("yx", "lyx", (2, 2), "uint8"), 0, out, None)
    >>> out
    tensor([[[0.0000, 0.2000],
             [0.4000, 1.0000]]])
    """
    with one_thread():
        finish_images_of([as_tensor(image) for image in images], policy, coarsest, img_out)
        if labels is not None and label_out is not None:
            finish_labels(labels, policy, label_out, label_maps)


def finish_images_of(crops: Sequence[torch.Tensor], policy: FinishPolicy, coarsest: int, out: torch.Tensor) -> None:
    """Write the crops of one sample, resampled, normalised and put in order, into `out`."""
    import torch

    where = layout(policy.read_axes, policy.output_axes)
    # Everything happens in float32; a narrower dtype is what it ends in.
    stack = out if out.dtype == torch.float32 else torch.empty(out.shape, dtype=torch.float32, device=out.device)
    for scale, crop in enumerate(crops):
        _place(computable(crop), policy, where, stack.select(where.scales, scale))
    if policy.normalisation.per_patch:
        patch_normalise(stack, where.scales, coarsest)
    if stack is not out:
        out.copy_(stack)


def computable(crop: torch.Tensor) -> torch.Tensor:
    """Return the crop in a dtype that torch computes with: float32 for the unsigned integers that it only copies."""
    import torch

    # Newer torch has them; it computes with uint16 where this package does.
    copied = getattr(torch, "uint32", None), getattr(torch, "uint64", None)
    return crop.to(torch.float32) if crop.dtype in copied else crop


def _place(crop: torch.Tensor, policy: FinishPolicy, where: Layout, out: torch.Tensor) -> None:
    """Write one crop into its scale of the output."""
    if where.dropped:
        assert where.channel is not None
        crop = crop.select(where.channel, 0)
    if where.added is not None:
        out = out.select(where.added, 0)
    values = resized(crop, None if where.dropped else where.channel, policy.patch)
    values = in_order_of(values, where.image_inner)
    normalise(values, policy.source_dtype, policy.normalisation, out.permute(where.image))


def resized(crop: torch.Tensor, channel: int | None, patch: Ints) -> torch.Tensor:
    """Return a crop at the patch's size: float32, or as it is where it has that size; axes stay where they are."""
    if channel is None:
        return crop if tuple(crop.shape) == patch else resize_image(crop, patch)
    first = crop.movedim(channel, 0)
    return crop if tuple(first.shape[1:]) == patch else resize_image(first, patch).movedim(0, channel)


def in_order_of(values: torch.Tensor, inner: int) -> torch.Tensor:
    """Return the values so that an axis is the one stored last: exchanging axes is fast in blocks only."""
    import torch

    if inner == values.ndim - 1 or not values.is_contiguous():
        return values
    before, length = math.prod(values.shape[:inner]), values.shape[inner]
    if values.numel() < before * _BLOCK:
        return values
    blocks = values.reshape(before, length, -1)
    moved = torch.empty((before, blocks.shape[2], length), dtype=values.dtype, device=values.device)
    for source, exchanged in zip(blocks, moved, strict=True):
        exchanged.copy_(source.t())
    shape = (*values.shape[:inner], *values.shape[inner + 1 :], length)
    return moved.view(shape).movedim(-1, inner)


def finish_labels(
    labels: Sequence[Array], policy: FinishPolicy, out: torch.Tensor, label_maps: LabelMaps | None = None
) -> None:
    """Write the label crops of one sample, at the patch's size and in order, into `out`; never through floats."""
    import torch

    where = layout(policy.read_axes, policy.output_axes)
    for scale, crop in enumerate(labels):
        taken = resize_labels(crop, policy.patch) if label_maps is None else take_labels(crop, label_maps[scale])
        values = torch.from_numpy(_plain(whole_numbers(taken, policy.label_dtype)))
        target = out.select(where.label_scales, scale).permute(where.label)
        target.copy_(in_order_of(values, where.label_inner))


def whole_numbers(labels: Array, dtype: str) -> Array:
    """Return labels as integers: those that are no integers, and those that torch does not compute with, converted.

    Raises
    ------
    ReadError
        A label stored as a float is no whole number, or one that int64 does not hold.
    """
    if labels.dtype.kind == "f":
        exact = labels.astype(np.float64)
        odd = ~((np.abs(exact) < 2.0**63) & (np.floor(exact) == exact))
        if odd.any():
            raise ReadError(
                f"a label is {exact[odd][0]}; labels are whole numbers of int64, store them as integers",
                code="wrong_value",
            )
        return exact.astype(dtype)
    return labels if labels.dtype in _DIRECT else labels.astype(dtype)


def as_tensor(crop: Array) -> torch.Tensor:
    """Return a crop as a tensor of its own dtype; float32 where torch has no such dtype.

    Nothing is copied where the array is contiguous, writable and of this machine's byte order.

    Examples
    --------
    >>> import numpy as np
    >>> as_tensor(np.zeros((2, 3), "u1")).dtype, as_tensor(np.zeros(2, ">i2")).dtype
    (torch.uint8, torch.int16)
    """
    import torch

    crop = _plain(crop)
    if crop.dtype not in _DIRECT and (crop.dtype.kind != "u" or not hasattr(torch, crop.dtype.name)):
        crop = crop.astype(np.float32)
    return torch.from_numpy(crop)


def _plain(array: Array) -> Array:
    """Return the array in this machine's byte order, contiguous and writable, as torch wants it."""
    flags = array.flags
    if flags.c_contiguous and flags.writeable and array.dtype.isnative:
        return array
    return np.array(array, dtype=array.dtype.newbyteorder("="), order="C")
