"""VolumeDataset: samples of many volumes, drawn as a configuration says. Planned, read, finished; thin."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
import torch.utils.data  # noqa: TID253  (the class is one of torch's datasets)

from miao.arguments import mapping_of, position_of, positions_of, rank_of, whole_number
from miao.augmenting import Augmentation, resolve
from miao.config.loading import as_config
from miao.errors import ArgumentError, ReadError
from miao.finish.assembling import finish_sample, shapes
from miao.finish.collating import Batch
from miao.finish.deferred import defer_sample
from miao.reading.execute import Pending, RawSample, start_reads
from miao.reading.runtime import Levels, ReadSettings
from miao.sampling.sampler import Sampler
from miao.sampling.seeds import reseeded, sample_rng, unseeded_ranks
from miao.summary import summary
from miao.tables import PlanTables
from miao.volumes.describe import describe
from miao.volumes.units import enlarged
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
        chosen = self.config.seed if seed is None else seed
        self.seed = None if chosen is None else whole_number(chosen, "seed", 0, 2**64 - 1)
        self.rank, self.world_size = rank_of(rank, world_size)
        self._description = describe(self.config)
        alone = unseeded_ranks(self.seed, self.world_size, self.config.sampling)
        warn_notices([*self._description.notices, *enlarged(self._description.volumes), *alone])
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

    def __repr__(self) -> str:
        """Return how many volumes and samples there are, on one line."""
        count = len(self.volumes)
        return f"<VolumeDataset: {count} volume{'s' * (count != 1)}, {self.config.sampling}, {len(self)} samples>"

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
        checked, epoch = positions_of(indices, len(self)), self.epoch
        plans = [self._planned(index, epoch) for index in checked]
        pending = start_reads(self._levels, self._description.volumes, plans)
        return Started(checked, plans, pending, epoch)

    def finish(self, started: Started) -> list[Sample]:
        """Return the samples whose reads were started."""
        return self.augmented(started, self.finished(started))

    def finished(self, started: Started) -> list[Sample]:
        """Return the samples whose reads were started, before ``augment_fn``; nothing is drawn."""
        if not started.plans:
            return []
        raws = started.pending
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
        """Return what sample `index` reads: levels, windows, boxes; nothing is read but the mask of `min_foreground`.

        Without a seed a draw is taken from numpy's global generator, as reading the sample would.
        """
        return self._planned(position_of(index, len(self)), self.epoch)

    def _planned(self, index: int, epoch: int) -> SamplePlan:
        rng = np.random if self.seed is None else sample_rng(self.seed, epoch, self.rank, index)
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
            label_out = torch.empty(shape, dtype=getattr(torch, policy.label_dtype), device="cpu")
        maps = self._sampler.label_maps(plan)
        with self._naming(plan):
            finish_sample(
                raw.images, raw.labels, policy, self._tables.coarsest(plan), slot.image, label_out, label_maps=maps
            )
        if raw.labels is None:
            label_out = torch.empty(0, dtype=getattr(torch, policy.label_dtype), device="cpu")
        return batch.sample(position, {"img": slot.image, "label": label_out, **self._tables.fields(plan)})

    def _deferred(self, started: Started, position: int, raw: RawSample) -> Sample:
        plan = started.plans[position]
        with self._naming(plan):
            return defer_sample(
                raw.images,
                raw.labels,
                self._description.policies[plan.volume],
                self._tables.coarsest(plan),
                self._tables.fields(plan),
                label_maps=self._sampler.label_maps(plan),
                stream=self._stream(started, position),
            )

    @contextmanager
    def _naming(self, plan: SamplePlan) -> Iterator[None]:
        """Say of which volume and place labels are that cannot be used."""
        try:
            yield
        except ReadError as error:
            volume = self._description.volumes[plan.volume]
            path = volume.image.path if volume.label is None else volume.label.path
            raise ReadError(
                f"volume {volume.name}: the sample around level-0 voxel {plan.centre} ({', '.join(volume.image.axes)}) "
                f"of {path}: {error.message}",
                code=error.code,
                at=(volume.name,),
            ) from error

    # Epochs and resuming ---------------------------------------------------------------------------------------------

    @property
    def epoch(self) -> int:
        """The epoch that seeded draws belong to."""
        return int(self._epoch)

    def set_epoch(self, epoch: int) -> None:
        """Say which epoch the next samples belong to; worker processes that are running already follow."""
        self._epoch.fill_(whole_number(epoch, "epoch", 0, 2**63 - 1))

    def state_dict(self) -> dict[str, Any]:
        """Return what resuming needs: with the same seed, epoch and rank, sample i is the same sample."""
        return {"seed": self.seed, "epoch": self.epoch, "rank": self.rank, "world_size": self.world_size}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where another run stopped.

        Raises
        ------
        ArgumentError
            It is no state, or was taken with another seed, whose samples cannot be had again with this one.
        """
        state = mapping_of(state, "state")
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
        return self._sampler.scales(whole_number(volume, "volume", 0, len(self.volumes) - 1))

    def grid(self, volume: int) -> Grid:
        """Return the grid of a volume, in sequential mode."""
        return self._sampler.grid(whole_number(volume, "volume", 0, len(self.volumes) - 1))

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


__all__ = ["Augmentation", "VolumeDataset"]
