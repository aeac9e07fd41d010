// The pure half of worldarray and its siblings, a room per topic: documents to placement, plans, headers, reads of stores in memory.

export * from "./errors.js";
export * from "./fraction.js";
export * as documents from "./documents/index.js";
export * as geometry from "./geometry/index.js";
export * as grid from "./grid/index.js";
export * as keys from "./keys/index.js";
export * as levels from "./levels/index.js";
export * as loader from "./loader/index.js";
export * as maml from "./maml/index.js";
export * as mla from "./mla/index.js";
export * as placement from "./placement/index.js";
export * as read from "./read/index.js";
export * as resample from "./resample/index.js";
export * as units from "./units/index.js";
export * as write from "./write/index.js";
export * as yaml from "./yaml/index.js";
