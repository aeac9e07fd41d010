"""DICOM series: real files of the pydicom wheel, and series made here slice by slice."""

import warnings
from pathlib import Path

import numpy as np
import pytest

from mlarray import FormatError, MLArray, MLArrayError, MLArrayWarning
from mlarray.convert import from_dicom
from mlarray.errors import ArgumentError

pydicom = pytest.importorskip("pydicom")

from pydicom.data import get_testdata_file  # noqa: E402  (after the skip)
from pydicom.dataset import FileDataset, FileMetaDataset  # noqa: E402
from pydicom.uid import ExplicitVRLittleEndian, generate_uid  # noqa: E402

FOLDERS = Path(str(get_testdata_file("CT_small.dcm"))).parent / "dicomdirtests"
ROW, COLUMN = (0.96, 0.28, 0.0), (-0.168, 0.576, 0.8)
"""Orientation of the rows and of the columns; their cross product is (0.224, -0.768, 0.6)."""
NORMAL = np.array([0.224, -0.768, 0.6])
UID = generate_uid(entropy_srcs=["series"])


def one(path, position, **fields):
    meta = FileMetaDataset()
    meta.TransferSyntaxUID = ExplicitVRLittleEndian
    meta.MediaStorageSOPClassUID = "1.2.840.10008.5.1.4.1.1.4"
    meta.MediaStorageSOPInstanceUID = generate_uid()
    found = FileDataset(str(path), {}, file_meta=meta, preamble=b"\0" * 128)
    values = fields.pop("values", np.arange(12, dtype="<i2").reshape(3, 4))
    found.Rows, found.Columns = values.shape
    found.SamplesPerPixel, found.PhotometricInterpretation = 1, "MONOCHROME2"
    found.BitsAllocated = found.BitsStored = 16
    found.HighBit, found.PixelRepresentation = 15, 1
    found.PixelData = values.tobytes()
    found.ImagePositionPatient = [round(float(value), 6) for value in position]
    found.ImageOrientationPatient = [*ROW, *COLUMN]
    found.PixelSpacing = [0.5, 0.75]
    found.SeriesInstanceUID, found.FrameOfReferenceUID = UID, "1.2.3"
    for name, value in fields.items():
        if value is None:
            delattr(found, name)
        else:
            setattr(found, name, value)
    found.save_as(path, enforce_file_format=True)


def series(folder, steps=(0, 4, 8), **fields):
    folder.mkdir(exist_ok=True)
    first = np.array([-100.0, -50, 25])
    for index, step in enumerate(steps):
        # Names in another order than positions: the last slice is a.dcm.
        name = f"{chr(ord('a') + len(steps) - 1 - index)}.dcm"
        one(folder / name, first + step * NORMAL, values=np.full((3, 4), index, "<i2"), **fields)
    return folder


def quietly(*arguments, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MLArrayWarning)
        return from_dicom(*arguments, **keywords)


@pytest.mark.parametrize("name", ["CT_small.dcm", "MR_small.dcm"])
def test_a_real_image_lies_where_pydicom_and_simpleitk_say(name, tmp_path):
    path = get_testdata_file(name)
    dataset = pydicom.dcmread(path)
    from_dicom(path).save(tmp_path / "a.mla")
    with MLArray.open(tmp_path / "a.mla") as array:
        assert array.verify()
        assert np.array_equal(array[0], dataset.pixel_array)
        across, down = np.array(dataset.ImageOrientationPatient, float).reshape(2, 3)
        between_rows, between_columns = map(float, dataset.PixelSpacing)
        # Row 3, column 5, by the equation of the standard (PS3.3 C.7.6.2.1.1).
        wanted = np.array(dataset.ImagePositionPatient, float) + 3 * between_rows * down + 5 * between_columns * across
        assert array.index_to_space((0, 3, 5)) == pytest.approx(wanted, rel=1e-12)
        assert array.meta.source[0]["header"]["shared"]["Modality"] == dataset.Modality
        sitk = pytest.importorskip("SimpleITK")
        image = sitk.ReadImage(path)
        assert image.TransformIndexToPhysicalPoint((5, 3, 0)) == pytest.approx(wanted, abs=1e-4)


def test_rescaling_goes_into_values():
    values = from_dicom(get_testdata_file("CT_small.dcm")).meta.values
    assert (values.scale, values.offset, values.unit) == (1.0, -1024.0, "hounsfield_unit")


def test_a_real_series_is_sorted_by_position():
    array = quietly(FOLDERS / "98892001" / "CT5N")
    assert array.shape == (5, 16, 16)
    assert array.spacing == pytest.approx([2.5, 0.488281, 0.488281])


def test_a_double_oblique_series(tmp_path):
    array = from_dicom(series(tmp_path / "s"))
    assert array.shape == (3, 3, 4)
    assert array[:, 0, 0].tolist() == [0, 1, 2]
    # z: 4 x normal; y: column cosines x 0.5 between rows; x: row cosines x 0.75 between columns.
    assert np.allclose(
        array.matrix(),
        [[0.896, -0.084, 0.72, -100], [-3.072, 0.288, 0.21, -50], [2.4, 0.4, 0, 25], [0, 0, 0, 1]],
        rtol=0,
        atol=1e-6,
    )
    assert array.letter_codes() == "ASL"
    assert array.spacing == pytest.approx([4, 0.5, 0.75], rel=1e-6)
    reference = array.meta.spaces[0].reference
    assert (reference.scheme, reference.id) == ("dicom_frame_of_reference", "1.2.3")
    source = array.meta.source[0]
    assert [file["name"] for file in source["files"]] == ["c.dcm", "b.dcm", "a.dcm"]
    assert source["header"]["files"][2]["ImagePositionPatient"][0] == pytest.approx(-100 + 8 * 0.224)
    assert source["header"]["shared"]["PixelSpacing"] == (0.5, 0.75)


def test_uneven_gaps_are_warned_of_in_history_too(tmp_path):
    folder = series(tmp_path / "s", steps=(0, 4, 9))
    with pytest.warns(MLArrayWarning, match="uneven, 4 to 5 mm"):
        array = from_dicom(folder)
    assert array.spacing[0] == pytest.approx(4.5, rel=1e-6)
    assert "uneven" in array.meta.history[0].warnings[0]


def test_one_slice_is_as_thick_as_it_says(tmp_path):
    one(tmp_path / "a.dcm", (0, 0, 0), SliceThickness=3)
    assert from_dicom(tmp_path / "a.dcm").spacing[0] == pytest.approx(3)
    one(tmp_path / "b.dcm", (0, 0, 0))
    with pytest.warns(MLArrayWarning, match="thickness"):
        assert from_dicom(tmp_path / "b.dcm").spacing[0] == pytest.approx(1)


def test_several_series_are_listed_and_one_is_chosen(tmp_path):
    folder = series(tmp_path / "s")
    one(folder / "other.dcm", (0, 0, 0), SeriesInstanceUID="1.9", SliceThickness=2)
    with pytest.raises(ArgumentError, match=r"3 files.*1\.9 \(1 files\)|1\.9 \(1 files\).*3 files"):
        from_dicom(folder)
    assert from_dicom(folder, series_uid="1.9").shape == (1, 3, 4)
    with pytest.raises(ArgumentError, match=r"no series '1\.8'"):
        from_dicom(folder, series_uid="1.8")


def test_slices_that_rescale_apart_are_physical(tmp_path):
    folder = tmp_path / "s"
    folder.mkdir()
    for index, slope in enumerate((2, 3)):
        one(folder / f"{index}.dcm", index * 4 * NORMAL, RescaleSlope=slope, RescaleIntercept=-1)
    with pytest.warns(MLArrayWarning, match="differ between slices"):
        array = from_dicom(folder)
    assert "differ between slices" in array.meta.history[0].warnings[0]
    # Stored 5 at row 1, column 1: 2 * 5 - 1 and 3 * 5 - 1.
    assert array[:, 1, 1].tolist() == [9.0, 14.0]
    assert array.meta.values.scale == 1


REFUSED = {
    "two at one place": ((0, 4, 4), {}, "one place"),
    "no position": ((0, 4), {"ImagePositionPatient": None}, "ImagePositionPatient"),
    "no spacing": ((0, 4), {"PixelSpacing": None}, "PixelSpacing"),
    "colour": ((0,), {"SamplesPerPixel": 3}, "colour"),
    "frames": ((0,), {"NumberOfFrames": 2, "SliceThickness": 1}, "multi-frame"),
    "two numbers of a position": ((0, 4), {"ImagePositionPatient": [1, 2]}, "3 finite numbers"),
    "no size": ((0, 4), {"PixelSpacing": [0.5, 0]}, "above zero"),
    "no plane": ((0, 4), {"ImageOrientationPatient": [1, 0, 0, 1, 0, 0]}, "no plane"),
    "no pixels": ((0,), {"PixelData": None, "SliceThickness": 1}, "decoded"),
}


@pytest.mark.parametrize(("steps", "fields", "words"), REFUSED.values(), ids=REFUSED)
def test_what_makes_no_volume_is_refused(tmp_path, steps, fields, words):
    folder = series(tmp_path / "s", steps, **fields)
    with pytest.raises(FormatError, match=words):
        quietly(folder)


def test_a_file_of_a_list_that_is_no_image_is_named(tmp_path):
    folder = series(tmp_path / "s")
    files = sorted(folder.iterdir())
    assert from_dicom(files).shape == (3, 3, 4)
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(FormatError, match=r"notes\.txt"):
        from_dicom([*files, tmp_path / "notes.txt"])
    # In a folder it is passed over.
    (folder / "notes.txt").write_text("hello")
    assert from_dicom(folder).shape == (3, 3, 4)
    with pytest.raises(FormatError, match="no DICOM image"):
        from_dicom([])


def test_slices_of_two_frames_of_reference_are_refused(tmp_path):
    folder = series(tmp_path / "s", (0, 4))
    one(folder / "z.dcm", np.array([-100.0, -50, 25]) + 8 * NORMAL, FrameOfReferenceUID="1.2.4")
    with pytest.raises(FormatError, match=r"1\.2\.3, 1\.2\.4"):
        from_dicom(folder)


def test_slices_beside_a_straight_line_are_warned_of(tmp_path):
    folder = series(tmp_path / "s", (0, 4, 8))
    # The middle slice lies 0.5 mm along the rows beside the others: 0.48 mm in x, 0.14 mm in y.
    one(folder / "b.dcm", np.array([-100.0, -50, 25]) + 4 * NORMAL + 0.5 * np.array(ROW))
    with pytest.warns(MLArrayWarning, match=r"0\.48 mm beside a straight line"):
        from_dicom(folder)


@pytest.mark.parametrize("turned", [False, True])
def test_an_enhanced_image_has_a_slice_per_frame(tmp_path, turned):
    values = np.arange(24, dtype="<i2").reshape(2, 3, 4)
    positions = [[-100, -50, 25], [-100, -50, 29]][:: -1 if turned else 1]
    item = pydicom.Dataset
    frames = []
    for position in positions:
        frame, plane = item(), item()
        plane.ImagePositionPatient = position
        frame.PlanePositionSequence = [plane]
        frames.append(frame)
    shared, orientation, measures, rescale = item(), item(), item(), item()
    orientation.ImageOrientationPatient = [1, 0, 0, 0, 1, 0]
    measures.PixelSpacing, measures.SliceThickness = [0.5, 0.75], 9
    rescale.RescaleSlope, rescale.RescaleIntercept, rescale.RescaleType = 2, -3, "US"
    shared.PlaneOrientationSequence, shared.PixelMeasuresSequence = [orientation], [measures]
    shared.PixelValueTransformationSequence = [rescale]
    one(
        tmp_path / "a.dcm",
        (0, 0, 0),
        ImagePositionPatient=None,
        ImageOrientationPatient=None,
        PixelSpacing=None,
        NumberOfFrames=2,
        PixelData=values.tobytes(),
        PerFrameFunctionalGroupsSequence=frames,
        SharedFunctionalGroupsSequence=[shared],
    )
    array = from_dicom(tmp_path / "a.dcm")
    assert array.matrix() == [[0, 0, 0.75, -100], [0, 0.5, 0, -50], [4, 0, 0, 25], [0, 0, 0, 1]]
    assert np.array_equal(array.to_numpy(), values[::-1] if turned else values)
    assert (array.meta.values.scale, array.meta.values.offset) == (2, -3)
    source = array.meta.source[0]
    assert source["index_map"] == {"axes": (0, 1, 2), "flip": (turned, False, False)}
    groups = source["header"]["shared"]["PerFrameFunctionalGroupsSequence"]
    assert groups[1]["PlanePositionSequence"][0]["ImagePositionPatient"] == tuple(positions[1])


def test_metadata_is_kept_whole_as_native_values(tmp_path):
    one(tmp_path / "a.dcm", (0, 0, 0), SliceThickness=3, PatientName="Doe^Jane", InstanceNumber=7)
    dataset = pydicom.dcmread(tmp_path / "a.dcm")
    block = dataset.private_block(0x0029, "Ours", create=True)
    block.add_new(1, "OB", b"\x00\x01")
    dataset.add_new(0x60003000, "OW", b"\x01\x00")
    dataset.add_new(0x60023000, "OW", b"\x02\x00")
    code = pydicom.Dataset()
    code.CodeValue = "T-1"
    dataset.AnatomicRegionSequence = [code]
    dataset.ImageType = ["ORIGINAL", "PRIMARY"]
    dataset.save_as(tmp_path / "a.dcm")
    found = from_dicom(tmp_path / "a.dcm").meta.source[0]["header"]["shared"]
    assert (found["PatientName"], found["InstanceNumber"], found["SliceThickness"]) == ("Doe^Jane", 7, 3.0)
    assert found["0029,1001"] == b"\x00\x01"
    assert (found["6000,3000"], found["6002,3000"]) == (b"\x01\x00", b"\x02\x00")
    assert found["AnatomicRegionSequence"][0]["CodeValue"] == "T-1"
    assert found["ImageType"] == ("ORIGINAL", "PRIMARY")
    assert found["TransferSyntaxUID"] == "1.2.840.10008.1.2.1"
    assert "PixelData" not in found
    assert set(dataset.dir()) - {"PixelData", "OverlayData"} <= set(found)


def test_a_syntax_without_a_decoder_is_named_with_what_would_decode_it(monkeypatch):
    path = get_testdata_file("MR_small_jpeg_ls_lossless.dcm")
    decoder = pydicom.pixels.get_decoder(pydicom.uid.JPEGLSLossless)
    if decoder.is_available:
        pytest.skip("a decoder is installed")
    with pytest.raises(FormatError, match=r"JPEG-LS Lossless.*1\.2\.840\.10008\.1\.2\.4\.80.*pylibjpeg") as found:
        from_dicom(path)
    assert "MR_small_jpeg_ls_lossless.dcm" in str(found.value)
    # The same image, whose run lengths pydicom decodes alone.
    assert np.array_equal(
        from_dicom(get_testdata_file("MR_small_RLE.dcm"))[0],
        pydicom.dcmread(get_testdata_file("MR_small.dcm")).pixel_array,
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("rtdose.dcm", "multi-frame"),
        ("SC_rgb_small_odd.dcm", "missing"),
        ("ExplVR_BigEnd.dcm", "ImagePositionPatient"),
        ("test-SR.dcm", "no image"),
        ("liver_1frame.dcm", "3 items for 1 frames"),
        ("MR_small_bigendian.dcm", None),
        ("MR_truncated.dcm", "decoded"),
    ],
)
def test_other_real_files_are_read_or_refused_by_name(name, words):
    path = get_testdata_file(name)
    if words is None:
        assert quietly(path).ndim == 3
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(FormatError, match=words) as found:
            from_dicom(path)
    assert name in str(found.value)


def test_monochrome1_is_kept_as_stored_and_said(tmp_path):
    one(tmp_path / "a.dcm", (0, 0, 0), SliceThickness=3, PhotometricInterpretation="MONOCHROME1")
    with pytest.warns(MLArrayWarning, match="MONOCHROME1"):
        array = from_dicom(tmp_path / "a.dcm")
    assert array[0, 1, 1] == 5


def test_only_rescaled_computed_tomography_is_in_hounsfield_units(tmp_path):
    units = {
        "hounsfield_unit": {"Modality": "CT", "RescaleIntercept": -1024, "RescaleSlope": 1},
        None: {"Modality": "CT", "RescaleType": "US", "RescaleIntercept": 0, "RescaleSlope": 1},
        "becquerel_per_milliliter": {"Modality": "PT", "Units": "BQML", "RescaleIntercept": 0, "RescaleSlope": 2},
    }
    for unit, fields in units.items():
        one(tmp_path / "a.dcm", (0, 0, 0), SliceThickness=3, **fields)
        assert from_dicom(tmp_path / "a.dcm").meta.values.unit == unit


def test_a_series_lies_where_simpleitk_says(tmp_path):
    sitk = pytest.importorskip("SimpleITK")
    array = from_dicom(series(tmp_path / "s"))
    names = [str(tmp_path / "s" / file["name"]) for file in array.meta.source[0]["files"]]
    image = sitk.ReadImage(names)
    for index in ((0, 0, 0), (2, 1, 3), (1, 2, 0)):
        assert array.index_to_space(index) == pytest.approx(image.TransformIndexToPhysicalPoint(index[::-1]), abs=1e-4)


def test_slices_of_two_directions_or_shapes_are_refused(tmp_path):
    folder = series(tmp_path / "s", (0, 4))
    one(folder / "z.dcm", 8 * NORMAL, ImageOrientationPatient=[1, 0, 0, 0, 1, 0])
    with pytest.raises(FormatError, match=r"z\.dcm.*direction"):
        quietly(folder)
    one(folder / "z.dcm", np.array([-100.0, -50, 25]) + 8 * NORMAL, values=np.zeros((2, 2), "<i2"))
    with pytest.raises(FormatError, match="shapes"):
        quietly(folder)


def test_files_that_are_none(tmp_path):
    (tmp_path / "text.dcm").write_text("hello")
    with pytest.raises(FormatError, match=r"text\.dcm"):
        from_dicom(tmp_path / "text.dcm")
    with pytest.raises(FormatError, match="no DICOM image"):
        from_dicom(tmp_path)
    with pytest.raises(FileNotFoundError):
        from_dicom(tmp_path / "no.dcm")


def test_truncated_files_give_only_our_errors(tmp_path):
    content = Path(get_testdata_file("CT_small.dcm")).read_bytes()
    for cut in (100, 140, 400, 1500, 5000, 30000):
        (tmp_path / "a.dcm").write_bytes(content[:cut])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises(MLArrayError, match=r"a\.dcm"):
                from_dicom(tmp_path / "a.dcm")
