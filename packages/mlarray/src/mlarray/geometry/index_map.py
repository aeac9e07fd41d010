"""How a stored array relates to the index order of the file it came from: axes exchanged, then some turned round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlarray.errors import ArgumentError, Problem


def document(axes: Sequence[int], flip: Sequence[bool] | None = None) -> dict[str, Any]:
    """Return an index map as it is stored.

    Examples
    --------
    >>> document((2, 1, 0))
    {'axes': [2, 1, 0], 'flip': [False, False, False]}
    """
    return {"axes": list(axes), "flip": [False] * len(axes) if flip is None else list(flip)}


def apply(index_map: Mapping[str, Any], source: NDArray[Any]) -> NDArray[Any]:
    """Return a source array as it is stored: stored axis k is source axis axes[k], turned round where flip[k]; a view.

    Raises
    ------
    ArgumentError
        The map is for another number of axes, or no order of axes.

    Examples
    --------
    >>> apply({"axes": [1, 0], "flip": [False, True]}, np.array([[1, 2, 3], [4, 5, 6]])).tolist()
    [[4, 1], [5, 2], [6, 3]]
    """
    axes, flip = _parts(index_map, source.ndim)
    found: NDArray[Any] = source.transpose(axes)[flip]
    return found


def invert(index_map: Mapping[str, Any], stored: NDArray[Any]) -> NDArray[Any]:
    """Return a stored array in the index order of its source; a view.

    Raises
    ------
    ArgumentError
        The map is for another number of axes, or no order of axes.

    Examples
    --------
    >>> invert({"axes": [1, 0], "flip": [False, True]}, np.array([[4, 1], [5, 2], [6, 3]])).tolist()
    [[1, 2, 3], [4, 5, 6]]
    """
    axes, flip = _parts(index_map, stored.ndim)
    found: NDArray[Any] = stored[flip].transpose(np.argsort(axes))
    return found


def _parts(index_map: Mapping[str, Any], ndim: int) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """Return the order of the axes, and a key that turns them round."""
    axes, flip = tuple(index_map["axes"]), tuple(index_map["flip"])
    for name, found in (("axes", axes), ("flip", flip)):
        if len(found) != ndim:
            message = f"{name} has {len(found)} entries, expected {ndim} (the array has {ndim} axes)"
            raise ArgumentError(Problem("wrong_length", ("index_map", name), message))
    if sorted(axes) != list(range(ndim)):
        message = f"{list(axes)} is no order of the axes 0 to {ndim - 1}"
        raise ArgumentError(Problem("wrong_value", ("index_map", "axes"), message))
    turns = [slice(None, None, -1 if turned else 1) for turned in flip]
    return axes, (*turns, ...)  # with the dots, what has no axes stays an array
