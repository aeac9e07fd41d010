"""A time series as volumes: random patches of the frames that train, a walk over those that validate, and a picture.

    uv run docs/examples/loader_time_series.py --output series
    uv run docs/examples/loader_time_series.py --train 0:5 --validate 5:8

It makes a small OME-Zarr (t, z, y, x) of cells that drift and divide, and reads it with miao-loader: pinned to a frame,
the series samples like a volume. It makes new files only, in a new folder or in the one that ``--output`` names.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

import miao
import worldarray as wa

FRAMES: Final = 8
SHAPE: Final = (20, 96, 112)
"""Voxels of a frame (z, y, x)."""
VOXEL_SIZE: Final = (400.0, 216.0, 216.0)
"""In nanometres."""
INTERVAL: Final = 30.0
"""Seconds from frame to frame."""
PATCH: Final = (16, 48, 48)
OVERLAP: Final = (8, 16, 16)


# 1. A time series ----------------------------------------------------------------------------------------------------


def drifting() -> Any:
    """Return cells (t, z, y, x) that drift along, uint16; half of them divide in the middle of the series."""
    rng = np.random.default_rng(11)
    extent = np.multiply(SHAPE, VOXEL_SIZE)
    cells = rng.uniform(0.15, 0.85, (9, 3)) * extent
    speed = rng.uniform(-500, 500, (9, 3)) * (0.2, 1, 1)
    apart = rng.normal(0, 1, (9, 3)) * (0.2, 1, 1)
    apart /= np.linalg.norm(apart, axis=1, keepdims=True)
    along = [(np.arange(n) + 0.5) * size for n, size in zip(SHAPE, VOXEL_SIZE, strict=True)]
    values = np.empty((FRAMES, *SHAPE), "uint16")
    for frame in range(FRAMES):
        light = np.full(SHAPE, 100.0)
        since = max(0, frame - FRAMES // 2 + 1)
        for number in range(len(cells)):
            middle = cells[number] + speed[number] * frame
            step = apart[number] * 550 * since if number % 2 else np.zeros(3)
            for place in (middle + step, middle - step):
                bells = [np.exp(-(((a - p) / 1100) ** 2)) for a, p in zip(along, place, strict=True)]
                light += 600 * np.einsum("z,y,x->zyx", *bells)
        values[frame] = rng.poisson(light)
    return values


def build(path: Path) -> None:
    """Create an OME-Zarr of the cells, one chunk per frame and quarter of it."""
    values = drifting()
    level = wa.create(
        path / "raw" / "s0",
        values.shape,
        values.dtype,
        voxel_size=(INTERVAL, *VOXEL_SIZE),
        translation=(0, *wa.corner_to_centre((0, 0, 0), VOXEL_SIZE)),
        axes=("t", "z", "y", "x"),
        units=("second", "nanometer", "nanometer", "nanometer"),
        chunks=(1, 20, 48, 56),
    )
    level.write_index((0, 0, 0, 0), values.shape, values)


# 2. Frames of it -----------------------------------------------------------------------------------------------------


def configuration(path: Path, frames: str, **more: Any) -> miao.MiaoConfig:
    """Return a configuration that samples some frames, such as "0:5", each like a volume (z, y, x).

    A pinned axis is gone from everything else: neither `output_axes` nor `patch_size` nor `resolutions` know of t.
    """
    return miao.MiaoConfig(
        volumes=[
            {
                "name": "fish",
                "path": str(path),
                "image_key": "raw",
                "zarr_version": "zarr3",
                "fixed_axes": {"t": frames},
                "normalize_min": 0,
                "normalize_max": 1300,
            }
        ],
        resolutions=[VOXEL_SIZE],
        output_axes="lczyx",
        patch_size=PATCH,
        bbox_anchor="corner",
        **more,
    )


def training(path: Path, frames: str) -> miao.MiaoConfig:
    """Return a configuration of random patches, from every frame as often as from the others."""
    return configuration(path, frames, samples_per_epoch=40)


def validation(path: Path, frames: str) -> miao.MiaoConfig:
    """Return a configuration that walks every frame on a grid, the first frame wholly before the second."""
    return configuration(path, frames, sampling="sequential", overlap=OVERLAP)


def assembled(batches: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return whole frames (z, y, x), made of the patches of a walk; what lies twice is the same, so the last stays."""
    frames: dict[str, Any] = {}
    for batch in batches:
        for number, name in enumerate(batch["meta"]["volume"]):
            frame = frames.setdefault(name, np.full(SHAPE, np.nan, np.float32))
            lower = batch["bbox"][number, 0, 0].numpy()
            start = np.rint(lower / VOXEL_SIZE).astype(int)
            frame[tuple(slice(s, s + n) for s, n in zip(start, PATCH, strict=True))] = batch["img"][number, 0, 0]
    return frames


# 3. A picture --------------------------------------------------------------------------------------------------------


def draw(drawn: Sequence[Mapping[str, Any]], walked: Sequence[Mapping[str, Any]], picture: Path) -> None:
    """Save a picture: patches of the frames that train, and whole frames that were walked, brightest along z."""
    from matplotlib.figure import Figure  # noqa: PLC0415  (it takes a moment)
    from matplotlib.patches import Rectangle  # noqa: PLC0415

    patches: dict[str, list[tuple[Any, Any]]] = {}
    for batch in drawn:
        for number, name in enumerate(batch["meta"]["volume"]):
            patches.setdefault(name, []).append((batch["img"][number, 0, 0].numpy(), batch["bbox"][number, 0].numpy()))
    frames = assembled(walked)
    height, width = np.multiply(SHAPE, VOXEL_SIZE)[1:] / 1000
    figure = Figure(figsize=(2.6 * max(len(patches), len(frames)), 5.4), layout="compressed", dpi=110)
    rows = figure.subplots(2, max(len(patches), len(frames)), squeeze=False)
    how = {"cmap": "magma", "vmin": 0, "vmax": 1, "interpolation": "nearest"}
    for axes, (name, found) in zip(rows[0], sorted(patches.items()), strict=False):
        for values, box in found[:3]:
            (_, top, left), (_, bottom, right) = box / 1000
            axes.imshow(values.max(axis=0), extent=(left, right, bottom, top), **how)
            axes.add_patch(Rectangle((left, top), right - left, bottom - top, fill=False, edgecolor="white"))
        axes.set_title(f"{name}: {len(found)} patches,\nthree of them where they lie", fontsize=9)
        axes.set_facecolor("0.85")
    for axes, (name, values) in zip(rows[1], sorted(frames.items()), strict=False):
        axes.imshow(values.max(axis=0), extent=(0, width, height, 0), **how)
        axes.set_title(f"{name}, walked", fontsize=9)
    for axes in figure.axes:
        if axes.has_data():
            axes.set(xlim=(0, width), ylim=(height, 0), xlabel="x (µm)", ylabel="y (µm)", aspect="equal")
        else:
            axes.remove()
    with picture.open("xb") as file:
        figure.savefig(file, format="png")


# The command line ----------------------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    lines = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    lines.add_argument(
        "--train", default="0:5", metavar="FRAMES", help="START:STOP[:STEP], up to and without STOP (default: 0:5)"
    )
    lines.add_argument("--validate", default="5:8", metavar="FRAMES", help="of the 8 there are (default: 5:8)")
    lines.add_argument("--batch-size", type=int, default=4, help="patches of a batch (default: 4)")
    lines.add_argument("--seed", type=int, default=0, help="another one draws other patches (default: 0)")
    lines.add_argument(
        "--output", metavar="FOLDER", help="where the results go; a new temporary folder, which stays, by default"
    )
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example; return the exit status."""
    asked = parser().parse_args(arguments)
    try:
        folder = Path(asked.output or tempfile.mkdtemp(prefix="miao-series-"))
        path, picture = folder / "fish.zarr", folder / "frames.png"
        if picture.exists():
            raise SystemExit(f"{picture}: exists already, and nothing is overwritten; name another --output")
        build(path)
        found = []
        for name, config in (("train", training(path, asked.train)), ("validate", validation(path, asked.validate))):
            miao.save_config(config, folder / f"{name}.yaml")
            dataset = miao.VolumeDataset(config, seed=asked.seed, verbose=False)
            batches = list(miao.loader(dataset, batch_size=asked.batch_size))
            counted = Counter(volume for batch in batches for volume in batch["meta"]["volume"])
            print(f"{name}: {len(dataset)} patches of {' x '.join(map(str, PATCH))} voxels, from")
            print("  " + ", ".join(f"{volume}: {count}" for volume, count in sorted(counted.items())))
            found.append(batches)
        draw(*found, picture)
    except (miao.errors.MiaoError, wa.errors.WorldArrayError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Picture: {picture}")
    print(f"Folder: {folder}  (it stays; remove it when you are done)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
