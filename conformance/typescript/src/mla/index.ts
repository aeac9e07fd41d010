// The .mla format: headers, units, storage, layout, fingerprints.

export { fromPlain, type Plain, type PlainMap, toPlain } from "./plain.js";
export * from "./records.js";
export { fillUnit, MLA_UNITS, type MlaUnit, resolveUnit } from "./units.js";
