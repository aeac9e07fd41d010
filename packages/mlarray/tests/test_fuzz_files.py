"""Small files damaged in hundreds of fixed ways: our errors, the right values, or a `verify` that says they are wrong.

blosc2 keeps no checksum, so bytes of voxels that changed can be read as other voxels; the fingerprint tells. A batch of
files is read by one process of its own: what would end it, in the C library, would end that one.
"""

import json
import subprocess
import sys
from importlib.metadata import version

import numpy as np
import pytest

from mlarray import MLArray
from mlarray.geometry.fingerprint import data_hash
from mlarray.io.file_store import open_file
from mlarray.io.frame import read_header_of
from mlarray.io.memory_store import in_memory
from mlarray.io.publish import publish

SHAPE = (6, 5, 4)
GRADIENT = (np.arange(120, dtype="i2") * 37 % 101).reshape(SHAPE)
NOISE = np.random.default_rng(5).integers(-30000, 30000, SHAPE, "i2")
LAYOUT = {"chunk_size": (4, 5, 4), "block_size": (2, 5, 4)}
FILES = {
    "lz4": (GRADIENT, {"cparams": {"codec": "LZ4", "clevel": 5}}),
    "zstd": (GRADIENT, {"cparams": {"codec": "ZSTD", "clevel": 3, "filters": ["BITSHUFFLE"]}}),
    "not packed": (NOISE, {"cparams": {"clevel": 0}}),
    "zeros": (np.zeros(SHAPE, "f4"), {}),
}

TRUSTS_CHUNKS = tuple(map(int, version("blosc2").split(".")[:2])) < (4, 10)
"""Whether blosc2 takes sizes in a chunk as they stand: it then ends the process, dividing by 0 or reading elsewhere."""

READS = """
import json, sys, warnings
import numpy as np
from mlarray import MLArray, MLArrayError, MLArrayWarning
warnings.simplefilter("error")
warnings.simplefilter("ignore", MLArrayWarning)
whole = np.load(sys.argv[1])
WAYS = [{}, {"mmap": False}, {"mode": "c"}, {"strict": False}]
def look(array):
    array.meta.to_dict(source=True, user=True)
    found = array.to_numpy()
    right = found.dtype.str == whole.dtype.str and found.tobytes() == whole.tobytes() and found.shape == whole.shape
    assert right or not array.verify(), "other voxels, which the fingerprint does not tell"
    return "right" if right else "told"
def outcome(use):
    try:
        return use()
    except MLArrayError as error:
        assert error.problems, "an error that says nothing"
        return "error"
def opened(name, way):
    with MLArray.open(name, **way) as array:
        return look(array)
def saved(name, **layout):
    with MLArray.open(name) as array:
        array.save(name + "saved.mla", **layout)
    with MLArray.open(name + "saved.mla") as array:
        return look(array)
for name in sys.argv[2:]:
    print(json.dumps(name), flush=True)
    ways = [lambda way=way: opened(name, way) for way in WAYS]
    ways += [lambda: look(MLArray.load(name)), lambda: saved(name), lambda: saved(name, patch_size=2)]
    print(json.dumps([outcome(way) for way in ways]), flush=True)
"""


def outcomes(folder, values, files):
    """Return for each damaged file what each way to read it came to: "right", "told" or "error"."""
    np.save(folder / "whole.npy", values)
    names = [str(folder / f"{index}.mla") for index in range(len(files))]
    for name, raw in zip(names, files, strict=True):
        with open(name, "wb") as file:
            file.write(raw)
    command = [sys.executable, "-c", READS, str(folder / "whole.npy"), *names]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=250)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, (done.returncode, len(lines) // 2, lines[-1:], done.stderr[-1500:])
    return [json.loads(line) for line in lines[1::2]]


def readable(raw, files):
    """Return the damaged files without those that an older blosc2 cannot survive: with damage inside of a chunk."""
    begin = int.from_bytes(raw[11:15], "big")
    end = begin + int.from_bytes(raw[39:47], "big")
    return [file for file in files if not TRUSTS_CHUNKS or file[begin:end] == raw[begin:end]]


def written(path, values, **more):
    """Save an array that has a fingerprint."""
    prints = {"shape": list(SHAPE), "dtype": values.dtype.str, "geometry": "sha256:" + "0" * 64}
    prints["data"] = data_hash([values], values.shape, values.dtype)
    source = [{"format": "x", "fingerprint": prints, "header": {"raw": b"\0\1" * 40}}]
    said = {"axes": ["z", "y", "x"], "space": "patient", "spacing": (3, 2, 1), "user": {"who": ["me", 1.5, None]}}
    MLArray(values, source=source, **said, **LAYOUT, **more).save(path)
    return path


@pytest.fixture(params=FILES)
def whole(request, tmp_path):
    values, more = FILES[request.param]
    return written(tmp_path / "a.mla", values, **more), values


def test_the_undamaged_file_is_read_as_it_is(whole, tmp_path):
    path, values = whole
    assert outcomes(tmp_path, values, [path.read_bytes()]) == [["right"] * 7]


def test_a_file_cut_at_any_byte_is_an_error(whole, tmp_path):
    path, values = whole
    raw = path.read_bytes()
    lengths = [*range(0, 200, 37), *range(200, len(raw) - 60, 97), *range(len(raw) - 60, len(raw), 9), len(raw) - 1]
    found = outcomes(tmp_path, values, [raw[:length] for length in lengths])
    assert found == [["error"] * 7] * len(lengths)


def test_a_flipped_bit_is_an_error_or_leaves_the_voxels_or_is_told(whole, tmp_path):
    path, values = whole
    raw = path.read_bytes()
    info, _ = read_header_of(str(path))
    places = [*range(0, 300, 6), *range(301, info.trailer, 13), *range(info.trailer, len(raw), 23)]
    files = []
    for at in places:
        changed = bytearray(raw)
        changed[at] ^= 1 << (at * 5 + at // 8) % 8
        files.append(bytes(changed))
    found = [outcome for each in outcomes(tmp_path, values, readable(raw, files)) for outcome in each]
    # Not everything is looked at, and not everything is refused: else this would test nothing.
    assert {"right", "error"} <= set(found)


def test_runs_of_bytes_that_are_all_ones_or_zeros_are_an_error_or_told(whole, tmp_path):
    path, values = whole
    raw = path.read_bytes()
    files = []
    for at in range(0, len(raw) - 8, 97):
        for size, byte in ((1, 0xFF), (4, 0x7F), (4, 0x00), (8, 0xFF)):
            files.append(raw[:at] + bytes([byte]) * size + raw[at + size :])
    outcomes(tmp_path, values, readable(raw, files))


def test_neighbours_that_changed_places_are_an_error_or_told(whole, tmp_path):
    path, values = whole
    raw = path.read_bytes()
    files = []
    for at in range(0, len(raw) - 16, 41):
        size = 1 + at % 8
        left, right = raw[at : at + size], raw[at + size : at + 2 * size]
        files.append(raw[:at] + right + left + raw[at + 2 * size :])
    outcomes(tmp_path, values, readable(raw, files))


def test_metadata_whose_bytes_changed_places_is_an_error_or_leaves_the_voxels(tmp_path):
    # The frame is whole, and each key is packed as it should be; it is what stands in the key that is not right.
    path = written(tmp_path / "a.mla", GRADIENT)
    store = open_file(str(path))
    keys = dict(store.keys())
    store.close()
    assert set(keys) == {"mlarray", "mlarray.source", "mlarray.user"}
    wrong = [{**keys, one: keys[other]} for one in keys for other in keys if one != other]
    wrong += [{**keys, name: raw} for name in keys for raw in (b"", b"\x80", b"\xc0", b"\x90", b"\xff", keys[name] * 2)]
    for name, step in (("mlarray", 28), ("mlarray.source", 23), ("mlarray.user", 4)):
        raw = keys[name]
        for at in range(0, len(raw) - 1, step):
            wrong.append({**keys, name: raw[:at] + raw[at + 1 : at + 2] + raw[at : at + 1] + raw[at + 2 :]})
            wrong.append({**keys, name: raw[:at] + bytes([raw[at] ^ 1 << at % 8]) + raw[at + 1 :]})
            wrong.append({**keys, name: raw[:at]})
    files = []
    for keys_of_one in wrong:
        publish(in_memory(GRADIENT, None), str(path), keys_of_one)
        files.append(path.read_bytes())
    found = [outcome for each in outcomes(tmp_path, GRADIENT, files) for outcome in each]
    assert {"right", "error"} == set(found)
