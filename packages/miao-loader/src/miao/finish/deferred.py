"""Images that are finished later, on another device: what a worker hands over, and what becomes of it."""

from __future__ import annotations

from collections import defaultdict
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from miao.augmenting import checked_sample
from miao.errors import ArgumentError, ArgumentTypeError, AugmentError
from miao.finish.assembling import (
    LabelMaps,
    as_tensor,
    computable,
    finish_images_of,
    finish_labels,
    layout,
    resized,
    shapes,
)
from miao.finish.collating import collate
from miao.finish.devices import device_of
from miao.finish.normalise import normalise, statistics
from miao.finish.records import Deferred
from miao.finish.threads import one_thread
from miao.sampling.seeds import reseeded, sample_rng

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import torch

    from miao.records import FinishPolicy, Ints

Array = np.ndarray[Any, Any]
Sample = dict[str, Any]
Crops = list["torch.Tensor"]


def defer_sample(
    images: Sequence[Array],
    labels: Sequence[Array] | None,
    policy: FinishPolicy,
    coarsest: int,
    fields: Mapping[str, Any],
    label_maps: LabelMaps | None = None,
    stream: tuple[int, int, int, int] | None = None,
) -> Sample:
    """Return a sample whose image is as it was read: a list of crops; its labels are finished.

    Parameters
    ----------
    images, labels, policy, coarsest, label_maps
        As in `miao.finish.assembling.finish_sample`.
    fields
        What else the sample has: bbox, pixel_size, meta.
    stream
        As in `Deferred`.

    Examples
    --------
    >>> import numpy as np
    >>> from miao.records import FinishPolicy
    >>> sample = defer_sample([np.uint8([[0, 51]])], None, FinishPolicy("yx", "lyx", (1, 2), "uint8"), 0, {})
    >>> sample["img"]
    [tensor([[ 0, 51]], dtype=torch.uint8)]
    """
    import torch

    _refuse_default_collate()
    dtype = getattr(torch, policy.label_dtype)
    label = torch.empty(0, dtype=dtype, device="cpu")
    if labels is not None:
        label = torch.empty(shapes(policy, len(labels))[1], dtype=dtype, device="cpu")
        with one_thread():
            finish_labels(labels, policy, label, label_maps)
    # First, so that the default collate stops there and says why before it stacks crops.
    deferred = Deferred(policy, coarsest, stream)
    return {"deferred": deferred, "img": [as_tensor(image) for image in images], "label": label, **fields}


def _refuse_default_collate() -> None:
    """Have torch's ``default_collate`` say what to use instead when it meets a deferred sample."""
    from torch.utils.data._utils.collate import default_collate_fn_map

    default_collate_fn_map.setdefault(Deferred, _refused)


def _refused(samples: Sequence[Deferred], *, collate_fn_map: object = None) -> NoReturn:  # noqa: ARG001  (torch's)
    raise TypeError(
        f"{len(samples)} samples are deferred (defer_image_ops: true) and their crops are of different shapes; give "
        "DataLoader collate_fn=miao.collate_deferred and finish its batches with miao.finish_images"
    )


def finish_images(
    batch: Sample, device: str | torch.device = "cpu", augment_fn: Callable[[Sample], Sample] | None = None
) -> Sample:
    """Return the batch with its images finished on a device: resampled, normalised, in the order of the output axes.

    Parameters
    ----------
    batch
        Of `miao.collate_deferred`. One that has nothing deferred is returned as it is.
    device
        Where the images are finished and stay. On the CPU they equal those of a dataset that defers nothing bit by bit.
    augment_fn
        Called with each finished sample, its image on the device, everything else where it was. Where the dataset has a
        seed, numpy's global generator is seeded for each sample, as it is for an augmentation of the dataset.

    Returns
    -------
    dict
        ``img`` of shape (B, ...) on `device`, no ``deferred``; labels and the rest untouched. The batch that was given
        is not changed.

    Raises
    ------
    ArgumentError
        Samples of the batch differ in shape or dtype, it is no batch, or there is no such device.
    AugmentError
        What augment_fn returns is no sample.

    Examples
    --------
    >>> import numpy as np
    >>> from miao.finish.collating import collate_deferred
    >>> from miao.records import FinishPolicy
    >>> policy = FinishPolicy("yx", "lyx", (1, 2), "uint8")
    >>> samples = [defer_sample([np.uint8([[0, 51 * i]])], None, policy, 0, {}) for i in range(2)]
    >>> finish_images(collate_deferred(samples))["img"]
    tensor([[[[0.0000, 0.0000]]],
    <BLANKLINE>
    <BLANKLINE>
            [[[0.0000, 0.2000]]]])
    """
    if not isinstance(batch, dict):
        raise ArgumentTypeError(
            f"batch is {type(batch).__name__}; give what miao.collate_deferred returned, a dict",
            code="wrong_type",
            at=("batch",),
        )
    if "deferred" not in batch:
        return batch
    rules, crops = _checked(batch)
    if augment_fn is not None and not callable(augment_fn):
        raise AugmentError(f"augment_fn is {augment_fn!r}; it is a callable", code="wrong_type", at=("augment_fn",))
    where = device_of(device)
    images = _room(rules, crops, where)
    if where.type == "cpu":
        with one_thread():
            for rule, sample, out in zip(rules, crops, images, strict=True):
                finish_images_of(sample, rule.policy, rule.coarsest, out)
    else:
        _finish_together(rules, crops, images)
    finished = {key: images if key == "img" else value for key, value in batch.items() if key != "deferred"}
    return finished if augment_fn is None else augmented(finished, rules, augment_fn)


def augmented(batch: Sample, rules: Sequence[Deferred], augment_fn: Callable[[Sample], Sample]) -> Sample:
    """Return a finished batch with each sample augmented; `rules` are what its samples had as ``deferred``."""
    changed = []
    for position, rule in enumerate(rules):
        sample = _sample_of(batch, position)
        with nullcontext() if rule.stream is None else reseeded(sample_rng(*rule.stream, purpose=1)):
            changed.append(checked_sample(augment_fn(sample)))
    return collate(changed)


def _checked(batch: Sample) -> tuple[list[Deferred], list[Crops]]:
    """Return the rules and the crops of a deferred batch."""
    rules, crops = batch["deferred"], batch.get("img")
    if not isinstance(rules, list) or not isinstance(crops, list) or len(rules) != len(crops) or not rules:
        raise ArgumentError(
            "the batch has no crops for each of its samples; give what miao.collate_deferred returned",
            code="wrong_value",
            at=("batch",),
        )
    return rules, crops


def _room(rules: Sequence[Deferred], crops: Sequence[Crops], device: torch.device) -> torch.Tensor:
    """Return the tensor that the images of a batch are written into."""
    import torch

    wanted = [
        (shapes(rule.policy, len(sample), _channels(rule.policy, sample))[0], rule.policy.image_dtype)
        for rule, sample in zip(rules, crops, strict=True)
    ]
    for position, (shape, dtype) in enumerate(wanted):
        if (shape, dtype) != wanted[0]:
            raise ArgumentError(
                f"the image of sample {position} becomes {dtype} of shape {shape}, that of sample 0 {wanted[0][1]} of "
                f"shape {wanted[0][0]}; a batch has one shape",
                code="conflict",
                at=("batch", "img", position),
            )
    shape, dtype = wanted[0]
    return torch.empty((len(rules), *shape), dtype=getattr(torch, dtype), device=device)


def _channels(policy: FinishPolicy, crops: Crops) -> int | None:
    return crops[0].shape[policy.read_axes.index("c")] if "c" in policy.read_axes else None


def _finish_together(rules: Sequence[Deferred], crops: Sequence[Crops], images: torch.Tensor) -> None:
    """Write the crops of a batch into `images`: those of one shape, dtype and policy in one go."""
    import torch

    groups: dict[tuple[FinishPolicy, Ints, torch.dtype], list[tuple[int, int]]] = defaultdict(list)
    for sample, (rule, scales) in enumerate(zip(rules, crops, strict=True)):
        for scale, crop in enumerate(scales):
            groups[rule.policy, tuple(crop.shape), crop.dtype].append((sample, scale))
    stack = images if images.dtype == torch.float32 else torch.empty_like(images, dtype=torch.float32)
    for (policy, _, _), members in groups.items():
        block = torch.stack([crops[sample][scale].to(images.device, non_blocking=True) for sample, scale in members])
        _write_group(computable(block), policy, members, stack)
    scales_at = layout(rules[0].policy.read_axes, rules[0].policy.output_axes).scales + 1
    chosen = [(sample, rule.coarsest) for sample, rule in enumerate(rules) if rule.policy.normalisation.per_patch]
    if chosen:
        samples, references = _indices(chosen, images.device)
        mean, spread = statistics(stack.movedim(scales_at, 1)[samples, references].flatten(1))
        wide = (-1, *(1,) * (stack.ndim - 1))
        stack[samples] = (stack[samples] - mean.float().view(wide)) / spread.float().view(wide)
    if stack is not images:
        images.copy_(stack)


def _write_group(
    block: torch.Tensor, policy: FinishPolicy, members: Sequence[tuple[int, int]], stack: torch.Tensor
) -> None:
    """Write crops of one shape, stacked, into the samples and scales that they belong to."""
    where = layout(policy.read_axes, policy.output_axes)
    if where.dropped:
        assert where.channel is not None
        block = block.select(where.channel + 1, 0)
    channel = None if where.dropped else where.channel
    if channel is not None:
        block = block.movedim(channel + 1, 1)
    size = block.shape[block.ndim - len(policy.patch) :]
    values = block if tuple(size) == policy.patch else resized(block, None, policy.patch)
    if channel is not None:
        values = values.movedim(1, channel + 1)
    target = stack.movedim(where.scales + 1, 1)
    if where.added is not None:
        target = target.select(where.added + 2, 0)
    target = target.permute(0, 1, *(place + 2 for place in where.image))
    target[_indices(members, stack.device)] = normalise(values, policy.source_dtype, policy.normalisation)


def _indices(pairs: Sequence[tuple[int, int]], device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    import torch

    first, second = torch.tensor(pairs, device=device).unbind(1)
    return first, second


def _sample_of(batch: Any, position: int) -> Any:
    """Return one sample of a collated batch: what `collate` would have been given."""
    import torch

    if isinstance(batch, torch.Tensor):
        value = batch[position]
        return value if value.ndim else value.item()
    if isinstance(batch, dict):
        sample = {key: _sample_of(value, position) for key, value in batch.items()}
        # Collating makes a list of a tuple.
        return sample | {"grid_index": tuple(sample["grid_index"])} if "grid_index" in sample else sample
    if isinstance(batch, (list, tuple)):
        # Of strings torch keeps one per sample; a sequence of a sample is one list or tensor per entry.
        if all(isinstance(value, (str, bytes)) for value in batch):
            return batch[position]
        return type(batch)(_sample_of(value, position) for value in batch)
    return batch
