"""Placement in other units, and comparing grids."""

from dataclasses import replace

import numpy as np
import pytest

from worldarray.errors import UnitError
from worldarray.records import ArrayMeta


def meta(axes=("z", "y", "x"), units=None, **changes):
    n = len(axes)
    facts = {
        "shape": (5, 6, 7, 8)[:n],
        "dtype": np.dtype("uint8"),
        "chunk_shape": (2, 3, 4, 5)[:n],
        "axes": axes,
        "axes_named": True,
        "units": ("nm",) * n if units is None else units,
        "voxel_size": (40.0, 8.0, 4.0, 2.0)[:n],
        "translation": (20.0, 12.0, 6.0, 3.0)[:n],
        "format": "zarr2",
        "path": "em.zarr/s0",
    }
    return ArrayMeta(**{**facts, **changes})


def test_spatial_axes_are_converted_exactly_and_reported_by_ome_names():
    found = meta(units=("µm", "nm", "angstrom"), voxel_size=(0.004, 8.0, 4.0), translation=(0.0007, 12.0, 6.0)).in_nm()
    assert found.units == ("nanometer",) * 3
    assert found.voxel_size == (4.0, 8.0, 0.4)
    assert found.translation == (0.7, 12.0, 0.6)  # 0.0007 * 1000, 6 / 10
    assert found.notices == ()


def test_only_the_kinds_asked_for_are_converted():
    stored = meta(("t", "c", "y", "x"), ("ms", "", "um", "um"))
    assert stored.in_units(space="nm").units == ("ms", "", "nanometer", "nanometer")
    timed = stored.in_units(time="s")
    assert timed.units == ("second", "", "um", "um")
    assert timed.voxel_size == (0.04, 8.0, 4.0, 2.0)  # 40 ms
    assert timed.translation == (0.02, 12.0, 6.0, 3.0)
    assert stored.in_units() == stored
    both = stored.in_units(space="millimeter", time="us")
    assert both.voxel_size == (40_000.0, 8.0, 0.004, 0.002)


def test_a_spatial_axis_without_a_unit_is_nanometres_with_one_notice():
    found = meta(("c", "z", "y", "x"), ("", "", "nm", "")).in_units(space="um")
    assert found.units == ("", "micrometer", "micrometer", "micrometer")
    assert found.voxel_size == (40.0, 0.008, 0.004, 0.002)
    (notice,) = found.notices
    assert notice.code == "missing_field"
    assert notice.at == ("em.zarr/s0", "units")
    assert "z, x" in notice.message
    assert "nanometer" in notice.message
    assert found.in_nm().notices == found.notices


def test_notices_of_the_documents_stay_in_front():
    first = meta(units=("", "", "")).in_nm().notices
    assert len(meta(units=("", "", ""), notices=first).in_nm().notices) == 2
    assert meta(units=("", "", ""), notices=first).in_nm().notices[0] == first[0]


def test_a_time_axis_without_a_unit_is_taken_as_the_unit_wanted():
    found = meta(("t", "y", "x"), ("", "nm", "nm")).in_units(time="ms")
    assert found.units == ("millisecond", "nm", "nm")
    assert found.voxel_size == (40.0, 8.0, 4.0)
    assert [n.code for n in found.notices] == ["missing_field"]


@pytest.mark.parametrize("unit", ["pixel", "second"])
def test_a_unit_on_z_y_or_x_that_is_no_length_raises_when_it_is_converted(unit):
    stored = meta(units=("nm", unit, "nm"))
    assert stored.in_units(time="s") == stored
    with pytest.raises(UnitError) as caught:
        stored.in_nm()
    assert caught.value.code == "unknown_unit"
    assert caught.value.at == ("em.zarr/s0", "units", 1)
    assert repr(unit) in str(caught.value)
    lax = stored.in_units(space="nm", strict=False)
    assert lax.units == ("nanometer",) * 3
    assert lax.voxel_size == stored.voxel_size
    assert [n.code for n in lax.notices] == ["unknown_unit"]


def test_a_climate_array_opens_with_defaults():
    stored = meta(("time", "lat", "lon"), ("hour", "degrees_north", "degrees_east"))
    found = stored.in_nm()
    assert found.units == stored.units
    assert found.voxel_size == stored.voxel_size
    assert found.notices == ()
    assert stored.in_units(space="nm", time="minute").voxel_size == (2400.0, 8.0, 4.0)


def test_an_unknown_time_unit_raises_when_time_is_converted():
    stored = meta(("time", "y", "x"), ("days since 1850-01-01", "nm", "nm"))
    assert stored.in_nm().units[0] == "days since 1850-01-01"
    with pytest.raises(UnitError):
        stored.in_units(time="s")
    assert stored.in_units(time="s", strict=False).units[0] == "second"


def test_a_spatial_axis_by_place_is_converted_when_its_unit_is_a_length():
    found = meta(("depth", "row", "column"), ("um", "pixel", "")).in_nm()
    assert found.units == ("nanometer", "pixel", "nanometer")
    assert found.voxel_size == (40_000.0, 8.0, 4.0)


@pytest.mark.parametrize("wanted", ["pixel", "second", ""])
def test_the_unit_wanted_must_be_a_known_length(wanted):
    with pytest.raises(UnitError):
        meta().in_units(space=wanted)


def test_axis_types_decide_what_is_time():
    found = meta(("u", "y", "x"), ("ms", "nm", "nm"), axis_types=("time", "space", "space")).in_units(time="us")
    assert found.voxel_size == (40_000.0, 8.0, 4.0)


# Comparing -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"units": ("nanometre", "Nanometer", "nm")},
        {"voxel_size": (40.0 * (1 + 5e-7), 8.0, 4.0)},
        {"translation": (20.000001, 12.0, 6.0)},
        {"path": "other.zarr", "format": "zarr3", "dtype": np.dtype("int64"), "attrs": {"a": 1}},
    ],
)
def test_the_same_grid_however_it_is_spelled(changes):
    assert meta().same_grid(replace(meta(), **changes))
    assert replace(meta(), **changes).same_grid(meta())


@pytest.mark.parametrize(
    "changes",
    [
        {"shape": (5, 6, 8)},
        {"chunk_shape": (2, 3, 5)},
        {"shard_shape": (4, 6, 8)},
        {"axes": ("z", "x", "y")},
        {"units": ("nm", "nm", "um")},
        {"units": ("nm", "nm", "")},
        {"voxel_size": (40.0, 8.0, 4.00001)},
        {"translation": (20.0, 12.0, 6.1)},
    ],
)
def test_another_grid_is_another_grid(changes):
    assert not meta().same_grid(replace(meta(), **changes))


def test_a_grid_without_units_equals_only_one_without():
    bare = meta(units=("", "", ""))
    assert bare.same_grid(meta(units=("", "", "")))
    assert not bare.same_grid(meta(units=("", "", "pixel")))
