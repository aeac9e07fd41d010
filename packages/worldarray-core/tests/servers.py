"""Servers on loopback for tests: plain HTTP with ranges and faults, S3 (moto), GCS (gcp-storage-emulator)."""

from __future__ import annotations

import http.client
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

PUBLIC, SIGNED, UNLISTED = "open-data", "signed-data", "unlisted-data"
ERROR = b'{"error": "as told"}'
DENIED = b'<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>'


class HttpServer:
    """Serves `files` (path without its leading slash to bytes) with ranges, and answers as it is told to.

    `answers[path]` is a list of answers to give before the real one, a status or "hang" each; `always[path]` is given
    every time. `missing` is the status for a path that is not there; folders answer 301 as file servers do.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.answers: dict[str, list[int | str]] = {}
        self.always: dict[str, int | str] = {}
        self.missing = 404
        self.log: list[str] = []
        self.ranges: list[str] = []
        self.hang = 1.0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def add_folder(self, folder: Path, prefix: str = "") -> None:
        """Serve a copy of every file below a folder."""
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                self.files[f"{prefix}{path.relative_to(folder).as_posix()}"] = path.read_bytes()

    def reset(self) -> None:
        """Serve nothing, properly."""
        self.__dict__.update(files={}, answers={}, always={}, missing=404, log=[], ranges=[], hang=1.0)

    def answer(self, path: str) -> tuple[int | str, bytes]:
        """Return the status (or "hang") and the body for a path."""
        self.log.append(path)
        if self.answers.get(path):
            return self.answers[path].pop(0), ERROR
        if path in self.always:
            return self.always[path], ERROR
        if path in self.files:
            return 200, self.files[path]
        if any(name.startswith(f"{path}/") for name in self.files):
            return 301, b""
        return self.missing, ERROR

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


def _handler(server: HttpServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            path = unquote(urlsplit(self.path).path).lstrip("/")
            status, body = server.answer(path)
            if status == "hang":
                time.sleep(server.hang)
                status, body = 503, ERROR
            status = int(status)
            wanted = re.fullmatch(r"bytes=(\d+)-(\d*)|bytes=-(\d+)", self.headers.get("Range", ""))
            extra = {"Location": f"/{path}/"} if status == 301 else {}
            if status in {204, 304}:
                body = b""
            if status == 200 and wanted:
                server.ranges.append(wanted[0])
                size = len(body)
                first = max(size - int(wanted[3]), 0) if wanted[3] else int(wanted[1])
                last = size - 1 if wanted[3] or not wanted[2] else min(int(wanted[2]), size - 1)
                if first >= size:
                    status, body = 416, b""
                else:
                    status, body = 206, body[first : last + 1]
                    extra["Content-Range"] = f"bytes {first}-{last}/{size}"
            extra |= {"ETag": '"1"', "x-goog-generation": "1"}
            self.send_response(status)
            for name, value in extra.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        do_HEAD = do_GET

        def handle_one_request(self) -> None:
            try:
                super().handle_one_request()
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

    return Handler


class S3Server:
    """A real S3 server with three buckets: everyone's, one that needs credentials, everyone's without listing.

    Credentials are whatever stands in `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`; a request without any is
    anonymous. Moto lets everyone list, so the refusals that S3 gives in these three cases are put in front of it.
    """

    def __init__(self) -> None:
        from moto.server import DomainDispatcherApplication, create_backend_app
        from werkzeug.serving import WSGIRequestHandler, make_server

        class Quiet(WSGIRequestHandler):
            def log(self, *args: object) -> None:
                pass

        self.log: list[tuple[str, str, bool]] = []
        self._app = DomainDispatcherApplication(create_backend_app)
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True, request_handler=Quiet)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        for bucket in (PUBLIC, SIGNED, UNLISTED):
            self._request("PUT", f"/{bucket}", acl="public-read" if bucket == PUBLIC else "private")

    def _answer(self, environ: dict[str, object], start_response: Callable[..., object]) -> Iterable[bytes]:
        path, method = str(environ["PATH_INFO"]), str(environ["REQUEST_METHOD"])
        bucket, _, key = path.lstrip("/").partition("/")
        signed = "HTTP_AUTHORIZATION" in environ
        self.log.append((method, path, signed))
        refused = [("Content-Type", "application/xml"), ("Content-Length", str(len(DENIED)))]
        if method == "GET" and ((bucket == SIGNED and not signed) or (bucket == UNLISTED and not key)):
            start_response("403 Forbidden", refused)
            return [DENIED]
        told: list[tuple[str, list[tuple[str, str]]]] = []
        body = list(self._app(environ, lambda status, headers, *_: told.append((status, headers))))
        if method == "GET" and bucket == UNLISTED and told[0][0].startswith("404"):
            start_response("403 Forbidden", refused)
            return [DENIED]
        start_response(*told[0])
        return body

    def put(self, bucket: str, key: str, body: bytes) -> None:
        """Store an object, for everyone unless the bucket is the signed one."""
        acl = "private" if bucket == SIGNED else "public-read"
        self._request("PUT", f"/{bucket}/{quote(key)}", body, acl=acl)

    def put_folder(self, bucket: str, folder: Path, prefix: str = "") -> None:
        """Store every file below a folder."""
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                self.put(bucket, f"{prefix}{path.relative_to(folder).as_posix()}", path.read_bytes())

    def _request(self, method: str, path: str, body: bytes = b"", *, acl: str) -> None:
        signed = (
            "AWS4-HMAC-SHA256 Credential=key/20260101/us-east-1/s3/aws4_request, "
            "SignedHeaders=host;x-amz-acl, Signature=0"
        )
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=20)
        try:
            connection.request(method, path, body, {"Authorization": signed, "x-amz-acl": acl})
            status = connection.getresponse().status
        finally:
            connection.close()
        assert status == 200, (method, path, status)

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


class GcsServer:
    """gcp-storage-emulator with one bucket, in memory.

    The emulator lists a whole bucket whatever part of it is asked for, which ends a process in tensorstore; so the
    listing is cut here.
    """

    bucket = "em-data"

    def __init__(self) -> None:
        from gcp_storage_emulator.server import create_server

        _list_between_offsets()
        self._server = create_server("127.0.0.1", 0, in_memory=True, default_bucket=self.bucket)
        self._server._api.daemon = True
        self._server.start()
        self.url = f"http://127.0.0.1:{self._server._api._httpd.server_port}"

    def put(self, key: str, body: bytes) -> None:
        """Store an object."""
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=20)
        try:
            path = f"/upload/storage/v1/b/{self.bucket}/o?uploadType=media&name={quote(key, safe='')}"
            connection.request("POST", path, body, {"Content-Type": "application/octet-stream"})
            status = connection.getresponse().status
        finally:
            connection.close()
        assert status == 200, (key, status)

    def close(self) -> None:
        """Stop serving."""
        self._server.stop()


def _list_between_offsets() -> None:
    from gcp_storage_emulator import server
    from gcp_storage_emulator.handlers import objects

    def listed(request: object, response: object, *rest: object) -> None:
        first, stop = (request.query.get(name, [""])[0] for name in ("startOffset", "endOffset"))
        answer = response.json

        def cut(found: dict[str, object]) -> None:
            names = [each for each in found["items"] if each["name"] >= first and (not stop or each["name"] < stop)]
            answer({**found, "items": names})

        response.json = cut
        objects.ls(request, response, *rest)

    for _, handlers in server.HANDLERS:
        if handlers.get("GET") is objects.ls:
            handlers["GET"] = listed


@contextmanager
def serving(kind: type[HttpServer] | type[S3Server] | type[GcsServer]) -> Iterator[HttpServer | S3Server | GcsServer]:
    """Run a server for as long as a block lasts."""
    server = kind()
    try:
        yield server
    finally:
        server.close()
