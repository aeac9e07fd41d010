"""SECURITY.md and CITATION.cff say what holds for this workspace."""

import re

import yaml

from workspace import ROOT, read_toml, read_workspace

RELEASED = {name: package for name, package in read_workspace().items() if not package.private}


def test_citation_has_what_its_format_asks_for_and_names_every_package():
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert found.keys() >= {"cff-version", "message", "title", "authors"}
    assert found["cff-version"] == "1.2.0"
    assert found["type"] == "software"
    assert [name for name in RELEASED if name not in found["abstract"]] == []
    for package in RELEASED.values():
        project = read_toml(ROOT / package.folder / "pyproject.toml")["project"]
        assert project["authors"] == found["authors"]
        assert project["license"] == found["license"]


def test_security_policy_links_to_what_is_here():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links
    assert [link for link in links if not (ROOT / link).is_file()] == []
