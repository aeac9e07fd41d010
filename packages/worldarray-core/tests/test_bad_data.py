"""Damaged data: the error names the file; what is missing reads as fill; what would silently read as fill is told."""

import errno
import json
import os
import re
import shutil
import zipfile

import mutations
import numpy as np
import pytest
import stores
import tensorstore as ts
import volumes

import worldarray as wa
from worldarray.errors import (
    AccessError,
    ArgumentError,
    DataError,
    PlacementError,
    PlacementWarning,
    StoreNotFoundError,
)
from worldarray.io import arrays, sources

FILES = {
    "zarr2": "s0/1.0.1",
    "zarr3": "s0/c/1/0/1",
    "zarr3-sharded": "s0/c/1/0/0",
    "n5": "s0/1/0/1",
    "precomputed": "4_8.5_40/13-20_-4-1_13-16",
    "precomputed-sharded": "4_8.5_40/1.shard",
}
"""A chunk or shard of level s0, by kind; those of chunks hold the voxels [3:6, 0:5, 7:14]."""
HELD = (slice(3, 6), slice(0, 5), slice(7, 14))
CODECS = {
    "zarr2": [
        None,
        {"id": "zstd", "level": 1},
        {"id": "gzip", "level": 1},
        {"id": "zlib", "level": 1},
        {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0},
        {"id": "bz2", "level": 1},
    ],
    "zarr3": [
        None,
        {"name": "zstd", "configuration": {"level": 1}},
        {"name": "gzip", "configuration": {"level": 1}},
        {
            "name": "blosc",
            "configuration": {"cname": "zstd", "clevel": 5, "shuffle": "bitshuffle", "typesize": 2, "blocksize": 0},
        },
        {"name": "crc32c"},
    ],
    "zarr3-sharded": [None, {"name": "zstd", "configuration": {"level": 1}}],
    "n5": [
        None,
        {"type": "zstd", "level": 1},
        {"type": "gzip", "level": 1},
        {"type": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1},
        {"type": "bzip2"},
        {"type": "xz", "preset": 1},
    ],
    "precomputed": [None],
    "precomputed-sharded": [None, {"data_encoding": "gzip", "minishard_index_encoding": "gzip"}],
}
STORED = [
    pytest.param(kind, codec, id=f"{kind}-{(codec.get('id') or codec.get('type') or codec.get('name') or 'gzip')}")
    if codec
    else pytest.param(kind, None, id=f"{kind}-raw")
    for kind, codecs in CODECS.items()
    for codec in codecs
]
DAMAGE = {
    "other bytes": lambda good: bytes(range(7, 250)) * 2,
    "cut in the middle": lambda good: good[: len(good) // 2],
    "cut to a few bytes": lambda good: good[:5],
}


def damaged(tmp_path, kind, damage, codec=None):
    volumes.write(tmp_path / "em", kind, codec)
    file = tmp_path / "em" / FILES[kind]
    file.write_bytes(damage(file.read_bytes()))
    return wa.open(tmp_path / "em", level=0), file


def assert_named(vol, file):
    with pytest.raises(DataError, match="cannot be decoded") as caught:
        vol.read(vol.box)
    assert caught.value.at == (str(file),)
    assert caught.value.code == "bad_chunk"
    assert str(caught.value).startswith(f"{file}: ")
    assert isinstance(caught.value, ValueError)


# Damaged -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize(("kind", "codec"), STORED)
def test_a_damaged_chunk_or_shard_is_named_and_the_others_are_read(tmp_path, kind, codec, damage):
    vol, file = damaged(tmp_path, kind, DAMAGE[damage], codec)
    assert_named(vol, file)
    assert vol.read_index((0, 0, 0), (1, 1, 1)).item() == 1


@pytest.mark.parametrize(("kind", "codec"), [case for case in STORED if case.values[0] != "precomputed-sharded"])
def test_a_chunk_of_no_bytes_is_damaged_not_missing(tmp_path, kind, codec):
    vol, file = damaged(tmp_path, kind, lambda good: b"", codec)
    assert_named(vol, file)


@pytest.mark.parametrize("kind", ["zarr2", "zarr3", "n5", "precomputed"])
def test_a_chunk_with_bytes_after_its_end_is_damaged(tmp_path, kind):
    vol, file = damaged(tmp_path, kind, lambda good: good + b"\0")
    assert_named(vol, file)


def test_a_shard_whose_index_does_not_match_its_checksum_is_named(tmp_path):
    vol, file = damaged(tmp_path, "zarr3-sharded", lambda good: good[:-1] + bytes([good[-1] ^ 255]))
    assert_named(vol, file)


def test_a_shard_whose_index_leads_past_its_end_is_named(tmp_path):
    """The index is 4 chunks of (offset, bytes) as uint64 and a crc32c, at the end: 68 bytes."""

    def torn(good):
        return good[:100] + good[-68:]

    vol, file = damaged(tmp_path, "zarr3-sharded", torn)
    assert_named(vol, file)


@pytest.mark.parametrize("read", ["async", "many", "resampled", "world", "onto"])
def test_every_kind_of_read_names_the_file(tmp_path, read):
    vol, file = damaged(tmp_path, "zarr3", DAMAGE["cut in the middle"])
    runs = {
        "async": lambda: vol.read_index_async((0, 0, 0), vol.shape).result(),
        "many": lambda: wa.read_many([(vol, (0, 0, 0), (1, 1, 1)), (vol, (5, 0, 13), (6, 1, 14))]),
        "resampled": lambda: vol.read(vol.box, voxel_size=(80, 17, 6), method="linear"),
        "world": lambda: vol.read(vol.box.grow((40, 8.5, 4)), padding="edge"),
        "onto": lambda: vol.read_onto(vol.target),
    }
    with pytest.raises(DataError) as caught:
        runs[read]()
    assert caught.value.at == (str(file),)


def test_a_damaged_chunk_in_an_archive_is_named(tmp_path):
    volumes.write(tmp_path / "em", "zarr3")
    (tmp_path / "em" / FILES["zarr3"]).write_bytes(b"short")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for path in sorted((tmp_path / "em").rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(tmp_path).as_posix())
    vol = wa.open(f"{tmp_path}/a.zip|zip:em", level=0)
    assert_named(vol, f"{tmp_path}/a.zip|zip:em/s0/c/1/0/1")


def test_a_damaged_chunk_in_memory_is_named():
    context = ts.Context()
    kv = ts.KvStore.open({"driver": "memory"}, context=context).result()
    document = {
        "zarr_format": 2,
        "shape": [2, 2],
        "chunks": [2, 2],
        "dtype": "|u1",
        "order": "C",
        "fill_value": 0,
        "compressor": None,
        "filters": None,
    }
    kv.write("em/.zarray", json.dumps(document)).result()
    kv.write("em/0.0", b"abc").result()
    vol = wa.open("memory://em", units=None, context=context)
    with pytest.raises(DataError) as caught:
        vol.read_index((0, 0), (2, 2))
    assert caught.value.at == ("memory://em/0.0",)
    kv.write("em/0.0", b"abcd").result()
    assert vol.read_index((0, 0), (2, 2)).tolist() == [[97, 98], [99, 100]]


@pytest.mark.parametrize("damage", ["no archive", ""])
def test_a_damaged_archive_is_named(tmp_path, damage):
    (tmp_path / "a.zip").write_text(damage, encoding="utf-8")
    with pytest.raises(DataError, match="the archive cannot be read") as caught:
        wa.open(f"{tmp_path}/a.zip|zip:em", level=0)
    assert caught.value.at == (f"{tmp_path}/a.zip",)


@pytest.mark.parametrize("where", ["{}/nothing.zip|zip:em", "{}/folder.zip|zip:em", "memory://nothing.zip|zip:em"])
def test_an_archive_that_is_not_there_is_not_found(tmp_path, where):
    """Many times: asked to read such an archive, tensorstore waits for itself once in some hundred tries."""
    (tmp_path / "folder.zip").mkdir()
    path = where.format(tmp_path)
    for _ in range(300):
        assert wa.detect(path, missing_ok=True) is None
    with pytest.raises(StoreNotFoundError, match="does not exist"):
        wa.open(path, level=0)
    with pytest.raises(StoreNotFoundError):
        wa.list_chunk_keys(path)


# Folders and permissions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [kind for kind in FILES if kind != "precomputed-sharded"])
def test_a_folder_at_the_key_of_a_chunk_is_named(tmp_path, kind):
    volumes.write(tmp_path / "em", kind)
    file = tmp_path / "em" / FILES[kind]
    file.unlink()
    file.mkdir()
    vol = wa.open(tmp_path / "em", level=0)
    with pytest.raises(DataError, match="a folder stands where the file of a chunk belongs") as caught:
        vol.read(vol.box)
    assert caught.value.at == (str(file),)
    assert vol.read_index((0, 0, 0), (3, 5, 7)).all()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read every file")
@pytest.mark.parametrize("kind", FILES)
def test_a_chunk_that_may_not_be_read_is_named(tmp_path, kind):
    volumes.write(tmp_path / "em", kind)
    file = tmp_path / "em" / FILES[kind]
    file.chmod(0)
    vol = wa.open(tmp_path / "em", level=0)
    with pytest.raises(AccessError) as caught:
        vol.read(vol.box)
    assert caught.value.at == (str(file),)
    assert isinstance(caught.value, PermissionError)


@pytest.mark.parametrize("level", ["s0", "s1"])
@pytest.mark.parametrize(
    ("kind", "document"),
    [
        ("zarr2", ".zgroup"),
        ("zarr2", ".zattrs"),
        ("zarr2", "{}/.zarray"),
        ("zarr2", "{}/.zattrs"),
        ("zarr3", "zarr.json"),
        ("zarr3", "{}/zarr.json"),
        ("n5", "attributes.json"),
        ("n5", "{}/attributes.json"),
        ("precomputed", "info"),
    ],
)
def test_a_document_that_may_not_be_read_is_named_and_never_taken_for_missing(
    tmp_path, monkeypatch, kind, document, level
):
    """Without it the array would lie elsewhere. The refusal is made here, since root may read every file."""
    volumes.write(tmp_path / "em", kind)
    denied = str(tmp_path / "em" / document.format(level))

    def read(path, real=sources.read_file):
        if path == denied:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(sources, "read_file", read)
    with pytest.raises(AccessError, match="may not be read") as caught:
        wa.open(tmp_path / "em", level=int(level[1]))
    assert caught.value.at == (denied,)
    assert isinstance(caught.value, PermissionError)


# Missing -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FILES)
def test_a_missing_chunk_is_fill(tmp_path, kind):
    """Of shards all their chunks: a zarr v3 shard holds [3:6]; a precomputed one what its numbers say."""
    volumes.write(tmp_path / "em", kind)
    (tmp_path / "em" / FILES[kind]).unlink()
    vol = wa.open(tmp_path / "em", level=0)
    values, wanted = vol.read(vol.box), volumes.values()
    if kind == "precomputed-sharded":
        assert ((values == 0) | (values == wanted)).all()
        assert 0 < np.count_nonzero(values) < values.size
        return
    wanted[HELD if kind != "zarr3-sharded" else slice(3, 6)] = 0
    assert np.array_equal(values, wanted)


@pytest.mark.parametrize(
    ("make", "key", "fill"),
    [(stores.zarr2, "1.1", 7), (stores.zarr3, "c/1/1", 7), (stores.zarr2, "1.1", None)],
    ids=["zarr2", "zarr3", "null"],
)
def test_a_missing_chunk_is_the_fill_value_of_its_array(tmp_path, make, key, fill):
    path = make(tmp_path / "em", stores.coded(4, 6), (2, 3), fill_value=fill)
    (tmp_path / "em" / key).unlink()
    wanted = stores.coded(4, 6)
    wanted[2:, 3:] = fill or 0
    assert np.array_equal(wa.open(path, units=None).read_index((0, 0), (4, 6)), wanted)


def test_an_array_without_any_chunk_is_fill(tmp_path):
    volumes.write(tmp_path / "em", "zarr3")
    shutil.rmtree(tmp_path / "em" / "s0" / "c")
    vol = wa.open(tmp_path / "em", level="s0")
    assert not vol.read(vol.box).any()
    assert vol.list_chunks() == []


# What would silently be fill -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("stored", "declared"), ["./", "/.", (".", None), ("/", None)])
def test_a_separator_that_names_no_chunk_is_told_and_can_be_given(tmp_path, stored, declared):
    """A zarr v2 document without a separator means a dot."""
    path = stores.zarr2(
        tmp_path / "em", stores.coded(4, 6), (2, 3), {"voxel_size": [8, 4], "units": ["nm", "nm"]},
        dimension_separator=stored,
    )  # fmt: skip
    document = json.loads((tmp_path / "em" / ".zarray").read_text(encoding="utf-8"))
    document["dimension_separator"] = declared
    if declared is None:
        del document["dimension_separator"]
    stores.write_json(tmp_path / "em" / ".zarray", document)
    if stored == (declared or "."):
        assert np.array_equal(wa.open(path).read_index((0, 0), (4, 6)), stores.coded(4, 6))
        return
    with pytest.warns(PlacementWarning, match=re.escape(f"pass dimension_separator={stored!r}")) as caught:
        vol = wa.open(path)
    assert caught[0].message.notice.at == (f"{path}/.zarray", "dimension_separator")
    assert not vol.read_index((0, 0), (4, 6)).any()
    right = wa.open(path, dimension_separator=stored)
    assert np.array_equal(right.read_index((0, 0), (4, 6)), stores.coded(4, 6))
    array = wa.open_tensorstore(path, dimension_separator=stored)
    assert np.array_equal(array.read().result(), stores.coded(4, 6))
    assert right.list_chunks() == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_chunk_files_of_precomputed_that_end_in_gz_are_told(tmp_path):
    volumes.write(tmp_path / "em", "precomputed")
    scale = tmp_path / "em" / "4_8.5_40"
    for chunk in list(scale.iterdir()):
        chunk.rename(chunk.with_name(f"{chunk.name}.gz"))
    with pytest.warns(PlacementWarning, match=r"end in \.gz, which read as fill; gunzip them") as caught:
        wa.open(tmp_path / "em", level=0)
    assert caught[0].message.notice.at == (str(scale),)
    assert wa.open(tmp_path / "em", level=1).read_index((0, 0, 0), (1, 1, 1)).item() == 1


# Odd documents that are read -----------------------------------------------------------------------------------------

PLACED = {"voxel_size": [8, 4], "units": ["nm", "nm"]}


def test_a_fill_value_that_is_a_string_is_read_with_a_warning(tmp_path):
    path = stores.zarr2(tmp_path / "em", stores.coded(4, 6), (2, 3), PLACED, fill_value="0")
    (tmp_path / "em" / "1.1").unlink()
    with pytest.warns(PlacementWarning, match="fill_value"):
        vol = wa.open(path)
    wanted = stores.coded(4, 6)
    wanted[2:, 3:] = 0
    assert np.array_equal(vol.read_index((0, 0), (4, 6)), wanted)
    assert (vol.meta.fill_value, vol.meta.fill_value.dtype) == (0, np.dtype("uint16"))


@pytest.mark.parametrize(
    "compressor",
    [
        {"id": "zstd", "level": 1, "checksum": False},
        {"id": "zstd", "level": 1, "checksum": True, "nthreads": 2},
        {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0, "typesize": 2},
    ],
)
def test_members_of_a_compressor_that_tensorstore_refuses_do_not_stop_the_reading(tmp_path, compressor):
    known = {"id", "level"} if compressor["id"] == "zstd" else {"id", "cname", "clevel", "shuffle", "blocksize"}
    volumes.write(tmp_path / "em", "zarr2", {name: value for name, value in compressor.items() if name in known})
    for level in ("s0", "s1"):
        path = tmp_path / "em" / level / ".zarray"
        volumes.dump(path, json.loads(path.read_text(encoding="utf-8")) | {"compressor": compressor})
    vol = wa.open(tmp_path / "em", level="s0")
    assert np.array_equal(vol.read(vol.box), volumes.values())


def test_members_of_n5_that_tensorstore_refuses_do_not_stop_the_reading(tmp_path):
    volumes.write(tmp_path / "em", "n5", {"type": "gzip", "level": 1})
    path = tmp_path / "em" / "s0" / "attributes.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["compression"] |= {"nthreads": 4}
    volumes.dump(path, document | {"axes": ["x", "y", "z"], "units": "nm", "mine": {"a": [1]}})
    vol = wa.open(tmp_path / "em", level="s0")
    assert np.array_equal(vol.read(vol.box), volumes.values())


@pytest.mark.parametrize(("size", "method"), [(5e5, "linear"), (5e5 + 1e-9, "linear"), (5e5, "nearest")])
def test_targets_of_any_size_are_read_from_voxels_of_any_size(tmp_path, size, method):
    """1e-310 nm is what some garbage reads as: the one target voxel is nearest to a last voxel, or a mean of all."""
    attributes = {"voxel_size": [1e-310, 4], "units": ["nm", "nm"]}
    path = stores.zarr2(tmp_path / "em", np.full((4, 6), 9, "uint8"), (2, 3), attributes)
    vol = wa.open(path, voxel_size=(size, 8), on_mismatch="resample", method=method)
    assert vol.shape == (1, 3)
    assert vol.read(vol.box, padding=1).tolist() in ([[9, 9, 9]], [[1, 1, 1]])


@pytest.mark.parametrize(
    ("kind", "document", "at"),
    [
        ("zarr2", ".zattrs", ("multiscales", 0, "datasets", 1, "path")),
        ("zarr3", "zarr.json", ("attributes", "ome", "multiscales", 0, "datasets", 1, "path")),
        ("precomputed", "info", ("scales", 1, "key")),
    ],
)
def test_a_path_that_holds_a_nul_is_named(tmp_path, kind, document, at):
    volumes.write(tmp_path / "em", kind)
    path = tmp_path / "em" / document
    loaded = json.loads(path.read_text(encoding="utf-8"))
    mutations.part(loaded, at[:-1])[at[-1]] = "s\0"
    volumes.dump(path, loaded)
    with pytest.raises(PlacementError, match="NUL") as caught:
        wa.open(tmp_path / "em", level=0)
    assert caught.value.at == (str(path), *at)


@pytest.mark.parametrize("kind", ["zarr2", "zarr3", "zarr3-sharded", "n5", "precomputed"])
def test_chunks_that_no_memory_holds_are_refused(tmp_path, monkeypatch, kind):
    """A chunk of 3 x 5 x 7 uint16 is 210 bytes; tensorstore, asked to decode what does not fit, ends the process."""
    volumes.write(tmp_path / "em", kind)
    vol = wa.open(tmp_path / "em", level=0)
    monkeypatch.setattr(arrays, "memory_bytes", lambda: 209)
    with pytest.raises(PlacementError, match="has chunks of 210 bytes") as caught:
        vol.read_index((0, 0, 0), (1, 1, 1))
    assert caught.value.code == "out_of_range"
    monkeypatch.setattr(arrays, "memory_bytes", lambda: 210)
    assert vol.read_index((0, 0, 0), (1, 1, 1)).item() == 1
    assert vol.read_index((0, 0, 0), (3, 5, 7)).all()
    with pytest.raises(ArgumentError, match=r"420 bytes would be read.* read in blocks"):
        vol.read_index((0, 0, 0), (6, 5, 7))


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize(
    ("kind", "document", "key"),
    [
        ("zarr2", "s0/.zarray", "fill_value"),
        ("zarr3", "s0/zarr.json", "fill_value"),
        ("n5", "s0/attributes.json", "offset"),
        ("precomputed", "info", "mine"),
        ("zarr2", ".zattrs", "mine"),
    ],
)
def test_a_bare_nan_names_the_file_and_the_key(tmp_path, kind, document, key, word):
    volumes.write(tmp_path / "em", kind)
    path = tmp_path / "em" / document
    loaded = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(loaded | {key: float(word)}), encoding="utf-8")
    with pytest.raises(PlacementError, match=f"a bare {word} is not JSON") as caught:
        wa.open(tmp_path / "em", level=0)
    assert caught.value.at == (str(path), key)


@pytest.mark.parametrize(
    "data", [b"{", b"\xff\xfe{}", b"", b"[]", b'"zarr"'], ids=["cut", "utf16", "empty", "list", "text"]
)
@pytest.mark.parametrize("kind", volumes.KINDS)
def test_a_document_that_is_no_json_object_is_named(tmp_path, kind, data):
    volumes.write(tmp_path / "em", kind)
    name = {"zarr2": "s0/.zarray", "zarr3": "s0/zarr.json", "n5": "s0/attributes.json", "precomputed": "info"}
    path = tmp_path / "em" / name[kind.split("-")[0]]
    path.write_bytes(data)
    for run in (
        lambda: wa.open(tmp_path / "em", level=0),
        lambda: wa.metadata(volumes.level_path(tmp_path / "em", kind), open=False),
        lambda: wa.open_pyramid(tmp_path / "em").metas(),
    ):
        with pytest.raises((PlacementError, StoreNotFoundError), match=re.escape(str(tmp_path / "em"))):
            run()
    with pytest.raises(PlacementError, match=re.escape(str(path))):
        wa.detect(path.parent)
