"""The example of dask: its sums are those of numpy over the same rows, its units those of the MAML."""

import subprocess
import sys

import numpy as np
import pytest

import maml_parquet
import tables_dask

# What dask calls in pandas is on its way out.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame.reset_index:DeprecationWarning")

FILES, ROWS = 3, 12_000
"""Files, and stars of each: two whole batches and a part of one."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sky")
    paths = tables_dask.write_all(folder, FILES, ROWS)
    assert [path.name for path in paths] == ["stars-000.parquet", "stars-001.parquet", "stars-002.parquet"]
    return folder


def test_sums_are_those_of_the_rows_that_were_written(folder):
    parts = [part for number in range(FILES) for part in tables_dask.batches(number, ROWS)]
    assert [len(part["id"]) for part in parts] == [5_000, 5_000, 2_000] * FILES
    tile = np.concatenate([part["tile"] for part in parts])
    parallax = np.concatenate([part["parallax"] for part in parts])
    g = np.ma.concatenate([part["g"] for part in parts]).astype("float64")
    table = tables_dask.per_tile(folder)
    assert list(table.columns) == ["stars", "seen", "g [mag]", "distance [pc]"]
    assert list(table.index) == ["north", "plane", "south"]
    assert table["stars"].sum() == FILES * ROWS
    # Every eighth row of each file has no g: 12000 / 8.
    assert table["seen"].sum() == FILES * (ROWS - 1500)
    for name, row in table.iterrows():
        chosen = tile == name
        assert row["stars"] == chosen.sum()
        assert row["g [mag]"] == pytest.approx(g[chosen].mean(), rel=1e-5)
        assert row["distance [pc]"] == pytest.approx((1000 / parallax[chosen]).mean())


def test_a_column_in_another_unit_is_refused(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(tables_dask, "MAML", tables_dask.MAML.replace("unit: mas", "unit: arcsec"))
    tables_dask.write(tmp_path / "stars-000.parquet", 0, 100)
    with pytest.raises(ValueError, match="parallax is in arcsec, the formula takes mas"):
        tables_dask.per_tile(tmp_path)
    assert tables_dask.unit(folder, "parallax") == "mas"


def test_the_example_runs_and_overwrites_nothing(tmp_path):
    command = [sys.executable, tables_dask.__file__, "--output", str(tmp_path / "sky"), "--files", "2", "--rows", "900"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=True, cwd=tmp_path)
    assert done.stderr == ""
    assert "1800 rows in 2 files, stars of the survey Made up" in done.stdout
    assert "distance [pc]" in done.stdout
    made = sorted(file.name for file in (tmp_path / "sky").iterdir())
    assert made == ["stars-000.maml", "stars-000.parquet", "stars-001.maml", "stars-001.parquet"]
    assert maml_parquet.load(tmp_path / "sky" / "stars-001.maml").fields[2].unit == "mas"
    again = subprocess.run(command, check=False, capture_output=True, text=True, timeout=200, cwd=tmp_path)
    assert again.returncode == 1
    assert "stars-00" in again.stderr
    assert "Traceback" not in again.stderr
