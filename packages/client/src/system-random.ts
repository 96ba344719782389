import type { Random } from '@crosstape/core';

const WORD = 2 ** 32;

/** The chance of the machine, for spreading retries. */
export const systemRandom: Random = () => {
  const [word = 0] = crypto.getRandomValues(new Uint32Array(1));
  return word / WORD;
};
