"""How much each voxel of a patch counts where patches overlap."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from miao.errors import ArgumentError

Array = np.ndarray[Any, Any]


def _hann(size: int) -> Array:
    """Return sin^2 at the centres of voxels: more than 0 everywhere, and 1 in sum with itself half a patch on."""
    return np.sin(np.pi * (np.arange(size) + 0.5) / size) ** 2


BLENDS: Final[Mapping[str, Callable[[int], Array]]] = MappingProxyType({"hann": _hann, "mean": np.ones})
"""The weights along one axis: "hann" fades towards the faces of a patch, "mean" counts every voxel alike."""


def patch_weights(blend: str, patch: Sequence[int]) -> Array:
    """Return float32 weights of a patch, the product of those along its axes.

    Raises
    ------
    ArgumentError
        There is no such blending.

    Examples
    --------
    >>> patch_weights("hann", (2, 4)).astype(float).round(3).tolist()
    [[0.073, 0.427, 0.427, 0.073], [0.073, 0.427, 0.427, 0.073]]
    """
    if blend not in BLENDS:
        raise ArgumentError(
            f"blend is {blend!r}; it is one of {', '.join(map(repr, BLENDS))}", code="wrong_value", at=("blend",)
        )
    weights: Array = np.ones((), "float64")
    for size in patch:
        weights = weights[..., None] * BLENDS[blend](size)
    return weights.astype("float32")
