"""Metadata is assigned as maps, lists, names and numpy values; checked as a whole; on an error nothing has changed."""

import enum
import warnings

import numpy as np
import pytest
from header_documents import DTYPE, EVERY, PLAIN, SHAPE, SOURCE, changed, documents
from hypothesis import given, settings
from hypothesis import strategies as st

from mlarray import Meta, MLArray
from mlarray.errors import ArgumentError, ArgumentTypeError, MLArrayError, MLArrayWarning
from mlarray.header.check import check
from mlarray.meta.frozen import FrozenMap


@pytest.fixture
def meta():
    """Metadata of an int16 array of axes c, t, z, y, x and the shape 7, 5, 4, 3, 2."""
    made = Meta.from_dict(EVERY | SOURCE | {"user": {"a": 1}})
    made.bind(SHAPE, DTYPE)
    return made


@pytest.fixture
def small():
    """Metadata of an int16 array of axes z, y of the shape 2, 3 that says nothing more."""
    made = Meta.from_dict({"version": "1.0", "axes": [{"name": "z"}, {"name": "y"}]})
    made.bind((2, 3), DTYPE)
    return made


def whole(meta):
    return FrozenMap(meta.to_dict(source=True, user=True))


# What can be assigned --------------------------------------------------------------------------------------------


def test_axes_are_names_or_maps_and_names_bring_their_types(small):
    small.axes = ["c", {"name": "depth", "type": "time", "unit": "second"}]
    assert small.to_dict()["axes"] == [
        {"name": "c", "type": "channel"},
        {"name": "depth", "type": "time", "unit": "second", "unit_code": "s"},
    ]
    small.axes = ({}, "w")
    assert small.to_dict()["axes"] == [{"name": "axis_0"}, {"name": "w", "type": "other"}]


def test_spaces_values_profiles_and_user_are_assigned_as_maps(small):
    small.axes = ["z", "y"]
    from_array = {"array_axes": ("z", "y"), "scale": np.array([2, 0.5])}
    small.spaces = [{"name": "s", "axes": [{"name": "a", "unit": "meter"}, {"name": "b"}], "from_array": from_array}]
    small.values = {"kind": "label", "labels": {1: {"name": "liver"}, np.uint8(2): {"name": "spleen"}}}
    small.profiles = {"org_x": {"a": 1}}
    small.user = {"b": np.float32(0.5)}
    assert small.to_dict(user=True) == {
        "version": "1.0",
        "axes": [{"name": "z", "type": "space"}, {"name": "y", "type": "space"}],
        "spaces": [
            {
                "name": "s",
                "axes": [{"name": "a", "unit": "meter", "unit_code": "m"}, {"name": "b"}],
                "from_array": {"array_axes": ["z", "y"], "scale": [2.0, 0.5]},
            }
        ],
        "values": {"kind": "label", "labels": {"1": {"name": "liver"}, "2": {"name": "spleen"}}},
        "profiles": {"org_x": {"a": 1}},
        "user": {"b": 0.5},
    }


def test_profiles_are_made_by_setting_something_in_them_and_get_their_version(small):
    small.profiles.ml.statistics.mean = np.float64(2.5)
    small.profiles["medical"] = {"dicom": {"Modality": "MR"}}
    small.profiles["org_x"] = {"nan": float("nan")}
    plain = small.to_dict()["profiles"]
    assert plain["ml"] == {"profile_version": "1.0", "statistics": {"mean": 2.5}}
    assert plain["medical"] == {"profile_version": "1.0", "dicom": {"Modality": "MR"}}
    assert plain["org_x"]["nan"] != plain["org_x"]["nan"]
    small.profiles["ml"].boxes = {"frame": "index", "axes": ["y"], "items": [{"min": [0], "max": [3], "label": "a"}]}
    small.profiles.ml.boxes.items[0].max = [2.5]
    assert small.profiles.ml.boxes.items == ({"min": [0], "max": [2.5], "label": "a"},)
    small.profiles = {"ml": {"split": "test"}}
    assert small.profiles.ml == {"profile_version": "1.0", "split": "test"}


def test_labels_may_have_numbers_as_keys(small):
    small.values = {"kind": "label"}
    small.values.labels = {-1: {"name": "a"}, np.int16(30): {"name": "b"}, "7": {}}
    assert list(small.values.labels) == ["-1", "30", "7"]
    small.values["labels"] = {0: {}}
    assert list(small.values.labels) == ["0"]
    with pytest.raises(ArgumentError, match="the label 1 stands twice"):
        small.values.labels = {1: {}, "1": {}}
    with pytest.raises(ArgumentTypeError, match="True is"):
        small.values.labels = {True: {}}
    with pytest.raises(ArgumentError, match="'01' is no integer"):
        small.values.labels = {"01": {}}


def test_views_and_frozen_maps_can_be_assigned(meta, small):
    other = Meta.from_dict({"axes": [{"name": "q"}, {"name": "r"}]})
    small.axes = other.axes
    small.profiles = {"ml": {"statistics": meta.profiles.ml.statistics, "split": meta.profiles.ml.split}}
    small.user = {"old": meta.values.labels, "boxes": meta.profiles.ml.boxes}
    assert small.axis_names == ("q", "r")
    assert small.profiles.ml.statistics == EVERY["profiles"]["ml"]["statistics"]
    assert small.user == {"old": EVERY["values"]["labels"], "boxes": EVERY["profiles"]["ml"]["boxes"]}
    meta.profiles.ml = meta.profiles.ml
    assert meta.profiles.ml == EVERY["profiles"]["ml"]


BOX = ("profiles", "ml", "boxes", "items", 0)


@pytest.mark.parametrize(
    ("remove", "place"),
    [
        (lambda meta: delattr(meta, "spaces"), ("spaces",)),
        (lambda meta: setattr(meta, "profiles", None), ("profiles",)),
        (lambda meta: delattr(meta.axes[0], "labels"), ("axes", 0, "labels")),
        (lambda meta: setattr(meta.axes[0], "labels", None), ("axes", 0, "labels")),
        (lambda meta: meta.axes[0].__delitem__("labels"), ("axes", 0, "labels")),
        (lambda meta: delattr(meta.profiles, "ml"), ("profiles", "ml")),
        (lambda meta: meta.profiles.__delitem__("org_example_cryoem"), ("profiles", "org_example_cryoem")),
        (lambda meta: delattr(meta.profiles.ml.boxes.items[0], "score"), (*BOX, "score")),
        (lambda meta: delattr(meta.spaces[0], "reference"), ("spaces", 0, "reference")),
        (lambda meta: delattr(meta.values, "fill"), ("values", "fill")),
    ],
)  # fmt: skip
def test_none_or_del_takes_a_key_away(meta, remove, place):
    before = meta.to_dict()
    remove(meta)
    owner = before
    for part in place[:-1]:
        owner = owner[part]
    del owner[place[-1]]
    assert FrozenMap(before) == meta.to_dict()
    assert meta.changed


def test_taking_away_what_is_not_there_changes_nothing(small):
    before = small.to_dict()
    del small.spaces, small.profiles
    del small.profiles.ml.boxes
    small.profiles.ml.statistics.mean = None
    small.values = None
    small.axes[0].labels = None
    assert small.to_dict() == before


def test_values_and_user_that_are_taken_away_are_as_at_first(meta):
    del meta.values
    del meta.user
    assert meta.values == {"kind": "measurement"}
    assert dict(meta.user) == {}


# Units and alternatives ------------------------------------------------------------------------------------------


def test_a_unit_that_is_set_brings_its_code_and_takes_an_older_one_away(small):
    values = small.values
    values.unit = "kelvin"
    assert (values.unit, values.unit_code) == ("kelvin", "K")
    values.unit = "furlong"
    assert (values.unit, values.unit_code) == ("furlong", None)
    values.unit_code = "[fur_us]"
    assert (values.unit, values.unit_code) == ("furlong", "[fur_us]"), "a code beside a name that is not listed"
    values.unit_code = "mm"
    assert (values.unit, values.unit_code) == ("furlong", "mm")
    values.unit = "second"
    values.unit_code = "um"
    assert (values.unit, values.unit_code) == ("micrometer", "um"), "a code takes a listed name away"
    values.unit_code = "[odd]"
    assert (values.unit, values.unit_code) == (None, "[odd]")
    values.unit = None
    assert (values.unit, values.unit_code) == (None, None)
    values.unit = "kelvin"
    values.unit_code = None
    assert (values.unit, values.unit_code) == ("kelvin", "K"), "a listed name has its code"
    small.axes[1].unit = "millisecond"
    assert small.axes[1].unit_code == "ms"


def test_a_listed_unit_beside_the_code_of_another_is_refused(small):
    with pytest.raises(ArgumentError, match="/values/unit_code: the unit 'millimeter' has the code 'mm'"):
        small.values = {"unit": "millimeter", "unit_code": "cm"}
    small.values = {"unit": "millimeter", "unit_code": "mm"}


def test_a_matrix_takes_the_place_of_a_scale_and_the_other_way_round(meta):
    from_array = meta.spaces[1].from_array
    from_array.matrix = np.diag([2, 3, 4, 1])
    assert from_array == {
        "array_axes": ["x", "z", "y"],
        "matrix": [[2, 0, 0, 0], [0, 3, 0, 0], [0, 0, 4, 0], [0, 0, 0, 1]],
    }
    from_array.scale = (1, 2, 0.5)
    assert from_array == {"array_axes": ["x", "z", "y"], "scale": [1, 2, 0.5]}


def test_coordinates_take_the_place_of_a_step_and_the_other_way_round(meta):
    axis = meta.axes[1]
    axis.coordinates = np.array([0, 1, 2.5, 4, 8])
    assert axis.to_dict() == {
        "name": "t",
        "type": "time",
        "unit": "second",
        "unit_code": "s",
        "coordinates": [0.0, 1.0, 2.5, 4.0, 8.0],
    }
    axis.step = -2
    assert (axis.step, axis.coordinates) == (-2, None)
    axis.start = 7
    assert (axis.start, axis.step) == (7, -2)


def test_a_recorded_patch_size_goes_when_other_axes_are_of_type_space():
    m = MLArray(np.zeros((4, 5, 6), "i2"), patch_size=(2, 3, 4))
    m.meta.axes = ["c", "y", "x"]
    assert "patch_size" not in m.meta.storage
    m.meta.axes = ["z", "y", "x"]


# Errors ----------------------------------------------------------------------------------------------------------


class Color(enum.Enum):
    RED = "#ff0000"


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (lambda m: setattr(m, "axes", None), "the key 'axes' is missing"),
        (lambda m: setattr(m, "axes", "ctzyx"), "/axes"),
        (lambda m: setattr(m, "axes", ["z", "y", "x"]), "/axes: 3 axes, expected 5"),
        (lambda m: setattr(m, "axes", ["c", "t", "z", "y", "y"]), "/axes: the axis name 'y' stands twice"),
        (lambda m: setattr(m.axes[4], "name", "y"), "/axes: the axis name 'y' stands twice"),
        (lambda m: setattr(m.axes[4], "name", 3), "/axes/4/name: 3 stands where text belongs"),
        (lambda m: setattr(m.axes[2], "unit", "meter"), "/axes/2/unit: the axis 'z' is of type space"),
        (lambda m: setattr(m.axes[0], "labels", ["a"] * 6), "/axes/0/labels: 6 labels, expected 7"),
        (lambda m: setattr(m.axes[1], "step", 0), "/axes/1/step: the number is 0"),
        (lambda m: setattr(m.axes[1], "step", True), "/axes/1/step: True stands where a number belongs"),
        (lambda m: setattr(m, "spaces", [{"name": "index"}]), "/spaces/0/name: the name 'index' is reserved"),
        (lambda m: setattr(m.spaces[1], "name", "patient"), "/spaces: the space 'patient' stands twice"),
        (lambda m: setattr(m.spaces[0].axes[0], "increases_toward", "forward"), "/spaces/0/axes/0/increases_toward"),
        (lambda m: setattr(m.spaces[1].from_array, "scale", [1, 0, 2]), "/spaces/1/from_array/scale/1"),
        (lambda m: setattr(m.spaces[1].from_array, "scale", [1, float("nan"), 2]), "/spaces/1/from_array/scale/1"),
        (lambda m: setattr(m.spaces[0].from_array, "matrix", np.zeros((3, 3))), "/spaces/0/from_array/matrix"),
        (lambda m: setattr(m.spaces[0].from_array, "matrix", [[1, 0, 0], [0, 1, 0], [5, 5, 5]]), "/spaces/0/"),
        (lambda m: setattr(m.spaces[0], "reference", {"id": "1"}), "/spaces/0/reference: the key 'scheme' is missing"),
        (lambda m: setattr(m.values, "kind", "segmentation"), "/values/kind: the word 'segmentation' is none of"),
        (lambda m: setattr(m.values, "kind", "measurement"), "/values/labels: labels belongs to the kinds"),
        (lambda m: setattr(m.values, "fill", 70000), "/values/fill: 70000 cannot be stored as int16"),
        (lambda m: setattr(m.values, "fill", float("nan")), "/values/fill: nan cannot be stored as int16"),
        (lambda m: setattr(m.values, "labels", {7: {}}), "/values/labels/7: the key '7' names no channel"),
        (lambda m: setattr(m.values, "labels", {1: {"color": "red"}}), "/values/labels/1/color"),
        (lambda m: setattr(m.profiles.ml, "patch_size", [0, 1, 2]), "/profiles/ml/patch_size/0"),
        (lambda m: setattr(m.profiles.ml.statistics, "standard_deviation", -1), "/standard_deviation: .* is -1"),
        (lambda m: setattr(m.profiles.ml.statistics, "mean", float("inf")), "/profiles/ml/statistics/mean"),
        (lambda m: setattr(m.profiles.ml.statistics, "percentiles", {"101": 1}), "/statistics/percentiles/101"),
        (lambda m: setattr(m.profiles.ml.boxes, "frame", "atlas"), "/profiles/ml/boxes/frame: the frame 'atlas'"),
        (lambda m: setattr(m.profiles.ml.boxes.items[0], "min", [3, 0]), "/boxes/items/0/max/0: max is 2, below min 3"),
        (lambda m: setattr(m.profiles.ml.boxes.items[0], "max", [2]), "/profiles/ml/boxes/items/0/max: 1 numbers"),
        (lambda m: setattr(m.profiles.ml.boxes.items[0], "max", [2, float("nan")]), "/boxes/items/0/max/1"),
        (lambda m: setattr(m.profiles.medical, "dicom", {"not a keyword": 1}), "/profiles/medical/dicom"),
        (lambda m: setattr(m.profiles, "ml", {"profile_version": "one"}), "/profiles/ml/profile_version"),
        (lambda m: setattr(m.profiles, "ml", 5), "/profiles/ml: 5 stands where a map belongs"),
        (lambda m: setattr(m, "values", [1]), "/values: .* stands where a map belongs"),
        (lambda m: m.add_history(""), "/history/2/action: the text is empty"),
        (lambda m: m.add_history("modified", time="yesterday"), "/history/2/time"),
        (lambda m: m.add_history("modified", time="2026-11-06T10:12:00"), "/history/2/time"),
        (lambda m: m.add_history("modified", warnings=["a", 1]), "/history/2/warnings/1"),
        (lambda m: m.add_history("modified", when=object()), "/history/2/when"),
        (lambda m: setattr(m, "user", [1]), r"/user: \[1\] is no map"),
        (lambda m: m.set_source([{"files": []}]), "/source/0: the key 'format' is missing"),
    ],
)  # fmt: skip
def test_an_error_names_the_place_and_nothing_has_changed(meta, write, words):
    before = whole(meta)
    with pytest.raises((ArgumentError, ArgumentTypeError), match=words):
        write(meta)
    assert before == whole(meta)
    assert not meta.changed


PLAIN_ERRORS = {
    "a set": ({"a": [{1, 2}]}, ArgumentTypeError, r"/user/a/0: \{1, 2\} is a set"),
    "an object": ({"a": {"b": [1, 2, 3, object()]}}, ArgumentTypeError, "/user/a/b/3"),
    "an integer of more than 64 bits": ({"a": 2**64}, ArgumentError, "/user/a: 18446744073709551616 does not fit"),
    "keys that are numbers": ({1: "a"}, ArgumentTypeError, "/user: the key 1 is an integer"),
    "mixed keys": ({"a": 1, 2: 3}, ArgumentTypeError, "/user: the key 2 is an integer"),
    "keys that are bytes": ({b"a": 1}, ArgumentTypeError, "/user: the key b'a' is bytes"),
    "a lone surrogate": ({"a": "\ud800"}, ArgumentError, "/user/a: .* cannot be written as UTF-8"),
    "an array of objects": ({"a": np.array([object()])}, ArgumentTypeError, "/user/a"),
    "an array of times": ({"a": np.array(["2026-11-06"], "M8[D]")}, ArgumentTypeError, "/user/a"),
    "a complex number": ({"a": 1j}, ArgumentTypeError, "/user/a"),
}


@pytest.mark.parametrize("name", PLAIN_ERRORS)
def test_what_cannot_be_stored_is_refused_by_its_path(small, name):
    value, kind, words = PLAIN_ERRORS[name]
    with pytest.raises(kind, match=words):
        small.user = value
    with pytest.raises(kind, match=words.replace("/user", "/org_x")):
        small["org_x"] = value
    with pytest.raises(kind, match=words.replace("/user", "/profiles/org_x")):
        small.profiles["org_x"] = value
    assert dict(small.user) == {}
    assert not small.changed


def test_nesting_deeper_than_512_is_refused(small):
    deep = 1
    for _ in range(511):
        deep = {"a": deep}
    small.user = deep
    small["org_x"] = deep
    assert small.copy() == small
    with pytest.raises(ArgumentError, match="nested deeper than 512"):
        small.user = {"a": deep}
    for _ in range(5000):
        deep = {"a": deep}
    with pytest.raises(ArgumentError, match="nested deeper than 512"):
        small.user = deep


def test_values_of_numpy_tuples_and_enumerations_become_plain(small):
    small.user = {
        "tuple": (1, (2,)),
        "float": np.float32(0.5),
        "int": np.int64(-3),
        "bool": np.True_,
        "array": np.array([[1, 2], [3, 4]], "u1"),
        "text": np.str_("a"),
        "bytes": np.bytes_(b"b"),
        "enum": Color.RED,
        "raw": bytearray(b"c"),
        "nan": float("nan"),
        "large": 2**64 - 1,
        "small": -(2**63),
    }
    out = small.to_dict(user=True)["user"]
    assert out.pop("nan") != 0
    assert out == {
        "tuple": [1, [2]],
        "float": 0.5,
        "int": -3,
        "bool": True,
        "array": [[1, 2], [3, 4]],
        "text": "a",
        "bytes": b"b",
        "enum": "#ff0000",
        "raw": b"c",
        "large": 2**64 - 1,
        "small": -(2**63),
    }
    assert {type(value) for value in out.values()} == {list, float, int, bool, str, bytes}


def test_numpy_values_go_into_every_map(small):
    small.axes = [{"name": np.str_("t"), "type": "time", "start": np.int8(1), "step": np.float32(0.25)}, "y"]
    small.values = {"scale": np.float64(2), "fill": np.int16(-5)}
    small.profiles.ml.boxes = {
        "frame": "index",
        "axes": ["y"],
        "items": [{"min": np.zeros(1), "max": np.ones(1, "i4"), "label": np.int64(4), "score": np.float32(0.5)}],
    }
    out = small.to_dict()
    assert out["axes"][0] == {"name": "t", "type": "time", "start": 1, "step": 0.25}
    assert out["values"] == {"kind": "measurement", "scale": 2.0, "fill": -5}
    assert out["profiles"]["ml"]["boxes"]["items"] == [{"min": [0.0], "max": [1], "label": 4, "score": 0.5}]


# Copies, warnings --------------------------------------------------------------------------------------------------


def test_what_was_assigned_may_be_changed_afterwards_without_an_effect(small):
    axis, user, labels = {"name": "q"}, {"a": [1, {"b": 2}]}, {"1": {"name": "liver"}}
    array = np.ones(3)
    small.axes = [{"name": "z"}, axis]
    small.user = user
    small.values = {"kind": "label", "labels": labels}
    small["org_x"] = {"array": array, "list": (inner := [1])}
    axis["name"] = user["a"][1]["b"] = labels["1"]["name"] = inner[0] = "changed"
    array[:] = 7
    assert small.axis_names == ("z", "q")
    assert small.user["a"][1]["b"] == 2
    assert small.values.labels["1"]["name"] == "liver"
    assert small["org_x"] == {"array": [1, 1, 1], "list": [1]}


def test_a_dict_that_metadata_is_made_of_may_be_changed_afterwards_without_an_effect():
    document = changed(EVERY)
    meta = Meta.from_dict(document | {"user": (user := {"a": [1]})})
    document["axes"][0]["name"] = document["values"]["labels"]["6"]["name"] = "changed"
    user["a"][0] = "changed"
    assert meta.axes[0].name == "c"
    assert meta.values.labels["6"]["name"] == "six"
    assert meta.user["a"] == (1,)


def test_the_array_an_array_is_copied_from_keeps_its_metadata():
    base = MLArray(np.zeros((4, 3)), axes=["z", "y"], user={"a": [1]}, profiles={"org_x": {"b": [1]}})
    derived = MLArray(np.ones((4, 3)), copy=base)
    derived.meta.axes[0].name = "q"
    derived.meta.user = {"a": [2]}
    derived.meta.profiles["org_x"] = {"b": [2]}
    assert (base.meta.axis_names, base.meta.user, base.meta.profiles["org_x"]) == (
        ("z", "y"),
        {"a": [1]},
        {"b": [1]},
    )
    shared = Meta.from_dict({"axes": [{"name": "z"}, {"name": "y"}]})
    one, two = MLArray(np.zeros((4, 3)), meta=shared), MLArray(np.zeros((4, 3)), meta=shared)
    one.meta.axes[0].name = "q"
    assert (two.meta.axis_names, shared.axis_names) == (("z", "y"), ("z", "y"))


def test_boxes_beyond_the_array_are_warned_of_once_by_the_line_that_set_them(small):
    boxes = {"frame": "index", "axes": ["z"], "items": [{"min": [0], "max": [2]}, {"min": [-1], "max": [2]}]}
    with pytest.warns(MLArrayWarning, match=r"/profiles/ml/boxes/items/1: the box \[-1\] to \[2\] reaches") as warned:
        small.profiles.ml.boxes = boxes
    assert [warning.filename for warning in warned] == [__file__]
    small.values.scale = 2  # warnings are errors in this suite: nothing is said again
    with pytest.warns(MLArrayWarning, match="/profiles/ml/boxes/items/0") as warned:
        small.profiles = {"ml": {"boxes": boxes | {"items": [{"min": [0], "max": [3]}]}}}
    assert [warning.filename for warning in warned] == [__file__]


def test_where_warnings_are_errors_nothing_has_changed(small):
    before = whole(small)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(MLArrayWarning):
            small.profiles.ml.boxes = {"frame": "index", "axes": ["z"], "items": [{"min": [0], "max": [3]}]}
    assert before == whole(small)
    assert not small.changed


def test_metadata_without_an_array_is_checked_without_shape_and_dtype():
    meta = Meta.from_dict({"axes": [{"name": "z"}]})
    meta.axes = ["a", "b"]
    meta.axes[0].labels = ["x"] * 40
    meta.values.fill = 70000
    with pytest.raises(ArgumentError, match="/axes: the axis name 'a' stands twice"):
        meta.axes = ["a", "a"]
    with pytest.raises(ArgumentError, match=r"/axes/0/labels: 40 labels, expected 4 .*\n/values/fill: 70000"):
        meta.bind((4, 3), np.dtype("i2"))
    meta.bind((40, 3), np.dtype("i4"))
    with pytest.raises(ArgumentError, match="/axes/0/labels: 4 labels, expected 40"):
        meta.axes[0].labels = ["x"] * 4


# Repair ----------------------------------------------------------------------------------------------------------


def test_metadata_with_problems_is_repaired_rule_by_rule():
    broken = changed(EVERY, ("axes/0/labels", ["a"]), ("values/scale", 0), ("values/unit_code", "K"))
    with pytest.raises(MLArrayError, match=r"/values/unit_code: .*\n/values/scale: the number is 0"):
        Meta.from_dict(broken)
    with pytest.warns(MLArrayWarning) as warned:
        meta = Meta.from_dict(broken, strict=False)
    assert len(warned) == 2
    meta.values.offset = 3
    with pytest.raises(ArgumentError, match=r"^/values/fill"):
        meta.values.fill = "none"
    meta.values.scale = 2
    meta.values.unit = "counts"
    meta.axes[0].labels = None
    meta.bind(SHAPE, DTYPE)
    assert meta.values.to_dict()["offset"] == 3


@pytest.mark.parametrize(
    "document",
    [
        {"version": "1.0"},
        {"version": "1.0", "axes": 5, "spaces": {"a": 1}, "history": "x", "profiles": [], "storage": 1, "values": None},
        {"version": "1.0", "axes": [1, {"name": 2}], "spaces": [1, {"axes": [2], "from_array": 3}], "values": [],
         "profiles": {"ml": 3, "medical": {"dicom": 4}}, "history": [{"action": 1}, 2], "storage": {"compression": 4}},
    ],
)  # fmt: skip
def test_metadata_of_any_form_can_be_looked_at_and_put_right(document):
    with pytest.warns(MLArrayWarning):
        meta = Meta.from_dict(document, strict=False)
    assert repr(meta).startswith("Meta of format 1.0")
    for view in (*meta.axes, *meta.spaces, *meta.history, meta.values, meta.profiles, meta.storage):
        try:
            assert repr(view)
            assert [getattr(view, name, None) for name in view._fields]
        except MLArrayError as error:
            assert "stands where" in str(error)  # noqa: PT017  (either is fine)
    meta.axes = ["z", "y"]
    meta.values = meta.profiles = meta.spaces = None
    with pytest.raises(ArgumentError, match="/axes"):
        meta.axes = ["z", "z"]
    assert meta.axis_names == ("z", "y")


# Any metadata ----------------------------------------------------------------------------------------------------


@settings(max_examples=100)
@given(documents())
def test_any_header_goes_through_unchanged_and_copies_are_equal(drawn):
    document, shape = drawn
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MLArrayWarning)
        meta = Meta.from_dict(document)
        meta.bind(shape, DTYPE)
    out = FrozenMap(meta.to_dict())
    for key in document:
        assert key in out
    again = Meta.from_dict({"version": document["version"], "axes": document["axes"]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MLArrayWarning)
        for key in ("spaces", "values", "profiles"):
            if key in document:
                setattr(again, key, document[key])
                assert getattr(again, key) == getattr(meta, key)
        assert meta.copy() == meta
        assert Meta.from_dict(out) == meta


@settings(max_examples=200)
@given(documents(), st.sampled_from(["axes", "spaces", "values", "profiles", "org_x"]), PLAIN)
def test_whatever_is_assigned_no_rule_is_broken_afterwards(drawn, key, value):
    document, shape = drawn
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MLArrayWarning)
        meta = Meta.from_dict(document)
        meta.bind(shape, DTYPE)
        before = FrozenMap(meta.to_dict())
        try:
            meta[key] = value
        except MLArrayError:
            assert before == meta.to_dict()
        assert check(meta.to_dict(), shape, DTYPE).problems == ()
