"""Images like those that are read in training: smooth tissue and noise, as integers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def scan(*, quick: bool) -> NDArray[Any]:
    """Return a smooth int16 volume with noise of sigma 12: (300, 512, 512)."""
    shape = (80, 128, 128) if quick else (300, 512, 512)
    axes = np.ogrid[tuple(slice(-1, 1, complex(0, n)) for n in shape)]
    smooth = 1000 * np.exp(-sum((3 * axis) ** 2 for axis in axes)) - 1000
    noise = np.random.default_rng(0).normal(0, 12, shape)
    return (smooth + noise).astype(np.int16)


def photograph(*, quick: bool) -> NDArray[Any]:
    """Return a smooth uint8 image with noise: (2048, 2048, 3)."""
    size = 512 if quick else 2048
    y, x = np.ogrid[:size, :size]
    smooth = 128 + 60 * np.sin(y / 90)[..., None] * np.cos(x / 70)[..., None] * np.array([1.0, 0.7, 0.4])
    return (smooth + np.random.default_rng(1).normal(0, 4, smooth.shape)).clip(0, 255).astype(np.uint8)


def starts(shape: tuple[int, ...], size: tuple[int, ...], count: int = 64) -> list[tuple[int, ...]]:
    """Return where random patches begin."""
    random = np.random.default_rng(2)
    return [tuple(int(random.integers(0, n - p + 1)) for n, p in zip(shape, size, strict=True)) for _ in range(count)]


def saved(root: Path, name: str, array: NDArray[Any]) -> Path:
    """Return the .npy file of an array."""
    path = root / f"{name}.npy"
    if not path.exists():
        np.save(path, array)
    return path
