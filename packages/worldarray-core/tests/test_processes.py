"""Processes and threads: handles under fork, forkserver, spawn and threads, and pickled however they were obtained.

What forks runs in a script of its own, so that the process of the tests, which has used tensorstore, never forks.
"""

import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import zipfile
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import stores
import volumes
import workers

import worldarray as wa
from worldarray import errors
from worldarray.errors import problem

HERE = Path(__file__).parent
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

PRELUDE = """
import os, sys
sys.path.insert(0, sys.argv[1])
import worldarray as wa
import workers

path, level = sys.argv[2], sys.argv[3]

def in_child(run):
    "Return what `run` prints in a forked child, and how the child ended."
    sys.stdout.flush()
    inlet, outlet = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(inlet)
        with os.fdopen(outlet, "w") as out:
            out.write(repr(run()))
        os._exit(0)
    os.close(outlet)
    with os.fdopen(inlet) as answer:
        text = answer.read()
    return text, os.waitpid(pid, 0)[1]

def refused(run):
    "Return the name and the text of the error that `run` raises."
    try:
        run()
    except wa.errors.WorldArrayError as error:
        return type(error).__name__ + ": " + str(error)
    return "nothing was raised"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("volumes")
    for kind in volumes.KINDS:
        volumes.write(made / kind, kind)
    return made


def script(body, *arguments):
    """Run a script in a fresh interpreter and return what it prints; its warnings are errors."""
    command = [sys.executable, "-W", "error", "-c", PRELUDE + body, str(HERE), *map(str, arguments)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# Fork ----------------------------------------------------------------------------------------------------------------


@needs_fork
@pytest.mark.parametrize("kind", volumes.KINDS)
def test_a_parent_that_read_documents_alone_forks_and_both_read(folder, kind):
    answer = script(
        """
pyramid = wa.open_pyramid(path)
pyramid.placements(), pyramid.metas(), pyramid.check(), pyramid.names
wa.metadata(path, 0, open=False), wa.detect(path), wa.detect(path + "/nothing", missing_ok=True)
vol, named = wa.open(path, level=0), pyramid.by_name(pyramid.names[1])
vol.box, vol.levels, vol.list_chunks() if "sharded" not in path else None, vol.blocks(), repr(vol), vol.target
assert "tensorstore" not in sys.modules
text, status = in_child(lambda: (workers.told(vol), workers.told(named)))
assert status == 0, status
assert text == repr((workers.told(vol), workers.told(named)))
print("read", in_child(lambda: 0)[1])
""",
        folder / kind,
        "",
    )
    assert answer == "read 0"


@needs_fork
def test_contexts_may_be_made_before_forking(folder):
    answer = script(
        """
import multiprocessing
context = wa.capped_context(1 << 20, concurrency=2)
vol = wa.open(path, level="s0", context=context)
shared = wa.open(path, level="s1", context=wa.shared_context())
text, status = in_child(lambda: (workers.told(vol)[4], workers.told(shared)[4]))
assert status == 0, status
assert text == repr((workers.told(vol)[4], workers.told(shared)[4]))
print("read")
""",
        folder / "zarr3",
        "",
    )
    assert answer == "read"


READS = {
    "read": "vol.read(vol.box)",
    "read_index": "vol.read_index((0, 0, 0), (1, 1, 1))",
    "read_index_async": "vol.read_index_async((0, 0, 0), (1, 1, 1)).result()",
    "read_many": "wa.read_many([(vol, (0, 0, 0), (1, 1, 1))])",
    "ts": "vol.ts",
    "a new handle": "wa.open(path, level='s0').read_index((0, 0, 0), (1, 1, 1))",
    "open_tensorstore": "wa.open_tensorstore(path, 's0')",
    "metadata": "wa.metadata(path, 's0')",
    "memory": "wa.detect('memory://em/s0', missing_ok=True)",
}


@needs_fork
@pytest.mark.parametrize("used", ["vol.read(vol.box)", "vol.ts", "wa.detect('memory://em', missing_ok=True)"])
def test_a_child_of_a_parent_that_used_tensorstore_is_refused_and_told_what_to_do(folder, used):
    answer = script(
        f"""
vol = wa.open(path, level="s0")
{used}
reads = {list(READS.values())!r}
text, status = in_child(lambda: [refused(lambda: eval(read)) for read in reads])
assert status == 0, status
for answer in eval(text):
    print(answer)
vol.read(vol.box)
text, status = in_child(lambda: (
    wa.metadata(path, "s0", open=False).shape, wa.open_pyramid(path).placements(), wa.open(path, level="s0").box,
    vol.read(vol.box.shift((1e6, 0, 0))).max(), vol.list_chunks()[0]))
assert status == 0 and text, status
""",
        folder / "zarr3",
        "",
    )
    lines = answer.splitlines()
    assert len(lines) == len(READS)
    for line in lines:
        assert line.startswith("ForkError: ")
        assert "spawn or forkserver" in line


@needs_fork
def test_a_grandchild_of_a_child_that_read_is_refused(folder):
    answer = script(
        """
vol = wa.open(path, level="s0")
def child():
    vol.read(vol.box)
    return in_child(lambda: refused(lambda: vol.read(vol.box)))
text, status = in_child(child)
assert status == 0
print(text)
""",
        folder / "zarr3",
        "",
    )
    assert "ForkError" in answer
    assert answer.endswith(", 0)")


@needs_fork
def test_a_fork_pool_as_people_write_it(folder):
    answer = script(
        """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
vol = wa.open(path, level="s0")
with multiprocessing.get_context("fork").Pool(2) as pool:
    blocks = list(vol.blocks(context=1))
    parts = pool.starmap(vol.read_index, [(block.read_begin, block.read_end) for block in blocks])
with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
    again = list(pool.map(vol.read_index, [b.read_begin for b in blocks], [b.read_end for b in blocks]))
whole = vol.read(vol.box)
for block, part, other in zip(blocks, parts, again):
    wanted = whole[tuple(slice(b, e) for b, e in zip(block.read_begin, block.read_end))]
    assert part.tobytes() == wanted.tobytes() == other.tobytes()
with multiprocessing.get_context("fork").Pool(1) as pool:  # this process has read
    print(refused(lambda: pool.apply(vol.read, (vol.box,))))
""",
        folder / "zarr3",
        "",
    )
    assert answer.startswith("ForkError: ")
    assert "spawn or forkserver" in answer


@needs_fork
def test_importing_leaves_a_process_light_and_safe_to_fork(folder):
    answer = script(
        """
heavy = {"tensorstore", "asyncio", "concurrent.futures", "multiprocessing", "urllib.request", "http.client", "ssl"}
print(sorted(heavy & set(sys.modules)))
text, status = in_child(lambda: workers.told(wa.open(path, level=level))[4])
assert status == 0
assert text == repr(workers.told(wa.open(path, level=level))[4])
""",
        folder / "n5",
        "s1",
    )
    assert answer == "[]"


# Spawn and forkserver ------------------------------------------------------------------------------------------------

MAIN = """
import multiprocessing
import sys

import numpy as np
import worldarray as wa

handle = None


def start(path):
    global handle
    handle = wa.open(path, level="s0", context=wa.capped_context())


def by_initializer(block):
    return handle.read_index(block.begin, block.end)


def by_handle(task):
    vol, block = task
    return vol.read_index(block.begin, block.end)


def by_path(task):
    path, block = task
    return wa.open(path, level="s0").read_index(block.begin, block.end)


def short(task):
    vol, block = task
    return vol.read_index((0,), (1,))


if __name__ == "__main__":
    path, method = sys.argv[1:]
    vol = wa.open(path, level="s0")
    whole = vol.read(vol.box)  # this process has read, and may still start workers
    blocks = vol.blocks()
    context = multiprocessing.get_context(method)
    if method == "forkserver":
        context.set_forkserver_preload(["worldarray", "tensorstore"])
    with context.Pool(2, start, (path,)) as pool:
        for run, tasks in (
            (by_initializer, list(blocks)),
            (by_handle, [(vol, block) for block in blocks]),
            (by_path, [(path, block) for block in blocks]),
        ):
            result = np.zeros_like(whole)
            for block, part in zip(blocks, pool.imap(run, tasks)):
                result[tuple(map(slice, block.begin, block.end))] = part
            assert result.tobytes() == whole.tobytes(), run
        try:
            pool.map(short, [(vol, blocks[0])])
        except wa.errors.ArgumentError as error:
            print(error)
"""


@pytest.mark.parametrize("method", [m for m in multiprocessing.get_all_start_methods() if m != "fork"])
def test_a_pool_as_people_write_it(folder, tmp_path, method):
    main = tmp_path / "main.py"
    main.write_text(MAIN, encoding="utf-8")
    command = [sys.executable, "-W", "error", str(main), str(folder / "zarr3-sharded"), method]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.startswith("begin: ")


@pytest.fixture(scope="module")
def worker():
    """One process that was spawned, as all of them are on macOS and Windows."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


def zipped(folder):
    archive = folder / "em.zip"
    if not archive.exists():
        with zipfile.ZipFile(archive, "w") as out:
            for path in sorted((folder / "zarr3").rglob("*")):
                if path.is_file():
                    out.write(path, f"em/{path.relative_to(folder / 'zarr3').as_posix()}")
    return f"{archive}|zip:em"


def channels(folder):
    path = folder / "channels"
    if not path.exists():
        data = stores.coded(2, 3, 4, 5)
        stores.placed(path, data, (1.0, 30.0, 8.0, 4.0), (0.0, 100.0, 20.0, 6.0), stores.CZYX, (1, 2, 2, 3))
    return path


def changed(vol, **attributes):
    for name, value in attributes.items():
        setattr(vol, name, value)
    return vol


def slashed(folder):
    path = folder / "slashed"
    if not path.exists():
        stores.zarr2(path, stores.coded(3, 4), (2, 2), {"voxel_size": [8, 4], "units": ["nm", "nm"]})
        document = (path / ".zarray").read_text(encoding="utf-8")
        (path / ".zarray").write_text(document.replace("{", '{"dimension_separator": "/", ', 1), encoding="utf-8")
    return path


def fields(folder):
    path = folder / "fields"
    if not path.exists():
        data = np.zeros((3, 4), [("a", "<u2"), ("b", "<f4")])
        data["a"], data["b"] = stores.coded(3, 4), 0.5
        stores.zarr2(
            path, data, (2, 2), {"voxel_size": [8, 4], "units": ["nm", "nm"]}, dtype=data.dtype.descr, fill_value=None
        )
    return path


WAYS = {
    "array path": lambda f: wa.open(f / "zarr3" / "s1"),
    "array path as text": lambda f: wa.open(f"{f}/zarr2/s0/"),
    "file URL": lambda f: wa.open((f / "zarr2" / "s0").as_uri()),
    "group and level name": lambda f: wa.open(f / "zarr3", level="s1"),
    "group and level position": lambda f: wa.open(f / "zarr3", level=np.int64(1)),
    "group and first": lambda f: wa.open(f / "zarr3-sharded", level="first"),
    "group and voxel size": lambda f: wa.open(f / "zarr3", voxel_size=(40, 17, 8)),
    "resample target": lambda f: wa.open(f / "zarr3", voxel_size=(40, 20, 9), on_mismatch="resample"),
    "resample target with an anchor": lambda f: wa.open(
        f / "zarr3", voxel_size=(40, 20, 9), on_mismatch="resample", anchor=(0, 1, 2), method="linear", padding=7
    ),
    "resampled array path": lambda f: wa.open(f / "n5" / "s0", voxel_size=(80, 17, 4), on_mismatch="resample"),
    "relabelled": lambda f: wa.open(f / "zarr3", voxel_size=(40, 20, 9), on_mismatch="relabel"),
    "kept": lambda f: wa.open(f / "zarr3", voxel_size=(40, 20, 9), on_mismatch="keep"),
    "pyramid by_name": lambda f: wa.open_pyramid(f / "zarr2").by_name("s1"),
    "pyramid select": lambda f: wa.open_pyramid(f / "zarr2").select((40, 18, 9)),
    "pyramid levels": lambda f: wa.open_pyramid(f / "zarr2", units="micrometer").levels[1],
    "pyramid by a level's path": lambda f: wa.open_pyramid(f / "zarr3" / "s1").by_name("s0"),
    "precomputed by level": lambda f: wa.open(f / "precomputed", level=volumes.key("s1")),
    "precomputed by position": lambda f: wa.open(f / "precomputed", level=1),
    "precomputed by path": lambda f: wa.open(f / "precomputed" / volumes.key("s1")),
    "precomputed by s1": lambda f: wa.open(f"precomputed://{f}/precomputed/s1"),
    "precomputed pyramid": lambda f: wa.open_pyramid(f / "precomputed-sharded").levels[1],
    "N5 by path": lambda f: wa.open(f / "n5" / "s1"),
    "N5 by group": lambda f: wa.open(f / "n5", level="s1"),
    "N5 pyramid": lambda f: wa.open_pyramid(f / "n5").by_name("s1"),
    "select": lambda f: wa.open(channels(f), level="s0", select={"c": 1}),
    "pyramid with select": lambda f: wa.open_pyramid(channels(f), select={"c": 1}).levels[0],
    "reopened on a capped context": lambda f: wa.open(f / "zarr3", level="s1").reopen(context=wa.capped_context()),
    "reopened with another unit": lambda f: wa.open_pyramid(f / "zarr3").by_name("s1").reopen(units="micrometer"),
    "reopened with a size": lambda f: wa.open(f / "zarr3", level=1).reopen(
        voxel_size=(40, 20, 9), on_mismatch="resample"
    ),
    "own context": lambda f: wa.open(f / "zarr3", level="s1", context=wa.capped_context(1 << 20, 2, network=False)),
    "transform": lambda f: wa.open(f / "zarr3", level="s1", transform=workers.doubled, padding=-1),
    "zip archive": lambda f: wa.open(zipped(f), level="s1"),
    "zip archive by array path": lambda f: wa.open(f"{zipped(f)}/s0"),
    "units by kind": lambda f: wa.open(channels(f) / "s0", units={"space": "micrometer", "time": "second"}),
    "own units": lambda f: wa.open(f / "zarr3", level="s1", units=None),
    "base voxel size": lambda f: wa.open(f / "zarr3", level="s1", base_voxel_size=(0.05, 0.01, 0.004), base_units="um"),
    "base voxel size by array path": lambda f: wa.open(f / "zarr3" / "s1", base_voxel_size=(50, 10, 4)),
    "edges and retries": lambda f: wa.open(f / "zarr3" / "s1", padding="edge", retries=wa.Retry(2, timeout=9)),
    "changed afterwards": lambda f: changed(
        wa.open(f / "zarr3" / "s1"), padding="edge", method="linear", retries=wa.Retry(3)
    ),
    "dimension separator": lambda f: wa.open(slashed(f), dimension_separator="."),
    "field": lambda f: wa.open(fields(f), field="b"),
    "strict units off": lambda f: wa.open(f / "zarr3" / "s1", strict_units=False, metadata_conflicts="warn"),
    "subclass": lambda f: workers.Named(wa.open(f / "zarr3", level="s1").opened),
    "copy": lambda f: copy.copy(wa.open(f / "zarr3", level="s1")),
    "deep copy": lambda f: copy.deepcopy(wa.open(f / "zarr3", level="s1")),
    "pickled before": lambda f: pickle.loads(pickle.dumps(wa.open(f / "zarr3", level="s1"))),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_handle_reads_the_same_in_a_spawned_process_however_it_was_obtained(folder, worker, way):
    vol = WAYS[way](folder)
    before = worker.submit(workers.told, vol)  # pickled as it was opened, nothing read yet
    here = workers.told(vol)
    assert before.result(60) == here
    assert worker.submit(workers.told, vol).result(60) == here
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert workers.told(pickle.loads(pickle.dumps(vol, protocol))) == here


def test_a_handle_on_a_relative_path_reads_the_same_wherever_the_process_stands(folder, worker, monkeypatch):
    monkeypatch.chdir(folder)
    vol = wa.open("zarr3", level="s0")
    here = workers.told(vol)
    monkeypatch.chdir("/")
    assert workers.told(pickle.loads(pickle.dumps(vol))) == here
    assert worker.submit(workers.told, vol).result(60) == here


@pytest.mark.parametrize("kind", volumes.KINDS)
def test_a_pyramid_travels(folder, worker, kind):
    pyramid = wa.open_pyramid(folder / kind, units="micrometer")
    assert worker.submit(workers.pyramid_told, pyramid).result(60) == workers.pyramid_told(pyramid)


def test_a_pickled_handle_holds_documents_and_no_voxels(folder):
    vol = wa.open(folder / "zarr3", level="s0")
    assert len(pickle.dumps(vol)) < 4096
    vol.read(vol.box, voxel_size=(80, 17, 8), method="linear")
    assert len(pickle.dumps(vol)) < 4096


@pytest.mark.parametrize(
    "record",
    [
        wa.Box((0, 1.5), (2, 3)),
        wa.Retry(3, timeout=2.0),
        wa.Grid((4, 5), (8.0, 4.0), (4.0, 2.0), axes=("y", "x"), units=("nm", "nm")),
        wa.blocks((40, 30), (16, 8), context=2),
        wa.blocks((40, 30), (16, 8), context=2)[3],
        wa.capped_context_spec(),
    ],
    ids=["Box", "Retry", "Grid", "Blocks", "Block", "context spec"],
)
def test_records_travel(worker, record):
    again = worker.submit(workers.same, record).result(60)
    if isinstance(record, wa.Blocks):
        assert list(again) == list(record)
    else:
        assert again == record


@pytest.mark.parametrize(
    "kind",
    [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.WorldArrayError)],
)
@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_errors_travel_with_their_problems(kind, count):
    problems = [problem("bad_chunk", (f"em/s{i}", "shape", i), f"message {i}") for i in range(count)]
    error = kind(*problems)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert (again.problems, again.code, again.at, str(again)) == (error.problems, error.code, error.at, str(error))


def test_errors_come_back_from_a_worker_as_they_are(worker, tmp_path):
    with pytest.raises(errors.StoreNotFoundError, match="does not exist"):
        worker.submit(workers.first_voxel, str(tmp_path / "nothing")).result(60)


# Threads -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", volumes.KINDS)
def test_eight_threads_read_one_handle_alike(folder, kind):
    """Each thread reads every block and the resampled whole, its first read among them: the handle is opened by one."""
    vol = wa.open(folder / kind, level=0, transform=workers.doubled)
    blocks = list(vol.blocks(context=1, clip=False))
    gate = threading.Barrier(8)

    def run(_):
        gate.wait(30)
        found = [vol.read_index(block.read_begin, block.read_end, padding=-1) for block in blocks]
        found.append(vol.read(vol.box, voxel_size=(60, 17, 6), method="linear"))
        found.append(vol.read_index_async((0, 0, 0), vol.shape).result())
        return [workers.checksum(array) for array in found]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(run, range(8)))
    assert answers == [answers[0]] * 8
    assert (vol.read_index((0, 0, 0), vol.shape) == 2.0 * volumes.values()).all()


def test_threads_open_and_read_different_levels_of_one_pyramid(folder):
    pyramid = wa.open_pyramid(folder / "zarr3")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda i: workers.told(pyramid.by_name(f"s{i % 2}"))[4], range(16)))
    assert found == [found[0], found[1]] * 8
