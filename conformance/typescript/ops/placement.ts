import { detect, type Store, storeOf } from "../src/documents/index.js";
import { storeBytes } from "../values.mjs";
import type { Input, Ops } from "./op.js";

const stored = (store: Input): Store => storeOf(storeBytes(store));

function detected(store: Store, path: string): unknown {
  const found = detect(store, path);
  if (found === undefined) return null;
  const { format, kind, path: folder, documents, scaleKey } = found;
  return { format, kind, path: folder, documents, scale_key: scaleKey };
}

export const ops: Ops = {
  "placement.detect": ({ store, path }) => detected(stored(store), path),
};
