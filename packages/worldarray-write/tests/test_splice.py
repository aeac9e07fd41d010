"""Edits of JSON text: what is asked for changes, and nothing else does, byte for byte."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldarray.errors import ArgumentError, PlacementError
from worldarray_write import splice

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6)
)
keys = st.text(max_size=4) | st.sampled_from(["datasets", "a/b", 'q"uote', "back\\slash", "{", "]", ",", "é"])
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4), max_leaves=12
)
documents = st.dictionaries(keys, values, min_size=1, max_size=4) | st.lists(values, min_size=1, max_size=4)
LAYOUTS = (
    {},
    {"indent": 2},
    {"indent": "\t"},
    {"separators": (",", ":")},
    {"separators": (" , ", " : ")},
    {"ensure_ascii": False},
    {"indent": 1, "separators": (" ,", ": ")},
)


def paths_of(value, path=()):
    """Every path of a JSON value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in items:
        yield from paths_of(entry, (*path, key))


def at(value, path):
    for part in path:
        value = value[part]
    return value


def updated(document, path, value):
    """The document with a value at a path: the same edit made to the parsed document."""
    if not path:
        return value
    copy = json.loads(json.dumps(document))
    holder = at(copy, path[:-1])
    if isinstance(holder, list) and path[-1] == len(holder):
        holder.append(value)
    else:
        holder[path[-1]] = value
    return copy


@st.composite
def written(draw):
    """A document as text in some layout, with what json makes of it."""
    document = draw(documents)
    text = json.dumps(document, **draw(st.sampled_from(LAYOUTS)))
    mark, space = draw(st.sampled_from(["", "\ufeff"])), draw(st.sampled_from(["", "\n", " \r\n "]))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return f"{mark}{space}{text}{space}", document


def loaded(text):
    return json.loads(text.removeprefix("\ufeff"))


@settings(max_examples=200, deadline=None)
@given(written(), st.data())
def test_the_span_of_a_path_is_the_text_of_its_value(made, data):
    text, document = made
    path = data.draw(st.sampled_from(list(paths_of(document))))
    begin, end = splice.span_of(text, path)
    assert json.loads(text[begin:end]) == at(document, path)
    assert text[begin:end] == text[begin:end].strip()


@settings(max_examples=250, deadline=None)
@given(written(), values, st.data())
def test_a_value_is_replaced_or_added_and_the_rest_keeps_its_bytes(made, value, data):
    text, document = made
    path = data.draw(st.sampled_from(list(paths_of(document))))
    holder = at(document, path)
    span = splice.span_of(text, path)
    if data.draw(st.booleans()) and isinstance(holder, dict | list):
        path = (
            *path,
            data.draw(keys.filter(lambda key: key not in holder)) if isinstance(holder, dict) else len(holder),
        )
    after = splice.with_value(text, path, value)
    assert loaded(after) == updated(document, path, value)
    if path and splice.span_of(text, path) is None:
        begin, end = span  # of the container that it was added to
        assert after[:begin] == text[:begin]
        assert after[len(after) - len(text) + end :] == text[end:]
        for child in holder if isinstance(holder, dict) else range(len(holder)):
            assert raw(after, (*path[:-1], child)) == raw(text, (*path[:-1], child))
    else:
        begin, end = span
        assert after[:begin] == text[:begin]
        assert after[len(after) - len(text) + end :] == text[end:]


def raw(text, path):
    begin, end = splice.span_of(text, path)
    return text[begin:end]


@settings(max_examples=150, deadline=None)
@given(written(), values, st.data())
def test_entries_are_inserted_removed_and_moved_with_their_bytes(made, value, data):
    text, document = made
    lists = [path for path in paths_of(document) if isinstance(at(document, path), list)]
    if not lists:
        return
    path = data.draw(st.sampled_from(lists))
    entries = at(document, path)
    index = data.draw(st.integers(0, len(entries)))
    wanted = [*entries[:index], value, *entries[index:]]
    after = splice.inserted(text, path, index, value)
    assert loaded(after) == updated(document, path, wanted)
    texts = [raw(text, (*path, i)) for i in range(len(entries))]
    found = [raw(after, (*path, i)) for i in range(len(wanted))]
    assert found[:index] + found[index + 1 :] == texts
    assert loaded(splice.removed(after, path, index)) == document
    to = data.draw(st.integers(0, len(entries)))
    others = found[:index] + found[index + 1 :]
    moved = splice.moved(after, path, index, to)
    assert [raw(moved, (*path, i)) for i in range(len(wanted))] == [*others[:to], found[index], *others[to:]]


# By hand -------------------------------------------------------------------------------------------------------------

FOREIGN = (
    '{"numbers": [1.10, 1e400, -0.0, 123456789012345678901234567890, 1E+2],\n'
    '  "text" : "\\u00e9 \\ud800 é \\/",  "twice": 1, "twice": {"a": [0.50]},\t"list":[ ]}\n'
)


@pytest.mark.parametrize(
    ("path", "value", "old", "new"),
    [
        (("numbers", 0), 2.5, "[1.10,", "[2.5,"),
        (("numbers", 1), None, "1e400", "null"),
        (("text",), "s", '"\\u00e9 \\ud800 é \\/"', '"s"'),
        (("twice", "a", 0), 0.25, "0.50", "0.25"),  # the last of the two counts
        (("twice", "b"), 1, "[0.50]}", '[0.50], "b": 1}'),
        (("numbers", 5), 1, "1E+2]", "1E+2, 1]"),
    ],
)
def test_one_value_changes_and_every_other_byte_stays(path, value, old, new):
    assert FOREIGN.count(old) == 1
    assert splice.with_value(FOREIGN, path, value) == FOREIGN.replace(old, new)


@pytest.mark.parametrize(
    ("text", "path", "value", "wanted"),
    [
        ('{"a": 1}', ("b",), [1.0, 2], '{"a": 1, "b": [1.0, 2]}'),
        ('{"a":1,"c":2}', ("b",), {"x": 1}, '{"a":1,"c":2,"b":{"x":1}}'),
        (
            '{\n    "a": 1\n}\n',
            ("b",),
            {"x": [1]},
            '{\n    "a": 1,\n    "b": {\n        "x": [\n            1\n        ]\n    }\n}\n',
        ),
        ('{\r\n\t"a": 1\r\n}', ("b",), {"x": 1}, '{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"x": 1\r\n\t}\r\n}'),
        ('{\n  "a": [\n    {"x": 1}\n  ]\n}', ("a", 1), {"x": 2}, '{\n  "a": [\n    {"x": 1},\n    {"x": 2}\n  ]\n}'),
        ('{\n  "a": [{"x": 1}]\n}', ("a", 1), {"x": 2}, '{\n  "a": [{"x": 1}, {"x": 2}]\n}'),
        ('{\n  "a": {}\n}', ("a", "b"), 1, '{\n  "a": {\n    "b": 1\n  }\n}'),
        ('{"a": [ ]}', ("a", 0), 1, '{"a": [1]}'),
        ("\ufeff{}\n", ("a",), 1.0, '\ufeff{\n  "a": 1.0\n}\n'),
    ],
)
def test_what_is_added_takes_the_documents_style(text, path, value, wanted):
    assert splice.with_value(text, path, value) == wanted


def test_a_float_is_written_so_that_it_is_read_back():
    for value in (0.1 + 0.2, 1e300, 5e-324, 10.48, -0.0, 1e22):
        assert repr(json.loads(splice.with_value('{"a": 1}', ("a",), value))["a"]) == repr(value)


@pytest.mark.parametrize(
    "path", [("b",), ("a", "b"), ("a", 0), (0,), ("list", 3), ("list", -1), ("list", "0"), ("list", True)]
)
def test_a_path_that_leads_nowhere_has_no_span(path):
    assert splice.span_of('{"a": 1, "list": [1, 2, 3]}', path) is None


@pytest.mark.parametrize("path", [("a", "b"), ("a", 0), ("missing", "b"), ("list", 4), ("list", "b"), (0,)])
def test_a_value_that_has_nowhere_to_go_is_refused(path):
    with pytest.raises(ArgumentError) as caught:
        splice.with_value('{"a": 1, "list": [1, 2, 3]}', path, 1)
    assert caught.value.code == "wrong_value"
    assert caught.value.at == path


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1, 2}])
def test_a_value_that_is_no_json_is_refused(value):
    with pytest.raises(ArgumentError):
        splice.with_value('{"a": 1}', ("a",), value)


@pytest.mark.parametrize(
    "text", ["", "\ufeff", "{", '{"a', '{"a" 1}', '{"a": 1', "[1", "[1,", '{"a": }', "[1 2]", '{"b": [}']
)
def test_text_that_is_not_json_is_refused_and_never_loops(text):
    with pytest.raises(PlacementError) as caught:
        splice.span_of(text, ("a",))
    assert caught.value.code == "not_json"


def test_nesting_of_any_depth_costs_no_recursion():
    deep = "[" * 50_000 + "]" * 50_000
    text = f'{{"deep": {deep}, "a": 1}}'
    assert splice.with_value(text, ("a",), 2) == f'{{"deep": {deep}, "a": 2}}'


@pytest.mark.parametrize(("index", "to"), [(3, 0), (0, 3), (-1, 0)])
def test_an_entry_that_is_not_there_is_neither_moved_nor_removed(index, to):
    with pytest.raises(ArgumentError):
        splice.moved("[1, 2, 3]", (), index, to)
    if not 0 <= index < 3:
        with pytest.raises(ArgumentError):
            splice.removed("[1, 2, 3]", (), index)
