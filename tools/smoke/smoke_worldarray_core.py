"""A first use of an installed worldarray-core: a store made without it, looked at and read."""

import importlib.resources
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import worldarray as wa


def make_store(root: Path) -> np.ndarray:
    """Write an OME-NGFF 0.4 group with one level: (z, y, x) voxels of 40 x 8 x 4 nm, the corner of the first at 0."""
    values = np.arange(3 * 4 * 5, dtype="<u2").reshape(3, 4, 5)
    level = root / "s0"
    level.mkdir(parents=True)
    transforms = [{"type": "scale", "scale": [40, 8, 4]}, {"type": "translation", "translation": [20, 4, 2]}]
    multiscale = {
        "version": "0.4",
        "axes": [{"name": name, "type": "space", "unit": "nanometer"} for name in "zyx"],
        "datasets": [{"path": "s0", "coordinateTransformations": transforms}],
    }
    array = {"zarr_format": 2, "shape": [3, 4, 5], "chunks": [3, 4, 5], "dtype": "<u2", "fill_value": 0, "order": "C"}
    root.joinpath(".zgroup").write_text(json.dumps({"zarr_format": 2}))
    root.joinpath(".zattrs").write_text(json.dumps({"multiscales": [multiscale]}))
    level.joinpath(".zarray").write_text(json.dumps({**array, "compressor": None, "filters": None}))
    level.joinpath("0.0.0").write_bytes(values.tobytes())
    return values


def main() -> None:
    """Read the voxels 1 to 3 of each axis by their box in nanometres, and run the command line."""
    assert importlib.resources.files("worldarray").joinpath("py.typed").is_file()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "em.zarr")
        values = make_store(path)
        block = wa.open(path, level="s0").read(((40, 8, 4), (120, 24, 12)))
        np.testing.assert_array_equal(block, values[1:3, 1:3, 1:3])
        subprocess.run(["worldarray", "info", str(path)], check=True)
        answer = subprocess.run(["worldarray", "info", str(path), "--json"], check=True, capture_output=True, text=True)
        json.loads(answer.stdout)
        subprocess.run(["worldarray", "demo"], check=True)
    print("worldarray-core: first use passed")


if __name__ == "__main__":
    main()
