import {
  checkHeader,
  composeAxes,
  dataFingerprint,
  decodeHeader,
  decodeMap,
  encodeMap,
  fromPlain,
  geometryFingerprint,
  MLA_UNITS,
  type Plain,
  type PlainMap,
  readHeader,
  readLazy,
  recordedCompression,
  resolveLayout,
  resolveUnit,
  storageRecord,
  suggestLayout,
  toPlain,
  writtenHeader,
} from "../src/mla/index.js";
import type { Warn } from "../src/errors.js";
import type { Input, Ops } from "./op.js";

/** A field that may be absent. */
const plain = (value: unknown): Plain | undefined => (value === undefined ? undefined : toPlain(value));
const map = (value: unknown): PlainMap | undefined => plain(value) as PlainMap | undefined;

/** A field of an options object, left out where it is absent. */
const field = <K extends string>(name: K, value: unknown) =>
  (value === undefined ? {} : { [name]: toPlain(value) }) as Partial<Record<K, Plain>>;

/** A tree of {map: pairs} as a map. */
function fromTree(tree: unknown): Plain {
  if (Array.isArray(tree)) return tree.map(fromTree);
  if (tree === null || typeof tree !== "object" || tree instanceof Uint8Array) return toPlain(tree);
  return new Map((tree as { map: [string, unknown][] }).map.map(([key, item]) => [key, fromTree(item)]));
}

/** A plain value as a tree of {map: pairs}. */
function toTree(value: Plain): unknown {
  if (value instanceof Map) return { map: [...value].map(([key, item]) => [key, toTree(item)]) };
  return Array.isArray(value) ? value.map(toTree) : value;
}

/** The map of a header, given as it is or as bytes. */
const headerOf = ({ header, bytes }: Input): PlainMap =>
  bytes === undefined ? (toPlain(header) as PlainMap) : decodeHeader(bytes);

function read(input: Input, warn: Warn): unknown {
  const { shape, dtype, strict = true } = input;
  const { header, axisTypes } = readHeader(headerOf(input), { shape, dtype }, warn, { strict });
  return { header: fromPlain(header), axis_types: axisTypes };
}

function check(input: Input): unknown {
  const { shape, dtype } = input;
  const facts = { ...(shape === undefined ? {} : { shape }), ...(dtype === undefined ? {} : { dtype }) };
  return checkHeader(headerOf(input), facts).map(({ code, at }) => ({ code, at }));
}

function lazy({ key, header, bytes }: Input): unknown {
  const held = bytes === undefined ? (toPlain(header) as PlainMap) : decodeMap(bytes, false);
  return fromPlain(readLazy(key, held));
}

function suggest({ shape, dtype, patch_size, axes, block_budget, chunk_budget }: Input): unknown {
  const budgets = { ...field("block", block_budget), ...field("chunk", chunk_budget) };
  return suggestLayout(shape, dtype, plain(patch_size), plain(axes) as Plain[] | undefined, budgets);
}

function resolve({ shape, dtype, types, patch_size, chunk_size, block_size, cparams, recorded }: Input): unknown {
  const asked = {
    ...field("patch", patch_size),
    ...field("chunk", chunk_size),
    ...field("block", block_size),
    cparams: map(cparams) ?? new Map(),
  };
  return resolveLayout({ shape, dtype, types }, asked, map(recorded));
}

export const ops: Ops = {
  "mlarray.header.read": read,
  "mlarray.header.check": check,
  "mlarray.header.write": ({ header, writer, held }) => toTree(writtenHeader(fromTree(header) as PlainMap, writer, held)),
  "mlarray.header.encode": ({ header }) => encodeMap(fromTree(header) as PlainMap),
  "mlarray.lazy.read": lazy,
  "mlarray.units.resolve": (input) => resolveUnit(input.unit, input.unit_code),
  "mlarray.units.table": () => Object.fromEntries(MLA_UNITS),
  "mlarray.axes.compose": ({ ndim, axes }) => {
    const found = composeAxes(ndim, plain(axes));
    const header: PlainMap = new Map<string, Plain>([["version", "1.0"], ["axes", found]]);
    readHeader(header, { shape: Array.from({ length: ndim }, () => 1), dtype: "uint8" }, () => undefined, { strict: true });
    return fromPlain(found);
  },
  "mlarray.fingerprint.data": ({ array }) => dataFingerprint(array.dtype, array.shape, array.bytes()),
  "mlarray.fingerprint.geometry": ({ axes, spaces }) => geometryFingerprint(axes, spaces),
  "mlarray.layout.suggest": suggest,
  "mlarray.layout.resolve": resolve,
  "mlarray.storage.document": ({ layout, compression }) => storageRecord(layout, compression),
  "mlarray.storage.compression": ({ compression }) => recordedCompression(map(compression)),
};
