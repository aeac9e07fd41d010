"""Ten terabytes of zeros: little time, memory and disk, as nothing of them is written out."""

import subprocess
import sys

import pytest

psutil = pytest.importorskip("psutil")

# 20000 x 50000 x 10000 bytes are 10^13. What is measured is of a process of its own: nothing else grows meanwhile.
MEASURES = """
import os, sys, time
import psutil
from mlarray import MLArray
SHAPE = (20_000, 50_000, 10_000)
LAYOUT = {"chunk_size": (512, 512, 512), "block_size": (64, 64, 64)}
path = sys.argv[1]
MLArray.zeros((3,), "u1")
process = psutil.Process()
memory, begin = process.memory_info().rss, time.process_time()
def look(array):
    assert (array.shape, array.dtype.str) == (SHAPE, "|u1")
    assert (array[0, 0, 0], array[19_999, 49_999, 9_999]) == (0, 0)
    # Over the end of z and y; 7 is what pads it: of 8 x 8 x 4 voxels 3 x 5 x 4 are inside.
    patch = array.read_patch((19_997, 49_995, 5), (8, 8, 4), pad_value=7)
    assert (patch[:3, :5] == 0).all() and (patch[3:] == 7).all() and (patch[:, 5:] == 7).all()
    assert array[12_345, 7:9, ::2_500].tolist() == [[0] * 4] * 2
if sys.argv[2] == "file":
    with MLArray.create(path, SHAPE, "u1", axes=["z", "y", "x"], **LAYOUT) as array:
        look(array)
        array[5, 6, 7] = 3
    with MLArray.open(path) as array:
        look(array)
        assert array[5, 6, 6:9].tolist() == [0, 3, 0]
    assert os.path.getsize(path) < 1_000_000, os.path.getsize(path)
else:
    look(MLArray.zeros(SHAPE, "u1", axes=["z", "y", "x"], **LAYOUT))
grown, spent = process.memory_info().rss - memory, time.process_time() - begin
assert grown < 1_000_000_000, grown
assert spent < 60, spent
"""


@pytest.mark.parametrize("where", ["file", "memory"])
def test_ten_terabytes_of_zeros_take_little_and_read_as_zeros(tmp_path, where):
    command = [sys.executable, "-c", MEASURES, str(tmp_path / "a.mla"), where]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-1500:]
