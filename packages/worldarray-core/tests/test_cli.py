"""The worldarray command: what info shows, as a table and as JSON, the demonstration, and exit statuses."""

import json
import shutil
import subprocess
import sys
from importlib.metadata import version

import pytest
from stores import TCZYX, coded, group2, placed, pyramid, volume, zarr2, zarr3

from worldarray.cli import main


@pytest.fixture
def path(tmp_path):
    return pyramid(tmp_path / "em.zarr")


def info(capsys, *arguments, status=0):
    assert main(["info", *map(str, arguments)]) == status
    return capsys.readouterr()


def rows(text):
    """The cells of the table, by their columns' headings."""
    lines = text.splitlines()
    top = next(index for index, line in enumerate(lines) if line.startswith("level"))
    names = ("level", "shape", "dtype", "chunks", "shards", "voxel size", "translation", "corner", "placed by")
    starts = [lines[top].index(name) for name in names]
    body = [line for line in lines[top + 1 :] if line and not line.startswith(("warning", "* "))]
    return [
        {name: line[a:b].strip() for name, a, b in zip(names, starts, [*starts[1:], None], strict=True)}
        for line in body
    ]


def test_the_table_has_a_row_per_level_with_its_storage_and_placement(capsys, path):
    shown = info(capsys, path)
    assert shown.err == ""
    assert path in shown.out
    assert "zarr3 group" in shown.out
    assert "z (nanometer), y (nanometer), x (nanometer)" in shown.out
    assert rows(shown.out)[1] == {
        "level": "s1",
        "shape": "4, 3, 4",
        "dtype": "uint16",
        "chunks": "4, 3, 4",
        "shards": "-",
        "voxel size": "30, 16, 8",
        "translation": "100, 24, 8",
        "corner": "85, 16, 4",
        "placed by": "ome",
    }
    assert [row["level"] for row in rows(shown.out)] == ["s0", "s1", "s2"]


def test_json_says_the_same_as_data(capsys, path):
    found = json.loads(info(capsys, path, "--json").out)
    assert {key: found[key] for key in ("path", "format", "kind", "warnings")} == {
        "path": path,
        "format": "zarr3",
        "kind": "group",
        "warnings": [],
    }
    assert [level["name"] for level in found["levels"]] == ["s0", "s1", "s2"]
    assert found["levels"][2] == {
        "name": "s2",
        "shape": [2, 2, 2],
        "dtype": "uint16",
        "chunks": [2, 2, 2],
        "shards": None,
        "axes": ["z", "y", "x"],
        "axes_named": True,
        "units": ["nanometer"] * 3,
        "spatial": [0, 1, 2],
        "voxel_size": [60, 32, 16],
        "translation": [115, 32, 12],
        "translation_declared": True,
        "corner": [85, 16, 4],
        "placed_by": "ome",
    }


@pytest.mark.parametrize(
    ("unit", "size"), [("um", [0.03, 0.008, 0.004]), ("nm", [30, 8, 4]), ("angstrom", [300, 80, 40])]
)
def test_units_are_those_asked_for(capsys, path, unit, size):
    found = json.loads(info(capsys, path, "--json", "--units", unit).out)
    assert found["levels"][0]["voxel_size"] == size
    assert rows(info(capsys, "--units", unit, path).out)[0]["voxel size"] == ", ".join(f"{value:g}" for value in size)


def test_an_array_path_is_one_row(capsys, tmp_path):
    path = volume(tmp_path / "em.zarr")
    found = json.loads(info(capsys, path, "--json").out)
    assert (found["kind"], found["path"], len(found["levels"])) == ("array", path, 1)
    assert found["levels"][0]["chunks"] == [2, 3, 4]
    assert len(rows(info(capsys, path).out)) == 1


def test_every_axis_is_shown_with_its_own_unit(capsys, tmp_path):
    path = placed(tmp_path / "t.zarr", coded(2, 3, 2, 2, 2), (500, 1, 40, 8, 4), (1000, 0, 20, 4, 2), TCZYX)
    shown = info(capsys, path, "--units", "um").out
    assert "t (millisecond), c, z (micrometer)" in shown
    (row,) = rows(shown)
    assert row["voxel size"] == "500, 1, 0.04, 0.008, 0.004"
    assert row["corner"] == "1000, 0, 0, 0, 0"


def test_every_warning_is_shown_once_and_none_goes_elsewhere(capsys, tmp_path):
    # no units, no translations at the coarser level, a voxel size of its own that disagrees, and a type that is ignored
    axes = tuple((name, "space", None) for name in "zyx")
    path = group2(tmp_path / "em.zarr", [("s0", (4, 4, 4), None), ("s1", (8, 8, 8), None)], axes)
    zarr2(tmp_path / "em.zarr" / "s0", coded(2, 2, 2), attributes={"voxel_size": [5, 4, 4]})
    zarr2(tmp_path / "em.zarr" / "s1", coded(1, 1, 1))
    shown = info(capsys, path, "--units", "nm")
    found = json.loads(info(capsys, path, "--units", "nm", "--json").out)["warnings"]
    assert shown.out.count("warning: ") == len(found)
    for text in ("no unit", "voxel_size", "do not share a corner"):
        assert any(text in warning for warning in found), text
    assert all(warning in shown.out for warning in found)
    assert shown.err == ""
    # a block mean of (4, 4, 4) would be at (8 - 4) / 2
    assert "(2, 2, 2)" in shown.out


def test_a_unit_that_no_table_knows_is_shown_with_a_warning(capsys, tmp_path):
    path = pyramid(tmp_path / "em.zarr", axes=tuple((name, "space", "pixel") for name in "zyx"))
    assert "warning" not in info(capsys, path).out
    shown = info(capsys, path, "--units", "nm").out
    assert "pixel" in shown
    assert "warning: " in shown


def test_a_level_that_is_missing_is_shown_as_such(capsys, path):
    shutil.rmtree(f"{path}/s1")
    shown = info(capsys, path)
    assert [row["shape"] for row in rows(shown.out)] == ["4, 6, 8", "not readable", "2, 2, 2"]
    assert "warning: " in shown.out
    assert "s1" in shown.out
    found = json.loads(info(capsys, path, "--json").out)
    assert found["levels"][1] == {"name": "s1", "missing": True}


def test_a_plain_array_is_placed_by_nothing(capsys, tmp_path):
    (row,) = rows(info(capsys, zarr3(tmp_path / "a", coded(2, 3))).out)
    assert (row["placed by"], row["voxel size"], row["corner"]) == ("nothing", "1, 1", "0, 0*")


def test_an_array_without_axes_is_a_row_too(capsys, tmp_path):
    (row,) = rows(info(capsys, zarr3(tmp_path / "a", coded())).out)
    assert (row["shape"], row["voxel size"]) == ("-", "-")


def test_shards_are_shown_beside_chunks(capsys, tmp_path):
    inner = {"chunk_shape": [1, 2, 2], "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}
    index = {"index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]}
    sharding = [{"name": "sharding_indexed", "configuration": {**inner, **index}}]
    (row,) = rows(info(capsys, zarr3(tmp_path / "a", coded(2, 4, 4), (2, 4, 4), codecs=sharding)).out)
    assert (row["chunks"], row["shards"]) == ("1, 2, 2", "2, 4, 4")


@pytest.mark.parametrize("command", ["info", "demo"])
def test_a_path_where_nothing_stands_is_status_1_and_named(capsys, tmp_path, command):
    assert main([command, str(tmp_path / "nothing.zarr")]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert str(tmp_path / "nothing.zarr") in shown.err
    assert "Traceback" not in shown.err


@pytest.mark.parametrize("arguments", [["--units", "furlong"], ["--units", "second"], ["--units", ""]])
def test_a_unit_of_no_use_is_status_1_and_named(capsys, path, arguments):
    shown = info(capsys, path, *arguments, status=1)
    assert shown.out == ""
    assert arguments[1] in shown.err


@pytest.mark.parametrize("arguments", [[], ["info"], ["information", "x"], ["info", "x", "--yaml"], ["info", "a", "b"]])
def test_wrong_usage_is_status_2_with_the_usage(capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: worldarray" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--help"], ["info", "--help"], ["demo", "--help"]])
def test_help_is_status_0(capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 0
    assert "usage: worldarray" in capsys.readouterr().out


def test_the_version_is_that_of_the_distribution(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"worldarray-core {version('worldarray-core')}\n"


def test_without_a_command_those_there_are_are_named(capsys):
    with pytest.raises(SystemExit):
        main([])
    assert "{info,demo}" in capsys.readouterr().err


def test_the_demonstration_shows_a_pyramid_and_reads_a_box_of_it(capsys):
    assert main(["demo"]) == 0
    shown = capsys.readouterr().out
    assert [row["level"] for row in rows(shown.split("\n\n")[0])] == ["s0", "s1", "s2"]
    # the middle half of (24, 40, 48) voxels at twice the size: 6, 10 and 12
    assert "read at voxel size (80, 32, 21):" in shown
    assert "shape (6, 10, 12), dtype uint8" in shown


def test_the_demonstration_of_a_path_reads_that(capsys, path, tmp_path):
    assert main(["demo", path]) == 0
    # z [115, 175), y [28, 52), x [12, 28): targets of (60, 16, 8) from the corner (85, 16, 4) are centred at 115, 175;
    # 24, 40, 56; and 8, 16, 24
    assert "shape (1, 1, 2), dtype uint16" in capsys.readouterr().out
    assert main(["demo", f"{path}/s2"]) == 0
    assert main(["demo", zarr3(tmp_path / "t", coded(2, 3, 4, 4), names=["t", "c", "y", "x"])]) == 0
    assert main(["demo", zarr3(tmp_path / "scalar", coded())]) == 0


def test_the_module_runs_as_a_command(path):
    def run(*arguments):
        command = [sys.executable, "-W", "error", "-m", "worldarray.cli", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    done = run("info", path, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["format"] == "zarr3"
    missing = run("info", path + "/s9")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "s9" in missing.stderr
    assert run("nothing").returncode == 2


def test_a_reader_that_has_seen_enough_is_no_error(path):
    code = f"{sys.executable} -m worldarray.cli info {path} | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
