// The checksum of the codec crc32c.

/** Castagnoli's polynomial, its bits reversed. */
const POLYNOMIAL = 0x82f63b78;

const TABLE: readonly number[] = Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1;
  return rest >>> 0;
});

/** CRC-32C of bytes. */
export function crc32c(bytes: Uint8Array): number {
  const rest = bytes.reduce((sum, byte) => (sum >>> 8) ^ (TABLE[(sum ^ byte) & 0xff] ?? 0), 0xffffffff);
  return (rest ^ 0xffffffff) >>> 0;
}
