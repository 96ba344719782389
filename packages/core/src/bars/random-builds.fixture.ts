import * as fc from 'fast-check';
import { createTickColumns, type TickColumns } from '../ticks/tick-columns.ts';
import type { BarBuilder } from './bar-builder.ts';
import { type Bar, barAt } from './bar-columns.ts';
import type { BarSpec } from './bar-kind.ts';
import type { PlainTrade } from './reference-bars.fixture.ts';
import { DECIMALS_MAX, type Scale } from './scale.ts';
import { validateSpec } from './validate-spec.ts';

export function specOf(kind: string, params: Record<string, unknown>, tick: number): BarSpec {
  const check = validateSpec(kind, params, tick);
  if ('error' in check) throw new Error(check.error);
  return check.spec;
}

/** The trades as columns with the given decimals. */
export function toColumns(trades: readonly PlainTrade[], scale: Scale): TickColumns {
  const columns = createTickColumns(trades.length);
  columns.length = trades.length;
  Object.assign(columns, scale);
  for (const [i, trade] of trades.entries()) {
    columns.ts[i] = trade.ts;
    columns.price[i] = Number(trade.price / 10n ** BigInt(DECIMALS_MAX - scale.priceDecimals));
    columns.size[i] = Number(trade.size / 10n ** BigInt(DECIMALS_MAX - scale.sizeDecimals));
    columns.isBuy[i] = trade.isBuy ? 1 : 0;
  }
  return columns;
}

export function closedBars(builder: BarBuilder): Bar[] {
  return Array.from({ length: builder.bars.length }, (_, i) => barAt(builder.bars, i));
}

export interface RandomTape {
  readonly scale: Scale;
  readonly trades: readonly PlainTrade[];
}

/** A price walk in small steps with occasional jumps; many trades share a millisecond. */
export const randomTape: fc.Arbitrary<RandomTape> = fc
  .record({
    priceDecimals: fc.integer({ min: 0, max: 3 }),
    sizeDecimals: fc.integer({ min: 0, max: 3 }),
    steps: fc.array(
      fc.record({
        waitMs: fc.oneof(
          { weight: 4, arbitrary: fc.integer({ min: 0, max: 2 }) },
          fc.integer({ min: 0, max: 4000 }),
        ),
        move: fc.oneof(
          { weight: 6, arbitrary: fc.integer({ min: -3, max: 3 }) },
          fc.integer({ min: -60, max: 60 }),
        ),
        size: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 2000 })),
        isBuy: fc.boolean(),
      }),
      { minLength: 1, maxLength: 80 },
    ),
  })
  .map(({ steps, ...scale }) => {
    let ts = 1_700_000_000_000;
    let price = 3000;
    const trades = steps.map(({ waitMs, move, size, isBuy }) => {
      ts += waitMs;
      price = Math.max(1, price + move);
      return {
        ts,
        price: BigInt(price) * 10n ** BigInt(DECIMALS_MAX - scale.priceDecimals),
        size: BigInt(size) * 10n ** BigInt(DECIMALS_MAX - scale.sizeDecimals),
        isBuy,
      };
    });
    return { scale, trades };
  });

/** Prices and sizes so large that products, and sums of few sizes, pass 2^53. */
export const extremeTape: fc.Arbitrary<RandomTape> = fc
  .array(
    fc.record({
      price: fc.integer({ min: 1, max: 2 ** 46 }),
      size: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      isBuy: fc.boolean(),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((steps) => ({
    scale: { priceDecimals: 8, sizeDecimals: 8 },
    trades: steps.map(({ price, size, isBuy }, i) => ({
      ts: i * 10,
      price: BigInt(price),
      size: BigInt(size),
      isBuy,
    })),
  }));

const ticks = fc.constantFrom(1, 0.5, 0.25, 0.1, 0.01, 2.5, 0.125);
const small = (max: number): fc.Arbitrary<number> => fc.integer({ min: 1, max });
const amount = fc
  .tuple(small(3000), fc.integer({ min: 0, max: 4 }))
  .map(([value, decimals]) => value / 10 ** decimals);
const unit = fc.constantFrom('base', 'usd');

/** A random spec of each kind, small enough to close bars often. */
export const randomSpecs: Readonly<Record<string, fc.Arbitrary<BarSpec>>> = {
  time: fc
    .tuple(fc.integer({ min: 1000, max: 5000 }), ticks)
    .map(([intervalMs, tick]) => specOf('time', { intervalMs }, tick)),
  tick: fc.tuple(small(9), ticks).map(([trades, tick]) => specOf('tick', { trades }, tick)),
  volume: fc
    .tuple(amount, unit, ticks)
    .map(([volume, u, tick]) => specOf('volume', { volume, unit: u }, tick)),
  range: fc.tuple(small(40), ticks).map(([rangeTicks, tick]) => specOf('range', { rangeTicks }, tick)),
  delta: fc.tuple(amount, unit, ticks).map(([delta, u, tick]) => specOf('delta', { delta, unit: u }, tick)),
  trend_reversal: fc
    .tuple(small(20), small(20), ticks)
    .map(([trendTicks, revTicks, tick]) => specOf('trend_reversal', { trendTicks, revTicks }, tick)),
  pnf: fc
    .tuple(small(8), small(4), ticks)
    .map(([boxTicks, reversal, tick]) => specOf('pnf', { boxTicks, reversal }, tick)),
};
