import { decodeKey, encodeKey, type KeyFacts, listUnits } from "../src/keys/index.js";
import type { Input, Ops } from "./op.js";

const numbers = (values: readonly (number | bigint)[] | undefined): readonly number[] | undefined =>
  values?.map(Number);

const facts = ({ format, separator, encoding, chunk_shape, shape, origin, ndim }: Input): KeyFacts => ({
  format,
  separator,
  encoding,
  chunkShape: numbers(chunk_shape),
  shape: numbers(shape),
  origin: numbers(origin),
  ndim,
});

export const ops: Ops = {
  "keys.encode": (input) => encodeKey(input.index, facts(input)),
  "keys.decode": (input) => decodeKey(input.key, facts(input)) ?? null,
  "keys.list": (input) => listUnits(input.keys, facts(input)),
};
