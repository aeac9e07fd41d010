"""Real processes that create, list and fill levels of one group at once: nothing is lost and nothing is half there."""

import logging
import multiprocessing
import os
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import count

import numpy as np
import pytest
import write_workers
from servers import PUBLIC
from trees import datasets, tree

import worldarray as wa
from worldarray.errors import ArgumentError, StoreNotFoundError, StoreUnavailableError
from worldarray_write import creation
from worldarray_write.io import store

SHAPE, CHUNKS = write_workers.SHAPE, write_workers.CHUNKS
STORED = {
    "zarr2": {"format": "zarr2"},
    "zarr3": {},
    "sharded": {"shards": (3, 8, 5)},
}


@pytest.fixture(scope="module")
def pool():
    with ProcessPoolExecutor(8, mp_context=multiprocessing.get_context("spawn")) as executor:
        list(executor.map(str, range(8)))
        yield executor


def on_both(first, *others, names):
    """Cases on local disk, and the first of them on S3 as well."""
    rows = [("file", *row) for row in (first, *others)] + [("s3", *first)]
    return pytest.mark.parametrize(("group", *names), rows, indirect=["group"])


@pytest.fixture
def group(request, tmp_path):
    """A group path that every process reaches."""
    if request.param == "file":
        return str(tmp_path / "em.zarr")
    request.getfixturevalue("s3")
    return f"s3://{PUBLIC}/{tmp_path.name}/em.zarr"


BOTH = pytest.mark.parametrize("group", ["file", "s3"], indirect=True)


def at_once(pool, task, rows, **every):
    """Run a task in eight processes that begin at one time; return what each returned."""
    environment = {name: value for name, value in os.environ.items() if name.startswith("AWS_")}
    begin = time.time() + 0.1
    running = [
        pool.submit(write_workers.run, environment, begin, task, *arguments, **every, **named)
        for *arguments, named in rows
    ]
    return [each.result(60) for each in running]


def whole(vol):
    return vol.read_index((0,) * vol.ndim, vol.meta.shape)


# Units of one array --------------------------------------------------------------------------------------------------


@on_both(["sharded"], ["zarr2"], ["zarr3"], names=["stored"])
def test_eight_processes_fill_disjoint_units_of_one_array(pool, group, stored):
    vol = wa.create(f"{group}/s0", SHAPE, "uint16", **write_workers.PLACE, chunks=CHUNKS, **STORED[stored])
    done = at_once(pool, "fill", [(vol.path, first, 8, {}) for first in range(8)])
    units = list(vol.blocks())
    assert sum(done) == len(units) == (32 if stored == "sharded" else 64)
    assert vol.list_chunks() == [unit.index for unit in units]
    assert (whole(wa.open(vol.path)) == write_workers.values()).all()


@pytest.mark.parametrize("group", ["file"], indirect=True)
def test_eight_processes_that_got_one_handle_fill_it(pool, group):
    vol = wa.create(f"{group}/s0", SHAPE, "uint16", **write_workers.PLACE, chunks=CHUNKS)
    vol.write_chunk((0, 0, 0), np.full(CHUNKS, 9, "uint16"))  # the handle is open, and travels without that
    at_once(pool, "fill", [(vol, first, 8, {}) for first in range(8)])
    assert (whole(vol) == write_workers.values()).all()


def test_threads_that_share_one_handle_fill_it(tmp_path):
    vol = wa.create(tmp_path / "em.zarr" / "s0", SHAPE, "uint16", **write_workers.PLACE, chunks=CHUNKS)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda first: write_workers.fill(vol, first, 8), range(8)))
    assert (whole(vol) == write_workers.values()).all()


# Levels of one group -------------------------------------------------------------------------------------------------


@on_both(["zarr3"], ["zarr2"], names=["format"])
def test_eight_processes_that_create_levels_of_one_new_group_lose_no_entry(pool, group, format):
    sizes = [tuple(v * 2**number for v in (30.0, 8.0, 4.0)) for number in range(8)]
    rows = [(f"{group}/s{number}", {"voxel_size": size}) for number, size in enumerate(sizes)]
    assert at_once(pool, "make", rows, format=format) == [(SHAPE, (100.0, 20.0, 6.0))] * 8
    pyramid = wa.open_pyramid(group)
    assert pyramid.names == tuple(f"s{number}" for number in range(8))
    assert pyramid.voxel_sizes() == tuple(sizes)
    assert {meta.format for meta in pyramid.metas()} == {format}


@BOTH
def test_eight_processes_that_add_levels_to_one_group_lose_no_entry(pool, group):
    wa.create(f"{group}/s0", SHAPE, "uint16", **write_workers.PLACE, chunks=CHUNKS)
    at_once(pool, "add", [(group, f"s{number}", number + 1, {}) for number in range(1, 9)])
    pyramid = wa.open_pyramid(group)
    assert pyramid.names == tuple(f"s{number}" for number in range(9))
    assert [meta.shape[1] for meta in pyramid.metas()] == [13, 7, 5, 4, 3, 3, 2, 2, 2]  # ceil(13 / f)


@on_both(["zarr2"], ["zarr3"], ["sharded"], names=["stored"])
def test_eight_processes_that_adopt_one_level_make_it_once_and_fill_it(pool, group, stored):
    rows = [(f"{group}/s0", first, 8, {}) for first in range(8)]
    found = at_once(pool, "make_and_fill", rows, exists="adopt", attrs={"by": "us"}, **STORED[stored])
    assert [made for made, _ in found] == [(SHAPE, (100.0, 20.0, 6.0))] * 8
    assert (whole(wa.open(f"{group}/s0")) == write_workers.values()).all()
    assert wa.open(group, level="s0").meta.attrs == {"by": "us"}
    assert wa.open_pyramid(group).names == ("s0",)


@BOTH
def test_of_eight_processes_that_want_different_arrays_those_that_want_the_one_that_was_made_get_it(pool, group):
    shapes = [(10, 13, 16), (10, 13, 17)] * 4
    found = at_once(pool, "make", [(f"{group}/s0", {"shape": shape}) for shape in shapes], exists="adopt")
    made = wa.open(group, level="s0").shape
    assert made in shapes
    for shape, answer in zip(shapes, found, strict=True):
        assert answer == ((made, (100.0, 20.0, 6.0)) if shape == made else ("ArgumentError", {"shape"}))


@BOTH
def test_a_level_that_one_process_placed_is_never_moved_by_another(pool, group):
    places = [(100.0, 20.0, 6.0), (100.0, 20.0, 7.0)] * 4
    found = at_once(pool, "make", [(f"{group}/s0", {"translation": place}) for place in places])
    final = wa.open(group, level="s0").translation
    assert (SHAPE, final) in found
    for answer in found:
        assert answer == (SHAPE, final) or answer[0] in {"ArgumentError", "StoreExistsError"}


# Races, one step at a time -------------------------------------------------------------------------------------------


def make(path, **changes):
    given = {"shape": SHAPE, "dtype": "uint16", **write_workers.PLACE, "chunks": CHUNKS}
    return wa.create(path, **{**given, **changes})


@pytest.fixture
def quick(monkeypatch):
    """No pause of a lost race lasts; the pauses that were asked for are listed."""
    slept = []
    monkeypatch.setattr(creation.time, "sleep", slept.append)
    return slept


def race(monkeypatch, rival, *, before):
    """Let `rival` make the array just before one of this process's writes: of the "group" or of the "array"."""
    write, done = getattr(store, before), []

    def raced(*arguments, **named):
        if not done:
            done.append(True)
            rival()
        return write(*arguments, **named)

    monkeypatch.setattr(store, before, raced)


@pytest.mark.parametrize("format", ["zarr2", "zarr3"])
@pytest.mark.parametrize("exists", ["error", "adopt"])
@pytest.mark.parametrize("before", ["update_documents", "create_only"])
def test_a_creation_that_loses_the_race_adopts_what_the_other_made(tmp_path, monkeypatch, format, exists, before):
    path = tmp_path / "em.zarr" / "s0"
    race(
        monkeypatch, lambda: make(path, format=format).write_chunk((0, 0, 0), np.ones(CHUNKS, "uint16")), before=before
    )
    vol = make(path, format=format, exists=exists)
    assert (vol.read_index((0, 0, 0), CHUNKS) == 1).all()
    assert list(datasets(tmp_path / "em.zarr")) == ["s0"]


@pytest.mark.parametrize("before", ["update_documents", "create_only"])
@pytest.mark.parametrize(
    "change", [{"shape": (10, 13, 20)}, {"chunks": (3, 4, 8)}, {"dtype": "uint8"}, {"fill_value": 3}]
)
def test_a_creation_that_loses_the_race_to_another_array_says_every_difference(tmp_path, monkeypatch, before, change):
    path, made = tmp_path / "em.zarr" / "s0", []
    race(monkeypatch, lambda: (make(path, **change), made.append(tree(tmp_path))), before=before)
    with pytest.raises(ArgumentError) as caught:
        make(path)
    assert {found.at[-1] for found in caught.value.problems} == set(change)
    assert tree(tmp_path) == made[0]


@pytest.mark.parametrize("format", ["zarr2", "zarr3"])
def test_the_attributes_of_an_array_that_another_made_meanwhile_stay_theirs(tmp_path, monkeypatch, format):
    path, made = tmp_path / "em.zarr" / "s0", []
    race(monkeypatch, lambda: (make(path, format=format), made.append(tree(tmp_path))), before="update_documents")
    assert make(path, format=format, attrs={"by": "me"}).meta.attrs == {}
    assert tree(tmp_path) == made[0]


@pytest.mark.parametrize("change", [{"translation": (100.0, 20.0, 9.0)}, {"voxel_size": (30.0, 8.0, 5.0)}])
def test_a_level_that_was_made_meanwhile_keeps_its_place(tmp_path, monkeypatch, change):
    path, made = tmp_path / "em.zarr" / "s0", []
    race(monkeypatch, lambda: (make(path, **change), made.append(tree(tmp_path))), before="update_documents")
    with pytest.raises(ArgumentError, match=next(iter(change))):
        make(path)
    assert tree(tmp_path) == made[0]


def test_a_level_that_is_listed_elsewhere_and_being_made_is_waited_for(tmp_path, monkeypatch):
    path = tmp_path / "em.zarr" / "s0"
    make(path, translation=(100.0, 20.0, 9.0))
    (path / "zarr.json").rename(tmp_path / "later")  # the other process has listed its level and not made it yet
    monkeypatch.setattr(creation.time, "sleep", lambda _: (tmp_path / "later").rename(path / "zarr.json"))
    before = {name: data for name, data in tree(tmp_path / "em.zarr").items() if "s0" not in name}
    with pytest.raises(ArgumentError, match="translation"):
        make(path)
    assert before.items() <= tree(tmp_path / "em.zarr").items()
    assert datasets(tmp_path / "em.zarr")["s0"][1] == (100.0, 20.0, 9.0)


def test_an_entry_that_another_process_moves_while_the_array_is_made_is_noticed(tmp_path, monkeypatch, quick):
    path = tmp_path / "em.zarr" / "s0"
    create_only = store.create_only

    def moved(*arguments):
        made = create_only(*arguments)
        wa.ensure_group_entry(tmp_path / "em.zarr", "s0", (30.0, 8.0, 4.0), (100.0, 20.0, 9.0))
        return made

    monkeypatch.setattr(store, "create_only", moved)
    with pytest.raises(ArgumentError, match=r"translation.*20\.0, 9\.0.*20\.0, 6\.0"):
        make(path)


@pytest.mark.parametrize("late", [0, 1, 4])
def test_metadata_that_appears_late_is_waited_for_with_backoff(tmp_path, monkeypatch, quick, late):
    path = tmp_path / "em.zarr" / "s0"
    race(monkeypatch, lambda: make(path), before="create_only")
    looks = appearing(monkeypatch, path, late)
    assert make(path).shape == SHAPE
    assert quick == [0.5, 1.0, 1.5, 2.0][:late]
    assert looks() == late + 1


def test_metadata_that_never_appears_is_an_error_after_five_attempts(tmp_path, monkeypatch, quick):
    path = tmp_path / "em.zarr" / "s0"
    race(monkeypatch, lambda: make(path), before="create_only")
    looks = appearing(monkeypatch, path, 100)
    with pytest.raises((StoreUnavailableError, StoreNotFoundError), match=r"em\.zarr/s0"):
        make(path)
    assert looks() == 5
    assert quick[:4] == [0.5, 1.0, 1.5, 2.0]


def appearing(monkeypatch, path, late):
    """Hide an array from detection the first times it is looked for once it is there; count these looks."""
    detect, seen = creation.detect_node, count(1)
    looked = [0]

    def late_node(source, where):
        found = detect(source, where)
        if found is None:
            return None
        looked[0] = next(seen)
        return None if looked[0] <= late else found

    monkeypatch.setattr(creation, "detect_node", late_node)
    return lambda: looked[0]


def test_what_differs_in_storage_alone_is_adopted_and_logged_in_a_race_too(tmp_path, monkeypatch, caplog):
    path = tmp_path / "em.zarr" / "s0"
    race(monkeypatch, lambda: make(path, codecs="none"), before="create_only")
    with caplog.at_level(logging.INFO, "worldarray_write"):
        make(path)
    assert "codecs" in caplog.text


def test_threads_that_create_levels_of_one_group_lose_no_entry(tmp_path):
    sizes = [tuple(v * 2**number for v in (30.0, 8.0, 4.0)) for number in range(8)]
    barrier = threading.Barrier(8)

    def level(number):
        barrier.wait(10)
        return make(tmp_path / "em.zarr" / f"s{number}", voxel_size=sizes[number])

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(level, range(8)))
    assert wa.open_pyramid(tmp_path / "em.zarr").voxel_sizes() == tuple(sizes)
