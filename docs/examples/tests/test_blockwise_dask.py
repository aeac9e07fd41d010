"""The dask example: right values from several processes, and nothing done twice after it was killed."""

import os
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from distributed import LocalCluster

import blockwise_dask
import worldarray as wa

SCRIPT = Path(blockwise_dask.__file__)
SHAPE, CHUNKS = (9, 61, 43), (2, 5, 6)
"""Level s1 has (9, 31, 22) voxels, so 5 x 7 x 4 = 140 write units, the last of each axis cut."""
SIZE, CENTRE, FACTORS = (40.0, 16.0, 15.0), (420.0, -152.0, 37.5), (1, 2, 2)
BLOCKS = 140


@pytest.fixture
def pyramid(tmp_path):
    """A pyramid of one level: random uint16, but nothing except fill in its last rows, y = 40 to 60."""
    values = np.random.default_rng(5).integers(1, 2**16, SHAPE).astype("uint16")
    values[:, 40:] = 0
    wa.create(tmp_path / "em.zarr/s0", SHAPE, "uint16", SIZE, CENTRE, chunks=CHUNKS).write_index(
        (0, 0, 0), SHAPE, values
    )
    return tmp_path / "em.zarr"


def wanted(values):
    """The level by the rule, in integers: 1, 2, 2, 1 over y and x, edges repeated, halves rounded to the even."""
    z, y, x = values.shape
    whole = np.pad(values.astype(np.int64), ((0, 0), (1, 2), (1, 2)), mode="edge")
    sums = np.zeros((z, -(-y // 2), -(-x // 2)), np.int64)
    for (j, a), (i, b) in product(enumerate((1, 2, 2, 1)), repeat=2):
        rows, columns = slice(j, j + 2 * sums.shape[1], 2), slice(i, i + 2 * sums.shape[2], 2)
        sums += a * b * whole[:, rows, columns]
    quotient, rest = np.divmod(sums, 36)
    return (quotient + (2 * rest + quotient % 2 > 36)).astype("uint16")


def files(pyramid):
    """The stored units of level s1, with what tells whether one was written again."""
    found = {}
    for path in (pyramid / "s1" / "c").rglob("*"):
        if path.is_file() and path.name.isdigit():
            status = path.stat()
            found[path] = (status.st_mtime_ns, status.st_ino)
    return found


def assert_done(pyramid):
    source, level = wa.open(pyramid, level="s0"), wa.open(pyramid, level="s1")
    assert level.voxel_size == (40.0, 32.0, 30.0)
    assert level.corner == source.corner == (400.0, -160.0, 30.0)
    values = source.read_index((0, 0, 0), SHAPE)
    np.testing.assert_array_equal(level.read_index((0, 0, 0), level.shape), wanted(values))
    assert len(level.list_chunks()) == BLOCKS, "units of nothing but fill count as done too"


def arguments(pyramid, *more):
    return [str(pyramid), "s1", "--factors", *map(str, FACTORS), *more]


def test_a_killed_run_is_taken_up_where_it_ended(pyramid):
    command = [sys.executable, str(SCRIPT), *arguments(pyramid, "--workers", "2")]
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 60
        while len(files(pyramid)) < 10:
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.01)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)
    before = files(pyramid)
    assert 10 <= len(before) < BLOCKS
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert f"{len(before)} of {BLOCKS} blocks are stored already" in done.stdout
    assert f"{BLOCKS - len(before)} of {BLOCKS - len(before)} blocks" in done.stdout.splitlines()[-1]
    after = files(pyramid)
    assert {path: after[path] for path in before} == before, "nothing was written again"
    assert_done(pyramid)


def test_a_scheduler_that_runs_already_is_used_and_a_second_run_has_nothing_to_do(pyramid, capsys):
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        assert blockwise_dask.main(arguments(pyramid, "--scheduler", cluster.scheduler_address)) == 0
        assert_done(pyramid)
    capsys.readouterr()
    assert blockwise_dask.main(arguments(pyramid)) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"  {BLOCKS} of {BLOCKS} blocks are stored already"


def test_a_block_that_cannot_be_read_is_named_and_the_others_stay(pyramid, capsys):
    chunk = pyramid / "s0" / "c" / "4" / "0" / "0"
    chunk.write_bytes(b"no zstd")
    assert blockwise_dask.main(arguments(pyramid, "--workers", "1")) == 1
    assert "s0/c/4/0/0" in capsys.readouterr().err
    assert 0 < len(files(pyramid)) < BLOCKS


def test_another_level_of_that_name_is_refused(pyramid, capsys):
    wa.open_pyramid(pyramid, mode="r+").add_level("s1", 2)
    assert blockwise_dask.main(arguments(pyramid)) == 1
    assert "voxel_size" in capsys.readouterr().err


@pytest.mark.parametrize("factor", [1, 2, 3, 4, 5])
def test_the_weights_move_nothing(factor):
    # The mean of positions 0, 1, 2, … over target voxel j is its centre: j f + (f - 1) / 2.
    context = blockwise_dask.reach(factor)
    positions = np.arange(-context, 6 * factor + context, dtype="float64")
    centres = [j * factor + (factor - 1) / 2 for j in range(6)]
    assert blockwise_dask.shrink(positions, (factor,)).tolist() == pytest.approx(centres)
