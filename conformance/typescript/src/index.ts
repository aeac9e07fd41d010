// The pure half of worldarray and its siblings: documents to placement, plans, headers; no store, no codec, no dependency.

export * from "./errors.js";
export * from "./fraction.js";
