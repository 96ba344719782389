import { ManualClock, type Market, type Trade } from '@crosstape/core';
import { beforeEach, expect, it } from 'vitest';
import { LocalBus } from '../../platform/local-bus.ts';
import type { JobRunner } from '../../platform/jobs.ts';
import { MemoryStore } from '../../store/testing/memory-store.ts';
import {
  printTopic,
  recordedMarketsTopic,
  usdRatesTopic,
  type VenuePrint,
  venuePrintTopic,
} from '../../topics.ts';
import { startVenueWhales } from './venue-whales.ts';
import { VENUE_WHALES, WhaleTable } from './whale-table.ts';
import { createWhaleReader } from './whales.ts';

const START_MS = 1_790_000_000_000;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const market: Market = {
  id: 'okx:BTC-USDT-SWAP',
  venue: 'okx',
  kind: 'perp',
  symbol: 'BTC-USDT-SWAP',
  coin: 'BTC',
  quote: 'USDT',
  contractSize: 0.01,
  scale: 1,
};
const primaryPrint = {
  coin: 'BTC',
  venue: 'hyperliquid',
  side: 'sell',
  price: 100_000,
  size: 2,
  notionalUsd: 200_000,
  ts: START_MS,
  tid: 9,
  fills: 1,
} as const;

let clock: ManualClock;
let bus: LocalBus;
let store: MemoryStore;
let published: VenuePrint[];
beforeEach(() => {
  clock = new ManualClock(START_MS);
  bus = new LocalBus(clock);
  store = new MemoryStore();
  published = [];
  bus.subscribe(venuePrintTopic, (print) => published.push(print));
  bus.publish(recordedMarketsTopic, [{ ...market, publisher: 'okx', isCounted: true, grouping: 'order' }]);
  const usdt = { rate: 0.5, isStale: false, asOfMs: START_MS, venues: [] };
  bus.publish(usdRatesTopic, { atMs: START_MS, rates: { USDT: usdt }, failing: {} });
});

/** Of 300 contracts, three coins. */
function fill(tid: number, sameOrder: boolean): Trade {
  const one = { coin: market.symbol, venue: 'okx', side: 'buy', price: 100_000, notionalUsd: 0 } as const;
  return { ...one, size: 300, ts: START_MS, tid, sameOrder };
}

it('publishes larger orders of all venues in coins and dollars, and finds them again', async () => {
  const options = { clock, bus, store, log: silent, retentionDays: 7, keptFromMs: () => undefined };
  const whales = startVenueWhales({ ...options, primaryVenue: 'hyperliquid' });
  whales.add(market, fill(1, false));
  whales.add(market, fill(2, true));
  whales.add(market, { ...fill(3, false), size: 0.1 });
  bus.publish(printTopic, primaryPrint);
  bus.publish(printTopic, { ...primaryPrint, notionalUsd: 9_999 });
  clock.advance(1_000);
  const order = { coin: 'BTC', venue: 'okx', side: 'buy', price: 100_000, ts: START_MS, tid: 1, fills: 2 };
  const print = { ...order, size: 6, notionalUsd: 300_000, market: market.id, grouping: 'order' };
  const own = { ...primaryPrint, market: 'hyperliquid:BTC' };
  expect(published).toEqual([print, own]);
  await whales.stop();

  const venueTable = new WhaleTable<VenuePrint>(store, VENUE_WHALES);
  const reader = (log: LocalBus) =>
    createWhaleReader({
      clock,
      bus: log,
      table: new WhaleTable(store),
      venueTable,
      jobs: {} as JobRunner,
      folder: '',
      venue: 'hyperliquid',
      recordedSinceMs: async () => 0,
    });
  // The primary venue's are stored by its own recorder; a print that is both written and in the log is one.
  for (const log of [bus, new LocalBus(clock)]) {
    expect(await reader(log).ofMarkets([], { minUsd: 200_000, coin: 'BTC', limit: 9 })).toEqual([print]);
    expect(await reader(log).ofMarkets([], { minUsd: 300_001, limit: 9 })).toEqual([]);
  }
});

it('publishes no print again that the ingester before has published', async () => {
  const options = {
    clock,
    bus,
    log: silent,
    store,
    primaryVenue: 'hyperliquid',
    retentionDays: 7,
    keptFromMs: () => undefined,
  };
  const before = startVenueWhales(options);
  const trades = [1, 2, 3, 4, 5].map((tid) => ({ ...fill(tid, false), ts: START_MS + tid * 30_000 }));
  for (const trade of trades) {
    clock.advance(30_000);
    before.add(market, trade);
  }
  clock.advance(1_000);
  await before.stop();
  const last = { ...fill(6, false), ts: clock.now() };
  const led = Promise.resolve();
  const whales = startVenueWhales({ ...options, led });
  await led;
  whales.takeUp(market, [...trades, last]);
  clock.advance(1_000);
  await whales.stop();
  expect(published.map(({ tid }) => tid)).toEqual([1, 2, 3, 4, 5, 6]);
});
