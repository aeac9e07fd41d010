// What the Node runner asks: every op of the suite, answered by the library.

import { ops as geometry } from "./geometry.js";
import { ops as grid } from "./grid.js";
import { ops as keys } from "./keys.js";
import { ops as levels } from "./levels.js";
import { ops as loader } from "./loader.js";
import { ops as maml } from "./maml.js";
import { ops as mlarrayGeometry } from "./mlarray-geometry.js";
import { ops as mlarrayHeaders } from "./mlarray-headers.js";
import type { Ops } from "./op.js";
import { ops as placement } from "./placement.js";
import { ops as read } from "./read.js";
import { ops as resample } from "./resample.js";
import { skipped } from "./skipped.js";
import { ops as units } from "./units.js";
import { ops as write } from "./write.js";

export { skipped };

export const ops: Ops = {
  ...geometry,
  ...grid,
  ...keys,
  ...levels,
  ...loader,
  ...maml,
  ...mlarrayGeometry,
  ...mlarrayHeaders,
  ...placement,
  ...read,
  ...resample,
  ...units,
  ...write,
};

/** What cases may require; blosc2 frames and parquet files need codecs that are no part of the pure half. */
export const capabilities = ["zarr2", "zarr3", "n5", "precomputed", "sharding", "int64", "yaml"];
