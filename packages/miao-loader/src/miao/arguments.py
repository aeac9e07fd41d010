"""Arguments of a dataset and of what goes through it: each function returns the plain value or says what is wrong."""

from __future__ import annotations

import os
from collections.abc import Mapping
from operator import index as whole
from typing import Any

import numpy as np

from miao.errors import ArgumentError, ArgumentTypeError, SampleIndexError


def whole_number(value: Any, name: str, least: int = 0, most: int | None = None) -> int:
    """Return a whole number of at least `least` and at most `most`.

    Raises
    ------
    ArgumentTypeError
        It is none; booleans and floats are none.
    ArgumentError
        It is less or more.

    Examples
    --------
    >>> import numpy as np
    >>> whole_number(np.int64(4), "batch_size", 1)
    4
    """
    found = _whole(value)
    if found is None:
        raise ArgumentTypeError(f"{name} is {value!r}; it is a whole number", code="wrong_type", at=(name,))
    if found < least:
        raise ArgumentError(f"{name} is {found}; it is at least {least}", code="out_of_range", at=(name,))
    if most is not None and found > most:
        raise ArgumentError(f"{name} is {found}; it is at most {most}", code="out_of_range", at=(name,))
    return found


def _whole(value: Any) -> int | None:
    """Return an integer of Python, of numpy or of a tensor of one; None for anything else."""
    kind = str(getattr(value, "dtype", ""))
    if isinstance(value, (bool, np.bool_)) or kind.endswith("bool") or getattr(value, "ndim", False):
        return None
    try:
        return whole(value)
    except TypeError:
        return None


def position_of(index: Any, length: int) -> int:
    """Return a position from 0 on; negative ones count from the end.

    Raises
    ------
    ArgumentTypeError
        It is no whole number.
    SampleIndexError
        There is no such position.

    Examples
    --------
    >>> position_of(-1, 4)
    3
    """
    found = _whole(index)
    if found is None:
        raise ArgumentTypeError(f"{index!r} is no index of a sample; give a whole number", code="wrong_type")
    if not -length <= found < length:
        raise SampleIndexError(f"there is no sample {found}; the dataset has {length}", code="out_of_range")
    return found % length


def positions_of(indices: Any, length: int) -> list[int]:
    """Return the positions of several samples.

    Raises
    ------
    ArgumentTypeError
        They are no list of whole numbers.
    SampleIndexError
        There is no such position.
    """
    if isinstance(indices, (str, bytes)) or not hasattr(indices, "__iter__"):
        raise ArgumentTypeError(f"{indices!r} is no list of indices; give whole numbers", code="wrong_type")
    return [position_of(index, length) for index in indices]


def mapping_of(value: Any, name: str) -> Mapping[str, Any]:
    """Return a mapping, such as a state.

    Raises
    ------
    ArgumentTypeError
        It is none.
    """
    if not isinstance(value, Mapping):
        raise ArgumentTypeError(
            f"{name} is {type(value).__name__}; it is a mapping, as state_dict returns", code="wrong_type", at=(name,)
        )
    return value


def rank_of(rank: Any, world_size: Any) -> tuple[int, int]:
    """Return the rank of this process and how many there are; None for what torch or the environment says.

    Raises
    ------
    ArgumentTypeError, ArgumentError
        One of them is no whole number, or there is no such rank.

    Examples
    --------
    >>> rank_of(1, 4)
    (1, 4)
    """
    import torch.distributed as dist

    if dist.is_available() and dist.is_initialized():
        found = dist.get_rank(), dist.get_world_size()
    else:
        found = _environment("RANK", 0), _environment("WORLD_SIZE", 1)
    own = found[0] if rank is None else whole_number(rank, "rank")
    size = found[1] if world_size is None else whole_number(world_size, "world_size", 1)
    if own >= size:
        raise ArgumentError(
            f"rank is {own} of {size}; it is from 0 to world_size - 1", code="out_of_range", at=("rank",)
        )
    return own, size


def _environment(name: str, default: int) -> int:
    """Return a number of the environment; `default` where it is absent or empty."""
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    if not text.isdecimal():
        raise ArgumentError(
            f"the environment says {name}={text!r}, which is no whole number; correct it, or pass rank and world_size",
            code="wrong_type",
            at=(name,),
        )
    return int(text)
