"""What tests of written stores share: trees as bytes, values that differ everywhere, documents as JSON."""

import json
from pathlib import Path

import numpy as np

VOXEL, CENTRE = (30.0, 8.0, 4.0), (100.0, 20.0, 6.0)
"""In nanometres (z, y, x): the corner is (85, 16, 4)."""


def tree(folder):
    """Every file below a folder as bytes, every folder and link by what it is; nothing is followed."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        else:
            found[name] = path.read_bytes() if path.is_file() else "folder"
    return found


def counted(shape, dtype="uint16"):
    """1, 2, 3, … in C order: no voxel is 0."""
    return np.arange(1, np.prod(shape, dtype=int) + 1).reshape(shape).astype(dtype)


def read_json(*path):
    return json.loads(Path(*path).read_text(encoding="utf-8"))


def write_json(path, document, **how):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, **how), encoding="utf-8")


def datasets(group):
    """The datasets of a group's first multiscale, of either format: name to (scale, translation), in order."""
    path = Path(group)
    document = path / ".zattrs"
    found = read_json(document) if document.exists() else read_json(path / "zarr.json")["attributes"]["ome"]
    entries = {}
    for each in found["multiscales"][0]["datasets"]:
        scale, translation = each["coordinateTransformations"]
        entries[each["path"]] = tuple(scale["scale"]), tuple(translation["translation"])
    return entries
