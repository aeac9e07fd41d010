"""Level choice (floor, finer, exact, nearest, resample) and whether levels lie on each other."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldarray.errors import ArgumentError, ArgumentTypeError, LevelError
from worldarray.levels import check_levels, match_level, misplaced_levels, select_level
from worldarray.records import Level

LEVELS = [("s0", (30, 8, 6)), ("s1", (30, 16, 12)), ("s2", (60, 32, 24))]


@pytest.mark.parametrize("mode", ["floor", "finer", "exact", "nearest", "resample"])
@pytest.mark.parametrize("levels", [LEVELS, LEVELS[::-1]], ids=["fine-first", "coarse-first"])
def test_level_of_the_size_answers_in_every_mode(mode, levels):
    assert select_level(levels, (30.00001, 16, 11.99999), mode).name == "s1"


def test_given_level_comes_back_whole():
    level = Level("s0", (4.0, 5.0), (2.0, 7.0))
    assert select_level([level], (4, 5)) is level
    assert select_level([("s0", (4, 5), (2, 7))], (4, 5)) == level
    assert select_level([("s0", (4, 5))], (4, 5)).translation == ()


def test_errors_list_the_levels_with_their_sizes():
    with pytest.raises(LevelError, match=r"s0 \(30, 8, 6\), s1 \(30, 16, 12\), s2 \(60, 32, 24\)") as caught:
        select_level(LEVELS, (30, 20, 12), "exact")
    assert (caught.value.code, caught.value.at) == ("no_level", ("voxel_size",))


def test_unlike_sizes_are_not_rounded_in_the_message():
    with pytest.raises(LevelError, match=r"\(10\.4800001\)"):
        select_level([("s0", (10.4800001,))], (10,), "exact")


@pytest.mark.parametrize(
    ("levels", "voxel_size", "error", "code", "at"),
    [
        (LEVELS, (30, 8), ArgumentError, "wrong_length", ("voxel_size",)),
        (LEVELS, (30, 8, 0), ArgumentError, "not_positive", ("voxel_size", 2)),
        (LEVELS, (30, 8, float("nan")), ArgumentError, "not_finite", ("voxel_size", 2)),
        (LEVELS, "abc", ArgumentTypeError, "wrong_type", ("voxel_size",)),
        (
            [("s0", (30, 8, 6)), ("s1", (16, 12))],
            (30, 8, 6),
            ArgumentError,
            "wrong_length",
            ("levels", 1, "voxel_size"),
        ),
        (["s0"], (30, 8, 6), ArgumentTypeError, "wrong_type", ("levels", 0)),
        ([], (30, 8, 6), LevelError, "no_level", ("levels",)),
    ],
)
def test_bad_argument_is_named(levels, voxel_size, error, code, at):
    with pytest.raises(error) as caught:
        select_level(levels, voxel_size)
    assert (caught.value.code, caught.value.at) == (code, at)


def test_unknown_mode_lists_the_modes():
    with pytest.raises(ArgumentError, match="'floor', 'finer', 'exact', 'nearest', 'resample'"):
        select_level(LEVELS, (30, 8, 6), "closest")


def test_match_is_none_where_no_size_agrees():
    assert match_level(LEVELS, (30, 8, 6)).name == "s0"
    assert match_level(LEVELS, (30, 8, 6.0001)) is None


def test_block_mean_pyramid_lies_on_itself():
    # voxel 0 of a block mean by 2 is half a source voxel further: 5 + 8 / 2 = 9 and 7 + 6 / 2 = 10
    assert check_levels([("s0", (8, 6), (5, 7)), ("s1", (16, 12), (9, 10))]) == ()


def test_level_without_translation_is_reported_with_that_of_a_block_mean():
    (found,) = check_levels([("s0", (1.0,), (0.0,)), ("s1", (2.0,), (0.0,))])
    assert (found.code, found.at) == ("conflict", ("s1", "translation"))
    assert "do not share a corner" in found.message
    assert "(0.5)" in found.message


def test_shared_first_centre_counts_where_it_is_declared():
    levels = [("s0", (1.0, 3.0), (0.5, 2.0)), ("s1", (2.0, 6.0), (0.5, 2.0))]
    assert misplaced_levels(levels, (True, True)) == ()
    assert [level.name for level in misplaced_levels(levels, (True, False))] == ["s1"]
    assert [level.name for level in misplaced_levels(levels)] == ["s1"]


def test_level_that_shares_neither_is_reported_even_where_declared():
    (found,) = misplaced_levels([("s0", (8, 6), (0, 0)), ("s1", (16, 12), (8, 6))], (True, True))
    assert found.translation == (8.0, 6.0)
    assert found.block_mean_translation == (4.0, 3.0)


def test_finest_level_is_the_base_whatever_the_order():
    (found,) = misplaced_levels([("s1", (16.0,), (0.0,)), ("s0", (8.0,), (0.0,))])
    assert (found.name, found.block_mean_translation) == ("s1", (4.0,))


@pytest.mark.parametrize(
    ("levels", "declared", "at"),
    [
        ([("s0", (1, 2))], None, ("levels", 0, "translation")),
        ([("s0", (1, 2), (0, 0))], (True, True), ("declared",)),
    ],
)
def test_check_needs_translations_and_one_flag_a_level(levels, declared, at):
    with pytest.raises(ArgumentError) as caught:
        check_levels(levels, declared)
    assert (caught.value.code, caught.value.at) == ("wrong_length", at)


def test_no_level_is_not_misplaced():
    assert check_levels([]) == ()


SIZES = st.sampled_from([3, 4, 6, 8, 12, 16, 24])
TRIPLES = st.tuples(SIZES, SIZES, SIZES)


@settings(max_examples=300, deadline=None)
@given(
    sizes=st.lists(TRIPLES, min_size=1, max_size=5, unique=True),
    wanted=TRIPLES,
    order=st.randoms(use_true_random=False),
)
def test_choice_agrees_with_exact_arithmetic_and_ignores_the_list_order(sizes, wanted, order):
    levels = [(str(size), size) for size in sizes]
    shuffled = order.sample(levels, len(levels))

    def volume(size):
        return size[0] * size[1] * size[2]

    def distance(size):
        # exp of the sum of |log|: a product of ratios, each at least 1
        ratios = [Fraction(max(s, w), min(s, w)) for s, w in zip(size, wanted, strict=True)]
        return ratios[0] * ratios[1] * ratios[2]

    def finest(found):
        return min(found, key=lambda size: (volume(size), size))

    fits = [size for size in sizes if all(s <= w for s, w in zip(size, wanted, strict=True))]
    largest = [size for size in fits if volume(size) == max(map(volume, fits))]
    least = min(map(distance, sizes))
    expected = {
        "nearest": finest([size for size in sizes if distance(size) == least]),
        "resample": finest(largest) if fits else finest(sizes),
    }
    for mode, size in expected.items():
        assert select_level(levels, wanted, mode).name == str(size)
        assert select_level(shuffled, wanted, mode).name == str(size)
    if fits:
        assert select_level(shuffled, wanted, "floor").name == str(finest(largest))
        assert select_level(shuffled, wanted, "finer").name == str(finest(largest))
    else:
        assert select_level(shuffled, wanted, "floor").name == shuffled[0][0]
        with pytest.raises(LevelError):
            select_level(shuffled, wanted, "finer")
    if wanted in sizes:
        assert select_level(shuffled, wanted, "exact").name == str(wanted)
