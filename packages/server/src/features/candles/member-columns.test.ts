import { type Candle, scaleWhole } from '@crosstape/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MemberColumns } from './member-columns.ts';
import { runs } from '../../../../../test/runs.ts';

const whole = fc.oneof(fc.nat(), fc.maxSafeNat());
const sum = fc.oneof(whole, fc.bigInt({ min: 2n ** 53n, max: 10n ** 30n }));
const optional = <Value>(of: fc.Arbitrary<Value>) => fc.option(of, { nil: undefined });
const candle: fc.Arbitrary<Candle> = fc.record({
  ts: fc.nat(),
  priceDecimals: fc.nat({ max: 9 }),
  sizeDecimals: fc.nat({ max: 9 }),
  open: whole,
  high: whole,
  low: whole,
  close: whole,
  volume: sum,
  buyVolume: optional(sum),
  notional: optional(sum),
  trades: optional(fc.nat()),
  buyTrades: optional(fc.nat()),
  liqLong: whole,
  liqShort: whole,
  origin: fc.constantFrom('tape' as const, 'venue' as const),
});

it('keeps every candle, or those of recorded trades alone, with its notional at the rate of its time', () => {
  const rateOf = (ts: number): number => (ts % 2 === 0 ? 1 : 0.5);
  fc.assert(
    fc.property(
      fc.array(fc.array(candle, { maxLength: 8 }), { maxLength: 4 }),
      fc.boolean(),
      (parts, recordedOnly) => {
        const columns = new MemberColumns(parts, rateOf, recordedOnly);
        const kept = parts.flat().filter(({ origin }) => !recordedOnly || origin === 'tape');
        expect(columns.length).toBe(kept.length);
        for (const [i, one] of kept.entries()) {
          const rate = rateOf(one.ts);
          const notional =
            rate === 1 || one.notional === undefined ? one.notional : scaleWhole(one.notional, rate);
          expect(columns.ts(i)).toBe(one.ts);
          expect(columns.read(i)).toEqual({ ...one, notional });
        }
        expect(columns.ts(kept.length)).toBe(Infinity);
      },
    ),
    { seed: 3, numRuns: runs(500) },
  );
});
