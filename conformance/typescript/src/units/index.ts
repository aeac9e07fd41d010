// Units of length and time, by meaning.

export { convertValue, knownUnit, sameUnit, scaled, unitAbbreviation, unitOf, unitRatio } from "./convert.js";
export { parseUnit, type Dimension, type Unit } from "./table.js";
