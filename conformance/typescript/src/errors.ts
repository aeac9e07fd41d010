// What goes wrong, as data: a code of the closed list, the path to the offending value, and words for people.

/** A path to a value: keys and positions. */
export type At = readonly (string | number)[];

/** An error with a code from the table in conformance/README.md. */
export class PlacedError extends Error {
  override readonly name = "PlacedError";

  constructor(
    readonly code: string,
    readonly at: At,
    message: string,
  ) {
    super(message);
  }
}

/** What is odd but usable: called with a warning's code. */
export type Warn = (code: string) => void;
