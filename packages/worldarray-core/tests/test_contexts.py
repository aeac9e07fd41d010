"""Contexts: one shared per budget, a new one per capped call, and what they limit."""

import pytest
import tensorstore as ts

from worldarray.errors import ArgumentError, ArgumentTypeError
from worldarray.io import contexts
from worldarray.io.contexts import capped_context, capped_context_spec, document_context, shared_context

EVERY = (
    "data_copy_concurrency",
    "file_io_concurrency",
    "gcs_request_concurrency",
    "s3_request_concurrency",
    "http_request_concurrency",
)


def test_one_shared_context_per_budget():
    assert shared_context() is shared_context(0) is shared_context(cache_bytes=0)
    assert shared_context(1 << 20) is shared_context(1 << 20)
    assert shared_context(1 << 20) is not shared_context()
    assert shared_context(1 << 20).spec.to_json() == {"cache_pool": {"total_bytes_limit": 1 << 20}}


def test_the_budget_of_the_default_is_nothing():
    # tensorstore leaves a limit of 0 out, since that is its own default
    assert shared_context().spec.to_json() == {"cache_pool": {}}
    assert isinstance(shared_context(), ts.Context)


def test_a_capped_context_limits_every_concurrency_and_is_new_each_time():
    spec = capped_context_spec(cache_bytes=5, concurrency=3)
    assert spec == {"cache_pool": {"total_bytes_limit": 5}, **{name: {"limit": 3} for name in EVERY}}
    first, second = capped_context(5, 3), capped_context(5, 3)
    assert first is not second
    assert first["cache_pool"] != second["cache_pool"]
    assert first.spec.to_json() == spec


def test_without_network_the_request_pools_are_left_alone():
    spec = capped_context_spec(network=False)
    assert spec == {"cache_pool": {"total_bytes_limit": 0}, **{name: {"limit": 1} for name in EVERY[:2]}}
    assert capped_context(0, 2, network=False).spec.to_json() == {
        "cache_pool": {},
        **{name: {"limit": 2} for name in EVERY[:2]},
    }


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: shared_context(-1), ArgumentError),
        (lambda: shared_context(1.5), ArgumentTypeError),
        (lambda: capped_context(-1), ArgumentError),
        (lambda: capped_context(0, 0), ArgumentError),
        (lambda: capped_context_spec(concurrency="2"), ArgumentTypeError),
    ],
)
def test_counts_that_make_no_sense_are_refused(call, error):
    with pytest.raises(error):
        call()


def test_documents_are_read_on_the_callers_stores_with_short_retries():
    parent = ts.Context()
    ts.KvStore.open("memory://", context=parent).result()["a"] = b"1"
    child = document_context(parent)
    assert ts.KvStore.open("memory://", context=child).result()["a"] == b"1"
    assert child["cache_pool"] == parent["cache_pool"]
    retries = contexts.DOCUMENT_RETRIES
    assert retries == {"max_retries": 5, "initial_delay": "200ms", "max_delay": "2s"}
    for name in ("http_request_retries", "s3_request_retries", "gcs_request_retries"):
        assert child[name].to_json() == retries
    # 0.2 + 0.4 + 0.8 + 1.6 + 2 seconds
    assert sum(min(0.2 * 2**k, 2) for k in range(5)) == pytest.approx(5.0)
