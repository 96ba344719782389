import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FlowPoint, MINUTE_MS } from '@crosstape/core';
import { createMarket, TradeColumns } from '@crosstape/simulator';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FlowTable } from '../features/flows/flow-table.ts';
import { LmdbStore } from '../store/lmdb-store.ts';
import { seedFlows } from './seed-flows.ts';
import { seedTicks } from './seed-ticks.ts';

/** Two hours, begun and ended in the middle of a minute. */
const FROM_MS = Date.UTC(2026, 10, 12, 11, 30, 20);
const TO_MS = FROM_MS + 120 * MINUTE_MS;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-seed-flows-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function seeded(coin: string): Promise<readonly FlowPoint[]> {
  const order = { folder, seed: 5, rate: 0.2, venue: 'hyperliquid', fromMs: FROM_MS, toMs: TO_MS };
  await seedTicks({ ...order, coins: [coin], rest: 'tail' });
  const { points: count } = await seedFlows({ ...order, coin });
  const store = new LmdbStore(folder);
  const points: FlowPoint[] = [];
  for await (const page of new FlowTable(store).pages(coin, 0)) points.push(...page);
  await store.close();
  expect(points).toHaveLength(count);
  return points;
}

/** Taker buys less taker sells of the market itself, by its own generator. */
function netOf(coin: string, fromMs: number, toMs: number): number {
  const market = createMarket({ seed: 5, rate: 0.2 });
  const trades = new TradeColumns(100_000);
  let net = 0;
  for (let at = fromMs; at < toMs; ) {
    at = market.fill(coin, at, toMs, trades);
    for (let i = 0; i < trades.length; i += 1) {
      // Prices and sizes of the primary venue have six decimals together.
      const usd = ((trades.price[i] as number) * (trades.lots[i] as number)) / 10 ** 6;
      net += trades.isBuy[i] === 1 ? usd : -usd;
    }
  }
  return net;
}

it('records every minute what the market said then, all eight metrics of a coin with ETFs', async () => {
  const points = await seeded('BTC');
  const firstMs = Math.ceil(FROM_MS / MINUTE_MS) * MINUTE_MS;
  expect(points.map(({ t }) => t)).toEqual(Array.from({ length: 118 }, (_, i) => firstMs + i * MINUTE_MS));
  expect(Object.keys(points.at(-1)?.values ?? {}).toSorted()).toEqual([
    'etfLatestTotalUsdm',
    'flowPressureScore',
    'kimchiPremiumBps',
    'primaryMicroNetUsd5m',
    'proxyPremiumBps',
    'proxyTapeDeltaUsd5m',
    'sourcePartial',
    'venueSpreadDispersionBps',
  ]);
  expect(points.at(-1)).toMatchObject({
    partial: false,
    stale: false,
    coverage: { globalSpot: 'full', kimchi: 'live', etfProxy: 'live', primaryMicro: 'live' },
    origins: { spot: 'coinbase+binance+kraken+okx+bybit', korea: 'upbit+dunamu', etf: 'farside' },
  });
  // The trades of the first minutes are not those of five.
  expect(points.slice(0, 5).map(({ values }) => 'primaryMicroNetUsd5m' in values)).toEqual([
    false,
    false,
    false,
    false,
    true,
  ]);
});

it('records the very trades of the tape, and premiums that come and go', async () => {
  const points = await seeded('ETH');
  for (const { t, values } of points.filter((_, i) => i > 5 && i % 20 === 0)) {
    const atMs = t + 59_000;
    const net = netOf('ETH', atMs - 5 * MINUTE_MS + 1, atMs + 1);
    expect(values.primaryMicroNetUsd5m).toBeCloseTo(net, 0);
  }
  const sizes = (metric: 'kimchiPremiumBps' | 'proxyPremiumBps' | 'venueSpreadDispersionBps'): number =>
    Math.max(...points.map(({ values }) => Math.abs(values[metric] ?? 0)));
  expect(sizes('kimchiPremiumBps')).toBeGreaterThan(400);
  expect(sizes('proxyPremiumBps')).toBeGreaterThan(15);
  expect(sizes('venueSpreadDispersionBps')).toBeGreaterThan(30);
  expect(points.some(({ signals }) => signals.some(({ slug }) => slug === 'regional-premium'))).toBe(true);
});

it('records nothing of a coin that the market does not have', async () => {
  expect(await seeded('NOPE')).toEqual([]);
});
