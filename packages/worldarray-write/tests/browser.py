"""Neuroglancer in headless Chromium, pointed at folders that are served over loopback."""

from __future__ import annotations

import io
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np

WIDTH, HEIGHT = 400, 300
LAYOUTS = {"xy": (("x", 1), ("y", 1)), "xz": (("x", 1), ("z", 1)), "yz": (("z", -1), ("y", 1))}
"""The axis along the width and the one along the height of each cross-section, and which way it grows."""

_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
)
_SHOT_SECONDS = 30
_SIZE_TRIES = 5


def find_browser() -> tuple[str, str] | None:
    """Return the paths of Chromium and of its driver, None where one of them is absent."""
    names = ("chromium", "chromium-browser", "google-chrome")
    browser = next(filter(None, map(shutil.which, names)), None)
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


class _Folder(BaseHTTPRequestHandler):
    """Serves the files of a folder to pages of any origin, with byte ranges."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *args, root: Path) -> None:
        self.root = root
        super().__init__(*args)

    def log_message(self, *args: object) -> None:
        pass

    def end_headers(self) -> None:
        for name in ("Origin", "Headers"):
            self.send_header(f"Access-Control-Allow-{name}", "*")
        self.send_header("Access-Control-Expose-Headers", "*")
        super().end_headers()

    def do_OPTIONS(self) -> None:
        self.send_response(204)
        self.end_headers()

    def do_GET(self) -> None:
        path = self.root / unquote(urlsplit(self.path).path).lstrip("/")
        status, body, more = (200, path.read_bytes(), {}) if path.is_file() else (404, b"", {})
        wanted = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if status == 200 and wanted:
            size = len(body)
            first = int(wanted[1]) if wanted[1] else max(size - int(wanted[2]), 0)
            last = min(int(wanted[2]), size - 1) if wanted[1] and wanted[2] else size - 1
            status, body = 206, body[first : last + 1]
            more = {"Content-Range": f"bytes {first}-{last}/{size}"}
        self.send_response(status)
        for name, value in (more | {"Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET


@contextmanager
def served(root: Path) -> Iterator[str]:
    """Give the URL under which the files of a folder are served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Folder, root=root))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


class Screen:
    """A Neuroglancer viewer of WIDTH by HEIGHT pixels that shows one layer in one cross-section."""

    def __init__(self, viewer) -> None:
        self._viewer = viewer
        with viewer.config_state.txn() as config:
            config.show_ui_controls = False
            config.show_panel_borders = False
            config.viewer_size = [WIDTH, HEIGHT]

    def show(self, source: str, layout: str, centre: dict[str, float], nm: float, coarse: float, shader: str):
        """Return the pixels, uint8 (HEIGHT, WIDTH, 3), once every chunk is drawn.

        `centre` is the position in nanometres of the middle of the picture, `nm` the nanometres per pixel, `coarse`
        how many pixels a voxel may have: the larger, the coarser the level that is drawn.
        """
        import neuroglancer

        names = list("xyz")
        with self._viewer.txn() as state:
            state.dimensions = neuroglancer.CoordinateSpace(names=names, units="nm", scales=[1, 1, 1])
            state.layers.clear()
            state.layers["volume"] = neuroglancer.ImageLayer(
                source=source, shader=shader, opacity=1.0, cross_section_render_scale=coarse
            )
            state.position = [centre[name] for name in names]
            state.cross_section_scale = nm
            state.layout = layout
            state.show_axis_lines = False
            state.show_scale_bar = False
            state.cross_section_background_color = "#000000"
        for _ in range(_SIZE_TRIES):
            pixels = self._shot()
            if pixels.shape == (HEIGHT, WIDTH, 3):
                return pixels
        raise AssertionError(f"the viewer draws {pixels.shape}, not {(HEIGHT, WIDTH, 3)}")

    def _shot(self):
        from PIL import Image

        taken, done = [], threading.Event()

        def keep(reply) -> None:
            taken.append(reply.screenshot.image)
            done.set()

        self._viewer.async_screenshot(keep)
        assert done.wait(_SHOT_SECONDS), f"no picture within {_SHOT_SECONDS} s"
        return np.asarray(Image.open(io.BytesIO(taken[0])).convert("RGB"))


@contextmanager
def screen(profile: Path, browser: str, driver: str) -> Iterator[Screen]:
    """Start Neuroglancer and a browser that shows it; both have ended afterwards."""
    import neuroglancer
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService

    neuroglancer.set_server_bind_address("127.0.0.1")
    options = ChromeOptions()
    options.binary_location = browser
    for flag in (*_FLAGS, f"--user-data-dir={profile}", f"--window-size={WIDTH + 100},{HEIGHT + 200}"):
        options.add_argument(flag)
    viewer = neuroglancer.Viewer()
    try:
        chrome = Chrome(options=options, service=ChromeService(driver))
        try:
            chrome.set_page_load_timeout(60)
            chrome.get(viewer.get_viewer_url())
            yield Screen(viewer)
        finally:
            chrome.quit()
    finally:
        neuroglancer.stop()


def edges(mask, least: int) -> dict[int, list[float]]:
    """Return, per image axis (0 down, 1 across), the middles of the bands of lines with `least` pixels of a mask."""
    found = {}
    for axis in (0, 1):
        lines = np.flatnonzero(mask.sum(axis=1 - axis) >= least)
        bands = np.split(lines, np.flatnonzero(np.diff(lines) > 1) + 1) if lines.size else []
        found[axis] = [float(band.mean() + 0.5) for band in bands]
    return found


def span(mask) -> dict[int, tuple[int, int]]:
    """Return, per image axis (0 down, 1 across), where the pixels of a mask begin and end."""
    found = {}
    for axis in (0, 1):
        lines = np.flatnonzero(mask.any(axis=1 - axis))
        assert lines.size, "there is no such pixel"
        found[axis] = (int(lines[0]), int(lines[-1]) + 1)
    return found
