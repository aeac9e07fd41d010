"""Samples of random stores and configurations against the rules, written down anew in fractions and plain loops."""

import math
from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
import torch
from miao_stores import config, group2

import miao

STEPS = (1, 2, 3)


def draw_pyramid(rng, ndim, shape, voxel, *, declared, count):
    """Return levels (array, voxel, translation or None): of noise, which tells places apart."""
    levels, factors = [], [1] * ndim
    for level in range(count):
        v = [a * f for a, f in zip(voxel, factors, strict=True)]
        n = [max(1, s // f) for s, f in zip(shape, factors, strict=True)]
        t = [F(f - 1, 2) * a + 3 * a for a, f in zip(voxel, factors, strict=True)] if declared else None
        levels.append((rng.integers(0, 250, n).astype("uint8"), v, t))
        if level + 1 < count:
            factors = [f * int(rng.choice(STEPS)) for f in factors]
    return levels


def volume_of(sizes):
    return math.prod(sizes)


def chosen(levels, target):
    """Return the coarsest level that is nowhere coarser than the target, else the finest; the first of equal ones."""
    fine = [i for i, (_, v, _) in enumerate(levels) if all(a <= b for a, b in zip(v, target, strict=True))]
    if fine:
        return max(fine, key=lambda i: (volume_of(levels[i][1]), -i))
    return min(range(len(levels)), key=lambda i: (volume_of(levels[i][1]), i))


def corner(levels, level, anchor=None):
    """Return the lower corner of voxel 0."""
    _, v, t = levels[level]
    if t is None:
        return anchor if anchor is not None else [-a / 2 for a in levels[0][1]]
    return [a - b / 2 for a, b in zip(t, v, strict=True)]


def origin(levels, level, centre, patch, size):
    if level == 0:
        return [c - n // 2 for c, n in zip(centre, size, strict=True)]
    first, own = corner(levels, 0), corner(levels, level)
    v0, v = levels[0][1], levels[level][1]
    found = []
    for axis, (c, p, n) in enumerate(zip(centre, patch, size, strict=True)):
        place = first[axis] + (c + (F(1, 2) if p % 2 else 0)) * v0[axis]
        # The centre of voxel 0 is half a voxel above its corner.
        found.append(math.ceil((place - own[axis]) / v[axis] - F(n, 2) - F(1, 2)))
    return found


def linear(crop, patch):
    """Return the crop between its voxels, one axis after the other, in doubles."""
    for axis, p in enumerate(patch):
        n = crop.shape[axis]
        if n == p:
            continue
        x = np.clip((np.arange(p) + 0.5) * n / p - 0.5, 0, n - 1)
        low = np.floor(x).astype(int)
        high = np.minimum(low + 1, n - 1)
        weight = (x - low).reshape([-1 if i == axis else 1 for i in range(crop.ndim)])
        crop = np.take(crop, low, axis) * (1 - weight) + np.take(crop, high, axis) * weight
    return crop


def nearest(crop, patch):
    for axis, p in enumerate(patch):
        crop = np.take(crop, [j * crop.shape[axis] // p for j in range(p)], axis)
    return crop


def window(array, start, size):
    assert all(0 <= o <= whole - n for o, n, whole in zip(start, size, array.shape, strict=True)), (start, size)
    return array[tuple(slice(o, o + n) for o, n in zip(start, size, strict=True))]


def counts(patch, target, v):
    return [math.ceil(F(p) * t / s) for p, t, s in zip(patch, target, v, strict=True)]


class Case:
    """One random store and configuration."""

    def __init__(self, path, seed):
        rng = np.random.default_rng(seed)
        self.ndim = int(rng.choice([2, 3]))
        self.axes = "zyx"[-self.ndim :]
        shape = rng.integers(60, 80, self.ndim).tolist()
        voxel = [F(int(rng.choice([4, 6, 8]))) for _ in range(self.ndim)]
        self.image = draw_pyramid(rng, self.ndim, shape, voxel, declared=bool(rng.integers(2)), count=3)
        self.label = None
        if rng.integers(2):
            coarse = [v * int(rng.choice([1, 2])) for v in voxel]
            sizes = [math.ceil(n * v / c) for n, v, c in zip(shape, voxel, coarse, strict=True)]
            self.label = draw_pyramid(rng, self.ndim, sizes, coarse, declared=bool(rng.integers(2)), count=1)
        self.patch = rng.integers(4, 9, self.ndim).tolist()
        self.targets = [[v * F(int(k), 2) for v, k in zip(voxel, rng.integers(1, 6, self.ndim), strict=True)]]
        self.targets.append([2 * t for t in self.targets[0]])
        self.order = rng.permutation(self.ndim).tolist()
        self.store(path)
        letters = [self.axes[i] for i in self.order]
        self.output = "".join(rng.permutation(["l", *letters]).tolist())
        # The order of spatial axes is that in which they stand in the output.
        self.order = [self.axes.index(a) for a in self.output if a != "l"]

    def store(self, path):
        for key, levels in (("raw", self.image), ("seg", self.label)):
            if levels is not None:
                group2(
                    path / "a.zarr" / key,
                    [(f"s{i}", array, v, t, (16,) * self.ndim) for i, (array, v, t) in enumerate(levels)],
                    axes=self.axes,
                )

    def fields(self, path, **more):
        volume = {"label_key": "seg"} if self.label else {}
        return config(
            path / "a.zarr",
            volume={**volume, "normalize": False},
            output_axes=self.output,
            patch_size=[self.patch[i] for i in self.order],
            resolutions=[[float(t[i]) for i in self.order] for t in self.targets],
            **more,
        )

    def stored(self, values):
        """Return values per output axis in the store's order."""
        return [values[self.order.index(axis)] for axis in range(self.ndim)]

    def check(self, sample):
        """Compare everything of a sample with the rules; the common centre is where it says."""
        centre = self.stored(sample["meta"]["coordinate"])
        where = {axis: index for index, axis in enumerate(self.output)}
        image = sample["img"].permute([where[a] for a in "l" + self.axes]).numpy()
        for scale, target in enumerate(self.targets):
            level = chosen(self.image, target)
            array, v, t = self.image[level]
            assert sample["meta"]["source_levels"][scale] == level
            n = counts(self.patch, target, v)
            start = origin(self.image, level, centre, self.patch, n)
            expected = linear(window(array, start, n).astype("float64"), self.patch)
            assert np.allclose(image[scale], expected, rtol=1e-5, atol=1e-3)
            first = t if t is not None else [F(0)] * self.ndim
            low = [float(a + o * s) for a, o, s in zip(first, start, v, strict=True)]
            high = [float(a + (o + c) * s) for a, o, c, s in zip(first, start, n, v, strict=True)]
            assert self.stored(sample["bbox"][scale, 0].tolist()) == low
            assert self.stored(sample["bbox"][scale, 1].tolist()) == high
            assert self.stored(sample["pixel_size"][scale].tolist()) == [float(x) for x in target]
            if self.label is not None:
                self.check_label(sample, scale, (level, start, n))

    def check_label(self, sample, scale, read):
        level, start, n = read
        declared = self.image[0][2] is not None
        anchor = [-v / 2 for v in self.label[0][1]] if declared else corner(self.image, 0)
        own = corner(self.label, 0, anchor)
        array, v, _ = self.label[0]
        m = counts(self.patch, self.targets[scale], v)
        corner_of_level = corner(self.image, level)
        places = []
        for axis in range(self.ndim):
            middle = corner_of_level[axis] + (start[axis] + F(n[axis], 2)) * self.image[level][1][axis]
            places.append(math.floor((middle - own[axis]) / v[axis] - F(m[axis], 2) + F(1, 2)))
        where = {axis: index for index, axis in enumerate(self.output)}
        label = sample["label"].permute([where[a] for a in "l" + self.axes]).numpy()
        assert np.array_equal(label[scale], nearest(window(array, places, m), self.patch))


@pytest.mark.parametrize("seed", range(40))
def test_samples_are_what_the_rules_say(tmp_path, seed):
    case = Case(tmp_path, seed)
    try:
        dataset = miao.VolumeDataset(case.fields(tmp_path, samples_per_epoch=8), seed=seed, verbose=False)
    except miao.errors.PlanError:
        pytest.skip("nothing fits into this store")
    samples = [dataset[index] for index in range(8)]
    for sample in samples:
        case.check(sample)
    deferred = miao.VolumeDataset(
        case.fields(tmp_path, samples_per_epoch=8, defer_image_ops=True), seed=seed, verbose=False
    )
    batch = miao.finish_images(miao.collate_deferred(deferred.__getitems__(range(8))))
    assert torch.equal(batch["img"], torch.stack([sample["img"] for sample in samples]))


@pytest.mark.parametrize("seed", range(20))
def test_a_walk_covers_what_the_rules_allow(tmp_path, seed):
    """Every voxel of the level of the first scale that any allowed window holds, by windows that are all different."""
    case = Case(tmp_path, seed)
    try:
        dataset = miao.VolumeDataset(case.fields(tmp_path, sampling="sequential", overlap=1), verbose=False)
    except miao.errors.PlanError:
        pytest.skip("nothing fits into this store")
    scale = dataset.scales(0)[0]
    array = case.image[scale.level][0]
    seen = np.zeros(array.shape, bool)
    starts = [dataset.plan(index).scales[0].start for index in range(len(dataset))]
    for start in starts:
        window(seen, start, scale.size)[...] = True
    assert len(set(starts)) == len(starts)
    low, high = [min(c) for c in zip(*starts, strict=True)], [max(c) for c in zip(*starts, strict=True)]
    inside = tuple(slice(a, b + n) for a, b, n in zip(low, high, scale.size, strict=True))
    assert seen[inside].all()
    assert set(product(*(sorted(set(c)) for c in zip(*starts, strict=True)))) == set(starts)
    if case.label is None:
        assert seen.all()
