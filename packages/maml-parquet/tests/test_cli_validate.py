"""The command that says everything that is wrong with MAML files."""

import argparse
import json

import pytest

from maml_parquet.cli import validate
from maml_parquet.cli.main import main

GOOD = "table: t\nfields:\n- name: x\n  data_type: int32\n"
BAD = "author: A\nfields:\n- name: x\n  data_type: int8\n  qc:\n    min: '< 5'\n"


@pytest.fixture
def told(tmp_path, monkeypatch, capsys):
    """Return a function that writes files and answers the exit status, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments, **files):
        for name, text in files.items():
            (tmp_path / f"{name}.maml").write_bytes(text if isinstance(text, bytes) else text.encode())
        parser = argparse.ArgumentParser(prog="validate")
        validate.add(parser)
        status = validate.run(parser.parse_args(arguments))
        captured = capsys.readouterr()
        return status, captured.out.splitlines(), captured.err.splitlines()

    return call


def test_a_good_file_is_silent(told):
    assert told("a.maml", a=GOOD) == (0, [], [])


def test_every_problem_is_a_line_with_its_file_place_and_code(told):
    status, lines, errors = told("b.maml", b=BAD)
    assert (status, errors) == (1, [])
    assert lines == [
        "b.maml:1:1 table: there is no table; write table: <name> [table-missing]",
        "b.maml:4:14 fields[0].data_type: 'int8' is no type; the types are int32, int64, float32, float64, boolean, "
        "string, date, time, timestamp [type-invalid]",
        "b.maml:6:10 fields[0].qc.min: min is '< 5'; min takes >= or > (or no operator, which is >=) [qc-direction]",
    ]


def test_all_files_are_looked_at(told):
    status, lines, _ = told("none.maml", "b.maml", "a.maml", "c.maml", ".", a=GOOD, b=BAD, c=b"table: caf\xe9\n")
    assert status == 1
    assert [line.split(":")[0] for line in lines] == ["none.maml", "b.maml", "b.maml", "b.maml", "c.maml", "."]
    assert lines[0] == "none.maml:1:1 the file cannot be read: No such file or directory [file]"
    assert lines[4].startswith("c.maml:1:11 ")
    assert lines[4].endswith(" [encoding]")


def test_what_is_odd_is_no_problem(told):
    odd = GOOD + "keywords: [a, 'b;c']\n"
    status, lines, errors = told("a.maml", a=odd)
    assert (status, lines) == (0, [])
    assert errors == [
        "warning: a.maml:5:11 keywords: the keyword 'b;c' holds the ; that divides keywords; readers will see two "
        "[separator]"
    ]


def test_a_json_list_has_everything(told):
    status, lines, errors = told("--json", "a.maml", "b.maml", a=GOOD + "keywords: [a, 'b;c']\n", b=BAD)
    assert (status, errors) == (1, [])
    rows = json.loads("\n".join(lines))
    assert [(row["file"], row["line"], row["column"], row["code"], row["kind"]) for row in rows] == [
        ("a.maml", 5, 11, "separator", "notice"),
        ("b.maml", 1, 1, "table-missing", "problem"),
        ("b.maml", 4, 14, "type-invalid", "problem"),
        ("b.maml", 6, 10, "qc-direction", "problem"),
    ]
    assert rows[3]["path"] == "fields[0].qc.min"
    assert rows[3]["at"] == ["fields", 0, "qc", "min"]
    assert rows[3]["message"].startswith("min is '< 5'")
    assert told("--json", "a.maml", a=GOOD) == (0, ["[]"], [])


def test_profiles_roles_and_dialects(told):
    assert told("--role", "read", "a.maml", a="fields: [{name: x}]\n")[0] == 0
    assert told("--role", "table-type", "a.maml", a=GOOD + "  col_size: auto\n")[0] == 1
    assert told("--dialect", "line", "a.maml", a=GOOD + "author: a: b\n")[0] == 0
    assert told("a.maml", a=GOOD + "author: a: b\n")[0] == 1
    status, lines, _ = told("--profile", "spec-1.2", "a.maml", a=GOOD)
    assert (status, [line.rpartition("[")[2] for line in lines]) == (1, ["key-missing]"] * 3)


def test_columns_have_to_be_columns_of_the_base(told):
    user = "table: u\nfields:\n- {name: x, data_type: int32}\n- {name: y, data_type: int32}\n"
    status, lines, _ = told("--base", "a.maml", "u.maml", a=GOOD, u=user)
    assert (status, lines) == (
        1,
        [
            "u.maml:4:3 fields[1].name: the base has no column 'y'; remove the field, or rename a column to it with "
            "extra: col_map: [field-unknown]"
        ],
    )
    assert told("--base", "a.maml", "a.maml", a=GOOD)[0] == 0
    status, lines, _ = told("--base", "b.maml", "a.maml", a=GOOD, b=BAD)
    assert (status, {line.split(":")[0] for line in lines}) == (1, {"b.maml"})
    assert told("--base", "none.maml", "a.maml", a=GOOD)[0] == 1


def test_other_words_for_types(told):
    text = GOOD.replace("int32", "double") + "- name: y\n  data_type: when\n"
    assert told("a.maml", a=text)[0] == 1
    assert told("--datamap", "", "a.maml", a=text)[0] == 1
    assert told("--datamap", "when=timestamp[ns,utc],float=float32", "a.maml", a=text)[0] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--profile", "spec", "a.maml"],
        ["--role", "writer", "a.maml"],
        ["--dialect", "toml", "a.maml"],
        ["--base", "a.maml", "--role", "read", "a.maml"],
        ["--base", "a.maml", "--profile", "spec-1.2", "a.maml"],
        ["--datamap", "float", "a.maml"],
        ["--datamap", "float=double", "a.maml"],
        ["--datamap", "int32=int64", "a.maml"],
    ],
)
def test_wrong_arguments_are_told(told, arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        told(*arguments, a=GOOD)
    assert caught.value.code == 2
    assert "usage: validate" in capsys.readouterr().err


def test_what_cannot_be_seen_is_an_escape(told):
    status, lines, _ = told("a.maml", a=GOOD + '"a\\nb\\u202e": c\n')
    assert status == 1
    assert "a.maml:5:1 a\\nb\\u202e: " in lines[0]
    assert len(lines) == 1
    [line] = told("a\x00b.maml", a=GOOD)[1]
    assert line.startswith("a\\x00b.maml:1:1 path: path is 'a\\x00b.maml', which holds a character that no name")
    assert line.endswith(" [argument]")


def test_it_is_a_word_of_the_command(tmp_path, capsys):
    path = tmp_path / "a.maml"
    path.write_text(GOOD)
    assert main(["validate", str(path)]) == 0
    path.write_text(BAD)
    assert main(["validate", str(path)]) == 1
    assert len(capsys.readouterr().out.splitlines()) == 3
