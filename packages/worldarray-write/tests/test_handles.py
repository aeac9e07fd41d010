"""Writable handles: how they are got, that they travel to processes, and what they are called."""

import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import tensorstore as ts
import write_workers
from trees import CENTRE, VOXEL, counted, tree

import worldarray as wa
import worldarray_write
from worldarray import WRITE_NAMES
from worldarray.errors import AccessError, ArgumentError, ArgumentTypeError, StoreUnavailableError
from worldarray_write import WritableArray, WritablePyramid

SHAPE, CHUNKS = (7, 11, 13), (3, 4, 5)
HERE = Path(__file__).parent


def make(path, **changes):
    given = {"shape": SHAPE, "dtype": "uint16", "voxel_size": VOXEL, "translation": CENTRE, "chunks": CHUNKS}
    return wa.create(path, **{**given, **changes})


@pytest.fixture
def group(tmp_path):
    """s0 of (7, 11, 13), and s1 with voxels of (30, 16, 12) nm, both with data."""
    vol = make(tmp_path / "em.zarr" / "s0")
    vol.write_index((0, 0, 0), SHAPE, counted(SHAPE))
    coarse = wa.open_pyramid(tmp_path / "em.zarr", mode="r+").add_level("s1", (1, 2, 3))
    coarse.write_index((0, 0, 0), (7, 6, 5), counted((7, 6, 5)) + 1000)
    return tmp_path / "em.zarr"


WAYS = {
    "create": ("s2", lambda group: make(group / "s2", voxel_size=(60, 16, 12))),
    "adopt": ("s0", lambda group: make(group / "s0", exists="adopt")),
    "a Grid": ("s2", lambda group: wa.create(group / "s2", grid=_grid(), dtype="uint16", chunks=CHUNKS)),
    "open an array": ("s0", lambda group: wa.open(group / "s0", mode="r+")),
    "open a level by name": ("s1", lambda group: wa.open(group, level="s1", mode="r+")),
    "open a level by position": ("s1", lambda group: wa.open(group, level=1, mode="r+")),
    "open a level by size": ("s1", lambda group: wa.open(group, voxel_size=(30, 16, 12), mode="r+")),
    "open in other units": ("s1", lambda group: wa.open(group, level="s1", units="um", mode="r+")),
    "a pyramid by name": ("s1", lambda group: wa.open_pyramid(group, mode="r+").by_name("s1")),
    "a pyramid by size": ("s1", lambda group: wa.open_pyramid(group, mode="r+").select((30, 16, 12))),
    "a pyramid's levels": ("s1", lambda group: wa.open_pyramid(group, mode="r+").levels[1]),
    "a pyramid by its level": ("s1", lambda group: wa.open_pyramid(group / "s0", mode="r+").by_name("s1")),
    "add_level": ("s2", lambda group: wa.open_pyramid(group, mode="r+").add_level("s2", 4)),
    "add_level by a level": ("s2", lambda group: wa.open_pyramid(group / "s0", mode="r+").add_level("s2", 4)),
    "reopen": ("s1", lambda group: wa.open(group, level="s1", mode="r+").reopen()),
    "reopen on another context": ("s0", lambda group: make(group / "s0", exists="adopt").reopen(wa.capped_context())),
}


def _grid():
    return wa.Grid(SHAPE, (60, 16, 12), CENTRE)


@pytest.mark.parametrize("way", WAYS)
def test_a_writable_handle_got_in_any_way_is_a_worldarray_that_pickles_copies_and_reopens(group, way):
    name, get = WAYS[way]
    vol = get(group)
    vol.ts.shape  # noqa: B018  (open: what is open does not travel)
    for handle in (vol, pickle.loads(pickle.dumps(vol)), copy.deepcopy(vol), copy.copy(vol), vol.reopen()):
        assert isinstance(handle, wa.WorldArray)
        assert type(handle) is WritableArray
        assert handle.writable
        assert handle.level_path == str(group / name)
        assert (handle.level_name, handle.meta, handle.grid) == (name, vol.meta, vol.grid)
        unit = handle.blocks()[0]
        shape = tuple(e - b for b, e in zip(unit.begin, unit.end, strict=True))
        handle.write_chunk(unit.index, np.full(shape, 7, "uint16"))
        assert (wa.open(group, level=name).read_index(unit.begin, unit.end) == 7).all()
        handle.write_chunk(unit.index, np.full(shape, 8, "uint16"))


def test_a_pyramid_opened_for_writing_pickles(group):
    pyramid = pickle.loads(pickle.dumps(wa.open_pyramid(group, mode="r+")))
    assert type(pyramid) is WritablePyramid
    assert pyramid.add_level("s2", 4).levels == ("s0", "s1", "s2")
    assert all(level.writable for level in pyramid.levels)


def test_store_fill_travels_and_is_kept(group):
    vol = make(group / "s2", voxel_size=(60, 16, 12), store_fill=True)
    handles = (vol, pickle.loads(pickle.dumps(vol)), pickle.loads(pickle.dumps(vol.reopen())))
    for number, handle in enumerate(handles):
        handle.write_chunk((0, 0, number), np.zeros((3, 4, (5, 5, 3)[number]), "uint16"))
    assert vol.list_chunks() == [(0, 0, 0), (0, 0, 1), (0, 0, 2)]


def test_what_was_set_on_a_handle_travels(group):
    vol = wa.open(group, level="s1", mode="r+")
    vol.padding, vol.retries = 9, wa.Retry(max_attempts=3)
    again = pickle.loads(pickle.dumps(vol))
    assert (again.padding, again.retries) == (9, wa.Retry(max_attempts=3))
    assert again.reopen().padding == 9


def test_reopening_for_writing_refuses_what_opening_does(group):
    vol = wa.open(group, level="s1", mode="r+")
    with pytest.raises(ArgumentTypeError, match="no 'mode'"):
        vol.reopen(mode="r")
    assert vol.reopen(select=None).writable


def test_workers_that_are_spawned_write_through_handles_that_were_sent(group):
    handles = [
        get(group) for way, (name, get) in WAYS.items() if name == "s0" or way in {"a pyramid by name", "create"}
    ]
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        told = [pool.submit(write_workers.told, vol) for vol in handles]
        for vol, answer in zip(handles, told, strict=True):
            assert answer.result(60) == write_workers.told(vol)
        for index, vol in enumerate(handles):
            pool.submit(write_workers.wrote, vol, index).result(60)
            unit = vol.blocks()[index]
            assert (vol.read_index(unit.begin, unit.end) == 7).all(), "a handle sees what other processes wrote"


# Fork ----------------------------------------------------------------------------------------------------------------

FORKED = """
import os, sys
import numpy as np
import worldarray as wa

vol = wa.open(sys.argv[1], level="s0", mode="r+")
if sys.argv[2] == "used":
    vol.read_index((0, 0, 0), (1, 1, 1))
if sys.argv[2] == "written":
    vol.write_chunk((0, 0, 0), np.ones((3, 4, 5), "uint16"))
sys.stdout.flush()
pid = os.fork()
if not pid:
    try:
        vol.write_chunk((0, 0, 1), np.full((3, 4, 5), 7, "uint16"))
        made = wa.open_pyramid(sys.argv[1], mode="r+").add_level("s9", 9)
        print("wrote", made.level_name, flush=True)
    except wa.errors.ForkError as error:
        print("ForkError", "spawn or forkserver" in str(error), flush=True)
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.parametrize(
    ("parent", "said"), [("documents", "wrote s9"), ("used", "ForkError True"), ("written", "ForkError True")]
)
def test_a_forked_child_writes_unless_its_parent_had_used_tensorstore(group, parent, said):
    command = [sys.executable, "-W", "error", "-c", FORKED, str(group), parent]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.returncode) == (said, 0), done.stderr


# Errors of a store ---------------------------------------------------------------------------------------------------


class Failing:
    """A store whose writes fail, in place of tensorstore's."""

    def __init__(self, error, fail):
        self.error, self.left, self.asked = error, fail, 0

    def __getitem__(self, box):
        return self

    def write(self, values):
        return self

    def result(self, timeout=None):
        self.asked += 1
        self.left -= 1
        if self.left >= 0:
            raise self.error

    def cancel(self):
        return True


BUSY = 'UNAVAILABLE: Error writing "gs://bucket/em.zarr/s0/c/0/0/0": busy'


@pytest.fixture
def failing(monkeypatch, tmp_path):
    """Make a handle whose writes fail so many times with an error."""
    from worldarray.io import arrays, retry

    monkeypatch.setattr(retry.time, "sleep", lambda _: None)
    vol = make(tmp_path / "em.zarr" / "s0")

    def fail(error, times):
        store = Failing(error, times)
        monkeypatch.setattr(arrays, "open_in", lambda *_: store)
        return vol.reopen(), store

    return fail


def test_a_write_is_tried_once_unless_retries_are_given(failing):
    vol, store = failing(ValueError(BUSY), 1)
    with pytest.raises(StoreUnavailableError, match="write the same units again"):
        vol.write_chunk((0, 0, 0), counted(CHUNKS))
    assert store.asked == 1
    vol, store = failing(ValueError(BUSY), 2)
    vol.write_chunk((0, 0, 0), counted(CHUNKS), retries=wa.Retry(max_attempts=3, base_delay=0))
    assert store.asked == 3


def test_a_write_that_is_refused_says_so(failing):
    vol, _ = failing(ValueError('PERMISSION_DENIED: Error writing "c/0/0/0"'), 9)
    with pytest.raises(AccessError, match=r"refused"):
        vol.write_chunk((0, 0, 0), counted(CHUNKS))


def test_every_piece_of_a_write_has_ended_when_its_error_is_raised(failing):
    vol, store = failing(ValueError(BUSY), 1)
    with pytest.raises(StoreUnavailableError):
        vol.write_index((0, 0, 0), SHAPE, counted(SHAPE))  # 2 parts on each axis
    assert store.asked == 8


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_to_is_named(tmp_path):
    vol = make(tmp_path / "em.zarr" / "s0")
    (tmp_path / "em.zarr" / "s0").chmod(0o555)
    try:
        with pytest.raises(AccessError, match="s0"):
            vol.write_chunk((0, 0, 0), counted(CHUNKS))
    finally:
        (tmp_path / "em.zarr" / "s0").chmod(0o755)


def test_a_file_where_a_folder_of_chunks_belongs_is_an_error_that_names_it(tmp_path):
    vol = make(tmp_path / "em.zarr" / "s0")
    (tmp_path / "em.zarr" / "s0" / "c").write_bytes(b"")
    with pytest.raises((AccessError, StoreUnavailableError), match="s0/c"):
        vol.write_chunk((0, 0, 0), counted(CHUNKS))
    (tmp_path / "em.zarr" / "s0" / "c").unlink()
    vol.write_chunk((0, 0, 0), counted(CHUNKS))


def test_a_bucket_that_everyone_may_read_is_written_with_credentials(tmp_path, s3, monkeypatch):
    from servers import DENIED, PUBLIC

    answer = s3._app

    def signed_writes(environ, start_response):
        if environ["REQUEST_METHOD"] == "PUT" and "HTTP_AUTHORIZATION" not in environ:
            start_response("403 Forbidden", [("Content-Type", "application/xml"), ("Content-Length", str(len(DENIED)))])
            return [DENIED]
        return answer(environ, start_response)

    monkeypatch.setattr(s3, "_app", signed_writes)
    path = f"s3://{PUBLIC}/{tmp_path.name}/em.zarr"
    make(f"{path}/s0")
    wa.io.access.forget_ways()  # another process, which reads without credentials first
    vol = wa.open(path, level="s0", mode="r+")
    assert vol.read_index((0, 0, 0), (1, 1, 1)) == 0
    vol.write_index((0, 0, 0), SHAPE, counted(SHAPE))
    assert (wa.open(path, level="s0").read_index((0, 0, 0), SHAPE) == counted(SHAPE)).all()
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    with pytest.raises(AccessError, match="refused"):
        wa.open(path, level="s0", mode="r+").reopen(ts.Context()).write_chunk((0, 0, 0), counted(CHUNKS))


# Names ---------------------------------------------------------------------------------------------------------------


def test_every_function_of_the_package_is_reachable_as_wa_name():
    functions = {"codecs_of", "create", "ensure_group_entry", "level_placement", "level_shape", "ome_multiscales"}
    assert functions == set(WRITE_NAMES)
    for name in functions:
        assert getattr(wa, name) is getattr(worldarray_write, name)
    openers = {"WritableArray", "WritablePyramid", "open_writable", "open_writable_pyramid"}
    assert set(worldarray_write.__all__) == functions | openers
    assert all(callable(getattr(worldarray_write, name)) for name in openers)


def test_importing_core_imports_nothing_of_this_package_and_creating_documents_no_tensorstore(tmp_path):
    script = f"""
import sys, worldarray as wa
assert "worldarray_write" not in sys.modules
wa.create({str(tmp_path / "em.zarr" / "s0")!r}, {SHAPE}, "uint16", {VOXEL}, {CENTRE}, chunks={CHUNKS})
wa.open_pyramid({str(tmp_path / "em.zarr")!r}, mode="r+").add_level("s1", 2)
assert "worldarray_write" in sys.modules and "tensorstore" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert wa.open_pyramid(tmp_path / "em.zarr").names == ("s0", "s1")


def test_there_is_no_way_to_overwrite_or_delete():
    import inspect

    for function in (wa.create, wa.open, wa.open_pyramid, WritablePyramid.add_level, WritableArray.write_index):
        assert not {"overwrite", "delete", "truncate", "force"} & set(inspect.signature(function).parameters)
    public = {name for kind in (WritableArray, WritablePyramid) for name in dir(kind) if not name.startswith("_")}
    assert not {name for name in public if any(word in name for word in ("delete", "remove", "resize", "overwrite"))}


def test_reading_handles_have_no_writing(group):
    before = tree(group)
    vol = wa.open(group, level="s0")
    assert not vol.writable
    for name in ("write", "write_index", "write_chunk"):
        assert not hasattr(vol, name)
    with pytest.raises(ValueError, match="does not support writing"):
        vol.ts[0, 0, 0].write(1).result()
    with pytest.raises(ArgumentError):
        wa.open(group, level="s0", mode="w")
    assert tree(group) == before
