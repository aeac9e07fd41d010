"""What an array holds its voxels in: a file, a compressed array in memory, or a plain numpy array."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from mlarray.layout.records import Layout

Mode = Literal["r", "r+", "c"]


class Store(Protocol):
    """Voxels, and the raw metadata keys beside them; every method raises `ClosedError` after `close`."""

    path: str | None
    """Absolute, links resolved; None in memory."""
    mode: str | None
    """``r``, ``r+`` or ``c`` of a file (``w`` while one is being created); None in memory."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Size per axis, C order."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """As stored, byte order too."""

    @property
    def layout(self) -> Layout | None:
        """Chunk, block and compression as stored; None of a plain array."""

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""

    def __getitem__(self, key: Any) -> Any:
        """Return what numpy gives for the key: an array, or a numpy scalar for whole integers."""

    def __setitem__(self, key: Any, value: Any) -> None: ...

    def read_box(self, start: tuple[int, ...], stop: tuple[int, ...], out: NDArray[Any]) -> None:
        """Read a box that lies inside the array into a C-contiguous array of its shape and dtype; the fast path."""

    def keys(self) -> Mapping[str, bytes]:
        """Every metadata key with its raw bytes (lazy values: bytes are fetched when looked up)."""

    def set_keys(self, keys: Mapping[str, bytes | None]) -> None:
        """Write raw keys (None takes one away), in place where the store is a file that is open for writing."""

    def flush(self) -> None:
        """Write out what is pending."""

    def close(self) -> None:
        """Let go of the file; a second time does nothing."""
