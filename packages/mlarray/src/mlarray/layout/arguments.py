"""From the layout arguments of a constructor to a layout, and from a layout to what `storage` records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlarray.errors import ArgumentError, Problem
from mlarray.layout import compression
from mlarray.layout.records import Compression, Layout, Shape
from mlarray.layout.suggest import patch_shape, positive, suggest_layout


@dataclass(frozen=True)
class Wanted:
    """The layout arguments of a caller, as they were given."""

    patch_size: Any = "default"
    chunk_size: Any = None
    block_size: Any = None
    cparams: Any = None

    @property
    def anything(self) -> bool:
        """Whether a caller asked for something."""
        return self != Wanted()


def resolve_layout(
    shape: Sequence[int],
    dtype: np.dtype[Any],
    types: Sequence[str],
    wanted: Wanted,
    recorded: Mapping[str, Any] | None = None,
) -> Layout:
    """Return the layout that arguments ask for; an empty chunk and block leave the choice to blosc2.

    Parameters
    ----------
    shape, dtype, types
        Of the array: its shape and dtype, and the type of each axis.
    wanted
        "default" as patch size is what is recorded, its patch size before its chunk and block; else 192.
    recorded
        `storage` of the metadata, where there is one.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        A patch size beside chunk or block, a chunk without block, sizes that cannot be used.

    Examples
    --------
    >>> resolve_layout((40, 50), np.dtype("f4"), ["space"] * 2, Wanted(patch_size=(20, 30))).chunk
    (20, 30)
    """
    packed = _compression(wanted, recorded)
    given = [name for name in ("chunk_size", "block_size") if getattr(wanted, name) is not None]
    patch = wanted.patch_size
    if given and not (patch is None or (isinstance(patch, str) and patch == "default")):
        message = f"patch_size and {' and '.join(given)} exclude each other; give one or the other"
        raise ArgumentError(Problem("conflict", ("patch_size",), message))
    if given:
        return _explicit(shape, wanted, packed)
    if patch is None or not len(shape) or 0 in shape:
        size = None if patch is None or not len(shape) else patch_shape(patch, types)
        return Layout((), (), size, packed)
    if isinstance(patch, str) and patch == "default" and recorded:
        if recorded.get("patch_size"):
            patch = recorded["patch_size"]
        elif recorded.get("chunk_size") and recorded.get("block_size"):
            recalled = Wanted(None, recorded["chunk_size"], recorded["block_size"])
            if len(recorded["chunk_size"]) == len(shape):
                return _explicit(shape, recalled, packed)
    axes = [{"type": kind} for kind in types]
    size = patch_shape(patch, types)
    chunk, block = suggest_layout(shape, dtype, size, axes)
    return Layout(chunk, block, size, packed)


def _compression(wanted: Wanted, recorded: Mapping[str, Any] | None) -> Compression:
    if wanted.cparams is None and recorded and recorded.get("compression"):
        return compression.from_document(recorded["compression"])
    return compression.from_argument(wanted.cparams)


def _explicit(shape: Sequence[int], wanted: Wanted, packed: Compression) -> Layout:
    if wanted.block_size is None or wanted.chunk_size is None:
        absent = "block_size" if wanted.block_size is None else "chunk_size"
        message = f"chunk_size and block_size need each other; give {absent} too, or a patch_size alone"
        raise ArgumentError(Problem("missing_field", (absent,), message))
    chunk = _clipped(positive(wanted.chunk_size, "chunk_size", len(shape), "one per axis"), shape)
    block = positive(wanted.block_size, "block_size", len(shape), "one per axis")
    block = _clipped(block, shape)
    for axis, (inner, outer) in enumerate(zip(block, chunk, strict=True)):
        if inner > outer:
            message = f"the block is {inner} long and the chunk {outer}; a block lies inside a chunk"
            raise ArgumentError(Problem("conflict", ("block_size", axis), message))
    return Layout(chunk, block, None, packed)


def _clipped(sizes: Shape, shape: Sequence[int]) -> Shape:
    return tuple(min(size, max(1, full)) for size, full in zip(sizes, shape, strict=True))


def storage_document(layout: Layout | None) -> dict[str, Any]:
    """Return `storage` as it is stored; empty for a plain array.

    Examples
    --------
    >>> storage_document(Layout((4, 5), (2, 5), (4, 5)))["block_size"]
    [2, 5]
    """
    if layout is None:
        return {}
    found: dict[str, Any] = {"chunk_size": list(layout.chunk), "block_size": list(layout.block)}
    if layout.patch is not None:
        found["patch_size"] = list(layout.patch)
    return {**found, "compression": compression.document(layout.compression)}
