"""Bounds meet the columns of a file: text becomes values of each column's own type."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from maml_parquet.arrow.checks import checked_as
from maml_parquet.errors import At, Problem
from maml_parquet.files.requests import Asked
from maml_parquet.sections.qc import Bound, BoundError, Qc, Side, parse_bound

_SIDES: Final[tuple[Side, ...]] = ("min", "max")


def asked(qc: Qc) -> Asked:
    """Return what a MAML asks of a column, its bounds as text."""
    return Asked(qc.min.text if qc.min else "", qc.max.text if qc.max else "", qc.miss)


def bound_qc(said: Asked, type_: pa.DataType, at: At, problems: list[Problem], *, line: int = 1, name: str = "") -> Qc:
    """Return bounds as values of a column's type; what is wrong goes to the problems.

    Parameters
    ----------
    at, line
        Where they stand.
    name
        The column, for messages.
    """
    values: dict[Side, Bound] = {}
    for side in _SIDES:
        text = said.min if side == "min" else said.max
        value = _bound(text, side, type_)
        if isinstance(value, BoundError):
            message = f"the column {name!r} of the file: {value.message}"
            problems.append(Problem(value.code, (*at, side), message, line))
        elif value is not None:
            values[side] = value
    return Qc(values.get("min"), values.get("max"), said.miss)


def _bound(text: str, side: Side, type_: pa.DataType) -> Bound | BoundError | None:
    kind = checked_as(type_)
    if kind is not None:
        return parse_bound(text, side, kind)
    if not text:
        return None
    return BoundError("qc-bound", f"values of {type_} have no bounds, {side} is {text!r}; remove it (miss may stay)")
