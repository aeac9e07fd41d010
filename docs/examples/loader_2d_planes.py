"""Planes of volumes for a 2-D model, cut across every axis, mixed in one batch; labels come along, and a picture.

    uv run docs/examples/loader_2d_planes.py --output planes
    uv run docs/examples/loader_2d_planes.py --config config.yaml --size 128 --workers 4

Without a configuration of miao-loader it makes a small OME-Zarr, 40 nm sections of 16 nm pixels, and a configuration
that reads it. It makes new files only, in a new folder or in the one that ``--output`` names.
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

Sample = dict[str, Any]

UNIT: Final = "nanometer"
VOXEL_SIZE: Final = (40.0, 16.0, 16.0)
SHAPE: Final = (48, 120, 150)
CORNER: Final = (1200.0, -800.0, 3000.0)


# 1. A volume with labels ---------------------------------------------------------------------------------------------


def cells() -> tuple[Any, Any]:
    """Return an image (z, y, x) of cells with dark walls, uint8, and which cell each voxel is of, uint16; 0 is wall."""
    rng = np.random.default_rng(5)
    along = [(np.arange(n) + 0.5) * size for n, size in zip(SHAPE, VOXEL_SIZE, strict=True)]
    places = np.stack(np.meshgrid(*along, indexing="ij"))
    centres = rng.uniform(0, np.multiply(SHAPE, VOXEL_SIZE), (60, 3))
    away = np.stack([np.sqrt(((places - centre[:, None, None, None]) ** 2).sum(axis=0)) for centre in centres])
    nearest, second = np.partition(away, 1, axis=0)[:2]
    cell = away.argmin(axis=0)
    wall = second - nearest < 60
    grey = np.where(wall, 60, rng.uniform(120, 220, len(centres))[cell]) + rng.normal(0, 12, SHAPE)
    return np.clip(grey, 0, 255).astype("uint8"), np.where(wall, 0, cell + 1).astype("uint16")


def build(path: Path) -> None:
    """Create an OME-Zarr of the cells: the image as raw/s0, the labels as labels/cells/s0."""
    for group, values in zip((path / "raw", path / "labels" / "cells"), cells(), strict=True):
        level = wa.create(
            group / "s0",
            values.shape,
            values.dtype,
            voxel_size=VOXEL_SIZE,
            translation=wa.corner_to_centre(CORNER, VOXEL_SIZE),
            units=UNIT,
            chunks=(16, 64, 64),
        )
        level.write_index((0, 0, 0), values.shape, values)


def configuration(path: Path) -> miao.MiaoConfig:
    """Return a configuration that reads the cells at 16 nm along every axis."""
    return miao.MiaoConfig(
        volumes=[
            {
                "name": "cells",
                "path": str(path),
                "image_key": "raw",
                "label_key": "labels/cells",
                "zarr_version": "zarr3",
            }
        ],
        resolutions=[[16, 16, 16]],
        output_axes="lczyx",
        patch_size=[64, 64, 64],
        samples_per_epoch=48,
        bbox_anchor="corner",
    )


# 2. Planes of it -----------------------------------------------------------------------------------------------------


def plane_config(config: miao.MiaoConfig, thin: str, size: int) -> miao.MiaoConfig:
    """Return a configuration of patches that are one voxel thick along an axis: planes across it."""
    data = config.model_dump()
    data["patch_size"] = [1 if axis == thin else size for axis in config.spatial]
    # Every dataset opens a cache of its own and draws its own samples.
    data["cache_bytes"] = config.cache_bytes // len(config.spatial)
    data["samples_per_epoch"] = config.samples_per_epoch // len(config.spatial)
    return miao.MiaoConfig(**data)


def planes(config: miao.MiaoConfig, size: int, *, seed: int | None = None, verbose: bool = True) -> Any:
    """Return a dataset of planes across every spatial axis, as many of each."""
    from torch.utils.data import ConcatDataset

    turned = Turned(config.output_axes)
    return ConcatDataset(
        [
            miao.VolumeDataset(
                plane_config(config, thin, size),
                augment_fn=turned,
                # Of one seed all three would draw around the same places.
                seed=None if seed is None else seed * len(config.spatial) + number,
                verbose=verbose,
            )
            for number, thin in enumerate(config.spatial)
        ]
    )


class Turned:
    """An `augment_fn`: one of the eight symmetries of a square, for image and label alike.

    The rotations of `miao.augment` ask for a cubic patch. An instance of a class can be sent to workers; a closure
    cannot. What it draws is from ``numpy.random``, which PyTorch, or the seed of a dataset, seeds anew in each of them.
    """

    def __init__(self, output_axes: str) -> None:
        """Remember the layout of images; labels have no c."""
        self.layouts: Final = {"img": output_axes, "label": output_axes.replace("c", "")}

    def __call__(self, sample: Sample) -> Sample:
        """Return the sample with its plane mirrored and transposed."""
        long = [axis for axis in "zyx" if sample["img"].shape[self.layouts["img"].index(axis)] > 1]
        mirrored = [axis for axis in long if np.random.random() < 0.5]
        transposed = np.random.random() < 0.5
        changed = {}
        for key, layout in self.layouts.items():
            values = sample[key]
            if values.numel():  # the label of a volume without labels is empty
                values = values.flip([layout.index(axis) for axis in mirrored])
                changed[key] = values.transpose(*map(layout.index, long)) if transposed else values
        return {**sample, **changed}


class PlaneCollate:
    """A `collate_fn`: squeezes the thin axis out of every sample, so that planes across several axes make one batch.

    ``plane`` of the batch says which ones: "yx" is down y and right x. ``bbox`` and ``pixel_size`` keep all axes, and
    so where a plane lies, and how thick it is.
    """

    def __init__(self, output_axes: str) -> None:
        """Remember the layout of images; labels have no c."""
        self.image: Final = output_axes
        self.label: Final = output_axes.replace("c", "")

    def __call__(self, samples: Sequence[Sample]) -> Sample:
        """Return a batch."""
        from torch.utils.data import default_collate

        spatial = [axis for axis in self.image if axis in "xyzt"]
        flat, found = [], []
        for sample in samples:
            thin = [axis for axis in spatial if sample["img"].shape[self.image.index(axis)] == 1]
            if len(thin) != 1:
                raise ValueError(f"a plane is one voxel thick along one axis; this sample is along {thin}")
            squeezed = {**sample, "img": sample["img"].squeeze(self.image.index(thin[0]))}
            if sample["label"].numel():
                squeezed["label"] = sample["label"].squeeze(self.label.index(thin[0]))
            flat.append(squeezed)
            found.append("".join(axis for axis in spatial if axis != thin[0]))
        batch: Sample = default_collate(flat)
        return {**batch, "plane": found}


def loader(dataset: Any, output_axes: str, batch_size: int, workers: int) -> Any:
    """Return a DataLoader of mixed planes, in another order every epoch."""
    from torch.utils.data import DataLoader

    return DataLoader(
        dataset,
        batch_size=batch_size,
        shuffle=True,
        num_workers=workers,
        collate_fn=PlaneCollate(output_axes),
        # Forked ones cannot read: this process has written the example volume through tensorstore.
        multiprocessing_context="spawn" if workers else None,
    )


# 3. A picture --------------------------------------------------------------------------------------------------------


def draw(batches: Sequence[Mapping[str, Any]], spatial: str, picture: Path) -> None:
    """Save a picture of some planes across each axis, with what they are labelled as."""
    from matplotlib.figure import Figure  # noqa: PLC0415  (it takes a moment)

    chosen: dict[str, list[tuple[Any, Any, str]]] = {}
    for batch in batches:
        for number, plane in enumerate(batch["plane"]):
            chosen.setdefault(plane, []).append(panel(batch, number, spatial))
    columns = min(4, *(len(panels) for panels in chosen.values()), 4)
    figure = Figure(figsize=(3 * columns, 3.2 * len(chosen)), layout="compressed", dpi=110)
    grid = figure.subplots(len(chosen), columns, squeeze=False)
    for row, (plane, panels) in zip(grid, sorted(chosen.items()), strict=True):
        for axes, (image, label, told) in zip(row, panels, strict=False):
            axes.imshow(image, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
            if label is not None:
                walls = np.ma.masked_equal(label, 0)
                axes.imshow(walls % 20, cmap="tab20", vmin=0, vmax=19, alpha=0.3, interpolation="nearest")
            axes.set(title=told, xticks=[], yticks=[])
            axes.title.set_fontsize(8)
        row[0].set_ylabel(f"{plane} planes", fontsize=12)
    figure.suptitle("Each plane is mirrored and transposed at random; titles say where it lies.", fontsize=10)
    with picture.open("xb") as file:
        figure.savefig(file, format="png")


def panel(batch: Mapping[str, Any], number: int, spatial: str) -> tuple[Any, Any, str]:
    """Return the first scale and channel of a plane, its label or None, and where it lies."""
    image = batch["img"][number].numpy()
    while image.ndim > 2:
        image = image[0]
    label = batch["label"][number][0].numpy() if batch["label"][number].numel() else None
    lower, upper = batch["bbox"][number, 0].numpy()
    told = [f"{axis} {low:g} to {high:g}" for axis, low, high in zip(spatial, lower, upper, strict=True)]
    return image, label, "\n".join([batch["meta"]["volume"][number], ", ".join(told)])


# The command line ----------------------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    lines = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    lines.add_argument("--config", metavar="YAML", help="of miao-loader; one for an example volume otherwise")
    lines.add_argument("--size", type=int, default=64, help="voxels along the sides of a plane (default: 64)")
    lines.add_argument("--batch-size", type=int, default=8, help="planes of a batch (default: 8)")
    lines.add_argument("--workers", type=int, default=0, help="processes that read; 0 reads in this one (default)")
    lines.add_argument("--seed", type=int, help="the same planes every time, with any number of workers")
    lines.add_argument(
        "--output", metavar="FOLDER", help="where the results go; a new temporary folder, which stays, by default"
    )
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example; return the exit status."""
    asked = parser().parse_args(arguments)
    try:
        folder = Path(asked.output or tempfile.mkdtemp(prefix="miao-planes-"))
        picture = folder / "planes.png"
        if picture.exists():
            raise SystemExit(f"{picture}: exists already, and nothing is overwritten; name another --output")
        if asked.config is None:
            build(folder / "cells.zarr")
            config = configuration(folder / "cells.zarr")
            miao.save_config(config, folder / "config.yaml")
        else:
            folder.mkdir(parents=True, exist_ok=True)
            config = miao.load_config(asked.config)
        dataset = planes(config, asked.size, seed=asked.seed)
        batches = list(loader(dataset, config.output_axes, asked.batch_size, asked.workers))
        for batch in batches:
            counted = ", ".join(f"{count} {plane}" for plane, count in sorted(Counter(batch["plane"]).items()))
            print(f"batch: img {tuple(batch['img'].shape)}, label {tuple(batch['label'].shape)}: {counted}")
        draw(batches, config.spatial, picture)
    except (miao.errors.MiaoError, wa.errors.WorldArrayError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Picture: {picture}")
    print(f"Folder: {folder}  (it stays; remove it when you are done)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
