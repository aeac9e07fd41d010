"""The example of duckdb: its answers are those of numpy over the same rows, its units those of the MAML."""

import subprocess
import sys

import numpy as np
import pytest

import maml_parquet
import tables_duckdb

ROWS = 25_000
"""Two whole batches and a half one."""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("sky") / "galaxies.parquet"
    tables_duckdb.write(path, ROWS)
    return path


def test_means_are_those_of_the_rows_that_were_written(path):
    parts = list(tables_duckdb.batches(ROWS))
    assert [len(part["id"]) for part in parts] == [10_000, 10_000, 5_000]
    z = np.concatenate([part["z"] for part in parts])
    mass = np.ma.concatenate([part["mass"] for part in parts])
    flux = np.concatenate([part["flux"] for part in parts]).astype("float64")
    names, rows = tables_duckdb.ask(path, tables_duckdb.PER_REDSHIFT)
    assert names == ["z_from", "galaxies", "weighed", "mass", "flux_g", "flux_i"]
    assert len(rows) > 3
    for z_from, galaxies, weighed, mean, flux_g, flux_i in rows:
        chosen = (z >= z_from) & (z < z_from + 0.5)
        assert galaxies == chosen.sum()
        # Ids that end in 9 have no mass.
        assert weighed == galaxies - mass.mask[chosen].sum()
        assert mean == pytest.approx(mass[chosen].mean())
        assert (flux_g, flux_i) == pytest.approx((flux[chosen, 0].mean(), flux[chosen, 2].mean()))


def test_headings_have_the_units_of_the_file(path):
    names = ["z_from", "galaxies", "mass", "flux_g"]
    assert tables_duckdb.with_units(names, path) == ["z_from", "galaxies", "mass [solMass]", "flux_g [mJy]"]


def test_duckdb_finds_what_is_said_of_the_table_and_of_every_column(path):
    found = tables_duckdb.keys(path)
    assert dict(found)["column.mass.unit"] == "solMass"
    assert dict(found)["column.flux.col_size"] == "3"
    names = [key for key, _ in found]
    assert names[:2] == ["IVOA.VOTable-Parquet.content", "IVOA.VOTable-Parquet.version"]
    entries = [(entry.key, entry.value) for entry in maml_parquet.metadata(path).entries]
    assert [pair for pair in found if pair in entries] == entries


def test_the_example_runs_and_overwrites_nothing(tmp_path):
    command = [sys.executable, tables_duckdb.__file__, "--output", str(tmp_path / "sky"), "--rows", "2000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=True, cwd=tmp_path)
    assert done.stderr == ""
    assert "galaxies.parquet: 2000 rows" in done.stdout
    assert "  survey: Made up" in done.stdout
    assert "mass [solMass]" in done.stdout
    assert sorted(file.name for file in (tmp_path / "sky").iterdir()) == ["galaxies.maml", "galaxies.parquet"]
    before = (tmp_path / "sky" / "galaxies.parquet").read_bytes()
    again = subprocess.run(command, check=False, capture_output=True, text=True, timeout=200, cwd=tmp_path)
    assert again.returncode == 1
    assert "galaxies.parquet" in again.stderr
    assert "Traceback" not in again.stderr
    assert (tmp_path / "sky" / "galaxies.parquet").read_bytes() == before
