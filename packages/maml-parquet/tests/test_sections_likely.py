"""Messages that ask whether another word was meant."""

import pytest

import maml_parquet as mp

FIELD = "table: t\nfields:\n- name: x\n  data_type: float64\n"


@pytest.mark.parametrize(
    ("text", "path", "meant"),
    [
        (f"authors: A\n{FIELD}", ("authors",), "author"),
        (f"columns: []\n{FIELD}", ("columns",), "fields"),
        (f"{FIELD}  colsize: 2\n", ("fields", 0, "colsize"), "col_size"),
        (f"{FIELD}  Units: m\n", ("fields", 0, "units"), "unit"),
        (f"{FIELD}  qc: {{mim: 0}}\n", ("fields", 0, "qc", "mim"), "min"),
        (FIELD.replace("float64", "flaot64"), ("fields", 0, "data_type"), "float64"),
        (FIELD.replace("float64", "datetime"), ("fields", 0, "data_type"), "timestamp"),
        (FIELD.replace("float64", "string(10)"), ("fields", 0, "data_type"), "string"),
    ],
)
def test_a_word_like_another_is_asked_about(text, path, meant):
    (problem,) = mp.problems(text)
    assert problem.at == path
    assert f"; did you mean {meant!r}? " in problem.message


@pytest.mark.parametrize("key", ["wavelength", "zzz"])
def test_a_word_like_no_other_is_not(key):
    (problem,) = mp.problems(f"{FIELD}  {key}: m\n")
    assert "did you mean" not in problem.message


def test_a_key_that_stands_askew_is_told_where_it_belongs():
    (problem,) = mp.problems("table: t\nfields:\n - name: x\n   data_type: float64\n  - name: y\n")
    assert (problem.code, problem.line) == ("yaml", 5)
    assert "begin at the same column" in problem.message


def test_a_brace_that_is_left_open_is_told():
    (problem,) = mp.problems("table: t\nfields:\n- {name: x, data_type: float64\n- {name: y, data_type: float64}\n")
    assert (problem.code, problem.line) == ("yaml", 4)
    assert "is not closed" in problem.message


@pytest.mark.parametrize(("text", "is_told"), [("stars.maml", True), ("a/B.YML", True), ("stars", False)])
def test_a_name_of_a_file_instead_of_its_text_is_told(text, is_told):
    (problem,) = mp.problems(text)
    assert problem.code == "shape"
    assert problem.message.endswith("; `load` reads a file") == is_told
