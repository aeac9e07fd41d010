"""Reads that are started together: futures that keep the retry policy, batches, many arrays at once."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tensorstore as ts
from stores import CZYX, SHAPE, coded, placed, pyramid, volume

import worldarray as wa
from worldarray.errors import DataError, StoreUnavailableError

DATA = coded(*SHAPE)
FAST = wa.Retry(max_attempts=3, timeout=5, base_delay=0)


@pytest.fixture
def vol(tmp_path):
    return wa.open(volume(tmp_path / "em.zarr"))


@pytest.fixture
def still():
    """Pauses between attempts, noted and not waited for."""
    from worldarray.io import retry

    pauses, before = [], dict(vars(retry.REAL))
    vars(retry.REAL).update(sleep=pauses.append, jitter=lambda: 0.0)
    yield pauses
    vars(retry.REAL).update(before)


BOXES = {
    "inside": ((1, 2, 3), (3, 4, 5), {}),
    "across the end": ((3, 4, 5), (5, 6, 7), {"padding": 9}),
    "edge": ((-1, 0, 0), (2, 6, 2), {"padding": "edge"}),
    "outside": ((9, 9, 9), (11, 10, 12), {"padding": 8}),
    "mask": ((-1, 3, 4), (2, 5, 8), {"mask": True}),
    "transform": ((0, 0, 0), (2, 5, 7), {"transform": lambda block: block / 2, "padding": -1.5}),
    "nothing": ((2, 2, 2), (2, 2, 2), {}),
}


@pytest.mark.parametrize(("begin", "end", "how"), BOXES.values(), ids=BOXES)
@pytest.mark.parametrize("batched", [False, True])
def test_a_started_read_gives_what_the_read_gives(vol, begin, end, how, batched):
    expected = vol.read_index(begin, end, **how)
    if batched:
        with ts.Batch() as batch:
            pending = vol.read_index_async(begin, end, batch=batch, **how)
    else:
        pending = vol.read_index_async(begin, end, **how)
    many = wa.read_many([wa.IndexRead(vol, begin, end, **how)])[0]
    for got in (pending.result(), pending.result(timeout=1), many):
        for one, other in zip(got, expected, strict=True) if how.get("mask") else [(got, expected)]:
            np.testing.assert_array_equal(one, other)
            assert one.dtype == other.dtype
            assert one.flags.c_contiguous
    assert pending.done()


def test_many_reads_come_back_in_order_from_any_number_of_arrays(tmp_path):
    levels = wa.open_pyramid(pyramid(tmp_path / "em.zarr")).levels
    reads = [(levels[i % 3], (0, 0, i % 2), (1, 1, i % 2 + 1)) for i in range(60)]
    got = wa.read_many(reads)
    assert [int(part.item()) for part in got] == [1000 * (i % 3) + i % 2 for i in range(60)]
    assert wa.read_many([]) == []
    assert [part.shape for part in wa.read_many(iter(reads[:2]))] == [(1, 1, 1)] * 2


def test_a_read_of_many_has_arguments_of_its_own(tmp_path):
    values = coded(3, 2, 2, 2)
    vol = wa.open(placed(tmp_path / "em.zarr", values, (1, 8, 8, 8), (0, 0, 0, 0), CZYX))
    one, (two, mask), three = wa.read_many(
        [
            wa.IndexRead(vol, (0, 0, 0), (2, 2, 2), select={"c": 1}),
            wa.IndexRead(vol, (2, 0, 0, 0), (4, 1, 1, 1), padding=7, mask=True),
            wa.IndexRead(vol, (0, 0, 0, 0), (1, 1, 1, 2), transform=lambda block: -block.astype("int32")),
        ]
    )
    np.testing.assert_array_equal(one, values[1])
    np.testing.assert_array_equal(two.ravel(), [2000, 7])
    np.testing.assert_array_equal(mask.ravel(), [True, False])
    np.testing.assert_array_equal(three.ravel(), [0, -1])


def test_reads_of_a_batch_are_issued_when_it_is_released(vol):
    batch = ts.Batch()
    pending = [vol.read_index_async((z, 0, 0), (z + 1, 5, 6), batch=batch) for z in range(4)]
    batch.submit()
    np.testing.assert_array_equal(np.concatenate([read.result() for read in pending]), DATA)


def test_started_reads_do_not_wait_for_each_other(vol):
    pending = [vol.read_index_async((0, 0, 0), SHAPE) for _ in range(50)]
    for read in reversed(pending):
        np.testing.assert_array_equal(read.result(timeout=30), DATA)


@pytest.mark.parametrize("where", ["handle", "read"])
@pytest.mark.parametrize("how", ["read_index", "read", "async", "many", "batch", "onto"])
def test_every_way_of_reading_keeps_the_retry_policy(http_server, tmp_path, still, where, how):
    volume(tmp_path / "em.zarr")
    http_server.add_folder(tmp_path / "em.zarr", "em.zarr/")
    # tensorstore itself asks twice per attempt here, and at once
    context = ts.Context({"http_request_retries": {"max_retries": 1, "initial_delay": "1ms", "max_delay": "1ms"}})
    vol = wa.open(f"{http_server.url}/em.zarr/s0", context=context)
    policy = {"retries": FAST} if where == "read" else {}
    if where == "handle":
        vol.retries = FAST
    begin, end = (0, 0, 0), (1, 1, 1)

    def batch():
        with ts.Batch() as together:
            pending = vol.read_index_async(begin, end, batch=together, **policy)
        return pending.result()

    read = {
        "read_index": lambda: vol.read_index(begin, end, **policy),
        "read": lambda: vol.read(((85, 16, 4), (115, 24, 8)), **policy),
        "async": lambda: vol.read_index_async(begin, end, **policy).result(),
        "many": lambda: wa.read_many([wa.IndexRead(vol, begin, end, **policy)])[0],
        "batch": batch,
        "onto": lambda: vol.read_onto(vol, begin, end, **policy),
    }[how]
    chunk = "em.zarr/s0/c/0/0/0"
    http_server.answers[chunk] = [503] * 4
    assert read() == 0
    assert still == [0, 0]
    http_server.always[chunk] = 503
    with pytest.raises(StoreUnavailableError, match=r"em.zarr/s0"):
        read()
    assert len(still) == 4


def test_an_error_of_one_read_names_its_file_and_leaves_the_others(tmp_path, vol):
    (tmp_path / "em.zarr" / "s0" / "c" / "1" / "1" / "1").write_bytes(b"torn")
    good = vol.read_index_async((0, 0, 0), (2, 3, 4))
    bad = vol.read_index_async((2, 3, 4), (4, 5, 6))
    with pytest.raises(DataError, match="c/1/1/1"):
        bad.result()
    with pytest.raises(DataError, match="c/1/1/1"):
        bad.result()
    np.testing.assert_array_equal(good.result(), DATA[:2, :3, :4])
    with pytest.raises(DataError, match="c/1/1/1"):
        wa.read_many([(vol, (0, 0, 0), (2, 3, 4)), (vol, (2, 3, 4), (4, 5, 6))])


def test_a_handle_reads_from_many_threads_at_once(tmp_path):
    vol = wa.open(pyramid(tmp_path / "em.zarr"), voxel_size=(60, 16, 8), on_mismatch="resample")
    whole, stored = vol.read(vol.box), vol.read_index((0, 0, 0), (4, 3, 4))
    fresh = vol.reopen()
    ready = threading.Barrier(8)

    def work(seed):
        ready.wait()
        for step in range(20):
            z = (seed + step) % 4
            np.testing.assert_array_equal(fresh.read_index((z, 0, 0), (z + 1, 3, 4)), stored[z : z + 1])
            np.testing.assert_array_equal(fresh.read(fresh.box), whole)
            assert fresh.read_index((0, 0, 0), (1, 1, 1), transform=lambda b: b / 2).dtype == np.float64

    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(work, seed) for seed in range(8)]:
            done.result(timeout=60)
