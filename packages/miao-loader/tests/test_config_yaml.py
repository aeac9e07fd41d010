"""Configurations in files: where volumes are, what errors name, and that no file is lost."""

import os
import stat

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from miao import MiaoConfig, load_config, save_config
from miao.config.models import problems
from miao.config.yaml_io import resolve_place
from miao.config.yaml_text import dump, parse
from miao.errors import ConfigError, ConfigExistsError

TEXT = """\
# two volumes
volumes:
  - name: sample_a
    path: /data/sample_A.zarr
    image_key: raw
    label_key: labels/seg      # optional
    zarr_version: zarr2
    weight: 0.5
  - name: sample_b
    path: /data/sample_B.zarr
    image_key: predictions
    zarr_version: zarr3
    fixed_axes: {t: 1:25}

resolutions: [[8, 9, 10], [16, 18, 20]]
output_axes: lcxyz
patch_size: [64, 65, 66]
size_weighting_exponent: 1e-3
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "configs" / "config.yaml"
    path.parent.mkdir()
    path.write_text(TEXT)
    return path


def config(path="em.zarr", **fields):
    volume = {"name": "em", "path": str(path), "image_key": "raw"}
    return MiaoConfig(volumes=[volume], resolutions=[[8, 9, 10]], output_axes="lzyx", patch_size=[4, 5, 6], **fields)


def volume_path(path):
    return load_config(path).volumes[0].path


def test_a_file_becomes_a_configuration(file):
    found = load_config(file)
    assert [one.name for one in found.volumes] == ["sample_a", "sample_b"]
    assert found.volumes[1].fixed_axes == {"t": "1:25"}
    assert found.resolutions == [[8.0, 9.0, 10.0], [16.0, 18.0, 20.0]]
    assert found.size_weighting_exponent == 0.001
    assert load_config(str(file)) == found


def test_a_changed_configuration_is_saved_and_loaded(file, tmp_path):
    found = load_config(file)
    found.samples_per_epoch = 500
    save_config(found, tmp_path / "made" / "on the way" / "new_config.yaml")
    again = load_config(tmp_path / "made" / "on the way" / "new_config.yaml")
    assert again == found
    assert again.samples_per_epoch == 500
    assert load_config(file).samples_per_epoch == 1000


def test_every_problem_has_its_line(file):
    file.write_text(TEXT.replace("weight: 0.5", "weight: -1").replace("66]", "\n  0]").replace("image_key: raw", "#"))
    with pytest.raises(ValidationError, match=r"config\.yaml") as caught:
        load_config(file)
    assert [(code, at, message[-9:].strip()) for code, at, message in problems(caught.value)] == [
        ("missing_key", ("volumes", 0, "image_key"), "(line 3)"),
        ("not_positive", ("volumes", 0, "weight"), "(line 8)"),
        ("not_positive", ("patch_size", 2), "(line 18)"),
    ]


def test_a_problem_deeper_than_the_file_has_the_line_of_what_there_is(file):
    file.write_text(TEXT.replace("{t: 1:25}", "\n      t: [1,\n        1]\n      2: 3"))
    with pytest.raises(ValidationError, match=r"the key 2 is no text; put it into quotes \(line 13\)"):
        load_config(file)
    file.write_text(TEXT.replace("{t: 1:25}", "\n      t: [1,\n        1]"))
    with pytest.raises(ValidationError, match=r"stands twice in \[1, 1\] \(line 15\)"):
        load_config(file)
    file.write_text("volumes: &v\n- name\nresolutions: *v\noutput_axes: lx\npatch_size: 3\n")
    with pytest.raises(ValidationError) as caught:
        load_config(file)
    assert [message.split()[-1] for _, _, message in problems(caught.value)] == ["2)", "2)", "5)"]


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("", "wrong_type", ["config.yaml", "empty"]),
        ("- a\n", "wrong_type", ["config.yaml, line 1", "mapping"]),
        ("a: 1\nb: [1\n", "wrong_value", ["config.yaml, line 3"]),
        ("a: 1\nb: 2\na: 3\n", "duplicate", ["config.yaml, line 3", "'a'", "line 1"]),
        ("a: !!python/object:os.system {}\n", "wrong_value", ["config.yaml, line 1"]),
        ("a: \0\n", "wrong_value", ["config.yaml", "#x0000"]),
        ("a: " + "[" * 5000, "unsupported", ["config.yaml", "100 deep"]),
    ],
)
def test_what_is_no_configuration_is_named_with_file_and_line(file, text, code, words):
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    assert caught.value.code == code
    assert [word for word in words if word not in str(caught.value)] == []


def test_a_file_that_is_not_utf_8_is_named_with_its_line(file):
    file.write_bytes(b"# a\n# b\nname: \xb5m\n")
    with pytest.raises(ConfigError, match=r"config\.yaml, line 3: the file is not UTF-8"):
        load_config(file)
    file.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("sample_a", "säm").encode())
    assert load_config(file).volumes[0].name == "säm"


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="absent"):
        load_config(tmp_path / "absent.yaml")


def test_a_relative_path_is_beside_the_file_where_it_exists_there(file, tmp_path):
    save_config(config("data/em.zarr"), file, overwrite=True)
    assert volume_path(file) == "data/em.zarr"
    (tmp_path / "data" / "em.zarr").mkdir(parents=True)
    assert volume_path(file) == "data/em.zarr"
    (file.parent / "data" / "em.zarr").mkdir(parents=True)
    assert volume_path(file) == str(file.parent / "data" / "em.zarr")
    assert volume_path("configs/config.yaml") == str(file.parent / "data" / "em.zarr")


def test_a_path_beside_the_file_in_the_working_directory_stays_as_written(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    (file.parent / "em.zarr").mkdir()
    save_config(config(), file, overwrite=True)
    assert load_config(file) == config()


def test_a_path_that_another_container_would_hide_is_saved_absolute(file, tmp_path):
    (tmp_path / "em.zarr").mkdir()
    (file.parent / "em.zarr").mkdir()
    save_config(config(), file, overwrite=True)
    assert volume_path(file) == str(tmp_path / "em.zarr")


def test_a_path_up_from_the_file(file, tmp_path):
    (tmp_path / "em.zarr").mkdir()
    save_config(config("../em.zarr"), file, overwrite=True)
    assert volume_path(file) == str(tmp_path / "em.zarr")


@pytest.mark.parametrize(
    "place", ["s3://bucket/em.zarr", "gs://b/em", "https://host/em.zarr", "precomputed://gs://b/em"]
)
def test_a_url_stays(file, place):
    save_config(config(place), file, overwrite=True)
    assert volume_path(file) == place


def test_a_tilde_is_the_home_folder(file, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    save_config(config("~/em.zarr"), file, overwrite=True)
    assert "path: ~/em.zarr" in file.read_text().replace("'", "")
    assert volume_path(file) == str(tmp_path / "home" / "em.zarr")
    assert resolve_place("~/em.zarr") == str(tmp_path / "home" / "em.zarr")
    assert resolve_place("a~b.zarr") == "a~b.zarr"


def test_nothing_is_overwritten_unless_it_is_said(file):
    before = file.read_bytes()
    with pytest.raises(ConfigExistsError, match="overwrite=True") as caught:
        save_config(config(), file)
    assert isinstance(caught.value, FileExistsError)
    assert file.read_bytes() == before
    save_config(config(), file, overwrite=True)
    assert load_config(file) == config()
    save_config(config(), file)
    assert sorted(path.name for path in file.parent.iterdir()) == ["config.yaml"]


def test_a_file_that_is_replaced_keeps_its_mode_and_its_link(file):
    file.chmod(0o640)
    link = file.parent / "link.yaml"
    link.symlink_to(file)
    save_config(config(), link, overwrite=True)
    assert link.is_symlink()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert load_config(file) == config()


def test_a_new_file_has_the_mode_of_any_new_file(file):
    other = file.parent / "other"
    other.touch()
    save_config(config(), file.parent / "new.yaml")
    assert (file.parent / "new.yaml").stat().st_mode == other.stat().st_mode


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(file, monkeypatch):
    before = file.read_bytes()

    def fails(_):
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(OSError, match="the disk is full"):
        save_config(config(), file, overwrite=True)
    assert file.read_bytes() == before
    assert len(list(file.parent.iterdir())) == 1


def test_a_file_system_without_links(file, monkeypatch):
    def fails(*_):
        raise OSError("not supported")

    monkeypatch.setattr(os, "link", fails)
    save_config(config(), file.parent / "new.yaml")
    assert load_config(file.parent / "new.yaml") == config()
    assert len(list(file.parent.iterdir())) == 2
    with pytest.raises(ConfigExistsError):
        save_config(config(seed=3), file.parent / "new.yaml")


def test_another_file_that_appears_meanwhile_is_kept(file, monkeypatch):
    target = file.parent / "new.yaml"
    fsync = os.fsync

    def late(number):
        fsync(number)
        target.write_text("other")

    monkeypatch.setattr(os, "fsync", late)
    with pytest.raises(ConfigExistsError):
        save_config(config(), target)
    assert target.read_text() == "other"


def test_what_is_left_out():
    text = config(seed=7).to_yaml(exclude_defaults=True)
    assert text.splitlines() == [
        "volumes:",
        "- {name: em, path: em.zarr, image_key: raw}",
        "resolutions:",
        "- [8.0, 9.0, 10.0]",
        "output_axes: lzyx",
        "patch_size: [4, 5, 6]",
        "seed: 7",
    ]
    assert "augment_fn" not in config().to_yaml()
    assert "augment_fn: null" in config().to_yaml(exclude_none=False)
    assert config().to_yaml(sort_keys=True).startswith("bbox_anchor: centre")
    assert "patch_size:\n- 4\n" in config().to_yaml(default_flow_style=False)


def test_yaml_is_returned_and_written(tmp_path):
    text = config().to_yaml(tmp_path / "new.yaml")
    assert (tmp_path / "new.yaml").read_text() == text
    with pytest.raises(ConfigExistsError):
        config(seed=3).to_yaml(tmp_path / "new.yaml")
    assert config(seed=3).to_yaml(tmp_path / "new.yaml", overwrite=True) == (tmp_path / "new.yaml").read_text()


def test_keyword_arguments_come_back_whole(tmp_path):
    np = pytest.importorskip("numpy")
    kwargs = {"none": None, "pair": (1, 2.5), "deep": [{"a": "1e3"}], "number": np.float32(0.5), "list": np.arange(2)}
    made = config(augment_fn={"factory": "package.make", "kwargs": kwargs})
    save_config(made, tmp_path / "new.yaml")
    assert load_config(tmp_path / "new.yaml").augment_fn.kwargs == {
        "none": None,
        "pair": [1, 2.5],
        "deep": [{"a": "1e3"}],
        "number": 0.5,
        "list": [0, 1],
    }


def test_keyword_arguments_that_no_yaml_holds_are_named(tmp_path):
    made = config(augment_fn={"factory": "package.make", "kwargs": {"sizes": [1, object()]}})
    with pytest.raises(ConfigError, match="object") as caught:
        save_config(made, tmp_path / "new.yaml")
    assert caught.value.at == ("augment_fn", "kwargs", "sizes", 1)
    assert list(tmp_path.iterdir()) == []
    endless = []
    endless.append(endless)
    with pytest.raises(ConfigError, match="deep"):
        config(augment_fn={"factory": "package.make", "kwargs": {"a": endless}}).to_yaml()


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=12) | st.from_regex(
    r"\A[-+]?[0-9_.:oxebf]{1,8}\Z"
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=4))
def test_what_is_dumped_is_parsed_as_it_was(data):
    found = parse(dump(data, sort_keys=False), "config.yaml")[0]
    assert found == data
    assert repr(found) == repr(data)


@settings(max_examples=100, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_readers_of_the_older_yaml_read_the_same_texts(texts):
    assert yaml.safe_load(dump({"a": texts}))["a"] == texts
