import { type Candle, candleRow } from '@crosstape/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { completeness } from './candle-reader.ts';
import type { ReadBlock } from './decoded-blocks.ts';
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
      const given = new Map(rows);
      const complete = (one: Candle) => given.get(one) ?? null;
      const printed = printCandles(
        rows.map(([one]) => one),
        complete,
        'json',
      );
      expect(new TextDecoder().decode(printed.text)).toBe(
        JSON.stringify(rows.map(([one]) => candleRow(one, complete(one)))),
      );
    }),
    { seed: 7, numRuns: 500 },
  );
});

it('prints stored blocks once, the same bytes, and not where a gap meets them', () => {
  const minuteMs = 60_000;
  const [one] = fc.sample(candle, { seed: 3, numRuns: 1 });
  const candleAt = (i: number): Candle => ({
    ...(one as Candle),
    ts: i * minuteMs,
    close: i,
    origin: 'tape',
  });
  const candles = Array.from({ length: 9 }, (_, i) => candleAt(i));
  const block: ReadBlock = { startTs: 0, toTs: 4 * minuteMs, candles: candles.slice(2, 6), isKept: true };
  const blockFrom = (first: Candle): ReadBlock | undefined => (first === candles[2] ? block : undefined);
  const print = (shown: readonly Candle[], gap = 0) => {
    const gaps = [{ from: gap, to: gap + 1 }];
    const isComplete = completeness(gaps);
    const stored = { blockFrom, hasNoGap: completeness(gaps), intervalMs: minuteMs };
    const { text, digest } = printCandles(shown, ({ ts }) => isComplete(ts, ts + minuteMs), 'json', stored);
    return { text: new TextDecoder().decode(text), digest: Buffer.from(digest).toString('hex') };
  };
  const plain = (shown: readonly Candle[], gap = 0): string => {
    const isComplete = completeness([{ from: gap, to: gap + 1 }]);
    return JSON.stringify(shown.map((row) => candleRow(row, isComplete(row.ts, row.ts + minuteMs))));
  };
  const before = print(candles);
  expect(before.text).toBe(plain(candles));
  expect(block.text).toBeDefined();
  expect(print(candles)).toEqual(before);
  // A part of a block, and a gap in its middle.
  expect(print(candles.slice(0, 4)).text).toBe(plain(candles.slice(0, 4)));
  const gap = 4 * minuteMs + 5;
  expect(print(candles, gap).text).toBe(plain(candles, gap));
  const digests = [before, print(candles.slice(1)), print(candles, gap)].map(({ digest }) => digest);
  expect(new Set(digests).size).toBe(3);
});
