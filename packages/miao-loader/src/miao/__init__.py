"""PyTorch datasets over OME-Zarr pyramids: patches at the voxel size you ask for, where they belong, from many volumes.

`VolumeDataset` draws them as a configuration says. Importing this imports neither torch nor tensorstore.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from miao import augment, augment_std, errors, labels
    from miao.config.models import AugmentFactory, MiaoConfig, ResolutionSampling, VolumeConfig
    from miao.config.yaml_io import load_config, save_config
    from miao.dataset import VolumeDataset
    from miao.finish.collating import collate, collate_deferred
    from miao.finish.deferred import finish_images
    from miao.geometry.windows import extent
    from miao.pipeline import loader
    from miao.stitching.stitcher import Stitcher

__all__ = [
    "AugmentFactory",
    "MiaoConfig",
    "ResolutionSampling",
    "Stitcher",
    "VolumeConfig",
    "VolumeDataset",
    "augment",
    "augment_std",
    "collate",
    "collate_deferred",
    "errors",
    "extent",
    "finish_images",
    "labels",
    "load_config",
    "loader",
    "save_config",
]

_HOMES: Final = {
    "config.models": ("AugmentFactory", "MiaoConfig", "ResolutionSampling", "VolumeConfig"),
    "config.yaml_io": ("load_config", "save_config"),
    "dataset": ("VolumeDataset",),
    "finish.collating": ("collate", "collate_deferred"),
    "finish.deferred": ("finish_images",),
    "geometry.windows": ("extent",),
    "pipeline": ("loader",),
    "stitching.stitcher": ("Stitcher",),
}
"""The module of each public name, which is imported when the name is first used."""
_MODULES: Final = frozenset({"augment", "augment_std", "errors", "labels"})


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    for module, names in _HOMES.items():
        if name in names:
            globals()[name] = found = getattr(import_module(f"{__name__}.{module}"), name)
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})
