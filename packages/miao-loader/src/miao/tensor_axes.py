"""Where the spatial axes of tensors are, and what augmentations ask of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from miao.errors import At, AugmentError

if TYPE_CHECKING:
    import torch

SLOTS: Final = 3
"""Spatial axes that a geometric augmentation works on."""
SPATIAL: Final = "zyx"
SAME: Final = 1e-6
"""Sizes of voxels that differ by less, relatively, are equal."""

Dims = tuple[int, ...]
SpatialDims = Sequence[int] | Sequence[Sequence[int]]
"""One list of axes for every tensor, or one list per tensor."""


class RandomNumbers(Protocol):
    """What draws: the module ``numpy.random``, a ``RandomState`` or a ``Generator``."""

    def random(self) -> float:
        """Return a number of [0, 1)."""

    def uniform(self, low: float, high: float, /) -> float:
        """Return a number of [low, high)."""


def spatial_dims_for(axes: str) -> Dims:
    """Return where z, y and x are in a layout, counted from the end, in the order of the layout; t is not among them.

    Raises
    ------
    AugmentError
        No text, no spatial axis, or one that is there twice.

    Examples
    --------
    >>> spatial_dims_for("lczyx"), spatial_dims_for("lzyxc"), spatial_dims_for("lzcx")
    ((-3, -2, -1), (-4, -3, -2), (-3, -1))
    """
    at = ("axes",)
    if not isinstance(axes, str):
        raise AugmentError(f"is {axes!r}; give a layout such as 'lczyx'", code="wrong_type", at=at)
    dims = tuple(place - len(axes) for place, letter in enumerate(axes) if letter in SPATIAL)
    if len({axes[dim] for dim in dims}) < len(dims):
        raise AugmentError(f"{axes!r} names an axis twice; give each letter once", code="duplicate", at=at)
    if not dims:
        raise AugmentError(f"{axes!r} has none of z, y and x; give a layout such as 'lczyx'", code="wrong_value", at=at)
    return dims


def signed_bits(labels: torch.Tensor) -> torch.Tensor:
    """Return a tensor, or a view of its bits where torch stores unsigned integers and hardly computes with them."""
    import torch

    same_size = {"torch.uint16": torch.int16, "torch.uint32": torch.int32, "torch.uint64": torch.int64}
    signed = same_size.get(str(labels.dtype))
    return labels if signed is None else labels.view(signed)


def check_rng(rng: object) -> None:
    """Refuse what draws no numbers, such as the image where the rng was forgotten."""
    if not (callable(getattr(rng, "random", None)) and callable(getattr(rng, "uniform", None))):
        raise AugmentError(
            f"is {type(rng).__name__}; the first argument is np.random, a RandomState or a Generator of numpy",
            code="wrong_type",
            at=("rng",),
        )


def check_tensor(value: object, at: At) -> None:
    """Refuse what is no tensor of real numbers."""
    import torch

    if not isinstance(value, torch.Tensor):
        hint = "; torch.from_numpy makes one" if hasattr(value, "__array_interface__") else ""
        hint = "; give tensors one by one, *tensors" if isinstance(value, (list, tuple)) else hint
        raise AugmentError(f"is {type(value).__name__}; give a tensor{hint}", code="wrong_type", at=at)
    if value.is_complex():
        raise AugmentError(f"is {value.dtype}; give real numbers, such as .abs()", code="unsupported", at=at)


def dims_of(tensors: Sequence[torch.Tensor], spatial_dims: SpatialDims | str) -> list[Dims]:
    """Return the three spatial axes of each tensor, counted from the front.

    Raises
    ------
    AugmentError
        A tensor has too few axes, an axis is given twice or is not there, there are not three, or not one list per
        tensor.
    """
    for number, tensor in enumerate(tensors):
        _check_spatial(tensor, ("tensors", number))
    one = integers(spatial_dims)
    if one is not None:
        lists: list[Any] = [one] * len(tensors)
    elif isinstance(spatial_dims, str) or not all(hasattr(given, "__len__") for given in _iterated(spatial_dims)):
        raise AugmentError(
            f"is {spatial_dims!r}; give axes, such as spatial_dims_for('lczyx') does",
            code="wrong_type",
            at=("spatial_dims",),
        )
    else:
        lists = list(spatial_dims)
        if len(lists) != len(tensors):
            raise AugmentError(
                f"has {len(lists)} lists for {len(tensors)} tensors; give one list for all of them, or one for each",
                code="wrong_length",
                at=("spatial_dims",),
            )
    return [
        _dims(tensor, given, () if one is not None else (number,))
        for number, (tensor, given) in enumerate(zip(tensors, lists, strict=True))
    ]


def _check_spatial(tensor: torch.Tensor, at: At) -> None:
    """Refuse a tensor without room for the spatial axes."""
    check_tensor(tensor, at)
    if tensor.ndim < SLOTS:
        hint = "; leave out the empty label of a volume without labels" if tensor.numel() == 0 else ""
        raise AugmentError(
            f"has {tensor.ndim} axes, {tuple(tensor.shape)}; {SLOTS} spatial ones belong there{hint}",
            code="wrong_length",
            at=at,
        )


def integers(values: object) -> Dims | None:
    """Return a list of integers, or None where it is none."""
    try:
        return tuple(index(value) for value in values)  # type: ignore[attr-defined]  # TypeError is the answer
    except TypeError:
        return None


def _iterated(values: Any) -> list[Any]:
    return list(values) if hasattr(values, "__iter__") else [values]


def _dims(tensor: torch.Tensor, given: object, place: At) -> Dims:
    at = ("spatial_dims", *place)
    dims = integers(given)
    if dims is None:
        raise AugmentError(f"is {given!r}; give axes as integers, such as (-3, -2, -1)", code="wrong_type", at=at)
    if len(dims) != SLOTS:
        raise AugmentError(
            f"{dims} has {len(dims)} entries; give {SLOTS}, the spatial axes of the tensor", code="wrong_length", at=at
        )
    if not all(-tensor.ndim <= dim < tensor.ndim for dim in dims):
        raise AugmentError(
            f"{dims} are not all axes of a tensor of the shape {tuple(tensor.shape)}; spatial_dims_for(layout) says "
            "which are",
            code="out_of_range",
            at=at,
        )
    front = tuple(dim % tensor.ndim for dim in dims)
    if len(set(front)) < SLOTS:
        raise AugmentError(f"{dims} names an axis twice; give three different ones", code="duplicate", at=at)
    return front


def check_cubes(tensors: Sequence[torch.Tensor], dims: Sequence[Dims]) -> None:
    """Refuse a tensor whose spatial axes are not of one length."""
    for number, (tensor, axes) in enumerate(zip(tensors, dims, strict=True)):
        sizes = tuple(tensor.shape[dim] for dim in axes)
        if len(set(sizes)) > 1:
            raise AugmentError(
                f"has {sizes} voxels along its axes {axes}; exchanging axes needs a cubic patch: equal entries of "
                "patch_size, spatial_dims of this layout, or no rotation",
                code="wrong_value",
                at=("tensors", number),
            )


def check_voxels(pixel_size: Any, axes: Dims, hint: str) -> None:
    """Refuse sizes of voxels, (3) or (scales, 3), that differ among some of the axes; None is not looked at."""
    if pixel_size is None:
        return
    at = ("pixel_size",)
    tolist = getattr(pixel_size, "tolist", None)
    try:
        sizes = np.asarray(tolist() if callable(tolist) else pixel_size, np.float64)
    except (TypeError, ValueError):
        sizes = np.empty(())
    if sizes.ndim == 0:
        raise AugmentError(
            f"is {pixel_size!r}; give the size of a voxel per axis, or a row per scale",
            code="wrong_type",
            at=at,
        )
    if sizes.shape[-1] != SLOTS:
        raise AugmentError(
            f"has {sizes.shape[-1]} entries per voxel; give {SLOTS}, one per spatial axis", code="wrong_length", at=at
        )
    for number, row in enumerate(sizes.reshape(-1, SLOTS)):
        if not (np.isfinite(row) & (row > 0)).all():
            raise AugmentError(f"is {row.tolist()} at scale {number}; sizes are positive", code="not_positive", at=at)
        equal = row[list(axes)]
        if equal.max() - equal.min() > SAME * equal.max():
            raise AugmentError(f"is {row.tolist()} at scale {number}; {hint}", code="wrong_value", at=at)


def number_of(value: Any, name: str, low: float = -math.inf, high: float = math.inf) -> float:
    """Return a finite number within limits.

    Raises
    ------
    AugmentError
        It is none.

    Examples
    --------
    >>> number_of(1, "prob", 0, 1)
    1.0
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise AugmentError(f"is {value!r}; give a number", code="wrong_type", at=(name,)) from None
    if not (math.isfinite(number) and low <= number <= high):
        limits = (
            f"from {low:g} to {high:g}" if math.isfinite(high) else f"of at least {low:g}" if low > -math.inf else ""
        )
        raise AugmentError(f"is {number:g}; give a finite number {limits}".rstrip(), code="out_of_range", at=(name,))
    return number


def range_of(value: Any, name: str) -> tuple[float, float]:
    """Return a range (low, high) of finite numbers, low not above high.

    Raises
    ------
    AugmentError
        It is none.

    Examples
    --------
    >>> range_of([0.8, 1.2], "scale")
    (0.8, 1.2)
    """
    try:
        low, high = value
    except (TypeError, ValueError):
        raise AugmentError(f"is {value!r}; give (low, high)", code="wrong_length", at=(name,)) from None
    low, high = number_of(low, name), number_of(high, name)
    if low > high:
        raise AugmentError(f"is ({low:g}, {high:g}); give (low, high), low first", code="order", at=(name,))
    return low, high
