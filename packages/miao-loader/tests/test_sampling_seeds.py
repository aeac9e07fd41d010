"""Random numbers by seed, epoch, rank and index."""

import numpy as np
import pytest

from miao.sampling.seeds import reseeded, sample_rng


def test_numbers_are_a_function_of_what_they_belong_to():
    for key in ((0, 0, 0, 0), (7, 1, 2, 3), (2**64 - 1, 2**63, 5, 2**40)):
        assert (sample_rng(*key).randint(0, 2**31, 9) == sample_rng(*key).randint(0, 2**31, 9)).all()


def test_any_other_seed_epoch_rank_index_or_purpose_gives_other_numbers():
    base = {"seed": 3, "epoch": 3, "rank": 3, "index": 3, "purpose": 3}
    rows = [dict(base), *({**base, key: value} for key in base for value in (0, 1, 2, 4, 5))]
    found = {tuple(sample_rng(**row).randint(0, 2**31, 4)) for row in rows}
    assert len(found) == len(rows)


def test_numbers_of_neighbouring_samples_do_not_overlap():
    # Philox counts one block of four words per step in the lowest word; index and epoch lie above it.
    first = sample_rng(1, 0, 0, 0).randint(0, 2**31, 5000)
    second = set(sample_rng(1, 0, 0, 1).randint(0, 2**31, 5000))
    assert sum(int(value) in second for value in first) < 5


def test_it_draws_as_numpy_does():
    rng = sample_rng(1, 2, 3, 4)
    assert 0 <= rng.randint(0, 5) < 5
    assert rng.choice(3, p=[0.2, 0.3, 0.5]) in {0, 1, 2}
    assert 1 <= rng.uniform(1, 2) <= 2
    assert type(rng) is np.random.RandomState


def test_draws_are_spread_evenly_over_samples():
    found = np.array([sample_rng(5, 0, 0, index).uniform(0, 1) for index in range(2000)])
    counts = np.histogram(found, 10, (0, 1))[0]
    assert abs(counts - 200).max() < 81  # six standard deviations of 13.4
    assert abs(np.corrcoef(found[:-1], found[1:])[0, 1]) < 0.14


def test_the_global_generator_is_reseeded_and_put_back():
    np.random.seed(11)
    expected = np.random.RandomState(11).randint(0, 1000, 3)
    assert np.random.randint(0, 1000) == expected[0]
    with reseeded(sample_rng(1, 2, 3, 4)):
        inside = np.random.randint(0, 2**31, 4)
    with reseeded(sample_rng(1, 2, 3, 4)):
        again = np.random.randint(0, 2**31, 4)
    with reseeded(sample_rng(1, 2, 3, 5)):
        other = np.random.randint(0, 2**31, 4)
    assert (inside == again).all()
    assert (inside != other).any()
    assert np.random.randint(0, 1000) == expected[1]


def test_the_global_generator_is_put_back_after_an_error():
    np.random.seed(11)
    expected = np.random.RandomState(11).randint(0, 1000)
    with pytest.raises(KeyError), reseeded(sample_rng(1, 2, 3, 4)):
        raise KeyError
    assert np.random.randint(0, 1000) == expected


def test_a_gaussian_that_waits_is_put_back():
    np.random.seed(4)
    pair = np.random.RandomState(4).standard_normal(2)
    assert np.random.standard_normal() == pair[0]
    with reseeded(sample_rng(1, 2, 3, 4)):
        np.random.standard_normal()
    assert np.random.standard_normal() == pair[1]
