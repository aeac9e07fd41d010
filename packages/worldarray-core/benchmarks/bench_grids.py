"""Blocks, beside itertools and numpy."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from harness import Goal, Growth, Line, timer

import worldarray as wa

BLOCK = (8, 16, 32)
CONTEXT = 2


def lines(root: Path, *, quick: bool) -> list[Line]:  # noqa: ARG001  (every family is given the folder)
    """Return the iteration of blocks and their arrays."""
    side = 20 if quick else 100
    total = side**3
    shape = _shape(side)
    job = {"shape": shape, "block": BLOCK, "context": CONTEXT}
    return [
        Line(
            f"blocks iteration, {total:g} blocks",
            timer(lambda: _drain(product(range(side), repeat=3))),
            timer(lambda: _drain(wa.blocks(shape, BLOCK, context=CONTEXT))),
            Goal(item_us=2),
            "the bare itertools.product of as many indices",
            {"op": "blocks", **job},
            items=total,
        ),
        Line(
            f"blocks.arrays, {total:g} blocks",
            timer(lambda: plain_arrays(shape)),
            timer(lambda: wa.blocks(shape, BLOCK, context=CONTEXT).arrays()),
            Goal(ratio=2),
            "numpy: unravel_index and arithmetic on (n, 3) arrays",
        ),
    ]


def growth(root: Path, *, quick: bool) -> list[Growth]:  # noqa: ARG001
    """Return iteration, arrays and random access at three numbers of blocks."""
    tilings = [wa.blocks(_shape(side), BLOCK, context=CONTEXT) for side in ((5, 10, 20) if quick else (22, 46, 100))]
    return [
        Growth("blocks iteration, by blocks", [(len(each), timer(lambda b=each: _drain(b))) for each in tilings]),  # type: ignore[misc]
        Growth("blocks.arrays, by blocks", [(len(each), timer(lambda b=each: b.arrays())) for each in tilings]),  # type: ignore[misc]
        Growth("blocks[-1], by blocks", [(len(each), timer(lambda b=each: b[-1])) for each in tilings]),  # type: ignore[misc]
    ]


def plain_arrays(shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Return what `Blocks.arrays` returns, as a few lines of numpy compute it."""
    counts = [-(-n // c) for n, c in zip(shape, BLOCK, strict=True)]
    index = np.stack(np.unravel_index(np.arange(np.prod(counts)), counts), axis=1)
    begin = index * BLOCK
    end = np.minimum(begin + BLOCK, shape)
    return begin, end, np.maximum(begin - CONTEXT, 0), np.minimum(end + CONTEXT, shape)


def _shape(side: int) -> tuple[int, ...]:
    return tuple(side * c - 1 for c in BLOCK)


def _drain(values: Iterable[object]) -> None:
    deque(values, maxlen=0)
