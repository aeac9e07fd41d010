"""What the quickstart begins with: the phantom, a NIfTI or .npy file, or the MNI152 template; and objects in it."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

import quickstart_phantom as phantom

NIFTI_UNITS: Final = {"mm": "millimeter", "micron": "micrometer", "meter": "meter", "unknown": "millimeter"}
CLASSES: Final = ("dark", "middle", "bright")
"""Objects of an image without labels: its voxels by intensity; what is darker than those is background."""

Floats = tuple[float, ...]


@dataclass(frozen=True)
class Image:
    """A volume with labels: its voxels (z, y, x), and where they lie, in `unit`."""

    name: str
    values: Any
    voxel_size: Floats
    corner: Floats
    """Where voxel 0 begins."""
    unit: str
    labels: Any = None
    """Which object each voxel belongs to, uint8; 0 is none."""
    objects: tuple[str, ...] = ()
    """Names of the labels from 1 on."""
    affine: Any = None
    """Of a body: millimetres to the right, to the front and up from an index (z, y, x, 1), 4 x 4, turns included."""
    quantity: str = ""
    """The unit of the values, by its name in .mla files."""
    notes: tuple[str, ...] = ()
    """What a person should know about how it was read."""
    attrs: dict[str, Any] = field(default_factory=dict)
    """What the placement of OME-NGFF has no words for."""


def load(asked: argparse.Namespace) -> Image:
    """Return the image that the command line asks for, and objects in it."""
    if (asked.mni152 and asked.path) or (asked.labels and not asked.path):
        raise SystemExit("--mni152 goes without a PATH, --labels with one: the template and the phantom have their own")
    if asked.mni152:
        return template()
    if asked.path is None:
        inserts = phantom.labels()
        size, corner = phantom.VOXEL_SIZE, phantom.CORNER
        return Image(
            "phantom",
            phantom.image(inserts),
            size,
            corner,
            "millimeter",
            inserts,
            phantom.NAMES,
            upright(size, corner),
            "hounsfield_unit",
        )
    path = Path(asked.path)
    if path.name.endswith((".nii", ".nii.gz")):
        image = read_nifti(path)
    elif path.suffix == ".npy":
        values = np.load(path, mmap_mode="r", allow_pickle=False)
        told = "an .npy file says nothing of places: --voxel-size, --corner and --unit do"
        image = Image(path.stem, values, tuple(asked.voxel_size), tuple(asked.corner), asked.unit, notes=(told,))
    else:
        told = "save a TIFF as one: numpy.save('image.npy', tifffile.imread('image.tif'))"
        raise SystemExit(f"{path}: this example reads .npy, .nii and .nii.gz; {told}")
    if image.values.ndim != 3 or 0 in image.values.shape:
        raise SystemExit(
            f"{path}: has the shape {image.values.shape}; this example takes three axes, none of them empty"
        )
    if image.values.dtype.kind not in "iuf":
        raise SystemExit(f"{path}: holds {image.values.dtype}; this example takes integers and floats")
    if asked.labels is not None:
        return labelled(image, Path(asked.labels))
    note = "no --labels were given, so objects are classes of intensity: " + ", ".join(CLASSES)
    return replace(image, labels=classes(image.values), objects=CLASSES, notes=(*image.notes, note))


# NIfTI ---------------------------------------------------------------------------------------------------------------


def read_nifti(path: Path) -> Image:
    """Return a NIfTI image with x to the right, y to the front and z up, placed by its affine."""
    try:
        import nibabel  # noqa: PLC0415  (only NIfTI files need it)
    except ImportError:
        raise SystemExit(
            f"{path}: reading NIfTI needs nibabel; uv run --with nibabel …, or pip install nibabel"
        ) from None
    return from_nibabel(path.name.removesuffix(".gz").removesuffix(".nii"), nibabel.load(path))


def from_nibabel(name: str, stored: Any) -> Image:
    """Return an image of nibabel with x to the right, y to the front and z up, placed by its affine."""
    from nibabel import as_closest_canonical  # noqa: PLC0415  (only NIfTI files need it)

    image = as_closest_canonical(stored)
    unit = image.header.get_xyzt_units()[0]
    values = np.asanyarray(image.dataobj)
    notes = ["x runs to the right, y to the front, z up (RAS+); OME-NGFF 0.5 cannot say so, the group's attributes do"]
    if unit == "unknown":
        notes.append("the file names no unit, so its numbers are taken as millimetres")
    if values.ndim > 3:
        notes.append(f"the file holds {values.shape[3:]} volumes; this is the first")
        values = values[(..., *([0] * (values.ndim - 3)))]
    turn = image.affine[:3, :3]
    size = np.linalg.norm(turn, axis=0)
    angle = float(np.degrees(np.arccos(np.clip((np.diag(turn) / size).min(), -1, 1))))
    if angle > 0.01:
        notes.append(
            f"the file's axes are turned by up to {angle:.1f} degrees; the turn is left out of the pyramid, with "
            "voxel 0 in place, and kept in the .mla file"
        )
    # An affine places the centre of voxel 0, in the order x, y, z.
    corner = image.affine[:3, 3] - size / 2
    back = tuple(float(s) for s in size[::-1]), tuple(float(c) for c in corner[::-1])
    attrs = {"nifti": {"orientation": "RAS+", "affine": image.affine.tolist()}}
    millimetres = {"micron": 0.001, "meter": 1000.0}.get(unit, 1.0)
    affine = np.diag([millimetres] * 3 + [1]) @ image.affine[:, [2, 1, 0, 3]]
    return Image(name, values.T, *back, NIFTI_UNITS[unit], affine=affine, notes=tuple(notes), attrs=attrs)


def upright(size: Floats, corner: Floats) -> Any:
    """Return the affine of a body that is placed in millimetres along z, y and x, without a turn.

    Examples
    --------
    >>> upright((3.0, 2.0, 1.0), (10.0, 20.0, 30.0)) @ (0, 0, 0, 1)
    array([30.5, 21. , 11.5,  1. ])
    """
    affine = np.zeros((4, 4))
    affine[[2, 1, 0], [0, 1, 2]] = size
    affine[[2, 1, 0, 3], 3] = [*(c + s / 2 for c, s in zip(corner, size, strict=True)), 1]
    return affine


# Objects -------------------------------------------------------------------------------------------------------------


def template() -> Image:
    """Return the MNI152 template of the brain that comes with nilearn, with its grey and its white matter."""
    try:
        from nilearn import datasets  # noqa: PLC0415  (only this needs it)
    except ImportError:
        raise SystemExit("the template comes with nilearn; uv run --with nilearn …, or pip install nilearn") from None
    image = from_nibabel("mni152", datasets.load_mni152_template(resolution=2))
    grey, white = (
        from_nibabel("", load(resolution=2)).values
        for load in (datasets.load_mni152_gm_template, datasets.load_mni152_wm_template)
    )
    labels = np.where(np.maximum(grey, white) > 0.5, np.where(grey > white, 1, 2), 0).astype("uint8")
    values = np.rint(255 * image.values).astype("uint8")
    return replace(image, values=values, labels=labels, objects=("grey matter", "white matter"))


def labelled(image: Image, path: Path) -> Image:
    """Return an image with the labels of a file on the same voxels: whole numbers from 0 to 255."""
    if path.suffix == ".npy":
        values = np.load(path, allow_pickle=False)
        same = values.shape == image.values.shape
    else:
        other = read_nifti(path)
        values = other.values
        # Files of two programs differ by rounding.
        near = image.affine is not None and np.allclose(other.affine, image.affine, atol=1e-3 * min(image.voxel_size))
        same = values.shape == image.values.shape and near
    if not same:
        raise SystemExit(f"{path}: labels have the shape and the places of the image; these do not")
    labels = values.astype("uint8")
    if not (labels == values).all():
        raise SystemExit(f"{path}: labels are whole numbers from 0 to 255; this file holds others")
    return replace(image, labels=labels, objects=tuple(f"label {n}" for n in range(1, int(labels.max()) + 1)))


def classes(values: Any) -> Any:
    """Return voxels by intensity, uint8: 0 background, then one for each of `CLASSES`, so that variances are least.

    Examples
    --------
    >>> classes(np.array([0, 10, 70, 80, 130, 140, 200, 210])).tolist()
    [0, 0, 1, 1, 2, 2, 3, 3]
    """
    finite = np.nan_to_num(np.asarray(values, "float64"), nan=-np.inf)
    known = finite[np.isfinite(finite)]
    if not known.size or known.min() == known.max():
        return np.zeros(finite.shape, "uint8")
    counts, edges = np.histogram(known, 1024, np.percentile(known, (0.2, 99.8)) if known.size > 1000 else None)
    places = (edges[:-1] + edges[1:]) / 2
    middles = np.linspace(places[0], places[-1], len(CLASSES) + 1)
    for _ in range(100):
        cuts = (middles[:-1] + middles[1:]) / 2
        which = np.digitize(places, cuts)
        sums, weights = (np.bincount(which, part, len(middles)) for part in (counts * places, counts))
        moved = np.where(weights > 0, sums / np.maximum(weights, 1), middles)
        if np.array_equal(moved, middles):
            break
        middles = moved
    return np.digitize(finite, (middles[:-1] + middles[1:]) / 2).astype("uint8")
