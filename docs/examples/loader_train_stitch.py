"""A small network learns grey matter from the MNI152 template, and its predictions become a placed volume.

    uv run --with nilearn docs/examples/loader_train_stitch.py --output brain
    uv run --with nilearn docs/examples/loader_train_stitch.py --epochs 20 --device cuda

The template comes with nilearn, 2 mm voxels; nothing is downloaded. It is written as an OME-Zarr with labels, in
millimetres of MNI space; miao-loader draws patches of its back to train with and walks over its front to validate, and
then over all of it to predict, patches that overlap being blended. It makes new files only, in a new folder or in the
one that ``--output`` names.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

import miao
import worldarray as wa
from miao.augment import intensity_jitter, rot90isocube

Sample = dict[str, Any]

UNIT: Final = "millimeter"
AXES: Final = ("z", "y", "x")
"""Up, to the front and to the right."""
SIZE: Final = 2
"""Of a voxel, in millimetres."""
SPLIT: Final = 70
"""Voxels along y behind which is what trains, and before which is what validates."""
PATCH: Final = (32, 32, 32)
OVERLAP: Final = 8
LABELS: Final = "labels/grey_matter"
PREDICTIONS: Final = "predictions/grey_matter/s0"
SECTIONS: Final = ((0, 12.0, "axial"), (1, 31.0, "coronal"), (2, 24.0, "sagittal"))
"""Of the picture: the axis that is cut, where, in millimetres, and what that is called."""


# 1. The template as an OME-Zarr --------------------------------------------------------------------------------------


def template() -> tuple[Any, Any, tuple[float, ...]]:
    """Return the T1 image, uint8 (z, y, x), where grey matter is, uint8, and the centre of voxel 0 in millimetres."""
    try:
        from nilearn import datasets  # noqa: PLC0415  (only this needs it)
    except ImportError:
        raise SystemExit("the template comes with nilearn; uv run --with nilearn …, or pip install nilearn") from None
    image = datasets.load_mni152_template(resolution=SIZE)
    share = datasets.load_mni152_gm_template(resolution=SIZE)
    # NIfTI's axes are x, y, z; its affine places the centre of voxel 0.
    values, grey = (np.asarray(one.dataobj, np.float32).T for one in (image, share))
    centre = tuple(map(float, image.affine[2::-1, 3]))
    return np.rint(255 * values).astype("uint8"), (grey > 0.5).astype("uint8"), centre


def build(path: Path) -> None:
    """Create an OME-Zarr of the template: the image as raw/s0, grey matter as labels/grey_matter/s0."""
    image, grey, centre = template()
    for group, values in (("raw", image), (LABELS, grey)):
        level: Any = wa.create(
            path / group / "s0",
            values.shape,
            values.dtype,
            voxel_size=(SIZE,) * 3,
            translation=centre,
            units=UNIT,
            chunks=(32, 32, 32),
        )
        level.write_index((0, 0, 0), values.shape, values)
    spans = zip(AXES, level.box.begin, level.box.end, strict=True)
    where = ", ".join(f"{axis} {low:g} to {high:g}" for axis, low, high in spans)
    print(f"{path.name}: {' x '.join(map(str, image.shape))} voxels of {SIZE} mm, {where} mm, {grey.mean():.0%} grey")


# 2. What trains, what validates, what is predicted -------------------------------------------------------------------


def configuration(path: Path, part: tuple[int, int] | None, **more: Any) -> miao.MiaoConfig:
    """Return a configuration that reads a part of the template along y, or all of it; no window leaves that part."""
    shape = wa.open(path / "raw" / "s0", units=UNIT).shape
    volume = {
        "name": "mni152",
        "path": str(path),
        "image_key": "raw",
        "label_key": LABELS,
        "zarr_version": "zarr3",
        # Level-0 voxels, per axis of the output.
        "bounding_box": None if part is None else [(0, shape[0]), part, (0, shape[2])],
        # Without foreground in it a patch teaches nothing; walks go everywhere.
        "min_foreground": 0 if "sampling" in more else 0.05,
    }
    return miao.MiaoConfig(volumes=[volume], resolutions=[[SIZE] * 3], output_axes="lczyx", patch_size=PATCH, **more)


def configurations(path: Path, patches: int) -> dict[str, miao.MiaoConfig]:
    """Return what trains, with so many patches in an epoch, what validates and what is predicted."""
    ahead = wa.open(path / "raw" / "s0", units=UNIT).shape[1]
    return {
        "train": configuration(path, (0, SPLIT), samples_per_epoch=patches),
        "validate": configuration(path, (SPLIT, ahead), sampling="sequential"),
        "predict": configuration(path, None, sampling="sequential", overlap=OVERLAP),
    }


def augmented(sample: Sample) -> Sample:
    """Return a sample turned by one of the symmetries of a cube, a little brighter or darker."""
    image, label = rot90isocube(np.random, sample["img"], sample["label"], pixel_size=sample["pixel_size"])
    # Grey and white matter differ by little more than a tenth.
    image = intensity_jitter(np.random, image, scale=(0.97, 1.03), shift=(-0.02, 0.02))
    return {**sample, "img": image, "label": label}


# 3. A network --------------------------------------------------------------------------------------------------------


def network() -> Any:
    """Return three convolutions, which see 7 voxels across, and one that makes a score of what they found."""
    from torch import nn

    width = 12
    return nn.Sequential(
        nn.Conv3d(1, width, 3, padding=1),
        nn.ReLU(),
        nn.Conv3d(width, width, 3, padding=1),
        nn.ReLU(),
        nn.Conv3d(width, width, 3, padding=1),
        nn.ReLU(),
        nn.Conv3d(width, 1, 1),
    )


def scored(model: Any, batch: Sample) -> Any:
    """Return the scores (B, 1, z, y, x) of a batch, grey matter above 0."""
    # The first scale is the only one: (B, L, C, z, y, x) becomes (B, C, z, y, x). Brains are from 0.4 to 0.9 of 255
    # here, and networks learn faster from numbers around 0.
    return model(4 * (batch["img"][:, 0] - 0.6))


def trained(model: Any, optimiser: Any, batches: Any) -> Iterator[float]:
    """Take a step for each batch; yield its loss."""
    from torch.nn.functional import binary_cross_entropy_with_logits

    model.train()
    for batch in batches:
        # Labels are (B, L, z, y, x), and L is 1.
        loss = binary_cross_entropy_with_logits(scored(model, batch), batch["label"].float())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        yield loss.item()


def predicted(model: Any, batches: Any) -> Iterator[tuple[Any, Sample]]:
    """Yield probabilities (B, z, y, x), and the batch that they are of."""
    import torch

    model.eval()
    for batch in batches:
        with torch.no_grad():
            scores = scored(model, batch)
        yield scores[:, 0].sigmoid(), batch


def dice(pairs: Sequence[tuple[Any, Any]]) -> float:
    """Return the Dice coefficient of pairs of probabilities and labels, all taken together: 1 where they agree.

    Examples
    --------
    >>> dice([(np.array([0.9, 0.8, 0.1]), np.array([1, 0, 1])), (np.array([0.7]), np.array([1]))])
    0.6666666666666666
    """
    both = sum(float(((probability > 0.5) & (label > 0)).sum()) for probability, label in pairs)
    each = sum(float((probability > 0.5).sum() + (label > 0).sum()) for probability, label in pairs)
    return 2 * both / each if each else 1.0


def fit(model: Any, train: Any, validate: Any, epochs: int) -> list[float]:
    """Train for some epochs, saying how far it is; return the loss of every step."""
    import torch

    optimiser = torch.optim.Adam(model.parameters(), lr=0.005)
    slower = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, epochs)
    again = "\r" if sys.stdout.isatty() else ""
    losses: list[float] = []
    for epoch in range(epochs):
        started = time.perf_counter()
        train.dataset.set_epoch(epoch)  # other patches than before
        before = len(losses)
        for loss in trained(model, optimiser, train):
            losses.append(loss)
            if again:
                print(f"{again}step {len(losses) - before}/{len(train)}: loss {loss:.3f}", end="", flush=True)
        slower.step()
        score = dice([(found, batch["label"][:, 0]) for found, batch in predicted(model, validate)])
        mean, took = np.mean(losses[before:]), time.perf_counter() - started
        told = f"epoch {epoch + 1}/{epochs}: {len(train)} steps, mean loss {mean:.3f}, validation Dice {score:.3f}"
        print(f"{again}{told}, {took:.1f} s", flush=True)
    return losses


# 4. The whole volume -------------------------------------------------------------------------------------------------


def stitch(model: Any, walk: Any, out: Path) -> None:
    """Write the predictions of a whole volume into a new array, placed where the volume is.

    At its faces a patch knows little of what is around: patches overlap, and fade towards their faces.
    """
    again = "\r" if sys.stdout.isatty() else ""
    with miao.Stitcher(walk.dataset, out, blend="hann") as stitcher:
        for number, (found, batch) in enumerate(predicted(model, walk), 1):
            stitcher.add(found, batch)
            if again or number == len(walk):
                print(f"{again}{out.parent.name}: {number}/{len(walk)} batches stitched", end="", flush=True)
    print()


def compared(path: Path, box: wa.Box) -> float:
    """Return the Dice coefficient of what was predicted and what is labelled in a box of the world, in millimetres."""
    found, label = (wa.open(path / key, units=UNIT).read(box) for key in (PREDICTIONS, f"{LABELS}/s0"))
    return dice([(found, label)])


def halves(path: Path) -> tuple[wa.Box, wa.Box, float]:
    """Return the boxes of what trained and of what validated, and where along y they meet, in millimetres."""
    image = wa.open(path / "raw" / "s0", units=UNIT)
    shape = image.shape
    back, front = (
        wa.Box.from_index((0, low, 0), (shape[0], high, shape[2]), image.voxel_size, image.translation)
        for low, high in ((0, SPLIT), (SPLIT, shape[1]))
    )
    return back, front, front.begin[1]


def draw(path: Path, picture: Path) -> None:
    """Save a picture: the image, what is labelled and what was predicted, cut across every axis."""
    from matplotlib.figure import Figure  # noqa: PLC0415  (it takes a moment)

    arrays = [
        ("image", wa.open(path / "raw" / "s0", units=UNIT), 235),
        ("grey matter", wa.open(path / LABELS / "s0", units=UNIT), 1),
        ("predicted", wa.open(path / PREDICTIONS, units=UNIT), 1),
    ]
    _, _, split = halves(path)
    figure = Figure(figsize=(10.5, 11), layout="constrained", dpi=110)
    for row, (across, at, kind) in zip(figure.subplots(3, 3), SECTIONS, strict=True):
        called = f"{kind} at {AXES[across]} = {at:g} mm"
        for axes, (told, vol, most) in zip(row, arrays, strict=True):
            begin, end = list(vol.box.begin), list(vol.box.end)
            # One voxel thick: a box holds the voxels whose centres lie in it.
            begin[across], end[across] = at - SIZE / 2, at + SIZE / 2
            plane = vol.read(wa.Box.of((begin, end))).squeeze(across)
            down, right = (axis for axis in range(3) if axis != across)
            extent = (begin[right], end[right], begin[down], end[down])
            axes.imshow(plane, cmap="gray", vmin=0, vmax=most, extent=extent, origin="lower", interpolation="nearest")
            axes.set(xlabel=f"{AXES[right]} (mm)", ylabel=f"{AXES[down]} (mm)")
            axes.set_title(f"{told}, {called}", fontsize=9)
            if down == 1:
                axes.axhline(split, color="#ffd400", linestyle="--", linewidth=1)
            elif right == 1:
                axes.axvline(split, color="#ffd400", linestyle="--", linewidth=1)
    figure.suptitle(f"Trained behind the dashed line, y = {split:g} mm, and validated before it", fontsize=11)
    with picture.open("xb") as file:
        figure.savefig(file, format="png")


# The command line ----------------------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    lines = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    lines.add_argument("--epochs", type=int, default=6, help="times that a new set of patches is drawn (default: 6)")
    lines.add_argument("--patches", type=int, default=80, help="patches of an epoch (default: 80)")
    lines.add_argument("--batch-size", type=int, default=4, help="patches of a batch (default: 4)")
    lines.add_argument("--device", help="where the network is; cuda where there is one, else cpu, by default")
    lines.add_argument("--seed", type=int, default=0, help="of patches and network (default: 0)")
    lines.add_argument(
        "--output", metavar="FOLDER", help="where the results go; a new temporary folder, which stays, by default"
    )
    return lines


def run(asked: argparse.Namespace, folder: Path) -> Path:
    """Build, train, stitch and draw; return the picture."""
    import torch

    path, picture = folder / "mni152.zarr", folder / "grey_matter.png"
    if picture.exists():
        raise SystemExit(f"{picture}: exists already, and nothing is overwritten; name another --output")
    build(path)
    device = asked.device or ("cuda" if torch.cuda.is_available() else "cpu")
    loaders = {}
    for name, config in configurations(path, asked.patches).items():
        miao.save_config(config, folder / f"{name}.yaml")
        augment = augmented if name == "train" else None
        dataset = miao.VolumeDataset(config, augment, seed=asked.seed, verbose=False)
        loaders[name] = miao.loader(dataset, batch_size=asked.batch_size, device=device)
        print(f"  {name}: {len(dataset)} patches of {' x '.join(map(str, PATCH))} voxels")
    torch.manual_seed(asked.seed)
    model = network().to(device)
    fit(model, loaders["train"], loaders["validate"], asked.epochs)
    stitch(model, loaders["predict"], path / PREDICTIONS)
    back, front, split = halves(path)
    print(f"Read back: Dice {compared(path, back):.3f} behind y = {split:g} mm, {compared(path, front):.3f} before it")
    draw(path, picture)
    return picture


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example; return the exit status."""
    started = time.perf_counter()
    asked = parser().parse_args(arguments)
    try:
        folder = Path(asked.output or tempfile.mkdtemp(prefix="miao-brain-"))
        picture = run(asked, folder)
    except (miao.errors.MiaoError, wa.errors.WorldArrayError, OSError, RuntimeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Picture: {picture}")
    print(f"Folder: {folder}  (it stays; remove it when you are done; {time.perf_counter() - started:.0f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
