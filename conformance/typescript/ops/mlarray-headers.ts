import { composeAxes, dataFingerprint, fromPlain, geometryFingerprint, MLA_UNITS, resolveUnit, toPlain } from "../src/mla/index.js";
import type { Ops } from "./op.js";

export const ops: Ops = {
  "mlarray.units.resolve": (input) => resolveUnit(input.unit, input.unit_code),
  "mlarray.units.table": () => Object.fromEntries(MLA_UNITS),
  "mlarray.axes.compose": ({ ndim, axes }) => fromPlain(composeAxes(ndim, axes === undefined ? undefined : toPlain(axes))),
  "mlarray.fingerprint.data": ({ array }) => dataFingerprint(array.dtype, array.shape, array.bytes()),
  "mlarray.fingerprint.geometry": ({ axes, spaces }) => geometryFingerprint(axes, spaces),
};
