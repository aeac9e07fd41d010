import * as mla from "../src/mla/geometry/index.js";
import { type PlainMap, readHeader, toPlain } from "../src/mla/index.js";
import type { Input, Ops } from "./op.js";
import { ArrayValue } from "./values.js";

const points = (rows: Input): mla.Rows => rows.map((row: Input) => row.map(Number));
const indexMap = ({ axes, flip }: Input): mla.IndexMap => ({ axes: axes.map(Number), flip });
const array = ({ dtype, shape, data }: mla.MlaArray<Input>): ArrayValue => new ArrayValue(dtype, shape, Array.from(data));

/** The axes and spaces of a header, checked as those of an array with one voxel. */
function placed({ axes, spaces }: Input): { readonly axes: Input; readonly spaces: Input } {
  const header = toPlain({ version: "1.0", axes, spaces }) as PlainMap;
  readHeader(header, { shape: axes.map(() => 1), dtype: "uint8" }, () => undefined, { strict: true });
  return { axes, spaces };
}

function derive(input: Input): unknown {
  const { axes, spaces } = placed(input);
  const { space } = input;
  const found = mla.deriveGeometry(axes, spaces, space);
  if (found === null) return null;
  const { letterCodes, ...rest } = found;
  return { ...rest, letter_codes: letterCodes };
}

const numbers = (values: Input): readonly number[] => values.map(Number);
const optional = (value: Input): number | undefined => (value === undefined ? undefined : Number(value));
const rows = (value: Input): mla.Rows | undefined => (value === undefined ? undefined : points(value));

const niftiHeader = (input: Input): mla.NiftiHeader => ({
  dim: numbers(input.dim),
  pixdim: numbers(input.pixdim),
  xyztUnits: Number(input.xyzt_units),
  sform: rows(input.sform),
  sformCode: optional(input.sform_code),
  qform: rows(input.qform),
  qformCode: optional(input.qform_code),
  toffset: optional(input.toffset),
  intentCode: optional(input.intent_code),
});

function affine({ space, axis_names }: Input): unknown {
  const found = mla.niftiAffine(space, axis_names);
  return found === null ? null : { affine: found.affine, code: found.code, length_code: found.lengthCode };
}

const itkPlace = ({ spacing, origin, direction }: Input): mla.ItkPlace => ({
  spacing: numbers(spacing),
  origin: numbers(origin),
  direction: points(direction),
});

export const ops: Ops = {
  "mlarray.geometry.derive": derive,
  "mlarray.geometry.to_space": (input) => {
    const { axes, spaces } = placed(input);
    return mla.indexToSpace(axes, spaces, points(input.index), input.space);
  },
  "mlarray.geometry.to_index": (input) => {
    const { axes, spaces } = placed(input);
    return mla.spaceToIndex(axes, spaces, points(input.coord), input.space);
  },
  "mlarray.geometry.compose": ({ ndim, axes, ...said }) => mla.composeGeometry(Number(ndim), axes, said),
  "mlarray.geometry.change": ({ axes, spaces, ...said }) =>
    mla.changeGeometry(placed({ axes, spaces }).axes, spaces, said),
  "mlarray.axis.coordinates": ({ axis, size }) => mla.axisCoordinates(axis, Number(size)),
  "mlarray.index_map.apply": (input) => array(mla.applyIndexMap(indexMap(input.index_map), input.array)),
  "mlarray.index_map.invert": (input) => array(mla.invertIndexMap(indexMap(input.index_map), input.array)),
  "mlarray.patch.plan": ({ start, size, shape }) => mla.planPatch(start, size, shape.map(Number)),
  "mlarray.patch.read": (input) =>
    array(mla.readPatch(input.array, input.start, input.size, { padValue: input.pad_value, fill: input.fill })),
  "mlarray.nifti.geometry": (input, warn) => mla.niftiGeometry(niftiHeader(input), warn),
  "mlarray.nifti.affine": affine,
  "mlarray.itk.space": (input, warn) => ({ space: mla.itkSpace(itkPlace(input), input.nrrd, warn) }),
  "mlarray.itk.place": ({ space, axis_names }) => mla.itkPlace(space, axis_names),
  "mlarray.omezarr.space": ({ names, ...place }) => ({ space: mla.omeZarrSpace(names, place) }),
  "mlarray.omezarr.place": (input) => {
    const { axes, spaces } = placed(input);
    return mla.omeZarrPlace(axes, spaces);
  },
  "mlarray.dicom.series": ({ slices, thickness }, warn) => mla.dicomSeries(slices, optional(thickness), warn),
};
