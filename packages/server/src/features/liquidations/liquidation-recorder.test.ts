import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS, type Liquidation, ManualClock, type VenueLiquidation } from '@crosstape/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LocalBus } from '../../platform/local-bus.ts';
import type { Log } from '../../platform/log.ts';
import { LiquidationTable } from './liquidation-table.ts';
import { LmdbStore } from '../../store/lmdb-store.ts';
import { connectedVenuesTopic, liquidationTopic } from '../../topics.ts';
import { LiquidationRecorder } from './liquidation-recorder.ts';

const START_MS = 1_763_164_800_000;
const silent = (): void => undefined;
const log: Log = { debug: silent, info: silent, warn: silent, error: silent };

let folder: string;
let store: LmdbStore;
let clock: ManualClock;
let bus: LocalBus;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosstape-liquidations-'));
  store = new LmdbStore(folder);
  clock = new ManualClock(START_MS);
  bus = new LocalBus(clock);
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** For a venue whose contracts are in dollars. */
let worthsOf: Parameters<typeof LiquidationRecorder.open>[0]['worthsOf'];
beforeEach(() => {
  worthsOf = () => () => ({ quote: 'USD', rate: 1 });
});

function open(): Promise<LiquidationRecorder> {
  return LiquidationRecorder.open({
    clock,
    bus,
    log,
    table: new LiquidationTable(store),
    worthsOf,
    keptFromMs: (keepMs) => clock.now() - keepMs,
  });
}

const row: VenueLiquidation = {
  coin: 'BTC',
  symbol: 'BTCUSDT',
  side: 'sell',
  price: 90_000,
  size: 0.5,
  venueTs: START_MS,
};

it('publishes and counts a liquidation once, however often it is received', async () => {
  const recorder = await open();
  const published: Liquidation[] = [];
  bus.subscribe(liquidationTopic, (one) => published.push(one));
  recorder.add('okx', [row]);
  recorder.add('okx', [row, { ...row, price: 90_001 }]);
  expect(published.map(({ price, notionalUsd, inferred }) => [price, notionalUsd, inferred])).toEqual([
    [90_000, 45_000, false],
    [90_001, 45_000.5, false],
  ]);
  await recorder.stop();
});

it('recovers liquidations and connections after a restart, and takes no repeats', async () => {
  const before = await open();
  before.socket('okx', 0, 'up', START_MS);
  before.add('okx', [row]);
  clock.advance(HOUR_MS);
  await before.stop();

  clock.advance(HOUR_MS);
  const recorder = await open();
  const published: Liquidation[] = [];
  bus.subscribe(liquidationTopic, (one) => published.push(one));
  recorder.add('okx', [row]);
  recorder.socket('okx', 0, 'up', clock.now());
  expect(published).toEqual([]);
  expect(bus.latest(connectedVenuesTopic)?.message).toEqual([
    {
      venue: 'okx',
      past: [{ venue: 'okx', from: START_MS, to: START_MS + HOUR_MS }],
      openSinceMs: START_MS + 2 * HOUR_MS,
    },
  ]);
  await recorder.stop();
  const rows: Liquidation[] = [];
  for await (const some of new LiquidationTable(store).since(0)) rows.push(...some);
  expect(rows).toHaveLength(1);
});

it('knows all of a day after a restart, however many there were', async () => {
  const before = await open();
  before.add('okx', [row]);
  before.add(
    'bybit',
    Array.from({ length: 60_000 }, (_, i) => ({ ...row, venueTs: START_MS + 1 + i })),
  );
  await before.stop();
  clock.advance(HOUR_MS);
  const recorder = await open();
  const published: Liquidation[] = [];
  bus.subscribe(liquidationTopic, (one) => published.push(one));
  recorder.add('okx', [row], true);
  expect(published).toEqual([]);
  recorder.add('okx', [{ ...row, price: 90_001 }], true);
  expect(published).toHaveLength(1);
  await recorder.stop();
});

it('calls a venue connected only while none of its sockets is down', async () => {
  const recorder = await open();
  recorder.socket('dydx', 0, 'up', START_MS);
  recorder.socket('dydx', 1, 'up', START_MS);
  recorder.socket('dydx', 1, 'down', START_MS + 5);
  expect(bus.latest(connectedVenuesTopic)?.message).toEqual([
    { venue: 'dydx', past: [{ venue: 'dydx', from: START_MS, to: START_MS + 5 }] },
  ]);
  recorder.socket('dydx', 1, 'up', START_MS + 9);
  expect(bus.latest(connectedVenuesTopic)?.message).toMatchObject([{ openSinceMs: START_MS + 9 }]);
  await recorder.stop();
});

it('closes the gap of a venue once the missed rows are fetched, also after a restart', async () => {
  const before = await open();
  before.socket('okx', 0, 'up', START_MS);
  before.socket('okx', 0, 'down', START_MS + 1_000);
  before.socket('okx', 0, 'up', START_MS + 9_000);
  before.socket('okx', 0, 'down', START_MS + 11_000);
  before.socket('okx', 0, 'up', START_MS + 20_000);
  before.bridge({ venue: 'okx', from: START_MS + 11_000, to: START_MS + 20_000 });
  const part = { venue: 'okx', from: START_MS, to: START_MS + 1_000 };
  expect(bus.latest(connectedVenuesTopic)?.message).toEqual([
    { venue: 'okx', past: [part], openSinceMs: START_MS + 9_000 },
  ]);
  before.bridge({ venue: 'okx', from: START_MS - HOUR_MS, to: START_MS + 9_000 });
  expect(bus.latest(connectedVenuesTopic)?.message).toEqual([
    { venue: 'okx', past: [], openSinceMs: START_MS - HOUR_MS },
  ]);
  clock.advance(HOUR_MS);
  await before.stop();
  const recorder = await open();
  expect(bus.latest(connectedVenuesTopic)?.message).toEqual([
    { venue: 'okx', past: [{ venue: 'okx', from: START_MS - HOUR_MS, to: START_MS + HOUR_MS }] },
  ]);
  await recorder.stop();
});

it('bridges a gap of a venue that is down again', async () => {
  const recorder = await open();
  recorder.socket('okx', 0, 'up', START_MS);
  recorder.socket('okx', 0, 'down', START_MS + 5);
  recorder.bridge({ venue: 'okx', from: START_MS - 10, to: START_MS });
  expect(bus.latest(connectedVenuesTopic)?.message).toEqual([
    { venue: 'okx', past: [{ venue: 'okx', from: START_MS - 10, to: START_MS + 5 }] },
  ]);
  await recorder.stop();
});

it('distinguishes two that differ only in their contract or id', async () => {
  const recorder = await open();
  const published: Liquidation[] = [];
  bus.subscribe(liquidationTopic, (one) => published.push(one));
  const rows = [row, { ...row, symbol: 'BTCUSDC' }, { ...row, id: 'a' }, { ...row, id: 'b' }];
  recorder.add('kraken', rows);
  recorder.add('kraken', rows);
  expect(published.map(({ symbol, id }) => [symbol, id])).toEqual([
    ['BTCUSDT', undefined],
    ['BTCUSDC', undefined],
    ['BTCUSDT', 'a'],
    ['BTCUSDT', 'b'],
  ]);
  await recorder.stop();
});

it('marks refilled rows as late, and live ones not', async () => {
  const recorder = await open();
  const published: Liquidation[] = [];
  bus.subscribe(liquidationTopic, (one) => published.push(one));
  clock.advance(HOUR_MS);
  recorder.add('okx', [row, { ...row, venueTs: clock.now() - 30_000 }], true);
  recorder.add('gate', [row]);
  expect(published.map(({ isLate }) => isLate)).toEqual([true, undefined, undefined]);
  await recorder.stop();
});

it('converts what is quoted in USDT, and marks it while the rate is not known', async () => {
  let rate: number | undefined;
  worthsOf = () => () => ({ quote: 'USDT', rate });
  const recorder = await open();
  const published: Liquidation[] = [];
  bus.subscribe(liquidationTopic, (one) => published.push(one));
  recorder.add('okx', [row]);
  rate = 0.99;
  recorder.add('okx', [{ ...row, venueTs: START_MS + 1 }]);
  expect(published).toMatchObject([
    { notionalUsd: 45_000, quote: 'USDT', isUnconverted: true },
    { notionalUsd: 44_550, quote: 'USDT', price: 90_000, size: 0.5 },
  ]);
  expect(published[1]).not.toHaveProperty('isUnconverted');
  await recorder.stop();
});
