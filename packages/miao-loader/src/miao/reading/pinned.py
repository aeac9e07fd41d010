"""A level of which some axes are pinned to one index: read like an array that does not have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from worldarray import WorldArray


class PinnedArray:
    """What reads need of a handle, over the axes that are left; spatial axes may be pinned as well as others.

    Parameters
    ----------
    handle
        The whole level.
    select
        The index of each pinned axis, by its stored name.

    Examples
    --------
    >>> import miao, worldarray
    >>> from miao.demo import demo_config
    >>> with demo_config() as config:
    ...     level = worldarray.open(config["volumes"][0]["path"] + "/raw/s0")
    ...     plane = PinnedArray(level, {"z": 3})
    ...     plane.shape, plane.read_index((4, 5), (5, 8)).tolist(), plane.ts.shape
    ((32, 40), [[12, 13, 14]], (32, 40))
    """

    def __init__(self, handle: WorldArray, select: Mapping[str, int]) -> None:
        self._handle = handle
        self._pinned = {handle.axes.index(name): index for name, index in select.items()}

    @property
    def shape(self) -> tuple[int, ...]:
        """Voxels per axis that is left."""
        return tuple(size for axis, size in enumerate(self._handle.shape) if axis not in self._pinned)

    @property
    def dtype(self) -> np.dtype[Any]:
        """What a voxel is, as it is stored."""
        return self._handle.dtype

    @property
    def ts(self) -> Any:
        """The array as tensorstore has it, pinned axes dropped."""
        return self._handle.ts[tuple(self._pinned.get(axis, slice(None)) for axis in range(len(self._handle.shape)))]

    def read_index(self, begin: Sequence[int], end: Sequence[int]) -> np.ndarray[Any, Any]:
        """Return the voxels [begin, end) of the axes that are left."""
        starts, stops = self._whole(begin, 0), self._whole(end, 1)
        block: np.ndarray[Any, Any] = self._handle.read_index(starts, stops)
        return block.squeeze(tuple(self._pinned))

    def _whole(self, places: Sequence[int], more: int) -> list[int]:
        left = iter(places)
        return [
            self._pinned[axis] + more if axis in self._pinned else next(left) for axis in range(len(self._handle.shape))
        ]
