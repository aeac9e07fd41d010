"""Images like those that are read in training, random places in them, and their files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_SCAN: Final = ((512, 512, 300), (96, 128, 80))
_PARTS: Final = (
    ((0.2, 0.1, 0.3), 0.2, 300),
    ((-0.3, 0.2, -0.3), 0.25, -700),
    ((0.1, -0.4, 0.1), 0.15, 120),
    ((0.0, 0.5, 0.0), 0.1, 900),
)
"""Centre, radius and Hounsfield units of what is in the body."""


def scan(*, quick: bool) -> Array:
    """Return a computed tomography of a body in air as int16, (512, 512, 300), with noise of sigma 12."""
    shape, random = _SCAN[quick], np.random.default_rng(0)
    axes = [np.linspace(-1, 1, n, dtype=np.float32) for n in shape]
    found = np.empty(shape, np.int16)
    for index, z in enumerate(axes[0]):
        y, x = axes[1][:, None], axes[2][None]
        plane = np.where((z / 0.9) ** 2 + (y / 0.8) ** 2 + (x / 0.8) ** 2 < 1, np.float32(50), np.float32(-1000))
        for (cz, cy, cx), radius, units in _PARTS:
            plane[(z - cz) ** 2 + (y - cy) ** 2 + (x - cx) ** 2 < radius**2] = units
        found[index] = np.rint(plane + random.normal(0, 12, plane.shape))
    return found


def labels(image: Array) -> Array:
    """Return which part of the body each voxel belongs to, as uint8."""
    return np.digitize(image, [-850, -300, 85, 210, 600]).astype(np.uint8)


def photograph(*, quick: bool) -> Array:
    """Return a smooth image with noise as uint8, (2048, 2048, 3)."""
    size = 512 if quick else 2048
    y, x = np.ogrid[:size, :size]
    smooth = 128 + 60 * np.sin(y / 90)[..., None] * np.cos(x / 70)[..., None] * np.array([1.0, 0.7, 0.4])
    return (smooth + np.random.default_rng(1).normal(0, 4, smooth.shape)).clip(0, 255).astype(np.uint8)


def starts(shape: tuple[int, ...], size: tuple[int, ...], count: int = 512) -> list[tuple[int, ...]]:
    """Return where random patches begin."""
    random = np.random.default_rng(2)
    return [tuple(int(random.integers(0, n - p + 1)) for n, p in zip(shape, size, strict=True)) for _ in range(count)]


def forgotten(path: Path) -> None:
    """Take a file out of the cache of the system, so that random reads bring it back as they do in training.

    What was just written lies there in large pieces, of which mapped memory needs few.
    """
    with path.open("rb") as file:
        os.fsync(file.fileno())
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def saved(root: Path, name: str, array: Array) -> Path:
    """Return the .npy file of an array."""
    path = root / f"{name}.npy"
    if not path.exists():
        np.save(path, array)
    return path
