"""Metadata in files: keys that are read when they are looked at, raw bytes that stay as they are, history, storage."""

import copy
import os
import pickle
import re

import blosc2
import msgpack
import numpy as np
import pytest
from header_documents import DTYPE, EVERY, NAN, SHAPE, SOURCE, changed

from mlarray import Meta, MLArray
from mlarray.errors import ArgumentError, FormatError, MLArrayWarning
from mlarray.header.wire import encode
from mlarray.io.file_store import open_file
from mlarray.meta.meta import writer_name

KEYS = ("mlarray", "mlarray.source", "mlarray.user")
DAMAGED = b"\xc1 no msgpack"


@pytest.fixture
def path(tmp_path):
    """A file of 2 x 3 int16 with a source and metadata of a user."""
    path = tmp_path / "a.mla"
    values = np.arange(6, dtype="i2").reshape(2, 3)
    MLArray(values, axes=["z", "y"], source=SOURCE["source"], user={"a": [1]}).save(path)
    return path


def raw(path):
    """The metadata keys of a file, as they are stored."""
    store = open_file(os.path.realpath(path))
    try:
        return {name: bytes(store.keys()[name]) for name in store.keys()}  # noqa: SIM118  (a method of the store)
    finally:
        store.close()


def put(path, **keys):
    """Write raw metadata keys into a file; a dot is written as two lines."""
    array = blosc2.open(str(path), mode="a")
    metadata = array.schunk.vlmeta
    for name, value in keys.items():
        metadata.set_vlmeta(name.replace("__", "."), value, typesize=1)
    del metadata, array


class Fetch:
    """Bytes, and how often they were asked for."""

    def __init__(self, value):
        self.value, self.count = value, 0

    def __call__(self):
        self.count += 1
        return self.value


def lazy(source=None, user=None):
    """Metadata of two axes whose lazy keys are fetched; and the fetches."""
    document = {"version": "1.0", "axes": [{"name": "z"}, {"name": "y"}], "values": {"kind": "measurement"}}
    fetched = {"source": Fetch(source), "user": Fetch(user)}
    given = {name: fetch for name, fetch in fetched.items() if fetch.value is not None}
    return Meta(document, (2, 3), DTYPE, **given), fetched


# Read when it is looked at -----------------------------------------------------------------------------------------


def test_source_and_user_are_fetched_once_when_they_are_looked_at():
    meta, fetched = lazy(encode(SOURCE), encode({"user": {"a": 1}}))
    assert repr(meta).splitlines()[-2:] == ["  source    not read yet", "  user      not read yet"]
    meta.values.scale = 2
    meta.to_dict()
    assert meta.encoded({}).keys() == {"mlarray"}
    assert (fetched["source"].count, fetched["user"].count) == (0, 0)
    assert meta.user == {"a": 1} == meta.user
    assert (fetched["source"].count, fetched["user"].count) == (0, 1)
    assert meta.source[0]["format"] == "nifti"
    assert list(meta.source) == SOURCE["source"]
    assert (fetched["source"].count, fetched["user"].count) == (1, 1)


@pytest.mark.parametrize(
    ("stored", "code"),
    [
        (DAMAGED, "not_msgpack"),
        (b"", "not_msgpack"),
        (encode({"other": 1}), "missing_key"),
        (encode({"source": {}}), "wrong_type"),
        (encode({"source": [{}]}), "missing_key"),
        (encode({"source": [{"format": "a", "index_map": {"axes": [0, 0], "flip": [True, False]}}]}), "wrong_value"),
    ],
)
def test_a_damaged_source_is_an_error_when_it_is_looked_at_and_no_earlier(stored, code):
    meta, _ = lazy(stored, encode({"user": {"a": 1}}))
    assert meta.user == {"a": 1}
    for _ in range(2):
        with pytest.raises(FormatError) as raised:
            _ = meta.source
        assert raised.value.code == code
    assert meta.copy() == meta.copy(), "bytes that agree are not decoded"


def test_a_damaged_user_key_can_be_replaced_and_unknown_keys_beside_it_are_kept():
    meta, _ = lazy(None, DAMAGED)
    with pytest.raises(FormatError, match=r"mlarray\.user"):
        _ = meta.user
    meta.user = {"b": 2}
    assert msgpack.unpackb(meta.encoded({})["mlarray.user"]) == {"user": {"b": 2}}
    meta, _ = lazy(None, encode({"org_x": 7, "user": {"a": 1}}))
    meta.user = {"b": 2}
    assert msgpack.unpackb(meta.encoded({})["mlarray.user"]) == {"org_x": 7, "user": {"b": 2}}
    meta.user = None
    assert msgpack.unpackb(meta.encoded({})["mlarray.user"]) == {"org_x": 7, "user": {}}


def test_the_source_is_frozen(path):
    with MLArray.open(path, mode="r+") as m:
        for change in (
            lambda: m.meta.source[0].__setitem__("format", "dicom"),
            lambda: m.meta.source[0]["header"].__setitem__("a", 1),
            lambda: m.meta.source.append({}),
            lambda: setattr(m.meta, "source", []),
        ):
            with pytest.raises((TypeError, AttributeError)):
                change()
        assert list(m.meta.source) == SOURCE["source"]
    assert msgpack.unpackb(raw(path)["mlarray.source"]) == SOURCE


# What is written ---------------------------------------------------------------------------------------------------


def test_bytes_of_source_that_nobody_looked_at_survive_an_edit_even_if_they_are_damaged(path, tmp_path):
    put(path, mlarray__source=DAMAGED)
    with MLArray.open(path, mode="r+") as m:
        m.meta.user = {"b": 2}
        m.meta.values.unit = "kelvin"
    found = raw(path)
    assert found["mlarray.source"] == DAMAGED
    assert msgpack.unpackb(found["mlarray.user"]) == {"user": {"b": 2}}
    with MLArray.open(path) as m:
        m.save(tmp_path / "b.mla")
        copied = MLArray(m.to_numpy(), copy=m, copy_source=True)
        pickled = pickle.loads(pickle.dumps(copied))
    copied.save(tmp_path / "c.mla")
    pickled.save(tmp_path / "d.mla")
    for name in "bcd":
        assert raw(tmp_path / f"{name}.mla")["mlarray.source"] == DAMAGED
        assert msgpack.unpackb(raw(tmp_path / f"{name}.mla")["mlarray.user"]) == {"user": {"b": 2}}


def test_bytes_that_were_looked_at_but_not_changed_stay_as_they_are(path):
    # Keys in another order than this package writes, and an integer in more bytes than it needs.
    stored = b"\x82\xa5org_x\xcd\x00\x07\xa4user\x81\xa1a\xcd\x00\x01"
    put(path, mlarray__user=stored)
    with MLArray.open(path, mode="r+") as m:
        assert m.meta.user == {"a": 1}
        m.meta.values.unit = "kelvin"
        copied = m.meta.copy()
    assert raw(path)["mlarray.user"] == stored
    assert copied.encoded({})["mlarray.user"] == stored


def test_keys_of_metadata_that_is_empty_are_absent(path, tmp_path):
    with MLArray.open(path, mode="r+") as m:
        m.meta.user = {}
    assert set(raw(path)) == {"mlarray", "mlarray.source"}
    MLArray(np.zeros(3)).save(tmp_path / "b.mla")
    assert set(raw(tmp_path / "b.mla")) == {"mlarray"}
    with MLArray.open(tmp_path / "b.mla") as m:
        assert (m.meta.source, dict(m.meta.user)) == ((), {})


def test_an_image_derived_from_another_has_its_source_only_if_asked(path):
    with MLArray.open(path) as m:
        assert MLArray(m[...], copy=m).meta.source == ()
        assert MLArray(m[...], copy=m).meta.user == {"a": [1]}
        assert list(MLArray(m[...], copy=m, copy_source=True).meta.source) == SOURCE["source"]


def test_the_header_is_written_in_canonical_order_with_unknown_keys_behind(tmp_path):
    document = dict(reversed((EVERY | {"org_x": 1}).items()))
    meta = Meta.from_dict(document)
    meta.bind(SHAPE, DTYPE)
    written = msgpack.unpackb(meta.encoded({})["mlarray"])
    assert list(written) == [*EVERY, "org_x"]
    assert written["writer"] == writer_name() == meta.writer
    storage = {"chunk_size": [7, 5, 4, 3, 2], "block_size": [1, 5, 4, 3, 2]}
    again = msgpack.unpackb(meta.encoded(storage)["mlarray"])["storage"]
    assert again == storage, "what the array has counts; neither a patch size nor a compression is known of it"


def test_empty_parts_are_written_only_if_the_file_had_them():
    meta = Meta.from_dict({"version": "1.0", "axes": [{"name": "a"}], "spaces": [], "profiles": {}})
    assert list(msgpack.unpackb(meta.encoded({})["mlarray"])) == [
        "version", "writer", "axes", "spaces", "values", "profiles", "storage",
    ]  # fmt: skip
    meta = Meta.from_dict({"version": "1.0", "axes": [{"name": "a"}]})
    meta.spaces, meta.profiles = [], {}
    assert list(msgpack.unpackb(meta.encoded({})["mlarray"])) == ["version", "writer", "axes", "values", "storage"]


def test_a_higher_minor_version_is_written_back():
    meta = Meta.from_dict({"version": "1.12", "axes": []})
    assert msgpack.unpackb(meta.encoded({})["mlarray"])["version"] == "1.12" == meta.version
    meta = Meta.from_dict({"axes": []})
    assert msgpack.unpackb(meta.encoded({})["mlarray"])["version"] == "1.0"


def test_no_header_is_written_that_could_not_be_read():
    with pytest.warns(MLArrayWarning):
        meta = Meta.from_dict({"axes": [], "values": {"scale": 0}}, strict=False)
    with pytest.raises(ArgumentError, match="/values/scale"):
        meta.encoded({})
    meta.values.scale = 2
    assert msgpack.unpackb(meta.encoded({})["mlarray"])["values"]["scale"] == 2


# Copies ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "duplicate", [Meta.copy, copy.copy, copy.deepcopy, lambda meta: pickle.loads(pickle.dumps(meta))]
)
def test_copies_are_equal_share_nothing_and_belong_to_no_array(duplicate):
    document = changed(EVERY, ("values/fill", 3), ("profiles/org_example_cryoem/dose", NAN))
    meta = Meta.from_dict(document | SOURCE | {"user": {"a": [NAN]}, "org_x": {"b": 1}})
    meta.bind(SHAPE, DTYPE)
    made = duplicate(meta)
    assert made == meta
    assert made.source == meta.source
    made.values.fill, made.user, made["org_x"] = 70000, {"a": 2}, 3  # 70000 does not fit into int16
    assert made != meta
    assert (meta.values.fill, meta["org_x"]) == (3, {"b": 1})
    assert meta.user["a"][0] != 2
    assert not meta.changed
    assert set(made.encoded({})) == set(KEYS), "nothing of it is stored anywhere"


def test_a_copy_leaves_the_source_out_if_told_so():
    meta = Meta.from_dict({"axes": []} | SOURCE | {"user": {"a": 1}})
    made = meta.copy(source=False)
    assert (made.source, made.user) == ((), {"a": 1})
    assert meta.source[0]["format"] == "nifti"


def test_metadata_with_problems_is_copied_with_them():
    with pytest.warns(MLArrayWarning):
        meta = Meta.from_dict({"axes": [], "values": {"scale": 0}}, strict=False)
    for made in (meta.copy(), pickle.loads(pickle.dumps(meta))):
        assert made == meta
        assert made.values.scale == 0


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("values/fill", 4),
        ("axes/0/labels/0", "z"),
        ("spaces/1/from_array/scale/0", 0.25),
        ("profiles/org_example_cryoem/dose", 1),
        ("history/0/tool", "b"),
    ],
)
def test_metadata_differs_where_anything_differs(place, value):
    assert Meta.from_dict(EVERY) == Meta.from_dict(EVERY)
    assert Meta.from_dict(EVERY) != Meta.from_dict(changed(EVERY, (place, value)))
    assert Meta.from_dict(EVERY) != EVERY
    assert Meta.from_dict(EVERY | {"user": {"a": 1}}) != Meta.from_dict(EVERY)
    assert Meta.from_dict(EVERY | SOURCE) != Meta.from_dict(EVERY)
    with pytest.raises(TypeError, match="unhashable"):
        hash(Meta.from_dict(EVERY))


def test_a_dict_of_metadata_makes_it_again(path):
    with MLArray.open(path) as m:
        out = m.meta.to_dict(source=True, user=True)
        made = Meta.from_dict(out)
        assert made == m.meta
        assert {"source", "user"} & set(m.meta.to_dict()) == set()
    assert type(out["axes"]) is list


@pytest.mark.parametrize(
    ("document", "kind", "words"),
    [
        (5, TypeError, "the metadata is 5"),
        ({"version": "1.0"}, FormatError, "the key 'axes' is missing"),
        ({"version": "2.0", "axes": []}, FormatError, "/version: .* 2.0"),
        ({"version": 1.0, "axes": []}, FormatError, "/version"),
        ({"axes": [{"type": "space", "step": 1}]}, FormatError, "/axes/0/step"),
        ({"axes": [], "user": [1]}, TypeError, "/user"),
        ({"axes": [], "source": [{}]}, ArgumentError, "/source/0"),
        ({"axes": [], 5: 1}, TypeError, "the key 5 is an integer"),
        ({"axes": [], "org": {1}}, TypeError, "/org"),
    ],
)
def test_a_dict_that_is_no_metadata_is_refused(document, kind, words):
    with pytest.raises(kind, match=words):
        Meta.from_dict(document)


# History and storage -------------------------------------------------------------------------------------------------


def test_history_is_added_to_with_tool_and_time(path):
    meta = Meta.from_dict({"axes": []})
    meta.add_history("created")
    meta.add_history(
        "converted", "a 1", from_="nifti", warnings=("odd", "gap"), time="2026-11-06T11:12:00+01:00", org_x=1
    )
    first, second = meta.history
    assert (first.action, first.tool) == ("created", writer_name())
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", first.time)
    assert second == {
        "action": "converted",
        "tool": "a 1",
        "time": "2026-11-06T11:12:00+01:00",
        "from": "nifti",
        "warnings": ["odd", "gap"],
        "org_x": 1,
    }  # fmt: skip
    assert meta.changed
    with MLArray.open(path, mode="r+") as m:
        m.meta.add_history("modified")
    with MLArray.open(path) as m:
        assert [entry.action for entry in m.meta.history] == ["modified"]


def test_saving_adds_nothing_to_the_history(path, tmp_path):
    with MLArray.open(path) as m:
        m.save(tmp_path / "b.mla")
        m.save(tmp_path / "c.mla")
    assert (tmp_path / "b.mla").read_bytes() == (tmp_path / "c.mla").read_bytes()
    with MLArray.open(tmp_path / "b.mla") as m:
        assert m.meta.history == ()


def test_storage_gives_the_settings_of_blosc2():
    compression = {"codec": "ZSTD", "level": 3, "filters": ["DELTA", "BITSHUFFLE"], "filters_meta": [1, 0]}
    cparams = Meta.from_dict({"axes": [], "storage": {"compression": compression}}).storage.to_cparams(nthreads=2)
    assert isinstance(cparams, blosc2.CParams)
    assert (cparams.codec, cparams.clevel, cparams.nthreads) == (blosc2.Codec.ZSTD, 3, 2)
    used = [(item, meta) for item, meta in zip(cparams.filters, cparams.filters_meta, strict=False) if item.value]
    assert used == [(blosc2.Filter.DELTA, 1), (blosc2.Filter.BITSHUFFLE, 0)]
    assert Meta.from_dict({"axes": []}).storage.to_cparams().nthreads == 1


@pytest.mark.parametrize(("key", "value"), [("codec", "BROTLI"), ("filters", ["SHUFFLE", "ROT13"])])
def test_names_that_blosc2_does_not_know_are_kept_and_only_refused_as_settings(key, value):
    compression = {"codec": "ZSTD", "level": 3, "filters": ["SHUFFLE"]} | {key: value}
    meta = Meta.from_dict({"axes": [], "storage": {"compression": compression}})
    assert meta.storage.compression == compression
    with pytest.raises(ArgumentError, match=value if key == "codec" else "ROT13"):
        meta.storage.to_cparams()


def test_where_the_file_records_another_layout_than_it_has_the_array_counts(path):
    found = raw(path)
    document = msgpack.unpackb(found["mlarray"])
    real = document["storage"]
    document["storage"] = real | {"chunk_size": [1, 1], "org_x": 5}
    put(path, mlarray=encode(document))
    with pytest.warns(MLArrayWarning, match=r"chunk_size \[1, 1\] \(it is") as warned:
        m = MLArray.open(path, "r+")
    assert [warning.filename for warning in warned] == [__file__]
    with m:
        assert list(m.meta.storage.chunk_size) == real["chunk_size"]
        m.meta.values.unit = "kelvin"
    assert msgpack.unpackb(raw(path)["mlarray"])["storage"] == real | {"org_x": 5}
    MLArray.open(path).close()  # and nothing is warned of


# Files are read to be repaired ---------------------------------------------------------------------------------------


def test_a_file_that_breaks_rules_is_opened_to_be_repaired(path):
    document = msgpack.unpackb(raw(path)["mlarray"])
    put(path, mlarray=encode(document | {"values": {"scale": 0, "kind": "odd"}}))
    with pytest.raises(FormatError, match=r"a\.mla: /values/kind.*\n/values/scale"):
        MLArray.open(path)
    with pytest.warns(MLArrayWarning, match="/values"):
        m = MLArray.open(path, mode="r+", strict=False)
    with m:
        m.meta.values.kind = "measurement"
        m.meta.values.scale = 0.5
    with MLArray.open(path) as m:
        assert m.physical().tolist() == [[0, 0.5, 1], [1.5, 2, 2.5]]
