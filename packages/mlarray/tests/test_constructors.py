"""The ways to make an MLArray, and what is said of it: axes, spaces, values, layout."""

import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest

import mlarray
from mlarray import FormatError, Meta, MLArray, MLArrayError, MLArrayWarning
from mlarray.errors import ArgumentError, ArgumentTypeError, UnknownNameError

VALUES = np.arange(4 * 5 * 6, dtype="i2").reshape(4, 5, 6)
SEED = [[0.0, 0.0, 0.7, -170.1], [0.0, 0.7, 0.0, -201.3], [-2.5, 0.0, 0.0, -87.0], [0.0, 0.0, 0.0, 1.0]]
"""Columns z, y, x and the translation; rows x, y, z of the patient space."""
TURNED = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]


def seed(**more):
    return MLArray(VALUES, space="patient", matrix=SEED, **more)


def test_the_patient_space_of_a_matrix():
    array = seed()
    assert array.matrix() == SEED
    assert array.affine == SEED
    assert array.spacing == [2.5, 0.7, 0.7]
    assert array.origin == [-170.1, -201.3, -87.0]
    assert array.direction == TURNED
    assert array.letter_codes() == "IPL"
    assert array.spatial_ndim == 3
    # x: 0.7 * 20 - 170.1; y: 0.7 * 10 - 201.3; z: -2.5 * 2 - 87
    assert array.index_to_space((2, 10, 20)) == pytest.approx([-156.1, -194.3, -92.0], rel=1e-15)
    assert array.space_to_index((-156.1, -194.3, -92.0)) == pytest.approx([2, 10, 20], rel=1e-12)
    space = array.meta.spaces[0]
    assert space.name == "patient"
    assert [(a.name, a.unit_code, a.increases_toward) for a in space.axes] == [
        ("x", "mm", "left"),
        ("y", "mm", "posterior"),
        ("z", "mm", "superior"),
    ]
    assert array.meta.axis_names == ("z", "y", "x")


def test_what_is_derived_makes_the_same_matrix_again():
    array = seed()
    again = MLArray(VALUES, spacing=array.spacing, origin=array.origin, direction=array.direction, space="patient")
    assert again.matrix() == SEED


def test_coordinates_of_many_points_keep_their_shape():
    points = np.zeros((2, 7, 3))
    assert seed().index_to_space(points).shape == (2, 7, 3)
    assert seed().space_to_index(points).shape == (2, 7, 3)


def test_patient_without_a_direction_is_axis_aligned_by_name():
    array = MLArray(VALUES, space="patient", spacing=(3, 0.5, 0.25), origin=(1, 2, 4))
    assert array.matrix() == [[0, 0, 0.25, 1], [0, 0.5, 0, 2], [3, 0, 0, 4], [0, 0, 0, 1]]
    assert array.letter_codes() == "SPL"


def test_patient_without_a_direction_needs_names_that_match():
    with pytest.raises(ArgumentError, match="direction"):
        MLArray(VALUES, axes=[{"name": n, "type": "space"} for n in "kji"], space="patient", spacing=(3, 1, 1))


def test_spacing_alone_makes_a_world_without_directions():
    array = MLArray(VALUES, spacing=(3, 0.5, 0.25))
    assert array.meta.spaces[0].name == "world"
    assert array.letter_codes() is None
    assert array.index_to_space((1, 2, 4)).tolist() == [3, 1, 1]


def test_without_a_space_there_is_index_space_alone():
    array = MLArray(VALUES)
    assert (array.spacing, array.origin, array.direction, array.affine, array.letter_codes()) == (None,) * 5
    assert array.meta.axis_names == ("axis_0", "axis_1", "axis_2")
    assert array.meta.axis_types == ("other",) * 3
    with pytest.raises(KeyError, match="no space"):
        array.index_to_space((0, 0, 0))


def test_an_unknown_space_lists_those_there_are():
    with pytest.raises(UnknownNameError, match="patient"):
        seed().matrix("atlas")


def test_setters_rewrite_the_matrix_and_keep_the_rest():
    array = seed()
    array.spacing = (5, 0.5, 0.25)
    assert array.matrix() == [[0, 0, 0.25, -170.1], [0, 0.5, 0, -201.3], [-5, 0, 0, -87], [0, 0, 0, 1]]
    array.origin = (1, 2, 3)
    assert array.origin == [1.0, 2.0, 3.0]
    assert array.spacing == [5.0, 0.5, 0.25]
    array.direction = np.eye(3)[::-1]
    assert array.letter_codes() == "SPL"
    assert array.spacing == [5.0, 0.5, 0.25]
    array.affine = np.diag([2.0, 3.0, 4.0, 1.0])
    assert array.spacing == [2.0, 3.0, 4.0]


def test_setting_a_spacing_gives_an_array_without_a_space_one():
    array = MLArray(VALUES)
    array.spacing = (3, 2, 1)
    assert array.spacing == [3.0, 2.0, 1.0]
    assert array.meta.axis_types == ("space",) * 3


BAD_GEOMETRY = {
    "zero spacing": ({"spacing": (0, 1, 1)}, "above 0"),
    "negative spacing": ({"spacing": (1, -1, 1)}, "above 0"),
    "nan spacing": ({"spacing": (1, float("nan"), 1)}, "finite"),
    "infinite origin": ({"spacing": (1, 1, 1), "origin": (0, float("inf"), 0)}, "finite"),
    "bool spacing": ({"spacing": (True, True, True)}, "numbers"),
    "a bool in a spacing": ({"spacing": (True, 1, 1)}, "numbers"),
    "text spacing": ({"spacing": ("1", "2", "3")}, "numbers"),
    "too few": ({"space": "patient", "spacing": (1, 1)}, "expected 3"),
    "singular direction": ({"space": "patient", "direction": np.arange(1, 10).reshape(3, 3)}, "independent"),
    "zero direction": ({"space": "patient", "direction": np.zeros((3, 3))}, "independent"),
    "singular matrix": ({"matrix": np.ones((4, 4)) * [[1], [1], [1], [0]] + np.diag([0, 0, 0, 1.0])}, "independent"),
    "last row": ({"matrix": np.diag([1.0, 1, 1, 5])}, "last row"),
    "matrix and spacing": ({"matrix": SEED, "spacing": (1, 1, 1)}, "one or the other"),
    "matrix and affine": ({"matrix": SEED, "affine": SEED}, "one of them"),
    "spaces and spacing": ({"spaces": [], "spacing": (1, 1, 1)}, "spaces"),
    "index space": ({"space": "index", "spacing": (1, 1, 1)}, "reserved"),
}


@pytest.mark.parametrize(("said", "words"), BAD_GEOMETRY.values(), ids=BAD_GEOMETRY)
def test_geometry_that_cannot_be_is_refused(said, words):
    with pytest.raises(MLArrayError, match=words):
        MLArray(VALUES, **said)


def test_numpy_numbers_are_numbers():
    array = MLArray(VALUES, spacing=[np.float32(0.5), np.int64(2), 1])
    assert array.spacing == [0.5, 2.0, 1.0]
    assert all(type(value) is float for value in array.spacing)


def test_names_bring_their_types():
    array = MLArray(np.zeros((2, 3, 4, 5), "u1"), axes=["t", "channel", "y", "depth"])
    assert array.meta.axis_types == ("time", "channel", "space", "other")


def test_axis_coordinates_are_sampled_or_listed():
    axes = [
        {"name": "t", "type": "time", "start": 10, "step": 0.5, "unit": "second"},
        {"name": "b", "coordinates": [0, 9]},
        "y",
    ]
    array = MLArray(np.zeros((3, 2, 4), "u1"), axes=axes)
    assert array.axis_coordinates("t") == [10.0, 10.5, 11.0]
    assert array.axis_coordinates(1) == [0.0, 9.0]
    assert array.axis_coordinates("y") is None
    assert array.meta.axes[0].unit_code == "s"
    with pytest.raises(KeyError, match="t, b, y"):
        array.axis_coordinates("z")


def test_mixed_units_have_no_spacing():
    spaces = [
        {
            "name": "w",
            "axes": [{"name": "a", "unit": "meter"}, {"name": "b", "unit": "second"}, {"name": "c"}],
            "from_array": {"array_axes": ["z", "y", "x"], "scale": [1, 2, 3]},
        }
    ]
    array = MLArray(VALUES, axes=["z", "y", "x"], spaces=spaces)
    with pytest.raises(ArgumentError, match="several units"):
        _ = array.spacing
    assert array.origin == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("dtype", "shape"),
    [(dtype, (2, 3)) for dtype in ("?", "i1", ">i2", "<i4", "u8", "f2", ">f4", "f8", "c8", ">c16")]
    + [("f4", ()), ("i2", (0, 3, 4)), ("u1", (1,) * 8)],
)
def test_every_dtype_and_shape_comes_back_as_it_was(tmp_path, dtype, shape):
    values = (np.arange(int(np.prod(shape))) % 7).astype(dtype).reshape(shape)
    MLArray(values).save(tmp_path / "a.mla")
    with MLArray.open(tmp_path / "a.mla") as array:
        assert array.shape == shape
        assert array.dtype == np.dtype(dtype)
        assert np.array_equal(array.to_numpy(), values)
        assert np.array_equal(np.asarray(array[...]), values)


@pytest.mark.parametrize(
    ("values", "hint"),
    [
        (np.array([object()]), "numbers"),
        (np.array(["a"]), "labels"),
        (np.array([b"a"]), "labels"),
        (np.zeros(2, [("a", "i2"), ("b", "f4")]), "component"),
        (np.zeros(2, "V2"), "component"),
        (np.zeros(2, "M8[s]"), "time axis"),
        (np.zeros(2, np.longdouble), "float64"),
        ([[1, 2], [3]], "array"),
    ],
    ids=str,
)
def test_dtypes_that_no_file_holds_are_refused_with_a_hint(values, hint):
    with pytest.raises(TypeError, match=hint):
        MLArray(values)


def test_nine_axes_are_one_too_many():
    with pytest.raises(ArgumentError, match="at most 8"):
        MLArray(np.zeros((1,) * 9))


def test_constants():
    assert MLArray.zeros((2, 3), "u1").to_numpy().tolist() == [[0, 0, 0], [0, 0, 0]]
    assert MLArray.empty(3, "i2").shape == (3,)
    assert MLArray.ones((2,), "f4").to_numpy().tolist() == [1.0, 1.0]
    full = MLArray.full((2, 2), 7)
    assert full.dtype == np.asarray(7).dtype
    assert full.to_numpy().tolist() == [[7, 7], [7, 7]]
    assert np.isnan(MLArray.full(2, np.nan).to_numpy()).all()


@pytest.mark.parametrize(("start", "stop", "step"), [(0, 1, 0.3), (0, 10, 3), (5, None, 1), (5, -2, -2), (3, 3, 1)])
def test_arange_has_as_many_values_as_the_ceiling_says(start, stop, step):
    first, last = (0, start) if stop is None else (start, stop)
    count = -((Fraction(first) - Fraction(last)) // Fraction(step))
    found = MLArray.arange(start, stop, step)
    assert found.shape == (max(0, count),)
    assert found.to_numpy().tolist() == [first + step * i for i in range(max(0, count))]


def test_arange_and_linspace_take_a_shape():
    assert MLArray.arange(6, shape=(2, 3)).to_numpy().tolist() == [[0, 1, 2], [3, 4, 5]]
    assert MLArray.linspace(0, 1, 4, endpoint=False, shape=(2, 2)).to_numpy().tolist() == [[0, 0.25], [0.5, 0.75]]
    with pytest.raises(ArgumentError, match="shape"):
        MLArray.arange(5, shape=(2, 3))


def test_likes_take_metadata_without_the_source():
    base = seed(values={"unit": "kelvin"}, user={"n": 1}, source=[{"format": "nifti"}])
    for made in (MLArray.zeros_like(base), MLArray.full_like(base, 3, dtype="f4"), MLArray(VALUES, copy=base)):
        assert made.matrix() == SEED
        assert made.meta.values.unit == "kelvin"
        assert made.meta.user["n"] == 1
        assert made.meta.source == ()
    assert MLArray.ones_like(base, copy_source=True).meta.source[0]["format"] == "nifti"
    assert MLArray.empty_like(np.zeros((2, 3), "u1")).shape == (2, 3)


def test_copies_share_nothing():
    base = seed(user={"list": [1]})
    made = MLArray(VALUES, copy=base)
    made.meta.values.unit = "kelvin"
    made.spacing = (1, 2, 3)
    made.meta.user = {"list": [2]}
    assert base.meta.values.unit is None
    assert base.matrix() == SEED
    assert base.meta.user["list"] == (1,)


def test_arguments_win_over_a_copy():
    made = MLArray(VALUES, copy=seed(values={"kind": "measurement"}), values={"kind": "other"}, spacing=(1, 2, 3))
    assert made.meta.values.kind == "other"
    assert made.origin == [-170.1, -201.3, -87.0]
    assert made.spacing == [1.0, 2.0, 3.0]


def test_a_copy_of_another_number_of_axes_is_refused():
    with pytest.raises(ArgumentError, match="3 axes"):
        MLArray(np.zeros((2, 3)), copy=seed())


def test_labels_of_a_copy_are_checked_against_the_new_shape():
    base = MLArray(np.zeros((3, 4), "u1"), axes=[{"name": "y", "labels": ["a", "b", "c"]}, "x"])
    with pytest.raises(ArgumentError, match="labels"):
        MLArray(np.zeros((2, 4), "u1"), copy=base)


def test_a_map_as_meta_is_refused_with_a_hint():
    with pytest.raises(ArgumentTypeError, match="user="):
        MLArray(VALUES, meta={"a": 1})


def test_meta_and_copy_exclude_each_other():
    with pytest.raises(ArgumentError, match="exclude"):
        MLArray(VALUES, meta=seed().meta, copy=seed())


def test_a_copy_with_other_axes_forgets_the_recorded_patch(tmp_path):
    seed().save(tmp_path / "a.mla")
    with MLArray.open(tmp_path / "a.mla") as base:
        made = MLArray(VALUES, copy=base, axes=["c", "y", "x"], spaces=[])
    assert made.meta.axis_types == ("channel", "space", "space")


def test_arange_takes_its_dtype_from_the_stop_too():
    assert MLArray.arange(2.5).dtype == np.float64
    assert MLArray.arange(3).dtype == np.arange(3).dtype


def test_an_unknown_argument_is_refused():
    with pytest.raises(TypeError):
        MLArray(VALUES, spacings=(1, 1, 1))
    with pytest.raises(TypeError, match="spacings"):
        MLArray.zeros((2, 2), "u1", spacings=(1, 1))


def test_a_path_is_loaded_and_takes_nothing_beside(tmp_path):
    seed().save(tmp_path / "a.mla")
    assert MLArray(tmp_path / "a.mla").matrix() == SEED
    with pytest.raises(ArgumentError, match="spacing"):
        MLArray(tmp_path / "a.mla", spacing=(1, 1, 1))


def test_plain_arrays_are_copies():
    values = VALUES.copy()
    array = MLArray(values, compressed=False)
    values[...] = 0
    assert array[1, 2, 3] == 45
    part = array[0]
    part[...] = -1
    assert array[0, 0, 1] == 1


def test_metadata_alone_holds_no_values():
    array = MLArray(user={"a": 1})
    assert array.shape == (0,)
    assert array.meta.user["a"] == 1


@pytest.mark.parametrize("patch", [0, -5, 2.5, "big", (1, 2), None, np.int64(2), 99])
def test_patch_sizes(patch):
    if patch is None or (isinstance(patch, (int, np.integer)) and patch > 0):
        assert np.array_equal(MLArray(VALUES, patch_size=patch).to_numpy(), VALUES)
    else:
        with pytest.raises((ArgumentError, ArgumentTypeError), match="patch_size"):
            MLArray(VALUES, patch_size=patch)


def test_chunk_and_block_need_each_other_and_exclude_a_patch():
    array = MLArray(VALUES, chunk_size=(2, 5, 6), block_size=(1, 5, 3))
    assert array.shape == (4, 5, 6)
    for wrong in ({"chunk_size": (2, 5, 6)}, {"chunk_size": (2, 5, 6), "block_size": (1, 5, 3), "patch_size": 2}):
        with pytest.raises(ArgumentError):
            MLArray(VALUES, **wrong)
    with pytest.raises(ArgumentError, match="inside"):
        MLArray(VALUES, chunk_size=(1, 5, 6), block_size=(2, 5, 6))


def test_storage_records_what_the_file_has(tmp_path):
    MLArray(
        VALUES, axes=["z", "y", "x"], patch_size=(2, 3, 4), cparams={"codec": "ZSTD", "clevel": 3, "nthreads": 4}
    ).save(tmp_path / "a.mla")
    with MLArray.open(tmp_path / "a.mla") as array:
        storage = array.meta.storage.to_dict()
        blosc = array._store.array
        assert storage["chunk_size"] == list(blosc.chunks)
        assert storage["block_size"] == list(blosc.blocks)
        assert storage["patch_size"] == [2, 3, 4]
        assert storage["compression"] == {"codec": "ZSTD", "level": 3, "filters": ["SHUFFLE"]}


def test_a_recorded_layout_that_is_not_the_files_loses_with_a_warning(tmp_path):
    from mlarray.header.wire import decode, encode
    from mlarray.io.file_store import open_file

    target = tmp_path / "a.mla"
    MLArray(VALUES).save(target)
    store = open_file(str(target), "r+")
    header = decode(store.keys()["mlarray"])
    header["storage"]["chunk_size"] = [1, 1, 1]
    store.set_keys({"mlarray": encode(header)})
    store.close()
    with pytest.warns(MLArrayWarning, match="chunk_size"):
        array = MLArray.open(target)
    assert array.meta.storage.chunk_size == (4, 5, 6)
    array.save(target)
    array.close()
    assert MLArray.load(target).meta.storage.chunk_size == (4, 5, 6)


def test_foreign_keys_are_copied_through(tmp_path):
    from mlarray.io.file_store import open_file

    MLArray(VALUES).save(tmp_path / "a.mla")
    store = open_file(str(tmp_path / "a.mla"), "r+")
    store.set_keys({"org_x": b"\x01\x02"})
    store.close()
    with MLArray.open(tmp_path / "a.mla") as array:
        array.save(tmp_path / "b.mla", patch_size=2)
    store = open_file(str(tmp_path / "b.mla"))
    assert store.keys()["org_x"] == b"\x01\x02"
    store.close()


def test_verify_compares_with_the_fingerprint_of_the_source(tmp_path):
    plain = MLArray(VALUES)
    with pytest.raises(ArgumentError, match="fingerprint"):
        plain.verify()
    entry = {"format": "x", "fingerprint": {"shape": [4, 5, 6], "dtype": "<i2", "data": plain.fingerprint()}}
    array = MLArray(VALUES, source=[entry])
    assert array.verify()
    array[0, 0, 0] = 1
    assert not array.verify()


def test_pickles_and_deep_copies(tmp_path):
    seed(user={"n": 1}).save(tmp_path / "a.mla")
    opened = MLArray.open(tmp_path / "a.mla", mmap=False)
    for made in (pickle.loads(pickle.dumps(opened)), copy.deepcopy(opened)):
        assert made.filepath == opened.filepath
        assert np.array_equal(made.to_numpy(), VALUES)
        made.close()
    for array in (seed(user={"n": 1}), seed(user={"n": 1}, compressed=False)):
        for made in (pickle.loads(pickle.dumps(array)), copy.deepcopy(array)):
            assert made.meta == array.meta
            assert np.array_equal(made.to_numpy(), VALUES)
            made[0, 0, 0] = 9
            assert array[0, 0, 0] == 0
    with MLArray.open(tmp_path / "a.mla", mode="r+") as writing, pytest.raises(ArgumentError, match="one process"):
        pickle.dumps(writing)
    opened.meta.user = {"n": 2}
    with pytest.raises(ArgumentError, match="save"):
        pickle.dumps(opened)
    opened.close()


def test_a_meta_goes_from_array_to_array():
    base = seed(source=[{"format": "nifti"}])
    made = MLArray(VALUES + 1, meta=base.meta)
    assert made.matrix() == SEED
    assert made.meta.source == ()
    assert MLArray(VALUES + 1, meta=base.meta, copy_source=True).meta.source[0]["format"] == "nifti"
    made.spacing = (1, 1, 1)
    assert base.matrix() == SEED
    assert isinstance(made.meta, Meta)


def test_representations_say_what_it_is(tmp_path):
    assert repr(seed()) == "<MLArray (z 4, y 5, x 6) int16 in memory>"
    assert "patient" in repr(seed().meta)


def test_public_names():
    assert sorted(mlarray.__all__, key=lambda name: (name.upper() != name, name.islower(), name)) == mlarray.__all__
    assert all(getattr(mlarray, name) is not None for name in mlarray.__all__)
    assert issubclass(FormatError, ValueError)
    assert issubclass(FormatError, RuntimeError)
    with pytest.raises(AttributeError, match="nothing"):
        _ = mlarray.nothing
