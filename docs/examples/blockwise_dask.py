"""Downsample a volume into a new level of its pyramid with dask.distributed, on this machine or on a cluster.

    uv run docs/examples/blockwise_dask.py em.zarr s1
    uv run docs/examples/blockwise_dask.py em.zarr s1 --scheduler tcp://10.0.0.1:8786

Run it again after it was stopped, however that came about: it does the blocks that are not stored yet.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from math import prod
from typing import Any

import numpy as np

import worldarray as wa


@dataclass(frozen=True)
class Job:
    """What every block of a run has in common; it pickles, and each process opens the arrays for itself."""

    source: wa.WorldArray
    level: Any
    """The new level, opened for writing."""
    factors: tuple[int, ...]
    """How many source voxels make one voxel of the level, along each axis."""

    def run(self, number: int) -> int:
        """Compute and store block `number` of the level: one whole write unit, so that no lock is needed.

        The block needs source voxels beyond its own: half a target voxel more on each side, because weights reach
        that far. Past the faces of the volume the border is repeated.
        """
        units = [unit * factor for unit, factor in zip(self.level.write_shape, self.factors, strict=True)]
        context = [reach(factor) for factor in self.factors]
        source = self.source.blocks(units, context=context, clip=False)[number]
        target = self.level.blocks()[number]
        # The last block of an axis may cover a part of a target voxel; its read box is made whole.
        end = [e * factor + c for e, factor, c in zip(target.end, self.factors, context, strict=True)]
        values = self.source.read_index(source.read_begin, end, padding="edge")
        self.level.write_index(target.begin, target.end, shrink(values, self.factors))
        return number

    def missing(self) -> list[int]:
        """Return the numbers of the blocks that are not stored.

        A unit appears in storage with one put, whole or not at all, and the level stores units of nothing but fill
        as well, so that what is listed is what is done.
        """
        stored = set(self.level.list_chunks())
        return [block.id for block in self.level.blocks() if block.index not in stored]


def prepare(path: str, name: str, source: str | int, factors: Sequence[int] | None) -> Job:
    """Return the job of making a level; the level is created, or opened where an earlier run created it."""
    pyramid = wa.open_pyramid(path, mode="r+", units=None)
    finer = wa.open(path, level=source, units=None)
    if factors is None:
        factors = wa.level_factors(finer.voxel_size, max_levels=1)[0]
    # Without store_fill a block of nothing but fill would leave no trace, and be computed again by every run.
    level = pyramid.add_level(name, factors, from_level=finer.level_name, exists="adopt", store_fill=True)
    along = dict(zip(finer.spatial, factors, strict=True))
    return Job(finer, level, tuple(along.get(axis, 1) for axis in range(finer.ndim)))


def in_worker(job: Job) -> Job:
    """Return the job with arrays that use one thread each: there is one worker process for each core."""
    return Job(job.source.reopen(wa.capped_context()), job.level.reopen(wa.capped_context()), job.factors)


# The weights ---------------------------------------------------------------------------------------------------------


def weights(factor: int) -> list[int]:
    """Return how much each source voxel counts for a target voxel: the most in the middle, and some beyond its faces.

    They are symmetric about the middle of the target voxel, so nothing moves.

    Examples
    --------
    >>> weights(1), weights(2), weights(3), weights(4)
    ([1], [1, 2, 2, 1], [1, 2, 3, 2, 1], [1, 2, 3, 4, 4, 3, 2, 1])
    """
    rising = list(range(1, factor + 1))
    return rising + rising[::-1][factor % 2 :]


def reach(factor: int) -> int:
    """Return how many source voxels beyond a target voxel count for it, on each side.

    Examples
    --------
    >>> [reach(factor) for factor in (1, 2, 3, 4)]
    [0, 1, 1, 2]
    """
    return (len(weights(factor)) - factor) // 2


def shrink(values: Any, factors: Sequence[int]) -> Any:
    """Return weighted means of an array that has `reach` voxels more than whole target voxels on each side.

    Examples
    --------
    >>> shrink(np.array([0, 0, 60, 60, 0, 0], "uint8"), (2,))
    array([30, 30], dtype=uint8)
    """
    sums = values.astype(np.float64)
    for axis, factor in enumerate(factors):
        taps = weights(factor)
        count = (sums.shape[axis] - len(taps)) // factor + 1
        parts = [slice(k, k + (count - 1) * factor + 1, factor) for k in range(len(taps))]
        before = (slice(None),) * axis
        sums = sum(weight * sums[(*before, part)] for weight, part in zip(taps, parts, strict=True))
    means = sums / prod(sum(weights(factor)) for factor in factors)
    return (np.rint(means) if values.dtype.kind in "iu" else means).astype(values.dtype)


# Running -------------------------------------------------------------------------------------------------------------


def run(client: Any, job: Job, numbers: Sequence[int]) -> None:
    """Run the blocks of a job on a cluster; a few per thread are handed out at a time, however many there are."""
    from distributed import as_completed  # noqa: PLC0415  (it takes a moment)

    shared = client.submit(in_worker, job)
    waiting = iter(numbers)
    threads = sum(client.nthreads().values())

    def hand_out(count: int) -> list[Any]:
        return [client.submit(Job.run, shared, number, pure=False) for number in islice(waiting, count)]

    running = as_completed(hand_out(4 * threads))
    bar = Bar(len(numbers))
    for future in running:
        future.result()
        bar.step()
        running.update(hand_out(1))


class Bar:
    """A progress bar: redrawn on a terminal, ten lines in a log."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.started = total, 0, time.perf_counter()

    def step(self) -> None:
        """Count one block."""
        self.done += 1
        terminal = sys.stdout.isatty()
        if terminal or self.done * 10 // self.total > (self.done - 1) * 10 // self.total:
            rate = self.done / (time.perf_counter() - self.started)
            hashes = "#" * (30 * self.done // self.total)
            line = f"  [{hashes:30}] {self.done} of {self.total} blocks, {rate:.0f} a second"
            print(
                f"\r{line} " if terminal else line, end="" if terminal and self.done < self.total else "\n", flush=True
            )


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    lines = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    lines.add_argument(
        "path", metavar="PYRAMID", help="an OME-Zarr group: a local path that every worker sees, s3:// or gs://"
    )
    lines.add_argument("level", metavar="LEVEL", help="the level to make, such as s1")
    lines.add_argument(
        "--source", metavar="LEVEL", default=0, help="the level it is made from (default: the first listed)"
    )
    lines.add_argument(
        "--factors",
        nargs="+",
        type=int,
        metavar="N",
        help="one per spatial axis (default: 2 where voxels are smallest)",
    )
    where = lines.add_mutually_exclusive_group()
    where.add_argument("--scheduler", metavar="ADDRESS", help="a running dask scheduler")
    where.add_argument("--workers", type=int, metavar="N", help="processes on this machine (default: one per core)")
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example; return the exit status."""
    from distributed import Client, LocalCluster  # noqa: PLC0415  (it takes a moment)

    asked = parser().parse_args(arguments)
    try:
        job = prepare(asked.path, asked.level, asked.source, asked.factors)
        numbers = job.missing()
        total = len(job.level.blocks())
        print(f"{job.source.level_path} by {' x '.join(map(str, job.factors))} to {job.level.level_path}:")
        print(f"  {total - len(numbers)} of {total} blocks are stored already")
        if not numbers:
            return 0
        if asked.scheduler:
            with Client(asked.scheduler) as client:
                run(client, job, numbers)
            return 0
        # Processes, started anew (dask's default): tensorstore ends a process that was forked after using it.
        cluster = LocalCluster(n_workers=asked.workers, threads_per_worker=1, processes=True, dashboard_address=None)
        with cluster, Client(cluster) as client:
            run(client, job, numbers)
    except (wa.errors.WorldArrayError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
