"""Retries: the policy's numbers, which errors are tried again, and reads from servers that fail."""

import math
import pickle
import re
import threading
import time

import numpy as np
import pytest
import tensorstore as ts

from worldarray.documents.zarr2 import parse_zarr2
from worldarray.errors import AccessError, ArgumentError, ArgumentTypeError, DataError, StoreUnavailableError
from worldarray.io import messages
from worldarray.io.arrays import Reader, open_facts
from worldarray.io.retry import Attempts, Clock, PendingRead, Retry, wait
from worldarray.io.sources import source_for
from worldarray.paths import parse_path

MIB = 1 << 20


class Time:
    """A clock that moves when it is slept on."""

    def __init__(self, jitter=0.25):
        self.slept, self.time = [], 0.0
        self.clock = Clock(sleep=self.sleep, jitter=lambda: jitter, now=lambda: self.time)

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.time += seconds


class Future:
    """A future that answers at once: with a value, an error, or by timing out."""

    def __init__(self, answer):
        self.answer, self.timeouts, self.cancelled = answer, [], False

    def result(self, timeout=None):
        self.timeouts.append(timeout)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def done(self):
        return not isinstance(self.answer, TimeoutError)

    def cancel(self):
        self.cancelled = True
        return True


class Starts:
    """Starts the given futures one after the other, the last one for ever."""

    def __init__(self, *answers):
        self.futures, self.started = [Future(answer) for answer in answers], []

    def __call__(self):
        future = self.futures[min(len(self.started), len(self.futures) - 1)]
        assert all(past.cancelled for past in self.started if isinstance(past.answer, TimeoutError))
        self.started.append(future)
        return future


BUSY = ValueError("UNAVAILABLE: come back")


@pytest.mark.parametrize(
    ("mib", "remote", "seconds"),
    [
        # remote: MiB / 16 between 5 and 120
        (0, True, 5),
        (80, True, 5),
        (160, True, 10),
        (1920, True, 120),
        (4000, True, 120),
        # local: MiB / 256 between 5 and 30
        (1280, False, 5),
        (2560, False, 10),
        (7680, False, 30),
        (9000, False, 30),
    ],
)
def test_the_timeout_comes_from_the_size_of_the_read(mib, remote, seconds):
    assert Retry().timeout_for(mib * MIB, remote=remote) == seconds
    assert Retry(timeout=2.5).timeout_for(mib * MIB, remote=remote) == 2.5


def test_the_defaults_are_ten_attempts_and_a_second():
    assert Retry() == Retry(max_attempts=10, timeout=None, base_delay=1.0)
    assert pickle.loads(pickle.dumps(Retry(3, 2.0, 0.5))) == Retry(3, 2.0, 0.5)


def test_attempt_k_waits_k_timeouts_and_sleeps_grow_by_three_tenths():
    time_, starts = Time(jitter=0.25), Starts(TimeoutError(), BUSY, TimeoutError(), "data")
    assert wait(starts, Retry(timeout=2.0, base_delay=1.0), clock=time_.clock) == "data"
    assert [future.timeouts for future in starts.started] == [[2.0], [4.0], [6.0], [8.0]]
    # 1.3 ** 0, 1, 2 and a quarter of a second of jitter each
    assert time_.slept == pytest.approx([1.25, 1.55, 1.94])


def test_jitter_is_up_to_a_second_and_not_scaled():
    assert Retry(base_delay=0.0).pause(4, 0.75) == 0.75
    assert Retry(base_delay=2.0).pause(2, 0.0) == pytest.approx(2.6)


def test_the_last_attempts_error_is_raised_as_it_came():
    for error in (TimeoutError(), BUSY):
        time_, starts = Time(), Starts(error)
        with pytest.raises(type(error)) as caught:
            wait(starts, Retry(max_attempts=3, timeout=1.0), clock=time_.clock)
        assert caught.value is error
        assert len(starts.started) == 3
        assert len(time_.slept) == 2
        assert all(future.cancelled for future in starts.started if isinstance(error, TimeoutError))


RETRIED = [
    "UNAVAILABLE: come back",
    "DEADLINE_EXCEEDED: late",
    "RESOURCE_EXHAUSTED: too much",
    "ABORTED: Error reading http://h/0.0: All 2 retry attempts failed: Service Unavailable [HTTP code 503]",
    "ABORTED: All 32 retry attempts failed: CURL error Could not connect to server [curl_code='7']",
    "ABORTED: All 2 retry attempts failed: SlowDown [http_response_body='<a b=\\'c\\'>'] [http_response_code='503']",
    "UNKNOWN: Gateway [HTTP code 502]",
    "Not Implemented [HTTP code 501]",
    "UNKNOWN: Too Many Requests [http_response_code='429']",
]
RAISED = [
    "PERMISSION_DENIED: Forbidden [HTTP code 403]",
    "NOT_FOUND: Gone [HTTP code 410]",
    "Bad Request [HTTP code 400]",
    "UNKNOWN: Unknown [HTTP code 301]",
    "ABORTED: generation mismatch",
    'DATA_LOSS: Error reading local file "/d/0.0": Digest mismatch, stored digest is 0x1',
    'FAILED_PRECONDITION: Error reading local file "/data/503/0.0": Truncated Zstd-compressed stream',
    "Bad Request [http_response_body='we say [HTTP code 503] often'] [http_response_code='400']",
    "INTERNAL: All the data is UNAVAILABLE: really",
]


@pytest.mark.parametrize("text", RETRIED)
def test_errors_of_a_busy_store_are_tried_again(text):
    starts = Starts(ValueError(text), "data")
    assert wait(starts, clock=Time().clock) == "data"


@pytest.mark.parametrize("text", RAISED)
def test_other_errors_are_raised_at_once(text):
    starts = Starts(ValueError(text), "data")
    with pytest.raises(ValueError, match=re.escape(text)) as caught:
        wait(starts, clock=Time().clock)
    assert str(caught.value) == text
    assert len(starts.started) == 1


def test_no_other_class_of_error_is_tried_again():
    starts = Starts(KeyError("UNAVAILABLE: come back"), "data")
    with pytest.raises(KeyError):
        wait(starts, clock=Time().clock)
    assert len(starts.started) == 1


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"max_attempts": 0}, ArgumentError),
        ({"max_attempts": 2.5}, ArgumentTypeError),
        ({"timeout": 0}, ArgumentError),
        ({"timeout": -1.0}, ArgumentError),
        ({"timeout": math.inf}, ArgumentError),
        ({"timeout": "5"}, ArgumentTypeError),
        ({"base_delay": -0.1}, ArgumentError),
        ({"base_delay": math.nan}, ArgumentError),
    ],
)
def test_a_policy_that_makes_no_sense_is_refused(arguments, error):
    with pytest.raises(error, match=next(iter(arguments))):
        Retry(**arguments)
    Retry(max_attempts=1, timeout=0.1, base_delay=0)


# -- pending reads


def pending(starts, retry, time_, finish=lambda data: data.upper(), **members):
    return PendingRead(Attempts(starts, retry, 1.0, clock=time_.clock, **members), finish)


def test_a_pending_read_keeps_the_policy():
    time_, starts = Time(), Starts(BUSY, TimeoutError(), "data")
    read = pending(starts, Retry(), time_)
    assert len(starts.started) == 1
    assert read.result() == "DATA"
    assert read.done()
    assert [future.timeouts for future in starts.started] == [[1.0], [2.0], [3.0]]
    assert read.result() == "DATA"
    assert len(starts.started) == 3


def test_a_pending_read_can_be_waited_for_a_little():
    time_, starts = Time(), Starts(TimeoutError(), "data")
    read = pending(starts, Retry(), time_)
    assert not read.done()
    with pytest.raises(TimeoutError):
        read.result(timeout=0)
    assert len(starts.started) == 1
    assert not starts.started[0].cancelled
    assert read.result() == "DATA"


def test_a_pending_reads_error_is_explained():
    starts = Starts(ValueError(RAISED[0]))
    read = pending(starts, Retry(), Time(), explain=lambda error: AccessError(*[]))
    with pytest.raises(AccessError):
        read.result()


def test_a_ready_read_has_its_value():
    read = PendingRead.ready(7)
    assert read.done()
    assert not read.cancel()
    assert read.result() == read.result(timeout=0) == 7
    assert read.then(lambda value: value + 1).result() == 8


def test_cancelling_ends_the_attempt_under_way():
    starts = Starts(TimeoutError())
    assert pending(starts, Retry(), Time()).cancel()
    assert starts.started[0].cancelled


# -- real servers

DATA = np.arange(6 * 8, dtype="u2").reshape(6, 8)
ZARRAY = {
    "zarr_format": 2,
    "shape": [6, 8],
    "chunks": [3, 4],
    "dtype": "<u2",
    "compressor": None,
    "filters": None,
    "order": "C",
    "fill_value": 0,
}
FACTS = parse_zarr2(ZARRAY, ("em/.zarray",))
FAST = ts.Context(
    {
        name: {"max_retries": 1, "initial_delay": "1ms", "max_delay": "1ms"}
        for name in ("http_request_retries", "s3_request_retries", "gcs_request_retries")
    }
)
QUICK = Retry(max_attempts=4, timeout=5.0, base_delay=0.0)


def chunk(row, column):
    return DATA[row * 3 : row * 3 + 3, column * 4 : column * 4 + 4].tobytes()


def serve(server):
    server.files.update({f"em/{r}.{c}": chunk(r, c) for r in range(2) for c in range(2)})
    return parse_path(f"{server.url}/em")


def read(where, retry=QUICK, box=(slice(0, 6), slice(0, 8)), batch=None):
    time_ = Time(jitter=0.0)
    opened = open_facts(FACTS, where, FAST)
    return Reader(opened, where, FACTS).start(box, retry, batch, clock=time_.clock), time_


@pytest.mark.parametrize("status", [500, 502, 503, 504, 429])
def test_a_read_of_a_busy_http_server_is_tried_again(http_server, status):
    where = serve(http_server)
    # tensorstore itself asks twice per attempt, 0.1.68 once: one or two attempts fail, the next one reads
    http_server.answers["em/1.0"] = [status] * 2
    pending_read, time_ = read(where)
    assert np.array_equal(pending_read.result(), DATA)
    assert len(time_.slept) in {1, 2}
    assert http_server.log.count("em/1.0") == 3


def test_a_store_that_stays_busy_is_named_after_the_last_attempt(http_server):
    where = serve(http_server)
    http_server.always["em/1.0"] = 503
    pending_read, time_ = read(where)
    with pytest.raises(StoreUnavailableError, match=r"em/1\.0.*Service Unavailable \(HTTP 503\)") as caught:
        pending_read.result()
    assert caught.value.at == (f"{http_server.url}/em/1.0",)
    assert len(time_.slept) == 3


def test_a_refused_chunk_is_not_tried_again(http_server):
    where = serve(http_server)
    http_server.always["em/0.1"] = 403
    pending_read, time_ = read(where)
    with pytest.raises(AccessError, match=r"em/0\.1"):
        pending_read.result()
    assert time_.slept == []
    assert http_server.log.count("em/0.1") == 1


def test_a_missing_chunk_is_fill(http_server):
    where = serve(http_server)
    del http_server.files["em/0.0"]
    assert np.array_equal(read(where)[0].result()[:3, :4], np.zeros((3, 4)))


def test_a_server_that_hangs_is_asked_again(http_server):
    where = serve(http_server)
    http_server.hang = 1.0
    http_server.answers["em/0.0"] = ["hang"]
    begin = time.monotonic()
    pending_read, time_ = read(where, Retry(max_attempts=4, timeout=0.2, base_delay=0.0))
    assert np.array_equal(pending_read.result(), DATA)
    assert time.monotonic() - begin < 0.9
    assert len(time_.slept) == 1


def test_a_server_that_always_hangs_is_unavailable(http_server):
    where = serve(http_server)
    http_server.hang = 0.5
    http_server.always["em/0.0"] = "hang"
    pending_read, _ = read(where, Retry(max_attempts=2, timeout=0.1, base_delay=0.0))
    with pytest.raises(StoreUnavailableError, match="no answer in time") as caught:
        pending_read.result()
    assert caught.value.at == (where.text,)


def test_reads_of_a_batch_keep_the_policy(http_server):
    where = serve(http_server)
    http_server.answers["em/0.0"] = [503, 503]
    batch = ts.Batch()
    first, _ = read(where, batch=batch)
    second, _ = read(where, box=(slice(0, 3), slice(4, 8)), batch=batch)
    assert http_server.log == []
    batch.submit()
    assert np.array_equal(first.result(), DATA)
    assert np.array_equal(second.result(), DATA[:3, 4:])


def test_pending_reads_may_be_waited_for_from_several_threads(http_server):
    where = serve(http_server)
    http_server.answers["em/0.0"] = [503, 503]
    pending_read, _ = read(where)
    found = []
    threads = [threading.Thread(target=lambda: found.append(pending_read.result())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(found) == 4
    assert all(np.array_equal(block, DATA) for block in found)


def test_s3_says_a_busy_store_in_its_own_way(http_server, cloud):
    cloud.setenv("AWS_ENDPOINT_URL", http_server.url)
    http_server.files.update({f"bucket/em/{r}.{c}": chunk(r, c) for r in range(2) for c in range(2)})
    http_server.files["bucket/em/.zarray"] = b"{}"
    http_server.answers["bucket/em/0.0"] = [503, 429, 500]
    where = parse_path("s3://bucket/em")
    pending_read, time_ = read(where)
    assert np.array_equal(pending_read.result(), DATA)
    assert len(time_.slept) in {1, 3}
    http_server.always["bucket/em/0.0"] = 503
    pending_read, _ = read(where)
    with pytest.raises(StoreUnavailableError, match=r"s3://bucket/em/0\.0.*\(HTTP 503\)"):
        pending_read.result()


def test_gs_says_a_busy_store_in_its_own_way(http_server, cloud):
    cloud.setenv("TENSORSTORE_GCS_HTTP_URL", http_server.url)
    prefix = "storage/v1/b/bucket/o/em/"
    http_server.files.update({f"{prefix}{r}.{c}": chunk(r, c) for r in range(2) for c in range(2)})
    http_server.files[f"{prefix}.zarray"] = b"{}"
    http_server.answers[f"{prefix}0.0"] = [503] * 3
    assert np.array_equal(read(parse_path("gs://bucket/em"))[0].result(), DATA)


def test_documents_are_asked_for_again_for_about_five_seconds(http_server):
    http_server.files["em/.zattrs"] = b"{}"
    http_server.answers["em/.zattrs"] = [503, 429]
    where = parse_path(f"{http_server.url}/em")
    assert source_for(where).documents(where, (".zattrs",)) == {".zattrs": b"{}"}
    http_server.reset()
    http_server.always["em/.zattrs"] = 503
    begin = time.monotonic()
    with pytest.raises(StoreUnavailableError, match=r"\(HTTP 503\)"):
        source_for(where).documents(where, (".zattrs",))
    assert 1.5 < time.monotonic() - begin < 8.0
    assert http_server.log.count("em/.zattrs") in {5, 6}


def test_the_body_of_an_answer_is_never_quoted():
    text = "PERMISSION_DENIED: no [http_response_body='<Error secret=\\'x\\'>[a]'] [http_response_code='403']"
    assert messages.reason(ValueError(text)) == "PERMISSION_DENIED: no (HTTP 403)"
    older = "NOT_FOUND: no such file [source locations='tensorstore/kvstore/a.cc:1\\ntensorstore/b.h:2']"
    assert messages.reason(ValueError(older)) == "NOT_FOUND: no such file"


def test_a_damaged_chunk_is_no_retry(http_server):
    where = serve(http_server)
    http_server.files["em/1.1"] = chunk(1, 1)[:-1]
    pending_read, time_ = read(where)
    with pytest.raises(DataError, match=r"em/1\.1: it cannot be decoded: .*Not enough data"):
        pending_read.result()
    assert time_.slept == []
