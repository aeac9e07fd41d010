"""From the layout arguments of a constructor to a layout, and from a layout to what `storage` records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from mlarray.errors import ArgumentError, Problem
from mlarray.header.wire import printed
from mlarray.layout import compression
from mlarray.layout.records import DEFAULTS, Compression, Layout, Shape, default_for
from mlarray.layout.suggest import patch_axes, patch_shape, suggest_layout, whole_numbers

MOST: Final = (1 << 63) - 1
"""The largest size that a file records."""


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
        `storage` of the metadata, where there is one; what does not fit the array is passed over.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        A patch size beside chunk or block, a chunk without block, sizes that cannot be used.

    Examples
    --------
    >>> resolve_layout((40, 50), np.dtype("f4"), ["space"] * 2, Wanted(patch_size=(20, 30))).chunk
    (20, 30)
    """
    known = recorded if isinstance(recorded, Mapping) else {}
    packed = _compression(wanted, known, dtype.itemsize)
    given = [name for name in ("chunk_size", "block_size") if getattr(wanted, name) is not None]
    patch, default = wanted.patch_size, isinstance(wanted.patch_size, str) and wanted.patch_size == "default"
    if given and not (patch is None or default):
        message = f"patch_size and {' and '.join(given)} exclude each other; give one or the other"
        raise ArgumentError(Problem("conflict", ("patch_size",), message))
    if given:
        return _explicit(shape, *_chunk_and_block(wanted, len(shape)), packed)
    if patch is None:
        return Layout((), (), None, packed)
    if default:
        count = len(patch_axes(types))
        patch = _sizes(known.get("patch_size"), count) or "default"
        chunk, block = (_sizes(known.get(key), len(shape)) for key in ("chunk_size", "block_size"))
        if isinstance(patch, str) and chunk and block:
            return _explicit(shape, chunk, block, packed)
    size = patch_shape(patch, types)
    if max(size, default=0) > MOST:
        message = f"patch_size is {printed(patch)}; no number may be above 2^63 - 1"
        raise ArgumentError(Problem("out_of_range", ("patch_size",), message))
    if not len(shape) or 0 in shape:
        return Layout((), (), size if len(shape) else None, packed)
    return Layout(*suggest_layout(shape, dtype, size, [{"type": kind} for kind in types]), size, packed)


def _compression(wanted: Wanted, recorded: Mapping[str, Any], itemsize: int) -> Compression:
    if wanted.cparams is not None:
        return compression.from_argument(wanted.cparams, itemsize)
    found = compression.from_document(recorded.get("compression"))
    # What was the default of another dtype was nobody's choice.
    return default_for(itemsize) if found in DEFAULTS else found


def _sizes(value: Any, count: int) -> Shape | None:
    """Return recorded sizes if they are as many positive integers as belong there."""
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)) or len(value) != count:
        return None
    return tuple(map(int, value)) if all(isinstance(n, (int, float)) and n >= 1 for n in value) else None


def _chunk_and_block(wanted: Wanted, ndim: int) -> tuple[Shape, Shape]:
    if wanted.block_size is None or wanted.chunk_size is None:
        absent = "block_size" if wanted.block_size is None else "chunk_size"
        message = f"chunk_size and block_size need each other; give {absent} too, or a patch_size alone"
        raise ArgumentError(Problem("missing_field", (absent,), message))
    chunk = whole_numbers(wanted.chunk_size, "chunk_size", ndim, "one per axis")
    block = whole_numbers(wanted.block_size, "block_size", ndim, "one per axis")
    for axis, (inner, outer) in enumerate(zip(block, chunk, strict=True)):
        if inner > outer:
            message = f"the block is {inner} long and the chunk {outer}; a block lies inside a chunk"
            raise ArgumentError(Problem("conflict", ("block_size", axis), message))
    return chunk, block


def _explicit(shape: Sequence[int], chunk: Shape, block: Shape, packed: Compression) -> Layout:
    if 0 in shape:
        return Layout((), (), None, packed)
    chunk = tuple(map(min, chunk, shape))
    return Layout(chunk, tuple(map(min, block, chunk)), None, packed)


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
