"""The workflows: what they run is here, actions are pinned, and who may do what in a release."""

import re

import pytest
import yaml

from workspace import ROOT

PATHS = sorted((ROOT / ".github/workflows").glob("*.yml"))
RELEASE = ROOT / ".github/workflows/release.yml"
WORKFLOWS = {path.name: yaml.safe_load(path.read_text(encoding="utf-8")) for path in PATHS}


def steps(job):
    return job.get("steps", [])


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_scripts_that_a_workflow_runs_are_here(path):
    named = re.findall(r"(?:tools|\.ci)/[\w./-]+\w", path.read_text(encoding="utf-8"))
    assert [name for name in named if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_actions_are_pinned_to_a_commit_and_say_which_version_it_is(path):
    lines = [
        line for line in path.read_text(encoding="utf-8").splitlines() if "uses: " in line and "uses: ./" not in line
    ]
    for line in lines:
        assert re.fullmatch(r"\s*(- )?uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line


@pytest.mark.parametrize("name", WORKFLOWS)
def test_nothing_is_permitted_but_what_a_job_asks_for(name):
    assert WORKFLOWS[name]["permissions"] == {}
    for job in WORKFLOWS[name]["jobs"].values():
        assert "permissions" in job
        assert "uses" in job or "timeout-minutes" in job


def test_what_is_published_has_passed_the_rehearsal_and_was_built_without_rights():
    jobs = WORKFLOWS["release.yml"]["jobs"]
    assert jobs["build"]["permissions"] == {"contents": "read"}
    runs = [step.get("run", "") for step in steps(jobs["build"])]
    (rehearsal,) = (run for run in runs if "release_rehearsal.py" in run)
    assert '"$PACKAGE" --output release' in rehearsal
    assert any('.ci/test-wheel "$PACKAGE" release/dist' in run for run in runs)
    assert jobs["build"]["needs"] == "check"
    assert jobs["publish"]["needs"] == "build"
    assert jobs["publish"]["environment"] == "release"
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert not any("checkout" in step.get("uses", "") for step in steps(jobs["publish"]))


def test_a_release_that_is_started_by_hand_is_rehearsed_and_publishes_nothing():
    jobs = WORKFLOWS["release.yml"]["jobs"]
    assert "github.event_name == 'push'" in jobs["publish"]["if"]
    assert jobs["announce"]["needs"] == "publish"
    with_rights = {name for name, job in jobs.items() if "write" in job["permissions"].values()}
    assert with_rights == {"publish", "announce"}
