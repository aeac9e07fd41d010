"""`maml-parquet header`: for people, as JSON, and the documents as they stand."""

import io
import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from maml_parquet.cli.main import main
from maml_parquet.header.keys import file_items
from maml_parquet.schema.records import TableEntry, WrittenColumn
from maml_parquet.sections.types import TypeToken

MAML = "table: t\nauthor: Åsa\n"


def write(path, items, table=None):
    table = table if table is not None else pa.table({"ra": [1.5, 2.5, 3.5], "id": ["a", "bc", "d"]})
    with pq.ParquetWriter(path, table.schema, store_schema=False) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata(pa.KeyValueMetadata(list(items)))
    return path


@pytest.fixture
def own(tmp_path):
    columns = [
        WrittenColumn("ra", TypeToken("float64"), unit="deg", ucd="pos.eq.ra", info="right ascension"),
        WrittenColumn("id", TypeToken("string"), array_size=2),
    ]
    entries = [TableEntry("table", "t"), TableEntry("author", "Åsa", "first"), TableEntry("z", "0.5", "", "float64")]
    items = file_items(columns, entries, date="2024-05-06T07:08:09", maml=MAML)
    return write(tmp_path / "own.parquet", items)


def test_people_see_entries_and_columns(own, capsys):
    assert main(["header", str(own)]) == 0
    first, *lines = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{own}: 3 rows, 2 columns, by parquet-cpp-arrow")
    assert lines == [
        "written 2024-05-06T07:08:09",
        "",
        "entry   value  type     description",
        "table   t",
        "author  Åsa             first",
        "z       0.5    float64",
        "",
        "column  type     characters  unit  ucd        description",
        "ra      float64              deg   pos.eq.ra  right ascension",
        "id      string   2",
    ]


def test_a_file_that_says_nothing_shows_its_columns(tmp_path, capsys):
    path = write(tmp_path / "t.parquet", [])
    assert main(["header", str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["", "column", "ra", "id"]


def test_json_holds_everything(own, capsys):
    assert main(["header", str(own), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found.pop("created_by").startswith("parquet-cpp-arrow")
    assert found == {
        "file": str(own),
        "num_rows": 3,
        "date": "2024-05-06T07:08:09",
        "name": "t",
        "columns": [
            {
                "name": "ra",
                "unit": "deg",
                "description": "right ascension",
                "ucd": "pos.eq.ra",
                "datatype": "float64",
                "array_size": 1,
                "col_size": 1,
            },
            {
                "name": "id",
                "unit": "",
                "description": "",
                "ucd": "",
                "datatype": "string",
                "array_size": 2,
                "col_size": 1,
            },
        ],
        "entries": [
            {"key": "table", "value": "t", "description": "", "datatype": ""},
            {"key": "author", "value": "Åsa", "description": "first", "datatype": ""},
            {"key": "z", "value": "0.5", "description": "", "datatype": "float64"},
        ],
        "has_votable": True,
        "has_maml": True,
    }


def test_documents_are_printed_as_they_stand(own, capsysbinary):
    assert main(["header", str(own), "--maml"]) == 0
    assert capsysbinary.readouterr().out == MAML.encode()
    assert main(["header", str(own), "--xml"]) == 0
    out = capsysbinary.readouterr().out
    assert out.startswith(b'<?xml version="1.0" encoding="UTF-8"?>')
    assert "Åsa".encode() in out


def test_astropy_reads_the_xml_that_is_printed(own, capsysbinary):
    votable = pytest.importorskip("astropy.io.votable")
    main(["header", str(own), "--xml"])
    found = votable.parse(io.BytesIO(capsysbinary.readouterr().out), verify="exception")
    fields = found.get_first_table().fields
    assert [(field.name, str(field.unit or "")) for field in fields] == [("ra", "deg"), ("id", "")]


@pytest.mark.parametrize(("option", "what"), [("--xml", "VOTable"), ("--maml", "MAML")])
def test_a_document_that_is_not_there_is_an_error(option, what, tmp_path, capsys):
    path = write(tmp_path / "t.parquet", [("survey", "S")])
    assert main(["header", str(path), option]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert f"there is no {what} in the file" in err
    assert "t.parquet" in err


def test_a_file_that_is_none_is_one_line_of_error(tmp_path, capsys):
    (tmp_path / "t.txt").write_text("survey: S, and more of it\n")
    assert main(["header", str(tmp_path / "t.txt")]) == 1
    assert main(["header", str(tmp_path / "none")]) == 1
    first, second = capsys.readouterr().err.splitlines()
    assert "no parquet file" in first
    assert "none" in second


def test_a_header_that_cannot_be_read_warns(tmp_path, capsys):
    path = write(tmp_path / "t.parquet", [("IVOA.VOTable-Parquet.content", "<a>"), ("survey", "S")])
    assert main(["header", str(path)]) == 0
    out, err = capsys.readouterr()
    assert "survey" in out
    assert err.startswith("warning: ")
    assert "VOTable of the file cannot be read" in err


def test_two_forms_at_once_are_refused(own, capsys):
    with pytest.raises(SystemExit) as caught:
        main(["header", str(own), "--xml", "--json"])
    assert caught.value.code == 2
    assert "not allowed with" in capsys.readouterr().err


def test_characters_that_steer_a_terminal_are_escaped(tmp_path, capsys):
    path = write(tmp_path / "t.parquet", [("a\nb", "\x1b[2Jred\u202e"), ("column.ra.unit", "\x9b1m")])
    assert main(["header", str(path)]) == 0
    out = capsys.readouterr().out
    assert "a\\nb" in out
    assert "\\x1b[2Jred\\u202e" in out
    assert "\\x9b1m" in out
    assert all(letter.isprintable() or letter == "\n" for letter in out)


def test_letters_that_a_terminal_lacks_are_escaped(own):
    code = f"import sys; from maml_parquet.cli.main import main; sys.exit(main(['header', {str(own)!r}]))"
    environment = {"PYTHONIOENCODING": "ascii", "PYTHONWARNINGS": "error"}
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, env=environment)
    assert done.returncode == 0
    assert b"author  \\xc5sa" in done.stdout


def test_a_reader_that_goes_away_is_no_traceback(own):
    code = (
        "import sys\n"
        "from maml_parquet.cli.main import main\n"
        "class Gone:\n"
        "    encoding = 'utf-8'\n"
        "    def write(self, text): raise BrokenPipeError(32, 'Broken pipe')\n"
        "    def flush(self): pass\n"
        "sys.stdout = Gone()\n"
        f"sys.exit(main(['header', {str(own)!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")
