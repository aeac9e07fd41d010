"""Arrays in stores: opened with C-order axes from origin 0, damage named by file, ways in and archives."""

import json
import os
import shutil
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import tensorstore as ts
from servers import PUBLIC, SIGNED, UNLISTED

from worldarray.documents.n5 import parse_n5
from worldarray.documents.precomputed import parse_precomputed, scale_facts
from worldarray.documents.zarr2 import parse_zarr2
from worldarray.documents.zarr3 import parse_zarr3
from worldarray.errors import AccessError, DataError, StoreUnavailableError
from worldarray.io.arrays import Reader, open_facts
from worldarray.io.retry import Clock, Retry
from worldarray.paths import parse_path

# (z, y, x) = (4, 6, 8) in chunks of (2, 3, 4): a different value on every axis, and no voxel is fill
DATA = np.arange(1, 193, dtype="u2").reshape(4, 6, 8)
LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
CRC = {"name": "crc32c"}


def zarr2(**more):
    members = {"shape": [4, 6, 8], "chunks": [2, 3, 4], "dtype": "<u2", "compressor": None, "fill_value": 0}
    return {"driver": "zarr", "metadata": {**members, **more}}


def zarr3(*codecs):
    grid = {"name": "regular", "configuration": {"chunk_shape": [2, 3, 4]}}
    members = {"shape": [4, 6, 8], "data_type": "uint16", "chunk_grid": grid, "codecs": [*codecs], "fill_value": 0}
    return {"driver": "zarr3", "metadata": members}


def sharded(*codecs):
    grid = {"name": "regular", "configuration": {"chunk_shape": [2, 3, 4]}}
    shard = {
        "name": "sharding_indexed",
        "configuration": {"chunk_shape": [1, 3, 2], "codecs": [LITTLE, *codecs], "index_codecs": [LITTLE, CRC]},
    }
    members = {"shape": [4, 6, 8], "data_type": "uint16", "chunk_grid": grid, "codecs": [shard], "fill_value": 0}
    return {"driver": "zarr3", "metadata": members}


def precomputed(**more):
    scale = {
        "key": "8_8_40",
        "size": [8, 6, 4],
        "resolution": [8, 8, 40],
        "voxel_offset": [-3, 2, 10],
        "chunk_size": [4, 3, 2],
        "encoding": "raw",
        **more,
    }
    multiscale = {"type": "image", "data_type": "uint16", "num_channels": 1}
    return {"driver": "neuroglancer_precomputed", "multiscale_metadata": multiscale, "scale_metadata": scale}


SHARDING = {
    "@type": "neuroglancer_uint64_sharded_v1",
    "preshift_bits": 1,
    "minishard_bits": 1,
    "shard_bits": 0,
    "hash": "identity",
    "minishard_index_encoding": "raw",
    "data_encoding": "raw",
}
ZSTD = {"id": "zstd", "level": 3}
BLOSC = {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1}
# name: spec, the file of chunk (0, 0, 0)
STORES = {
    "zarr2": (zarr2(), "0.0.0"),
    "zarr2-big": (zarr2(dtype=">u2", order="F"), "0.0.0"),
    "zarr2-zstd": (zarr2(compressor=ZSTD), "0.0.0"),
    "zarr2-blosc": (zarr2(compressor=BLOSC), "0.0.0"),
    "zarr2-gzip": (zarr2(compressor={"id": "gzip", "level": 5}, dimension_separator="/"), "0/0/0"),
    "zarr3": (zarr3(LITTLE), "c/0/0/0"),
    "zarr3-zstd": (zarr3(LITTLE, {"name": "zstd", "configuration": {"level": 3}}), "c/0/0/0"),
    "zarr3-crc": (zarr3(LITTLE, CRC), "c/0/0/0"),
    "zarr3-sharded": (sharded(CRC), "c/0/0/0"),
    "n5": (
        {
            "driver": "n5",
            "metadata": {
                "dimensions": [8, 6, 4],
                "blockSize": [4, 3, 2],
                "dataType": "uint16",
                "compression": {"type": "gzip"},
            },
        },
        "0/0/0",
    ),
    "precomputed": (precomputed(), "8_8_40/-3-1_2-5_10-12"),
    "precomputed-sharded": (precomputed(sharding=SHARDING), "8_8_40/0.shard"),
}


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    root = tmp_path_factory.mktemp("stores")
    for name, (spec, _) in STORES.items():
        opened = ts.open({**spec, "kvstore": {"driver": "file", "path": f"{root / name}/"}}, create=True).result()
        if spec["driver"] == "n5":
            opened = opened.T
        elif spec["driver"] == "neuroglancer_precomputed":
            opened = opened[..., 0].T
        opened[...] = DATA
    return root


def facts_of(folder, name):
    """What the document of a store says, and the path of the array."""
    if name.startswith("precomputed"):
        info = json.loads((folder / "info").read_bytes())
        return scale_facts(parse_precomputed(info, ("info",)), 0, ("info",))
    document, parse = {"zarr2": (".zarray", parse_zarr2), "zarr3": ("zarr.json", parse_zarr3)}.get(
        name.partition("-")[0], ("attributes.json", parse_n5)
    )
    return parse(json.loads((folder / document).read_bytes()), (document,))


def array_path(folder, name):
    return f"{folder}/8_8_40" if name.startswith("precomputed") else str(folder)


# tensorstore reads a folder as a missing chunk and we say it; 0.1.68 says so itself
FOLDER = "a folder stands where the file of a chunk belongs|Not a regular file"
WHOLE = (slice(0, 4), slice(0, 6), slice(0, 8))
ONCE = Retry(max_attempts=1)


def read(folder, facts, path, box=WHOLE, context=None, retry=ONCE, pins=()):
    opened = open_facts(facts, parse_path(folder), context)
    reader = Reader(opened, parse_path(path), facts, context).pin(pins)
    return reader.start(box, retry, clock=Clock(sleep=lambda _: None)).result()


@pytest.mark.parametrize("name", STORES)
def test_axes_are_in_c_order_and_the_origin_is_0(stores, name):
    folder = stores / name
    facts = facts_of(folder, name)
    opened = open_facts(facts, parse_path(folder))
    assert opened.shape == facts.shape == (4, 6, 8)
    assert opened.origin == (0, 0, 0)
    block = read(folder, facts, array_path(folder, name))
    assert np.array_equal(block, DATA)
    assert block.flags.c_contiguous
    assert block.dtype == np.dtype("u2")
    assert block.dtype.isnative


@pytest.mark.parametrize("name", ["zarr2", "n5", "precomputed", "zarr3-sharded"])
def test_boxes_steps_and_pinned_axes(stores, name):
    # voxel (z, y, x) holds 1 + 48 z + 8 y + x; below z is 0 and 2, y is 1 and 5, x is 3
    folder = stores / name
    facts, path = facts_of(folder, name), array_path(stores / name, name)
    assert np.array_equal(read(folder, facts, path, (slice(1, 3), slice(2, 6), slice(3, 4))), DATA[1:3, 2:6, 3:4])
    assert np.array_equal(
        read(folder, facts, path, (slice(0, 4, 2), slice(1, 6, 4), slice(0, 8, 3)))[:, :, 1], [[12, 44], [108, 140]]
    )
    assert np.array_equal(read(folder, facts, path, (slice(0, 4), slice(0, 8)), pins=((1, 5),)), DATA[:, 5])


# -- damage


def damaged(stores, tmp_path, name, how):
    folder = tmp_path / "em"
    shutil.copytree(stores / name, folder)
    path = folder / STORES[name][1]
    data = path.read_bytes()
    path.unlink()
    if how == "folder":
        path.mkdir()
    elif how != "missing":
        path.write_bytes({"short": data[: len(data) // 2], "empty": b"", "garbage": b"\x07" * len(data)}[how])
    return folder, path


@pytest.mark.parametrize("how", ["short", "empty", "folder"])
@pytest.mark.parametrize("name", STORES)
def test_a_short_chunk_a_torn_shard_and_a_folder_name_the_file(stores, tmp_path, name, how):
    folder, path = damaged(stores, tmp_path, name, how)
    facts, array = facts_of(folder, name), array_path(folder, name)
    with pytest.raises(DataError) as caught:
        read(folder, facts, array)
    assert caught.value.at == (str(path),)
    assert caught.value.code == "bad_chunk"
    assert isinstance(caught.value, ValueError)
    if name != "precomputed-sharded":
        # chunk (1, 1, 1) beside it reads
        box = (slice(2, 4), slice(3, 6), slice(4, 8))
        assert np.array_equal(read(folder, facts, array, box), DATA[box])


@pytest.mark.parametrize(
    "name", ["zarr2-zstd", "zarr2-blosc", "zarr2-gzip", "zarr3-zstd", "zarr3-crc", "zarr3-sharded", "n5"]
)
def test_garbage_names_the_file(stores, tmp_path, name):
    folder, path = damaged(stores, tmp_path, name, "garbage")
    with pytest.raises(DataError, match="cannot be decoded") as caught:
        read(folder, facts_of(folder, name), str(folder))
    assert caught.value.at == (str(path),)


@pytest.mark.parametrize("name", [name for name in STORES if name != "precomputed-sharded"])
def test_a_missing_chunk_is_fill(stores, tmp_path, name):
    folder, _ = damaged(stores, tmp_path, name, "missing")
    expected = DATA.copy()
    expected[:2, :3, :4] = 0
    assert np.array_equal(read(folder, facts_of(folder, name), array_path(folder, name)), expected)


def test_a_folder_is_found_through_pins_and_steps_and_only_where_it_is_read(stores, tmp_path):
    folder, path = damaged(stores, tmp_path, "zarr2", "folder")
    facts = facts_of(folder, "zarr2")
    for box, pins in (
        ((slice(1, 2), slice(2, 3), slice(3, 4)), ()),
        ((slice(1, 4, 2), slice(2, 6, 3), slice(3, 8, 4)), ()),
        ((slice(0, 6), slice(0, 8)), ((0, 1),)),
        ((slice(0, 4),), ((1, 2), (2, 3))),
    ):
        with pytest.raises(DataError, match=FOLDER) as caught:
            read(folder, facts, str(folder), box, pins=pins)
        assert caught.value.at == (str(path),)
    for box, pins in (
        ((slice(2, 4), slice(0, 6), slice(0, 8)), ()),
        ((slice(0, 6), slice(0, 8)), ((0, 2),)),
        ((slice(0, 4),), ((1, 3), (2, 3))),
    ):
        read(folder, facts, str(folder), box, pins=pins)


@pytest.mark.parametrize(
    ("dtype", "fill"),
    [("<f4", "NaN"), ("<f8", -1.5), ("|b1", True), ("<c8", [0.0, 0.0]), ("|u1", None), ("bfloat16", "NaN"), ("|i1", 7)],
)
def test_a_folder_is_found_whatever_the_fill_value_is(tmp_path, dtype, fill):
    folder = tmp_path / "em"
    spec = zarr2(dtype=dtype, fill_value=fill)
    ts.open({**spec, "kvstore": {"driver": "file", "path": f"{folder}/"}}, create=True).result()
    facts = facts_of(folder, "zarr2")
    assert read(folder, facts, str(folder)).shape == (4, 6, 8)
    (folder / "1.1.1").mkdir()
    with pytest.raises(DataError, match=r"1\.1\.1"):
        read(folder, facts, str(folder))


def test_an_array_without_axes_and_one_without_voxels(tmp_path):
    for shape, key in (([], "0"), ([0, 6], None)):
        folder = tmp_path / f"em{len(shape)}"
        spec = zarr2(shape=shape, chunks=[3] * len(shape))
        ts.open({**spec, "kvstore": {"driver": "file", "path": f"{folder}/"}}, create=True).result()
        facts, box = facts_of(folder, "zarr2"), tuple(slice(0, n) for n in shape)
        assert read(folder, facts, str(folder), box).shape == tuple(shape)
        if key is not None:
            (folder / key).mkdir()
            with pytest.raises(DataError, match=FOLDER):
                read(folder, facts, str(folder), box)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_chunk_that_may_not_be_read_is_an_access_error(stores, tmp_path):
    folder = tmp_path / "em"
    shutil.copytree(stores / "zarr2", folder)
    (folder / "1.0.1").chmod(0o000)
    for parent in (folder, *folder.parents):
        if parent.stat().st_uid == os.geteuid() and len(parent.parts) > 2:
            parent.chmod(0o755)
    script = (
        "import os, sys, json\n"
        "from worldarray.io.arrays import Reader, open_facts\n"
        "from worldarray.io.retry import Retry\n"
        "from worldarray.documents.zarr2 import parse_zarr2\n"
        "from worldarray.errors import AccessError\n"
        "from worldarray.paths import parse_path\n"
        "import tensorstore\n"
        "where = parse_path(sys.argv[1])\n"
        "facts = parse_zarr2(json.load(open(sys.argv[1] + '/.zarray')), ('em',))\n"
        "os.setuid(65534)\n"
        "box = tuple(slice(0, n) for n in facts.shape)\n"
        "try:\n"
        "    Reader(open_facts(facts, where), where, facts).read(box, Retry())\n"
        "except AccessError as error:\n"
        "    print(error.at[0])\n"
    )
    command = [sys.executable, "-c", script, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == f"{folder}/1.0.1\n", done.stderr


# -- other stores


def test_damage_in_other_stores_is_named_as_people_write_it(stores, tmp_path, http_server, s3_server):
    shutil.copytree(stores / "zarr2-zstd", tmp_path / "em")
    (tmp_path / "em" / "0.0.0").write_bytes(b"torn")
    context = ts.Context()
    memory = ts.KvStore.open("memory://", context=context).result()
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        for path in sorted((tmp_path / "em").iterdir()):
            file.write(path, f"data/em/{path.name}")
            memory[f"data/em/{path.name}"] = path.read_bytes()
    http_server.add_folder(tmp_path, "data/")
    s3_server.put_folder(PUBLIC, tmp_path, "data/")
    facts = facts_of(tmp_path / "em", "zarr2")
    for place, key in (
        ("memory://data/em", "memory://data/em/0.0.0"),
        (f"{tmp_path}/a.zip|zip:data/em", f"{tmp_path}/a.zip|zip:data/em/0.0.0"),
        (f"{http_server.url}/data/em", f"{http_server.url}/data/em/0.0.0"),
        (f"s3://{PUBLIC}/data/em", f"s3://{PUBLIC}/data/em/0.0.0"),
        (f"{http_server.url}/data/a.zip|zip:data/em", f"{http_server.url}/data/a.zip|zip:data/em/0.0.0"),
        (f"s3://{PUBLIC}/data/a.zip|zip:data/em", f"s3://{PUBLIC}/data/a.zip|zip:data/em/0.0.0"),
    ):
        with pytest.raises(DataError, match="cannot be decoded") as caught:
            read(place, facts, place, context=context)
        assert caught.value.at == (key,)
        box = (slice(2, 4), slice(3, 6), slice(4, 8))
        assert np.array_equal(read(place, facts, place, box, context), DATA[box])


@pytest.mark.parametrize("name", ["zarr2-gzip", "zarr3-sharded", "n5", "precomputed", "precomputed-sharded"])
def test_every_store_reads_the_same(stores, tmp_path, http_server, s3_server, gcs_server, cloud, name):
    folder = stores / name
    facts = facts_of(folder, name)
    cloud.setenv("AWS_ACCESS_KEY_ID", "key")
    cloud.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                key = f"{name}/{path.relative_to(folder).as_posix()}"
                file.write(path, key)
                gcs_server.put(key, path.read_bytes())
    http_server.add_folder(folder, f"{name}/")
    places = [f"{tmp_path}/a.zip|zip:{name}", f"{http_server.url}/{name}"]
    if name != "precomputed-sharded":
        # reading its index takes the generation of an object, which the emulator does not tell
        places.append(f"gs://{gcs_server.bucket}/{name}")
    for bucket in (PUBLIC, SIGNED, UNLISTED):
        s3_server.put_folder(bucket, folder, f"{name}/")
        places.append(f"s3://{bucket}/{name}")
    for place in places:
        assert np.array_equal(read(place, facts, array_path(place, name)), DATA), place


def test_part_of_a_shard_is_read_by_ranges(stores, http_server):
    http_server.add_folder(stores / "zarr3-sharded", "em/")
    facts = facts_of(stores / "zarr3-sharded", "zarr3")
    place = f"{http_server.url}/em"
    box = (slice(0, 1), slice(0, 3), slice(0, 2))
    assert np.array_equal(read(place, facts, place, box), DATA[box])
    assert set(http_server.log) == {"em/c/0/0/0"}
    # inner chunks of 1 * 3 * 2 voxels of 2 bytes and a checksum of 4; 2 * 1 * 2 of them, and an index of 16 bytes each
    assert http_server.ranges == ["bytes=-68", "bytes=0-15"]


def test_a_worker_that_was_handed_an_array_finds_the_way_in(stores, s3_server, cloud):
    s3_server.put_folder(SIGNED, stores / "zarr2", "spawned/")
    facts = facts_of(stores / "zarr2", "zarr2")
    cloud.setenv("AWS_ACCESS_KEY_ID", "key")
    cloud.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    place = f"s3://{SIGNED}/spawned"
    s3_server.log.clear()
    assert np.array_equal(read(place, facts, place), DATA)
    asked = [(path.rpartition("/")[2], signed) for _, path, signed in s3_server.log]
    assert asked[:2] == [(".zarray", False), (".zarray", True)]
    assert {signed for _, signed in asked[2:]} == {True}


def test_an_array_that_nobody_may_read_is_an_access_error(stores, s3_server, cloud):
    cloud.setenv("HOME", "/nonexistent")
    s3_server.put_folder(SIGNED, stores / "zarr2", "refused/")
    place = f"s3://{SIGNED}/refused"
    with pytest.raises(AccessError, match=place):
        read(place, facts_of(stores / "zarr2", "zarr2"), place)


def test_a_gs_redirect_that_changes_is_followed_on_one_context(stores, http_server, gcs_server, cloud):
    facts = facts_of(stores / "zarr2", "zarr2")
    for path in (stores / "zarr2").iterdir():
        gcs_server.put(f"moved/{path.name}", path.read_bytes())
        http_server.files[f"storage/v1/b/{gcs_server.bucket}/o/moved/{path.name}"] = path.read_bytes()
    http_server.files[f"storage/v1/b/{gcs_server.bucket}/o/moved/0.0.0"] = b"\x01\x00" * 24
    place, context = f"gs://{gcs_server.bucket}/moved", ts.Context()
    first = open_facts(facts, parse_path(place), context)
    assert first[0, 0, 7].read().result() == 8
    cloud.setenv("TENSORSTORE_GCS_HTTP_URL", http_server.url)
    second = open_facts(facts, parse_path(place), context)
    assert second[0, 2, 3].read().result() == 1
    assert first[0, 2, 3].read().result() == 20


def test_a_request_that_hangs_for_good_is_made_anew(stores, http_server):
    http_server.add_folder(stores / "precomputed", "em/")
    http_server.hang = 3.0
    http_server.answers["em/8_8_40/-3-1_2-5_10-12"] = ["hang"]
    place = f"{http_server.url}/em"
    facts = facts_of(stores / "precomputed", "precomputed")
    retry = Retry(max_attempts=2, timeout=0.4, base_delay=0.0)
    assert np.array_equal(read(place, facts, f"{place}/8_8_40", retry=retry), DATA)
    assert http_server.log.count("em/8_8_40/-3-1_2-5_10-12") == 2


def test_a_store_that_is_gone_after_opening_is_unavailable(stores, http_server):
    facts = facts_of(stores / "zarr2", "zarr2")
    context = ts.Context({"http_request_retries": {"max_retries": 1, "initial_delay": "1ms"}})
    with pytest.raises(StoreUnavailableError, match="Could not connect"):
        read("http://127.0.0.1:1/em", facts, "http://127.0.0.1:1/em", context=context)
