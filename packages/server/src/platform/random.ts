import { randomBytes } from 'node:crypto';
import { type Random, seededRandom } from '@crosstape/core';

/** Chance that nobody can foretell, for jitter. Not for secrets: those take `SecretBytes`. */
export function systemRandom(): Random {
  return seededRandom(randomBytes(4).readInt32LE());
}

/** Bytes that nobody can guess, for keys and what guards them. */
export type SecretBytes = (count: number) => Buffer;

export const systemSecretBytes: SecretBytes = (count) => randomBytes(count);
