"""Hashes by which an array and its geometry are recognised: of content, not of names, layout or byte order."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mlarray.geometry.matrix import columns_of, expanded

SLAB_BYTES: Final = 16 << 20
"""About how much of an array is in memory at once while it is hashed."""


def little_endian(dtype: np.dtype[Any]) -> str:
    """Return a dtype as fingerprints spell it: little-endian.

    Examples
    --------
    >>> little_endian(np.dtype(">i2")), little_endian(np.dtype("u1"))
    ('<i2', '|u1')
    """
    return str(dtype.newbyteorder("<").str)


def data_hash(slabs: Iterable[NDArray[Any]], shape: Sequence[int], dtype: np.dtype[Any]) -> str:
    """Return the hash of an array's elements.

    sha256 of ``mla-data-1``, the little-endian dtype and the shape, a line each, then the elements in C order,
    little-endian.

    Parameters
    ----------
    slabs
        The array in consecutive parts along its first axis, or the array alone in a list.
    shape, dtype
        Those of the whole array.

    Examples
    --------
    >>> data_hash([np.arange(24, dtype="i2").reshape(2, 3, 4)], (2, 3, 4), np.dtype("i2"))[:15]
    'sha256:97d4c350'
    """
    spelt = little_endian(dtype)
    found = hashlib.sha256(f"mla-data-1\n{spelt}\n{','.join(map(str, shape))}\n".encode())
    for slab in slabs:
        found.update(np.ascontiguousarray(slab, np.dtype(spelt)).reshape(-1).view(np.uint8).data)
    return f"sha256:{found.hexdigest()}"


def rows_per_slab(shape: Sequence[int], itemsize: int) -> int:
    """Return how many indices of the first axis make a slab.

    Examples
    --------
    >>> rows_per_slab((300, 512, 512), 2)
    32
    """
    row = itemsize
    for size in shape[1:]:
        row *= size
    return max(1, SLAB_BYTES // max(1, row))


def geometry_hash(space: Mapping[str, Any] | None, axis_names: Sequence[str]) -> str:
    """Return the hash of a space: its reference, the unit and direction of its axes, the columns and the matrix.

    Names of axes and of the space do not count. No space hashes as one without axes.

    Examples
    --------
    >>> geometry_hash(None, ["y", "x"]) == geometry_hash(None, ["a"])
    True
    """
    parts = ["mla-geometry-1\n"]
    numbers: list[float] = []
    reference = (space or {}).get("reference") or {}
    parts.append(f"{reference.get('scheme', '')}\x1f{reference.get('id', '')}\n")
    if space is not None:
        for axis in space["axes"]:
            unit = axis.get("unit_code") or axis.get("unit") or ""
            parts.append(f"{unit}\x1f{axis.get('increases_toward') or ''}\n")
        from_array = space["from_array"]
        parts.append(",".join(map(str, columns_of(from_array["array_axes"], axis_names))) + "\n")
        matrix = expanded(from_array, [axis["name"] for axis in space["axes"]], axis_names)
        numbers = [value for row in matrix[:-1] for value in row]
    else:
        parts.append("\n")
    found = hashlib.sha256("".join(parts).encode())
    found.update(struct.pack(f">{len(numbers)}d", *numbers))
    return f"sha256:{found.hexdigest()}"


def fingerprint(
    slabs: Iterable[NDArray[Any]],
    shape: Sequence[int],
    dtype: np.dtype[Any],
    space: Mapping[str, Any] | None,
    axis_names: Sequence[str],
) -> dict[str, Any]:
    """Return shape, dtype and both hashes, as `source` stores them.

    Examples
    --------
    >>> sorted(fingerprint([np.zeros((2, 3), "u1")], (2, 3), np.dtype("u1"), None, ["y", "x"]))
    ['data', 'dtype', 'geometry', 'shape']
    """
    return {
        "shape": [int(size) for size in shape],
        "dtype": little_endian(dtype),
        "geometry": geometry_hash(space, axis_names),
        "data": data_hash(slabs, shape, dtype),
    }
