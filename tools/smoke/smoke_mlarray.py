"""A first use of an installed mlarray: an image is saved with its patient geometry, and a patch of it read back."""

import importlib.resources
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from mlarray import MLArray


def main() -> None:
    """Save voxels of 2.5 x 0.7 x 0.6 mm, and read a patch that reaches beyond them."""
    assert importlib.resources.files("mlarray").joinpath("py.typed").is_file()
    assert "blosc2" not in sys.modules
    values = np.arange(4 * 5 * 6, dtype="int16").reshape(4, 5, 6)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scan.mla")
        array = MLArray(values, space="patient", spacing=(2.5, 0.7, 0.6), origin=(-170, -201, -87), values={"fill": -1})
        array.save(path)
        with MLArray.open(path) as found:
            assert found.letter_codes() == "SPL"
            # x = 0.6 * 5 - 170, y = 0.7 * 0 - 201, z = 2.5 * 2 - 87
            assert found.index_to_space((2, 0, 5)).tolist() == [-167.0, -201.0, -82.0]
            # 30 z + 6 y + x is 119 at the last voxel; the rest of the patch is the fill.
            assert found.read_patch((3, 4, 5), (1, 1, 2)).tolist() == [[[119, -1]]]
        shown = subprocess.run(["mlarray_header", str(path)], check=True, capture_output=True, text=True).stdout
        assert json.loads(shown)["spaces"][0]["name"] == "patient"
    print("mlarray works")


if __name__ == "__main__":
    main()
