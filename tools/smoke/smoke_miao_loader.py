"""A first use of an installed miao-loader: a batch of patches at two voxel sizes, from a pyramid that it makes."""

import importlib.resources
import sys

import miao
from miao.demo import demo_config


def main() -> None:
    """Draw two samples, and read the values that a formula gives."""
    assert importlib.resources.files("miao").joinpath("py.typed").is_file()
    assert not {"torch", "tensorstore", "pydantic"} & sys.modules.keys()
    with demo_config() as fields:
        dataset = miao.VolumeDataset(fields, seed=1, verbose=False)
        batch = next(iter(miao.loader(dataset, batch_size=2)))
    assert tuple(batch["img"].shape) == (2, 2, 1, 8, 8, 8)
    # A voxel of level 0 is (z + y + x) % 251 of its index, over 255; the window begins at centre - 4.
    first = sum(int(batch["meta"]["coordinate"][axis][0]) - 4 for axis in range(3))
    assert round(float(batch["img"][0, 0, 0, 0, 0, 0]) * 255) == first % 251
    print("miao-loader works")


if __name__ == "__main__":
    main()
