"""Batches of patches at three voxel sizes, against a loop of tensorstore written by hand and the public peer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import tensorstore
import torch
import volumes
from harness import Goal, Line, Timer, timer
from torch.utils.data import DataLoader

import miao

BATCH: Final = 4
_LEAST_PASS: Final = 16
"""Batches of a pass: what fills a pipeline is a small part of it."""
Pass = Callable[["_Order"], Iterable[Any]]
_SAYS: Final = (
    "tensorstore by hand: the reads of a batch in one tensorstore.Batch, cast to float32 and divided into one tensor; "
    "the image alone"
)


def lines(root: Path, *, quick: bool) -> Iterator[Line]:
    """Yield loaders over a volume that is decoded once, and over one whose chunks are decoded for each read."""
    small, large = (400, 416) if quick else (512, 1024)
    for edge, kind, cache, goals in (
        (large, "zarr3", 0, (1.4, 1.6)),
        (small, "zarr2", 1 << 30, (2.1, 3.3)),
    ):
        path = volumes.volume(root, edge, kind)
        what = f"{edge}^3 {kind}, " + ("decoded in the cache" if cache else "not cached")
        config = volumes.config(path, cache_bytes=cache)
        warm = 3 if quick or not cache else 120
        yield _line(f"DataLoader, no workers: {what}", config, _stock, Goal(gain=goals[0]), warm)
        yield _line(f"miao.loader: {what}", config, _pipeline, Goal(1 / 0.85, gain=goals[1]), warm)
    large_path = volumes.volume(root, large, "zarr3")
    deferred = volumes.config(large_path, cache_bytes=0, defer_image_ops=True)
    yield _line("two workers, deferred uint8, not cached", deferred, _workers, Goal(gain=1.4), 3, workers=2)
    small_path = volumes.volume(root, small, "zarr2")
    resampled = volumes.config(small_path, (12, 24, 48), cache_bytes=1 << 30)
    yield _line("resampling 96^3 to 64^3, decoded, DataLoader", resampled, _stock, Goal(gain=1.4), 3 if quick else 120)
    yield _line("resampling 96^3 to 64^3, decoded, miao.loader", resampled, _pipeline, Goal(), 3 if quick else 120)


def _line(
    what: str,
    config: dict[str, Any],
    make: Callable[[Any], Pass],
    goal: Goal,
    warm: int,
    *,
    workers: int = 0,
) -> Line:
    dataset = miao.VolumeDataset({**config, "seed": 0}, verbose=False)
    ours, by_hand = _drained(make(dataset)), _by_hand(config)
    ours(warm)
    for _ in range(warm):
        next(by_hand)
    # The peer is held to what it does without workers, whatever ours has.
    peer_config = {key: value for key, value in config.items() if not (workers and key == "defer_image_ops")}
    job = {"op": "batches", "config": peer_config, "batch": BATCH, "warm": warm}
    return Line(what, timer(lambda: next(by_hand)), ours, goal, _SAYS, job)


def _drained(batches: Pass) -> Timer:
    """Return the timer of passes that begin with nothing under way and end with nothing: no work falls outside it."""
    order = _Order()

    def timed(count: int) -> float:
        order.take(max(count, _LEAST_PASS) * BATCH)
        start = time.perf_counter()
        found = sum(1 for _ in batches(order))
        return (time.perf_counter() - start) / found

    return timed


class _Order:
    """The indices of the next pass: each pass goes on where the one before ended."""

    def __init__(self) -> None:
        self._indices = range(0)

    def take(self, count: int) -> None:
        self._indices = range(self._indices.stop, self._indices.stop + count)

    def __iter__(self) -> Iterator[int]:
        return iter(self._indices)

    def __len__(self) -> int:
        return len(self._indices)


def _stock(dataset: Any) -> Pass:
    return lambda order: DataLoader(dataset, batch_size=BATCH, sampler=order, num_workers=0)


def _pipeline(dataset: Any) -> Pass:
    return lambda order: miao.loader(dataset, batch_size=BATCH, sampler=order)


def _workers(dataset: Any) -> Pass:
    """Two workers that outlive a pass: starting them is no part of it."""
    kept: list[Any] = []

    def batches(order: _Order) -> Iterable[Any]:
        if not kept:
            loader = DataLoader(
                dataset,
                batch_size=BATCH,
                sampler=order,
                num_workers=2,
                persistent_workers=True,
                collate_fn=miao.collate_deferred,
                multiprocessing_context="forkserver",
            )
            kept.append(loader)
        return kept[0]  # type: ignore[no-any-return]

    return batches


def _by_hand(config: dict[str, Any]) -> Iterator[Any]:
    """Yield the batches that a loop without any of the package would make."""
    context = tensorstore.Context({"cache_pool": {"total_bytes_limit": config["cache_bytes"]}})
    entry = config["volumes"][0]
    levels = [
        tensorstore.open(
            {
                "driver": entry["zarr_version"].replace("zarr2", "zarr"),
                "kvstore": f"file://{entry['path']}/{entry['image_key']}/s{level}/",
            },
            context=context,
        ).result()
        for level in range(volumes.LEVELS)
    ]
    sizes = [-(-64 * scale[0] // (8 << level)) for level, scale in enumerate(config["resolutions"])]
    random = np.random.default_rng(0)
    while True:
        futures = []
        with tensorstore.Batch() as batch:
            for _ in range(BATCH):
                for level, size in zip(levels, sizes, strict=True):
                    low = [int(random.integers(0, extent - size + 1)) for extent in level.shape]
                    window = tuple(slice(a, a + size) for a in low)
                    futures.append(level[window].read(batch=batch))
        out = torch.empty((BATCH, len(levels), 1, 64, 64, 64))
        for index, future in enumerate(futures):
            crop = torch.from_numpy(future.result())
            slot = out[index // len(levels), index % len(levels), 0]
            if sizes[index % len(levels)] == 64:
                torch.mul(crop, 1 / 255, out=slot)
            else:
                wide = crop[None, None].float()
                slot.copy_(torch.nn.functional.interpolate(wide, (64,) * 3, mode="trilinear")[0, 0] / 255)
        yield out
