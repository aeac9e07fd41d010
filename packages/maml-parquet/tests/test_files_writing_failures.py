"""What goes wrong leaves nothing: no half file, no lost file, no draft; what is odd is told, and written."""

import os
import resource
import signal
import subprocess
import sys
import warnings
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from maml_written import names, schema_of

import maml_parquet as mp
from maml_parquet.errors import MamlError, MamlWarning
from maml_parquet.schema.records import Column
from maml_parquet.sections.types import TypeToken

TESTS = str(Path(__file__).parent)


def ints(*more):
    return schema_of(["name: x, data_type: int32", *more])


def stream(path, batches, **options):
    with mp.open_writer(path, ints(), **options) as writer:
        for batch in batches:
            writer.write(batch)


@pytest.mark.parametrize("existing", ["x.parquet", "x.maml"])
@pytest.mark.parametrize("streamed", [False, True])
def test_what_stands_there_is_an_error_before_anything_is_written(tmp_path, existing, streamed):
    (tmp_path / existing).write_text("mine")
    write = mp.open_writer if streamed else partial(mp.write_table, {"x": ["no int"]})
    with pytest.raises(MamlError, match=f"{existing}' is there already") as caught:
        write(tmp_path / "x.parquet", ints())
    assert caught.value.code == "exists"
    assert names(tmp_path) == [existing]
    assert (tmp_path / existing).read_text() == "mine"
    mp.write_table({"x": [5]}, tmp_path / "x.parquet", ints(), overwrite=True)
    assert pq.read_table(tmp_path / "x.parquet")["x"].to_pylist() == [5]
    assert mp.load(tmp_path / "x.maml").fields[0].name == "x"


def test_without_a_sidecar_a_maml_that_stands_there_is_let_be(tmp_path):
    (tmp_path / "x.maml").write_text("mine")
    mp.write_table({"x": [5]}, tmp_path / "x.parquet", ints(), write_maml=False)
    assert (tmp_path / "x.maml").read_text() == "mine"


@pytest.mark.parametrize("old", [False, True])
def test_a_third_batch_that_fails_leaves_what_was_there(tmp_path, old):
    if old:
        mp.write_table({"x": [5]}, tmp_path / "x.parquet", ints())
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    batches = [{"x": [1, 2]}, {"x": [3, 4]}, {"x": [5, 2**40]}]
    with pytest.raises(MamlError) as caught:
        stream(tmp_path / "x.parquet", batches, overwrite=True, row_group_size=1)
    # The rows of the two batches before are 0 to 3, and the second one of this batch is 5.
    assert caught.value.at == ("x", 5)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


class OtherError(Exception):
    pass


@pytest.mark.parametrize("error", [OtherError, KeyboardInterrupt])
def test_an_error_of_the_caller_leaves_nothing(tmp_path, error):
    def batches():
        yield {"x": [1, 2]}
        assert len(names(tmp_path)) == 2
        raise error

    with pytest.raises(error):
        stream(tmp_path / "x.parquet", batches(), row_group_size=1)
    assert names(tmp_path) == []


def test_a_batch_whose_error_is_caught_makes_no_file_that_lacks_it(tmp_path):
    writer = mp.open_writer(tmp_path / "x.parquet", ints())
    writer.write({"x": [1]})
    with pytest.raises(MamlError, match="no whole number"):
        writer.write({"x": [1.5]})
    with pytest.raises(MamlError, match="failed before, so there is no file"):
        writer.write({"x": [2]})
    with pytest.raises(MamlError, match="failed before, so there is no file"):
        writer.close()
    assert names(tmp_path) == []


def test_a_writer_that_was_discarded_or_closed_takes_no_more(tmp_path):
    with mp.open_writer(tmp_path / "x.parquet", ints()) as writer:
        writer.write({"x": [1]})
        writer.discard()
        with pytest.raises(MamlError, match="is discarded; open a new one"):
            writer.write({"x": [1]})
    assert names(tmp_path) == []
    writer = mp.open_writer(tmp_path / "x.parquet", ints())
    writer.write({"x": [1]})
    writer.close()
    writer.close()
    writer.discard()
    with pytest.raises(MamlError, match="is closed; open a new one"):
        writer.write({"x": [1]})
    assert names(tmp_path) == ["x.maml", "x.parquet"]
    assert writer.num_rows == 1


def test_a_writer_that_is_forgotten_leaves_nothing(tmp_path):
    writer = mp.open_writer(tmp_path / "x.parquet", ints())
    writer.write({"x": [1]})
    assert len(names(tmp_path)) == 2
    del writer
    assert names(tmp_path) == []


def test_no_batch_at_all_is_an_error_at_the_end(tmp_path):
    with pytest.raises(MamlError, match="nothing was written of 'x', 'y'") as caught:
        mp.open_writer(tmp_path / "x.parquet", ints("name: y, data_type: int32")).close()
    assert caught.value.code == "column"
    assert names(tmp_path) == []
    with mp.open_writer(tmp_path / "x.parquet", ints()) as writer:
        writer.write({"x": []})
    assert pq.read_table(tmp_path / "x.parquet").num_rows == 0


def test_a_column_that_is_declared_and_not_given_is_an_error(tmp_path):
    schema = ints("name: y, data_type: int32")
    with pytest.raises(MamlError, match="the column 'y' is missing; the table has 'x'; give it, or disable it"):
        mp.write_table({"x": [1]}, tmp_path / "x.parquet", schema)
    assert names(tmp_path) == []
    schema.disable("y")
    mp.write_table({"x": [1]}, tmp_path / "x.parquet", schema)


def test_a_file_of_no_columns_is_an_error(tmp_path):
    schema = ints()
    schema.disable()
    with pytest.raises(MamlError, match="no column is enabled") as caught:
        mp.write_table({"x": [1]}, tmp_path / "x.parquet", schema)
    assert caught.value.code == "fields-missing"
    assert names(tmp_path) == []


def test_another_writer_that_was_faster_keeps_its_file(tmp_path):
    slow, fast = (mp.open_writer(tmp_path / "x.parquet", ints()) for _ in range(2))
    slow.write({"x": [1]})
    fast.write({"x": [2]})
    fast.close()
    with pytest.raises(MamlError, match="is there already"):
        slow.close()
    assert names(tmp_path) == ["x.maml", "x.parquet"]
    assert pq.read_table(tmp_path / "x.parquet")["x"].to_pylist() == [2]


def test_a_folder_that_is_not_there_is_an_error_that_names_it(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such folder"):
        mp.write_table({"x": [1]}, tmp_path / "none" / "x.parquet", ints())


def test_a_name_that_is_none_is_an_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in (".", ".."):
        with pytest.raises(IsADirectoryError, match="a folder stands there"):
            mp.write_table({"x": [1]}, name, ints(), overwrite=True)
    assert names(tmp_path) == []


@pytest.mark.parametrize("size", [1, None])
def test_a_disk_that_is_full_leaves_nothing(tmp_path, monkeypatch, size):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    previous = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    schema = schema_of(["name: x, data_type: int64"])
    rows = {"x": np.random.default_rng(5).integers(0, 2**62, 100_000)}
    try:
        # 100 000 random numbers of 8 bytes are more than 64 kB however they are packed.
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**16, limits[1]))
        with pytest.raises(OSError, match=r"[Ee]rror|large"):
            mp.write_table(rows, tmp_path / "x.parquet", schema, row_group_size=size and 20_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, previous)
    assert names(tmp_path) == []


KILLED = """
import sys
sys.path.insert(0, sys.argv[2])
import numpy as np
import maml_parquet as mp
from maml_written import schema_of
schema = schema_of(["name: x, data_type: int64"])
with mp.open_writer(sys.argv[1], schema, overwrite=True, row_group_size=1000) as writer:
    for index in range(10**9):
        writer.write({"x": np.arange(1000)})
        if index == 20:
            print("going", flush=True)
"""


@pytest.mark.parametrize("old", [False, True])
def test_a_process_that_is_killed_leaves_no_half_file_under_the_name(tmp_path, old):
    path = tmp_path / "x.parquet"
    if old:
        mp.write_table({"x": [5]}, path, ints())
    command = [sys.executable, "-c", KILLED, str(path), TESTS]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        began = process.stdout.readline()
        process.kill()
    assert began == b"going\n"
    assert [name for name in names(tmp_path) if not name.startswith(".")] == (["x.maml", "x.parquet"] if old else [])
    left = [name for name in names(tmp_path) if name.startswith(".")]
    assert len(left) == 2
    for name in left:
        with pytest.raises(pa.ArrowInvalid):
            pq.read_metadata(tmp_path / name)
    if old:
        assert pq.read_table(path)["x"].to_pylist() == [5]
    mp.write_table({"x": [6]}, path, ints(), overwrite=True)
    assert pq.read_table(path)["x"].to_pylist() == [6]


LARGE = """
import resource, sys
sys.path.insert(0, sys.argv[2])
import numpy as np
import maml_parquet as mp
from maml_written import schema_of

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

fields = [f"name: x{i}, data_type: float64, qc: {{min: 0, max: 1}}" for i in range(5)]
schema = schema_of([*fields, "name: s, data_type: string, array_size: auto"])
generator = np.random.default_rng(5)
base = None
# 5 * 8 bytes and some 9 for the string, 200 000 rows: 10 MB a batch, 40 batches.
with mp.open_writer(sys.argv[1], schema, row_group_size=400_000) as writer:
    for index in range(40):
        batch = {f"x{i}": generator.random(200_000) for i in range(5)}
        batch["s"] = ["name%d" % (i % 1000) for i in range(200_000)]
        writer.write(batch)
        if index == 4:
            base = peak()
print(peak() - base)
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", LARGE, str(tmp_path / "x.parquet"), TESTS], stdout=subprocess.PIPE, check=True
    )
    # 40 batches are 400 MB; two row groups, 40 MB, are allowed on top of what the first five took.
    assert int(done.stdout) < 40 * 2**20
    assert pq.read_metadata(tmp_path / "x.parquet").num_rows == 8_000_000


def test_arrays_that_are_used_again_for_the_next_batch_are_written_as_they_were(tmp_path):
    values = np.arange(4.0)
    vectors = np.arange(8, dtype="f4").reshape(4, 2)
    schema = schema_of(["name: x, data_type: float64", "name: v, data_type: float32, col_size: 2"])
    with mp.open_writer(tmp_path / "x.parquet", schema) as writer:
        for _ in range(3):
            writer.write({"x": values, "v": vectors})
            values += 4
            vectors += 8
    found = pq.read_table(tmp_path / "x.parquet")
    assert found["x"].to_pylist() == list(range(12))
    assert found["v"].to_pylist() == [[2 * i, 2 * i + 1] for i in range(12)]


CHECKED = ["name: x, data_type: float64, qc: {min: 0, max: '< 10', miss: ''}", "name: y, data_type: float64"]


def test_what_is_outside_its_bounds_is_two_warnings_a_column_and_is_written(tmp_path):
    rows = [[1.0, None], [10.0, -1.0], [float("nan"), 2.0]]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with mp.open_writer(tmp_path / "x.parquet", schema_of(CHECKED)) as writer:
            for batch in rows:
                writer.write({"x": pa.array(batch), "y": pa.array(batch)})
    texts = [str(one.message) for one in caught]
    assert {one.category for one in caught} == {MamlWarning}
    assert len(texts) == 2
    assert all("'x'" in text for text in texts)
    # One Null of six; of the five values 10 is not below 10, -1 is below 0, and NaN is in no bounds: three.
    null, outside = sorted(texts, key=lambda text: "Null" not in text)
    assert "1" in null
    assert "3 of 5" in outside
    assert len(pq.read_table(tmp_path / "x.parquet")) == 6


def test_without_checks_nothing_is_told(tmp_path):
    mp.write_table({"x": [99.0], "y": [1.0]}, tmp_path / "x.parquet", schema_of(CHECKED), qc=False)
    assert mp.load(tmp_path / "x.maml").fields[0].qc.min.value == 0


@pytest.mark.parametrize(
    ("miss", "expected"), [("miss: Null", 0), ("miss: ", 1), ("miss: ''", 1), ("max: 5", 0), ("miss: NA", 0)]
)
def test_three_states_of_miss(tmp_path, miss, expected):
    schema = schema_of([f"name: x, data_type: int32, qc: {{{miss}}}"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mp.write_table({"x": pa.array([1, None])}, tmp_path / "x.parquet", schema)
    assert len(caught) == expected


def test_whole_numbers_are_compared_whole(tmp_path):
    schema = schema_of(["name: x, data_type: int64, qc: {max: 9007199254740992}"])
    # 2**53 + 1 is the same as 2**53 among the floats.
    with pytest.warns(MamlWarning, match="1 of 2"):
        mp.write_table({"x": [2**53, 2**53 + 1]}, tmp_path / "x.parquet", schema)


def test_a_warning_that_is_made_an_error_leaves_no_file(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(MamlWarning):
            mp.write_table({"x": [99.0], "y": [1.0]}, tmp_path / "x.parquet", schema_of(CHECKED))
    assert names(tmp_path) == []


def test_a_name_relative_to_a_folder_that_is_left_is_still_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with mp.open_writer("x.parquet", ints()) as writer:
        writer.write({"x": [1]})
        (tmp_path / "other").mkdir()
        os.chdir("other")
    assert names(tmp_path) == ["other", "x.maml", "x.parquet"]


@pytest.mark.parametrize("schema", ["x.maml", None, mp.parse("table: t\nfields: [{name: x, data_type: int32}]")])
def test_what_is_no_schema_is_an_error(tmp_path, schema):
    with pytest.raises(MamlError, match=r"give a Schema, like Schema\.from_maml"):
        mp.write_table({"x": [1]}, tmp_path / "x.parquet", schema)
    assert names(tmp_path) == []


def test_what_no_header_can_hold_is_an_error_before_rows_are_written(tmp_path):
    column = Column("x", "x", TypeToken("int32"), unit="m\x07")
    with pytest.raises(MamlError, match="x07"):
        mp.open_writer(tmp_path / "x.parquet", mp.Schema([column]))
    assert names(tmp_path) == []
    mp.write_table({"x": [1]}, tmp_path / "x.parquet", mp.Schema([replace(column, unit="m")]))
    assert mp.load(tmp_path / "x.maml").fields[0].unit == "m"


def test_values_that_say_they_are_in_another_unit_are_a_warning_once(tmp_path):
    schema = schema_of(["name: x, data_type: float64, unit: deg", "name: y, data_type: float64"])
    fields = [pa.field(name, pa.float64(), metadata={"unit": "arcsec"}) for name in "xy"]
    held = pa.table([[1.0], [2.0]], schema=pa.schema(fields))
    writer = mp.open_writer(tmp_path / "x.parquet", schema)
    writer.write(held)
    writer.write(held)
    with pytest.warns(MamlWarning) as caught:
        writer.close()
    text = "column 'x': the values are in 'arcsec', and the schema says 'deg'; nothing is converted"
    assert [str(one.message) for one in caught] == [text]
    assert pq.read_table(tmp_path / "x.parquet")["x"].to_pylist() == [1.0, 1.0]


def test_units_are_the_same_however_they_are_written(tmp_path):
    units = pytest.importorskip("astropy.units")
    table = pytest.importorskip("astropy.table")
    held = table.QTable({"x": [1.0, 2.0] * units.km / units.s})
    mp.write_table(held, tmp_path / "x.parquet", schema_of(["name: x, data_type: float64, unit: km/s"]))
    assert pq.read_table(tmp_path / "x.parquet")["x"].to_pylist() == [1.0, 2.0]
