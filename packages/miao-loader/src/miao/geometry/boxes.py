"""What a window covers, in the store's unit."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from miao.errors import ArgumentError, ArgumentTypeError
from miao.geometry.scales import Geometry
from miao.records import Floats, ScalePlan, VolumeInfo


def bbox(
    geometry: Geometry,
    volume: VolumeInfo,
    plan: ScalePlan,
    *,
    mode: str = "absolute",
    anchor: str = "centre",
    reference: ScalePlan | None = None,
) -> tuple[Floats, Floats]:
    """Return lower and upper bounds of the window that a scale reads, in the store's unit.

    Parameters
    ----------
    geometry, volume, plan
        The window: voxels [o, o + n) of a level.
    mode
        ``"absolute"``: in the frame of the store. ``"relative"``: less the middle of the box of `reference`, under the
        same anchor.
    anchor
        ``"centre"``: [T + o v, T + (o + n) v) with T the declared centre of voxel 0, 0 where the level declares none:
        the box that reads these voxels. ``"corner"``: [C + o v, C + (o + n) v) with C the corner of voxel 0: what
        the voxels cover.
    reference
        The plan of the first scale; without it the window itself.

    Examples
    --------
    >>> from miao.geometry.scales import geometry_of, scale_of
    >>> from miao.records import LevelInfo, PyramidInfo
    >>> level = LevelInfo("s0", "a/s0", (80,), (4.0,), (100.0,), (8,), "uint8")
    >>> volume = VolumeInfo("a", PyramidInfo("a", (level,), "x"), (16,), ())
    >>> frame, plan = geometry_of(volume), ScalePlan(scale_of(volume, (4.0,)), (5,))
    >>> bbox(frame, volume, plan), bbox(frame, volume, plan, anchor="corner")
    (((120.0,), (184.0,)), ((118.0,), (182.0,)))
    >>> bbox(frame, volume, plan, mode="relative")
    ((-32.0,), (32.0,))
    """
    lower, upper = _box(geometry, volume, plan, anchor)
    if mode == "absolute":
        return lower, upper
    first = _box(geometry, volume, reference or plan, anchor)
    middle = [(low + high) / 2 for low, high in zip(*first, strict=True)]
    return (
        tuple([low - place for low, place in zip(lower, middle, strict=True)]),
        tuple([high - place for high, place in zip(upper, middle, strict=True)]),
    )


def _box(geometry: Geometry, volume: VolumeInfo, plan: ScalePlan, anchor: str) -> tuple[Floats, Floats]:
    level = plan.scale.level
    first = (geometry.image if anchor == "corner" else geometry.centres)[level]
    voxel = volume.image.levels[level].voxel
    lower = tuple([place + o * v for place, o, v in zip(first, plan.start, voxel, strict=True)])
    ends = zip(first, plan.start, plan.scale.size, voxel, strict=True)
    return lower, tuple([place + (o + n) * v for place, o, n, v in ends])


def extent(bbox: npt.ArrayLike, voxel: npt.ArrayLike) -> np.ndarray[Any, Any]:
    """Return what voxels cover, from the box of their centres: half a voxel lower.

    The ``bbox`` of a sample runs from the centre of the first voxel that was read to that of the one past the last.
    The voxels themselves begin half a voxel of their level before.

    Parameters
    ----------
    bbox
        Float (..., 2, N): lower and upper bounds, as a sample or a batch has them.
    voxel
        Float (..., N) or (N,): the stored voxel size of the level that was read. Where no level of the store declares a
        translation, every level begins at the corner of level 0: the voxel size of level 0 then, for every scale.

    Returns
    -------
    numpy.ndarray
        Float64 (..., 2, N), the lower and upper corners. The same as ``bbox_anchor: corner``.

    Raises
    ------
    ArgumentTypeError, ArgumentError
        They are no numbers, or of shapes that do not fit.

    Examples
    --------
    >>> extent([[120.0, 10.0], [184.0, 26.0]], [4.0, 2.0]).tolist()
    [[118.0, 9.0], [182.0, 25.0]]
    """
    try:
        box, size = np.asarray(bbox, np.float64), np.asarray(voxel, np.float64)
    except (TypeError, ValueError):
        raise ArgumentTypeError(
            f"bbox is {bbox!r} and voxel {voxel!r}; give lower and upper bounds, and sizes, in numbers",
            code="wrong_type",
            at=("bbox",),
        ) from None
    if not _fit(box.shape, size.shape):
        raise ArgumentError(
            f"bbox has shape {box.shape} and voxel {size.shape}; give (..., 2, N) and (..., N) or (N)",
            code="wrong_length",
            at=("voxel",),
        )
    found: np.ndarray[Any, Any] = box - size[..., None, :] / 2
    return found


def _fit(box: tuple[int, ...], size: tuple[int, ...]) -> bool:
    """Whether sizes are one for each box, or are repeated: a batch has boxes (B, L, 2, N), its scales sizes (L, N)."""
    if len(box) < 2 or box[-2] != 2 or not 0 < len(size) < len(box) or size[-1] != box[-1]:
        return False
    outer = size[:-1]
    return all(n in {1, m} for n, m in zip(outer, box[len(box) - 2 - len(outer) : -2], strict=True))
