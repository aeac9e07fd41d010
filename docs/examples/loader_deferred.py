"""Images finished on the GPU: workers of miao-loader hand over what is stored, and the device resamples it.

    uv run docs/examples/loader_deferred.py --output deferred
    uv run docs/examples/loader_deferred.py --device cuda --workers 4

It makes a small OME-Zarr of spots and reads it both ways, on CUDA where there is any and on the CPU otherwise. Values
are the same, and 16 bits of what is stored are often less to send than 32 of what is made of it. It makes new files
only, in a new folder or in the one that ``--output`` names.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np

import miao
import worldarray as wa

Batch = dict[str, Any]

UNIT: Final = "nanometer"
SHAPE: Final = (48, 176, 208)
VOXEL_SIZE: Final = (90.0, 30.0, 30.0)
FACTORS: Final = (1, 2, 2)
"""Of the second level over the first, whose voxels are then 90 x 60 x 60 nm."""


# 1. A volume ---------------------------------------------------------------------------------------------------------


def spots() -> tuple[Any, Any]:
    """Return spots of several sizes in a fluorescence microscope, uint16 (z, y, x), and which ones they are, uint8."""
    rng = np.random.default_rng(3)
    along = [(np.arange(n) + 0.5) * size for n, size in zip(SHAPE, VOXEL_SIZE, strict=True)]
    light = np.full(SHAPE, 120.0)
    label = np.zeros(SHAPE, "uint8")
    for number in range(1, 61):
        centre, radius = rng.uniform(0, np.multiply(SHAPE, VOXEL_SIZE)), rng.uniform(150, 500)
        bells = [np.exp(-(((a - c) / radius) ** 2)) for a, c in zip(along, centre, strict=True)]
        spot = np.einsum("z,y,x->zyx", *bells)
        light += rng.uniform(400, 1500) * spot
        label[spot > 0.4] = number
    return rng.poisson(light).astype("uint16"), label


def build(path: Path) -> None:
    """Create an OME-Zarr of the spots with two levels: block means of the image, whole values of the labels."""
    for group, values, method in zip((path / "raw", path / "labels"), spots(), ("linear", "nearest"), strict=True):
        finest: Any = wa.create(
            group / "s0",
            SHAPE,
            values.dtype,
            voxel_size=VOXEL_SIZE,
            translation=wa.corner_to_centre((0, 0, 0), VOXEL_SIZE),
            units=UNIT,
            chunks=(24, 64, 64),
        )
        finest.write_index((0, 0, 0), SHAPE, values)
        writable: Any = wa.open_pyramid(group, mode="r+", units=UNIT)
        coarse = writable.add_level("s1", FACTORS, from_level="s0")
        means = finest.read(coarse.box, voxel_size=coarse.voxel_size, method=method)
        coarse.write_index((0, 0, 0), coarse.shape, means)


def configuration(path: Path, *, deferred: bool) -> miao.MiaoConfig:
    """Return a configuration; but for one key it is the same whether images are finished by workers or later."""
    return miao.MiaoConfig(
        volumes=[
            {
                "name": "spots",
                "path": str(path),
                "image_key": "raw",
                "label_key": "labels",
                "zarr_version": "zarr3",
                "normalize_min": 0,
                "normalize_max": 1500,
                "patch_normalize": True,
            }
        ],
        resolutions=[[40, 40, 40], [80, 80, 80]],
        output_axes="lczyx",
        patch_size=[32, 48, 48],
        samples_per_epoch=24,
        level_policy="relaxed",  # sections are 90 nm thick on every level, which is no reason to read the finest one
        defer_image_ops=deferred,
    )


# 2. Finished by workers, or on a device ------------------------------------------------------------------------------


def at_hand() -> str:
    """Return the device that there is: "cuda", or else "cpu"."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def loader(dataset: miao.VolumeDataset, batch_size: int, workers: int, device: str) -> Any:
    """Return a DataLoader; deferred samples have crops of several shapes, which `miao.collate_deferred` keeps."""
    from torch.utils.data import DataLoader

    return DataLoader(
        dataset,
        batch_size=batch_size,
        num_workers=workers,
        collate_fn=miao.collate_deferred if dataset.config.defer_image_ops else miao.collate,
        # Copies to an accelerator start from pinned memory without waiting for each other.
        pin_memory=device.startswith("cuda"),
        # Forked ones cannot read: this process has written the example volume through tensorstore.
        multiprocessing_context="spawn" if workers else None,
    )


def received(batches: Iterable[Batch], device: str) -> tuple[list[Batch], int, Any]:
    """Return finished batches on a device, the bytes of images that were sent for them, and the first sample's image.

    Deferred, an image is a list of crops, one for each scale.
    `miao.finish_images` gives a batch that is finished already back as it is: one loop serves both.
    """
    import torch

    found: list[Batch] = []
    sent, first = 0, None
    for batch in batches:
        images = [batch["img"]] if isinstance(batch["img"], torch.Tensor) else list(chain.from_iterable(batch["img"]))
        sent += sum(image.numel() * image.element_size() for image in images)
        first = batch["img"][0] if first is None else first
        finished = miao.finish_images(batch, device=device)
        # Labels are never deferred; what is on the device already stays.
        found.append({**finished, **{key: finished[key].to(device) for key in ("img", "label")}})
    return found, sent, first


def difference(ours: Sequence[Batch], theirs: Sequence[Batch]) -> float:
    """Return the largest difference between the images of two epochs; labels and places are equal, or it raises."""
    largest = 0.0
    for one, other in zip(ours, theirs, strict=True):
        if not all(bool((one[key] == other[key]).all()) for key in ("label", "bbox", "pixel_size")):
            raise ValueError("labels, bbox or pixel_size differ between batches that should be the same")
        largest = max(largest, float((one["img"] - other["img"]).abs().max()))
    return largest


# 3. A picture --------------------------------------------------------------------------------------------------------


def draw(crops: Sequence[Any], deferred: Batch, plain: Batch, picture: Path) -> None:
    """Save a picture of a sample: crops as a worker sent them, and finished both ways, in the middle along z."""
    from matplotlib.figure import Figure  # noqa: PLC0415  (it takes a moment)

    figure = Figure(figsize=(11, 3.6 * len(crops)), layout="compressed", dpi=110)
    rows = figure.subplots(len(crops), 3, squeeze=False)
    for scale, (row, crop) in enumerate(zip(rows, crops, strict=True)):
        panels = [
            (f"as it is sent: {crop.dtype}", crop),
            ("finished on the device", deferred["img"][0, scale, 0].cpu()),
            ("finished by the worker", plain["img"][0, scale, 0].cpu()),
        ]
        (_, top, left), (_, bottom, right) = plain["bbox"][0, scale].numpy() / 1000
        for axes, (told, values) in zip(row, panels, strict=True):
            plane = values[len(values) // 2].numpy()
            shown = axes.imshow(plane, cmap="magma", extent=(left, right, bottom, top), interpolation="nearest")
            axes.set(title=f"{told}\n{' x '.join(map(str, values.shape))} voxels", xlabel="x (µm)", ylabel="y (µm)")
            figure.colorbar(shown, ax=axes, shrink=0.8)
        row[0].set_ylabel(f"scale {scale}: {plain['pixel_size'][0, scale, 0]:g} nm\ny (µm)")
    with picture.open("xb") as file:
        figure.savefig(file, format="png")


# The command line ----------------------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    lines = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    lines.add_argument("--device", help="where images are finished; cuda where there is one, else cpu, by default")
    lines.add_argument("--batch-size", type=int, default=8, help="samples of a batch (default: 8)")
    lines.add_argument("--workers", type=int, default=2, help="processes that read; 0 reads in this one (default: 2)")
    lines.add_argument("--seed", type=int, default=0, help="another one draws other patches (default: 0)")
    lines.add_argument(
        "--output", metavar="FOLDER", help="where the results go; a new temporary folder, which stays, by default"
    )
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example; return the exit status."""
    asked = parser().parse_args(arguments)
    try:
        folder = Path(asked.output or tempfile.mkdtemp(prefix="miao-deferred-"))
        path, picture = folder / "spots.zarr", folder / "deferred.png"
        if picture.exists():
            raise SystemExit(f"{picture}: exists already, and nothing is overwritten; name another --output")
        device = asked.device or at_hand()
        build(path)
        results = []
        for told, deferred in (("finished by the workers", False), (f"finished on {device}", True)):
            dataset = miao.VolumeDataset(configuration(path, deferred=deferred), seed=asked.seed, verbose=False)
            started = time.perf_counter()
            batches, sent, crops = received(loader(dataset, asked.batch_size, asked.workers, device), device)
            took = time.perf_counter() - started
            print(f"{told}: {len(batches)} batches, {sent / 1e6:.1f} MB of images sent, {took:.1f} s")
            results.append(batches)
        # Without workers a loader of miao finishes on the device by itself.
        results.append(list(miao.loader(dataset, batch_size=asked.batch_size, device=device)))
        for told, batches in (("the DataLoader", results[1]), ("miao.loader", results[2])):
            apart = difference(batches, results[0])
            print(f"largest difference of an image that {told} brought and {device} finished: {apart:.2g}")
        draw(crops, results[1][0], results[0][0], picture)
    except (miao.errors.MiaoError, wa.errors.WorldArrayError, OSError, RuntimeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Picture: {picture}")
    print(f"Folder: {folder}  (it stays; remove it when you are done)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
