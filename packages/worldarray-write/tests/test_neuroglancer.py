"""Neuroglancer draws a volume where worldarray says it lies: its yellow box of a layer, and a voxel of each level.

The viewer counts in nanometres, so a world position p is drawn at pixel middle + (p - position) / zoom.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
import volumes

import worldarray as wa

pytest.importorskip("neuroglancer", reason="the dependency group `browser` is not installed")
pytest.importorskip("selenium", reason="the dependency group `browser` is not installed")
pytest.importorskip("PIL", reason="the dependency group `browser` is not installed")

import browser

FOUND = browser.find_browser()
pytestmark = [
    pytest.mark.skipif(FOUND is None, reason="no chromium with chromedriver: apt-get install chromium chromium-driver"),
    pytest.mark.timeout(180),
]

AXES = ("z", "y", "x")
SHAPE, CHUNKS = (10, 16, 16), (2, 3, 4)
SIZE, CORNER = (30.0, 16.0, 10.5), (413.0, -157.0, 1041.25)
"""Level s0 in nanometres; no corner is a whole number of voxels. It ends at (713, 99, 1209.25)."""
FACTORS = {"s0": (1, 1, 1), "s1": (1, 2, 2), "s2": (2, 4, 4)}
PIXELS = {"s0": 1, "s1": 20, "s2": 1000}
"""How many pixels a voxel may have, so that the level is the one that is drawn."""
BASE = {"s0": 60, "s1": 90, "s2": 120}
MARKER = {"s0": (3, 5, 9), "s1": (4, 2, 3), "s2": (3, 2, 1)}
"""The voxel of each level that is 255; the others are the level's BASE."""
KINDS = {"zarr2": ("zarr2", None), "zarr3": ("zarr3", None), "zarr3-sharded": ("zarr3", (4, 6, 8))}
ZOOM = 1.6
"""Nanometres per pixel."""
GREY = "#uicontrol invlerp normalized(range=[0, 255])\nvoid main() { emitRGB(vec3(0.0, 0.0, normalized())); }"
FLAT = "void main() { emitRGB(vec3(0.0, 0.0, 1.0)); }"


@pytest.fixture(scope="module")
def screen(tmp_path_factory):
    with browser.screen(tmp_path_factory.mktemp("profile"), *FOUND) as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder that is served, with a pyramid of each kind in it."""
    root = tmp_path_factory.mktemp("served")
    for kind in KINDS:
        make(root / kind, kind)
    return root


@pytest.fixture(scope="module")
def url(folder):
    with browser.served(folder) as address:
        yield address


def make(path, kind):
    """Create three levels; the zarr v2 pyramid is placed in micrometres."""
    format, shards = KINDS[kind]
    unit, nm = ("micrometer", 1000) if kind == "zarr2" else ("nanometer", 1)
    size = [s / nm for s in SIZE]
    centre = [(c + s / 2) / nm for c, s in zip(CORNER, SIZE, strict=True)]
    options = {"units": unit, "chunks": CHUNKS, "shards": shards, "format": format}
    fill(wa.create(path / "s0", SHAPE, "uint8", size, centre, **options), "s0")
    pyramid = wa.open_pyramid(path, mode="r+")
    for level in ("s1", "s2"):
        fill(pyramid.add_level(level, FACTORS[level]), level)


def fill(vol, level):
    values = np.full(vol.shape, BASE[level], "uint8")
    values[MARKER[level]] = 255
    vol.write_index((0,) * vol.ndim, vol.shape, values)


def drawn(low, high, centre, layout, zoom=ZOOM):
    """The pixels, per image axis, that a world box begins and ends at, both in nanometres by axis name."""
    (across, right), (down, below) = browser.LAYOUTS[layout]
    found = {}
    for image_axis, name, sign, middle in ((1, across, right, browser.WIDTH / 2), (0, down, below, browser.HEIGHT / 2)):
        found[image_axis] = sorted(middle + sign * (p[name] - centre[name]) / zoom for p in (low, high))
    return found


def assert_near(found, wanted):
    """Every edge within a pixel."""
    assert {axis: len(values) for axis, values in found.items()} == {0: 2, 1: 2}, found
    for axis, values in found.items():
        assert values == pytest.approx(wanted[axis], abs=1), f"found {found}, wanted {wanted}"


def yellow(pixels):
    red, green, blue = np.moveaxis(pixels.astype(int), 2, 0)
    return (red > 128) & (green > 128) & (blue < 100)


def named(values):
    return dict(zip(AXES, values, strict=True))


@pytest.mark.parametrize("level", FACTORS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_box_of_a_layer_and_a_voxel_of_each_level_are_drawn_where_the_corner_says(screen, folder, url, kind, level):
    vol = wa.open(folder / kind, level=level)
    sizes = [s * f for s, f in zip(SIZE, FACTORS[level], strict=True)]
    assert vol.corner == pytest.approx(CORNER)
    assert vol.voxel_size == pytest.approx(sizes)
    ends = [c + n * s for c, n, s in zip(CORNER, SHAPE, SIZE, strict=True)]
    voxel = [c + i * s for c, i, s in zip(CORNER, MARKER[level], sizes, strict=True)]
    voxel_end = [v + s for v, s in zip(voxel, sizes, strict=True)]
    centre = named([v + s / 2 for v, s in zip(voxel, sizes, strict=True)])
    source = f"{KINDS[kind][0]}://{url}/{kind}/"
    for layout in browser.LAYOUTS:
        pixels = screen.show(source, layout, centre, ZOOM, PIXELS[level], GREY)
        box = yellow(pixels)
        assert_near(browser.edges(box, least=60), drawn(named(CORNER), named(ends), centre, layout))
        data = pixels[..., 2] * ~box
        assert np.bincount(data[data > 0]).argmax() == BASE[level], f"{layout}: another level is drawn"
        assert_near(browser.span(data > 200), drawn(named(voxel), named(voxel_end), centre, layout))


@pytest.mark.parametrize("kind", ["n5", "precomputed"])
def test_neuroglancer_draws_n5_and_precomputed_volumes_where_worldarray_reads_them(screen, folder, url, kind):
    path = volumes.write(folder / f"read-{kind}", kind)
    if kind == "n5":
        place_as_group(path)
    vol = wa.open(path, level=0)
    assert vol.corner == pytest.approx((0, 0, 0) if kind == "n5" else volumes.CORNER)
    assert vol.voxel_size == pytest.approx(volumes.SIZE)
    ends = [c + n * s for c, n, s in zip(vol.corner, volumes.SHAPE, volumes.SIZE, strict=True)]
    centre = named([(c + e) / 2 for c, e in zip(vol.corner, ends, strict=True)])
    for layout in browser.LAYOUTS:
        pixels = screen.show(f"{kind}://{url}/{path.name}/", layout, centre, ZOOM, 1, FLAT)
        wanted = drawn(named(vol.corner), named(ends), centre, layout)
        assert_near(browser.edges(yellow(pixels), least=30), wanted)


def place_as_group(path):
    """Place an N5 pyramid by its group, as Neuroglancer reads it: it knows no offset, so the corner is the origin."""
    for level, factors in volumes.FACTORS.items():
        document = path / level / "attributes.json"
        attributes = json.loads(document.read_text(encoding="utf-8"))
        for key in ("pixelResolution", "offset"):
            del attributes[key]
        volumes.dump(document, attributes | {"downsamplingFactors": factors[::-1]})
    resolution = {"dimensions": volumes.SIZE[::-1], "unit": "nm"}
    scales = [factors[::-1] for factors in volumes.FACTORS.values()]
    volumes.dump(path / "attributes.json", {"n5": "2.0.0", "pixelResolution": resolution, "scales": scales})
