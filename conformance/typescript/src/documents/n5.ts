// The documents of N5 arrays, whose lists are x first.

import { exactly, type FoundObject, member, needed, objectOf, reversed } from "./document.js";
import { type ArrayFacts, chunkOf, dtypeOf, shapeOf } from "./facts.js";

/** What the attributes.json of an array says, in C order. */
export function n5Facts(document: FoundObject): ArrayFacts {
  const shape = reversed(shapeOf(needed(document, "dimensions")));
  const compression = member(document, "compression");
  return {
    shape,
    dtype: dtypeOf(needed(document, "dataType")),
    chunkShape: reversed(exactly(needed(document, "blockSize"), shape.length, chunkOf)),
    shardShape: null,
    fillValue: null,
    storage: { format: "n5", compression: compression === undefined ? { type: "raw" } : objectOf(compression).value },
  };
}
