"""Random numbers that are a function of (seed, epoch, rank, index), and numpy's global generator seeded from them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import numpy as np

from miao.errors import Notice

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD: Final = 1 << 64


def sample_rng(seed: int, epoch: int, rank: int, index: int, *, purpose: int = 0) -> np.random.RandomState:
    """Return the random numbers of one sample; no others are drawn to get to them.

    They are those of a Philox generator, keyed by seed and rank and counting from (epoch, index, purpose).

    Parameters
    ----------
    seed, epoch, rank, index
        What the numbers belong to; each from 0 to 2^64 - 1.
    purpose
        Tells apart the streams of one sample: 0 places it, 1 augments it.

    Examples
    --------
    >>> first, again, other = (sample_rng(7, 0, 0, index).randint(0, 1 << 30) for index in (5, 5, 6))
    >>> first == again, first == other
    (True, False)
    """
    key = np.array([seed % _WORD, rank % _WORD], dtype=np.uint64)
    counter = np.array([0, purpose % _WORD, index % _WORD, epoch % _WORD], dtype=np.uint64)
    return np.random.RandomState(np.random.Philox(counter=counter, key=key))


def unseeded_ranks(seed: int | None, ranks: int, sampling: str) -> list[Notice]:
    """Return what there is to say where several ranks draw without a seed.

    Examples
    --------
    >>> len(unseeded_ranks(None, 2, "random")), unseeded_ranks(7, 2, "random"), unseeded_ranks(None, 2, "sequential")
    (1, [], [])
    """
    if seed is not None or ranks < 2 or sampling != "random":
        return []
    said = (
        f"{ranks} ranks draw without a seed: those on which torch.manual_seed, or numpy.random.seed, was given one "
        "number draw the same samples; set seed, with which every rank draws its own"
    )
    return [Notice("missing_key", said)]


@contextmanager
def reseeded(rng: np.random.RandomState) -> Iterator[None]:
    """Seed numpy's global generator from another one, and put its state back at the end.

    Examples
    --------
    >>> np.random.seed(3)
    >>> expected = np.random.RandomState(3).randint(1000)
    >>> with reseeded(sample_rng(7, 0, 0, 5)):
    ...     inside = np.random.randint(1000)
    >>> bool(np.random.randint(1000) == expected)
    True
    """
    before = np.random.get_state()
    np.random.seed(rng.randint(0, 1 << 32, size=4, dtype=np.uint32))
    try:
        yield
    finally:
        np.random.set_state(before)
