import type { Random } from '@crosstape/core';

export interface BackoffRule {
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * How long to wait after a number of failures in a row (0: the first): doubling up to the maximum, the upper half of it
 * random, so that clients that failed together do not come back together. In whole milliseconds, as clocks count.
 */
export function backoffMs(failuresBefore: number, rule: BackoffRule, random: Random): number {
  const fullMs = Math.min(rule.maxMs, rule.firstMs * 2 ** Math.min(failuresBefore, 30));
  return Math.round(fullMs / 2 + (fullMs / 2) * random());
}
