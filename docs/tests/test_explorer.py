"""The page of levels in headless Chromium: values by hand, every way in, errors with their places, the keyboard."""

import functools
import http.server
import json
import re
import shutil
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver import ActionChains, Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

PAGE = Path(__file__).resolve().parents[1] / "explorer"
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--no-first-run",
)
pytestmark = [
    pytest.mark.skipif(not (BROWSER and DRIVER), reason="no chromium with chromedriver"),
    pytest.mark.skipif(not (PAGE / "lib" / "explorer.js").is_file(), reason="the page is not compiled: .ci/explorer"),
    pytest.mark.timeout(180),
]
TABLE = """
return Object.fromEntries([...document.querySelectorAll("#table tbody")].map((body) => [body.dataset.level,
  Object.fromEntries([...body.rows].filter((row) => row.dataset.axis).map((row) => [row.dataset.axis,
    [...row.querySelectorAll("td")].map((cell) => cell.textContent)]))]));
"""
FINDINGS = """
return [...document.querySelectorAll("#findings .finding")].map((item) => [item.classList[1], item.dataset.code,
  item.querySelector(".path").textContent, item.querySelector("p").textContent]);
"""


@pytest.fixture(scope="module")
def url():
    """The page, served over loopback."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(PAGE)))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/index.html"
    server.shutdown()
    server.server_close()
    thread.join(5)


@pytest.fixture(scope="module")
def chrome(tmp_path_factory):
    options = ChromeOptions()
    options.binary_location = BROWSER
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}", "--window-size=1400,1300"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    running = Chrome(options=options, service=ChromeService(DRIVER))
    running.set_page_load_timeout(60)
    yield running
    running.quit()


@pytest.fixture
def page(chrome, url):
    """The page without a document; nothing may have gone wrong on it afterwards."""
    chrome.get("about:blank")
    chrome.get(url)
    chrome.find_element(By.ID, "clear").click()
    yield chrome
    assert [entry for entry in chrome.get_log("browser") if entry["level"] != "INFO"] == []


def table(page):
    """Return per level and axis: voxels, voxel size, translation, corner, extent, unit."""
    return page.execute_script(TABLE)


def findings(page):
    return page.execute_script(FINDINGS)


def until(condition):
    for _ in range(200):
        found = condition()
        if found:
            return found
        time.sleep(0.025)
    raise AssertionError("it never came")


def example(page, name):
    page.find_element(By.CSS_SELECTOR, f'button[data-example="{name}"]').click()


def add(page, path, value):
    """Write a document into the page by hand."""
    page.find_element(By.ID, "add").click()
    last = page.find_elements(By.CSS_SELECTOR, "#documents details")[-1]
    last.find_element(By.TAG_NAME, "input").send_keys(path)
    text = value if isinstance(value, str) else json.dumps(value)
    area = last.find_element(By.TAG_NAME, "textarea")
    page.execute_script("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))", area, text)
    time.sleep(0.2)


# Levels s0, s1 and s2 have voxels of (40, 8, 4), (40, 16, 8) and (80, 32, 16) nm, and the corner (1000, -200, 32).
# Centres are the corner and half a voxel: 1000 + 20, -200 + 4, 32 + 2; ... + 8, + 4; 1000 + 40, -200 + 16, 32 + 8.
# They end at 1000 + 50 * 40, -200 + 120 * 8 and 32 + 160 * 4.
NGFF = {
    "s0": {
        "z": ["50", "40", "1020", "1000", "1000 to 3000", "nm"],
        "y": ["120", "8", "-196", "-200", "-200 to 760", "nm"],
        "x": ["160", "4", "34", "32", "32 to 672", "nm"],
    },
    "s1": {
        "z": ["50", "40", "1020", "1000", "1000 to 3000", "nm"],
        "y": ["60", "16", "-192", "-200", "-200 to 760", "nm"],
        "x": ["80", "8", "36", "32", "32 to 672", "nm"],
    },
    "s2": {
        "z": ["25", "80", "1040", "1000", "1000 to 3000", "nm"],
        "y": ["30", "32", "-184", "-200", "-200 to 760", "nm"],
        "x": ["40", "16", "40", "32", "32 to 672", "nm"],
    },
}


def without_shapes(levels):
    """Return rows as they are where no shape is known."""
    return {
        level: {axis: ["?", *row[1:4], f"{row[3]} to ?", row[5]] for axis, row in rows.items()}
        for level, rows in levels.items()
    }


DIALECTS = {
    "ome-ngff-0.4": NGFF,
    "ome-ngff-0.5": NGFF,
    "ome-ngff-0.6": without_shapes(NGFF),
    "cosem": without_shapes(NGFF),
    # Lists are x first: sizes (2, 0.5, 0.25) times (1, 2, 2) and (2, 4, 4), corners at 0.
    "n5": {
        "s0": {
            "z": ["60", "2", "1", "0", "0 to 120", "µm"],
            "y": ["300", "0.5", "0.25", "0", "0 to 150", "µm"],
            "x": ["400", "0.25", "0.125", "0", "0 to 100", "µm"],
        },
        "s1": {
            "z": ["?", "2", "1", "0", "0 to ?", "µm"],
            "y": ["?", "1", "0.5", "0", "0 to ?", "µm"],
            "x": ["?", "0.5", "0.25", "0", "0 to ?", "µm"],
        },
        "s2": {
            "z": ["?", "4", "2", "0", "0 to ?", "µm"],
            "y": ["?", "2", "1", "0", "0 to ?", "µm"],
            "x": ["?", "1", "0.5", "0", "0 to ?", "µm"],
        },
    },
    # The offset is the corner: centres 100 + 25, 60 + 3, -20 + 2.5; ends 100 + 20 * 50, 60 + 90 * 6, -20 + 120 * 5.
    "funlib": {
        ".": {
            "z": ["20", "50", "125", "100", "100 to 1100", "nm"],
            "y": ["90", "6", "63", "60", "60 to 600", "nm"],
            "x": ["120", "5", "-17.5", "-20", "-20 to 580", "nm"],
        }
    },
    "dimension-units": {
        ".": {
            "z": ["30", "40", "20", "0", "0 to 1200", "nm"],
            "y": ["64", "8", "4", "0", "0 to 512", "nm"],
            "x": ["48", "6", "3", "0", "0 to 288", "nm"],
        }
    },
    # Corners are voxel_offset * resolution: 25 * 40, -24 * 8, 8 * 4, and 25 * 40, -12 * 16, 4 * 8.
    "precomputed": {
        "4_8_40": {
            "z": ["50", "40", "1020", "1000", "1000 to 3000", "nm"],
            "y": ["120", "8", "-188", "-192", "-192 to 768", "nm"],
            "x": ["160", "4", "34", "32", "32 to 672", "nm"],
        },
        "8_16_40": {
            "z": ["50", "40", "1020", "1000", "1000 to 3000", "nm"],
            "y": ["60", "16", "-184", "-192", "-192 to 768", "nm"],
            "x": ["80", "8", "36", "32", "32 to 672", "nm"],
        },
    },
}


@pytest.mark.parametrize("name", sorted(DIALECTS))
def test_each_dialect_has_an_example_whose_levels_lie_where_its_documents_say(page, name):
    example(page, name)
    assert table(page) == DIALECTS[name]
    assert [kind for kind, *_ in findings(page) if kind != "note"] == []


def test_every_example_is_tested_and_can_be_linked(page, url):
    buttons = page.find_elements(By.CSS_SELECTOR, "button[data-example]")
    names = {button.get_attribute("data-example") for button in buttons}
    assert names == {*DIALECTS, "misplaced", "short-scale"}
    page.get("about:blank")
    page.get(f"{url}#funlib")
    assert table(page) == DIALECTS["funlib"]


def test_a_level_that_lies_off_is_a_warning_at_its_translation(page):
    example(page, "misplaced")
    # A level of voxels of 16 that shares the corner 32 has its centre at 32 + 8; it says 38, and its corner is 30.
    assert table(page)["s2"]["x"] == ["40", "16", "38", "30", "30 to 670", "nm"]
    [(kind, code, at, words)] = findings(page)
    assert (kind, code) == ("warning", "conflict")
    assert at == ".zattrs/multiscales/0/datasets/2/coordinateTransformations/1/translation"
    assert "1040, -184, 38" in words
    assert "1040, -184, 40" in words


def test_a_level_without_a_position_is_not_said_to_lie_off_the_centre(page):
    axes = [{"name": name, "type": "space", "unit": "micrometer"} for name in "zyx"]
    scales = ([0.5, 0.25, 0.25], [0.5, 1, 0.5])
    datasets = [
        {"path": str(level), "coordinateTransformations": [{"type": "scale", "scale": scale}]}
        for level, scale in enumerate(scales)
    ]
    add(page, ".zattrs", {"multiscales": [{"version": "0.4", "axes": axes, "datasets": datasets}]})
    [(kind, code, _, words)] = until(lambda: findings(page))
    assert (kind, code) == ("warning", "conflict")
    # Means of 1 x 4 x 2 voxels begin at the corner (-0.25, -0.125, -0.125): centres are half a voxel of theirs further.
    told = "1 does not say where it lies, so the centre of its voxel 0 is taken for z, y, x = 0, 0, 0"
    assert words.startswith(f"{told}; a mean of blocks lies at 0, 0.375, 0.125.")


def test_an_error_has_its_path_and_leads_to_its_place_and_other_levels_are_shown(page):
    example(page, "short-scale")
    found = table(page)
    assert (found["s0"], found["s1"], found["s2"]) == (NGFF["s0"], {}, NGFF["s2"])
    [(kind, code, at, words)] = findings(page)
    assert (kind, code, at) == (
        "error",
        "wrong_length",
        ".zattrs/multiscales/0/datasets/1/coordinateTransformations/0/scale",
    )
    assert "2 entries" in words
    page.find_element(By.CSS_SELECTOR, "#findings button").click()
    marked = page.execute_script(
        "const area = document.activeElement; return area.value.slice(area.selectionStart, area.selectionEnd)"
    )
    assert json.loads(marked) == [16, 8]


def test_what_is_changed_in_a_document_is_read_again(page):
    example(page, "funlib")
    area = page.find_element(By.CSS_SELECTOR, "#documents textarea")
    change = "arguments[0].value = arguments[0].value.replace('[50, 6, 5]', arguments[1]); "
    change += "arguments[0].dispatchEvent(new Event('input'))"
    page.execute_script(change, area, "[50, 6, 7]")
    # The corner stays at -20: the centre is -20 + 3.5, the end -20 + 120 * 7.
    until(lambda: table(page)["."]["x"] == ["120", "7", "-16.5", "-20", "-20 to 820", "nm"])
    area.send_keys(Keys.CONTROL, Keys.END)
    area.send_keys(Keys.BACKSPACE)
    until(lambda: findings(page) and findings(page)[0][:3] == ["error", "not_json", ".zattrs"])


def test_units_are_converted(page):
    example(page, "ome-ngff-0.4")
    Select(page.find_element(By.ID, "unit")).select_by_value("micrometer")
    # 40 nm are 0.04 µm.
    assert table(page)["s0"]["z"] == ["50", "0.04", "1.02", "1", "1 to 3", "µm"]
    assert table(page)["s1"]["x"] == ["80", "0.008", "0.036", "0.032", "0.032 to 0.672", "µm"]


GROUP = {
    "multiscales": [
        {
            "version": "0.4",
            "axes": [{"name": "c", "type": "channel"}, {"name": "y", "type": "space"}, {"name": "x", "type": "space"}],
            "datasets": [
                {"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1, 3, 2]}]},
                {"path": "1", "coordinateTransformations": [{"type": "scale", "scale": [1, 6, 4]}]},
            ],
        }
    ]
}
ARRAY = {
    "zarr_format": 2,
    "shape": [2, 10, 20],
    "chunks": [1, 10, 20],
    "dtype": "|u1",
    "compressor": None,
    "fill_value": 0,
    "order": "C",
    "filters": None,
}
# Without a translation the centre of voxel 0 is at 0, so the corner is half a voxel below it; channels have no corner.
PLACED = {
    "0": {
        "c": ["2", "1", "0", "–", "–", "–"],
        "y": ["10", "3", "0", "-1.5", "-1.5 to 28.5", "–"],
        "x": ["20", "2", "0", "-1", "-1 to 39", "–"],
    },
    "1": {
        "c": ["?", "1", "0", "–", "–", "–"],
        "y": ["?", "6", "0", "-3", "-3 to ?", "–"],
        "x": ["?", "4", "0", "-2", "-2 to ?", "–"],
    },
}


def write(folder, documents):
    for path, value in documents.items():
        folder.joinpath(path).parent.mkdir(parents=True, exist_ok=True)
        folder.joinpath(path).write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return folder


def drop(page, *paths):
    """Drop files or folders on the middle of the page, as a browser does when a person lets go of them."""
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        page.execute_cdp_cmd("Input.dispatchDragEvent", {"type": kind, "x": 700, "y": 600, "data": data})


def test_files_that_are_dropped_find_their_levels(page, tmp_path):
    write(tmp_path, {".zattrs": GROUP, ".zarray": ARRAY})
    drop(page, tmp_path / ".zarray", tmp_path / ".zattrs")
    assert until(lambda: table(page)) == PLACED
    assert "0/.zarray" in page.find_element(By.ID, "notice").text
    assert "1" in page.find_element(By.ID, "summary").text


def test_a_folder_that_is_dropped_is_looked_through_and_chunks_are_passed_over(page, tmp_path):
    folder = write(
        tmp_path / "cells.zarr", {".zattrs": GROUP, "0/.zarray": ARRAY, "0/0.0.0": "no text", "labels/x": ""}
    )
    drop(page, folder)
    assert until(lambda: table(page)) == PLACED
    names = [one.text for one in page.find_elements(By.CSS_SELECTOR, "#documents summary")]
    assert names == [".zattrs", "0/.zarray"]


def test_of_several_volumes_one_is_chosen(page, tmp_path):
    other = {"@type": "neuroglancer_multiscale_volume", "type": "image", "data_type": "uint8", "num_channels": 1}
    scale = {"key": "1", "size": [4, 5, 6], "resolution": [7, 8, 9], "chunk_sizes": [[4, 4, 4]], "encoding": "raw"}
    folder = write(tmp_path / "all", {"a/.zattrs": GROUP, "a/0/.zarray": ARRAY, "b/info": {**other, "scales": [scale]}})
    drop(page, folder)
    assert until(lambda: table(page)) == PLACED
    choice = Select(page.find_element(By.ID, "volume"))
    assert [option.text for option in choice.options] == ["a", "b"]
    choice.select_by_visible_text("b")
    assert table(page) == {
        "1": {
            "z": ["6", "9", "4.5", "0", "0 to 54", "nm"],
            "y": ["5", "8", "4", "0", "0 to 40", "nm"],
            "x": ["4", "7", "3.5", "0", "0 to 28", "nm"],
        }
    }


def test_files_and_folders_can_be_chosen(page, tmp_path):
    folder = write(tmp_path / "cells.zarr", {".zattrs": GROUP, "0/.zarray": ARRAY, "0/0.0.0": "no text"})
    page.find_element(By.ID, "folder").send_keys(str(folder))
    assert until(lambda: table(page)) == PLACED
    page.find_element(By.ID, "clear").click()
    page.find_element(By.ID, "files").send_keys(f"{folder / '.zattrs'}\n{folder / '0' / '.zarray'}")
    assert until(lambda: table(page)) == PLACED


def test_a_file_that_is_no_text_is_named(page, tmp_path):
    tmp_path.joinpath(".zattrs").write_bytes(b"\xff\xfe{}")
    drop(page, tmp_path / ".zattrs")
    assert until(lambda: page.find_element(By.ID, "notice").text) == ".zattrs is not UTF-8, and no document."
    assert table(page) == {}


@pytest.mark.parametrize("name", sorted(DIALECTS))
def test_a_document_that_is_pasted_is_known_by_what_it_holds(page, name):
    example(page, name)
    path = page.find_element(By.CSS_SELECTOR, "#documents input").get_attribute("value")
    text = page.find_element(By.CSS_SELECTOR, "#documents textarea").get_attribute("value")
    page.find_element(By.ID, "clear").click()
    paste(page, text)
    assert until(lambda: page.find_elements(By.CSS_SELECTOR, "#documents input"))[0].get_attribute("value") == path
    found = table(page)
    assert {level: {axis: row[1:4] for axis, row in rows.items()} for level, rows in found.items()} == {
        level: {axis: row[1:4] for axis, row in rows.items()} for level, rows in DIALECTS[name].items()
    }


def paste(page, text):
    """Copy a text out of a field, and paste it on the page itself."""
    page.find_element(By.ID, "add").click()
    area = page.find_elements(By.CSS_SELECTOR, "#documents textarea")[-1]
    page.execute_script("arguments[0].value = arguments[1]", area, text)
    area.send_keys(Keys.CONTROL, "a")
    area.send_keys(Keys.CONTROL, "c")
    page.find_element(By.ID, "clear").click()
    page.find_element(By.TAG_NAME, "h1").click()
    ActionChains(page).key_down(Keys.CONTROL).send_keys("v").key_up(Keys.CONTROL).perform()


def test_several_documents_can_be_pasted_as_one_by_their_paths(page):
    paste(page, json.dumps({".zattrs": GROUP, "0/.zarray": ARRAY}))
    assert until(lambda: table(page)) == PLACED


def dataset(*transforms, path="0"):
    return {"path": path, "coordinateTransformations": list(transforms)}


SCALE, MOVED = {"type": "scale", "scale": [1, 3, 2]}, {"type": "translation", "translation": [0, 5, 7]}
AT = ".zattrs/multiscales/0/datasets"
WARNED = {
    "unsupported": (
        [dataset(SCALE, {"type": "rotation", "rotation": [1]})],
        [("warning", "unsupported", f"{AT}/0/coordinateTransformations/1")],
    ),
    "no scale": ([dataset(MOVED)], [("warning", "missing_key", f"{AT}/0/coordinateTransformations")]),
    "twice": ([dataset(SCALE), dataset(SCALE)], [("warning", "duplicate", f"{AT}/1")]),
    "order": (
        [dataset(MOVED, SCALE)],
        [("error", "order", f"{AT}/0/coordinateTransformations/1")],
    ),
    "none": ([dataset(SCALE, MOVED)], []),
}


@pytest.mark.parametrize("name", sorted(WARNED))
def test_warnings_and_errors_have_their_paths(page, name):
    datasets, expected = WARNED[name]
    axes = [{"name": name, "type": "space", "unit": "nanometer"} for name in "zyx"]
    add(page, ".zattrs", {"multiscales": [{"version": "0.4", "axes": axes, "datasets": datasets}]})
    found = {(kind, code, at) for kind, code, at, _ in findings(page)}
    assert set(expected) <= found
    assert {kind for kind, *_ in found} <= {"note", *(kind for kind, *_ in expected)}


def test_contradictions_can_be_warnings(page):
    axes = [{"name": name, "type": "space", "unit": "nanometer"} for name in "zyx"]
    add(page, ".zattrs", {"multiscales": [{"version": "0.4", "axes": axes, "datasets": WARNED["order"][0]}]})
    assert [(kind, code) for kind, code, *_ in findings(page)] == [("error", "order")]
    page.find_element(By.ID, "lenient").click()
    assert [(kind, code, at) for kind, code, at, _ in findings(page)] == [
        ("warning", "order", f"{AT}/0/coordinateTransformations/0")
    ]
    # In the order written: 0 moved by 5, times 3.
    assert table(page)["0"]["y"][1:4] == ["3", "15", "13.5"]


def test_units_that_are_unknown_or_missing_are_said(page):
    axes = [{"name": "z", "type": "space", "unit": "pixel"}, *({"name": name, "type": "space"} for name in "yx")]
    add(page, ".zattrs", {"multiscales": [{"version": "0.4", "axes": axes, "datasets": [dataset(SCALE)]}]})
    found = {(kind, code, at) for kind, code, at, _ in findings(page)}
    assert found == {
        ("warning", "unknown_unit", ".zattrs/multiscales/0/axes"),
        ("note", "missing_field", ".zattrs/multiscales/0/axes"),
    }


def test_a_document_of_another_name_is_an_error(page):
    add(page, "attributes.yaml", "{}")
    [(kind, code, at, words)] = findings(page)
    assert (kind, code, at) == ("error", "wrong_value", "attributes.yaml")
    assert ".zattrs" in words


def boxes(page, figure):
    script = """return Object.fromEntries([...document.querySelectorAll(arguments[0] + " rect")].map((box) =>
      [box.dataset.level, ["x", "y", "width", "height"].map((name) => Number(box.getAttribute(name)))]))"""
    return page.execute_script(script, figure)


def test_drawings_are_to_scale(page):
    example(page, "ome-ngff-0.4")
    # Across x, from 32 to 672; down y, from -200 to 760.
    for _, _, width, height in boxes(page, "#extents").values():
        assert width / height == pytest.approx(640 / 960, rel=1e-3)
    voxels = boxes(page, "#voxels")
    x, y, width, height = voxels["s0"]
    assert width / height == pytest.approx(4 / 8, rel=1e-3)
    for level, factor in {"s1": 2, "s2": 4}.items():
        assert voxels[level] == pytest.approx([x, y, factor * width, factor * height], rel=1e-3)
    script = """return Object.fromEntries([...document.querySelectorAll("#voxels circle")].map((dot) =>
      [dot.dataset.level, [Number(dot.getAttribute("cx")), Number(dot.getAttribute("cy"))]]))"""
    for level, (across, down) in page.execute_script(script).items():
        left, top, wide, high = voxels[level]
        assert (across, down) == pytest.approx((left + wide / 2, top + high / 2), abs=0.02)


def test_a_plane_and_levels_can_be_chosen_by_keyboard(page):
    example(page, "ome-ngff-0.4")
    page.find_element(By.CSS_SELECTOR, '#planes input[data-key="plane y x"]').send_keys(Keys.ARROW_RIGHT)
    checked = page.switch_to.active_element
    assert checked.get_attribute("data-key") == "plane z x"
    assert checked.is_selected()
    # Down z, 2000 nm; across x, 640 nm.
    _, _, width, height = boxes(page, "#extents")["s0"]
    assert width / height == pytest.approx(640 / 2000, rel=1e-3)
    page.find_element(By.CSS_SELECTOR, '#legend input[data-key="level s2"]').send_keys(Keys.SPACE)
    assert set(boxes(page, "#voxels")) == {"s0", "s1"}
    assert page.switch_to.active_element.get_attribute("data-key") == "level s2"


def test_the_page_can_be_walked_with_the_keyboard(page):
    page.find_element(By.TAG_NAME, "h1").click()
    walked = []
    for _ in range(12):
        ActionChains(page).send_keys(Keys.TAB).perform()
        active = page.switch_to.active_element
        walked.append(active.get_attribute("data-example") or active.get_attribute("id"))
    assert walked[:5] == ["choose-files", "choose-folder", "add", "clear", "ome-ngff-0.4"]
    page.find_element(By.CSS_SELECTOR, '[data-example="funlib"]').send_keys(Keys.ENTER)
    assert table(page) == DIALECTS["funlib"]


def test_everything_that_can_be_used_has_a_name(page):
    example(page, "short-scale")
    script = """return [...document.querySelectorAll("button, input, select, textarea, svg, [role=region]")]
      .filter((one) => !(one.ariaLabel || one.getAttribute("aria-label") || (one.labels && one.labels.length) ||
        one.textContent.trim()))
      .map((one) => one.outerHTML)"""
    assert page.execute_script(script) == []
    assert page.execute_script("return document.documentElement.lang") == "en"
    identifiers = page.execute_script("return [...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(identifiers) == len(set(identifiers))


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_texts_and_lines_stand_out_from_their_ground(scheme):
    block = re.findall(r":root \{([^}]*)\}", PAGE.joinpath("explorer.css").read_text(encoding="utf-8"))[scheme]
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))
    texts = [("ink", "paper"), ("ink", "ground"), ("soft", "paper"), ("soft", "ground"), ("on-accent", "accent")]
    for kind in ("error", "warning", "note"):
        texts += [(name, f"{kind}-ground") for name in (kind, "ink", "soft")]
    for text, ground in texts:
        assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    for line in ("accent", *(f"c{number}" for number in range(8))):
        assert contrast(colours[line], colours["paper"]) >= 3, line


def test_the_page_takes_nothing_from_elsewhere(page):
    example(page, "ome-ngff-0.4")
    taken = page.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    host = page.execute_script("return location.origin")
    assert all(name.startswith((f"{host}/", "data:")) for name in taken)
    for name in ("index.html", "explorer.css", "lib/explorer.js"):
        text = PAGE.joinpath(name).read_text(encoding="utf-8")
        assert set(re.findall(r"https?://[\w.]+", text)) <= {"http://www.w3.org"}  # the name of SVG


def test_the_page_works_from_a_folder(chrome):
    chrome.get("about:blank")
    chrome.get(f"{PAGE.joinpath('index.html').as_uri()}#precomputed")
    assert until(lambda: table(chrome)) == DIALECTS["precomputed"]


@pytest.mark.parametrize("width", [1400, 500])
def test_nothing_sticks_out_of_the_page(page, width):
    page.set_window_size(width, 1300)
    try:
        example(page, "ome-ngff-0.4")
        across = page.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
        assert across[0] <= across[1]
    finally:
        page.set_window_size(1400, 1300)
