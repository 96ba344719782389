import type { Random } from '@crosstape/core';

const WORD = 2 ** 32;

/** System randomness, for retry jitter. */
export const systemRandom: Random = () => {
  const [word = 0] = crypto.getRandomValues(new Uint32Array(1));
  return word / WORD;
};
