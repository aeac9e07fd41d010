"""Maps that cannot be changed."""

import copy
import pickle

import pytest

from mlarray.meta.frozen import FrozenMap, freeze

NAN = float("nan")


@pytest.fixture
def frozen():
    return FrozenMap({"a": [1, {"b": [2, NAN]}], "c": {"d": b"x"}, "e": None})


def test_a_frozen_map_is_read_as_a_map(frozen):
    assert (list(frozen), len(frozen), frozen["e"], "c" in frozen, frozen.get("z", 7)) == (
        ["a", "c", "e"],
        3,
        None,
        True,
        7,
    )
    assert frozen["a"][1]["b"][0] == 2
    assert isinstance(frozen["a"], tuple)
    assert isinstance(frozen["c"], FrozenMap)
    assert dict(frozen["c"]) == {"d": b"x"} == {**frozen["c"]}


@pytest.mark.parametrize(
    "change",
    [
        lambda frozen: frozen.__setitem__("a", 1),
        lambda frozen: frozen["a"][1].__setitem__("b", 1),
        lambda frozen: frozen.__delitem__("a"),
        lambda frozen: setattr(frozen, "a", 1),
        lambda frozen: setattr(frozen, "_plain", {}),
        lambda frozen: frozen["a"].__setitem__(0, 1),
        lambda frozen: frozen["a"][1]["b"].append(1),
    ],
)
def test_nothing_in_it_can_be_changed(frozen, change):
    before = repr(frozen)
    with pytest.raises((TypeError, AttributeError), match=r"frozen|tuple|__setitem__"):
        change(frozen)
    assert repr(frozen) == before


def test_the_dict_it_gives_is_a_copy(frozen):
    out = frozen.to_dict()
    out["a"][1]["b"][0] = 5
    assert frozen["a"][1]["b"][0] == 2
    assert type(out["c"]) is dict
    assert type(out["a"]) is list


def test_equality_is_that_of_what_it_holds(frozen):
    assert frozen == {"a": [1, {"b": [2, float("nan")]}], "c": {"d": b"x"}, "e": None}, "NaN equals NaN"
    assert frozen == {"a": (1, {"b": (2, NAN)}), "c": frozen["c"], "e": None}, "tuples are lists"
    assert frozen != {"a": [1, {"b": [2, 3.0]}], "c": {"d": b"x"}, "e": None}
    assert frozen != {"a": {1}}
    assert frozen != 5
    assert frozen != [("a", 1)]
    assert FrozenMap({"a": 1, "b": 2}) == FrozenMap({"b": 2, "a": 1}), "order does not count"
    assert hash(FrozenMap({"a": 1, "b": 2})) == hash(FrozenMap({"b": 2, "a": 1}))


def test_it_pickles_and_copies(frozen):
    for made in (pickle.loads(pickle.dumps(frozen)), copy.copy(frozen), copy.deepcopy(frozen)):
        assert isinstance(made, FrozenMap)
        assert made == frozen


def test_maps_as_deep_as_files_hold_are_copied_compared_and_pickled():
    # 511 maps in one another below the map of the key `mlarray.user`: 512 in all.
    deep = 1
    for _ in range(511):
        deep = {"a": deep}
    frozen = FrozenMap(deep)
    assert frozen == frozen.to_dict() == pickle.loads(pickle.dumps(frozen))


def test_plain_values_stay_what_they_are():
    assert [freeze(value) for value in (None, True, 1, 1.5, "a", b"a")] == [None, True, 1, 1.5, "a", b"a"]
    assert freeze([[1], []]) == ((1,), ())
