import { decimalOf, decodeTicks, HOUR_MS, ManualClock } from '@crosstape/core';
import { expect, it, vi } from 'vitest';
import { CandleTable, minuteLevel } from '../features/candles/candle-table.ts';
import { gunzipChunk } from '../features/tape/chunk-gzip.ts';
import { GapLedger } from '../features/tape/gap-ledger.ts';
import { TickTable } from '../features/tape/tick-table.ts';
import type { JobRunner } from '../platform/jobs.ts';
import { LocalBus } from '../platform/local-bus.ts';
import { storePerTest } from '../store/testing/store-per-test.ts';
import { marketSeedingTopic, type RecordedMarket, recordedMarketsTopic } from '../topics.ts';
import { MarketHistory, type MarketHistoryOptions } from './market-history.ts';
import { seedMarkets, type SeedMarkets } from './seed-markets.ts';

const HOUR = Date.UTC(2026, 10, 16, 14);
const NOW = HOUR + 10 * 60_000;
const HISTORY_HOURS = 3;
const FROM = HOUR - HISTORY_HOURS * HOUR_MS;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const market = { seed: 5, rate: 0.01 };

const bitcoinOf = (publisher: string): RecordedMarket => ({
  id: `${publisher}:BTCUSDT`,
  venue: publisher,
  publisher,
  kind: 'perp',
  symbol: 'BTCUSDT',
  coin: 'BTC',
  quote: 'USDT',
  contractSize: 1,
  scale: 1,
  isCounted: publisher === 'binance',
});
const other: RecordedMarket = {
  ...bitcoinOf('bybit'),
  id: 'bybit:XRPUSDT',
  symbol: 'XRPUSDT',
  coin: 'XRP',
};

const place = storePerTest();

interface World {
  readonly options: MarketHistoryOptions;
  readonly bus: LocalBus;
  readonly clock: ManualClock;
  /** Calls: where, for which market, and from when. */
  readonly orders: string[];
}

/** With jobs that run here, each after `check`. */
function world(
  check: (order: SeedMarkets) => Promise<void> = () => Promise.resolve(),
  publishers: readonly string[] = ['bybit'],
): World {
  const clock = new ManualClock(NOW);
  const bus = new LocalBus(clock);
  const orders: string[] = [];
  const runner = (name: string): JobRunner => ({
    run: async (_task, payload) => {
      const order = payload as SeedMarkets;
      orders.push(`${name} ${order.publisher} ${(order.fromMs - HOUR) / HOUR_MS}`);
      await check(order);
      return (await seedMarkets(order)) as never;
    },
    stop: () => Promise.resolve(),
  });
  const options: MarketHistoryOptions = {
    clock,
    bus,
    log: silent,
    store: place.store,
    folder: place.folder,
    market,
    jobs: runner('jobs'),
    builds: runner('builds'),
    candles: { inTurn: (work) => work() },
    publishers,
  };
  return { options, bus, clock, orders };
}

const begin = (options: MarketHistoryOptions): Promise<MarketHistory> =>
  MarketHistory.begin(options, HISTORY_HOURS);

const isDone = (bus: LocalBus): boolean | undefined => bus.latest(marketSeedingTopic)?.message.isDone;

const untilDone = (bus: LocalBus): Promise<unknown> =>
  vi.waitUntil(() => isDone(bus), { timeout: 240_000, interval: 20 });

/** The times of every recorded trade of a market, oldest first. */
async function recordedTimes(venue: string): Promise<readonly number[]> {
  const table = new TickTable(place.store, venue);
  const chunks = await table.chunks('BTCUSDT', 0, Number.MAX_SAFE_INTEGER, 1_000);
  const parts = [
    ...chunks.map(({ data }) => decodeTicks(gunzipChunk(data))),
    ...(await table.tail('BTCUSDT')).map(({ columns }) => columns),
  ];
  return parts.flatMap(({ ts, length }) => [...ts.subarray(0, length)]);
}

it('records the hour in progress, then the hours before, newest first, and vouches for each', async () => {
  const { options, bus, orders } = world();
  const history = await begin(options);
  expect(isDone(bus)).toBe(false);
  await history.prepare({ id: 'bybit' }, [bitcoinOf('bybit'), other]);
  const ledger = new GapLedger(place.store, 'bybit');
  const newest = { from: HOUR, to: NOW, recordCoins: 'BTCUSDT' };
  expect(await ledger.spans(0, NOW)).toEqual([newest]);
  expect(bus.latest(marketSeedingTopic)?.message.createdTo).toEqual({ bybit: NOW });
  const first = await recordedTimes('bybit');
  expect(first.length).toBeGreaterThan(20);
  expect(first.every((ts) => ts >= HOUR && ts < NOW)).toBe(true);

  bus.publish(recordedMarketsTopic, [bitcoinOf('bybit'), other]);
  history.start();
  await untilDone(bus);
  await history.stop();
  expect(orders).toEqual(['jobs bybit 0', 'builds bybit -1', 'builds bybit -2', 'builds bybit -3']);
  const spans = await ledger.spans(0, NOW);
  expect(spans.map(({ from, to }) => [from, to])).toEqual([
    [FROM, FROM + HOUR_MS],
    [FROM + HOUR_MS, FROM + 2 * HOUR_MS],
    [FROM + 2 * HOUR_MS, HOUR],
    [HOUR, NOW],
  ]);
  const times = await recordedTimes('bybit');
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times.slice(-first.length)).toEqual(first);
  for (let from = FROM; from < HOUR; from += HOUR_MS)
    expect(times.filter((ts) => ts >= from && ts < from + HOUR_MS).length).toBeGreaterThan(100);
  const candles = new CandleTable(place.store);
  const trades = async (from: number): Promise<number | undefined> =>
    (await candles.block(minuteLevel, 'bybit:BTCUSDT', from))?.candles.reduce(
      (sum, { trades: own = 0 }) => sum + own,
      0,
    );
  for (let from = FROM; from < HOUR; from += HOUR_MS)
    expect(await trades(from)).toBe(times.filter((ts) => ts >= from && ts < from + HOUR_MS).length);
  // Nothing is created for the other market.
  expect(await new TickTable(place.store, 'bybit').coins()).toEqual(['BTCUSDT']);
});

it('records what a client would have received', async () => {
  const order = { folder: place.folder, ...market, publisher: 'binance', rest: 'chunk' } as const;
  const [seeded] = await seedMarkets({ ...order, markets: [bitcoinOf('binance')], fromMs: FROM, toMs: HOUR });
  const table = new TickTable(place.store, 'binance');
  const [chunk] = await table.chunkIds('BTCUSDT', FROM, HOUR, 1);
  expect(await table.chunkReceipts('BTCUSDT', FROM, HOUR, 1)).toEqual([]);
  expect(chunk?.trades).toBeGreaterThan(100);
  expect(await recordedTimes('binance')).toHaveLength(seeded?.trades ?? 0);
});

it('records the tenths of contracts that Gate sends to clients that ask for them, as this one does', async () => {
  const contract = { id: 'gate:BTC_USDT', symbol: 'BTC_USDT', contractSize: 0.0001 };
  const bitcoin = { ...bitcoinOf('gate'), ...contract };
  const order = { folder: place.folder, ...market, publisher: 'gate', rest: 'chunk' } as const;
  const [seeded] = await seedMarkets({ ...order, markets: [bitcoin], fromMs: FROM, toMs: HOUR });
  const contracts = (seeded?.minutes ?? []).map(
    ({ volume, sizeDecimals }) => decimalOf(volume, sizeDecimals) / contract.contractSize,
  );
  const isWhole = (count: number): boolean => Math.abs(count - Math.round(count)) < 1e-6;
  expect(contracts.every(isWhole)).toBe(false);
});

it('continues after a restart, and then has nothing left to do', async () => {
  const first = world((order) =>
    order.fromMs === HOUR - 2 * HOUR_MS
      ? new Promise<void>((_, reject) => (kill = reject))
      : Promise.resolve(),
  );
  let kill = (_error: Error): void => undefined;
  const history = await begin(first.options);
  await history.prepare({ id: 'bybit' }, [bitcoinOf('bybit')]);
  first.bus.publish(recordedMarketsTopic, [bitcoinOf('bybit')]);
  history.start();
  await vi.waitUntil(() => first.orders.length === 3, { timeout: 240_000, interval: 20 });
  const stopping = history.stop();
  kill(new Error('the service stops'));
  await stopping;

  const second = world();
  const resumed = await MarketHistory.resume(second.options);
  expect(isDone(second.bus)).toBe(false);
  resumed?.start();
  // Nothing is recorded of it yet in this run.
  await place.store.table('none', 'json').get(['x']);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(isDone(second.bus)).toBe(false);
  expect(await MarketHistory.resume(world().options)).toBeDefined();
  second.bus.publish(recordedMarketsTopic, [bitcoinOf('bybit')]);
  await vi.waitUntil(() => second.orders.length === 2 && isDone(second.bus), {
    timeout: 240_000,
    interval: 20,
  });
  await resumed?.stop();
  expect(second.orders).toEqual(['builds bybit -2', 'builds bybit -3']);
  expect(await new GapLedger(place.store, 'bybit').recordedSinceMs()).toBe(FROM);
  expect(await MarketHistory.resume(world().options)).toBeUndefined();
});

it('leaves out a venue that cannot be created, and finishes the others', async () => {
  const { options, bus, clock, orders } = world(
    ({ publisher }) => (publisher === 'binance' ? Promise.reject(new Error('no room')) : Promise.resolve()),
    ['bybit', 'binance'],
  );
  const history = await begin(options);
  for (const id of ['bybit', 'binance']) await history.prepare({ id }, [bitcoinOf(id)]);
  // Its record begins with live trades.
  const ledger = new GapLedger(place.store, 'binance');
  expect(await ledger.spans(0, NOW)).toEqual([]);
  await place.store.commit([ledger.extending({ from: NOW, to: NOW + 1_000, recordCoins: 'BTCUSDT' })]);
  bus.publish(recordedMarketsTopic, [bitcoinOf('bybit'), bitcoinOf('binance')]);
  history.start();
  await vi.waitUntil(
    () => {
      clock.advance(1_000);
      return isDone(bus);
    },
    { timeout: 240_000, interval: 20 },
  );
  await history.stop();
  expect(orders.filter((order) => order.startsWith('builds binance'))).toHaveLength(3);
  expect(await new GapLedger(place.store, 'bybit').recordedSinceMs()).toBe(FROM);
  expect(await ledger.recordedSinceMs()).toBe(NOW);
});

it('waits for a venue that is not recorded yet, but not forever, and does not begin again', async () => {
  const { options, bus, clock, orders } = world(undefined, ['bybit', 'binance']);
  const history = await begin(options);
  await history.prepare({ id: 'bybit' }, [bitcoinOf('bybit')]);
  bus.publish(recordedMarketsTopic, [bitcoinOf('bybit')]);
  history.start();
  await vi.waitUntil(() => orders.length === 4, { timeout: 240_000, interval: 20 });
  const ledger = new GapLedger(place.store, 'bybit');
  await vi.waitUntil(async () => (await ledger.recordedSinceMs()) === FROM, {
    timeout: 240_000,
    interval: 20,
  });
  expect(isDone(bus)).toBe(false);
  expect(await MarketHistory.resume(world().options)).toBeDefined();
  clock.advance(5 * 60_000);
  await untilDone(bus);
  expect(await MarketHistory.resume(world().options)).toBeUndefined();
  // Forgotten with time, the hours are not created again.
  await ledger.prune(HOUR);
  bus.publish(recordedMarketsTopic, [bitcoinOf('bybit'), other]);
  await place.store.table('none', 'json').get(['x']);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  // A venue that is first connected after that gets none.
  await history.prepare({ id: 'binance' }, [bitcoinOf('binance')]);
  await history.stop();
  expect(orders).toHaveLength(4);
  expect(isDone(bus)).toBe(true);
});
