"""From an array to a placed pyramid and back: create it, add levels, read a box at another voxel size, save a picture.

Run it with ``uv run docs/examples/quickstart.py``, or with a 3-D image of your own: an .npy file, or a NIfTI file where
nibabel is installed. It makes new files only, in a new folder or in the one that ``--output`` names.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

import worldarray as wa

AXES: Final = ("z", "y", "x")
CHUNK: Final = 64
"""Voxels along the side of a chunk: what one write stores and one read fetches."""
SMALLEST: Final = 64
"""Levels are added until one has at most so many voxels along each axis."""
NIFTI_UNITS: Final = {"mm": "millimeter", "micron": "micrometer", "meter": "meter", "unknown": "millimeter"}

Floats = tuple[float, ...]


@dataclass(frozen=True)
class Image:
    """A volume to store: its voxels (z, y, x), and where they lie, in `unit`."""

    name: str
    values: Any
    voxel_size: Floats
    corner: Floats
    """Where voxel 0 begins."""
    unit: str
    upright: bool = False
    """Whether the y and z axes point up in a picture: those of bodies do, those of microscopes point down."""
    notes: tuple[str, ...] = ()
    """What a person should know about how it was read."""
    attrs: dict[str, Any] = field(default_factory=dict)
    """What the placement of OME-NGFF has no words for."""


# 1. An array, and where it lies --------------------------------------------------------------------------------------


def tissue() -> Image:
    """Return cells with membranes and mitochondria, sliced as electron microscopes do: 40 nm thick, 16 nm pixels."""
    shape, size, corner = (48, 160, 208), (40.0, 16.0, 16.0), (1200.0, -800.0, 3000.0)
    rng = np.random.default_rng(7)
    extent = np.array(shape) * size
    cells = rng.uniform(-0.1, 1.1, (45, 3)) * extent
    bodies = rng.uniform(0, 1, (20, 3)) * extent * (0.7, 1.0, 0.45)
    shades = rng.uniform(150, 190, len(cells)).astype(np.float32)
    values = np.empty(shape, np.uint8)
    y, x = np.meshgrid(*[(np.arange(n) + 0.5) * s for n, s in zip(shape[1:], size[1:], strict=True)], indexing="ij")
    for index in range(shape[0]):
        z = (index + 0.5) * size[0]
        # Each point belongs to the nearest cell; bent space makes the walls between them bend too.
        bent = np.stack(
            [
                z + 90 * np.sin(x / 310),
                y + 110 * np.sin(z / 270 + x / 350),
                x + 110 * np.sin(y / 290 - z / 330),
            ]
        )
        away = _squares(bent, cells)
        cell = away.argmin(axis=0)[None]
        nearest = np.take_along_axis(away, cell, axis=0)[0]
        np.put_along_axis(away, cell, np.inf, axis=0)
        wall = np.sqrt(away.min(axis=0)) - np.sqrt(nearest) < 34
        inside = np.sqrt(_squares(bent * np.array((0.7, 1.0, 0.45)).reshape(3, 1, 1), bodies).min(axis=0))
        grey = np.where(inside < 130, 105 + 25 * np.cos(inside / 6), shades[cell[0]])
        grey = np.where(wall | (abs(inside - 130) < 12), 52, grey)
        values[index] = np.clip(grey + rng.normal(0, 14, grey.shape), 0, 255)
    return Image("tissue", values, size, corner, "nanometer")


def _squares(places: Any, centres: Any) -> Any:
    """Return the squared distances of places (3, y, x) from centres (n, 3), as float32 (n, y, x)."""
    places, centres = places.astype(np.float32), centres.astype(np.float32)
    products = np.tensordot(-2 * centres, places, axes=1)
    products += (places**2).sum(axis=0)
    products += (centres**2).sum(axis=1)[:, None, None]
    return np.maximum(products, 0, out=products)


def load(asked: argparse.Namespace) -> Image:
    """Return the image that the command line asks for."""
    if asked.path is None:
        return tissue()
    path = Path(asked.path)
    if path.name.endswith((".nii", ".nii.gz")):
        return read_nifti(path)
    if path.suffix == ".npy":
        values = np.load(path, mmap_mode="r", allow_pickle=False)
        told = "an .npy file says nothing of places: --voxel-size, --corner and --unit do"
        return Image(path.stem, values, tuple(asked.voxel_size), tuple(asked.corner), asked.unit, notes=(told,))
    raise SystemExit(f"{path}: this example reads .npy, .nii and .nii.gz")


def read_nifti(path: Path) -> Image:
    """Return a NIfTI image with x to the right, y to the front and z up, placed by its affine."""
    try:
        import nibabel  # noqa: PLC0415  (only NIfTI files need it)
    except ImportError:
        raise SystemExit(
            f"{path}: reading NIfTI needs nibabel; uv run --with nibabel …, or pip install nibabel"
        ) from None
    image = nibabel.as_closest_canonical(nibabel.load(path))
    stored = image.header.get_xyzt_units()[0]
    values = np.asanyarray(image.dataobj)
    notes = ["x runs to the right, y to the front, z up (RAS+); OME-NGFF 0.5 cannot say so, the group's attributes do"]
    if stored == "unknown":
        notes.append("the file names no unit, so its numbers are taken as millimetres")
    if values.ndim > 3:
        notes.append(f"the file holds {values.shape[3:]} volumes; this is the first")
        values = values[(..., *([0] * (values.ndim - 3)))]
    turn = image.affine[:3, :3]
    size = np.linalg.norm(turn, axis=0)
    angle = float(np.degrees(np.arccos(np.clip((np.diag(turn) / size).min(), -1, 1))))
    if angle > 0.01:
        notes.append(
            f"the file's axes are turned by up to {angle:.1f} degrees; the turn is left out: voxel 0 is in place"
        )
    # An affine places the centre of voxel 0, in the order x, y, z.
    corner = image.affine[:3, 3] - size / 2
    attrs = {"nifti": {"orientation": "RAS+", "affine": image.affine.tolist()}}
    name = path.name.removesuffix(".gz").removesuffix(".nii")
    back = tuple(float(s) for s in size[::-1]), tuple(float(c) for c in corner[::-1])
    return Image(name, values.T, *back, NIFTI_UNITS[stored], upright=True, notes=tuple(notes), attrs=attrs)


# 2. A placed pyramid -------------------------------------------------------------------------------------------------


def build(path: Path, image: Image) -> None:
    """Create a pyramid of an image: the image itself as s0, then levels of block means, block by block."""
    finest = wa.create(
        path / "s0",
        image.values.shape,
        image.values.dtype,
        voxel_size=image.voxel_size,
        translation=wa.corner_to_centre(image.corner, image.voxel_size),
        units=image.unit,
        chunks=[min(n, CHUNK) for n in image.values.shape],
        group_attrs=image.attrs,
    )
    for block in progress(finest, "the image"):
        finest.write_index(block.begin, block.end, image.values[tuple(map(slice, block.begin, block.end))])
    pyramid = wa.open_pyramid(path, mode="r+", units=image.unit)
    stop = (SMALLEST,) * len(AXES)
    before: wa.WorldArray = finest
    for number, factors in enumerate(wa.level_factors(image.voxel_size, stop_shape=stop, shape=finest.shape), 1):
        level = pyramid.add_level(f"s{number}", factors, from_level=f"s{number - 1}")
        for block in progress(level, f"means of {' x '.join(map(str, factors))} voxels"):
            # At a whole multiple of the voxel size, a linear read is the mean of the block.
            box = wa.Box.from_index(block.begin, block.end, level.voxel_size, level.translation)
            means = before.read(box, voxel_size=level.voxel_size, method="linear")
            level.write_index(block.begin, block.end, means)
        before = level


def progress(level: wa.WorldArray, told: str) -> Iterator[wa.Block]:
    """Yield the blocks of a level that one write each stores, saying how far it is."""
    blocks = level.blocks()
    what = f"  {level.level_name}: {numbers(level.shape)} voxels of {numbers(level.voxel_size)}, {told}; blocks stored:"
    again = "\r" if sys.stdout.isatty() else ""
    for done, block in enumerate(blocks, 1):
        yield block
        if again or done == len(blocks):
            print(f"{again}{what} {done}/{len(blocks)}", end="", flush=True)
    print()


# 3. Reading, and a picture -------------------------------------------------------------------------------------------


def middle(box: wa.Box, size: float) -> wa.Box:
    """Return the middle of a box: half of it along each axis, and at most 200 voxels of a size."""
    half = [min(length / 4, 100 * size) for length in box.shape]
    spans = list(zip(box.centre, half, strict=True))
    return wa.Box.of(([c - h for c, h in spans], [c + h for c, h in spans]))


def section(vol: wa.WorldArray, box: wa.Box, across: int) -> tuple[Any, list[float]]:
    """Return the plane of voxels in the middle of a box, 2-D, and its extent; it is cut across one axis."""
    step = vol.voxel_size[across]
    begin, end = list(box.grow(vol.voxel_size).begin), list(box.grow(vol.voxel_size).end)
    # One voxel thick: a box holds the voxels whose centres lie in it.
    begin[across], end[across] = box.centre[across] - step / 2, box.centre[across] + step / 2
    first, last = vol.target.index_box(wa.Box.of((begin, end)))
    covered = wa.Box.from_index(first, last, vol.voxel_size, vol.translation)
    down, right = others(across)
    extent = [covered.begin[right], covered.end[right], covered.end[down], covered.begin[down]]
    return vol.read(wa.Box.of((begin, end)), padding="edge").squeeze(across), extent


def others(across: int) -> list[int]:
    """Return the axes of the plane that is cut across an axis: down the picture, then to the right."""
    return [axis for axis in range(len(AXES)) if axis != across]


def draw(path: Path, image: Image, picture: Path) -> None:
    """Save a picture: the whole volume, a box of it at another voxel size, and the same box on each stored level."""
    from matplotlib.figure import Figure  # noqa: PLC0415  (it takes a moment)
    from matplotlib.patches import Rectangle  # noqa: PLC0415

    size = rounded(1.5 * min(image.voxel_size))
    resampled = wa.open(path, voxel_size=(size,) * 3, on_mismatch="resample", method="linear", units=image.unit)
    box = middle(resampled.box, size)
    block = resampled.read(box)
    unit = wa.units.abbreviation(image.unit)
    print(f"Read {numbers(box.begin)} to {numbers(box.end)} {unit} at {size:g} {unit} from {resampled.level_name}:")
    print(f"  shape {block.shape}, {block.dtype}, mean {block.mean():.4g}")
    # The level that is nearest to 120 voxels across, at its own voxel size.
    coarse = (max(resampled.box.shape) / 120,) * 3
    whole = wa.open(path, voxel_size=coarse, level_mode="nearest", on_mismatch="keep", units=image.unit)
    levels = wa.open_pyramid(path, units=image.unit).levels[:3]
    panels = [
        (whole, whole.box, 0, f"the whole volume, xy, from {whole.level_name}: {numbers(whole.voxel_size)} {unit}"),
        (resampled, box, 0, f"the box, xy, read at {size:g} {unit}"),
        (resampled, box, 1, f"the box, xz, read at {size:g} {unit}"),
    ]
    panels += [(vol, box, 0, f"{vol.level_name} as stored: {numbers(vol.voxel_size)} {unit}") for vol in levels]
    low, high = np.nanpercentile(block, (0.5, 99.5))
    figure = Figure(figsize=(13.5, 8.4), layout="compressed", dpi=110)
    for axes, (vol, part, across, title) in zip(figure.subplots(2, 3).flat, panels, strict=False):
        plane, extent = section(vol, part, across)
        axes.imshow(plane, cmap="gray", vmin=low, vmax=high, extent=extent, interpolation="nearest")
        down, right = others(across)
        limits = (part.begin[down], part.end[down])
        axes.set(xlim=(part.begin[right], part.end[right]), ylim=limits if image.upright else limits[::-1])
        axes.set(xlabel=f"{AXES[right]} ({unit})", ylabel=f"{AXES[down]} ({unit})")
        axes.set_title(title, fontsize=10)
        if part is not box:
            corner, (height, width) = (box.begin[right], box.begin[down]), (box.shape[down], box.shape[right])
            axes.add_patch(Rectangle(corner, width, height, fill=False, edgecolor="#ffd400", linewidth=2))
        scale_bar(axes, unit)
    for axes in figure.axes[len(panels) :]:
        axes.remove()
    figure.suptitle(
        f"{path.name}: voxels of {numbers(image.voxel_size)} {unit} (z, y, x), corner {numbers(image.corner)}"
    )
    with picture.open("xb") as file:
        figure.savefig(file, format="png", bbox_inches="tight")


def scale_bar(axes: Any, unit: str) -> None:
    """Draw a bar of a round length, at most a quarter of the width, into the lower left of a panel."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    length = rounded((right - left) / 4, digits=(1, 2, 5))
    x, y = left + 0.05 * (right - left), bottom + 0.07 * (top - bottom)
    for colour, width in (("black", 6), ("white", 3)):
        axes.plot([x, x + length], [y, y], color=colour, linewidth=width, solid_capstyle="butt")
    frame = {"facecolor": "black", "alpha": 0.6, "pad": 2, "edgecolor": "none"}
    at = x, y + 0.03 * (top - bottom)
    axes.text(*at, f"{length:g} {unit}", color="white", fontsize=9, va="bottom", bbox=frame)


def rounded(value: float, digits: Sequence[float] = (1, 1.2, 1.5, 2, 2.4, 3, 4, 5, 6, 8)) -> float:
    """Return the largest number that is no larger than a positive value and is one of `digits` times a power of ten.

    Examples
    --------
    >>> rounded(27.3), rounded(0.7, digits=(1, 2, 5))
    (24.0, 0.5)
    """
    power = int(np.floor(np.log10(value)))
    below = max((d for d in digits if d * 10.0**power <= value * (1 + 1e-9)), default=1)
    return float(f"{below}e{power}")


def numbers(values: Sequence[float]) -> str:
    """Return numbers as people write them.

    Examples
    --------
    >>> numbers((40.0, 16.5))
    '(40, 16.5)'
    """
    return f"({', '.join(f'{value:.6g}' for value in values)})"


# The command line ----------------------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    lines = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    lines.add_argument(
        "path", nargs="?", metavar="PATH", help="a 3-D .npy, .nii or .nii.gz; an example image otherwise"
    )
    lines.add_argument(
        "--output", metavar="FOLDER", help="where the results go; a new temporary folder, which stays, by default"
    )
    lines.add_argument(
        "--voxel-size", nargs=3, type=float, default=(1, 1, 1), metavar=("Z", "Y", "X"), help="of an .npy"
    )
    lines.add_argument("--corner", nargs=3, type=float, default=(0, 0, 0), metavar=("Z", "Y", "X"), help="of an .npy")
    lines.add_argument("--unit", default="micrometer", help="of those six numbers (default: micrometer)")
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example; return the exit status."""
    started = time.perf_counter()
    asked = parser().parse_args(arguments)
    try:
        image = load(asked)
        if image.values.ndim != 3:
            raise SystemExit(f"{asked.path}: has the shape {image.values.shape}; this example takes three axes")
        if image.values.dtype.kind not in "iuf":
            raise SystemExit(f"{asked.path}: holds {image.values.dtype}; this example takes integers and floats")
        folder = Path(asked.output or tempfile.mkdtemp(prefix="worldarray-quickstart-"))
        path, picture = folder / f"{image.name}.zarr", folder / f"{image.name}.png"
        if picture.exists():
            raise SystemExit(f"{picture}: exists already, and nothing is overwritten; name another --output")
        unit = wa.units.abbreviation(image.unit)
        print(f"{image.name}: {numbers(image.values.shape)} voxels of {numbers(image.voxel_size)} {unit} (z, y, x),")
        print(f"  {image.values.dtype}, corner at {numbers(image.corner)} {unit}")
        for note in image.notes:
            print(f"  note: {note}")
        print(f"Create {path}:")
        build(path, image)
        draw(path, image, picture)
    except (wa.errors.WorldArrayError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Picture: {picture}")
    print(f"Folder: {folder}  (it stays; remove it when you are done)")
    print(f"Table of the levels: uv run worldarray info {path}  ({time.perf_counter() - started:.1f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
