import { HOUR_MS, type Liquidation } from '@crosstape/core';
import { expect, it } from 'vitest';
import { connectedWithin, HourSums } from './hour-sums.ts';

const one = (parts: Partial<Liquidation>): Liquidation => ({
  coin: 'BTC',
  venue: 'bybit',
  side: 'sell',
  price: 100,
  size: 1,
  notionalUsd: 100,
  ts: 0,
  inferred: false,
  ...parts,
});

it('keeps a thousand coins of an hour; others count for their venue only', () => {
  const sums = new HourSums();
  for (let i = 0; i < 1_002; i += 1) sums.add(one({ coin: `C${i}` }));
  sums.add(one({ coin: 'C7', side: 'buy' }));
  const { venues, coins } = sums.hour(new Map());
  expect(venues).toEqual({ bybit: { connectedMs: 0, measured: [100_200, 100, 1_003] } });
  expect(Object.keys(coins)).toHaveLength(1_000);
  expect([coins['C7'], coins['C999'], coins['C1000']]).toEqual([[100, 100], [100, 0], undefined]);
});

it('stays unconverted once a liquidation was', () => {
  const sums = new HourSums();
  sums.add(one({ isUnconverted: true }));
  sums.add(one({}));
  expect(sums.hour(new Map()).unconverted).toBe(true);
});

it('counts the time of overlapping spans once, within the hour', () => {
  const span = (from: number, to: number, venue = 'bybit') => ({ venue, from, to });
  const spans = [span(-5, 10), span(5, 20), span(30, HOUR_MS + 9), span(0, 7, 'okx'), span(-9, 0, 'gate')];
  expect([...connectedWithin(spans, 0, HOUR_MS)]).toEqual([
    ['bybit', 20 + HOUR_MS - 30],
    ['okx', 7],
  ]);
});
