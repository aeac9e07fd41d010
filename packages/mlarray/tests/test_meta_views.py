"""Metadata read as attributes: every key of the format, defaults, keys and words that are not known."""

import copy
import pickle

import pytest
from header_documents import DTYPE, EVERY, SHAPE, SOURCE, changed

from mlarray import Meta
from mlarray.errors import FieldError, MLArrayError, MLArrayWarning
from mlarray.header.canonical import ORDERS
from mlarray.meta import views
from mlarray.meta.fields import Field, View
from mlarray.meta.frozen import FrozenMap
from mlarray.meta.meta import writer_name


@pytest.fixture
def meta():
    """Metadata of an array of axes c, t, z, y, x in which every key of the format stands somewhere."""
    made = Meta.from_dict(EVERY | SOURCE | {"user": {"a": [1, {"b": b"2"}]}})
    made.bind(SHAPE, DTYPE)
    return made


TABLES = {
    ("axes", "*"): views.Axis,
    ("spaces", "*"): views.Space,
    ("spaces", "*", "reference"): views.Reference,
    ("spaces", "*", "axes", "*"): views.SpaceAxis,
    ("spaces", "*", "from_array"): views.FromArray,
    ("values",): views.Values,
    ("profiles", "ml"): views.MlProfile,
    ("profiles", "ml", "statistics"): views.Statistics,
    ("profiles", "ml", "boxes"): views.Boxes,
    ("profiles", "ml", "boxes", "items", "*"): views.Box,
    ("profiles", "medical"): views.MedicalProfile,
    ("history", "*"): views.HistoryEntry,
    ("storage",): views.Storage,
    ("storage", "compression"): views.RecordedCompression,
}


@pytest.mark.parametrize("place", TABLES, ids="/".join)
def test_a_table_of_fields_has_the_keys_of_the_map_in_their_order(place):
    assert tuple(TABLES[place]._fields) == tuple(ORDERS[place])


def test_every_view_and_every_field_says_what_it_is():
    named = [view for view in vars(views).values() if isinstance(view, type) and issubclass(view, View)]
    assert len(named) == len(TABLES) + 2, "profiles, and the base of all"
    for view in named:
        assert view.__doc__
        for field in view._fields.values():
            assert isinstance(field, Field)
            assert len(field.__doc__) > 5
    for name in ("version", "writer", "axes", "spaces", "values", "profiles", "history", "storage", "source", "user"):
        assert len(getattr(Meta, name).__doc__) > 5


def test_every_key_is_an_attribute(meta):
    assert (meta.version, meta.writer) == ("1.0", "mlarray 1.0.0")
    assert [axis.name for axis in meta.axes] == ["c", "t", "z", "y", "x"]
    assert meta.axes[0].labels == ("a", "b", "", "d", "e", "f", "g")
    assert (meta.axes[1].start, meta.axes[1].step, meta.axes[1].unit, meta.axes[1].unit_code) == (2, 0.5, "second", "s")
    space = meta.spaces[0]
    assert (space.name, space.reference.scheme, space.reference.id) == ("patient", "frames", "7")
    assert [(axis.name, axis.unit, axis.unit_code, axis.increases_toward) for axis in space.axes] == [
        ("x", "millimeter", "mm", "left"),
        ("y", "micrometer", "um", "posterior"),
    ]
    assert space.from_array.array_axes == ("y", "x")
    assert space.from_array.matrix == ((0.0, 0.75, 3), (-0.5, 0.25, 5.5), (0, 0, 1))
    assert (meta.spaces[1].from_array.scale, meta.spaces[1].from_array.translation) == ((0.5, -2, 3), (4, 0, -1.5))
    values = meta.values
    assert (values.kind, values.unit, values.unit_code, values.label_layout) == (
        "label",
        "counts",
        "{counts}",
        "channel",
    )
    assert (values.scale, values.offset, values.fill) == (2, -0.5, -1)
    assert values.labels["6"]["code"] == {"scheme": "SCT", "value": "12", "meaning": "six"}
    ml = meta.profiles.ml
    assert (ml.profile_version, ml.split, ml.patch_size) == ("1.0", "train", (4, 3, 2))
    statistics = ml.statistics
    assert (statistics.min, statistics.max, statistics.mean, statistics.median) == (-3, 9.5, 2, 1.5)
    assert (statistics.standard_deviation, statistics.percentiles["99.5"]) == (0, 9)
    assert (ml.boxes.frame, ml.boxes.axes) == ("index", ("x", "z"))
    assert [(box.min, box.max, box.label, box.score) for box in ml.boxes.items] == [
        ((0, 0.5), (2, 4), 3, 0.75),
        ((1, 1), (1, 2), "three", None),
    ]
    assert meta.profiles.medical.dicom == {"Modality": "MR", "EchoTime": 2.5, "Rows": (1, None, b"x")}
    assert meta.profiles["org_example_cryoem"]["dose"] != meta.profiles["org_example_cryoem"]["dose"], "NaN"
    first = meta.history[0]
    assert (first.action, first.tool, first.time, first.from_, first.warnings) == (
        "converted",
        "a 1",
        "2026-11-06T10:12:00Z",
        "nifti",
        ("odd",),
    )
    assert getattr(first, "from") == first["from"] == "nifti"
    storage = meta.storage
    assert (storage.chunk_size, storage.block_size, storage.patch_size) == ((1, 5, 4, 3, 2), (1, 1, 2, 3, 2), (4, 3, 2))
    compression = storage.compression
    assert (compression.codec, compression.level, compression.filters, compression.filters_meta) == (
        "ZSTD",
        9,
        ("BITSHUFFLE", "DELTA"),
        (0, 255),
    )
    assert meta.source[0]["header"]["raw"] == b"\x00\x01"
    assert meta.user["a"] == (1, {"b": b"2"})


def test_what_is_absent_reads_as_the_default_of_the_format():
    meta = Meta.from_dict({"axes": [{}, {"name": "q"}]})
    assert (meta.version, meta.writer, meta.spaces, meta.history, meta.source, dict(meta.user)) == (
        "1.0",
        None,
        (),
        (),
        (),
        {},
    )
    assert [(axis.name, axis.type, axis.labels, axis.step) for axis in meta.axes] == [
        ("axis_0", "other", None, None),
        ("q", "other", None, None),
    ]
    values = meta.values
    assert (values.kind, values.scale, values.offset, values.fill, values.unit, values.labels) == (
        "measurement",
        1,
        0,
        None,
        None,
        None,
    )
    assert not meta.profiles
    assert not meta.profiles.ml
    assert not meta.profiles.ml.statistics
    assert (meta.profiles.ml.boxes, meta.profiles.ml.split, meta.profiles.medical.dicom) == (None, None, None)
    assert (meta.storage.chunk_size, meta.storage.compression) == (None, None)
    assert "ml" not in meta.profiles


def test_an_axis_without_a_type_is_of_type_space_where_a_space_uses_it():
    space = {"name": "s", "axes": [{"name": "a"}], "from_array": {"array_axes": ["y"], "scale": [2]}}
    meta = Meta.from_dict({"axes": [{"name": "t"}, {"name": "y"}], "spaces": [space]})
    assert (meta.axes[0].type, meta.axes[1].type) == ("other", "space")
    assert "type" not in meta.axes[1]
    assert meta.axis_types == ("other", "space")
    assert meta.axis_names == ("t", "y")


def test_words_of_a_later_minor_version_read_as_other_or_as_absent_and_are_kept():
    later = changed(
        EVERY,
        ("version", "1.4"),
        ("axes/1/type", "spectrum"),
        ("values/kind", "phase"),
        ("values/label_layout", "bits"),
        ("spaces/0/axes/0/increases_toward", "ahead"),
    )
    with pytest.warns(MLArrayWarning) as warned:
        meta = Meta.from_dict(later)
    assert len(warned) == 4
    assert (meta.axes[1].type, meta.values.kind, meta.values.label_layout) == ("other", "other", None)
    assert meta.spaces[0].axes[0].increases_toward is None
    assert meta.axis_types[1] == "other"
    assert FrozenMap(later) == meta.to_dict()
    assert meta.values["kind"] == "phase", "an item is what the file holds"
    meta.axes[0].labels = None
    assert meta.to_dict()["axes"][1]["type"] == "spectrum"


@pytest.mark.parametrize(
    "place",
    [
        (),
        ("axes", 0),
        ("spaces", 0),
        ("spaces", 0, "reference"),
        ("spaces", 0, "axes", 1),
        ("spaces", 0, "from_array"),
        ("values",),
        ("profiles", "ml"),
        ("profiles", "ml", "statistics"),
        ("profiles", "ml", "boxes"),
        ("profiles", "ml", "boxes", "items", 1),
        ("profiles", "medical"),
        ("history", 0),
        ("storage",),
        ("storage", "compression"),
    ],
    ids=str,
)
def test_keys_that_are_not_known_are_items_and_kept(place):
    meta = Meta.from_dict(changed(EVERY, ((*place, "org_x"), {"deep": [1, {"a": None}]})))
    meta.bind(SHAPE, DTYPE)
    view = meta
    for part in place:
        view = getattr(view, part) if isinstance(part, str) else view[part]
    assert view["org_x"] == {"deep": (1, {"a": None})}
    assert "org_x" in view
    meta.values.scale = 3
    assert view["org_x"]["deep"][0] == 1
    assert meta.extra == ({"org_x": {"deep": [1, {"a": None}]}} if place == () else {})
    if place[:1] not in {("history",), ("storage",)}:
        view["org_x"] = 5
        assert view["org_x"] == 5
        del view["org_x"]
        assert "org_x" not in view
        with pytest.raises(KeyError, match="org_x"):
            del view["org_x"]


@pytest.mark.parametrize(
    ("read", "guess"),
    [
        (lambda meta: meta.values.uint, "did you mean 'unit'"),
        (lambda meta: setattr(meta.values, "uint", "kelvin"), "did you mean 'unit'"),
        (lambda meta: setattr(meta, "vaules", {}), "did you mean 'values'"),
        (lambda meta: setattr(meta.axes[0], "spacing", 1), "labels, start, step"),
        (lambda meta: meta.history[0].org_x, "action, tool, time, from"),
    ],
)
def test_an_attribute_that_there_is_not_is_refused_with_those_there_are(meta, read, guess):
    before = meta.to_dict()
    with pytest.raises(AttributeError, match=guess) as raised:
        read(meta)
    assert raised.value.code == "unknown_name"
    assert repr(meta.to_dict()) == repr(before)


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (lambda meta: setattr(meta, "version", "1.1"), "when a file is written"),
        (lambda meta: setattr(meta, "writer", "me"), "when a file is written"),
        (lambda meta: meta.__setitem__("version", "1.1"), "when a file is written"),
        (lambda meta: setattr(meta, "source", []), "source="),
        (lambda meta: meta.__setitem__("source", []), "source="),
        (lambda meta: delattr(meta, "source"), "source="),
        (lambda meta: setattr(meta, "history", []), "add_history"),
        (lambda meta: setattr(meta.history[0], "tool", "b"), "add_history"),
        (lambda meta: meta.history[0].__setitem__("org_x", 1), "add_history"),
        (lambda meta: meta.history[0].__delitem__("tool"), "add_history"),
        (lambda meta: setattr(meta, "storage", {}), "patch_size"),
        (lambda meta: setattr(meta.storage, "chunk_size", [1, 1, 1, 1, 1]), "patch_size"),
        (lambda meta: setattr(meta.storage.compression, "level", 1), "cparams"),
    ],
)
def test_what_is_read_only_says_what_to_do(meta, write, words):
    with pytest.raises(FieldError, match=words) as raised:
        write(meta)
    assert raised.value.code == "read_only"
    assert isinstance(raised.value, AttributeError)
    assert not meta.changed


def test_views_see_what_is_assigned_after_they_were_got(meta):
    values, axis = meta.values, meta.axes[4]
    meta.values = {"kind": "measurement", "unit": "kelvin"}
    meta.spaces = None
    meta.profiles = None
    meta.axes = ["a", "b", "c", "d", "e"]
    assert (values.unit, values.labels) == ("kelvin", None)
    assert axis.name == "e"


def test_a_view_of_what_is_gone_says_so(meta):
    boxes, box = meta.profiles.ml.boxes, meta.profiles.ml.boxes.items[1]
    boxes.items = []
    assert boxes.items == ()
    with pytest.raises(MLArrayError, match="/profiles/ml/boxes/items/1: no map stands there"):
        _ = box.label
    del meta.profiles.ml
    with pytest.raises(MLArrayError, match="/profiles/ml/boxes: no map stands there"):
        _ = boxes.frame
    assert "ml" not in meta.profiles


def test_views_are_maps(meta):
    axis = meta.axes[1]
    wanted = {"name": "t", "type": "time", "start": 2, "step": 0.5, "unit": "second", "unit_code": "s"}
    assert dict(axis) == wanted == axis.to_dict()
    assert list(axis) == list(wanted)
    assert (len(axis), axis.get("labels"), "start" in axis) == (6, None, True)
    assert axis == wanted
    assert axis != wanted | {"start": 3}
    assert axis != 5
    assert meta.spaces[0]["reference"].id == "7", "a map in a map is a view as an item too"
    assert meta.spaces[0].axes == meta.spaces[0]["axes"]
    with pytest.raises(KeyError):
        axis["labels"]
    with pytest.raises(TypeError, match="unhashable"):
        hash(axis)


def test_copies_of_views_are_frozen_maps(meta):
    for made in (copy.copy(meta.values), copy.deepcopy(meta.values), pickle.loads(pickle.dumps(meta.values))):
        assert isinstance(made, FrozenMap)
        assert made == meta.values


def test_the_dicts_that_come_out_share_nothing(meta):
    out, view = meta.to_dict(source=True, user=True), meta.values.to_dict()
    out["axes"][0]["labels"][0] = out["user"]["a"][1]["b"] = out["source"][0]["header"]["fields"]["descrip"] = "changed"
    view["labels"]["6"]["name"] = "changed"
    assert meta.axes[0].labels[0] == "a"
    assert meta.user["a"][1]["b"] == b"2"
    assert meta.source[0]["header"]["fields"]["descrip"] == "x"
    assert meta.values.labels["6"]["name"] == "six"


def test_views_print_as_people_write_them(meta):
    assert repr(meta.axes[4]) == "Axis(name='x', type='space')"
    meta.axes[4]["org-x"] = [1]
    assert repr(meta.axes[4]) == "Axis(name='x', type='space', **{'org-x': [1]})"
    assert repr(meta.profiles.ml.boxes.items[1]) == "Box(min=[1, 1], max=[1, 2], label='three')"
    assert repr(Meta.from_dict({"axes": []}).profiles.ml) == "MlProfile()"


def test_attributes_are_listed(meta):
    assert {"kind", "unit_code", "to_dict"} <= set(dir(meta.values))
    assert {"axes", "spaces", "add_history"} <= set(dir(meta))
    assert list(meta) == list(EVERY)


def test_metadata_prints_in_a_few_lines():
    meta = Meta.from_dict(
        {
            "version": "1.0",
            "writer": "a 1",
            "axes": [{"name": "t", "type": "time"}, {"name": "y"}],
            "spaces": [
                {
                    "name": "stage",
                    "axes": [{"name": "v", "unit": "millimeter", "increases_toward": "up"}],
                    "from_array": {"array_axes": ["y"], "scale": [2]},
                }
            ],
            "values": {"unit": "kelvin", "scale": 0.5},
            "profiles": {"ml": {"profile_version": "1.0"}, "org_x": {}},
            "history": [{"action": "created", "time": "2026-11-06T10:12:00Z"}],
            "storage": {"chunk_size": [1, 2]},
            "org_y": 1,
            "source": [{"format": "nifti"}],
            "user": {"a": 1},
        }
    )
    assert repr(meta).splitlines() == [
        "Meta of format 1.0, written by a 1",
        "  axes      t (time), y (space)",
        "  space     stage: v up (millimeter)",
        "  values    measurement in kelvin, scale 0.5",
        "  profiles  ml, org_x",
        "  history   2026-11-06T10:12:00Z created",
        "  storage   {'chunk_size': [1, 2]}",
        "  source    [{'format': 'nifti'}]",
        "  user      {'a': 1}",
        "  others    org_y",
    ]


def test_this_package_calls_itself_by_its_version():
    assert writer_name().split()[0] == "mlarray"
    assert writer_name().split()[1][0].isdigit()
