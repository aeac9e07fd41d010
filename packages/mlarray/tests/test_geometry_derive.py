"""Spacing, origin, direction, letter codes and coordinates, against exact arithmetic."""

import math
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mlarray import MLArray
from mlarray.errors import ArgumentError, ArgumentTypeError
from mlarray.geometry import derive

LPS = ("left", "posterior", "superior")
S30, C30 = 0.5, math.sqrt(3) / 2


def from_columns(columns, shift=(0.0, 0.0, 0.0)):
    rows = [[*(column[row] for column in columns), shift[row]] for row in range(len(shift))]
    return [*rows, [0.0] * len(columns) + [1.0]]


SEED = from_columns([(0, 0, -2.5), (0, 0.7, 0), (0.7, 0, 0)], (-170.1, -201.3, -87.0))


# Spacing, origin, direction ------------------------------------------------------------------------------------------


def test_the_seed_example():
    assert derive.spacing(SEED) == [2.5, 0.7, 0.7]
    assert derive.origin(SEED) == [-170.1, -201.3, -87.0]
    assert derive.direction(SEED) == [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    assert derive.letter_codes(SEED, LPS) == "IPL"
    # 0.7 * 20 - 170.1, 0.7 * 10 - 201.3, -2.5 * 2 - 87
    np.testing.assert_allclose(derive.to_space(SEED, (2, 10, 20)), (-156.1, -194.3, -92.0), rtol=1e-15)


def test_a_sheared_grid_has_a_direction_that_is_not_orthogonal():
    # y = (0.2, 1, 0): sqrt(1.04) long; y . x / (|y| |x|) = 0.2 / sqrt(1.04)
    sheared = from_columns([(0, 0, 2), (0.2, 1, 0), (1, 0, 0)])
    cosines = np.array(derive.direction(sheared))
    assert derive.spacing(sheared) == [2, pytest.approx(math.sqrt(1.04), rel=1e-15), 1]
    off = cosines.T @ cosines - np.eye(3)
    assert np.abs(off).max() == pytest.approx(0.2 / math.sqrt(1.04), rel=1e-15)


def test_spacing_is_exact_where_a_column_has_one_number():
    # Squared, 1e-200 would vanish and 1e200 overflow.
    for value in (0.1, 0.3, 0.7, 1e-200, 1e200, 5e-324, 1.7e308):
        assert derive.spacing([[0.0, -value, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]) == [1.0, value]


numbers = st.floats(-1e6, 1e6).filter(lambda value: value == 0 or abs(value) > 1e-6)


@st.composite
def matrices(draw, rows=(1, 2, 3), columns=(1, 2, 3)):
    height = draw(st.sampled_from(rows))
    width = draw(st.sampled_from([n for n in columns if n <= height]))
    linear = draw(st.lists(st.lists(numbers, min_size=width, max_size=width), min_size=height, max_size=height))
    shift = draw(st.lists(numbers, min_size=height, max_size=height))
    return [[*row, move] for row, move in zip(linear, shift, strict=True)] + [[0.0] * width + [1.0]]


@settings(max_examples=200, deadline=None)
@given(matrices())
def test_spacing_is_the_exact_length_to_within_one_unit_in_the_last_place(matrix):
    for column, found in enumerate(derive.spacing(matrix)):
        square = sum(Fraction(row[column]) ** 2 for row in matrix[:-1])
        low, high = (Fraction(math.nextafter(found, to)) for to in (0.0, math.inf))
        assert (found == 0 and square == 0) or low**2 <= square <= high**2


@settings(max_examples=200, deadline=None)
@given(matrices())
def test_direction_is_one_division_rounded_once(matrix):
    lengths = derive.spacing(matrix)
    assume(all(lengths))
    for row, found in zip(matrix[:-1], derive.direction(matrix), strict=True):
        assert found == [float(Fraction(v) / Fraction(n)) for v, n in zip(row[:-1], lengths, strict=True)]


@settings(max_examples=150, deadline=None)
@given(matrices(rows=(3,), columns=(3,)))
def test_spacing_origin_and_direction_give_the_matrix_back(matrix):
    linear = np.array(matrix)[:3, :3]
    values = np.linalg.svd(linear, compute_uv=False)
    assume(values[-1] > 1e-6 * values[0])
    first = MLArray(np.zeros((1, 1, 1), "u1"), space="patient", matrix=matrix, compressed=False)
    parts = {"spacing": first.spacing, "origin": first.origin, "direction": first.direction}
    assume(np.linalg.svd(np.array(parts["direction"]), compute_uv=False)[-1] > 1e-6)
    again = MLArray(np.zeros((1, 1, 1), "u1"), space="patient", **parts, compressed=False).matrix()
    for row in range(3):
        assert again[row][3] == matrix[row][3]
        for column, (value, found) in enumerate(zip(matrix[row][:3], again[row], strict=False)):
            exact = Fraction(parts["direction"][row][column]) * Fraction(parts["spacing"][column])
            assert found == float(exact)
            assert found == value or found in {math.nextafter(value, math.inf), math.nextafter(value, -math.inf)}


@pytest.mark.parametrize("signs", list(product((1, -1), repeat=3)))
@pytest.mark.parametrize("rows", list(permutations(range(3))))
def test_an_axis_aligned_matrix_comes_back_bit_for_bit(rows, signs):
    matrix = [[0.0] * 3 + [shift] for shift in (0.1, -201.3, 1e9)] + [[0.0, 0.0, 0.0, 1.0]]
    for column, (row, sign, size) in enumerate(zip(rows, signs, (2.5, 0.7, 0.1), strict=True)):
        matrix[row][column] = sign * size
    first = MLArray(np.zeros((1, 1, 1), "u1"), space="patient", matrix=matrix, compressed=False)
    again = MLArray(
        np.zeros((1, 1, 1), "u1"), space="patient", spacing=first.spacing, origin=first.origin,
        direction=first.direction, compressed=False,
    )  # fmt: skip
    assert first.matrix() == again.matrix() == matrix


def test_no_negative_zero_is_derived():
    matrix = [[-0.0, 2.0, -0.0], [-3.0, -0.0, -0.0], [-0.0, 0.0, 1.0]]
    assert not np.signbit(derive.origin(matrix)).any()
    assert [[math.copysign(1, v) for v in row] for row in derive.direction(matrix)] == [[1, 1], [-1, 1]]
    assert not np.signbit(derive.to_space([[-2.0, 0.0], [0.0, 1.0]], [0])).any()
    assert not np.signbit(derive.to_index([[-2.0, 0.0], [0.0, 1.0]], [0])).any()


# Units ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("units", "mixed"),
    [
        (({"unit_code": "mm"}, {"unit_code": "mm"}), False),
        (({}, {}), False),
        (({"unit": "furlong"}, {"unit": "furlong"}), False),
        (({"unit_code": "mm"}, {"unit_code": "cm"}), True),
        (({"unit_code": "mm"}, {}), True),
        (({"unit": "furlong"}, {"unit": "rod"}), True),
    ],
)
def test_a_distance_needs_one_unit(units, mixed):
    space = {"name": "w", "axes": [{"name": name, **unit} for name, unit in zip("yx", units, strict=True)]}
    if not mixed:
        derive.refuse_mixed_units(space, ("here",))
        return
    with pytest.raises(ArgumentError) as caught:
        derive.refuse_mixed_units(space, ("here",))
    assert (caught.value.code, caught.value.at) == ("conflict", ("here",))


# Letters -------------------------------------------------------------------------------------------------------------

TOWARD = {"left": "LR", "posterior": "PA", "superior": "SI"}


@pytest.mark.parametrize("signs", list(product((1, -1), repeat=3)))
@pytest.mark.parametrize("rows", list(permutations(range(3))))
def test_each_of_the_48_orientations_has_its_letters(rows, signs):
    columns = [[0.0] * 3 for _ in range(3)]
    for column, row, sign, size in zip(columns, rows, signs, (2.5, 0.7, 0.6), strict=True):
        column[row] = sign * size
    expected = "".join(TOWARD[LPS[row]][sign < 0] for row, sign in zip(rows, signs, strict=True))
    assert derive.letter_codes(from_columns(columns), LPS) == expected


def about_z(degrees, sizes=(3.0, 0.9, 0.8)):
    s, c = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    return from_columns([(0, 0, sizes[0]), (-s * sizes[1], c * sizes[1], 0), (c * sizes[2], s * sizes[2], 0)])


@pytest.mark.parametrize(
    ("degrees", "expected"),
    [(10, "SPL"), (30, "SPL"), (44, "SPL"), (45, "SRP"), (46, "SRP"), (60, "SRP"), (134, "SRP"), (136, "SAR")],
)
def test_the_larger_entry_decides_and_at_a_tie_the_first_axis_of_the_space(degrees, expected):
    # At 45 degrees sine and cosine differ in their last place, and in more as float32: both are the same tie.
    assert derive.letter_codes(about_z(degrees), LPS) == expected
    assert derive.letter_codes(np.array(about_z(degrees), np.float32).tolist(), LPS) == expected


@pytest.mark.parametrize("degrees", [10, 30, 44, 46, 60, 100, 170, 200, 314, 350])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_letters_agree_with_nibabel_for_rotations(degrees, axis):
    nibabel = pytest.importorskip("nibabel")
    s, c = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    turn = np.eye(3)
    a, b = [i for i in range(3) if i != axis]
    turn[a, a], turn[a, b], turn[b, a], turn[b, b] = c, -s, s, c
    matrix = np.eye(4)
    matrix[:3, :3] = turn @ np.diag([3.0, 0.9, 0.8])
    affine = np.diag([-1.0, -1.0, 1.0, 1.0]) @ matrix  # to right, anterior, superior
    assert derive.letter_codes(matrix.tolist(), LPS) == "".join(nibabel.aff2axcodes(affine))


def test_letters_agree_with_nibabel_for_random_oblique_grids():
    nibabel = pytest.importorskip("nibabel")
    random = np.random.default_rng(7)
    compared = 0
    for _ in range(200):
        turn, _ = np.linalg.qr(random.normal(size=(3, 3)))
        sizes = np.sort(np.abs(turn).ravel())
        if np.diff(sizes).min() < 1e-3:  # too near to a tie
            continue
        matrix = np.eye(4)
        matrix[:3, :3] = turn @ np.diag(random.uniform(0.3, 5, 3))
        affine = np.diag([-1.0, -1.0, 1.0, 1.0]) @ matrix
        assert derive.letter_codes(matrix.tolist(), LPS) == "".join(nibabel.aff2axcodes(affine))
        compared += 1
    assert compared > 100


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_an_axis_that_is_used_needs_an_anatomical_word(missing):
    for word in (None, "north", "up"):
        words = [word if row == missing else LPS[row] for row in range(3)]
        assert derive.letter_codes(SEED, words) is None
    # a slice along the two other axes does not use it
    used = [row for row in range(3) if row != missing]
    columns = [
        [1.0 if row == used[0] else 0.0 for row in range(3)],
        [-2.0 if row == used[1] else 0.0 for row in range(3)],
    ]
    words = [None if row == missing else LPS[row] for row in range(3)]
    assert derive.letter_codes(from_columns(columns), words) == TOWARD[LPS[used[0]]][0] + TOWARD[LPS[used[1]]][1]


def test_a_tie_of_six_goes_by_rows_then_columns():
    # Two thirds off the diagonal, minus one third on it. x takes the first free column but its own, the second; y the
    # first; z is left with the third, where it falls.
    assert derive.letter_codes(from_columns([(-1, 2, 2), (2, -1, 2), (2, 2, -1)]), LPS) == "PLI"


def test_an_index_that_does_not_move_along_the_axis_left_for_it_has_no_letter():
    # 9/sqrt(83) = 0.988 takes x for the first column, 2/sqrt(5) = 0.894 takes y for the second; the third is flat in z.
    assert derive.letter_codes(from_columns([(9, 1, 1), (0, 2, 1), (1, 1, 0)]), LPS) is None
    # With 1 in z instead it moves along z.
    assert derive.letter_codes(from_columns([(9, 1, 1), (0, 2, 1), (1, 1, 1)]), LPS) == "LPS"


# Coordinates ---------------------------------------------------------------------------------------------------------

places = st.floats(-1e4, 1e4).filter(lambda value: value == 0 or abs(value) > 1e-6)


@settings(max_examples=200, deadline=None)
@given(matrices(), st.data())
def test_coordinates_are_those_of_exact_arithmetic(matrix, data):
    width = len(matrix[0]) - 1
    index = data.draw(st.lists(places, min_size=width, max_size=width))
    for row, found in zip(matrix[:-1], derive.to_space(matrix, index), strict=True):
        terms = [Fraction(a) * Fraction(b) for a, b in zip(row, [*index, 1.0], strict=True)]
        assert abs(Fraction(float(found)) - sum(terms)) <= 8 * Fraction(2) ** -53 * sum(map(abs, terms))


@settings(max_examples=200, deadline=None)
@given(matrices(), st.data())
def test_index_and_coordinate_are_each_others_inverse(matrix, data):
    linear = np.array(matrix)[:-1, :-1]
    values = np.linalg.svd(linear, compute_uv=False)
    assume(values[-1] > 1e-3 * values[0] > 0)
    width = linear.shape[1]
    index = data.draw(st.lists(st.lists(places, min_size=width, max_size=width), min_size=1, max_size=4))
    coord = derive.to_space(matrix, index)
    room = 1e-12 * (1 + np.abs(index).max() + np.abs(coord).max() / values[-1]) * values[0] / values[-1]
    np.testing.assert_allclose(derive.to_index(matrix, coord), index, rtol=0, atol=room)
    np.testing.assert_allclose(
        derive.to_space(matrix, derive.to_index(matrix, coord)), coord, rtol=0, atol=room * values[0] * 2
    )


def test_a_point_beside_a_slice_has_the_index_of_the_nearest_one():
    # y = (0, 0.3, 0.4), x = (0.25, 0, 0); index (2, 4) is at (11, 20.6, 30.8); (0, 0.8, -0.6) stands on the slice.
    matrix = from_columns([(0, 0.3, 0.4), (0.25, 0, 0)], (10.0, 20.0, 30.0))
    for away in (0, 5, -7):
        found = derive.to_index(matrix, (11, 20.6 + 0.8 * away, 30.8 - 0.6 * away))
        np.testing.assert_allclose(found, (2, 4), rtol=1e-12)


def test_the_centre_of_a_voxel_is_at_its_whole_index():
    # Between the centres of two neighbours is their common face: half a spacing from each.
    a, face, b = derive.to_space(SEED, [(0, 0, 0), (0.5, 0, 0), (1, 0, 0)])
    np.testing.assert_allclose(face, (a + b) / 2)
    assert a.tolist() == derive.origin(SEED)


@pytest.mark.parametrize("shape", [(), (2,), (2, 5), (0,), (0, 4)])
def test_points_keep_their_leading_shape(shape):
    index = np.arange(np.prod((*shape, 3)), dtype="i4").reshape(*shape, 3)
    coord = derive.to_space(SEED, index)
    assert coord.shape == (*shape, 3)
    assert coord.dtype == np.float64
    assert derive.to_index(SEED, coord).shape == (*shape, 3)
    np.testing.assert_allclose(derive.to_index(SEED, coord), index, atol=1e-12)


@pytest.mark.parametrize("call", [derive.to_space, derive.to_index])
@pytest.mark.parametrize("value", [5, [1, 2], [1, 2, 3, 4], np.zeros((3, 2)), []])
def test_points_of_another_length_are_refused(call, value):
    with pytest.raises(ArgumentError) as caught:
        call(SEED, value)
    assert caught.value.code == "wrong_length"


@pytest.mark.parametrize("call", [derive.to_space, derive.to_index])
@pytest.mark.parametrize(
    "value", [["1", "2", "3"], [None, 1, 2], [True, False, True], [1j, 2, 3], [[1, 2, 3], [1, 2]], "abc"]
)
def test_points_that_are_no_numbers_are_refused(call, value):
    with pytest.raises(ArgumentTypeError) as caught:
        call(SEED, value)
    assert caught.value.code == "wrong_type"


def test_points_are_not_changed():
    index = np.array([[2.0, 10.0, 20.0]])
    derive.to_space(SEED, index)
    derive.to_index(SEED, index)
    assert index.tolist() == [[2.0, 10.0, 20.0]]
