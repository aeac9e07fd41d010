"""How stores are read: together, through contexts that datasets of a process share, opened when first needed."""

import numpy as np
import pytest
import torch
from miao_stores import config, group2, ramp_pyramid
from test_workers import in_a_process

import miao
from miao.reading.runtime import ReadSettings, context


@pytest.fixture
def labelled(tmp_path):
    ramp_pyramid(tmp_path / "a.zarr")
    group2(tmp_path / "a.zarr" / "seg", [("s0", np.ones((40, 48, 56), "uint8"), (8, 6, 4), None, (16, 16, 16))])
    return tmp_path / "a.zarr"


def made(path, **more):
    return miao.VolumeDataset(config(path, **more), seed=3, verbose=False)


def test_all_reads_of_a_batch_are_issued_together_before_any_is_waited_for(labelled, monkeypatch):
    """4 samples of 2 scales, image and label: 16 reads in one batch, all begun when it closes."""
    import tensorstore

    dataset = made(labelled, volume={"label_key": "seg"}, resolutions=[[8, 6, 4], [16, 12, 8]])
    dataset.__getitems__(range(6))  # levels are open and were read once
    told = []

    class Counted:
        def __init__(self, store):
            self.store = store

        def __getitem__(self, index):
            return Counted(self.store[index])

        def read(self, *, batch):
            told.append("read")
            return Waited(self.store.read(batch=batch))

    class Waited:
        def __init__(self, future):
            self.future = future

        def result(self, **how):
            told.append("wait")
            return self.future.result(**how)

    class Batch(tensorstore.Batch):
        def __exit__(self, *error):
            told.append("issued")
            return super().__exit__(*error)

    for level in dataset._levels._open.values():
        assert level.vouched
        monkeypatch.setattr(level, "store", Counted(level.store))
    try:
        monkeypatch.setattr(tensorstore, "Batch", Batch)
    except TypeError:  # pragma: no cover
        pytest.skip("this tensorstore's batches cannot be replaced")
    samples = dataset.__getitems__([0, 1, 2, 3])
    assert told == ["read"] * 16 + ["issued"] + ["wait"] * 16
    assert torch.equal(samples[3]["label"].unique(), torch.tensor([1], dtype=torch.int16))


class Busy:
    """An array whose first reads fail, as those of a busy store do."""

    def __init__(self, store, failures):
        self.store = store
        self.failures = failures

    def __getitem__(self, index):
        return Busy(self.store[index], self.failures)

    def read(self, **how):
        return self if self.failures and self.failures.pop() else self.store.read(**how)

    def result(self, **how):
        raise ValueError("UNAVAILABLE: try again")


@pytest.mark.parametrize("missing", ["fill", "error"])
def test_a_store_that_was_busy_is_read_again(labelled, missing):
    dataset = made(labelled, missing_chunks=missing)
    expected = dataset[0]["img"]
    (level,) = dataset._levels._open.values()
    level.vouched = True
    failures = [True]
    level.store = Busy(level.store, failures)
    assert torch.equal(dataset[0]["img"], expected)
    assert failures == []
    failures += [True, True]
    if missing == "error":
        with pytest.raises(miao.errors.ReadError, match=r"volume a.*UNAVAILABLE"):
            dataset[0]


def test_datasets_of_one_process_share_a_context_by_what_it_is_set_to(labelled):
    first = context(ReadSettings(1 << 20, 8))
    assert context(ReadSettings(1 << 20, 8, "error")) is first
    assert context(ReadSettings(1 << 21, 8)) is not first
    assert context(ReadSettings(1 << 20, 9)) is not first
    said = first.spec.to_json()
    assert said["cache_pool"] == {"total_bytes_limit": 1 << 20}
    assert said["file_io_concurrency"] == {"limit": 8}


@pytest.mark.parametrize(("cache_bytes", "concurrency"), [(0, 1), (1 << 30, 64)])
def test_settings_of_reading_change_no_sample(labelled, cache_bytes, concurrency):
    plain = made(labelled)
    other = made(labelled, cache_bytes=cache_bytes, file_io_concurrency=concurrency)
    assert torch.equal(plain[0]["img"], other[0]["img"])


def test_making_a_dataset_planning_and_summing_it_up_read_no_voxel(labelled):
    """Tensorstore is not even imported, so that workers may be forked afterwards."""
    code = """
        import sys
        import miao
        from miao_stores import config

        dataset = miao.VolumeDataset(config(sys.argv[1], volume={"label_key": "seg"}), seed=1)
        [dataset.plan(index) for index in range(6)]
        dataset.summary()
        assert "tensorstore" not in sys.modules
        print(dataset[0]["img"].shape)
        assert "tensorstore" in sys.modules
    """
    done = in_a_process(code, labelled)
    assert done.returncode == 0, done.stderr


def test_masks_are_read_by_each_forked_worker(tmp_path):
    mask = np.zeros((40, 48, 56), "uint8")
    mask[:20] = 1
    for key, values in (("raw", np.zeros(mask.shape, "uint8")), ("fg", mask)):
        group2(tmp_path / "a.zarr" / key, [("s0", values, (8, 6, 4), None, (16, 16, 16))])
    code = """
        import sys
        import miao
        from miao_stores import config
        from test_workers import drawn, loader

        if __name__ == "__main__":
            volume = {"mask_key": "fg", "min_foreground": 1.0}
            dataset = miao.VolumeDataset(config(sys.argv[1], volume=volume), seed=1, verbose=False)
            places = drawn(loader(dataset, method="fork"))
            assert len(set(places)) == 6
            # [c - 4, c + 4) lies in [0, 20).
            assert all(4 <= z <= 16 for z, _, _ in places), places
            print("inside")
    """
    done = in_a_process(code, tmp_path / "a.zarr")
    assert done.stdout.strip() == "inside", done.stderr
