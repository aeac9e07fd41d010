"""Pinned axes against what Python's own ranges and products give."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from miao.config.fixed_axes import MOST, expand, names, parse_fixed, plain
from miao.errors import ConfigError

INDICES = st.lists(st.integers(0, 50), min_size=1, max_size=4, unique=True)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 9))
def test_a_range_is_pythons_where_it_is_not_empty(start, stop, step):
    text = f"{start}:{stop}:{step}"
    if stop > start:
        assert parse_fixed(text) == tuple(range(start, stop, step))
        return
    with pytest.raises(ConfigError) as caught:
        parse_fixed(text)
    assert caught.value.code == "order"


@settings(max_examples=60, deadline=None)
@given(INDICES, INDICES, st.floats(1e-6, 1e6))
def test_volumes_are_the_product_and_share_the_weight(frames, channels, weight):
    found = expand("a", {"t": frames, "c": channels}, weight)
    assert [fixed for _, fixed, _ in found] == [{"t": t, "c": c} for t, c in product(frames, channels)]
    number = len(frames) * len(channels)
    assert {one for _, _, one in found} == {float(Fraction(weight) / number)}
    assert len({name for name, _, _ in found}) == number
    assert (found[0][0] == "a") == (number == 1)


def test_as_it_was_written():
    assert (plain(3.0), plain((2.0, 5)), plain("1:4")) == (3, [2, 5], "1:4")


def test_a_million_volumes_are_the_most():
    assert len(parse_fixed(f"0:{MOST}")) == 1_000_000
    for value in (f"0:{MOST + 1}", "0:9000000000000000000", range(MOST + 1)):
        with pytest.raises(ConfigError, match="at most 1000000") as caught:
            parse_fixed(list(value) if isinstance(value, range) else value)
        assert caught.value.code == "out_of_range"


def test_digits_without_end_are_refused_in_few_words():
    with pytest.raises(ConfigError) as caught:
        parse_fixed("1:" + "9" * 5000)
    assert caught.value.code == "out_of_range"
    assert len(str(caught.value)) < 300


def test_names_of_no_pinned_axis():
    assert list(names("a", None)) == list(names("a", {})) == ["a"]
