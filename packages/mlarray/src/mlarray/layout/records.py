"""How an array is cut and compressed: frozen records without I/O."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import blosc2

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Compression:
    """What `storage.compression` records: names of blosc2, portable settings only.

    Filters are in the order of the pipeline; empty slots are left out.
    """

    codec: str = "LZ4"
    level: int = 5
    filters: tuple[str, ...] = ("SHUFFLE",)
    filters_meta: tuple[int, ...] | None = None

    def to_cparams(self, *, nthreads: int = 1) -> blosc2.CParams:
        """Return the settings for blosc2; a codec or filter that it does not know raises here and nowhere else."""
        raise NotImplementedError  # layout/compression.py


@dataclass(frozen=True)
class Layout:
    """Chunk and block per array axis in C order; `patch` per axis of type space (per axis where there is none)."""

    chunk: Shape
    block: Shape
    patch: Shape | None = None
    compression: Compression = field(default_factory=Compression)
