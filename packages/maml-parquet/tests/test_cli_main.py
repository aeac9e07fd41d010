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


@pytest.mark.parametrize("word", ["init", "header"])
def test_a_file_that_is_not_there_is_told_by_its_name(word, tmp_path, capsys):
    path = tmp_path / "none.parquet"
    assert main([word, str(path)]) == 1
    assert capsys.readouterr().err == f"{path}: No such file or directory\n"


def test_what_to_do_is_told_in_options(command, capsys):
    assert main(command) == 1
    told = capsys.readouterr().err
    assert told.startswith("s[1]: 'abc' has 3 characters")
    assert told.endswith("or write with --on-overlong warn\n")
    assert main([*command, "--on-overlong", "warn"]) == 0
    capsys.readouterr()
    assert main(command) == 1
    told = capsys.readouterr().err
    assert "--overwrite to replace it" in told
    assert "=" not in told
