"""Samples become batches: those of one preallocated batch without a copy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from miao.errors import ArgumentError, NotDeferredError, UnlikeSamplesError
from miao.finish.records import Crops, Deferred

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import torch

    from miao.records import FinishPolicy, Ints

Sample = dict[str, Any]


@dataclass(frozen=True)
class Slot:
    """The tensors of one sample in a batch."""

    image: torch.Tensor
    label: torch.Tensor | None


@dataclass(frozen=True)
class Batch:
    """Tensors for several samples, allocated together; `collate` gives them back whole.

    Examples
    --------
    >>> from miao.records import FinishPolicy
    >>> batch = Batch.empty(2, (1, 4, 5), (1, 4, 5), FinishPolicy("yx", "lyx", (4, 5), "uint8"))
    >>> samples = [batch.sample(i, {"img": batch.slot(i).image.fill_(i)}) for i in range(2)]
    >>> joined = collate(samples)["img"]
    >>> joined.shape, joined.data_ptr() == batch.images.data_ptr()
    (torch.Size([2, 1, 4, 5]), True)
    """

    images: torch.Tensor
    labels: torch.Tensor | None

    @classmethod
    def empty(cls, count: int, image: Ints, label: Ints | None, policy: FinishPolicy) -> Batch:
        """Return room for `count` samples of the given shapes; without `label`, for images alone."""
        _teach_default_collate()
        images = _empty((count, *image), policy.image_dtype)
        return cls(images, None if label is None else _empty((count, *label), policy.label_dtype))

    def slot(self, position: int) -> Slot:
        """Return where sample `position` is written."""
        return Slot(self.images[position], None if self.labels is None else self.labels[position])

    def sample(self, position: int, fields: Mapping[str, Any]) -> Sample:  # noqa: ARG002  (the views say it)
        """Return a sample of the fields; those that are views of this batch are recognised by `collate`."""
        return BatchSample(fields)


class BatchSample(dict[str, Any]):
    """A sample as a dataset returns it: a dict, which torch's ``default_collate`` hands to `collate`."""


def _teach_default_collate() -> None:
    """Have torch's ``default_collate`` join samples of a dataset with `collate`, so that batches are not copied.

    By the table that torch documents for own types. A dict that an augmentation made of a sample is a plain one, and
    stacked as ever.
    """
    from torch.utils.data._utils.collate import default_collate_fn_map

    default_collate_fn_map[BatchSample] = _collate_samples


def _collate_samples(samples: Sequence[Sample], *, collate_fn_map: object = None) -> Sample:
    del collate_fn_map  # torch passes its table on
    return collate(samples)


def _empty(shape: Ints, dtype: str) -> torch.Tensor:
    """Return an uninitialised tensor; numpy asks for huge pages, so that a large one is not faulted in bit by bit."""
    import torch

    kind = getattr(torch, dtype)
    room = math.prod(shape) * torch.empty(0, dtype=kind, device="cpu").element_size()
    return torch.from_numpy(np.empty(room, np.uint8)).view(kind).view(shape)


def collate(samples: Sequence[Sample]) -> Sample:
    """Return a batch of samples, as torch's ``default_collate`` does.

    Tensors that are, in this order, the whole of one batch's memory are given back as that batch, not copied: what the
    dataset returns for ``dataset.__getitems__`` of a batch. Write to copies if you keep both.

    Raises
    ------
    ArgumentError
        There is no sample, or samples have other keys.
    UnlikeSamplesError
        Samples differ in shape: labels that only some have (also a RuntimeError, as of torch).

    Examples
    --------
    >>> import torch
    >>> collate([{"img": torch.ones(2), "meta": {"volume": name}} for name in "ab"])
    {'img': tensor([[1., 1.],
            [1., 1.]]), 'meta': {'volume': ['a', 'b']}}
    """
    from torch.utils.data import default_collate

    if not samples:
        raise ArgumentError("a batch has at least one sample, this one has none", code="wrong_length", at=("samples",))
    first = samples[0]
    if not all(isinstance(sample, dict) for sample in samples) or "deferred" in first:
        given: Sequence[Any] = samples
        plain = [dict(sample) if isinstance(sample, dict) else sample for sample in given]
        return default_collate(plain)  # type: ignore[no-any-return]
    for position, sample in enumerate(samples):
        if sample.keys() != first.keys():
            raise ArgumentError(
                f"sample {position} has {sorted(map(str, sample))} and sample 0 has {sorted(map(str, first))}; samples "
                "of a batch have the same keys",
                code="conflict",
                at=("samples", position),
            )
    return {key: _joined(str(key), [sample[key] for sample in samples]) for key in first}


def _joined(key: str, values: list[Any]) -> Any:
    """Return the values of one key as a batch holds them."""
    import torch
    from torch.utils.data import default_collate

    if all(type(value) is dict and value.keys() == values[0].keys() for value in values):
        return {inner: _joined(f"{key}.{inner}", [value[inner] for value in values]) for inner in values[0]}
    if not all(isinstance(value, torch.Tensor) for value in values):
        columns = _columns(values)
        return default_collate(values) if columns is None else columns
    for position, value in enumerate(values):
        if value.shape != values[0].shape:
            hint = "; labelled and unlabelled volumes cannot share a batch" if key == "label" else ""
            raise UnlikeSamplesError(
                f"{key!r} of sample {position} has shape {tuple(value.shape)} and that of sample 0 "
                f"{tuple(values[0].shape)}{hint}",
                code="conflict",
                at=("samples", position, key),
            )
    whole = _whole(values)
    return default_collate(values) if whole is None else whole


def _columns(values: list[Any]) -> Any:
    """Return what ``default_collate`` makes of lists of numbers, or of lists of these: a tensor for each entry.

    None where they are anything else. One conversion takes the place of one for each entry.
    """
    import torch

    first = values[0]
    if not all(type(value) in {list, tuple} and len(value) == len(first) for value in values) or not first:
        return None
    try:
        table = np.array(values)
    except ValueError:  # lists of several lengths
        return None
    if table.dtype not in {np.dtype("int64"), np.dtype("float64")} or table.ndim > 3 or 0 in table.shape:
        return None
    # An int in one sample and a float in another stay what they are only entry by entry.
    if table.dtype.kind == "f" and not _all_floats(values):
        return None
    columns = torch.from_numpy(np.ascontiguousarray(np.moveaxis(table, 0, -1)))
    return [list(row.unbind()) if row.ndim > 1 else row for row in columns.unbind()]


def _all_floats(value: Any) -> bool:
    return all(map(_all_floats, value)) if isinstance(value, (list, tuple)) else type(value) is float


def _whole(views: Sequence[torch.Tensor]) -> torch.Tensor | None:
    """Return the tensor that the views are, one after the other, all of; None where there is no such."""
    first = views[0]
    size = first.numel()
    if type(first) is not _tensor_type() or size == 0 or not first.is_contiguous() or first.requires_grad:
        return None
    storage = first.untyped_storage()
    if storage.nbytes() != size * len(views) * first.element_size() or first.storage_offset() != 0:
        return None
    for position, view in enumerate(views):
        if (
            view.untyped_storage().data_ptr() != storage.data_ptr()
            or view.dtype != first.dtype
            or view.storage_offset() != position * size
            or view.stride() != first.stride()
            or view.requires_grad
        ):
            return None
    return first.as_strided((len(views), *first.shape), (size, *first.stride()))


def _tensor_type() -> type[torch.Tensor]:
    import torch

    return torch.Tensor


def collate_deferred(samples: Sequence[Sample]) -> Sample:
    """Return a batch of deferred samples: crops stay lists of their stored shapes, the rest is stacked.

    Parameters
    ----------
    samples
        Of a dataset with ``defer_image_ops: true``.

    Returns
    -------
    dict
        ``img``: per sample a list of one crop per scale; ``deferred``: per sample what is to be done to them; hand it
        to `miao.finish_images`. Everything else as `collate` joins it.

    Raises
    ------
    NotDeferredError
        A sample is not deferred (also a KeyError).
    ArgumentError
        There is no sample.
    """
    for position, sample in enumerate(samples):
        if not isinstance(sample.get("deferred"), Deferred):
            raise NotDeferredError(
                f"sample {position} is not deferred; set defer_image_ops: true, or leave collate_fn to the default",
                code="invalid_argument",
                at=("samples", position),
            )
    kept = ("img", "deferred")
    rest = collate([{key: value for key, value in sample.items() if key not in kept} for sample in samples])
    return {"img": Crops(sample["img"] for sample in samples), "deferred": [s["deferred"] for s in samples]} | rest
