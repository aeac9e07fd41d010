"""Behaviour 11, exists="adopt": every field in which an array that exists is not the one wanted, and no other."""

import json
from dataclasses import replace

import pytest

from worldarray.describing.describe import describe_array
from worldarray.documents.source import MappingSource
from worldarray.errors import ArgumentError
from worldarray.paths import parse_path
from worldarray_write.differences import differences, refuse_differences, storage_notices
from worldarray_write.documents import array_documents, group_documents
from worldarray_write.layout import Storing, Wanted, validate
from worldarray_write.multiscales import OF_FORMAT, ome_multiscales

GOOD = Wanted(
    (60, 41, 200), "float32", (30, 10.48, 8), (15, 5.24, 0), "zarr3", chunks=(10, 16, 32), shards=(20, 16, 32)
)
OLD = replace(GOOD, format="zarr2", shards=None)


def existing(wanted, *, listed=True, edit=None):
    """The array that `wanted` creates, listed in its group or not, as its documents describe it."""
    planned = validate(wanted)
    grid = planned.grid
    store = {f"v/s0/{key}": data for key, data in array_documents(planned.layout).items()}
    if listed:
        level = ("s0", grid.every_voxel_size, grid.every_translation)
        attributes = ome_multiscales(grid.axes, grid.units, [level], OF_FORMAT[wanted.format], grid.axis_types)
        store |= {f"v/{key}": data for key, data in group_documents(wanted.format, attributes).items()}
    for key, change in (edit or {}).items():
        store[key] = json.dumps({**json.loads(store.get(key, b"{}")), **change}).encode()
    return describe_array(MappingSource(store), parse_path("v/s0"))


@pytest.mark.parametrize("wanted", [GOOD, OLD, replace(GOOD, axes=("t", "y", "x"), units={"time": "s", "space": "um"})])
@pytest.mark.parametrize("listed", [True, False])
def test_the_same_array_has_no_difference_whether_or_not_its_group_lists_it_yet(wanted, listed):
    found = existing(wanted, listed=listed)
    assert differences(found, validate(wanted)) == ()
    assert storage_notices(found, validate(wanted)) == ()


@pytest.mark.parametrize(
    ("change", "field", "found", "wanted"),
    [
        ({"shape": (60, 41, 201)}, "shape", (60, 41, 200), (60, 41, 201)),
        ({"dtype": "float64"}, "dtype", "float32", "float64"),
        ({"chunks": (5, 16, 32)}, "chunks", (10, 16, 32), (5, 16, 32)),
        ({"shards": (20, 32, 32)}, "shards", (20, 16, 32), (20, 32, 32)),
        ({"shards": None}, "shards", (20, 16, 32), None),
        ({"fill_value": 1}, "fill_value", 0.0, 1.0),
        ({"fill_value": "Infinity"}, "fill_value", 0.0, float("inf")),
        ({"axes": ("a", "y", "x")}, "axes", ("z", "y", "x"), ("a", "y", "x")),
        ({"units": ("um", "nm", "nm")}, "units", ("nanometer",) * 3, ("micrometer", "nanometer", "nanometer")),
        ({"voxel_size": (30, 10.5, 8)}, "voxel_size", (30.0, 10.48, 8.0), (30.0, 10.5, 8.0)),
        ({"translation": (15, 5.25, 0)}, "translation", (15.0, 5.24, 0.0), (15.0, 5.25, 0.0)),
    ],
)
def test_each_difference_is_told_with_the_value_found_and_the_value_wanted(change, field, found, wanted):
    units = change.get("units")
    rows = {name: (a, b) for name, a, b in differences(existing(GOOD), validate(replace(GOOD, **change)))}
    if units is not None:  # 30 nm is not 30 um either; the other axes agree
        assert set(rows) == {"units", "voxel_size", "translation"}
    elif field == "axes":  # y and x alone are spatial then, so the first axis has no unit
        assert set(rows) >= {"axes"}
    else:
        assert set(rows) == {field}
    assert rows[field] == (found, wanted)


def test_all_differences_are_told_at_once():
    wanted = validate(replace(GOOD, shape=(61, 41, 200), dtype="uint8", voxel_size=(31, 10.48, 8)))
    found = differences(existing(GOOD), wanted)
    assert [row.field for row in found] == ["shape", "dtype", "voxel_size"]
    with pytest.raises(ArgumentError) as caught:
        refuse_differences("v/s0", found)
    assert [p.at for p in caught.value.problems] == [("v/s0", name) for name in ("shape", "dtype", "voxel_size")]
    assert "31.0" in str(caught.value)
    refuse_differences("v/s0", ())


def test_nan_fills_are_the_same_and_null_is_none():
    nan = replace(GOOD, fill_value=float("nan"))
    assert differences(existing(nan), validate(nan)) == ()
    assert [d.field for d in differences(existing(nan), validate(GOOD))] == ["fill_value"]
    null = replace(OLD, fill_value=None)
    assert differences(existing(null), validate(null)) == ()
    assert [d.field for d in differences(existing(null), validate(OLD))] == ["fill_value"]
    pair = replace(GOOD, dtype="complex64", fill_value=[1, "NaN"])
    assert differences(existing(pair), validate(pair)) == ()
    assert [d.field for d in differences(existing(pair), validate(replace(pair, fill_value=[2, "NaN"])))] == [
        "fill_value"
    ]


def test_placement_agrees_within_a_millionth_and_units_by_meaning():
    near = replace(GOOD, voxel_size=(30.00001, 10.48, 8), translation=(15, 5.24, 1e-9))
    assert differences(existing(GOOD), validate(near)) == ()
    entry = {"type": "scale", "scale": [30.0, 10.48, 8.0]}, {"type": "translation", "translation": [15.0, 5.24, 0.0]}
    axes = [{"name": name, "type": "space", "unit": "nm"} for name in "zyx"]
    document = {"multiscales": [{"axes": axes, "datasets": [{"path": "s0", "coordinateTransformations": entry}]}]}
    found = existing(GOOD, edit={"v/zarr.json": {"attributes": {"ome": {"version": "0.5", **document}}}})
    assert found.meta.units == ("nm", "nm", "nm")
    assert differences(found, validate(GOOD)) == ()


def test_a_placement_in_another_unit_differs_in_the_unit_alone():
    # 0.03 um is 30 nm, 0.01048 um 10.48 nm, 0.008 um 8 nm
    small = replace(GOOD, units="um", voxel_size=(0.03, 0.01048, 0.008), translation=(0.015, 0.00524, 0))
    assert [d.field for d in differences(existing(small), validate(GOOD))] == ["units"]


def test_an_array_that_other_documents_place_is_compared_with_what_they_say():
    # corner 0, 0, 0 at (30, 10, 8) nm: centres 15, 5, 4
    legacy = {"v/s0/.zattrs": {"voxel_size": [30, 10, 8], "offset": [0, 0, 0], "units": ["nm", "nm", "nm"]}}
    wanted = replace(OLD, voxel_size=(30, 10, 8), translation=(15, 5, 4))
    found = existing(wanted, listed=False, edit=legacy)
    assert found.meta.placed_by == "funlib"
    assert differences(found, validate(wanted)) == ()
    moved = validate(replace(wanted, translation=(0, 5, 4)))
    assert [d.field for d in differences(found, moved)] == ["translation"]


def test_another_format_and_another_number_of_axes_are_differences():
    assert [d.field for d in differences(existing(OLD), validate(replace(GOOD, shards=None)))] == ["format"]
    flat = Wanted((41, 200), "float32", (10.48, 8), (5.24, 0), "zarr3", chunks=(16, 32), shards=(16, 32))
    assert [d.field for d in differences(existing(GOOD), validate(flat))] == ["shape", "chunks", "shards"]


@pytest.mark.parametrize(
    ("there", "wanted", "names"),
    [
        (GOOD, replace(GOOD, codecs="none"), ["codecs"]),
        (OLD, replace(OLD, codecs={"id": "gzip", "level": 5}), ["codecs"]),
        (replace(OLD, storing=Storing(separator=".", order="F")), OLD, ["separator", "order"]),
        (replace(GOOD, storing=Storing(encoding="v2")), GOOD, ["separator", "encoding"]),
        (OLD, replace(GOOD, shards=None), []),
    ],
)
def test_another_way_to_store_chunks_is_a_notice_only(there, wanted, names):
    found = existing(there)
    assert {d.field for d in differences(found, validate(wanted))} <= {"format"}
    assert [note.at for note in storage_notices(found, validate(wanted))] == [("v/s0", name) for name in names]


def test_the_byte_order_of_an_array_is_no_difference():
    found = existing(OLD, edit={"v/s0/.zarray": {"dtype": ">f4"}})
    assert differences(found, validate(OLD)) == ()
