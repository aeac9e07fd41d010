"""Numbers and indices that a caller passes, checked once and as tuples."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, NoReturn

from worldarray.errors import ArgumentError, ArgumentTypeError, problem

Floats = tuple[float, ...]
Indices = tuple[int, ...]


def index_tuple(values: Iterable[Any], name: str, ndim: int | None = None) -> Indices:
    """Return integers as a tuple; anything that is no integer (0.9) is refused, never rounded.

    Raises
    ------
    ArgumentTypeError
        A value is no integer, or `values` is no list.
    ArgumentError
        There are not `ndim` of them.

    Examples
    --------
    >>> import numpy as np
    >>> index_tuple(np.arange(3), "begin")
    (0, 1, 2)
    """
    try:
        result = tuple(map(operator.index, values))
    except TypeError as error:
        message = f"{name} is {values!r}; give one integer per axis"
        raise ArgumentTypeError(problem("wrong_type", (name,), message)) from error
    if ndim is not None and len(result) != ndim:
        message = f"{name} has {len(result)} entries {result}; give {ndim}, one per axis"
        raise ArgumentError(problem("wrong_length", (name,), message))
    return result


def finite(values: Iterable[Any], name: str) -> Floats:
    """Return numbers as a tuple of finite floats.

    Raises
    ------
    ArgumentTypeError
        A value is no number, or `values` is no list.
    ArgumentError
        A value is NaN or infinite.

    Examples
    --------
    >>> finite((1, 2.5), "translation")
    (1.0, 2.5)
    """
    if isinstance(values, (str, bytes)):
        _refuse_numbers(values, name)
    try:
        result = tuple(map(float, values))
    except (TypeError, ValueError):
        _refuse_numbers(values, name)
    except OverflowError as error:  # an integer of hundreds of digits
        message = f"{name} is beyond the largest float on some axis; give finite numbers"
        raise ArgumentError(problem("not_finite", (name,), message)) from error
    for axis, value in enumerate(result):
        if not isfinite(value):
            message = f"{name} is {value} on axis {axis}; give a finite number"
            raise ArgumentError(problem("not_finite", (name, axis), message))
    return result


def _refuse_numbers(values: Any, name: str) -> NoReturn:
    raise ArgumentTypeError(problem("wrong_type", (name,), f"{name} is {values!r}; give one number per axis"))


def positive(values: Iterable[Any], name: str) -> Floats:
    """Return numbers as a tuple of finite floats above 0; `finite` and a sign check.

    Raises
    ------
    ArgumentError
        A value is zero, negative, NaN or infinite.

    Examples
    --------
    >>> positive((30, 8, 8), "voxel_size")
    (30.0, 8.0, 8.0)
    """
    result = finite(values, name)
    for axis, value in enumerate(result):
        if value <= 0:
            message = f"{name} is {value} on axis {axis}; give a positive number"
            raise ArgumentError(problem("not_positive", (name, axis), message))
    return result


def same_length(**lists: Sequence[Any]) -> None:
    """Refuse lists of different lengths, naming the first that differs.

    Raises
    ------
    ArgumentError
        The lists differ in length.

    Examples
    --------
    >>> same_length(begin=(0, 0), end=(8, 4))
    """
    for name, values in lists.items():
        if not hasattr(values, "__len__") or getattr(values, "ndim", 1) == 0:
            raise ArgumentTypeError(problem("wrong_type", (name,), f"{name} is {values!r}; give one entry per axis"))
    counts = {name: len(values) for name, values in lists.items()}
    first = next(iter(counts.values()))
    odd = next((name for name, count in counts.items() if count != first), None)
    if odd is not None:
        found = ", ".join(f"{name} has {count}" for name, count in counts.items())
        raise ArgumentError(
            problem("wrong_length", (odd,), f"lists differ in length: {found}; give one entry per axis")
        )
