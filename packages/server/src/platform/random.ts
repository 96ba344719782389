import { randomBytes } from 'node:crypto';
import { type Random, seededRandom } from '@crosstape/core';

/** Unpredictable randomness, for jitter. Not for secrets: those take `SecretBytes`. */
export function systemRandom(): Random {
  return seededRandom(randomBytes(4).readInt32LE());
}

/** Cryptographic random bytes, for keys and their secrets. */
export type SecretBytes = (count: number) => Buffer;

export const systemSecretBytes: SecretBytes = (count) => randomBytes(count);
