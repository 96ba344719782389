import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTickColumns, type TickColumns } from '../ticks/tick-columns.ts';
import { Footprint } from './footprint.ts';

interface Tick {
  readonly price: number;
  readonly size: number;
  readonly isBuy: boolean;
}

/** Columns with prices in cents and sizes of some decimals. */
function columnsOf(ticks: readonly Tick[], sizeDecimals: number): TickColumns {
  const columns = createTickColumns(ticks.length);
  columns.priceDecimals = 2;
  columns.sizeDecimals = sizeDecimals;
  for (const [i, { price, size, isBuy }] of ticks.entries()) {
    columns.ts[i] = i;
    columns.price[i] = price;
    columns.size[i] = size;
    columns.isBuy[i] = isBuy ? 1 : 0;
  }
  columns.length = ticks.length;
  return columns;
}

const tick = fc.record({
  price: fc.integer({ min: 10_000, max: 10_020 }),
  size: fc.integer({ min: 1, max: 1_000_000 }),
  isBuy: fc.boolean(),
});
const batch = fc.tuple(fc.array(tick, { maxLength: 40 }), fc.integer({ min: 0, max: 8 }));

it('adds up exactly, with whatever decimals the trades come', () => {
  fc.assert(
    fc.property(fc.array(batch, { maxLength: 8 }), (batches) => {
      const footprint = new Footprint();
      const exact = new Map<number, { bought: bigint; sold: bigint }>();
      for (const [ticks, decimals] of batches) {
        footprint.add(columnsOf(ticks, decimals));
        for (const { price, size, isBuy } of ticks) {
          const level = exact.get(price / 100) ?? { bought: 0n, sold: 0n };
          exact.set(price / 100, level);
          level[isBuy ? 'bought' : 'sold'] += BigInt(size) * 10n ** BigInt(8 - decimals);
        }
      }
      const reported = footprint.totals();
      const rows = [...exact].toSorted(([a], [b]) => a - b);
      const decimal = (value: bigint): number => Number(value) / 1e8;
      expect(reported.levels).toEqual(
        rows.map(([price, { bought, sold }]) => [price, decimal(bought), decimal(sold)]),
      );
      const bought = rows.reduce((sum, [, level]) => sum + level.bought, 0n);
      const sold = rows.reduce((sum, [, level]) => sum + level.sold, 0n);
      expect([reported.volume, reported.delta]).toEqual([decimal(bought + sold), decimal(bought - sold)]);
      const volumes = rows.map(([, level]) => level.bought + level.sold);
      const most = volumes.reduce((a, b) => (b > a ? b : a), 0n);
      expect(reported.poc).toBe(rows[volumes.indexOf(most)]?.[0] ?? null);
    }),
  );
});

it('takes a part of the columns, and starts again', () => {
  const footprint = new Footprint();
  const columns = columnsOf(
    [1, 2, 3].map((size) => ({ price: 10_000, size, isBuy: true })),
    1,
  );
  footprint.add(columns, 1, 2);
  expect(footprint.totals()).toEqual({ levels: [[100, 0.2, 0]], poc: 100, delta: 0.2, volume: 0.2 });
  footprint.clear();
  expect(footprint.totals()).toEqual({ levels: [], poc: null, delta: 0, volume: 0 });
});

it('refuses what it cannot keep exactly', () => {
  const footprint = new Footprint();
  const huge = columnsOf([{ price: 1, size: 2 ** 52, isBuy: true }], 0);
  footprint.add(huge);
  expect(() => footprint.add(huge)).toThrow(RangeError);
  expect(() => footprint.add(columnsOf([], 9))).toThrow(RangeError);
});
