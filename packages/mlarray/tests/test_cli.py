"""The commands: what they print, what they return, what they leave alone."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from mlarray import MLArray
from mlarray.cli.headers import header_of
from mlarray.cli.main import convert, header, main
from mlarray.header.wire import encode
from mlarray.io.file_store import open_file

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
VALUES = np.arange(4 * 5 * 6, dtype="i2").reshape(4, 5, 6)


@pytest.fixture
def path(tmp_path):
    user = {"raw": b"\x01\x02", "nan": float("nan"), "inf": float("-inf"), "é": "ü"}
    array = MLArray(
        VALUES, axes=["z", "y", "x"], values={"unit": "kelvin"}, user=user, source=[{"format": "x", "header": {"a": 1}}]
    )
    array.save(tmp_path / "a.mla")
    return tmp_path / "a.mla"


def test_the_header_is_json_in_canonical_order(path, capsys):
    assert header([str(path)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["version", "writer", "axes", "values", "storage"]
    assert found["version"] == "1.0"
    assert found["values"] == {"kind": "measurement", "unit": "kelvin", "unit_code": "K"}
    assert found["axes"][1] == {"name": "y", "type": "space"}


def test_the_lazy_keys_come_when_asked_for_in_strict_json(path, capsys):
    assert main(["header", str(path), "--source", "--user"]) == 0

    def refuse(name):
        raise AssertionError(name)

    found = json.loads(capsys.readouterr().out, parse_constant=refuse)
    assert found["source"] == [{"format": "x", "header": {"a": 1}}]
    assert found["user"] == {"raw": {"$base64": "AQI="}, "nan": "NaN", "inf": "-Infinity", "é": "ü"}


def test_several_files_and_one_that_fails(path, capsys):
    assert header([str(path), str(path.with_name("no.mla")), str(path)]) == 1
    out, err = capsys.readouterr()
    assert out.count('"version"') == 2
    assert err.count("\n") == 1
    assert "no.mla" in err


def test_wrong_usage_is_2(capsys):
    for arguments in ([], ["header"], ["nothing"], ["view", "a.mla"]):
        with pytest.raises(SystemExit) as found:
            main(arguments)
        assert found.value.code == 2
    capsys.readouterr()


def test_the_header_reads_no_voxel(path, tmp_path, capsys):
    """The chunks are zeroed, all but the sizes in front of the first one: whoever looked at them would fail."""
    content = bytearray(path.read_bytes())
    begin = int.from_bytes(content[11:15], "big") + 32
    store = open_file(str(path))
    end = store._info.trailer
    store.close()
    content[begin : end - 60] = bytes(end - 60 - begin)
    path.write_bytes(content)
    assert header([str(path), "--user", "--source"]) == 0
    assert json.loads(capsys.readouterr().out)["values"]["unit"] == "kelvin"


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="nothing counts what is read")
def test_the_header_reads_a_few_kilobytes_of_a_large_file(path, tmp_path):
    def read():
        with Path("/proc/self/io").open() as counts:
            return int(counts.readline().split()[1])

    values = np.random.default_rng(0).integers(0, 255, (64, 256, 256), dtype="u1")
    MLArray(values, patch_size=32).save(tmp_path / "large.mla")
    header_of(path)  # what is imported or read once is read here
    before = read()
    header_of(tmp_path / "large.mla")
    assert (tmp_path / "large.mla").stat().st_size > 4_000_000
    assert read() - before < 64_000


def test_unreadable_files_are_one_line_each(tmp_path, capsys):
    (tmp_path / "text.mla").write_text("hello")
    (tmp_path / "dir.mla").mkdir()
    assert header([str(tmp_path / "text.mla"), str(tmp_path / "dir.mla")]) == 1
    assert capsys.readouterr().err.count("\n") == 2


def test_validate_says_all_that_is_wrong(path, capsys):
    assert main(["validate", str(path)]) == 0
    assert "valid" in capsys.readouterr().out
    store = open_file(str(path), "r+")
    store.set_keys(
        {"mlarray": encode({"version": "1.0", "axes": [{"name": "z"}, {"name": "z"}], "values": {"scale": 0}})}
    )
    store.close()
    assert main(["validate", str(path)]) == 1
    out = capsys.readouterr().out
    assert "/values/scale" in out
    assert "'z'" in out
    assert "2 axes" in out


def test_verify_compares_with_the_conversion(path, tmp_path, capsys):
    assert main(["verify", str(path)]) == 1
    assert "fingerprint" in capsys.readouterr().err
    array = MLArray(VALUES)
    array.meta.set_source(
        [{"format": "x", "fingerprint": {"shape": [4, 5, 6], "dtype": "<i2", "data": array.fingerprint()}}]
    )
    array.save(tmp_path / "b.mla")
    assert main(["verify", str(tmp_path / "b.mla")]) == 0
    with MLArray.open(tmp_path / "b.mla", mode="r+") as changed:
        changed[0, 0, 0] = 9
    assert main(["verify", str(tmp_path / "b.mla")]) == 1
    assert "OTHER VALUES" in capsys.readouterr().out


def test_convert_a_file_and_a_folder(tmp_path, capsys):
    pytest.importorskip("nibabel")
    from mlarray.convert import to_nifti

    (tmp_path / "raw" / "deep").mkdir(parents=True)
    for name in ("a.nii", "deep/b.nii.gz"):
        to_nifti(MLArray(VALUES, space="patient", spacing=(3, 2, 1)), tmp_path / "raw" / name)
    (tmp_path / "raw" / "c.nii").write_text("broken")
    assert convert([str(tmp_path / "raw/a.nii"), str(tmp_path / "a.mla"), "--patch-size", "2,3,4"]) == 0
    assert MLArray.load(tmp_path / "a.mla").meta.storage.patch_size == (2, 3, 4)
    assert main(["convert", str(tmp_path / "raw/a.nii"), str(tmp_path / "a.mla")]) == 1
    assert "overwrite" in capsys.readouterr().err
    assert main(["convert", str(tmp_path / "raw"), str(tmp_path / "mla")]) == 1
    out, err = capsys.readouterr()
    assert "2 of 3 converted, 1 failed" in out
    assert "c.nii" in err
    assert sorted(p.name for p in (tmp_path / "mla").rglob("*.mla")) == ["a.mla", "b.mla"]
    (tmp_path / "empty").mkdir()
    assert main(["convert", str(tmp_path / "empty"), str(tmp_path / "x")]) == 1
    assert not (tmp_path / "x").exists()


def test_a_box_of_a_zarr_and_errors_of_its_library_are_one_line(tmp_path, capsys):
    pytest.importorskip("worldarray_write")
    from mlarray.convert import to_worldarray

    zarr = tmp_path / "a.zarr"
    to_worldarray(MLArray(VALUES, axes=["z", "y", "x"], space="patient", spacing=(3, 2, 1)), zarr)
    # Centres in [3, 9) of 0, 3, 6, 9; in [0, 4) of 0, 2, …; in [1, 3) of 0, 1, ….
    assert convert([str(zarr), str(tmp_path / "a.mla"), "--box", "3,0,1:9,4,3"]) == 0
    assert np.array_equal(MLArray.load(tmp_path / "a.mla").to_numpy(), VALUES[1:3, 0:2, 1:3])
    for more in (["--box", "3,0:9,4"], ["--level", "s7"]):
        assert convert([str(zarr), str(tmp_path / "b.mla"), *more]) == 1
        assert capsys.readouterr().err.count("\n") == 1
    with pytest.raises(SystemExit):
        convert([str(zarr), str(tmp_path / "b.mla"), "--box", "3"])
    assert "0,0,0:10,20,30" in capsys.readouterr().err


def test_the_options_of_commands_in_the_readme_are_there(capsys):
    rows = re.findall(r"^\| `mlarray (\w+) .*$", README, re.M)
    assert rows == ["header", "convert", "validate", "verify", "view"]
    for row in re.findall(r"^\| `mlarray \w+ .*$", README, re.M):
        with pytest.raises(SystemExit, match="0"):
            main([row.split()[2].strip("`"), "--help"])
        helped = capsys.readouterr().out
        assert [option for option in re.findall(r"--[a-z-]+", row) if option not in helped] == []
    # The example of the README, as it stands there.
    assert "--box 0,0,0:10,20,30" in README


def test_a_reader_that_stops_is_no_error(path):
    script = "import sys; from mlarray.cli.main import header; sys.exit(header(sys.argv[1:]))"
    command = [sys.executable, "-c", script, *[str(path)] * 200]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="processes are not interrupted alike")
@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_folder_ends_and_leaves_whole_files(tmp_path, workers):
    pytest.importorskip("nibabel")
    from mlarray.convert import to_nifti

    values = np.random.default_rng(0).integers(0, 999, (60, 90, 90), dtype="i2")
    (tmp_path / "raw").mkdir()
    for name in "abcdefgh":
        to_nifti(MLArray(values, space="patient", spacing=(3, 2, 1)), tmp_path / f"raw/{name}.nii")
    # Started behind a shell's &, a process ignores interrupts, and so do those that it starts.
    script = "import signal, sys, mlarray.cli.main as m\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    (tmp_path / "run.py").write_text(f"{script}if __name__ == '__main__': sys.exit(m.main())")
    command = [sys.executable, "run.py", "convert", "raw", "mla", "--jobs", str(workers)]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        process.stderr.readline()
        for _ in range(2):
            os.killpg(process.pid, signal.SIGINT)
            time.sleep(0.05)
        assert process.wait(60) != 0
    found = list((tmp_path / "mla").iterdir())
    assert 0 < len(found) < 8
    for path in found:
        assert np.array_equal(MLArray.load(path).to_numpy(), values)


def test_a_hostile_name_is_refused(tmp_path, capsys):
    assert header([str(tmp_path / "a.txt")]) == 1
    assert ".mla" in capsys.readouterr().err
    fifo = tmp_path / "pipe.mla"
    os.mkfifo(fifo)
    assert header([str(fifo)]) == 1
