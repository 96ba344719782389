import { powerOfTen } from '../bars/exact-decimal.ts';
import { tenTo } from '../decimal.ts';
import type { Whole } from './whole.ts';

/** Digits of the low part. */
const LOW_DIGITS = 15;
const LOW_END = 10 ** LOW_DIGITS;
const LOW_END_LARGE = powerOfTen(LOW_DIGITS);
/** With more zeros a value may fill the high part; with these, a thousand values do not. */
const ZEROS_MAX = 12;

/**
 * Adds whole numbers with different decimals exactly. Sums of several markets exceed 2^53, and bigints take ten times as
 * long: two numbers hold 30 digits.
 */
export class WholeSum {
  /** Multiples of 10^15 … */
  #high = 0;
  /** … and the rest. */
  #low = 0;
  /** Sum of the numbers that were bigints. */
  #large = 0n;
  #isKnown = true;

  /** Adds `value` × 10^`zeros`. If any value is absent, so is the sum. */
  add(value: Whole | undefined, zeros: number): void {
    if (value === undefined) this.#isKnown = false;
    else if (typeof value === 'bigint' || zeros > ZEROS_MAX) this.#large += BigInt(value) * powerOfTen(zeros);
    else {
      // The upper digits are whole multiples of 10^15 once the zeros follow.
      const upper = tenTo(LOW_DIGITS - zeros);
      // A quotient of safe integers is never rounded up to a whole number.
      const high = Math.floor(value / upper);
      const rest = value - high * upper;
      this.#high += high;
      this.#low += rest * tenTo(zeros);
      if (this.#low < LOW_END) return;
      this.#high += 1;
      this.#low -= LOW_END;
    }
  }

  /** The sum, and starts again from zero. */
  take(): Whole | undefined {
    const sum = this.#isKnown ? this.#total() : undefined;
    this.#high = 0;
    this.#low = 0;
    this.#large = 0n;
    this.#isKnown = true;
    return sum;
  }

  #total(): Whole {
    const near = this.#high * LOW_END + this.#low;
    if (this.#large === 0n && near <= Number.MAX_SAFE_INTEGER) return near;
    return BigInt(this.#high) * LOW_END_LARGE + BigInt(this.#low) + this.#large;
  }
}
