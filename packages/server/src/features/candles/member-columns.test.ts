import { type Candle, encodeBlock, scaleWhole } from '@crosstape/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { minuteLevel } from './candle-table.ts';
import { MemberColumns } from './member-columns.ts';
import { ReadBlock } from './read-blocks.ts';
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

it('keeps every candle of recorded trades, with its notional at the rate of its time', () => {
  const rateOf = (ts: number): number => (ts % 2 === 0 ? 1 : 0.5);
  fc.assert(
    fc.property(fc.array(fc.array(candle, { maxLength: 8 }), { maxLength: 4 }), (parts) => {
      const columns = new MemberColumns(parts, rateOf);
      const kept = parts.flat().filter(({ origin }) => origin === 'tape');
      expect(columns.length).toBe(kept.length);
      for (const [i, one] of kept.entries()) {
        const rate = rateOf(one.ts);
        const notional =
          rate === 1 || one.notional === undefined ? one.notional : scaleWhole(one.notional, rate);
        expect(columns.ts(i)).toBe(one.ts);
        expect(columns.read(i)).toEqual({ ...one, notional });
      }
      expect(columns.ts(kept.length)).toBe(Infinity);
    }),
    { seed: 3, numRuns: runs(500) },
  );
});

const MINUTE_MS = 60_000;
/** A minute of a block; some have sums beyond what numbers hold exactly. */
const blockCandle: fc.Arbitrary<Candle> = fc
  .record({
    prices: fc.array(fc.nat({ max: 10 ** 9 }), { minLength: 4, maxLength: 4 }),
    volume: fc.oneof({ weight: 9, arbitrary: fc.nat() }, { weight: 1, arbitrary: fc.maxSafeNat() }),
    hasSides: fc.boolean(),
    hasNotional: fc.boolean(),
    away: fc.nat({ max: 10 ** 9 }),
    trades: optional(fc.nat()),
    buyTrades: optional(fc.nat()),
    liqLong: fc.constantFrom(0, 12_500_000),
    origin: fc.constantFrom('tape' as const, 'venue' as const),
  })
  .map(({ prices, volume, hasSides, hasNotional, away, ...rest }) => {
    const [low = 0, open = 0, close = 0, high = 0] = prices.toSorted((a, b) => a - b);
    const exact = BigInt(volume) * BigInt(close) + BigInt(away);
    const notional = exact > Number.MAX_SAFE_INTEGER ? exact : Number(exact);
    const sums = {
      buyVolume: hasSides ? Math.floor(volume / 2) : undefined,
      notional: hasNotional ? notional : undefined,
    };
    const decimals = { priceDecimals: 2, sizeDecimals: 5 };
    return { ts: 0, ...decimals, low, open, close, high, volume, ...sums, liqShort: 0, ...rest };
  });

it('reads stored blocks as it reads their candles', () => {
  const minutes = fc.array(optional(blockCandle), { maxLength: 60 });
  const rateOf = (ts: number): number => (ts % (2 * MINUTE_MS) === 0 ? 1 : 0.999);
  fc.assert(
    fc.property(fc.array(minutes, { maxLength: 3 }), (hours) => {
      const blocks = hours.map((hour, n) => {
        const startTs = n * minuteLevel.blockMs;
        const candles = hour.flatMap((one, i) => (one ? [{ ...one, ts: startTs + i * MINUTE_MS }] : []));
        const toTs = startTs + minuteLevel.blockMs;
        const bytes = encodeBlock(startTs, MINUTE_MS, { toTs, candles });
        return new ReadBlock(minuteLevel, 'okx:BTC', startTs, bytes);
      });
      const read = new MemberColumns(blocks, rateOf);
      const plain = new MemberColumns(
        blocks.map(({ candles }) => candles),
        rateOf,
      );
      expect(read.length).toBe(plain.length);
      for (let i = 0; i < read.length; i += 1) expect(read.read(i)).toEqual(plain.read(i));
    }),
    { seed: 5, numRuns: runs(200) },
  );
});
