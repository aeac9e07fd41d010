"""Placements and documents that are only computed, beside rendering one document as text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import stores
from harness import Goal, Growth, Line, timer

import worldarray as wa

AXES = ("z", "y", "x")
CENTRE = tuple(s / 2 for s in stores.SIZE)
CALLS: dict[str, tuple[Any, ...]] = {
    "level_factors": (stores.SIZE,),
    "level_placement": (stores.SIZE, CENTRE, (1, 2, 2)),
    "level_shape": ((600, 800, 1001), (1, 2, 2)),
}


def levels(count: int) -> list[tuple[str, tuple[float, ...], tuple[float, ...]]]:
    """Return placed levels."""
    sizes = [tuple(s * 1.25**i for s in stores.SIZE) for i in range(count)]
    return [(f"s{i}", size, tuple(s / 2 for s in size)) for i, size in enumerate(sizes)]


def lines(root: Path, *, quick: bool) -> list[Line]:  # noqa: ARG001  (as every family)
    """Return one call of each function."""
    calls = {**CALLS, "level_factors": (stores.SIZE, 1.5, 8), "ome_multiscales": (AXES, "nanometer", levels(8))}
    reference = timer(rendering(levels(8)))
    says = "json.dumps of a group's document of eight levels"
    found = []
    for name, given in calls.items():
        job = {"op": "call", "function": name, "arguments": given}
        found.append(Line(name, reference, timer(calling(getattr(wa, name), given)), Goal(ratio=1), says, job))
    return found


def growth(root: Path, *, quick: bool) -> list[Growth]:  # noqa: ARG001
    """Return the document of a group by its levels."""
    counts = (2, 4, 8) if quick else (8, 60, 450)
    points = [(count, timer(calling(wa.ome_multiscales, (AXES, "nanometer", levels(count))))) for count in counts]
    return [Growth("ome_multiscales, by levels", points)]


def calling(function: Callable[..., object], given: tuple[Any, ...]) -> Callable[[], object]:
    """Return a call of a function."""
    return lambda: function(*given)


def rendering(listed: Any) -> Callable[[], object]:
    """Return what renders the document of a group as text."""
    attributes = wa.ome_multiscales(AXES, "nanometer", listed)
    document = {"zarr_format": 3, "node_type": "group", "attributes": attributes}
    return lambda: json.dumps(document, indent=2)
