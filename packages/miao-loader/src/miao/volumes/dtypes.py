"""Which values images and labels may hold, and in which integers labels come back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from miao.errors import At, Notice, VolumeError

RETURNED: Final = {
    "bool": "int8",
    "int8": "int8",
    "uint8": "int16",
    "int16": "int16",
    "uint16": "int32",
    "int32": "int32",
    "uint32": "int64",
    "int64": "int64",
    "uint64": "int64",
    "float16": "int64",
    "float32": "int64",
    "float64": "int64",
}
"""The integers that hold every stored label: torch has no arithmetic for most unsigned ones."""
NO_LABELS: Final = "int64"
"""The dtype of the empty tensor that stands for labels where no volume has any."""


def label_dtype(stored: Iterable[str]) -> str:
    """Return the one dtype in which a dataset returns labels: wide enough for those of every volume.

    Examples
    --------
    >>> label_dtype(["uint8", "uint16"]), label_dtype([])
    ('int32', 'int64')
    """
    returned = [RETURNED[dtype] for dtype in stored]
    return max(returned, key=lambda dtype: np.dtype(dtype).itemsize) if returned else NO_LABELS


def check_image(dtypes: Sequence[str], path: str, at: At) -> None:
    """Refuse images whose values are neither integers nor floats nor booleans, or of another dtype at some level."""
    dtype = dtypes[0]
    for level, other in enumerate(dtypes):
        if other != dtype:
            raise VolumeError(
                f"level {level} of {path} holds {other} and level 0 {dtype}; one range of values is scaled to 0 to 1, "
                "so every level of an image is of one dtype",
                code="conflict",
                at=at,
            )
    if np.dtype(dtype).kind not in "biuf" and dtype != "bfloat16":
        raise VolumeError(
            f"{path} holds {dtype}; images are of integers, floats or booleans", code="unsupported", at=at
        )


def check_labels(dtype: str, path: str, at: At) -> Notice | None:
    """Return what there is to say about the values of labels, or None.

    Raises
    ------
    VolumeError
        They are neither integers nor booleans nor floats.
    """
    if dtype not in RETURNED:
        raise VolumeError(f"the labels {path} hold {dtype}; labels are integers", code="unsupported", at=at)
    if dtype.startswith("float"):
        return Notice(
            "not_representable",
            f"the labels {path} are stored as {dtype}; a value that is no whole number stops the read that meets it",
        )
    if dtype == "uint64":
        return Notice(
            "not_representable",
            f"the labels {path} are stored as uint64 and returned as int64: an id of 2^63 or more comes back negative",
        )
    return None


def check_fill(fill: int | None, returned: str, at: At, stored: str = "") -> None:
    """Refuse a `label_fill` that the returned labels cannot hold, or the floats that they are stored as."""
    if fill is None:
        return
    limits = np.iinfo(returned)
    if not limits.min <= fill <= limits.max:
        raise VolumeError(
            f"label_fill is {fill}, but labels come back as {returned}: {limits.min} to {limits.max}",
            code="not_representable",
            at=at,
        )
    if stored.startswith("float") and int(float(fill)) != fill:
        raise VolumeError(
            f"label_fill is {fill}, but the labels are stored as {stored}, beside which no double is that number; "
            f"{int(float(fill))} is",
            code="not_representable",
            at=at,
        )
