// Documents of stores, and what stands at a path.

export { detect, type Detected } from "./detect.js";
export {
  type Found,
  type FoundObject,
  listOf,
  member,
  needed,
  objectOf,
  readDocument,
  stringOf,
  wrong,
} from "./document.js";
export {
  type ArrayFacts,
  type FillValue,
  DTYPES,
  type Format,
  type N5Storage,
  type PrecomputedStorage,
  type Separator,
  type Storage,
  type Zarr2Storage,
  type Zarr3Storage,
} from "./facts.js";
export { isList, isObject, type Json, type JsonObject, parseJson } from "./json.js";
export {
  ancestorsOf,
  joined,
  keysBelow,
  lastOf,
  parentOf,
  pathParts,
  shortPath,
  type Store,
  storeOf,
} from "./store.js";
