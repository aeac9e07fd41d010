// The .mla format: headers, units, storage, layout, fingerprints.

export { composeAxes, typeOfName } from "./compose-axes.js";
export { dataFingerprint, dtypeCode, geometryFingerprint } from "./fingerprint.js";
export { fromPlain, type Plain, type PlainMap, toPlain } from "./plain.js";
export * from "./records.js";
export { Sha256 } from "./sha256.js";
export { axisName, type SpaceMatrix, spaceMatrix } from "./space-matrix.js";
export { fillUnit, MLA_UNITS, type MlaUnit, resolveUnit } from "./units.js";
