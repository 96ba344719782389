import type { Liquidation, LiquidationTotals } from '@crosstape/core';
import { expect, it } from 'vitest';
import { type CountedLiquidations, countLiquidations } from './liquidation-counting.ts';
import { LiquidationWindow } from './liquidation-window.ts';

const NOW_MS = 1_763_164_800_000;

function measured(venue: string, notionalUsd: number, parts: Partial<Liquidation> = {}): Liquidation {
  const order = { coin: 'BTC', side: 'sell', price: 1, size: notionalUsd, ts: NOW_MS - 1 } as const;
  return { ...order, venue, notionalUsd, inferred: false, ...parts };
}

function figure(venue: string, parts: Partial<LiquidationTotals> = {}): LiquidationTotals {
  return { coin: 'BTC', venue, longUsd: 1_000, shortUsd: 500, asOfMs: NOW_MS - 60_000, ...parts };
}

function count(
  entries: readonly Liquidation[],
  figures: readonly LiquidationTotals[],
  whole: readonly string[] = [],
): CountedLiquidations | undefined {
  const window = new LiquidationWindow();
  for (const entry of entries) window.add(entry, NOW_MS);
  return countLiquidations({
    totals: (isReplaced) => window.totals(NOW_MS, isReplaced),
    isWhole: (venue) => whole.includes(venue),
    figures,
    nowMs: NOW_MS,
  }).get('BTC');
}

it.each([
  { feed: 'whole', figures: [figure('okx')], longUsd: 40, shortUsd: 0, times: 1, aggregated: [] },
  { feed: 'whole', figures: [], longUsd: 40, shortUsd: 0, times: 1, aggregated: [] },
  { feed: 'partly', figures: [figure('okx')], longUsd: 1_000, shortUsd: 500, times: 0, aggregated: ['okx'] },
  {
    feed: 'partly',
    figures: [figure('gate')],
    longUsd: 1_040,
    shortUsd: 500,
    times: 1,
    aggregated: ['gate'],
  },
  {
    feed: 'partly',
    figures: [figure('okx', { coin: 'ETH' })],
    longUsd: 40,
    shortUsd: 0,
    times: 1,
    aggregated: [],
  },
  {
    feed: 'partly',
    figures: [figure('okx', { asOfMs: NOW_MS - 16 * 60_000 })],
    longUsd: 40,
    shortUsd: 0,
    times: 1,
    aggregated: [],
  },
])(
  'counts a venue whose feed was $feed from exactly one source ($aggregated)',
  ({ feed, figures, longUsd, shortUsd, times, aggregated }) => {
    const counted = count([measured('okx', 40)], figures, feed === 'whole' ? ['okx'] : []);
    expect(counted).toMatchObject({ measured: { longUsd, shortUsd, count: times }, aggregated });
  },
);

it('keeps the largest measured one, and the contributing venues', () => {
  const entries = [measured('okx', 40), measured('bybit', 7), measured('hyperliquid', 3, { inferred: true })];
  expect(count(entries, [figure('okx'), figure('gate', { longUsd: 0, shortUsd: 0 })], ['bybit'])).toEqual({
    coin: 'BTC',
    maxUsd: 40,
    venues: ['bybit', 'hyperliquid', 'okx'],
    measured: { longUsd: 1_007, shortUsd: 500, count: 1 },
    inferred: { longUsd: 3, shortUsd: 0, count: 1 },
    quotes: ['USD'],
    unconverted: [],
    aggregated: ['gate', 'okx'],
  });
});

it('includes a coin that only the aggregator knows', () => {
  expect(count([], [figure('binance')])).toMatchObject({
    maxUsd: 0,
    venues: ['binance'],
    measured: { longUsd: 1_000, shortUsd: 500, count: 0 },
  });
});
