"""Moments of numpy and pandas that Arrow cannot hold: told, and never another moment."""

import datetime

import numpy as np
import pyarrow as pa
import pytest

from maml_parquet.arrow.arrays import array_of
from maml_parquet.arrow.incoming import columns_of
from maml_parquet.errors import MamlError


@pytest.mark.parametrize(
    "values",
    [
        np.array(["NaT", 1001], "M8[ps]"),  # 1.001 ns
        np.array([0, 1], "M8[fs]"),
        np.array([0, 1], "M8[as]"),
        # Days are counted in 32 bits: the last one is 2**31 - 1.
        np.array([0, 2**31], "M8[D]"),
        np.array([0, -(2**31) - 1], "M8[D]"),
        np.array([0, 20_000_000_000], "M8[Y]"),
    ],
)
def test_a_moment_that_arrow_has_not_is_told(values):
    with pytest.raises(MamlError, match="is no moment in units of") as caught:
        array_of(values, "x")
    assert (caught.value.code, caught.value.at) == ("value", ("x", 1))
    # Masked values are Null, whatever they are.
    assert array_of(np.ma.masked_array(values, [False, True]), "x").null_count >= 1


def test_moments_that_arrow_has_stay():
    day = datetime.date(1970, 1, 1)
    assert array_of(np.array(["NaT", 0, 1], "M8[Y]"), "x").to_pylist() == [None, day, day.replace(year=1971)]
    ends = array_of(np.array([2**31 - 1, -(2**31)], "M8[D]"), "x")
    assert ends.cast(pa.int32()).to_pylist() == [2**31 - 1, -(2**31)]
    # 3000 ps are 3 ns; 7 times 10 us are 70 us, and 70 000 ns.
    assert array_of(np.array([3000], "M8[ps]"), "x").cast(pa.int64()).to_pylist() == [3]
    assert array_of(np.array([7], "M8[10us]"), "x").cast(pa.int64()).to_pylist() == [70_000]
    assert array_of(np.array(["NaT"], "M8"), "x").to_pylist() == [None]


def test_periods_are_no_numbers():
    pandas = pytest.importorskip("pandas")
    periods = pandas.period_range("2020", "2021", freq="Y")
    for values in (periods, pandas.Series(periods), list(periods)):
        with pytest.raises(MamlError, match="of periods, which are no dates; give their beginnings"):
            columns_of({"x": values})
    assert columns_of({"x": periods.to_timestamp()})[1] == 2
