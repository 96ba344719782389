import type { Liquidation } from '@crosstape/core';
import { expect, it } from 'vitest';
import { LIQUIDATION_WINDOW_MS } from './liquidation-table.ts';
import { LiquidationWindow, noLiquidations } from './liquidation-window.ts';

const NOW_MS = 1_763_164_800_000;

function liquidation(parts: Partial<Liquidation>): Liquidation {
  return {
    coin: 'BTC',
    venue: 'binance',
    side: 'sell',
    price: 100,
    size: 1,
    notionalUsd: 100,
    ts: NOW_MS,
    inferred: false,
    ...parts,
  };
}

it('sums longs and shorts, measured and inferred apart, with the largest and the venues', () => {
  const window = new LiquidationWindow();
  const all = [
    liquidation({ notionalUsd: 100.004 }),
    liquidation({ notionalUsd: 50, side: 'buy', venue: 'okx' }),
    liquidation({ notionalUsd: 900, venue: 'hyperliquid', inferred: true }),
    liquidation({ notionalUsd: 7, coin: 'ETH' }),
  ];
  for (const one of all) window.add(one, NOW_MS);
  expect(window.totals(NOW_MS).get('BTC')).toEqual({
    coin: 'BTC',
    maxUsd: 900,
    venues: ['binance', 'hyperliquid', 'okx'],
    measured: { longUsd: 100, shortUsd: 50, count: 2 },
    inferred: { longUsd: 900, shortUsd: 0, count: 1 },
    quotes: ['USD'],
    unconverted: [],
  });
  expect(window.totals(NOW_MS).size).toBe(2);
});

it('forgets what is 24 hours old, to the millisecond', () => {
  const window = new LiquidationWindow();
  window.add(liquidation({ ts: NOW_MS }), NOW_MS);
  const endMs = NOW_MS + LIQUIDATION_WINDOW_MS;
  expect(window.totals(endMs - 1).get('BTC')?.measured.count).toBe(1);
  expect(window.totals(endMs).has('BTC')).toBe(false);
});

it('counts the same after a long time as from the entries that are left', () => {
  const window = new LiquidationWindow();
  const stepMs = 40_000;
  let lastMs = NOW_MS;
  for (let i = 0; i < 5_000; i += 1) {
    lastMs = NOW_MS + i * stepMs;
    window.add(liquidation({ ts: lastMs, notionalUsd: i % 7 }), lastMs);
  }
  const within = LIQUIDATION_WINDOW_MS / stepMs;
  expect(window.totals(lastMs).get('BTC')?.measured.count).toBe(within);
});

it('returns zeros for a coin without any', () => {
  expect(noLiquidations('SOL')).toMatchObject({ coin: 'SOL', maxUsd: 0, venues: [], measured: { count: 0 } });
});

it('converts those that came before the rate of their currency once it is known', () => {
  const window = new LiquidationWindow();
  window.add(liquidation({ quote: 'USDT', isUnconverted: true }), NOW_MS);
  window.add(liquidation({ quote: 'USDC', notionalUsd: 50 }), NOW_MS);
  expect(window.totals(NOW_MS).get('BTC')).toMatchObject({
    measured: { longUsd: 150 },
    quotes: ['USDC', 'USDT'],
    unconverted: ['USDT'],
  });
  const rateOf = (currency: string): number => (currency === 'USDT' ? 0.9 : 0.1);
  expect(window.totals(NOW_MS, () => false, rateOf).get('BTC')).toMatchObject({
    maxUsd: 90,
    measured: { longUsd: 140 },
    unconverted: [],
  });
});
