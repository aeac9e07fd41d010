// Versions: a major and a minor number, of any length.

/** The major version of the format that is read. */
export const MAJOR = "1";

/** What a version looks like. */
export const FORM = /^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$/;

export interface Version {
  readonly major: bigint;
  readonly minor: bigint;
}

/** A version such as 1.0; undefined for other text. */
export function parseVersion(text: string): Version | undefined {
  const [, major, minor] = FORM.exec(text) ?? [];
  return major === undefined || minor === undefined ? undefined : { major: BigInt(major), minor: BigInt(minor) };
}
