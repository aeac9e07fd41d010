"""How an array is cut and compressed: frozen records without I/O."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from mlarray.errors import ArgumentError, At, Problem

if TYPE_CHECKING:
    import blosc2

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Compression:
    """What `storage.compression` records: names of blosc2, portable settings only.

    Filters are in the order of the pipeline; empty slots are left out.
    """

    codec: str = "LZ4HC"
    level: int = 8
    filters: tuple[str, ...] = ("SHUFFLE",)
    filters_meta: tuple[int, ...] | None = None

    def to_cparams(self, *, nthreads: int = 1) -> blosc2.CParams:
        """Return the settings for blosc2.

        Shuffled bytes are compressed stream by stream: bytes that hold noise are stored as they are then, which LZ4HC
        reads a fifth faster (blosc2 alone does so for LZ4 and fast ZSTD).

        Raises
        ------
        ArgumentError
            blosc2 does not know the codec or a filter.
        """
        import blosc2  # importing this package is fast

        named = self.members()
        meta = [*(self.filters_meta or ()), *[0] * len(named.filters)][: len(named.filters)]
        split = {"splitmode": blosc2.SplitMode.ALWAYS_SPLIT} if self._split else {}
        return blosc2.CParams(
            codec=named.codec, clevel=self.level, filters=named.filters, filters_meta=meta, nthreads=nthreads, **split
        )

    @property
    def _split(self) -> bool:
        return self.codec == "LZ4HC" and "SHUFFLE" in self.filters

    def members(self, at: At = ("storage", "compression")) -> Members:
        """Return codec and filters as members of blosc2's enumerations, no filter as its NOFILTER.

        Raises
        ------
        ArgumentError
            blosc2 does not know one.
        """
        import blosc2  # importing this package is fast

        codec = _member(blosc2.Codec, self.codec, (*at, "codec"))
        places = [(*at, "filters", index) for index in range(len(self.filters))]
        filters = [_member(blosc2.Filter, name, place) for name, place in zip(self.filters, places, strict=True)]
        return Members(codec, filters or [blosc2.Filter.NOFILTER])


class Members(NamedTuple):
    """A codec and filters as blosc2 has them."""

    codec: enum.Enum
    filters: list[enum.Enum]


def _member(kind: type[enum.Enum], name: str, at: At) -> enum.Enum:
    try:
        return kind[name]
    except KeyError:
        known = ", ".join(kind.__members__)
        message = f"blosc2 has no {kind.__name__.lower()} {name!r}; it has {known}"
        raise ArgumentError(Problem("unknown_name", at, message)) from None


def default_for(itemsize: int) -> Compression:
    """Return the library's default for numbers of so many bytes: one byte alone has nothing to shuffle.

    Examples
    --------
    >>> default_for(1).filters, default_for(2).filters
    ((), ('SHUFFLE',))
    """
    return Compression(filters=("SHUFFLE",) if itemsize > 1 else ())


DEFAULTS: Final = (default_for(1), default_for(2))
"""Every default there is."""


@dataclass(frozen=True)
class Layout:
    """Chunk and block per array axis in C order; `patch` per axis of type space (per axis where there is none).

    An empty chunk and block leave the choice to blosc2.
    """

    chunk: Shape
    block: Shape
    patch: Shape | None = None
    compression: Compression = field(default_factory=Compression)
