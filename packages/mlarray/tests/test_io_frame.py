"""Frames looked at without blosc2: headers, trailers, keys; and which of them are no arrays that files hold."""

import struct

import blosc2
import numpy as np
import pytest

from mlarray.errors import ArgumentError, FormatError
from mlarray.io import frame
from mlarray.io.file_store import open_file
from mlarray.io.frame import check_keys, of_bytes, read_header_of, read_info, read_key
from mlarray.io.memory_store import from_cframe, in_memory, load_file
from mlarray.io.publish import publish
from mlarray.layout.records import Compression, Layout

VALUES = np.arange(6 * 5 * 4, dtype=">i2").reshape(6, 5, 4)
KEYS = {"mlarray": b"core", "mlarray.user": b"u" * 300, "other": bytes(range(256)) * 9, "empty": b""}


def written(path, values=VALUES, layout=None, keys=KEYS):
    publish(in_memory(values, layout), str(path), keys)
    return str(path)


@pytest.fixture
def path(tmp_path):
    return written(tmp_path / "a.mla", layout=Layout((4, 5, 4), (2, 5, 4)))


ARRAYS = [
    ((6, 5, 4), ">i2", Layout((4, 5, 4), (2, 5, 4))),
    ((7,), "u1", Layout((3,), (2,))),
    ((), "f8", None),
    ((0, 3), "c16", None),
    ((2, 0, 5), "?", None),
    ((1, 2, 3, 4, 3, 2, 1, 2), "<f2", None),
]


@pytest.mark.parametrize(("shape", "dtype", "layout"), ARRAYS)
def test_a_header_says_what_blosc2_says(tmp_path, shape, dtype, layout):
    path = written(tmp_path / "a.mla", np.ones(shape, dtype), layout)
    info, found = read_header_of(path, *KEYS, "missing")
    array = blosc2.open(path, mode="r")
    assert (info.shape, info.dtype, info.chunks, info.blocks) == (shape, np.dtype(dtype), array.chunks, array.blocks)
    assert info.packed == array.schunk.cbytes
    assert set(info.offsets) == set(array.schunk.vlmeta.get_names())
    assert found == KEYS


def test_a_key_is_read_as_blosc2_reads_it(path):
    array = blosc2.open(path, mode="r")
    metadata = array.schunk.vlmeta
    assert {name: metadata.get_vlmeta(name) for name in KEYS} == KEYS


def test_codec_and_filters_are_those_of_the_layout(tmp_path):
    compression = Compression("ZSTD", 3, ("DELTA", "SHUFFLE"))
    path = written(tmp_path / "a.mla", layout=Layout((4, 5, 4), (2, 5, 4), None, compression))
    info, _ = read_header_of(path)
    # As blosc2 numbers them: ZSTD 5, DELTA 3, SHUFFLE 1.
    assert (info.codec, info.filters) == (5, (3, 1))


def test_what_stands_behind_a_frame_is_left_alone(path):
    with open(path, "ab") as file:
        file.write(b"\xff" * 100)
    info, found = read_header_of(path, "other")
    assert info.shape == (6, 5, 4)
    assert found == {"other": KEYS["other"]}
    for options in ({}, {"mmap": False}, {"mode": "c"}):
        store = open_file(path, **options)
        assert np.array_equal(store[...], VALUES)
        store.close()
    assert np.array_equal(load_file(path)[...], VALUES)
    publish(open_file(path), path, {})
    assert read_header_of(path)[0] == info


def test_a_few_bytes_are_read_however_much_there_is(tmp_path):
    source = np.random.default_rng(0).bytes(3_000_000)
    values = np.random.default_rng(1).integers(0, 1000, (100, 100, 100))
    path = written(tmp_path / "a.mla", values, keys={**KEYS, "mlarray.source": source})
    with open(path, "rb") as file:
        raw = file.read()
    read = []

    def counting(offset, count):
        read.append(count)
        return raw[offset : offset + count]

    info = read_info(counting, len(raw))
    assert read_key(counting, info, "mlarray") == b"core"
    # 1024 of the header, 4096 of the trailer, its length, the lists of chunks and of keys, one short key.
    assert sum(read) < 6000
    assert read_key(of_bytes(raw), info, "mlarray.source") == source


def test_sixteen_keys_with_long_names_are_found_and_not_one_more(tmp_path):
    keys = {f"{'n' * 25}{number:04}": b"%d" % number * 300 for number in range(15)} | {"ä" * 15: b"utf-8"}
    path = written(tmp_path / "a.mla", keys=keys)
    assert read_header_of(path, *keys)[1] == keys
    assert dict(open_file(path).keys()) == keys
    store = open_file(path, "r+")
    for write in (store.set_keys, lambda more: publish(store, path, more)):
        with pytest.raises(ArgumentError, match="at most 16 metadata keys, and these are 17"):
            write({"more": b""})
    store.set_keys({"more": b"x", "ä" * 15: None})
    store.close()
    assert read_header_of(path, "more")[1] == {"more": b"x"}


# What cannot be stored --------------------------------------------------------------------------------


class Long(bytes):
    """Bytes that say they are many."""

    def __len__(self):
        return 2**31 - 32


@pytest.mark.parametrize("keys", [{"n" * 32: b""}, {"ä" * 16: b""}, {"": b""}, {"n": Long()}])
def test_a_key_that_blosc2_does_not_hold_is_refused(keys, path):
    with pytest.raises(ArgumentError, match=r"31 bytes|2147483615"):
        check_keys(keys)
    with pytest.raises(ArgumentError):
        publish(in_memory(VALUES, None), path, keys)
    store = open_file(path, "r+")
    with pytest.raises(ArgumentError):
        store.set_keys(keys)
    store.close()
    assert read_header_of(path, *KEYS)[1] == KEYS


def test_a_key_of_the_greatest_length_is_stored(path):
    check_keys({"n" * 31: b"", "ä" * 15: None})
    publish(in_memory(VALUES, None), path, {"n" * 31: b"x"})
    assert read_header_of(path, "n" * 31)[1] == {"n" * 31: b"x"}


# What is no frame of an array ---------------------------------------------------------------------------


@pytest.mark.parametrize("length", [0, 1, 9, 31, 90, 120, 400, -1])
def test_a_file_cut_short_is_refused_by_name(path, length):
    with open(path, "rb") as file:
        raw = file.read()
    with open(path, "wb") as file:
        file.write(raw[:length])
    for read in (read_header_of, open_file, load_file):
        with pytest.raises(FormatError, match=r"a\.mla: not a readable blosc2 file \(.*(truncated|empty|damaged)"):
            read(path)
    with pytest.raises(FormatError, match="not a readable blosc2 file"):
        from_cframe(raw[:length])


@pytest.mark.parametrize("raw", [b"PK\3\4" + b"\0" * 100, b"\x89HDF\r\n\x1a\n" * 20, b"text " * 50, b"\0" * 500])
def test_another_file_of_that_name_is_refused(tmp_path, raw):
    (tmp_path / "a.mla").write_bytes(raw)
    with pytest.raises(FormatError, match="does not begin as one"):
        open_file(str(tmp_path / "a.mla"))


def test_a_super_chunk_is_refused_by_name(tmp_path):
    path = tmp_path / "a.mla"
    blosc2.SChunk(chunksize=400, data=b"\1" * 800, urlpath=str(path), contiguous=True, mode="w")
    for read in (read_header_of, open_file, load_file):
        with pytest.raises(FormatError, match="holds no n-dimensional array"):
            read(str(path))


@pytest.mark.parametrize(
    ("layer", "what"), [("proxy-source", "a proxy"), ("b2o", "lazy object"), ("LazyArray", "lazy expression")]
)
def test_what_blosc2_would_build_of_an_array_is_refused_by_name(tmp_path, layer, what):
    path = str(tmp_path / "a.mla")
    source = {"local_abspath": str(tmp_path / "b.mla"), "urlpath": None, "caterva2_env": False}
    blosc2.asarray(VALUES, urlpath=path, mode="w", meta={layer: source})
    for read in (read_header_of, open_file, load_file):
        with pytest.raises(FormatError, match=what):
            read(path)


def test_an_array_with_a_layer_of_someone_else_is_read(tmp_path):
    path = str(tmp_path / "a.mla")
    blosc2.asarray(VALUES, urlpath=path, mode="w", meta={"someone": {"a": 1}, "else": [1, 2]})
    assert np.array_equal(open_file(path)[...], VALUES)
    publish(open_file(path), path, {"mlarray": b"x"})
    array = blosc2.open(path, mode="r")
    assert array.schunk.meta["someone"] == {"a": 1}


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (np.zeros(3, "S4"), "text is metadata"),
        (np.zeros(3, "U4"), "text is metadata"),
        (np.zeros(3, "V2"), "bfloat16"),
        (np.zeros(3, [("a", "i4"), ("b", "f8")]), "component"),
        (np.zeros(3, "M8[s]"), "time axis"),
        (np.zeros(3, "f16"), "float64"),
    ],
)
def test_a_dtype_that_no_file_holds_is_refused_by_name(tmp_path, values, what):
    path = str(tmp_path / "a.mla")
    blosc2.asarray(values, urlpath=path, mode="w")
    for read in (read_header_of, open_file, load_file):
        with pytest.raises(FormatError, match=what):
            read(path)


def test_nine_axes_are_refused_by_number(path):
    # Older blosc2 ends the process when it is asked for nine, so a header of three is told to have them.
    with open(path, "rb") as file:
        layer = file.read(300).index(b"\x97\0\3\x93")
    changed(path, layer + 2, b"\x09")
    for read in (read_header_of, open_file, load_file):
        with pytest.raises(FormatError, match="9 axes; at most 8"):
            read(path)


# Damage -------------------------------------------------------------------------------------------------


def changed(path, at, raw):
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(raw)


def big(number, size):
    return number.to_bytes(size, "big")


# Where the fields of a header stand, and what breaks them. There are 2 x 1 x 1 chunks of 4 x 5 x 4 voxels of 2 bytes.
HEADERS = {
    "begin": (0, b"\x9f"),
    "magic": (3, b"x"),
    "header length": (11, big(90, 4)),
    "long header": (11, big(1 << 21, 4)),
    "frame length": (16, big(200, 8)),
    "type of the frame": (26, b"\1"),
    "level": (27, b"\xa1"),
    "size": (30, big(321, 8)),
    "packed size": (39, big(1 << 40, 8)),
    "item": (48, big(4, 4)),
    "block": (53, big(1 << 20, 4)),
    "chunk": (58, big(1 << 20, 4)),
    "number of filters": (70, b"\x10"),
    "layers": (91, b"\xdf"),
    "number of layers": (92, big(2, 2)),
    "name of the layer": (94, b"\xbf"),
    "place of the layer": (100, big(200, 4)),
}


@pytest.mark.parametrize(("at", "raw"), HEADERS.values(), ids=HEADERS)
def test_a_damaged_header_is_refused_before_blosc2_trusts_it(path, at, raw):
    assert np.array_equal(open_file(path)[...], VALUES)
    changed(path, at, raw)
    for read in (read_header_of, open_file, load_file):
        with pytest.raises(FormatError, match=r"a\.mla: not a readable blosc2 file"):
            read(path)


SHAPES = {
    "axes": (2, b"\4"),
    "type": (3, b"\x94"),
    "negative size": (5, big(2**64 - 6, 8)),
    "another size": (5, big(60, 8)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_damaged_shape_is_refused(path, name):
    with open(path, "rb") as file:
        layer = file.read(300).index(b"\x97\0\3\x93")
    at, raw = SHAPES[name]
    changed(path, layer + at, raw)
    with pytest.raises(FormatError, match=r"a\.mla: not a readable blosc2 file"):
        open_file(path)


@pytest.mark.parametrize(
    ("at", "raw", "what"),
    [
        (27, b"\x86", "codec .* 6"),
        (71, b"\x07", "filter .* 7"),
        (70 + 6, b"\xfe", "filter .* 254"),
    ],
)
def test_a_codec_or_filter_that_blosc2_lacks_is_named(path, at, raw, what):
    changed(path, at, raw)
    for read in (open_file, load_file):
        with pytest.raises(FormatError, match=what):
            read(path)
    assert read_header_of(path, "other")[1] == {"other": KEYS["other"]}


def test_a_first_chunk_of_another_size_is_refused(path):
    with open(path, "rb") as file:
        length = struct.unpack(">i", file.read(15)[11:])[0]
    for at, raw in ((3, b"\1"), (4, b"\xff"), (8, b"\xff\xff"), (12, b"\0\0\0\0")):
        with open(path, "rb") as file:
            file.seek(length + at)
            before = file.read(len(raw))
        changed(path, length + at, raw)
        with pytest.raises(FormatError, match="its first chunk is damaged"):
            open_file(path)
        changed(path, length + at, before)
    assert np.array_equal(open_file(path)[...], VALUES)


def test_a_damaged_trailer_is_refused(path):
    info, _ = read_header_of(path)
    # Its first bytes, the count of keys, a name's length, a place, a value's type, the length of all of it.
    for at, raw in ((0, b"\x95"), (1, b"\2"), (6, b"\xdf"), (7, big(77, 2)), (9, b"\xc0"), (17, b"\xd3")):
        with open(path, "rb") as file:
            file.seek(info.trailer + at)
            before = file.read(len(raw))
        changed(path, info.trailer + at, raw)
        for read in (read_header_of, open_file, load_file):
            with pytest.raises(FormatError, match="trailer is damaged"):
                read(path)
        changed(path, info.trailer + at, before)
    changed(path, info.length - 22, big(info.length + 1, 4))
    with pytest.raises(FormatError, match="trailer is damaged"):
        open_file(path)


@pytest.mark.parametrize(
    ("at", "raw"), [(4, b"\xff\xff\xff\xff"), (4, b"\0\0\0\x7f"), (12, b"\1\0\0\0"), (16 + 16, b"\xff" * 8)]
)
def test_a_damaged_key_is_named_and_the_others_are_read(path, at, raw):
    info, _ = read_header_of(path)
    changed(path, info.trailer + info.offsets["other"] + 5 + at, raw)
    for name in ("mlarray", "mlarray.user"):
        assert read_header_of(path, name)[1] == {name: KEYS[name]}
    store = open_file(path)
    for read in (lambda: read_header_of(path, "other"), lambda: store.keys()["other"]):
        with pytest.raises(FormatError, match=r"a\.mla: the metadata key 'other' is damaged"):
            read()
    assert np.array_equal(store[...], VALUES)
    # A save copies the others, and this one as it is.
    publish(store, path, {"mlarray": b"new"})
    assert read_header_of(path, "mlarray")[1] == {"mlarray": b"new"}
    with pytest.raises(FormatError, match="'other' is damaged"):
        read_header_of(path, "other")


def test_a_long_read_goes_on_where_the_system_stops(path, monkeypatch):
    with open(path, "rb") as file:
        raw = file.read()
    original = frame._pread
    monkeypatch.setattr(frame, "_pread", lambda descriptor, count, at: original(descriptor, min(count, 50), at))
    with open(path, "rb") as file:
        read = frame.of_descriptor(file.fileno())
        assert read(7, 500) == raw[7:507]
        assert read(len(raw) - 10, 500) == raw[-10:]


def test_a_system_without_positioned_reads_seeks(path):
    with open(path, "rb") as file:
        assert frame._seek_and_read(file.fileno(), 8, 2) == b"b2frame\0"
