// Dates, times and timestamps of ISO 8601 as counts.

import { wholeRange } from "./numbers.js";
import type { DataType, Unit } from "./types.js";

const DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;
const TIME = /^([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?$/;
const DIGITS: Readonly<Record<Unit, number>> = { ms: 3, us: 6, ns: 9 };

/** Days since 1970-01-01; undefined for what is no day from 0001-01-01 to 9999-12-31. */
function days(text: string): bigint | undefined {
  const found = DATE.exec(text);
  if (found === null) return undefined;
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const isDay = year >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isDay ? BigInt(date.getTime() / 86400000) : undefined;
}

/** A time of the day in a unit; undefined for other texts and for what is finer. */
function ofDay(text: string, unit: Unit): bigint | undefined {
  const found = TIME.exec(text);
  if (found === null) return undefined;
  const [hour, minute, second] = [Number(found[1]), Number(found[2]), Number(found[3] ?? "0")];
  const fraction = (found[4] ?? "").replace(/0+$/, "");
  const digits = DIGITS[unit];
  if (hour > 23 || minute > 59 || second > 59 || fraction.length > digits) return undefined;
  const seconds = BigInt(hour * 3600 + minute * 60 + second);
  return seconds * 10n ** BigInt(digits) + BigInt(fraction.padEnd(digits, "0"));
}

/**
 * A date as days since 1970-01-01; a time or timestamp as a count of the type's unit, of the day or since then.
 *
 * @returns undefined for what is none, is finer than the unit, or is beyond 64 bits.
 */
export function parseTemporal(text: string, type: DataType): bigint | undefined {
  if (type.base === "date") return days(text);
  const unit = type.unit ?? "us";
  if (type.base === "time") return ofDay(text, unit);
  const day = days(text.slice(0, 10));
  const isDivided = text.length === 10 || text[10] === "T" || text[10] === " ";
  const time = text.length === 10 ? 0n : ofDay(text.slice(11), unit);
  if (day === undefined || time === undefined || !isDivided) return undefined;
  const count = day * 86400n * 10n ** BigInt(DIGITS[unit]) + time;
  const [least, most] = wholeRange("int64") ?? [0n, 0n];
  return count >= least && count <= most ? count : undefined;
}

/** Whether a text is a day and a time of 19 characters, such as `2024-05-06T07:08:09`. */
export function isMoment(text: string): boolean {
  const type = { base: "timestamp", unit: "us", utc: false } as const;
  return text.length === 19 && text[10] === "T" && parseTemporal(text, type) !== undefined;
}
