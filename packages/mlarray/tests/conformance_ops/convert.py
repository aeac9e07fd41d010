from mlarray.convert.dicom_geometry import SlicePlace, place_series
from mlarray.convert.nifti_geometry import NiftiPlace, affine_of_space, axes_of, spaces_of
from worldarray_conformance import Answer


def nifti_geometry(given):
    """Axes and spaces of an image whose header says what is given."""
    place = NiftiPlace(
        ndim=len(given["dim"]),
        sform=given.get("sform"),
        sform_code=given.get("sform_code", 0),
        qform=given.get("qform"),
        qform_code=given.get("qform_code", 0),
        pixdim=given["pixdim"],
        units=given["xyzt_units"],
        toffset=given.get("toffset", 0),
    )
    spaces, warnings = spaces_of(place)
    return Answer({"axes": axes_of(place, given.get("intent_code", 0), given["dim"]), "spaces": spaces}, warnings)


def nifti_affine(given):
    found = affine_of_space(given["space"], given["axis_names"])
    if found is None:
        return None
    return {"affine": found.affine, "code": found.code, "length_code": found.units}


def dicom_series(given):
    slices = [
        SlicePlace(one["ImagePositionPatient"], one["ImageOrientationPatient"], one["PixelSpacing"])
        for one in given["slices"]
    ]
    found = place_series(slices, given.get("thickness"))
    return Answer({"order": list(found.order), "matrix": found.matrix}, found.warnings)


OPS = {
    "mlarray.nifti.geometry": nifti_geometry,
    "mlarray.nifti.affine": nifti_affine,
    "mlarray.dicom.series": dicom_series,
}
