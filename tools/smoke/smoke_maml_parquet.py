"""A first use of an installed maml-parquet: a table is written with its MAML, looked into, and read back by a rule."""

import importlib.resources
import json
import subprocess
import tempfile
from pathlib import Path

import maml_parquet as mp

MAML = """
table: stars
author: A. Surveyor
fields:
- {name: id, data_type: int64, ucd: meta.id}
- {name: ra, unit: deg, data_type: float64, qc: {min: 0, max: '< 360'}}
- {name: kind, data_type: string, array_size: auto}
"""


def main() -> None:
    """Write three rows, read those of one kind."""
    assert importlib.resources.files("maml_parquet").joinpath("py.typed").is_file()
    assert mp.valid_for(mp.parse(MAML)) == []
    assert "table" in mp.json_schema("spec-1.2")["required"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "stars.parquet")
        schema = mp.Schema.from_maml(mp.parse(MAML))
        mp.write_table({"id": [7, 8, 9], "ra": [1.5, 20.25, 300.0], "kind": ["K", "sdB", "K"]}, path, schema)
        found = mp.read_table(path, filter='kind == "K"', sort="ra desc")
        assert found.to_pydict() == {"id": [9, 7], "ra": [300.0, 1.5], "kind": ["K", "K"]}
        assert found.field("ra").metadata[b"unit"] == b"deg"
        assert mp.metadata(path).columns["kind"].array_size == 3  # of sdB
        answer = subprocess.run(
            ["maml-parquet", "header", str(path), "--json"], check=True, capture_output=True, text=True
        )
        json.loads(answer.stdout)
        subprocess.run(["maml-parquet", "validate", str(path.with_suffix(".maml"))], check=True)
    print("maml-parquet: first use passed")


if __name__ == "__main__":
    main()
