"""The benchmarks run and print; what they measure is looked at by people."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).parents[1] / "benchmarks" / "run.py"

pytestmark = pytest.mark.skipif(not RUN.exists(), reason="the benchmarks are not part of the built package")


def test_a_family_is_printed_as_ratios_and_written_as_json(tmp_path):
    command = [sys.executable, str(RUN), "documents", "--quick", "--results", str(tmp_path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert "worldarray==0.9.0 is not compared: it was left out" in done.stdout
    written = json.loads((tmp_path / "documents.json").read_text(encoding="utf-8"))
    names = ["level_factors", "level_placement", "level_shape", "ome_multiscales"]
    assert [line["name"] for line in written["lines"]] == names
    assert written["quick"] is True
    assert [path.name for path in tmp_path.iterdir()] == ["documents.json"]


def test_writes_and_creations_run_beside_their_references(tmp_path):
    command = [sys.executable, str(RUN), "writes", "create", "--quick", "--results", str(tmp_path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    for line in ("write_index of one unit, zarr v3 zstd, disk", "create, zarr v3, disk, synced files"):
        assert line in done.stdout
