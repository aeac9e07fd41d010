"""Random patches of .mla files for training with PyTorch, read by worker processes; other patches in every epoch.

    uv run --with torch docs/examples/patches_torch.py scans/*.mla --size 64 64 64 --workers 4
    uv run --with torch docs/examples/patches_torch.py --start-method spawn

Without files it makes three of its own, in a folder that is gone afterwards.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from mlarray import MLArray
from mlarray.errors import MLArrayError

Key = tuple[int, int]
"""An epoch, and the number of a patch in it."""


class Patches:
    """A data set of random patches, as a DataLoader takes it: `dataset[epoch, number]` is always the same patch.

    Where a patch lies follows from seed, epoch and number alone, so it does not matter which worker reads it, how many
    there are, and how they were started. Nothing is open between two patches: opening a file takes a fraction of a
    millisecond, an open one holds a file descriptor, and so there may be any number of files.
    """

    def __init__(
        self,
        images: Sequence[str | Path],
        size: Sequence[int],
        *,
        labels: Sequence[str | Path] | None = None,
        per_image: int = 8,
        seed: int = 0,
    ) -> None:
        """Look at the headers of the files.

        Parameters
        ----------
        images
            Paths of .mla files.
        size
            Of a patch along the axes of type space, or along every axis of files that have none; the other axes, such
            as channels, are read whole.
        labels
            The files with the labels of the images, on the same voxels.
        per_image
            How many patches of each image make an epoch.
        seed
            Another one gives other patches.
        """
        self.images, self.labels = [str(path) for path in images], [str(path) for path in labels or ()]
        self.size, self.per_image, self.seed = tuple(size), per_image, seed
        self.shapes = [spatial_shape(path, len(self.size)) for path in self.images]
        if labels is not None and [spatial_shape(path, len(self.size)) for path in self.labels] != self.shapes:
            raise ValueError("images and labels do not have the same shapes, one by one")

    def __len__(self) -> int:
        """Return how many patches make an epoch."""
        return len(self.images) * self.per_image

    def __getitem__(self, key: Key) -> dict[str, Any]:
        """Return a patch: the image as physical values in float32, its labels as int64, and where it is from."""
        epoch, number = key
        which = number // self.per_image
        generator = np.random.default_rng((self.seed, epoch, number))
        # Where an image is smaller than the patch, the patch reaches beyond it: what is outside is values.fill.
        room = [n - p for n, p in zip(self.shapes[which], self.size, strict=True)]
        start = [int(generator.integers(min(0, free), max(0, free), endpoint=True)) for free in room]
        found = {
            "image": read(self.images[which], start, self.size, physical=True),
            "file": which,
            "start": np.array(start),
        }
        if self.labels:
            found["label"] = read(self.labels[which], start, self.size, physical=False)
        return found


class Epochs:
    """The keys of a data set in random order, those of the next epoch each time: the sampler of a DataLoader.

    Workers learn the epoch with every key, so that they may live on from one epoch to the next.
    """

    def __init__(self, dataset: Patches, epoch: int = 0) -> None:
        """Begin with an epoch."""
        self.dataset, self.epoch = dataset, epoch

    def __len__(self) -> int:
        return len(self.dataset)

    def __iter__(self) -> Iterator[Key]:
        epoch, self.epoch = self.epoch, self.epoch + 1
        order = np.random.default_rng((self.dataset.seed, epoch)).permutation(len(self.dataset))
        return ((epoch, int(number)) for number in order)


def spatial_shape(path: str, ndim: int) -> tuple[int, ...]:
    """Return the size of a file along the axes that patches have."""
    with MLArray.open(path) as array:
        along = spatial(array)
        if len(along) != ndim:
            raise ValueError(f"{path} has {len(along)} spatial axes, and the patch {ndim}")
        return tuple(array.shape[axis] for axis in along)


def spatial(array: MLArray) -> list[int]:
    """Return the positions of the axes of type space; of all axes, where none is."""
    types = array.meta.axis_types
    return [axis for axis, kind in enumerate(types) if kind == "space" or "space" not in types]


def read(path: str, start: Sequence[int], size: Sequence[int], *, physical: bool) -> Any:
    """Return a patch over the spatial axes of a file; the other axes whole."""
    with MLArray.open(path) as array:
        begin, length = [0] * array.ndim, list(array.shape)
        for axis, first, count in zip(spatial(array), start, size, strict=True):
            begin[axis], length[axis] = first, count
        stored = array.read_patch(begin, length)
        if not physical:
            return stored.astype(np.int64)
        values = array.meta.values
        return stored.astype(np.float32) * np.float32(values.scale) + np.float32(values.offset)


def loader(dataset: Patches, batch_size: int, workers: int, start_method: str | None) -> Any:
    """Return a DataLoader; with workers, they are started once and read two batches each ahead."""
    from torch.utils.data import DataLoader  # it takes a moment

    more = {"multiprocessing_context": start_method, "persistent_workers": True} if workers else {}
    return DataLoader(dataset, batch_size, sampler=Epochs(dataset), num_workers=workers, **more)


def demo(folder: Path) -> list[Path]:
    """Make three scans of different sizes, cut for patches of 32."""
    generator = np.random.default_rng(0)
    paths = []
    for number, shape in enumerate([(60, 90, 80), (40, 100, 70), (30, 80, 110)]):
        values = generator.normal(40, 12, shape).astype("int16")
        path = folder / f"scan{number}.mla"
        MLArray(values, space="patient", spacing=(2.5, 0.7, 0.8), patch_size=32, values={"fill": -1024}).save(path)
        paths.append(path)
    return paths


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    lines = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    lines.add_argument("images", metavar="FILE", nargs="*", help=".mla files (default: three that are made)")
    lines.add_argument("--labels", metavar="FILE", nargs="+", help="the .mla files of their labels, in the same order")
    lines.add_argument("--size", type=int, nargs="+", default=[32, 32, 32], metavar="N", help="of a patch, per axis")
    lines.add_argument("--per-image", type=int, default=16, metavar="N", help="patches of an image in an epoch")
    lines.add_argument("--batch-size", type=int, default=4, metavar="N")
    lines.add_argument("--workers", type=int, default=2, metavar="N", help="processes that read (0: this one)")
    lines.add_argument("--start-method", choices=["fork", "forkserver", "spawn"], help="default: that of torch")
    lines.add_argument("--epochs", type=int, default=2, metavar="N")
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example; return the exit status."""
    asked = parser().parse_args(arguments)
    with ExitStack() as stack:
        images = asked.images or demo(Path(stack.enter_context(tempfile.TemporaryDirectory())))
        try:
            dataset = Patches(images, asked.size, labels=asked.labels, per_image=asked.per_image)
        except (MLArrayError, ValueError, OSError) as error:
            print(error, file=sys.stderr)
            return 1
        batches = loader(dataset, asked.batch_size, asked.workers, asked.start_method)
        for epoch in range(asked.epochs):
            began, count, total = time.perf_counter(), 0, 0.0
            for batch in batches:
                count, total = count + len(batch["image"]), total + float(batch["image"].mean()) * len(batch["image"])
            rate = count / (time.perf_counter() - began)
            shape = " x ".join(map(str, batch["image"].shape[1:]))
            print(f"epoch {epoch}: {count} patches of {shape}, mean {total / count:.2f}, {rate:.0f} a second")
    return 0


if __name__ == "__main__":
    sys.exit(main())
