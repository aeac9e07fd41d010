"""What of the metadata is kept: by arrays made of others, by assignment, and by a geometry that is set anew."""

import blosc2
import numpy as np
import pytest

from mlarray import Meta, MLArray
from mlarray.errors import ArgumentError, ArgumentTypeError, FieldError, MLArrayError

VALUES = np.arange(4 * 5 * 6, dtype="i2").reshape(4, 5, 6)
SOURCE = [{"format": "nifti", "reader": "nibabel 5"}]


def converted():
    """An array with a source, a history, a recorded layout and metadata of a user."""
    made = MLArray(
        VALUES, axes=["z", "y", "x"], source=SOURCE, user={"n": 1}, chunk_size=(2, 5, 6), block_size=(1, 5, 6)
    )
    made.meta.add_history("converted", time="2026-11-06T10:12:00Z")
    return made


@pytest.mark.parametrize(
    "derive",
    [
        lambda base, **more: MLArray(VALUES + 1, meta=base.meta, **more),
        lambda base, **more: MLArray(VALUES + 1, meta=base.meta.copy(), **more),
        lambda base, **more: MLArray(VALUES + 1, copy=base, **more),
        lambda base, **more: MLArray(VALUES + 1, copy=base.meta, **more),
        lambda base, **more: MLArray.asarray(VALUES + 1, meta=base.meta, **more),
        lambda base, **more: MLArray.zeros(VALUES.shape, "u1", meta=base.meta, **more),
        MLArray.zeros_like,
        lambda base, **more: MLArray.zeros_like(base, meta=base.meta, **more),
    ],
)
def test_a_derived_array_has_the_source_only_when_asked_for(derive):
    base = converted()
    made = derive(base)
    assert made.meta.source == ()
    assert made.meta.user == {"n": 1}
    assert made.meta.history == base.meta.history
    assert derive(base, copy_source=True).meta.source == base.meta.source
    assert derive(base, source=[{"format": "other"}]).meta.source[0]["format"] == "other"
    assert base.meta.source[0]["format"] == "nifti"


LOCKED = [
    (("history",), []),
    (("history",), None),
    (("history", 0), {"action": "other"}),
    (("history", 0), None),
    (("history", 0, "tool"), "b"),
    (("storage",), {}),
    (("storage",), None),
    (("storage", "compression"), None),
    (("storage", "patch_size"), [1, 1, 1]),
    (("version",), "1.1"),
    (("version",), None),
    (("writer",), "me"),
    (("source",), []),
    (("source", 0, "format"), "other"),
]


@pytest.mark.parametrize(("place", "value"), LOCKED)
def test_assign_sets_nothing_that_the_attributes_do_not(place, value):
    meta = converted().meta
    before = meta.to_dict(source=True)
    with pytest.raises(FieldError) as raised:
        meta.assign(place, value)
    assert raised.value.code == "read_only"
    assert raised.value.at == place
    assert meta.to_dict(source=True) == before
    assert not hasattr(Meta, "replace")


def test_assign_sets_what_the_attributes_do():
    meta = converted().meta
    meta.assign(("values", "unit"), "kelvin")
    meta.assign(("axes", 0), {"name": "t", "type": "time"})
    meta.assign(("axes", 1, "name"), "v")
    meta.assign(("org_x",), [1])
    meta.assign(("user",), {"n": 2})
    assert (meta.values.unit_code, meta.axes[0].name, meta.axes[1].name) == ("K", "t", "v")
    assert (meta["org_x"], meta.user) == ((1,), {"n": 2})
    assert "user" not in meta.to_dict()
    meta.assign(("user",), None)
    assert meta.user == {}


@pytest.mark.parametrize(
    "place", [(), (0,), ("axes", 3), ("axes", -1), ("axes", "z"), ("user", "n"), ("axes", 3, "name")]
)
def test_a_place_that_there_is_not_is_refused(place):
    meta = converted().meta
    before = meta.to_dict(user=True)
    with pytest.raises(MLArrayError):
        meta.assign(place, {"name": "q"})
    assert meta.to_dict(user=True) == before
    with pytest.raises(MLArrayError, match="whole list"):
        meta.assign(("axes", 0), None)


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("dparams", [None, {}, {"nthreads": 1}, {"nthreads": 2}, blosc2.DParams(nthreads=2)])
def test_load_takes_the_threads_that_decode(tmp_path, dparams, compressed):
    converted().save(tmp_path / "a.mla")
    m = MLArray.load(tmp_path / "a.mla", dparams=dparams, compressed=compressed)
    assert np.array_equal(m.to_numpy(), VALUES)
    if compressed:
        wanted = dparams.nthreads if isinstance(dparams, blosc2.DParams) else (dparams or {}).get("nthreads", 1)
        assert m._store.array.schunk.dparams.nthreads == wanted
    assert m.meta.storage.compression == converted().meta.storage.compression


def test_load_refuses_what_it_does_not_know(tmp_path):
    converted().save(tmp_path / "a.mla")
    for wrong in (3, "two", [("nthreads", 2)]):
        with pytest.raises(ArgumentTypeError, match="dparams"):
            MLArray.load(tmp_path / "a.mla", dparams=wrong)
    for dparams in ({"nthread": 2}, {"nthreads": 2, "typesize": 4}, {1: 2}):
        with pytest.raises(ArgumentError, match="nthreads alone"):
            MLArray.load(tmp_path / "a.mla", dparams=dparams)
        with pytest.raises(ArgumentError, match="nthreads alone"):
            MLArray.open(tmp_path / "a.mla", dparams=dparams)
    with pytest.raises(ArgumentError, match="nthreads"):
        MLArray.load(tmp_path / "a.mla", dparams={"nthreads": 0})
    with pytest.raises(ArgumentTypeError, match="load takes no mmap"):
        MLArray.load(tmp_path / "a.mla", mmap=True)


# A geometry for axes without a type ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "used"),
    [
        ("spacing", (2, 3, 5), 3),
        ("spacing", (7, 2, 3, 5), 4),
        ("origin", (1, 2), 2),
        ("affine", [[2, 0, 7], [0, 3, 8], [0, 0, 1]], 2),
        ("direction", np.eye(3), 3),
    ],
)
def test_a_geometry_of_untyped_axes_is_of_as_many_of_the_last(name, value, used):
    m = MLArray(np.zeros((2, 3, 4, 5), "u1"))
    setattr(m, name, value)
    assert m.meta.axis_types == ("other",) * (4 - used) + ("space",) * used
    assert m.meta.spaces[0].name == "world"
    assert m.meta.spaces[0].from_array.array_axes == tuple(f"axis_{k}" for k in range(4 - used, 4))
    assert np.array_equal(getattr(m, name), value)
    made = MLArray(np.zeros((2, 3, 4, 5), "u1"), **{name: value})
    assert made.matrix() == m.matrix()
    assert made.meta.axis_types == m.meta.axis_types


def test_a_geometry_of_typed_axes_is_of_those_of_type_space():
    m = MLArray(np.zeros((2, 3, 4), "u1"), axes=["y", "c", "x"])
    m.spacing = (2, 3)
    assert m.meta.spaces[0].from_array.array_axes == ("y", "x")
    m = MLArray(np.zeros((2, 3, 4), "u1"), axes=["t", "y", "x"])
    with pytest.raises(ArgumentError, match="expected 2"):
        m.spacing = (1, 2, 3)
    assert m.spacing is None


def test_a_recorded_patch_goes_when_others_are_axes_of_space():
    m = MLArray(np.zeros((2, 3, 4, 5), "u1"), patch_size=(1, 3, 4, 5))
    m.spacing = (1, 2, 3)
    assert m.meta.storage.patch_size is None


def test_several_units_are_listed_by_axis():
    axes = [{"name": "a", "unit": "meter"}, {"name": "b", "unit": "second"}, {"name": "c"}]
    map_ = {"array_axes": ["z", "y", "x"], "scale": [1, 2, 3]}
    m = MLArray(VALUES, axes=["z", "y", "x"], spaces=[{"name": "w", "axes": axes, "from_array": map_}])
    for use in (lambda: m.spacing, lambda: setattr(m, "spacing", (1, 1, 1))):
        with pytest.raises(ArgumentError, match="several units, so a distance has none: a m, b s, c without a unit"):
            use()
