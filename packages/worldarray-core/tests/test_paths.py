"""Paths: what is a local file, how URLs and pipelines are taken apart, and arithmetic that keeps their parts."""

import os
import pickle
from pathlib import Path, PurePosixPath

import pytest

from worldarray import store
from worldarray.errors import ArgumentError, ArgumentTypeError
from worldarray.paths import parse_path


@pytest.mark.parametrize(
    ("path", "text", "scheme", "key", "bucket"),
    [
        ("em.zarr", "em.zarr", "file", "em.zarr", ""),
        ("em.zarr/", "em.zarr", "file", "em.zarr", ""),
        ("./em.zarr//s0/.", "em.zarr/s0", "file", "em.zarr/s0", ""),
        ("em.zarr/../raw.n5", "raw.n5", "file", "raw.n5", ""),
        ("/data/em.zarr", "/data/em.zarr", "file", "/data/em.zarr", ""),
        ("//data//em.zarr", "/data/em.zarr", "file", "/data/em.zarr", ""),
        ("file:///data/em%20stack.zarr/", "/data/em stack.zarr", "file", "/data/em stack.zarr", ""),
        ("file://localhost/data/em", "/data/em", "file", "/data/em", ""),
        ("a|b/em.zarr", "a|b/em.zarr", "file", "a|b/em.zarr", ""),
        ("em:v2/s0", "em:v2/s0", "file", "em:v2/s0", ""),
        ("s3://bucket/em.zarr/", "s3://bucket/em.zarr", "s3", "em.zarr", "bucket"),
        ("S3://Bucket/a//b", "s3://Bucket/a//b", "s3", "a//b", "Bucket"),
        ("s3://bucket/a%20b", "s3://bucket/a%20b", "s3", "a%20b", "bucket"),
        ("gs://bucket", "gs://bucket", "gs", "", "bucket"),
        ("precomputed://gs://bucket/em/8_8_8", "gs://bucket/em/8_8_8", "gs", "em/8_8_8", "bucket"),
        ("precomputed:///data/em", "/data/em", "file", "/data/em", ""),
        ("https://host:8080/a/../em.zarr/", "https://host:8080/em.zarr", "https", "em.zarr", "host:8080"),
        ("http://host/em?a=1&b=/2#top", "http://host/em?a=1&b=/2", "http", "em", "host"),
        ("http://host/", "http://host", "http", "", "host"),
        ("memory://em/s0/", "memory://em/s0", "memory", "em/s0", ""),
        ("memory://", "memory://", "memory", "", ""),
        ("a.zip|zip:em.zarr/s0/", "a.zip|zip:em.zarr/s0", "zip", "em.zarr/s0", ""),
        ("s3://bucket/a.zip|zip:", "s3://bucket/a.zip|zip:", "zip", "", ""),
        ("/data/a.zip|zip:/s0", "/data/a.zip|zip:s0", "zip", "s0", ""),
    ],
)
def test_a_path_is_normalised_and_its_text_reads_back(path, text, scheme, key, bucket):
    where = parse_path(path)
    assert (where.text, where.scheme, where.key, where.bucket) == (text, scheme, key, bucket)
    assert str(where) == text
    assert parse_path(text) == where


@pytest.mark.parametrize(
    ("path", "local", "remote"),
    [
        ("em.zarr", True, False),
        ("file:///data/em", True, False),
        ("a.zip|zip:s0", False, False),
        ("memory://em", False, False),
        ("s3://bucket/em", False, True),
        ("gs://bucket/em", False, True),
        ("http://host/em", False, True),
        ("https://host/em", False, True),
        ("https://host/a.zip|zip:s0", False, True),
    ],
)
def test_local_means_plain_files_and_remote_means_over_a_network(path, local, remote):
    assert (parse_path(path).is_local, parse_path(path).remote) == (local, remote)


@pytest.mark.parametrize(
    ("path", "above", "name"),
    [
        ("/data/em.zarr/s0", "/data/em.zarr", "s0"),
        ("/data", "/", "data"),
        ("/", None, ""),
        ("em.zarr/s0", "em.zarr", "s0"),
        ("em.zarr", ".", "em.zarr"),
        ("..", "../..", None),
        ("../em", "..", "em"),
        ("s3://bucket/em.zarr/s0", "s3://bucket/em.zarr", "s0"),
        ("s3://bucket/em.zarr", "s3://bucket", "em.zarr"),
        ("s3://bucket", None, ""),
        ("https://host/a%20b/s%201?token=x/y", "https://host/a%20b?token=x/y", "s 1"),
        ("https://host/em?token=1", "https://host?token=1", "em"),
        ("memory://em", "memory://", "em"),
        ("memory://", None, ""),
        ("a.zip|zip:em/s0", "a.zip|zip:em", "s0"),
        ("a.zip|zip:s0", "a.zip|zip:", "s0"),
        ("a.zip|zip:", None, ""),
    ],
)
def test_parent_and_name(path, above, name):
    where = parse_path(path)
    assert (None if where.parent is None else where.parent.text) == above
    if name is not None:
        assert where.name == name
    if above is not None:
        assert store.parent(path) == above
        assert where.parent == parse_path(above)
    else:
        with pytest.raises(ArgumentError, match="root has no parent"):
            store.parent(path)


@pytest.mark.parametrize(
    ("path", "parts", "joined"),
    [
        ("em.zarr", ("s0",), "em.zarr/s0"),
        ("em.zarr", ("./s0/", ".zarray"), "em.zarr/s0/.zarray"),
        ("em.zarr", ("..", "raw"), "raw"),
        (".", (".zattrs",), ".zattrs"),
        ("/", ("data",), "/data"),
        ("s3://bucket", ("em", "s0"), "s3://bucket/em/s0"),
        ("s3://bucket/em", ("../raw/s1",), "s3://bucket/raw/s1"),
        ("s3://bucket/em", ("../../../x",), "s3://bucket/x"),
        ("s3://bucket/em", (".",), "s3://bucket/em"),
        ("s3://bucket/em", ("a b?c",), "s3://bucket/em/a b?c"),
        ("https://host/em?token=1", ("s0",), "https://host/em/s0?token=1"),
        ("https://host/em", ("a b?c#d%",), "https://host/em/a%20b%3Fc%23d%25"),
        ("https://host?token=1", ("em",), "https://host/em?token=1"),
        ("a.zip|zip:", ("em", "s0"), "a.zip|zip:em/s0"),
        ("a.zip|zip:em", ("..",), "a.zip|zip:"),
        ("memory://", ("em",), "memory://em"),
    ],
)
def test_join_keeps_queries_and_archives(path, parts, joined):
    where = parse_path(path).join(*parts)
    assert where.text == joined == store.join(path, *parts)
    assert where == parse_path(joined)


@pytest.mark.parametrize(
    ("path", "root"),
    [
        ("/", True),
        ("/data", False),
        ("s3://bucket", True),
        ("gs://bucket/", True),
        ("https://host", True),
        ("https://host/?token=1", True),
        ("https://host/em", False),
        ("memory://", False),
        ("a.zip|zip:", False),
        ("https://host/a.zip|zip:", False),
    ],
)
def test_the_roots_of_filesystems_hosts_and_buckets_are_roots_and_those_of_archives_are_not(path, root):
    assert parse_path(path).is_root is root


@pytest.mark.parametrize("path", [None, b"", b"em.zarr", 7, ["em"]])
def test_what_is_no_text_is_refused(path):
    with pytest.raises(ArgumentTypeError, match=r"a path is a string or an os\.PathLike") as caught:
        parse_path(path)
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("", "empty"),
        ("precomputed://", "empty"),
        ("em\0.zarr", "NUL"),
        ("ftp://host/em", "no scheme 'ftp'"),
        ("s3:///em", "names no bucket"),
        ("gs://", "names no bucket"),
        ("https:///em", "names no host"),
        ("http://?a=1", "names no host"),
        ("file://data/em", "three slashes"),
        ("s3://bucket/a.tar|tar:s0", "'|tar:' is no kvstore"),
        (PurePosixPath("s3://bucket/em"), "pathlib drops a slash"),
        (PurePosixPath("https://host/em"), "pathlib drops a slash"),
    ],
)
def test_what_cannot_be_a_path_is_refused(path, says):
    with pytest.raises(ArgumentError, match=says.replace("|", r"\|")):
        parse_path(path)


def test_path_objects_and_home_folders(monkeypatch):
    monkeypatch.setenv("HOME", "/home/ada")
    assert parse_path(Path("/data/em.zarr")) == parse_path("/data/em.zarr")
    assert parse_path("~/em.zarr").text == "/home/ada/em.zarr"
    assert parse_path("~").local_path == "/home/ada"
    assert parse_path("~/a.zip|zip:s0").text == "/home/ada/a.zip|zip:s0"
    assert parse_path("em~/s0").text == "em~/s0"


def test_a_relative_path_is_fixed_when_it_is_parsed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    where = parse_path("em.zarr/s0")
    assert where.local_path == str(tmp_path / "em.zarr" / "s0")
    monkeypatch.chdir("/")
    again = pickle.loads(pickle.dumps(where))
    assert again == where
    assert again.join("0.0").local_path == str(tmp_path / "em.zarr" / "s0" / "0.0")
    assert again.parent.parent.local_path == str(tmp_path)
    assert again.parent.parent.parent.local_path == str(tmp_path.parent)


def test_names_that_are_not_utf8_survive():
    where = parse_path(os.fsdecode(b"/data/\xff.zarr"))
    assert os.fsencode(where.join("s0").local_path) == b"/data/\xff.zarr/s0"


def test_the_store_module_exports_its_helpers_and_its_switch():
    assert store.__all__ == sorted(store.__all__)
    assert store.GUARD_GCE_METADATA is True
    assert store.basename("gs://bucket/em/s0/") == "s0"
