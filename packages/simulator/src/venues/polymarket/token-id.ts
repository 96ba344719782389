import { mix } from '../../market/noise.ts';

/** As many digits as most ids have. */
const DIGITS = 77;

/** A number far above 2^53, in digits. */
export function tokenIdOf(salt: number, outcome: number): string {
  let digits = '';
  for (let i = 0; digits.length < DIGITS; i += 1) digits += String(mix(mix(salt, 100 + outcome), i) >>> 0);
  return `1${digits.slice(0, DIGITS - 1)}`;
}
