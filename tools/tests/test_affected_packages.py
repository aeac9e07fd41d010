"""Which packages a change affects, and the test jobs they get."""

import pytest

from affected_packages import affected, matrix
from workspace import Package, parse_requirement


def package(name, *, needs=(), test_needs=(), floor=(3, 10), tests=True, folder=None):
    return Package(
        name=name,
        version="0.1.0",
        folder=folder or f"packages/{name}",
        python_floor=floor,
        dependencies=tuple(parse_requirement(text) for text in needs),
        test_dependencies=tuple(parse_requirement(text) for text in test_needs),
        private=False,
        has_code=True,
        has_tests=tests,
    )


PACKAGES = {
    each.name: each
    for each in (
        package("core", test_needs=["cases"]),
        package("write", needs=["core>=0.1,<0.2"], test_needs=["cases"]),
        package("loader", needs=["write>=0.1,<0.2"], floor=(3, 12)),
        package("files", tests=False),
        package("core-extra"),
        package("cases", folder="conformance"),
    )
}
EVERY = list(PACKAGES)


@pytest.mark.parametrize(
    ("changed", "names"),
    [
        ([], []),
        (["packages/files/src/files/a.py"], ["files"]),
        (["packages/write/README.md"], ["write", "loader"]),
        (["packages/core/src/core/a.py"], ["core", "write", "loader"]),
        (["packages/core-extra/src/a.py"], ["core-extra"]),
        (["conformance/cases/keys/a.json"], ["core", "write", "loader", "cases"]),
        (["packages/files/a.py", "packages/loader/a.py"], ["loader", "files"]),
        (["pyproject.toml"], EVERY),
        ([".ci/run"], EVERY),
        ([".github/workflows/ci.yml"], EVERY),
        (["tools/README.md"], EVERY),
        (["docs/examples/a.py"], EVERY),
        (["something-new"], EVERY),
        (["README.md", "CONTRIBUTING.md", "LICENSE", ".gitignore", "docs/guide.md"], []),
        (["README.md", "packages/files/a.py"], ["files"]),
    ],
)
def test_a_change_affects_its_packages_and_their_dependants(changed, names):
    assert affected(PACKAGES, changed) == names


def test_the_matrix_is_package_by_python_by_resolution_from_each_floor_on():
    jobs = matrix(PACKAGES, ["write", "loader"])
    assert [(job["package"], job["python"]) for job in jobs if job["resolution"] == "highest"] == [
        ("write", "3.10"),
        ("write", "3.11"),
        ("write", "3.12"),
        ("write", "3.13"),
        ("loader", "3.12"),
        ("loader", "3.13"),
    ]
    assert [job["resolution"] for job in jobs] == ["highest", "lowest-direct"] * 6


def test_a_package_without_tests_gets_no_test_job():
    assert matrix(PACKAGES, ["files"]) == []
