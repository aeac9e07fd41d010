"""Volumes to draw from, and random numbers that are written down."""

from __future__ import annotations

from miao.records import LevelInfo, PyramidInfo, ResolutionRanges, VolumeInfo

LETTERS = "tzyx"


def pyramid(levels, name="a"):
    """Return a pyramid of (shape, voxel[, translation[, chunk]])."""
    found = []
    for index, level in enumerate(levels):
        shape, voxel, translation, chunk = (*level, None, None)[:4]
        shape, voxel = tuple(shape), tuple(map(float, voxel))
        translation = None if translation is None else tuple(map(float, translation))
        found.append(
            LevelInfo(f"s{index}", f"{name}/s{index}", shape, voxel, translation, tuple(chunk or shape), "uint8")
        )
    return PyramidInfo(name, tuple(found), LETTERS[-len(found[0].shape) :])


def volume(levels, patch, resolutions, *, labels=None, mask=None, name="a", **fields):
    """Return a volume; `resolutions` are voxel sizes, or (bounds, counts[, sort]) that they are drawn from."""
    image = pyramid(levels, name)
    return VolumeInfo(
        name=name,
        image=image,
        patch=tuple(patch),
        resolutions=resolutions
        if isinstance(resolutions, ResolutionRanges)
        else tuple(tuple(map(float, row)) for row in resolutions),
        order=fields.pop("order", tuple(range(len(patch)))),
        label=pyramid(labels, f"{name}/labels") if labels else None,
        mask=pyramid(mask, f"{name}/mask") if mask else None,
        **fields,
    )


def halved(shape, voxel, count, chunk=None):
    """Return levels, each of half the voxels of the one before along every axis, rounded up."""
    return [(tuple(-(-n // 2**k) for n in shape), tuple(v * 2**k for v in voxel), None, chunk) for k in range(count)]


class Listed:
    """Random numbers that are given: choices and integers as they are, uniforms as a part of their interval."""

    def __init__(self, numbers):
        self.left = list(numbers)
        self.asked = []

    def choice(self, a, *, p):
        self.asked.append(("choice", a, tuple(p)))
        return self.left.pop(0)

    def randint(self, low, high):
        self.asked.append(("integer", low, high - 1))
        found = self.left.pop(0)
        assert low <= found < high, (low, found, high)
        return found

    def uniform(self, low, high):
        self.asked.append(("uniform", low, high))
        return low + (high - low) * self.left.pop(0)
