"""What happens to files when processes die, disks fill up, bytes flip, and others write meanwhile."""

import multiprocessing
import signal
import subprocess
import sys
import time
from importlib.metadata import version

import io_children
import numpy as np
import psutil
import pytest
from io_children import noise

from mlarray import FormatError, MLArray, MLArrayError
from mlarray.io.frame import read_header_of

TRUSTS_CHUNKS = tuple(map(int, version("blosc2").split(".")[:2])) < (4, 10)
INSIDE = pytest.mark.skipif(
    TRUSTS_CHUNKS,
    reason="blosc2 before 4.10 trusts the sizes inside of a chunk, which are not looked at when a file is opened: "
    "it divides by 0, or reads and frees memory that is not its own, once a damaged chunk is decoded",
)


@pytest.fixture
def path(tmp_path):
    MLArray(noise(1), axes=["z", "y", "x"], patch_size=32, user={"n": 1}).save(tmp_path / "a.mla")
    return tmp_path / "a.mla"


def python(script, *arguments, **options):
    return subprocess.Popen([sys.executable, "-c", script, *map(str, arguments)], **options)


SAVES = """
import sys, numpy as np
from mlarray import MLArray
array = MLArray(np.random.default_rng(2).integers(-1000, 1000, (60, 100, 120), dtype="i2"), user={"n": 2})
print("ready", flush=True)
while True:
    array.save(sys.argv[1])
"""


@pytest.mark.slow
def test_a_process_killed_while_it_saves_leaves_a_whole_file(path):
    process = python(SAVES, path, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    for wait in np.linspace(0.001, 0.06, 8):
        process = python(SAVES, path, stdout=subprocess.PIPE)
        process.stdout.readline()
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        with MLArray.open(path) as array:
            assert np.array_equal(array.to_numpy(), noise(array.meta.user["n"]))


LIMITED = """
import resource, signal, sys, numpy as np
from mlarray import MLArray
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
array = MLArray(np.random.default_rng(2).integers(-1000, 1000, (60, 100, 120), dtype="i2"))
layout = {"patch_size": 16} if sys.argv[2] == "cut" else {}
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    if sys.argv[2] == "create":
        with MLArray.create(sys.argv[1], array.shape, "i2") as made:
            made[...] = array.to_numpy()
    else:
        array.save(sys.argv[1], **layout)
except OSError as error:
    print("OSError")
except RuntimeError as error:
    print("RuntimeError", error)
"""


@pytest.mark.parametrize("how", ["same", "cut"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(path, how):
    before = path.read_bytes()
    process = python(LIMITED, path, how, stdout=subprocess.PIPE, text=True)
    out = process.communicate(timeout=60)[0]
    assert out == "OSError\n"
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["a.mla"]


def test_a_disk_that_fills_up_while_a_file_is_created_leaves_the_old_one(path):
    before = path.read_bytes()
    process = python(LIMITED, path, "create", stdout=subprocess.PIPE, text=True)
    assert "Error" in process.communicate(timeout=60)[0]
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["a.mla"]


READS = """
import sys, warnings
from pathlib import Path
from mlarray import MLArray, MLArrayError
warnings.simplefilter("ignore")
for name in sys.argv[1:]:
    print(name, flush=True)
    try:
        with MLArray.open(name) as array:
            array.meta.to_dict(source=True, user=True)
            array.to_numpy()
    except MLArrayError:
        pass
    except RuntimeError as error:
        # A chunk that blosc2 cannot decode.
        assert "buffer" in str(error) or "decod" in str(error), error
print("done", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("region", ["header", "trailer", "metadata", pytest.param("everywhere", marks=INSIDE)])
def test_flipped_bytes_give_our_errors_or_data_and_never_a_crash(path, tmp_path, region):
    random = np.random.default_rng(3)
    whole = np.frombuffer(path.read_bytes(), "u1")
    info, _ = read_header_of(str(path))
    begins = {"header": 0, "trailer": info.length - 60, "metadata": info.trailer, "everywhere": 0}
    ends = {"header": 200, "trailer": info.length, "metadata": info.length, "everywhere": info.length}
    names = []
    for index in range(60):
        raw = whole.copy()
        at = random.integers(begins[region], ends[region], 1 + index % 4)
        raw[at] = random.integers(0, 256, len(at))
        names.append(str(tmp_path / f"{region}{index}.mla"))
        (tmp_path / f"{region}{index}.mla").write_bytes(raw.tobytes())
    process = python(READS, *names, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, err = process.communicate(timeout=250)
    assert process.returncode == 0, (process.returncode, out.splitlines()[-1:], err[-800:])


@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 0.7, 0.99])
def test_a_file_cut_anywhere_is_refused(path, share):
    raw = path.read_bytes()
    path.write_bytes(raw[: int(len(raw) * share)])
    with pytest.raises(FormatError, match=r"a\.mla.*(truncated|empty|damaged)"):
        MLArray.open(path)


def test_a_damaged_key_is_named(path):
    raw = bytearray(path.read_bytes())
    info, _ = read_header_of(str(path))
    at = info.trailer + info.offsets["mlarray.user"]
    raw[at + 5 + 12 : at + 5 + 16] = b"\xff\xff\xff\x7f"
    path.write_bytes(raw)
    with MLArray.open(path) as array:
        with pytest.raises(MLArrayError, match=r"mlarray\.user"):
            _ = array.meta.user
        # What is damaged is left as it is while something else is changed.
        array.meta.values.unit = "kelvin"


def test_a_reader_goes_on_with_the_file_that_it_opened(path):
    with MLArray.open(path) as reader:
        MLArray(noise(5), user={"n": 5}).save(path)
        assert np.array_equal(reader.to_numpy(), noise(1))
        assert reader.meta.user["n"] == 1
    with MLArray.open(path) as reader:
        assert np.array_equal(reader.to_numpy(), noise(5))


def test_opening_while_another_process_replaces_never_mixes_two_files(path):
    process = python(SAVES, path, stdout=subprocess.PIPE)
    process.stdout.readline()
    try:
        for _ in range(40):
            with MLArray.open(path) as array:
                number = array.meta.user["n"]
                assert np.array_equal(array[7], noise(number)[7])
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_thousand_handles_leak_neither_memory_nor_descriptors(path):
    process = psutil.Process()

    def use(count):
        for _ in range(count):
            with MLArray.open(path) as array:
                array.read_patch((3, 4, 5), (16, 16, 16))
                _ = array.meta.user

    use(100)
    memory, descriptors = process.memory_info().rss, process.num_fds()
    use(1000)
    assert process.num_fds() == descriptors
    assert process.memory_info().rss - memory < 8 << 20


def test_a_source_of_50_megabytes_is_not_read_at_open(tmp_path):
    blob = np.random.default_rng(6).bytes(50_000_000)
    MLArray(noise(1, (8, 8, 8)), source=[{"format": "x", "header": {"raw": blob}}]).save(tmp_path / "a.mla")
    before = psutil.Process().memory_info().rss
    handles = [MLArray.open(tmp_path / "a.mla") for _ in range(3)]
    grown = psutil.Process().memory_info().rss - before
    assert handles[0].meta.source[0]["header"]["raw"] == blob
    handles[1].meta.user = {"n": 1}
    handles[1].save(tmp_path / "b.mla")
    for handle in handles:
        handle.close()
    # blosc2 itself copies the compressed trailer, twice per handle: 100 MB each. A third copy would be ours.
    assert grown < 3 * 120e6
    with MLArray.open(tmp_path / "b.mla") as array:
        assert array.meta.source[0]["header"]["raw"] == blob


# Processes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_handles_work_in_other_processes(path, method):
    context = multiprocessing.get_context(method)
    with MLArray.open(path, nthreads=2) as array:
        array.to_numpy()  # with threads, which a forked child must not wait for
        queue = context.SimpleQueue()
        for target, given, wanted in ((io_children.read, array, noise(1)), (io_children.open_and_save, path, noise(9))):
            child = context.Process(target=target, args=(given, queue))
            child.start()
            child.join(60)
            assert child.exitcode == 0
            assert queue.get() == wanted[3, 4, 5]


def test_threads_share_a_handle(path):
    from concurrent.futures import ThreadPoolExecutor

    whole = noise(1)
    starts = [tuple(np.random.default_rng(i).integers(0, 40, 3).tolist()) for i in range(60)]
    with MLArray.open(path) as array, ThreadPoolExecutor(4) as pool:
        for start, found in zip(starts, pool.map(lambda at: array.read_patch(at, (16, 16, 16)), starts), strict=True):
            assert np.array_equal(found, whole[tuple(slice(a, a + 16) for a in start)])


HOLDS = """
import sys, time
from mlarray import MLArray
array = MLArray.open(sys.argv[1], "r+")
print("x", flush=True)
time.sleep(60)
"""


def test_the_lock_ends_with_the_process_that_holds_it(path):
    process = python(HOLDS, path, stdout=subprocess.PIPE)
    process.stdout.readline()
    with pytest.raises(MLArrayError, match="another handle"):
        MLArray.open(path, mode="r+")
    process.kill()
    process.wait()
    process.stdout.close()
    MLArray.open(path, mode="r+").close()
