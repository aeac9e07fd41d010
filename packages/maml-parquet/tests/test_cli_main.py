"""`maml-parquet`: what every word of the command says in the same way."""

from importlib.metadata import version

import pytest

from maml_parquet.cli.main import main

MAML = "table: t\nfields:\n- {name: s, data_type: string, array_size: 2}\n"


@pytest.fixture
def command(tmp_path):
    (tmp_path / "t.csv").write_text("s\nab\nabc\n")
    (tmp_path / "m.maml").write_text(MAML)
    return ["convert", str(tmp_path / "t.csv"), str(tmp_path / "x.parquet"), "--maml", str(tmp_path / "m.maml")]


def test_the_version_is_told(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"maml-parquet {version('maml-parquet')}\n"


def test_without_a_command_those_there_are_are_named(capsys):
    with pytest.raises(SystemExit) as caught:
        main([])
    assert caught.value.code == 2
    assert "required: {convert,header,init,validate}" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["init", "header"])
def test_a_file_that_is_not_there_is_told_by_its_name(word, tmp_path, capsys):
    path = tmp_path / "none.parquet"
    assert main([word, str(path)]) == 1
    assert capsys.readouterr().err == f"{path}: No such file or directory\n"


def test_what_to_do_is_told_in_options(command, tmp_path, capsys):
    assert main(command) == 1
    told = capsys.readouterr().err
    assert told.startswith("s[1]: 'abc' has 3 characters")
    assert told.endswith("or write with --on-overlong warn\n")
    assert main([*command, "--on-overlong", "warn"]) == 0
    capsys.readouterr()
    assert main(command) == 1
    told = capsys.readouterr().err
    assert "--overwrite to replace it" in told
    (tmp_path / "x.parquet").unlink()
    assert main([*command, "--on-overlong", "warn"]) == 1
    told += capsys.readouterr().err
    assert "x.maml' is there already" in told
    assert "or --no-sidecar to leave it" in told
    assert "=" not in told


def test_words_for_types_are_explained_by_the_option_that_there_is(command, tmp_path, capsys):
    (tmp_path / "m.maml").write_text("table: t\nfields:\n- {name: s, data_type: float}\n- {name: t, data_type: bool}\n")
    assert main(["validate", str(tmp_path / "m.maml")]) == 1
    told = capsys.readouterr().out
    assert "or say which with --datamap float=… [" in told
    assert "or read it as that with --datamap '' [" in told
    assert main(command) == 1
    assert "datamap" not in capsys.readouterr().err


def test_nan_out_of_bounds_is_told_with_what_makes_it_null(tmp_path, capsys):
    (tmp_path / "n.csv").write_text("x\n1.5\nnan\n")
    (tmp_path / "n.maml").write_text("table: t\nfields:\n- {name: x, data_type: float64, qc: {min: 0, miss: 'Null'}}\n")
    command = ["convert", str(tmp_path / "n.csv"), str(tmp_path / "n.parquet"), "--maml", str(tmp_path / "n.maml")]
    assert main(command) == 0
    assert "NaN is among them (--nan-is-null writes Nulls for NaN)" in capsys.readouterr().err
    assert main([*command, "--overwrite", "--nan-is-null"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", ["x.csv", "x.FITS"])
def test_parquet_gets_no_name_of_another_format(name, command, tmp_path, capsys):
    command[2] = str(tmp_path / name)
    assert main([*command, "--on-overlong", "warn"]) == 1
    assert "end it with .parquet" in capsys.readouterr().err
    assert not (tmp_path / name).exists()
