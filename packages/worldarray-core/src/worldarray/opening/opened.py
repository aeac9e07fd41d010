"""Opened: what opening an array found, as one record that pickles."""

from __future__ import annotations

from dataclasses import dataclass

from worldarray.documents.facts import StorageFacts
from worldarray.opening.options import OpenArguments
from worldarray.paths import Location
from worldarray.reads.view import View


@dataclass(frozen=True)
class Opened:
    """What opening found: everything a handle needs to read, and to be opened again elsewhere."""

    arguments: OpenArguments
    location: Location
    """Where the array is stored."""
    folder: Location
    """Where its metadata document lies: the same, but for a precomputed scale the volume's folder."""
    facts: StorageFacts
    view: View
    level_name: str
    level_names: tuple[str, ...] | None
    """The levels of the pyramid, None where an array's own path was opened and no pyramid was looked for."""
