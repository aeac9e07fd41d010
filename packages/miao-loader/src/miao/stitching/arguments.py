"""What a Stitcher is given: paths, chunks, dtypes, predictions and where they belong; each is checked before use."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from miao.arguments import whole_number
from miao.errors import ArgumentError, ArgumentTypeError

Array = np.ndarray[Any, Any]
Path = str | os.PathLike[str]
Place = tuple[int, ...]

_BLOCKS: Final = {1: 4096, 2: 512, 3: 64, 4: 32}
"""The edge of a chunk by the number of axes, unless one is asked for."""
_DTYPES: Final = "iuf"


def paths_of(out: Path | Mapping[str, Path], names: Sequence[str]) -> dict[str, str]:
    """Return where the array of each volume is made.

    Raises
    ------
    ArgumentError
        A volume has no path, two have the same one, or a name cannot stand in a path.

    Examples
    --------
    >>> paths_of("out/{volume}.zarr/s0", ["a", "b"])
    {'a': 'out/a.zarr/s0', 'b': 'out/b.zarr/s0'}
    """
    found = _listed(out, names) if isinstance(out, Mapping) else _filled(_text(out), names)
    owners: dict[str, str] = {}
    for name, path in found.items():
        other = owners.setdefault(os.path.normpath(path), name)
        if other != name:
            raise ArgumentError(
                f"out gives volumes {other!r} and {name!r} the same path {path!r}; each has an array of its own",
                code="duplicate",
                at=("out",),
            )
    return found


def _listed(out: Mapping[str, Path], names: Sequence[str]) -> dict[str, str]:
    missing = [name for name in names if name not in out]
    if missing:
        raise ArgumentError(f"out has no path for volume {missing[0]!r}", code="missing_key", at=("out",))
    return {name: _text(out[name]) for name in names}


def _filled(text: str, names: Sequence[str]) -> dict[str, str]:
    if "{volume}" not in text:
        if len(names) > 1:
            raise ArgumentError(
                f"out is one path for {len(names)} volumes; put {{volume}} into it, or give a mapping from their names",
                code="wrong_length",
                at=("out",),
            )
        return {names[0]: text}
    for name in names:
        if name in {".", ".."} or any(mark in name for mark in "/\\\0"):
            raise ArgumentError(
                f"the volume {name!r} cannot stand for {{volume}} in a path; give a mapping from names to paths",
                code="wrong_value",
                at=("out",),
            )
    return {name: text.replace("{volume}", name) for name in names}


def _text(path: object) -> str:
    found = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(found, str) or not found.strip():
        raise ArgumentTypeError(
            f"out is {path!r}; it is a path, or a mapping from the names of volumes to paths",
            code="wrong_type",
            at=("out",),
        )
    return found


def chunks_of(chunks: Sequence[int] | None, rank: int) -> Place:
    """Return the voxels of a chunk per axis.

    Raises
    ------
    ArgumentError
        They are not one whole number of at least 1 per axis.

    Examples
    --------
    >>> chunks_of(None, 3)
    (64, 64, 64)
    """
    if chunks is None:
        return (_BLOCKS[rank],) * rank
    try:
        found = tuple(whole_number(size, "chunks", 1) for size in chunks)
    except (TypeError, ArgumentError):
        found = ()
    if len(found) != rank:
        raise ArgumentError(
            f"chunks is {chunks!r}; it has {rank} whole numbers of at least 1", code="wrong_length", at=("chunks",)
        )
    return found


def dtype_of(dtype: object) -> np.dtype[Any]:
    """Return the dtype of the array.

    Raises
    ------
    ArgumentError
        It is none of integers or floats.

    Examples
    --------
    >>> dtype_of("uint8")
    dtype('uint8')
    """
    try:
        found = np.dtype(dtype)  # type: ignore[call-overload]  # TypeError is the answer
    except TypeError:
        found = None
    if found is None or found.kind not in _DTYPES:
        raise ArgumentError(f"dtype is {dtype!r}; it is of integers or floats", code="wrong_value", at=("dtype",))
    return found  # type: ignore[no-any-return]


def array_of(predictions: Any) -> Array:
    """Return predictions as float32.

    Raises
    ------
    ArgumentTypeError
        They are no array of floats or booleans.
    """
    if hasattr(predictions, "detach"):
        predictions = predictions.detach().to("cpu")
        predictions = (predictions.float() if predictions.is_floating_point() else predictions).numpy()
    try:
        found = np.asarray(predictions)
    except ValueError:
        found = np.empty((), object)
    if found.dtype.kind not in "bf":
        raise ArgumentTypeError(
            f"predictions are of {found.dtype}; patches are averaged where they overlap, which labels cannot be: "
            "stitch scores, and take the largest afterwards",
            code="wrong_type",
            at=("predictions",),
        )
    return found.astype("float32", copy=False)


def places_of(batch: Any) -> tuple[list[str], list[Place]]:
    """Return the volume and the position in its grid of each sample of a batch.

    Raises
    ------
    ArgumentError
        The batch is none of a sequential dataset.
    """
    meta = batch.get("meta") if isinstance(batch, Mapping) else None
    if not isinstance(meta, Mapping) or "grid_index" not in meta or "volume" not in meta:
        raise ArgumentError(
            "the batch has no meta.grid_index; it comes from a dataset with sampling: sequential",
            code="missing_key",
            at=("batch", "meta"),
        )
    try:
        columns = [[whole_number(value, "grid_index") for value in column] for column in meta["grid_index"]]
    except TypeError:
        columns = []
    names = meta["volume"]
    if isinstance(names, str) or not columns or any(len(column) != len(names) for column in columns):
        raise ArgumentError(
            f"the batch has volumes {names!r} and grid_index {meta['grid_index']!r}; collated samples have a list of "
            "names, and one tensor as long per axis",
            code="wrong_length",
            at=("batch", "meta"),
        )
    return list(names), list(zip(*columns, strict=True))
