import { randomBytes } from 'node:crypto';
import { type Random, seededRandom } from '@crosstape/core';

/** Chance that nobody can foretell, for jitter. Not for keys: those take their bits from `node:crypto` directly. */
export function systemRandom(): Random {
  return seededRandom(randomBytes(4).readInt32LE());
}
