// In which dtype labels are returned.

import type { At, Warn } from "../errors.js";
import { fail, type Whole } from "./check.js";
import type { DescribedPyramid } from "./pyramid.js";

/** The dtypes of labels, from the narrowest. */
const DTYPES = ["int8", "int16", "int32", "int64"] as const;
export type LabelDtype = (typeof DTYPES)[number];

const RETURNED: Readonly<Record<string, LabelDtype>> = {
  bool: "int8",
  int8: "int8",
  uint8: "int16",
  int16: "int16",
  uint16: "int32",
  int32: "int32",
};

/**
 * The one dtype in which the labels of all volumes are returned, int64 where there are none.
 *
 * @param labels the labels of each volume, null where it has none
 * @param warn is called with `not_representable` for labels that int64 does not hold
 */
export function labelDtype(labels: readonly (DescribedPyramid | null)[], warn: Warn): LabelDtype {
  const found = labels.flatMap((pyramid) => {
    const dtypes = pyramid?.levels.map(({ dtype }) => dtype) ?? [];
    if (dtypes.some((dtype) => dtype === "uint64" || /^(float|complex)/.test(dtype))) warn("not_representable");
    return dtypes.map((dtype) => DTYPES.indexOf(RETURNED[dtype] ?? "int64"));
  });
  return found.length === 0 ? "int64" : DTYPES[Math.max(...found)]!;
}

/** Throws where the dtype of labels does not hold the label that fills them. */
export function checkFill(fill: Whole | null, dtype: LabelDtype, at: At): void {
  if (fill === null) return;
  const most = 2n ** (BigInt(dtype.slice(3)) - 1n);
  if (BigInt(fill) < -most || BigInt(fill) >= most) {
    fail("not_representable", at, `${fill} is no ${dtype}, in which labels are returned`);
  }
}
