import type { Random } from '@crosstape/core';

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * Delay before retry `attempt` (1 is the first): doubled each time, with jitter so that clients do not retry together.
 */
export function backoffMs(attempt: number, random: Random): number {
  const wholeMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1));
  return wholeMs / 2 + (wholeMs / 2) * random();
}
