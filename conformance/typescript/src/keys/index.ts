// Storage keys of write units.

export { KEY_FORMATS, type KeyFacts } from "./facts.js";
export { decodeKey, encodeKey, listUnits, type UnitIndex } from "./keys.js";
