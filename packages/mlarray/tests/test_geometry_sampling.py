"""Coordinates of axes that are not of type space."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from mlarray.geometry.sampling import axis_coordinates

numbers = st.floats(-1e9, 1e9)


@settings(max_examples=100, deadline=None)
@given(numbers, numbers.filter(bool), st.integers(0, 50))
def test_coordinates_are_a_product_and_a_sum_each_rounded_once(start, step, size):
    expected = [float(Fraction(start) + Fraction(float(Fraction(step) * index))) for index in range(size)]
    assert axis_coordinates({"start": start, "step": step}, size) == expected


def test_listed_coordinates_are_floats_of_their_own():
    axis = {"coordinates": [0, 1000, 500.5]}
    found = axis_coordinates(axis, 3)
    assert found == [0.0, 1000.0, 500.5]
    assert {type(value) for value in found} == {float}
    found.append(1.0)
    assert axis["coordinates"] == [0, 1000, 500.5]


def test_an_axis_without_sampling_has_none():
    assert axis_coordinates({"name": "t", "type": "time", "unit": "second"}, 4) is None
