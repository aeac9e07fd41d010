"""Documents of a store: read fresh, written if they still are what was read, and changed by many without a loss."""

import json
import multiprocessing
import os
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from pathlib import Path

import document_writers
import pytest
import tensorstore as ts
from servers import PUBLIC, SIGNED

from worldarray.errors import AccessError, ArgumentError, StoreUnavailableError
from worldarray.io.access import forget_ways
from worldarray.io.retry import Clock
from worldarray.paths import parse_path
from worldarray_write.groups import GROUP_KEYS
from worldarray_write.io import files, store
from worldarray_write.merge import merged_group

HERE = Path(__file__).parent
needs_locks = pytest.mark.skipif(not files.SUPPORTED, reason="this system has no locks that end with their process")


@pytest.fixture(params=["file", "memory", "s3", "ocdbt"])
def place(request, tmp_path):
    """A folder of a store that can be written to, and the context to reach it on."""
    if request.param == "file":
        return parse_path(tmp_path / "new" / "em.zarr"), None
    if request.param == "s3":
        request.getfixturevalue("s3")
        return parse_path(f"s3://{PUBLIC}/{tmp_path.name}/em.zarr"), None
    if request.param == "ocdbt":
        return parse_path(f"{tmp_path}/tree|ocdbt:em.zarr"), None
    return parse_path("memory://em.zarr"), ts.Context()


# One document --------------------------------------------------------------------------------------------------------


def test_a_document_is_created_once(place):
    where, context = place
    assert store.create_only(where, "zarr.json", b"first", context)
    assert not store.create_only(where, "zarr.json", b"second", context)
    assert store.read_with_generation(where, "zarr.json", context).data == b"first"


def test_a_document_is_replaced_only_while_it_is_what_was_seen(place):
    where, context = place
    absent = store.read_with_generation(where, ".zattrs", context)
    assert absent.data is None
    assert store.write_if(where, ".zattrs", b"a longer first document", absent, context)
    first = store.read_with_generation(where, ".zattrs", context)
    assert store.write_if(where, ".zattrs", b"second", first, context)
    for stale in (absent, first):
        assert not store.write_if(where, ".zattrs", b"third", stale, context)
    assert store.read_with_generation(where, ".zattrs", context).data == b"second"


def test_what_another_wrote_is_read_at_once(place):
    where, context = place
    for text in (b"1", b"22", b"333"):
        seen = store.read_with_generation(where, "zarr.json", context)
        assert store.write_if(where, "zarr.json", text, seen, context)
        assert store.read_with_generation(where, "zarr.json", context).data == text


# Several documents ---------------------------------------------------------------------------------------------------


def test_documents_are_changed_in_order_and_returned(place):
    where, context = place
    changes = [{".zgroup": b"{}", ".zattrs": b"1"}, {".zattrs": b"2"}, {}, {".zattrs": b"2"}]
    results = [store.update_documents(where, (".zgroup", ".zattrs"), lambda _, c=c: c, context) for c in changes]
    assert results[0] == {".zgroup": b"{}", ".zattrs": b"1"}
    assert results[1:] == [{".zgroup": b"{}", ".zattrs": b"2"}] * 3


def test_a_change_made_meanwhile_is_seen_by_the_next_round(place):
    where, context = place
    rounds = []

    def change(found):
        if not rounds:  # another process is faster
            store.create_only(where, "list.json", b"[0]", context)
        rounds.append(dict(found))
        return {"list.json": json.dumps([*json.loads(found.get("list.json", b"[]")), 1]).encode()}

    done = store.update_documents(where, ("list.json",), change, context)
    assert rounds == [{}, {"list.json": b"[0]"}]
    assert done == {"list.json": b"[0, 1]"}


def test_what_a_change_raises_is_raised_and_nothing_is_written(tmp_path):
    where = parse_path(tmp_path / "em.zarr")

    def change(found):
        raise ArgumentError

    with pytest.raises(ArgumentError):
        store.update_documents(where, ("zarr.json",), change)
    assert list(tmp_path.iterdir()) == []


def test_a_writer_that_never_gets_its_turn_says_so_in_time(place):
    where, context = place
    now = [0.0]
    clock = Clock(sleep=lambda seconds: now.__setitem__(0, now[0] + seconds), jitter=lambda: 1.0, now=lambda: now[0])
    rounds = []

    def change(found):
        rounds.append(now[0])
        seen = store.read_with_generation(where, "zarr.json", context)
        assert store.write_if(where, "zarr.json", str(len(rounds)).encode(), seen, context)
        return {"zarr.json": b"mine"}

    with pytest.raises(StoreUnavailableError, match=r"other writers changed zarr\.json for all of 3 s"):
        store.update_documents(where, ("zarr.json",), change, context, timeout=3.0, clock=clock)
    assert 3.0 <= now[0] < 4.5
    pauses = [round(b - a, 6) for a, b in pairwise(rounds)]
    assert pauses == sorted(pauses)  # each pause at least as long as the one before
    assert max(pauses) <= (0.1 if where.is_local else 1.0)


def test_a_group_half_made_is_completed(tmp_path):
    where = parse_path(tmp_path)
    (tmp_path / ".zgroup").write_bytes(b'{"zarr_format": 2}')
    document_writers.add_levels(str(tmp_path), [0], None)
    assert (tmp_path / ".zgroup").read_bytes() == b'{"zarr_format": 2}'
    assert [d["path"] for d in json.loads((tmp_path / ".zattrs").read_bytes())["multiscales"][0]["datasets"]] == ["s0"]
    assert store.read_with_generation(where, ".zgroup").data == b'{"zarr_format": 2}'


# Many processes ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pool():
    with ProcessPoolExecutor(8, mp_context=multiprocessing.get_context("spawn")) as executor:
        yield executor


@pytest.fixture
def shared(request, tmp_path):
    """A path of the store that all processes reach."""
    if request.param == "file":
        return str(tmp_path / "em.zarr")
    request.getfixturevalue("s3")
    return f"s3://{PUBLIC}/{tmp_path.name}/em.zarr"


def cloud():
    return {name: value for name, value in os.environ.items() if name.startswith("AWS_")}


@pytest.mark.parametrize(("shared", "count"), [("file", 24), ("s3", 8)], indirect=["shared"])
@pytest.mark.parametrize("format", ["zarr2", "zarr3"])
def test_eight_processes_that_list_levels_in_one_new_group_lose_none(pool, shared, count, format):
    numbers = [list(range(i, count, 8)) for i in range(8)]
    tasks = [pool.submit(document_writers.run, cloud(), "add_levels", shared, each, format) for each in numbers]
    for task in tasks:
        task.result(60)
    found = store.update_documents(parse_path(shared), GROUP_KEYS, lambda _: {})
    key = ".zattrs" if format == "zarr2" else "zarr.json"
    document = json.loads(found[key])
    attributes = document if format == "zarr2" else document["attributes"]["ome"]
    datasets = attributes["multiscales"][0]["datasets"]
    assert [entry["path"] for entry in datasets] == [f"s{i}" for i in range(count)]  # each once, finest first
    assert len(attributes["multiscales"]) == 1


@pytest.mark.parametrize(("shared", "count"), [("file", 40), ("s3", 3)], indirect=["shared"])
def test_eight_processes_that_add_to_one_document_lose_nothing(pool, shared, count):
    tasks = [pool.submit(document_writers.run, cloud(), "append", shared, name, count) for name in "abcdefgh"]
    for task in tasks:
        task.result(60)
    found = json.loads(store.read_with_generation(parse_path(shared), "list.json").data)
    assert sorted(found) == sorted(f"{name}-{i}" for name in "abcdefgh" for i in range(count))
    for name in "abcdefgh":  # each process added its own in order
        assert [entry for entry in found if entry.startswith(name)] == [f"{name}-{i}" for i in range(count)]


@pytest.mark.parametrize("shared", ["file", "s3"], indirect=True)
def test_of_eight_processes_one_creates(pool, shared):
    tasks = [pool.submit(document_writers.run, cloud(), "create", shared, name) for name in "abcdefgh"]
    made = [task.result(60) for task in tasks]
    assert sum(made) == 1
    by = json.loads(store.read_with_generation(parse_path(shared), "zarr.json").data)["by"]
    assert by == "abcdefgh"[made.index(True)]


def test_threads_of_one_process_lose_nothing(tmp_path):
    threads = [threading.Thread(target=document_writers.append, args=(str(tmp_path), n, 10)) for n in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    found = json.loads((tmp_path / "list.json").read_bytes())
    assert sorted(found) == sorted(f"{name}-{i}" for name in "abcd" for i in range(10))
    assert [path.name for path in tmp_path.iterdir()] == ["list.json"]


# Local files ---------------------------------------------------------------------------------------------------------


def snapshot(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@needs_locks
def test_a_writer_leaves_the_document_and_nothing_else(tmp_path):
    where = parse_path(tmp_path)
    assert store.create_only(where, ".zgroup", b"{}")
    assert not store.create_only(where, ".zgroup", b"{ }")
    assert snapshot(tmp_path) == {".zgroup": b"{}"}


@needs_locks
def test_a_process_killed_before_renaming_leaves_neither_a_torn_document_nor_a_lock(tmp_path):
    """The file it leaves is longer than what the next writer writes, which must not keep the end of it."""
    path = tmp_path / "zarr.json"
    path_of_lock = tmp_path / "zarr.json.__lock"
    command = [sys.executable, str(HERE / "document_writers.py"), "killed", str(path), "a document of another process"]
    killed = subprocess.run(command, check=False, timeout=30)
    assert killed.returncode == -9
    assert snapshot(tmp_path) == {"zarr.json.__lock": b"a document of another process"}
    begin = time.monotonic()
    assert store.create_only(parse_path(tmp_path), "zarr.json", b"short")
    assert time.monotonic() - begin < 2
    assert snapshot(tmp_path) == {"zarr.json": b"short"}
    assert not path_of_lock.exists()


@needs_locks
def test_a_lock_that_another_process_holds_is_waited_for_in_time(tmp_path):
    path = tmp_path / "zarr.json"
    path.write_bytes(b"old")
    command = [sys.executable, str(HERE / "document_writers.py"), "hold", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"locked\n"
        with pytest.raises(StoreUnavailableError, match=r"has held the lock .*zarr\.json\.__lock for 0\.2 s"):
            files.replace(str(path), b"new", b"old", timeout=0.2)
        assert path.read_bytes() == b"old"
        waiting = threading.Timer(0.2, holder.stdin.close)
        waiting.start()
        assert files.replace(str(path), b"new", b"old", timeout=20)
        waiting.join()
    assert snapshot(tmp_path) == {"zarr.json": b"new"}


@needs_locks
def test_the_lock_is_tensorstores_own(tmp_path):
    """A writer of the same document through tensorstore waits, and ours sees what it wrote."""
    path = tmp_path / "zarr.json"
    kv = ts.KvStore.open(f"file://{tmp_path}/").result()
    command = [sys.executable, str(HERE / "document_writers.py"), "hold", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"locked\n"
        writing = kv.write("zarr.json", b"theirs")
        with pytest.raises(TimeoutError):
            writing.result(timeout=0.3)
        holder.stdin.close()
        writing.result(timeout=20)
    assert not files.replace(str(path), b"ours", None, timeout=5)
    assert snapshot(tmp_path) == {"zarr.json": b"theirs"}


@needs_locks
def test_two_versions_with_one_inode_and_one_time_are_told_apart(tmp_path):
    """Content decides: a file system with coarse times gives a reused inode the time that was seen."""
    path = tmp_path / "zarr.json"
    path.write_bytes(b"one")
    seen, time_seen = store.read_with_generation(parse_path(tmp_path), "zarr.json"), path.stat().st_mtime_ns
    path.write_bytes(b"two")
    os.utime(path, ns=(time_seen, time_seen))
    assert not store.write_if(parse_path(tmp_path), "zarr.json", b"three", seen)
    assert path.read_bytes() == b"two"


@needs_locks
@pytest.mark.parametrize("mode", [0o664, 0o600, 0o644])
def test_a_document_keeps_its_permissions(tmp_path, mode):
    path = tmp_path / ".zattrs"
    path.write_bytes(b"{}")
    path.chmod(mode)
    seen = store.read_with_generation(parse_path(tmp_path), ".zattrs")
    assert store.write_if(parse_path(tmp_path), ".zattrs", b"{ }", seen)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@needs_locks
def test_without_locks_of_open_files_flock_is_used(tmp_path, monkeypatch):
    monkeypatch.delattr(files._fcntl, "F_OFD_SETLK", raising=False)
    assert store.create_only(parse_path(tmp_path), "zarr.json", b"{}")
    path = str(tmp_path / "zarr.json")
    with files._locked(path + files.LOCK_SUFFIX, 1.0, files.REAL), pytest.raises(StoreUnavailableError):
        files.replace(path, b"new", b"{}", timeout=0.05)
    assert snapshot(tmp_path) == {"zarr.json": b"{}"}


@needs_locks
def test_a_file_system_without_locks_is_an_error_that_says_so(tmp_path, monkeypatch):
    def refused(*_):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(files._fcntl, "fcntl", refused)
    monkeypatch.setattr(files._fcntl, "flock", refused)
    with pytest.raises(StoreUnavailableError, match="has no locks"):
        store.create_only(parse_path(tmp_path), "zarr.json", b"{}")
    assert "zarr.json" not in snapshot(tmp_path)


@needs_locks
def test_a_full_disk_leaves_the_document_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / ".zattrs"
    path.write_bytes(b"old")
    seen = store.read_with_generation(parse_path(tmp_path), ".zattrs")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StoreUnavailableError, match="No space left"):
        store.write_if(parse_path(tmp_path), ".zattrs", b"new", seen)
    assert snapshot(tmp_path) == {".zattrs": b"old"}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_to_is_an_error_that_names_it(tmp_path):
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(AccessError, match=r"zarr\.json"):
            store.create_only(parse_path(tmp_path), "zarr.json", b"{}")
    finally:
        tmp_path.chmod(0o755)


@pytest.mark.parametrize("target", ["real", "nowhere"])
def test_a_level_that_is_a_symbolic_link_is_refused(tmp_path, target):
    (tmp_path / "real").mkdir()
    (tmp_path / "s0").symlink_to(tmp_path / target)
    store.refuse_symlink(parse_path(tmp_path / "real"))
    store.refuse_symlink(parse_path(tmp_path / "missing"))
    store.refuse_symlink(parse_path("s3://bucket/em.zarr/s0"))
    with pytest.raises(ArgumentError, match="symbolic link") as caught:
        store.refuse_symlink(parse_path(tmp_path / "s0"))
    assert caught.value.code == "wrong_value"


def test_a_document_that_is_a_symbolic_link_is_not_replaced(tmp_path):
    (tmp_path / "theirs.json").write_bytes(b"{}")
    (tmp_path / "zarr.json").symlink_to(tmp_path / "theirs.json")
    seen = store.read_with_generation(parse_path(tmp_path), "zarr.json")
    assert seen.data == b"{}"
    with pytest.raises(ArgumentError, match="symbolic link"):
        store.write_if(parse_path(tmp_path), "zarr.json", b"new", seen)
    assert (tmp_path / "zarr.json").is_symlink()
    assert (tmp_path / "theirs.json").read_bytes() == b"{}"


# Other stores --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["http://host/em.zarr", "https://host/em.zarr", "em.zip|zip:em.zarr"])
def test_a_store_that_is_read_alone_is_refused_before_anything_is_asked(path):
    for write in (
        lambda: store.create_only(parse_path(path), "zarr.json", b"{}"),
        lambda: store.update_documents(parse_path(path), ("zarr.json",), lambda _: {}),
    ):
        with pytest.raises(ArgumentError) as caught:
            write()
        assert caught.value.code == "unsupported"
    store.check_writable(parse_path("gs://bucket/em.zarr"))


def test_a_bucket_that_needs_credentials_gets_them(s3):
    where = parse_path(f"s3://{SIGNED}/em.zarr")
    assert store.create_only(where, "zarr.json", b"{}")
    assert store.read_with_generation(where, "zarr.json").data == b"{}"


@pytest.fixture
def told(s3, monkeypatch):
    """Make the S3 server answer conditional writes as told, a number of times."""
    answers = []
    real = s3._app

    def app(environ, start_response):
        conditional = any(name in environ for name in ("HTTP_IF_MATCH", "HTTP_IF_NONE_MATCH"))
        if answers and conditional and environ["REQUEST_METHOD"] == "PUT":
            status, code = answers.pop(0)
            body = f"<Error><Code>{code}</Code><Message>as told</Message></Error>".encode()
            start_response(status, [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
            return [body]
        return real(environ, start_response)

    monkeypatch.setattr(s3, "_app", app)
    return answers


@pytest.fixture
def impatient():
    retries = {"max_retries": 1, "initial_delay": "1ms", "max_delay": "1ms"}
    return lambda monkeypatch: monkeypatch.setattr("worldarray.io.contexts.DOCUMENT_RETRIES", retries)


def test_two_conditional_writes_at_once_are_a_conflict_that_is_tried_again(told, impatient, monkeypatch):
    """S3 answers 409 to a conditional write while another is under way."""
    impatient(monkeypatch)
    where = parse_path(f"s3://{PUBLIC}/conflict")
    told += [("409 Conflict", "ConditionalRequestConflict")] * 4
    assert store.update_documents(where, ("zarr.json",), lambda _: {"zarr.json": b"{}"}) == {"zarr.json": b"{}"}
    assert told == []


def test_a_server_without_conditional_writes_is_an_error_that_says_so(told):
    told += [("501 Not Implemented", "NotImplemented")] * 2
    with pytest.raises(StoreUnavailableError, match="no conditional writes") as caught:
        store.create_only(parse_path(f"s3://{PUBLIC}/old"), "zarr.json", b"{}")
    assert caught.value.code == "unsupported"


def test_a_refused_write_names_the_document(told):
    told += [("403 Forbidden", "AccessDenied")] * 2
    with pytest.raises(AccessError, match=r"with default credentials: .*AccessDenied"):
        store.create_only(parse_path(f"s3://{PUBLIC}/refused"), "zarr.json", b"{}")


def test_a_write_whose_answer_was_lost_is_not_made_twice(s3, impatient, monkeypatch):
    """The store took it and answered 500: asked again, tensorstore is told that the document is there."""
    impatient(monkeypatch)
    real, lost = s3._app, []

    def losing(environ, start_response):
        if environ["REQUEST_METHOD"] == "PUT" and not lost:
            lost.append(list(real(environ, lambda *_: None)))
            start_response("500 Internal Server Error", [("Content-Length", "0")])
            return [b""]
        return real(environ, start_response)

    monkeypatch.setattr(s3, "_app", losing)
    rounds = []

    def change(found):
        rounds.append(dict(found))
        return {} if found else {"zarr.json": b"mine"}

    assert store.update_documents(parse_path(f"s3://{PUBLIC}/lost"), ("zarr.json",), change) == {"zarr.json": b"mine"}
    assert rounds == [{}, {"zarr.json": b"mine"}]


def test_a_public_url_of_gcs_is_no_way_to_write(monkeypatch):
    """Only credentials write to GCS; without any, the error says what each way answered."""
    monkeypatch.setenv("TENSORSTORE_GCS_HTTP_URL", "http://127.0.0.1:1")
    monkeypatch.setattr("worldarray.io.contexts.DOCUMENT_RETRIES", {"max_retries": 0})
    forget_ways()
    with pytest.raises((AccessError, StoreUnavailableError)):
        store.create_only(parse_path("gs://bucket/em.zarr"), "zarr.json", b"{}")
    forget_ways()


def test_a_group_in_memory_is_made_on_the_callers_context():
    context, where = ts.Context(), parse_path("memory://em.zarr")
    level = document_writers.level(0)
    made = store.update_documents(where, GROUP_KEYS, lambda found: merged_group(found, level, "em"), context)
    assert list(made) == ["zarr.json"]
    assert store.read_with_generation(where, "zarr.json", ts.Context()).data is None
