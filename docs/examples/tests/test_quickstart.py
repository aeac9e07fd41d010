"""The quickstart: the command of the README runs, and what it makes lies, and measures, what its input does."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import nibabel
import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("astropy")
pytest.importorskip("pandas")

import maml_parquet
import miao
import mlarray
import quickstart
import quickstart_images
import quickstart_phantom
import worldarray as wa

ROOT = Path(quickstart.__file__).parents[2]
PNG = b"\x89PNG\r\n\x1a\n"

# The phantom has voxels of 2.5 x 1.5 x 1 mm, 3.75 mm^3 each. Its corner is (-912.5, -70.25, -66), so voxel (k, j, i)
# has its centre at z = -911.25 + 2.5 k, y = -69.5 + 1.5 j, x = -65.5 + i.
INSERTS = [
    # k 16 to 31, j 22 to 39, i 30 to 49: 16 * 18 * 20 = 5760 voxels; their mean index is (23.5, 30.5, 39.5):
    # z = -911.25 + 58.75, y = -69.5 + 45.75, x = -65.5 + 39.5.
    (1, "bone block", 5760, 21600.0, (-852.5, -23.75, -26.0)),
    # Sections of an octahedron have 1, 5, 13, ..., n^2 + (n + 1)^2 voxels: to n = 9 twice, and 221 of n = 10 in the
    # middle. The sum of 2 n^2 + 2 n + 1 for n to 9 is 570 + 90 + 10 = 670; 2 * 670 + 221 = 1561. The middle is voxel
    # (24, 63, 40): z = -911.25 + 60, y = -69.5 + 94.5, x = -65.5 + 40.
    (2, "Teflon octahedron", 1561, 5853.75, (-851.25, 25.0, -25.5)),
    # Two slices each of 324, 256, 196, 144, 100, 64, 36, 16, 4 voxels: 1140 * 2 = 2280. The mean step is
    # (256 + 392 + 432 + 400 + 320 + 216 + 112 + 32) / 1140 = 2160 / 1140 = 36 / 19; steps begin at k = 15, so the mean
    # k is 15.5 + 72 / 19 and z = -911.25 + 38.75 + 180 / 19. j 21 to 38, i 79 to 96: y = -69.5 + 44.25, and
    # x = -65.5 + 87.5.
    (3, "acrylic steps", 2280, 8550.0, (-872.5 + 180 / 19, -25.25, 22.0)),
    # k 14 to 33: z = -911.25 + 58.75. In a slice 22 * 8 = 176 voxels about (62.5, 81.5) and 8 * 16 = 128 about
    # (69.5, 93.5): (176 * 62.5 + 128 * 69.5) / 304 = 62.5 + 56 / 19, and 81.5 + 96 / 19 likewise.
    # y = -69.5 + 93.75 + 84 / 19, x = -65.5 + 81.5 + 96 / 19.
    (4, "polystyrene L", 6080, 22800.0, (-852.5, 24.25 + 84 / 19, 16.0 + 96 / 19)),
    # 3072 voxels about (23.5, 47.5, 63.5) less 600 about (23.5, 46.5, 64.5):
    # (3072 * 47.5 - 600 * 46.5) / 2472 = 47.5 + 600 / 2472, and 63.5 - 600 / 2472.
    # z = -911.25 + 58.75, y = -69.5 + 71.25 + 900 / 2472, x = -65.5 + 63.5 - 600 / 2472.
    (5, "air jacket", 2472, 9270.0, (-852.5, 1.75 + 900 / 2472, -2.0 - 600 / 2472)),
]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What the command of the README says, in how many seconds."""
    command = next(line for line in ROOT.joinpath("README.md").read_text().splitlines() if line.startswith("uv run"))
    script = command.partition("#")[0].split()[-1]
    assert script == "docs/examples/quickstart.py"
    started = time.monotonic()
    around = {**os.environ, "TMPDIR": str(tmp_path_factory.mktemp("quickstart"))}
    command = [sys.executable, script]
    done = subprocess.run(command, cwd=ROOT, env=around, capture_output=True, text=True, timeout=100, check=True)
    assert done.stderr == ""
    return done.stdout, time.monotonic() - started


@pytest.fixture(scope="module")
def folder(told):
    """The folder that the command of the README has made."""
    return Path(told[0].split("Folder: ")[1].partition("  (")[0])


def test_the_command_of_the_readme_says_where_everything_is(told, folder):
    said, seconds = told
    assert seconds < 60, "under 20 s where nothing else runs"
    made = ["phantom-crop.mla", "phantom.maml", "phantom.parquet", "phantom.png", "phantom.yaml", "phantom.zarr"]
    assert sorted(path.name for path in folder.iterdir()) == made
    assert (folder / "phantom.png").read_bytes().startswith(PNG)
    for name in set(made) - {"phantom.maml"}:
        assert f": {folder / name}" in said
    assert [line[:2] for line in said.splitlines() if line[:1].isdigit()] == ["1.", "2.", "3.", "4.", "5.", "6."]
    assert "volumes are the exact ones" in said


def test_the_pyramid_and_its_labels_share_their_places(folder):
    for path in (folder / "phantom.zarr", folder / "phantom.zarr" / "labels" / "objects"):
        pyramid = wa.open_pyramid(path, units="millimeter")
        # 1.5 is within 1.5 times 1, 2.5 is not, so y and x are halved; then no axis has more than 64 voxels.
        assert pyramid.voxel_sizes() == ((2.5, 1.5, 1.0), (2.5, 3.0, 2.0))
        assert [level.shape for level in pyramid.levels] == [(48, 96, 128), (48, 48, 64)]
        assert {level.corner for level in pyramid.levels} == {(-912.5, -70.25, -66.0)}
    listed = json.loads((folder / "phantom.zarr" / "labels" / "zarr.json").read_text())["attributes"]["ome"]
    assert listed == {"version": "0.5", "labels": ["objects"]}
    attrs = wa.detect(folder / "phantom.zarr" / "labels" / "objects").attrs["ome"]["image-label"]
    assert [item["name"] for item in attrs["properties"]] == [name for _, name, *_ in INSERTS]
    assert attrs["source"] == {"image": "../../"}


def test_objects_are_where_they_are_by_construction(folder):
    from astropy.table import Table

    table = Table.read(folder / "phantom.parquet", format="parquet.votable")
    assert [str(table[name].unit or "") for name in ("voxels", "volume", "x", "y", "z")] == ["", "mm3", *["mm"] * 3]
    for row, (label, name, voxels, volume, (z, y, x)) in zip(table, INSERTS, strict=True):
        assert (row["id"], row["object"], row["voxels"], row["volume"]) == (label, name, voxels, volume)
        assert (row["z"], row["y"], row["x"]) == pytest.approx((z, y, x), rel=0, abs=1e-11)
        # Noise of 18 units, of at least 1561 voxels: 18 / sqrt(1561) = 0.46.
        assert row["mean"] == pytest.approx(quickstart_phantom.DENSITIES[label], abs=2)
    assert table["volume"].quantity.to_value("cm3")[0] == pytest.approx(21.6)
    assert table["x"].meta["ucd"] == "pos.cartesian.x"


def test_the_table_has_its_maml(folder):
    maml = maml_parquet.load(folder / "phantom.maml")
    assert {field.name: field.unit for field in maml.fields if field.unit} == {
        **dict.fromkeys("xyz", "mm"),
        "volume": "mm3",
    }
    found = maml_parquet.metadata(folder / "phantom.parquet")
    assert (found.num_rows, found.get("table")) == (5, "phantom objects")


@pytest.mark.parametrize("known", INSERTS)
def test_what_the_example_compares_with_is_right_too(known):
    label, name, voxels, volume, centroid = known
    exact = quickstart_phantom.EXACT[label]
    assert (exact.voxels, exact.volume, quickstart_phantom.NAMES[label - 1]) == (voxels, volume, name)
    assert exact.centroid == pytest.approx(centroid, rel=0, abs=1e-12)


@pytest.mark.parametrize(("axis", "by"), [("x", 1e-6), ("voxels", 1), ("volume", 3.75)])
def test_an_insert_that_is_found_elsewhere_is_an_error(folder, axis, by):
    from astropy.table import Table

    table = Table.read(folder / "phantom.parquet", format="parquet.votable")
    assert "exact" in quickstart.compared(table)
    table[axis][3] += by
    with pytest.raises(ValueError, match="by construction"):
        quickstart.compared(table)
    with pytest.raises(ValueError, match="an insert is missing"):
        quickstart.compared(table[:3])


def test_the_crop_lies_in_the_patient_where_the_image_does(folder):
    with mlarray.MLArray.open(folder / "phantom-crop.mla") as crop:
        # x to the right, y to the front and z up: array indices grow to S, A and R.
        assert (crop.letter_codes(), crop.meta.values.unit) == ("SAR", "hounsfield_unit")
        assert crop.spacing == pytest.approx([2.5, 1.5, 1.0])
        # Its box is a quarter of each length from each side, of the volume read at 1.2 mm, of which 120 mm along z
        # are 100 voxels, 144 mm along y 120, and 128 mm along x 107, or 128.4 mm.
        # z: -912.5 + 30 = -882.5, which is 12 voxels; y: -70.25 + 36 = -34.25, 24 voxels; x: -66 + 32.1 = -33.9: the
        # first centre at or behind that is i = 32 at -33.5. The last is at or before -66 + 96.3 = 30.3: i = 95, 29.5.
        assert crop.shape == (24, 48, 64)
        # k = 12 and j = 24: z = -911.25 + 30, y = -69.5 + 36; to the left and to the back signs change.
        assert crop.index_to_space((0, 0, 0)) == pytest.approx((33.5, 33.5, -881.25))
        assert crop.index_to_space((23, 47, 63)) == pytest.approx((-29.5, -37.0, -823.75))
        image = quickstart_phantom.image(quickstart_phantom.labels())
        np.testing.assert_array_equal(crop.to_numpy(), image[12:36, 24:72, 32:96])


def test_the_batch_can_be_made_again_from_its_configuration(folder):
    dataset = miao.VolumeDataset(folder / "phantom.yaml", verbose=False)
    batch = next(iter(miao.loader(dataset, batch_size=4)))
    assert batch["img"].shape == (4, 2, 1, 32, 32, 32)
    assert batch["label"].shape == (4, 2, 32, 32, 32)
    assert batch["pixel_size"][0].tolist() == [pytest.approx([1.2] * 3), pytest.approx([2.4] * 3)]
    assert set(batch["label"].unique().tolist()) == {0, 1, 2, 3, 4, 5}
    # Black is some -1006 units and white some 953. Teflon has 950, and water 0, which is 1006 / 1959 of the way; walls
    # of air are a few voxels thick, and blurred.
    image, label = batch["img"][:, 0, 0], batch["label"][:, 0]
    assert float(image[label == 2].median()) > 0.95
    assert float(image[label == 0].median()) == pytest.approx(1006 / 1959, abs=0.02)
    assert float(image[label == 5].median()) < 0.25


@pytest.fixture
def array(tmp_path):
    """An .npy of random int16, of a shape whose halves are cut."""
    values = np.random.default_rng(3).integers(-(2**15), 2**15, (70, 90, 45)).astype("int16")
    np.save(tmp_path / "block.npy", values)
    return tmp_path / "block.npy", values


def test_levels_of_an_npy_are_block_means_that_share_its_corner(array, tmp_path):
    path, values = array
    out = tmp_path / "out"
    size, corner = (2.5, 0.5, 0.75), (-3.0, 7.0, 11.0)
    more = ["--voxel-size", *map(str, size), "--corner", *map(str, corner), "--unit", "um"]
    assert quickstart.main([str(path), "--output", str(out), *more]) == 0
    pyramid = wa.open_pyramid(out / "block.zarr", units="micrometer")
    # 0.75 is within 1.5 times 0.5, and 1.5 of 1.0; 2.5 and 3.0 are of 2.0; then no axis has more than 64 voxels.
    assert pyramid.voxel_sizes() == ((2.5, 0.5, 0.75), (2.5, 1.0, 1.5), (2.5, 2.0, 3.0), (5.0, 4.0, 6.0))
    assert [vol.shape for vol in pyramid.levels] == [(70, 90, 45), (70, 45, 23), (70, 23, 12), (35, 12, 6)]
    assert all(vol.corner == pytest.approx(corner) for vol in pyramid.levels)
    s0, s1 = pyramid.by_name("s0"), pyramid.by_name("s1")
    np.testing.assert_array_equal(s0.read(s0.box), values)
    # The last x voxel of s1 covers one column of s0 only.
    whole = np.pad(values.astype(float), ((0, 0), (0, 0), (0, 1)), mode="edge")
    means = whole.reshape(70, 45, 2, 23, 2).mean(axis=(2, 4))
    np.testing.assert_array_equal(s1.read(s1.box), np.rint(means))
    assert (out / "block.png").read_bytes().startswith(PNG)
    # Nothing is known of a patient: the crop has the coordinates of the pyramid, in its unit.
    with mlarray.MLArray.open(out / "block-crop.mla") as crop:
        assert crop.letter_codes() is None
        assert [(axis["name"], axis["unit"]) for axis in crop.meta.spaces[0]["axes"]] == [
            (name, "micrometer") for name in "zyx"
        ]
    assert maml_parquet.metadata(out / "block.parquet").columns["volume"].unit == "um3"


def test_nothing_is_overwritten(array, tmp_path, capsys):
    path, _ = array
    assert quickstart.main([str(path), "--output", str(tmp_path)]) == 0
    before = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*") if file.is_file()}
    for name in ("block.zarr", "block.yaml", "block-crop.mla", "block.parquet", "block.maml", "block.png"):
        with pytest.raises(SystemExit, match=f"{name}: exists already, and nothing is overwritten"):
            quickstart.main([str(path), "--output", str(tmp_path)])
        (tmp_path / name).rename(tmp_path / f"kept-{name}")
    for name in ("block.zarr", "block.yaml", "block-crop.mla", "block.parquet", "block.maml", "block.png"):
        (tmp_path / f"kept-{name}").rename(tmp_path / name)
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*") if file.is_file()} == before


def save_nifti(path, affine, values, unit="mm"):
    image = nibabel.Nifti1Image(values, np.array(affine, float))
    image.header.set_xyzt_units(unit)
    nibabel.save(image, path)


# Stored with i to the left: x = 91.5 - 2 i, y = -110.25 + 1.8 j, z = -60 + 2.5 k, in millimetres, at voxel centres.
LEFTWARD = [[-2, 0, 0, 91.5], [0, 1.8, 0, -110.25], [0, 0, 2.5, -60], [0, 0, 0, 1]]


def test_a_nifti_is_turned_to_ras_and_placed_by_its_affine(tmp_path, capsys):
    values = np.arange(20 * 30 * 10, dtype=">i2").reshape(20, 30, 10)
    save_nifti(tmp_path / "head.nii.gz", LEFTWARD, values)
    assert quickstart.main([str(tmp_path / "head.nii.gz"), "--output", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "RAS+" in told
    assert "classes of intensity" in told
    assert "turned by" not in told
    vol = wa.open(tmp_path / "head.zarr", level="s0", units="millimeter")
    assert vol.grid.units == ("millimeter",) * 3
    assert vol.voxel_size == pytest.approx((2.5, 1.8, 2.0))
    # The leftmost voxel is i = 19, at 91.5 - 38 = 53.5.
    assert vol.translation == pytest.approx((-60, -110.25, 53.5))
    # i = 4, j = 7, k = 3 lies at x = 83.5, y = -97.65, z = -52.5.
    at = wa.Box((-52.5, -97.65, 83.5), (-52.5, -97.65, 83.5)).grow(0.5)
    assert vol.read(at).ravel().tolist() == [values[4, 7, 3]]
    assert wa.detect(tmp_path / "head.zarr").attrs["nifti"]["orientation"] == "RAS+"
    # The same voxel, in coordinates to the left and to the back: i, j and k are 15, 7 and 3 from the other side.
    with mlarray.MLArray.open(tmp_path / "head-crop.mla") as crop:
        index = np.rint(crop.space_to_index((-(91.5 - 20), -(-110.25 + 1.8 * 15), -60 + 2.5 * 5))).astype(int)
        assert crop[tuple(index)] == values[10, 15, 5]


def test_labels_of_a_file_are_what_is_measured(tmp_path, capsys):
    values, labels = np.zeros((20, 30, 10), "float32"), np.zeros((20, 30, 10), "int16")
    # i 4 and 5, j 7, k 2 to 4 are label 1; i 10, j 20 to 23, k 8 label 3; label 2 has no voxel.
    labels[4:6, 7, 2:5], labels[10, 20:24, 8] = 1, 3
    values[labels == 3] = 1.5
    for name, stored in (("head.nii", values), ("seg.nii", labels)):
        save_nifti(tmp_path / name, LEFTWARD, stored)
    given = [str(tmp_path / "head.nii"), "--labels", str(tmp_path / "seg.nii")]
    assert quickstart.main([*given, "--output", str(tmp_path / "out")]) == 0
    table = maml_parquet.read_table(tmp_path / "out" / "head.parquet").to_pydict()
    assert table["object"] == ["label 1", "label 3"]
    assert table["voxels"] == [6, 4]
    # Of 2 x 1.8 x 2.5 = 9 mm^3.
    assert table["volume"] == pytest.approx([54, 36])
    # x = 91.5 - 2 * 4.5 and 91.5 - 20; y = -110.25 + 12.6 and -110.25 + 1.8 * 21.5; z = -60 + 7.5 and -60 + 20.
    assert table["x"] == pytest.approx([82.5, 71.5])
    assert table["y"] == pytest.approx([-97.65, -71.55])
    assert table["z"] == pytest.approx([-52.5, -40])
    assert table["mean"] == pytest.approx([0, 1.5])
    for wrong, told in ((labels[1:], "have the shape"), (labels + 254, "whole numbers")):
        save_nifti(tmp_path / "seg.nii", LEFTWARD, wrong)
        with pytest.raises(SystemExit, match=told):
            quickstart.main([*given, "--output", str(tmp_path / "no")])
    save_nifti(tmp_path / "seg.nii", np.diag([2, 1.8, 2.5, 1]), labels)
    with pytest.raises(SystemExit, match="the places of the image"):
        quickstart.main([*given, "--output", str(tmp_path / "no")])
    assert not (tmp_path / "no").exists()


def test_a_turned_nifti_without_a_unit_says_what_is_left_out(tmp_path, capsys):
    c, s = np.cos(np.radians(10)), np.sin(np.radians(10))
    affine = [[2, 0, 0, -9], [0, 3 * c, -4 * s, 20], [0, 3 * s, 4 * c, 5], [0, 0, 0, 1]]
    save_nifti(tmp_path / "turned.nii", affine, np.zeros((8, 9, 10, 2), "float32"), unit="unknown")
    assert quickstart.main([str(tmp_path / "turned.nii"), "--output", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "turned by up to 10.0 degrees" in told
    assert "taken as millimetres" in told
    assert "this is the first" in told
    vol = wa.open(tmp_path / "turned.zarr", level="s0", units="millimeter")
    assert vol.voxel_size == pytest.approx((4, 3, 2))
    assert vol.translation == pytest.approx((5, 20, -9))
    # An image of zeros has no objects, and the table no rows.
    assert maml_parquet.metadata(tmp_path / "turned.parquet").num_rows == 0
    # The crop keeps the turn: a step along its first axis goes 4 mm, up and to the back of it.
    with mlarray.MLArray.open(tmp_path / "turned-crop.mla") as crop:
        step = crop.index_to_space((1, 0, 0)) - crop.index_to_space((0, 0, 0))
        assert step == pytest.approx((0, 4 * s, 4 * c))


@pytest.mark.parametrize(
    "given", [["--mni152", "head.nii"], ["--labels", "seg.nii"], ["--mni152", "--labels", "seg.nii"]]
)
def test_labels_go_with_an_image_of_ones_own(tmp_path, given):
    with pytest.raises(SystemExit, match="have their own"):
        quickstart.main([*given, "--output", str(tmp_path / "out")])
    assert list(tmp_path.iterdir()) == []


def test_an_image_with_nan_is_cut_and_measured(tmp_path):
    values = np.random.default_rng(5).normal(size=(24, 30, 40)).astype("float32")
    values[0] = np.nan
    np.save(tmp_path / "nan.npy", values)
    assert quickstart.main([str(tmp_path / "nan.npy"), "--output", str(tmp_path / "out")]) == 0
    table = maml_parquet.read_table(tmp_path / "out" / "nan.parquet").to_pydict()
    # What is not a number is background.
    assert np.isfinite(table["mean"]).all()
    assert sorted(table["mean"]) == table["mean"]


def test_what_is_missing_is_told_before_anything_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(quickstart, "find_spec", lambda name: None if name in {"pandas", "rich"} else name)
    with pytest.raises(SystemExit, match="needs pandas, rich; "):
        quickstart.main(["--output", str(tmp_path / "out")])
    assert list(tmp_path.iterdir()) == []


def test_nifti_without_nibabel_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "nibabel", None)
    with pytest.raises(SystemExit, match="needs nibabel"):
        quickstart.main([str(tmp_path / "head.nii")])


@pytest.mark.parametrize(
    ("values", "name", "told"),
    [
        (np.zeros((4, 5)), "flat.npy", "three axes"),
        (np.zeros((4, 0, 6)), "empty.npy", "three axes, none of them empty"),
        (np.zeros((4, 5, 6), bool), "mask.npy", "integers and floats"),
        (np.zeros((4, 5, 6)), "image.npz", "reads .npy, .nii and .nii.gz"),
        (np.zeros((4, 5, 6)), "image.tif", "save a TIFF as one"),
    ],
)
def test_what_it_cannot_read_ends_it_before_anything_is_made(tmp_path, values, name, told):
    with open(tmp_path / name, "wb") as file:
        np.save(file, values)
    with pytest.raises(SystemExit, match=told):
        quickstart.main([str(tmp_path / name), "--output", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_not_there_is_an_error_of_one_line(tmp_path, capsys):
    assert quickstart.main([str(tmp_path / "no.npy")]) == 1
    assert capsys.readouterr().err == f"{tmp_path / 'no.npy'}: No such file or directory\n"


@pytest.mark.slow
def test_the_template_of_nilearn_comes_with_its_tissues():
    pytest.importorskip("nilearn")
    image = quickstart_images.template()
    assert (image.objects, image.voxel_size) == (("grey matter", "white matter"), (2.0, 2.0, 2.0))
    assert set(np.unique(image.labels)) == {0, 1, 2}
    assert image.values.shape == image.labels.shape
    # White matter is the brighter one in a T1 image.
    assert image.values[image.labels == 2].mean() > image.values[image.labels == 1].mean() + 20
