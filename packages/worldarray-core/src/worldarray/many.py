"""Reading many boxes at once: every read is issued before any is waited for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from worldarray.array import WorldArray
from worldarray.errors import ArgumentTypeError, problem
from worldarray.reads.planning import Transform
from worldarray.reads.selection import Select

if TYPE_CHECKING:
    from worldarray.io.retry import Retry


@dataclass(frozen=True)
class IndexRead:
    """One read of `read_many`: the arguments of `WorldArray.read_index` and the handle to read."""

    volume: WorldArray
    begin: Sequence[int]
    end: Sequence[int]
    padding: Any = None
    mask: bool = False
    retries: Retry | None = None
    select: Select | None = None
    transform: Transform | None = None


def read_many(reads: Iterable[IndexRead | tuple[WorldArray, Sequence[int], Sequence[int]]]) -> list[Any]:
    """Return the result of many index reads, in their order; all are issued together before any is waited for.

    Parameters
    ----------
    reads
        `IndexRead` records, or (array, begin, end) tuples; of one array or of several. Each keeps its handle's (or
        its own) retry policy.

    Raises
    ------
    ArgumentTypeError
        One is neither an `IndexRead` nor such a tuple.
    ArgumentError, DataError, AccessError, StoreUnavailableError
        As for `WorldArray.read_index`; the first read that fails, in order, decides.

    Examples
    --------
    >>> import worldarray as wa
    >>> from worldarray.demo import demo_pyramid
    >>> with demo_pyramid() as path:
    ...     vol = wa.open(path, level="s2")
    ...     [part.shape for part in wa.read_many([(vol, (0, 0, 0), (1, 2, 3)), (vol, (9, 9, 9), (12, 12, 12))])]
    [(1, 2, 3), (3, 3, 3)]
    """
    from worldarray.io import runtime  # noqa: PLC0415  (documents need no tensorstore)

    given: Any = reads
    try:
        listed = list(given)
    except TypeError:
        raise _refuse(reads) from None
    wanted = list(map(_index_read, listed))
    with runtime.using().Batch() as batch:
        pending = [
            read.volume.read_index_async(
                read.begin,
                read.end,
                read.padding,
                mask=read.mask,
                retries=read.retries,
                select=read.select,
                transform=read.transform,
                batch=batch,
            )
            for read in wanted
        ]
    return [read.result() for read in pending]


def _index_read(read: Any) -> IndexRead:
    if isinstance(read, tuple) and len(read) == 3:
        read = IndexRead(*read)
    if not isinstance(read, IndexRead) or not isinstance(read.volume, WorldArray):
        raise _refuse(read)
    return read


def _refuse(read: object) -> ArgumentTypeError:
    message = f"{read!r} is no read; give IndexRead(volume, begin, end) records or (volume, begin, end) tuples"
    return ArgumentTypeError(problem("wrong_type", ("reads",), message))
