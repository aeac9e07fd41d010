"""How an array is cut and compressed: frozen records without I/O."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mlarray.errors import ArgumentError, Problem

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
        """Return the settings for blosc2.

        Raises
        ------
        ArgumentError
            blosc2 does not know the codec or a filter.
        """
        import blosc2  # importing this package is fast

        filters = [_member(blosc2.Filter, name, "filters") for name in self.filters]
        meta = list(self.filters_meta or ()) or [0] * len(filters)
        meta = (meta + [0] * len(filters))[: len(filters)]
        codec = _member(blosc2.Codec, self.codec, "codec")
        return blosc2.CParams(codec=codec, clevel=self.level, filters=filters, filters_meta=meta, nthreads=nthreads)


def _member(kind: type[enum.Enum], name: str, what: str) -> enum.Enum:
    try:
        return kind[name]
    except KeyError:
        known = ", ".join(kind.__members__)
        message = f"blosc2 has no {name!r} among its {what}; it has {known}"
        raise ArgumentError(Problem("unknown_name", ("storage", "compression", what), message)) from None


@dataclass(frozen=True)
class Layout:
    """Chunk and block per array axis in C order; `patch` per axis of type space (per axis where there is none).

    An empty chunk and block leave the choice to blosc2.
    """

    chunk: Shape
    block: Shape
    patch: Shape | None = None
    compression: Compression = field(default_factory=Compression)
