"""Group documents with one level listed: what is written, and what keeps its bytes."""

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldarray.describing.listing import list_pyramid
from worldarray.documents.source import MappingSource
from worldarray.errors import ArgumentError, PlacementError, WorldArrayError
from worldarray.paths import parse_path
from worldarray_write.datasets import GroupLevel
from worldarray_write.groups import group_of
from worldarray_write.merge import merged_group

AXES, UNITS, TYPES = ("c", "z", "y", "x"), ("", "nanometer", "nanometer", "nanometer"), ("channel", *["space"] * 3)


def level(name="s1", voxel_size=(1.0, 30.0, 16.0, 8.5), translation=(0.0, 15.0, 8.0, 4.25), **changes):
    arguments = {"axes": AXES, "units": UNITS, "axis_types": TYPES} | changes
    return GroupLevel(name, voxel_size, translation, **arguments)


def dataset(path, scale, translation=None):
    steps = [{"type": "scale", "scale": list(scale)}]
    if translation is not None:
        steps.append({"type": "translation", "translation": list(translation)})
    return {"path": path, "coordinateTransformations": steps}


AXES_JSON = [
    {"name": "c", "type": "channel"},
    *({"name": name, "type": "space", "unit": "nanometer"} for name in "zyx"),
]
S0 = dataset("s0", (1.0, 30.0, 8.0, 4.25), (0.0, 15.0, 4.0, 2.125))
S2 = dataset("s2", (1.0, 60.0, 32.0, 17.0), (0.0, 30.0, 16.0, 8.5))


def multiscale(*datasets, **more):
    return {"axes": AXES_JSON, "datasets": list(datasets), **more}


def v2(attributes=None, **layout):
    documents = {".zgroup": b'{"zarr_format": 2}'}
    return documents if attributes is None else documents | {".zattrs": json.dumps(attributes, **layout).encode()}


def v3(attributes=None, **layout):
    document = {"zarr_format": 3, "node_type": "group"} | ({} if attributes is None else {"attributes": attributes})
    return {"zarr.json": json.dumps(document, **layout).encode()}


def both(*multiscales, **others):
    """The same group in both formats."""
    old = [{"version": "0.4", **entry} for entry in multiscales]
    return v2({**others, "multiscales": old}), v3({**others, "ome": {"version": "0.5", "multiscales": [*multiscales]}})


def attributes(documents):
    if "zarr.json" in documents:
        return json.loads(documents["zarr.json"])["attributes"]
    return json.loads(documents[".zattrs"])


def multiscales(documents):
    found = attributes(documents)
    return (found["ome"] if "zarr.json" in documents else found)["multiscales"]


def paths(documents):
    return [entry["path"] for entry in multiscales(documents)[0]["datasets"]]


def read_back(documents, name):
    """The placement that a reader finds for a level: over every axis, as stored."""
    listing = list_pyramid(MappingSource({f"em/{key}": data for key, data in documents.items()}), parse_path("em"))
    return listing.placements[listing.names.index(name)]


# A group that is not there yet ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("format", "wanted"),
    [
        (
            "zarr2",
            {
                ".zgroup": {"zarr_format": 2},
                ".zattrs": {
                    "multiscales": [
                        {
                            "version": "0.4",
                            "name": "em",
                            "axes": AXES_JSON,
                            "datasets": [dataset("s1", (1.0, 30.0, 16.0, 8.5), (0.0, 15.0, 8.0, 4.25))],
                        }
                    ]
                },
            },
        ),
        (
            "zarr3",
            {
                "zarr.json": {
                    "zarr_format": 3,
                    "node_type": "group",
                    "attributes": {
                        "ome": {
                            "version": "0.5",
                            "multiscales": [
                                {
                                    "name": "em",
                                    "axes": AXES_JSON,
                                    "datasets": [dataset("s1", (1.0, 30.0, 16.0, 8.5), (0.0, 15.0, 8.0, 4.25))],
                                }
                            ],
                        }
                    },
                }
            },
        ),
    ],
)
def test_a_new_group_is_written_whole(format, wanted):
    made = merged_group({}, level(multiscale_name="em"), "em.zarr", format=format)
    assert list(made) == list(wanted)  # the group document first
    assert {key: json.loads(data) for key, data in made.items()} == wanted
    assert all(data.startswith(b'{\n  "') and data.endswith(b"\n}\n") for data in made.values())


def test_a_group_of_no_format_becomes_zarr_v3():
    assert list(merged_group({}, level(), "em.zarr")) == ["zarr.json"]


def test_attributes_without_a_group_document_make_a_zarr_v2_group():
    made = merged_group({".zattrs": b'{"fs": 1.10}'}, level(), "em.zarr")
    assert list(made) == [".zgroup", ".zattrs"]
    assert made[".zattrs"].startswith(b'{"fs": 1.10, "multiscales": [')
    with pytest.raises(ArgumentError):
        merged_group({".zattrs": b"{}"}, level(), "em.zarr", format="zarr3")


# A group that is there -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "documents", [*both(multiscale(S0, S2)), v2({}), v2(), v3({}), v3(), v2({"multiscales": None})]
)
def test_the_format_follows_the_group_and_nothing_is_written_twice(documents):
    made = merged_group(documents, level(), "em.zarr")
    key = "zarr.json" if "zarr.json" in documents else ".zattrs"
    assert list(made) == [key]
    placed = read_back(documents | made, "s1")
    assert (placed.voxel_size, placed.translation) == ((1.0, 30.0, 16.0, 8.5), (0.0, 15.0, 8.0, 4.25))
    assert (placed.axes, placed.units, placed.axis_types) == (AXES, UNITS, TYPES)
    assert merged_group(documents | made, level(), "em.zarr") == {}
    assert merged_group(documents | made, level(), "em.zarr", format="zarr3" if key == "zarr.json" else "zarr2") == {}


@pytest.mark.parametrize(("documents", "format"), [(v2({}), "zarr3"), (v3({}), "zarr2")])
def test_a_format_that_contradicts_the_group_is_refused(documents, format):
    with pytest.raises(ArgumentError, match="never mixed") as caught:
        merged_group(documents, level(), "em.zarr", format=format)
    assert (caught.value.code, caught.value.at) == ("conflict", ("format",))


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ((), ["s1"]),
        ((S0,), ["s0", "s1"]),
        ((S2,), ["s1", "s2"]),
        ((S0, S2), ["s0", "s1", "s2"]),
        ((S2, S0), ["s1", "s2", "s0"]),  # a list in no order keeps its own: before the first that is coarser
        ((S0, dataset("twin", (1.0, 30.0, 16.0, 8.5))), ["s0", "twin", "s1"]),  # after one of the same size
        ((S0, {"path": "unplaced"}, S2), ["s0", "unplaced", "s1", "s2"]),
    ],
)
def test_a_level_is_listed_finest_to_coarsest(given, wanted):
    for documents in both(multiscale(*given)):
        made = documents | merged_group(documents, level(), "em.zarr")
        assert paths(made) == wanted
        assert [entry for entry in multiscales(made)[0]["datasets"] if entry["path"] != "s1"] == list(given)


@pytest.mark.parametrize(
    ("voxel_size", "wanted"),
    [
        ((1.0, 30.0, 16.0, 8.5), ["s0", "s1", "s2"]),  # only its translation changes
        ((1.0, 30.0, 12.0, 6.0), ["s0", "s1", "s2"]),
        ((1.0, 15.0, 4.0, 2.0), ["s1", "s0", "s2"]),
        ((1.0, 99.0, 99.0, 99.0), ["s0", "s2", "s1"]),
        ((1.0, 60.0, 32.0, 17.0), ["s0", "s1", "s2"]),  # as coarse as s2
    ],
)
@pytest.mark.parametrize("spelled", ["s1", "./s1", "s1/"])
def test_an_entry_of_the_same_name_is_replaced_and_moves_only_when_it_must(voxel_size, wanted, spelled):
    old = {"name": "theirs", **dataset(spelled, (1.0, 30.0, 16.0, 8.5), (0.0, 0.0, 0.0, 0.0)), "extra": 1}
    for documents in both(multiscale(S0, old, S2)):
        made = documents | merged_group(documents, level(voxel_size=voxel_size), "em.zarr")
        assert [path.strip("./") for path in paths(made)] == wanted
        new = next(entry for entry in multiscales(made)[0]["datasets"] if entry["path"] == spelled)
        assert (new["name"], new["extra"]) == ("theirs", 1)
        assert read_back(made, "s1").voxel_size == voxel_size
        assert read_back(made, "s1").translation == (0.0, 15.0, 8.0, 4.25)


def test_an_entry_that_is_nearly_the_same_is_kept_when_asked_to():
    near = dataset("s1", (1.0, 30.00000001, 16.0, 8.5), (0.0, 15.0, 8.0, 4.25))
    for documents in both(multiscale(S0, near)):
        assert merged_group(documents, level(), "em.zarr", keep_near=True) == {}
        made = merged_group(documents, level(), "em.zarr")
        assert read_back(documents | made, "s1").voxel_size == (1.0, 30.0, 16.0, 8.5)
        far = level(voxel_size=(1.0, 30.1, 16.0, 8.5))
        assert merged_group(documents, far, "em.zarr", keep_near=True) != {}


def test_a_translation_of_0_is_written_where_it_was_left_out():
    here = level(translation=(0.0,) * 4)
    for documents in both(multiscale(dataset("s1", (1.0, 30.0, 16.0, 8.5)))):
        assert merged_group(documents, here, "em.zarr", keep_near=True) == {}
        made = documents | merged_group(documents, here, "em.zarr")
        assert multiscales(made)[0]["datasets"][0]["coordinateTransformations"][1]["translation"] == [0.0] * 4


def test_a_level_below_a_folder_is_listed_by_its_whole_path():
    for documents in both(multiscale(dataset("seg/s1", (1.0, 30.0, 8.0, 4.25), (0.0,) * 4))):
        made = documents | merged_group(documents, level("seg/s1"), "em.zarr")
        assert paths(made) == ["seg/s1"]
        made = documents | merged_group(documents, level("s1"), "em.zarr")
        assert paths(made) == ["seg/s1", "s1"]


# What is not ours ----------------------------------------------------------------------------------------------------

FOREIGN_V2 = """\ufeff{
    "fs" : {"gain":1.10, "big": 123456789012345678901234567890, "huge": 1e400},
    "multiscales": [
        {"version": "0.4", "axes": %s,
         "datasets": [
            {"path": "./s0", "k":"\\u00e9",
             "coordinateTransformations": [{"type": "scale", "scale": [1, 30.00, 8e0, 4.250]}]},
            {"path": "s2", "coordinateTransformations": [{"type": "scale", "scale": [1, 60, 32, 17]}]}
         ],
         "metadata": {"method": "x"}},
        {"datasets": [{"path": "s1"}, {"path": 7}], "version": "0.1"}
    ],
    "y0": null, "y0": [ ],
    "registry" :\t[{}]
}
"""


def test_every_byte_that_is_not_the_levels_entry_stays():
    before = (FOREIGN_V2 % json.dumps(AXES_JSON)).replace('{"path": 7}', '{"path": "7"}')
    documents = {".zgroup": b'{ "zarr_format":2 }', ".zattrs": before.encode()}
    made = merged_group(documents, level(), "em.zarr")
    assert list(made) == [".zattrs"]
    after = made[".zattrs"].decode()
    entry = json.dumps(dataset("s1", (1.0, 30.0, 16.0, 8.5), (0.0, 15.0, 8.0, 4.25)))
    assert after == before.replace('{"path": "s2"', f'{entry},\n            {{"path": "s2"')
    again = merged_group(documents | made, level(translation=(0.0, 1.0, 2.0, 3.0)), "em.zarr")[".zattrs"].decode()
    assert again == after.replace("[0.0, 15.0, 8.0, 4.25]", "[0.0, 1.0, 2.0, 3.0]")


def test_other_multiscales_and_keys_of_a_zarr_v3_group_stay():
    labels = {"name": "labels", "axes": [{"name": "x"}], "datasets": [dataset("s1", (2.0,))]}
    ome = {"omero": {"channels": []}, "version": "0.5", "multiscales": [multiscale(S0), labels]}
    document = {"node_type": "group", "attributes": {"fs": 1, "ome": ome}, "zarr_format": 3, "other": [1.0]}
    made = merged_group({"zarr.json": json.dumps(document, indent=1).encode()}, level(), "em.zarr")
    ome["multiscales"] = [multiscale(S0, dataset("s1", (1.0, 30.0, 16.0, 8.5), (0.0, 15.0, 8.0, 4.25))), labels]
    assert made == {"zarr.json": json.dumps(document, indent=1).encode()}


def test_a_group_with_other_ome_metadata_gets_multiscales_beside_it():
    documents = v3({"ome": {"version": "0.5", "omero": {"id": 1}}})
    made = merged_group(documents, level(), "em.zarr")
    assert attributes(made)["ome"]["omero"] == {"id": 1}
    assert attributes(made)["ome"]["version"] == "0.5"
    assert paths(made) == ["s1"]
    assert attributes(merged_group(v3({"ome": {"omero": {}}}), level(), "em.zarr"))["ome"]["version"] == "0.5"


def test_a_level_that_another_multiscale_places_as_asked_is_not_listed_twice():
    here = dataset("s1", (1.0, 30.0, 16.0, 8.5), (0.0, 15.0, 8.0, 4.25))
    for documents in both(multiscale(S0), multiscale(here)):
        assert merged_group(documents, level(), "em.zarr") == {}
        moved = merged_group(documents, level(translation=(0.0, 1.0, 2.0, 3.0)), "em.zarr")
        assert read_back(documents | moved, "s1").translation == (0.0, 1.0, 2.0, 3.0)
        assert multiscales(documents | moved)[1]["datasets"] == [here]


# Transforms of the whole multiscale ----------------------------------------------------------------------------------

OUTER = [
    {"type": "scale", "scale": [1.0, 0.3, 0.1, 0.7]},
    {"type": "translation", "translation": [0.0, 1e6, 0.1, -3.3]},
]


def test_a_placement_is_divided_by_the_transforms_of_the_whole_multiscale():
    """16 / 2 = 8 and (8 - 100) / 2 = -46; read again 8 * 2 = 16 and -46 * 2 + 100 = 8."""
    outer = [{"type": "scale", "scale": [1, 1, 2, 1]}, {"type": "translation", "translation": [0, 0, 100, 0]}]
    for documents in both(multiscale(S0, coordinateTransformations=outer)):
        made = documents | merged_group(documents, level(), "em.zarr")
        steps = multiscales(made)[0]["datasets"][1]["coordinateTransformations"]
        assert steps[0]["scale"] == [1.0, 30.0, 8.0, 8.5]
        assert steps[1]["translation"] == [0.0, 15.0, -46.0, 4.25]
        assert read_back(made, "s1").voxel_size == (1.0, 30.0, 16.0, 8.5)
        assert read_back(made, "s1").translation == (0.0, 15.0, 8.0, 4.25)
        assert multiscales(made)[0]["coordinateTransformations"] == outer


@pytest.mark.parametrize("outer", [OUTER, [{"type": "sequence", "transformations": OUTER}], OUTER[:1]])
def test_a_divided_placement_is_read_back_within_rounding(outer):
    sizes, places = (1.0, 30.1, 15.7, 8.52), (0.0, 15.05, 7.85, 4.26)
    for documents in both(multiscale(coordinateTransformations=outer)):
        made = documents | merged_group(documents, level(voxel_size=sizes, translation=places), "em.zarr")
        found = read_back(made, "s1")
        for got, asked in zip((*found.voxel_size, *found.translation), (*sizes, *places), strict=True):
            assert abs(Fraction(got) - Fraction(asked)) <= Fraction(1e6) * Fraction(2) ** -52
        assert merged_group(made, level(voxel_size=sizes, translation=places), "em.zarr", keep_near=True) == {}


@settings(max_examples=150, deadline=None)
@given(
    st.floats(1e-6, 1e6), st.floats(-1e6, 1e6), st.floats(1e-3, 1e3), st.floats(-1e6, 1e6).filter(lambda v: abs(v) > 1)
)
def test_any_placement_under_any_transform_is_read_back(size, place, scale, shift):
    outer = [{"type": "scale", "scale": [scale]}, {"type": "translation", "translation": [shift]}]
    group = {"axes": [{"name": "x", "unit": "nm"}], "datasets": [], "coordinateTransformations": outer}
    here = GroupLevel("s0", (size,), (place,), ("x",), ("nanometer",), ("space",))
    documents = v2({"multiscales": [group]})
    try:
        made = documents | merged_group(documents, here, "em.zarr")
    except ArgumentError:  # the shift is so many voxels that no float holds the place
        assert abs(shift) > 1e6 * size
        return
    found = read_back(made, "s0")
    # one rounding of the quotient and one of the product; of the place also one of each sum
    assert abs(Fraction(found.voxel_size[0]) / Fraction(size) - 1) <= Fraction(2) ** -51
    assert abs(found.translation[0] - place) <= 4 * 2**-52 * (abs(place) + abs(shift))


def test_transforms_that_leave_no_entry_are_refused():
    outer = [{"type": "scale", "scale": [1e-300] * 4}]
    for documents in both(multiscale(coordinateTransformations=outer)):
        with pytest.raises(ArgumentError) as caught:
            merged_group(documents, level(voxel_size=(1.0, 1e100, 1.0, 1.0)), "em.zarr")
        assert caught.value.code == "not_representable"


# Axes and units ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "at", "words"),
    [
        ({"axes": ("t", "z", "y", "x")}, ("axes",), ("('t', 'z', 'y', 'x')", "('c', 'z', 'y', 'x')")),
        ({"units": ("", "nanometer", "micrometer", "nanometer")}, ("units", 2), ("'micrometer'", "'nanometer'", "'y'")),
        ({"units": ("", "", "nanometer", "nanometer")}, ("units", 1), ("''", "'nanometer'", "'z'")),
        ({"axis_types": ("time", *["space"] * 3)}, ("axis_types", 0), ("'time'", "'channel'", "'c'")),
    ],
)
def test_axes_types_and_units_that_are_not_the_groups_are_refused_naming_both(changes, at, words):
    for documents in both(multiscale(S0)):
        with pytest.raises(ArgumentError) as caught:
            merged_group(documents, level(**changes), "em.zarr")
        assert (caught.value.code, caught.value.at) == ("conflict", at)
        assert all(word in str(caught.value) for word in words)


def test_a_level_with_other_axes_than_its_group_is_refused():
    flat = GroupLevel("s1", (16.0, 8.5), (8.0, 4.25), ("y", "x"), ("nanometer",) * 2, ("space",) * 2)
    for documents in both(multiscale(S0)):
        with pytest.raises(ArgumentError, match=r"\('y', 'x'\)"):
            merged_group(documents, flat, "em.zarr")


def test_units_are_compared_by_meaning_and_the_groups_spelling_stays():
    axes = [{"name": "c", "type": "channel"}, *({"name": name, "unit": "nm"} for name in "zyx")]
    for documents in both({"axes": axes, "datasets": [S0]}):
        made = documents | merged_group(documents, level(), "em.zarr")
        assert multiscales(made)[0]["axes"] == axes
        assert paths(made) == ["s0", "s1"]


def test_a_multiscale_without_axes_is_refused():
    for documents in both({"datasets": [S0]}):
        with pytest.raises(PlacementError, match="write the multiscale's axes first") as caught:
            merged_group(documents, level(), "em.zarr")
        assert caught.value.code == "missing_key"


# Versions that are not written ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("documents", "code", "at"),
    [
        (
            v3({"multiscales": [multiscale(S0, version="0.4")]}),
            "conflict",
            ("em/zarr.json", "attributes", "multiscales"),
        ),
        (v3({"multiscales": [], "ome": {"version": "0.5"}}), "conflict", ("em/zarr.json", "attributes", "multiscales")),
        (v2({"ome": {"version": "0.5", "multiscales": []}}), "conflict", ("em/.zattrs", "ome", "multiscales")),
        (
            v2({"multiscales": [multiscale(S0, version="0.3")]}),
            "unsupported",
            ("em/.zattrs", "multiscales", 0, "version"),
        ),
        (
            v3({"ome": {"version": "0.6", "multiscales": [multiscale(S0)]}}),
            "unsupported",
            ("em/zarr.json", "attributes", "ome", "version"),
        ),
        (v3({"ome": {"version": "0.4"}}), "unsupported", ("em/zarr.json", "attributes", "ome", "version")),
        (
            v3({"ome": {"multiscales": [multiscale(S0, coordinateSystems=[])]}}),
            "unsupported",
            ("em/zarr.json", "attributes", "ome", "multiscales", 0, "coordinateSystems"),
        ),
    ],
)
def test_ome_metadata_that_does_not_go_with_the_format_is_refused(documents, code, at):
    with pytest.raises(PlacementError) as caught:
        merged_group(documents, level(), "em")
    assert (caught.value.code, caught.value.at) == (code, at)


@pytest.mark.parametrize(
    "documents",
    [
        v2({"multiscales": [multiscale(S0)]}),
        v2({"multiscales": [multiscale(S0, version="0.4")], "ome": {"fs": 1}}),
        v3({"ome": {"version": "0.5.2", "multiscales": [multiscale(S0)]}}),
        v3({"ome": {"multiscales": [multiscale(S0)]}, "multiscales": "old"}),
    ],
)
def test_ome_metadata_of_the_formats_version_is_extended(documents):
    made = documents | merged_group(documents, level(), "em")
    assert paths(made) == ["s0", "s1"]


# What is no group ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("documents", "code"),
    [
        ({".zarray": b"{}", ".zattrs": b"{}"}, "wrong_value"),
        ({".zarray": b"{}", ".zgroup": b'{"zarr_format": 2}'}, "wrong_value"),
        ({"zarr.json": b'{"zarr_format": 3, "node_type": "array"}'}, "wrong_value"),
        ({"zarr.json": b'{"name": "foreign"}'}, "wrong_value"),
        ({**v2({}), **v3({})}, "conflict"),
        ({"attributes.json": b'{"n5": "2.0.0"}'}, "unsupported"),
        ({"info": b'{"@type": "neuroglancer_multiscale_volume", "scales": []}'}, "unsupported"),
    ],
)
def test_a_folder_that_is_something_else_is_refused(documents, code):
    with pytest.raises(PlacementError) as caught:
        merged_group(documents, level(), "em.zarr")
    assert caught.value.code == code
    assert str(caught.value.at[0]).startswith("em.zarr")


@pytest.mark.parametrize(
    ("documents", "key"),
    [
        ({**v2({}), "zarr.json": b'{"name": "foreign"}'}, ".zattrs"),
        ({**v2({}), "zarr.json": b"not json"}, ".zattrs"),
        ({**v2({}), "attributes.json": b"{}", "info": b"{}"}, ".zattrs"),
        ({**v3({}), ".zattrs": b'{"multiscales": 1}', "info": b"\xff"}, "zarr.json"),
        ({"info": b"some notes"}, "zarr.json"),
        ({"info": b'{"notes": 3}'}, "zarr.json"),
    ],
)
def test_foreign_files_beside_the_group_document_do_not_matter(documents, key):
    made = merged_group(documents, level(), "em.zarr")
    assert list(made) == [key]


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"null", b'"text"', b"\xff\xfe{}", b'{"a": NaN}', b"[" * 100_000, b"{" + b'"a":1,' * 3 + b"}"],
)
@pytest.mark.parametrize("key", [".zattrs", ".zgroup", "zarr.json"])
def test_a_document_that_is_no_json_object_is_refused_by_its_path(data, key):
    documents = {"zarr.json": data} if key == "zarr.json" else v2({}) | {key: data}
    with pytest.raises(PlacementError) as caught:
        merged_group(documents, level(), "em.zarr")
    assert str(caught.value.at[0]) == f"em.zarr/{key}"
    assert caught.value.code in {"not_json", "wrong_type"}


PLACES = ("multiscales", "entry", "axes", "axis", "datasets", "dataset", "transforms", "outer", "ome", "version")
KEYS = ("path", "scale", "type", "axes", "datasets", "name", "unit")
hostile = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["path", "scale", "type", "axes", "datasets", "name", "unit"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(
    hostile,
    st.sampled_from(
        ["multiscales", "entry", "axes", "axis", "datasets", "dataset", "transforms", "outer", "ome", "version"]
    ),
)
def test_whatever_stands_where_a_multiscale_belongs_is_read_or_refused(value, where):
    """Never a bare KeyError, TypeError or AttributeError; and what is written is read back."""
    good = multiscale(S0)
    group = {
        "multiscales": value,
        "entry": [value],
        "axes": [good | {"axes": value}],
        "axis": [good | {"axes": [*AXES_JSON[:3], value]}],
        "datasets": [good | {"datasets": value}],
        "dataset": [good | {"datasets": [S0, value]}],
        "transforms": [good | {"datasets": [{"path": "s1", "coordinateTransformations": value}]}],
        "outer": [good | {"coordinateTransformations": value}],
    }.get(where, [good])
    ome = {"version": value if where == "version" else "0.5", "multiscales": group}
    for documents in (v2({"multiscales": group}), v3({"ome": value if where == "ome" else ome})):
        try:
            made = documents | merged_group(documents, level(), "em")
        except (PlacementError, ArgumentError):
            continue
        assert read_back(made, "s1").axes == AXES


# Attributes of the caller --------------------------------------------------------------------------------------------


def test_attributes_of_the_caller_are_merged_deeply():
    theirs = {"fs": {"gain": 1.5, "list": [1, 2]}, "kept": None}
    for documents in both(multiscale(S0), **theirs):
        given = {"fs": {"list": [1, 2], "new": {"a": (1, 2.0)}}, "kept": None, "mine": "µm"}
        made = documents | merged_group(documents, level(), "em.zarr", group_attrs=given)
        found = attributes(made)
        assert found["fs"] == {"gain": 1.5, "list": [1, 2], "new": {"a": [1, 2.0]}}
        assert (found["kept"], found["mine"]) == (None, "µm")
        assert merged_group(made, level(), "em.zarr", group_attrs=given) == {}


def test_attributes_beside_the_multiscales_of_ome_are_merged():
    made = merged_group({}, level(), "em.zarr", group_attrs={"ome": {"omero": {"id": 1}}})
    assert attributes(made)["ome"]["omero"] == {"id": 1}
    assert paths(made) == ["s1"]


@pytest.mark.parametrize(
    ("given", "at"),
    [
        ({"fs": {"gain": 2.5}}, ("group_attrs", "fs", "gain")),
        ({"fs": 1}, ("group_attrs", "fs")),
        ({"fs": {"list": [1, 2, 3]}}, ("group_attrs", "fs", "list")),
        ({"flag": 1}, ("group_attrs", "flag")),
        ({"kept": {}}, ("group_attrs", "kept")),
    ],
)
def test_an_attribute_that_someone_else_set_otherwise_is_refused_naming_both(given, at):
    for documents in both(multiscale(S0), fs={"gain": 1.5, "list": [1, 2]}, flag=True, kept=None):
        with pytest.raises(ArgumentError, match="someone else's") as caught:
            merged_group(documents, level(), "em.zarr", group_attrs=given)
        assert (caught.value.code, caught.value.at) == ("conflict", at)


@pytest.mark.parametrize(
    "given", [{"multiscales": []}, {"ome": {"multiscales": []}}, {"ome": {"version": "0.5"}}, {"multiscales": None}]
)
def test_attributes_of_the_caller_never_touch_the_multiscales(given):
    for documents in ({}, *both(multiscale(S0))):
        with pytest.raises(ArgumentError) as caught:
            merged_group(documents, level(), "em.zarr", group_attrs=given)
        assert caught.value.code == "invalid_argument"


@pytest.mark.parametrize("given", [{"a": float("nan")}, {"a": object()}, {1: 2}, {"a": {"b": {1, 2}}}])
def test_attributes_of_the_caller_that_are_no_json_are_refused(given):
    with pytest.raises(WorldArrayError):
        merged_group({}, level(), "em.zarr", group_attrs=given)


# Copies of the metadata ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("documents", "at"),
    [
        (v2({}) | {".zmetadata": b"{}"}, ("em.zarr/.zmetadata",)),
        (
            {"zarr.json": b'{"zarr_format": 3, "node_type": "group", "consolidated_metadata": {"metadata": {}}}'},
            ("em.zarr/zarr.json", "consolidated_metadata"),
        ),
    ],
)
def test_a_copy_of_the_metadata_that_will_miss_the_level_is_noticed(documents, at):
    notices = group_of(documents, "em.zarr").notices
    assert [(each.code, each.at) for each in notices] == [("conflict", at)]
    merged_group(documents, level(), "em.zarr")


def test_a_group_without_a_copy_has_nothing_to_say():
    for documents in (v2({}), v3({}), {"zarr.json": v3({})["zarr.json"][:-1] + b', "consolidated_metadata": null}'}):
        assert group_of(documents, "em.zarr").notices == ()
