"""Document sources: plain files, archives, memory and http; what counts as missing and what is an error."""

import json
import os
import subprocess
import sys
import zipfile

import pytest
import tensorstore as ts
from servers import PUBLIC

from worldarray.errors import AccessError, ArgumentError, DataError, StoreUnavailableError
from worldarray.io import sources
from worldarray.io.sources import FileSource, KvSource, source_for
from worldarray.paths import parse_path

KEYS = ("zarr.json", ".zarray", ".zattrs")


def ask(path, keys=KEYS, context=None, **more):
    where = parse_path(path)
    return source_for(where, context).documents(where, keys, **more)


def test_local_documents_are_read_whole(tmp_path):
    long = json.dumps(list(range(40_000))).encode()
    assert len(long) > 3 * (1 << 16)
    (tmp_path / ".zarray").write_bytes(b"{}")
    (tmp_path / ".zattrs").write_bytes(long)
    (tmp_path / "zarr.json").write_bytes(b"")
    assert ask(tmp_path) == {"zarr.json": b"", ".zarray": b"{}", ".zattrs": long}


@pytest.mark.parametrize("size", [(1 << 16) - 1, 1 << 16, (1 << 16) + 1, 1 << 21])
def test_local_documents_of_any_size_are_read_whole(tmp_path, size):
    (tmp_path / ".zattrs").write_bytes(b"7" * size)
    assert ask(tmp_path)[".zattrs"] == b"7" * size


def test_what_is_no_file_is_missing(tmp_path):
    (tmp_path / "zarr.json").mkdir()
    (tmp_path / "file").write_bytes(b"{}")
    assert ask(tmp_path) == {}
    assert ask(tmp_path / "nothing") == {}
    assert ask(tmp_path / "file") == {}
    assert ask(tmp_path / ("n" * 300)) == {}
    os.mkfifo(tmp_path / ".zattrs")
    assert ask(tmp_path) == {".zattrs": b""}


def test_a_local_file_that_may_not_be_read_names_its_path(tmp_path, monkeypatch):
    def denied(path, flags):
        if path.endswith(".zattrs"):
            raise PermissionError(13, "Permission denied", path)
        return real(path, flags)

    real = os.open
    monkeypatch.setattr(sources.os, "open", denied)
    (tmp_path / ".zarray").write_bytes(b"{}")
    with pytest.raises(AccessError, match=r"\.zattrs: .*permissions") as caught:
        ask(tmp_path)
    assert caught.value.at == (f"{tmp_path}/.zattrs",)
    assert ask(tmp_path, ancestor=True) == {".zarray": b"{}"}
    assert ask(tmp_path, (".zarray",)) == {".zarray": b"{}"}


def test_a_file_system_that_fails_is_unavailable_for_ancestors_too(tmp_path, monkeypatch):
    def fails(path, flags):
        raise OSError(5, "Input/output error", path)

    monkeypatch.setattr(sources.os, "open", fails)
    for ancestor in (False, True):
        with pytest.raises(StoreUnavailableError, match="Input/output error"):
            ask(tmp_path, ancestor=ancestor)


def test_whether_a_local_folder_holds_anything(tmp_path):
    source = FileSource()
    assert not source.exists(parse_path(tmp_path))
    (tmp_path / "s0").mkdir()
    assert source.exists(parse_path(tmp_path))
    assert not source.exists(parse_path(tmp_path / "nothing"))


def test_which_local_chunks_are_present(tmp_path):
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / "1").write_bytes(b"x")
    (tmp_path / "0.1").write_bytes(b"x")
    assert FileSource().present(parse_path(tmp_path), ("0", "0/1", "0.1", "0/2")) == {"0/1", "0.1"}


def test_local_documents_never_touch_tensorstore(tmp_path):
    (tmp_path / ".zarray").write_bytes(b"{}")
    script = (
        "import sys\n"
        "from worldarray.io.sources import source_for\n"
        "from worldarray.paths import parse_path\n"
        "where = parse_path(sys.argv[1])\n"
        "print(source_for(where).documents(where, ('.zarray', '.zattrs')), 'tensorstore' in sys.modules)\n"
    )
    run = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    assert run.stdout == "{'.zarray': b'{}'} False\n"


# -- memory and archives


def memory(**documents):
    context = ts.Context()
    store = ts.KvStore.open("memory://", context=context).result()
    for key, value in documents.items():
        store[key.replace("__", "/")] = value
    return context


def test_memory_is_read_on_the_callers_context():
    context = memory(**{"em/.zarray": b"{}", "em/s0/0.0": b"x"})
    assert ask("memory://em", context=context) == {".zarray": b"{}"}
    assert ask("memory://em", context=ts.Context()) == {}
    source = KvSource(context)
    assert source.exists(parse_path("memory://em/s0"))
    assert not source.exists(parse_path("memory://raw"))
    assert source.present(parse_path("memory://em/s0"), ("0.0", "0.1", "0")) == {"0.0"}


def test_a_memory_folder_never_matches_the_beginning_of_a_name():
    assert ask("memory://em", context=memory(**{"em.zarr/.zarray": b"{}"})) == {}


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(".zgroup", b'{"zarr_format": 2}')
        file.writestr("s0/.zarray", b"{}")
        file.writestr("s0/0.0", b"x")
    return path


def test_archives_are_read_from_their_root_and_below(archive):
    assert ask(f"{archive}|zip:", (".zgroup",)) == {".zgroup": b'{"zarr_format": 2}'}
    assert ask(f"{archive}|zip:s0/") == {".zarray": b"{}"}
    assert ask(f"{archive}|zip:s1") == {}
    source = KvSource()
    assert source.exists(parse_path(f"{archive}|zip:s0"))
    assert not source.exists(parse_path(f"{archive}|zip:s1"))
    assert source.present(parse_path(f"{archive}|zip:s0"), ("0.0", "0.1")) == {"0.0"}


def test_an_archive_that_is_not_there_holds_nothing(tmp_path):
    assert ask(f"{tmp_path}/nothing.zip|zip:s0") == {}


def test_an_archive_that_is_none_is_named(tmp_path):
    (tmp_path / "a.zip").write_bytes(b"no archive")
    with pytest.raises(DataError, match=r"a\.zip: the archive cannot be read"):
        ask(f"{tmp_path}/a.zip|zip:s0")


def test_archives_on_http_and_s3(archive, http_server, s3_server):
    http_server.files["data/a.zip"] = archive.read_bytes()
    assert ask(f"{http_server.url}/data/a.zip|zip:s0") == {".zarray": b"{}"}
    s3_server.put(PUBLIC, "data/a.zip", archive.read_bytes())
    assert ask(f"s3://{PUBLIC}/data/a.zip|zip:s0") == {".zarray": b"{}"}


# -- http


def test_every_key_is_asked_for_at_the_same_time(http_server):
    http_server.hang = 0.4
    http_server.answers.update({f"em/{key}": ["hang"] for key in KEYS})
    http_server.files["em/.zarray"] = b"{}"
    import time

    begin = time.monotonic()
    assert ask(f"{http_server.url}/em") == {".zarray": b"{}"}
    # each one hangs for 0.4 s, then answers 503 and is asked again after some 0.2 s
    assert time.monotonic() - begin < 1.1
    assert sorted(http_server.log) == sorted(f"em/{key}" for key in KEYS * 2)


def test_queries_are_sent_with_every_key(http_server):
    http_server.files["em data/.zattrs"] = b"{}"
    assert ask(f"{http_server.url}/em%20data?token=1", (".zattrs",)) == {".zattrs": b"{}"}


def test_a_folder_that_a_server_redirects_to_is_no_document(http_server):
    http_server.files.update({"em/info/x": b"1", "em/.zarray": b"{}"})
    assert ask(f"{http_server.url}/em", ("info", ".zarray")) == {".zarray": b"{}"}
    assert ask(f"{http_server.url}/em", ("info", ".zattrs")) == {}


@pytest.mark.parametrize("status", [301, 302, 307, 308, 400, 401, 403, 404, 405, 406, 410, 500, 501])
def test_what_an_ancestor_answers_is_a_document_or_nothing(http_server, status, monkeypatch):
    monkeypatch.setattr(sources.contexts, "DOCUMENT_RETRIES", {"max_retries": 1, "initial_delay": "1ms"})
    http_server.missing = status
    assert ask(f"{http_server.url}/em", ancestor=True) == {}
    http_server.files["em/.zattrs"] = b"{}"
    assert ask(f"{http_server.url}/em", ancestor=True) == {".zattrs": b"{}"}


@pytest.mark.parametrize("status", [429, 503])
def test_an_ancestor_that_is_busy_is_not_passed_over(http_server, status, monkeypatch):
    monkeypatch.setattr(sources.contexts, "DOCUMENT_RETRIES", {"max_retries": 1, "initial_delay": "1ms"})
    http_server.always["em/.zattrs"] = status
    with pytest.raises(StoreUnavailableError, match=rf"\(HTTP {status}\)"):
        ask(f"{http_server.url}/em", ancestor=True)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (301, StoreUnavailableError),
        (400, StoreUnavailableError),
        (401, AccessError),
        (403, AccessError),
        (405, StoreUnavailableError),
        (500, StoreUnavailableError),
    ],
)
def test_what_else_a_node_answers_is_an_error_that_names_it(http_server, status, error, monkeypatch):
    monkeypatch.setattr(sources.contexts, "DOCUMENT_RETRIES", {"max_retries": 1, "initial_delay": "1ms"})
    http_server.missing = status
    with pytest.raises(error, match=f"{http_server.url}/em.*HTTP {status}"):
        ask(f"{http_server.url}/em")


def test_a_server_that_never_answers_is_unavailable(http_server, monkeypatch):
    monkeypatch.setattr(sources, "DOCUMENT_TIMEOUT", 0.2)
    http_server.hang = 0.5
    http_server.always["em/.zattrs"] = "hang"
    with pytest.raises(StoreUnavailableError, match=r"did not answer within 0\.2 s"):
        ask(f"{http_server.url}/em")


def test_a_host_that_is_not_there_is_unavailable(monkeypatch):
    monkeypatch.setattr(sources.contexts, "DOCUMENT_RETRIES", {"max_retries": 1, "initial_delay": "1ms"})
    with pytest.raises(StoreUnavailableError, match="Could not connect"):
        ask("http://127.0.0.1:1/em")


def test_a_bucket_of_a_name_that_cannot_be_is_refused(cloud):
    with pytest.raises(ArgumentError, match=r"gs://b/em: .*cannot use this path: .*Invalid GCS bucket name"):
        ask("gs://b/em")


def test_which_http_chunks_are_present(http_server):
    http_server.files["em/0.0"] = b"x"
    where = parse_path(f"{http_server.url}/em")
    assert KvSource().present(where, ("0.0", "0.1")) == {"0.0"}
    assert KvSource().exists(where)


def test_which_s3_and_gs_chunks_are_present(s3_server, gcs_server):
    s3_server.put(PUBLIC, "em/0/1", b"x")
    gcs_server.put("em/0/1", b"x")
    for path in (f"s3://{PUBLIC}/em", f"gs://{gcs_server.bucket}/em"):
        assert KvSource().present(parse_path(path), ("0", "0/1", "0/10")) == {"0/1"}, path
