"""A first use of an installed worldarray-write: a pyramid is created, filled, added to and read back."""

import importlib.resources
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import worldarray as wa
from worldarray_write import WritablePyramid


def main() -> None:
    """Write voxels of 40 x 8 x 4 nm with their corner at (400, -80, 12), and a level of twice the size on y and x."""
    assert importlib.resources.files("worldarray_write").joinpath("py.typed").is_file()
    values = np.arange(4 * 6 * 10, dtype="uint16").reshape(4, 6, 10)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "em.zarr")
        vol = wa.create(path / "s0", values.shape, "uint16", (40, 8, 4), (420, -76, 14), chunks=(2, 3, 5))
        for block in vol.blocks():
            vol.write_index(block.begin, block.end, values[tuple(map(slice, block.begin, block.end))])
        pyramid = wa.open_pyramid(path, mode="r+")
        assert isinstance(pyramid, WritablePyramid)
        level = pyramid.add_level("s1", factors=(1, 2, 2))
        level.write(level.box, vol.read(vol.box, voxel_size=level.voxel_size, method="linear"))
        found = wa.open(path, voxel_size=(40, 16, 8))
        assert found.corner == (400.0, -80.0, 12.0)
        # The mean of voxels (0, 0..1, 0..1): 0, 1, 10 and 11 are 5.5 on average, and halves go to the even.
        assert found.read_index((0, 0, 0), (1, 1, 1)).tolist() == [[[6]]]
        np.testing.assert_array_equal(wa.open(path, level="s0").read(vol.box), values)
        answer = subprocess.run(["worldarray", "info", str(path), "--json"], check=True, capture_output=True, text=True)
        json.loads(answer.stdout)
    print("worldarray-write: first use passed")


if __name__ == "__main__":
    main()
