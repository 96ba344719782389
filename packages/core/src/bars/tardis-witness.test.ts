import * as fc from 'fast-check';
import { computeTradeBars, type TradeBar } from 'tardis-dev';
import { expect, it } from 'vitest';
import { createBuilder } from './bar-builder.ts';
import { closedBars, specOf, toColumns } from './random-builds.fixture.ts';

/** Sizes in eighths and integer prices, which floats add exactly: the reference sums in floats. */
const trades = fc.array(
  fc.record({
    waitMs: fc.integer({ min: 0, max: 900 }),
    price: fc.integer({ min: 90, max: 110 }),
    eighths: fc.integer({ min: 1, max: 40 }),
    isBuy: fc.boolean(),
  }),
  { minLength: 1, maxLength: 100 },
);

it.each([
  ['time', { intervalMs: 5000 }, 5000],
  ['tick', { trades: 7 }, 7],
  ['volume', { volume: 20 }, 20],
] as const)('%s bars agree with those of tardis-dev', (kind, params, interval) => {
  fc.assert(
    fc.property(trades, (steps) => {
      let ts = 1_700_000_000_000;
      const all = steps.map(({ waitMs, ...step }) => {
        ts += waitMs;
        return { ts, ...step };
      });
      const builder = createBuilder(specOf(kind, params, 1));
      builder.add(
        toColumns(
          all.map(({ price, eighths, ...rest }) => ({
            ...rest,
            price: BigInt(price) * 100_000_000n,
            size: BigInt(eighths) * 12_500_000n,
          })),
          { priceDecimals: 0, sizeDecimals: 3 },
        ),
      );
      const witness = computeTradeBars({ kind, interval })();
      const expected: TradeBar[] = all.flatMap(({ price, eighths, isBuy, ts: at }) => {
        const timestamp = new Date(at);
        const side = isBuy ? 'buy' : 'sell';
        const meta = { type: 'trade', symbol: 'BTC', exchange: 'hyperliquid', id: undefined } as const;
        const message = {
          ...meta,
          price,
          amount: eighths / 8,
          side,
          timestamp,
          localTimestamp: timestamp,
        } as const;
        return [...witness.compute(message)];
      });
      expect(closedBars(builder)).toMatchObject(
        expected.map(({ open, high, low, close, volume, buyVolume, ...bar }) => {
          return { open, high, low, close, volume, buyVolume, trades: bar.trades };
        }),
      );
    }),
  );
});
