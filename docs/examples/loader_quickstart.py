"""Ten lines of YAML: patches of two volumes with different pyramids, through the workers of a DataLoader and without.

    uv run docs/examples/loader_quickstart.py --output loader
    uv run docs/examples/loader_quickstart.py --config config.yaml --workers 4

Without a configuration of miao-loader it makes two small OME-Zarr pyramids and one that reads both. It makes new files
only, in a new folder or in the one that ``--output`` names.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

import miao
import worldarray as wa

YAML: Final = """\
volumes:
  - {name: tissue, path: tissue.zarr, image_key: raw, label_key: labels/cells, zarr_version: zarr3}
  - {name: culture, path: culture.zarr, image_key: raw, label_key: labels/cells, zarr_version: zarr3,
     normalize_min: 0, normalize_max: 2000}   # 16 bits, of which a camera fills few
resolutions: [[32, 32, 32], [64, 64, 64]]     # nanometres, whatever the pyramids hold
output_axes: lczyx
patch_size: [32, 32, 32]
samples_per_epoch: 48
seed: 7
"""
UNIT: Final = "nanometer"
CHUNK: Final = 64
"""Voxels along the side of a chunk."""

Floats = tuple[float, ...]
Factors = tuple[int, ...]


# 1. Two volumes with different pyramids ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Specimen:
    """A volume to make: its voxels (z, y, x), where they begin, in nanometres, and the levels above the first."""

    name: str
    shape: tuple[int, int, int]
    voxel_size: Floats
    corner: Floats
    factors: tuple[Factors, ...]
    """Of each level over the one before."""
    stained: bool
    """Whether walls are dark, as in an electron microscope, or shine, as in one of light."""
    dtype: str


SPECIMENS: Final = (
    # Levels of (32, 12, 12), (32, 24, 24) and (64, 48, 48) nm.
    Specimen("tissue", (72, 208, 224), (32.0, 12.0, 12.0), (0.0, 0.0, 0.0), ((1, 2, 2), (2, 2, 2)), True, "uint8"),
    # Levels of 20 and 40 nm; its corner lies elsewhere.
    Specimen("culture", (112, 120, 136), (20.0, 20.0, 20.0), (5000.0, -600.0, 900.0), ((2, 2, 2),), False, "uint16"),
)


def cells(specimen: Specimen) -> tuple[Any, Any]:
    """Return an image of cells with walls, and which cell each voxel is of, uint16; 0 is wall."""
    rng = np.random.default_rng(len(specimen.name))
    centres = rng.uniform(0, np.multiply(specimen.shape, specimen.voxel_size), (30, 3)).astype("float32")
    shades = rng.uniform(0.55, 0.85, len(centres)).astype("float32")
    z, y, x = [
        (np.arange(n, dtype="float32") + 0.5) * size
        for n, size in zip(specimen.shape, specimen.voxel_size, strict=True)
    ]
    image = np.empty(specimen.shape, specimen.dtype)
    label = np.empty(specimen.shape, "uint16")
    for index, height in enumerate(z):
        squares = [
            (height - centre[0]) ** 2 + ((y - centre[1]) ** 2)[:, None] + ((x - centre[2]) ** 2)[None]
            for centre in centres
        ]
        away = np.sqrt(np.stack(squares))
        nearest, second = np.partition(away, 1, axis=0)[:2]
        cell = away.argmin(axis=0)
        wall = second - nearest < 60
        if specimen.stained:
            image[index] = rng.normal(np.where(wall, 60, 255 * shades[cell]), 12).clip(0, 255)
        else:
            image[index] = rng.poisson(np.where(wall, 1500, 500 * shades[cell]))
        label[index] = np.where(wall, 0, cell + 1)
    return image, label


def build(folder: Path, specimen: Specimen) -> None:
    """Create an OME-Zarr of a specimen: the image as raw, the cells as labels/cells, each with its levels."""
    image, label = cells(specimen)
    path = folder / f"{specimen.name}.zarr"
    pyramid(path / "raw", image, specimen, "linear")
    pyramid(path / "labels" / "cells", label, specimen, "nearest")


def pyramid(group: Path, values: Any, specimen: Specimen, method: str) -> None:
    """Create the levels of a pyramid: of block means where the method is "linear", of whole values with "nearest"."""
    level: Any = wa.create(
        group / "s0",
        values.shape,
        values.dtype,
        voxel_size=specimen.voxel_size,
        translation=wa.corner_to_centre(specimen.corner, specimen.voxel_size),
        units=UNIT,
        chunks=[min(n, CHUNK) for n in values.shape],
    )
    level.write_index((0, 0, 0), values.shape, values)
    writable: Any = wa.open_pyramid(group, mode="r+", units=UNIT)
    for number, factors in enumerate(specimen.factors, 1):
        finer, level = level, writable.add_level(f"s{number}", factors, from_level=f"s{number - 1}")
        for block in level.blocks():
            box = wa.Box.from_index(block.begin, block.end, level.voxel_size, level.translation)
            level.write_index(block.begin, block.end, finer.read(box, voxel_size=level.voxel_size, method=method))
    sizes = ", ".join("x".join(f"{size:g}" for size in each) for each in writable.voxel_sizes())
    print(f"  {specimen.name}, {group.name}: {values.dtype}, levels of {sizes} nm (z, y, x)")


# 2. Batches of both --------------------------------------------------------------------------------------------------


def with_workers(dataset: miao.VolumeDataset, batch_size: int, workers: int) -> Any:
    """Return PyTorch's own loader: workers read and finish samples, and send them to this process."""
    from torch.utils.data import DataLoader

    return DataLoader(
        dataset,
        batch_size=batch_size,
        num_workers=workers,
        collate_fn=miao.collate,  # joins samples that are one tensor already, without a copy
        # Forked ones cannot read: this process has written the example volumes through tensorstore.
        multiprocessing_context="spawn" if workers else None,
    )


def gone_through(told: str, batches: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the batches of an epoch, saying how far it is, what they hold and how long they took."""
    started = time.perf_counter()
    again = "\r" if sys.stdout.isatty() else ""
    found = []
    for batch in batches:
        found.append(batch)
        if again:
            print(f"{again}{told}: batch {len(found)}", end="", flush=True)
    counts = Counter(name for batch in found for name in batch["meta"]["volume"])
    image, label = (f"{tuple(found[0][key].shape)} {found[0][key].dtype}" for key in ("img", "label"))
    print(f"{again}{told}: {len(found)} batches in {time.perf_counter() - started:.1f} s, img {image}, label {label}")
    print("  from " + ", ".join(f"{name}: {count}" for name, count in sorted(counts.items())))
    return found


def same(ours: Sequence[dict[str, Any]], theirs: Sequence[dict[str, Any]]) -> bool:
    """Return whether two epochs hold the same images, labels and places."""
    return len(ours) == len(theirs) and all(
        bool((one[key] == other[key]).all())
        for one, other in zip(ours, theirs, strict=True)
        for key in ("img", "label", "bbox")
    )


def pictures(dataset: miao.VolumeDataset, folder: Path) -> list[Path]:
    """Save a picture of the first sample of each volume: every scale, its label, and where the finer scale lies."""
    found: dict[str, Path] = {}
    for index in range(len(dataset)):
        # Planning reads nothing.
        name = dataset.volumes[dataset.plan(index).volume].name
        if name not in found:
            found[name] = Path(dataset.preview(index, folder / f"{name}.png"))
    return list(found.values())


# The command line ----------------------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    lines = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    lines.add_argument("--config", metavar="YAML", help="of miao-loader; one for two example volumes otherwise")
    lines.add_argument("--batch-size", type=int, default=8, help="samples of a batch (default: 8)")
    lines.add_argument("--workers", type=int, default=2, help="processes of the DataLoader (default: 2)")
    lines.add_argument(
        "--output", metavar="FOLDER", help="where the results go; a new temporary folder, which stays, by default"
    )
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example; return the exit status."""
    asked = parser().parse_args(arguments)
    try:
        folder = Path(asked.output or tempfile.mkdtemp(prefix="miao-quickstart-"))
        if folder.exists() and any(folder.iterdir()):
            raise SystemExit(f"{folder}: is not empty, and nothing is overwritten; name another --output")
        folder.mkdir(parents=True, exist_ok=True)
        path = asked.config
        if path is None:
            print(f"Create {folder}:")
            for specimen in SPECIMENS:
                build(folder, specimen)
            path = folder / "config.yaml"
            path.write_text(YAML)
        # Prints what is read, and how likely. With a seed, samples are the same however they are loaded.
        dataset = miao.VolumeDataset(path)
        workers = with_workers(dataset, asked.batch_size, asked.workers)
        first = gone_through(f"DataLoader, {asked.workers} workers", workers)
        second = gone_through("miao.loader, this process", miao.loader(dataset, batch_size=asked.batch_size))
        if dataset.seed is not None:
            print(f"The same samples both ways: {'yes' if same(first, second) else 'no'}")
        for picture in pictures(dataset, folder):
            print(f"Picture: {picture}")
    except (miao.errors.MiaoError, wa.errors.WorldArrayError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Folder: {folder}  (it stays; remove it when you are done)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
