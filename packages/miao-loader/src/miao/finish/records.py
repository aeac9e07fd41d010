"""What is still to be done to a sample whose image was not finished where it was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from miao.records import FinishPolicy


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
