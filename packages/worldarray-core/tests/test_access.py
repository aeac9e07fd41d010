"""Ways into a store: their order, what leads to the next one, what is remembered, and the specs they make."""

import os

import pytest
from servers import PUBLIC, SIGNED, UNLISTED

from worldarray import store
from worldarray.errors import AccessError, StoreUnavailableError
from worldarray.io import access
from worldarray.io.sources import source_for
from worldarray.paths import parse_path

REFUSALS = [
    "PERMISSION_DENIED: Forbidden [HTTP code 403]",
    "PERMISSION_DENIED: AccessDenied: no [http_response_code='403']",
    "UNAUTHENTICATED: no token",
]


class Attempt:
    """A fake attempt: answers by the way's name, and notes which ways were tried."""

    def __init__(self, **answers):
        self.answers, self.tried = answers, []

    def __call__(self, way):
        self.tried.append(way.name)
        answer = self.answers["anonymous" if way.name == "anonymously" else "default"]
        if isinstance(answer, Exception):
            raise answer
        return answer


S3 = parse_path("s3://bucket/em")
BOTH = ["anonymously", "with default credentials"]


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_moves_to_the_next_way(cloud, text):
    attempt = Attempt(anonymous=ValueError(text), default="found")
    assert access.first_allowed(S3, attempt) == "found"
    assert attempt.tried == BOTH


def test_a_way_that_is_not_refused_is_the_last_one_tried(cloud):
    attempt = Attempt(anonymous="found", default="other")
    assert access.first_allowed(S3, attempt) == "found"
    assert attempt.tried == BOTH[:1]


@pytest.mark.parametrize(
    "error",
    [
        ValueError("NOT_FOUND: nothing"),
        ValueError("ABORTED: All 5 retry attempts failed: Service Unavailable [HTTP code 503]"),
        ValueError("Bad Request [HTTP code 400]"),
        ValueError("Error reading s3://b/k: PERMISSION_DENIED"),
        TimeoutError(),
        OSError("disk"),
    ],
)
def test_any_other_error_is_raised_at_once(cloud, error):
    attempt = Attempt(anonymous=error, default="found")
    with pytest.raises(type(error)) as caught:
        access.first_allowed(S3, attempt)
    assert caught.value is error
    assert attempt.tried == BOTH[:1]


def test_refused_every_way_names_the_path_and_each_answer(cloud):
    attempt = Attempt(anonymous=ValueError(REFUSALS[0]), default=ValueError(REFUSALS[1]))
    with pytest.raises(AccessError, match="s3://bucket/em") as caught:
        access.first_allowed(S3, attempt)
    assert caught.value.code == "access_denied"
    assert isinstance(caught.value, PermissionError)
    assert "anonymously: PERMISSION_DENIED: Forbidden (HTTP 403)" in str(caught.value)
    assert "with default credentials: PERMISSION_DENIED: AccessDenied: no (HTTP 403)" in str(caught.value)


def test_the_way_that_worked_is_tried_first_next_time_for_that_bucket(cloud):
    def refused_anonymously():
        return Attempt(anonymous=ValueError(REFUSALS[0]), default="found")

    access.first_allowed(S3, refused_anonymously())
    for where, tried in (
        ("s3://bucket/other/place", BOTH[1:]),
        ("s3://bucket/a.zip|zip:s0", BOTH[1:]),
        ("s3://another/em", BOTH),
    ):
        attempt = refused_anonymously()
        access.first_allowed(parse_path(where), attempt)
        assert attempt.tried == tried, where


def test_what_is_remembered_is_an_order_and_hides_no_way(cloud):
    access.first_allowed(S3, Attempt(anonymous=ValueError(REFUSALS[0]), default="found"))
    attempt = Attempt(anonymous="found", default=ValueError(REFUSALS[0]))
    assert access.first_allowed(S3, attempt) == "found"
    assert attempt.tried == BOTH[::-1]


def test_what_is_remembered_is_kept_by_endpoint_and_can_be_forgotten(cloud):
    access.first_allowed(S3, Attempt(anonymous=ValueError(REFUSALS[0]), default="found"))
    cloud.setenv("AWS_ENDPOINT_URL", "http://mirror")
    attempt = Attempt(anonymous="found", default="found")
    access.first_allowed(S3, attempt)
    assert attempt.tried == BOTH[:1]
    cloud.delenv("AWS_ENDPOINT_URL")
    assert access.is_known(S3)
    access.forget_ways()
    assert not access.is_known(S3)
    attempt = Attempt(anonymous="found", default="found")
    access.first_allowed(S3, attempt)
    assert attempt.tried == BOTH[:1]


def test_a_place_keeps_its_own_way_when_another_place_of_the_bucket_needs_another(cloud):
    private, public = parse_path("s3://bucket/private"), parse_path("s3://bucket/public")
    access.first_allowed(private, Attempt(anonymous=ValueError(REFUSALS[0]), default="found"))
    access.first_allowed(public, Attempt(anonymous="found", default=ValueError(REFUSALS[0])))
    attempt = Attempt(anonymous="found", default="found")
    access.first_allowed(private, attempt)
    assert attempt.tried == BOTH[1:]


@pytest.mark.parametrize("path", ["em.zarr", "memory://em", "http://host/em", "https://host/em", "a.zip|zip:s0"])
def test_files_http_and_memory_have_one_way(path):
    where = parse_path(path)
    assert len(access.ways(where)) == 1
    assert access.is_known(where)


def specs(path, *, folder=True):
    where = parse_path(path)
    return [access.kvstore_spec(where, way, folder=folder) for way in access.ways(where)]


@pytest.mark.parametrize(
    ("path", "spec"),
    [
        ("/data/em", {"driver": "file", "path": "/data/em/"}),
        ("/", {"driver": "file", "path": "/"}),
        ("memory://em", {"driver": "memory", "path": "em/"}),
        ("memory://", {"driver": "memory", "path": ""}),
        ("http://host/em", {"driver": "http", "base_url": "http://host", "path": "/em/"}),
        ("https://host:1/a%20b?t=1", {"driver": "http", "base_url": "https://host:1?t=1", "path": "/a b/"}),
        (
            "/data/a.zip|zip:s0",
            {"driver": "zip", "base": {"driver": "file", "path": "/data/a.zip"}, "path": "s0/"},
        ),
    ],
)
def test_specs_of_stores_with_one_way(path, spec):
    assert specs(path) == [spec]


def test_a_spec_of_one_key_has_no_slash_at_its_end():
    assert specs("memory://em/.zattrs", folder=False) == [{"driver": "memory", "path": "em/.zattrs"}]


def test_s3_is_tried_anonymously_then_with_default_credentials(cloud):
    common = {"driver": "s3", "bucket": "bucket", "path": "em/"}
    typed = [{"type": "anonymous"}, {"type": "default"}]
    older = [{"anonymous": True}, {}]
    assert specs("s3://bucket/em") in [
        [{**common, "aws_credentials": credentials} for credentials in spelling] for spelling in (typed, older)
    ]


@pytest.mark.parametrize(
    ("variables", "members"),
    [
        ({"AWS_REGION": "eu-west-1"}, {"aws_region": "eu-west-1"}),
        ({"AWS_DEFAULT_REGION": "eu-west-2"}, {"aws_region": "eu-west-2"}),
        ({"AWS_REGION": "eu-west-1", "AWS_DEFAULT_REGION": "eu-west-2"}, {"aws_region": "eu-west-1"}),
        ({"AWS_ENDPOINT_URL": "http://a:1/"}, {"endpoint": "http://a:1", "aws_region": "us-east-1"}),
        (
            {"AWS_ENDPOINT_URL": "http://a:1", "AWS_ENDPOINT_URL_S3": "http://b:2", "AWS_REGION": "eu-west-1"},
            {"endpoint": "http://b:2", "aws_region": "eu-west-1"},
        ),
    ],
)
def test_endpoint_and_region_reach_the_s3_specs(cloud, variables, members):
    for name, value in variables.items():
        cloud.setenv(name, value)
    for spec in specs("s3://bucket/em"):
        assert {key: spec[key] for key in spec if key in {"endpoint", "aws_region"}} == members


def test_gs_is_tried_with_default_credentials_then_by_its_public_url(cloud):
    assert specs("gs://bucket/em/s0") == [
        {"driver": "gcs", "bucket": "bucket", "path": "em/s0/"},
        {"driver": "http", "base_url": "https://storage.googleapis.com", "path": "/bucket/em/s0/"},
    ]
    cloud.setenv("TENSORSTORE_GCS_HTTP_URL", "http://mirror:1/")
    first, second = specs("gs://bucket/em/s0")
    assert first["driver"] == "gcs"
    assert second == {"driver": "http", "base_url": "http://mirror:1", "path": "/bucket/em/s0/"}


def dmi(monkeypatch, tmp_path, product):
    path = tmp_path / "product_name"
    if product is not None:
        path.write_text(product, encoding="utf-8")
    monkeypatch.setattr(access, "_DMI", str(path))


@pytest.mark.parametrize(
    ("product", "variables", "guard", "root"),
    [
        ("PowerEdge R740", {}, True, "127.0.0.1:1"),
        (None, {}, True, "127.0.0.1:1"),
        ("Google Compute Engine\n", {}, True, None),
        ("Google", {}, True, None),
        ("PowerEdge R740", {"GCE_METADATA_ROOT": "metadata.here"}, True, "metadata.here"),
        ("PowerEdge R740", {"GCE_METADATA_HOST": "metadata.here"}, True, None),
        ("PowerEdge R740", {}, False, None),
    ],
)
def test_the_gce_metadata_guard(cloud, tmp_path, product, variables, guard, root):
    dmi(cloud, tmp_path, product)
    for name, value in variables.items():
        cloud.setenv(name, value)
    cloud.setattr(store, "GUARD_GCE_METADATA", guard)
    access.first_allowed(parse_path("gs://bucket/em"), lambda way: way)
    found = os.environ.get("GCE_METADATA_ROOT")
    cloud.delenv("GCE_METADATA_ROOT", raising=False)
    assert found == root


@pytest.mark.parametrize("path", ["s3://bucket/em", "https://host/em", "em.zarr"])
def test_only_gs_paths_set_the_guard(cloud, tmp_path, path):
    dmi(cloud, tmp_path, "PowerEdge R740")
    access.first_allowed(parse_path(path), lambda way: way)
    assert "GCE_METADATA_ROOT" not in os.environ


# -- real servers


def signed_in(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")


def test_a_public_bucket_is_read_anonymously(s3_server):
    s3_server.put(PUBLIC, "a/.zarray", b"{}")
    s3_server.log.clear()
    where = parse_path(f"s3://{PUBLIC}/a")
    assert source_for(where).documents(where, (".zarray", ".zattrs")) == {".zarray": b"{}"}
    assert {signed for _, _, signed in s3_server.log} == {False}


def test_a_signed_bucket_is_read_with_credentials_and_that_is_remembered(s3_server, cloud):
    signed_in(cloud)
    s3_server.put(SIGNED, "b/.zarray", b"{}")
    s3_server.log.clear()
    where = parse_path(f"s3://{SIGNED}/b")
    assert source_for(where).documents(where, (".zarray", ".zattrs")) == {".zarray": b"{}"}
    assert sorted(signed for _, _, signed in s3_server.log) == [False, False, True, True]
    s3_server.log.clear()
    assert source_for(where).documents(where, (".zarray", ".zattrs")) == {".zarray": b"{}"}
    assert [signed for _, _, signed in s3_server.log] == [True, True]


def test_a_signed_bucket_without_credentials_is_refused(s3_server, cloud):
    cloud.setenv("HOME", "/nonexistent")
    s3_server.put(SIGNED, "b/.zarray", b"{}")
    where = parse_path(f"s3://{SIGNED}/b")
    with pytest.raises(AccessError, match=f"s3://{SIGNED}/b.*anonymously.*with default credentials"):
        source_for(where).documents(where, (".zarray",))
    assert source_for(where).documents(where, (".zarray",), ancestor=True) == {}


def test_a_refused_key_is_missing_where_another_one_is_read(s3_server):
    s3_server.put(UNLISTED, "c/.zarray", b"{}")
    s3_server.log.clear()
    where = parse_path(f"s3://{UNLISTED}/c")
    assert source_for(where).documents(where, (".zarray", ".zattrs", "zarr.json")) == {".zarray": b"{}"}
    assert {signed for _, _, signed in s3_server.log} == {False}
    nothing = parse_path(f"s3://{UNLISTED}/nothing")
    with pytest.raises(AccessError):
        source_for(nothing).documents(nothing, (".zarray", ".zattrs"))


def test_http_refusals_follow_the_same_rule(http_server):
    http_server.missing = 403
    http_server.files["em/.zarray"] = b"{}"
    where = parse_path(f"{http_server.url}/em")
    assert source_for(where).documents(where, (".zarray", ".zattrs")) == {".zarray": b"{}"}
    nothing = parse_path(f"{http_server.url}/nothing")
    with pytest.raises(AccessError, match="over http: PERMISSION_DENIED"):
        source_for(nothing).documents(nothing, (".zarray", ".zattrs"))


@pytest.mark.parametrize("status", [401, 403])
def test_gs_falls_back_to_the_public_url(http_server, cloud, status):
    cloud.setenv("TENSORSTORE_GCS_HTTP_URL", http_server.url)
    http_server.missing = status
    http_server.files["bucket/em/.zarray"] = b"{}"
    where = parse_path("gs://bucket/em")
    for _ in range(2):
        http_server.log.clear()
        assert source_for(where).documents(where, (".zarray", ".zattrs")) == {".zarray": b"{}"}
    assert sorted(http_server.log) == ["bucket/em/.zarray", "bucket/em/.zattrs"]


def test_gs_redirects_take_effect_when_they_change(gcs_server, http_server, cloud):
    gcs_server.put("em/.zattrs", b'{"from": "emulator"}')
    http_server.missing = 401
    http_server.files[f"{gcs_server.bucket}/em/.zattrs"] = b'{"from": "mirror"}'
    where = parse_path(f"gs://{gcs_server.bucket}/em")
    assert source_for(where).documents(where, (".zattrs", "x")) == {".zattrs": b'{"from": "emulator"}'}
    cloud.setenv("TENSORSTORE_GCS_HTTP_URL", http_server.url)
    assert source_for(where).documents(where, (".zattrs", "x")) == {".zattrs": b'{"from": "mirror"}'}
    cloud.setenv("TENSORSTORE_GCS_HTTP_URL", gcs_server.url)
    assert source_for(where).documents(where, (".zattrs", "x")) == {".zattrs": b'{"from": "emulator"}'}


def test_a_redirected_bucket_says_where_to_look(http_server, cloud):
    cloud.setenv("AWS_ENDPOINT_URL", http_server.url)
    http_server.missing = 301
    where = parse_path("s3://bucket/em")
    with pytest.raises(StoreUnavailableError, match="AWS_REGION is the bucket's region"):
        source_for(where).documents(where, (".zarray",))
