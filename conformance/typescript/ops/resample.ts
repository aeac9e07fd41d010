import type { Ops } from "./op.js";

export const ops: Ops = {};
