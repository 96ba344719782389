import type { Random } from '@crosstape/core';

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/** How long to wait before try `attempt` (1 is the first repeat): doubled each time, and spread so that clients do not meet. */
export function backoffMs(attempt: number, random: Random): number {
  const wholeMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1));
  return wholeMs / 2 + (wholeMs / 2) * random();
}
