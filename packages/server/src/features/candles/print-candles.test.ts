import { type Candle, candleRow, encodeBlock } from '@crosstape/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { completeness } from './candle-reader.ts';
import { minuteLevel } from './candle-table.ts';
import { printCandles } from './print-candles.ts';
import { ReadBlock } from './read-blocks.ts';
import { runs } from '../../../../../test/runs.ts';

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
      const printed = printCandles([rows.map(([one]) => one)], complete, 'json');
      expect(new TextDecoder().decode(printed.text)).toBe(
        JSON.stringify(rows.map(([one]) => candleRow(one, complete(one)))),
      );
    }),
    { seed: 7, numRuns: runs(500) },
  );
});

it.each([false, true])(
  'prints stored blocks once, and not where a gap meets them; large sums: %s',
  (isLarge) => {
    const { intervalMs, blockMs } = minuteLevel;
    const candleAt = (ts: number): Candle => ({
      ts,
      priceDecimals: 1,
      sizeDecimals: 2,
      open: 10,
      high: 30 + ts / intervalMs,
      low: 9,
      close: 20,
      volume: isLarge ? 2n ** 70n : 1_234_567,
      buyVolume: 7,
      ...(ts % (2 * intervalMs) === 0 && { notional: 99, trades: 3, buyTrades: 1 }),
      liqLong: ts % (3 * intervalMs) === 0 ? 5 : 0,
      liqShort: 0,
      origin: ts < blockMs ? 'venue' : 'tape',
    });
    const hours = [0, 1, 2].map((hour) =>
      Array.from({ length: 50 }, (_, i) => candleAt(hour * blockMs + (i + 5) * intervalMs)),
    );
    const blockOf = (hour: number, toTs = (hour + 1) * blockMs): ReadBlock => {
      const bytes = encodeBlock(hour * blockMs, intervalMs, { toTs, candles: hours[hour]! });
      return new ReadBlock(minuteLevel, 'x', hour * blockMs, bytes);
    };
    const parts = [hours[0]!.slice(9), blockOf(1), blockOf(2)];
    const candles = [...hours[0]!.slice(9), ...hours[1]!, ...hours[2]!];
    const print = (shown: typeof parts, gap = 0, form: 'json' | 'csv' = 'json') => {
      const gaps = [{ from: gap, to: gap + 1 }];
      const isComplete = completeness(gaps);
      const completenessOf = ({ ts, origin }: Candle): boolean | null =>
        origin === 'venue' ? null : isComplete(ts, ts + intervalMs);
      const { text, digest } = printCandles(shown, completenessOf, form, completeness(gaps));
      return { text: new TextDecoder().decode(text), digest: Buffer.from(digest).toString('hex') };
    };
    const plain = (gap = 0): string => {
      const isComplete = completeness([{ from: gap, to: gap + 1 }]);
      return JSON.stringify(
        candles.map((row) =>
          candleRow(row, row.origin === 'venue' ? null : isComplete(row.ts, row.ts + intervalMs)),
        ),
      );
    };
    const before = print(parts);
    expect(before.text).toBe(plain());
    const kept = blockOf(1);
    kept.isKept = true;
    for (let times = 0; times < 2; times += 1) expect(print([parts[0]!, kept, parts[2]!])).toEqual(before);
    expect(kept.text).toBeDefined();
    const gap = blockMs + 9 * intervalMs + 5;
    const withGap = print([parts[0]!, kept, parts[2]!], gap);
    expect(withGap.text).toBe(plain(gap));
    expect(print(parts, gap, 'csv')).toEqual(print([candles], gap, 'csv'));
    // A block that was written again, and fewer candles.
    const digests = [
      before,
      withGap,
      print(parts.slice(1)),
      print([parts[0]!, blockOf(1, blockMs), parts[2]!]),
    ];
    expect(new Set(digests.map(({ digest }) => digest)).size).toBe(4);
  },
);
