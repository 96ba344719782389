import { seededRandom } from '@crosstape/core';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffMs } from './backoff.ts';

test('waits grow to the maximum, never beyond, and never shrink below half of their step', () => {
  fc.assert(
    fc.property(fc.nat(200), fc.integer(), (failures, seed) => {
      const waitMs = backoffMs(failures, { firstMs: 500, maxMs: 30_000 }, seededRandom(seed));
      const stepMs = Math.min(30_000, 500 * 2 ** Math.min(failures, 20));
      expect(waitMs).toBeGreaterThanOrEqual(stepMs / 2);
      expect(waitMs).toBeLessThanOrEqual(stepMs);
    }),
  );
});

test('two that fail together wait differently', () => {
  const random = seededRandom(1);
  const rule = { firstMs: 1_000, maxMs: 8_000 };
  expect(backoffMs(2, rule, random)).not.toBe(backoffMs(2, rule, random));
});
