"""A small OME-Zarr pyramid of our own, for examples that run."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np

_SHAPES: Final = ((24, 32, 40), (12, 16, 20))


@contextmanager
def demo_config() -> Iterator[dict[str, Any]]:
    """Yield the fields of a configuration over a pyramid of two levels with labels, which goes away afterwards.

    Voxels are 8 nm and 16 nm. A voxel's value is (z + y + x) of its level-0 corner modulo 251; labels are 1 where x is
    less than 20 at level 0, else 2.

    Examples
    --------
    >>> with demo_config() as fields:
    ...     sorted(fields)[:3], fields["patch_size"]
    (['output_axes', 'patch_size', 'resolutions'], [8, 8, 8])
    """
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "demo.zarr")
        _write(store / "raw", [_image(level) for level in range(2)])
        _write(store / "labels", [_labels(level) for level in range(2)])
        yield {
            "volumes": [
                {
                    "name": "demo",
                    "path": str(store),
                    "image_key": "raw",
                    "label_key": "labels",
                    "zarr_version": "zarr2",
                }
            ],
            "resolutions": [[8, 8, 8], [16, 16, 16]],
            "output_axes": "lczyx",
            "patch_size": [8, 8, 8],
            "samples_per_epoch": 4,
        }


def _image(level: int) -> np.ndarray[Any, Any]:
    z, y, x = (index << level for index in np.indices(_SHAPES[level]))
    values: np.ndarray[Any, Any] = ((z + y + x) % 251).astype("uint8")
    return values


def _labels(level: int) -> np.ndarray[Any, Any]:
    x = np.indices(_SHAPES[level])[2] << level
    return np.where(x < 20, 1, 2).astype("uint8")


def _write(group: Path, levels: list[np.ndarray[Any, Any]]) -> None:
    """Write uncompressed zarr v2, one chunk per level: files that need no library."""
    datasets = []
    for index, values in enumerate(levels):
        array = group / f"s{index}"
        array.mkdir(parents=True)
        document = {
            "zarr_format": 2,
            "shape": values.shape,
            "chunks": values.shape,
            "dtype": "|u1",
            "compressor": None,
            "fill_value": 0,
            "order": "C",
            "filters": None,
            "dimension_separator": "/",
        }
        (array / ".zarray").write_text(json.dumps(document))
        chunk = array / "0" / "0"
        chunk.mkdir(parents=True)
        (chunk / "0").write_bytes(values.tobytes())
        size = 8.0 * 2**index
        datasets.append(
            {
                "path": f"s{index}",
                "coordinateTransformations": [
                    {"type": "scale", "scale": [size] * 3},
                    {"type": "translation", "translation": [(size - 8.0) / 2] * 3},
                ],
            }
        )
    axes = [{"name": name, "type": "space", "unit": "nanometer"} for name in "zyx"]
    multiscales = [{"version": "0.4", "axes": axes, "datasets": datasets}]
    (group / ".zgroup").write_text(json.dumps({"zarr_format": 2}))
    (group / ".zattrs").write_text(json.dumps({"multiscales": multiscales}))
