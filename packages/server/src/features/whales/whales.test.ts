import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS, ManualClock, notionalUsdOf, type Print, type Trade } from '@crosstape/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { JobOptions, JobRunner } from '../../platform/jobs.ts';
import { LocalBus } from '../../platform/local-bus.ts';
import { LmdbStore } from '../../store/lmdb-store.ts';
import type { StoredMarket } from '../market-tape/market-table.ts';
import { TickBuffer } from '../tape/tick-buffer.ts';
import { TickTable } from '../tape/tick-table.ts';
import { VENUE_WHALES, WhaleTable } from './whale-table.ts';
import { printTopic } from '../../topics.ts';
import { Prints } from './prints.ts';
import { createWhaleReader, type WhaleReader } from './whales.ts';
import { withReader } from '../../cluster/thread-reader.ts';
import { findWhales, type TapeSearch } from './whales-on-tape.ts';

const NOW_MS = 1_000 * HOUR_MS;

let folder: string;
let store: LmdbStore;
let table: WhaleTable;
let bus: LocalBus;
let reader: WhaleReader;
let searches: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosstape-'));
  store = new LmdbStore(folder);
  table = new WhaleTable(store);
  const clock = new ManualClock(NOW_MS);
  bus = new LocalBus(clock);
  searches = 0;
  const jobs = {
    run: (_task: unknown, search: TapeSearch) => {
      searches += 1;
      return findWhales(search, withReader);
    },
    stop: async () => {},
  } as unknown as JobRunner;
  reader = createWhaleReader({
    clock,
    bus,
    table,
    venueTable: new WhaleTable(store, VENUE_WHALES),
    jobs,
    folder,
    venue: 'hyperliquid',
    recordedSinceMs: async () => 7,
  });
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function print(tid: number, notionalUsd: number, coin = 'BTC'): Print {
  const plain = { venue: 'hyperliquid', side: 'sell' as const, price: 1, size: notionalUsd, fills: 1 };
  return { ...plain, coin, notionalUsd, ts: NOW_MS + tid, tid };
}

const tids = (prints: readonly Print[]): readonly number[] => prints.map(({ tid }) => tid);

it('joins what is written with what is not, each print once, newest first', async () => {
  await table.append([print(1, 200_000), print(2, 300_000)]);
  for (const one of [print(2, 300_000), print(3, 400_000), print(4, 400_000, 'ETH')])
    bus.publish(printTopic, one);
  const { prints, recordedSinceMs } = await reader.newest({ minUsd: 100_000, coin: 'BTC', limit: 10 });
  expect(tids(prints)).toEqual([3, 2, 1]);
  expect(recordedSinceMs).toBe(7);
  expect(tids((await reader.newest({ minUsd: 100_000, limit: 2 })).prints)).toEqual([4, 3]);
  expect(searches).toBe(0);
});

it('finds small prints on the tape, over sealed chunks and the tail, as they were when released', async () => {
  const ticks = new TickTable(store);
  const released: Print[] = [];
  for (const coin of ['BTC', 'ETH']) {
    const grouping = new Prints({ clock: new ManualClock(0), emit: (one) => released.push(one) });
    for (let hour = 5; hour >= 0; hour -= 1) {
      const buffer = new TickBuffer();
      for (let i = 0; i < 40; i += 1) {
        const [price, size] = [100 + (i % 7), 0.5 + (i % 5)];
        const ts = NOW_MS - hour * HOUR_MS - 60_000 + Math.floor(i / 2);
        const plain = {
          coin,
          venue: 'hyperliquid',
          side: 'buy' as const,
          price,
          size,
          ts,
          sameOrder: i % 2 === 1,
        };
        const trade: Trade = { ...plain, notionalUsd: notionalUsdOf(price, size), tid: hour * 1_000 + i };
        buffer.add(trade);
        grouping.add(trade);
      }
      const changes =
        hour > 0
          ? ticks.sealing(coin, buffer, buffer.length, [])
          : [
              ...ticks.appending(coin, buffer, 0, 21, 1),
              ...ticks.appending(coin, buffer, 21, buffer.length, 2),
            ];
      await ticks.commit(changes);
    }
    grouping.flush();
  }
  const expected = (minUsd: number, coin?: string): readonly Print[] =>
    released
      .filter((one) => one.notionalUsd >= minUsd && (coin === undefined || one.coin === coin))
      .toSorted((a, b) => b.ts - a.ts || b.tid - a.tid);
  for (const [minUsd, coin, limit] of [
    [0, undefined, 1_000],
    [500, undefined, 30],
    [500, 'ETH', 1_000],
    [5_000, 'BTC', 5],
  ] as const) {
    const { prints } = await reader.newest({ minUsd, limit, ...(coin ? { coin } : {}) });
    const wanted = expected(minUsd, coin).slice(0, limit);
    const byName = (a: Print, b: Print): number => a.tid - b.tid || a.coin.localeCompare(b.coin);
    expect(prints.toSorted(byName)).toEqual(wanted.toSorted(byName));
  }
});

it('does not search the tape when the log has enough', async () => {
  for (let i = 0; i < 5; i += 1) bus.publish(printTopic, print(i, 50));
  expect(tids((await reader.newest({ minUsd: 50, limit: 3 })).prints)).toEqual([4, 3, 2]);
  expect(searches).toBe(0);
});

it('limits concurrent tape searches per caller, and stops after the first failure', async () => {
  const callers: (string | undefined)[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const jobs = {
    run: (_task: unknown, _search: unknown, { caller, signal }: JobOptions = {}) => {
      callers.push(caller);
      return new Promise<readonly Print[]>((resolve, reject) => {
        const abort = (): void => reject(signal?.reason);
        signal?.addEventListener('abort', abort);
        ends.push((error) => {
          signal?.removeEventListener('abort', abort);
          if (error) reject(error);
          else resolve([]);
        });
      });
    },
    stop: async () => {},
  } as unknown as JobRunner;
  const options = { clock: new ManualClock(NOW_MS), bus, table, folder, venue: 'hyperliquid', jobs };
  const searching = createWhaleReader({
    ...options,
    venueTable: new WhaleTable(store, VENUE_WHALES),
    recordedSinceMs: async () => 7,
  });
  const market = { recordingSince: 7 } as StoredMarket;
  const markets = Array.from({ length: 14 }, (_, i) => ({ ...market, id: `okx:${i}` }));
  const query = { minUsd: 99_999, coin: 'BTC', limit: 10 };

  const whole = searching.ofMarkets(markets, query, 'one address');
  expect(callers).toEqual(Array.from({ length: 4 }, () => 'one address'));
  for (let i = 0; i < markets.length; i += 1) {
    ends[i]?.();
    const next = Math.min(markets.length, 5 + i);
    await vi.waitUntil(() => callers.length === next, { timeout: 60_000 });
  }
  expect(await whole).toEqual([]);

  const failing = searching.ofMarkets(markets, query, 'one address');
  ends.at(-1)?.(new Error('the row is damaged'));
  await expect(failing).rejects.toThrow('the row is damaged');
  ends.at(-2)?.();
  await new Promise(setImmediate);
  expect(callers).toHaveLength(14 + 4);

  await Promise.race([searching.ofMarket(market, query, 'another'), new Promise(setImmediate)]);
  await Promise.race([searching.newest(query, 'a third'), new Promise(setImmediate)]);
  expect(callers.slice(-2)).toEqual(['another', 'a third']);
});
