import { type Candle, candleRow } from '@crosstape/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { printCandles } from './print-candles.ts';

const whole = fc.oneof(
  fc.constantFrom(0, 1, 9, 10, 99_999, 10 ** 9 - 1, 10 ** 9, 10 ** 15 - 1, 10 ** 15, Number.MAX_SAFE_INTEGER),
  fc.nat(),
  fc.maxSafeNat(),
);
const large = fc.oneof(whole, fc.bigInt({ min: 2n ** 53n, max: 10n ** 30n }));
const candle: fc.Arbitrary<Candle> = fc.record({
  ts: fc.nat({ max: 2_000_000_000_000 }),
  priceDecimals: fc.nat({ max: 10 }),
  sizeDecimals: fc.nat({ max: 18 }),
  open: whole,
  high: whole,
  low: whole,
  close: whole,
  volume: large,
  buyVolume: fc.option(large, { nil: undefined }),
  notional: fc.option(large, { nil: undefined }),
  trades: fc.option(whole, { nil: undefined }),
  buyTrades: fc.option(whole, { nil: undefined }),
  liqLong: whole,
  liqShort: whole,
  origin: fc.constantFrom('tape', 'venue'),
});

it('prints exactly what JSON.stringify prints of the rows', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(candle, fc.constantFrom(true, false, null))), (rows) => {
      const completeness = new Map(rows);
      const complete = (one: Candle) => completeness.get(one) ?? null;
      const text = new TextDecoder().decode(
        printCandles(
          rows.map(([one]) => one),
          complete,
          'json',
        ),
      );
      expect(text).toBe(JSON.stringify(rows.map(([one]) => candleRow(one, complete(one)))));
    }),
    { seed: 7, numRuns: 500 },
  );
});
