"""Fixtures that tests of several topics share; the servers are those of worldarray-core's tests."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "worldarray-core" / "tests"))
sys.path.insert(0, str(Path(__file__).parent))

from servers import S3Server, serving

_CLOUD = ("AWS_ENDPOINT_URL", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_SESSION_TOKEN")


@pytest.fixture(scope="session")
def _s3_server() -> Iterator[S3Server]:
    pytest.importorskip("moto", reason="moto is not installed")
    with serving(S3Server) as running:
        running._app = _one_at_a_time(running._app)
        yield running


def _one_at_a_time(app: Callable[..., Iterable[bytes]]) -> Callable[..., Iterable[bytes]]:
    """Let one request be answered after another: S3 compares and writes in one step, moto in two."""
    turn = threading.Lock()

    def answer(environ: dict[str, object], start_response: Callable[..., object]) -> Iterable[bytes]:
        with turn:
            return list(app(environ, start_response))

    return answer


@pytest.fixture
def s3(_s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    """An S3 server that s3:// paths lead to, with credentials in the environment."""
    from worldarray.io.access import forget_ways

    for name in _CLOUD:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", _s3_server.url)
    forget_ways()
    yield _s3_server
    forget_ways()
