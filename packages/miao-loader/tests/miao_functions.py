"""Functions that worker processes are sent: they import them by name, as those of a user's module."""

from __future__ import annotations

import os

import numpy as np
import torch
from torch.utils.data import get_worker_info

from miao.augment import intensity_jitter, rot90isocube


def crash(sample, *, at=-1):
    if at in {-1, sample["meta"]["coordinate"][0] % 2}:
        raise KeyError("this augmentation is broken")
    return sample


def process(sample):
    return {**sample, "pid": torch.tensor(os.getpid()), "draw": torch.tensor(np.random.random())}


def cache(sample):
    from miao.reading.runtime import workers

    assert get_worker_info() is not None
    return {**sample, "cache": torch.tensor((1 << 20) // workers())}


def augment(sample):
    rng = np.random
    img, lab = rot90isocube(rng, sample["img"], sample["label"], pixel_size=sample["pixel_size"])
    return {**sample, "img": intensity_jitter(rng, img), "label": lab}
