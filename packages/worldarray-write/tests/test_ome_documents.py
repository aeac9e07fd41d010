"""Behaviour 10: what ome_multiscales writes, wa.metadata reads back exactly; and other validators accept."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import worldarray as wa
from worldarray.describing.describe import describe_array
from worldarray.documents.source import MappingSource
from worldarray.errors import ArgumentError, ArgumentTypeError, UnitError
from worldarray.paths import parse_path
from worldarray_write.documents import array_documents, group_documents
from worldarray_write.layout import Wanted, validate
from worldarray_write.multiscales import OF_FORMAT, ome_multiscales

AXES = {
    ("z", "y", "x"): ("nanometer", "nanometer", "nanometer"),
    ("c", "z", "y", "x"): ("", "micrometer", "micrometer", "micrometer"),
    ("t", "c", "z", "y", "x"): ("second", "", "nanometer", "nanometer", "nanometer"),
}
LEVELS = {  # non-whole factors, translations of their own, a zero and a negative among them
    "s0": ((30.0, 10.48, 8.0), (15.0, 5.24, 0.0)),
    "s1": ((30.0, 20.96, 17.3), (-3.7, 10.48, 4.65)),
    "s2": ((61.7, 43.1, 37.9), (1e9, 0.1, 1e-9)),
}


def read(format, axes, units, levels, **more):
    """What core reads of each level: documents in, records out."""
    attributes = ome_multiscales(axes, units, [(n, *p) for n, p in levels.items()], OF_FORMAT[format], **more)
    store = {f"v/{key}": data for key, data in group_documents(format, attributes).items()}
    ndim = len(axes)
    for name in levels:
        wanted = Wanted(
            tuple(range(5, 5 + ndim)), "uint8", (1,) * ndim, (0,) * ndim, format, chunks=(3,) * ndim, axes=axes
        )
        store |= {f"v/{name}/{k}": data for k, data in array_documents(validate(wanted).layout).items()}
    return {name: describe_array(MappingSource(store), parse_path(f"v/{name}")).meta for name in levels}


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("format", ["zarr2", "zarr3"])
def test_documents_read_back_as_they_were_given(format, axes):
    lead = len(axes) - 3
    for name, meta in read(format, axes, AXES[axes], LEVELS).items():
        size, translation = LEVELS[name]
        assert meta.voxel_size == (1.0,) * lead + size
        assert meta.translation == (0.0,) * lead + translation
        assert (meta.axes, meta.units) == (axes, AXES[axes])
        assert (meta.placed_by, meta.translation_declared, meta.notices) == ("ome", True, ())


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("format", ["zarr2", "zarr3"])
def test_documents_on_disk_read_back_through_metadata(tmp_path, format, axes):
    levels = [(n, *p) for n, p in LEVELS.items()]
    attributes = ome_multiscales(axes, AXES[axes], levels, OF_FORMAT[format])
    documents = {tmp_path / key: data for key, data in group_documents(format, attributes).items()}
    ndim = len(axes)
    for name, *_ in levels:
        wanted = Wanted((4,) * ndim, "float32", (1,) * ndim, (0,) * ndim, format, chunks=(4,) * ndim, axes=axes)
        (tmp_path / name).mkdir()
        documents |= {tmp_path / name / key: data for key, data in array_documents(validate(wanted).layout).items()}
    for path, data in documents.items():
        path.write_bytes(data)
    for name, size, translation in levels:
        for opened in (True, False):
            meta = wa.metadata(tmp_path, level=name, open=opened)
            assert (meta.voxel_size[-3:], meta.translation[-3:], meta.units) == (size, translation, AXES[axes])
    assert wa.open_pyramid(tmp_path, units=None).names == tuple(LEVELS)


numbers = st.floats(-1e300, 1e300)


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(["zarr2", "zarr3"]),
    st.lists(st.tuples(st.floats(1e-300, 1e300), numbers), min_size=4, max_size=4),
)
def test_any_finite_placement_of_every_axis_reads_back(format, rows):
    size, translation = (tuple(column) for column in zip(*rows, strict=True))
    (meta,) = read(format, ("t", "z", "y", "x"), None, {"s0": (size, translation)}).values()
    assert (meta.voxel_size, meta.translation) == (size, translation)


def test_integers_and_numpy_numbers_are_written_as_floats():
    level = ("s0", np.array([30, 8, 8]), (0, np.float32(0.5), np.int64(-4)))
    entry = ome_multiscales("zyx", None, [level])["ome"]["multiscales"][0]["datasets"][0]
    scale, translation = entry["coordinateTransformations"]
    assert json.dumps(scale["scale"]) == "[30.0, 8.0, 8.0]"
    assert json.dumps(translation["translation"]) == "[0.0, 0.5, -4.0]"


@pytest.mark.parametrize(
    ("units", "expected"),
    [
        ("nm", ("", "", "nanometer", "nanometer")),
        ({"space": "Å", "time": "hours"}, ("hour", "", "angstrom", "angstrom")),
        ({"space": None, "time": "µs"}, ("microsecond", "", "", "")),
        (("", None, "micron", "um"), ("", "", "micrometer", "micrometer")),
        ("", ("", "", "", "")),
        (None, ("", "", "", "")),
    ],
)
def test_units_are_written_in_omes_spelling_on_space_and_time_axes_only(units, expected):
    axes = ome_multiscales("tcyx", units, [("s0", (8, 4), (4, 2))])["ome"]["multiscales"][0]["axes"]
    assert [axis.get("unit", "") for axis in axes] == list(expected)
    assert all("unit" not in axis for axis, unit in zip(axes, expected, strict=True) if not unit)
    assert [axis["type"] for axis in axes] == ["time", "channel", "space", "space"]


def test_axis_types_may_be_given_and_axes_of_other_names_have_none():
    level = [("s0", (1, 2, 3), (0, 0, 0))]
    own = ome_multiscales(("time", "lat", "lon"), ("d", "degrees_north", "degrees_east"), level)
    assert own["ome"]["multiscales"][0]["axes"] == [
        {"name": "time", "type": "time", "unit": "day"},
        {"name": "lat", "unit": "degrees_north"},
        {"name": "lon", "unit": "degrees_east"},
    ]
    told = ome_multiscales(("a", "b", "c"), "nm", level, axis_types=("time", "space", ""))
    assert told["ome"]["multiscales"][0]["axes"] == [
        {"name": "a", "type": "time"},
        {"name": "b", "type": "space", "unit": "nanometer"},
        {"name": "c"},
    ]


def test_versions_name_themselves_where_each_says():
    levels = [("s0", (8, 4), (0, 0))]
    new = ome_multiscales("yx", "nm", levels, name="em", metadata={"by": ["mean", 2]})
    assert (list(new), new["ome"]["version"]) == (["ome"], "0.5")
    assert "version" not in new["ome"]["multiscales"][0]
    old = ome_multiscales("yx", "nm", levels, version="0.4")
    assert (list(old), old["multiscales"][0]["version"]) == (["multiscales"], "0.4")
    assert (new["ome"]["multiscales"][0]["name"], "name" in old["multiscales"][0]) == ("em", False)
    assert new["ome"]["multiscales"][0]["metadata"] == {"by": ["mean", 2]}


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("version", ["0.4", "0.5"])
def test_yaozarrs_accepts_the_documents(version, axes):
    yaozarrs = pytest.importorskip("yaozarrs")
    attributes = ome_multiscales(axes, AXES[axes], [(n, *p) for n, p in LEVELS.items()], version, name="em")
    found = yaozarrs.validate_ome_object(attributes if version == "0.4" else attributes["ome"])
    multiscale = found.multiscales[0]
    assert [dataset.path for dataset in multiscale.datasets] == list(LEVELS)


GOOD = {"axes": "zyx", "units": "nm", "levels": [("s0", (8, 4, 2), (0, 1, 2)), ("s1", (16, 8, 4), (4, 3, 3))]}
BAD = [
    ({"version": "0.6"}, "wrong_value", ("version",)),
    ({"version": "0.3"}, "wrong_value", ("version",)),
    ({"axes": "zyy"}, "duplicate", ("axes", 2)),
    ({"axes": ("z", "", "x")}, "wrong_value", ("axes", 1)),
    ({"axes": ("z", 1, "x")}, "wrong_type", ("axes", 1)),
    ({"axes": ()}, "missing_field", ("axes",)),
    ({"axes": 3}, "wrong_type", ("axes",)),
    ({"axis_types": ("space",)}, "wrong_length", ("axis_types",)),
    ({"axis_types": ("space", 1, "space")}, "wrong_type", ("axis_types", 1)),
    ({"units": "pixel"}, "unknown_unit", ("units",)),
    ({"units": {"space": "second"}}, "wrong_value", ("units", "space")),
    ({"units": {"channel": "nm"}}, "invalid_argument", ("units", "channel")),
    ({"units": ("nm", "nm")}, "wrong_length", ("units",)),
    ({"units": ("nm", "pixel", "nm")}, "unknown_unit", ("units", 1)),
    ({"units": ("nm", "second", "nm")}, "wrong_value", ("units", 1)),
    ({"units": ("nm", 8, "nm")}, "wrong_type", ("units", 1)),
    (
        {"axes": "cyx", "units": ("nm", "nm", "nm"), "levels": [("s0", (1, 2, 3), (0, 0, 0))]},
        "wrong_value",
        ("units", 0),
    ),
    ({"levels": []}, "missing_field", ("levels",)),
    ({"levels": "s0"}, "wrong_type", ("levels",)),
    ({"levels": [("s0", (8, 4, 2))]}, "wrong_type", ("levels", 0)),
    ({"levels": [("s0", (8, 4), (0, 1, 2))]}, "wrong_length", ("levels", 0, "voxel_size")),
    (
        {"levels": [("s0", (8, 4, 2), (0, 1, 2)), ("s1", (8, 4, 2), (0, 1))]},
        "wrong_length",
        ("levels", 1, "translation"),
    ),
    ({"levels": [("s0", (8, 0, 2), (0, 1, 2))]}, "not_positive", ("levels", 0, "voxel_size", 1)),
    ({"levels": [("s0", (8, 4, -2.0), (0, 1, 2))]}, "not_positive", ("levels", 0, "voxel_size", 2)),
    ({"levels": [("s0", (8, 4, 2), (0, float("inf"), 2))]}, "not_finite", ("levels", 0, "translation", 1)),
    ({"levels": [("s0", (8, "4 nm", 2), (0, 1, 2))]}, "wrong_type", ("levels", 0, "voxel_size")),
    ({"levels": [("s0", (8, 4, 2), (0, 1, 2))] * 2}, "duplicate", ("levels", 1)),
    ({"levels": [("", (8, 4, 2), (0, 1, 2))]}, "wrong_value", ("levels", 0)),
    ({"levels": [("../s0", (8, 4, 2), (0, 1, 2))]}, "wrong_value", ("levels", 0)),
    ({"levels": [("./s0", (8, 4, 2), (0, 1, 2))]}, "wrong_value", ("levels", 0)),
    ({"levels": [("/s0", (8, 4, 2), (0, 1, 2))]}, "wrong_value", ("levels", 0)),
    ({"levels": [(".", (8, 4, 2), (0, 1, 2))]}, "wrong_value", ("levels", 0)),
    ({"levels": [("a/b/c/d/e", (8, 4, 2), (0, 1, 2))]}, "wrong_value", ("levels", 0)),
    ({"levels": [(0, (8, 4, 2), (0, 1, 2))]}, "wrong_type", ("levels", 0)),
    ({"metadata": {"a": [1, float("nan")]}}, "not_finite", ("metadata", "a", 1)),
    ({"metadata": {1: 2}}, "wrong_type", ("metadata",)),
    ({"metadata": {"a": {2}}}, "wrong_type", ("metadata", "a")),
    ({"name": "\ud800"}, "wrong_value", ("name",)),
    ({"name": 7}, "wrong_type", ("name",)),
]


def test_the_neighbour_of_what_is_refused_passes():
    listed = ome_multiscales(**GOOD)["ome"]["multiscales"][0]["datasets"]
    assert [entry["path"] for entry in listed] == ["s0", "s1"]
    assert ome_multiscales(**{**GOOD, "levels": [("a/b/c/d", (8, 4, 2), (0, 1, 2))]})


@pytest.mark.parametrize(("change", "code", "at"), BAD, ids=[str(change) for change, *_ in BAD])
def test_what_cannot_be_written_is_refused_by_name(change, code, at):
    with pytest.raises((ArgumentError, ArgumentTypeError, UnitError)) as caught:
        ome_multiscales(**{**GOOD, **change})
    assert (caught.value.code, caught.value.at) == (code, at)


def test_a_mistyped_unit_is_met_with_a_suggestion():
    with pytest.raises(UnitError, match="nanometer"):
        ome_multiscales("yx", ("nanomter", "nm"), [("s0", (8, 4), (0, 0))])
