"""The page of benchmarks, from results that are made by hand."""

import json

import pytest

import benchmarks
from benchmarks import Family, amount, gather, main, measured, page, read
from workspace import ROOT

PEER = "peer: other==1.2, a worker process of its own on numpy 2.4"


def line(name, **changes):
    ours = {"name": name, "reference": 0.002, "ours": 0.003, "ratio": 1.5, "low": 1.25, "high": 1.75, "unit": "s"}
    return {**ours, "goal": "2x", "met": True, "says": "numpy", "notes": [], **changes}


def family(package, name, lines, **changes):
    return Family(
        package, name, {"environment": "Python 3.11", "peer": PEER, "quick": False, "lines": lines, **changes}
    )


def test_a_line_says_what_reference_ours_ratio_goal_and_whether_it_is_met():
    text = page(
        [family("core", "reads", [line("read|one"), line("read all", met=False), line("open", met=None, goal="-")])]
    )
    assert (
        "| package | what | reference | ours | ratio | goal | met |\n| --- | --- | --- | --- | --- | --- | --- |\n"
        in text
    )
    assert "| core | read\\|one | numpy: 2 ms | 3 ms | 1.50x (1.25-1.75) | 2x | yes |\n" in text
    assert "| core | read all | numpy: 2 ms | 3 ms | 1.50x (1.25-1.75) | 2x | **no** |\n" in text
    assert "| core | open | numpy: 2 ms | 3 ms | 1.50x (1.25-1.75) | - | - |\n" in text
    # Three lines, two of them with a goal, one of which is met.
    assert "1 of 2 goals are met." in text
    assert "Cost as work grows" not in text


def test_gain_and_time_per_item_stand_beside_the_ratio():
    text = page([family("core", "reads", [line("a", gain=1.4, item_us=0.125)])])
    assert "| 1.50x (1.25-1.75), gain 1.40x, 0.12 us each | 2x |" in text


def test_growth_is_a_table_of_its_own():
    grown = {"name": "read, by voxels", "sizes": [1000, 8000], "seconds": [0.001, 0.0045], "exponent": 0.7234}
    text = page([family("core", "growth", [grown]), family("core", "reads", [line("a")])])
    assert text.index("| core | a |") < text.index("## Cost as work grows")
    assert "| core | read, by voxels | 1000 / 8000 | 1 ms / 4.5 ms | 0.72 |\n" in text


def test_a_package_says_once_what_it_was_measured_with_and_whether_a_run_was_short():
    absent = "other==1.2 is not compared: it was left out"
    runs = [family("core", "a", [line("a")], peer=absent), family("core", "b", [line("b")])]
    text = page([*runs, family("files", "c", [line("c")], peer=absent, quick=True)])
    assert f"- core: Python 3.11; {PEER}\n- files: Python 3.11; **small sizes" in text
    assert "not compared" not in text
    assert "goals are met" not in text


def test_notes_are_told_below_the_table():
    text = page([family("core", "reads", [line("a", notes=["the peer cannot do 'a'"])])])
    assert text.endswith("| yes |\n\n- the peer cannot do 'a'\n")


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (2.5, "s", "2.5 s"),
        (0.0125, "s", "12.5 ms"),
        (3e-6, "s", "3 us"),
        (4e-8, "s", "40 ns"),
        (3 * 2**20, "bytes", "3 MiB"),
        (1536, "bytes", "1.5 KiB"),
        (12, "bytes", "12 bytes"),
    ],
)
def test_amounts_have_the_unit_that_suits_them(value, unit, text):
    assert amount(value, unit) == text


def test_results_are_read_by_name_with_growth_last(tmp_path):
    for name in ("zoom", "growth", "alpha"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"lines": []}))
    assert [each.name for each in read("core", tmp_path)] == ["alpha", "zoom", "growth"]


@pytest.mark.parametrize("text", ["[]", '{"lines": {}}', "{}"])
def test_a_file_without_lines_is_named(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(ValueError, match=r"a\.json holds no list of lines; run core/benchmarks/run\.py again"):
        read("core", tmp_path)


def test_every_package_that_is_released_has_benchmarks():
    assert {folder for _, folder in measured()} == {
        path.parents[1] for path in ROOT.glob("packages/*/benchmarks/run.py")
    }
    assert len(measured()) == 5


@pytest.fixture
def one(tmp_path, monkeypatch):
    """Return the folder of the only package there is; measuring it makes one line and no more."""

    def run(folder, results, *, quick):
        results.mkdir(parents=True, exist_ok=True)
        told = {"environment": "e", "peer": PEER, "quick": quick, "lines": [line("a")]}
        (results / "reads.json").write_text(json.dumps(told))
        return 0

    monkeypatch.setattr(benchmarks, "measured", lambda: [("core", tmp_path)])
    monkeypatch.setattr(benchmarks, "run", run)
    return tmp_path


def test_a_short_run_leaves_the_results_of_a_long_one_alone(one):
    families, wrong = gather([], quick=True, measure=True)
    assert [each.name for each in families] == ["reads"]
    assert wrong == []
    assert not (one / "benchmarks/results").exists()
    gather([], quick=False, measure=True)
    assert (one / "benchmarks/results/reads.json").is_file()


def test_a_package_that_ends_badly_or_has_no_results_is_named(one, monkeypatch):
    assert gather([], quick=False, measure=False) == ([], ["core has no results; measure without --no-run"])
    monkeypatch.setattr(benchmarks, "run", lambda folder, results, *, quick: 3)
    assert gather([], quick=False, measure=True)[1][0] == "core: benchmarks/run.py ended with 3"


def test_the_page_is_written_only_where_nothing_went_wrong(one, monkeypatch, capsys):
    monkeypatch.setattr(benchmarks, "ROOT", one)
    (one / "docs").mkdir()
    monkeypatch.setattr("sys.argv", ["benchmarks.py", "--write", "--no-run"])
    assert main() == 1
    assert not (one / "docs/benchmarks.md").exists()
    monkeypatch.setattr("sys.argv", ["benchmarks.py", "--write"])
    assert main() == 0
    assert (one / "docs/benchmarks.md").read_text().startswith("# Benchmarks\n")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "word"),
    [(["kore"], "there is no kore; choose from core"), (["--quick", "--no-run"], "leave one out")],
)
def test_arguments_that_cannot_be_are_refused(one, monkeypatch, capsys, arguments, word):
    monkeypatch.setattr("sys.argv", ["benchmarks.py", *arguments])
    with pytest.raises(SystemExit):
        main()
    assert word in capsys.readouterr().err
