"""What is still to be done to a sample whose image was not finished where it was read."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    from miao.records import FinishPolicy, Ints


@dataclass(frozen=True)
class Deferred:
    """How the crops of one sample become its image; ``default_collate`` refuses it, `miao.collate_deferred` keeps it.

    Examples
    --------
    >>> from miao.records import FinishPolicy
    >>> Deferred(FinishPolicy("yx", "lyx", (4, 5), "uint8"), coarsest=0).policy.patch
    (4, 5)
    """

    policy: FinishPolicy
    coarsest: int
    """The scale whose statistics standardise all of them, where the policy says so."""
    stream: tuple[int, int, int, int] | None = None
    """Seed, epoch, rank and index of the sample, from which an augmentation draws; None where there is no seed."""


class Crops(list[Any]):
    """The crops of a batch, per sample a list of one per scale; sent to another process as one block of bytes.

    A tensor that a worker sends costs a descriptor and a round trip of its own, however small it is.

    Examples
    --------
    >>> import pickle, torch
    >>> crops = Crops([[torch.arange(3)], [torch.ones(2, 2, dtype=torch.uint8)]])
    >>> pickle.loads(pickle.dumps(crops))
    [[tensor([0, 1, 2])], [tensor([[1, 1],
            [1, 1]], dtype=torch.uint8)]]
    """

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the bytes of all crops in one tensor, and what each is of them."""
        import torch

        order = sorted({crop.dtype for sample in self for crop in sample}, key=lambda dtype: -dtype.itemsize)
        # Those of the widest elements come first, so that each begins at a multiple of its own.
        ranked = [(order.index(crop.dtype), s, k) for s, sample in enumerate(self) for k, crop in enumerate(sample)]
        places, parts, end = {}, [], 0
        for _, s, k in sorted(ranked):
            crop = self[s][k]
            places[s, k] = end
            parts.append(crop.contiguous().view(-1).view(torch.uint8))
            end += parts[-1].numel()
        kinds = [
            [(places[s, k], crop.dtype, tuple(crop.shape)) for k, crop in enumerate(sample)]
            for s, sample in enumerate(self)
        ]
        return _unpacked, (torch.cat(parts) if parts else torch.empty(0, dtype=torch.uint8), kinds)


def _unpacked(block: torch.Tensor, kinds: list[list[tuple[int, torch.dtype, Ints]]]) -> list[list[torch.Tensor]]:
    """Return crops as views of the block that they were sent in."""
    return [
        [block[at : at + prod(shape) * dtype.itemsize].view(dtype).view(shape) for at, dtype, shape in sample]
        for sample in kinds
    ]
