"""Text to nodes: what is kept, what is refused, and within which bounds."""

import time

import pytest
import yaml

from maml_parquet.errors import MamlError
from maml_parquet.text.nodes import MAX_DEPTH, MAX_NODES, Mapping, Scalar, Sequence, compose

LOADERS = [pytest.param(yaml.BaseLoader, id="pure")]
if hasattr(yaml, "CBaseLoader"):
    LOADERS.append(pytest.param(yaml.CBaseLoader, id="libyaml"))


def plain(node):
    """Return lists, dicts and texts."""
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return {key.text: plain(value) for key, value in node.pairs}


def read(text, dialect="yaml", loader=None):
    root, problems = compose(text, dialect, loader=loader)
    assert problems == ()
    return plain(root)


def refusal(text, dialect="yaml", loader=None):
    with pytest.raises(MamlError) as caught:
        compose(text, dialect, loader=loader)
    [problem] = caught.value.problems
    return problem


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize(
    "text", ["1.10", "2024-01-01", "yes", "NO", "010", "1:30", "1_000", "Null", "~", "", "=", ".nan", "0x1F", "1e3"]
)
def test_every_scalar_is_its_text(text, loader):
    assert read(f"a: {text}", loader=loader) == {"a": text}


@pytest.mark.parametrize("loader", LOADERS)
def test_scalars_know_their_place_and_their_style(loader):
    root, _ = compose("a: x\nb:\n  - 'y'\n  - \"z\"\nc: |\n  t\nd: >\n  u\n", loader=loader)
    [a, b, c, d] = [value for _, value in root.pairs]
    assert a == Scalar("x", 1, 4, "plain")
    assert b.items == (Scalar("y", 3, 5, "single"), Scalar("z", 4, 5, "double"))
    assert (c.style, d.style, c.text, d.text) == ("literal", "folded", "t\n", "u\n")
    assert (b.line, b.column, root.line, root.column) == (3, 3, 1, 1)


def test_only_plain_scalars_are_null():
    root, _ = compose("a:\nb: null\nc: ~\nd: 'null'\ne: ''\nf: !!str null\ng: nULL\n")
    assert [value.is_null for _, value in root.pairs] == [True, True, True, False, False, False, False]


@pytest.mark.parametrize("loader", LOADERS)
def test_aliases_stand_for_what_they_refer_to(loader):
    assert read("a: &u mJy\nb: *u\nc: &l [1, 2]\nd: *l\n", loader=loader) == {
        "a": "mJy",
        "b": "mJy",
        "c": ["1", "2"],
        "d": ["1", "2"],
    }


@pytest.mark.parametrize(
    "text", ["---\na: b\n...\n", "%YAML 1.1\n---\na: b\n", "# c\na: b # d\n", "{a: b}", "? a\n: b\n"]
)
def test_marks_of_documents_comments_and_flow_maps_are_read(text):
    assert read(text) == {"a": "b"}


def test_core_tags_are_read():
    assert read("a: !!str 5\nb: !!seq [x]\nc: !!map {d: !!int 3}\ne: ! f") == {
        "a": "5",
        "b": ["x"],
        "c": {"d": "3"},
        "e": "f",
    }


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("", "shape", 1),
        ("# only a comment\n", "shape", 1),
        ("---\n", "shape", 1),
        ("- a\n", "shape", 1),
        ("word", "shape", 1),
        ("a: b\n---\nc: d\n", "yaml", 2),
        ("a: b\nc: d: e\n", "yaml", 2),
        ("a: b\n\tc: d\n", "yaml", 2),
        ("a:\n  - b\n c: d\n", "yaml", 3),
        ("a: 'b\n", "yaml", 2),
        ("a: >= 0\n", "yaml", 1),
        ("a: > 5\n", "yaml", 1),
        ("a: %b", "yaml", 1),
        ("a: b\nc: !x d\n", "yaml", 2),
        ("a: !!python/object:os.system d\n", "yaml", 1),
        ("a: !!binary aGk=\n", "yaml", 1),
        ("a: !!set {b}\n", "yaml", 1),
        ("? [a, b]\n: c\n", "yaml", 1),
        ("? {a: b}\n: c\n", "yaml", 1),
        ("a: &e {x: *e}\n", "yaml", 1),
        ("a: &e [*e]\n", "yaml", 1),
        ("a: *nothing\n", "yaml", 1),
        ("a: &l [1]\n*l : b\n", "yaml", 2),
    ],
)
def test_what_is_not_a_plain_map_is_one_problem_with_its_line(text, code, line, loader):
    problem = refusal(text, loader=loader)
    assert (problem.code, problem.line) == (code, line)


def test_hints_say_what_to_do():
    assert 'dialect="line"' in refusal("a: b: c").message
    assert "min: '> 5'" in refusal("min: > 5").message
    assert "not with tabs" in refusal("a:\n\tb: c").message


@pytest.mark.parametrize("loader", LOADERS)
def test_tabs_inside_values_are_kept(loader):
    assert read("a: 'b\tc'", loader=loader) == {"a": "b\tc"}


def test_keys_that_fold_together_are_duplicates_at_every_level():
    root, problems = compose("Table: a\nfields:\n- qc: {Min: 1, min: 2}\ntable: b\nÅ: 1\nå: 2\n")
    assert [(problem.code, problem.at, problem.line) for problem in problems] == [
        ("key-duplicate", ("fields", 0, "qc", "min"), 3),
        ("key-duplicate", ("table",), 4),
    ]
    assert "line 1" in problems[1].message
    assert plain(root)["Table"] == "a"


def test_below_the_keys_of_extra_names_are_data():
    assert read("Extra:\n  own: {mass: 1, MASS: 2}\n")["Extra"] == {"own": {"mass": "1", "MASS": "2"}}
    _, problems = compose("extra:\n  own: {mass: 1, mass: 2}\n  Own: 3\n")
    assert [problem.at for problem in problems] == [("extra", "own", "mass"), ("extra", "own")]


def test_escapes_do_not_bring_controls_in():
    _, problems = compose('a: "x\\0"\nb: "\\x1b"\nc: "y\\tz\\n"\n')
    assert [(problem.code, problem.at) for problem in problems] == [("encoding", ("a",)), ("encoding", ("b",))]


@pytest.mark.parametrize("loader", LOADERS)
def test_thirty_two_levels_are_the_most(loader):
    # the map is level 1, so the lists are one fewer
    deep = MAX_DEPTH - 1
    assert read("a: " + "[" * deep + "]" * deep, loader=loader)
    assert refusal("a: " + "[" * (deep + 1) + "]" * (deep + 1), loader=loader).code == "limit"
    # 16 lists, then an alias of a list of 16 within the map: 1 + 15 + 16 = 32, with one more 33
    half = "a: &h " + "[" * 16 + "]" * 16 + "\nb: "
    assert read(half + "[" * 15 + "*h" + "]" * 15, loader=loader)
    assert refusal(half + "[" * 16 + "*h" + "]" * 16, loader=loader).code == "limit"


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("text", ["[" * 100_000, "[\n" * 100_000, "- " * 50_000, "{a: " * 30_000, "? " * 50_000])
def test_deep_nests_end_soon_and_without_a_traceback(text, loader):
    begin = time.monotonic()
    assert refusal(text, loader=loader).code in ("limit", "yaml")
    assert time.monotonic() - begin < 5


def test_aliases_count_as_what_they_stand_for():
    bomb = "extra:\n  a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"  a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 10)
    )
    assert refusal(bomb).code == "limit"


def test_the_most_nodes_are_read_and_one_more_is_not():
    # root, key a, the list: 3 nodes; the items are the rest
    most = "a:\n" + "- x\n" * (MAX_NODES - 3)
    assert len(read(most)["a"]) == 99_997
    assert refusal(most + "- x\n").code == "limit"
    # an alias of a list of 9 counts 10: 3 + 10 (first) + 2 * 10 is below, but not with 9 999 of them
    assert refusal("a:\n- &l [1, 2, 3, 4, 5, 6, 7, 8, 9]\n" + "- *l\n" * 9_999).code == "limit"
    assert read("a:\n- &l [1, 2, 3, 4, 5, 6, 7, 8, 9]\n" + "- *l\n" * 9_998)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: something: and else", {"a": "something: and else"}),
        ("a: //h/x #new", {"a": "//h/x #new"}),
        ("a:b", {"a": "b"}),
        ("  # c\na: 'b'\n\nc: \"d\" # e\n", {"a": "b", "c": '"d" # e'}),
        ("a: 'it''s'", {"a": "it''s"}),
        ("a: >= 0", {"a": ">= 0"}),
        ("a: [1, 2]", {"a": "[1, 2]"}),
        ("a:\n- b: c\n- 'd'\n-\n", {"a": ["b: c", "d", ""]}),
        ("a:\n  b: c\nd:\n", {"a": {"b": "c"}, "d": ""}),
        (
            "Fields:\n- name: x\n  qc:\n    min: > 5\n  ucd:\n  - m: i\n-\n  name: y\n",
            {"Fields": [{"name": "x", "qc": {"min": "> 5"}, "ucd": ["m: i"]}, {"name": "y"}]},
        ),
        ("extra:\n  remap:\n    - a: b\n  sort:\n    - a: b\n", {"extra": {"remap": [{"a": "b"}], "sort": ["a: b"]}}),
    ],
)
def test_the_line_dialect_splits_at_the_first_colon(text, value):
    assert read(text, "line") == value


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("", "shape", 1),
        ("\n- a\n", "shape", 2),
        ("word", "yaml", 1),
        ("a: b\n  c: d\n", "yaml", 2),
        (": b\n", "yaml", 1),
        ("  a: b\nc: d\n", "yaml", 2),
        ("fields:\n- - a\n", "yaml", 2),
        ("a:\n- b\n  c\n", "yaml", 3),
    ],
)
def test_the_line_dialect_refuses_what_it_cannot_place(text, code, line):
    problem = refusal(text, "line")
    assert (problem.code, problem.line) == (code, line)


def test_the_line_dialect_has_the_same_limits():
    nest = "".join(" " * level + "a:\n" for level in range(MAX_DEPTH + 1))
    assert refusal(nest, "line").code == "limit"
    assert refusal("a:\n" + "- x\n" * MAX_NODES, "line").code == "limit"
    assert [problem.at for problem in compose("a: 1\nA: 2", "line")[1]] == [("a",)]


def test_both_dialects_agree_on_plain_files():
    text = "table: t\nfields:\n- name: x\n  qc:\n    min: 0\n- name: y\n  unit: m\n"
    root, _ = compose(text, "line")
    assert isinstance(root, Mapping)
    assert root == compose(text, "yaml")[0]
