"""A release of one package, up to the upload: built twice, checked, and laid out as it would be published."""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import release_check
from changelogs import entry
from distributions import check_metadata, check_sdist, check_wheel, metadata, read_sdist, read_wheel
from workspace import ROOT, Package, read_workspace


@dataclass
class Findings:
    """What a rehearsal found."""

    wrong: list[str] = field(default_factory=list)
    """What is wrong with the distributions themselves."""
    before: list[str] = field(default_factory=list)
    """What is still to be done before the tag."""


def build(package: Package, folder: Path) -> list[Path]:
    """Build the sdist, and the wheel from the sdist, into a new folder; return them by name."""
    folder.mkdir(parents=True)
    command = ["uv", "build", "--quiet", "--package", package.name, "--out-dir", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True)
    return sorted(path for path in folder.iterdir() if path.name.endswith((".whl", ".tar.gz")))


def digests(paths: list[Path]) -> dict[str, str]:
    """Return the SHA-256 of files, by name."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def committed(folder: Path) -> frozenset[str]:
    """Return the files of a folder that the repository holds, relative to it."""
    command = ["git", "ls-files", "-z", "."]
    listed = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    return frozenset(listed.split("\0")) - {""}


def check_names(package: Package, paths: list[Path]) -> list[str]:
    """Return what is wrong with the names of what was built: one sdist and one wheel of this version."""
    stem = f"{package.name.replace('-', '_')}-{package.version}"
    wanted = [f"{stem}-py3-none-any.whl", f"{stem}.tar.gz"]
    names = [path.name for path in paths]
    return [] if names == wanted else [f"the build made {', '.join(names) or 'nothing'}, not {' and '.join(wanted)}"]


def check_repeat(first: dict[str, str], second: dict[str, str]) -> list[str]:
    """Return which files two builds of one tree made differently."""
    names = sorted(first.keys() | second.keys())
    return [f"two builds made different bytes of {name}" for name in names if first.get(name) != second.get(name)]


def check_twine(paths: list[Path]) -> list[str]:
    """Return what twine says against the descriptions and the metadata, or that it is not here."""
    if importlib.util.find_spec("twine") is None:
        return ["twine is not installed, and has to look too: uv run --only-group release python tools/…"]
    command = [sys.executable, "-m", "twine", "check", "--strict", *map(str, paths)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    said = " ".join(f"{done.stdout} {done.stderr}".split())
    return [] if done.returncode == 0 else [f"twine check: {said}"]


def check_contents(package: Package, paths: list[Path], files: frozenset[str]) -> list[str]:
    """Return what is wrong inside the wheel and the sdist; `files` are those that the repository holds."""
    folder = ROOT / package.folder
    wheel, sdist = read_wheel(paths[0]), read_sdist(paths[1])
    problems = [*check_wheel(wheel, package, folder), *check_sdist(sdist, folder, files)]
    if "PKG-INFO" not in sdist or not any(name.endswith(".dist-info/METADATA") for name in wheel):
        return [*problems, "the sdist lacks PKG-INFO, or the wheel METADATA"]
    if metadata(wheel).as_string() != metadata(sdist).as_string():
        problems.append("the metadata of the wheel and of the sdist differ")
    return problems + check_metadata(metadata(wheel), package, folder)


def uncommitted(package: Package) -> list[str]:
    """Return a line where the tree of a package is not the one that the repository holds."""
    command = ["git", "status", "--porcelain", "--", package.folder]
    changed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return [f"{package.folder} has {len(changed)} changed files that are not committed"] if changed else []


def lay_out(package: Package, paths: list[Path], folder: Path) -> None:
    """Write what would be published into a new `folder`: ``dist``, the hashes, the contents and the notes."""
    (folder / "dist").mkdir(parents=True)
    for path in paths:
        shutil.copyfile(path, folder / "dist" / path.name)
    sums = "".join(f"{digest}  {name}\n" for name, digest in digests(paths).items())
    (folder / "SHA256SUMS").write_text(sums, encoding="utf-8")
    lines = []
    for path in paths:
        files = read_wheel(path) if path.suffix == ".whl" else read_sdist(path)
        lines += [f"{path.name}: {len(files)} files, {path.stat().st_size} bytes"]
        lines += [f"  {len(files[name]):>9}  {name}" for name in sorted(files)]
    (folder / "CONTENTS.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    changelog = (ROOT / package.folder / "CHANGELOG.md").read_text(encoding="utf-8")
    found = entry(changelog, package.version)
    notes = found[1] if found else ""
    (folder / "NOTES.md").write_text(f"# {package.name} {package.version}\n\n{notes}\n", encoding="utf-8")


def rehearse(package: Package, output: Path) -> Findings:
    """Build, check and lay out one package in `output`, which is made; return what was found."""
    tags = subprocess.run(["git", "tag", "--list"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    tag = f"{package.name}-v{package.version}"
    found = Findings(before=[*release_check.check(ROOT, tag, read_workspace(), tags), *uncommitted(package)])
    with tempfile.TemporaryDirectory(prefix="release-") as work:
        paths = build(package, Path(work, "first"))
        found.wrong += check_names(package, paths)
        if found.wrong:
            return found
        found.wrong += check_repeat(digests(paths), digests(build(package, Path(work, "second"))))
        found.wrong += check_contents(package, paths, committed(ROOT / package.folder))
        found.wrong += check_twine(paths)
        lay_out(package, paths, output)
    return found


def main() -> int:
    """Rehearse a release: nothing is uploaded, tagged or changed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", help="the distribution, such as worldarray-core")
    parser.add_argument("--output", type=Path, help="a new folder for what would be published; none is kept without")
    parser.add_argument("--strict", action="store_true", help="fail too where something is left to do before the tag")
    asked = parser.parse_args()
    packages = read_workspace()
    if asked.package not in packages:
        parser.error(f"{asked.package!r} is no package of this workspace; it holds {', '.join(packages)}")
    if asked.output is not None and asked.output.exists():
        parser.error(f"{asked.output} exists; name a folder that does not")
    package = packages[asked.package]
    if package.private:
        parser.error(f"{package.name} is classified 'Private :: Do Not Upload'; choose a package that is released")
    with tempfile.TemporaryDirectory(prefix="rehearsal-") as kept:
        output = asked.output or Path(kept, "release")
        found = rehearse(package, output)
        if (output / "SHA256SUMS").is_file():
            print((output / "SHA256SUMS").read_text(encoding="utf-8"), end="")
    for head, lines in (("wrong", found.wrong), ("to do before the tag", found.before)):
        if lines:
            print(f"{package.name} {package.version}, {head}:", *lines, sep="\n- ", file=sys.stderr)
    return 1 if found.wrong or (asked.strict and found.before) else 0


if __name__ == "__main__":
    sys.exit(main())
