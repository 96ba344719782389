import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../test/runs.ts';
import { WholeSum } from './whole-sum.ts';
import { wholeOf } from './whole.ts';

const { MAX_SAFE_INTEGER } = Number;
const value = fc.oneof(
  fc.nat(),
  fc.maxSafeNat(),
  fc.constantFrom(0, 1, 10 ** 15 - 1, 10 ** 15, MAX_SAFE_INTEGER),
  // Just below a multiple of a power of ten, where a quotient may be rounded up.
  fc.tuple(fc.nat(MAX_SAFE_INTEGER), fc.nat(15)).map(([n, d]) => Math.max(0, n - (n % 10 ** d) - 1)),
  fc.bigInt({ min: 2n ** 53n, max: 10n ** 40n }),
);

it('adds exactly what bigints add, and starts again', () => {
  const sum = new WholeSum();
  fc.assert(
    fc.property(fc.array(fc.tuple(value, fc.nat(18)), { maxLength: 20 }), (values) => {
      for (const [one, zeros] of values) sum.add(one, zeros);
      const exact = values.reduce((all, [one, zeros]) => all + BigInt(one) * 10n ** BigInt(zeros), 0n);
      expect(sum.take()).toBe(wholeOf(exact));
    }),
    { seed: 5, numRuns: runs(2_000) },
  );
});

it('is absent if a value is', () => {
  const sum = new WholeSum();
  sum.add(1, 0);
  sum.add(undefined, 0);
  expect(sum.take()).toBeUndefined();
  sum.add(2, 1);
  expect(sum.take()).toBe(20);
});
