"""What a sample says beside its voxels: boxes, voxel sizes and where it is from, in the order of the output axes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from miao.geometry.windows import bbox, geometry_of
from miao.records import SamplePlan, VolumeInfo


class PlanTables:
    """Fields of samples by their plans, for the volumes of one dataset."""

    def __init__(self, volumes: Sequence[VolumeInfo], mode: str, anchor: str) -> None:
        self._volumes = volumes
        self._geometries = [geometry_of(volume) for volume in volumes]
        self._mode = mode
        self._anchor = anchor

    def coarsest(self, plan: SamplePlan) -> int:
        """Return the scale of the largest voxels, the first of equal ones."""
        sizes = [prod(scale.scale.resolution) for scale in plan.scales]
        return sizes.index(max(sizes))

    def boxes(self, plan: SamplePlan) -> np.ndarray[Any, Any]:
        """Return float64 (L, 2, N): the box of each scale, in output order."""
        volume, geometry = self._volumes[plan.volume], self._geometries[plan.volume]
        first = plan.scales[0]
        found = [
            bbox(geometry, volume, scale, mode=self._mode, anchor=self._anchor, reference=first)
            for scale in plan.scales
        ]
        return np.array(found)[:, :, list(volume.order)]

    def fields(self, plan: SamplePlan) -> dict[str, Any]:
        """Return ``bbox``, ``pixel_size`` and ``meta`` of a sample."""
        import torch

        volume = self._volumes[plan.volume]
        order = volume.order
        resolutions = [[scale.scale.resolution[i] for i in order] for scale in plan.scales]
        meta: dict[str, Any] = {
            "volume": volume.name,
            "coordinate": [plan.centre[i] for i in order],
            "resolutions": resolutions,
            "source_levels": [scale.scale.level for scale in plan.scales],
            "read_voxel_size": [self._read_voxel(volume, scale.scale.level, scale.scale.size) for scale in plan.scales],
        }
        if plan.grid_index is not None:
            meta["grid_index"] = plan.grid_index
        return {
            "bbox": torch.from_numpy(self.boxes(plan).astype(np.float32)),
            "pixel_size": torch.tensor(resolutions, dtype=torch.float32),
            "meta": meta,
        }

    @staticmethod
    def _read_voxel(volume: VolumeInfo, level: int, size: Sequence[int]) -> list[float]:
        """Return the extent that was read over the voxels it became: n v / p."""
        voxel = volume.image.levels[level].voxel
        return [size[i] * voxel[i] / volume.patch[i] for i in volume.order]
