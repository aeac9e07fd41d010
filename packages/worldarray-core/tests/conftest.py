"""Fixtures that tests of several topics share."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from servers import GcsServer, HttpServer, S3Server, serving

_CLOUD = (
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_S3",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_PROFILE",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "TENSORSTORE_GCS_HTTP_URL",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GCE_METADATA_ROOT",
    "GCE_METADATA_HOST",
)


@pytest.fixture(scope="session")
def _http_server() -> Iterator[HttpServer]:
    with serving(HttpServer) as server:
        yield server


@pytest.fixture
def http_server(_http_server: HttpServer) -> HttpServer:
    """A plain HTTP server with ranges, which serves nothing yet."""
    _http_server.reset()
    return _http_server


@pytest.fixture(scope="session")
def _s3_server() -> Iterator[S3Server]:
    pytest.importorskip("moto", reason="moto is not installed")
    with serving(S3Server) as server:
        yield server


@pytest.fixture
def cloud(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """No cloud variables of the machine; the ways in that worked are forgotten before and after."""
    from worldarray.io.access import forget_ways

    for name in _CLOUD:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    forget_ways()
    yield monkeypatch
    forget_ways()


@pytest.fixture
def s3_server(_s3_server: S3Server, cloud: pytest.MonkeyPatch) -> S3Server:
    """An S3 server that s3:// paths lead to, with no credentials in the environment."""
    cloud.setenv("AWS_ENDPOINT_URL_S3", _s3_server.url)
    return _s3_server


@pytest.fixture(scope="session")
def _gcs_server() -> Iterator[GcsServer]:
    if importlib.util.find_spec("gcp_storage_emulator") is None:
        pytest.skip("gcp-storage-emulator is not installed")
    with serving(GcsServer) as server:
        yield server


@pytest.fixture
def gcs_server(_gcs_server: GcsServer, cloud: pytest.MonkeyPatch) -> GcsServer:
    """A GCS server that gs:// paths lead to."""
    cloud.setenv("TENSORSTORE_GCS_HTTP_URL", _gcs_server.url)
    return _gcs_server
