"""Foreground masks, read whole at a coarse level when a place is first drawn from their volume."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from miao.errors import ReadError
from miao.reading.runtime import Levels
from miao.sampling.foreground import mask_level
from worldarray.errors import WorldArrayError

if TYPE_CHECKING:
    from miao.records import VolumeInfo


class Masks:
    """The masks of the volumes of one dataset: their own, or their labels where they have none."""

    def __init__(self, volumes: Sequence[VolumeInfo], levels: Levels) -> None:
        self._volumes = volumes
        self._levels = levels

    def __call__(self, volume: int) -> tuple[np.ndarray[Any, Any], int]:
        """Return the foreground (bool, the store's order), and which level of the mask's pyramid it is.

        Raises
        ------
        ReadError
            The mask cannot be read; the message names the volume and the file.
        ForkError
            This process was forked from one that had read already.
        """
        info = self._volumes[volume]
        pyramid = info.mask or info.label
        assert pyramid is not None, "a configuration with min_foreground has a mask or labels"
        index = mask_level(pyramid)
        level = pyramid.levels[index]
        try:
            handle = self._levels.get(level).handle
            values = handle.read_index((0,) * len(handle.shape), handle.shape)
        except (ReadError, WorldArrayError) as error:
            raise ReadError(
                f"volume {info.name}: its mask {level.path} cannot be read: {error}",
                code=error.code if isinstance(error, ReadError) or error.code == "unavailable" else "bad_chunk",
                at=(info.name,),
            ) from error
        return values != 0, index
