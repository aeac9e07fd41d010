"""The benchmarks run and print; what they measure is looked at by people."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).parents[1] / "benchmarks" / "run.py"

pytestmark = pytest.mark.skipif(not RUN.exists(), reason="the benchmarks are not part of the built package")


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(RUN), *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=240)


def test_a_family_is_printed_as_ratios_and_written_as_json(tmp_path):
    done = _run("open", "grids", "--quick", "--results", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "worldarray==0.9.0 is not compared: it was left out" in done.stdout
    assert "open_pyramid(...).metas() of ten levels, zarr v3" in done.stdout
    written = json.loads((tmp_path / "grids.json").read_text(encoding="utf-8"))
    assert [line["name"].partition(",")[0] for line in written["lines"]] == ["blocks iteration", "blocks.arrays"]
    for line in written["lines"]:
        assert line["low"] <= line["ratio"] <= line["high"]
    assert written["quick"] is True
    assert {path.name for path in tmp_path.iterdir()} == {"open.json", "grids.json"}


def test_an_unknown_family_is_refused_by_the_names_there_are(tmp_path):
    done = _run("blocks", "--quick", "--results", str(tmp_path))
    assert done.returncode == 2
    assert "there is no blocks; choose from reads, open" in done.stderr
