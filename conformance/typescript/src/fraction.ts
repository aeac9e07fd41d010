// Exact rational numbers, on which every formula with a division stands.

const abs = (value: bigint): bigint => (value < 0n ? -value : value);

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [abs(a), abs(b)];
  while (y) [x, y] = [y, x % y];
  return x;
}

/** How many bits a positive integer has. */
const bits = (value: bigint): number => value.toString(2).length;

/** A rational number in lowest terms, the denominator positive. */
export class Fraction {
  private constructor(
    readonly numerator: bigint,
    readonly denominator: bigint,
  ) {}

  /** numerator / denominator; the denominator is not 0. */
  static of(numerator: bigint | number, denominator: bigint | number = 1n): Fraction {
    let [n, d] = [BigInt(numerator), BigInt(denominator)];
    if (d === 0n) throw new RangeError(`${n} / 0 is no number`);
    if (d < 0n) [n, d] = [-n, -d];
    const common = gcd(n, d) || 1n;
    return new Fraction(n / common, d / common);
  }

  /** The exact value of a finite double. */
  static from(value: number | bigint): Fraction {
    if (typeof value === "bigint") return new Fraction(value, 1n);
    if (!Number.isFinite(value)) throw new RangeError(`${value} is no rational number`);
    let scaled = value;
    let power = 0n;
    while (!Number.isInteger(scaled)) {
      scaled *= 2;
      power += 1n;
    }
    return Fraction.of(BigInt(scaled), 1n << power);
  }

  /** The exact value of a decimal text such as `-1.25e-3`; undefined for any other text. */
  static parse(text: string): Fraction | undefined {
    const found = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/.exec(text);
    if (found === null) return undefined;
    const [, sign = "", whole = "", part = "", exponent = "0"] = found;
    if (whole === "" && part === "") return undefined;
    const power = Number(exponent) - part.length;
    const digits = BigInt(sign === "-" ? `-${whole}${part}` : `${whole}${part}`);
    return power < 0 ? Fraction.of(digits, 10n ** BigInt(-power)) : Fraction.of(digits * 10n ** BigInt(power));
  }

  add(other: Fraction): Fraction {
    return Fraction.of(
      this.numerator * other.denominator + other.numerator * this.denominator,
      this.denominator * other.denominator,
    );
  }

  sub(other: Fraction): Fraction {
    return this.add(other.neg());
  }

  mul(other: Fraction): Fraction {
    return Fraction.of(this.numerator * other.numerator, this.denominator * other.denominator);
  }

  div(other: Fraction): Fraction {
    return Fraction.of(this.numerator * other.denominator, this.denominator * other.numerator);
  }

  neg(): Fraction {
    return new Fraction(-this.numerator, this.denominator);
  }

  abs(): Fraction {
    return this.numerator < 0n ? this.neg() : this;
  }

  /** Negative, 0 or positive, as this is less than, equal to or greater than the other. */
  compare(other: Fraction): number {
    const difference = this.numerator * other.denominator - other.numerator * this.denominator;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }

  equals(other: Fraction): boolean {
    return this.numerator === other.numerator && this.denominator === other.denominator;
  }

  isInteger(): boolean {
    return this.denominator === 1n;
  }

  /** The largest integer that is not greater. */
  floor(): bigint {
    const quotient = this.numerator / this.denominator;
    return this.numerator < 0n && quotient * this.denominator !== this.numerator ? quotient - 1n : quotient;
  }

  /** The smallest integer that is not less. */
  ceil(): bigint {
    return -this.neg().floor();
  }

  /** The nearest integer, half to even. */
  round(): bigint {
    const floor = this.floor();
    const twice = 2n * (this.numerator - floor * this.denominator);
    if (twice !== this.denominator) return twice < this.denominator ? floor : floor + 1n;
    return floor % 2n === 0n ? floor : floor + 1n;
  }

  /** The nearest double, half to even; infinite where it is too large. */
  toNumber(): number {
    if (this.numerator === 0n) return 0;
    const size = abs(this.numerator);
    // 54 or more bits of quotient, one of them sticky, round as the exact value does unless the result is subnormal.
    const exponent = Math.max(bits(size) - bits(this.denominator) - 54, -1074);
    const [n, d] =
      exponent < 0 ? [size << BigInt(-exponent), this.denominator] : [size, this.denominator << BigInt(exponent)];
    const mantissa = Fraction.of(n, d);
    const whole = mantissa.floor();
    const extra = bits(whole) - 53;
    const shift = BigInt(Math.max(extra, 0));
    const rounded = Fraction.of(n, d << shift).round();
    const power = exponent + Number(shift);
    const value = power > 971 ? Infinity : Number(rounded) * 2 ** Math.max(power, -1022) * 2 ** Math.min(power + 1022, 0);
    return this.numerator < 0n ? -value : value;
  }
}
