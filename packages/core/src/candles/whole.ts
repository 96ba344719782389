import { nearestNumber, powerOfTen } from '../bars/exact-decimal.ts';

/** A whole number of 0 or more, exact: a `bigint` only where it is 2^53 or more. */
export type Whole = number | bigint;

/** 10^n, exact, as far as a number can be. */
const tens: readonly number[] = Array.from({ length: 23 }, (_, n) => 10 ** n);

export function addWhole(a: Whole, b: Whole): Whole {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (sum <= Number.MAX_SAFE_INTEGER) return sum;
  }
  return BigInt(a) + BigInt(b);
}

/** `value` × 10^`zeros`. */
export function shiftWhole(value: Whole, zeros: number): Whole {
  if (zeros === 0) return value;
  if (typeof value === 'number') {
    const shifted = value * (tens[zeros] ?? Number.POSITIVE_INFINITY);
    if (shifted <= Number.MAX_SAFE_INTEGER) return shifted;
  }
  return BigInt(value) * powerOfTen(zeros);
}

/** Digits of a factor beyond what a number can hold. */
const FACTOR_DIGITS = 12;

/** `value` × `factor`, rounded to a whole number. */
export function scaleWhole(value: Whole, factor: number): Whole {
  const scaled = Number(value) * factor;
  if (scaled <= Number.MAX_SAFE_INTEGER) return Math.round(scaled);
  return (BigInt(value) * BigInt(Math.round(factor * 10 ** FACTOR_DIGITS))) / powerOfTen(FACTOR_DIGITS);
}

/**
 * The number nearest to `value` / 10^`decimals`: rounded once, so it prints the exact decimal whenever a number can.
 */
export function decimalOf(value: Whole, decimals: number): number {
  const ten = tens[decimals];
  if (typeof value === 'number' && ten !== undefined) return value / ten;
  return nearestNumber(BigInt(value), decimals);
}

/** A bigint as a `number` if it fits. */
export function wholeOf(value: bigint): Whole {
  return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}
