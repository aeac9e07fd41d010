"""Files of configurations that are none, or that would fill the memory; and files that are not lost."""

import time

import pytest
from miao_stores import config

import miao
from miao.errors import ArgumentTypeError, ConfigError


@pytest.fixture
def made(tmp_path):
    return miao.MiaoConfig(**config(tmp_path / "a.zarr"))


def test_references_that_write_out_to_more_than_memory_holds_are_refused_at_once(tmp_path):
    lines = ["b0: &b0 [1, 2, 3, 4, 5, 6, 7, 8, 9]"]
    lines += [f"b{n}: &b{n} [{', '.join([f'*b{n - 1}'] * 9)}]" for n in range(1, 12)]
    (tmp_path / "config.yaml").write_text("\n".join(lines))
    began = time.perf_counter()
    # b5 is the first of more than a million: 9^6 numbers and 9^5 + ... + 1 lists, 531441 + 66430 = 597871 for b5,
    # and 9 * 597871 + 1 = 5380840 for b6.
    with pytest.raises(ConfigError, match="line 7: with its references written out the value has 5380840 values"):
        miao.load_config(tmp_path / "config.yaml")
    assert time.perf_counter() - began < 5


def test_references_may_be_used_within_reason(tmp_path, made):
    text = made.to_yaml().replace("resolutions:\n- [8.0, 6.0, 4.0]", "resolutions: [&one [8.0, 6.0, 4.0], *one]")
    text = text.replace("resolutions: [[8.0, 6.0, 4.0]]", "resolutions: [&one [8.0, 6.0, 4.0], *one]")
    (tmp_path / "config.yaml").write_text(text)
    assert miao.load_config(tmp_path / "config.yaml").resolutions == [[8.0, 6.0, 4.0]] * 2


@pytest.mark.parametrize("path", [None, 5, b"x.yaml", "", "a\0b"], ids=repr)
def test_a_path_that_is_none_is_named(made, path):
    with pytest.raises(ArgumentTypeError, match="give the path of a YAML file"):
        miao.load_config(path)
    with pytest.raises(ArgumentTypeError, match="give the path of a YAML file"):
        miao.save_config(made, path)


@pytest.mark.parametrize("cfg", [None, {"volumes": []}], ids=repr)
def test_what_is_no_configuration_is_not_saved(tmp_path, cfg):
    with pytest.raises(ArgumentTypeError, match="give a MiaoConfig"):
        miao.save_config(cfg, tmp_path / "config.yaml")
    assert not list(tmp_path.iterdir())


def test_a_configuration_is_not_saved_over_a_folder_nor_below_a_file(tmp_path, made):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ConfigError, match="folder cannot be written: "):
        miao.save_config(made, tmp_path / "folder", overwrite=True)
    with pytest.raises(ConfigError, match=r"config\.yaml cannot be written: "):
        miao.save_config(made, tmp_path / "file" / "config.yaml")
    assert (tmp_path / "file").read_text() == "mine"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", "folder"]
