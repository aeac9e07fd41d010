"""VolumeDataset: samples of many volumes, drawn as a configuration says. Planned, read, finished; thin."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
import torch.utils.data  # noqa: TID253  (the class is one of torch's datasets)

from miao.augmenting import Augmentation, resolve
from miao.config.loading import as_config
from miao.errors import ArgumentError, ArgumentTypeError, SampleIndexError
from miao.finish.assembling import finish_sample, shapes
from miao.finish.collating import Batch
from miao.finish.deferred import defer_sample
from miao.reading.execute import Pending, RawSample, start_reads
from miao.reading.runtime import Levels, ReadSettings
from miao.sampling.sampler import Sampler
from miao.sampling.seeds import reseeded, sample_rng
from miao.summary import summary
from miao.tables import PlanTables
from miao.volumes.describe import describe
from miao.warn import warn_notices

if TYPE_CHECKING:
    from miao.config.models import MiaoConfig
    from miao.records import SamplePlan, Scale, VolumeInfo
    from miao.sampling.sequential import Grid

Sample = dict[str, Any]


class VolumeDataset(torch.utils.data.Dataset[Sample]):
    """Patches of many volumes, at one or several voxel sizes, images and labels together.

    Making one reads the documents of its stores alone, so a DataLoader may fork its workers. Each sample is a dict:

    - ``img``: axes as ``output_axes``, of ``image_dtype``
    - ``label``: the same without c, one integer dtype for the whole dataset; empty where the volume has no labels
    - ``bbox``: float32 (L, 2, N): world positions of the first voxel that was read and of the one past the last
    - ``pixel_size``: float32 (L, N): the voxel size of each scale
    - ``meta``: ``volume``, ``coordinate`` (level-0 voxel), ``resolutions``, ``source_levels``, ``read_voxel_size``, and
      ``grid_index`` in sequential mode

    Axes of ``bbox``, ``pixel_size`` and ``meta`` are the spatial ones, in the order of ``output_axes``.

    Parameters
    ----------
    config
        A `MiaoConfig`, a mapping of its fields, or the path of a YAML file.
    augment_fn
        Called with each finished sample, returns the one to use; in place of the configuration's ``augment_fn``.
    seed
        Makes sample i a function of (seed, epoch, rank, i): the same for any number of workers, resumable, distinct on
        every rank. In place of the configuration's ``seed``. Without either, draws come from numpy's global generator.
    rank, world_size
        Of this process among those that train together; by default what torch.distributed or the environment says.
    verbose
        Print `summary`, on rank 0.

    Raises
    ------
    ConfigError, pydantic.ValidationError
        The configuration says something that cannot be done.
    VolumeError, VolumeNotFoundError
        A store does not hold what the configuration says.
    PlanError
        No window fits where it has to.

    Examples
    --------
    >>> import miao
    >>> from miao.demo import demo_config
    >>> with demo_config() as config:
    ...     dataset = miao.VolumeDataset(config, seed=0, verbose=False)
    ...     sample = dataset[0]
    ...     tuple(sample["img"].shape), tuple(sample["bbox"].shape), sample["meta"]["volume"]
    ((2, 1, 8, 8, 8), (2, 2, 3), 'demo')
    """

    def __init__(
        self,
        config: MiaoConfig | Mapping[str, Any] | str | os.PathLike[str],
        augment_fn: Callable[[Sample], Sample] | None = None,
        *,
        seed: int | None = None,
        rank: int | None = None,
        world_size: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.config = as_config(config)
        self._augmentation = resolve(augment_fn, self.config.augment_fn, deferred=self.config.defer_image_ops)
        self.seed = _checked_seed(self.config.seed if seed is None else seed)
        self.rank, self.world_size = _rank(rank, world_size)
        self._description = describe(self.config)
        warn_notices(self._description.notices)
        self._levels = Levels(
            ReadSettings(self.config.cache_bytes, self.config.file_io_concurrency, self.config.missing_chunks)
        )
        self._sampler = Sampler(self._description.volumes, self._description.rules, self._masks())
        self._tables = PlanTables(self._description.volumes, self.config.bbox_mode, self.config.bbox_anchor)
        # In shared memory, so that worker processes that outlive an epoch see the next one.
        self._epoch = torch.zeros((), dtype=torch.int64).share_memory_()  # type: ignore[no-untyped-call]
        if verbose and self.rank == 0:
            print(self.summary())  # noqa: T201  (asked for)

    def _masks(self) -> Any:
        from miao.reading.masks import Masks  # noqa: PLC0415  (few datasets have one)

        if not any(volume.min_foreground for volume in self._description.volumes):
            return None
        return Masks(self._description.volumes, self._levels)

    def __len__(self) -> int:
        """Return the samples of an epoch: ``samples_per_epoch``, or every position of the grid."""
        return self._sampler.length

    def __getitem__(self, index: int) -> Sample:
        """Return one sample.

        Raises
        ------
        SampleIndexError
            There is none of that index (an IndexError, so that iteration ends).
        ReadError, ForkError
            Its voxels could not be read.
        """
        return self.__getitems__([index])[0]

    def __getitems__(self, indices: Sequence[int]) -> list[Sample]:
        """Return several samples: all are planned, then all their reads are issued together.

        They are views of one batch that `miao.collate` recognises.
        """
        return self.finish(self.start(indices))

    def start(self, indices: Sequence[int]) -> Started:
        """Plan samples and issue their reads; `finish` waits for them."""
        checked = [_index(index, len(self)) for index in indices]
        plans = [self.plan(index) for index in checked]
        pending = start_reads(self._levels, self._description.volumes, plans)
        return Started(checked, plans, pending, self.epoch)

    def finish(self, started: Started) -> list[Sample]:
        """Return the samples whose reads were started."""
        return self.augmented(started, self.finished(started))

    def finished(self, started: Started) -> list[Sample]:
        """Return the samples whose reads were started, before ``augment_fn``; nothing is drawn."""
        raws = started.pending.result()
        if self.config.defer_image_ops:
            return [self._deferred(started, position, raw) for position, raw in enumerate(raws)]
        batch = self._batch(started.plans)
        return [self._finished(started.plans[position], raw, batch, position) for position, raw in enumerate(raws)]

    def augmented(self, started: Started, samples: list[Sample]) -> list[Sample]:
        """Return finished samples as ``augment_fn`` returns them, which may draw from numpy's global generator."""
        function = self._augmentation
        if function is None:
            return samples
        changed = []
        for position, sample in enumerate(samples):
            stream = self._stream(started, position)
            with nullcontext() if stream is None else reseeded(sample_rng(*stream, purpose=1)):
                changed.append(function(sample))
        return changed

    def _stream(self, started: Started, position: int) -> tuple[int, int, int, int] | None:
        """Return what the draws of a sample belong to; None without a seed."""
        return None if self.seed is None else (self.seed, started.epoch, self.rank, started.indices[position])

    def plan(self, index: int) -> SamplePlan:
        """Return what sample `index` reads: levels, windows, boxes; nothing is read.

        Without a seed a draw is taken from numpy's global generator, as reading the sample would.
        """
        index = _index(index, len(self))
        rng = np.random if self.seed is None else sample_rng(self.seed, self.epoch, self.rank, index)
        return self._sampler.plan(index, rng)

    def _batch(self, plans: Sequence[SamplePlan]) -> Batch:
        """Return the tensors that samples of some plans are views of."""
        scales = {len(plan.scales) for plan in plans}
        policy = self._description.policies[0]
        image, label = shapes(policy, max(scales), self._description.channels)
        labelled = all(self._description.volumes[plan.volume].label is not None for plan in plans)
        return Batch.empty(len(plans), image, label if labelled else None, policy)

    def _finished(self, plan: SamplePlan, raw: RawSample, batch: Batch, position: int) -> Sample:
        policy = self._description.policies[plan.volume]
        slot = batch.slot(position)
        label_out = slot.label
        if raw.labels is not None and label_out is None:
            _, shape = shapes(policy, len(plan.scales), self._description.channels)
            label_out = torch.empty(shape, dtype=getattr(torch, policy.label_dtype))
        maps = self._sampler.label_maps(plan)
        finish_sample(
            raw.images, raw.labels, policy, self._tables.coarsest(plan), slot.image, label_out, label_maps=maps
        )
        if raw.labels is None:
            label_out = torch.empty(0, dtype=getattr(torch, policy.label_dtype))
        return batch.sample(position, {"img": slot.image, "label": label_out, **self._tables.fields(plan)})

    def _deferred(self, started: Started, position: int, raw: RawSample) -> Sample:
        plan = started.plans[position]
        return defer_sample(
            raw.images,
            raw.labels,
            self._description.policies[plan.volume],
            self._tables.coarsest(plan),
            self._tables.fields(plan),
            label_maps=self._sampler.label_maps(plan),
            stream=self._stream(started, position),
        )

    # Epochs and resuming ---------------------------------------------------------------------------------------------

    @property
    def epoch(self) -> int:
        """The epoch that seeded draws belong to."""
        return int(self._epoch)

    def set_epoch(self, epoch: int) -> None:
        """Say which epoch the next samples belong to; worker processes that are running already follow."""
        if isinstance(epoch, bool) or not isinstance(epoch, (int, np.integer)):
            raise ArgumentTypeError(f"epoch is {epoch!r}; it is a whole number", code="wrong_type", at=("epoch",))
        if not 0 <= epoch < 2**63:
            raise ArgumentError(f"epoch is {epoch}; it is 0 or more", code="out_of_range", at=("epoch",))
        self._epoch.fill_(int(epoch))

    def state_dict(self) -> dict[str, Any]:
        """Return what resuming needs: with the same seed, epoch and rank, sample i is the same sample."""
        return {"seed": self.seed, "epoch": self.epoch, "rank": self.rank, "world_size": self.world_size}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where another run stopped.

        Raises
        ------
        ArgumentError
            The state was taken with another seed; its samples cannot be had again with this one.
        """
        if state.get("seed") != self.seed:
            raise ArgumentError(
                f"the state was taken with seed {state.get('seed')!r} and this dataset has {self.seed!r}; make it with "
                "that seed",
                code="conflict",
                at=("state", "seed"),
            )
        self.set_epoch(state.get("epoch", 0))

    @property
    def augments(self) -> bool:
        """Whether samples are changed by an ``augment_fn``."""
        return self._augmentation is not None

    @property
    def volumes(self) -> tuple[VolumeInfo, ...]:
        """The volumes that are drawn from, one for each pinned index."""
        return self._description.volumes

    def scales(self, volume: int) -> tuple[Scale, ...]:
        """Return which levels the scales of a volume read, and how much of them; drawn resolutions: the coarsest."""
        return self._sampler.scales(volume)

    def grid(self, volume: int) -> Grid:
        """Return the grid of a volume, in sequential mode."""
        return self._sampler.grid(volume)

    # What it is ------------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return what the dataset draws from, in words: volumes, levels, sizes, probabilities."""
        return summary(self._description, self._sampler, self.config)

    def preview(
        self, index: int, path: str | os.PathLike[str] | None = None, *, overwrite: bool = False
    ) -> str | bytes:
        """Draw one sample as a PNG: the middle slice of every scale, with the box of the next finer one.

        Parameters
        ----------
        index
            Which sample.
        path
            Where the picture is written. Without it nothing is.
        overwrite
            Replace what is there.

        Returns
        -------
        str or bytes
            The path; without one the PNG itself.

        Raises
        ------
        FileExistsError
            Something is at `path`, and `overwrite` is false.
        """
        from miao.preview import draw, pictured  # noqa: PLC0415  (it needs matplotlib)

        axes = self.config.output_axes
        if path is None:
            return pictured(self[index], axes)
        return draw(self[index], axes, path, overwrite=overwrite)


class Started:
    """Samples whose reads are under way."""

    __slots__ = ("epoch", "indices", "pending", "plans")

    def __init__(self, indices: list[int], plans: list[SamplePlan], pending: Pending, epoch: int) -> None:
        self.indices = indices
        self.plans = plans
        self.pending = pending
        self.epoch = epoch


def _index(index: Any, length: int) -> int:
    """Return a position from 0 on; negative ones count from the end."""
    try:
        found = index.__index__() if not isinstance(index, bool) else None
    except AttributeError:
        found = None
    if found is None:
        raise ArgumentTypeError(f"{index!r} is no index of a sample; give a whole number", code="wrong_type")
    if not -length <= found < length:
        raise SampleIndexError(f"there is no sample {found}; the dataset has {length}", code="out_of_range")
    return int(found) % length


def _checked_seed(seed: Any) -> int | None:
    if seed is None:
        return None
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise ArgumentTypeError(f"seed is {seed!r}; it is a whole number", code="wrong_type", at=("seed",))
    if not 0 <= seed < 2**64:
        raise ArgumentError(f"seed is {seed}; it is from 0 to 2^64 - 1", code="out_of_range", at=("seed",))
    return int(seed)


def _rank(rank: int | None, world_size: int | None) -> tuple[int, int]:
    """Return the rank of this process and how many there are."""
    import torch.distributed as dist

    if dist.is_available() and dist.is_initialized():
        found = dist.get_rank(), dist.get_world_size()
    else:
        found = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    chosen = found[0] if rank is None else rank, found[1] if world_size is None else world_size
    if not 0 <= chosen[0] < max(chosen[1], 1):
        raise ArgumentError(
            f"rank is {chosen[0]} of {chosen[1]}; it is from 0 to world_size - 1", code="out_of_range", at=("rank",)
        )
    return chosen


__all__ = ["Augmentation", "VolumeDataset"]
