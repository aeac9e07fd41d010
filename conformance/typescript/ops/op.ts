// The shape of an op, as runner.mjs calls it.

import type { Warn } from "../src/errors.js";

/** The decoded input of a case: its shape is the op's schema, which the suite checks. */
export type Input = any;

/** From the input to the answer; throws an error with `code`, `at` and `message`. */
export type Op = (input: Input, warn: Warn) => unknown;

export type Ops = Readonly<Record<string, Op>>;
