"""One story through five packages: a scan is stored, read, made a batch of, cut, measured and drawn, always in place.

Run it with ``uv run docs/examples/quickstart.py``, or with a 3-D image of your own: a NIfTI or an .npy file, with
``--labels`` where there are any. It makes new files only, in a new folder or in the one that ``--output`` names:

1. an OME-Zarr pyramid of the image, with a label image beside it           worldarray_write
2. a box of it in world units, read at a voxel size that it does not have   worldarray
3. a batch for PyTorch, at two voxel sizes, with its labels                 miao
4. a crop as an .mla file that knows where it lies in the patient           mlarray
5. the objects measured, in a table with units and MAML                     maml_parquet
6. a picture of all that
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

import maml_parquet
import mlarray
import quickstart_phantom as phantom
import worldarray as wa
from mlarray.convert import from_worldarray
from quickstart_images import Image, load
from quickstart_picture import COLOURS, Story, draw, numbers, rounded

CHUNK: Final = 64
"""Voxels along the side of a chunk: what one write stores and one read fetches."""
SMALLEST: Final = 64
"""Levels are added until one has at most so many voxels along each axis."""
LABELS: Final = "objects"
NEEDED: Final = ("astropy", "matplotlib", "miao", "pandas", "rich")
"""What is imported on the way; astropy reads parquet through pandas."""
PATCH: Final = 32
"""Voxels along the side of a patch of the batch, at most."""


@dataclass(frozen=True)
class Places:
    """Where the results go."""

    folder: Path
    name: str

    @property
    def pyramid(self) -> Path:
        """The OME-Zarr."""
        return self.folder / f"{self.name}.zarr"

    @property
    def config(self) -> Path:
        """The configuration of the batch."""
        return self.folder / f"{self.name}.yaml"

    @property
    def crop(self) -> Path:
        """A part of the image, with its place in the patient."""
        return self.folder / f"{self.name}-crop.mla"

    @property
    def table(self) -> Path:
        """What was measured; its MAML lies beside it."""
        return self.folder / f"{self.name}.parquet"

    @property
    def picture(self) -> Path:
        """All of it, drawn."""
        return self.folder / f"{self.name}.png"

    def everything(self) -> tuple[Path, ...]:
        """Return every path that is made."""
        return self.pyramid, self.config, self.crop, self.table, self.table.with_suffix(".maml"), self.picture


# 1. A placed pyramid, and labels beside it ---------------------------------------------------------------------------


def build(path: Path, image: Image) -> None:
    """Create an OME-Zarr: the image as s0 with levels of block means, and its objects as labels/objects, likewise."""
    levels(path, image.values, image, "linear", image.attrs)
    colours = [{"label-value": n, "rgba": [*COLOURS[n % len(COLOURS)], 255]} for n, _ in enumerate(image.objects, 1)]
    names = [{"label-value": n, "name": name} for n, name in enumerate(image.objects, 1)]
    meaning = {"colors": colours, "properties": names, "source": {"image": "../../"}}
    levels(path / "labels" / LABELS, image.labels, image, "nearest", {"ome": {"image-label": meaning}})
    # What lists the label images of an OME-Zarr is a document of its own.
    listed = {"zarr_format": 3, "node_type": "group", "attributes": {"ome": {"version": "0.5", "labels": [LABELS]}}}
    with (path / "labels" / "zarr.json").open("x") as file:
        json.dump(listed, file, indent=2)


def levels(group: Path, values: Any, image: Image, method: Any, attrs: dict[str, Any]) -> None:
    """Create the levels of a pyramid, block by block: of means where the method is "linear", of whole values else."""
    finest = wa.create(
        group / "s0",
        values.shape,
        values.dtype,
        voxel_size=image.voxel_size,
        translation=wa.corner_to_centre(image.corner, image.voxel_size),
        units=image.unit,
        chunks=[min(n, CHUNK) for n in values.shape],
        group_attrs=attrs,
    )
    for block in progress(finest.blocks(), f"{group.name}/s0"):
        finest.write_index(block.begin, block.end, values[tuple(map(slice, block.begin, block.end))])
    pyramid = wa.open_pyramid(group, mode="r+", units=image.unit)
    stop = (SMALLEST,) * values.ndim
    before: wa.WorldArray = finest
    for number, factors in enumerate(wa.level_factors(image.voxel_size, stop_shape=stop, shape=finest.shape), 1):
        level = pyramid.add_level(f"s{number}", factors, from_level=f"s{number - 1}")
        for block in progress(level.blocks(), f"{group.name}/s{number}"):
            # At a whole multiple of the voxel size, a linear read is the mean of the block.
            box = wa.Box.from_index(block.begin, block.end, level.voxel_size, level.translation)
            level.write_index(block.begin, block.end, before.read(box, voxel_size=level.voxel_size, method=method))
        before = level
    for level in pyramid.levels:
        shape, size = numbers(level.shape), numbers(level.voxel_size)
        print(f"   {group.name}/{level.level_name}: {level.dtype}, {shape} voxels of {size} {short(image.unit)}")


# 2. A box of it, at another voxel size -------------------------------------------------------------------------------


def middle(box: wa.Box, size: float) -> wa.Box:
    """Return the middle of a box: half of it along each axis, and at most 200 voxels of a size."""
    half = [min(length / 4, 100 * size) for length in box.shape]
    spans = list(zip(box.centre, half, strict=True))
    return wa.Box.of(([c - h for c, h in spans], [c + h for c, h in spans]))


def look(path: Path, image: Image) -> tuple[wa.WorldArray, wa.Box]:
    """Read the middle of the image on cubic voxels; return a handle that reads so, and the box."""
    size = rounded(1.2 * min(image.voxel_size))
    volume = wa.open(path, voxel_size=(size,) * 3, on_mismatch="resample", method="linear", units=image.unit)
    box = middle(volume.box, size)
    block = volume.read(box)
    unit = short(image.unit)
    print(
        f"   {numbers(box.begin)} to {numbers(box.end)} {unit} (z, y, x) at {size:g} {unit}, from {volume.level_name}:"
    )
    print(f"   {numbers(block.shape)} voxels, {block.dtype}, mean {block.mean():.4g}")
    return volume, box


# 3. A batch for PyTorch ----------------------------------------------------------------------------------------------


def train_on(places: Places, image: Image, limits: tuple[float, float]) -> dict[str, Any]:
    """Write a configuration of miao-loader, and return a batch that it describes: patches at two voxel sizes."""
    import miao  # noqa: PLC0415  (it brings torch, which takes a moment)

    extent = [n * size for n, size in zip(image.values.shape, image.voxel_size, strict=True)]
    size = min(rounded(1.2 * min(image.voxel_size)), min(extent) / 4)
    low, high = limits
    config = miao.MiaoConfig(
        volumes=[
            {
                "name": image.name,
                "path": places.pyramid.name,
                "image_key": ".",
                "label_key": f"labels/{LABELS}",
                "zarr_version": "zarr3",
                **({"normalize_min": low, "normalize_max": high} if low < high else {}),
            }
        ],
        resolutions=[[size] * 3, [2 * size] * 3],
        units=image.unit,
        output_axes="lczyx",
        # The coarser scale has to fit.
        patch_size=[max(1, min(PATCH, int(0.8 * length / (2 * size)))) for length in extent],
        samples_per_epoch=4,
        seed=3,
    )
    miao.save_config(config, places.config)
    dataset = miao.VolumeDataset(places.config, verbose=False)
    batch: dict[str, Any] = next(iter(miao.loader(dataset, batch_size=4)))
    for key in ("img", "label"):
        print(f"   {key}: {numbers(batch[key].shape)} {str(batch[key].dtype).removeprefix('torch.')}")
    print(f"   samples, scales, channels (of img), z, y, x; at {size:g} and {2 * size:g} {short(image.unit)}")
    return batch


# 4. A crop that knows where it lies in the patient -------------------------------------------------------------------


def cut(places: Places, image: Image, box: wa.Box) -> None:
    """Save a box of the finest level as an .mla file, and open it again: the same voxels in the same places."""
    finest = wa.open(places.pyramid, level="s0", units=image.unit)
    crop = from_worldarray(places.pyramid, level="s0", box=box, units=image.unit)
    begin, end = finest.index_box(box)
    if image.affine is not None:
        # The first voxel of the crop is that one of the image. Patients are counted to the left and to the back.
        moved = np.eye(4)
        moved[:3, 3] = begin
        matrix = np.diag([-1, -1, 1, 1]) @ image.affine @ moved
        values = {"unit": image.quantity} if image.quantity else None
        crop = mlarray.MLArray(crop.to_numpy(), space="patient", matrix=matrix, values=values, patch_size=PATCH)
    crop.save(places.crop)
    with mlarray.MLArray.open(places.crop) as again:
        stored = finest.read_index(begin, end)
        if not np.array_equal(again.to_numpy(), stored, equal_nan=stored.dtype.kind == "f"):
            raise ValueError(f"{places.crop}: has other voxels than {places.pyramid}")
        last = [n - 1 for n in again.shape]
        print(f"   {numbers(again.shape)} {again.dtype}, voxels of {numbers(again.spacing)}", end="")
        print(f", letters {again.letter_codes()}" if image.affine is not None else "")
        for told, index in (("first", [0] * again.ndim), ("last", last)):
            here, axes = again.index_to_space(index), [axis["name"] for axis in again.meta.spaces[0]["axes"]]
            print(f"   its {told} voxel: ({', '.join(axes)}) = {numbers(here)}")


# 5. The objects, measured --------------------------------------------------------------------------------------------

MAML: Final = """\
table: {name} objects
description: Objects of {name}, measured on their voxels
author: The quickstart
keywords: [{name}, labels]
fields:
- {{name: id, info: Value in the label image, ucd: meta.id;meta.main, data_type: int64, qc: {{min: 1, max: 255}}}}
- {{name: object, info: Name of the object, ucd: meta.title, data_type: string, array_size: auto}}
- {{name: voxels, info: Voxels of the object, ucd: meta.number, data_type: int64, qc: {{min: 1}}}}
- {{name: volume, unit: {unit}3, info: Of those voxels, ucd: phys.volume, data_type: float64, qc: {{min: '> 0'}}}}
- {{name: x, unit: {unit}, info: Centroid, ucd: pos.cartesian.x, data_type: float64}}
- {{name: y, unit: {unit}, info: Centroid, ucd: pos.cartesian.y, data_type: float64}}
- {{name: z, unit: {unit}, info: Centroid, ucd: pos.cartesian.z, data_type: float64}}
- {{name: mean, info: Mean of the image there, ucd: stat.mean, data_type: float64}}
"""


def measure(path: Path, image: Image) -> dict[str, list[Any]]:
    """Return what there is of each object, as columns, reading a block of the label image at a time."""
    labels = wa.open(path / "labels" / LABELS, level="s0", units=image.unit)
    values = wa.open(path, level="s0", units=image.unit)
    count = len(image.objects) + 1
    # Sums of voxels, of their indices along z, y and x, and of the image; whole numbers stay exact.
    voxels, total = np.zeros(count, "int64"), np.zeros(count)
    indices = np.zeros((3, count), "int64")
    for block in progress(labels.blocks([CHUNK] * 3), "measured"):
        found = labels.read_index(block.begin, block.end)
        total += np.bincount(found.ravel(), values.read_index(block.begin, block.end).ravel(), count)
        voxels += np.bincount(found.ravel(), minlength=count)
        for axis, begin in enumerate(block.begin):
            across = tuple(other for other in range(3) if other != axis)
            for label in range(1, count):
                along = (found == label).sum(axis=across)
                indices[axis, label] += int((along * (begin + np.arange(len(along)))).sum())
    kept = [label for label in range(1, count) if voxels[label]]
    places = [
        [t + size * (int(indices[axis, label]) / int(voxels[label])) for label in kept]
        for axis, (t, size) in enumerate(zip(labels.translation, labels.voxel_size, strict=True))
    ]
    return {
        "id": kept,
        "object": [image.objects[label - 1] for label in kept],
        "voxels": [int(voxels[label]) for label in kept],
        "volume": [int(voxels[label]) * float(np.prod(labels.voxel_size)) for label in kept],
        **dict(zip("zyx", places, strict=True)),
        "mean": [total[label] / voxels[label] for label in kept],
    }


def tabulate(path: Path, image: Image, columns: dict[str, list[Any]]) -> Any:
    """Write the objects as parquet with MAML; return the table as astropy reads it, with units."""
    from astropy.table import Table  # noqa: PLC0415  (it takes a moment)

    maml = maml_parquet.parse(MAML.format(name=image.name, unit=short(image.unit).replace("µ", "u")))
    maml_parquet.write_table(columns, path, maml_parquet.Schema.from_maml(maml))
    table = Table.read(path, format="parquet.votable")
    for name in ("volume", "x", "y", "z", "mean"):
        table[name].format = ".7g"  # as it is shown; every digit is there
    for line in table.pformat(show_unit=True, max_lines=-1, max_width=-1):
        print(f"   {line}")
    return table


def compared(table: Any) -> str:
    """Return how far the inserts of the phantom were found from where they are by construction."""
    pairs = [(row, phantom.EXACT[int(row["id"])]) for row in table]
    wrong = [row["object"] for row, known in pairs if row["voxels"] != known.voxels or row["volume"] != known.volume]
    if wrong or len(pairs) != len(phantom.EXACT):
        raise ValueError(f"other volumes than by construction: {', '.join(wrong) or 'an insert is missing'}")
    far = max(abs(row[axis] - at) for row, known in pairs for axis, at in zip("zyx", known.centroid, strict=True))
    if far > 1e-9:
        raise ValueError(f"centroids are {far} mm from where they are by construction")
    return f"volumes are the exact ones, centroids within {far:.1g} mm of theirs"


# The command line ----------------------------------------------------------------------------------------------------


def progress(items: Sequence[Any], told: str) -> Iterator[Any]:
    """Yield items, with a bar on a terminal that goes when they are done."""
    from rich.progress import track  # noqa: PLC0415  (it takes a moment)

    yield from track(items, f"   {told}", transient=True, disable=not sys.stdout.isatty())


def short(unit: str) -> str:
    """Return how a unit is written behind a number.

    Examples
    --------
    >>> short("millimeter")
    'mm'
    """
    return wa.units.abbreviation(unit)


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    lines = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    lines.add_argument("path", nargs="?", metavar="PATH", help="a 3-D .nii, .nii.gz or .npy; a phantom otherwise")
    lines.add_argument("--labels", metavar="PATH", help="objects on the same voxels; classes of intensity otherwise")
    lines.add_argument("--mni152", action="store_true", help="take the template of the brain that nilearn has")
    lines.add_argument(
        "--output", metavar="FOLDER", help="where the results go; a new temporary folder, which stays, by default"
    )
    lines.add_argument(
        "--voxel-size", nargs=3, type=float, default=(1, 1, 1), metavar=("Z", "Y", "X"), help="of an .npy"
    )
    lines.add_argument("--corner", nargs=3, type=float, default=(0, 0, 0), metavar=("Z", "Y", "X"), help="of an .npy")
    lines.add_argument("--unit", default="micrometer", help="of those six numbers (default: micrometer)")
    return lines


def tell(places: Places, image: Image) -> None:
    """Go through the story."""
    print("1. Store it as a pyramid, with labels", flush=True)
    build(places.pyramid, image)
    print("2. Read a box of it at another voxel size", flush=True)
    volume, box = look(places.pyramid, image)
    low, high = map(float, np.nanpercentile(volume.read(box), (0.5, 99.5)))
    print("3. Make a batch of it for PyTorch", flush=True)
    batch = train_on(places, image, (low, high))
    print(
        "4. Cut a crop that knows where it lies" + (" in the patient" if image.affine is not None else ""), flush=True
    )
    cut(places, image, box)
    print("5. Measure the objects", flush=True)
    table = tabulate(places.table, image, measure(places.pyramid, image))
    told = ""
    if image.name == "phantom" and image.objects == phantom.NAMES:
        told = compared(table)
        print(f"   {told}")
    print("6. Draw it all", flush=True)
    draw(Story(image, places.pyramid, volume, box, (low, high), batch, places.crop, table, told), places.picture)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example; return the exit status."""
    started = time.perf_counter()
    asked = parser().parse_args(arguments)
    try:
        missing = [name for name in NEEDED if find_spec(name) is None]
        if missing:
            told = "uv run --group quickstart has them, or pip install"
            raise SystemExit(f"this example needs {', '.join(missing)}; {told}")
        image = load(asked)
        folder = Path(asked.output or tempfile.mkdtemp(prefix="worldarray-quickstart-"))
        folder.mkdir(parents=True, exist_ok=True)
        places = Places(folder, image.name)
        for path in places.everything():
            if path.exists():
                raise SystemExit(f"{path}: exists already, and nothing is overwritten; name another --output")
        unit = short(image.unit)
        print(f"{image.name}: {numbers(image.values.shape)} voxels of {numbers(image.voxel_size)} {unit} (z, y, x),")
        print(f"   {image.values.dtype}, corner at {numbers(image.corner)} {unit}")
        for note in image.notes:
            print(f"   note: {note}")
        tell(places, image)
    except (wa.errors.WorldArrayError, mlarray.MLArrayError, maml_parquet.MamlError, OSError, ValueError) as error:
        told = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else error
        print(told, file=sys.stderr)
        return 1
    print(f"Pyramid: {places.pyramid}  (look at it: uv run worldarray info {places.pyramid})")
    print(f"Batches: {places.config}")
    print(f"Crop: {places.crop}  (uv run mlarray header {places.crop})")
    print(f"Table: {places.table}  (uv run maml-parquet header {places.table})")
    print(f"Picture: {places.picture}")
    print(f"Folder: {folder}  (it stays; remove it when you are done)  ({time.perf_counter() - started:.1f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
