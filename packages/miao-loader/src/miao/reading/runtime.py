"""What of tensorstore belongs to one process: contexts, and open levels. A forked child makes its own."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import worldarray
from miao.errors import ForkError, ReadError
from miao.reading.pinned import PinnedArray
from worldarray.errors import ForkError as CoreForkError
from worldarray.errors import WorldArrayError

if TYPE_CHECKING:
    from miao.records import LevelInfo
    from worldarray import WorldArray


@dataclass(frozen=True)
class ReadSettings:
    """How stores are read; datasets with equal settings share one cache in a process."""

    cache_bytes: int = 1 << 30
    """The cache of decoded chunks of all processes together: worker processes share it out."""
    file_io_concurrency: int = 64
    missing_chunks: str = "fill"
    """"fill" reads a chunk that is not stored as the fill value; "error" refuses it."""


_contexts: dict[tuple[int, int, int], Any] = {}


def context(settings: ReadSettings) -> Any:
    """Return the tensorstore.Context of this process for some settings."""
    key = (os.getpid(), settings.cache_bytes // workers(), settings.file_io_concurrency)
    found = _contexts.get(key)
    if found is None:
        import tensorstore

        spec = {"cache_pool": {"total_bytes_limit": key[1]}, "file_io_concurrency": {"limit": key[2]}}
        found = _contexts.setdefault(key, tensorstore.Context(spec))
    return found


def workers() -> int:
    """Return how many worker processes of a DataLoader this one is one of; 1 where it is none."""
    module = sys.modules.get("torch.utils.data")
    info = None if module is None else module.get_worker_info()
    return 1 if info is None else max(int(info.num_workers), 1)


class OpenLevel:
    """One level that is open for reading: the checked handle, and the array below it for reads in batches."""

    __slots__ = ("handle", "store", "vouched")

    def __init__(self, level: LevelInfo, settings: ReadSettings) -> None:
        try:
            whole = worldarray.open(level.path, units=None, context=context(settings))
            self.handle: WorldArray | PinnedArray = PinnedArray(whole, dict(level.select)) if level.select else whole
            self.store: Any = self.handle.ts
        except CoreForkError as error:
            raise ForkError(
                f"this process ({os.getpid()}) was forked from one that had already read, and tensorstore would end "
                'it; pass multiprocessing_context="forkserver" (or "spawn") to DataLoader, let the workers alone read, '
                "or use miao.loader, which needs no workers",
                code="forked",
            ) from error
        except WorldArrayError as error:
            raise ReadError(
                f"level {level.path} cannot be opened: {error}", code="not_found", at=(level.path,)
            ) from error
        _check_same(level, self.handle)
        if settings.missing_chunks == "error":
            self.store = _strict(self.store, context(settings))
        self.vouched = settings.missing_chunks == "error"
        """Whether a first read went through the handle, which looks for torn shards and the like."""


def _check_same(level: LevelInfo, handle: Any) -> None:
    """Refuse an array that is not the one whose documents the dataset was made from.

    Raises
    ------
    ReadError
        It has other values or another shape; a channel may stand anywhere among the sampled axes.
    """
    shape = tuple(handle.shape)
    without = [shape, *(shape[:axis] + shape[axis + 1 :] for axis in range(len(shape)))]
    if level.shape not in without or handle.dtype.name != level.dtype:
        raise ReadError(
            f"level {level.path} now holds {handle.dtype.name} of shape {shape}, and it was {level.dtype} of shape "
            f"{level.shape} when the dataset was made; make the dataset again",
            code="conflict",
            at=(level.path,),
        )


def _strict(store: Any, where: Any) -> Any:
    """Return the same array, of which a chunk that is not stored is an error."""
    import tensorstore

    mode = tensorstore.OpenMode(open=True, assume_metadata=True)
    spec = store.spec(open_mode=mode, unbind_context=True).to_json()
    spec.pop("context", None)
    return tensorstore.open({**spec, "fill_missing_data_reads": False}, context=where, read=True).result()


class Levels:
    """The open levels of a dataset in this process, opened when first read; copies of it start with none."""

    def __init__(self, settings: ReadSettings) -> None:
        self.settings = settings
        self._pid = os.getpid()
        self._open: dict[tuple[str, tuple[tuple[str, int], ...]], OpenLevel] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {"settings": self.settings}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def get(self, level: LevelInfo) -> OpenLevel:
        """Return a level, opened.

        Raises
        ------
        ForkError
            This process was forked from one that had read already.
        ReadError
            It cannot be opened, or is another array than when the dataset was made.
        """
        if self._pid != os.getpid():
            self._pid, self._open = os.getpid(), {}
        key = (level.path, level.select)
        found = self._open.get(key)
        if found is None:
            found = self._open[key] = OpenLevel(level, self.settings)
        return found
