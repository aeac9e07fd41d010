// The .mla format: headers, units, storage, layout, fingerprints, geometry, conversion.

export { composeAxes, typeOfName } from "./compose-axes.js";
export { type Compression, defaultCompression, recordedCompression, resolveCompression } from "./compression.js";
export { dtypeCode, dtypeSize, holds } from "./dtype.js";
export { dataFingerprint, geometryFingerprint } from "./fingerprint.js";
export * from "./geometry/index.js";
export type { Finding } from "./findings.js";
export { checkHeader, decodeHeader, type HeaderOptions, type ReadHeader, readHeader } from "./header-read.js";
export type { ArrayFacts } from "./header-scope.js";
export { writtenHeader } from "./header-write.js";
export {
  type LayoutArray,
  type LayoutAsked,
  type ResolvedLayout,
  resolveLayout,
  type StorageRecord,
  storageRecord,
} from "./layout-resolve.js";
export { type Budgets, type Layout, suggestLayout } from "./layout-suggest.js";
export { type LazyKey, readLazy } from "./lazy.js";
export { decodeMap } from "./msgpack-read.js";
export { encodeMap } from "./msgpack-write.js";
export { fromPlain, type Plain, type PlainMap, toPlain } from "./plain.js";
export { independentColumns } from "./rank.js";
export * from "./records.js";
export { Sha256 } from "./sha256.js";
export { axisName, type SpaceMatrix, spaceMatrix } from "./space-matrix.js";
export { fillUnit, MLA_UNITS, type MlaUnit, resolveUnit } from "./units.js";
