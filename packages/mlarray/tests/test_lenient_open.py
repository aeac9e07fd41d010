"""Files with a broken header, opened with ``strict=False``: all works, or says what is wrong and what to do."""

import copy
import pickle
import warnings

import numpy as np
import pytest

from mlarray import FormatError, MLArray, MLArrayError, MLArrayWarning
from mlarray.errors import ArgumentError, FieldError
from mlarray.header.wire import decode, encode
from mlarray.io.file_store import open_file

VALUES = np.arange(4 * 5 * 6, dtype="i2").reshape(4, 5, 6)
INF, NAN = float("inf"), float("nan")
AXES = ["z", "y", "x"]
WRONG = [None, 5, 0, "x", "", [], [1], [None], {}, {"": 1}, {"a": [1]}, True, 2.5, NAN, b"x", [[]], [{}], [{"name": 1}]]


def space(**keys):
    """A space of three axes, spacings 2, 3 and 5."""
    map_ = {"array_axes": AXES, "scale": [2, 3, 5]}
    return {"name": "w", "axes": [{"name": name} for name in AXES], "from_array": map_} | keys


def mapped(**keys):
    """A list of one space, with keys of its map replaced."""
    return [space(from_array={"array_axes": AXES} | keys)]


TABLE = {
    "axes": [
        *WRONG,
        [{"name": "z"}],
        [{"name": name} for name in "tzyx"],
        [{"name": "z"}, {"name": "z"}, {"name": "x"}],
        [{"name": "z"}, 7, {"name": "x"}],
        [{"name": "z", "type": [1]}, {"name": "y", "type": "far"}, {"name": 3}],
        [{"name": "z", "coordinates": 5}, {"name": "y", "step": "a"}, {"name": "x", "coordinates": ["a", {}]}],
        [{"name": "z", "labels": 5, "unit": [1]}, {"name": "y", "step": INF, "start": None}, {"name": "x", "step": 0}],
    ],
    "spaces": [
        *WRONG,
        *([space(**{key: value})] for key in ("name", "axes", "from_array", "reference") for value in WRONG),
        *(mapped(**{key: value}) for key in ("matrix", "scale", "array_axes") for value in WRONG),
        *(mapped(scale=[2, 3, 5], translation=value) for value in WRONG),
        mapped(scale=[0, 3, 5]),
        mapped(scale=[2, 3]),
        mapped(),
        mapped(matrix=[[1, 0], [0, 1]]),
        mapped(matrix=[[0] * 4] * 4),
        mapped(matrix=[[NAN] * 4] * 4),
        mapped(matrix=[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 2]]),
        mapped(scale=[2, 3, 5], array_axes=["z", "y", "q"]),
        mapped(scale=[2, 3, 5], array_axes=["z", "z", "x"]),
        [space(axes=[{"name": "z"}, {"name": "b"}, {"name": "c"}])],
        [space(axes=[{"name": name, "unit": [name], "increases_toward": 3} for name in AXES])],
        [space(axes=[{"name": name, "increases_toward": "left"} for name in AXES])],
        [space(), space()],
        [space(), 5],
        [5, space()],
    ],
    "values": [
        *WRONG,
        *(
            {key: value}
            for key in ("kind", "unit", "unit_code", "scale", "offset", "fill", "labels", "label_layout")
            for value in (*WRONG, 70000, INF)
        ),
        {"kind": "label", "labels": {"1": 5, "x": {"color": 3}}},
        {"kind": "vector"},
    ],
    "profiles": [
        *WRONG,
        *({key: value} for key in ("ml", "medical") for value in WRONG),
        *({"ml": {"profile_version": "1.0", "boxes": value}} for value in WRONG),
        *({"ml": {"profile_version": "1.0", "statistics": value, "patch_size": value}} for value in WRONG),
        {"medical": {"profile_version": 1, "dicom": 5}},
    ],
    "history": [
        *WRONG,
        [{"action": "created"}, 5],
        [{"action": 3, "time": "never", "warnings": 5}],
    ],
    "storage": [
        *WRONG,
        *({key: value} for key in ("chunk_size", "block_size", "patch_size", "compression") for value in WRONG),
        {"patch_size": [INF, 1, 1]},
        {"patch_size": [-8, 8, 8]},
        {"compression": {"codec": 5, "level": "a", "filters": 3, "filters_meta": ["a"]}},
        {"compression": {"codec": "LZ4", "level": NAN}},
        {"compression": {"codec": "LZ4", "filters": [1, None], "filters_meta": [INF]}},
    ],
    "writer": WRONG,
}
CASES = [(key, value) for key, values in TABLE.items() for value in values]


def write(path, **keys):
    """Save a file with keys of its header replaced."""
    MLArray(VALUES, axes=AXES, spaces=[space()], values={"fill": -1}).save(path)
    store = open_file(str(path), "r+")
    store.set_keys({"mlarray": encode({**decode(store.keys()["mlarray"]), **keys})})
    store.close()
    return path


@pytest.fixture
def broken(tmp_path):
    """A function that saves such a file."""
    return lambda **keys: write(tmp_path / "a.mla", **keys)


def lenient(path, mode="r"):
    """Open a file with what is wrong of it as warnings, which are not looked at."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MLArrayWarning)
        return MLArray.open(path, mode, strict=False)


def walk(view):
    """Look at a view, and at every view in it."""
    if view is None:
        return None
    repr(view)
    for name in view._fields:
        found = getattr(view, name)
        for item in found if isinstance(found, tuple) else (found,):
            if hasattr(item, "_fields"):
                tried(walk, item)
    return list(view), len(view), view.to_dict(), view == {}, dict(view), copy.copy(view)


def tried(use, *arguments):
    """Use something; an error of this package is as good as an answer."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MLArrayWarning)
            return use(*arguments)
    except MLArrayError as error:
        return error


META = [
    repr,
    lambda meta: (meta.version, meta.writer, meta.axis_names, meta.axis_types, meta.extra, list(meta)),
    lambda meta: [walk(axis) for axis in meta.axes],
    lambda meta: [walk(space) for space in meta.spaces],
    lambda meta: walk(meta.values),
    lambda meta: walk(meta.profiles),
    lambda meta: walk(meta.profiles.ml),
    lambda meta: walk(meta.profiles.ml.boxes),
    lambda meta: walk(meta.profiles.ml.statistics),
    lambda meta: walk(meta.profiles.medical),
    lambda meta: [walk(entry) for entry in meta.history],
    lambda meta: walk(meta.storage),
    lambda meta: meta.storage.to_cparams(),
    lambda meta: meta.storage.compression and walk(meta.storage.compression),
    lambda meta: meta.to_dict(source=True, user=True),
    lambda meta: (meta.source, meta.user, meta == meta.copy()),
    lambda meta: pickle.loads(pickle.dumps(meta)),
    lambda meta: copy.deepcopy(meta).add_history("modified"),
    lambda meta: setattr(meta.copy().values, "unit_code", "mm"),
    lambda meta: setattr(meta.copy().values, "scale", 2),
    lambda meta: setattr(meta.copy().profiles.ml, "split", "train"),
    lambda meta: setattr(meta.copy(), "user", {"a": 1}),
    lambda meta: setattr(meta.copy().axes[0] if meta.axes else meta.copy(), "name", "q") if meta.axes else None,
    lambda meta: [meta[key] for key in meta],
]
ARRAY = [
    *(lambda m, name=name: getattr(m, name) for name in ("spacing", "origin", "direction", "affine", "spatial_ndim")),
    lambda m: (str(m), repr(m), m.shape, m.dtype, m.ndim, len(m), m.filepath, m.mode, m.closed),
    *(lambda m, name=name: (m.matrix(name), m.letter_codes(name)) for name in (None, "w")),
    *(lambda m, name=name: m.index_to_space((1, 2, 3), name) for name in (None, "w")),
    *(lambda m, name=name: m.space_to_index((1, 2, 3), name) for name in (None, "w")),
    *(lambda m, axis=axis: m.axis_coordinates(axis) for axis in (0, 1, 2, "z", "y", "x", -1)),
    lambda m: m.physical(),
    lambda m: m.read_patch((-1, 0, 0), (3, 3, 3)),
    lambda m: m.read_patch((-1, 0, 0), (3, 3, 3), pad_value=7),
    lambda m: MLArray(VALUES, copy=m),
    lambda m: MLArray(VALUES, meta=m.meta),
    MLArray.zeros_like,
    lambda m: copy.deepcopy(m).close(),
    lambda m: m.verify(),
    lambda m: m.save(str(m.filepath) + ".new.mla"),
    lambda m: m.save(str(m.filepath) + ".new.mla", patch_size=4),
]
CHANGES = [
    lambda m: setattr(m, "spacing", (1, 2, 3)),
    lambda m: setattr(m, "origin", (1, 2, 3)),
    lambda m: setattr(m, "affine", np.eye(4)),
    lambda m: setattr(m, "direction", np.eye(3)),
    lambda m: m.compress(),
    lambda m: m.decompress(),
]


@pytest.mark.parametrize("key", TABLE)
def test_whatever_is_broken_all_works_or_says_so(tmp_path, key):
    for index, wrong in enumerate(TABLE[key]):
        path = write(tmp_path / f"{index}.mla", **{key: wrong})
        m = lenient(path)
        for use in META:
            tried(use, m.meta)
        for use in ARRAY:
            tried(use, m)
        assert np.array_equal(m.to_numpy(), VALUES)
        assert m.fingerprint()
        m.close()
        for use in CHANGES:
            m = lenient(path)
            tried(use, m)
            tried(m.close)
        path.unlink()


@pytest.mark.parametrize(
    ("keys", "use", "words"),
    [
        ({"spaces": 5}, lambda m: m.spacing, r"^/spaces: 5 stands where a list belongs\. .*meta\.spaces = "),
        ({"spaces": 5}, lambda m: m.matrix("w"), "^/spaces: 5 stands"),
        ({"spaces": mapped(scale=[2, 0, 5])}, lambda m: m.origin, "^/spaces/0/from_array/scale/1: the number is 0"),
        ({"spaces": mapped(scale=[2, 0, 5])}, lambda m: setattr(m, "spacing", (1, 1, 1)), r"meta\.spaces = "),
        (
            {"values": {"fill": 70000}},
            lambda m: m.read_patch((-1, 0, 0), (2, 2, 2)),
            r"^/values/fill: 70000 .*meta\.val",
        ),
        ({"values": {"scale": "a"}}, lambda m: m.physical(), "^/values/scale: 'a' stands where a number belongs"),
        ({"axes": [{"name": "z"}]}, lambda m: m.spacing, r"^/axes: 1 axes, expected 3 .*meta\.axes = "),
        ({"profiles": {"ml": 3}}, lambda m: m.meta.profiles.ml.split, r"^/profiles/ml: 3 stands .*meta\.profiles = "),
        ({"history": 5}, lambda m: m.meta.add_history("modified"), r"^/history: 5 stands .*meta\.history = "),
        ({"storage": {"compression": 3}}, lambda m: m.meta.storage.to_cparams(), "^/storage/compression: 3 .*save"),
    ],
)
def test_what_is_broken_is_named_with_what_to_do(broken, keys, use, words):
    m = lenient(broken(**keys))
    with pytest.raises(FormatError, match=words):
        use(m)
    m.close()


def test_what_is_not_broken_works_beside_what_is(broken):
    m = lenient(broken(values={"fill": "a", "scale": 2}, spaces=[space(), 5], profiles=5))
    assert m.spacing == [2.0, 3.0, 5.0]
    assert m.physical((0, 0, 3)) == 6.0  # 2 * 3
    assert m.read_patch((-1, 0, 0), (1, 1, 2), pad_value=7).tolist() == [[[7, 7]]]
    assert "5" in repr(m.meta.profiles)
    m.close()


# Mending ----------------------------------------------------------------------------------------------------------

GOOD = {
    "axes": AXES,
    "spaces": [space(name="v")],
    "values": {"fill": 3},
    "profiles": {"ml": {"split": "train"}},
    "history": [{"action": "created"}],
}


@pytest.mark.parametrize("key", GOOD)
def test_each_part_is_mended_by_assigning_it(tmp_path, key):
    for index, wrong in enumerate(TABLE[key]):
        path = write(tmp_path / f"{index}.mla", **{key: wrong})
        try:
            MLArray.open(path).close()
        except FormatError:
            pass
        else:
            continue
        m = lenient(path, "r+")
        kept = [entry for entry in wrong if entry == GOOD["history"][0]] if isinstance(wrong, list) else []
        setattr(m.meta, key, kept or GOOD[key])
        m.flush()
        m.close()
        with MLArray.open(path) as m:
            assert m.meta[key] is not None
        path.unlink()


def test_all_at_once_is_mended_in_any_order(broken):
    wrong = {"axes": 5, "spaces": mapped(scale=[0, 1, "a"]), "values": [], "profiles": 3, "history": {"a": 1}}
    for order in (list(GOOD), list(GOOD)[::-1]):
        path = broken(**wrong, storage=[1], writer=5)
        m = lenient(path, "r+")
        for key in order[:-1]:
            setattr(m.meta, key, GOOD[key])
        with pytest.raises(MLArrayError, match=f"/{order[-1]}"):
            m.flush()
        setattr(m.meta, order[-1], GOOD[order[-1]])
        m.close()
        with MLArray.open(path) as m:
            assert m.spacing == [2.0, 3.0, 5.0]
            assert m.meta.history == GOOD["history"] or m.meta.history[0] == {"action": "created"}
            assert m.meta.values.fill == 3


def test_of_a_history_only_what_is_broken_is_mended(broken):
    path = broken(history=[{"action": "created"}, {"action": "modified", "time": "never"}, {"action": "derived"}, 7])
    m = lenient(path, "r+")
    for wrong in ([], [{"action": "created"}], [{"action": "derived"}, {"action": "created"}]):
        with pytest.raises(ArgumentError, match=r"/history/[02]: .*breaks no rule, so it stays.*only added to"):
            m.meta.history = wrong
    with pytest.raises(FieldError, match="only added to"):
        m.meta.history[0].tool = "b"
    m.meta.history[1].time = "2026-11-06T10:12:00Z"
    m.meta.history = [entry.to_dict() for entry in m.meta.history[:3]]
    with pytest.raises(FieldError, match="only added to"):
        m.meta.history = []
    m.close()
    with MLArray.open(path) as m:
        assert [entry.action for entry in m.meta.history] == ["created", "modified", "derived"]


def test_what_is_not_broken_is_checked_while_the_rest_is_mended(broken):
    m = lenient(broken(values={"scale": 0, "labels": 5}, profiles=5))
    with pytest.raises(ArgumentError, match=r"^/spaces/0/from_array: "):
        m.meta.spaces = mapped()
    with pytest.raises(ArgumentError, match=r"^/values/offset"):
        m.meta.values.offset = "a"
    m.meta.values = {}
    with pytest.raises(ArgumentError, match=r"^/values/scale"):
        m.meta.values.scale = 0
    assert m.meta.values.scale == 1
    m.close()


@pytest.mark.parametrize("wrong", [value for value in TABLE["storage"] if value])
def test_a_broken_storage_is_mended_by_saving(broken, wrong):
    path = broken(storage=wrong)
    with MLArray.open(broken()) as m:
        whole = m.meta.storage.to_dict()
    m = lenient(broken(storage=wrong))
    m.save(path)
    m.close()
    with MLArray.open(path) as m:
        assert {key: m.meta.storage[key] for key in whole if key != "patch_size"} == {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in whole.items()
            if key != "patch_size"
        }


def test_a_handle_that_is_dropped_half_mended_warns_and_leaves_the_file(broken):
    path = broken(values=5, profiles=5)
    before = path.read_bytes()
    m = lenient(path, "r+")
    m.meta.values = {}
    with pytest.warns(ResourceWarning, match="/profiles: 5 stands where a map belongs"):
        del m
    assert path.read_bytes() == before
    m = lenient(path, "r+")
    m.meta.values, m.meta.profiles = {}, {}
    with pytest.warns(ResourceWarning, match="is written now"):
        del m
    MLArray.open(path).close()


def test_a_handle_that_only_looks_at_a_broken_file_leaves_it(broken):
    path = broken(values=5, storage=[1])
    before = path.read_bytes()
    with lenient(path, "r+") as m:
        assert "5" in repr(m.meta)
    assert path.read_bytes() == before
