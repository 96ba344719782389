import type { Price } from '@crosstape/core';
import type { Known, Resource } from '@crosstape/venues';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { snapshotTopic } from '../topics.ts';
import { fakeFeed, fakeResource } from './testing/fake-venue.ts';
import { type Rig, type RigOptions, startRig } from './testing/rig.ts';

/** Prices of the venue's bases, each in its own unit: `PEPE` at a millionth of a dollar. */
const bases = ['BTC', 'PEPE', '1000BONK', '1000000MOG', 'CAT'];
const given: Known[] = [];
let rig: Rig;
beforeEach(() => void (given.length = 0));
afterEach(() => rig.stop());

const tables: Resource = fakeResource({
  gives: ['instruments', 'openInterest', 'prices', 'volumes', 'funding'],
  everyMs: 2_000,
  parse: (_, __, known) => {
    given.push(known);
    const named = bases.map((coin) => ({ coin, symbol: `${coin}USDT` }));
    return {
      instruments: named.map((name) => ({ ...name, contractSize: 5_000 })),
      openInterest: named.map((name) => ({ ...name, contracts: 7, coins: 35_000, value: 0.4 })),
      prices: named.map((name) => ({ ...name, mark: 0.00001234, index: 0.00001235 })),
      volumes: named.map((name) => ({ ...name, value: 7_404, coins: 600 })),
      funding: named.map((name) => ({ ...name, rate: 0.0001, periodHours: 8, nextFundingMs: 1 })),
    };
  },
});

/** The venue is another than the primary, which the test speaks for. */
async function start(options: RigOptions = {}): Promise<void> {
  rig = await startRig({ resources: [tables], primaryVenue: 'primary', ...options });
}

function listPrimary(...coins: readonly string[]): void {
  const rows = coins.map((coin) => ({ coin, symbol: coin }));
  const snapshot = { venue: 'primary', rows, fetchedAtMs: rig.clock.now(), everyMs: 30_000 };
  rig.bus.publish(snapshotTopic('primary', 'instruments'), snapshot);
}

const coins = (): readonly string[] => (rig.snapshot()?.rows ?? []).map(({ coin }) => coin);
const priceOf = (coin: string): Price | undefined =>
  rig.bus.latest(snapshotTopic('fake', 'prices'))?.message.rows.find((row) => row.coin === coin);

test('tables of a venue are published in the coins and units of the primary venue', async () => {
  await start();
  listPrimary('BTC', 'kPEPE', 'kBONK', 'MOG');
  await rig.passUntil(() => rig.snapshot() !== undefined, 1_000);
  expect(coins()).toEqual(['BTC', 'kPEPE', 'kBONK', 'MOG', 'CAT']);
  expect(rig.snapshot()?.rows.map((row) => row.coins)).toEqual([35_000, 35, 35_000, 35_000_000_000, 35_000]);
  expect(priceOf('kPEPE')).toEqual({
    coin: 'kPEPE',
    symbol: 'PEPEUSDT',
    mark: 0.01234,
    index: 0.01235,
  });
  expect(priceOf('MOG')).toMatchObject({ mark: 0.00000000001234 });
  const volumes = rig.bus.latest(snapshotTopic('fake', 'volumes'))?.message.rows;
  expect(volumes?.map((row) => row.coins)).toEqual([600, 0.6, 600, 600_000_000, 600]);
  // Dollars, contracts and rates have no unit of the coin.
  for (const row of volumes ?? []) expect(row).toMatchObject({ value: 7_404 });
  for (const row of rig.snapshot()?.rows ?? []) expect(row).toMatchObject({ contracts: 7, value: 0.4 });
  const sizes = rig.bus.latest(snapshotTopic('fake', 'instruments'))?.message.rows;
  expect(sizes?.map(({ contractSize }) => contractSize)).toEqual([5_000, 5, 5_000, 5_000_000_000, 5_000]);
  const funding = rig.bus.latest(snapshotTopic('fake', 'funding'))?.message.rows;
  expect(funding?.[1]).toMatchObject({ coin: 'kPEPE', rate: 0.0001, periodHours: 8 });
});

test('a parser is given the tables in the units of its own venue', async () => {
  await start();
  listPrimary('kPEPE');
  await rig.passUntil(() => given.length === 2, 3_000);
  expect(given[1]?.instruments?.map(({ coin }) => coin)).toEqual(bases);
  expect(given[1]?.openInterest?.map((row) => row.coins)).toEqual(bases.map(() => 35_000));
});

test('nothing is published before the list of the primary venue is there', async () => {
  await start();
  await rig.passUntil(() => rig.health('oi')?.status === 'ok', 1_000);
  await rig.pass(3_000, 500);
  expect(rig.snapshot()).toBeUndefined();
  listPrimary('kPEPE', 'MOG');
  expect(coins()).toContain('MOG');
});

test('after five seconds without the list the usual thousands are assumed, until it comes', async () => {
  await start();
  await rig.passUntil(() => rig.snapshot() !== undefined, 5_100);
  expect(coins()).toEqual(['BTC', 'kPEPE', 'kBONK', '1000000MOG', 'CAT']);
  listPrimary('BTC', 'PEPE', 'MOG');
  expect(coins()).toEqual(['BTC', 'PEPE', '1000BONK', 'MOG', 'CAT']);
});

test('tables are published again when the list changes, and only then', async () => {
  await start();
  listPrimary('BTC');
  await rig.passUntil(() => rig.snapshot() !== undefined, 1_000);
  const before = rig.snapshot();
  let publications = 0;
  rig.bus.subscribe(snapshotTopic('fake', 'openInterest'), () => (publications += 1));
  listPrimary('BTC');
  listPrimary();
  expect(publications).toBe(0);
  listPrimary('kPEPE', 'BTC');
  expect(publications).toBe(1);
  expect(coins()).toContain('kPEPE');
  expect(rig.snapshot()).toMatchObject({ fetchedAtMs: before?.fetchedAtMs, everyMs: before?.everyMs });
});

test('frames of a feed are published in the same coins and units', async () => {
  await start({ feeds: [fakeFeed()] });
  listPrimary('kPEPE', 'MOG');
  await rig.passUntil(() => rig.health('trades')?.status === 'ok', 3_000);
  for (const frame of ['T PEPE 0.00001234', 'L 1000000MOG 2', 'T CAT 3']) rig.venue.sockets[0]?.send(frame);
  await vi.waitFor(() => expect(rig.frames).toHaveLength(3));
  expect(
    rig.frames.map(({ frame }) =>
      'trades' in frame ? frame.trades : 'liquidations' in frame && frame.liquidations,
    ),
  ).toMatchObject([
    [{ coin: 'kPEPE', price: 0.01234, size: 0.001 }],
    [{ coin: 'MOG', symbol: '1000000MOG', price: 0.000002, size: 1_000_000 }],
    [{ coin: 'CAT', price: 3, size: 1 }],
  ]);
  expect(rig.socketChanges).toMatchObject([{ kind: 'up' }]);
  expect(rig.feedChanges).toMatchObject([{ kind: 'up' }]);
});

test('the primary venue itself is never changed, and waits for no other', async () => {
  await start({ primaryVenue: 'fake' });
  await rig.passUntil(() => rig.snapshot() !== undefined, 1_000);
  expect(coins()).toEqual(bases);
});
