"""Object stores end to end: whole pyramids on S3, GCS and HTTP servers, opened and read as people do.

How a store is asked (ways in, retries, documents) is pinned piece by piece in test_access, test_io_sources, test_retry.
"""

import json
import multiprocessing
import re
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
import tensorstore as ts
import volumes
import workers
from servers import PUBLIC, SIGNED, UNLISTED
from test_processes import needs_fork, script

import worldarray as wa
from worldarray.cli import main
from worldarray.errors import (
    AccessError,
    ArgumentError,
    DataError,
    PlacementWarning,
    StoreNotFoundError,
    StoreUnavailableError,
)

QUICK = wa.Retry(max_attempts=3, timeout=5.0, base_delay=0.0)
BUSY = (500, 502, 503, 504, 429)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("volumes")
    for kind in volumes.KINDS:
        volumes.write(made / kind, kind)
    return made


@pytest.fixture
def impatient():
    """A context on which tensorstore asks a busy server twice, at once, in place of 32 times over minutes."""
    retries = {"max_retries": 1, "initial_delay": "1ms", "max_delay": "1ms"}
    return ts.Context({f"{kind}_request_retries": retries for kind in ("http", "s3", "gcs")})


@pytest.fixture(autouse=True)
def no_jitter(monkeypatch):
    """Attempts follow each other at once, where the policy says so."""
    monkeypatch.setattr("random.random", lambda: 0.0)


def signed_in(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")


def assert_whole(path, **arguments):
    """Every level, by the group and by its own path, is where and what the writer was told."""
    pyramid = wa.open_pyramid(path, **arguments)
    for name, level in zip(pyramid.names, volumes.FACTORS, strict=True):
        by_path = wa.open(f"{path.rstrip('/')}/{name}", **arguments)
        for vol in (pyramid.by_name(name), by_path):
            assert (vol.voxel_size, vol.translation) == (volumes.size(level), volumes.centre(level))
            assert vol.remote
            assert np.array_equal(vol.read(vol.box), volumes.values(level))


# S3 ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", volumes.KINDS)
def test_a_public_bucket_is_read_without_credentials(s3_server, cloud, folder, kind):
    signed_in(cloud)
    s3_server.put_folder(PUBLIC, folder / kind, f"{kind}/")
    s3_server.log.clear()
    assert_whole(f"s3://{PUBLIC}/{kind}")
    assert {signed for _, _, signed in s3_server.log} == {False}


@pytest.mark.parametrize("kind", volumes.KINDS)
def test_a_signed_bucket_is_read_with_credentials(s3_server, cloud, folder, kind):
    signed_in(cloud)
    s3_server.put_folder(SIGNED, folder / kind, f"{kind}/")
    s3_server.log.clear()
    assert_whole(f"s3://{SIGNED}/{kind}/")
    chunks = [signed for _, path, signed in s3_server.log if path.rsplit("/", 1)[-1][:1].isdigit()]
    assert chunks
    assert all(chunks)


@pytest.mark.parametrize("kind", volumes.KINDS)
def test_a_bucket_that_cannot_be_listed_and_refuses_what_is_missing_is_read(s3_server, folder, kind):
    s3_server.put_folder(UNLISTED, folder / kind, f"{kind}/")
    assert_whole(f"s3://{UNLISTED}/{kind}")


def test_choosing_a_level_on_s3_reads_the_groups_document_alone(s3_server, folder):
    s3_server.put_folder(PUBLIC, folder / "zarr2", "zarr2/")
    s3_server.log.clear()
    pyramid = wa.open_pyramid(f"s3://{PUBLIC}/zarr2")
    assert [level.voxel_size for level in pyramid.placements()] == [volumes.size("s0"), volumes.size("s1")]
    assert not any("/zarr2/s" in path for _, path, _ in s3_server.log)


def test_a_missing_chunk_on_s3_is_fill(s3_server, folder):
    for path in sorted((folder / "zarr2").rglob("*")):
        if path.is_file() and path.name != "1.0.1":
            s3_server.put(PUBLIC, f"sparse/{path.relative_to(folder / 'zarr2').as_posix()}", path.read_bytes())
    wanted = volumes.values()
    wanted[3:6, 0:5, 7:14] = 0
    vol = wa.open(f"s3://{PUBLIC}/sparse", level="s0")
    assert np.array_equal(vol.read(vol.box), wanted)
    assert (1, 0, 1) not in vol.list_chunks()


def test_a_missing_chunk_that_the_bucket_refuses_is_an_error_that_says_so(s3_server, folder):
    """S3 answers 403 for what is missing where listing is off: whether it is missing nobody can tell."""
    document = (folder / "zarr2" / "s0" / ".zarray").read_bytes()
    s3_server.put(UNLISTED, "nochunks/.zarray", document)
    with pytest.raises(AccessError, match=r"nochunks/0\.0\.0: .*for a chunk that does not exist"):
        wa.open(f"s3://{UNLISTED}/nochunks", units=None).read_index((0, 0, 0), (1, 1, 1))


def test_nothing_on_s3_is_not_found_and_where_listing_is_off_refused(s3_server, cloud):
    with pytest.raises(StoreNotFoundError, match=f"s3://{PUBLIC}/nothing"):
        wa.open(f"s3://{PUBLIC}/nothing", level=0)
    assert wa.detect(f"s3://{PUBLIC}/nothing", missing_ok=True) is None
    cloud.setenv("HOME", "/nonexistent")
    with pytest.raises(AccessError, match=f"s3://{UNLISTED}/nothing"):
        wa.open(f"s3://{UNLISTED}/nothing", level=0)


@pytest.mark.parametrize("kind", ["zarr2", "zarr3", "zarr3-sharded", "n5", "precomputed"])
def test_chunks_on_s3_are_listed(s3_server, cloud, folder, kind):
    signed_in(cloud)
    path = f"s3://{SIGNED}/{kind}"
    s3_server.put_folder(SIGNED, folder / kind, f"{kind}/")
    assert wa.open(path, level=0).list_chunks() == wa.open(folder / kind, level=0).list_chunks()
    assert len(wa.open(path, level=1).list_chunks()) == 2
    if kind != "precomputed":
        assert wa.list_chunk_keys(f"{path}/s1", format=kind.split("-")[0]) == [(0, 0, 0), (1, 0, 0)]


def test_chunks_of_a_bucket_without_listing_cannot_be_listed(s3_server, cloud, folder):
    cloud.setenv("HOME", "/nonexistent")
    s3_server.put_folder(UNLISTED, folder / "zarr3", "zarr3/")
    vol = wa.open(f"s3://{UNLISTED}/zarr3", level="s0")
    with pytest.raises(AccessError, match=f"s3://{UNLISTED}/zarr3/s0"):
        vol.list_chunks()


@pytest.mark.parametrize("variables", [("AWS_ENDPOINT_URL",), ("AWS_ENDPOINT_URL_S3",), ("both",)])
def test_the_endpoint_comes_from_the_variables_of_the_aws_tools(s3_server, http_server, cloud, folder, variables):
    """AWS_ENDPOINT_URL_S3 wins over AWS_ENDPOINT_URL, which then leads to a server that has nothing."""
    url = s3_server.url
    cloud.delenv("AWS_ENDPOINT_URL_S3")
    for name in variables if variables != ("both",) else ("AWS_ENDPOINT_URL_S3",):
        cloud.setenv(name, url)
    if variables == ("both",):
        cloud.setenv("AWS_ENDPOINT_URL", http_server.url)
    s3_server.put_folder(PUBLIC, folder / "zarr3", "zarr3/")
    assert_whole(f"s3://{PUBLIC}/zarr3")
    assert http_server.log == []


@pytest.mark.parametrize(
    ("variables", "region"),
    [
        ({}, "us-east-1"),
        ({"AWS_DEFAULT_REGION": "eu-west-2"}, "eu-west-2"),
        ({"AWS_REGION": "eu-north-1", "AWS_DEFAULT_REGION": "eu-west-2"}, "eu-north-1"),
    ],
)
def test_requests_are_signed_for_the_region_of_the_environment(s3_server, cloud, folder, variables, region):
    signed_in(cloud)
    for name, value in variables.items():
        cloud.setenv(name, value)
    s3_server.put_folder(SIGNED, folder / "zarr3", "zarr3/")
    seen, app = [], s3_server._app

    def recorded(environ, start_response):
        seen.append(environ.get("HTTP_AUTHORIZATION", ""))
        return app(environ, start_response)

    cloud.setattr(s3_server, "_app", recorded)
    assert_whole(f"s3://{SIGNED}/zarr3")
    assert {text.split("/")[2] for text in seen if text} == {region}


@pytest.mark.parametrize("way", ["s0", "group", "pyramid"])
def test_a_worker_process_finds_its_own_way_into_a_signed_bucket(s3_server, cloud, folder, way):
    """The handle arrives open or shut, and the worker, which has asked nothing yet, has to find the way in."""
    signed_in(cloud)
    path = f"s3://{SIGNED}/zarr3"
    s3_server.put_folder(SIGNED, folder / "zarr3", "zarr3/")
    vol = {
        "s0": lambda: wa.open(f"{path}/s0"),
        "group": lambda: wa.open(path, level="s0", context=wa.capped_context()),
        "pyramid": lambda: wa.open_pyramid(path).by_name("s0"),
    }[way]()
    if way == "s0":
        vol.read(vol.box)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        s3_server.log.clear()
        assert np.array_equal(pool.submit(vol.read, vol.box).result(60), volumes.values())
        assert [signed for _, path, signed in s3_server.log if not signed] == [False]
        s3_server.log.clear()
        assert np.array_equal(pool.submit(vol.read, vol.box).result(60), volumes.values())
        assert all(signed for _, _, signed in s3_server.log)
        assert pool.submit(workers.told, vol).result(60) == workers.told(vol)


def test_the_command_shows_a_pyramid_on_s3(s3_server, folder, capsys):
    s3_server.put_folder(PUBLIC, folder / "zarr3-sharded", "sharded/")
    assert main(["info", f"s3://{PUBLIC}/sharded"]) == 0
    assert f"s3://{PUBLIC}/sharded: zarr3 group" in capsys.readouterr().out
    assert main(["info", f"s3://{PUBLIC}/nothing"]) == 1
    assert f"s3://{PUBLIC}/nothing" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["my data", "a+b", "50%", "é", "a#b", "q?x=1", "a&b=c"])
def test_names_of_any_letters_are_read_on_s3(s3_server, folder, name):
    s3_server.put_folder(PUBLIC, folder / "zarr3", f"{name}/zarr3/")
    assert_whole(f"s3://{PUBLIC}/{name}/zarr3")


# GCS -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["zarr2", "zarr3", "n5"])
def test_a_bucket_of_gcs_is_read_and_listed(gcs_server, folder, kind):
    """The emulator serves no ends of objects and forgets their generations, which shards and precomputed need."""
    for path in sorted((folder / kind).rglob("*")):
        if path.is_file():
            gcs_server.put(f"{kind}/{path.relative_to(folder / kind).as_posix()}", path.read_bytes())
    path = f"gs://{gcs_server.bucket}/{kind}"
    assert_whole(path)
    assert wa.open(path, level=0).list_chunks() == wa.open(folder / kind, level=0).list_chunks()


@pytest.mark.parametrize("kind", volumes.KINDS)
def test_a_bucket_is_read_through_the_api_of_gcs(http_server, cloud, folder, kind):
    """A plain server under the paths of the JSON API."""
    cloud.setenv("TENSORSTORE_GCS_HTTP_URL", http_server.url)
    http_server.add_folder(folder / kind, f"storage/v1/b/bucket/o/{kind}/")
    assert_whole(f"gs://bucket/{kind}")
    assert all(path.startswith("storage/v1/b/bucket/o") for path in http_server.log)


@pytest.mark.parametrize("kind", ["zarr2", "zarr3-sharded", "n5", "precomputed"])
def test_a_bucket_of_gcs_that_refuses_its_api_is_read_by_its_public_url(http_server, cloud, folder, kind):
    """Its JSON API answers 401 for everything; the public URL serves the same bucket."""
    cloud.setenv("TENSORSTORE_GCS_HTTP_URL", http_server.url)
    http_server.missing = 401
    http_server.add_folder(folder / kind, f"bucket/{kind}/")
    assert_whole(f"gs://bucket/{kind}")
    with pytest.raises(AccessError, match="public URL cannot list"):
        wa.open(f"gs://bucket/{kind}", level=0).list_chunks()


def test_opening_reads_no_chunk_over_the_network(http_server, s3_server, folder):
    for kind in volumes.KINDS:
        http_server.add_folder(folder / kind, f"{kind}/")
        s3_server.put_folder(PUBLIC, folder / kind, f"{kind}/")
    s3_server.log.clear()
    for root in (http_server.url, f"s3://{PUBLIC}"):
        for kind in volumes.KINDS:
            wa.open(f"{root}/{kind}", level=0).box  # noqa: B018
    asked = [*http_server.log, *(path.removeprefix(f"/{PUBLIC}/") for _, path, _ in s3_server.log)]
    assert not {path for path in asked if path in http_server.files and path.rsplit("/", 1)[-1][0].isdigit()}


@pytest.mark.parametrize("separators", ["./", "/."])
def test_a_wrong_separator_is_told_over_the_network(http_server, s3_server, folder, separators):
    """Chunks keyed with one separator, a document that declares the other."""
    stored, declared = separators
    document = json.loads((folder / "zarr2" / "s0" / ".zarray").read_bytes()) | {"dimension_separator": declared}
    prefix = f"mixed{separators.index('.')}"
    files = {
        f"{prefix}/.zarray": json.dumps(document).encode(),
        f"{prefix}/.zattrs": json.dumps({"voxel_size": volumes.SIZE, "units": ["nm"] * 3}).encode(),
    }
    for path in (folder / "zarr2" / "s0").glob("[0-9]*"):
        files[f"{prefix}/{path.name.replace('.', stored)}"] = path.read_bytes()
    http_server.files.update(files)
    for key, body in files.items():
        s3_server.put(UNLISTED, key, body)
    for root in (http_server.url, f"s3://{UNLISTED}"):
        with pytest.warns(PlacementWarning, match=re.escape(f"pass dimension_separator={stored!r}")):
            wa.open(f"{root}/{prefix}")
        vol = wa.open(f"{root}/{prefix}", dimension_separator=stored)
        assert np.array_equal(vol.read(vol.box), volumes.values())


# HTTP ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [404, 403])
@pytest.mark.parametrize("kind", volumes.KINDS)
def test_a_file_server_is_read_whatever_it_answers_for_what_is_missing(http_server, folder, kind, missing):
    http_server.missing = missing
    http_server.add_folder(folder / kind, "data/em/")
    assert_whole(f"{http_server.url}/data/em")


@pytest.mark.parametrize("kind", ["zarr3-sharded", "precomputed-sharded"])
def test_a_chunk_of_a_shard_is_read_by_ranges(http_server, folder, kind):
    http_server.add_folder(folder / kind, "em/")
    vol = wa.open(f"{http_server.url}/em", level=0)
    assert vol.read_index((0, 0, 0), (1, 1, 1)).item() == 1
    assert len(set(http_server.ranges)) > 1


@pytest.mark.parametrize("status", BUSY)
def test_a_read_waits_for_a_server_that_is_busy_for_a_while(http_server, folder, impatient, status):
    """tensorstore asks twice an attempt: two attempts fail, the third one of three reads."""
    http_server.add_folder(folder / "zarr2", "em/")
    http_server.answers["em/s0/1.0.1"] = [status] * 4
    vol = wa.open(f"{http_server.url}/em", level="s0", context=impatient, retries=QUICK)
    assert np.array_equal(vol.read(vol.box), volumes.values())
    assert http_server.log.count("em/s0/1.0.1") == 5


@pytest.mark.parametrize(
    ("kind", "file"),
    [
        ("zarr2", "s0/1.0.1"),
        ("zarr3", "s0/c/1/0/1"),
        ("zarr3-sharded", "s0/c/1/0/0"),
        ("n5", "s0/1/0/1"),
        ("precomputed", "4_8.5_40/13-20_-4-1_13-16"),
        ("precomputed-sharded", "4_8.5_40/1.shard"),
    ],
)
def test_a_server_that_stays_busy_is_an_error_that_names_the_file(http_server, folder, impatient, kind, file):
    http_server.add_folder(folder / kind, "em/")
    assert f"em/{file}" in http_server.files
    http_server.always[f"em/{file}"] = 503
    vol = wa.open(f"{http_server.url}/em", level=0, context=impatient, retries=QUICK)
    with pytest.raises(StoreUnavailableError, match=r"\(HTTP 503\)") as caught:
        vol.read(vol.box)
    assert caught.value.at == (f"{http_server.url}/em/{file}",)
    assert caught.value.code == "unavailable"
    assert vol.read_index((0, 0, 0), (1, 1, 1)).item() == 1


def test_a_read_of_its_own_policy_overrules_the_handles(http_server, folder, impatient):
    http_server.add_folder(folder / "zarr2", "em/")
    vol = wa.open(f"{http_server.url}/em", level="s0", context=impatient, retries=QUICK)
    http_server.answers["em/s0/0.0.0"] = [503] * 2
    with pytest.raises(StoreUnavailableError):
        vol.read_index((0, 0, 0), (1, 1, 1), retries=wa.Retry(1))
    http_server.answers["em/s0/0.0.0"] = [503] * 2
    vol.retries = wa.Retry(1)
    with pytest.raises(StoreUnavailableError):
        vol.read(vol.box)
    http_server.answers["em/s0/0.0.0"] = [503] * 2
    assert np.array_equal(vol.read(vol.box, retries=QUICK), volumes.values())


def test_tensorstores_own_retries_are_kept_for_data(http_server, folder):
    """On the context that every open shares, tensorstore asks again itself: the attempt succeeds within its time."""
    http_server.add_folder(folder / "zarr2", "em/")
    http_server.answers["em/s0/0.0.0"] = [503]
    vol = wa.open(f"{http_server.url}/em", level="s0", retries=wa.Retry(1, timeout=20.0))
    assert np.array_equal(vol.read(vol.box), volumes.values())


def test_a_server_that_stalls_is_asked_again(http_server, folder):
    http_server.add_folder(folder / "zarr2", "em/")
    http_server.hang = 3.0
    http_server.answers["em/s0/1.1.1"] = ["hang"]
    vol = wa.open(f"{http_server.url}/em", level="s0", retries=wa.Retry(3, timeout=0.3, base_delay=0.0))
    begin = time.monotonic()
    assert np.array_equal(vol.read(vol.box), volumes.values())
    assert time.monotonic() - begin < 2.5
    assert http_server.log.count("em/s0/1.1.1") == 2


def test_a_server_that_stalls_for_good_is_an_error_that_names_the_array(http_server, folder):
    """tensorstore does not tell which chunk it waits for."""
    http_server.add_folder(folder / "zarr2", "em/")
    http_server.hang = 1.0
    http_server.always["em/s0/1.1.1"] = "hang"
    vol = wa.open(f"{http_server.url}/em", level="s0", retries=wa.Retry(2, timeout=0.2, base_delay=0.0))
    with pytest.raises(StoreUnavailableError, match="no answer in time") as caught:
        vol.read(vol.box)
    assert caught.value.at == (f"{http_server.url}/em/s0",)


def test_many_reads_keep_the_policy(http_server, folder, impatient):
    http_server.add_folder(folder / "zarr2", "em/")
    vol = wa.open(f"{http_server.url}/em", level="s0", context=impatient, retries=QUICK)
    vol.ts.shape  # noqa: B018  (opened before the server is busy)
    for name in ("em/s0/0.0.0", "em/s0/1.1.1"):
        http_server.answers[name] = [503, 429, 500]
    blocks = list(vol.blocks())
    parts = wa.read_many([(vol, block.begin, block.end) for block in blocks])
    for block, part in zip(blocks, parts, strict=True):
        assert np.array_equal(part, volumes.values()[tuple(map(slice, block.begin, block.end))])
    pending = [vol.read_index_async(block.begin, block.end) for block in blocks]
    assert [part.result().tobytes() for part in pending] == [part.tobytes() for part in parts]


@pytest.mark.parametrize("document", ["em/.zattrs", "em/.zgroup", "em/s0/.zarray"])
def test_documents_of_a_busy_server_are_asked_for_again(http_server, folder, document):
    http_server.add_folder(folder / "zarr2", "em/")
    http_server.answers[document] = [503, 429]
    vol = wa.open(f"{http_server.url}/em", level="s0")
    assert vol.translation == volumes.centre()


def test_a_document_that_stays_refused_for_now_is_never_taken_for_missing(http_server, folder):
    """Reading the array without the group's document would place it elsewhere: a busy server is an error."""
    http_server.add_folder(folder / "zarr2", "em/")
    http_server.always["em/.zattrs"] = 503
    with pytest.raises(StoreUnavailableError, match=r"\(HTTP 503\)") as caught:
        wa.open(f"{http_server.url}/em/s0")
    assert caught.value.at[0].startswith(f"{http_server.url}/em")
    http_server.always.clear()
    assert wa.open(f"{http_server.url}/em/s0").translation == volumes.centre()


def test_chunks_on_http_cannot_be_listed(http_server, folder):
    http_server.add_folder(folder / "zarr2", "em/")
    with pytest.raises(ArgumentError, match="http cannot list"):
        wa.open(f"{http_server.url}/em", level="s0").list_chunks()
    with pytest.raises(ArgumentError, match="http cannot list"):
        wa.list_chunk_keys(f"{http_server.url}/em/s0")


def test_nothing_on_a_file_server_is_not_found(http_server):
    with pytest.raises(StoreNotFoundError, match="holds no array"):
        wa.open(f"{http_server.url}/em", level=0)
    http_server.missing = 403
    with pytest.raises(AccessError, match="refused"):
        wa.open(f"{http_server.url}/em", level=0)


@pytest.mark.parametrize("name", ["my data", "my%20data", "a+b", "é", "a&b=c"])
def test_names_of_any_letters_are_read_over_http(http_server, folder, name):
    http_server.add_folder(folder / "zarr3", f"{name.replace('%20', ' ')}/em/")
    assert_whole(f"{http_server.url}/{name}/em")


def test_a_damaged_chunk_on_a_server_is_named_and_not_asked_for_again(http_server, folder):
    http_server.add_folder(folder / "zarr2", "em/")
    http_server.files["em/s0/0.0.0"] = b"short"
    vol = wa.open(f"{http_server.url}/em", level="s0", retries=QUICK)
    with pytest.raises(DataError) as caught:
        vol.read(vol.box)
    assert caught.value.at == (f"{http_server.url}/em/s0/0.0.0",)
    assert http_server.log.count("em/s0/0.0.0") == 1


@needs_fork
@pytest.mark.parametrize("used", ["wa.detect(path)", "wa.open(path, level='s0')", "wa.open_pyramid(path)"])
def test_a_parent_that_asked_a_server_may_not_fork_and_read(http_server, folder, used):
    """Documents on a server are read through tensorstore: the child is refused, where it would hang or abort."""
    http_server.add_folder(folder / "zarr2", "em/")
    answer = script(
        f"""
{used}
text, status = in_child(lambda: (refused(lambda: wa.open(path, level="s0")), refused(lambda: wa.detect(path))))
assert status == 0, status
print(text)
""",
        f"{http_server.url}/em",
        "",
    )
    assert answer.count("ForkError") == 2
