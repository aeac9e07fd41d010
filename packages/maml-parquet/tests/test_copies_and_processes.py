"""Open tables and writers that are copied, pickled, forked, used by threads, or left behind by `chdir`."""

import copy
import errno
import os
import pickle
import resource
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import maml_parquet as mp

TEXT = "table: t\nfields: [{name: a, data_type: float64, unit: deg}]"

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")


@pytest.fixture
def schema():
    return mp.Schema.from_maml(mp.parse(TEXT))


@pytest.fixture
def path(tmp_path, schema):
    folder = tmp_path / "folder"
    folder.mkdir()
    mp.write_table({"a": [1.5, 2.5]}, folder / "x.parquet", schema, write_maml=False)
    return folder / "x.parquet"


@pytest.mark.parametrize("name", ["x.parquet", "../folder"])
def test_a_relative_path_is_that_of_when_the_table_was_opened(name, path, monkeypatch):
    monkeypatch.chdir(path.parent)
    with mp.open_table(name) as table:
        monkeypatch.chdir("/")
        assert table.column("a").to_pylist() == [1.5, 2.5]
        table.reload()
        assert table.num_rows == 2
        assert repr(table) == f"ParquetTable({name!r}, names=('a',))"


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_tables_and_metadata_can_be_copied(copied, path):
    found = mp.metadata(path)
    assert found.columns["a"].unit == "deg"
    assert copied(found) == found
    assert copied(found).columns == found.columns
    with mp.open_table(path, filter="a > 2") as table:
        table.column("a")
        other = copied(table)
        assert other.to_arrow().to_pydict() == {"a": [2.5]}
        other.reload()
        other.close()


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_writer_cannot_be_copied(copied, schema, tmp_path):
    with mp.open_writer(tmp_path / "x.parquet", schema) as writer:
        with pytest.raises(mp.MamlError, match="cannot be copied; open one for each file"):
            copied(writer)
        writer.write({"a": [1.0]})
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["x.maml", "x.parquet"]


def forked(work):
    """Whether work goes well in a fork of this process."""
    child = os.fork()
    if not child:
        status = 1
        try:
            status = 0 if work() else 1
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


@needs_fork
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_writer_belongs_to_its_process(schema, tmp_path):
    def refused(call):
        try:
            call()
        except mp.MamlError as error:
            return "belongs to another process" in str(error)
        return False

    with mp.open_writer(tmp_path / "x.parquet", schema, row_group_size=2) as writer:
        writer.write({"a": [1.0, 2.0, 3.0]})
        assert forked(lambda: refused(writer.close) and refused(lambda: writer.write({"a": [9.0]})))
        assert forked(lambda: writer.discard() is None)
        writer.write({"a": [4.0]})
    assert mp.read_table(tmp_path / "x.parquet").column("a").to_pylist() == [1.0, 2.0, 3.0, 4.0]


@needs_fork
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
def test_a_full_disk_leaves_nothing_and_names_the_file(schema, tmp_path):
    def told():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            mp.write_table({"a": [number * 1.1 for number in range(5000)]}, tmp_path / "x.parquet", schema)
        except OSError as error:
            return error.errno == errno.EFBIG and error.filename == str(tmp_path / "x.parquet")
        return False

    assert forked(told)
    assert not list(tmp_path.iterdir())


def test_threads_read_the_files_of_a_folder_at_once(tmp_path):
    for number in range(4):
        table = pa.table({"a": range(number * 1000, number * 1000 + 1000)})
        pq.write_table(table, tmp_path / f"{number}.parquet", row_group_size=100)
    with mp.open_table(tmp_path) as table, ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: table.to_arrow().column("a").to_pylist(), range(40)))
    assert all(values == list(range(4000)) for values in found)


@pytest.mark.skipif(sys.platform != "linux", reason="names of Linux")
def test_a_name_that_is_not_utf8_is_told(path, schema):
    name = os.fsdecode(os.fsencode(path.parent) + b"/\xff.parquet")
    with pytest.raises(mp.MamlError, match="is a name that is not UTF-8"):
        mp.write_table({"a": [1.0]}, name, schema)
    path.rename(name)
    with pytest.raises(mp.MamlError, match="is a name that is not UTF-8"):
        mp.read_table(name)
    with pytest.raises(mp.MamlError, match="is a name that is not UTF-8"):
        mp.read_table(path.parent)


def test_an_empty_path_is_no_path(schema):
    for call in (mp.load, mp.read_table, mp.open_table, mp.metadata):
        with pytest.raises(mp.MamlError, match="is empty; give the path of a file"):
            call("")
    with pytest.raises(mp.MamlError, match="is empty; give the path of a file"):
        mp.write_table({"a": [1.0]}, "", schema)
