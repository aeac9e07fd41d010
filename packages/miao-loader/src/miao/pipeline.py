"""Batches without worker processes: reads of the next ones are under way while one is finished and used."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from miao.arguments import mapping_of, whole_number
from miao.errors import ArgumentError, ArgumentTypeError
from miao.finish.collating import collate, collate_deferred
from miao.finish.deferred import augmented, finish_images
from miao.finish.devices import device_of

if TYPE_CHECKING:
    from miao.dataset import Started, VolumeDataset

Batch = dict[str, Any]


def loader(
    dataset: VolumeDataset,
    batch_size: int = 1,
    *,
    prefetch: int = 2,
    device: Any = None,
    sampler: Iterable[int] | None = None,
    drop_last: bool = False,
    augment_fn: Any = None,
) -> Loader:
    """Return an iterable over the batches of an epoch, read and finished ahead in this process.

    In place of a DataLoader with workers: nothing is copied between processes, there is one cache of chunks, and
    nothing is forked.

    Parameters
    ----------
    dataset
        A `VolumeDataset`.
    batch_size
        Samples of a batch.
    prefetch
        Twice as many batches are read or finished ahead, beside the one that is taken next.
    device
        Where the tensors of a batch are moved to, "cuda" say; None leaves them. With ``defer_image_ops`` images are
        finished there.
    sampler
        The indices of an epoch, in order, gone through anew for each; by default all, from first to last.
    drop_last
        Leave out a last batch that is not full.
    augment_fn
        With ``defer_image_ops``: what `finish_images` calls with each finished sample.

    Raises
    ------
    ArgumentError
        A count is too small, there is no such device, the sampler can be gone through only once, or augment_fn is
        given without ``defer_image_ops``.
    ArgumentTypeError
        The dataset is another one, a Subset say.

    Examples
    --------
    >>> import miao
    >>> from miao.demo import demo_config
    >>> with demo_config() as config:
    ...     dataset = miao.VolumeDataset(config, seed=0, verbose=False)
    ...     [tuple(batch["img"].shape) for batch in miao.loader(dataset, batch_size=3)]
    [(3, 2, 1, 8, 8, 8), (1, 2, 1, 8, 8, 8)]
    """
    return Loader(
        _volume_dataset(dataset),
        whole_number(batch_size, "batch_size", 1),
        prefetch=whole_number(prefetch, "prefetch", 1),
        device=None if device is None else device_of(device),
        sampler=_checked_sampler(sampler),
        drop_last=drop_last,
        augment_fn=augment_fn,
    )


class Loader:
    """The batches of an epoch, gone through any number of times; `loader` makes one."""

    def __init__(
        self,
        dataset: VolumeDataset,
        batch_size: int,
        *,
        prefetch: int,
        device: Any,
        sampler: Iterable[int] | None,
        drop_last: bool,
        augment_fn: Any,
    ) -> None:
        self.dataset = dataset
        self.batch_size = batch_size
        self.prefetch = prefetch
        self.device = device
        self.drop_last = drop_last
        self._sampler = sampler
        self._augment = augment_fn
        self._position = 0
        self._resume = 0
        self._deferred = bool(dataset.config.defer_image_ops)
        if augment_fn is not None and not self._deferred:
            raise ArgumentError(
                "augment_fn of the loader is for defer_image_ops; otherwise give it to the dataset",
                code="conflict",
                at=("augment_fn",),
            )

    def __len__(self) -> int:
        """Batches of an epoch."""
        sized = hasattr(self._sampler, "__len__")
        count = len(self._sampler) if sized else len(self._indices())  # type: ignore[arg-type]  # as was seen
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)

    def __iter__(self) -> Iterator[Batch]:
        """Yield the batches of one epoch; after `load_state_dict`, those that were left of it."""
        skipped, self._resume = self._resume, 0
        self._position = skipped
        run = _Run(self, islice(self._batches(), skipped, None))
        try:
            for batch in run:
                self._position += 1
                yield batch
        finally:
            run.stop()
        self._position = 0

    def state_dict(self) -> dict[str, Any]:
        """Return where in which epoch this is: batches that were yielded so far."""
        return {"dataset": self.dataset.state_dict(), "batch_size": self.batch_size, "position": self._position}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on behind the batch that was yielded last when the state was taken.

        Raises
        ------
        ArgumentError
            It is no state of a loader, or one of batches of another size, of another seed, or of more batches.
        """
        state = mapping_of(state, "state")
        if state.get("batch_size") != self.batch_size:
            raise ArgumentError(
                f"the state is of batches of {state.get('batch_size')!r} and these have {self.batch_size}",
                code="conflict",
                at=("state", "batch_size"),
            )
        for key in ("dataset", "position"):
            if key not in state:
                raise ArgumentError(
                    f"the state has no {key!r}; give what state_dict returned", code="missing_key", at=("state", key)
                )
        position = whole_number(state["position"], "position", 0, len(self))
        self.dataset.load_state_dict(state["dataset"])
        self._resume = position

    def _indices(self) -> list[int] | range:
        return range(len(self.dataset)) if self._sampler is None else list(self._sampler)

    def _batches(self) -> Iterator[list[int]]:
        """Yield the indices of each batch; those of a long epoch are not all held."""
        indices = self._indices()
        size = self.batch_size
        end = len(indices) // size * size if self.drop_last else len(indices)
        for first in range(0, end, size):
            yield list(indices[first : first + size])

    @property
    def augments(self) -> bool:
        """Whether samples are augmented after they were finished."""
        return self._augment is not None or self.dataset.augments

    def finished(self, started: Started) -> Any:
        """Return what a thread makes of reads that were started: nothing is drawn."""
        samples = self.dataset.finished(started)
        if self._deferred:
            batch = collate_deferred(samples)
            return batch["deferred"], finish_images(batch, device=self.device or "cpu")
        return samples if self.augments else self._whole(samples)

    def taken(self, started: Started, made: Any) -> Batch:
        """Return the batch of what `finished` returned, augmented by the thread that takes it."""
        if self._deferred:
            rules, batch = made
            return batch if self._augment is None else augmented(batch, rules, self._augment)
        return self._whole(self.dataset.augmented(started, made)) if self.augments else made

    def _whole(self, samples: list[dict[str, Any]]) -> Batch:
        batch = collate(samples)
        return batch if self.device is None else _moved(batch, self.device)


class _Run:
    """One pass over batches: the thread that takes them plans and augments, another one waits for reads and finishes.

    So draws from numpy's global generator come in one order, whatever else that thread draws between batches. Stopping
    leaves nothing running.
    """

    def __init__(self, owner: Loader, batches: Iterator[list[int]]) -> None:
        self._owner = owner
        self._waiting = batches
        self._started: queue.SimpleQueue[Started | None] = queue.SimpleQueue()
        self._made: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._ahead = 0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, name="miao-loader", daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[Batch]:
        self._start()
        while self._ahead:
            item = self._made.get()
            self._ahead -= 1
            if isinstance(item, BaseException):
                raise item
            self._start()
            yield self._owner.taken(*item)

    def stop(self) -> None:
        """Stop the thread, whether or not every batch was taken, and wait for it."""
        self._stopped.set()
        self._started.put(None)
        self._thread.join()

    def _start(self) -> None:
        """Plan batches and issue their reads, until as many are ahead as there may be."""
        while self._ahead <= 2 * self._owner.prefetch:
            indices = next(self._waiting, None)
            if indices is None:
                return
            self._started.put(self._owner.dataset.start(indices))
            self._ahead += 1

    def _work(self) -> None:
        while (started := self._started.get()) is not None and not self._stopped.is_set():
            try:
                self._made.put((started, self._owner.finished(started)))
            except BaseException as error:  # noqa: BLE001  (raised again where batches are taken)
                self._made.put(error)


def _moved(batch: Batch, device: Any) -> Batch:
    """Return the batch with its tensors on a device; copies to an accelerator start from pinned memory."""
    import torch

    pinned = torch.cuda.is_available() and torch.device(device).type == "cuda"
    return {
        key: (value.pin_memory() if pinned else value).to(device, non_blocking=pinned)
        if isinstance(value, torch.Tensor)
        else value
        for key, value in batch.items()
    }


def _volume_dataset(dataset: Any) -> VolumeDataset:
    from miao.dataset import VolumeDataset  # noqa: PLC0415  (with torch)

    if isinstance(dataset, VolumeDataset):
        return dataset
    raise ArgumentTypeError(
        f"dataset is {type(dataset).__name__}; a loader reads one VolumeDataset: give sampler=subset.indices for "
        "a part of it, and several datasets to torch's DataLoader",
        code="wrong_type",
        at=("dataset",),
    )


def _checked_sampler(sampler: Any) -> Iterable[int] | None:
    """Refuse what cannot be gone through anew for each epoch."""
    if sampler is None:
        return None
    if not hasattr(sampler, "__iter__") or isinstance(sampler, (str, bytes)):
        raise ArgumentTypeError(
            f"sampler is {sampler!r}; give the indices of an epoch, in order", code="wrong_type", at=("sampler",)
        )
    if isinstance(sampler, Iterator):
        raise ArgumentTypeError(
            f"sampler is {type(sampler).__name__}, which can be gone through once; give a list, or an object that "
            "begins anew for each epoch",
            code="wrong_type",
            at=("sampler",),
        )
    return sampler  # type: ignore[no-any-return]  # it has been seen to be iterable
