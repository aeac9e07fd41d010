// SHA-256, as FIPS 180-4 has it.

const BLOCK = 64;

/** The first 32 bits of the fractional part of a root of each of the first primes. */
function constants(count: number, root: 2n | 3n): Uint32Array {
  const found = new Uint32Array(count);
  for (let candidate = 2, filled = 0; filled < count; candidate += 1) {
    let prime = true;
    for (let factor = 2; factor * factor <= candidate; factor += 1) prime &&= candidate % factor !== 0;
    if (prime) found[filled++] = Number(BigInt.asUintN(32, integerRoot(BigInt(candidate) << (32n * root), root)));
  }
  return found;
}

/** The largest integer whose power is not greater. */
function integerRoot(value: bigint, power: bigint): bigint {
  let [low, high] = [0n, 1n << 64n];
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** power <= value) low = middle;
    else high = middle;
  }
  return low;
}

const ROUNDS = constants(64, 3n);
const START = constants(8, 2n);

const rotate = (value: number, by: number): number => (value >>> by) | (value << (32 - by));

/** The hash of bytes that come in parts. */
export class Sha256 {
  private readonly state = START.slice();
  private readonly block = new Uint8Array(BLOCK);
  private readonly schedule = new Uint32Array(64);
  private filled = 0;
  private length = 0;

  /** Take the bytes that follow. */
  update(bytes: Uint8Array): this {
    this.length += bytes.length;
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + BLOCK - this.filled);
      this.block.set(part, this.filled);
      this.filled += part.length;
      at += part.length;
      if (this.filled === BLOCK) this.compress();
    }
    return this;
  }

  /** The hash, as 64 hexadecimal digits in lower case; nothing is taken after it. */
  digest(): string {
    const bits = BigInt(this.length) * 8n;
    const padding = new Uint8Array(((BLOCK * 2 - 9 - this.filled) % BLOCK) + 9);
    padding[0] = 0x80;
    new DataView(padding.buffer).setBigUint64(padding.length - 8, bits);
    this.update(padding);
    return [...this.state].map((word) => word.toString(16).padStart(8, "0")).join("");
  }

  private fillSchedule(): void {
    const words = this.schedule;
    const view = new DataView(this.block.buffer);
    for (let t = 0; t < 16; t += 1) words[t] = view.getUint32(4 * t);
    for (let t = 16; t < 64; t += 1) {
      const [near, far] = [words[t - 2] ?? 0, words[t - 15] ?? 0];
      const one = rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10);
      const zero = rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3);
      words[t] = one + (words[t - 7] ?? 0) + zero + (words[t - 16] ?? 0);
    }
  }

  private compress(): void {
    this.fillSchedule();
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = this.state;
    for (let t = 0; t < 64; t += 1) {
      const sum = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const first = (h + sum + ((e & f) ^ (~e & g)) + (ROUNDS[t] ?? 0) + (this.schedule[t] ?? 0)) | 0;
      const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, position) => {
      this.state[position] = (this.state[position] ?? 0) + word;
    });
    this.filled = 0;
  }
}
