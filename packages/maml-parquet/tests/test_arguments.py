"""What is given to a function and is none of what it takes is told as such, with what to give."""

import pytest

import maml_parquet as mp

TEXT = "table: t\nfields: [{name: x, data_type: int32}]\n"


@pytest.mark.parametrize(
    ("call", "name", "wanted"),
    [
        (lambda: mp.load(5), "path", "a path"),
        (lambda: mp.validate(5), "path", "a path"),
        (lambda: mp.read_table(5), "path", "a path"),
        (lambda: mp.open_table(None), "path", "a path"),
        (lambda: mp.write_table({"x": [1]}, 5, mp.Schema.from_maml(mp.parse(TEXT))), "path", "a path"),
        (lambda: mp.open_writer(None, mp.Schema.from_maml(mp.parse(TEXT))), "path", "a path"),
        (lambda: mp.entries(TEXT), "maml", "a parsed MAML"),
        (lambda: mp.valid_for(TEXT), "maml", "a parsed MAML"),
        (lambda: mp.Schema.from_maml(TEXT), "maml", "a parsed MAML"),
        (lambda: mp.Schema.from_maml(mp.parse(TEXT), TEXT), "base", "a parsed MAML"),
        (lambda: mp.validate_user(TEXT, mp.parse(TEXT)), "user", "a parsed MAML"),
        (lambda: mp.validate_user(mp.parse(TEXT), "base.maml"), "base", "a parsed MAML"),
    ],
)
def test_what_is_of_another_type_is_told_with_what_to_give(call, name, wanted):
    with pytest.raises(mp.MamlError, match=f"{name}: {name} is of the type .*; give {wanted}") as caught:
        call()
    assert (caught.value.code, caught.value.at) == ("argument", (name,))


def test_a_maml_that_was_parsed_is_validated_by_the_role_and_profile_that_are_given():
    maml = mp.parse("extra: {remap: [ra: RA]}\n", role="read", source="a.maml")
    mp.validate(maml, role="read")
    with pytest.raises(mp.MamlError, match=r"a\.maml:1:1 table: there is no table") as caught:
        mp.validate(maml)
    assert [problem.code for problem in caught.value.problems] == ["table-missing", "fields-missing"]
    mp.validate(mp.parse(TEXT))
    with pytest.raises(mp.MamlError, match="which the specification wants") as caught:
        mp.validate(mp.parse(TEXT), profile="spec-1.0")
    # version, date and author.
    assert [problem.code for problem in caught.value.problems] == ["key-missing"] * 3
    for wrong in ({"role": "writer"}, {"profile": "spec"}):
        with pytest.raises(mp.MamlError) as caught:
            mp.validate(maml, **wrong)
        assert caught.value.code == "argument"


def test_a_maml_that_was_parsed_with_words_for_types_is_validated_with_them():
    maml = mp.parse("table: t\nfields: [{name: x, data_type: double}]\n", datamap={})
    mp.validate(maml, datamap={})
    with pytest.raises(mp.MamlError, match="'double' is no type"):
        mp.validate(maml)
