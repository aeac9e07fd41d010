"""Where the voxels of each level lie: the lower corner of voxel 0, from what the documents declare."""

from __future__ import annotations

from miao.records import Floats, PyramidInfo


def declares(pyramid: PyramidInfo) -> bool:
    """Return whether any level says where its voxel 0 is centred."""
    return any(level.translation is not None for level in pyramid.levels)


def corners(pyramid: PyramidInfo, anchor: Floats | None = None) -> tuple[Floats, ...]:
    """Return the lower corner of voxel 0 of each level, in the store's unit.

    A level lies half a voxel below its translation; where some levels declare one, the others' is 0. Where no level
    declares any, all levels begin at one corner, as the mean of blocks does, with voxel 0 of level 0 centred at 0.

    Parameters
    ----------
    pyramid
        The levels.
    anchor
        Labels and masks: the corner of the image's level 0, taken where this pyramid declares nothing. None where the
        image declares a translation itself: labels that say nothing are then centred at 0.

    Examples
    --------
    >>> from miao.records import LevelInfo
    >>> fine = LevelInfo("s0", "a/s0", (8, 6), (4.0, 2.0), None, (8, 6), "uint8")
    >>> coarse = LevelInfo("s1", "a/s1", (4, 3), (8.0, 4.0), None, (4, 3), "uint8")
    >>> corners(PyramidInfo("a", (fine, coarse), "yx"))
    ((-2.0, -1.0), (-2.0, -1.0))
    """
    if not declares(pyramid):
        first = anchor if anchor is not None else tuple(-size / 2 for size in pyramid.levels[0].voxel)
        return (first,) * len(pyramid.levels)
    return tuple(
        tuple(place - size / 2 for place, size in zip(translation, level.voxel, strict=True))
        for level, translation in zip(pyramid.levels, centres(pyramid), strict=True)
    )


def centres(pyramid: PyramidInfo) -> tuple[Floats, ...]:
    """Return the declared centre of voxel 0 of each level, 0 where a level declares none.

    Examples
    --------
    >>> from miao.records import LevelInfo
    >>> level = LevelInfo("s0", "a/s0", (8, 6), (4.0, 2.0), None, (8, 6), "uint8")
    >>> centres(PyramidInfo("a", (level,), "yx"))
    ((0.0, 0.0),)
    """
    return tuple(
        level.translation if level.translation is not None else (0.0,) * len(level.voxel) for level in pyramid.levels
    )
